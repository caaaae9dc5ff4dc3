"""claimsmith: team profiles into validated Dynamic Resource Allocation configuration."""

__version__ = "0.1.0"

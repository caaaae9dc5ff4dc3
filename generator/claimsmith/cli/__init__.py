"""The command line."""

from claimsmith.cli.app import main

__all__ = ["main"]

"""Pure value types and the syntax of names; their parsers raise ``ValueError`` with words for the user."""

from claimsmith.values.duration import Duration
from claimsmith.values.image import ImageReference
from claimsmith.values.quantity import Quantity
from claimsmith.values.semver import Semver
from claimsmith.values.suggest import closest
from claimsmith.values.version import Minor

__all__ = ["Duration", "ImageReference", "Minor", "Quantity", "Semver", "closest"]

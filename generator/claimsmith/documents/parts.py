"""Parts that several kinds of document share."""

from dataclasses import dataclass, field

from claimsmith.documents.decode import Positioned
from claimsmith.documents.nodes import Mapping, find
from claimsmith.findings import Finding, Position


@dataclass(frozen=True, slots=True, kw_only=True)
class Toleration(Positioned):
    """A toleration of device taints or node taints; an effect left out tolerates every effect."""

    key: str = ""
    operator: str = "Equal"
    value: str = ""
    effect: str = ""
    toleration_seconds: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DevicePool(Positioned):
    """A pool of a driver: for most GPU drivers, a node."""

    driver: str
    pool: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Document(Positioned):
    """What every kind has: a name, unique in its kind. ``node`` is its ``spec``, ``root`` the whole document."""

    name: str
    root: Mapping = field(compare=False, repr=False)

    @property
    def file(self) -> str:
        return self.root.position.file

    @property
    def name_position(self) -> Position:
        found = find(self.root, "metadata", "name")
        return found.position if found else self.root.position

    def name_finding(self, rule: str, **data: object) -> Finding:
        """A finding at the document's name."""
        return Finding(rule, self.name_position, data, "metadata.name")

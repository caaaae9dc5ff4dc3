"""One thing that a check found."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from claimsmith.findings.position import Position


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that a place in a file breaks.

    ``data`` fills the placeholders of the rule's words; the words themselves live with the rule. The key
    ``did_you_mean``, where it is not empty, becomes a suggestion in the help. ``path`` is the field's path
    (``spec.claims[0].name``); ``clusters`` names the clusters that the finding concerns, none meaning every one.
    """

    rule: str
    position: Position
    data: Mapping[str, object] = field(default_factory=dict)
    path: str | None = None
    clusters: tuple[str, ...] = ()

    def on(self, *clusters: str) -> "Finding":
        """The same finding, said of these clusters."""
        return replace(self, clusters=clusters)

"""What there is to say about a part of a selector."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol


class Span(Protocol):
    """Code points of an expression, the end exclusive: every node of a tree has them."""

    @property
    def start(self) -> int: ...

    @property
    def end(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Part:
    """A span that is no node."""

    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Remark:
    """A rule with its data, and the part of the expression that it is about."""

    rule: str
    place: Span
    data: Mapping[str, object]

    @property
    def key(self) -> tuple[str, int, int]:
        return self.rule, self.place.start, self.place.end

"""What is wrong with an expression, and where in its text."""

from collections.abc import Mapping
from dataclasses import dataclass, field

SYNTAX = "CS910"
LIMIT = "CS913"
UNKNOWN_NAME = "CS914"
TOO_COSTLY = "CS915"


@dataclass(frozen=True, slots=True)
class Problem:
    """A rule that ``text[start:end]`` of the expression breaks; ``data`` fills the rule's words."""

    rule: str
    start: int
    end: int
    data: Mapping[str, object] = field(default_factory=dict)


class ProblemError(Exception):
    """Carries the problem that ends the reading of an expression."""

    def __init__(self, rule: str, start: int, end: int, **data: object) -> None:
        super().__init__(rule)
        self.problem = Problem(rule, start, end, data)

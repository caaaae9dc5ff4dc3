"""The text of a source file: its lines for reports, and the comments that silence findings."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from claimsmith.documents.nodes import Mapping, Node, Scalar
from claimsmith.documents.yaml_text import split_lines
from claimsmith.findings import Position

_MARK = "claimsmith:"
_COMMENT = re.compile(r"(?:^|(?<=[ \t]))#")
_IGNORE = re.compile(
    r"#[ \t]*claimsmith:[ \t]*ignore[ \t]+"
    r"(?P<ids>CS[0-9]+(?:[ \t]*,[ \t]*CS[0-9]+)*)"
    r"(?:[ \t]+-[ \t]*(?P<reason>.*?))?[ \t]*"
)
_ADDRESSED = re.compile(r"#[ \t]*claimsmith:")


@dataclass(frozen=True, slots=True)
class Source:
    """A file's name, as in :class:`Position`, and its lines without their ends."""

    file: str
    lines: tuple[str, ...]

    @classmethod
    def of(cls, data: bytes, file: str) -> "Source":
        """From the file's bytes; whatever is not UTF-8 shows as U+FFFD."""
        return cls(file, tuple(split_lines(data.decode("utf-8-sig", errors="replace"))))

    def line(self, number: int) -> str:
        """The line of this 1-based number; empty where the file has no such line."""
        return self.lines[number - 1] if 1 <= number <= len(self.lines) else ""


@dataclass(frozen=True, slots=True)
class Suppression:
    """A comment ``# claimsmith: ignore CS503, CS504 - reason``.

    ``position`` is the comment's own. It silences findings that start on ``first_line`` to ``last_line``: the
    line it stands on or, alone on a line, the next line with content, and all of a scalar that begins there
    and runs over several lines, which has no room for comments. ``rule_ids`` is empty where the comment speaks
    to claimsmith in words it does not know; ``reason`` is empty where none is given.
    """

    position: Position
    first_line: int
    last_line: int
    rule_ids: tuple[str, ...]
    reason: str

    def covers(self, rule: str, position: Position) -> bool:
        """Whether a finding of this rule at this place is silenced."""
        return (
            rule in self.rule_ids
            and position.file == self.position.file
            and self.first_line <= position.line <= self.last_line
        )


def suppressions(source: Source, roots: Sequence[Node]) -> list[Suppression]:
    """The suppressions of a file, in order, given the nodes that it was read as.

    The nodes tell comments from text: a ``#`` within a quoted or block scalar starts no comment.
    """
    if not any(_MARK in line for line in source.lines):
        return []
    texts = _Texts(roots)
    found = []
    next_content = _next_content(source)
    for number, line in enumerate(source.lines, 1):
        if _MARK not in line:
            continue
        start = _comment_start(line, number, texts)
        if start is None or _ADDRESSED.match(line, start) is None:
            continue
        applies_to = number if line[:start].strip() else next_content[number]
        found.append(_suppression(source, number, start, applies_to, texts))
    return found


class _Texts:
    """Where the scalars of a file stand, line by line."""

    def __init__(self, roots: Sequence[Node]) -> None:
        self._spans: dict[int, list[Position]] = {}
        self._last_lines: dict[int, int] = {}
        for scalar in _scalars(roots):
            place = scalar.position
            # The line with `|` or `>` may end in a comment; the text begins on the next.
            first = place.line + 1 if scalar.style in ("|", ">") else place.line
            span = place if first == place.line else replace(place, line=first, column=1)
            last = place.end_line - 1 if place.end_column == 1 and place.end_line > place.line else place.end_line
            for line in range(first, last + 1):
                self._spans.setdefault(line, []).append(span)
            self._last_lines[place.line] = max(last, self._last_lines.get(place.line, 0))

    def holds(self, line: int, column: int) -> bool:
        """Whether this place is within a scalar."""
        return any(
            (span.line, span.column) <= (line, column) < (span.end_line, span.end_column)
            for span in self._spans.get(line, ())
        )

    def last_line(self, line: int) -> int:
        """The last line of the scalars that begin on this one; the line itself if there are none."""
        return self._last_lines.get(line, line)


def _scalars(roots: Sequence[Node]) -> Iterator[Scalar]:
    """Every scalar of the trees, keys too, each once however many aliases repeat it."""
    seen: set[int] = set()
    waiting = list(roots)
    while waiting:
        node = waiting.pop()
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, Scalar):
            yield node
        elif isinstance(node, Mapping):
            for key, value in node.entries:
                yield key
                waiting.append(value)
        else:
            waiting.extend(node.items)


def _comment_start(line: str, number: int, texts: _Texts) -> int | None:
    for match in _COMMENT.finditer(line):
        if not texts.holds(number, match.start() + 1):
            return match.start()
    return None


def _next_content(source: Source) -> list[int]:
    """For each line number, the next line that is neither blank nor a comment; the line itself if none is."""
    following = list(range(len(source.lines) + 1))
    content: int | None = None
    for number in range(len(source.lines), 0, -1):
        following[number] = content or number
        text = source.line(number).strip()
        if text and not text.startswith("#"):
            content = number
    return following


def _suppression(source: Source, number: int, start: int, applies_to: int, texts: _Texts) -> Suppression:
    line = source.line(number)
    match = _IGNORE.fullmatch(line, start)
    ids = tuple(part.strip() for part in match["ids"].split(",")) if match is not None else ()
    reason = (match["reason"] or "") if match is not None else ""
    position = Position(source.file, number, start + 1, number, len(line.rstrip()) + 1)
    return Suppression(position, applies_to, texts.last_line(applies_to), ids, reason)

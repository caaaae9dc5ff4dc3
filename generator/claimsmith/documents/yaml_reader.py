"""YAML and JSON bytes → nodes with positions, and findings for whatever readers could disagree about.

The parser is libyaml, asked event by event: nothing here or there recurses, so that neither deep nesting nor
aliases of aliases can exhaust the stack, the memory or the time.
"""

import re
from dataclasses import dataclass, field
from typing import Any

import yaml

from claimsmith.documents.nodes import Mapping, Node, Scalar, Sequence
from claimsmith.documents.yaml_scalars import Reading, resolve
from claimsmith.documents.yaml_syntax import syntax_finding
from claimsmith.documents.yaml_text import check_size, decode, line_and_column, shorten
from claimsmith.findings import Finding, Position

MAX_DEPTH = 64
"""How many collections may stand in one another; the root is the first."""
MAX_VALUES = 200_000
"""How many keys and values a file may have, what aliases repeat counted each time."""

_PROPERTY = re.compile(r"!<[^>]*>|[&!][^\s,\[\]{}]*")
_FILLER = re.compile(r"(?:[ \t\r\n]+|#[^\r\n]*)+")


def read(data: bytes, file: str) -> tuple[list[Node], list[Finding]]:
    """One node for each document of the stream that is not empty, in order, and what is wrong with them.

    Never raises. What makes the rest of the file unreadable (a syntax error, too deep, too many values) ends
    the reading: the documents that were complete before it are returned. There are none from a file that is
    too large, not UTF-8 or has forbidden characters. Otherwise the nodes are whole, apart from what was
    refused: a merge key, a key that is no scalar and the second of two equal keys are left out with their
    values, another key that is no string counts as its text, a scalar with a tag is text, an alias that leads
    nowhere is null, and an ambiguous scalar has the value that :func:`resolve` gives it. An alias stands for
    the very node of its anchor, whose position is the anchor's. Findings are in the order of the file.
    """
    too_large = check_size(len(data), file)
    if too_large is not None:
        return [], [too_large]
    text, findings = decode(data, file)
    if findings:
        return [], findings
    builder = _Builder(file, text)
    builder.build()
    if not builder.documents and not builder.findings:
        builder.findings.append(Finding("CS118", Position(file)))
    builder.findings.sort(key=lambda finding: finding.position)
    return builder.documents, builder.findings


class _UnreadableError(Exception):
    """The rest of the file is not worth reading; the finding that says so is recorded."""


@dataclass(slots=True)
class _Open:
    """A collection whose end has not come yet."""

    line: int
    column: int
    end_line: int
    end_column: int
    flow: bool
    anchor: str | None
    values_before: int
    height: int = 1


@dataclass(slots=True)
class _OpenSequence(_Open):
    items: list[Node] = field(default_factory=list)


@dataclass(slots=True)
class _OpenMapping(_Open):
    entries: list[tuple[Scalar, Node]] = field(default_factory=list)
    first_lines: dict[str, int] = field(default_factory=dict)
    key: Scalar | None = None
    wants_value: bool = False
    """The key has been read; if it was refused, ``key`` is None and the value goes with it."""


@dataclass(frozen=True, slots=True)
class _Anchored:
    """What an alias stands for: the node, how many values it has and how many collections deep it goes."""

    node: Node
    values: int
    height: int


class _Builder:
    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self.documents: list[Node] = []
        self.findings: list[Finding] = []
        self._open: list[_OpenSequence | _OpenMapping] = []
        self._anchors: dict[str, _Anchored | None] = {}
        self._anchor_lines: dict[str, int] = {}
        self._values = 0

    def build(self) -> None:
        # Any: the stubs let an event come without marks, which the C parser never makes.
        loader: Any = yaml.CSafeLoader(self.text)
        on = {
            yaml.ScalarEvent: self._scalar,
            yaml.MappingStartEvent: self._start,
            yaml.SequenceStartEvent: self._start,
            yaml.MappingEndEvent: self._end,
            yaml.SequenceEndEvent: self._end,
            yaml.AliasEvent: self._alias,
            yaml.DocumentStartEvent: self._document_start,
        }
        try:
            while (event := loader.get_event()) is not None:
                handle = on.get(type(event))
                if handle is not None:
                    handle(event)
        except _UnreadableError:
            pass
        except yaml.MarkedYAMLError as error:
            finding = syntax_finding(error, self.text, self.file, max_depth=MAX_DEPTH)
            self.findings.append(finding)
        except (yaml.YAMLError, ValueError) as error:
            # A tag whose percent escapes are no UTF-8 raises UnicodeDecodeError, and has no mark.
            line, column = self._reached()
            self._report("CS101", self._point(line, column), problem=str(error), context_line=line)
        finally:
            loader.dispose()

    def _document_start(self, event: Any) -> None:
        self._anchors.clear()
        self._anchor_lines.clear()
        if event.version is not None or event.tags:
            self._report("CS107", self._point(event.start_mark.line + 1, event.start_mark.column + 1))

    def _scalar(self, event: Any) -> None:
        start, end = event.start_mark, event.end_mark
        line, column = start.line + 1, start.column + 1
        if event.anchor is not None or event.tag is not None:
            line, column = self._properties(event)
        position = Position(self.file, line, column, end.line + 1, end.column + 1)
        text = event.value
        style = event.style or "plain"
        self._count(position)
        if style != "plain" or event.tag is not None:
            node = Scalar(text, text, style, position)
        else:
            value, reading = resolve(text)
            node = Scalar(value, text, style, position)
            if reading is not None and not (text == "<<" and self._at_key()):
                self._ambiguous(node, reading)
        if event.anchor is not None:
            self._anchors[event.anchor] = _Anchored(node, 1, 0)
        if self._open:
            self._attach(node, end.line + 1, end.column + 1, 0)
        elif text or style != "plain" or event.anchor is not None:
            self.documents.append(node)

    def _start(self, event: Any) -> None:
        start, end = event.start_mark, event.end_mark
        line, column = start.line + 1, start.column + 1
        if event.anchor is not None or event.tag is not None:
            line, column = self._properties(event)
        position = Position(self.file, line, column, end.line + 1, end.column + 1)
        if len(self._open) >= MAX_DEPTH:
            self._report("CS116", position, limit=MAX_DEPTH)
            raise _UnreadableError
        if self._at_key():
            self._key_not_text(position, "a list" if type(event) is yaml.SequenceStartEvent else "a mapping")
        self._count(position)
        kind = _OpenSequence if type(event) is yaml.SequenceStartEvent else _OpenMapping
        if event.anchor is not None:
            self._anchors[event.anchor] = None
        self._open.append(
            kind(line, column, end.line + 1, end.column + 1, event.flow_style, event.anchor, self._values - 1)
        )

    def _end(self, event: Any) -> None:
        opened = self._open.pop()
        if opened.flow:
            opened.end_line, opened.end_column = event.end_mark.line + 1, event.end_mark.column + 1
        # A block collection has no closing sign: it ends where its last value does, before any comments.
        end_line, end_column = opened.end_line, opened.end_column
        position = Position(self.file, opened.line, opened.column, end_line, end_column)
        node: Node
        if isinstance(opened, _OpenSequence):
            node = Sequence(tuple(opened.items), position)
        else:
            node = Mapping(tuple(opened.entries), position)
        if opened.anchor is not None:
            self._anchors[opened.anchor] = _Anchored(node, self._values - opened.values_before, opened.height)
        if self._open:
            self._attach(node, end_line, end_column, opened.height)
        else:
            self.documents.append(node)

    def _alias(self, event: Any) -> None:
        start, end = event.start_mark, event.end_mark
        position = Position(self.file, start.line + 1, start.column + 1, end.line + 1, end.column + 1)
        name = event.anchor
        if self._at_key():
            self._key_not_text(position, "an alias")
        if name not in self._anchors:
            self._report("CS108", position, name=shorten(name))
        elif self._anchors[name] is None:
            self._report("CS109", position, name=shorten(name))
        anchored = self._anchors.get(name) or _Anchored(Scalar(None, f"*{name}", "plain", position), 1, 0)
        self._values += anchored.values
        if self._values > MAX_VALUES:
            self._report("CS110", position, name=shorten(name), limit=MAX_VALUES)
            raise _UnreadableError
        if len(self._open) + anchored.height > MAX_DEPTH:
            self._report("CS116", position, limit=MAX_DEPTH)
            raise _UnreadableError
        if self._open:
            self._attach(anchored.node, end.line + 1, end.column + 1, anchored.height, alias=True)
        else:
            self.documents.append(anchored.node)

    def _attach(self, node: Node, end_line: int, end_column: int, height: int, *, alias: bool = False) -> None:
        parent = self._open[-1]
        parent.end_line, parent.end_column = end_line, end_column
        parent.height = max(parent.height, height + 1)
        if isinstance(parent, _OpenSequence):
            parent.items.append(node)
        elif parent.wants_value:
            if parent.key is not None:
                parent.entries.append((parent.key, node))
            parent.wants_value = False
        else:
            parent.key = None if alias else self._key(parent, node)
            parent.wants_value = True

    def _key(self, parent: _OpenMapping, node: Node) -> Scalar | None:
        """The key to file a value under, or None if the value is to be dropped."""
        if not isinstance(node, Scalar):
            return None
        text = node.text
        if node.style == "plain" and text == "<<":
            self._report("CS105", node.position)
            return None
        if not isinstance(node.value, str):
            if resolve(text)[1] is None:
                self._key_not_text(node.position, _kind(node))
            node = Scalar(text, text, node.style, node.position)
        first_line = parent.first_lines.get(text)
        if first_line is not None:
            self._report("CS102", node.position, key=shorten(text), first_line=first_line)
            return None
        parent.first_lines[text] = node.position.line
        return node

    def _at_key(self) -> bool:
        if not self._open:
            return False
        parent = self._open[-1]
        return isinstance(parent, _OpenMapping) and not parent.wants_value

    def _properties(self, event: Any) -> tuple[int, int]:
        """Checks a node's tag and anchor; returns where its content starts, behind them."""
        start, end = event.start_mark, event.end_mark
        index = start.index
        places: dict[str, Position] = {}
        while index < end.index and (match := _PROPERTY.match(self.text, index)) is not None:
            line, column = self._place(start, index)
            places[match.group()[0]] = Position(self.file, line, column, line, column + len(match.group()))
            index = match.end()
            filler = _FILLER.match(self.text, index)
            index = filler.end() if filler is not None else index
        if event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!", 1)
            self._report("CS106", places["!"], tag=shorten(tag))
        if event.anchor is not None:
            first_line = self._anchor_lines.setdefault(event.anchor, places["&"].line)
            if event.anchor in self._anchors:
                self._report("CS111", places["&"], name=shorten(event.anchor), first_line=first_line)
        if index >= end.index and isinstance(event, yaml.ScalarEvent):
            return end.line + 1, end.column + 1
        return self._place(start, index)

    def _place(self, mark: Any, index: int) -> tuple[int, int]:
        return line_and_column(self.text[mark.index : index], mark.line + 1, mark.column + 1)

    def _count(self, position: Position) -> None:
        self._values += 1
        if self._values > MAX_VALUES:
            self._report("CS117", position, limit=MAX_VALUES)
            raise _UnreadableError

    def _ambiguous(self, node: Scalar, reading: Reading) -> None:
        meant = "" if isinstance(node.value, str) else str(node.value).lower().replace("none", "null")
        self._report("CS103", node.position, text=shorten(node.text), reading=reading.value, meant=meant)

    def _key_not_text(self, position: Position, kind: str) -> None:
        self._report("CS104", position, kind=kind)

    def _reached(self) -> tuple[int, int]:
        return (self._open[-1].end_line, self._open[-1].end_column) if self._open else (1, 1)

    def _point(self, line: int, column: int) -> Position:
        return Position(self.file, line, column, line, column + 1)

    def _report(self, rule: str, position: Position, **data: object) -> None:
        self.findings.append(Finding(rule, position, data))


def _kind(key: Scalar) -> str:
    if key.value is None:
        return "null" if key.text else "empty"
    return "a boolean" if isinstance(key.value, bool) else "a number"

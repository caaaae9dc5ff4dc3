"""Plain values → YAML or JSON bytes that every reader takes for those values, the same bytes each time."""

import json
import math
import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from io import BytesIO

import yaml

from claimsmith.documents.yaml_scalars import is_text

_UNLIMITED = -1
_PLAIN_OR_QUOTED = (True, True)
# No line breaks or invisible characters come here: `str.isprintable` has refused those. What lies beyond the
# basic plane is left out since libyaml writes it as an escape.
_PLAIN = re.compile(
    r"(?![-?:,\[\]{}#&*!|>'\"%@` ])(?!\.\.\.)"
    r"(?:(?!: | #)[\x20-\uffff])+"
    r"(?<![: ])"
)
_LITERAL_LINE = re.compile(r"(?:[\x20-\uffff]*[\x21-\uffff])?")


def write(documents: Sequence[object], *, header: str = "") -> bytes:
    """A YAML stream in block style.

    ``documents`` are trees of dict (string keys), list or tuple, str, int, bool, float and None; keys keep
    their order, and nothing is shared or folded. Several documents have ``---`` between them. ``header`` is
    put at the top as a comment, a ``#`` before each of its lines. Text stays as it is as long as all of it can
    be seen; with one invisible character in a stream, all that is not ASCII there is written as escapes.

    Raises ``TypeError`` for any other type, and ``ValueError`` for what some reader could not take: an
    integer beyond 64 bits, a float that is not finite, a lone surrogate, a header that is not printable.
    """
    events = _Events()
    for index, document in enumerate(documents):
        events.document(document, separated=index > 0)
    stream = BytesIO()
    emitter = yaml.CSafeDumper(
        stream, width=_UNLIMITED, allow_unicode=events.all_visible, encoding="utf-8", line_break="\n"
    )
    try:
        emitter.emit(yaml.StreamStartEvent(encoding="utf-8"))
        for event in events.items:
            emitter.emit(event)
        emitter.emit(yaml.StreamEndEvent())
    finally:
        emitter.dispose()
    return _comment(header) + stream.getvalue()


def write_json(value: object) -> bytes:
    """JSON with two spaces of indent, keys in their order, and a line break at the end.

    Raises ``TypeError`` for what JSON has no type for, and ``ValueError`` for a float that is not finite or a
    lone surrogate.
    """
    return (json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()


class _Events:
    """The events of a stream, for libyaml's emitter."""

    def __init__(self) -> None:
        self.items: list[yaml.Event] = []
        self.all_visible = True

    def document(self, root: object, *, separated: bool) -> None:
        self.items.append(yaml.DocumentStartEvent(explicit=separated))
        if isinstance(root, str):
            self._text(root, literal=False)
        else:
            self._value(root)
        self.items.append(yaml.DocumentEndEvent(explicit=False))

    def _value(self, value: object) -> None:
        if isinstance(value, str):
            self._text(value, literal=True)
        elif isinstance(value, Mapping):
            self._mapping(value)
        elif isinstance(value, list | tuple):
            self.items.append(yaml.SequenceStartEvent(None, None, True, flow_style=False))
            for item in value:
                self._value(item)
            self.items.append(yaml.SequenceEndEvent())
        else:
            self._scalar(_plain(value), "")

    def _mapping(self, value: Mapping[object, object]) -> None:
        self.items.append(yaml.MappingStartEvent(None, None, True, flow_style=False))
        for key, item in value.items():
            if not isinstance(key, str):
                raise TypeError(f"a key must be a string, not {key!r}")
            self._text(key, literal=False)
            self._value(item)
        self.items.append(yaml.MappingEndEvent())

    def _text(self, text: str, *, literal: bool) -> None:
        if text.isprintable():
            self._scalar(text, _style(text))
            return
        lines = text.split("\n")
        visible = all(line.isprintable() for line in lines)
        self.all_visible = self.all_visible and visible
        self._scalar(text, "|" if literal and visible and _is_literal(lines) else '"')

    def _scalar(self, text: str, style: str) -> None:
        self.items.append(yaml.ScalarEvent(None, None, _PLAIN_OR_QUOTED, text, style=style))


@lru_cache(maxsize=4096)
def _style(text: str) -> str:
    """Plain where every reader takes it for this text; single quotes where double ones would be full of escapes."""
    if _PLAIN.fullmatch(text) and is_text(text):
        return ""
    return "'" if '"' in text and "'" not in text else '"'


def _is_literal(lines: list[str]) -> bool:
    """Whether a block shows these lines as they are: no indentation to spell out, no spaces to lose."""
    content = lines[:-1] if not lines[-1] else lines
    if not content[0] or content[0].startswith(" ") or not content[-1]:
        return False
    return all(_LITERAL_LINE.fullmatch(line) for line in content)


def _plain(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        if not -(2**63) <= value < 2**63:
            raise ValueError(f"{value} does not fit 64 bits")
        return str(value)
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError(f"{value} is no number")
        digits = format(Decimal(repr(value)), "f")
        return digits if "." in digits else f"{digits}.0"
    raise TypeError(f"YAML has no type for {value!r}")


def _comment(header: str) -> bytes:
    lines = header.removesuffix("\n").split("\n") if header else []
    if not all(line.isprintable() for line in lines):
        raise ValueError("a header must be printable")
    return "".join(f"# {line}".rstrip() + "\n" for line in lines).encode()

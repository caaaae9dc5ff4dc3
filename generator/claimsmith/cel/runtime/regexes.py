"""Regular expressions: RE2, which is Go's syntax too, and Go's messages."""

from functools import lru_cache
from typing import Any

import re2

_OPTIONS = re2.Options()
_OPTIONS.log_errors = False
_OPTIONS.max_mem = 64 << 20

_GO_WORDS = {
    "missing )": "missing closing )",
    "bad repetition operator": "invalid nested repetition operator",
    "no argument for repetition operator": "missing argument to repetition operator",
    "invalid perl operator": "invalid or unsupported Perl syntax",
    "invalid named capture group": "invalid named capture",
    "trailing \\": "trailing backslash at end of expression",
    "trailing \\ at end of regexp": "trailing backslash at end of expression",
    "invalid repetition size": "invalid repeat count",
}


class RegexError(ValueError):
    """A pattern that Go refuses; the text is Go's."""


@lru_cache(maxsize=512)
def compiled(pattern: str) -> Any:
    """A compiled pattern; `RegexError` for an invalid one."""
    try:
        return re2.compile(pattern, _OPTIONS)
    except re2.error as error:
        raise RegexError(_go_text(pattern, error)) from error


def _go_text(pattern: str, error: Exception) -> str:
    raw = error.args[0] if error.args else ""
    text = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else str(raw)
    kind, separator, part = text.partition(": ")
    kind = _GO_WORDS.get(kind, kind)
    if kind == "missing closing )" or (kind == "unexpected )" and not separator):
        part = pattern
    if kind.startswith("trailing backslash"):
        part = ""
    return f"error parsing regexp: {kind}: `{part}`"


def matches(pattern: Any, text: str) -> bool:
    return pattern.search(text) is not None


def find(pattern: Any, text: str) -> str:
    found = pattern.search(text)
    return "" if found is None else str(found.group(0))


def find_all(pattern: Any, text: str, limit: int) -> tuple[str, ...]:
    """Go's `FindAllString`: no empty match directly after another match; a negative limit means all."""
    found: list[str] = []
    if limit == 0:
        return ()
    position, previous = 0, -1
    while position <= len(text):
        match = pattern.search(text, position)
        if match is None:
            break
        start, end = match.span(0)
        if end > start or start != previous:
            found.append(text[start:end])
            if len(found) == limit:
                break
        previous = end
        position = end if end > start else end + 1
    return tuple(found)

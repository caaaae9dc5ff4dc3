"""The string functions of cel-go's extension, by code points."""

from typing import Any

from claimsmith.cel.runtime.failure import Failure
from claimsmith.cel.runtime.show import show

_SPACES = (
    "\t\n\v\f\r \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000"
)
_QUOTED = {
    "\a": "\\a",
    "\b": "\\b",
    "\f": "\\f",
    "\n": "\\n",
    "\r": "\\r",
    "\t": "\\t",
    "\v": "\\v",
    "\\": "\\\\",
    '"': '\\"',
}
_LOWER = str.maketrans("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "abcdefghijklmnopqrstuvwxyz")
_UPPER = str.maketrans("abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ")


def _out_of_range(index: int) -> Failure:
    return Failure(f"index out of range: {index}")


def char_at(text: str, index: int) -> str:
    if not 0 <= index <= len(text):
        raise _out_of_range(index)
    return text[index : index + 1]


def index_of(text: str, part: str) -> int:
    return text.find(part)


def index_of_from(text: str, part: str, offset: int) -> int:
    if offset < 0:
        raise _out_of_range(offset)
    if not part:
        return min(offset, len(text))
    return text.find(part, offset)


def index_of_from_old(text: str, part: str, offset: int) -> int:
    """cel-go 0.26 answers any offset for an empty part."""
    return index_of_from(text, part, offset) if part else offset


def last_index_of(text: str, part: str) -> int:
    if not part:
        return len(text)
    if len(text.encode("utf-8", "surrogatepass")) < len(part.encode("utf-8", "surrogatepass")):
        return -1
    return last_index_of_from(text, part, len(text) - 1)


def last_index_of_from(text: str, part: str, offset: int) -> int:
    if offset < 0:
        raise _out_of_range(offset)
    if not part:
        return min(offset, len(text))
    if offset >= len(text):
        return -1
    return text.rfind(part, 0, offset + len(part))


def last_index_of_from_old(text: str, part: str, offset: int) -> int:
    """cel-go 0.26 answers any offset for an empty part."""
    return last_index_of_from(text, part, offset) if part else offset


def lower_ascii(text: str) -> str:
    return text.translate(_LOWER)


def upper_ascii(text: str) -> str:
    return text.translate(_UPPER)


def replace(text: str, old: str, new: str, count: int = -1) -> str:
    return text.replace(old, new, count if count >= 0 else -1)


def split(text: str, separator: str, count: int = -1) -> tuple[str, ...]:
    """Go's `strings.SplitN`: a negative count means all, 0 none; an empty separator splits into code points."""
    if count == 0:
        return ()
    if separator:
        return tuple(text.split(separator, count - 1 if count > 0 else -1))
    if count < 0 or count >= len(text):
        return tuple(text)
    return (*text[: count - 1], text[count - 1 :])


def substring(text: str, start: int) -> str:
    if not 0 <= start <= len(text):
        raise _out_of_range(start)
    return text[start:]


def substring_range(text: str, start: int, end: int) -> str:
    if start > end:
        raise Failure(f"invalid substring range. start: {start}, end: {end}")
    for index in (start, end):
        if not 0 <= index <= len(text):
            raise _out_of_range(index)
    return text[start:end]


def trim(text: str) -> str:
    return text.strip(_SPACES)


def join(items: Any, separator: str = "") -> str:
    for item in items:
        if type(item) is not str:
            raise Failure(f"join: invalid input: {show(item)}")
    return separator.join(items)


def quote(text: str) -> str:
    return '"' + "".join(_QUOTED.get(char, char) for char in text) + '"'

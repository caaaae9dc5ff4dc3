"""The bytes of a YAML file as text: its size, its encoding, and the characters that YAML allows in it."""

import re
import unicodedata
from itertools import islice
from typing import BinaryIO

from claimsmith.findings import Finding, Position

MAX_BYTES = 1024 * 1024
"""The largest file that is read, in bytes."""

_UTF8_BOM = b"\xef\xbb\xbf"
_OTHER_BOMS = (
    (b"\xff\xfe\x00\x00", "UTF-32"),
    (b"\x00\x00\xfe\xff", "UTF-32"),
    (b"\xff\xfe", "UTF-16"),
    (b"\xfe\xff", "UTF-16"),
)
_LINE_BREAK = re.compile(r"\r\n|\r|\n")

# What YAML 1.2 calls printable, less three characters at which YAML 1.1 readers begin a new line and YAML 1.2
# readers and editors do not (next line, line separator, paragraph separator), and less a byte order mark.
_FORBIDDEN = re.compile("[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]")
_MOST_FORBIDDEN = 20
_SHOWN = 40


def read_bounded(stream: BinaryIO) -> bytes:
    """The stream's bytes, no more than it takes to know that they are too many."""
    return stream.read(MAX_BYTES + 1)


def check_size(size: int, file: str) -> Finding | None:
    """A finding if a file of this many bytes is too large; made to be asked before the file is read."""
    if size <= MAX_BYTES:
        return None
    return Finding("CS115", Position(file), {"limit": f"{MAX_BYTES // (1024 * 1024)} MiB"})


def decode(data: bytes, file: str) -> tuple[str, list[Finding]]:
    """The text, without a UTF-8 byte order mark at its start, and what is wrong with it.

    A mark is let through since every reader drops it; it counts as no column. The text is empty if the bytes
    are not UTF-8. Of the characters that must not be there the first 20 are reported.
    """
    for mark, name in _OTHER_BOMS:
        if data.startswith(mark):
            return "", [_not_utf8(file, 1, 1, 0, data[0], f", it looks like {name}")]
    body = data.removeprefix(_UTF8_BOM)
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = line_and_column(body[: error.start].decode("utf-8"))
        offset = len(data) - len(body) + error.start
        return "", [_not_utf8(file, line, column, offset, body[error.start], "")]
    found = islice(_FORBIDDEN.finditer(text), _MOST_FORBIDDEN)
    return text, [_forbidden(file, text, match) for match in found]


def line_and_column(before: str, line: int = 1, column: int = 1) -> tuple[int, int]:
    """Where a place is that this text lies before, if the text itself starts at ``line`` and ``column``."""
    ends = [match.end() for match in _LINE_BREAK.finditer(before)]
    if not ends:
        return line, column + len(before)
    return line + len(ends), len(before) - ends[-1] + 1


def split_lines(text: str) -> list[str]:
    """The lines as an editor and YAML count them: only CR, LF and CR LF end one."""
    return _LINE_BREAK.split(text)


def shorten(text: str) -> str:
    """The text on one line and short enough for a message."""
    line = " ".join(text[: 2 * _SHOWN].split())
    return line if len(line) <= _SHOWN and len(text) <= 2 * _SHOWN else line[: _SHOWN - 1] + "…"


def _not_utf8(file: str, line: int, column: int, offset: int, byte: int, guess: str) -> Finding:
    data = {"offset": offset, "byte": f"0x{byte:02X}", "guess": guess}
    return Finding("CS113", Position(file, line, column, line, column + 1), data)


def _forbidden(file: str, text: str, match: re.Match[str]) -> Finding:
    line, column = line_and_column(text[: match.start()])
    character = match.group()
    name = unicodedata.name(character, "")
    data = {"character": f"U+{ord(character):04X} {name}".rstrip()}
    return Finding("CS114", Position(file, line, column, line, column + 1), data)

"""Values of literals: numbers and the quoted forms with their escapes. Source: cel-go, parser/unescape.go."""

import math
import re

_ESCAPE = re.compile(
    r"""\\(?:(?P<code>[xX][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})|(?P<octal>[0-3][0-7][0-7])|(?P<plain>.))""",
    re.DOTALL,
)
_PLAIN = {
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
    "\\": "\\",
    "'": "'",
    '"': '"',
    "`": "`",
    "?": "?",
}
_MAX_CODE_POINT = 0x10FFFF


class LiteralError(ValueError):
    """The text is no value; the message is cel-go's."""


def integer(text: str) -> int:
    """An int literal with its sign (`-0x1F`), within 64 bits."""
    value = int(text, 16 if "x" in text else 10) if len(text) < 64 else _long_integer(text)
    if not -(2**63) <= value < 2**63:
        raise LiteralError("invalid int literal")
    return value


def unsigned(text: str) -> int:
    """A uint literal (`5u`, `0xFFu`), within 64 bits."""
    digits = text[:-1]
    value = int(digits, 16 if "x" in digits else 10) if len(digits) < 64 else _long_integer(digits)
    if value >= 2**64:
        raise LiteralError("invalid uint literal")
    return value


def _long_integer(text: str) -> int:
    """As `int`, for leading zeros beyond the number of digits that `int` would refuse."""
    sign = "-" if text.startswith("-") else ""
    digits = text.removeprefix("-")
    base = 16 if digits.startswith("0x") else 10
    digits = digits.removeprefix("0x").lstrip("0") or "0"
    return 2**64 if len(digits) > 20 else int(sign + digits, base)


def double(text: str) -> float:
    """A double literal with its sign; one that overflows is an error."""
    value = float(text)
    if math.isinf(value):
        raise LiteralError("invalid double literal")
    return value


def string(text: str) -> str:
    """The value of a string literal as written, quotes and prefix included."""
    body, raw = _body(text)
    if raw or "\\" not in body:
        return body
    return _ESCAPE.sub(_decode, body)


def byte_string(text: str) -> bytes:
    """The value of a bytes literal as written, with its `b`."""
    body, raw = _body(text[1:])
    if raw or "\\" not in body:
        return body.encode("utf-8", "surrogatepass")
    parts: list[bytes] = []
    end = 0
    for match in _ESCAPE.finditer(body):
        parts.append(body[end : match.start()].encode("utf-8", "surrogatepass"))
        parts.append(_decode_byte(match))
        end = match.end()
    parts.append(body[end:].encode("utf-8", "surrogatepass"))
    return b"".join(parts)


def _body(text: str) -> tuple[str, bool]:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    raw = text[0] in "rR"
    if raw:
        text = text[1:]
    width = 3 if len(text) >= 6 and text.startswith(('"""', "'''")) else 1
    return text[width:-width], raw


def _decode(match: re.Match[str]) -> str:
    code, octal, plain = match.group("code", "octal", "plain")
    if plain is not None:
        return _PLAIN[plain]
    value = int(octal, 8) if octal is not None else int(code[1:], 16)
    if value > _MAX_CODE_POINT or 0xD800 <= value <= 0xDFFF:
        raise LiteralError("invalid unicode code point")
    return chr(value)


def _decode_byte(match: re.Match[str]) -> bytes:
    code, octal, plain = match.group("code", "octal", "plain")
    if plain is not None:
        return _PLAIN[plain].encode()
    if octal is not None:
        return bytes((int(octal, 8),))
    if code[0] in "uU":
        raise LiteralError("unable to unescape string")
    return bytes((int(code[1:], 16),))

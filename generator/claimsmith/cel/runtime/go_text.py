"""How Go writes values: `strconv.Quote`, floats, and `%v` of what appears in error messages."""

import math

_NAMED = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"}


def quote(text: str) -> str:
    """Go's `%q` of a string."""
    return '"' + "".join(map(_quoted, text)) + '"'


def _quoted(char: str) -> str:
    if char in '"\\':
        return "\\" + char
    if char in _NAMED:
        return _NAMED[char]
    if char == " " or char.isprintable():
        return char
    code = ord(char)
    if code < 0x80:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def quote_bytes(data: bytes) -> str:
    """Go's `%q` of bytes that may be no UTF-8, without the quotes."""
    parts: list[str] = []
    for char in data.decode("utf-8", "surrogateescape"):
        invalid = 0xDC80 <= ord(char) <= 0xDCFF
        parts.append(f"\\x{ord(char) - 0xDC00:02x}" if invalid else _quoted(char))
    return "".join(parts)


def _special(number: float) -> str | None:
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "+Inf" if number > 0 else "-Inf"
    return None


def _digits(number: float) -> tuple[str, str, int]:
    """Sign, the shortest digits that give the number back, and the place of the point after the first digit."""
    sign = "-" if math.copysign(1.0, number) < 0 else ""
    mantissa, _, exponent = f"{abs(number)!r}".partition("e")
    whole, _, fraction = mantissa.partition(".")
    fraction = "" if fraction == "0" else fraction
    point = len(whole) - 1 + int(exponent or "0")
    digits = whole + fraction
    stripped = digits.lstrip("0")
    point -= len(digits) - len(stripped)
    return sign, stripped.rstrip("0") or "0", point if stripped else 0


def shortest(number: float) -> str:
    """Go's `%g` and `%v`: the shortest form, with an exponent from 1e+06 on and below 1e-04."""
    special = _special(number)
    if special is not None:
        return special
    sign, digits, point = _digits(number)
    if -4 <= point < 6:
        return sign + _plain(digits, point)
    mantissa = digits[0] + ("." + digits[1:] if len(digits) > 1 else "")
    return f"{sign}{mantissa}e{'-' if point < 0 else '+'}{abs(point):02d}"


def without_exponent(number: float) -> str:
    """Go's `strconv.FormatFloat(number, 'f', -1, 64)`."""
    special = _special(number)
    if special is not None:
        return special
    sign, digits, point = _digits(number)
    return sign + _plain(digits, point)


def _plain(digits: str, point: int) -> str:
    if point < 0:
        return "0." + "0" * (-point - 1) + digits
    if len(digits) <= point + 1:
        return digits + "0" * (point + 1 - len(digits))
    return digits[: point + 1] + "." + digits[point + 1 :]

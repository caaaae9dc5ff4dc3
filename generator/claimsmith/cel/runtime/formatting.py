"""`string.format`, version 2 of cel-go's strings library (locale en_US)."""

import math
from typing import Any

from claimsmith.cel.ast import Uint
from claimsmith.cel.runtime import times
from claimsmith.cel.runtime.failure import Failure
from claimsmith.cel.runtime.go_text import quote, quote_bytes, shortest
from claimsmith.cel.runtime.values import LISTS, MISSING, CelType, Duration, Map, Timestamp, type_name

_CLAUSE = "could not parse formatting clause: "
_FORMATTING = "error during formatting: "
_DEFAULT_PRECISION = 6
_MAX_PRECISION = 1_000_000
_SUPERSCRIPTS = str.maketrans("0123456789-", "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207b")
_SPECIAL = frozenset(("NaN", "Infinity", "-Infinity"))


def format_string(pattern: str, arguments: Any) -> str:
    """`pattern.format(arguments)`; `Failure` with cel-go's text."""
    parts: list[str] = []
    position = used = 0
    while position < len(pattern):
        char = pattern[position]
        if char != "%":
            parts.append(char)
            position += 1
        elif pattern[position + 1 : position + 2] == "%":
            parts.append("%")
            position += 2
        else:
            if used >= len(arguments):
                raise Failure(f"index {used} out of range")
            if position + 1 >= len(pattern):
                raise Failure("unexpected end of string")
            precision, position = _precision(pattern, position + 1)
            parts.append(_clause(pattern[position : position + 1], precision, arguments[used]))
            position += 1
            used += 1
    return "".join(parts)


def _precision(pattern: str, position: int) -> tuple[int, int]:
    if pattern[position] != ".":
        return _DEFAULT_PRECISION, position
    end = position + 1
    while end < len(pattern) and "0" <= pattern[end] <= "9":
        end += 1
    what = _CLAUSE + "error while parsing precision: "
    if end >= len(pattern):
        raise Failure(what + "could not find end of precision specifier")
    digits = pattern[position + 1 : end]
    if not digits or len(digits.lstrip("0")) > 19 or int(digits) >= 2**63:
        problem = "value out of range" if digits else "invalid syntax"
        raise Failure(
            f"{what}error while converting precision to integer: strconv.Atoi: parsing {quote(digits)}: {problem}"
        )
    return int(digits), end


def _clause(letter: str, precision: int, value: Any) -> str:
    if letter == "s":
        return _string(value)
    if letter == "d":
        return _decimal(value)
    if letter == "f":
        return _fixed(_double(value, "fixed-point"), precision)
    if letter == "e":
        return _scientific(_double(value, "scientific"), precision)
    if letter == "b":
        return _binary(value)
    if letter in ("x", "X"):
        return _hex(value) if letter == "x" else _hex(value).upper()
    if letter == "o":
        return _octal(value)
    shown = chr(letter.encode("utf-8", "surrogatepass")[0])
    raise Failure(f'{_CLAUSE}unrecognized formatting clause "{shown}"')


def _refused(text: str, value: Any) -> Failure:
    return Failure(f"{_FORMATTING}{text}, was given {type_name(value)}")


def _string(value: Any) -> str:
    kind = type(value)
    if kind in LISTS:
        return _list(value)
    if kind is Map:
        return _map(value)
    if value is None:
        return "null"
    text = _plain(value)
    if text is None:
        raise _refused(
            "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, "
            "durations, and timestamps",
            value,
        )
    return text


def _plain(value: Any) -> str | None:
    """`string(value)` for the types that have it."""
    kind = type(value)
    if kind is str:
        return str(value)
    if kind is bool:
        return "true" if value else "false"
    if kind is int or kind is Uint:
        return str(int(value))
    if kind is float:
        return shortest(value)
    if kind is bytes:
        try:
            return str(value.decode("utf-8"))
        except UnicodeDecodeError:
            raise Failure(
                f'{_FORMATTING}could not convert argument "invalid UTF-8 in bytes, cannot convert to string" to string'
            ) from None
    if kind is Duration:
        return times.duration_text(value)
    if kind is Timestamp:
        return times.timestamp_text(value)
    return str(value.name) if kind is CelType else None


def _inner(value: Any) -> str:
    """An element of a list or map."""
    kind = type(value)
    if kind is str:
        return quote(value)
    if kind is bytes:
        return f'b"{quote_bytes(value)}"' if _plain(value) is not None else ""
    if kind is float:
        text = _go_fixed(value, _DEFAULT_PRECISION)
        return f'"{text}"' if math.isinf(value) or math.isnan(value) else text
    if kind is Duration:
        return f'duration("{times.duration_text(value)}")'
    if kind is Timestamp:
        return f'timestamp("{times.timestamp_text(value)}")'
    if kind in LISTS:
        return _list(value)
    if kind is Map:
        return _map(value)
    text_or_none = "null" if value is None else _plain(value)
    if text_or_none is None:
        raise Failure(f"{_FORMATTING}no formatting function for {type_name(value)}")
    return text_or_none


def _go_fixed(number: float, precision: int) -> str:
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "+Inf" if number > 0 else "-Inf"
    return f"{number:.{precision}f}"


def _list(items: Any) -> str:
    return "[" + ", ".join(map(_inner, items)) + "]"


def _map(value: Map) -> str:
    pairs: list[tuple[str, str]] = []
    for key in value.all_keys():
        if type(key) not in (str, bool, int, Uint):
            raise Failure(f"{_FORMATTING}no formatting function for map key of type {type_name(key)}")
        found = value.find(key)
        assert found is not MISSING
        pairs.append((_inner(key), _inner(found)))
    pairs.sort(key=lambda pair: pair[0])
    return "{" + ", ".join(f"{key}:{item}" for key, item in pairs) + "}"


def _decimal(value: Any) -> str:
    if type(value) is int or type(value) is Uint:
        return str(int(value))
    raise _refused("decimal clause can only be used on integers", value)


def _double(value: Any, clause: str) -> float:
    if type(value) is str and value in _SPECIAL:
        return float(value)
    if type(value) is not float:
        raise _refused(f"{clause} clause can only be used on doubles", value)
    return value + 0.0  # no negative zero


def _special(number: float) -> str | None:
    if math.isnan(number):
        return "NaN"
    if math.isinf(number):
        return "\u221e" if number > 0 else "-\u221e"
    return None


def _fixed(number: float, precision: int) -> str:
    special = _special(number)
    if special is not None:
        return special
    if precision > _MAX_PRECISION:
        return "%!(BADPREC)" + _fixed(number, _DEFAULT_PRECISION)
    return f"{number:,.{precision}f}"


def _scientific(number: float, width: int) -> str:
    """The digits after the dot are the width for `%e`, and six digits are always shown."""
    text = _special(number)
    if text is None:
        mantissa, _, exponent = f"{number:.6e}".partition("e")
        shown = f"{int(exponent):03d}" if int(exponent) < 0 else f"{int(exponent):02d}"
        text = f"{mantissa}\u00d710{shown.translate(_SUPERSCRIPTS)}"
    return text.rjust(min(width, _MAX_PRECISION))


def _binary(value: Any) -> str:
    if type(value) is bool:
        return "1" if value else "0"
    if type(value) is int or type(value) is Uint:
        return f"{int(value):b}"
    raise _refused("only integers and bools can be formatted as binary", value)


def _octal(value: Any) -> str:
    if type(value) is int or type(value) is Uint:
        return f"{int(value):o}"
    raise _refused("octal clause can only be used on integers", value)


def _hex(value: Any) -> str:
    if type(value) is str:
        return value.encode("utf-8", "surrogatepass").hex()
    if type(value) is bytes:
        return value.hex()
    if type(value) is int or type(value) is Uint:
        return f"{int(value):x}"
    raise _refused("only integers, byte buffers, and strings can be formatted as hex", value)

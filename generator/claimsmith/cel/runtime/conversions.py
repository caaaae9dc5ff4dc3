"""Conversions between types, as cel-go makes them with Go's `strconv`."""

import re
from typing import Any

from claimsmith.cel.ast import Uint
from claimsmith.cel.runtime import network, times
from claimsmith.cel.runtime.failure import Failure
from claimsmith.cel.runtime.go_text import shortest
from claimsmith.cel.runtime.values import CelType, Duration, Timestamp, type_name

_SIGNED = re.compile(r"[+-]?[0-9]+")
_UNSIGNED = re.compile(r"[0-9]+")
_FLOAT = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_SPECIAL = re.compile(r"[+-]?(?:inf|infinity)|nan", re.IGNORECASE)
_HEX_FLOAT = re.compile(r"[+-]?0[xX]_?[0-9a-fA-F_]*\.?[0-9a-fA-F_]*[pP][+-]?[0-9_]+")
_BOOLS = {
    **dict.fromkeys(("1", "t", "T", "TRUE", "true", "True"), True),
    **dict.fromkeys(("0", "f", "F", "FALSE", "false", "False"), False),
}


def _no_conversion(source: str, target: str) -> Failure:
    return Failure(f"type conversion error from '{source}' to '{target}'")


def string_to_int(text: str) -> int:
    if _SIGNED.fullmatch(text) and len(text.lstrip("+-0")) <= 19 and -(2**63) <= int(text) < 2**63:
        return int(text)
    raise _no_conversion("string", "int")


def string_to_uint(text: str) -> Uint:
    if _UNSIGNED.fullmatch(text) and len(text.lstrip("0")) <= 20 and int(text) < 2**64:
        return Uint(text)
    raise _no_conversion("string", "uint")


def string_to_double(text: str) -> float:
    if _FLOAT.fullmatch(text):
        number = float(text)
        if number not in (float("inf"), float("-inf")):
            return number
    elif _SPECIAL.fullmatch(text):
        return float(text)
    elif _HEX_FLOAT.fullmatch(text):
        return _hex_double(text)
    raise _no_conversion("string", "double")


def _hex_double(text: str) -> float:
    if "__" in text or "_" in (text[-1], text.partition("p")[0][-1:], text.partition("P")[0][-1:]):
        raise _no_conversion("string", "double")
    try:
        return float.fromhex(text.replace("_", ""))
    except (ValueError, OverflowError):
        raise _no_conversion("string", "double") from None


def string_to_bool(text: str) -> bool:
    found = _BOOLS.get(text)
    if found is None:
        raise _no_conversion("string", "bool")
    return found


def string_to_bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def bytes_to_string(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise Failure("invalid UTF-8 in bytes, cannot convert to string") from None


def string_to_duration(text: str) -> Duration:
    found = times.parse_duration(text)
    if found is None:
        raise _no_conversion("string", "google.protobuf.Duration")
    return found


def int_to_duration(number: int) -> Duration:
    """Declared, and no conversion behind it, before Kubernetes 1.37."""
    raise _no_conversion("int", "google.protobuf.Duration")


def string_to_timestamp(text: str) -> Timestamp:
    found = times.parse_timestamp(text)
    if found is None:
        raise _no_conversion("string", "google.protobuf.Timestamp")
    return times.timestamp_of(found.seconds, found.nanos, found.offset)


def double_to_int(number: float) -> int:
    if -(2.0**63) < number < 2.0**63:
        return int(number)
    raise Failure("integer overflow")


def double_to_uint(number: float) -> Uint:
    if 0 <= number < 2.0**64:
        return Uint(number)
    raise Failure("unsigned integer overflow")


def int_to_uint(number: int) -> Uint:
    if number < 0:
        raise Failure("unsigned integer overflow")
    return Uint(number)


def uint_to_int(number: Uint) -> int:
    if number >= 2**63:
        raise Failure("integer overflow")
    return int(number)


def number_to_string(number: Any) -> str:
    return shortest(number) if type(number) is float else str(int(number))


def bool_to_string(value: bool) -> str:
    return "true" if value else "false"


def address_to_string(value: Any) -> str:
    return network.text(value)


def type_of(value: Any) -> CelType:
    return CelType(type_name(value))

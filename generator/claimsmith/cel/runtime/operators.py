"""Operators over values; a `Failure` has cel-go's text."""

import math
from typing import Any

from claimsmith.cel.ast import Uint
from claimsmith.cel.runtime import times
from claimsmith.cel.runtime.failure import NO_OVERLOAD, Failure
from claimsmith.cel.runtime.show import show
from claimsmith.cel.runtime.values import (
    LISTS,
    MISSING,
    NONE,
    ORDERED,
    Duration,
    Joined,
    Map,
    Optional,
    Timestamp,
    check_hashable,
    compare,
    encode_key,
    go_type,
    list_contains,
    size,
    type_name,
)

_MIN = -(2**63)
_MAX = 2**63 - 1
_UNSIGNED_MAX = 2**64 - 1
_RECEIVERS = frozenset((str, Duration, Timestamp))
_KEYS = frozenset((str, int, Uint, bool, float))


def no_operator(value: Any, function: str) -> Failure:
    """The error of an operator for a left operand of a type that does not have it."""
    return Failure(NO_OVERLOAD if type(value) in _RECEIVERS else f"{NO_OVERLOAD}: {function}")


def no_overload(function: str, *arguments: Any) -> Failure:
    """The error of a function for arguments that no overload takes."""
    return Failure(f"{NO_OVERLOAD}: {function}({', '.join(map(type_name, arguments))})")


def _int(value: int) -> int:
    if _MIN <= value <= _MAX:
        return value
    raise Failure("integer overflow")


def _uint(value: int) -> Uint:
    if 0 <= value <= _UNSIGNED_MAX:
        return Uint(value)
    raise Failure("unsigned integer overflow")


def add(left: Any, right: Any) -> Any:
    kind = type(left)
    other = type(right)
    if kind is int and other is int:
        return _int(left + right)
    if kind in LISTS:
        if other not in LISTS:
            raise Failure(NO_OVERLOAD)
        return _join(left, right)
    if kind is other and (kind is str or kind is float or kind is bytes):
        return left + right
    if kind is Uint and other is Uint:
        return _uint(int(left) + int(right))
    if kind is Duration:
        if other is Duration:
            return times.duration_of(left.nanos + right.nanos)
        if other is Timestamp:
            return times.add(right, left)
    if kind is Timestamp and other is Duration:
        return times.add(left, right)
    if kind in _ADDABLE:
        raise Failure(NO_OVERLOAD)
    raise no_operator(left, "_+_")


_ADDABLE = frozenset((int, Uint, float, str, bytes, Duration, Timestamp))


def _join(left: Any, right: Any) -> Any:
    if type(left) is list:
        left.extend(right)
        return left
    if not left:
        return right
    return Joined((*left, *right)) if right else left


def subtract(left: Any, right: Any) -> Any:
    kind = type(left)
    other = type(right)
    if kind is other:
        if kind is int:
            return _int(left - right)
        if kind is float:
            return left - right
        if kind is Uint:
            return _uint(int(left) - int(right))
        if kind is Duration:
            return times.duration_of(left.nanos - right.nanos)
        if kind is Timestamp:
            return times.between(left, right)
    if kind is Timestamp and other is Duration:
        return times.add(left, times.duration_of(-right.nanos))
    raise Failure(NO_OVERLOAD) if kind in _NUMERIC else no_operator(left, "_-_")


_NUMERIC = frozenset((int, Uint, float))


def multiply(left: Any, right: Any) -> Any:
    kind = type(left)
    if kind is type(right):
        if kind is int:
            return _int(left * right)
        if kind is float:
            return left * right
        if kind is Uint:
            return _uint(int(left) * int(right))
    raise Failure(NO_OVERLOAD) if kind in _NUMERIC else no_operator(left, "_*_")


def divide(left: Any, right: Any) -> Any:
    kind = type(left)
    if kind is type(right):
        if kind is float:
            return _divide_doubles(left, right)
        if kind in _NUMERIC:
            if right == 0:
                raise Failure("division by zero")
            quotient = abs(left) // abs(right)
            return Uint(quotient) if kind is Uint else _int(quotient if (left < 0) == (right < 0) else -quotient)
    raise Failure(NO_OVERLOAD) if kind in _NUMERIC else no_operator(left, "_/_")


def _divide_doubles(left: float, right: float) -> float:
    if right != 0:
        return left / right
    if left == 0 or math.isnan(left):
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, right)


def modulo(left: Any, right: Any) -> Any:
    kind = type(left)
    if kind is type(right) and (kind is int or kind is Uint):
        if right == 0:
            raise Failure("modulus by zero")
        if left == _MIN and right == -1:
            raise Failure("integer overflow")
        rest = abs(left) % abs(right)
        return Uint(rest) if kind is Uint else (-rest if left < 0 else rest)
    raise Failure(NO_OVERLOAD) if kind is int or kind is Uint else no_operator(left, "_%_")


def negate(value: Any) -> Any:
    kind = type(value)
    if kind is int:
        return _int(-value)
    if kind is float:
        return -value
    if kind is Duration:
        return times.duration_of(-value.nanos)
    raise Failure(NO_OVERLOAD) if kind is bool else no_operator(value, "-_")


def logical_not(value: Any) -> bool:
    if value is True:
        return False
    if value is False:
        return True
    raise Failure(NO_OVERLOAD)


def less(left: Any, right: Any) -> bool:
    if type(left) not in ORDERED:
        raise no_operator(left, "_<_")
    return compare(left, right) < 0


def less_or_equal(left: Any, right: Any) -> bool:
    if type(left) not in ORDERED:
        raise no_operator(left, "_<=_")
    return compare(left, right) <= 0


def greater(left: Any, right: Any) -> bool:
    if type(left) not in ORDERED:
        raise no_operator(left, "_>_")
    return compare(left, right) > 0


def greater_or_equal(left: Any, right: Any) -> bool:
    if type(left) not in ORDERED:
        raise no_operator(left, "_>=_")
    return compare(left, right) >= 0


def contained(value: Any, container: Any) -> bool:
    """`value in container`."""
    if type(container) is Map:
        return bool(container.contains(value))
    if type(container) in LISTS:
        return list_contains(container, value)
    raise Failure(NO_OVERLOAD)


def size_of(value: Any) -> int:
    found = size(value)
    if found is None:
        raise no_operator(value, "size")
    return found


def select(value: Any, key: Any) -> Any:
    """`value.key`, `value[key]`: of an optional an optional."""
    if type(value) is Map:
        found = value.find(key)
        if found is MISSING:
            raise Failure(f"no such key: {show(key)}")
        return found
    if type(value) is Optional:
        return value if value.value is MISSING else select_optional(value, key)
    if type(value) in LISTS:
        index = _index(key)
        if not 0 <= index < len(value):
            raise Failure(f"index out of bounds: {show(key)}")
        return value[index]
    raise Failure(f"no such key: {show(key)}")


def select_optional(value: Any, key: Any) -> Optional:
    """`value.?key`, `value[?key]`."""
    if type(value) is Optional:
        if value.value is MISSING:
            return value
        value = value.value
    found = _find(value, key)
    return NONE if found is MISSING else Optional(found)


def present(value: Any, key: Any) -> bool:
    """`has(value.key)`."""
    if type(value) is Optional:
        value = value.value
    return _find(value, key) is not MISSING


def _find(value: Any, key: Any) -> Any:
    if type(value) is Map:
        return value.find(key)
    if type(value) in LISTS:
        index = _index(key)
        return value[index] if 0 <= index < len(value) else MISSING
    return MISSING


def is_key(key: Any) -> bool:
    """Whether something can be looked up by a value of this type."""
    return type(key) in _KEYS


def check_key(key: Any) -> Any:
    """The key, if something can be looked up by it; cel-go refuses other types whatever is indexed."""
    if type(key) in _KEYS:
        return key
    raise Failure(f"invalid qualifier type: {go_type(key)}")


def _index(key: Any) -> int:
    kind = type(key)
    if kind is int:
        return int(key)
    if kind is float:
        if key.is_integer() and _MIN < key < _MAX:
            return int(key)
        raise Failure(f"unsupported index value {show(key)} in list")
    if kind is Uint:
        if key > _MAX:
            raise Failure(f"unsupported index value {show(key)} in list")
        return int(key)
    raise Failure(f"unsupported index type '{type_name(key)}' in list")


def insert(target: Map, key: Any, value: Any) -> Map:
    """A map with one more entry; a growing one grows."""
    if target.find(key) is not MISSING:
        raise Failure(f"insert failed: key {show(key)} already exists")
    if not target.growing:
        target = Map(dict(target.entries))
    target.entries[encode_key(key)] = value
    return target


def insert_all(target: Map, entries: Map) -> Map:
    for key, value in zip(tuple(entries.all_keys()), tuple(entries.entries.values()), strict=True):
        target = insert(target, key, value)
    return target


def set_of(items: Any) -> frozenset[Any] | None:
    """The keys that stand for the constants of a list in `x in […]`; None where cel-go compares one by one."""
    keys: set[Any] = set()
    for item in items:
        kind = type(item)
        if kind not in _KEYS:
            return None
        keys.add(_set_key(item))
        if kind is not str and kind is not bool:
            keys.update(_alike(item))
    return frozenset(keys)


def _set_key(item: Any) -> tuple[type, Any]:
    return type(item), MISSING if item != item else item


def _alike(number: Any) -> list[tuple[type, Any]]:
    """The same number in the other types."""
    found: list[tuple[type, Any]] = []
    if type(number) is float:
        if not number.is_integer():
            return found
        whole = int(number)
    else:
        whole = int(number)
        found.append((float, float(whole)))
    if _MIN <= whole <= _MAX:
        found.append((int, whole))
    if 0 <= whole <= _UNSIGNED_MAX:
        found.append((Uint, Uint(whole)))
    return found


def in_set(value: Any, keys: frozenset[Any]) -> bool:
    if type(value) in _KEYS:
        return value == value and (type(value), value) in keys
    check_hashable(value)
    return False

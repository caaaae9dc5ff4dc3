"""What a call costs at run time, by the sizes that its arguments have.

Sources: cel-go interpreter/runtimecost.go, ext/lists.go, ext/sets.go; apiserver pkg/cel/library/cost.go.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from claimsmith.cel.ast import Uint
from claimsmith.cel.runtime.failure import Aborted, Failure
from claimsmith.cel.runtime.values import (
    LISTS,
    MISSING,
    Cidr,
    Duration,
    Ip,
    Map,
    NamedFormat,
    Optional,
    Quantity,
    Timestamp,
    Url,
    go_type,
    size,
)
from claimsmith.values.semver import Semver

LIST = 10
MAP = 30

_TRAVERSAL = 0.1
_REGEX = 0.25
_OBJECTS = frozenset((Quantity, Semver, Url, Ip, Cidr, NamedFormat))

Arguments = Sequence[Any]


def _size(value: Any) -> int:
    found = size(value)
    if found is not None:
        return found
    if type(value) is Ip:
        return 4 if value.version == 4 else 16
    if type(value) is Cidr:
        return math.ceil(value.bits / 8)
    if type(value) is Optional and value.value is not MISSING:
        return _size(value.value)
    return 1


def _walk(count: int, factor: float = 1.0) -> int:
    return math.ceil(count * factor * _TRAVERSAL)


def _traversal(value: Any) -> int:
    """One walk over a value and all that it holds."""
    kind = type(value)
    if kind is str:
        return int(len(value.encode("utf-8", "surrogatepass")) * _TRAVERSAL)
    if kind is bytes:
        return int(len(value) * _TRAVERSAL)
    if kind in LISTS:
        return sum(map(_traversal, value))
    if kind is Map:
        return sum(map(_traversal, value.all_keys())) + sum(map(_traversal, value.entries.values()))
    return 1


def _pattern(arguments: Arguments) -> int:
    return math.ceil((1.0 + _size(arguments[0])) * _TRAVERSAL) * math.ceil(_size(arguments[1]) * _REGEX)


def _validate(arguments: Arguments) -> int:
    named, text = arguments
    if type(named) is not NamedFormat:
        return 1
    return math.ceil((1.0 + _size(text)) * _TRAVERSAL) * math.ceil(named.cost_size * _REGEX)


def _contains_ip(arguments: Arguments, overload: str) -> int:
    cost = _walk(2 * _size(arguments[0]))
    return cost + (_walk(_size(arguments[1])) if overload == "cidr_contains_ip_string" else 0)


def _contains_cidr(arguments: Arguments, overload: str) -> int:
    cost = _walk(2 * _size(arguments[0])) + _walk(_size(arguments[0])) + 1
    return cost + (_walk(_size(arguments[1])) if overload == "cidr_contains_cidr_string" else 0)


_Cost = Callable[[Arguments, str, Any], int]

_ONCE = (
    "url",
    "lowerAscii",
    "upperAscii",
    "substring",
    "trim",
    "cidr",
    "isIP",
    "isCIDR",
    "quantity",
    "isQuantity",
    "semver",
    "isSemver",
)

_BY_FUNCTION: dict[str, _Cost] = {
    **dict.fromkeys(
        ("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf"), lambda args, overload, result: _traversal(args[0])
    ),
    **dict.fromkeys(_ONCE, lambda args, overload, result: _walk(_size(args[0]))),
    **dict.fromkeys(("replace", "split", "ip.isCanonical"), lambda args, overload, result: _walk(_size(args[0]), 2)),
    "join": lambda args, overload, result: _walk(_size(result), 2),
    **dict.fromkeys(("find", "findAll"), lambda args, overload, result: _pattern(args)),
    "ip": lambda args, overload, result: 1 if overload == "cidr_ip" else _walk(_size(args[0])),
    "containsIP": lambda args, overload, result: _contains_ip(args, overload),
    "containsCIDR": lambda args, overload, result: _contains_cidr(args, overload),
    "validate": lambda args, overload, result: _validate(args),
}


def _compared(arguments: Arguments) -> int:
    return _walk(min(_size(arguments[0]), _size(arguments[1])))


def _added(arguments: Arguments) -> int:
    return _walk(_size(arguments[0]) + _size(arguments[1]))


def _range(size_factor: float, count: int) -> int:
    return int(count * max(size_factor, 0.0)) + 1 + LIST


def _self_compare(items: Any) -> int:
    factor = 2.1 if items and type(items[0]) in (str, bytes) else 2.0
    return _range(factor, len(items) ** 2)


_BY_OVERLOAD: dict[str, _Cost] = {
    **dict.fromkeys(
        ("string_to_bytes", "bytes_to_string", "strings_quote", "string_format"),
        lambda args, overload, result: _walk(_size(args[0])),
    ),
    "in_list": lambda args, overload, result: _size(args[1]),
    **dict.fromkeys(
        [
            f"{name}_{kind}"
            for name in ("less", "greater", "less_equals", "greater_equals")
            for kind in ("string", "bytes")
        ]
        + ["equals", "not_equals"],
        lambda args, overload, result: _compared(args),
    ),
    **dict.fromkeys(("add_string", "add_bytes"), lambda args, overload, result: _added(args)),
    "matches_string": lambda args, overload, result: _pattern(args),
    "contains_string": lambda args, overload, result: _walk(_size(args[0])) * _walk(_size(args[1])),
}

_TRACKED: dict[str, _Cost] = {
    **dict.fromkeys(
        ("list_sets_contains_list", "list_sets_intersects_list"),
        lambda args, overload, result: 1 + _size(args[0]) * _size(args[1]),
    ),
    "list_sets_equivalent_list": lambda args, overload, result: 1 + 2 * _size(args[0]) * _size(args[1]),
    **dict.fromkeys(
        ("list_slice", "lists_range", "list_reverse"), lambda args, overload, result: _range(1, _size(result))
    ),
    "list_flatten": lambda args, overload, result: _range(1, _size(args[0])),
    "list_flatten_int": lambda args, overload, result: _range(float(args[1]), _size(args[0])),
    "list_distinct": lambda args, overload, result: _self_compare(args[-1]),
}


_SELF_COMPARING = ("_sort", "_sortByAssociatedKeys", "list_distinct")
_ADDERS = frozenset((str, int, Uint, float, bytes, Duration, Timestamp))


def needs_list(overload: str) -> bool:
    """Whether `check_lists` looks at the arguments of the overload."""
    return overload.endswith(_SELF_COMPARING) or overload == "list_flatten_int"


def check_lists(overload: str, arguments: Arguments) -> None:
    """`Aborted` where counting the cost panics in cel-go: at an argument that is no list, errors among them."""
    if overload.endswith(_SELF_COMPARING):
        argument = arguments[-1]
        if type(argument) not in LISTS:
            method = "Contains" if type(argument) in _ADDERS else "Add"
            name = _go_type(argument)
            raise _panic(f"interface conversion: {name} is not traits.Lister: missing method {method}")
    elif overload == "list_flatten_int" and type(arguments[1]) is not int:
        raise _panic(f"interface conversion: ref.Val is {_go_type(arguments[1])}, not types.Int")


def _go_type(argument: Any) -> str:
    return "*types.Err" if isinstance(argument, Failure) else go_type(argument)


def _panic(text: str) -> Aborted:
    return Aborted(f"internal error: {text}")


def call_cost(function: str, overload: str, arguments: Arguments, result: Any, *, modern: bool) -> int:
    """The cost of a call whose arguments are values (an error among them counts one); `overload` "" if several fit."""
    if overload in _TRACKED:
        return _TRACKED[overload](arguments, overload, result)
    if overload.endswith(("_sort", "_sortByAssociatedKeys")):
        return _self_compare(arguments[-1])
    if function == "_==_" and type(arguments[0]) in _OBJECTS:
        return 1
    if function == "includes":
        return _traversal(arguments[0]) if modern else 1
    if function in _BY_FUNCTION:
        return _BY_FUNCTION[function](arguments, overload, result)
    if overload in ("starts_with_string", "ends_with_string"):
        return _walk(_size(arguments[1 if modern else 0]))
    if overload == "matches":
        return _pattern(arguments) if modern else 1
    return _BY_OVERLOAD[overload](arguments, overload, result) if overload in _BY_OVERLOAD else 1

"""Whether arguments fit an overload at run time: by the name of the type, a list or map by its first element."""

from collections.abc import Callable, Sequence
from typing import Any

from claimsmith.cel.runtime.values import LISTS, Map, type_name
from claimsmith.cel.types import Type

Guard = Callable[[Any], bool]

_ANYTHING = frozenset(("dyn", "any", "param"))


def guard(kind: Type) -> Guard | None:
    """The test of one argument; None where every value passes."""
    if kind.kind in _ANYTHING:
        return None
    if kind.kind == "list":
        return _list_guard(guard(kind.parameters[0]))
    if kind.kind == "map":
        return _map_guard(guard(kind.parameters[0]), guard(kind.parameters[1]))
    name = kind.name
    return lambda value: type_name(value) == name


def _list_guard(element: Guard | None) -> Guard:
    def check(value: Any) -> bool:
        return type(value) in LISTS and (element is None or not value or element(value[0]))

    return check


def _map_guard(key: Guard | None, item: Guard | None) -> Guard:
    def check(value: Any) -> bool:
        if type(value) is not Map:
            return False
        first = next(value.all_keys(), None) if value.entries else None
        if not value.entries:
            return True
        return (key is None or key(first)) and (item is None or item(value.find(first)))

    return check


def guards_match(guards: Sequence[Guard | None], arguments: Sequence[Any]) -> bool:
    return all(test is None or test(value) for test, value in zip(guards, arguments, strict=True))

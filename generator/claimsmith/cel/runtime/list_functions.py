"""Functions over lists: cel-go's lists and sets, and those of Kubernetes."""

from collections.abc import Callable
from functools import cmp_to_key
from typing import Any

from claimsmith.cel.runtime.failure import NO_OVERLOAD, Failure, over_budget
from claimsmith.cel.runtime.operators import add
from claimsmith.cel.runtime.show import show
from claimsmith.cel.runtime.values import (
    LISTS,
    MISSING,
    NONE,
    ORDERED,
    Optional,
    compare,
    identical,
    list_contains,
)

_INSERTION_SORTED = 12
_MAX_RANGE = 1_000_000
_MAX_INCLUDES = 48


def first(items: Any) -> Optional:
    return Optional(items[0]) if items else NONE


def last(items: Any) -> Optional:
    return Optional(items[-1]) if items else NONE


def unwrap(items: Any) -> tuple[Any, ...]:
    for item in items:
        if type(item) is not Optional:
            raise Failure(f"value {show(item)} is not optional")
    return tuple(item.value for item in items if item.value is not MISSING)


def is_sorted(items: Any) -> bool:
    previous: Any = MISSING
    for item in items:
        _check_ordered(item)
        if previous is not MISSING and _order(previous, item) == 1:
            return False
        previous = item
    return True


def _check_ordered(item: Any) -> None:
    if type(item) not in ORDERED:
        raise Failure(NO_OVERLOAD)


def _order(left: Any, right: Any) -> int:
    """As `compare`, and 0 for what cannot be compared."""
    try:
        return compare(left, right)
    except Failure:
        return 0


def minimum(items: Any) -> Any:
    return _extreme(items, "min", 1)


def maximum(items: Any) -> Any:
    return _extreme(items, "max", -1)


def _extreme(items: Any, name: str, replaced: int) -> Any:
    best: Any = MISSING
    for item in items:
        _check_ordered(item)
        if best is MISSING or _order(best, item) == replaced:
            best = item
    if best is MISSING:
        raise Failure(f"{name} called on empty list")
    return best


def sum_from(zero: Any) -> Callable[[Any], Any]:
    def total(items: Any) -> Any:
        result = zero
        for item in items:
            result = add(result, item)
        return result

    return total


def index_of(items: Any, wanted: Any) -> int:
    return next((index for index, item in enumerate(items) if identical(item, wanted) is True), -1)


def last_index_of(items: Any, wanted: Any) -> int:
    return next((index for index in range(len(items) - 1, -1, -1) if identical(items[index], wanted) is True), -1)


def includes(target: Any, wanted: Any) -> bool:
    """`target.includes(wanted)` of Kubernetes 1.37."""
    if type(target) in LISTS:
        return index_of(target, wanted) >= 0
    return identical(target, wanted) is True


def includes_limited(target: Any, wanted: Any) -> bool:
    """`target.includes(wanted)` of Kubernetes 1.36: an error after 48 values without a match."""
    if type(target) not in LISTS:
        return identical(target, wanted) is True
    if index_of(target[:_MAX_INCLUDES], wanted) >= 0:
        return True
    if len(target) > _MAX_INCLUDES:
        raise Failure(f"'includes' function cannot be applied to lists longer than {_MAX_INCLUDES} values")
    return False


def sets_contain(items: Any, wanted: Any) -> bool:
    return all(list_contains(items, item) for item in wanted)


def sets_equivalent(left: Any, right: Any) -> bool:
    return sets_contain(left, right) and sets_contain(right, left)


def sets_intersect(left: Any, right: Any) -> bool:
    return any(list_contains(right, item) for item in left)


def slice_of(items: Any, start: int, end: int) -> tuple[Any, ...]:
    what = f"cannot slice({start}, {end}), "
    if start < 0 or end < 0:
        raise Failure(what + "negative indexes not supported")
    if start > end:
        raise Failure(what + "start index must be less than or equal to end index")
    if len(items) < end:
        raise Failure(f"{what}list is length {len(items)}")
    return tuple(items[start:end])


def flatten(items: Any, depth: Any = 1) -> tuple[Any, ...]:
    if type(items) not in LISTS or type(depth) is not int:
        raise Failure(NO_OVERLOAD)
    if depth < 0:
        raise Failure("level must be non-negative")
    flat: list[Any] = []
    for item in items:
        if type(item) in LISTS and depth > 0:
            flat.extend(flatten(item, depth - 1))
        else:
            flat.append(item)
    return tuple(flat)


def number_range(count: int) -> tuple[int, ...]:
    """`lists.range` of Kubernetes 1.37."""
    if count < 0:
        raise Failure(f"lists.range: size must be non-negative, got {count}")
    if count > _MAX_RANGE:
        raise Failure(f"lists.range: size {count} exceeds maximum allowed ({_MAX_RANGE})")
    return tuple(range(count))


def number_range_old(count: int) -> tuple[int, ...]:
    """`lists.range` before: any size, which costs as much."""
    if count >= _MAX_RANGE:
        raise over_budget()
    return tuple(range(count))


def reverse(items: Any) -> tuple[Any, ...]:
    return tuple(items[::-1])


def distinct(items: Any) -> Any:
    unique: list[Any] = []
    for item in items:
        if not list_contains(unique, item):
            unique.append(item)
    return tuple(unique)


def sort(items: Any) -> Any:
    return sort_by_keys(items, items)


def sort_by_keys(items: Any, keys: Any) -> Any:
    """The items in the order of their keys. Go's sort is stable up to 12 elements; beyond, only ours is."""
    if len(items) != len(keys):
        raise Failure(
            "@sortByAssociatedKeys() expected a list of the same size as the associated keys list, "
            f"but got {len(items)} and {len(keys)} elements respectively"
        )
    if not items:
        return items
    if type(keys[0]) not in ORDERED:
        raise Failure("list elements must be comparable")
    if any(type(key) is not type(keys[0]) for key in keys):
        raise Failure("list elements must have the same type")
    order = list(range(len(items)))
    if len(order) > _INSERTION_SORTED:
        order.sort(key=cmp_to_key(lambda left, right: _order(keys[left], keys[right])))
    else:
        for end in range(1, len(order)):
            for place in range(end, 0, -1):
                if _order(keys[order[place]], keys[order[place - 1]]) != -1:
                    break
                order[place], order[place - 1] = order[place - 1], order[place]
    return tuple(items[index] for index in order)

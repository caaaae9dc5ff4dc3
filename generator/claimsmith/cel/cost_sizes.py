"""Arithmetic of cost and size as cel-go has it, and the sizes declared for what `device` holds.

Sources: cel-go checker/cost.go; dynamic-resource-allocation/cel/compile.go.
"""

import math

UNLIMITED = 2**64 - 1
"""Stands for every cost that does not fit 64 bits."""

# The least and the greatest number of characters, bytes, elements or entries.
Size = tuple[int, int]

UNKNOWN: Size = (0, UNLIMITED)
ONE: Size = (1, 1)
TRAVERSAL = 0.1
REGEX = 0.25
_TWO_TO_64 = 2.0**64


def plus(left: int, right: int) -> int:
    return min(left + right, UNLIMITED)


def times(left: int, right: int) -> int:
    return min(left * right, UNLIMITED)


def scaled(count: int, factor: float) -> int:
    """A count times a factor, rounded up."""
    value = float(count)
    if value > 0 and factor > 0 and value > _TWO_TO_64 / factor:
        return UNLIMITED
    product = value * factor
    return UNLIMITED if product >= _TWO_TO_64 else math.ceil(product)


def sum_of(left: Size, right: Size) -> Size:
    return plus(left[0], right[0]), plus(left[1], right[1])


def product_of(left: Size, right: Size) -> Size:
    return times(left[0], right[0]), times(left[1], right[1])


def union_of(left: Size, right: Size) -> Size:
    return min(left[0], right[0]), max(left[1], right[1])


def wrapped(value: int) -> int:
    """As Go's unsigned arithmetic has it."""
    return value % 2**64


def from_float(value: float) -> int:
    """Go's conversion of a float to 64 bits on amd64 and arm64's most common peer: what does not fit is 2**63."""
    return 2**63 if value >= _TWO_TO_64 else int(value)


class Path:
    """Where a value is below `device`: names that share storage as Go's slices do, so that a later append can rename an
    earlier path. The estimate that admission makes depends on it."""

    __slots__ = ("capacity", "cells", "length")

    def __init__(self, cells: list[str], length: int, capacity: int) -> None:
        self.cells = cells
        self.length = length
        self.capacity = capacity

    def append(self, name: str) -> "Path":
        if self.length < self.capacity:
            cells = self.cells
            if self.length < len(cells):
                cells[self.length] = name
            else:
                cells.append(name)
            return Path(cells, self.length + 1, self.capacity)
        return Path([*self.cells[: self.length], name], self.length + 1, self.capacity * 2)

    def names(self) -> list[str]:
        return self.cells[: self.length]


def extended(path: Path | None, name: str) -> Path | None:
    """A path with one more name; only those that start at `device` matter."""
    if path is not None:
        return path.append(name)
    return Path([name], 1, 1) if name == "device" else None


_DRIVER = 63
_DOMAIN = 63
_ID = 32
_VALUE = 64
_ENTRIES = 32


def declared_size(path: Path | None) -> Size | None:
    """The size declared for what is at a path; None where nothing is declared."""
    if path is None:
        return None
    names = path.names()
    depth = len(names)
    if depth == 1:
        return 0, 0
    field = names[1]
    if field == "driver":
        return (0, _DRIVER) if depth == 2 else None
    if field == "allowMultipleAllocations":
        return _ONE_AT_MOST if depth == 2 else None
    if field not in ("attributes", "capacity"):
        return None
    if depth == 2:
        return 0, _ENTRIES
    if names[2] == "@keys":
        return (0, _DOMAIN) if depth == 3 else None
    if names[2] not in ("@values", "@items"):
        return None
    if depth == 3:
        return 0, _ENTRIES
    if depth > 4:
        return None
    if names[3] == "@keys":
        return 0, _ID
    if field == "attributes":
        return 0, _VALUE
    return (0, 0) if names[3] in ("@values", "@items") else None


_ONE_AT_MOST: Size = (0, 1)


def traversal(size: Size) -> int:
    """Going through a text once."""
    return scaled(size[1], TRAVERSAL)


def regex(text: Size, pattern: Size) -> int:
    """Matching a text with a pattern."""
    return times(scaled(plus(text[1], 1), TRAVERSAL), scaled(pattern[1], REGEX))

"""The worst-case cost that admission compares with its limit.

A node's cost is bounded from above; its bounds from below never reach the result, so only sizes are ranges. Sources:
cel-go checker/cost.go, ext/lists.go, ext/sets.go; apiserver pkg/cel/library/cost.go; the sizes of what `device` holds
are in dynamic-resource-allocation/cel/compile.go.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from claimsmith.cel.ast import Call, Comprehension, Expr, Ident, ListExpr, Literal, MapExpr, Select
from claimsmith.cel.checker import Reference
from claimsmith.cel.environment import Environment
from claimsmith.cel.types import Type

UNLIMITED = 2**64 - 1
"""Stands for every cost that does not fit 64 bits."""

# The least and the greatest number of characters, bytes, elements or entries.
Size = tuple[int, int]

_UNKNOWN: Size = (0, UNLIMITED)
_ONE: Size = (1, 1)
_TWO_TO_64 = 2.0**64

_TRAVERSAL = 0.1
_REGEX = 0.25
_LIST = 10
_MAP = 30
_MESSAGE = 40
_MAX_NAMED_FORMAT = 64
_MAX_FORMAT_REGEX = 128
_MAX_LIST_ATTRIBUTE = 48


def estimate(
    tree: Expr, types: Mapping[int, Type], references: Mapping[int, Reference], environment: Environment
) -> int:
    """The cost of a tree that the checker accepted, at most 2**64-1. The caller makes room for deep trees."""
    return _Coster(types, references, environment).cost(tree)


def _add(left: int, right: int) -> int:
    return min(left + right, UNLIMITED)


def _times(left: int, right: int) -> int:
    return min(left * right, UNLIMITED)


def _scaled(count: int, factor: float) -> int:
    """A count times a factor, rounded up."""
    value = float(count)
    if value > 0 and factor > 0 and value > _TWO_TO_64 / factor:
        return UNLIMITED
    product = value * factor
    return UNLIMITED if product >= _TWO_TO_64 else math.ceil(product)


def _sum(left: Size, right: Size) -> Size:
    return _add(left[0], right[0]), _add(left[1], right[1])


def _product(left: Size, right: Size) -> Size:
    return _times(left[0], right[0]), _times(left[1], right[1])


def _union(left: Size, right: Size) -> Size:
    return min(left[0], right[0]), max(left[1], right[1])


def _wrapped(value: int) -> int:
    """As Go's unsigned arithmetic has it."""
    return value % 2**64


def _from_float(value: float) -> int:
    """Go's conversion of a float to 64 bits on amd64 and arm64's most common peer: what does not fit is 2**63."""
    return 2**63 if value >= _TWO_TO_64 else int(value)


class _Path:
    """Where a value is below `device`: names that share storage as Go's slices do, so that a later append can rename an
    earlier path. The estimate that admission makes depends on it."""

    __slots__ = ("capacity", "cells", "length")

    def __init__(self, cells: list[str], length: int, capacity: int) -> None:
        self.cells = cells
        self.length = length
        self.capacity = capacity

    def append(self, name: str) -> "_Path":
        if self.length < self.capacity:
            cells = self.cells
            if self.length < len(cells):
                cells[self.length] = name
            else:
                cells.append(name)
            return _Path(cells, self.length + 1, self.capacity)
        return _Path([*self.cells[: self.length], name], self.length + 1, self.capacity * 2)

    def names(self) -> list[str]:
        return self.cells[: self.length]


def _extended(path: _Path | None, name: str) -> _Path | None:
    """A path with one more name; only those that start at `device` matter."""
    if path is not None:
        return path.append(name)
    return _Path([name], 1, 1) if name == "device" else None


_DRIVER = 63
_DOMAIN = 63
_ID = 32
_VALUE = 64
_ENTRIES = 32


def _declared_size(path: _Path | None) -> Size | None:
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


@dataclass(frozen=True, slots=True)
class _Entries:
    """Sizes of the keys and values of a list or map (a list's keys are its indices)."""

    container: str
    key: Size
    value: Size

    def union(self, other: "_Entries") -> "_Entries":
        return _Entries(self.container, _union(self.key, other.key), _union(self.value, other.value))


@dataclass(frozen=True, slots=True)
class _Local:
    path: _Path | None
    size: Size | None
    entries: _Entries | None


@dataclass(frozen=True, slots=True)
class _Node:
    """An argument or target while its call is costed."""

    expression: Expr
    kind: Type
    path: _Path | None
    size: Size | None


# The cost of a call without its arguments, and the size of its result where it has one.
Estimate = tuple[int, Size | None]


class _Coster:
    def __init__(
        self, types: Mapping[int, Type], references: Mapping[int, Reference], environment: Environment
    ) -> None:
        self.types = types
        self.references = references
        self.modern = environment.modern
        self.costs: dict[int, int] = {}
        self.paths: dict[int, _Path | None] = {}
        self.sizes: dict[int, Size] = {}
        self.entries: dict[int, _Entries] = {}
        self.locals: dict[str, list[_Local]] = {}

    def cost(self, node: Expr) -> int:
        known = self.costs.get(node.id)
        if known is None:
            known = self.costs[node.id] = self.visit(node)
        return known

    def visit(self, node: Expr) -> int:
        match node:
            case Literal():
                return 0
            case Ident():
                return self.ident(node, node.name)
            case Select():
                return self.select(node)
            case Call():
                return self.call(node)
            case ListExpr():
                return self.list_literal(node)
            case MapExpr():
                return self.map_literal(node) if node.message is None else self.message(node)
            case Comprehension():
                return self.bind(node) if _is_bind(node) else self.comprehension(node)

    # Names and fields

    def ident(self, node: Expr, name: str) -> int:
        reference = self.references.get(node.id)
        if reference is not None:
            name = reference.name
        found = self.locals.get(name)
        if found:
            self.paths[node.id] = found[-1].path
        else:
            self.paths[node.id] = _Path([name], 1, 1) if name == "device" else None
        return 1

    def select(self, node: Select) -> int:
        if node.id in self.references:
            return self.ident(node, "")
        total = self.cost(node.operand)
        if node.presence:
            return total
        if self.types[node.operand.id].kind in ("map", "struct", "param"):
            total = _add(total, 1)
        self.paths[node.id] = _extended(self.path(node.operand), node.field)
        return total

    # Calls

    def call(self, node: Call) -> int:
        reference = self.references[node.id]
        function = reference.name
        if function == "dyn":
            argument = node.arguments[0]
            total = _add(1, self.cost(argument))
            self.copy_sizes(node, argument)
            return total
        costs = []
        arguments = []
        for argument in node.arguments:
            costs.append(self.cost(argument))
            arguments.append(self.node(argument))
        total = 0
        target = None
        if node.target is not None and not reference.qualified:
            total = self.cost(node.target)
            target = self.node(node.target)
        greatest = 0
        result: Size | None = None
        for overload in reference.overloads:
            cost, size = self.overload(node, function, overload, target, arguments, costs)
            greatest = max(greatest, cost)
            if size is not None:
                result = size if result is None else _union(result, size)
            if overload == "index_list" or overload == "index_map":
                entries = self.entries_of(node.arguments[0])
                result = None if entries is None else entries.value
                part = "@items" if overload == "index_list" else "@values"
                self.paths[node.id] = _extended(self.path(node.arguments[0]), part)
            if result is None:
                result = self.size(node)
        if result is not None:
            self.sizes[node.id] = result
        return _add(total, greatest)

    def overload(
        self, node: Call, function: str, overload: str, target: _Node | None, arguments: list[_Node], costs: list[int]
    ) -> Estimate:
        if function == "_&&_" or function == "_||_":
            return _add(costs[0], costs[1]), None
        if overload == "conditional":
            return self.conditional(node, arguments, costs)
        spent = 0
        for cost in costs:
            spent = _add(spent, cost)
        found = self.library(function, overload, target, arguments)
        if found is None:
            found = self.core(node, overload, target, arguments)
        return _add(found[0], spent), found[1]

    def library(self, function: str, overload: str, target: _Node | None, arguments: list[_Node]) -> Estimate | None:
        """What the extensions and Kubernetes' own estimator say, None where they leave it to the language."""
        extension = _EXTENSIONS.get(overload)
        if extension is not None:
            found = extension(target, arguments)
            if found is not None:
                return found
        if function == "_==_":
            return _equality(arguments)
        if overload == "dra_includes_dyn_dyn":
            return _MAX_LIST_ATTRIBUTE, None
        known = _KUBERNETES.get(function)
        return None if known is None else known(overload, target, arguments)

    def conditional(self, node: Call, arguments: list[_Node], costs: list[int]) -> Estimate:
        _, then, other = arguments
        size = _union(_or_unknown(then), _or_unknown(other))
        first, second = self.entries_of(then.expression), self.entries_of(other.expression)
        if first is not None and second is not None:
            self.entries[node.id] = first.union(second)
        return _add(costs[0], max(costs[1], costs[2])), size

    def core(self, node: Call, overload: str, target: _Node | None, arguments: list[_Node]) -> Estimate:
        """What cel-go says of the functions of the language."""
        if overload in _COMPARISONS:
            least = min(_or_unknown(arguments[0])[1], _or_unknown(arguments[1])[1])
            return _scaled(least, _TRAVERSAL), None
        if overload in ("add_string", "add_bytes", "add_list"):
            return self.addition(node, overload, arguments)
        if overload == "in_list":
            return _or_unknown(arguments[1])[1], None
        if overload in ("starts_with_string", "ends_with_string"):
            return _traversal(_or_unknown(arguments[0])), None
        if overload == "contains_string" and target is not None:
            return _times(_traversal(_or_unknown(target)), _traversal(_or_unknown(arguments[0]))), None
        if overload == "matches_string" and target is not None:
            return _regex(_or_unknown(target), _or_unknown(arguments[0])), None
        if overload == "matches" and self.modern:
            return _regex(_or_unknown(arguments[0]), _or_unknown(arguments[1])), None
        if overload == "string_format" and target is not None:
            return _traversal(_or_unknown(target)), None
        if overload == "string_to_bytes":
            low, high = _or_unknown(arguments[0])
            return _traversal((low, high)), (low, _wrapped(high * 4))
        if overload == "bytes_to_string":
            low, high = _or_unknown(arguments[0])
            return _traversal((low, high)), (low // 4, high)
        if overload == "strings_quote":
            low, high = _or_unknown(arguments[0])
            return _traversal((low, high)), (_wrapped(low + 2), _wrapped(high * 2 + 2))
        return 1, None

    def addition(self, node: Call, overload: str, arguments: list[_Node]) -> Estimate:
        size = _sum(_or_unknown(arguments[0]), _or_unknown(arguments[1]))
        first, second = self.entries_of(arguments[0].expression), self.entries_of(arguments[1].expression)
        if first is not None and second is not None:
            self.entries[node.id] = first.union(second)
        return 1 if overload == "add_list" else _traversal(size), size

    # Literals

    def list_literal(self, node: ListExpr) -> int:
        total = 0
        least, greatest = UNLIMITED if node.elements else 0, 0
        for element in node.elements:
            total = _add(total, self.cost(element))
            size = self.size(element) or _UNKNOWN
            least, greatest = min(least, size[0]), max(greatest, size[1])
        self.entries[node.id] = _Entries("list", _ONE, (least, greatest))
        return _add(total, _LIST)

    def map_literal(self, node: MapExpr) -> int:
        total = 0
        keys: Size = (UNLIMITED if node.entries else 0, 0)
        values = keys
        for entry in node.entries:
            total = _add(_add(total, self.cost(entry.key)), self.cost(entry.value))
            keys = _union(keys, self.size(entry.key) or _UNKNOWN)
            values = _union(values, self.size(entry.value) or _UNKNOWN)
        self.entries[node.id] = _Entries("map", keys, values)
        return _add(total, _MAP)

    def message(self, node: MapExpr) -> int:
        total = _MESSAGE
        for entry in node.entries:
            total = _add(total, self.cost(entry.value))
        return total

    # Loops

    def bind(self, node: Comprehension) -> int:
        total = _add(self.cost(node.source), self.cost(node.initial))
        self.enter_value(node.accumulator, node.initial)
        total = _add(total, self.cost(node.result))
        self.locals[node.accumulator].pop()
        self.copy_sizes(node, node.result)
        return total

    def comprehension(self, node: Comprehension) -> int:
        total = _add(self.cost(node.source), self.cost(node.initial))
        self.enter_value(node.accumulator, node.initial)
        if node.variable2:
            self.enter_key(node.variable, node.source)
            self.enter_element(node.variable2, node.source)
        elif self.container(node.source) == "list":
            self.enter_element(node.variable, node.source)
        else:
            self.enter_key(node.variable, node.source)
        loop = self.cost(node.condition)
        loop = _add(self.cost(node.step), loop)
        self.locals[node.variable].pop()
        if node.variable2:
            self.locals[node.variable2].pop()
        total = _add(total, self.cost(node.result))
        self.locals[node.accumulator].pop()
        count = self.size(node.source) or _UNKNOWN
        total = _add(total, _times(count[1], loop))
        if isinstance(node.initial, Literal):
            self.sizes[node.id] = self.size(node.initial) or _UNKNOWN
        elif isinstance(node.initial, ListExpr) or (isinstance(node.initial, MapExpr) and node.initial.message is None):
            self.sizes[node.id] = count
            entries = self.entries_of(node.step)
            if entries is not None:
                self.entries[node.id] = entries
        return total

    def container(self, source: Expr) -> str:
        entries = self.entries_of(source)
        return self.types[source.id].kind if entries is None else entries.container

    def enter_key(self, name: str, source: Expr) -> None:
        entries = self.entries_of(source)
        part = "@indices" if self.container(source) == "list" else "@keys"
        path = _extended(self.path(source), part)
        self.enter(name, _Local(path, None if entries is None else entries.key, None))

    def enter_element(self, name: str, source: Expr) -> None:
        entries = self.entries_of(source)
        part = "@items" if self.container(source) == "list" else "@values"
        path = _extended(self.path(source), part)
        self.enter(name, _Local(path, None if entries is None else entries.value, None))

    def enter_value(self, name: str, value: Expr) -> None:
        path = self.path(value)
        entries = self.entries_of(value)
        self.enter(name, _Local(path, self.size(value), entries))

    def enter(self, name: str, local: _Local) -> None:
        self.locals.setdefault(name, []).append(local)

    # What is known of a node

    def path(self, node: Expr) -> _Path | None:
        local = self.local(node)
        return self.paths.get(node.id) if local is None else local.path

    def local(self, node: Expr) -> _Local | None:
        if isinstance(node, Ident):
            reference = self.references.get(node.id)
            found = self.locals.get(node.name if reference is None else reference.name)
            if found:
                return found[-1]
        return None

    def node(self, node: Expr) -> _Node:
        return _Node(node, self.types[node.id], self.path(node), self.size(node))

    def size(self, node: Expr) -> Size | None:
        known = self.sizes.get(node.id)
        if known is not None:
            return known
        if isinstance(node, Literal):
            length = len(node.value) if isinstance(node.value, str | bytes) else 1
            return length, length
        if isinstance(node, ListExpr):
            return len(node.elements), len(node.elements)
        if isinstance(node, MapExpr) and node.message is None:
            return len(node.entries), len(node.entries)
        declared = _declared_size(self.path(node))
        if declared is not None:
            self.sizes[node.id] = declared
            return declared
        if _is_scalar(self.types[node.id]):
            return _ONE
        local = self.local(node)
        return None if local is None else local.size

    def entries_of(self, node: Expr) -> _Entries | None:
        known = self.entries.get(node.id)
        if known is not None:
            return known
        local = self.local(node)
        return None if local is None else local.entries

    def copy_sizes(self, to: Expr, source: Expr) -> None:
        size = self.size(source)
        if size is not None:
            self.sizes[to.id] = size
        entries = self.entries_of(source)
        if entries is not None:
            self.entries[to.id] = entries


def _is_bind(node: Comprehension) -> bool:
    return (
        isinstance(node.source, ListExpr)
        and not node.source.elements
        and isinstance(node.condition, Literal)
        and node.condition.value is False
        and node.accumulator != "__result__"
    )


def _is_scalar(kind: Type) -> bool:
    if kind.kind == "opaque" and kind.name == "optional_type":
        return _is_scalar(kind.parameters[0])
    return kind.kind in ("bool", "double", "duration", "int", "timestamp", "uint")


def _or_unknown(node: _Node) -> Size:
    return _UNKNOWN if node.size is None else node.size


def _estimated(node: _Node) -> Size:
    """As `_or_unknown`, and by the path where the node has no size of its own."""
    if node.size is not None:
        return node.size
    return _declared_size(node.path) or _UNKNOWN


def _traversal(size: Size) -> int:
    return _scaled(size[1], _TRAVERSAL)


def _regex(text: Size, pattern: Size) -> int:
    return _times(_scaled(_add(text[1], 1), _TRAVERSAL), _scaled(pattern[1], _REGEX))


_COMPARISONS = frozenset(
    [
        f"{operator}_{kind}"
        for operator in ("less", "greater", "less_equals", "greater_equals")
        for kind in ("string", "bytes")
    ]
) | {"equals", "not_equals"}


# Extensions of cel-go, by overload


def _allocating(factor: float, size: Size) -> Estimate:
    return _add(_add(_scaled(size[1], factor), 1), _LIST), size


def _integer(node: _Node, otherwise: int) -> int:
    literal = node.expression
    if isinstance(literal, Literal) and literal.kind == "int":
        assert isinstance(literal.value, int)
        return max(literal.value, 0)
    return otherwise


def _slice(target: _Node | None, arguments: list[_Node]) -> Estimate | None:
    if target is None:
        return None
    start = _integer(arguments[0], 0)
    end = _integer(arguments[1], _estimated(target)[1])
    length = _wrapped(end - start)
    return _allocating(1.0, (length, length))


def _range(target: _Node | None, arguments: list[_Node]) -> Estimate | None:
    count = _integer(arguments[0], UNLIMITED)
    return _allocating(1.0, (count, count))


def _reverse(target: _Node | None, arguments: list[_Node]) -> Estimate | None:
    return None if target is None else _allocating(1.0, _estimated(target))


def _flatten(target: _Node | None, arguments: list[_Node]) -> Estimate | None:
    if target is None:
        return None
    depth = _integer(arguments[0], UNLIMITED) if arguments else 1
    return _allocating(float(depth), _estimated(target))


def _distinct(target: _Node | None, arguments: list[_Node]) -> Estimate | None:
    if target is None:
        return None
    size = _estimated(target)
    return _allocating(2.0, _product(size, size))


def _sorting(factor: float, by_key: bool) -> Callable[[_Node | None, list[_Node]], Estimate | None]:
    def sort(target: _Node | None, arguments: list[_Node]) -> Estimate | None:
        if target is None:
            return None
        size = _estimated(arguments[0] if by_key else target)
        return _allocating(factor, _product(size, size))

    return sort


def _sets(factor: float) -> Callable[[_Node | None, list[_Node]], Estimate | None]:
    def compare(target: _Node | None, arguments: list[_Node]) -> Estimate | None:
        size = _product(_estimated(arguments[0]), _estimated(arguments[1]))
        return _add(_scaled(size[1], factor), 1), None

    return compare


_SORTED_BY_TEXT = ("string", "bytes")
_SORTED = ("int", "uint", "double", "bool", "google.protobuf.Duration", "google.protobuf.Timestamp", *_SORTED_BY_TEXT)

_EXTENSIONS: dict[str, Callable[[_Node | None, list[_Node]], Estimate | None]] = {
    "list_slice": _slice,
    "list_flatten": _flatten,
    "list_flatten_int": _flatten,
    "lists_range": _range,
    "list_reverse": _reverse,
    "list_distinct": _distinct,
    "list_sets_contains_list": _sets(1.0),
    "list_sets_intersects_list": _sets(1.0),
    "list_sets_equivalent_list": _sets(2.0),
    **{f"list_{kind}_sort": _sorting(2.0 + _TRAVERSAL * (kind in _SORTED_BY_TEXT), False) for kind in _SORTED},
    **{
        f"list_{kind}_sortByAssociatedKeys": _sorting(2.0 + _TRAVERSAL * (kind in _SORTED_BY_TEXT), True)
        for kind in _SORTED
    },
}


# Kubernetes' estimator, by function


def _equality(arguments: list[_Node]) -> Estimate | None:
    left, right = arguments
    if left.kind is not right.kind:
        return None
    name = left.kind.name
    if name in ("net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver"):
        return 1, None
    if name == "kubernetes.NamedFormat":
        return _scaled(_MAX_NAMED_FORMAT, _TRAVERSAL), None
    if name == "kubernetes.URL":
        return _scaled((right.size or _ONE)[1], _TRAVERSAL), None
    return None


KubernetesEstimator = Callable[[str, _Node | None, list[_Node]], Estimate | None]


def _unit(overload: str, target: _Node | None, arguments: list[_Node]) -> Estimate | None:
    return 1, None


def _parse(overload: str, target: _Node | None, arguments: list[_Node]) -> Estimate | None:
    return (_traversal(_estimated(arguments[0])), None) if arguments else None


def _ip(overload: str, target: _Node | None, arguments: list[_Node]) -> Estimate | None:
    return (1, None) if overload == "cidr_ip" else _parse(overload, target, arguments)


def _canonical(overload: str, target: _Node | None, arguments: list[_Node]) -> Estimate | None:
    return _scaled(_estimated(arguments[0])[1], 2 * _TRAVERSAL), None


def _url(overload: str, target: _Node | None, arguments: list[_Node]) -> Estimate | None:
    size = _estimated(arguments[0])
    return _traversal(size), size


def _transform(overload: str, target: _Node | None, arguments: list[_Node]) -> Estimate | None:
    if target is None:
        return None
    size = _estimated(target)
    return _traversal(size), size


def _element(target: _Node) -> tuple[Type, Size] | None:
    """The type and size of what a list (or map, or optional) holds."""
    if not target.kind.parameters:
        return None
    path = target.path
    if path is None:
        return target.kind.parameters[0], _UNKNOWN
    below = _Path([*path.names(), "@items"], path.length + 1, path.length + 1)
    return target.kind.parameters[0], _declared_size(below) or _UNKNOWN


def _search(overload: str, target: _Node | None, arguments: list[_Node]) -> Estimate | None:
    if target is None:
        return None
    size = _estimated(target)
    element = _element(target)
    if element is not None:
        kind, element_size = element
        each = 1
        if kind.kind in ("string", "bytes"):
            each = _add(each, _traversal(element_size))
        return _times(size[1], each), None
    if overload == "list_includes_dyn_dyn":
        return size[1], None
    return _traversal(size), None


def _replace(overload: str, target: _Node | None, arguments: list[_Node]) -> Estimate | None:
    if target is None:
        return None
    size, old, new = _estimated(target), _estimated(arguments[0]), _estimated(arguments[1])
    most, kept_most = 0, 0
    if old[0] == 0:
        most, kept_most = _add(size[1], 1), size[1]
    elif new[1] <= old[0]:
        kept_most = size[1]
    else:
        most = _from_float(math.ceil(float(size[1]) / float(old[0])))
    least, kept_least = 0, 0
    if old[1] == 0:
        least, kept_least = _add(size[0], 1), size[0]
    elif old[1] <= new[0]:
        kept_least = size[0]
    else:
        least = _from_float(math.ceil(float(size[0]) / float(old[1])))
    result = _sum(_product((least, most), new), (kept_least, kept_most))
    return _scaled(size[1], 2 * _TRAVERSAL), result


def _split(overload: str, target: _Node | None, arguments: list[_Node]) -> Estimate | None:
    if target is None:
        return None
    size = _estimated(target)
    most = size[1]
    if len(arguments) > 1:
        limit = arguments[1].expression
        if isinstance(limit, Literal) and limit.kind == "int":
            assert isinstance(limit.value, int)
            most = _wrapped(limit.value)
    return _scaled(size[1], 2 * _TRAVERSAL), (0, most)


def _join(overload: str, target: _Node | None, arguments: list[_Node]) -> Estimate | None:
    if target is None:
        return None
    count = _estimated(target)
    size: Size = (0, 0)
    element = _element(target)
    if element is not None:
        size = _product(count, element[1])
    if arguments:
        size = _sum(size, _product(_estimated(arguments[0]), (max(count[0] - 1, 0), max(count[1] - 1, 0))))
    return _traversal(size), size


def _find(overload: str, target: _Node | None, arguments: list[_Node]) -> Estimate | None:
    if target is None:
        return None
    size = _estimated(target)
    return _regex(size, _estimated(arguments[0])), (0, size[1])


_ADDRESS = 16  # the bytes of the longest address


def _contains_ip(overload: str, target: _Node | None, arguments: list[_Node]) -> Estimate | None:
    cost = _scaled(2 * _ADDRESS, _TRAVERSAL)
    if overload == "cidr_contains_ip_string":
        cost = _add(cost, _traversal(_estimated(arguments[0])))
    return cost, None


def _contains_cidr(overload: str, target: _Node | None, arguments: list[_Node]) -> Estimate | None:
    cost = _scaled(2 * _ADDRESS, _TRAVERSAL) + _scaled(_ADDRESS, _TRAVERSAL) + 1
    if overload == "cidr_contains_cidr_string":
        cost = _add(cost, _traversal(_estimated(arguments[0])))
    return cost, None


def _validate(overload: str, target: _Node | None, arguments: list[_Node]) -> Estimate | None:
    return _scaled(_traversal(_estimated(arguments[0])), _MAX_FORMAT_REGEX * _REGEX), None


_KUBERNETES: dict[str, KubernetesEstimator] = {
    **dict.fromkeys(
        (
            "masked", "prefixLength", "family", "isUnspecified", "isLoopback", "isLinkLocalMulticast",
            "isLinkLocalUnicast", "isGlobalUnicast", "format.named", "sign", "asInteger", "isInteger", "asApproximateFloat", "isGreaterThan",
            "isLessThan", "compareTo", "add", "sub", "major", "minor", "patch", "getScheme", "getHostname", "getHost",
            "getPort", "getEscapedPath", "getQuery",
        ),
        _unit,
    ),
    **dict.fromkeys(("cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver"), _parse),
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "includes"), _search),
    **dict.fromkeys(("lowerAscii", "upperAscii", "substring", "trim"), _transform),
    **dict.fromkeys(("find", "findAll"), _find),
    "ip": _ip,
    "ip.isCanonical": _canonical,
    "url": _url,
    "replace": _replace,
    "split": _split,
    "join": _join,
    "containsIP": _contains_ip,
    "containsCIDR": _contains_cidr,
    "validate": _validate,
}  # fmt: skip

"""The worst-case cost that admission compares with its limit.

A node's cost is bounded from above; its bounds from below never reach the result, so only sizes are ranges.
Source: cel-go checker/cost.go.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from claimsmith.cel.ast import Call, Comprehension, Expr, Ident, ListExpr, Literal, MapExpr, Select
from claimsmith.cel.checker import Reference
from claimsmith.cel.cost_functions import Estimate, Node, library_estimate, size_of
from claimsmith.cel.cost_sizes import (
    ONE,
    TRAVERSAL,
    UNKNOWN,
    UNLIMITED,
    Path,
    Size,
    declared_size,
    extended,
    plus,
    regex,
    scaled,
    sum_of,
    times,
    traversal,
    union_of,
    wrapped,
)
from claimsmith.cel.environment import Environment
from claimsmith.cel.types import Type

_LIST = 10
_MAP = 30
_MESSAGE = 40


def estimate(
    tree: Expr, types: Mapping[int, Type], references: Mapping[int, Reference], environment: Environment
) -> int:
    """The cost of a tree that the checker accepted, at most 2**64-1. The caller makes room for deep trees."""
    return _Coster(types, references, environment).cost(tree)


@dataclass(frozen=True, slots=True)
class _Entries:
    """Sizes of the keys and values of a list or map (a list's keys are its indices)."""

    container: str
    key: Size
    value: Size

    def union(self, other: "_Entries") -> "_Entries":
        return _Entries(self.container, union_of(self.key, other.key), union_of(self.value, other.value))


@dataclass(frozen=True, slots=True)
class _Local:
    path: Path | None
    size: Size | None
    entries: _Entries | None


class _Coster:
    def __init__(
        self, types: Mapping[int, Type], references: Mapping[int, Reference], environment: Environment
    ) -> None:
        self.types = types
        self.references = references
        self.modern = environment.modern
        self.costs: dict[int, int] = {}
        self.paths: dict[int, Path | None] = {}
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
            self.paths[node.id] = Path([name], 1, 1) if name == "device" else None
        return 1

    def select(self, node: Select) -> int:
        if node.id in self.references:
            return self.ident(node, "")
        total = self.cost(node.operand)
        if node.presence:
            return total
        if self.types[node.operand.id].kind in ("map", "struct", "param"):
            total = plus(total, 1)
        self.paths[node.id] = extended(self.path(node.operand), node.field)
        return total

    # Calls

    def call(self, node: Call) -> int:
        reference = self.references[node.id]
        function = reference.name
        if function == "dyn":
            argument = node.arguments[0]
            total = plus(1, self.cost(argument))
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
                result = size if result is None else union_of(result, size)
            if overload == "index_list" or overload == "index_map":
                entries = self.entries_of(node.arguments[0])
                result = None if entries is None else entries.value
                part = "@items" if overload == "index_list" else "@values"
                self.paths[node.id] = extended(self.path(node.arguments[0]), part)
            if result is None:
                result = self.size(node)
        if result is not None:
            self.sizes[node.id] = result
        return plus(total, greatest)

    def overload(
        self, node: Call, function: str, overload: str, target: Node | None, arguments: list[Node], costs: list[int]
    ) -> Estimate:
        if function == "_&&_" or function == "_||_":
            return plus(costs[0], costs[1]), None
        if overload == "conditional":
            return self.conditional(node, arguments, costs)
        spent = 0
        for cost in costs:
            spent = plus(spent, cost)
        found = library_estimate(function, overload, target, arguments)
        if found is None:
            found = self.core(node, overload, target, arguments)
        return plus(found[0], spent), found[1]

    def conditional(self, node: Call, arguments: list[Node], costs: list[int]) -> Estimate:
        _, then, other = arguments
        size = union_of(size_of(then), size_of(other))
        first, second = self.entries_of(then.expression), self.entries_of(other.expression)
        if first is not None and second is not None:
            self.entries[node.id] = first.union(second)
        return plus(costs[0], max(costs[1], costs[2])), size

    def core(self, node: Call, overload: str, target: Node | None, arguments: list[Node]) -> Estimate:
        """What cel-go says of the functions of the language."""
        if overload in _COMPARISONS:
            least = min(size_of(arguments[0])[1], size_of(arguments[1])[1])
            return scaled(least, TRAVERSAL), None
        if overload in ("add_string", "add_bytes", "add_list"):
            return self.addition(node, overload, arguments)
        if overload == "in_list":
            return size_of(arguments[1])[1], None
        if overload in ("starts_with_string", "ends_with_string"):
            return traversal(size_of(arguments[0])), None
        if overload == "contains_string" and target is not None:
            return times(traversal(size_of(target)), traversal(size_of(arguments[0]))), None
        if overload == "matches_string" and target is not None:
            return regex(size_of(target), size_of(arguments[0])), None
        if overload == "matches" and self.modern:
            return regex(size_of(arguments[0]), size_of(arguments[1])), None
        if overload == "string_format" and target is not None:
            return traversal(size_of(target)), None
        if overload == "string_to_bytes":
            low, high = size_of(arguments[0])
            return traversal((low, high)), (low, wrapped(high * 4))
        if overload == "bytes_to_string":
            low, high = size_of(arguments[0])
            return traversal((low, high)), (low // 4, high)
        if overload == "strings_quote":
            low, high = size_of(arguments[0])
            return traversal((low, high)), (wrapped(low + 2), wrapped(high * 2 + 2))
        return 1, None

    def addition(self, node: Call, overload: str, arguments: list[Node]) -> Estimate:
        size = sum_of(size_of(arguments[0]), size_of(arguments[1]))
        first, second = self.entries_of(arguments[0].expression), self.entries_of(arguments[1].expression)
        if first is not None and second is not None:
            self.entries[node.id] = first.union(second)
        return 1 if overload == "add_list" else traversal(size), size

    # Literals

    def list_literal(self, node: ListExpr) -> int:
        total = 0
        least, greatest = UNLIMITED if node.elements else 0, 0
        for element in node.elements:
            total = plus(total, self.cost(element))
            size = self.size(element) or UNKNOWN
            least, greatest = min(least, size[0]), max(greatest, size[1])
        self.entries[node.id] = _Entries("list", ONE, (least, greatest))
        return plus(total, _LIST)

    def map_literal(self, node: MapExpr) -> int:
        total = 0
        keys: Size = (UNLIMITED if node.entries else 0, 0)
        values = keys
        for entry in node.entries:
            total = plus(plus(total, self.cost(entry.key)), self.cost(entry.value))
            keys = union_of(keys, self.size(entry.key) or UNKNOWN)
            values = union_of(values, self.size(entry.value) or UNKNOWN)
        self.entries[node.id] = _Entries("map", keys, values)
        return plus(total, _MAP)

    def message(self, node: MapExpr) -> int:
        total = _MESSAGE
        for entry in node.entries:
            total = plus(total, self.cost(entry.value))
        return total

    # Loops

    def bind(self, node: Comprehension) -> int:
        total = plus(self.cost(node.source), self.cost(node.initial))
        self.enter_value(node.accumulator, node.initial)
        total = plus(total, self.cost(node.result))
        self.locals[node.accumulator].pop()
        self.copy_sizes(node, node.result)
        return total

    def comprehension(self, node: Comprehension) -> int:
        total = plus(self.cost(node.source), self.cost(node.initial))
        self.enter_value(node.accumulator, node.initial)
        if node.variable2:
            self.enter_key(node.variable, node.source)
            self.enter_element(node.variable2, node.source)
        elif self.container(node.source) == "list":
            self.enter_element(node.variable, node.source)
        else:
            self.enter_key(node.variable, node.source)
        loop = self.cost(node.condition)
        loop = plus(self.cost(node.step), loop)
        self.locals[node.variable].pop()
        if node.variable2:
            self.locals[node.variable2].pop()
        total = plus(total, self.cost(node.result))
        self.locals[node.accumulator].pop()
        count = self.size(node.source) or UNKNOWN
        total = plus(total, times(count[1], loop))
        if isinstance(node.initial, Literal):
            self.sizes[node.id] = self.size(node.initial) or UNKNOWN
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
        path = extended(self.path(source), part)
        self.enter(name, _Local(path, None if entries is None else entries.key, None))

    def enter_element(self, name: str, source: Expr) -> None:
        entries = self.entries_of(source)
        part = "@items" if self.container(source) == "list" else "@values"
        path = extended(self.path(source), part)
        self.enter(name, _Local(path, None if entries is None else entries.value, None))

    def enter_value(self, name: str, value: Expr) -> None:
        path = self.path(value)
        entries = self.entries_of(value)
        self.enter(name, _Local(path, self.size(value), entries))

    def enter(self, name: str, local: _Local) -> None:
        self.locals.setdefault(name, []).append(local)

    # What is known of a node

    def path(self, node: Expr) -> Path | None:
        local = self.local(node)
        return self.paths.get(node.id) if local is None else local.path

    def local(self, node: Expr) -> _Local | None:
        if isinstance(node, Ident):
            reference = self.references.get(node.id)
            found = self.locals.get(node.name if reference is None else reference.name)
            if found:
                return found[-1]
        return None

    def node(self, node: Expr) -> Node:
        return Node(node, self.types[node.id], self.path(node), self.size(node))

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
        declared = declared_size(self.path(node))
        if declared is not None:
            self.sizes[node.id] = declared
            return declared
        if _is_scalar(self.types[node.id]):
            return ONE
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


_COMPARISONS = frozenset(
    [
        f"{operator}_{kind}"
        for operator in ("less", "greater", "less_equals", "greater_equals")
        for kind in ("string", "bytes")
    ]
) | {"equals", "not_equals"}

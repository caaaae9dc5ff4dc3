"""Which attributes and capacities an expression reads, how, and what it compares them with."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from claimsmith.cel.ast import Call, Comprehension, Expr, Ident, ListExpr, Literal, Select, children

VALUE_STEPS = 3
"""The steps of `device.attributes["domain"].id`, from `attributes` on."""

_FORMS = {"_[_]": "index", "_[?_]": "optional", "_?._": "optional"}
_TRANSPARENT = frozenset(("lowerAscii", "upperAscii", "trim", "orValue", "value"))
_COMPARISONS = {"_==_": "==", "_!=_": "!=", "_<_": "<", "_<=_": "<=", "_>_": ">", "_>=_": ">="}
_FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}
_TEXT = frozenset(("contains", "startsWith", "endsWith", "matches"))
_ORDERED = {"isGreaterThan": ">", "isLessThan": "<"}
_PARTS = frozenset(("major", "minor", "patch"))


@dataclass(frozen=True, slots=True, eq=False)
class Step:
    """One step of a path; `key` is None where it is computed. `form`: select, index, optional, has or in."""

    key: str | None
    form: str
    node: Expr
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Constant:
    """A literal; `kind` is its CEL type, or quantity or semver for the text in a call of these."""

    value: object
    kind: str
    node: Expr


@dataclass(frozen=True, slots=True)
class Use:
    """What becomes of a value: `operator` with literals; `through` are the functions on the way, innermost first."""

    operator: str
    literals: tuple[Constant, ...]
    through: tuple[str, ...]
    node: Expr


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """A path from `device` on; `use` is None where what becomes of the value is not followed."""

    steps: tuple[Step, ...]
    node: Expr
    use: Use | None

    @property
    def field(self) -> str | None:
        """`attributes`, `capacity`, `driver` or another field of the device."""
        return self.steps[0].key

    @property
    def name(self) -> str | None:
        """`domain/id`, where both are written out."""
        if len(self.steps) < VALUE_STEPS or self.field not in ("attributes", "capacity"):
            return None
        domain, identifier = self.steps[1].key, self.steps[2].key
        return None if domain is None or identifier is None else f"{domain}/{identifier}"

    @property
    def guarded(self) -> bool:
        """Whether the read cannot fail for want of the attribute."""
        return len(self.steps) < VALUE_STEPS or self.steps[2].form in ("optional", "has", "in")

    @property
    def computed(self) -> bool:
        """Whether it depends on more than the names that are written out."""
        if self.field not in ("attributes", "capacity"):
            return False
        if any(step.key is None for step in self.steps):
            return True
        return len(self.steps) < VALUE_STEPS and self.steps[-1].form not in ("has", "in")


Scope = Mapping[str, tuple[Step, ...] | None]


def reads(tree: Expr) -> list[Read]:
    """Every path of an expression, longest ones, in the order of the source. The caller makes room for deep trees."""
    parents: dict[int, Expr] = {}
    found = [Read(steps, node, _use(node, parents)) for steps, node in _walk(tree, {}, parents, set())]
    return sorted(found, key=lambda each: each.steps[-1].start)


def _walk(
    node: Expr, scope: Scope, parents: dict[int, Expr], seen: set[int]
) -> Iterator[tuple[tuple[Step, ...], Expr]]:
    if node.id in seen:
        return
    seen.add(node.id)
    for child in children(node):
        parents.setdefault(child.id, node)
    steps = _path(node, scope)
    if steps:
        yield steps, node
        for step in steps:
            if step.key is None and isinstance(step.node, Call):
                yield from _walk(step.node.arguments[1], scope, parents, seen)
        return
    if isinstance(node, Comprehension):
        yield from _walk(node.source, scope, parents, seen)
        yield from _walk(node.initial, scope, parents, seen)
        inner = {**scope, node.accumulator: _path(node.initial, scope) if _binds(node) else None}
        for variable in filter(None, (node.variable, node.variable2)):
            inner[variable] = None
        for part in (node.condition, node.step, node.result):
            yield from _walk(part, inner, parents, seen)
        return
    for child in children(node):
        yield from _walk(child, scope, parents, seen)


def _binds(node: Comprehension) -> bool:
    return isinstance(node.source, ListExpr) and not node.source.elements


def _path(node: Expr, scope: Scope) -> tuple[Step, ...] | None:
    """The steps from `device` on; empty for the device itself, None for what is no path."""
    if isinstance(node, Ident):
        return scope.get(node.name, () if node.name in ("device", ".device") else None)
    if isinstance(node, Select):
        before = _path(node.operand, scope)
        form = "has" if node.presence else "select"
        return (
            None
            if before is None
            else (*before, Step(node.field, form, node, node.field_start, node.field_start + len(node.field)))
        )
    if not isinstance(node, Call):
        return None
    if node.function in _FORMS and len(node.arguments) == 2:
        before = _path(node.arguments[0], scope)
        return None if not before else (*before, _step(node, node.arguments[1], _FORMS[node.function]))
    if node.function == "@in":
        before = _path(node.arguments[1], scope)
        if before and before[0].key in ("attributes", "capacity") and len(before) < VALUE_STEPS:
            return (*before, _step(node, node.arguments[0], "in"))
    if node.function == "value" and node.target is not None and not node.arguments:
        return _path(node.target, scope)
    return None


def _step(node: Expr, key: Expr, form: str) -> Step:
    text = key.value if isinstance(key, Literal) and isinstance(key.value, str) else None
    return Step(text, form, node, key.start, key.end)


def _use(node: Expr, parents: Mapping[int, Expr]) -> Use | None:
    through: list[str] = []
    parent = parents.get(node.id)
    while isinstance(parent, Call) and parent.function in _TRANSPARENT and parent.target is node:
        through.append(parent.function)
        node, parent = parent, parents.get(parent.id)
    if not isinstance(parent, Call):
        return None
    if parent.function in _COMPARISONS:
        return _compared(node, parent, tuple(through))
    if parent.function == "@in" and parent.arguments[0] is node:
        constants = _constants(parent.arguments[1])
        return None if constants is None else Use("in", constants, tuple(through), parent)
    if parent.target is not node:
        return None
    if parent.function in _TEXT:
        constants = tuple(each for each in map(_constant, parent.arguments) if each)
        return Use(parent.function, constants, tuple(through), parent) if constants else None
    if parent.function in _ORDERED:
        constants = tuple(each for each in map(_constant, parent.arguments) if each)
        return Use(_ORDERED[parent.function], constants, tuple(through), parent) if constants else None
    if parent.function in _PARTS:
        outer = parents.get(parent.id)
        if isinstance(outer, Call) and outer.function in _COMPARISONS:
            return _compared(parent, outer, (*through, parent.function))
    if parent.function == "compareTo" and len(parent.arguments) == 1:
        outer, constant = parents.get(parent.id), _constant(parent.arguments[0])
        if constant and isinstance(outer, Call) and outer.function in _COMPARISONS:
            against = _compared(parent, outer, tuple(through))
            if against and against.literals[0].value == 0:
                return Use(against.operator, (constant,), tuple(through), outer)
    return None


def _compared(node: Expr, comparison: Call, through: tuple[str, ...]) -> Use | None:
    left, right = comparison.arguments
    operator = _COMPARISONS[comparison.function]
    constant = _constant(right if left is node else left)
    if constant is None:
        return None
    return Use(operator if left is node else _FLIPPED[operator], (constant,), through, comparison)


def _constants(node: Expr) -> tuple[Constant, ...] | None:
    if not isinstance(node, ListExpr):
        return None
    found = tuple(each for each in map(_constant, node.elements) if each)
    return found if len(found) == len(node.elements) else None


def _constant(node: Expr) -> Constant | None:
    if isinstance(node, Literal):
        return Constant(node.value, node.kind, node)
    if isinstance(node, Call) and node.function in ("quantity", "semver") and node.target is None and node.arguments:
        inner = node.arguments[0]
        if isinstance(inner, Literal) and isinstance(inner.value, str):
            return Constant(inner.value, node.function, inner)
    return None


def calls(tree: Expr) -> Iterator[Call]:
    """Every call of a tree once."""
    return (node for node in _nodes(tree) if isinstance(node, Call))


def constants(tree: Expr) -> Iterator[Literal]:
    """Every literal of a tree once."""
    return (node for node in _nodes(tree) if isinstance(node, Literal))


def _nodes(tree: Expr) -> Iterator[Expr]:
    seen: set[int] = set()
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        if node.id in seen:
            continue
        seen.add(node.id)
        yield node
        waiting.extend(children(node))


def conjuncts(tree: Expr) -> Iterator[Expr]:
    """The parts that must all be true."""
    if isinstance(tree, Call) and tree.function == "_&&_":
        for argument in tree.arguments:
            yield from conjuncts(argument)
    else:
        yield tree

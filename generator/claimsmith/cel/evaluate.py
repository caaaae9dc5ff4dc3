"""From a checked tree to Python closures, once, and then over many devices.

Every node becomes a function of the frame of one evaluation: `frame[0]` is the device, `frame[1]` the cost so far, the
other places are the variables of comprehensions. Cost is counted only where the estimate exceeds what an evaluation may
cost: below, no evaluation can. Sources: cel-go interpreter/planner.go, interpretable.go, attributes.go, runtimecost.go.
"""

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from claimsmith.cel import types
from claimsmith.cel.ast import Call, Comprehension, Expr, Ident, ListExpr, Literal, MapExpr, Select
from claimsmith.cel.check import Checked
from claimsmith.cel.checker import Reference
from claimsmith.cel.deep import room_for
from claimsmith.cel.devices import Device
from claimsmith.cel.environment import MAX_COST, Environment, Overload
from claimsmith.cel.macros import ACCUMULATOR
from claimsmith.cel.runtime import conversions, list_functions, operators, regexes
from claimsmith.cel.runtime.cost import call_cost, check_lists, needs_list
from claimsmith.cel.runtime.failure import NO_OVERLOAD, Aborted, Failure, over_budget
from claimsmith.cel.runtime.functions import UNGUARDED, Implementation, implementations, matches
from claimsmith.cel.runtime.guards import guard, guards_match
from claimsmith.cel.runtime.show import show
from claimsmith.cel.runtime.values import LISTS, MISSING, CelType, Map, Optional, encode_key, equal, go_type
from claimsmith.cel.runtime.verdict import as_bool
from claimsmith.cel.types import Type
from claimsmith.kubernetes.minors import V1_37
from claimsmith.values.version import Minor

Frame = list[Any]
Closure = Callable[[Frame], Any]

_UNSET: Final = object()
_FIRST_SLOT: Final = 2
_CONVERSIONS: Final = frozenset(
    ("bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint")
)
_PURE: Final = frozenset(("quantity", "semver", "isQuantity", "isSemver", "url", "ip", "cidr"))
_HINT = (
    ". consider using CEL optional chaining (.? followed by orValue()) or guarding the check with has() "
    "for optional fields"
)


@dataclass(frozen=True, slots=True)
class EvaluationError:
    """Why an evaluation has no result; `text` is the text of Kubernetes' CEL."""

    text: str

    def hinted(self, minor: Minor) -> str:
        """The text in events and logs of the scheduler: since 1.37 a missing key comes with a hint."""
        return self.text if minor < V1_37 or "no such key:" not in self.text else self.text + _HINT


@dataclass(frozen=True, slots=True, eq=False)
class Selector:
    """A compiled expression. It holds no state of its evaluations and can be shared by threads."""

    _evaluate: Closure
    _frame_size: int
    _reads_lists: bool
    _nesting: int

    def matches(self, device: Device) -> bool | EvaluationError:
        """What the expression is for a device. Never raises."""
        if device.problem is not None:
            return EvaluationError(device.problem)
        if device.lists and not self._reads_lists:
            return EvaluationError(f"attribute {device.lists[0]}: unsupported attribute value")
        frame: Frame = [_UNSET] * self._frame_size
        frame[0] = device
        frame[1] = 0
        try:
            if self._nesting:
                with room_for(self._nesting):
                    value = self._evaluate(frame)
            else:
                value = self._evaluate(frame)
            return value if value is True or value is False else as_bool(value)
        except (Failure, Aborted) as failure:
            return EvaluationError(failure.text)


def compile_selector(checked: Checked, environment: Environment) -> Selector:
    """Compiles an expression that `check` accepted in this environment; `ValueError` for one that does not compile."""
    if checked.ast is None or not checked.compiles:
        raise ValueError(f"the expression does not compile: {checked.message}")
    compiler = _Compiler(checked, environment, metered=checked.cost is None or checked.cost > MAX_COST)
    with room_for(checked.nesting):
        evaluate = compiler.compile(checked.ast)
    nesting = checked.nesting if checked.nesting > _SHALLOW else 0
    return Selector(evaluate, compiler.slots, environment.leaf is types.DYN, nesting)


class _Compiler:
    def __init__(self, checked: Checked, environment: Environment, *, metered: bool) -> None:
        self.types: Mapping[int, Type] = checked.types
        self.references: Mapping[int, Reference] = checked.references
        self.environment = environment
        self.metered = metered
        self.implementations = implementations(environment.modern)
        self.slots = _FIRST_SLOT
        self.scope: dict[str, int] = {}
        self.accumulators: dict[str, Closure] = {}
        self.constants: dict[int, Any] = {}
        self.known: dict[int, Closure] = {}

    def compile(self, node: Expr) -> Closure:
        known = self.known.get(node.id)
        if known is None:
            known = self.known[node.id] = self.compile_new(node)
        return known

    def compile_new(self, node: Expr) -> Closure:
        match node:
            case Literal():
                return self.constant(node, node.value)
            case Ident():
                return self.name(node, self.references[node.id].name)
            case Select():
                return self.select(node)
            case Call():
                return self.call(node)
            case ListExpr():
                return self.list_literal(node)
            case MapExpr():
                return self.map_literal(node)
            case Comprehension():
                return self.comprehension(node)

    def constant(self, node: Expr, value: Any) -> Closure:
        self.constants[node.id] = value
        return lambda frame: value

    def is_constant(self, node: Expr) -> bool:
        return node.id in self.constants

    def charged(self, closure: Closure, amount: int) -> Closure:
        """The closure at a fixed cost, where cost is counted."""
        if not self.metered or amount == 0:
            return closure

        def charge(frame: Frame) -> Any:
            frame[1] += amount
            if frame[1] > MAX_COST:
                raise over_budget()
            return closure(frame)

        return charge

    # Names and what they hold

    def name(self, node: Expr, name: str) -> Closure:
        slot = self.scope.get(name)
        if slot is not None:
            initial = self.accumulators.get(name)
            return self.charged(_variable(slot) if initial is None else _accumulator(slot, initial), 1)
        bare = name.removeprefix(".")
        if bare == "device":
            return self.charged(lambda frame: frame[0].value, 1)
        kind = self.environment.names[bare]
        if kind.kind == "type":
            return self.constant(node, CelType(kind.parameters[0].name))
        return self.constant(node, 0)

    def is_attribute(self, node: Expr) -> bool:
        """Whether cel-go plans the node as a path that further steps lengthen."""
        if self.is_constant(node):
            return False
        if isinstance(node, Call):
            return node.function in _STEPS or node.function == "_?_:_"
        return isinstance(node, Ident | Select)

    def select(self, node: Select) -> Closure:
        reference = self.references.get(node.id)
        if reference is not None:
            return self.name(node, reference.name)
        operand = self.compile(node.operand)
        root = 0 if self.is_attribute(node.operand) else 1
        field = node.field
        if node.presence:
            return self.charged(lambda frame: operators.present(operand(frame), field), root)
        path = self.device_path(node)
        if path is not None:
            return path
        return self.walked(operand, lambda frame: field, operators.select, root, 1)

    def device_path(self, node: Select | Call) -> Closure | None:
        """Short ways for `device.driver`, `device.attributes[d]`, `device.attributes[d].x` without counting cost."""
        if self.metered:
            return None
        if isinstance(node, Select) and self.is_device(node.operand):
            return _DEVICE_FIELDS.get(node.field)
        key = node.field if isinstance(node, Select) else self.constants.get(node.arguments[1].id)
        operand = node.operand if isinstance(node, Select) else node.arguments[0]
        if type(key) is not str:
            return None
        if isinstance(operand, Select) and self.is_device(operand.operand) and operand.field in _MAPS:
            return _domain(operand.field, key)
        domain = self.domain_of(operand)
        return None if domain is None else _leaf(domain[0], domain[1], key)

    def domain_of(self, node: Expr) -> tuple[str, str] | None:
        """The map of `device` and the domain, for `device.attributes["d"]`."""
        if not isinstance(node, Call) or node.function != "_[_]":
            return None
        operand, key = node.arguments
        domain = self.constants.get(key.id)
        if isinstance(operand, Select) and self.is_device(operand.operand) and operand.field in _MAPS:
            return (operand.field, domain) if type(domain) is str else None
        return None

    def is_device(self, node: Expr) -> bool:
        if not isinstance(node, Ident):
            return False
        name = self.references[node.id].name
        return name.removeprefix(".") == "device" and name not in self.scope

    def step(self, node: Call) -> Closure:
        operand_node, key_node = node.arguments
        operand, key = self.compile(operand_node), self.compile(key_node)
        root = 0 if self.is_attribute(operand_node) else 1
        take = operators.select if node.function == "_[_]" else operators.select_optional
        constant = self.constants.get(key_node.id)
        if operators.is_key(constant):
            path = self.device_path(node) if node.function == "_[_]" else None
            return path or self.walked(operand, lambda frame: constant, take, root, 1)
        checked_key: Closure = lambda frame: operators.check_key(key(frame))  # noqa: E731
        return self.walked(operand, checked_key, take, root, 0 if self.is_attribute(key_node) else 1)

    def walked(self, operand: Closure, key: Closure, take: Callable[[Any, Any], Any], root: int, cost: int) -> Closure:
        """One step of a path. `root` and `cost`: what the start of a path and the step cost where that is counted."""

        def step(frame: Frame) -> Any:
            value = operand(frame)
            if type(value) is Optional and value.value is MISSING:
                return value
            return take(value, key(frame))

        if not self.metered:
            return step

        def metered_step(frame: Frame) -> Any:
            frame[1] += root
            value = operand(frame)
            if type(value) is Optional and value.value is MISSING:
                return value
            try:
                found = take(value, key(frame))
            except Failure:
                frame[1] += cost
                raise
            # An optional step that finds nothing is free.
            frame[1] += 0 if type(found) is Optional and found.value is MISSING else cost
            if frame[1] > MAX_COST:
                raise over_budget()
            return found

        return metered_step

    # Calls

    def call(self, node: Call) -> Closure:
        function = node.function
        if function in _STEPS:
            return self.step(node)
        if function == "_&&_" or function == "_||_":
            return self.logic(node, function)
        if function == "_?_:_":
            return self.conditional(node)
        reference = self.references[node.id]
        nodes = node.arguments if node.target is None or reference.qualified else (node.target, *node.arguments)
        arguments = [self.compile(argument) for argument in nodes]
        overload = reference.overloads[0] if len(reference.overloads) == 1 else ""
        if reference.name in ("or", "orValue") and len(arguments) == 2:
            return self.optional_or(reference.name, *arguments)
        if overload == "in_list" and self.is_constant(nodes[1]):
            items = self.constants[nodes[1].id]
            keys = operators.set_of(items)
            if not items:
                return self.constant(node, False)
            if keys is not None:
                return _membership(arguments[0], keys)
        operation = self.operation(reference.name, overload, nodes)
        if reference.name in _CONVERSIONS and len(nodes) == 1 and self.is_constant(nodes[0]):
            return self.folded(node, operation, self.constants[nodes[0].id])
        if self.metered:
            patterned = reference.name in ("matches", "find", "findAll") and self.is_constant(nodes[1])
            eager = not patterned and self.eager(reference.name, overload)
            return self.metered_call(reference.name, overload, operation, arguments, eager=eager)
        if overload and needs_list(overload):
            return _fragile(operation, overload, arguments)
        if reference.name in _PURE and all(self.is_constant(argument) for argument in nodes):
            return _computed_once(operation, [self.constants[argument.id] for argument in nodes])
        return _apply(operation, arguments, eager=self.eager(reference.name, overload))

    def eager(self, name: str, overload: str) -> bool:
        """Whether cel-go computes the second of two arguments even when the first is an error."""
        return name != "format" and bool(overload or name in _OPERATORS)

    def folded(self, node: Call, operation: Implementation, value: Any) -> Closure:
        try:
            return self.constant(node, operation(value))
        except Failure:
            return lambda frame: operation(value)

    def operation(self, name: str, overload: str, nodes: tuple[Expr, ...]) -> Implementation:
        """What computes the call from the values of its arguments."""
        simple = _OPERATORS.get(name)
        if simple is not None:
            return simple
        if name == "matches":
            return self.matching(nodes)
        if name in ("sort", "@sortByAssociatedKeys"):
            return _sorting(name)
        if name in ("find", "findAll") and self.is_constant(nodes[1]):
            found = _searching(name, self.constants[nodes[1].id])
            if found is not None:
                return found
        candidates = [
            (candidate, self.implementations[candidate.id])
            for candidate in self.environment.functions[name]
            if candidate.id in self.implementations
            and len(candidate.arguments) == len(nodes)
            and overload in ("", candidate.id)
        ]
        if len(candidates) == 1:
            return _guarded(name, *candidates[0])
        return _dispatched(name, candidates)

    def matching(self, nodes: tuple[Expr, ...]) -> Implementation:
        pattern = self.constants.get(nodes[1].id) if self.is_constant(nodes[1]) else None
        if type(pattern) is str:
            try:
                compiled = regexes.compiled(pattern)
            except regexes.RegexError:
                return _matches
            search = compiled.search

            def match(text: Any, _: Any) -> bool:
                if type(text) is not str:
                    raise Failure(NO_OVERLOAD)
                return search(text) is not None

            return match
        return _matches

    def metered_call(
        self, name: str, overload: str, operation: Implementation, arguments: list[Closure], *, eager: bool
    ) -> Closure:
        modern = self.environment.modern
        lenient = len(arguments) == 1 or (len(arguments) == 2 and eager)

        def run(frame: Frame) -> Any:
            values: list[Any] = []
            failure: Failure | None = None
            for argument in arguments:
                try:
                    values.append(argument(frame))
                except Failure as caught:
                    if name == "@not_strictly_false":
                        frame[1] += 1
                        return True
                    if not lenient:
                        raise
                    failure = failure or caught
                    values.append(caught)
            check_lists(overload, values)
            result: Any = failure
            if failure is None:
                try:
                    result = operation(*values)
                except Failure as caught:
                    failure = result = caught
            frame[1] += call_cost(name, overload, values, result, modern=modern)
            if frame[1] > MAX_COST:
                raise over_budget()
            if failure is not None:
                raise failure
            return result

        return run

    def logic(self, node: Call, function: str) -> Closure:
        terms = tuple(self.compile(term) for term in _terms(node, function))
        decisive = function == "_||_"
        return _either(terms) if decisive else _both(terms)

    def conditional(self, node: Call) -> Closure:
        condition = self.compile(node.arguments[0])
        truthy, falsy = (self.branch(branch) for branch in node.arguments[1:])

        def choose(frame: Frame) -> Any:
            verdict = condition(frame)
            if verdict is True:
                return truthy(frame)
            if verdict is False:
                return falsy(frame)
            raise Failure(NO_OVERLOAD)

        return choose

    def branch(self, node: Expr) -> Closure:
        closure = self.compile(node)
        if not self.metered or not self.is_attribute(node):
            return closure
        if isinstance(node, Call) and node.function == "_?_:_":
            return closure

        def cheaper(frame: Frame) -> Any:
            # The path of a branch costs its steps, not itself.
            frame[1] -= 1
            return closure(frame)

        return cheaper

    def optional_or(self, name: str, first: Closure, second: Closure) -> Closure:
        whole = name == "or"
        strict = self.environment.modern

        def choose(frame: Frame) -> Any:
            value = first(frame)
            if type(value) is not Optional:
                if strict:
                    raise Failure(NO_OVERLOAD)
                return value
            if value.value is MISSING:
                return second(frame)
            return value if whole else value.value

        return choose

    # Literals

    def list_literal(self, node: ListExpr) -> Closure:
        elements = [self.compile(element) for element in node.elements]
        if not node.optional:
            if all(self.is_constant(element) for element in node.elements):
                return self.constant(node, tuple(self.constants[element.id] for element in node.elements))
            return self.charged(lambda frame: tuple([element(frame) for element in elements]), _LIST_COST)
        optional = node.optional

        def build(frame: Frame) -> Any:
            values: list[Any] = []
            for index, element in enumerate(elements):
                value = element(frame)
                if index in optional:
                    if type(value) is not Optional:
                        shown = show(value)
                        raise Failure(f"cannot initialize optional list element from non-optional value {shown}")
                    if value.value is MISSING:
                        continue
                    value = value.value
                values.append(value)
            return tuple(values)

        return self.charged(build, _LIST_COST)

    def map_literal(self, node: MapExpr) -> Closure:
        entries = [(self.compile(entry.key), self.compile(entry.value), entry.optional) for entry in node.entries]

        def build(frame: Frame) -> Map:
            made: dict[Any, Any] = {}
            for key_closure, value_closure, optional in entries:
                key, value = key_closure(frame), value_closure(frame)
                encoded = encode_key(key)
                if optional:
                    if type(value) is not Optional:
                        raise Failure(
                            f"cannot initialize optional entry '{show(key)}' from non-optional value {show(value)}"
                        )
                    if value.value is MISSING:
                        made.pop(encoded, None)
                        continue
                    value = value.value
                made[encoded] = value
            return Map(made)

        if all(self.is_constant(entry.key) and self.is_constant(entry.value) for entry in node.entries):
            try:
                return self.constant(node, build([]))
            except (Failure, Aborted):
                return build
        return self.charged(build, _MAP_COST)

    # Comprehensions

    def comprehension(self, node: Comprehension) -> Closure:
        source = self.compile(node.source)
        initial = self.compile(node.initial)
        outer_scope, outer_accumulators = self.scope, self.accumulators
        accumulator, first, second = self.slots, self.slots + 1, self.slots + 2
        self.slots += 3
        self.scope = {
            **outer_scope,
            **{name: slot for name, slot in ((node.variable2, second), (node.variable, first)) if name},
        }
        self.scope[node.accumulator] = accumulator
        self.accumulators = {
            name: closure for name, closure in outer_accumulators.items() if name not in (node.variable, node.variable2)
        }
        self.accumulators[node.accumulator] = initial
        condition, step = self.compile(node.condition), self.compile(node.step)
        self.scope = {**outer_scope, node.accumulator: accumulator}
        self.accumulators = {**outer_accumulators, node.accumulator: initial}
        result = self.compile(node.result)
        self.scope, self.accumulators = outer_scope, outer_accumulators
        places = _Places(accumulator, first, second)
        if isinstance(node.source, ListExpr) and not node.source.elements:
            return _bound(accumulator, result)
        quick = None if self.metered else self.quick_loop(node, source, places)
        return quick or _loop(source, places, condition, step, result, two=bool(node.variable2))

    def quick_loop(self, node: Comprehension, source: Closure, places: "_Places") -> Closure | None:
        """`all` and `exists` without the detour through the accumulator."""
        step = node.step
        if not isinstance(step, Call) or step.function not in ("_&&_", "_||_") or node.variable2:
            return None
        accumulated, predicate = step.arguments
        macro = isinstance(node.initial, Literal) and isinstance(node.condition, Call)
        if not macro or not isinstance(accumulated, Ident) or accumulated.name != node.accumulator:
            return None
        if not isinstance(node.result, Ident) or node.accumulator != ACCUMULATOR:
            return None
        return _quantified(source, places.first, self.compile(predicate), exists=step.function == "_||_")


@dataclass(frozen=True, slots=True)
class _Places:
    """The places of a comprehension's variables in the frame."""

    accumulator: int
    first: int
    second: int


_STEPS: Final = frozenset(("_[_]", "_[?_]", "_?._"))
_MAPS: Final = frozenset(("attributes", "capacity"))
_LIST_COST: Final = 10
_MAP_COST: Final = 30
_SHALLOW: Final = 40

_DEVICE_FIELDS: Final[dict[str, Closure]] = {
    "driver": lambda frame: frame[0].driver,
    "attributes": lambda frame: frame[0].attributes_map,
    "capacity": lambda frame: frame[0].capacity_map,
    "allowMultipleAllocations": lambda frame: frame[0].allow_multiple_allocations,
}


def _variable(slot: int) -> Closure:
    return lambda frame: frame[slot]


def _accumulator(slot: int, initial: Closure) -> Closure:
    """An accumulator is computed when it is first read, may hold an error, and grows in place if it starts empty."""

    def read(frame: Frame) -> Any:
        value = frame[slot]
        if value is _UNSET:
            try:
                value = initial(frame)
            except Failure as failure:
                frame[slot] = failure
                raise
            if type(value) in LISTS and not value:
                value = []
            elif type(value) is Map and not value.entries and value.default is None:
                value = Map({}, growing=True)
            frame[slot] = value
        elif type(value) is Failure:
            raise value
        return value

    return read


def _domain(field: str, domain: str) -> Closure:
    if field == "attributes":
        return lambda frame: frame[0].attributes.get(domain, _NOTHING)
    return lambda frame: frame[0].capacity.get(domain, _NOTHING)


def _leaf(field: str, domain: str, identifier: str) -> Closure:
    text = f"no such key: {identifier}"
    of_attributes = field == "attributes"

    def read(frame: Frame) -> Any:
        device = frame[0]
        inner = (device.attributes if of_attributes else device.capacity).get(domain)
        value = MISSING if inner is None else inner.entries.get(identifier, MISSING)
        if value is MISSING:
            raise Failure(text)
        return value

    return read


_NOTHING: Final = Map({}, native=True)


def _membership(value: Closure, keys: frozenset[Any]) -> Closure:
    return lambda frame: operators.in_set(value(frame), keys)


def _computed_once(operation: Implementation, values: list[Any]) -> Closure:
    try:
        result = operation(*values)
    except Failure as failure:
        text = failure.text

        def fail(frame: Frame) -> Any:
            raise Failure(text)

        return fail
    return lambda frame: result


def _apply(operation: Implementation, arguments: list[Closure], *, eager: bool) -> Closure:
    if operation is _not_strictly_false:
        return _not_false(arguments[0])
    if len(arguments) == 1:
        (only,) = arguments
        return lambda frame: operation(only(frame))
    if len(arguments) == 2:
        left, right = arguments
        return _binary(operation, left, right) if eager else (lambda frame: operation(left(frame), right(frame)))
    return lambda frame: operation(*[argument(frame) for argument in arguments])


def _binary(operation: Implementation, left: Closure, right: Closure) -> Closure:
    def run(frame: Frame) -> Any:
        try:
            value = left(frame)
        except Failure:
            with suppress(Failure):
                right(frame)  # which may abort
            raise
        return operation(value, right(frame))

    return run


def _fragile(operation: Implementation, overload: str, arguments: list[Closure]) -> Closure:
    """A call whose cost Kubernetes cannot count when an argument is an error, and then gives up."""

    def run(frame: Frame) -> Any:
        values: list[Any] = []
        failure: Failure | None = None
        for argument in arguments:
            try:
                values.append(argument(frame))
            except Failure as caught:
                failure = failure or caught
                values.append(caught)
        check_lists(overload, values)
        if failure is not None:
            raise failure
        return operation(*values)

    return run


def _not_false(argument: Closure) -> Closure:
    def test(frame: Frame) -> bool:
        try:
            return argument(frame) is not False
        except Failure:
            return True

    return test


def _terms(node: Call, function: str) -> list[Expr]:
    """The terms of a chain of one operator."""
    found: list[Expr] = []
    pending: list[Expr] = [node]
    while pending:
        current = pending.pop()
        if isinstance(current, Call) and current.function == function:
            pending.extend(reversed(current.arguments))
        else:
            found.append(current)
    return found


def _both(terms: tuple[Closure, ...]) -> Closure:
    def run(frame: Frame) -> bool:
        failure: Failure | None = None
        for term in terms:
            try:
                value = term(frame)
            except Failure as caught:
                failure = failure or caught
                continue
            if value is False:
                return False
            if value is not True:
                failure = failure or Failure(NO_OVERLOAD)
        if failure is not None:
            raise failure
        return True

    return run


def _either(terms: tuple[Closure, ...]) -> Closure:
    def run(frame: Frame) -> bool:
        failure: Failure | None = None
        for term in terms:
            try:
                value = term(frame)
            except Failure as caught:
                failure = failure or caught
                continue
            if value is True:
                return True
            if value is not False:
                failure = failure or Failure(NO_OVERLOAD)
        if failure is not None:
            raise failure
        return False

    return run


def _guarded(name: str, overload: Overload, implementation: Implementation) -> Implementation:
    if name in UNGUARDED or not overload.arguments:
        return implementation
    guards = [guard(kind) for kind in overload.arguments]
    if len(guards) == 1:
        (only,) = guards
        if only is None:
            return implementation

        def unary(value: Any) -> Any:
            if only(value):
                return implementation(value)
            raise operators.no_overload(name, value)

        return unary
    if len(guards) == 2:
        first, second = guards

        def binary(left: Any, right: Any) -> Any:
            if (first is None or first(left)) and (second is None or second(right)):
                return implementation(left, right)
            raise operators.no_overload(name, left, right)

        return binary
    return _dispatched(name, [(overload, implementation)])


def _dispatched(name: str, candidates: list[tuple[Overload, Implementation]]) -> Implementation:
    guarded = [([guard(kind) for kind in overload.arguments], function) for overload, function in candidates]

    def call(*values: Any) -> Any:
        for guards, function in guarded:
            if guards_match(guards, values):
                return function(*values)
        raise operators.no_overload(name, *values)

    return call


def _matches(text: Any, pattern: Any) -> bool:
    if type(text) is not str:
        raise operators.no_operator(text, "matches")
    return matches(text, pattern)


def _searching(name: str, pattern: Any) -> Implementation | None:
    """`find` and `findAll` with a constant pattern, which cel-go compiles beforehand."""
    if type(pattern) is not str:
        return None
    try:
        compiled = regexes.compiled(pattern)
    except regexes.RegexError:
        return None

    def search(text: Any, _: Any, limit: Any = -1) -> Any:
        if type(text) is not str or type(limit) is not int:
            raise Failure(NO_OVERLOAD)
        return regexes.find(compiled, text) if name == "find" else regexes.find_all(compiled, text, limit)

    return search


def _sorting(name: str) -> Implementation:
    def run(*values: Any) -> Any:
        if type(values[0]) not in LISTS:
            raise operators.no_operator(values[0], name)
        return list_functions.sort(*values) if len(values) == 1 else list_functions.sort_by_keys(*values)

    return run


def _equal(left: Any, right: Any) -> bool:
    same = equal(left, right)
    if same is None:
        raise Failure(NO_OVERLOAD)
    return same


def _unequal(left: Any, right: Any) -> bool:
    return equal(left, right) is not True


def _not_strictly_false(value: Any) -> bool:
    return bool(value) if type(value) is bool else True


def _same(value: Any) -> Any:
    return value


_OPERATORS: Final[dict[str, Implementation]] = {
    "_==_": _equal,
    "_!=_": _unequal,
    "_+_": operators.add,
    "_-_": operators.subtract,
    "_*_": operators.multiply,
    "_/_": operators.divide,
    "_%_": operators.modulo,
    "-_": operators.negate,
    "!_": operators.logical_not,
    "_<_": operators.less,
    "_<=_": operators.less_or_equal,
    "_>_": operators.greater,
    "_>=_": operators.greater_or_equal,
    "@in": operators.contained,
    "@not_strictly_false": _not_strictly_false,
    "size": operators.size_of,
    "type": conversions.type_of,
    "dyn": _same,
}


def _bound(accumulator: int, result: Closure) -> Closure:
    """`cel.bind`: no loop, only the result, whose variable is computed when it is first read."""

    def run(frame: Frame) -> Any:
        before = frame[accumulator]
        frame[accumulator] = _UNSET
        try:
            return _finished(result(frame))
        finally:
            frame[accumulator] = before

    return run


def _finished(value: Any) -> Any:
    """The value of a comprehension: what grew in it grows no more."""
    if type(value) is list:
        return tuple(value)
    if type(value) is Map and value.growing:
        return Map(value.entries)
    return value


def _loop(
    source: Closure, places: _Places, condition: Closure, step: Closure, result: Closure, *, two: bool
) -> Closure:
    def run(frame: Frame) -> Any:
        items = source(frame)
        frame[places.accumulator] = _UNSET
        for frame[places.first], frame[places.second] in _pairs(items) if two else _singles(items):
            try:
                if condition(frame) is False:
                    break
            except Failure:
                pass  # only a false condition ends a loop
            try:
                frame[places.accumulator] = step(frame)
            except Failure as failure:
                frame[places.accumulator] = failure
        return _finished(result(frame))

    return run


def _singles(items: Any) -> Iterable[tuple[Any, Any]]:
    if type(items) is Map:
        return [(key, None) for key in items.all_keys()]
    if type(items) in LISTS:
        return [(item, None) for item in items]
    raise Failure(f"got '{go_type(items)}', expected iterable type")


def _pairs(items: Any) -> Iterable[tuple[Any, Any]]:
    if type(items) is Map:
        return list(zip(items.all_keys(), items.entries.values(), strict=True))
    if type(items) in LISTS:
        return list(enumerate(items))
    raise Failure(f"unsupported comprehension range type: {go_type(items)}")


def _quantified(source: Closure, slot: int, predicate: Closure, *, exists: bool) -> Closure:
    def run(frame: Frame) -> bool:
        failure: Failure | None = None
        for item, _ in _singles(source(frame)):
            frame[slot] = item
            try:
                value = predicate(frame)
            except Failure as caught:
                failure = failure or caught
                continue
            if value is exists:
                return bool(exists)
            if type(value) is not bool:
                failure = failure or Failure(NO_OVERLOAD)
        if failure is not None:
            raise failure
        return not exists

    return run

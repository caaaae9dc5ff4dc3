"""What selectors come to on devices, in the order of the allocator, and which part of one is to blame for an error."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from claimsmith.cel.ast import Call, Comprehension, Expr, children
from claimsmith.cel.check import Checked, check
from claimsmith.cel.deep import room_for
from claimsmith.cel.devices import Device
from claimsmith.cel.environment import Environment
from claimsmith.cel.evaluate import EvaluationError, Selector, compile_selector
from claimsmith.rules.selectors.fleet import Specimen
from claimsmith.rules.selectors.paths import Read, reads

Result = bool | EvaluationError

_NOT_BOOL = "could not be converted to bool"


@dataclass(frozen=True, slots=True, eq=False)
class Expression:
    """A selector that compiles, with the paths that it reads."""

    text: str
    checked: Checked
    tree: Expr
    reads: tuple[Read, ...]
    selector: Selector
    environment: Environment

    def of(self, node: Expr) -> str:
        """The text of a node."""
        return self.checked.expression[node.start : node.end]

    def part(self, node: Expr) -> Selector:
        """A part of the expression as a selector of its own; it may use no variable of a loop around it."""
        if node is self.tree:
            return self.selector
        return compile_selector(replace(self.checked, ast=node), self.environment)


@lru_cache(maxsize=1024)
def expression(text: str, environment: Environment) -> Expression | None:
    """The expression as the scheduler evaluates it; None where it does not compile."""
    checked = check(text, environment)
    if checked.ast is None or not checked.compiles:
        return None
    with room_for(checked.nesting):
        found = tuple(reads(checked.ast))
    return Expression(text, checked, checked.ast, found, compile_selector(checked, environment), environment)


def admitted(selectors: Sequence[Expression], device: Device) -> bool:
    """Whether a device is true for all of these."""
    return all(each.selector.matches(device) is True for each in selectors)


@dataclass(frozen=True, slots=True)
class Trial:
    """What each selector of a request came to on a specimen: those behind the first that is not true are missing."""

    specimen: Specimen
    results: tuple[Result, ...]
    wanted: int

    @property
    def matches(self) -> bool:
        return len(self.results) == self.wanted and all(each is True for each in self.results)


def tried(selectors: Sequence[Expression], specimen: Specimen) -> Trial:
    results: list[Result] = []
    for each in selectors:
        results.append(each.selector.matches(specimen.device))
        if results[-1] is not True:
            break
    return Trial(specimen, tuple(results), len(selectors))


@dataclass(frozen=True, slots=True)
class Blame:
    """The innermost node that fails on a device, and Kubernetes' text."""

    node: Expr
    text: str


def blame(found: Expression, device: Device) -> list[Blame]:
    """Every part that makes the expression fail on a device; a loop counts as one part."""
    with room_for(found.checked.nesting):
        return list(_blamed(found, found.tree, device))


def _blamed(found: Expression, node: Expr, device: Device) -> Iterator[Blame]:
    result = found.part(node).matches(device)
    if not isinstance(result, EvaluationError):
        return
    if not _fails(result) and node is not found.tree:
        return
    inner: list[Blame] = []
    if not isinstance(node, Comprehension):
        for child in _evaluated(found, node, device):
            inner += _blamed(found, child, device)
    yield from inner or [Blame(node, result.text)]


def _fails(result: EvaluationError) -> bool:
    """Whether it has no value at all; a part need not be true or false."""
    return _NOT_BOOL not in result.text


def _evaluated(found: Expression, node: Expr, device: Device) -> Sequence[Expr]:
    """The parts of a node that are evaluated: of a conditional, the branch that is taken."""
    if isinstance(node, Call):
        if node.function == "_?_:_":
            condition = found.part(node.arguments[0]).matches(device)
            if isinstance(condition, EvaluationError):
                return node.arguments[:1]
            return (node.arguments[1 if condition else 2],)
        reference = found.checked.references.get(node.id)
        if reference is not None and reference.qualified:
            return node.arguments
    return children(node)

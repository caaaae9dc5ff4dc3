"""What the API server checks of literals after the types.

Sources: cel-go, cel/validator.go (durations, timestamps, patterns, mixed literals) and ext/formatting.go;
apiserver pkg/cel/library/regex.go.
"""

from collections.abc import Iterator

from claimsmith.cel import types
from claimsmith.cel.ast import Call, Expr, ListExpr, Literal, MapExpr
from claimsmith.cel.checker import Typed
from claimsmith.cel.environment import Environment
from claimsmith.cel.errors import Problem
from claimsmith.cel.folding import CONVERSIONS, UNKNOWN, Folder
from claimsmith.cel.format_clauses import format_problem
from claimsmith.cel.runtime.failure import Failure
from claimsmith.cel.runtime.regexes import RegexError, compiled
from claimsmith.cel.types import Type

_PATTERNS = frozenset(("matches", "find", "findAll"))


def literal_problems(typed: Typed, environment: Environment) -> tuple[Problem, ...]:
    """Literals that are refused although their types are right."""
    if not typed.aggregates and not typed.literal_calls:
        return ()
    return tuple(_literal_problems(typed, environment))


def _literal_problems(typed: Typed, environment: Environment) -> Iterator[Problem]:
    for literal in typed.aggregates:
        yield from _mixed_list(typed, literal) if isinstance(literal, ListExpr) else _mixed_map(typed, literal)
    for call in typed.literal_calls:
        name = typed.references[call.id].name
        if name in ("duration", "timestamp"):
            yield from _unconvertible(typed, environment, name, call)
        elif name == "matches":
            yield from _invalid_pattern(call.arguments[0])
        elif name == "format":
            yield from format_problem(typed, call)


def instantiation_failure(typed: Typed, environment: Environment) -> Problem | None:
    """What fails while Kubernetes prepares the evaluation, which it does before it accepts an expression."""
    folder = Folder(typed, environment)
    for node in typed.unloadable:
        message = f"reference to undefined type: {typed.references[node.id].name}"
        return Problem(message, None, node.start, node.end)
    for call in typed.literal_calls:
        name = typed.references[call.id].name
        try:
            if name in CONVERSIONS:
                folder.constant(call)
            elif name in _PATTERNS:
                pattern = folder.constant(call.arguments[0 if call.target is not None else 1])
                if pattern is not UNKNOWN and isinstance(pattern, str):
                    compiled(pattern)
        except (Failure, RegexError) as error:
            return Problem(str(error), None, call.start, call.end)
    return None


def _problem(node: Expr, message: str) -> Problem:
    return Problem(message, node.at, node.start, node.end)


def _mismatch(node: Expr, expected: Type, found: Type) -> Problem:
    return _problem(node, f"expected type '{expected.shown}' but found '{found.shown}'")


def _mixed_list(typed: Typed, literal: ListExpr) -> Iterator[Problem]:
    expected: Type | None = None
    for index, element in enumerate(literal.elements):
        found = typed.types[element.id]
        if index in literal.optional:
            found = types.unwrap_optional(found)[0]
        if expected is None:
            expected = found
        elif not types.alike(expected, found):
            yield _mismatch(element, expected, found)
            return


def _mixed_map(typed: Typed, literal: MapExpr) -> Iterator[Problem]:
    expected: tuple[Type, Type] | None = None
    for entry in literal.entries:
        key, value = typed.types[entry.key.id], typed.types[entry.value.id]
        if entry.optional:
            value = types.unwrap_optional(value)[0]
        if expected is None:
            expected = key, value
            continue
        if not types.alike(expected[0], key):
            yield _mismatch(entry.key, expected[0], key)
        if not types.alike(expected[1], value):
            yield _mismatch(entry.value, expected[1], value)


def _unconvertible(typed: Typed, environment: Environment, name: str, call: Call) -> Iterator[Problem]:
    argument = call.arguments[0]
    if isinstance(argument, Literal):
        try:
            Folder(typed, environment).convert(call, argument.value)
        except Failure:
            yield _problem(argument, f"invalid {name} argument")


def _invalid_pattern(argument: Expr) -> Iterator[Problem]:
    """The first argument, also of `matches(text, pattern)`, where it is the text: so does cel-go."""
    if isinstance(argument, Literal) and isinstance(argument.value, str):
        try:
            compiled(argument.value)
        except RegexError:
            yield _problem(argument, "invalid matches argument")

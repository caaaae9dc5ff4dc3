"""Constant parts of an expression, which Kubernetes evaluates before it accepts the whole.

Source: cel-go, interpreter/decorators.go: conversions of constants, lists and maps of constants, constant patterns.
"""

from typing import Any, Final

from claimsmith.cel.ast import Call, Expr, Ident, ListExpr, Literal, MapExpr, Select
from claimsmith.cel.checker import Typed
from claimsmith.cel.environment import Environment
from claimsmith.cel.runtime.conversions import type_of
from claimsmith.cel.runtime.failure import NO_OVERLOAD, Failure
from claimsmith.cel.runtime.functions import implementations
from claimsmith.cel.runtime.guards import guard
from claimsmith.cel.runtime.values import CelType, Map, type_name

CONVERSIONS: Final = frozenset(
    ("bool", "bytes", "double", "duration", "dyn", "int", "string", "timestamp", "type", "uint")
)

UNKNOWN: Final = object()
"""Of what is no constant."""


class Folder:
    """Constants of one typed expression; each node is looked at once."""

    def __init__(self, typed: Typed, environment: Environment) -> None:
        self._typed = typed
        self._environment = environment
        self._known: dict[int, Any] = {}

    def constant(self, node: Expr) -> Any:
        """The node's value, or `UNKNOWN`; `Failure` for a conversion that fails."""
        if isinstance(node, Literal):
            return node.value
        if node.id not in self._known:
            self._known[node.id] = self._fold(node)
        return self._known[node.id]

    def _fold(self, node: Expr) -> Any:
        if isinstance(node, Call):
            return self._call(node)
        if isinstance(node, ListExpr):
            values = tuple([self.constant(element) for element in node.elements])
            return UNKNOWN if UNKNOWN in values else values
        if isinstance(node, MapExpr):
            parts = [self.constant(part) for entry in node.entries for part in (entry.key, entry.value)]
            # Nothing converts a map, so that its content never matters.
            return UNKNOWN if node.message is not None or UNKNOWN in parts else Map({})
        if isinstance(node, Ident | Select):
            reference = self._typed.references.get(node.id)
            if reference is not None and self._typed.types[node.id].kind == "type":
                return CelType(reference.name)
        return UNKNOWN

    def _call(self, node: Call) -> Any:
        reference = self._typed.references[node.id]
        if reference.name not in CONVERSIONS or len(node.arguments) != 1:
            return UNKNOWN
        argument = self.constant(node.arguments[0])
        return UNKNOWN if argument is UNKNOWN else self.convert(node, argument)

    def convert(self, node: Call, argument: Any) -> Any:
        """The value of a conversion of a constant; `Failure` if there is none."""
        reference = self._typed.references[node.id]
        if reference.name == "dyn":
            return argument
        if reference.name == "type":
            return type_of(argument)
        for overload in self._environment.functions[reference.name]:
            fits = guard(overload.arguments[0])
            if fits is None or fits(argument):
                return implementations(self._environment.modern)[overload.id](argument)
        raise Failure(f"{NO_OVERLOAD}: {reference.name}({type_name(argument)})")

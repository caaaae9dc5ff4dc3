"""What the API server checks of literals after the types. Source: cel-go, cel/validator.go and ext/formatting.go."""

from claimsmith.cel.checker import Typed
from claimsmith.cel.errors import Problem


def literal_problems(typed: Typed) -> tuple[Problem, ...]:
    return ()


def instantiation_failure(typed: Typed) -> Problem | None:
    return None

"""Policies compiled once and evaluated often: parse errors, limits and run-time errors come back as data."""

import logging
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import Any

from celpy import Environment
from celpy.celparser import CELParseError
from celpy.evaluation import CELEvalError
from lark import Tree, UnexpectedToken

from claimsmith.rules.policy import names, scan
from claimsmith.rules.policy.evaluate import evaluate, to_value
from claimsmith.rules.policy.functions import PolicyError, kind
from claimsmith.rules.policy.problem import SYNTAX, Problem, ProblemError
from claimsmith.rules.policy.tree import leaves, span
from claimsmith.values.budget import Budget, BudgetError

MAX_STEPS = 100_000
"""The most steps of one evaluation: operators and calls, each element of a list that a macro looks at anew."""

_DEEP_ENOUGH = 6000
_END = "$END"

# It writes whole activations, and errors that a policy is allowed to have.
logging.getLogger("celpy").setLevel(logging.CRITICAL + 1)

__all__ = ["MAX_STEPS", "Failure", "Program", "compile_expression", "run", "to_value"]


@dataclass(frozen=True, slots=True)
class Program:
    """An expression that is ready to run, and the variables that it uses."""

    text: str
    tree: Tree[Any]
    uses: frozenset[str]


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an evaluation has no true or false: at ``text[start:end]``; ``not_bool`` is the kind of value it has instead.

    ``costly`` says that it was stopped.
    """

    start: int
    end: int
    problem: str
    hint: str = ""
    not_bool: bool = False
    costly: bool = False


def compile_expression(text: str, variables: frozenset[str]) -> tuple[Program | None, list[Problem]]:
    """The program, or what is wrong with the expression: one problem of syntax, or all of its names."""
    try:
        tokens = scan.check(text)
        with _room():
            tree = _parse(text)
            _place_truths(tree, tokens)
            problems, used = names.check(tree, variables)
    except ProblemError as error:
        return None, [error.problem]
    if problems:
        return None, problems
    return Program(text, tree, used), []


def run(program: Program, values: Mapping[str, Any]) -> bool | Failure:
    """The outcome with these values of the variables, which ``to_value`` has made."""
    everything = (0, len(program.text))
    try:
        with _room():
            result = evaluate(program.tree, values, Budget(MAX_STEPS))
    except BudgetError:
        problem = f"it takes more than {MAX_STEPS} steps"
        return Failure(*everything, problem, costly=True)
    except RecursionError:
        return Failure(*everything, "its operators and calls stand too deep in one another", costly=True)
    except Exception as error:
        # Errors of Python that cel-python does not turn into errors of CEL.
        return Failure(*everything, f"cel-python cannot evaluate it ({type(error).__name__})")
    if isinstance(result, CELEvalError):
        where = result.token if result.token is not None else result.tree
        start, end = span(where) if where is not None else everything
        if isinstance(result, PolicyError):
            return Failure(start, end, result.text, result.hint)
        return Failure(start, end, f"cel-python says: {str(result.args[0])[:100]}")
    if type(result).__name__ != "BoolType":
        return Failure(*everything, kind(result), not_bool=True)
    return bool(result)


@cache
def _environment() -> Environment:
    return Environment()


def _parse(text: str) -> Tree[Any]:
    try:
        tree: Tree[Any] = _environment().compile(text)
    except CELParseError as error:
        raise _syntax(text, error.__context__) from error
    return tree


def _place_truths(tree: Tree[Any], tokens: list[scan.Token]) -> None:
    """Tells where `true` and `false` stand; cel-python makes these tokens anew and forgets it."""
    places = (each.start for each in tokens if each.text in ("true", "false"))
    for token in leaves(tree):
        if token.type == "BOOL_LIT":
            start = next(places)
            token.start_pos, token.end_pos = start, start + len(token)


def _syntax(text: str, cause: BaseException | None) -> ProblemError:
    start = cause.token.start_pos if isinstance(cause, UnexpectedToken) and cause.token.type != _END else None
    if start is None or not isinstance(cause, UnexpectedToken):
        end = len(text.rstrip())
        return ProblemError(SYNTAX, end, end + 1, problem="the expression ends too early")
    shown = str(cause.token)
    return ProblemError(SYNTAX, start, start + len(shown), problem=f"`{shown[:20]}` is not expected here")


@contextmanager
def _room() -> Iterator[None]:
    """Enough of the stack for what the checks let through; cel-python would change the limit for good."""
    limit = sys.getrecursionlimit()
    _environment()
    sys.setrecursionlimit(max(limit, _DEEP_ENOUGH))
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)

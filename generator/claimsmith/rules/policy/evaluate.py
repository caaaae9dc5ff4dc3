"""cel-python's evaluator, held to CEL where it is laxer and to a number of steps."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from celpy import celtypes
from celpy.evaluation import Activation, CELEvalError, Evaluator
from lark import Token, Tree

from claimsmith.rules.policy.functions import (
    PolicyError,
    conditional,
    field_of,
    has_key,
    is_key,
    kind,
    logical_and,
    logical_or,
    table,
)
from claimsmith.rules.policy.names import MACROS
from claimsmith.rules.policy.scan import string_value
from claimsmith.rules.policy.tree import Node, arguments, bare, branch, identifier, token
from claimsmith.values.budget import Budget

Value = Any

_STEPS_OF_AN_ITEM = 10

_TYPES: Mapping[str, Value] = {
    "bool": celtypes.BoolType,
    "bytes": celtypes.BytesType,
    "double": celtypes.DoubleType,
    "int": celtypes.IntType,
    "list": celtypes.ListType,
    "map": celtypes.MapType,
    "null_type": type(None),
    "string": celtypes.StringType,
    "type": type,
    "uint": celtypes.UintType,
}


def to_value(plain: object) -> Value:
    """Plain JSON as cel-python's values."""
    if isinstance(plain, dict):
        return celtypes.MapType({celtypes.StringType(key): to_value(value) for key, value in plain.items()})
    if isinstance(plain, list | tuple):
        return celtypes.ListType([to_value(each) for each in plain])
    if isinstance(plain, bool):
        return celtypes.BoolType(plain)
    if isinstance(plain, int):
        return celtypes.IntType(plain)
    if isinstance(plain, float):
        return celtypes.DoubleType(plain)
    return None if plain is None else celtypes.StringType(str(plain))


def evaluate(tree: Node, variables: Mapping[str, Value], budget: Budget) -> Value:
    """The value of an expression, or the error that it ends in. Raises ``BudgetError``."""
    root = Activation(vars={**_TYPES, **variables}, functions=table(budget))
    # Every step of a macro copies the innermost names, which are then only the macros' own variables.
    return _Evaluator(tree, root.nested_activation(), budget).visit(tree)


class _Evaluator(Evaluator):
    def __init__(self, ast: Node, activation: Activation, budget: Budget) -> None:
        super().__init__(ast, activation)
        self.budget = budget

    def sub_evaluator(self, ast: Node) -> "_Evaluator":
        return _Evaluator(ast, self.activation, self.budget)

    def each(self, variable: str, items: Iterable[Value]) -> Iterator[tuple[Value, Value]]:
        """The items of a macro, with what the expression says of each."""
        for item in items:
            self.budget.spend(_STEPS_OF_AN_ITEM)
            self.set_activation({variable: item})
            yield item, self.visit(self.ast)

    def visit(self, tree: Node) -> Value:
        tree = bare(tree)
        self.budget.spend()
        value = getattr(self, tree.data)(tree)
        if isinstance(value, CELEvalError) and value.tree is None and value.token is None:
            # The innermost place that is known is the one to show.
            value.tree = tree
        return value

    def visit_children(self, tree: Node) -> list[Value]:
        return [self.visit(child) if isinstance(child, Tree) else child for child in tree.children]

    def literal(self, tree: Node) -> Value:
        text = token(tree, 0)
        if text.type not in ("STRING_LIT", "MLSTRING_LIT", "BYTES_LIT"):
            return super().literal(tree)
        content = string_value(str(text))
        self.budget.spend_on_text(len(content))
        return celtypes.StringType(content) if isinstance(content, str) else celtypes.BytesType(content)

    def mapinits(self, tree: Node) -> Value:
        entries = celtypes.MapType()
        values = self.visit_children(tree)
        for key, value in zip(values[0::2], values[1::2], strict=True):
            for each in (key, value):
                if isinstance(each, CELEvalError):
                    return each
            if not is_key(key):
                return PolicyError(f"a map has no keys that are {kind(key)}")
            if has_key(entries, key):
                return PolicyError(f"the key `{str(key)[:60]}` is there twice")
            try:
                dict.__setitem__(entries, key, value)
            except TypeError:
                return PolicyError("the keys of a map are of one type")
        return entries

    def expr(self, tree: Node) -> Value:
        condition = self.visit(branch(tree, 0))
        if not isinstance(condition, celtypes.BoolType):
            return conditional(condition, None, None)
        return self.visit(branch(tree, 1 if condition else 2))

    def conditionaland(self, tree: Node) -> Value:
        return self._logical(tree, logical_and, decisive=False)

    def conditionalor(self, tree: Node) -> Value:
        return self._logical(tree, logical_or, decisive=True)

    def _logical(self, tree: Node, combine: Any, *, decisive: bool) -> Value:
        left = self.visit(branch(tree, 0))
        if isinstance(left, celtypes.BoolType) and bool(left) is decisive:
            return left
        return combine(left, self.visit(branch(tree, 1)))

    def member_dot(self, tree: Node) -> Value:
        holder = self.visit(branch(tree, 0))
        return (
            holder if isinstance(holder, CELEvalError) else _at(field_of(holder, str(token(tree, 1))), token(tree, 1))
        )

    def macro_has_eval(self, exprlist: Node) -> Value:
        asked = bare(branch(exprlist, 0))
        holder = self.visit(branch(asked, 0))
        if isinstance(holder, CELEvalError):
            return holder
        if not isinstance(holder, celtypes.MapType):
            return PolicyError(f"`has` asks for a field of a map and not of {kind(holder)}")
        return celtypes.BoolType(dict.__contains__(holder, str(token(asked, 1))))

    def member_dot_arg(self, tree: Node) -> Value:
        name = token(tree, 1)
        if name not in MACROS:
            return super().member_dot_arg(tree)
        items = self.visit(branch(tree, 0))
        if isinstance(items, CELEvalError):
            return items
        if not isinstance(items, celtypes.ListType | celtypes.MapType):
            return _at(PolicyError(f"`{name}` needs a list or a map and not {kind(items)}"), name)
        variable, body = arguments(tree)
        each = identifier(variable)
        assert each is not None
        nested = self.sub_evaluator(body)
        return _MACROS[str(name)](nested.each(str(each), items), name)


def _at(value: Value, where: Token) -> Value:
    if isinstance(value, CELEvalError) and value.token is None:
        value.token = where
    return value


def _all(results: Any, name: Token) -> Value:
    outcome = celtypes.BoolType(True)
    for _, result in results:
        outcome = _at(logical_and(outcome, result), name)
        if isinstance(outcome, celtypes.BoolType) and not outcome:
            break
    return outcome


def _exists(results: Any, name: Token) -> Value:
    outcome = celtypes.BoolType(False)
    for _, result in results:
        outcome = _at(logical_or(outcome, result), name)
        if isinstance(outcome, celtypes.BoolType) and outcome:
            break
    return outcome


def _map(results: Any, name: Token) -> Value:
    mapped = []
    for _, result in results:
        if isinstance(result, CELEvalError):
            return result
        mapped.append(result)
    return celtypes.ListType(mapped)


def _filter(results: Any, name: Token) -> Value:
    kept = []
    for item, result in results:
        if isinstance(result, CELEvalError):
            return result
        if not isinstance(result, celtypes.BoolType):
            return _at(PolicyError(f"the condition of `{name}` is a bool and not {kind(result)}"), name)
        if result:
            kept.append(item)
    return celtypes.ListType(kept)


def _exists_one(results: Any, name: Token) -> Value:
    kept = _filter(results, name)
    return celtypes.BoolType(len(kept) == 1) if isinstance(kept, celtypes.ListType) else kept


_MACROS: Mapping[str, Any] = {
    "all": _all,
    "exists": _exists,
    "exists_one": _exists_one,
    "map": _map,
    "filter": _filter,
}

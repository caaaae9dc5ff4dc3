"""What a values template may be made of, checked on jinja2's syntax tree; and the tree made ready for the sandbox."""

import inspect
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from jinja2 import nodes

from claimsmith.delivery.template_sandbox import (
    CALL,
    CONCATENATE,
    FILTERS,
    METHODS,
    RANGE,
    ROUNDS,
    SIZED,
    SLICE,
    TESTS,
    WRITE,
)
from claimsmith.values.suggest import closest

MAX_DEPTH = 40
"""How many tags and operators may stand in one another."""
MAX_LOOPS = 8
"""How many loops may stand in one another."""

SYNTAX, MISSING, REFUSED, COSTLY = "CS731", "CS732", "CS733", "CS734"

_METHODS = sorted({name for methods in METHODS.values() for name in methods})
_FUNCTIONS = ("range",)
_TAGS: Mapping[type[nodes.Node], str] = {
    nodes.AssignBlock: "block form of the tag `set`",
    nodes.Block: "tag `block`",
    nodes.CallBlock: "tag `call`",
    nodes.Extends: "tag `extends`",
    nodes.FilterBlock: "tag `filter`",
    nodes.FromImport: "tag `from`",
    nodes.Import: "tag `import`",
    nodes.Include: "tag `include`",
    nodes.Macro: "tag `macro`",
    nodes.Pow: "operator `**`",
    nodes.Scope: "tag `autoescape`",
}
_ALLOWED = (
    nodes.Add,
    nodes.And,
    nodes.Assign,
    nodes.Call,
    nodes.Compare,
    nodes.Concat,
    nodes.CondExpr,
    nodes.Const,
    nodes.Dict,
    nodes.Div,
    nodes.Filter,
    nodes.FloorDiv,
    nodes.For,
    nodes.Getattr,
    nodes.Getitem,
    nodes.If,
    nodes.Keyword,
    nodes.List,
    nodes.Mod,
    nodes.Mul,
    nodes.Name,
    nodes.Neg,
    nodes.Not,
    nodes.Operand,
    nodes.Or,
    nodes.Output,
    nodes.Pair,
    nodes.Pos,
    nodes.Slice,
    nodes.Sub,
    nodes.Template,
    nodes.TemplateData,
    nodes.Test,
    nodes.Tuple,
    nodes.With,
)


@dataclass(frozen=True, slots=True)
class TemplateProblem:
    """A rule that a line of the template breaks; ``word`` is what to look for in the line."""

    rule: str
    line: int
    word: str
    data: Mapping[str, object] = field(default_factory=dict)


def check(template: nodes.Template, variables: frozenset[str]) -> list[TemplateProblem]:
    """Everything in the template that values templates do not have, and names that are not there."""
    for problem in _too_deep(template):
        return [problem]
    checker = _Checker()
    checker.visit(template, set(variables))
    return checker.problems


def _too_deep(template: nodes.Node) -> Iterator[TemplateProblem]:
    # Without recursion: the tree may be as deep as the template is long.
    waiting = [(template, 0, 0)]
    while waiting:
        node, depth, loops = waiting.pop()
        loops += isinstance(node, nodes.For)
        for limit, reached, what in ((MAX_DEPTH, depth, "tags and operators"), (MAX_LOOPS, loops, "loops")):
            if reached > limit:
                problem = f"more than {limit} {what} stand in one another"
                yield TemplateProblem(COSTLY, _line(node), "", {"problem": problem})
        waiting.extend((child, depth + 1, loops) for child in node.iter_child_nodes())


@dataclass(slots=True)
class _Checker:
    problems: list[TemplateProblem] = field(default_factory=list)

    def refuse(self, node: nodes.Node, word: str, feature: str, known: str = "", hint: str | None = None) -> None:
        data = {"feature": feature, "known": known, "did_you_mean": hint or ""}
        self.problems.append(TemplateProblem(REFUSED, _line(node), word, data))

    def wrong(self, node: nodes.Node, word: str, problem: str) -> None:
        self.problems.append(TemplateProblem(SYNTAX, _line(node), word, {"problem": problem}))

    def visit(self, node: nodes.Node, scope: set[str]) -> None:
        """Checks a node; names that it sets for what comes after it are added to the scope."""
        if not isinstance(node, _ALLOWED):
            feature = _TAGS.get(type(node), "this")
            self.refuse(node, feature.split("`")[-2] if "`" in feature else "", feature)
        elif isinstance(node, nodes.For):
            self.loop(node, scope)
        elif isinstance(node, nodes.With):
            self.visit_all(node.values, scope)
            inner = scope | _targets(node.targets)
            self.visit_all(node.body, inner)
        elif isinstance(node, nodes.Assign):
            self.visit(node.node, scope)
            self.target(node.target)
            scope |= _targets([node.target])
        elif isinstance(node, nodes.Name):
            self.name(node, scope)
        elif isinstance(node, nodes.Call):
            self.call(node, scope)
        elif isinstance(node, nodes.Const):
            if isinstance(node.value, float) and not math.isfinite(node.value):
                self.wrong(node, "", "a number is out of range")
        else:
            if isinstance(node, nodes.Filter):
                self.filter(node)
            elif isinstance(node, nodes.Test):
                self.test(node)
            elif isinstance(node, nodes.CondExpr) and node.expr2 is None:
                self.wrong(node, "if", "an `if` within an expression needs its `else`")
            self.visit_all(node.iter_child_nodes(), scope)

    def visit_all(self, several: "Iterator[nodes.Node] | list[nodes.Node] | list[nodes.Expr]", scope: set[str]) -> None:
        for each in several:
            self.visit(each, scope)

    def loop(self, node: nodes.For, scope: set[str]) -> None:
        if node.recursive:
            self.refuse(node, "recursive", "recursive loops")
        self.visit(node.iter, scope)
        self.target(node.target)
        inner = scope | _targets([node.target])
        if node.test is not None:
            self.visit(node.test, set(inner))
        self.visit_all(node.body, inner | {"loop"})
        self.visit_all(node.else_, set(scope))

    def target(self, node: nodes.Node) -> None:
        for each in (node, *node.find_all(nodes.Node)):
            if not isinstance(each, nodes.Name | nodes.Tuple):
                self.refuse(each, getattr(each, "name", ""), "assignments to fields")

    def name(self, node: nodes.Name, scope: set[str]) -> None:
        if node.name in scope:
            return
        known = sorted(scope)
        if node.name in _FUNCTIONS:
            self.refuse(node, node.name, f"`{node.name}` as a value", "call it")
            return
        data = {
            "problem": f"there is no `{node.name}`",
            "known": ", ".join(known),
            "did_you_mean": closest(node.name, known) or "",
        }
        self.problems.append(TemplateProblem(MISSING, _line(node), node.name, data))

    def call(self, node: nodes.Call, scope: set[str]) -> None:
        given = [*node.args, *node.kwargs]
        if node.dyn_args is not None or node.dyn_kwargs is not None:
            self.refuse(node, "*", "arguments with `*`")
        callee = node.node
        if isinstance(callee, nodes.Name):
            if callee.name not in _FUNCTIONS:
                hint = closest(callee.name, _FUNCTIONS)
                self.refuse(node, callee.name, f"function `{callee.name}`", "known: range", hint)
            elif node.kwargs or not 1 <= len(node.args) <= 3:
                self.wrong(node, callee.name, "`range` takes one to three numbers")
        elif isinstance(callee, nodes.Getattr):
            self.visit(callee.node, scope)
            self.method(node, callee)
        else:
            self.refuse(node, "(", "calls of what is no function")
            self.visit(callee, scope)
        self.visit_all(given, scope)

    def method(self, node: nodes.Call, callee: nodes.Getattr) -> None:
        takers = [methods[callee.attr] for methods in METHODS.values() if callee.attr in methods]
        if not takers:
            hint = closest(callee.attr, _METHODS)
            self.refuse(node, callee.attr, f"method `{callee.attr}`", f"known: {', '.join(_METHODS)}", hint)
        elif not any(_fits(each, node) for each in takers):
            self.wrong(node, callee.attr, f"`{callee.attr}` takes {_parameters(takers[0])}")
        elif node.kwargs:
            self.refuse(node, callee.attr, "arguments of methods by name")

    def filter(self, node: nodes.Filter) -> None:
        taker = FILTERS.get(node.name)
        if taker is None:
            known = ", ".join(sorted(FILTERS))
            self.refuse(node, node.name, f"filter `{node.name}`", f"known: {known}", closest(node.name, FILTERS))
        elif node.dyn_args is not None or node.dyn_kwargs is not None:
            self.refuse(node, "*", "arguments with `*`")
        elif not _fits(taker, node):
            self.wrong(node, node.name, f"`{node.name}` takes {_parameters(taker)}")

    def test(self, node: nodes.Test) -> None:
        if node.name not in TESTS:
            known = ", ".join(sorted(TESTS))
            self.refuse(node, node.name, f"test `{node.name}`", f"known: {known}", closest(node.name, TESTS))
        elif node.args or node.kwargs or node.dyn_args is not None or node.dyn_kwargs is not None:
            self.wrong(node, node.name, f"`is {node.name}` takes no arguments")


def _line(node: nodes.Node) -> int:
    """The line of a node; jinja2 gives none to a few, but to what is in them."""
    lines: Iterator[int | None] = (each.lineno for each in (node, *node.iter_child_nodes()))
    return next((line for line in lines if line is not None), 1)


def _targets(several: list[nodes.Node] | list[nodes.Expr]) -> set[str]:
    return {
        name.name
        for target in several
        for name in (target, *target.find_all(nodes.Name))
        if isinstance(name, nodes.Name)
    }


def _fits(taker: object, node: nodes.Call | nodes.Filter) -> bool:
    assert callable(taker)
    keywords = [each.key for each in node.kwargs if isinstance(each, nodes.Keyword)]
    try:
        # The sandbox and the value come first.
        inspect.signature(taker).bind(*range(2 + len(node.args)), **dict.fromkeys(keywords))
    except TypeError:
        return False
    return len(set(keywords)) == len(keywords)


def _parameters(taker: object) -> str:
    assert callable(taker)
    names = list(inspect.signature(taker).parameters)[2:]
    return "no arguments" if not names else f"({', '.join(names)})"


def prepare(template: nodes.Template) -> nodes.Template:
    """The template made ready for the sandbox: what it writes, loops over, calls or compares goes through filters."""
    _rewrite_children(template)
    return template


def _rewrite_children(node: nodes.Node) -> None:
    for name, value in node.iter_fields():
        if isinstance(value, nodes.Node):
            setattr(node, name, _rewrite(value))
        elif isinstance(value, list):
            setattr(node, name, [_rewrite(each) if isinstance(each, nodes.Node) else each for each in value])


def _rewrite(node: nodes.Node) -> nodes.Node:
    if isinstance(node, nodes.For):
        parts = [part for part in (*node.body, node.test) if part is not None]
        steps = 1 + sum(1 for part in parts for _ in (part, *part.find_all(nodes.Node)))
        _rewrite_children(node)
        assert isinstance(node.iter, nodes.Expr)
        node.iter = _filter(ROUNDS, node.iter, nodes.Const(steps))
        return node
    _rewrite_children(node)
    match node:
        case nodes.Output():
            node.nodes = [_written(each) for each in node.nodes]
        case nodes.Call(node=nodes.Getattr(node=receiver, attr=method)):
            return _filter(CALL, receiver, nodes.Const(method), *node.args)
        case nodes.Call():
            return _filter(RANGE, *node.args)
        case nodes.Concat():
            return _filter(CONCATENATE, *node.nodes)
        case nodes.Getitem(arg=nodes.Slice() as bounds):
            given = [each or nodes.Const(None) for each in (bounds.start, bounds.stop, bounds.step)]
            return _filter(SLICE, node.node, *given)
        case nodes.Compare():
            node.expr = _filter(SIZED, node.expr)
            for operand in node.ops:
                operand.expr = _filter(SIZED, operand.expr)
    return node


def _written(node: nodes.Expr) -> nodes.Expr:
    data = isinstance(node, nodes.TemplateData)
    value = nodes.Const(node.data, lineno=node.lineno) if isinstance(node, nodes.TemplateData) else node
    return _filter(WRITE, value, nodes.Const(node.lineno), nodes.Const(data))


def _filter(name: str, value: nodes.Expr, *arguments: nodes.Expr) -> nodes.Filter:
    return nodes.Filter(value, name, list(arguments), [], None, None, lineno=value.lineno)

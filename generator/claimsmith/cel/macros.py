"""Expansion of macros into comprehensions and calls, as cel-go and its extensions do it.

Every node that an expansion adds covers the macro call and reports at its opening bracket.
Sources: cel-go parser/macro.go, ext/comprehensions.go, ext/bindings.go, ext/lists.go, cel/library.go.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from claimsmith.cel.ast import Call, Comprehension, Expr, Ident, ListExpr, Literal, LiteralValue, MapExpr, Select

ACCUMULATOR = "@result"
UNUSED = "#unused"

_OLD_ACCUMULATOR = "__result__"
_OVERWRITES = "iteration variable overwrites accumulator variable"


class MacroError(Exception):
    """Arguments that the macro cannot take; `node` is where cel-go reports it."""

    def __init__(self, message: str, node: Expr) -> None:
        super().__init__(message)
        self.message = message
        self.node = node


@dataclass(frozen=True, slots=True)
class Site:
    """Where a macro is called: what its nodes cover, and the numbers for them."""

    ids: Iterator[int]
    start: int
    end: int
    at: int

    def literal(self, kind: str, value: LiteralValue) -> Literal:
        return Literal(next(self.ids), self.start, self.end, self.at, kind, value)

    def ident(self, name: str) -> Ident:
        return Ident(next(self.ids), self.start, self.end, self.at, name)

    def accumulator(self) -> Ident:
        return self.ident(ACCUMULATOR)

    def call(self, function: str, *arguments: Expr, target: Expr | None = None) -> Call:
        return Call(next(self.ids), self.start, self.end, self.at, function, target, arguments, self.start)

    def list_of(self, *elements: Expr) -> ListExpr:
        return ListExpr(next(self.ids), self.start, self.end, self.at, elements, frozenset())

    def loop(
        self,
        source: Expr,
        variables: tuple[str, str],
        initial: Expr,
        condition: Expr,
        step: Expr,
        result: Expr,
        accumulator: str = ACCUMULATOR,
    ) -> Comprehension:
        return Comprehension(
            next(self.ids),
            self.start,
            self.end,
            self.at,
            source,
            *variables,
            accumulator,
            initial,
            condition,
            step,
            result,
        )

    def bind(self, name: str, initial: Expr, body: Expr) -> Comprehension:
        never = self.literal("bool", False)
        return self.loop(self.list_of(), (UNUSED, ""), initial, never, self.ident(name), body, accumulator=name)


Expander = Callable[[Site, "Expr | None", tuple[Expr, ...]], "Expr | None"]


def _name(argument: Expr, message: str) -> str:
    if not isinstance(argument, Ident):
        raise MacroError(message, argument)
    return argument.name


def _loop_variable(argument: Expr, message: str) -> str:
    name = _name(argument, message)
    if name in (ACCUMULATOR, _OLD_ACCUMULATOR):
        raise MacroError(_OVERWRITES, argument)
    return name


def _two_variables(first: Expr, second: Expr) -> tuple[str, str]:
    names = (_name(first, "argument must be a simple name"), _name(second, "argument must be a simple name"))
    if names[0] == names[1]:
        raise MacroError(f"duplicate variable name: {names[0]}", second)
    for name, argument in zip(names, (first, second), strict=True):
        if name in (ACCUMULATOR, _OLD_ACCUMULATOR):
            raise MacroError(_OVERWRITES, argument)
    return names


def _variables(arguments: tuple[Expr, ...], two: bool) -> tuple[str, str]:
    if two:
        return _two_variables(arguments[0], arguments[1])
    return _loop_variable(arguments[0], "argument must be a simple name"), ""


def _has(site: Site, target: Expr | None, arguments: tuple[Expr, ...]) -> Expr:
    tested = arguments[0]
    if not isinstance(tested, Select):
        raise MacroError("invalid argument to has() macro", tested)
    return Select(next(site.ids), site.start, site.end, site.at, tested.operand, tested.field, tested.field_start, True)


def _all(site: Site, target: Expr | None, arguments: tuple[Expr, ...]) -> Expr:
    assert target is not None
    names = _variables(arguments, len(arguments) == 3)
    condition = site.call("@not_strictly_false", site.accumulator())
    step = site.call("_&&_", site.accumulator(), arguments[-1])
    return site.loop(target, names, site.literal("bool", True), condition, step, site.accumulator())


def _exists(site: Site, target: Expr | None, arguments: tuple[Expr, ...]) -> Expr:
    assert target is not None
    names = _variables(arguments, len(arguments) == 3)
    condition = site.call("@not_strictly_false", site.call("!_", site.accumulator()))
    step = site.call("_||_", site.accumulator(), arguments[-1])
    return site.loop(target, names, site.literal("bool", False), condition, step, site.accumulator())


def _exists_one(site: Site, target: Expr | None, arguments: tuple[Expr, ...]) -> Expr:
    assert target is not None
    names = _variables(arguments, len(arguments) == 3)
    more = site.call("_+_", site.accumulator(), site.literal("int", 1))
    step = site.call("_?_:_", arguments[-1], more, site.accumulator())
    result = site.call("_==_", site.accumulator(), site.literal("int", 1))
    return site.loop(target, names, site.literal("int", 0), site.literal("bool", True), step, result)


def _collect(
    site: Site, target: Expr, names: tuple[str, str], initial: Expr, guard: Expr | None, step: Expr
) -> Comprehension:
    if guard is not None:
        step = site.call("_?_:_", guard, step, site.accumulator())
    return site.loop(target, names, initial, site.literal("bool", True), step, site.accumulator())


def _map(site: Site, target: Expr | None, arguments: tuple[Expr, ...]) -> Expr:
    assert target is not None
    name = _loop_variable(arguments[0], "argument is not an identifier")
    step = site.call("_+_", site.accumulator(), site.list_of(arguments[-1]))
    guard = arguments[1] if len(arguments) == 3 else None
    return _collect(site, target, (name, ""), site.list_of(), guard, step)


def _filter(site: Site, target: Expr | None, arguments: tuple[Expr, ...]) -> Expr:
    assert target is not None
    name = _loop_variable(arguments[0], "argument is not an identifier")
    step = site.call("_+_", site.accumulator(), site.list_of(arguments[0]))
    return _collect(site, target, (name, ""), site.list_of(), arguments[1], step)


def _transform_list(site: Site, target: Expr | None, arguments: tuple[Expr, ...]) -> Expr:
    assert target is not None
    names = _two_variables(arguments[0], arguments[1])
    step = site.call("_+_", site.accumulator(), site.list_of(arguments[-1]))
    guard = arguments[2] if len(arguments) == 4 else None
    return _collect(site, target, names, site.list_of(), guard, step)


def _empty_map(site: Site) -> MapExpr:
    return MapExpr(next(site.ids), site.start, site.end, site.at, (), None)


def _transform_map(site: Site, target: Expr | None, arguments: tuple[Expr, ...]) -> Expr:
    assert target is not None
    names = _two_variables(arguments[0], arguments[1])
    step = site.call("cel.@mapInsert", site.accumulator(), site.ident(names[0]), arguments[-1])
    guard = arguments[2] if len(arguments) == 4 else None
    return _collect(site, target, names, _empty_map(site), guard, step)


def _transform_map_entry(site: Site, target: Expr | None, arguments: tuple[Expr, ...]) -> Expr:
    assert target is not None
    names = _two_variables(arguments[0], arguments[1])
    step = site.call("cel.@mapInsert", site.accumulator(), arguments[-1])
    guard = arguments[2] if len(arguments) == 4 else None
    return _collect(site, target, names, _empty_map(site), guard, step)


def _bind(site: Site, target: Expr | None, arguments: tuple[Expr, ...]) -> Expr | None:
    if not (isinstance(target, Ident) and target.name == "cel"):
        return None
    name = _name(arguments[0], "cel.bind() variable names must be simple identifiers")
    return site.bind(name, arguments[1], arguments[2])


def _opt_map(site: Site, target: Expr | None, arguments: tuple[Expr, ...]) -> Expr:
    assert target is not None
    name = _name(arguments[0], "optMap() variable name must be a simple identifier")
    mapped = site.call("optional.of", site.bind(name, site.call("value", target=target), arguments[1]))
    return site.call("_?_:_", site.call("hasValue", target=target), mapped, site.call("optional.none"))


def _opt_flat_map(site: Site, target: Expr | None, arguments: tuple[Expr, ...]) -> Expr:
    assert target is not None
    name = _name(arguments[0], "optFlatMap() variable name must be a simple identifier")
    mapped = site.bind(name, site.call("value", target=target), arguments[1])
    return site.call("_?_:_", site.call("hasValue", target=target), mapped, site.call("optional.none"))


def _sort_by(site: Site, target: Expr | None, arguments: tuple[Expr, ...]) -> Expr:
    if not isinstance(target, (ListExpr, Select, Ident, Comprehension, Call)):
        assert target is not None
        raise MacroError(
            "sortBy can only be applied to a list, identifier, comprehension, call or select expression", target
        )
    given = "@__sortBy_input__"
    keys = _map(site, site.ident(given), arguments)
    return site.bind(given, target, site.call("@sortByAssociatedKeys", keys, target=site.ident(given)))


# By name, number of arguments and whether there is a target.
EXPANDERS: dict[tuple[str, int, bool], Expander] = {
    ("has", 1, False): _has,
    ("all", 2, True): _all,
    ("all", 3, True): _all,
    ("exists", 2, True): _exists,
    ("exists", 3, True): _exists,
    ("exists_one", 2, True): _exists_one,
    ("exists_one", 3, True): _exists_one,
    ("existsOne", 3, True): _exists_one,
    ("map", 2, True): _map,
    ("map", 3, True): _map,
    ("filter", 2, True): _filter,
    ("bind", 3, True): _bind,
    ("optMap", 2, True): _opt_map,
    ("optFlatMap", 2, True): _opt_flat_map,
    ("sortBy", 2, True): _sort_by,
    ("transformList", 3, True): _transform_list,
    ("transformList", 4, True): _transform_list,
    ("transformMap", 3, True): _transform_map,
    ("transformMap", 4, True): _transform_map,
    ("transformMapEntry", 3, True): _transform_map_entry,
    ("transformMapEntry", 4, True): _transform_map_entry,
}

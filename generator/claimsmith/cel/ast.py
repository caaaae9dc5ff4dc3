"""The expanded syntax tree of a device selector.

A tree is made of seven node classes (`Expr` is their union). Every node has

- `id`: a number, unique in its tree, by which `Checked` gives types, references and the user's form of a macro;
- `start`, `end`: the code points of the source that it covers, end exclusive, without parentheses around it;
- `at`: the code point where Kubernetes reports an error about it (the operator, the dot, or the opening bracket).

The tree has the shape that cel-go checks, costs and evaluates:

- Operators are calls without a target, by cel-go's names: `_&&_ _||_ !_ -_ _+_ _-_ _*_ _/_ _%_ _==_ _!=_ _<_ _<=_
  _>_ _>=_ @in _?_:_ _[_] _[?_] _?._` (the last one's second argument is a string literal, the field). A chain
  of `&&` or `||` is a balanced tree of calls with two arguments. An even number of `!` or `-` leaves no node.
- A negative number is a literal. `x.?y`, `x[?y]` are calls; `[?x]` and `{?k: v}` set `optional`.
- Macros are expanded. `has(x.y)` is a `Select` with `presence`; the others are `Comprehension`s, and
  `cel.bind(v, init, body)` one over the empty list: `accumulator` is v, `initial` init, `condition` the literal false,
  `result` body. All nodes that a macro adds cover the macro's whole text. `Parsed.macros` has what the user wrote.
- `x.optMap(v, body)` is `x.hasValue() ? optional.of(bind(v, x.value(), body)) : optional.none()` with **the same
  object** x in both places, so a tree is a graph: memorise by `id`, or a chain of n costs 2**n.
- A qualified name (`optional.of(x)`, `sets.contains(a, b)`) is a call with a target, an `Ident`; `Checked.references`
  tells which calls are of that kind: the target then has no value.

Trees are shallower than about 1,500 nodes (cel-go's own limits of nesting); `deep.room_for` makes room to recurse.
"""

from dataclasses import dataclass
from typing import TypeAlias


class Uint(int):
    """The value of an unsigned literal: `5u`."""

    __slots__ = ()


LiteralValue: TypeAlias = bool | int | Uint | float | str | bytes | None


@dataclass(frozen=True, slots=True, eq=False)
class Literal:
    """A constant; `kind` is its CEL type: bool, int, uint (value: `Uint`), double, string, bytes or null_type."""

    id: int
    start: int
    end: int
    at: int
    kind: str
    value: LiteralValue


@dataclass(frozen=True, slots=True, eq=False)
class Ident:
    """A name; a leading dot, as in `.device`, is part of it."""

    id: int
    start: int
    end: int
    at: int
    name: str


@dataclass(frozen=True, slots=True, eq=False)
class Select:
    """`operand.field`, or the test whether it is there (`has`). `field_start` is where the field's name starts."""

    id: int
    start: int
    end: int
    at: int
    operand: "Expr"
    field: str
    field_start: int
    presence: bool


@dataclass(frozen=True, slots=True, eq=False)
class Call:
    """A function or operator; `target` is the receiver of `target.function(…)`.

    `name_start` is where the function's name or the operator starts (in a macro's expansion: where the macro starts).
    """

    id: int
    start: int
    end: int
    at: int
    function: str
    target: "Expr | None"
    arguments: "tuple[Expr, ...]"
    name_start: int


@dataclass(frozen=True, slots=True, eq=False)
class ListExpr:
    """`[a, ?b]`; `optional` has the indices of the elements with a question mark."""

    id: int
    start: int
    end: int
    at: int
    elements: "tuple[Expr, ...]"
    optional: frozenset[int]


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """`key: value` of a map, `field: value` of a message (the key is then a string literal). `at` is the colon."""

    id: int
    at: int
    key: "Expr"
    value: "Expr"
    optional: bool


@dataclass(frozen=True, slots=True, eq=False)
class MapExpr:
    """`{k: v, ?k: v}`, or a message when `message` names its type (which no device selector can build)."""

    id: int
    start: int
    end: int
    at: int
    entries: tuple[Entry, ...]
    message: str | None


@dataclass(frozen=True, slots=True, eq=False)
class Comprehension:
    """A loop over a list or map.

    `accumulator` starts as `initial`; while `condition` holds, `step` of each element is its next value; `result` is
    the value of the whole. `variable` is the element of a list or the key of a map; with a second variable
    (`variable2`, else "") they are index and element, or key and value. `source` and `initial` see only outer names.
    """

    id: int
    start: int
    end: int
    at: int
    source: "Expr"
    variable: str
    variable2: str
    accumulator: str
    initial: "Expr"
    condition: "Expr"
    step: "Expr"
    result: "Expr"


Expr: TypeAlias = Literal | Ident | Select | Call | ListExpr | MapExpr | Comprehension


@dataclass(frozen=True, slots=True, eq=False)
class MacroCall:
    """What the user wrote where the tree has an expansion: `target.name(arguments)`; `root` is the expansion."""

    name: str
    name_start: int
    target: Expr | None
    arguments: tuple[Expr, ...]
    root: Expr


def children(node: Expr) -> tuple[Expr, ...]:
    """The nodes directly below, in the order of evaluation as far as there is one."""
    if isinstance(node, Call):
        return node.arguments if node.target is None else (node.target, *node.arguments)
    if isinstance(node, Select):
        return (node.operand,)
    if isinstance(node, ListExpr):
        return node.elements
    if isinstance(node, MapExpr):
        return tuple(part for entry in node.entries for part in (entry.key, entry.value))
    if isinstance(node, Comprehension):
        return (node.source, node.initial, node.condition, node.step, node.result)
    return ()

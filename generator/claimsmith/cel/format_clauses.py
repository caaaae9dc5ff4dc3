"""The check of `"…".format([…])` where both are literals. Source: cel-go, ext/formatting.go."""

from collections.abc import Iterator

from claimsmith.cel.ast import Call, Expr, ListExpr, Literal, MapExpr
from claimsmith.cel.checker import Typed
from claimsmith.cel.errors import Problem

_TEXTUAL = frozenset(
    ("list", "map", "int", "uint", "double", "bool", "string", "timestamp", "bytes", "duration", "type", "null")
)

# By the letter of the clause: the kinds of types that it takes, and cel-go's words about others.
_CLAUSES = {
    "s": (
        _TEXTUAL,
        "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, "
        "and timestamps",
    ),
    "d": (frozenset(("int", "uint")), "decimal clause can only be used on integers"),
    "f": (frozenset(("double", "string")), "fixed-point clause can only be used on doubles"),
    "e": (frozenset(("double", "string")), "scientific clause can only be used on doubles"),
    "b": (frozenset(("int", "uint", "bool")), "only integers and bools can be formatted as binary"),
    "x": (
        frozenset(("int", "uint", "string", "bytes")),
        "only integers, byte buffers, and strings can be formatted as hex",
    ),
    "o": (frozenset(("int", "uint")), "octal clause can only be used on integers"),
}
_CLAUSES["X"] = _CLAUSES["x"]
_DIGITS = frozenset("0123456789")


class _ClauseError(Exception):
    """`node` is the argument that it is about, None for the call."""

    def __init__(self, message: str, node: Expr | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.node = node


def format_problem(typed: Typed, call: Call) -> Iterator[Problem]:
    """Whether the clauses of a literal pattern fit a literal list of arguments."""
    pattern, given = call.target, call.arguments[0]
    if not (isinstance(pattern, Literal) and isinstance(pattern.value, str) and isinstance(given, ListExpr)):
        return
    try:
        used = _check(typed, pattern.value, given)
        if len(given.elements) > used:
            raise _ClauseError(
                f"too many arguments supplied to string.format (expected {used}, got {len(given.elements)})"
            )
    except _ClauseError as error:
        node = error.node or call
        yield Problem(error.message, node.at, node.start, node.end)


def _check(typed: Typed, pattern: str, given: ListExpr) -> int:
    """The number of arguments used."""
    text = pattern.encode("utf-8", "surrogatepass").decode("latin-1")
    position = used = 0
    while (position := text.find("%", position)) >= 0:
        position += 1
        if text[position : position + 1] == "%":
            position += 1
            continue
        used += 1
        if position >= len(text):
            raise _ClauseError("unexpected end of string")
        if used > len(given.elements):
            raise _ClauseError(f"index {used - 1} out of range")
        position = _precision(text, position)
        clause = _CLAUSES.get(text[position])
        if clause is None:
            raise _ClauseError(f'could not parse formatting clause: unrecognized formatting clause "{text[position]}"')
        kinds, words = clause
        wrong = _wrong_part(typed, given.elements[used - 1], kinds, inside=text[position] == "s")
        if wrong is not None:
            raise _ClauseError(f"error during formatting: {words}, was given {typed.types[wrong.id].name}", wrong)
        position += 1
    return used


def _precision(text: str, position: int) -> int:
    """Past a precision such as `.3`."""
    if text[position] != ".":
        return position
    end = position + 1
    while end < len(text) and text[end] in _DIGITS:
        end += 1
    parsing = "could not parse formatting clause: error while parsing precision: "
    if end == len(text):
        raise _ClauseError(f"{parsing}could not find end of precision specifier")
    digits = text[position + 1 : end]
    if not digits:
        raise _ClauseError(
            f'{parsing}error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax'
        )
    if len(digits.lstrip("0")) > 19 or int(digits) >= 2**63:
        raise _ClauseError(
            f"{parsing}error while converting precision to integer: "
            f'strconv.Atoi: parsing "{digits}": value out of range'
        )
    return end


def _wrong_part(typed: Typed, node: Expr, kinds: frozenset[str], *, inside: bool) -> Expr | None:
    """The node that the clause does not take: the argument, or with `inside` a part of a literal."""
    kind = typed.types[node.id].kind
    if kind != "dyn" and kind not in kinds:
        return node
    if not inside:
        return None
    if isinstance(node, ListExpr):
        parts: tuple[Expr, ...] = node.elements
    elif isinstance(node, MapExpr) and node.message is None:
        parts = tuple(part for entry in node.entries for part in (entry.key, entry.value))
    else:
        return None
    return next((wrong for part in parts if (wrong := _wrong_part(typed, part, kinds, inside=True))), None)

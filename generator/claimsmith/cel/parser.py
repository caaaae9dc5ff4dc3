"""From text to the expanded tree, hand-written after CEL's grammar (cel-go, parser/gen/CEL.g4 and parser/parser.go).

A syntax error is reported where cel-go's generated parser reports it, with its repairs (drop a token, supply a
bracket, skip to an operator), so that one run shows several errors.
"""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from itertools import count

from claimsmith.cel import literals
from claimsmith.cel.ast import (
    Call,
    Entry,
    Expr,
    Ident,
    ListExpr,
    Literal,
    LiteralValue,
    MacroCall,
    MapExpr,
    Select,
    Uint,
)
from claimsmith.cel.deep import room_for
from claimsmith.cel.errors import Problem
from claimsmith.cel.lexer import BYTES, EOF, ESCAPED_IDENT, FLOAT, IDENT, INT, STRING, UINT, Tokens, tokenize
from claimsmith.cel.macros import EXPANDERS, MacroError, Site

MacroKey = tuple[str, int, bool]

_MAX_DEPTH = 250
_NOWHERE = -1  # where cel-go reports errors about a node that it could not make
_MAX_RECOVERIES = 30
_MAX_SKIPPED = 256

_RESERVED = frozenset(
    ("as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop",
     "package", "namespace", "null", "return", "true", "var", "void", "while")
)  # fmt: skip
_RELATIONS = {
    "<": "_<_",
    "<=": "_<=_",
    ">=": "_>=_",
    ">": "_>_",
    "==": "_==_",
    "!=": "_!=_",
    "in": "@in",
}
_CALCULATIONS = {"*": ("_*_", 2), "/": ("_/_", 2), "%": ("_%_", 2), "+": ("_+_", 1), "-": ("_-_", 1)}

# In the order of cel-go's token numbers, as its messages list them.
_SHOWN = {
    kind: kind if kind in (EOF, INT, UINT, FLOAT, STRING, BYTES, IDENT, ESCAPED_IDENT) else f"'{kind}'"
    for kind in (
        EOF, "==", "!=", "in", "<", "<=", ">=", ">", "&&", "||", "[", "]", "{", "}", "(", ")", ".", ",", "-", "!", "?",
        ":", "+", "*", "/", "%", "true", "false", "null", FLOAT, INT, UINT, STRING, BYTES, IDENT, ESCAPED_IDENT,
    )
}  # fmt: skip
_STARTS_PRIMARY = frozenset(("[", "{", "(", ".", "true", "false", "null", FLOAT, INT, UINT, STRING, BYTES, IDENT, "-"))
_STARTS = _STARTS_PRIMARY | {"!"}
_OPERATORS = frozenset(("&&", "||", *_RELATIONS, *_CALCULATIONS))
_CONTINUES = _OPERATORS | {".", "["}

# The rules of the grammar that an error can make the parser give up, by what may follow them.
_RULE_PRIMARY, _RULE_UNARY, _RULE_EXPRESSION = range(3)

_RESERVED_WORD = re.compile(r"no viable alternative at input '.(true|false|null)'")


@dataclass(frozen=True, slots=True)
class Parsed:
    """`tree` is None when `problems` are not empty; `macros` by the id of the expansion; `nesting` bounds the depth."""

    tree: Expr | None
    problems: tuple[Problem, ...]
    macros: dict[int, MacroCall]
    nesting: int


def parse(text: str, macros: Collection[MacroKey], *, escaped_names: bool) -> Parsed:
    """Parses a whole expression.

    `macros`: which macros the language of the target has (`macros.EXPANDERS` has all). `escaped_names`: whether a
    field may be written between backticks.
    """
    tokens = tokenize(text)
    parser = _Parser(text, tokens, macros, escaped_names)
    with room_for(tokens.nesting):
        tree = parser.whole()
    problems = (*tokens.problems, *parser.problems)
    return Parsed(None if problems else tree, problems, parser.expansions, max(tokens.nesting, parser.deepest))


class _StopError(Exception):
    """Nothing more can be parsed."""


class _Parser:
    """One pass over the tokens. `depth` is cel-go's visitor depth of the node parsed last."""

    def __init__(self, text: str, tokens: Tokens, macros: Collection[MacroKey], escaped_names: bool) -> None:
        self.text = text
        self.kinds = tokens.kinds
        self.texts = tokens.texts
        self.starts = tokens.starts
        self.macros = macros
        self.escaped_names = escaped_names
        self.problems: list[Problem] = []
        self.expansions: dict[int, MacroCall] = {}
        self.ids = count(1)
        self.position = 0
        self.depth = 0
        self.deepest = 0
        self.end = 0  # of the node parsed last, its parentheses included
        self.expressions = self.relations = self.calculations = 0  # rules of the grammar that are open
        self.following: list[frozenset[str]] = [frozenset((EOF, "?"))]
        self.primaries = 0  # open brackets that belong to a primary
        self.quiet = -1  # no further report at this token
        self.recoveries = 0

    def whole(self) -> Expr:
        try:
            tree = self.expression()
            if self.kinds[self.position] != EOF:
                self.expect(EOF, _RULE_EXPRESSION)
            if self.deepest > _MAX_DEPTH:
                self.problems.append(Problem("max recursion depth exceeded", None, 0, self.starts[-1]))
        except _StopError:
            tree = self.missing(_NOWHERE)
        return tree

    # expr: conditionalOr ('?' conditionalOr ':' expr)?

    def expression(self) -> Expr:
        self.expressions += 1
        self.limit(self.expressions)
        start = self.starts[self.position]
        node = self.alternatives()
        if self.kinds[self.position] == "?":
            node = self.ternary(node, start)
        self.expressions -= 1
        return node

    def ternary(self, node: Expr, start: int) -> Expr:
        at = self.starts[self.position]
        depth = self.depth
        self.position += 1
        self.following.append(frozenset(":"))
        then = self.alternatives()
        self.following.pop()
        depth = max(depth, self.depth)
        other = self.expression() if self.expect(":", _RULE_EXPRESSION) else self.missing(_NOWHERE)
        self.deeper(max(depth, self.depth))
        return Call(next(self.ids), start, self.end, at, "_?_:_", None, (node, then, other), at)

    def alternatives(self) -> Expr:
        """conditionalOr: conditionalAnd ('||' conditionalAnd)*"""
        first = self.conjunction()
        if self.kinds[self.position] != "||":
            return first
        return self.chain(first, "||", "_||_", self.conjunction)

    def conjunction(self) -> Expr:
        """conditionalAnd: relation ('&&' relation)*"""
        first = self.relation()
        if self.kinds[self.position] != "&&":
            return first
        return self.chain(first, "&&", "_&&_", self.relation)

    def chain(self, first: Expr, operator: str, function: str, term: Callable[[], Expr]) -> Expr:
        kinds, starts = self.kinds, self.starts
        terms = [first]
        spans = [(first.start, self.end)]
        operators = []
        depth = self.depth
        while kinds[self.position] == operator:
            operators.append(starts[self.position])
            self.position += 1
            start = starts[self.position]
            terms.append(term())
            spans.append((start, self.end))
            if self.depth > depth:
                depth = self.depth
        self.depth = depth
        return self.balanced(function, terms, spans, operators, 0, len(operators) - 1)

    def balanced(
        self, function: str, terms: list[Expr], spans: list[tuple[int, int]], operators: list[int], low: int, high: int
    ) -> Expr:
        middle = (low + high + 1) // 2
        left = terms[middle] if middle == low else self.balanced(function, terms, spans, operators, low, middle - 1)
        right = (
            terms[middle + 1] if middle == high else self.balanced(function, terms, spans, operators, middle + 1, high)
        )
        at = operators[middle]
        return Call(next(self.ids), spans[low][0], spans[high + 1][1], at, function, None, (left, right), at)

    # relation: calc | relation op relation

    def relation(self) -> Expr:
        entered = self.relations
        self.relations = entered + 1
        self.limit(self.relations)
        start = self.starts[self.position]
        node = self.calculation(1)
        function = _RELATIONS.get(self.kinds[self.position])
        while function is not None:
            at = self.starts[self.position]
            depth = self.depth
            self.position += 1
            self.relations = entered + 2
            self.limit(self.relations)
            right = self.calculation(1)
            self.relations = entered + 1
            self.deeper(max(depth, self.depth))
            node = Call(next(self.ids), start, self.end, at, function, None, (node, right), at)
            function = _RELATIONS.get(self.kinds[self.position])
        self.relations = entered
        return node

    # calc: unary | calc ('*' | '/' | '%') calc | calc ('+' | '-') calc

    def calculation(self, lowest: int) -> Expr:
        entered = self.calculations
        self.calculations = entered + 1
        self.limit(self.calculations)
        start = self.starts[self.position]
        node = self.unary()
        while True:
            known = _CALCULATIONS.get(self.kinds[self.position])
            if known is None or known[1] < lowest:
                break
            function, precedence = known
            at = self.starts[self.position]
            depth = self.depth
            self.position += 1
            right = self.calculation(precedence + 1)
            self.deeper(max(depth, self.depth))
            node = Call(next(self.ids), start, self.end, at, function, None, (node, right), at)
        self.calculations = entered
        return node

    # unary: member | '!'+ member | '-'+ member

    def unary(self) -> Expr:
        kinds = self.kinds
        kind = kinds[self.position]
        if kind == IDENT:
            return self.member()
        first = self.position
        if kind not in _STARTS:
            if not self.repaired(_STARTS, _RULE_UNARY):
                return self.missing(self.starts[first])
            kind = kinds[self.position]
        if kind == "!" or (kind == "-" and kinds[self.position + 1] not in (INT, FLOAT)):
            return self.signed(kind)
        return self.member()

    def signed(self, sign: str) -> Expr:
        """A chain of `!` or `-`; an even number of them means nothing."""
        kinds = self.kinds
        first = self.position
        if sign == "-" and kinds[first + 1] not in _STARTS_PRIMARY:
            self.no_alternative(first, first + 1, _RULE_UNARY)
            return self.missing(self.starts[first])
        while kinds[self.position] == sign:
            self.position += 1
        count = self.position - first
        if kinds[self.position] not in _STARTS_PRIMARY:
            self.unwanted(_STARTS if sign == "!" else _STARTS_PRIMARY)
        node = self.member()
        if count % 2 == 0:
            return node
        at = self.starts[first]
        return Call(next(self.ids), at, self.end, at, "!_" if sign == "!" else "-_", None, (node,), at)

    # member: primary | member '.' '?'? name | member '.' name '(' … ')' | member '[' '?'? expr ']'

    def member(self) -> Expr:
        kinds, starts = self.kinds, self.starts
        start = starts[self.position]
        node = self.primary()
        while True:
            kind = kinds[self.position]
            if kind == ".":
                following = kinds[self.position + 1]
                if following not in (IDENT, ESCAPED_IDENT, "?"):
                    self.no_alternative(self.position, self.position + 1, _RULE_UNARY)
                    break
                if following == IDENT and kinds[self.position + 2] == "(":
                    node, closed = self.method(node, start)
                else:
                    node, closed = self.selection(node, start), True
            elif kind == "[":
                node, closed = self.index(node, start)
            else:
                break
            if not closed:
                break
        return node

    def selection(self, operand: Expr, start: int) -> Expr:
        dot = self.starts[self.position]
        self.position += 1
        optional = self.kinds[self.position] == "?"
        if optional:
            self.position += 1
            if self.kinds[self.position] not in (IDENT, ESCAPED_IDENT) and not self.repaired(
                (IDENT, ESCAPED_IDENT), _RULE_PRIMARY
            ):
                return self.missing(_NOWHERE)
        at = self.starts[self.position]
        name = self.field_name()
        self.deeper(self.depth)
        if optional:
            field = Literal(next(self.ids), at, self.end, at, "string", name)
            return Call(next(self.ids), start, self.end, dot, "_?._", None, (operand, field), at)
        return Select(next(self.ids), start, self.end, dot, operand, name, at, False)

    def field_name(self) -> str:
        """The name at the position, which is one, plain or between backticks."""
        text = self.texts[self.position]
        start = self.starts[self.position]
        self.end = start + len(text)
        self.position += 1
        if text[0] != "`":
            return text
        if not self.escaped_names:
            self.problems.append(Problem("unsupported syntax: '`'", start, start, self.end))
        return text[1:-1]

    def method(self, target: Expr, start: int) -> tuple[Expr, bool]:
        """A call with a receiver, and whether its bracket is closed."""
        named = self.position + 1
        self.position += 3
        depth = self.depth
        at = self.starts[named + 1]
        arguments, closed = self.arguments(_RULE_UNARY)
        self.deeper(max(depth, self.depth))
        return self.call(start, at, self.texts[named], target, arguments, self.starts[named]), closed

    def index(self, operand: Expr, start: int) -> tuple[Expr, bool]:
        """An index, and whether its bracket is closed."""
        at = self.starts[self.position]
        depth = self.depth
        self.position += 1
        function = "_[_]"
        if self.kinds[self.position] == "?":
            self.position += 1
            function = "_[?_]"
        elif self.kinds[self.position] not in _STARTS and not self.repaired(_STARTS | {"?"}, _RULE_UNARY):
            return Call(
                next(self.ids), start, self.end, at, function, None, (operand, self.missing(_NOWHERE)), at
            ), False
        self.following.append(frozenset(("]", "?")))
        key = self.expression()
        self.following.pop()
        depth = max(depth, self.depth)
        closed = self.close("]", _RULE_UNARY)
        self.deeper(depth)
        return Call(next(self.ids), start, self.end, at, function, None, (operand, key), at), closed

    def arguments(self, rule: int) -> tuple[tuple[Expr, ...], bool]:
        """After the opening bracket: exprList? ')', and whether that was there."""
        kind = self.kinds[self.position]
        arguments: list[Expr] = []
        depth = 0
        self.following.append(frozenset((")", ",", "?")))
        if (
            kind != ")"
            and (kind in _STARTS or self.repaired(_STARTS | {")"}, rule))
            and self.kinds[self.position] != ")"
        ):
            arguments.append(self.expression())
            depth = self.depth
            while self.kinds[self.position] == ",":
                self.position += 1
                arguments.append(self.expression())
                if self.depth > depth:
                    depth = self.depth
        self.following.pop()
        closed = self.close(")", rule)
        self.depth = depth
        return tuple(arguments), closed

    # primary

    def primary(self) -> Expr:
        kind = self.kinds[self.position]
        if kind == IDENT or kind == ".":
            return self.named()
        if kind == STRING:
            return self.literal("string", literals.string)
        if kind == "(":
            self.position += 1
            self.following.append(frozenset((")", "?")))
            self.primaries += 1
            node = self.expression()
            self.following.pop()
            depth = self.depth
            self.primaries -= 1
            self.close(")", _RULE_PRIMARY)
            self.depth = depth
            return node
        if kind == "[":
            return self.list_literal()
        if kind == "{":
            return self.map_literal()
        if kind in (INT, FLOAT, "-"):
            return self.number()
        if kind == UINT:
            return self.literal("uint", lambda text: Uint(literals.unsigned(text)))
        if kind == BYTES:
            return self.literal("bytes", literals.byte_string)
        if kind in ("true", "false"):
            return self.literal("bool", lambda text: text == "true")
        if kind == "null":
            return self.literal("null_type", lambda text: None)
        if not self.repaired(_STARTS_PRIMARY, _RULE_PRIMARY):
            return self.missing(_NOWHERE)
        return self.primary()

    def literal(self, kind: str, value: Callable[[str], LiteralValue], *, signed: bool = False) -> Expr:
        start = self.starts[self.position]
        text = self.texts[self.position]
        self.position += 1
        if signed:
            text += self.texts[self.position]
            self.end = self.starts[self.position] + len(self.texts[self.position])
            self.position += 1
        else:
            self.end = start + len(text)
        self.depth = 0
        try:
            decoded = value(text)
        except literals.LiteralError as error:
            self.problems.append(Problem(str(error), start, start, self.end))
            decoded = None
        return Literal(next(self.ids), start, self.end, start, kind, decoded)

    def number(self) -> Expr:
        """MINUS? NUM_INT | MINUS? NUM_FLOAT"""
        signed = self.kinds[self.position] == "-"
        kind = self.kinds[self.position + 1] if signed else self.kinds[self.position]
        if kind == INT:
            return self.literal("int", literals.integer, signed=signed)
        if kind == FLOAT:
            return self.literal("double", literals.double, signed=signed)
        self.no_alternative(self.position, self.position + 1, _RULE_PRIMARY)
        return self.missing(_NOWHERE)

    def named(self) -> Expr:
        """A name, a call of a function, or a message, each with an optional leading dot."""
        kinds, starts = self.kinds, self.starts
        first = self.position
        start = starts[first]
        dot = kinds[first] == "."
        at = first + 1 if dot else first
        if kinds[at] != IDENT:
            self.no_alternative(first, at, _RULE_PRIMARY)
            return self.missing(_NOWHERE)
        text = self.texts[at]
        after = at + 1
        while kinds[after] == "." and kinds[after + 1] == IDENT:
            after += 2
        if kinds[after] == "{":
            return self.message(first, at, after)
        self.position = at + 1
        self.depth = 0
        self.end = starts[at] + len(text)
        name = "." + text if dot else text
        if kinds[at + 1] == "(":
            self.position += 1
            self.primaries += 1
            arguments, _ = self.arguments(_RULE_PRIMARY)
            self.primaries -= 1
            if text in _RESERVED:
                return self.reserved(text, start)
            return self.call(start, starts[at + 1], name, None, arguments, starts[at])
        if text in _RESERVED:
            return self.reserved(text, start)
        return Ident(next(self.ids), start, self.end, starts[at], name)

    def reserved(self, text: str, start: int) -> Expr:
        self.problems.append(Problem(f"reserved identifier: {text}", start, start, self.end))
        return Literal(next(self.ids), start, self.end, start, "null_type", None)

    def list_literal(self) -> Expr:
        """'[' listInit? ','? ']'"""
        kinds = self.kinds
        start = self.starts[self.position]
        self.position += 1
        elements: list[Expr] = []
        optional: list[int] = []
        depth = 0
        self.following.append(frozenset(("]", ",", "?")))
        self.primaries += 1
        kind = kinds[self.position]
        if kind not in _STARTS and kind not in ("?", ",", "]"):
            self.repaired(_STARTS | {"?", ",", "]"}, _RULE_PRIMARY)
        if kinds[self.position] in _STARTS or kinds[self.position] == "?":
            while True:
                if kinds[self.position] == "?":
                    optional.append(len(elements))
                    self.position += 1
                elements.append(self.expression())
                if self.depth > depth:
                    depth = self.depth
                if kinds[self.position] != "," or not self.goes_on("]"):
                    break
                self.position += 1
            if kinds[self.position] not in (",", "]"):
                self.repaired(("]", ","), _RULE_PRIMARY)
        if kinds[self.position] == ",":
            self.position += 1
        self.following.pop()
        self.primaries -= 1
        self.close("]", _RULE_PRIMARY)
        self.depth = depth
        return ListExpr(next(self.ids), start, self.end, start, tuple(elements), frozenset(optional))

    def goes_on(self, closing: str) -> bool:
        """At a comma: whether another element follows it, rather than the end or something that neither can be."""
        following = self.kinds[self.position + 1]
        return following in _STARTS or following == "?"

    def map_literal(self) -> Expr:
        """'{' mapInitializerList? ','? '}'"""
        start = self.starts[self.position]
        at = start
        self.position += 1
        entries = self.entries(_STARTS, self.map_key)
        return MapExpr(next(self.ids), start, self.end, at, entries, None)

    def message(self, first: int, named: int, brace: int) -> Expr:
        """name ('.' name)* '{' fieldInitializerList? ','? '}'"""
        name = ("." if named > first else "") + "".join(self.texts[named:brace])
        self.position = brace + 1
        entries = self.entries(frozenset((IDENT, ESCAPED_IDENT)), self.message_key)
        return MapExpr(next(self.ids), self.starts[first], self.end, self.starts[brace], entries, name)

    def map_key(self) -> Expr:
        self.following.append(frozenset((":", "?")))
        key = self.expression()
        self.following.pop()
        return key

    def message_key(self) -> Expr:
        start = self.starts[self.position]
        if self.kinds[self.position] not in (IDENT, ESCAPED_IDENT) and not self.repaired(
            (IDENT, ESCAPED_IDENT), _RULE_PRIMARY
        ):
            return self.missing(_NOWHERE)
        name = self.field_name()
        return Literal(next(self.ids), start, self.end, start, "string", name)

    def entries(self, starts: frozenset[str], key_of: Callable[[], Expr]) -> tuple[Entry, ...]:
        """After the opening brace."""
        kinds = self.kinds
        entries: list[Entry] = []
        depth = 0
        self.following.append(frozenset(("}", ",", "?")))
        self.primaries += 1
        kind = kinds[self.position]
        if kind not in starts and kind not in ("?", ",", "}"):
            self.repaired(starts | {"?", ",", "}"}, _RULE_PRIMARY)
        if kinds[self.position] in starts or kinds[self.position] == "?":
            while True:
                optional = kinds[self.position] == "?"
                if optional:
                    self.position += 1
                self.depth = 0
                key = key_of()
                depth = max(depth, self.depth)
                at = self.starts[self.position]
                if not self.expect(":", _RULE_PRIMARY):
                    break
                value = self.expression()
                depth = max(depth, self.depth)
                entries.append(Entry(next(self.ids), at, key, value, optional))
                following = kinds[self.position + 1] if kinds[self.position] == "," else ""
                if following not in starts and following != "?":
                    break
                self.position += 1
            if kinds[self.position] not in (",", "}"):
                self.repaired(("}", ","), _RULE_PRIMARY)
        if kinds[self.position] == ",":
            self.position += 1
        self.following.pop()
        self.primaries -= 1
        self.close("}", _RULE_PRIMARY)
        self.depth = depth
        return tuple(entries)

    # Macros

    def call(
        self, start: int, at: int, name: str, target: Expr | None, arguments: tuple[Expr, ...], name_start: int
    ) -> Expr:
        key = (name, len(arguments), target is not None)
        if key in self.macros:
            site = Site(self.ids, start, self.end, at)
            try:
                expanded = EXPANDERS[key](site, target, arguments)
            except MacroError as error:
                self.problems.append(Problem(error.message, error.node.at, error.node.start, error.node.end))
                return Literal(next(self.ids), start, self.end, error.node.at, "null_type", None)
            if expanded is not None:
                self.expansions[expanded.id] = MacroCall(name, name_start, target, arguments, expanded)
                return expanded
        return Call(next(self.ids), start, self.end, at, name, target, arguments, name_start)

    # Limits

    def limit(self, open_rules: int) -> None:
        if open_rules > _MAX_DEPTH:
            self.problems.append(
                Problem(f"expression recursion limit exceeded: {_MAX_DEPTH}", None, 0, self.starts[-1])
            )
            raise _StopError

    def deeper(self, below: int) -> None:
        self.depth = below + 1
        if self.depth > self.deepest:
            self.deepest = self.depth

    # Errors and repairs

    def missing(self, at: int) -> Expr:
        """Stands where a node should be; there is no tree then. What is wrong with it is reported at `at`."""
        here = self.starts[self.position]
        self.end = max(self.end, here)
        self.depth = 0
        return Literal(next(self.ids), here, here, at, "null_type", None)

    def expect(self, kind: str, rule: int) -> bool:
        """Takes a token of `kind`, which may have to be supplied, or have one before it dropped."""
        kinds = self.kinds
        if kinds[self.position] == kind:
            self.position += 1
            return True
        self.attempt()
        expecting = _SHOWN[kind]
        if kinds[self.position] != EOF and kinds[self.position + 1] == kind:
            self.syntax(f"extraneous input {self.shown()} expecting {expecting}")
            self.position += 2
            return True
        if kind != EOF and self.may_follow(kind):
            self.syntax(f"missing {expecting} at {self.shown()}")
            self.quiet = self.position
            return True
        self.syntax(f"mismatched input {self.shown()} expecting {expecting}")
        self.skip(rule)
        return False

    def close(self, kind: str, rule: int) -> bool:
        """Takes a closing bracket, or supplies it; False without."""
        if not self.expect(kind, rule):
            return False
        before = self.position - 1
        if self.kinds[before] == kind:
            self.end = self.starts[before] + 1
        return True

    def may_follow(self, kind: str) -> bool:
        """Whether the token at the position can come right after the missing `kind`."""
        found = self.kinds[self.position]
        if kind == ":":
            return found in _STARTS
        return found in _CONTINUES or found in self.following[-1]

    def repaired(self, expected: Collection[str], rule: int) -> bool:
        """At a token that is not expected: drops it if the next one is, and else skips to where parsing can go on."""
        self.attempt()
        shown = _listed(expected)
        if self.kinds[self.position] != EOF and self.kinds[self.position + 1] in expected:
            self.syntax(f"extraneous input {self.shown()} expecting {shown}")
            self.position += 1
            return True
        self.syntax(f"mismatched input {self.shown()} expecting {shown}")
        self.skip(rule)
        return False

    def unwanted(self, expected: Collection[str]) -> None:
        """At a token after a chain of signs that cannot start what they belong to: it is skipped."""
        self.attempt()
        self.syntax(f"extraneous input {self.shown()} expecting {_listed(expected)}")
        self.skip(_RULE_UNARY)

    def no_alternative(self, first: int, position: int, rule: int) -> None:
        """Several rules fit from the token `first` on, and none with the one at `position`."""
        self.attempt()
        last = self.starts[position]
        if self.kinds[position] != EOF:
            last += len(self.texts[position])
        message = f"no viable alternative at input {_quoted(self.text[self.starts[first] : last])}"
        message = _RESERVED_WORD.sub(r"mismatched input '\1' expecting IDENTIFIER", message)
        self.report(message, self.starts[position], max(last, self.starts[position]))
        self.position = first
        self.skip(rule)

    def attempt(self) -> None:
        if self.recoveries == _MAX_RECOVERIES:
            self.syntax(f"error recovery attempt limit exceeded: {_MAX_RECOVERIES}")
            raise _StopError
        self.recoveries += 1

    def syntax(self, message: str) -> None:
        start = self.starts[self.position]
        text = self.texts[self.position]
        self.report(message, start, start + (0 if self.kinds[self.position] == EOF else len(text)))

    def report(self, message: str, start: int, end: int) -> None:
        if self.position != self.quiet:
            self.problems.append(Problem(f"Syntax error: {message}", start, start, end))

    def skip(self, rule: int) -> None:
        """On to a token that something still open can go on with, where `rule` is given up."""
        kinds = self.kinds
        start = self.position
        goes_on: Collection[str] = _OPERATORS if rule != _RULE_EXPRESSION or len(self.following) > 1 else ()
        if rule == _RULE_PRIMARY or self.primaries:
            goes_on = _CONTINUES
        while kinds[self.position] != EOF and kinds[self.position] not in goes_on:
            if any(kinds[self.position] in follow for follow in self.following):
                break
            self.position += 1
            if self.position - start > _MAX_SKIPPED:
                message = f"error recovery token lookahead limit exceeded: {_MAX_SKIPPED}"
                self.problems.append(Problem(message, None, 0, self.starts[-1]))
                raise _StopError
        self.quiet = self.position

    def shown(self) -> str:
        return _quoted(self.texts[self.position])


def _listed(expected: Collection[str]) -> str:
    shown = ", ".join(text for kind, text in _SHOWN.items() if kind in expected)
    return f"{{{shown}}}" if len(expected) > 1 else shown


def _quoted(text: str) -> str:
    return "'" + text.replace("\n", "\\n").replace("\r", "\\r").replace("\t", "\\t") + "'"

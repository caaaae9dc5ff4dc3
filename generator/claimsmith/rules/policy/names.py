"""What a policy may name, checked before anything is evaluated."""

from dataclasses import dataclass, field

from lark import Token

from claimsmith.rules.policy.problem import LIMIT, SYNTAX, TOO_COSTLY, UNKNOWN_NAME, Problem, ProblemError
from claimsmith.rules.policy.tree import Node, arguments, bare, branch, branches, identifier, span, token
from claimsmith.values.suggest import closest

MAX_DEPTH = 160
"""How many operators, calls and brackets may stand in one another; a chain of operators is as deep as it is long."""

MACROS = ("all", "exists", "exists_one", "filter", "map")
FUNCTIONS = (
    "bool", "bytes", "double", "duration", "dyn", "has", "int", "matches", "size", "string", "timestamp", "type", "uint"
)  # fmt: skip
_TIME = (
    "getDate", "getDayOfMonth", "getDayOfWeek", "getDayOfYear", "getFullYear", "getHours", "getMilliseconds",
    "getMinutes", "getMonth", "getSeconds",
)  # fmt: skip
METHODS = {"contains": 1, "endsWith": 1, "matches": 1, "size": 0, "startsWith": 1, **dict.fromkeys(_TIME, 0)}
TYPES = ("bool", "bytes", "double", "int", "list", "map", "null_type", "string", "type", "uint")

_TWO_VARIABLES = ("existsOne", "transformList", "transformMap", "transformMapEntry")
_EXTENSIONS = frozenset(
    [
        "charAt",
        "format",
        "indexOf",
        "join",
        "lastIndexOf",
        "lowerAscii",
        "quote",
        "replace",
        "reverse",
        "split",
        "substring",
        "trim",
        "upperAscii",
        "distinct",
        "first",
        "flatten",
        "last",
        "range",
        "slice",
        "sort",
        "sortBy",
        "hasValue",
        "optFlatMap",
        "optMap",
        "or",
        "orValue",
        "value",
        "cidr",
        "find",
        "findAll",
        "ip",
        "isCIDR",
        "isIP",
        "isQuantity",
        "isSemver",
        "isSorted",
        "isURL",
        "max",
        "min",
        "quantity",
        "semver",
        "sum",
        "url",
        "compareTo",
        "isGreaterThan",
        "isLessThan",
    ]
)
_NAMESPACES = frozenset(("base64", "cel", "format", "lists", "math", "optional", "proto", "regex", "sets", "strings"))


def check(tree: Node, variables: frozenset[str]) -> tuple[list[Problem], frozenset[str]]:
    """What is wrong with the names of an expression, and which of the variables it uses.

    ``ProblemError`` where it is too deep to look at.
    """
    checker = _Checker(variables)
    checker.visit(tree, frozenset(), 0)
    return checker.problems, frozenset(checker.used)


@dataclass(slots=True)
class _Checker:
    variables: frozenset[str]
    problems: list[Problem] = field(default_factory=list)
    used: set[str] = field(default_factory=set)

    def report(self, rule: str, where: Node | Token, **data: object) -> None:
        self.problems.append(Problem(rule, *span(where), data))

    def visit(self, tree: Node, scope: frozenset[str], depth: int) -> None:
        tree = bare(tree)
        if depth > MAX_DEPTH:
            problem = f"more than {MAX_DEPTH} operators and calls stand in one another"
            raise ProblemError(TOO_COSTLY, *span(tree), problem=problem)
        if tree.data == "primary":
            tree = branch(tree, 0)
        check = _CHECKS.get(tree.data)
        if check is None:
            for child in branches(tree):
                self.visit(child, scope, depth + 1)
        else:
            check(self, tree, scope, depth + 1)

    def ident(self, tree: Node, scope: frozenset[str], depth: int) -> None:
        name = token(tree, 0)
        if name in self.variables and name not in scope:
            self.used.add(str(name))
        elif name not in scope and name not in TYPES:
            self.unknown(name, scope)

    def unknown(self, name: Token, scope: frozenset[str]) -> None:
        known = sorted({*self.variables, *scope})
        called = name in FUNCTIONS
        problem = f"`{name}` is a function and wants its argument" if called else f"there is no variable `{name}`"
        hint = None if called else closest(name, known)
        self.report(UNKNOWN_NAME, name, problem=problem, known=", ".join(known), did_you_mean=hint or "")

    def dot_ident(self, tree: Node, scope: frozenset[str], depth: int) -> None:
        self.ident(tree, frozenset(), depth)

    def dot_ident_arg(self, tree: Node, scope: frozenset[str], depth: int) -> None:
        self.report(LIMIT, tree, feature="a function named with a leading `.`", instead="leave the `.` out")

    def ident_arg(self, tree: Node, scope: frozenset[str], depth: int) -> None:
        name, given = token(tree, 0), arguments(tree)
        if name in FUNCTIONS:
            self.count(name, given, 2 if name == "matches" else 1)
            if name == "has" and len(given) == 1 and bare(given[0]).data != "member_dot":
                self.report(SYNTAX, given[0], problem="`has` asks for a field: `has(a.b)`")
        elif name in _EXTENSIONS:
            self.extension(name, f"`{name}`")
        else:
            hint = closest(name, FUNCTIONS)
            self.report(
                UNKNOWN_NAME,
                name,
                problem=f"there is no function `{name}`",
                known=", ".join(FUNCTIONS),
                did_you_mean=hint or "",
            )
        for each in given:
            self.visit(each, scope, depth)

    def count(self, name: Token, given: list[Node], wanted: int) -> None:
        if len(given) != wanted:
            noun = "argument" if wanted == 1 else "arguments"
            self.report(SYNTAX, name, problem=f"`{name}` takes {wanted or 'no'} {noun} and not {len(given)}")

    def extension(self, name: Node | Token, feature: str) -> None:
        instead = "use the functions of CEL's standard library"
        self.report(LIMIT, name, feature=f"{feature} of CEL's extension libraries", instead=instead)

    def method(self, tree: Node, scope: frozenset[str], depth: int) -> None:
        receiver, name, given = branch(tree, 0), token(tree, 1), arguments(tree)
        namespace = identifier(receiver)
        if namespace is not None and namespace in _NAMESPACES and namespace not in scope:
            self.extension(tree, f"`{namespace}.{name}`")
            return
        self.visit(receiver, scope, depth)
        if name in MACROS or name in _TWO_VARIABLES:
            self.macro(name, given, scope, depth)
            return
        if name in _TIME and len(given) == 1:
            self.report(LIMIT, name, feature=f"`{name}` in a time zone", instead="times are in UTC")
        elif name in METHODS:
            self.count(name, given, METHODS[name])
        elif name in _EXTENSIONS:
            self.extension(name, f"`{name}`")
        else:
            known = (*MACROS, *METHODS)
            hint = closest(name, known)
            self.report(
                UNKNOWN_NAME,
                name,
                problem=f"there is no function `{name}` to call on a value",
                known=", ".join(sorted(known)),
                did_you_mean=hint or "",
            )
        for each in given:
            self.visit(each, scope, depth)

    def macro(self, name: Token, given: list[Node], scope: frozenset[str], depth: int) -> None:
        if name in _TWO_VARIABLES or len(given) == 3:
            three = "`map` with a condition" if name == "map" else f"`{name}` with two variables"
            instead = (
                "write `filter(x, …).map(x, …)`" if name == "map" else "use `all`, `exists` or `map` with one variable"
            )
            self.report(LIMIT, name, feature=three, instead=instead)
            return
        if len(given) != 2:
            self.report(SYNTAX, name, problem=f"`{name}` takes a variable and an expression")
            return
        variable = identifier(given[0])
        if variable is None:
            self.report(SYNTAX, given[0], problem=f"the first argument of `{name}` is the name of a variable")
            return
        self.visit(given[1], scope | {str(variable)}, depth)

    def message(self, tree: Node, scope: frozenset[str], depth: int) -> None:
        self.report(SYNTAX, tree, problem="policies have no message types")

    def literal(self, tree: Node, scope: frozenset[str], depth: int) -> None:
        number = token(tree, 0)
        if number.type not in ("INT_LIT", "UINT_LIT"):
            return
        digits = number.rstrip("uU")
        value = int(digits, 16) if "x" in digits.lower() else int(digits[:30])
        lowest, highest = (0, 2**64) if number.type == "UINT_LIT" else (-(2**63), 2**63)
        if not lowest <= value < highest:
            self.report(SYNTAX, number, problem="the number does not fit 64 bits")


_CHECKS = {
    "ident": _Checker.ident,
    "dot_ident": _Checker.dot_ident,
    "dot_ident_arg": _Checker.dot_ident_arg,
    "ident_arg": _Checker.ident_arg,
    "member_dot_arg": _Checker.method,
    "member_object": _Checker.message,
    "literal": _Checker.literal,
}

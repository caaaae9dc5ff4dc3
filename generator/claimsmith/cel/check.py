"""Whether the API server accepts a device selector, with its type, its cost and what is wrong."""

from collections.abc import Mapping
from dataclasses import dataclass

from claimsmith.cel import checker, cost, errors, parser, validators
from claimsmith.cel.ast import Expr, MacroCall
from claimsmith.cel.checker import Reference
from claimsmith.cel.deep import room_for
from claimsmith.cel.environment import MAX_COST, MAX_LENGTH, Environment
from claimsmith.cel.types import BOOL, Type, alike


@dataclass(frozen=True, slots=True)
class CheckError:
    """One thing wrong.

    `line` and `column` are cel-go's, 1-based code points, None where it gives none; `start` to `end` (exclusive)
    are the code points of the expression that it is about.
    """

    message: str
    line: int | None
    column: int | None
    start: int
    end: int


@dataclass(frozen=True, slots=True, eq=False)
class Checked:
    """The verdict on an expression.

    `ast` is there unless the text has a syntax error; `types` (by node id, what is unknown is dyn) and `references`
    once it was typed; `type` and `cost` when it compiles, also where the cost or the length alone refuses it.
    `message` is the API server's text for what does not compile. `macros` has the user's form of expansions by id.
    `nesting` is for `deep.room_for`.
    """

    expression: str
    ast: Expr | None
    type: str | None
    cost: int | None
    errors: tuple[CheckError, ...]
    message: str | None
    types: Mapping[int, Type]
    references: Mapping[int, Reference]
    macros: Mapping[int, MacroCall]
    nesting: int

    @property
    def compiles(self) -> bool:
        """Whether Kubernetes can evaluate it, whatever it costs."""
        return self.type is not None

    @property
    def accepted(self) -> bool:
        """Whether the API server stores it."""
        return not self.errors


def check(expression: str, environment: Environment) -> Checked:
    """Parses, types and costs an expression as Kubernetes does in this environment. Pure; never raises.

    Lone surrogates count as replacement characters, which is what Kubernetes reads in their place.
    """
    text = expression.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    parsed = parser.parse(text, environment.macros, escaped_names=environment.escaped_names)
    if parsed.tree is None:
        return _refused(text, parsed, None, parsed.problems)
    with room_for(parsed.nesting):
        return _typed(text, parsed, parsed.tree, environment)


def _typed(text: str, parsed: parser.Parsed, tree: Expr, environment: Environment) -> Checked:
    typed = checker.infer(tree, environment)
    problems = typed.problems or validators.literal_problems(typed, environment)
    if problems:
        return _refused(text, parsed, typed, problems)
    kind = typed.types[tree.id]
    if kind not in environment.results and not (environment.modern and alike(kind, BOOL)):
        message = f"must evaluate to bool or the unknown type, not {kind}"
        return _checked(text, parsed, typed, (CheckError(message, None, None, 0, len(text)),), message)
    failure = validators.instantiation_failure(typed, environment)
    if failure is not None:
        message = f"program instantiation failed: {failure.message}"
        return _checked(text, parsed, typed, (CheckError(message, None, None, failure.start, failure.end),), message)
    total = cost.estimate(tree, typed.types, typed.references, environment)
    found = []
    if len(text) > MAX_LENGTH // 4 and len(text.encode()) > MAX_LENGTH:
        found.append(CheckError(f"must not be longer than {MAX_LENGTH} bytes", None, None, 0, len(text)))
    if total > MAX_COST:
        message = f"too complex, exceeds cost limit: estimated cost {total}, limit {MAX_COST}"
        found.append(CheckError(message, None, None, 0, len(text)))
    refusal = found[0].message if found else None
    return _checked(text, parsed, typed, tuple(found), refusal, str(kind), total)


def _refused(
    text: str, parsed: parser.Parsed, typed: checker.Typed | None, problems: tuple[errors.Problem, ...]
) -> Checked:
    ordered = errors.in_order(problems)
    found = []
    for problem in ordered:
        line, column = (None, None) if problem.at is None else errors.line_column(text, problem.at)
        found.append(CheckError(problem.message, line, column, problem.start, problem.end))
    return _checked(text, parsed, typed, tuple(found), errors.compilation_failed(text, ordered))


def _checked(
    text: str,
    parsed: parser.Parsed,
    typed: checker.Typed | None,
    found: tuple[CheckError, ...],
    message: str | None,
    kind: str | None = None,
    total: int | None = None,
) -> Checked:
    types = typed.types if typed else {}
    references = typed.references if typed else {}
    return Checked(text, parsed.tree, kind, total, found, message, types, references, parsed.macros, parsed.nesting)

"""What is wrong with an expression, and the API server's text for it."""

from collections.abc import Sequence
from dataclasses import dataclass

_MAX_SNIPPET = 16_384
_MAX_REPORTED = 100
_FIRST = -2  # before every place, and before what has none


@dataclass(frozen=True, slots=True)
class Problem:
    """One error: cel-go's message, and code points of the source.

    `at` is where cel-go reports it, None for an error about the expression as a whole (a limit); `start` to `end`
    (exclusive) is the part of the source that it is about.
    """

    message: str
    at: int | None
    start: int
    end: int


def line_column(text: str, offset: int) -> tuple[int, int]:
    """The 1-based line and column of a code point; column 0 in an empty text and for what has no place in it."""
    if not text or offset < 0:
        return 1, 0
    return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)


def in_order(problems: Sequence[Problem]) -> tuple[Problem, ...]:
    """As cel-go lists them: those about the whole first, then by position, at most 100."""
    return tuple(sorted(problems[:_MAX_REPORTED], key=lambda problem: _FIRST if problem.at is None else problem.at))


def compilation_failed(text: str, problems: Sequence[Problem]) -> str:
    """The API server's message for problems that `in_order` returned."""
    return "compilation failed: " + "\n".join(_display(text, problem) for problem in problems)


def _display(text: str, problem: Problem) -> str:
    if problem.at is None:
        return f"ERROR: <input>:-1:0: {problem.message}"
    line, column = line_column(text, problem.at)
    shown = f"ERROR: <input>:{line}:{column}: {problem.message}"
    begin = text.rfind("\n", 0, max(problem.at, 0)) + 1
    end = text.find("\n", begin)
    source = (text[begin:] if end < 0 else text[begin:end]).replace("\t", " ")
    if not text or len(source.encode("utf-8", "surrogatepass")) > _MAX_SNIPPET:
        return shown
    before = "".join("\uff0e" if char > "\x7f" else "." for char in source[: max(column - 1, 0)])
    mark = "\uff3e" if source[max(column - 1, 0) : max(column, 1)] > "\x7f" else "^"
    return f"{shown}\n | {source}\n | {before}{mark}"

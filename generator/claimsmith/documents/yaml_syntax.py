"""What libyaml says about a syntax error, as a finding."""

import yaml

from claimsmith.documents.yaml_text import split_lines
from claimsmith.findings import Finding, Position

_UNCLOSED_QUOTE = "found unexpected end of stream"
_NESTING = "exceeded maximum nesting depth"
_UNDEFINED_TAG = "found undefined tag handle"
_OTHER_VERSION = "found incompatible YAML document"


def syntax_finding(error: yaml.MarkedYAMLError, text: str, file: str, *, max_depth: int) -> Finding:
    """The finding for an error that the C parser raised in this text.

    ``problem`` in its data is libyaml's own text, ``context_line`` the line on which what it was reading began.
    """
    problem, context = error.problem or "", error.context or ""
    mark = error.context_mark if problem == _UNCLOSED_QUOTE else error.problem_mark
    line, column = (mark.line + 1, mark.column + 1) if mark is not None else (1, 1)
    lines = split_lines(text)
    if line > len(lines):
        # libyaml acts as if the last line had an end.
        line, column = len(lines), len(lines[-1]) + 1
    before, here = lines[line - 1][: column - 1], lines[line - 1][column - 1 :]
    position = Position(file, line, column, line, column + 1)
    if here.startswith("\t") and not before.strip(" "):
        return Finding("CS112", position)
    if problem == _NESTING:
        return Finding("CS116", position, {"limit": max_depth})
    if problem == _UNDEFINED_TAG:
        tag = here.split()[0]
        return Finding("CS106", Position(file, line, column, line, column + len(tag)), {"tag": tag})
    if "directive" in context or "directive" in problem or problem == _OTHER_VERSION:
        return Finding("CS107", Position(file, line, 1, line, len(lines[line - 1]) + 1))
    context_line = error.context_mark.line + 1 if error.context_mark is not None else line
    return Finding("CS101", position, {"problem": problem, "context_line": context_line})

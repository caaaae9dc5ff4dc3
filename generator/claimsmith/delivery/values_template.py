"""A team's own layout of its Helm values: a jinja2 template that makes YAML of a workload's settings."""

import re
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from jinja2 import Template, TemplateSyntaxError

from claimsmith.delivery import template_syntax
from claimsmith.delivery.template_sandbox import MissingError, Sandbox, TemplateValueError
from claimsmith.delivery.template_syntax import COSTLY, MISSING, SYNTAX, TemplateProblem
from claimsmith.documents.nodes import Mapping as MappingNode
from claimsmith.documents.nodes import to_plain
from claimsmith.documents.yaml_reader import read
from claimsmith.documents.yaml_text import line_and_column, split_lines
from claimsmith.findings import Finding, Position, Severity
from claimsmith.rules import rule
from claimsmith.values.budget import BudgetError
from claimsmith.values.suggest import closest

MAX_CHARACTERS = 65_536
"""The longest template."""

_LINE_BREAK = re.compile(r"\r\n|\r|\n")
_FAILED, _NOT_VALUES = "CS735", "CS736"
_NO_DOCUMENTS = "CS118"
_MOST_FINDINGS = 20


@dataclass(frozen=True, slots=True)
class ValuesTemplate:
    """A template that was checked and can be rendered again and again."""

    file: str
    lines: Sequence[str]
    sandbox: Sandbox
    template: Template

    def position(self, line: int, word: str = "") -> Position:
        """Where a word stands in a line, else what the line holds."""
        return _position(self.file, self.lines, line, word)


def compile_template(text: str, file: str, variables: frozenset[str]) -> tuple[ValuesTemplate | None, list[Finding]]:
    """The template, or what is wrong with it; ``variables`` are the names that it may use."""
    lines = split_lines(text)
    if len(text) > MAX_CHARACTERS:
        problem = f"it has {len(text)} characters, and {MAX_CHARACTERS} are the most"
        return None, [Finding(COSTLY, Position(file), {"problem": problem})]
    sandbox = Sandbox()
    try:
        with warnings.catch_warnings():
            # Of Python's own codec, about escapes in strings.
            warnings.simplefilter("ignore")
            tree = sandbox.parse(text)
        problems = template_syntax.check(tree, variables)
        template = sandbox.from_string(template_syntax.prepare(tree)) if not problems else None
    except TemplateSyntaxError as error:
        problem = (error.message or "it is not understood").rstrip(".")
        problems = [TemplateProblem(SYNTAX, error.lineno, "", {"problem": problem[:1].lower() + problem[1:]})]
    except (RecursionError, MemoryError):
        problems = [TemplateProblem(COSTLY, 1, "", {"problem": "its tags and operators stand too deep in one another"})]
    except Exception:
        # Errors of Python that jinja2 does not turn into its own.
        problems = [TemplateProblem(SYNTAX, 1, "", {"problem": "it has a number that is too long, or a broken text"})]
    if problems:
        return None, [Finding(each.rule, _position(file, lines, each.line, each.word), each.data) for each in problems]
    assert template is not None
    return ValuesTemplate(file, lines, sandbox, template), []


def render(template: ValuesTemplate, model: Mapping[str, object]) -> tuple[dict[str, object] | None, list[Finding]]:
    """The values that the template makes of a model (plain JSON), or None; and what is wrong with them."""
    problem = _run(template, model)
    if problem is not None:
        place = template.position(problem.line, problem.word)
        return None, [Finding(problem.rule, place, problem.data)]
    written = template.sandbox.written
    text = "".join(part for _, _, part in written)
    roots, found = read(text.encode(), template.file)
    origin = _Origin(template, text, written)
    findings = [origin.of(each) for each in found[:_MOST_FINDINGS] if each.rule != _NO_DOCUMENTS]
    if any(rule(each.rule).severity is Severity.ERROR for each in findings):
        return None, findings
    if len(roots) != 1 or not isinstance(roots[0], MappingNode):
        made = "nothing" if not roots else f"{len(roots)} documents" if len(roots) > 1 else "no mapping"
        return None, [*findings, Finding(_NOT_VALUES, template.position(1), {"made": made})]
    plain = to_plain(roots[0])
    assert isinstance(plain, dict)
    return plain, findings


def _run(template: ValuesTemplate, model: Mapping[str, object]) -> TemplateProblem | None:
    """Fills the sandbox's output; returns what stopped it."""
    template.sandbox.start()
    context = template.template.new_context(dict(model))
    try:
        for _ in template.template.root_render_func(context):
            pass
    except MissingError as error:
        data = {
            "problem": f"there is no `{error.name}` here" if error.field else f"`{error.name}` has no value here",
            "known": ", ".join(sorted(error.known)) or "nothing",
            "did_you_mean": closest(error.name, error.known) or "",
        }
        return TemplateProblem(MISSING, _line(template, error), error.name, data)
    except BudgetError as error:
        return TemplateProblem(COSTLY, _line(template, error), "", {"problem": str(error)})
    except (RecursionError, MemoryError) as error:
        return TemplateProblem(COSTLY, _line(template, error), "", {"problem": "it goes too deep"})
    except TemplateValueError as error:
        return TemplateProblem(_FAILED, _line(template, error), "", {"problem": str(error)})
    except Exception as error:
        # Errors of Python that the sandbox does not turn into its own, such as from comparing a text with a number.
        problem = "the values do not fit what is done with them"
        return TemplateProblem(_FAILED, _line(template, error), "", {"problem": problem})
    return None


def _line(template: ValuesTemplate, error: BaseException) -> int:
    """The line of the template at which an error came up."""
    line, step = 1, error.__traceback__
    while step is not None:
        if step.tb_frame.f_globals.get("__jinja_template__") is template.template:
            line = template.template.get_corresponding_lineno(step.tb_lineno)
        step = step.tb_next
    return line


@dataclass(frozen=True, slots=True)
class _Origin:
    """The way back from places in the text that was written to places in the template."""

    template: ValuesTemplate
    text: str
    written: Sequence[tuple[int, bool, str]]

    def of(self, finding: Finding) -> Finding:
        """A finding about the text, said of the template."""
        place = finding.position
        data = {
            key: self._at(value, 1).line if key in ("first_line", "context_line") and isinstance(value, int) else value
            for key, value in finding.data.items()
        }
        width = place.end_column - place.column if place.end_line == place.line else 0
        return replace(finding, position=self._at(place.line, place.column, width), data=data)

    def _at(self, line: int, column: int, width: int = 0) -> Position:
        offset = self._offset(line, column)
        last = len(self.written) - 1
        for index, (origin, is_data, part) in enumerate(self.written):
            if offset >= len(part) and index < last:
                offset -= len(part)
                continue
            number, at = line_and_column(part[:offset], origin)
            if not is_data:
                return self.template.position(origin)
            if number == origin:
                at += self._beginning(origin, part)
            if at < 1 or not width:
                return self.template.position(number)
            return Position(self.template.file, number, at, number, at + width)
        return self.template.position(1)

    def _beginning(self, line: int, part: str) -> int:
        """How many characters of its line stand before a part, where only one place can be meant."""
        text, first = self.template.lines[line - 1], _LINE_BREAK.split(part)[0]
        return text.find(first) if first.strip() and text.count(first) == 1 else -len(part) - 1

    def _offset(self, line: int, column: int) -> int:
        start = 0
        for _ in range(line - 1):
            match = _LINE_BREAK.search(self.text, start)
            if match is None:
                break
            start = match.end()
        return start + column - 1


def _position(file: str, lines: Sequence[str], line: int, word: str) -> Position:
    text = lines[line - 1] if 1 <= line <= len(lines) else ""
    found = re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text) if word and word[0].isidentifier() else None
    start, end = (text.find(word), text.find(word) + len(word)) if word and word in text else (-1, -1)
    if found is not None:
        start, end = found.span()
    if start < 0:
        start, end = len(text) - len(text.lstrip()), len(text.rstrip())
    return Position(file, line, start + 1, line, max(end, start + 1) + 1)

"""Findings for people: a line to click on, the place in the source, and what to do."""

import unicodedata
from collections.abc import Callable, Sequence

import click

from claimsmith.findings import Severity
from claimsmith.report.diagnostic import CONSEQUENCES, Diagnostic, printable, shorten, summary

_COLOURS = {Severity.ERROR: "red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}

SourceLine = Callable[[str, int], str | None]


def render_concise(diagnostics: Sequence[Diagnostic]) -> str:
    """One line a finding."""
    return "\n".join(f"{_place(each)}: {each.rule} {each.message}" for each in diagnostics)


def render(diagnostics: Sequence[Diagnostic], source_line: SourceLine) -> str:
    """A block a finding: headline, frame, help, consequence. ``source_line`` gives a file's line, 1-based."""
    return "\n\n".join("\n".join(_block(each, source_line)) for each in diagnostics)


def render_summary(diagnostics: Sequence[Diagnostic]) -> str:
    """``2 errors, 1 warning``, or ``no findings``."""
    words = {"error": "error", "warning": "warning", "info": "note"}
    parts = [
        f"{count} {words[severity]}{'s' if count > 1 else ''}"
        for severity, count in summary(diagnostics).items()
        if count
    ]
    return ", ".join(parts) or "no findings"


def _place(each: Diagnostic) -> str:
    position = each.position
    return f"{position.file}:{position.line}:{position.column}"


def _block(each: Diagnostic, source_line: SourceLine) -> list[str]:
    severity = click.style(f"{each.severity.value}[{each.rule}]", fg=_COLOURS[each.severity], bold=True)
    lines = [f"{_place(each)}: {severity} {each.message}"]
    source = source_line(each.position.file, each.position.line)
    if source is not None:
        lines += _frame(each, source)
    if each.help:
        lines.append(f"  {click.style('help', bold=True)}: {each.help}")
    where = f", {', '.join(each.clusters)}" if each.clusters else ""
    field = f" at {printable(str(shorten(each.field)))}" if each.field else ""
    lines.append(click.style(f"  {each.consequence.value}{where}{field}: {CONSEQUENCES[each.consequence]}", dim=True))
    return lines


_LONGEST = 160


def _frame(each: Diagnostic, source: str) -> list[str]:
    position = each.position
    start = position.column - 1
    end = position.end_column - 1 if position.end_line == position.line else len(source)
    offset = max(0, start - _LONGEST // 2) if len(source) > _LONGEST else 0
    visible = source[offset : offset + _LONGEST]
    start, end = start - offset, min(end - offset, len(visible))
    number = str(position.line)
    gutter = click.style(" " * len(number) + " |", dim=True)
    marker = _width(visible[:start]) * " " + "^" * max(1, _width(visible[start:end]))
    return [
        f"  {click.style(number + ' |', dim=True)} {_printable(visible)}",
        f"  {gutter} {click.style(marker, fg=_COLOURS[each.severity])}",
    ]


def _printable(text: str) -> str:
    return "".join(" " if unicodedata.category(c) in ("Cc", "Cf") else c for c in text)


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(c) in "WF" else 0 if unicodedata.combining(c) else 1 for c in text)

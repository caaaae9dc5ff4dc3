"""What commands share: showing findings, and progress on a terminal."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from claimsmith.documents.source import Source
from claimsmith.report import json_report, text
from claimsmith.report.diagnostic import Diagnostic
from claimsmith.workflow.compile import Progress, no_progress

FORMATS = click.Choice(["text", "concise", "json"])


class Failure(click.ClickException):
    """What kept a command from doing its work, other than findings."""

    exit_code = 2


class Sources:
    """Lines of source files for reports, each file read once."""

    def __init__(self, root: Path, given: dict[str, bytes] | None = None) -> None:
        self._root = root
        self._given = given or {}
        self._files: dict[str, Source | None] = {}

    def line(self, file: str, number: int) -> str | None:
        if file not in self._files:
            self._files[file] = self._read(file)
        source = self._files[file]
        return source.line(number) or None if source else None

    def _read(self, file: str) -> Source | None:
        data = self._given.get(file)
        if data is None:
            path = self._root / file
            try:
                if not path.is_file() or path.stat().st_size > 1024 * 1024:
                    return None
                data = path.read_bytes()
            except OSError:
                return None
        return Source.of(data, file)


def show(diagnostics: list[Diagnostic], form: str, sources: Sources, **extra: object) -> None:
    """Prints findings to standard output in the form asked for; ``extra`` goes into the JSON form."""
    if form == "json":
        click.echo(json_report.render(diagnostics, **extra))
    elif form == "concise":
        if diagnostics:
            click.echo(text.render_concise(diagnostics))
    elif diagnostics:
        click.echo(text.render(diagnostics, sources.line) + "\n", color=_colour())


def _colour() -> bool | None:
    if os.environ.get("NO_COLOR"):
        return False
    return None


@contextmanager
def progress_bar(form: str) -> Iterator[Progress]:
    """Progress on standard error where that is a terminal and people read it; nothing elsewhere."""
    if form == "json" or not sys.stderr.isatty():
        yield no_progress
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        tasks = {}

        def report(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bar.add_task(what, total=total)
            bar.update(tasks[what], completed=done, total=total)

        yield report

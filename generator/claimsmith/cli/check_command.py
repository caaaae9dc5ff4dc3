"""``claimsmith check``: lints documents."""

import sys
from pathlib import Path

import click

from claimsmith.cli.common import FORMATS, Sources, progress_bar, show
from claimsmith.findings import Finding
from claimsmith.report import text
from claimsmith.report.diagnostic import diagnose, fails
from claimsmith.workflow.check import check, within
from claimsmith.workflow.compile import Options, Progress
from claimsmith.workflow.repository import (
    Repository,
    find_root,
    read_bytes,
    read_files,
    read_repository,
    yaml_files,
)


@click.command("check")
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, exists=True, allow_dash=True))
@click.option("--format", "form", type=FORMATS, default="text", show_default=True)
def command(paths: tuple[Path, ...], form: str) -> None:
    """Check claimsmith documents: files, folders, or - for standard input.

    Without PATHS, all of the repository. A file of a repository is checked together with the rest of it, and
    what is wrong in the given paths is reported.
    """
    options = Options()
    with progress_bar(form) as progress:
        if Path("-") in paths:
            if len(paths) > 1:
                raise click.UsageError("- stands alone")
            data = sys.stdin.buffer.read()
            repository = read_bytes(Path.cwd(), data, "-")
            findings = check(repository, options, progress)
            sources = Sources(Path.cwd(), {"-": data})
        else:
            repository, findings = _check_paths(paths, options, progress)
            sources = Sources(repository.root)
    diagnostics = diagnose(findings)
    show(diagnostics, form, sources)
    if form == "text":
        documents = sum(len(loaded.documents) + len(loaded.broken) for loaded in repository.files)
        click.echo(f"{documents} documents checked: {text.render_summary(diagnostics)}")
    sys.exit(1 if fails(diagnostics) else 0)


def _check_paths(paths: tuple[Path, ...], options: Options, progress: Progress) -> tuple[Repository, list[Finding]]:
    root = find_root(paths[0] if paths else Path.cwd())
    if not paths:
        if root is None:
            raise click.UsageError("there is no folder profiles/ here or above; name the files to check")
        repository = read_repository(root)
        return repository, check(repository, options, progress)
    inside = root is not None and all(path.resolve().is_relative_to(root / "profiles") for path in paths)
    if root is not None and (inside or all(path.resolve() == root for path in paths)):
        repository = read_repository(root)
        return repository, within(check(repository, options, progress), root, paths)
    return _standalone(paths, options, progress)


def _standalone(paths: tuple[Path, ...], options: Options, progress: Progress) -> tuple[Repository, list[Finding]]:
    here = Path.cwd()
    refused: list[Finding] = []
    files: list[tuple[Path, str]] = []
    for path in paths:
        if path.is_dir():
            files += [(each, each.as_posix()) for each in yaml_files(path, path, refused)]
        else:
            files.append((path, path.as_posix()))
    repository = read_files(here, files)
    return repository, [*refused, *check(repository, options, progress)]

"""``claimsmith compile``: profiles into output."""

import sys
from pathlib import Path

import click

from claimsmith.cli.common import FORMATS, Failure, Sources, progress_bar, show
from claimsmith.delivery.output_tree import OutputError
from claimsmith.report import text
from claimsmith.report.diagnostic import diagnose, fails
from claimsmith.workflow.build import Build, build
from claimsmith.workflow.compile import Options, unknown_selections
from claimsmith.workflow.repository import find_root, read_repository


@click.command("compile")
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit 1 if the output is not up to date.")
@click.option(
    "--cluster", "clusters", multiple=True, metavar="NAME", help="Only this cluster (several times for more)."
)
@click.option("--team", "teams", multiple=True, metavar="NAME", help="Only this team (several times for more).")
@click.option(
    "--output",
    type=click.Path(path_type=Path, file_okay=False),
    help="The output directory [default: output beside profiles].",
)
@click.option("--prune", is_flag=True, help="Remove retained templates; no Job may need them any more.")
@click.option("--format", "form", type=FORMATS, default="text", show_default=True)
@click.option(
    "--root",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    help="The repository [default: the nearest folder with profiles/].",
)
def command(
    only_check: bool,
    clusters: tuple[str, ...],
    teams: tuple[str, ...],
    output: Path | None,
    prune: bool,
    form: str,
    root: Path | None,
) -> None:
    """Compile profiles/ into output/.

    An error writes nothing. Files that the profiles no longer make are removed; files that claimsmith did not
    make are never touched.
    """
    found = root.resolve() if root else find_root(Path.cwd())
    if found is None or not (found / "profiles").is_dir():
        raise click.UsageError("there is no folder profiles/ here or above")
    target = (output if output is not None else found / "output").resolve()
    profiles = found / "profiles"
    if target.is_relative_to(profiles) or profiles.is_relative_to(target):
        raise click.UsageError(f"the output cannot be in {profiles}, nor the other way round")
    options = Options(frozenset(clusters), frozenset(teams), prune)
    repository = read_repository(found)
    for problem in unknown_selections(repository.documents, options):
        raise click.UsageError(problem)
    try:
        with progress_bar(form) as progress:
            built = build(repository, target, options, write=not only_check, progress=progress)
    except OutputError as error:
        raise Failure(str(error)) from error
    diagnostics = diagnose(built.findings)
    extra = {} if only_check else {"written": built.written, "removed": built.removed}
    show(diagnostics, form, Sources(found), **extra)
    if form == "text":
        click.echo(_outcome(built, only_check))
        if diagnostics:
            click.echo(text.render_summary(diagnostics))
    sys.exit(1 if fails(diagnostics) else 0)


def _outcome(built: Build, only_check: bool) -> str:
    name = built.output.name
    if built.refused:
        return f"{name}/ was not compiled; nothing was written"
    made = ", ".join(f"{count} {what}" for what, count in built.counts.items())
    if only_check:
        state = "differs from what the profiles make" if built.differs else "is what the profiles make"
        return f"{name}/ {state}: {made}"
    done = f"{len(built.written)} written, {len(built.removed)} removed, {built.unchanged} unchanged"
    return f"{name}/: {made}; files: {done}"

"""``claimsmith init``: a new repository, or what an existing one lacks."""

import datetime
import sys
from pathlib import Path

import click

from claimsmith.delivery.gitops import TOOLS
from claimsmith.workflow.initialise import EXAMPLE_CLUSTER, InitError, Plan, Request, carry_out, plan


class _RefusedError(click.ClickException):
    exit_code = 2


@click.command("init")
@click.argument("folder", metavar="[DIR]", default=".", type=click.Path(path_type=Path, file_okay=False))
@click.option("--gitops", "tool", type=click.Choice(TOOLS), help="Also write what this tool needs to deploy output/.")
@click.option("--repo-url", "url", metavar="URL", help="The repository's URL, for the GitOps tool.")
@click.option(
    "--cluster",
    metavar="NAME",
    help=f"The cluster of a new repository [default: {EXAMPLE_CLUSTER}]; in one that has clusters, the only one "
    "that --gitops is for.",
)
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit 1 if a file is missing.")
def command(folder: Path, tool: str | None, url: str | None, cluster: str | None, only_check: bool) -> None:
    """Set up a repository of profiles in DIR, the current folder unless given.

    Existing files are never changed, so it can be run again: it adds what is missing. In a repository that has
    profiles, --gitops adds the files for new teams and clusters and nothing else.
    """
    if url is not None and tool is None:
        raise click.UsageError("--repo-url needs --gitops")
    try:
        planned = plan(Request(folder, datetime.date.today().isoformat(), tool, url, cluster))
        if not only_check:
            carry_out(planned)
    except InitError as error:
        raise _RefusedError(str(error)) from error
    if only_check:
        for name in planned.create:
            click.echo(f"missing: {name}")
        sys.exit(1 if planned.create else 0)
    for line in (*_report(planned), *_next_steps(planned, tool)):
        click.echo(line)


def _report(planned: Plan) -> list[str]:
    lines = []
    if planned.create:
        lines += [f"Created in {planned.root}:", *(f"  {name}" for name in planned.create)]
    else:
        lines.append(f"Nothing to create in {planned.root}")
    if planned.kept:
        lines.append("Left alone, as they exist:")
        lines += [
            f"  {name}{'' if same else ' (differs from what init writes)'}" for name, same in planned.kept.items()
        ]
    return lines


def _next_steps(planned: Plan, tool: str | None) -> list[str]:
    steps = []
    if planned.is_new:
        steps += [
            f"put in what your cluster has: profiles/clusters/{planned.clusters[0]}.yaml",
            "write a team's profile after profiles/teams/example.yaml",
            "claimsmith check",
            "claimsmith compile, and commit profiles/ and output/ together",
        ]
    created = any(name.startswith("gitops/") for name in planned.create)
    if created and planned.lacks_url:
        steps.append("put the repository's URL for CHANGE-ME into gitops/argocd/")
    if created and tool == "argocd":
        steps += [f"kubectl apply -f gitops/argocd/{each}/, in Argo CD's cluster" for each in planned.clusters]
    if created and tool == "flux":
        steps += [f"let the Flux of {each} sync gitops/flux/{each}/" for each in planned.clusters]
    if not steps:
        return []
    return ["Next:", *(f"  {number}. {step}" for number, step in enumerate(steps, 1))]

"""``compile``: check, compile, and write or compare."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from claimsmith.delivery.layout import Files
from claimsmith.delivery.output_tree import OutputError, differences
from claimsmith.delivery.retention import RetentionError
from claimsmith.delivery.transaction import rewrite
from claimsmith.drivers.catalogue import Catalogue
from claimsmith.findings import Finding, Severity
from claimsmith.rules import rule
from claimsmith.workflow.check import silenced
from claimsmith.workflow.compile import Options, Progress, Resolution, no_progress, output_files, resolve_all
from claimsmith.workflow.repository import Repository
from claimsmith.workflow.templates import Templates


@dataclass(frozen=True, slots=True)
class Build:
    """What a compile did. ``refused``: errors, so nothing was written; ``differs``: of a mere check."""

    output: Path
    findings: tuple[Finding, ...]
    counts: Mapping[str, int]
    written: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    unchanged: int = 0
    refused: bool = False
    differs: bool = False


def build(
    repository: Repository, output: Path, options: Options, *, write: bool, progress: Progress = no_progress
) -> Build:
    """Compiles a repository into ``output``; with ``write`` False it only compares. Raises ``OutputError``."""
    catalogue = Catalogue(repository.documents.driver_schemas)
    resolution = resolve_all(repository.documents, catalogue, options, Templates(repository.root), progress)
    found = silenced(repository, [*repository.findings, *resolution.findings], options)
    counts = _counts(resolution)
    if any(rule(finding.rule).severity is Severity.ERROR for finding in found):
        return Build(output, tuple(found), counts, refused=True)
    progress("writing", 0, 1)

    def make() -> Files:
        try:
            return output_files(resolution, output, options)
        except RetentionError as error:
            raise OutputError(f"the templates that are deployed now cannot be read: {error}") from error

    if not write:
        different = differences(output, make(), options.wants)
        return Build(output, (*found, *_shown(different, repository.root)), counts, differs=bool(different))
    done = rewrite(output, make, options.wants)
    if done.conflicts:
        return Build(output, (*found, *_shown(done.conflicts, repository.root)), counts, refused=True)
    written = (*done.added, *done.changed)
    return Build(output, tuple(found), counts, written, done.removed, done.unchanged)


def _shown(findings: Iterable[Finding], root: Path) -> Iterator[Finding]:
    """Findings about the output, with paths relative to the repository where they are inside it."""
    prefix = f"{root.as_posix()}/"
    for finding in findings:
        data = {
            key: value.removeprefix(prefix) if isinstance(value, str) else value for key, value in finding.data.items()
        }
        place = replace(finding.position, file=finding.position.file.removeprefix(prefix))
        yield replace(finding, position=place, data=data)


def _counts(resolution: Resolution) -> dict[str, int]:
    clusters = resolution.clusters
    teams = {one.profile.name for each in clusters for one in each.profiles}
    return {
        "clusters": len(clusters),
        "teams": len(teams),
        "device classes": sum(ref.ours for each in clusters for ref in each.context.classes),
        "claim templates": sum(
            len(one.claims) * len(one.profile.namespaces) for each in clusters for one in each.profiles
        ),
    }

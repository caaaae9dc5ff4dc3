"""``check``: what is wrong with documents, without writing anything."""

import os
from collections.abc import Iterable
from pathlib import Path

from claimsmith.drivers.catalogue import Catalogue
from claimsmith.findings import Finding
from claimsmith.workflow import suppress
from claimsmith.workflow.compile import Options, Progress, no_progress, resolve_all
from claimsmith.workflow.repository import Repository
from claimsmith.workflow.templates import Templates


def check(repository: Repository, options: Options, progress: Progress = no_progress) -> list[Finding]:
    """All findings of a repository, those silenced by comments left out."""
    catalogue = Catalogue(repository.documents.driver_schemas)
    resolution = resolve_all(repository.documents, catalogue, options, Templates(repository.root), progress)
    return silenced(repository, [*repository.findings, *resolution.findings], options)


def silenced(repository: Repository, findings: list[Finding], options: Options) -> list[Finding]:
    """The findings that remain after the suppressions of the repository's files."""
    comments = (each for loaded in repository.files for each in loaded.suppressions)
    complete = repository.whole and not options.clusters and not options.teams
    return suppress.apply(findings, comments, complete=complete)


def within(findings: Iterable[Finding], root: Path, paths: Iterable[Path]) -> list[Finding]:
    """The findings in files at or below one of the paths."""
    # Links are not followed: a link that leads out of the repository is found where it stands.
    wanted = [Path(os.path.normpath(path.parent.resolve() / path.name)) for path in paths]
    return [
        finding
        for finding in findings
        if any(Path(os.path.normpath(root / finding.position.file)).is_relative_to(path) for path in wanted)
    ]

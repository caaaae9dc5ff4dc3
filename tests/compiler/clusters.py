"""Whole clusters compiled from documents as text, without the command line."""

from collections.abc import Mapping
from datetime import date
from typing import Any

from claimsmith.compiler.context import ClusterContext, build_context
from claimsmith.compiler.program import ClusterOutput, compile_cluster
from claimsmith.compiler.resolve import ResolvedProfile, resolve
from claimsmith.documents.load import DocumentSet, gather, load_file
from claimsmith.drivers.catalogue import Catalogue
from claimsmith.findings import Finding
from claimsmith.rules.checks import check_cluster
from claimsmith.rules.facts import Facts

CATALOGUE = Catalogue()


def documents(texts: Mapping[str, str]) -> DocumentSet:
    """Documents by file name; they must have no fault of form."""
    loaded = [load_file(text.encode(), name) for name, text in sorted(texts.items())]
    found, duplicates = gather(loaded)
    assert [*duplicates, *(finding for each in loaded for finding in each.findings)] == []
    return found


def context_of(texts: Mapping[str, str]) -> ClusterContext:
    """The one cluster of the documents."""
    return _context(documents(texts))


def _context(found: DocumentSet) -> ClusterContext:
    [cluster] = found.clusters
    context, problems = build_context(cluster, CATALOGUE, found)
    assert problems == []
    assert context is not None
    return context


def profiles_of(texts: Mapping[str, str]) -> tuple[ClusterContext, list[ResolvedProfile]]:
    """The one cluster, and every profile on it."""
    found = documents(texts)
    context = _context(found)
    resolved = []
    for each in found.profiles:
        one, problems = resolve(each, context)
        assert problems == []
        resolved.append(one)
    return context, resolved


def compiled(texts: Mapping[str, str]) -> ClusterOutput:
    return compile_cluster(*profiles_of(texts))


def cluster_findings(texts: Mapping[str, str], today: date = date(2026, 11, 30)) -> list[Finding]:
    """What is said of the one cluster without its profiles."""
    found = documents(texts)
    return list(check_cluster(_context(found), Facts.of(found, today)))


def objects(output: ClusterOutput, file: str) -> list[dict[str, Any]]:
    """The objects of one file of the platform, none where there is no file."""
    return [dict(each) for each in output.platform.get(file, ())]


def templates(output: ClusterOutput, team: str) -> list[dict[str, Any]]:
    """The templates of a team."""
    return [dict(each) for one in output.teams if one.team == team for each in one.templates]

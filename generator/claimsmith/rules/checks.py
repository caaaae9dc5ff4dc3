"""All checks, in the order in which a run calls them."""

from collections.abc import Iterator

from claimsmith.compiler.context import ClusterContext
from claimsmith.compiler.resolve import ResolvedProfile
from claimsmith.documents.load import DocumentSet
from claimsmith.findings import Finding
from claimsmith.rules import (
    cs1_references,
    cs2_api,
    cs5_selection,
    cs6_health,
    cs7_capacity,
    cs7_delivery,
    cs8_fallback,
)
from claimsmith.rules.facts import Facts


def check_documents(documents: DocumentSet) -> Iterator[Finding]:
    """What can be said without a cluster."""
    yield from cs1_references.check_documents(documents)
    yield from cs8_fallback.check_evidence(documents)


def check_cluster(context: ClusterContext, facts: Facts) -> Iterator[Finding]:
    """What can be said of a cluster without profiles."""
    for finding in cs2_api.check_cluster(context):
        yield finding.on(context.name)
    yield from cs6_health.check_cluster(context, facts.today)
    yield from cs7_capacity.check_cluster(context, facts.documents)


def check_profile(resolved: ResolvedProfile, facts: Facts) -> Iterator[Finding]:
    """What can be said of a profile on a cluster."""
    yield from cs2_api.check(resolved)
    yield from cs5_selection.check(resolved)
    yield from _own_selectors(resolved, facts)
    yield from cs6_health.check(resolved)
    yield from cs7_capacity.check(resolved)
    yield from cs7_delivery.check(resolved)
    yield from cs8_fallback.check(resolved, facts)


def _own_selectors(resolved: ResolvedProfile, facts: Facts) -> Iterator[Finding]:
    requests = [request for claim in resolved.profile.claims for request in claim.requests]
    entries = [entry for request in requests for entry in request.prefer]
    if any("cel" in each.require for each in requests) or any("cel" in each.require for each in entries):
        # The evaluator takes its time to be imported, and most profiles do without selectors of their own.
        from claimsmith.rules.selectors import profile

        yield from profile.check(resolved, facts.documents.sources.get(resolved.profile.file))

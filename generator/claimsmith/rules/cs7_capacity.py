"""CS720 to CS729: quotas, reservations and node pools that are empty."""

from collections.abc import Iterator

from claimsmith.compiler.context import ClusterContext
from claimsmith.compiler.quotas import charge, limits
from claimsmith.compiler.reservations import foreign_reservations, reserved_classes
from claimsmith.compiler.resolve import ResolvedProfile
from claimsmith.documents.guardrails import Reservation
from claimsmith.documents.load import DocumentSet
from claimsmith.findings import Consequence, Finding, Rule, Severity, register
from claimsmith.values.suggest import closest


@register
class ReservedForOthers(Rule):
    id = "CS720"
    name = "reserved-for-others"
    severity = Severity.ERROR
    consequence = Consequence.REJECTED
    message = "`{device_class}` is reserved for team `{team}` (reservation `{reservation}`)"
    help = "take this entry out on this cluster; as long as it is there, not even the other entries can be had"
    why = (
        "A reservation gives the other teams a quota of zero in the class, and Kubernetes charges a claim in every "
        "class that its list names. So the claim is refused, its fallback included."
    )
    bad = "prefer: [{model: H200-141GB}, {model: H100-80GB}]   # H200-141GB is reserved for another team\n"
    good = "prefer: [{model: H100-80GB}]\n"


@register
class QuotaTooSmall(Rule):
    id = "CS721"
    name = "quota-too-small"
    severity = Severity.ERROR
    consequence = Consequence.REJECTED
    message = "one claim is charged {count} devices of `{device_class}`, and the quota of team `{team}` is {limit}"
    help = "raise the quota, or take the entry out: Kubernetes charges every class that a list names"
    why = (
        "ResourceQuota charges a claim when it is created: of each class the most that any alternative asks, whatever "
        "is allocated later. A list can be used only with quota in all of its classes."
    )
    bad = "quotas: [{team: vision, model: A100-80GB, devices: 4}]   # the list falls back to 8 of them\n"
    good = "quotas: [{team: vision, model: A100-80GB, devices: 8}]\n"


@register
class QuotaPerNamespace(Rule):
    id = "CS722"
    name = "quota-per-namespace"
    severity = Severity.INFO
    consequence = Consequence.UNSAFE
    message = "the quota counts in each of the {count} namespaces of team `{team}` on its own"
    why = "Kubernetes has no quota over several namespaces."


@register
class ReservationNeedsTaints(Rule):
    id = "CS723"
    name = "reservation-needs-taints"
    severity = Severity.ERROR
    consequence = Consequence.IGNORED
    message = "the driver pools cannot be set aside on Kubernetes {kubernetes} of this cluster (missing: {missing})"
    help = "leave out `pools`, and reserve by `models` or `nodePool`"
    why = (
        "Devices are set aside by a DeviceTaintRule and a toleration in the team's templates. A target that drops one "
        "or ignores the other would let everybody in, or nobody."
    )
    bad = "pools: [{driver: gpu.nvidia.com, pool: node-7}]   # on a 1.35 cluster\n"
    good = "models: [H100-80GB]\n"


@register
class ReservationEmpty(Rule):
    id = "CS724"
    name = "reservation-empty"
    severity = Severity.ERROR
    consequence = Consequence.INVALID
    message = "the reservation names neither `nodePool` nor `models` nor `pools`"
    why = "Nothing would be set aside."


@register
class ReservationUnknown(Rule):
    id = "CS725"
    name = "reservation-unknown"
    severity = Severity.ERROR
    consequence = Consequence.INVALID
    message = "cluster {cluster} has no {what} `{name}`"
    help = "known: {known}"
    why = "What is reserved must be there."


@register
class NodePoolReserved(Rule):
    id = "CS726"
    name = "node-pool-reserved"
    severity = Severity.ERROR
    consequence = Consequence.UNSAFE
    message = "node pool `{pool}` is reserved for team `{team}` (reservation `{reservation}`)"
    why = "The pool was set aside; its nodes are not for the workloads of other teams."


@register
class EmptyPool(Rule):
    id = "CS727"
    name = "pool-may-be-empty"
    severity = Severity.WARNING
    consequence = Consequence.UNSAFE
    message = "every node pool with {model} may shrink to no node ({pools}), and an empty pool publishes no device"
    help = "set `minSize: 1`, or order the entries so that this one is not waited for"
    why = (
        "Autoscalers see what a pool would publish only where they are told so. While a pool is empty its alternative "
        "is passed over, and a hard constraint waits without making the pool grow."
    )
    bad = "nodePools: [{name: h100, models: [H100-80GB], minSize: 0}]\n"
    good = "nodePools: [{name: h100, models: [H100-80GB], minSize: 1}]\n"


@register
class QuotaUnknown(Rule):
    id = "CS728"
    name = "quota-unknown"
    severity = Severity.ERROR
    consequence = Consequence.INVALID
    message = "cluster {cluster} has no {what} `{name}`"
    help = "known: {known}"
    why = "A quota of something that is not there limits nothing."


@register
class NodePoolReservedTwice(Rule):
    id = "CS729"
    name = "node-pool-reserved-twice"
    severity = Severity.ERROR
    consequence = Consequence.INVALID
    message = "node pool `{pool}` is already reserved for team `{team}` (reservation `{reservation}`)"
    why = "What is set aside for one team cannot be set aside for another."


@register
class NamespaceShared(Rule):
    id = "CS740"
    name = "namespace-shared"
    severity = Severity.ERROR
    consequence = Consequence.UNSAFE
    message = (
        "namespace `{namespace}` is also that of team `{other}`, and quotas, reservations and policies hold for both"
    )
    help = "give each team namespaces of its own on a cluster with such guardrails"
    why = (
        "Quotas and admission policies work by namespace. Where two teams share one, each is held to the limits of "
        "the other: what is reserved for one is refused to it in the name of the other."
    )
    bad = (
        "metadata: {name: vision}\nspec: {namespaces: [ml]}\n---\nmetadata: {name: speech}\nspec: {namespaces: [ml]}\n"
    )
    good = "metadata: {name: vision}\nspec: {namespaces: [ml-vision]}\n"


def check_cluster(context: ClusterContext, documents: DocumentSet) -> Iterator[Finding]:
    """Quotas and reservations against what the cluster has."""
    found = (*_reservations(context, documents), *_quotas(context, documents), *_namespaces(context, documents))
    for finding in found:
        yield finding.on(context.name)


def _reservations(context: ClusterContext, documents: DocumentSet) -> Iterator[Finding]:
    target, cluster = context.target, context.cluster
    models = [each.model for each in context.classes if each.ours and each.model and not each.partition]
    pools = [pool.name for pool in cluster.node_pools]
    held: dict[str, Reservation] = {}
    for each in context.reservations:
        first = held.setdefault(each.node_pool, each) if each.node_pool else each
        if first.team != each.team:
            yield each.finding("CS729", "nodePool", pool=each.node_pool, team=first.team, reservation=first.name)
        if not (each.node_pool or each.models or each.pools):
            yield each.name_finding("CS724")
        for step, what, names, known in (
            ("team", "team", [each.team], [profile.name for profile in documents.profiles]),
            ("nodePool", "node pool", [each.node_pool] if each.node_pool else [], pools),
        ):
            for name in names:
                if name not in known and not (what == "team" and documents.is_broken("TeamProfile", name)):
                    yield each.finding("CS725", step, **_unknown(context, what, name, known))
        for index, model in enumerate(each.models):
            if model.lower() not in [known.lower() for known in models]:
                yield each.finding("CS725", "models", index, **_unknown(context, "model", model, models))
        for pool in each.pools:
            if pool.driver not in context.drivers:
                yield pool.finding("CS725", "driver", **_unknown(context, "driver", pool.driver, list(context.drivers)))
        missing = list(target.missing_for_taint_rules)
        if not target.honours_tolerations and "DRADeviceTaints" not in missing:
            missing.append("DRADeviceTaints")
        if each.pools and missing:
            yield each.finding("CS723", "pools", kubernetes=target.kubernetes, missing=", ".join(missing))


def _namespaces(context: ClusterContext, documents: DocumentSet) -> Iterator[Finding]:
    if not (context.cluster.admission_policy or context.cluster.quotas or context.reservations):
        return
    owners: dict[str, str] = {}
    for profile in documents.profiles:
        if profile.clusters is not None and context.name not in profile.clusters:
            continue
        for index, namespace in enumerate(profile.namespaces):
            other = owners.setdefault(namespace, profile.name)
            if other != profile.name:
                yield profile.finding("CS740", "namespaces", index, namespace=namespace, other=other)


def _quotas(context: ClusterContext, documents: DocumentSet) -> Iterator[Finding]:
    ours = [each for each in context.classes if each.ours and each.model]
    profiles = {profile.name: profile for profile in documents.profiles}
    for quota in context.cluster.quotas:
        if quota.team not in profiles and not documents.is_broken("TeamProfile", quota.team):
            yield quota.finding("CS728", "team", **_unknown(context, "team", quota.team, list(profiles)))
        elif quota.team in profiles and len(profiles[quota.team].namespaces) > 1:
            yield quota.finding("CS722", "devices", count=len(profiles[quota.team].namespaces), team=quota.team)
        known = sorted({each.model for each in ours if each.model})
        if quota.model.lower() not in [name.lower() for name in known]:
            yield quota.finding("CS728", "model", **_unknown(context, "model", quota.model, known))
        elif quota.partition is not None:
            parts = [p.partition for p in ours if p.partition and (p.model or "").lower() == quota.model.lower()]
            if quota.partition.lower() not in [part.lower() for part in parts]:
                yield quota.finding("CS728", "partition", **_unknown(context, "partition", quota.partition, parts))


def _unknown(context: ClusterContext, what: str, name: str, known: list[str]) -> dict[str, object]:
    return {
        "cluster": context.name,
        "what": what,
        "name": name,
        "known": ", ".join(sorted(known)) or "none",
        "did_you_mean": closest(name, known),
    }


def check(resolved: ResolvedProfile) -> Iterator[Finding]:
    """One profile against quotas, reservations and the sizes of node pools."""
    for finding in (*_claims(resolved), *_pools(resolved), *_sizes(resolved)):
        yield finding.on(resolved.context.name)


def _claims(resolved: ResolvedProfile) -> Iterator[Finding]:
    team, context = resolved.profile.name, resolved.context
    taken = reserved_classes(context, foreign_reservations(context, team))
    most = limits(context, team)
    for claim in resolved.claims:
        charged = charge(claim)
        for request in claim.requests:
            for choice in request.choices:
                name = choice.device_class.name
                step = "model" if choice.device_class.model and choice.source is not request.source else "deviceClass"
                if name in taken:
                    reservation = taken[name]
                    yield choice.source.finding(
                        "CS720", step, device_class=name, team=reservation.team, reservation=reservation.name
                    )
                elif charged[name] > most.get(name, charged[name]):
                    yield choice.source.finding(
                        "CS721", step, count=charged[name], device_class=name, team=team, limit=most[name]
                    )


def _pools(resolved: ResolvedProfile) -> Iterator[Finding]:
    closed = {each.node_pool: each for each in foreign_reservations(resolved.context, resolved.profile.name)}
    for workload in resolved.profile.workloads:
        reservation = closed.get(workload.node_pool) if workload.node_pool else None
        if reservation is not None:
            yield workload.finding(
                "CS726", "nodePool", pool=workload.node_pool, team=reservation.team, reservation=reservation.name
            )


def _sizes(resolved: ResolvedProfile) -> Iterator[Finding]:
    for claim in resolved.claims:
        for request in claim.requests:
            for choice in request.choices:
                model = choice.device_class.model
                pools = resolved.context.pools_with(model) if model else ()
                if pools and all(pool.min_size == 0 for pool in pools):
                    yield choice.source.finding(
                        "CS727", "model", model=model, pools=", ".join(pool.name for pool in pools)
                    )

"""CS710 to CS729: queues, placement and what a workload asks of its Job."""

from collections.abc import Iterator

from claimsmith.compiler.resolve import ResolvedProfile
from claimsmith.documents.team_profile import Workload
from claimsmith.findings import Consequence, Finding, Rule, Severity, register
from claimsmith.values.suggest import closest


@register
class PendingDeadlineIgnored(Rule):
    id = "CS710"
    name = "pending-deadline-ignored"
    severity = Severity.INFO
    consequence = Consequence.IGNORED
    message = "`pendingDeadline` is left out: {reason}"
    help = "`activeDeadline` counts waiting and running together, and does end a Pod that waits"
    why = (
        "Kubernetes has no deadline for waiting alone, and a Pending Pod never counts against backoffLimit. Only a "
        "queue with a field of its own could keep it."
    )


@register
class UnboundedWait(Rule):
    id = "CS711"
    name = "unbounded-wait"
    severity = Severity.WARNING
    consequence = Consequence.IGNORED
    message = "`pendingDeadline` is left out, and nothing else ends the wait of workload `{workload}`"
    help = "add `activeDeadline`"
    why = "A Pod that no node can serve stays Pending for ever unless its Job has activeDeadlineSeconds."
    bad = "lifecycle: {pendingDeadline: 30m}\n"
    good = "lifecycle: {pendingDeadline: 30m, activeDeadline: 24h}\n"


@register
class QueueRefusesList(Rule):
    id = "CS712"
    name = "queue-refuses-list"
    severity = Severity.ERROR
    consequence = Consequence.REJECTED
    message = "Kueue does not admit a workload whose claim has a list of alternatives"
    help = "keep one entry in `prefer` on this cluster, or run the workload without the queue"
    why = "Kueue counts a claim by its class and has no rule yet for firstAvailable, so it never admits the workload."
    bad = "queue: {kind: kueue}   # of the cluster\nprefer: [{model: H100-80GB}, {model: A100-80GB}]\n"
    good = "prefer: [{model: H100-80GB}]\n"


@register
class DevicePluginPool(Rule):
    id = "CS713"
    name = "device-plugin-pool"
    severity = Severity.ERROR
    consequence = Consequence.NEVER_MATCHES
    message = "in node pool `{pool}` a device plugin hands the devices out, so no claim of workload `{workload}` is ever met there"
    why = "A node's devices belong to the device plugin or to the DRA driver; only the latter publishes ResourceSlices."


@register
class UnknownNodePool(Rule):
    id = "CS714"
    name = "unknown-node-pool"
    severity = Severity.ERROR
    consequence = Consequence.INVALID
    message = "cluster {cluster} has no node pool `{pool}`"
    help = "known: {known}"
    why = "A workload with a node selector that no node has would wait for ever."
    bad = "workloads:\n- {name: train, kind: Job, claims: [gpu], nodePool: trian}\n"
    good = "workloads:\n- {name: train, kind: Job, claims: [gpu], nodePool: train}\n"


def check(resolved: ResolvedProfile) -> Iterator[Finding]:
    for workload in resolved.profile.workloads:
        for finding in (
            *_lifecycle(workload, resolved),
            *_queue(workload, resolved),
            *_pool(workload, resolved),
        ):
            yield finding.on(resolved.context.name)


def _lifecycle(workload: Workload, resolved: ResolvedProfile) -> Iterator[Finding]:
    lifecycle = workload.lifecycle
    if lifecycle is None or lifecycle.pending_deadline is None or workload.kind not in ("Job", "CronJob"):
        return
    if lifecycle.active_deadline is None:
        yield lifecycle.finding("CS711", "pendingDeadline", workload=workload.name)
        return
    kind = resolved.context.cluster.queue_kind
    reason = "the cluster has no queue" if kind == "none" else f"the queue {kind} has no field for it"
    yield lifecycle.finding("CS710", "pendingDeadline", reason=reason)


def _queue(workload: Workload, resolved: ResolvedProfile) -> Iterator[Finding]:
    if resolved.context.cluster.queue_kind != "kueue":
        return
    for name in workload.claims:
        claim = resolved.claim(name)
        for request in claim.requests if claim else ():
            if request.is_list:
                yield request.source.finding("CS712", "prefer")


def _pool(workload: Workload, resolved: ResolvedProfile) -> Iterator[Finding]:
    cluster = resolved.context.cluster
    if workload.node_pool is None:
        return
    pool = cluster.node_pool(workload.node_pool)
    if pool is None:
        known = sorted(each.name for each in cluster.node_pools)
        yield workload.finding(
            "CS714",
            "nodePool",
            cluster=cluster.name,
            pool=workload.node_pool,
            known=", ".join(known) or "none",
            did_you_mean=closest(workload.node_pool, known),
        )
    elif pool.devices == "devicePlugin":
        yield workload.finding("CS713", "nodePool", pool=pool.name, workload=workload.name)

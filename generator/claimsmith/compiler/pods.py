"""What a workload's Pods need: claims, placement, and the limits of its Job."""

from collections.abc import Mapping
from dataclasses import dataclass

from claimsmith.compiler.claims import tolerations
from claimsmith.compiler.reservations import open_pools, own_pools
from claimsmith.compiler.resolve import ResolvedProfile
from claimsmith.documents.cluster import NodePool
from claimsmith.documents.team_profile import Workload

JOB_KINDS = ("Job", "CronJob")


@dataclass(frozen=True, slots=True)
class PodSettings:
    """Kubernetes fields, each part empty where there is nothing to say.

    ``name`` is the workload's, with the alternative where there are settings for each. ``pod_spec`` are fields of
    a Pod's spec, ``container`` of the container that gets the devices, ``job`` of a Job's spec.
    """

    name: str
    workload: Workload
    pod_spec: Mapping[str, object]
    container: Mapping[str, object]
    job: Mapping[str, object]


def pod_settings(
    resolved: ResolvedProfile, workload: Workload, names: Mapping[str, str], alternative: str | None = None
) -> PodSettings:
    """The settings of one workload; ``names`` has the template name of each claim."""
    pod_spec: dict[str, object] = {
        "resourceClaims": [
            {"name": claim, "resourceClaimTemplateName": names[claim]} for claim in workload.claims if claim in names
        ]
    }
    pool = _fixed_pool(resolved, workload)
    pools = [pool] if pool else [each for level in pool_levels(resolved, workload) for each in level]
    if pool and pool.node_selector:
        pod_spec["nodeSelector"] = dict(sorted(pool.node_selector.items()))
    needed = tuple(dict.fromkeys(each for one in pools for each in one.tolerations))
    if needed:
        pod_spec["tolerations"] = tolerations(needed)
    affinity = preferred_affinity(resolved, workload)
    if affinity:
        pod_spec["affinity"] = affinity
    job = _job(workload)
    if job:
        # A Job with a failure policy is refused unless its Pods are never restarted in place.
        pod_spec["restartPolicy"] = "Never"
    claims = [{"name": claim} for claim in workload.claims if claim in names]
    name = f"{workload.name}.{alternative}" if alternative else workload.name
    return PodSettings(name, workload, pod_spec, {"resources": {"claims": claims}}, job)


def _fixed_pool(resolved: ResolvedProfile, workload: Workload) -> NodePool | None:
    """The one node pool to run in: the one named, else one set aside for the team that has all its alternatives."""
    if workload.node_pool is not None:
        return resolved.context.cluster.node_pool(workload.node_pool)
    models = {
        (choice.device_class.model or "").lower()
        for name in workload.claims
        if (claim := resolved.claim(name)) is not None
        for request in claim.requests
        for choice in request.choices
    } - {""}
    own = own_pools(resolved.context, resolved.profile.name)
    fitting = [pool for pool in own if models and models <= {model.lower() for model in pool.models}]
    return fitting[0] if len(fitting) == 1 else None


def pool_levels(resolved: ResolvedProfile, workload: Workload) -> list[list[NodePool]]:
    """Node pools by preference: those of the first choices, then of the second, each pool once."""
    choices = [
        request.choices
        for name in workload.claims
        if (claim := resolved.claim(name)) is not None
        for request in claim.requests
        if request.choices[0].device_class.model is not None
    ]
    seen: set[str] = set()
    levels: list[list[NodePool]] = []
    for index in range(max(map(len, choices), default=0)):
        level = []
        for request in choices:
            if index < len(request):
                model = request[index].device_class.model or ""
                for pool in open_pools(resolved.context, resolved.profile.name, model):
                    if pool.name not in seen:
                        seen.add(pool.name)
                        level.append(pool)
        levels.append(level)
    return levels


def preferred_affinity(resolved: ResolvedProfile, workload: Workload) -> dict[str, object]:
    """Node affinity that holds up the order of a list across nodes, where the scheduler only scores it."""
    if not any(
        request.is_list
        for name in workload.claims
        if (claim := resolved.claim(name)) is not None
        for request in claim.requests
    ):
        return {}
    levels = [[pool for pool in level if pool.node_selector] for level in pool_levels(resolved, workload)]
    levels = [level for level in levels if level]
    terms = [
        {"weight": weight, "preference": {"matchExpressions": _match(pool)}}
        for weight, level in zip(weights(len(levels)), levels, strict=True)
        for pool in level
    ]
    if not terms:
        return {}
    return {"nodeAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": terms}}


def weights(levels: int) -> list[int]:
    """100 for the first level, then falling geometrically to 1.

    The scheduler scales scores by the best node that fits, so equal ratios keep each level as far ahead of the
    next as the first is of the second.
    """
    ratio = 10.0 if levels <= 3 else 100 ** (1 / (levels - 1))
    return [max(1, round(100 / ratio**index)) for index in range(levels)]


def _match(pool: NodePool) -> list[dict[str, object]]:
    return [{"key": key, "operator": "In", "values": [value]} for key, value in sorted(pool.node_selector.items())]


def _job(workload: Workload) -> dict[str, object]:
    if workload.kind not in JOB_KINDS:
        return {}
    lifecycle = workload.lifecycle
    limits: dict[str, object] = {}
    if lifecycle is not None:
        if lifecycle.max_retries is not None:
            limits["backoffLimit"] = lifecycle.max_retries
        if lifecycle.active_deadline is not None:
            limits["activeDeadlineSeconds"] = lifecycle.active_deadline.seconds
        if lifecycle.ttl_after_finished is not None:
            limits["ttlSecondsAfterFinished"] = lifecycle.ttl_after_finished.seconds
    limits["podFailurePolicy"] = {
        "rules": [
            {"action": "Ignore", "onPodConditions": [{"type": "DisruptionTarget", "status": "True"}]},
        ]
    }
    return limits

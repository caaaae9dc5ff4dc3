"""ResourceQuotas: what each team may claim of each device class, in each of its namespaces."""

from collections.abc import Iterable, Mapping

from claimsmith.compiler.context import QUOTA_SUFFIX, ClusterContext
from claimsmith.compiler.objects import MANAGED_BY, TEAM_LABEL, KubernetesObject
from claimsmith.compiler.reservations import foreign_reservations, reserved_classes
from claimsmith.compiler.resolve import ResolvedClaim
from claimsmith.documents.team_profile import TeamProfile

ALL_DEVICES = 32
"""What Kubernetes charges for allocationMode All, whatever a node has (pkg/quota/v1/evaluator/core)."""


def limits(context: ClusterContext, team: str) -> dict[str, int]:
    """The most devices of a class, by class name: quotas of the cluster, and zero for what others have reserved."""
    most: dict[str, int] = {}
    for quota in context.quotas.get(team, ()):
        for ref in context.classes:
            same_model = ref.ours and ref.model is not None and ref.model.lower() == quota.model.lower()
            if same_model and (ref.partition or "").lower() == (quota.partition or "").lower():
                most[ref.name] = min(quota.devices, most.get(ref.name, quota.devices))
    most |= dict.fromkeys(reserved_classes(context, foreign_reservations(context, team)), 0)
    return dict(sorted(most.items()))


def charge(claim: ResolvedClaim) -> dict[str, int]:
    """What Kubernetes charges a claim for: in every class that a list names, the most that an alternative asks."""
    total: dict[str, int] = {}
    for request in claim.requests:
        worst: dict[str, int] = {}
        for choice in request.choices:
            name = choice.device_class.name
            worst[name] = max(worst.get(name, 0), ALL_DEVICES if choice.count is None else choice.count)
        for name, count in worst.items():
            total[name] = total.get(name, 0) + count
    return total


def resource_quotas(context: ClusterContext, profiles: Iterable[TeamProfile]) -> list[KubernetesObject]:
    """One ResourceQuota a namespace of each team that has limits, by team and namespace."""
    return [
        _quota(profile.name, namespace, most)
        for profile in sorted(profiles, key=lambda each: each.name)
        if (most := limits(context, profile.name))
        for namespace in sorted(profile.namespaces)
    ]


def _quota(team: str, namespace: str, most: Mapping[str, int]) -> KubernetesObject:
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {
            "name": f"claimsmith-{team}",
            "namespace": namespace,
            "labels": {**MANAGED_BY, TEAM_LABEL: team},
        },
        "spec": {"hard": {f"{name}{QUOTA_SUFFIX}/devices": str(count) for name, count in most.items()}},
    }

"""A whole cluster compiled: resolved profiles in, Kubernetes objects out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from claimsmith.compiler.admission import admission_policies
from claimsmith.compiler.claims import templates
from claimsmith.compiler.classes import device_classes
from claimsmith.compiler.context import ClusterContext
from claimsmith.compiler.objects import KubernetesObject, object_name, unique_by_name
from claimsmith.compiler.pods import PodSettings, pod_settings
from claimsmith.compiler.quarantine import plan_quarantine
from claimsmith.compiler.quotas import resource_quotas
from claimsmith.compiler.reservations import reservation_rules
from claimsmith.compiler.resolve import ResolvedProfile


@dataclass(frozen=True, slots=True)
class TeamOutput:
    """What one team gets on one cluster."""

    team: str
    templates: tuple[KubernetesObject, ...]
    pods: tuple[PodSettings, ...]


@dataclass(frozen=True, slots=True)
class ClusterOutput:
    """What one cluster gets: objects of the platform by file name, and of each team."""

    context: ClusterContext
    platform: Mapping[str, Sequence[KubernetesObject]]
    teams: tuple[TeamOutput, ...] = field(default=())


def compile_cluster(context: ClusterContext, profiles: Sequence[ResolvedProfile]) -> ClusterOutput:
    """Everything that a cluster gets; ``profiles`` are those that apply to it."""
    quarantine, _ = plan_quarantine(context)
    rules = [*quarantine.rules, *reservation_rules(context)]
    platform: dict[str, list[KubernetesObject]] = {
        "deviceclasses.yaml": device_classes(context, quarantine.excluded),
        "devicetaintrules.yaml": sorted(unique_by_name(rules), key=object_name),
        "resourcequotas.yaml": resource_quotas(context, [each.profile for each in profiles]),
        "admissionpolicies.yaml": admission_policies(context, profiles),
    }
    return ClusterOutput(
        context,
        {name: objects for name, objects in platform.items() if objects},
        tuple(compile_team(each) for each in sorted(profiles, key=lambda each: each.profile.name)),
    )


def compile_team(resolved: ResolvedProfile) -> TeamOutput:
    names, objects = templates(resolved)
    return TeamOutput(
        resolved.profile.name,
        tuple(objects),
        tuple(pod_settings(resolved, each, names) for each in resolved.profile.workloads),
    )

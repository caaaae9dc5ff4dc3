"""A whole cluster compiled: resolved profiles in, Kubernetes objects out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from claimsmith.compiler.admission import admission_policies
from claimsmith.compiler.claims import Template, template_objects
from claimsmith.compiler.classes import device_classes
from claimsmith.compiler.context import ClusterContext
from claimsmith.compiler.objects import KubernetesObject, object_name, unique_by_name
from claimsmith.compiler.pods import PodSettings, pod_settings
from claimsmith.compiler.quarantine import plan_quarantine
from claimsmith.compiler.quotas import resource_quotas
from claimsmith.compiler.reservations import reservation_rules
from claimsmith.compiler.resolve import ResolvedProfile
from claimsmith.documents.team_profile import Workload


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
    """The templates that the team's workloads use, those of claims that no workload uses, and the workloads."""
    objects: dict[str, list[KubernetesObject]] = {}

    def deploy(template: Template) -> str:
        name, made = template_objects(resolved, template)
        objects.setdefault(name, made)
        return name

    pods = []
    used: set[str] = set()
    for workload in resolved.profile.workloads:
        used.update(workload.claims)
        for alternative, narrowed in variants(resolved, workload):
            names = {
                claim.name: deploy(Template(claim, alternative if claim is not resolved.claim(claim.name) else None))
                for claim in narrowed.claims
                if claim.name in workload.claims
            }
            pods.append(pod_settings(narrowed, workload, names, alternative))
    for claim in resolved.claims:
        if claim.name not in used:
            deploy(Template(claim))
    templates = tuple(each for name in sorted(objects) for each in objects[name])
    return TeamOutput(resolved.profile.name, templates, tuple(pods))


def variants(resolved: ResolvedProfile, workload: Workload) -> Iterator[tuple[str | None, ResolvedProfile]]:
    """The profile as a workload sees it: once, or once for each alternative where all its Pods get one model."""
    chosen = [
        (claim, request)
        for name in workload.claims
        if (claim := resolved.claim(name)) is not None
        for request in claim.requests
        if request.is_list
    ]
    if workload.same_model != "template-per-model" or len(chosen) != 1:
        yield None, resolved
        return
    claim, request = chosen[0]
    for choice in request.choices:
        requests = tuple(replace(each, choices=(choice,)) if each is request else each for each in claim.requests)
        narrowed = replace(claim, requests=requests)
        claims = tuple(narrowed if each is claim else each for each in resolved.claims)
        yield choice.name, replace(resolved, claims=claims)

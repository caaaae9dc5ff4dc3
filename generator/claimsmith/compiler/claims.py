"""Resource claim templates: fully defaulted, named after their content."""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass

from claimsmith.compiler.context import ClusterContext
from claimsmith.compiler.objects import ALTERNATIVE_LABEL, CLAIM_LABEL, MANAGED_BY, TEAM_LABEL, KubernetesObject
from claimsmith.compiler.reservations import reservation_toleration
from claimsmith.compiler.resolve import Choice, ResolvedClaim, ResolvedProfile, ResolvedRequest
from claimsmith.documents.parts import Toleration


def template_spec(team: str, claim: ResolvedClaim, context: ClusterContext) -> dict[str, object]:
    """The ``spec`` of the claim's template: every server default spelled out, nothing that the target drops."""
    target = context.target
    devices: dict[str, object] = {"requests": [_request(request, team, context) for request in claim.requests]}
    constraints = [
        {"requests": list(each.requests or (request.name for request in claim.requests))}
        | ({"matchAttribute": each.match} if each.match else {"distinctAttribute": each.distinct})
        for each in claim.constraints
        if each.match or target.keeps_distinct_attribute
    ]
    if constraints:
        devices["constraints"] = constraints
    config = [entry for request in claim.requests for entry in _config(request)]
    if config:
        devices["config"] = config
    return {
        "metadata": {"labels": {CLAIM_LABEL: claim.name, TEAM_LABEL: team}},
        "spec": {"devices": devices},
    }


def template_name(team: str, claim: str, spec: object) -> str:
    """``<team>-<claim>-<8 hex>``: another meaning has another name, so that running Pods keep theirs."""
    meaning = json.dumps([team, claim, spec], sort_keys=True, separators=(",", ":"))
    return f"{team}-{claim}-{hashlib.sha256(meaning.encode()).hexdigest()[:8]}"


@dataclass(frozen=True, slots=True)
class Template:
    """A template to be: a claim as it is, or narrowed to one ``alternative`` of its list."""

    claim: ResolvedClaim
    alternative: str | None = None

    @property
    def title(self) -> str:
        return f"{self.claim.name}-{self.alternative}" if self.alternative else self.claim.name


def template_objects(resolved: ResolvedProfile, template: Template) -> tuple[str, list[KubernetesObject]]:
    """The name of a template, and its objects, one a namespace of the team."""
    team = resolved.profile.name
    spec = template_spec(team, template.claim, resolved.context)
    name = template_name(team, template.title, spec)
    labels = {**MANAGED_BY, CLAIM_LABEL: template.claim.name, TEAM_LABEL: team}
    if template.alternative:
        labels = {ALTERNATIVE_LABEL: template.alternative, **labels}
    objects: list[KubernetesObject] = [
        {
            "apiVersion": resolved.context.target.api_version("ResourceClaimTemplate"),
            "kind": "ResourceClaimTemplate",
            "metadata": {"name": name, "namespace": namespace, "labels": labels},
            "spec": spec,
        }
        for namespace in sorted(resolved.profile.namespaces)
    ]
    return name, objects


def _request(request: ResolvedRequest, team: str, context: ClusterContext) -> dict[str, object]:
    if request.is_list:
        alternatives = [{"name": each.name, **_devices(each, team, context)} for each in request.choices]
        return {"name": request.name, "firstAvailable": alternatives}
    return {"name": request.name, "exactly": _devices(request.choices[0], team, context)}


def _devices(choice: Choice, team: str, context: ClusterContext) -> dict[str, object]:
    target, view = context.target, choice.device_class.view
    devices: dict[str, object] = {"deviceClassName": choice.device_class.name}
    if choice.count is None:
        devices["allocationMode"] = "All"
    else:
        devices |= {"allocationMode": "ExactCount", "count": choice.count}
    if choice.selectors:
        devices["selectors"] = [{"cel": {"expression": text}} for text in choice.selectors]
    if choice.capacity and target.keeps_capacity:
        devices["capacity"] = {"requests": dict(choice.capacity)}
    tolerated = tolerations(choice.tolerations)
    reserved = reservation_toleration(context, team, view.name) if view else None
    if reserved is not None and reserved not in tolerated:
        tolerated.append(reserved)
    if tolerated and target.honours_tolerations:
        devices["tolerations"] = tolerated
    return devices


def tolerations(wanted: Sequence[Toleration]) -> list[dict[str, object]]:
    """Tolerations as Kubernetes writes them, of devices or of nodes; empty fields are left out."""
    listed = []
    for each in wanted:
        fields: dict[str, object] = {"key": each.key, "operator": each.operator, "value": each.value}
        fields |= {"effect": each.effect, "tolerationSeconds": each.toleration_seconds}
        listed.append({name: value for name, value in fields.items() if value not in ("", None)})
    return listed


def _config(request: ResolvedRequest) -> list[dict[str, object]]:
    entries = [(request.name, driver, parameters) for driver, parameters in request.config]
    for choice in request.choices:
        reference = f"{request.name}/{choice.name}" if request.is_list else request.name
        entries += [(reference, driver, parameters) for driver, parameters in choice.config]
    return [
        {"requests": [reference], "opaque": {"driver": driver, "parameters": parameters}}
        for reference, driver, parameters in entries
    ]

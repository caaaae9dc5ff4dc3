"""What a values template sees of a workload, as plain JSON, and what its values should not leave out."""

from collections.abc import Iterator, Mapping

from claimsmith.compiler.pods import PodSettings
from claimsmith.compiler.program import compile_team, variants
from claimsmith.compiler.resolve import Choice, ResolvedClaim, ResolvedProfile
from claimsmith.delivery.values import helm_values
from claimsmith.documents.complete import complete
from claimsmith.findings import Finding

VARIABLES = frozenset(
    ("claims", "cluster", "container", "job", "kubernetes", "namespaces", "podSpec", "team", "workload")
)


def models(resolved: ResolvedProfile) -> Iterator[tuple[PodSettings, dict[str, object]]]:
    """The settings of the profile's workloads that have a template of their own, each with the template's variables.

    ``team`` and ``cluster`` are names, ``workload`` is the profile's with its defaults and the name of its container,
    ``claims`` has what each claim asks for, and ``podSpec``, ``container`` and ``job`` are those of the default
    layout; ``job`` is empty for what is no Job.
    """
    views = ((each, view) for each in resolved.profile.workloads for _, view in variants(resolved, each))
    for settings, (workload, view) in zip(compile_team(resolved).pods, views, strict=True):
        if workload.values is not None:
            yield settings, _model(settings, view)


def _model(settings: PodSettings, resolved: ResolvedProfile) -> dict[str, object]:
    workload = settings.workload
    names = _template_names(settings)
    claims = [claim for name in workload.claims if (claim := resolved.claim(name)) is not None]
    facts: dict[str, object] = {"container": workload.name, "image": None, "nodePool": None}
    return {
        "team": resolved.profile.name,
        "namespaces": list(resolved.profile.namespaces),
        "cluster": resolved.context.name,
        "kubernetes": resolved.context.target.kubernetes,
        "workload": {**facts, **_workload(resolved, workload.name)},
        "claims": {claim.name: _claim(claim, names[claim.name]) for claim in claims},
        "job": {},
        **helm_values(settings),
    }


def _workload(resolved: ResolvedProfile, name: str) -> Mapping[str, object]:
    spec = complete(resolved.profile)["spec"]
    assert isinstance(spec, dict)
    found: Mapping[str, object] = next(each for each in spec["workloads"] if each["name"] == name)
    return {key: value for key, value in found.items() if key != "values"}


def _claim(claim: ResolvedClaim, template: str) -> dict[str, object]:
    return {
        "name": claim.name,
        "template": template,
        "requests": [
            {"name": request.name, "alternatives": [_alternative(choice) for choice in request.choices]}
            for request in claim.requests
        ],
    }


def _alternative(choice: Choice) -> dict[str, object]:
    device_class = choice.device_class
    return {
        "name": choice.name,
        "driver": device_class.view.name if device_class.view else None,
        "model": device_class.model,
        "partition": device_class.partition,
        "count": "all" if choice.count is None else choice.count,
        "deviceClass": device_class.name,
    }


def _template_names(settings: PodSettings) -> dict[str, str]:
    entries = settings.pod_spec["resourceClaims"]
    assert isinstance(entries, list)
    return {each["name"]: each["resourceClaimTemplateName"] for each in entries}


def left_out(settings: PodSettings, values: Mapping[str, object]) -> Iterator[Finding]:
    """What the default layout has, a Pod needs, and these values do not have."""
    layout, workload = settings.workload.values, settings.workload.name
    if layout is None:
        return
    texts, keys = _contents(values)
    missing = [f"`{name}`" for name in sorted(_template_names(settings).values()) if name not in texts]
    if missing:
        yield layout.finding("CS737", "template", workload=workload, missing=" and ".join(missing))
    if "affinity" in settings.pod_spec and "affinity" not in keys:
        yield layout.finding("CS810", "template", workload=workload)


def _contents(values: Mapping[str, object]) -> tuple[set[str], set[str]]:
    """Every text in the values, and every key that has something."""
    texts: set[str] = set()
    keys: set[str] = set()
    waiting: list[object] = [values]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            texts.add(value)
        elif isinstance(value, Mapping):
            keys |= {key for key, each in value.items() if each}
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    return texts, keys

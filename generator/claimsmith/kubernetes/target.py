"""From what a Cluster document says of a control plane to a target, and what is wrong with it."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from claimsmith.kubernetes.capabilities import Target
from claimsmith.kubernetes.gates import GATES, GROUP_GATES, gates_of, needs_of
from claimsmith.kubernetes.minors import MINORS, NEWEST, minor_in
from claimsmith.kubernetes.presets import PRESETS, Preset
from claimsmith.kubernetes.served import runtime_config_keys, served, stages_of_key
from claimsmith.values.suggest import closest
from claimsmith.values.version import Minor

__all__ = ["Target", "TargetProblem", "resolve_target"]

_NOTHING: Mapping[str, bool] = MappingProxyType({})

_DRA = "DynamicResourceAllocation"

_NEEDED_KINDS = ("DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice")


@dataclass(frozen=True, slots=True)
class TargetProblem:
    """Something wrong with the description of a target: a rule, its data, and where it is below ``spec``.

    ``path`` is such as ``("featureGates", "DRADeviceTaints")``.
    """

    rule: str
    data: Mapping[str, object]
    path: tuple[str, ...]


def resolve_target(
    kubernetes: str,
    feature_gates: Mapping[str, bool] = _NOTHING,
    runtime_config: Mapping[str, bool] = _NOTHING,
    preset: str | None = None,
) -> tuple[Target | None, list[TargetProblem]]:
    """The target that a minor and the settings that differ from its defaults make.

    There is a target whenever the minor is known: settings with a problem are then left at the defaults, so
    that the other checks can go on. A gate whose needs are not met stays as it was set.
    """
    minor = next((known for known in MINORS if str(known) == kubernetes), None)
    if minor is None:
        return None, [_unknown_minor(kubernetes)]
    problems: list[TargetProblem] = []
    fixed = None
    if preset is not None:
        fixed = PRESETS.get(preset)
        if fixed is None:
            data = {"preset": preset, "known": ", ".join(PRESETS), "did_you_mean": closest(preset, PRESETS)}
            problems.append(TargetProblem("CS207", data, ("preset",)))

    gates, gate_problems = _gates(minor, feature_gates, fixed)
    config, config_problems = _runtime_config(minor, runtime_config, fixed)
    problems += gate_problems
    problems += config_problems
    problems += _unmet_needs(minor, gates, feature_gates)
    enabled = frozenset(name for name, on in gates.items() if on)
    target = Target(minor, enabled, served(minor, config), fixed.name if fixed else None)
    problems += _switched_off(target)
    return target, problems


def _unknown_minor(kubernetes: str) -> TargetProblem:
    known = tuple(str(minor) for minor in MINORS)
    given = minor_in(kubernetes)
    data: dict[str, object] = {"kubernetes": kubernetes, "known": ", ".join(known), "newest": str(NEWEST)}
    if given is not None and given > NEWEST:
        return TargetProblem("CS202", data, ("kubernetes",))
    data["did_you_mean"] = str(given) if given in MINORS else None
    return TargetProblem("CS201", data, ("kubernetes",))


def _gates(
    minor: Minor, settings: Mapping[str, bool], preset: Preset | None
) -> tuple[dict[str, bool], list[TargetProblem]]:
    """Every gate of the minor and whether it is on, and the settings that cannot be."""
    stages = gates_of(minor)
    gates = {name: stage.default for name, stage in stages.items()}
    if preset is not None:
        gates |= {name: on for name, on in preset.feature_gates.items() if name in gates}
    problems = []
    accepted: dict[str, bool] = {}
    for name, on in settings.items():
        problem = _gate_problem(name, on, minor, gates, preset)
        if problem is None:
            accepted[name] = on
        else:
            problems.append(problem)
    for name, stage in stages.items():
        for group, of_stage in GROUP_GATES.items():
            if stage.stage is of_stage and group in accepted:
                gates[name] = accepted[group]
    gates |= {name: on for name, on in accepted.items() if name in stages}
    return gates, problems


def _gate_problem(
    name: str, on: bool, minor: Minor, gates: Mapping[str, bool], preset: Preset | None
) -> TargetProblem | None:
    """Why a gate cannot be set so; ``gates`` are those of the minor before any setting."""
    path = ("featureGates", name)
    data = {"gate": name, "kubernetes": str(minor)}
    if name in gates:
        stage = GATES[name].at(minor)
        if stage is not None and stage.locked and on is not stage.default:
            return TargetProblem("CS204", {**data, "locked_to": str(stage.default).lower()}, path)
    elif name not in GROUP_GATES:
        exists_in = _text(each for each in MINORS if name in GATES and GATES[name].at(each))
        hint = None if exists_in else closest(name, (*gates, *GROUP_GATES))
        return TargetProblem("CS203", {**data, "exists_in": exists_in, "did_you_mean": hint}, path)
    if preset is not None and gates.get(name) is not on:
        return _preset_forbids(preset, "featureGates", name)
    return None


def _runtime_config(
    minor: Minor, settings: Mapping[str, bool], preset: Preset | None
) -> tuple[dict[str, bool], list[TargetProblem]]:
    known = runtime_config_keys(minor)
    accepted: dict[str, bool] = {}
    problems = []
    for key, on in settings.items():
        if key not in known:
            data = {
                "key": key,
                "kubernetes": str(minor),
                "known": ", ".join(known),
                "exists_in": _text(each for each in MINORS if key in runtime_config_keys(each)),
                "did_you_mean": _nearest_key(key, known),
            }
            problems.append(TargetProblem("CS206", data, ("runtimeConfig", key)))
        elif (
            preset is not None
            and not stages_of_key(key) <= preset.switchable_versions
            and served(minor, {key: on}) != served(minor, {})
        ):
            problems.append(_preset_forbids(preset, "runtimeConfig", key))
        else:
            accepted[key] = on
    return accepted, problems


def _nearest_key(key: str, known: tuple[str, ...]) -> str | None:
    """The nearest key of the same, perhaps misspelt, API group: one of another group was not meant."""
    group = closest(key.partition("/")[0], (each.partition("/")[0] for each in known))
    return closest(key, (each for each in known if each.partition("/")[0] == group))


def _text(minors: Iterable[Minor]) -> str:
    return ", ".join(str(minor) for minor in minors)


def _preset_forbids(preset: Preset, setting: str, key: str) -> TargetProblem:
    data = {
        "preset": preset.name,
        "setting": setting,
        "key": key,
        "description": preset.description,
        "sources": ", ".join(preset.sources),
    }
    return TargetProblem("CS208", data, (setting, key))


def _unmet_needs(minor: Minor, gates: Mapping[str, bool], settings: Mapping[str, bool]) -> Iterator[TargetProblem]:
    for name, on in gates.items():
        for needed in needs_of(name, minor):
            if on and not gates[needed]:
                culprit = next((each for each in (name, needed, *GROUP_GATES) if each in settings), None)
                path = ("featureGates",) if culprit is None else ("featureGates", culprit)
                data = {"gate": name, "needs": needed, "kubernetes": str(minor)}
                yield TargetProblem("CS205", data, path)


def _switched_off(target: Target) -> Iterator[TargetProblem]:
    """DRA does nothing without its gate, nor without v1, which the scheduler and the controllers watch."""
    data = {"kubernetes": target.kubernetes}
    if not target.enabled(_DRA):
        yield TargetProblem("CS209", {**data, "missing": _DRA}, ("featureGates", _DRA))
    if not all(target.serves(kind, "v1") for kind in _NEEDED_KINDS):
        yield TargetProblem("CS209", {**data, "missing": "resource.k8s.io/v1"}, ("runtimeConfig",))

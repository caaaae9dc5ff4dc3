from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimsmith.kubernetes import (
    GATES,
    MINORS,
    PRESETS,
    Stage,
    Target,
    gates_of,
    resolve_target,
    runtime_config_keys,
)
from claimsmith.kubernetes.served import stage_of_version
from claimsmith.values.version import Minor


def resolved(
    kubernetes: str,
    gates: Mapping[str, bool] | None = None,
    config: Mapping[str, bool] | None = None,
    preset: str | None = None,
) -> Target:
    target, problems = resolve_target(kubernetes, gates or {}, config or {}, preset)
    assert problems == []
    assert target is not None
    return target


@pytest.mark.parametrize("minor", MINORS, ids=str)
def test_without_settings_a_target_has_the_defaults_of_its_minor(minor: Minor) -> None:
    target = resolved(str(minor))
    assert target.enabled_gates == {name for name, stage in gates_of(minor).items() if stage.default}
    assert {each.version for each in target.served} == {"v1"}
    assert target.kubernetes == str(minor)


@pytest.mark.parametrize(
    ("given_minor", "hint"),
    [("v1.36.3", "1.36"), ("1.36.3", "1.36"), ("1.33", None), ("1.4", None), ("latest", None), ("", None)],
)
def test_an_unknown_minor_is_told_with_the_known_ones(given_minor: str, hint: str | None) -> None:
    target, [problem] = resolve_target(given_minor)
    assert target is None
    assert (problem.rule, problem.path) == ("CS201", ("kubernetes",))
    assert problem.data["did_you_mean"] == hint
    assert problem.data["known"] == "1.34, 1.35, 1.36, 1.37"


@pytest.mark.parametrize("newer", ["1.38", "v1.38.0", "2.0"])
def test_a_minor_beyond_the_known_ones_has_its_own_rule(newer: str) -> None:
    target, [problem] = resolve_target(newer)
    assert target is None
    assert (problem.rule, problem.path, problem.data["newest"]) == ("CS202", ("kubernetes",), "1.37")


def test_an_unknown_gate_gets_a_suggestion_and_is_left_out() -> None:
    target, [problem] = resolve_target("1.36", {"draDeviceTaintrule": True})
    assert target == resolved("1.36")
    assert (problem.rule, problem.path) == ("CS203", ("featureGates", "draDeviceTaintrule"))
    assert (problem.data["did_you_mean"], problem.data["exists_in"]) == ("DRADeviceTaintRules", "")


def test_a_gate_of_other_minors_is_told_with_them() -> None:
    _, [problem] = resolve_target("1.34", {"DRADeviceTaintRules": True})
    assert (problem.rule, problem.data["exists_in"]) == ("CS203", "1.35, 1.36, 1.37")
    assert problem.data["did_you_mean"] is None


def test_a_gate_that_does_not_concern_dra_is_not_mistaken_for_one_that_does() -> None:
    _, [problem] = resolve_target("1.36", {"WatchList": True})
    assert problem.data["did_you_mean"] is None


def test_a_locked_gate_may_only_be_set_to_its_default() -> None:
    assert resolved("1.37", {"DRAPrioritizedList": True}) == resolved("1.37")
    target, [problem] = resolve_target("1.37", {"DRAPrioritizedList": False})
    assert target == resolved("1.37")
    assert (problem.rule, problem.path) == ("CS204", ("featureGates", "DRAPrioritizedList"))
    assert problem.data["locked_to"] == "true"
    assert not resolved("1.36", {"DRAPrioritizedList": False}).enabled("DRAPrioritizedList")


def test_a_gate_needs_its_dependency() -> None:
    target, [problem] = resolve_target("1.35", {"DRADeviceTaintRules": True})
    assert target is not None
    assert (problem.rule, problem.path) == ("CS205", ("featureGates", "DRADeviceTaintRules"))
    assert problem.data["needs"] == "DRADeviceTaints"
    assert resolved("1.35", {"DRADeviceTaintRules": True, "DRADeviceTaints": True}).enabled("DRADeviceTaintRules")


def test_switching_off_what_a_default_needs_is_told_at_the_setting() -> None:
    _, [problem] = resolve_target("1.37", {"DRADeviceTaints": False})
    assert (problem.rule, problem.path) == ("CS205", ("featureGates", "DRADeviceTaints"))
    assert problem.data["gate"] == "DRADeviceTaintRules"


@pytest.mark.parametrize("minor", MINORS, ids=str)
def test_all_alpha_and_all_beta_set_what_is_not_set_on_its_own(minor: Minor) -> None:
    stages = gates_of(minor)
    gates = {"AllAlpha": True, "AllBeta": True, "DRASchedulerFilterTimeout": False}
    target = resolved(str(minor), gates)
    assert target.enabled_gates == set(stages) - {"DRASchedulerFilterTimeout"}
    none, _ = resolve_target(str(minor), {"AllBeta": False})
    assert none is not None
    assert {stages[name].stage for name in none.enabled_gates} <= {Stage.GA}


@pytest.mark.parametrize(
    ("key", "versions"),
    [
        ("api/all", {"v1", "v1beta1", "v1beta2", "v1alpha3"}),
        ("api/beta", {"v1", "v1beta1", "v1beta2"}),
        ("api/alpha", {"v1", "v1alpha3"}),
        ("resource.k8s.io/v1beta2", {"v1", "v1beta2"}),
    ],
)
def test_runtime_config_switches_versions_on(key: str, versions: set[str]) -> None:
    assert {each.version for each in resolved("1.36", config={key: True}).served} == versions


def test_a_version_goes_before_its_stage_and_a_resource_before_its_version() -> None:
    target = resolved(
        "1.36",
        config={
            "resource.k8s.io/v1beta2/devicetaintrules": True,
            "resource.k8s.io/v1beta2": False,
            "api/all": True,
        },
    )
    assert target.serves("DeviceTaintRule", "v1beta2")
    assert not target.serves("ResourceClaim", "v1beta2")
    assert target.serves("ResourceClaim", "v1beta1")


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("resource.k8s.io/v1beta3", "resource.k8s.io/v1beta1"),
        ("api/alhpa", "api/alpha"),
        ("resource.k8s.io/v1/DeviceTaintRules", "resource.k8s.io/v1/devicetaintrules"),
        ("resouce.k8s.io/v1beta2", "resource.k8s.io/v1beta2"),
        ("batch/v2alpha1", None),
    ],
)
def test_an_unknown_runtime_config_key_gets_a_suggestion(key: str, hint: str | None) -> None:
    target, [problem] = resolve_target("1.37", {}, {key: True})
    assert target == resolved("1.37")
    assert (problem.rule, problem.path) == ("CS206", ("runtimeConfig", key))
    assert problem.data["did_you_mean"] == hint


def test_a_version_that_another_minor_has_is_told_with_it() -> None:
    _, [problem] = resolve_target("1.35", {}, {"resource.k8s.io/v1beta2/devicetaintrules": True})
    assert (problem.rule, problem.data["exists_in"]) == ("CS206", "1.36, 1.37")


def test_without_its_gate_or_v1_dra_is_off() -> None:
    _, [problem] = resolve_target("1.34", {"DynamicResourceAllocation": False})
    assert (problem.rule, problem.path) == ("CS209", ("featureGates", "DynamicResourceAllocation"))
    _, [problem] = resolve_target("1.36", {}, {"api/ga": False})
    assert (problem.rule, problem.data["missing"]) == ("CS209", "resource.k8s.io/v1")


def test_an_unknown_preset_gets_a_suggestion() -> None:
    target, [problem] = resolve_target("1.36", preset="gkee")
    assert target == resolved("1.36")
    assert (problem.rule, problem.path, problem.data["did_you_mean"]) == ("CS207", ("preset",), "gke")


@pytest.mark.parametrize("preset", PRESETS)
def test_a_preset_fixes_the_gates(preset: str) -> None:
    target, [problem] = resolve_target("1.36", {"DRADeviceTaintRules": True, "DRADeviceTaints": True}, {}, preset)
    assert target == resolved("1.36", preset=preset)
    assert (problem.rule, problem.path) == ("CS208", ("featureGates", "DRADeviceTaintRules"))
    assert problem.data["preset"] == preset


@pytest.mark.parametrize("group", ["AllAlpha", "AllBeta"])
def test_a_preset_forbids_whole_stages(group: str) -> None:
    _, [problem] = resolve_target("1.36", {group: False}, preset="aks")
    assert problem.rule == "CS208"


def test_gke_lets_beta_versions_be_switched_on_and_alpha_versions_not() -> None:
    target = resolved("1.36", config={"resource.k8s.io/v1beta2": True}, preset="gke")
    assert target.api_version("DeviceTaintRule") == "resource.k8s.io/v1beta2"
    assert not target.enforces_taint_rules
    _, [problem] = resolve_target("1.36", {}, {"resource.k8s.io/v1alpha3": True}, "gke")
    assert (problem.rule, problem.path) == ("CS208", ("runtimeConfig", "resource.k8s.io/v1alpha3"))
    _, [problem] = resolve_target("1.36", {}, {"api/all": True}, "gke")
    assert problem.rule == "CS208"
    assert resolved("1.36", config={"resource.k8s.io/v1": True}, preset="gke").served == resolved("1.36").served


def test_openshift_switches_off_what_it_previews() -> None:
    assert not resolved("1.36", preset="openshift").enabled("DRAPartitionableDevices")
    assert resolved("1.36", {"DRAPartitionableDevices": False}, preset="openshift").preset == "openshift"
    _, [problem] = resolve_target("1.36", {"DRAPartitionableDevices": True}, preset="openshift")
    assert problem.rule == "CS208"


@pytest.mark.parametrize("name", PRESETS)
def test_presets_say_where_they_come_from(name: str) -> None:
    preset = PRESETS[name]
    assert preset.name == name
    assert preset.description
    assert preset.sources
    assert all(source.startswith("https://") for source in preset.sources)
    assert set(preset.feature_gates) <= set(GATES)


def test_a_version_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="is not a version"):
        stage_of_version("beta1")


KEYS = st.sampled_from([*sorted({key for minor in MINORS for key in runtime_config_keys(minor)}), "apps/v1"])


@given(
    st.sampled_from([str(minor) for minor in MINORS]),
    st.dictionaries(st.sampled_from([*GATES, "AllAlpha", "AllBeta", "Nonsense"]), st.booleans(), max_size=6),
    st.dictionaries(KEYS, st.booleans(), max_size=4),
    st.none() | st.sampled_from(sorted(PRESETS)),
)
def test_any_settings_make_a_target_and_problems_at_settings(
    kubernetes: str, gates: dict[str, bool], config: dict[str, bool], preset: str | None
) -> None:
    target, problems = resolve_target(kubernetes, gates, config, preset)
    assert target is not None
    for problem in problems:
        section, *rest = problem.path
        assert all(key in (gates if section == "featureGates" else config) for key in rest)
    told = {problem.path[-1] for problem in problems}
    for name, on in gates.items():
        if name in GATES and name not in told:
            assert target.enabled(name) is on

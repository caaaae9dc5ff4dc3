from collections.abc import Mapping

import pytest

from claimsmith.kubernetes import Target, resolve_target

TAINTS = {"DRADeviceTaints": True}
RULES = {"DRADeviceTaints": True, "DRADeviceTaintRules": True}


def target(
    kubernetes: str, gates: Mapping[str, bool] | None = None, config: Mapping[str, bool] | None = None
) -> Target:
    resolved, problems = resolve_target(kubernetes, gates or {}, config or {})
    assert problems == []
    assert resolved is not None
    return resolved


@pytest.mark.parametrize(
    ("kubernetes", "gates", "version", "enforced"),
    [
        ("1.34", {}, None, False),
        ("1.34", TAINTS, None, False),
        ("1.34", {}, "v1alpha3", False),
        ("1.34", TAINTS, "v1alpha3", True),
        ("1.35", TAINTS, "v1alpha3", False),
        ("1.35", RULES, "v1alpha3", True),
        ("1.36", {}, "v1beta2", False),
        ("1.36", RULES, None, False),
        ("1.36", RULES, "v1alpha3", False),
        ("1.36", RULES, "v1beta2", True),
        ("1.37", {}, None, True),
        ("1.37", {"DRADeviceTaintRules": False}, None, False),
    ],
)
def test_taint_rules_need_gates_and_the_watched_version(
    kubernetes: str, gates: Mapping[str, bool], version: str | None, enforced: bool
) -> None:
    config = {f"resource.k8s.io/{version}": True} if version else {}
    assert target(kubernetes, gates, config).enforces_taint_rules is enforced


@pytest.mark.parametrize(
    ("kubernetes", "missing"),
    [
        ("1.34", ("DRADeviceTaints", "resource.k8s.io/v1alpha3")),
        ("1.35", ("DRADeviceTaints", "DRADeviceTaintRules", "resource.k8s.io/v1alpha3")),
        ("1.36", ("DRADeviceTaintRules", "resource.k8s.io/v1beta2")),
        ("1.37", ()),
    ],
)
def test_what_is_missing_for_taint_rules(kubernetes: str, missing: tuple[str, ...]) -> None:
    assert target(kubernetes).missing_for_taint_rules == missing


@pytest.mark.parametrize(
    ("kubernetes", "config", "version"),
    [
        ("1.34", {}, None),
        ("1.35", {"api/alpha": True}, "v1alpha3"),
        ("1.36", {}, None),
        ("1.36", {"resource.k8s.io/v1alpha3": True}, "v1alpha3"),
        ("1.36", {"api/all": True}, "v1beta2"),
        ("1.37", {}, "v1"),
        ("1.37", {"api/all": True}, "v1"),
    ],
)
def test_the_version_of_taint_rules_to_emit(kubernetes: str, config: Mapping[str, bool], version: str | None) -> None:
    emitted = target(kubernetes, {}, config).api_version("DeviceTaintRule")
    assert emitted == (f"resource.k8s.io/{version}" if version else None)


@pytest.mark.parametrize("kubernetes", ["1.34", "1.35", "1.36", "1.37"])
@pytest.mark.parametrize("kind", ["DeviceClass", "ResourceClaim", "ResourceClaimTemplate", "ResourceSlice"])
@pytest.mark.parametrize("config", [{}, {"api/all": True}])
def test_the_rest_is_emitted_as_v1(kubernetes: str, kind: str, config: Mapping[str, bool]) -> None:
    assert target(kubernetes, {}, config).api_version(kind) == "resource.k8s.io/v1"


def test_the_flat_v1beta1_is_never_emitted() -> None:
    only_v1beta1, _ = resolve_target("1.36", {}, {"api/all": False, "resource.k8s.io/v1beta1": True})
    assert only_v1beta1 is not None
    assert only_v1beta1.serves("ResourceClaim", "v1beta1")
    assert only_v1beta1.api_version("ResourceClaim") is None


@pytest.mark.parametrize(
    ("capability", "values"),
    [
        ("keeps_tolerations", (True, False, True, True)),
        ("honours_tolerations", (False, False, True, True)),
        ("honours_slice_taints", (False, False, True, True)),
        ("keeps_capacity", (False, False, True, True)),
        ("keeps_distinct_attribute", (False, False, True, True)),
        ("keeps_extended_resource_name", (False, False, True, True)),
        ("keeps_admin_access", (True, True, True, True)),
        ("has_prioritized_list", (True, True, True, True)),
        ("has_scoring", (False, True, True, True)),
        ("all_in_first_available_is_sound", (False, False, True, True)),
    ],
)
def test_what_stock_clusters_can(capability: str, values: tuple[bool, ...]) -> None:
    minors = ("1.34", "1.35", "1.36", "1.37")
    assert tuple(getattr(target(minor), capability) for minor in minors) == values


@pytest.mark.parametrize(
    ("gate", "capabilities"),
    [
        ("DRADeviceTaints", ("keeps_tolerations", "honours_tolerations", "honours_slice_taints")),
        ("DRAConsumableCapacity", ("keeps_capacity", "keeps_distinct_attribute")),
        ("DRAExtendedResource", ("keeps_extended_resource_name",)),
    ],
)
def test_a_gate_brings_its_fields(gate: str, capabilities: tuple[str, ...]) -> None:
    with_gate, without = target("1.35", {gate: True}), target("1.35")
    for capability in capabilities:
        assert getattr(with_gate, capability)
        assert not getattr(without, capability)


def test_without_the_list_there_is_no_scoring() -> None:
    without = target("1.36", {"DRAPrioritizedList": False})
    assert not without.has_prioritized_list
    assert not without.has_scoring


@pytest.mark.parametrize(
    ("kubernetes", "count", "sound"),
    [("1.36", 2, True), ("1.36", 3, False), ("1.37", 3, True), ("1.34", 3, False)],
)
def test_distinct_attribute_within_one_request(kubernetes: str, count: int, sound: bool) -> None:
    assert target(kubernetes).distinct_attribute_is_sound(count) is sound


def test_the_effect_none_came_with_1_35() -> None:
    assert target("1.34").taint_effects == {"NoSchedule", "NoExecute"}
    assert target("1.34").toleration_effects == {"NoSchedule", "NoExecute"}
    assert target("1.35").taint_effects == {"NoSchedule", "NoExecute", "None"}


def test_asking_for_a_gate_that_no_minor_has_is_a_mistake() -> None:
    assert not target("1.34").enabled("DRADeviceTaintRules")
    with pytest.raises(KeyError):
        target("1.34").enabled("DRADeviceTaintRule")


def test_targets_are_values() -> None:
    assert len({target("1.36"), target("1.36"), target("1.36", {"DRADeviceTaintRules": True})}) == 2
    assert target("1.36").limits.requests_per_claim == 32

from itertools import pairwise

import pytest

from claimsmith.kubernetes import GATES, LIMITS, MINORS, NEWEST, Stage, gates_of, minor_in, needs_of
from claimsmith.kubernetes.gated_fields import GATED_FIELDS, GatedField
from claimsmith.values.version import Minor


def test_minors_are_in_order_and_the_last_is_the_newest() -> None:
    assert list(MINORS) == sorted(set(MINORS))
    assert str(NEWEST) == "1.37"


@pytest.mark.parametrize(
    ("release", "minor"),
    [("1.36", "1.36"), ("v1.36.3", "1.36"), ("v1.36.3-gke.100", "1.36"), ("1.36.3+k3s1", "1.36")],
)
def test_the_minor_of_a_release(release: str, minor: str) -> None:
    assert minor_in(release) == Minor.parse(minor)


@pytest.mark.parametrize("release", ["", "1", "v1.36.x", "1.036", "latest"])
def test_text_that_is_no_release(release: str) -> None:
    assert minor_in(release) is None


@pytest.mark.parametrize("name", GATES)
def test_a_gate_only_matures(name: str) -> None:
    order = [Stage.ALPHA, Stage.BETA, Stage.GA]
    for earlier, later in pairwise(GATES[name].stages):
        assert earlier.since < later.since
        assert order.index(earlier.stage) <= order.index(later.stage)
        assert not earlier.locked


@pytest.mark.parametrize("minor", MINORS, ids=str)
def test_what_a_gate_needs_exists_and_is_on_where_the_gate_is_by_default(minor: Minor) -> None:
    stages = gates_of(minor)
    for name, stage in stages.items():
        for needed in GATES[name].needs:
            assert needed in stages
            assert stages[needed].default or not stage.default


def test_dependencies_are_checked_since_1_35() -> None:
    assert needs_of("DRADeviceBindingConditions", Minor(1, 34)) == ()
    assert "DRAResourceClaimDeviceStatus" in needs_of("DRADeviceBindingConditions", Minor(1, 35))


@pytest.mark.parametrize(
    ("gate", "minor", "locked"),
    [
        ("DynamicResourceAllocation", "1.34", False),
        ("DynamicResourceAllocation", "1.35", True),
        ("DRAAdminAccess", "1.36", True),
        ("DRAPrioritizedList", "1.36", False),
        ("DRAPrioritizedList", "1.37", True),
        ("DRADeviceTaints", "1.37", False),
        ("DRADeviceTaintRules", "1.37", False),
        ("DRAExtendedResource", "1.37", True),
        ("DRAResourceClaimDeviceStatus", "1.37", True),
    ],
)
def test_locks(gate: str, minor: str, locked: bool) -> None:
    assert gates_of(Minor.parse(minor))[gate].locked is locked


@pytest.mark.parametrize("field", GATED_FIELDS, ids=lambda field: f"{field.kind} {field.pattern}")
def test_a_gated_field_belongs_to_gates_of_its_minors(field: GatedField) -> None:
    for minor in MINORS:
        if field.exists_in(minor):
            assert set(field.gates) <= set(gates_of(minor))


def test_limits_that_changed() -> None:
    oldest, *_, newest = (LIMITS[minor] for minor in MINORS)
    assert (oldest.taints_per_device, newest.taints_per_device) == (4, 16)
    assert (oldest.counters_per_slice, newest.counters_per_slice) == (32, None)
    assert [LIMITS[minor].attribute_values_per_device for minor in MINORS] == [None, None, 48, 48]
    assert [LIMITS[minor].devices_per_advanced_slice for minor in MINORS] == [None, 64, 64, 64]


@pytest.mark.parametrize("minor", MINORS, ids=str)
def test_limits_of_claims_are_the_same_everywhere(minor: Minor) -> None:
    limits = LIMITS[minor]
    assert (limits.requests_per_claim, limits.alternatives_per_request, limits.devices_per_claim) == (
        32,
        8,
        32,
    )
    assert (
        limits.selectors,
        limits.constraints_per_claim,
        limits.configs,
        limits.references,
    ) == (32,) * 4
    assert (limits.cel_length, limits.opaque_parameters_length, limits.cel_cost) == (
        10240,
        10240,
        1_000_000,
    )
    assert limits.documented_tolerations == 16

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimsmith.kubernetes import DroppedField, Target, apply_defaults, drop, dropped_fields, resolve_target

TOLERATION = {"key": "k", "operator": "Exists", "effect": "NoSchedule"}
CLAIM_SPEC: dict[str, Any] = {
    "devices": {
        "requests": [
            {
                "name": "one",
                "exactly": {
                    "deviceClassName": "c",
                    "adminAccess": True,
                    "tolerations": [TOLERATION],
                    "capacity": {"requests": {"memory": "1Gi"}},
                },
            },
            {
                "name": "list",
                "firstAvailable": [
                    {
                        "name": "a",
                        "deviceClassName": "c",
                        "tolerations": [TOLERATION],
                        "capacity": {"requests": {"memory": "1Gi"}},
                    }
                ],
            },
        ],
        "constraints": [{"distinctAttribute": "gpu.example.com/uuid"}],
    }
}


def obj(kind: str, spec: dict[str, Any], version: str = "v1") -> dict[str, Any]:
    return {
        "apiVersion": f"resource.k8s.io/{version}",
        "kind": kind,
        "metadata": {"name": "x"},
        "spec": spec,
    }


def target(kubernetes: str, **gates: bool) -> Target:
    resolved, _ = resolve_target(kubernetes, gates)
    assert resolved is not None
    return resolved


def test_1_35_drops_tolerations_capacity_and_the_distinct_attribute() -> None:
    kept, dropped = drop(obj("ResourceClaim", CLAIM_SPEC), target("1.35"))
    requests = ("spec", "devices", "requests")
    assert set(dropped) == {
        DroppedField((*requests, 0, "exactly", "tolerations"), "DRADeviceTaints"),
        DroppedField((*requests, 1, "firstAvailable", 0, "tolerations"), "DRADeviceTaints"),
        DroppedField((*requests, 0, "exactly", "capacity"), "DRAConsumableCapacity"),
        DroppedField((*requests, 1, "firstAvailable", 0, "capacity"), "DRAConsumableCapacity"),
        DroppedField(("spec", "devices", "constraints", 0, "distinctAttribute"), "DRAConsumableCapacity"),
    }
    exactly = kept["spec"]["devices"]["requests"][0]["exactly"]
    assert exactly == {"deviceClassName": "c", "adminAccess": True}
    assert kept["spec"]["devices"]["constraints"] == [{}]


def test_1_34_keeps_tolerations_and_drops_the_rest() -> None:
    _, dropped = drop(obj("ResourceClaimTemplate", {"spec": CLAIM_SPEC}), target("1.34"))
    assert {field.gate for field in dropped} == {"DRAConsumableCapacity"}
    assert all(field.path[:3] == ("spec", "spec", "devices") for field in dropped)


@pytest.mark.parametrize("kubernetes", ["1.36", "1.37"])
def test_newer_minors_keep_all_of_it(kubernetes: str) -> None:
    claim = obj("ResourceClaim", CLAIM_SPEC)
    assert drop(claim, target(kubernetes)) == (claim, [])


def test_a_list_goes_as_a_whole_where_lists_are_off() -> None:
    off = target("1.35", DRAPrioritizedList=False)
    kept, dropped = drop(obj("ResourceClaim", CLAIM_SPEC), off)
    assert kept["spec"]["devices"]["requests"][1] == {"name": "list"}
    below_list = [field for field in dropped if "firstAvailable" in field.path]
    path = ("spec", "devices", "requests", 1, "firstAvailable")
    assert below_list == [DroppedField(path, "DRAPrioritizedList")]


def test_admin_access_is_dropped_without_its_gate() -> None:
    _, dropped = drop(obj("ResourceClaim", CLAIM_SPEC), target("1.35", DRAAdminAccess=False))
    assert DroppedField(("spec", "devices", "requests", 0, "exactly", "adminAccess"), "DRAAdminAccess") in dropped


def test_the_flat_shape_of_v1beta1() -> None:
    spec = {"devices": {"requests": [{"name": "r", "deviceClassName": "c", "tolerations": [TOLERATION]}]}}
    kept, dropped = drop(obj("ResourceClaim", spec, "v1beta1"), target("1.35"))
    assert kept["spec"]["devices"]["requests"] == [{"name": "r", "deviceClassName": "c"}]
    assert [field.path[-2:] for field in dropped] == [(0, "tolerations")]
    slice_spec = {"devices": [{"name": "d", "basic": {"taints": [{"key": "k", "effect": "NoSchedule"}]}}]}
    kept, _ = drop(obj("ResourceSlice", slice_spec, "v1beta1"), target("1.35"))
    assert kept["spec"]["devices"] == [{"name": "d", "basic": {}}]


SLICE_SPEC: dict[str, Any] = {
    "driver": "d",
    "sharedCounters": [{"name": "s"}],
    "perDeviceNodeSelection": True,
    "partitionTypeAttribute": "d/t",
    "skipNodeOperations": ["NodePrepareResources"],
    "devices": [
        {
            "name": "x",
            "attributes": {"a": {"strings": ["s"]}, "b": {"int": 1}},
            "capacity": {"memory": {"value": "1Gi", "requestPolicy": {"default": "1Gi"}}},
            "taints": [{"key": "k", "effect": "NoSchedule"}],
            "consumesCounters": [{"counterSet": "s", "compatibilityGroups": ["g"]}],
            "bindsToNode": True,
            "bindingConditions": ["c"],
            "bindingFailureConditions": ["f"],
            "nodeName": "n",
            "allowMultipleAllocations": True,
        }
    ],
}


def test_a_slice_on_1_35() -> None:
    kept, dropped = drop(obj("ResourceSlice", SLICE_SPEC), target("1.35"))
    assert kept["spec"]["devices"] == [
        {
            "name": "x",
            "attributes": {"a": {"strings": ["s"]}, "b": {"int": 1}},
            "capacity": {"memory": {"value": "1Gi"}},
        }
    ]
    policy = ("spec", "devices", 0, "capacity", "memory", "requestPolicy")
    assert DroppedField(policy, "DRAConsumableCapacity") in dropped


def test_a_slice_on_1_37_loses_what_is_still_alpha() -> None:
    _, dropped = drop(obj("ResourceSlice", SLICE_SPEC), target("1.37"))
    assert {(field.path[-1], field.gate) for field in dropped} == {
        ("partitionTypeAttribute", "DRAPartitionableDevicesType"),
        ("skipNodeOperations", "DRAOptionalNodeOperations"),
        ("compatibilityGroups", "DRADeviceCompatibilityGroups"),
        ("strings", "DRAListTypeAttributes"),
    }


def test_binding_conditions_need_two_gates() -> None:
    gates = {"DRADeviceBindingConditions": True, "DRAResourceClaimDeviceStatus": False}
    _, dropped = drop(obj("ResourceSlice", SLICE_SPEC), target("1.35", **gates))
    assert ("bindsToNode", "DRAResourceClaimDeviceStatus") in {(each.path[-1], each.gate) for each in dropped}


def test_an_empty_field_is_no_loss() -> None:
    spec = {"devices": {"requests": [{"name": "r", "exactly": {"deviceClassName": "c", "tolerations": []}}]}}
    kept, dropped = drop(obj("ResourceClaim", spec), target("1.35"))
    assert dropped == []
    assert "tolerations" not in kept["spec"]["devices"]["requests"][0]["exactly"]


@pytest.mark.parametrize(
    "other",
    [
        obj("DeviceTaintRule", {"taint": {"key": "k", "effect": "NoSchedule"}}),
        {"apiVersion": "v1", "kind": "Pod", "spec": {"tolerations": [TOLERATION]}},
        {"apiVersion": "example.com/v1", "kind": "ResourceClaim", "spec": CLAIM_SPEC},
        {"kind": "ResourceClaim", "spec": CLAIM_SPEC},
    ],
)
def test_other_objects_pass_through(other: dict[str, Any]) -> None:
    assert drop(other, target("1.35")) == (other, [])
    assert apply_defaults(other) == other


def test_the_list_of_dropped_fields() -> None:
    dropped = dropped_fields(target("1.35"))
    assert ("DeviceClass", "spec.extendedResourceName", "DRAExtendedResource") in dropped
    template = "spec.spec.devices.requests[].firstAvailable[].tolerations"
    assert ("ResourceClaimTemplate", template, "DRADeviceTaints") in dropped
    assert ("ResourceSlice", "spec.devices[].capacity.*.requestPolicy", "DRAConsumableCapacity") in dropped
    assert not any(gate == "DRAListTypeAttributes" for _, _, gate in dropped)


FIELDS = [
    "devices",
    "requests",
    "exactly",
    "firstAvailable",
    "tolerations",
    "capacity",
    "constraints",
    "distinctAttribute",
    "count",
    "allocationMode",
    "taints",
    "attributes",
    "ints",
    "spec",
    "operator",
    "deviceClassName",
    "basic",
]
JSON = st.recursive(
    st.none() | st.booleans() | st.integers(0, 3) | st.sampled_from(["", "All", "ExactCount", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(FIELDS),
            inner,
            max_size=4,
        )
    ),
    max_leaves=20,
)
OBJECTS = st.builds(
    obj,
    st.sampled_from(["ResourceClaim", "ResourceClaimTemplate", "ResourceSlice", "DeviceClass"]),
    JSON,
    st.sampled_from(["v1", "v1beta2", "v1beta1"]),
)


@given(OBJECTS, st.sampled_from(["1.34", "1.35", "1.36", "1.37"]))
def test_whatever_the_object_dropping_and_defaulting_are_done_once(anything: dict[str, Any], kubernetes: str) -> None:
    before = copy.deepcopy(anything)
    kept, _ = drop(anything, target(kubernetes))
    filled = apply_defaults(kept)
    assert anything == before
    assert drop(kept, target(kubernetes)) == (kept, [])
    assert apply_defaults(filled) == filled
    assert drop(filled, target(kubernetes)) == (filled, [])
    assert drop(apply_defaults(anything), target(kubernetes))[0] == filled

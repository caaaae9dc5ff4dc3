from typing import Any

import pytest

from claimsmith.kubernetes import apply_defaults


def claim(request: dict[str, Any], version: str = "v1") -> dict[str, Any]:
    return {
        "apiVersion": f"resource.k8s.io/{version}",
        "kind": "ResourceClaim",
        "spec": {"devices": {"requests": [request]}},
    }


def filled(request: dict[str, Any], version: str = "v1") -> Any:
    return apply_defaults(claim(request, version))["spec"]["devices"]["requests"][0]


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ({}, {"allocationMode": "ExactCount", "count": 1}),
        ({"allocationMode": ""}, {"allocationMode": "ExactCount", "count": 1}),
        ({"count": 0}, {"allocationMode": "ExactCount", "count": 1}),
        ({"count": 4}, {"allocationMode": "ExactCount", "count": 4}),
        ({"allocationMode": "All"}, {"allocationMode": "All"}),
        ({"allocationMode": "All", "count": 0}, {"allocationMode": "All"}),
        ({"allocationMode": "All", "count": 2}, {"allocationMode": "All", "count": 2}),
    ],
)
def test_mode_and_count(given: dict[str, Any], stored: dict[str, Any]) -> None:
    assert filled({"exactly": given}) == {"exactly": stored}
    assert filled({"firstAvailable": [given]}) == {"firstAvailable": [stored]}


def test_the_operator_of_a_toleration() -> None:
    request = {"exactly": {"tolerations": [{"key": "k", "value": "v"}, {"operator": "Exists"}]}}
    assert filled(request)["exactly"]["tolerations"] == [
        {"key": "k", "value": "v", "operator": "Equal"},
        {"operator": "Exists"},
    ]


def test_a_template_gets_its_inner_metadata() -> None:
    template = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "spec": {"spec": {"devices": {"requests": [{"exactly": {}}]}}},
    }
    spec = apply_defaults(template)["spec"]
    assert spec["metadata"] == {}
    assert spec["spec"]["devices"]["requests"][0]["exactly"]["count"] == 1


def test_v1beta1_fills_a_request_only_where_it_names_a_class() -> None:
    assert filled({"name": "r", "deviceClassName": "c"}, "v1beta1")["count"] == 1
    assert filled({"name": "r"}, "v1beta1") == {"name": "r"}
    assert filled({"name": "r", "deviceClassName": "c"}) == {"name": "r", "deviceClassName": "c"}

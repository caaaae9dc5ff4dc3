"""Documents as plain JSON, defaults filled in."""

from claimsmith.documents.complete import complete
from claimsmith.documents.load import load_file
from claimsmith.documents.parts import Document
from tests.repo import CLUSTER, PROFILE


def document(text: str) -> Document:
    loaded = load_file(text.encode(), "f.yaml")
    assert loaded.findings == ()
    [found] = loaded.documents
    return found


def test_a_profile() -> None:
    text = PROFILE.replace("{model: H100-80GB, count: 4}", "{model: H100-80GB, share: {memory: 020Gi}}").replace(
        "020", "20"
    )
    data = complete(document(text))
    spec = data["spec"]
    assert isinstance(spec, dict)
    assert (data["apiVersion"], data["kind"], data["metadata"]) == (
        "claimsmith/v1alpha1",
        "TeamProfile",
        {"name": "vision"},
    )
    assert set(spec) == {"namespaces", "claims", "workloads"}
    [claim] = spec["claims"]
    [request] = claim["requests"]
    assert request == {
        "name": "gpu",
        "driver": "gpu.nvidia.com",
        "prefer": [
            {
                "model": "H100-80GB",
                "count": 1,
                "require": {},
                "tolerate": [],
                "config": [],
                "share": {"memory": "20Gi"},
            },
            {"model": "A100-80GB", "count": 8, "require": {}, "tolerate": [], "config": [], "share": {}},
        ],
        "count": 1,
        "require": {"memory": ">= 70Gi"},
        "tolerate": [],
        "config": [],
        "share": {},
    }
    assert claim["constraints"] == []
    assert spec["workloads"] == [{"name": "trainer", "kind": "Job", "claims": ["trainer"], "pods": 1, "elastic": True}]


def test_amounts_and_durations_stay_as_written() -> None:
    text = PROFILE + "    lifecycle: {activeDeadline: 24h, maxRetries: 3}\n    needs: {memory: 61440Mi}\n"
    spec = complete(document(text))["spec"]
    assert isinstance(spec, dict)
    [workload] = spec["workloads"]
    assert workload["lifecycle"] == {"activeDeadline": "24h", "maxRetries": 3}
    assert workload["needs"] == {"memory": "61440Mi", "computeCapability": [], "precisions": []}


def test_a_cluster() -> None:
    spec = complete(document(CLUSTER))["spec"]
    assert isinstance(spec, dict)
    assert (spec["kubernetes"], spec["quarantine"], spec["quotas"]) == ("1.37", "auto", [])
    assert spec["drivers"][0]["partitions"] == {"A100-80GB": ["3g.40gb"]}
    assert spec["drivers"][1] == {
        "name": "dra.net",
        "release": "1.4.0",
        "featureGates": {},
        "models": [],
        "partitions": {},
        "extendedResourceName": {},
    }
    assert "queue" not in spec

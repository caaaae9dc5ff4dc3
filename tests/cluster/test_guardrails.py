"""Who may use which device class: the admission policy and the quotas, the vendor's own class included."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cluster.client import JOB, QUOTA, TEMPLATE, ApiError, Object
from tests.cluster.cluster import Cluster, Clusters
from tests.cluster.control_plane import TEAM_GROUP, Settings
from tests.cluster.fleet import CATALOGUE, NVIDIA, RELEASE
from tests.cluster.scenario import (
    FALLBACK,
    FALLBACK_COUNT,
    PREFERRED,
    PROFILE,
    TEAM,
    Company,
    Scenario,
    a100_node,
    h100_node,
)
from tests.cluster.waiting import until

OURS = "h100-80gb.gpu.nvidia.com"
VENDORS = "gpu.nvidia.com"
FREE = "somebody"
"""A namespace of no team."""

POLICY = "  admissionPolicy: true\n"
QUOTAS = (
    "  quotas:\n  - {team: vision, model: H100-80GB, devices: 1}\n  - {team: vision, model: A100-80GB, devices: 8}\n"
)


def vendor_class() -> Object:
    """The class that NVIDIA's chart installs."""
    view = CATALOGUE.view(NVIDIA, RELEASE, {})
    assert view is not None
    shipped = next(each for each in view.classes if each.name == VENDORS)
    selectors = [{"cel": {"expression": selector}} for selector in shipped.selectors]
    return {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": shipped.name},
        "spec": {"selectors": selectors},
    }


def exactly(device_class: str) -> Object:
    return {"name": "gpu", "exactly": {"deviceClassName": device_class, "allocationMode": "ExactCount", "count": 1}}


def prefer(*device_classes: str) -> Object:
    listed = [{"name": f"a{index}", "deviceClassName": name} for index, name in enumerate(device_classes)]
    return {"name": "gpu", "firstAvailable": listed}


def claim(namespace: str, *requests: Object) -> Object:
    metadata = {"generateName": "by-hand-", "namespace": namespace}
    head = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": metadata}
    return {**head, "spec": {"devices": {"requests": list(requests)}}}


def template(namespace: str, *requests: Object, name: str = "by-hand") -> Object:
    made = claim(namespace, *requests)
    return {
        **made,
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {"spec": made["spec"]},
    }


def engineer_of(cluster: Cluster, *namespaces: str) -> Cluster:
    """Lets an engineer do in some namespaces what teams may."""
    rules = [
        {"apiGroups": ["resource.k8s.io"], "resources": ["resourceclaims", "resourceclaimtemplates"], "verbs": ["*"]},
        {"apiGroups": ["", "batch"], "resources": ["pods", "jobs"], "verbs": ["*"]},
    ]
    group = "rbac.authorization.k8s.io"
    role = {"apiVersion": f"{group}/v1", "kind": "ClusterRole", "metadata": {"name": "team"}, "rules": rules}
    cluster.api.apply(role)
    for namespace in namespaces:
        cluster.namespace(namespace)
        cluster.api.apply(
            {
                "apiVersion": f"{group}/v1",
                "kind": "RoleBinding",
                "metadata": {"name": "team", "namespace": namespace},
                "subjects": [{"kind": "Group", "apiGroup": group, "name": TEAM_GROUP}],
                "roleRef": {"apiGroup": group, "kind": "ClusterRole", "name": "team"},
            }
        )
    return cluster


def refusal(cluster: Cluster, document: Object) -> ApiError | None:
    """What the server has against an engineer's object, or None."""
    try:
        cluster.api.acting_as("engineer").create(document, dry_run=True)
    except ApiError as error:
        return error
    return None


def in_force(cluster: Cluster) -> None:
    """Waits until the server has read the policies: it does so a moment after they are stored."""
    until(lambda: refusal(cluster, claim(TEAM, exactly(VENDORS))), "a policy in force")


@pytest.fixture
def guarded(cluster: Cluster, minor: str, tmp_path: Path) -> Cluster:
    cluster.api.create(vendor_class())
    engineer_of(cluster, TEAM, FREE)
    Scenario(cluster, Company(minor, more=POLICY), tmp_path)
    in_force(cluster)
    return cluster


@pytest.mark.parametrize("make", [claim, template])
def test_a_team_uses_its_classes_and_not_the_vendors(guarded: Cluster, make: Callable[..., Object]) -> None:
    allowed = (exactly(OURS), prefer(OURS, "a100-80gb.gpu.nvidia.com"))
    refused = (exactly(VENDORS), prefer(VENDORS, OURS), prefer(OURS, VENDORS), exactly("mig.nvidia.com"))
    assert [refusal(guarded, make(TEAM, request)) for request in allowed] == [None, None]
    for requests in [(request,) for request in refused] + [(exactly(OURS), {**exactly(VENDORS), "name": "other"})]:
        error = refusal(guarded, make(TEAM, *requests))
        assert error is not None
        assert error.status == 403
        assert "team vision may use these device classes only" in error.message


def test_no_policy_is_over_namespaces_of_no_team(guarded: Cluster) -> None:
    assert refusal(guarded, claim(FREE, exactly(VENDORS))) is None


@pytest.mark.minors("1.36", "1.37")
def test_an_older_version_of_the_api_is_no_way_around(clusters: Clusters, minor: str, tmp_path: Path) -> None:
    cluster = clusters.get(Settings.of(minor, runtime_config=("resource.k8s.io/v1beta1", "resource.k8s.io/v1beta2")))
    cluster.api.create(vendor_class())
    engineer_of(cluster, TEAM)
    Scenario(cluster, Company(minor, more=POLICY), tmp_path)
    in_force(cluster)
    v1beta2 = {**claim(TEAM, exactly(VENDORS)), "apiVersion": "resource.k8s.io/v1beta2"}
    flat = {"name": "gpu", "deviceClassName": VENDORS}
    v1beta1 = {**claim(TEAM, flat), "apiVersion": "resource.k8s.io/v1beta1"}
    for document in (v1beta2, v1beta1):
        error = refusal(cluster, document)
        assert error is not None
        assert error.status == 403
    assert refusal(cluster, {**v1beta1, "spec": {"devices": {"requests": [{**flat, "deviceClassName": OURS}]}}}) is None


def test_a_template_older_than_the_policy_makes_no_claims(cluster: Cluster, minor: str, tmp_path: Path) -> None:
    cluster.api.create(vendor_class())
    engineer_of(cluster, TEAM)
    cluster.api.create(template(TEAM, exactly(VENDORS)))
    Scenario(cluster, Company(minor, more=POLICY), tmp_path, h100_node())
    in_force(cluster)
    container = {"name": "main", "image": "x", "resources": {"claims": [{"name": "gpu"}]}}
    claims = [{"name": "gpu", "resourceClaimTemplateName": "by-hand"}]
    spec = {"containers": [container], "resourceClaims": claims, "terminationGracePeriodSeconds": 0}
    pod = cluster.api.create(
        {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "x", "namespace": TEAM}, "spec": spec}
    )
    assert "team vision may use these device classes only" in claim_refused(cluster, pod)


def claim_refused(cluster: Cluster, pod: Object) -> str:
    """Why the controller could not make the claim of a Pod."""

    def look() -> str | None:
        said = [each["message"] for each in cluster.events(pod) if each["reason"] == "FailedResourceClaimCreation"]
        return said[0] if said else None

    return until(look, "a refused claim", seen=lambda: cluster.events(pod))


def counted(cluster: Cluster, namespace: str = TEAM) -> Object:
    """What the quota of a namespace counts, once it does."""

    def look() -> Object | None:
        found = [each.get("status", {}).get("used") for each in cluster.api.list(QUOTA, namespace)]
        return found[0] if found and found[0] else None

    return until(look, "a quota that counts")


def test_a_claim_counts_in_every_class_of_its_list(cluster: Cluster, minor: str, tmp_path: Path) -> None:
    scenario = Scenario(cluster, Company(minor, more=QUOTAS), tmp_path, h100_node(count=2), a100_node())
    counted(cluster)
    assert scenario.requests(scenario.start("first")) == [PREFERRED]

    def used() -> bool:
        return counted(cluster) == {
            "h100-80gb.gpu.nvidia.com.deviceclass.resource.k8s.io/devices": "1",
            "a100-80gb.gpu.nvidia.com.deviceclass.resource.k8s.io/devices": str(FALLBACK_COUNT),
        }

    until(used, "both classes charged", seen=lambda: counted(cluster))
    second = scenario.start("second")
    assert "exceeded quota" in claim_refused(cluster, second)


def test_a_quota_of_zero_closes_a_class(cluster: Cluster, minor: str, tmp_path: Path) -> None:
    more = "  quotas:\n  - {team: vision, model: H100-80GB, devices: 1}\n"
    engineer_of(cluster, TEAM)
    scenario = Scenario(cluster, Company(minor, more=more), tmp_path)
    (quota,) = [each for each in scenario.objects if each["kind"] == "ResourceQuota"]
    hard = quota["spec"]["hard"] | {f"{VENDORS}.deviceclass.resource.k8s.io/devices": "0"}
    cluster.api.apply({**quota, "spec": {"hard": hard}})
    until(lambda: f"{VENDORS}.deviceclass.resource.k8s.io/devices" in counted(cluster), "the closed class")
    error = refusal(cluster, claim(TEAM, exactly(VENDORS)))
    assert error is not None
    assert error.status == 403
    assert "exceeded quota" in error.message
    assert refusal(cluster, claim(TEAM, exactly(OURS))) is None


# Retained templates.


def test_later_pods_of_a_job_start_after_the_profile_changed(cluster: Cluster, minor: str, tmp_path: Path) -> None:
    scenario = Scenario(cluster, Company(minor), tmp_path, h100_node(), a100_node())
    first = scenario.start("long", completions=2, parallelism=1)
    assert scenario.requests(first) == [PREFERRED]
    old = scenario.values["podSpec"]["resourceClaims"][0]["resourceClaimTemplateName"]
    scenario.sync(Company(minor, profile=PROFILE.replace(">= 70Gi", ">= 75Gi")))
    new = scenario.values["podSpec"]["resourceClaims"][0]["resourceClaimTemplateName"]
    assert new != old
    assert {each["metadata"]["name"] for each in cluster.api.list(TEMPLATE, TEAM)} == {old, new}
    cluster.finish(first)
    second = until(lambda: next_pod(cluster, first), "the second Pod", seen=lambda: cluster.api.get(JOB, "long", TEAM))
    assert second["spec"]["resourceClaims"][0]["resourceClaimTemplateName"] == old
    assert scenario.requests(second) == [PREFERRED]
    assert scenario.requests(scenario.start("short")) == [FALLBACK] * FALLBACK_COUNT


def test_a_pruned_template_stops_the_later_pods(cluster: Cluster, minor: str, tmp_path: Path) -> None:
    scenario = Scenario(cluster, Company(minor), tmp_path, h100_node(), a100_node())
    first = scenario.start("long", completions=2, parallelism=1)
    assert scenario.requests(first) == [PREFERRED]
    old = scenario.values["podSpec"]["resourceClaims"][0]["resourceClaimTemplateName"]
    cluster.api.delete(TEMPLATE, old, TEAM)
    cluster.finish(first)
    second = until(lambda: next_pod(cluster, first), "the second Pod", seen=lambda: cluster.api.get(JOB, "long", TEAM))
    assert old in claim_refused(cluster, second)


def next_pod(cluster: Cluster, first: Object) -> Object | None:
    found = cluster.pods_of({"metadata": {"name": "long", "namespace": TEAM}})
    return next((each for each in found if each["metadata"]["uid"] != first["metadata"]["uid"]), None)

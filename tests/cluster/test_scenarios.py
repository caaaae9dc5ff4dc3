"""The four acceptance scenarios: preferred free, preferred taken, none, preferred unhealthy."""

from pathlib import Path

import pytest

from tests.cluster.client import JOB, SLICE
from tests.cluster.cluster import Cluster, Clusters
from tests.cluster.control_plane import Settings
from tests.cluster.evidence import keep
from tests.cluster.fleet import Devices, FleetNode
from tests.cluster.scenario import (
    FALLBACK,
    FALLBACK_COUNT,
    PREFERRED,
    RULES_ON_1_36,
    TEAM,
    Company,
    Scenario,
    a100_node,
    h100_node,
)
from tests.cluster.waiting import stays, until

OTHER_TYPES = (Devices(2, "A100-80GB", partition="3g.40gb"), Devices(type="vfio"))
"""Devices of the same driver that lack attributes of the ones asked for."""

SICK = ("h100-00", 0)
HEALTH_TAINT = "gpu.nvidia.com/gpu-lost"


def rules_obeyed(minor: str) -> Settings:
    """Settings with which the scheduler of a minor obeys DeviceTaintRules."""
    if minor == "1.37":
        return Settings.of(minor)
    gates, versions = RULES_ON_1_36
    return Settings.of(minor, dict.fromkeys(gates, True), versions)


def company_with_rules(minor: str, sick: tuple[tuple[str, int], ...], effect: str = "NoSchedule") -> Company:
    gates, versions = RULES_ON_1_36 if minor == "1.36" else ((), ())
    return Company(minor, sick, "rule", gates, versions, effect=effect)


# Preferred free.


@pytest.mark.parametrize("load", [0, 30, 80])
def test_the_free_preferred_device_is_given_whatever_the_load(
    cluster: Cluster, minor: str, tmp_path: Path, load: int
) -> None:
    preferred = h100_node(extra=OTHER_TYPES)
    scenario = Scenario(cluster, Company(minor), tmp_path, preferred, a100_node(extra=OTHER_TYPES))
    cluster.load(preferred, load)
    started = scenario.start()
    assert scenario.requests(started) == [PREFERRED]
    (given,) = cluster.granted(started)
    assert given.product == "NVIDIA H100 80GB HBM3"
    assert given.pool == preferred.name
    keep(cluster, TEAM, f"preferred-free-load-{load}")


@pytest.mark.parametrize("load", [30, 80])
def test_without_the_affinity_load_takes_the_preference_away(
    cluster: Cluster, minor: str, tmp_path: Path, load: int
) -> None:
    preferred = h100_node()
    scenario = Scenario(cluster, Company(minor), tmp_path, preferred, a100_node())
    cluster.load(preferred, load)
    assert scenario.requests(scenario.start(affinity=False)) == [FALLBACK] * FALLBACK_COUNT


# Preferred taken.


def test_the_fallback_is_given_with_its_own_count(cluster: Cluster, minor: str, tmp_path: Path) -> None:
    nodes = (h100_node(extra=OTHER_TYPES), a100_node(extra=OTHER_TYPES))
    scenario = Scenario(cluster, Company(minor), tmp_path, *nodes)
    assert scenario.requests(scenario.start("first")) == [PREFERRED]
    second = scenario.start("second")
    assert scenario.requests(second) == [FALLBACK] * FALLBACK_COUNT
    assert {each.product for each in cluster.granted(second)} == {"NVIDIA A100-SXM4-80GB"}
    keep(cluster, TEAM, "preferred-taken")


# None.


def test_nothing_free_is_pending_until_the_deadline(cluster: Cluster, minor: str, tmp_path: Path) -> None:
    scenario = Scenario(cluster, Company(minor), tmp_path, h100_node(), a100_node(count=1))
    scenario.requests(scenario.start("first"))
    waiting = scenario.start("second", activeDeadlineSeconds=6)
    assert "cannot allocate all claims" in cluster.unschedulable(waiting)
    keep(cluster, TEAM, "none-pending")
    ended = until(lambda: job_condition(cluster, "second", "Failed"), "the end of the Job", seconds=30)
    assert ended["reason"] == "DeadlineExceeded"
    keep(cluster, TEAM, "none-ended")


def test_the_backoff_limit_never_ends_a_pending_job(cluster: Cluster, minor: str, tmp_path: Path) -> None:
    scenario = Scenario(cluster, Company(minor), tmp_path, h100_node(), a100_node(count=1))
    scenario.requests(scenario.start("first"))
    waiting = scenario.start("second", backoffLimit=0)
    cluster.unschedulable(waiting)

    def still_waiting() -> bool:
        ended = job_condition(cluster, "second", "Failed")
        return ended is None and [pod["metadata"]["uid"] for pod in pods_of(cluster, "second")] == [
            waiting["metadata"]["uid"]
        ]

    stays(still_waiting, "a pending Job that nothing ends", seconds=8)


def test_a_pending_pod_runs_as_soon_as_a_device_is_free(cluster: Cluster, minor: str, tmp_path: Path) -> None:
    scenario = Scenario(cluster, Company(minor), tmp_path, h100_node(), a100_node(count=1))
    first = scenario.start("first")
    scenario.requests(first)
    waiting = scenario.start("second")
    cluster.unschedulable(waiting)
    cluster.finish(first)
    assert scenario.requests(waiting) == [PREFERRED]


# Preferred unhealthy.


@pytest.mark.minors("1.36", "1.37")
def test_a_device_in_quarantine_by_rule_is_not_given_until_it_is_lifted(
    clusters: Clusters, minor: str, tmp_path: Path
) -> None:
    cluster = clusters.get(rules_obeyed(minor))
    nodes = (h100_node(), a100_node())
    scenario = Scenario(cluster, company_with_rules(minor, (SICK,)), tmp_path, *nodes)
    assert "DeviceTaintRule" in {each["kind"] for each in scenario.objects}
    sent_elsewhere = scenario.start("first")
    assert scenario.requests(sent_elsewhere) == [FALLBACK] * FALLBACK_COUNT
    scenario.start("second")
    waiting = scenario.start("third")
    cluster.unschedulable(waiting)
    keep(cluster, TEAM, "unhealthy-by-rule")
    scenario.sync(company_with_rules(minor, ()))
    assert scenario.requests(waiting) == [PREFERRED]


def test_a_device_in_quarantine_by_selector_is_not_given_until_it_is_lifted(
    cluster: Cluster, minor: str, tmp_path: Path
) -> None:
    sick = Company(minor, (SICK,), "selector")
    scenario = Scenario(cluster, sick, tmp_path, h100_node(), a100_node())
    assert "DeviceTaintRule" not in {each["kind"] for each in scenario.objects}
    assert scenario.requests(scenario.start("first")) == [FALLBACK] * FALLBACK_COUNT
    assert scenario.requests(scenario.start("second")) == [FALLBACK] * FALLBACK_COUNT
    waiting = scenario.start("third")
    cluster.unschedulable(waiting)
    keep(cluster, TEAM, "unhealthy-by-selector")
    scenario.sync(Company(minor, quarantine="selector"))
    assert scenario.requests(waiting) == [PREFERRED]


def tainted_by_its_driver() -> FleetNode:
    return FleetNode("h100-00", "h100", [Devices(1, "H100-80GB").tainted(HEALTH_TAINT)])


@pytest.mark.minors("1.36", "1.37")
def test_a_device_that_its_driver_taints_is_not_given(cluster: Cluster, minor: str, tmp_path: Path) -> None:
    scenario = Scenario(cluster, Company(minor), tmp_path, tainted_by_its_driver(), a100_node())
    assert scenario.requests(scenario.start()) == [FALLBACK] * FALLBACK_COUNT
    keep(cluster, TEAM, "unhealthy-by-driver")


@pytest.mark.minors("1.34", "1.35")
def test_a_server_without_device_taints_drops_the_drivers_and_gives_the_device(
    cluster: Cluster, minor: str, tmp_path: Path
) -> None:
    scenario = Scenario(cluster, Company(minor), tmp_path, tainted_by_its_driver(), a100_node())
    assert [
        device for slice_ in cluster.api.list(SLICE) for device in slice_["spec"]["devices"] if "taints" in device
    ] == []
    assert scenario.requests(scenario.start()) == [PREFERRED]


@pytest.mark.minors("1.36")
def test_a_rule_that_is_served_but_not_enforced_is_ignored(clusters: Clusters, minor: str, tmp_path: Path) -> None:
    cluster = clusters.get(Settings.of(minor, runtime_config=RULES_ON_1_36[1]))
    scenario = Scenario(cluster, Company(minor), tmp_path, h100_node(), a100_node())
    rule = {
        "apiVersion": "resource.k8s.io/v1beta2",
        "kind": "DeviceTaintRule",
        "metadata": {"name": "sick"},
        "spec": {
            "deviceSelector": {"driver": "gpu.nvidia.com", "pool": SICK[0], "device": f"gpu-{SICK[1]}"},
            "taint": {"key": "example.com/sick", "effect": "NoSchedule"},
        },
    }
    cluster.api.create(rule)
    assert scenario.requests(scenario.start()) == [PREFERRED]


def job_condition(cluster: Cluster, name: str, condition: str) -> dict[str, str] | None:
    """The condition of a Job that is true, or None."""
    found = cluster.api.get(JOB, name, TEAM).get("status", {}).get("conditions") or []
    return next((each for each in found if each["type"] == condition and each["status"] == "True"), None)


def pods_of(cluster: Cluster, name: str) -> list[dict[str, dict[str, str]]]:
    return cluster.pods_of({"metadata": {"name": name, "namespace": TEAM}})

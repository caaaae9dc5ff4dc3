"""The four acceptance scenarios: preferred free, preferred taken, none, preferred unhealthy."""

from pathlib import Path

import pytest

from tests.cluster.client import SLICE
from tests.cluster.cluster import Cluster, Clusters
from tests.cluster.control_plane import Settings
from tests.cluster.evidence import keep
from tests.cluster.fleet import Devices, FleetNode, device_uuid
from tests.cluster.records import Records
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
from tests.cluster.story import Story
from tests.cluster.waiting import stays

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
    cluster: Cluster, minor: str, records: Records, tmp_path: Path, load: int
) -> None:
    preferred = h100_node(extra=OTHER_TYPES)
    scenario = Scenario(cluster, Company(minor), tmp_path, preferred, a100_node(extra=OTHER_TYPES))
    story = Story(records, scenario, "preferred free", load)
    cluster.load(preferred, load)
    started = scenario.start()
    assert story.given(started) == [PREFERRED]
    (given,) = cluster.granted(started)
    assert given.product == "NVIDIA H100 80GB HBM3"
    assert given.pool == preferred.name
    story.tell()
    keep(cluster, TEAM, f"preferred-free-load-{load}")


@pytest.mark.parametrize("load", [30, 80])
def test_without_the_affinity_load_takes_the_preference_away(
    cluster: Cluster, minor: str, records: Records, tmp_path: Path, load: int
) -> None:
    preferred = h100_node()
    scenario = Scenario(cluster, Company(minor), tmp_path, preferred, a100_node())
    story = Story(records, scenario, "preferred free, without the affinity", load)
    cluster.load(preferred, load)
    assert story.given(scenario.start(affinity=False)) == [FALLBACK] * FALLBACK_COUNT
    story.tell()


# Preferred taken.


def test_the_fallback_is_given_with_its_own_count(
    cluster: Cluster, minor: str, records: Records, tmp_path: Path
) -> None:
    nodes = (h100_node(extra=OTHER_TYPES), a100_node(extra=OTHER_TYPES))
    scenario = Scenario(cluster, Company(minor), tmp_path, *nodes)
    story = Story(records, scenario, "preferred taken")
    assert story.given(scenario.start("first")) == [PREFERRED]
    second = scenario.start("second")
    assert story.given(second) == [FALLBACK] * FALLBACK_COUNT
    assert {each.product for each in cluster.granted(second)} == {"NVIDIA A100-SXM4-80GB"}
    story.tell()
    keep(cluster, TEAM, "preferred-taken")


# None.


def test_nothing_free_is_pending_until_the_deadline(
    cluster: Cluster, minor: str, records: Records, tmp_path: Path
) -> None:
    scenario = Scenario(cluster, Company(minor), tmp_path, h100_node(), a100_node(count=1))
    story = Story(records, scenario, "none, with a deadline")
    story.given(scenario.start("first"))
    story.pending(scenario.start("second", activeDeadlineSeconds=6))
    keep(cluster, TEAM, "none-pending")
    assert story.ended("second") == "DeadlineExceeded"
    story.tell()
    keep(cluster, TEAM, "none-ended")


def test_the_backoff_limit_never_ends_a_pending_job(
    cluster: Cluster, minor: str, records: Records, tmp_path: Path
) -> None:
    scenario = Scenario(cluster, Company(minor), tmp_path, h100_node(), a100_node(count=1))
    story = Story(records, scenario, "none, with a backoffLimit of 0 alone")
    story.given(scenario.start("first"))
    waiting = scenario.start("second", backoffLimit=0)
    story.pending(waiting)

    def still_waiting() -> bool:
        return story.condition("second", "Failed") is None and [
            pod["metadata"]["uid"] for pod in pods_of(cluster, "second")
        ] == [waiting["metadata"]["uid"]]

    stays(still_waiting, "a pending Job that nothing ends", seconds=8)
    story.goes_on("second", "still pending after 8 s, with the same Pod")
    story.tell()


def test_a_pending_pod_runs_as_soon_as_a_device_is_free(
    cluster: Cluster, minor: str, records: Records, tmp_path: Path
) -> None:
    scenario = Scenario(cluster, Company(minor), tmp_path, h100_node(), a100_node(count=1))
    story = Story(records, scenario, "none, until a device is free")
    first = scenario.start("first")
    story.given(first)
    waiting = scenario.start("second")
    story.pending(waiting)
    cluster.finish(first)
    assert story.given(waiting) == [PREFERRED]
    story.tell()


# Preferred unhealthy.


@pytest.mark.minors("1.36", "1.37")
def test_a_device_in_quarantine_by_rule_is_not_given_until_it_is_lifted(
    clusters: Clusters, minor: str, records: Records, tmp_path: Path
) -> None:
    cluster = clusters.get(rules_obeyed(minor))
    scenario = Scenario(cluster, company_with_rules(minor, (SICK,)), tmp_path, h100_node(), a100_node())
    story = Story(records, scenario, "preferred unhealthy, by rule")
    assert "DeviceTaintRule" in {each["kind"] for each in scenario.objects}
    until_it_is_lifted(story, scenario, company_with_rules(minor, ()), "unhealthy-by-rule")


def test_a_device_in_quarantine_by_selector_is_not_given_until_it_is_lifted(
    cluster: Cluster, minor: str, records: Records, tmp_path: Path
) -> None:
    scenario = Scenario(cluster, Company(minor, (SICK,), "selector"), tmp_path, h100_node(), a100_node())
    story = Story(records, scenario, "preferred unhealthy, by selector")
    assert "DeviceTaintRule" not in {each["kind"] for each in scenario.objects}
    until_it_is_lifted(story, scenario, Company(minor, quarantine="selector"), "unhealthy-by-selector")


@pytest.mark.minors("1.34", "1.35", "1.36")
def test_auto_keeps_a_device_out_where_rules_are_not_obeyed(
    cluster: Cluster, minor: str, records: Records, tmp_path: Path
) -> None:
    scenario = Scenario(cluster, Company(minor, (SICK,)), tmp_path, h100_node(), a100_node())
    story = Story(records, scenario, "preferred unhealthy, by auto")
    classes = [each for each in scenario.objects if each["kind"] == "DeviceClass"]
    assert all(device_uuid(*SICK) in str(each["spec"]["selectors"]) for each in classes)
    assert "DeviceTaintRule" not in {each["kind"] for each in scenario.objects}
    until_it_is_lifted(story, scenario, Company(minor), "unhealthy-by-auto")


@pytest.mark.minors("1.34", "1.35", "1.36")
def test_the_compiler_refuses_rules_where_they_are_not_obeyed(minor: str, tmp_path: Path) -> None:
    run = Company(minor, (SICK,), "rule").write(tmp_path).run("compile", "--format", "json")
    assert run.status == 1
    assert [each["rule"] for each in run.findings if each["severity"] == "error"] == ["CS601"]
    assert not (tmp_path / "output").exists()


def until_it_is_lifted(story: Story, scenario: Scenario, lifted: Company, name: str) -> None:
    """Two Jobs get the fallback and leave none for a third, which gets the preferred device as soon as it may."""
    assert story.given(scenario.start("first")) == [FALLBACK] * FALLBACK_COUNT
    assert story.given(scenario.start("second")) == [FALLBACK] * FALLBACK_COUNT
    waiting = scenario.start("third")
    story.pending(waiting)
    keep(scenario.cluster, TEAM, name)
    scenario.sync(lifted)
    assert story.given(waiting) == [PREFERRED]
    story.tell()


def tainted_by_its_driver() -> FleetNode:
    return FleetNode("h100-00", "h100", [Devices(1, "H100-80GB").tainted(HEALTH_TAINT)])


@pytest.mark.minors("1.36", "1.37")
def test_a_device_that_its_driver_taints_is_not_given(
    cluster: Cluster, minor: str, records: Records, tmp_path: Path
) -> None:
    scenario = Scenario(cluster, Company(minor), tmp_path, tainted_by_its_driver(), a100_node())
    story = Story(records, scenario, "preferred unhealthy, by the driver's taint")
    assert story.given(scenario.start()) == [FALLBACK] * FALLBACK_COUNT
    story.tell()
    keep(cluster, TEAM, "unhealthy-by-driver")


@pytest.mark.minors("1.34", "1.35")
def test_a_server_without_device_taints_drops_the_drivers_and_gives_the_device(
    cluster: Cluster, minor: str, records: Records, tmp_path: Path
) -> None:
    scenario = Scenario(cluster, Company(minor), tmp_path, tainted_by_its_driver(), a100_node())
    story = Story(records, scenario, "preferred unhealthy, the driver's taint dropped")
    assert [
        device for slice_ in cluster.api.list(SLICE) for device in slice_["spec"]["devices"] if "taints" in device
    ] == []
    assert story.given(scenario.start()) == [PREFERRED]
    story.tell()


@pytest.mark.minors("1.34", "1.35", "1.36")
def test_a_rule_that_is_served_but_not_enforced_is_ignored(
    clusters: Clusters, minor: str, records: Records, tmp_path: Path
) -> None:
    version = "v1beta2" if minor == "1.36" else "v1alpha3"
    cluster = clusters.get(Settings.of(minor, runtime_config=(f"resource.k8s.io/{version}",)))
    scenario = Scenario(cluster, Company(minor), tmp_path, h100_node(), a100_node())
    story = Story(records, scenario, "preferred unhealthy, the rule not obeyed")
    rule = {
        "apiVersion": f"resource.k8s.io/{version}",
        "kind": "DeviceTaintRule",
        "metadata": {"name": "sick"},
        "spec": {
            "deviceSelector": {"driver": "gpu.nvidia.com", "pool": SICK[0], "device": f"gpu-{SICK[1]}"},
            "taint": {"key": "example.com/sick", "effect": "NoSchedule"},
        },
    }
    cluster.api.create(rule)
    assert story.given(scenario.start()) == [PREFERRED]
    story.tell()


def pods_of(cluster: Cluster, name: str) -> list[dict[str, dict[str, str]]]:
    return cluster.pods_of({"metadata": {"name": name, "namespace": TEAM}})

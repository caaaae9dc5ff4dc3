"""Pods of one distributed Job: with a template a model they are all on one, with the list alone they may not be."""

from pathlib import Path

import pytest

from tests.cluster.client import JOB, Object
from tests.cluster.cluster import Cluster
from tests.cluster.records import Records
from tests.cluster.scenario import (
    FALLBACK,
    FALLBACK_COUNT,
    PREFERRED,
    TEAM,
    Company,
    Scenario,
    a100_node,
    h100_node,
)
from tests.cluster.story import Story
from tests.cluster.waiting import until

TWO_PODS = {"completions": 2, "parallelism": 2}
COUNTS = {"h100-80gb": 1, "a100-80gb": FALLBACK_COUNT}
PRODUCTS = {"h100-80gb": "NVIDIA H100 80GB HBM3", "a100-80gb": "NVIDIA A100-SXM4-80GB"}


def start_both(scenario: Scenario, workload: str) -> list[Object]:
    """The two Pods of a Job."""
    scenario.start(workload=workload, **TWO_PODS)

    def both() -> list[Object] | None:
        found = scenario.cluster.pods_of({"metadata": {"name": "trainer", "namespace": TEAM}})
        return found if len(found) == 2 else None

    return until(both, "two Pods", seen=lambda: scenario.cluster.api.get(JOB, "trainer", TEAM))


@pytest.mark.parametrize("alternative", COUNTS)
def test_the_pods_of_a_variant_are_on_its_model(
    cluster: Cluster, minor: str, records: Records, tmp_path: Path, alternative: str
) -> None:
    """Although there is enough of both models for both."""
    nodes = (h100_node(count=4), a100_node(count=8))
    scenario = Scenario(cluster, Company(minor, same_model=True), tmp_path, *nodes)
    story = Story(records, scenario, f"same model, {alternative}")
    pods = start_both(scenario, f"trainer.{alternative}")
    for pod in sorted(pods, key=lambda pod: devices_of(cluster, pod)):
        assert story.given(pod) == ["gpu"] * COUNTS[alternative]
        assert {each.product for each in cluster.granted(pod)} == {PRODUCTS[alternative]}
    story.tell()


def test_a_pod_of_a_variant_waits_for_its_model(cluster: Cluster, minor: str, records: Records, tmp_path: Path) -> None:
    scenario = Scenario(cluster, Company(minor, same_model=True), tmp_path, h100_node(), a100_node(count=8))
    story = Story(records, scenario, "same model, one device too few")
    pods = start_both(scenario, "trainer.h100-80gb")
    placed = until(lambda: next((each for each in pods if has_node(cluster, each)), None), "the first Pod")
    (waiting,) = [each for each in pods if each is not placed]
    assert story.given(placed) == ["gpu"]
    story.pending(waiting)
    assert not has_node(cluster, waiting)
    story.tell()


def test_the_pods_of_a_list_are_on_two_models(cluster: Cluster, minor: str, records: Records, tmp_path: Path) -> None:
    """What the templates are for."""
    scenario = Scenario(cluster, Company(minor), tmp_path, h100_node(), a100_node(count=8))
    story = Story(records, scenario, "a list for two Pods")
    pods = start_both(scenario, "trainer")
    given = {tuple(scenario.requests(each)): each for each in pods}
    assert set(given) == {(PREFERRED,), (FALLBACK,) * FALLBACK_COUNT}
    for requests in sorted(given, key=len):
        story.given(given[requests])
    story.tell()


def devices_of(cluster: Cluster, pod: Object) -> list[str]:
    """The names of a Pod's devices when it has a node: two Pods of a Job have no order of their own."""
    return [each.device for each in cluster.granted(cluster.placed(pod))]


def has_node(cluster: Cluster, pod: Object) -> bool:
    return bool(cluster.api.stored(pod)["spec"].get("nodeName"))

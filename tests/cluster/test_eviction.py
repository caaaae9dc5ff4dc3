"""A NoExecute taint evicts; whether that counts as a failure of the Job is up to its failure policy."""

from pathlib import Path
from typing import Any

import pytest

from tests.cluster.client import JOB, POD, Object
from tests.cluster.cluster import Cluster, Clusters
from tests.cluster.records import Records
from tests.cluster.scenario import FALLBACK, FALLBACK_COUNT, PREFERRED, TEAM, Scenario, a100_node, h100_node
from tests.cluster.story import Story
from tests.cluster.test_scenarios import SICK, company_with_rules, rules_obeyed
from tests.cluster.waiting import until

pytestmark = pytest.mark.minors("1.36", "1.37")


def evicted(cluster: Cluster, pod: Object) -> Object | None:
    """The Pod, once it is being deleted for a disruption."""
    now = cluster.api.find(POD, pod["metadata"]["name"], TEAM)
    conditions = (now or {}).get("status", {}).get("conditions") or []
    disrupted = any(each["type"] == "DisruptionTarget" and each["status"] == "True" for each in conditions)
    return now if now and disrupted and "deletionTimestamp" in now["metadata"] else None


def start_and_evict(
    records: Records, clusters: Clusters, minor: str, root: Path, name: str, **fields: Any
) -> tuple[Scenario, Story]:
    """A running Job whose device is then quarantined with NoExecute, and whose Pod has stopped for that."""
    cluster = clusters.get(rules_obeyed(minor))
    scenario = Scenario(cluster, company_with_rules(minor, ()), root, h100_node(), a100_node())
    story = Story(records, scenario, name)
    started = scenario.start(**fields)
    assert story.given(started) == [PREFERRED]
    scenario.sync(company_with_rules(minor, (SICK,), "NoExecute"))
    stopped = until(
        lambda: evicted(cluster, started),
        "an eviction",
        seen=lambda: cluster.api.find(POD, started["metadata"]["name"], TEAM),
    )
    cluster.finish(stopped, "Failed")
    return scenario, story


def test_an_eviction_does_not_count_with_the_compiled_failure_policy(
    clusters: Clusters, minor: str, records: Records, tmp_path: Path
) -> None:
    scenario, story = start_and_evict(records, clusters, minor, tmp_path, "evicted, with the failure policy")
    job = scenario.cluster.api.get(JOB, "trainer", TEAM)
    assert job["spec"]["backoffLimit"] == 0
    assert job["spec"]["podFailurePolicy"]["rules"][0]["action"] == "Ignore"
    assert story.given(scenario.cluster.pod_of(job)) == [FALLBACK] * FALLBACK_COUNT
    assert story.condition("trainer", "Failed") is None
    story.tell()


def test_an_eviction_ends_a_job_without_the_failure_policy(
    clusters: Clusters, minor: str, records: Records, tmp_path: Path
) -> None:
    name = "evicted, without the failure policy"
    _, story = start_and_evict(records, clusters, minor, tmp_path, name, podFailurePolicy=None)
    assert story.ended("trainer") == "BackoffLimitExceeded"
    story.tell()

"""The programs that answer without a server agree with the servers and schedulers of the same minor."""

import json
import subprocess
from pathlib import Path

from tests.cluster.build import cluster_binary
from tests.cluster.client import DEVICE_CLASS, NODE, SLICE, ApiError, Object
from tests.cluster.cluster import Cluster
from tests.cluster.scenario import FALLBACK, FALLBACK_COUNT, PREFERRED, Company, Scenario, a100_node, h100_node

SELECTORS = (
    'device.driver == "gpu.nvidia.com"',
    'device.attributes["gpu.nvidia.com"].productName',
    'device.attributes["gpu.nvidia.com"].noName == "x"',
    'device.capacity["gpu.nvidia.com"].memory >= quantity("70Gi")',
    "device.atributes",
    "[3, 1, 2].sort()[0] == 1",
    "device.allowMultipleAllocations == true",
    "1",
    "",
)


def ask(minor: str, program: str, questions: list[Object], *options: str) -> list[Object]:
    asked = "".join(f"{json.dumps(each)}\n" for each in questions)
    done = subprocess.run(
        [cluster_binary(minor), program, *options], input=asked, capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def refused(cluster: Cluster, expression: str) -> str | None:
    document = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "asked"},
        "spec": {"selectors": [{"cel": {"expression": expression}}]},
    }
    try:
        cluster.api.create(document, dry_run=True)
    except ApiError as error:
        return error.message
    return None


def test_the_answer_about_a_selector_is_the_servers(cluster: Cluster, minor: str) -> None:
    gates = ["--feature-gates=DRAConsumableCapacity=true"] if minor in ("1.36", "1.37") else []
    answers = ask(minor, "answer-cel", [{"id": each, "expression": each} for each in SELECTORS], *gates)
    assert [each["id"] for each in answers] == list(SELECTORS)
    assert {each["accepted"] for each in answers} == {True, False}
    for answer in answers:
        message = refused(cluster, answer["id"])
        assert answer["accepted"] is (message is None), answer
        if answer["message"]:
            assert answer["message"] in (message or "")


def test_the_answer_about_a_pod_is_the_schedulers(cluster: Cluster, minor: str, tmp_path: Path) -> None:
    scenario = Scenario(cluster, Company(minor), tmp_path, h100_node(), a100_node())
    question = {
        "nodes": cluster.api.list(NODE),
        "slices": cluster.api.list(SLICE),
        "classes": cluster.api.list(DEVICE_CLASS),
    }
    first = scenario.start("first")
    assert scenario.requests(first) == [PREFERRED]
    (claim,) = cluster.claims_of(first)
    (taken,) = claim["status"]["allocation"]["devices"]["results"]
    fresh = {key: value for key, value in claim.items() if key != "status"}
    free = {**question, "id": "free", "claims": [fresh], "allocated": []}
    held = {**free, "id": "taken", "allocated": [{key: taken[key] for key in ("driver", "pool", "device")}]}
    while_free, when_taken = ask(minor, "answer-allocation", [free, held], "--feature-gates=DRAPrioritizedList=true")
    expected = [PREFERRED, "gpu.nvidia.com", taken["pool"], taken["device"], None, False]
    assert ["h100-00", "fit", [[expected]]] in while_free["nodes"]
    assert ["h100-00", "no"] in when_taken["nodes"]
    second = scenario.start("second")
    assert scenario.requests(second) == [FALLBACK] * FALLBACK_COUNT
    given = [[each.request, each.driver, each.pool, each.device, None, False] for each in cluster.granted(second)]
    assert ["a100-00", "fit", [given]] in when_taken["nodes"]

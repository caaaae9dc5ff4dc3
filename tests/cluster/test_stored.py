"""What the compiler emits is what a server stores: nothing refused, nothing dropped, nothing added."""

from pathlib import Path

import pytest

from tests.cluster.client import APPLY_PATCH, MANAGER, Object
from tests.cluster.cluster import Cluster, Clusters
from tests.cluster.control_plane import Settings
from tests.cluster.emitted import Emitted, as_emitted, differences, read_output
from tests.cluster.example import (
    CLUSTERS,
    EVERY_GATE,
    OUTPUT,
    compile_example,
    compile_example_with_every_gate,
    minor_of,
    stored_key,
)
from tests.cluster.records import Records
from tests.cluster.waiting import until

STRICT = {"fieldValidation": "Strict", "fieldManager": MANAGER}


def create(cluster: Cluster, emitted: Emitted) -> Object:
    path = cluster.api.kind_of(emitted.document).path(emitted.namespace)
    created: Object = cluster.api.request(
        "POST", path, emitted.text.encode(), content_type="application/yaml", query=STRICT
    )
    return created


def apply(cluster: Cluster, emitted: Emitted) -> Object:
    path = cluster.api.kind_of(emitted.document).path(emitted.namespace, emitted.document["metadata"]["name"])
    applied: Object = cluster.api.request(
        "PATCH", path, emitted.text.encode(), content_type=APPLY_PATCH, query={**STRICT, "force": "false"}
    )
    return applied


def assert_stored_as_emitted(cluster: Cluster, folder: Path) -> list[Object]:
    """Creates and applies every object of an output, and returns what is stored without what only the server sets."""
    objects = read_output(folder)
    assert objects
    for namespace in sorted({each.namespace for each in objects if each.namespace}):
        cluster.namespace(namespace)
    problems: list[str] = []
    for put in (create, apply):
        cluster.wipe()
        for each in objects:
            try:
                put(cluster, each)
                stored = cluster.api.stored(each.document)
            except Exception as error:
                problems.append(f"{put.__name__} {each}: {error}")
                continue
            problems += [f"{put.__name__} {each}: {line}" for line in differences(each.document, as_emitted(stored))]
    assert problems == []
    versions = [settled(cluster, each)["metadata"]["resourceVersion"] for each in objects]
    again = [apply(cluster, each)["metadata"]["resourceVersion"] for each in objects]
    assert again == versions
    return [as_emitted(cluster.api.stored(each.document)) for each in objects]


def settled(cluster: Cluster, emitted: Emitted) -> Object:
    """The stored object, once its controller has written the status, which changes the resourceVersion too."""

    def look() -> Object | None:
        stored = cluster.api.stored(emitted.document)
        status = stored.get("status", {})
        done = {
            "ResourceQuota": status.get("hard") == stored.get("spec", {}).get("hard") and "used" in status,
            "ValidatingAdmissionPolicy": status.get("observedGeneration") == stored["metadata"].get("generation"),
        }
        return stored if done.get(stored["kind"], True) else None

    return until(look, f"a status of {emitted}", seen=lambda: cluster.api.stored(emitted.document))


@pytest.mark.parametrize(("name", "minor"), CLUSTERS.items(), scope="session")
def test_the_committed_output_is_stored_as_it_is(cluster: Cluster, name: str, minor: str) -> None:
    assert minor == minor_of(name)
    assert_stored_as_emitted(cluster, OUTPUT / name)


@pytest.mark.parametrize("name", sorted(CLUSTERS))
def test_the_example_of_any_minor_is_stored_as_it_is(
    cluster: Cluster, minor: str, records: Records, name: str, tmp_path: Path
) -> None:
    stored = assert_stored_as_emitted(cluster, compile_example(tmp_path, minor) / name)
    records.keep("stored", stored_key(name), stored)


@pytest.mark.parametrize("name", sorted(CLUSTERS))
def test_the_example_with_every_gate_is_stored_as_it_is(
    clusters: Clusters, minor: str, records: Records, name: str, tmp_path: Path
) -> None:
    gates, versions = EVERY_GATE[minor]
    switched = dict.fromkeys(gates, True)
    output = compile_example_with_every_gate(tmp_path, minor)
    kinds = {each.document["kind"] for cluster in CLUSTERS for each in read_output(output / cluster)}
    assert "DeviceTaintRule" in kinds
    stored = assert_stored_as_emitted(clusters.get(Settings.of(minor, switched, versions)), output / name)
    records.keep("stored", stored_key(name, every_gate=True), stored)

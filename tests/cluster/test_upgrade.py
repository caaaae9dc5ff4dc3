"""What was synced to an old minor is still what the compiler emitted when the cluster has been upgraded."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cluster.client import Object
from tests.cluster.cluster import Cluster
from tests.cluster.control_plane import ControlPlane, Settings
from tests.cluster.emitted import Emitted, as_emitted, differences, read_output
from tests.cluster.example import CLUSTERS, compile_example
from tests.cluster.test_stored import apply, settled
from tests.repo import Repo

PATH = ("1.34", "1.35", "1.36", "1.37")


class Upgraded:
    """One cluster, whose data a newer control plane takes over at each step."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._plane: ControlPlane | None = None

    def to(self, minor: str) -> Cluster:
        self.stop()
        self._plane = ControlPlane(Settings.of(minor), self._data)
        return Cluster(self._plane)

    def stop(self) -> None:
        if self._plane is not None:
            self._plane.stop()
            self._plane = None


@pytest.fixture
def upgraded(tmp_path: Path) -> Iterator[Upgraded]:
    cluster = Upgraded(tmp_path / "etcd")
    yield cluster
    cluster.stop()


def assert_unchanged(cluster: Cluster, objects: list[Emitted]) -> None:
    """Stored as emitted, and not touched by another sync.

    The first write after an upgrade may store the same object anew, in the version that the newer server stores:
    1.34 stores v1beta2, 1.35 v1. It has another resourceVersion then, and nothing else.
    """
    for each in objects:
        before = settled(cluster, each)
        assert differences(each.document, as_emitted(before)) == [], each
        written = apply(cluster, each)
        assert differences(_without_version(before), _without_version(written)) == [], each
        assert apply(cluster, each)["metadata"]["resourceVersion"] == written["metadata"]["resourceVersion"], each


def _without_version(stored: Object) -> Object:
    return {**stored, "metadata": {**stored["metadata"], "resourceVersion": ""}}


@pytest.mark.parametrize("name", sorted(CLUSTERS))
@pytest.mark.parametrize("minor", PATH[:-1], scope="session")
def test_an_upgrade_of_the_cluster_and_then_of_the_documents_makes_no_drift(
    upgraded: Upgraded, tmp_path: Path, name: str, minor: str
) -> None:
    root = tmp_path / "repository"
    root.mkdir()
    folder = compile_example(root, minor) / name
    objects = read_output(folder)
    steps = PATH[PATH.index(minor) :]
    cluster = upgraded.to(steps[0])
    for namespace in sorted({each.namespace for each in objects if each.namespace}):
        cluster.namespace(namespace)
    for each in objects:
        apply(cluster, each)
    for step in steps[1:]:
        cluster = upgraded.to(step)
        assert_unchanged(cluster, objects)
    for file in (root / "profiles" / "clusters").glob("*.yaml"):
        text = file.read_text(encoding="utf-8")
        file.write_text(
            re.sub(r'^  kubernetes: ".*"', f'  kubernetes: "{steps[-1]}"', text, flags=re.MULTILINE), encoding="utf-8"
        )
    run = Repo(root).run("compile")
    assert run.status == 0, run.stdout + run.stderr
    newer = read_output(folder)
    assert {str(each) for each in objects if each.document["kind"] == "ResourceClaimTemplate"} <= {
        str(each).replace("retained.yaml", "resourceclaimtemplates.yaml") for each in newer
    }
    for each in newer:
        apply(cluster, each)
    assert_unchanged(cluster, newer)

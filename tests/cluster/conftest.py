"""Real control planes for the tests of this folder, which are all marked ``cluster``.

``K8S=1.36`` (or ``1.36,1.37``) runs those of some minors only. Each test gets a cluster without objects of an earlier one.
Those that use ``records`` are marked ``recorded``: with ``CLAIMSMITH_CLUSTER_RECORD`` set they write what they see.
"""

import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest

from tests.cluster.build import MINORS, cache, chosen_minors
from tests.cluster.cluster import Cluster, Clusters
from tests.cluster.control_plane import ControlPlanes, Settings
from tests.cluster.records import Records, forget, writes

FOLDER = Path(__file__).parent
NEEDED = 3 << 30
"""Bytes of memory for a worker: two control planes, and the programs of a test."""

failed = pytest.StashKey[bool]()


def pytest_xdist_auto_num_workers() -> int:
    """For ``-n auto``: as many as there are cores, and memory for."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    return max(1, min(os.cpu_count() or 1, memory // NEEDED))


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "minors(*names): the Kubernetes minors that a test is about, not all")
    config.addinivalue_line("markers", "recorded: keeps what it sees in tests/recorded, or compares with it")
    if writes() and not hasattr(config, "workerinput"):
        for minor in chosen_minors():
            forget(minor)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    by_itself = any("minor" in mark.args[0] for mark in metafunc.definition.iter_markers("parametrize"))
    if "minor" in metafunc.fixturenames and not by_itself:
        named = metafunc.definition.get_closest_marker("minors")
        metafunc.parametrize("minor", named.args if named else MINORS, scope="session")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Marks the tests, keeps those of a minor on one worker, and leaves out the minors that were not chosen."""
    chosen = chosen_minors()
    left_out = []
    for item in items:
        if FOLDER not in item.path.parents:
            continue
        minor = (
            item.callspec.params.get("minor", "")
            if isinstance(item, pytest.Function) and hasattr(item, "callspec")
            else ""
        )
        item.add_marker("cluster")
        if isinstance(item, pytest.Function) and "records" in item.fixturenames:
            item.add_marker("recorded")
        item.add_marker(pytest.mark.xdist_group(minor))
        if minor and minor not in chosen:
            left_out.append(item)
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.failed:
        item.stash[failed] = True
    return report


@pytest.fixture(scope="session")
def control_planes() -> Iterator[ControlPlanes]:
    planes = ControlPlanes(most=2)
    yield planes
    planes.stop()


@pytest.fixture
def clusters(request: pytest.FixtureRequest, control_planes: ControlPlanes) -> Iterator[Clusters]:
    """Clusters of any settings; their logs are kept where the test fails."""
    lent = Clusters(control_planes)
    yield lent
    if request.node.stash.get(failed, False):
        for cluster in lent.used:
            name = f"{request.node.name}-{cluster.minor}".replace("/", "_")
            cluster.plane.keep_logs(cache() / "failed" / name)
    for cluster in lent.used:
        cluster.wipe()


@pytest.fixture
def cluster(clusters: Clusters, minor: str) -> Cluster:
    """A cluster of the minor with stock gates."""
    return clusters.get(Settings.of(minor))


@pytest.fixture
def records(minor: str) -> Records:
    """What real clusters of the minor did."""
    return Records(minor)

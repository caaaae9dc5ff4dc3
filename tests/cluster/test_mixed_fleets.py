"""Devices that lack what a selector looks at, of the same driver or of another, never stop a Pod or its fallback."""

from pathlib import Path

import pytest

from tests.cluster.cluster import Cluster
from tests.cluster.fleet import RECORDED, Devices, FleetNode, recorded_slices
from tests.cluster.scenario import FALLBACK, FALLBACK_COUNT, PREFERRED, Company, Scenario

BARE = Devices(attributes=dict.fromkeys(("productName", "architecture", "brand", "type", "uuid")), model="H100-80GB")
"""A device that publishes almost nothing."""

STRANGE = (Devices(type="vfio"), Devices(2, "A100-80GB", partition="3g.40gb"), BARE)


def strange_fleet() -> tuple[FleetNode, FleetNode]:
    """The strange devices are the first that the allocator looks at."""
    first = FleetNode("h100-00", "h100", [*STRANGE, Devices(1, "H100-80GB")])
    return first, FleetNode("a100-00", "a100", [*STRANGE, Devices(2, "A100-80GB", product=1)])


def test_other_types_of_the_driver_are_in_nobodys_way(cluster: Cluster, minor: str, tmp_path: Path) -> None:
    scenario = Scenario(cluster, Company(minor), tmp_path, *strange_fleet())
    assert scenario.requests(scenario.start("first")) == [PREFERRED]
    second = scenario.start("second")
    assert scenario.requests(second) == [FALLBACK] * FALLBACK_COUNT
    assert {each.product for each in cluster.granted(second)} == {"NVIDIA A100 80GB PCIe"}
    assert "cannot allocate all claims" in cluster.unschedulable(scenario.start("third"))


@pytest.mark.parametrize("name", sorted(path.stem for path in RECORDED.glob("*.yaml")))
def test_real_slices_of_other_devices_are_in_nobodys_way(
    cluster: Cluster, minor: str, name: str, tmp_path: Path
) -> None:
    nodes = (FleetNode("other-00", "h100", []), *strange_fleet())
    scenario = Scenario(cluster, Company(minor), tmp_path, *nodes)
    cluster.create_all(recorded_slices(name, "other-00"))
    first = scenario.start("first")
    assert scenario.requests(first) == [PREFERRED]
    assert {each.product for each in cluster.granted(first)} == {"NVIDIA H100 80GB HBM3"}
    second = scenario.start("second")
    assert set(scenario.requests(second)) <= {PREFERRED, FALLBACK}
    assert {each.product for each in cluster.granted(second)} <= {"NVIDIA H100 80GB HBM3", "NVIDIA A100 80GB PCIe"}

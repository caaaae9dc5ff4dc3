"""Drivers at their releases: what devices publish, by the shipped schemas."""

from collections.abc import Callable
from typing import Any

import pytest

from claimsmith.documents.driver_schema import Attribute, Capacity, DeviceType, Discriminator
from claimsmith.drivers.catalogue import Catalogue
from claimsmith.drivers.consistency import inconsistencies
from claimsmith.drivers.view import DriverView
from claimsmith.values.quantity import Quantity

NVIDIA = "gpu.nvidia.com"


def view(catalogue: Catalogue, driver: str, release: str, *gates: str) -> DriverView:
    found = catalogue.view(driver, release, dict.fromkeys(gates, True))
    assert found is not None
    return found


def test_every_shipped_schema_loads_and_fits_together(catalogue: Catalogue) -> None:
    names = catalogue.names()
    assert len(names) >= 22
    for name in names:
        schema = catalogue.schema(name)
        assert schema is not None
        problems = [f"{each.part.field_path(*each.steps)} {each.problem}" for each in inconsistencies(schema)]
        assert problems == [], name


def test_every_recorded_device_is_understood(recorded: Callable[[str], Any], catalogue: Catalogue) -> None:
    for device in recorded("devices"):
        where = f"{device['slice']} {device['type']}"
        at = view(catalogue, device["driver"], device["release"], *device["gates"])
        for name, value in device["attributes"].items():
            attribute = at.attribute(device["type"], name)
            assert attribute is not None, f"{where}: {name}"
            assert next(iter(value)) in attribute.type, f"{where}: {name}"
            if attribute.values_closed:
                assert next(iter(value.values())) in attribute.values, f"{where}: {name}"
        for name in device["capacities"]:
            assert at.capacity(device["type"], name) is not None, f"{where}: {name}"


def test_recorded_devices_have_what_is_always_there(recorded: Callable[[str], Any], catalogue: Catalogue) -> None:
    for device in recorded("devices"):
        if device["driver"] == "neuron.aws.com":
            continue  # The walkthrough that it is from shows only part of the attributes.
        at = view(catalogue, device["driver"], device["release"], *device["gates"])
        published = {*device["attributes"], *device["capacities"]}
        declared: list[Attribute | Capacity] = [
            *at.attributes(device["type"]).values(),
            *at.capacities(device["type"]).values(),
        ]
        missing = {each.name for each in declared if each.presence == "always"} - published
        assert missing == set(), device["slice"]


def matches(mark: Discriminator, attributes: dict[str, dict[str, object]]) -> bool:
    if mark.equals is None:
        return (mark.attribute in attributes) is mark.exists
    return mark.equals in attributes.get(mark.attribute, {}).values()


def test_discriminators_tell_recorded_devices_apart(recorded: Callable[[str], Any], catalogue: Catalogue) -> None:
    told = 0
    for device in recorded("devices"):
        at = view(catalogue, device["driver"], device["release"], *device["gates"])
        marked: list[DeviceType] = [each for each in at.device_types() if each.discriminator]
        found = [each.id for each in marked if each.discriminator and matches(each.discriminator, device["attributes"])]
        own = at.device_type(device["type"])
        assert own is not None
        assert found == ([device["type"]] if own.discriminator else []), device["slice"]
        told += len(found)
    assert told >= 20


def test_confirmed_memory_of_models_is_what_recorded_devices_publish(
    recorded: Callable[[str], Any], catalogue: Catalogue
) -> None:
    confirmed = 0
    for device in recorded("devices"):
        at = view(catalogue, device["driver"], device["release"], *device["gates"])
        if at.model_attribute not in device["attributes"] or "DynamicMIG" in device["gates"]:
            continue
        name = next(iter(device["attributes"][at.model_attribute].values()))
        for model in at.schema.models:
            for product in model.products:
                if product.name == name and model.device_type == device["type"]:
                    published = device["capacities"][f"{device['driver']}/memory"]
                    assert product.memory == Quantity.parse(published)
                    assert not product.unconfirmed
                    confirmed += 1
    assert confirmed >= 8


@pytest.mark.parametrize(
    ("release", "names"),
    [
        ("25.3.0", {"index", "minor", "pcieBusID"}),
        ("25.8.1", {"pcieBusID"}),
        ("25.12.0", set()),
        ("0.4.1", set()),
    ],
)
def test_nvidia_attributes_leave_with_their_releases(catalogue: Catalogue, release: str, names: set[str]) -> None:
    attributes = view(catalogue, NVIDIA, release).attributes("gpu")
    assert {name for name in ("index", "minor", "pcieBusID") if f"{NVIDIA}/{name}" in attributes} == names


def test_absence_says_why(catalogue: Catalogue) -> None:
    now = view(catalogue, NVIDIA, "0.4.1")
    assert "removed in 25.8.0, use gpu.nvidia.com/uuid" in now.absence("gpu", f"{NVIDIA}/index")
    assert "comes with unreleased" in now.absence("gpu", "resource.kubernetes.io/numaNode")
    assert "feature gate DynamicMIG" in now.absence("gpu", f"{NVIDIA}/multiprocessors")
    assert now.absence("gpu", f"{NVIDIA}/uuid") == ""
    assert now.absence("gpu", f"{NVIDIA}/vram") == ""
    gaudi = view(catalogue, "gaudi.intel.com", "0.6.1")
    assert "comes back with 0.7.0" in gaudi.absence("gaudi", "gaudi.intel.com/healthy")


def test_an_attribute_can_be_gone_for_a_while(catalogue: Catalogue) -> None:
    published = {
        release: view(catalogue, "gaudi.intel.com", release).attribute("gaudi", "gaudi.intel.com/healthy") is not None
        for release in ("0.3.0", "0.4.0", "0.5.1", "0.6.0", "0.6.1", "0.7.0", "unreleased")
    }
    assert list(published.values()) == [False, True, True, False, False, True, True]


def test_presence_and_values_are_those_of_the_release(catalogue: Catalogue) -> None:
    root = "resource.kubernetes.io/pcieRoot"
    old, new = (view(catalogue, NVIDIA, release).attribute("gpu", root) for release in ("25.3.2", "25.8.0"))
    assert old is not None
    assert new is not None
    assert (old.presence, old.condition) == ("always", None)
    assert new.presence == "conditional"
    assert new.condition
    driver = view(catalogue, "gpu.intel.com", "0.9.1").attribute("gpu", "gpu.intel.com/driver")
    assert driver is not None
    assert driver.values == ("i915", "xe")


def test_a_gate_turns_the_scalar_into_a_list(catalogue: Catalogue) -> None:
    numa = "resource.kubernetes.io/numaNode"
    plain = view(catalogue, NVIDIA, "unreleased").attribute("gpu", numa)
    listed = view(catalogue, NVIDIA, "unreleased", "DRAListTypeAttributes").attribute("gpu", numa)
    assert plain is not None
    assert listed is not None
    assert (plain.type, listed.type) == (("int",), ("ints",))


def test_gates_bring_capacities_and_types(catalogue: Catalogue) -> None:
    off, on = view(catalogue, NVIDIA, "0.4.1"), view(catalogue, NVIDIA, "0.4.1", "DynamicMIG", "PassthroughSupport")
    assert off.capacity("gpu", f"{NVIDIA}/multiprocessors") is None
    assert on.capacity("gpu", f"{NVIDIA}/multiprocessors") is not None
    assert off.types_without_models() == []
    assert on.types_without_models() == ["vfio"]
    assert view(catalogue, "dra.net", "1.4.0").types_without_models() == ["rdma", "netdev"]


def test_a_pattern_stands_for_any_number(catalogue: Catalogue) -> None:
    now = view(catalogue, NVIDIA, "0.4.1")
    found = now.capacity("mig", f"{NVIDIA}/memorySlice12")
    assert found is not None
    assert found.name == f"{NVIDIA}/memorySlice<i>"
    for name in ("memorySlice", "memorySliceX", "memorySlice1x", "xmemorySlice1"):
        assert now.capacity("mig", f"{NVIDIA}/{name}") is None


def test_releases_go_by_aliases_too(catalogue: Catalogue) -> None:
    assert view(catalogue, NVIDIA, "v0.4.1").release == "0.4.1"
    assert view(catalogue, NVIDIA, "26.4").release == "0.4.0"
    assert view(catalogue, "gpu.intel.com", "gpu-v0.11.0").release == "0.11.0"
    assert catalogue.view(NVIDIA, "0.9", {}) is None
    assert catalogue.view("gpu.nvidia.org", "0.4.1", {}) is None


def test_models_and_parts_go_by_any_case(catalogue: Catalogue) -> None:
    now = view(catalogue, NVIDIA, "0.4.1")
    model = now.model("h100-80gb")
    assert model is not None
    assert model.name == "H100-80GB"
    part = now.partition("a100-40GB", "3G.20gb")
    assert part is not None
    assert part.memory == Quantity.parse("19968Mi")
    assert now.model("H100") is None
    assert now.partition("T4", "1g.5gb") is None


def test_facts_are_what_devices_of_a_model_publish(catalogue: Catalogue) -> None:
    now = view(catalogue, NVIDIA, "0.4.1")
    assert now.facts("H100-80GB", None, f"{NVIDIA}/memory") == (Quantity.parse("81559Mi"),) * 2
    assert now.facts("A100-40GB", "1g.5gb", f"{NVIDIA}/memory") == (Quantity.parse("4864Mi"),)
    assert now.facts("L4", None, f"{NVIDIA}/architecture") == ("Ada Lovelace",)
    assert str(now.facts("L4", None, f"{NVIDIA}/cudaComputeCapability")[0]) == "8.9.0"
    assert now.facts("L4", None, f"{NVIDIA}/driverVersion") == ()


def test_a_schema_of_the_users_own_replaces_the_shipped_one(catalogue: Catalogue) -> None:
    shipped = catalogue.schema("gpu.example.com")
    assert shipped is not None
    own = Catalogue([shipped])
    assert own.schema("gpu.example.com") is shipped
    assert own.schema("gpu.nvidia.com") is not None
    assert "gpu.example.com" in own.names()

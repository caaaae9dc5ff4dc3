"""Nodes and ResourceSlices of a made-up fleet: devices of models and types, as the driver schemas say they publish."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import yaml

from claimsmith.documents.driver_schema import Attribute, Capacity, DeviceType
from claimsmith.drivers.catalogue import Catalogue
from claimsmith.drivers.view import DriverView
from tests.cluster.client import Object

RECORDED = Path(__file__).parent / "slices"
NVIDIA = "gpu.nvidia.com"
RELEASE = "0.4.1"
PLAIN: Mapping[str, Any] = {"string": "a value", "int": 1, "bool": True, "version": "1.0.0"}

CATALOGUE = Catalogue()


@dataclass(frozen=True, slots=True)
class Devices:
    """Some devices of a node that are alike. With a ``model`` (and ``partition``), or else of a ``type`` of the driver.

    ``product`` chooses among a model's names; ``attributes`` (typed, such as ``{"uuid": {"string": "GPU-1"}}``) replace
    what is published, or remove it where None; ``taints`` are the driver's own.
    """

    count: int = 1
    model: str = ""
    partition: str = ""
    type: str = ""
    product: int = 0
    driver: str = NVIDIA
    release: str = RELEASE
    attributes: Mapping[str, Mapping[str, Any] | None] = field(default_factory=dict)
    taints: Sequence[Mapping[str, str]] = ()

    def tainted(self, key: str, effect: str = "NoSchedule", value: str = "") -> "Devices":
        """The same devices with one more taint."""
        taint = {"key": key, "effect": effect, **({"value": value} if value else {})}
        return replace(self, taints=(*self.taints, taint))


@dataclass(frozen=True, slots=True)
class FleetNode:
    """A node, in a node pool by the label ``example.com/pool``, with its devices."""

    name: str
    pool: str
    devices: Sequence[Devices]
    cpu: int = 64
    memory: str = "512Gi"
    taints: Sequence[Mapping[str, str]] = ()

    def node(self) -> Object:
        """The Node as it is created; its status is ``status``."""
        labels = {"kubernetes.io/hostname": self.name, "example.com/pool": self.pool}
        spec = {"taints": [dict(taint) for taint in self.taints]} if self.taints else {}
        return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": self.name, "labels": labels}, "spec": spec}

    def status(self) -> Object:
        """Ready, with room for Pods: what a kubelet would report."""
        room = {"cpu": str(self.cpu), "memory": self.memory, "pods": "110", "ephemeral-storage": "1Ti"}
        ready = {"type": "Ready", "status": "True", "reason": "Fake", "message": "a node without a kubelet"}
        return {"capacity": room, "allocatable": room, "conditions": [ready]}

    def slices(self) -> list[Object]:
        """One slice a driver: the node's devices of it, named by their type and number."""
        drivers = dict.fromkeys(group.driver for group in self.devices)
        return [self._slice(driver) for driver in drivers]

    def _slice(self, driver: str) -> Object:
        devices: list[Object] = []
        for group in self.devices:
            if group.driver == driver:
                devices += [_device(self.name, group, len(devices) + index) for index in range(group.count)]
        return {
            "apiVersion": "resource.k8s.io/v1",
            "kind": "ResourceSlice",
            "metadata": {"name": f"{self.name}-{driver}"},
            "spec": {
                "driver": driver,
                "nodeName": self.name,
                "pool": {"name": self.name, "generation": 1, "resourceSliceCount": 1},
                "devices": devices,
            },
        }


def device_uuid(node: str, index: int) -> str:
    """The uuid of a node's device, always the same for the same node and number."""
    return f"GPU-{uuid.uuid5(uuid.NAMESPACE_DNS, f'{index}.{node}.example.com')}"


def recorded_slices(name: str, node: str) -> list[Object]:
    """The slices of a file of ``slices/``, as if the devices were on a node."""
    documents = filter(None, yaml.load_all((RECORDED / f"{name}.yaml").read_bytes(), yaml.CSafeLoader))
    found = []
    for index, document in enumerate(documents):
        spec = {key: value for key, value in document["spec"].items() if key not in ("nodeSelector", "allNodes")}
        pool = {**spec["pool"], "name": node}
        metadata = {"name": f"{node}-{name}-{index}".lower()}
        found.append({**document, "metadata": metadata, "spec": {**spec, "nodeName": node, "pool": pool}})
    return found


def _device(node: str, group: Devices, index: int) -> Object:
    view = CATALOGUE.view(group.driver, group.release, {"PassthroughSupport": True} if group.type == "vfio" else {})
    assert view is not None, f"no release {group.release} of {group.driver}"
    device_type = view.device_type(_type_of(view, group))
    assert device_type is not None, f"no type {group.type} of {group.driver}"
    attributes = _attributes(view, device_type)
    own = {"uuid": {"string": device_uuid(node, index)}, "parentUUID": {"string": device_uuid(node, index // 2)}}
    attributes |= {name: value for name, value in own.items() if name in attributes}
    attributes["resource.kubernetes.io/pcieRoot"] = {"string": f"pci0000:{index:02x}"}
    capacity = {
        view.key_of_capacity(each): {"value": _amount(each)}
        for each in view.capacities(device_type.id).values()
        if each.presence == "always" and not each.pattern
    }
    if group.model:
        attributes |= _model_attributes(view, group)
        memory = _memory(view, group)
        if memory:
            capacity["memory"] = {"value": memory}
    attributes |= {name: dict(value) for name, value in group.attributes.items() if value is not None}
    for name in (name for name, value in group.attributes.items() if value is None):
        attributes.pop(name, None)
    taints = {"taints": [dict(taint) for taint in group.taints]} if group.taints else {}
    return {"name": f"{device_type.id}-{index}", "attributes": attributes, "capacity": capacity, **taints}


def _type_of(view: DriverView, group: Devices) -> str:
    if not group.model:
        return group.type
    model = view.model(group.model)
    assert model is not None, f"no model {group.model} of {group.driver}"
    if group.partition:
        assert view.partitioning is not None
        return view.partitioning.device_type
    return model.device_type


def _attributes(view: DriverView, device_type: DeviceType) -> dict[str, dict[str, Any]]:
    """What such a device always publishes, with the first example of each value."""
    found = {
        _published(view, each.name): {each.type[0]: _value(each)}
        for each in view.attributes(device_type.id).values()
        if each.presence == "always" and each.type[0] in PLAIN
    }
    mark = device_type.discriminator
    if mark is not None and mark.equals is not None:
        kind = "bool" if isinstance(mark.equals, bool) else "string"
        found[_published(view, mark.attribute)] = {kind: mark.equals}
    return found


def _value(attribute: Attribute) -> Any:
    return [*attribute.examples, *attribute.values, PLAIN[attribute.type[0]]][0]


def _amount(capacity: Capacity) -> str:
    return [*capacity.examples, "1"][0]


def _published(view: DriverView, name: str) -> str:
    """The name as the driver writes it: its own domain is left out where it leaves it out."""
    bare = view.schema.publishes_unqualified and view.attribute_domain == view.name
    return name.removeprefix(f"{view.attribute_domain}/") if bare else name


def _model_attributes(view: DriverView, group: Devices) -> dict[str, dict[str, Any]]:
    model = view.model(group.model)
    assert model is not None
    assert view.model_attribute is not None
    found: dict[str, dict[str, Any]] = {
        _published(view, view.model_attribute): {"string": model.products[group.product].name}
    }
    if model.architecture:
        found["architecture"] = {"string": model.architecture}
    if model.compute_capability:
        found["cudaComputeCapability"] = {"version": f"{model.compute_capability}.0"}
    if group.partition and view.partitioning:
        found[_published(view, view.partitioning.attribute)] = {"string": group.partition}
    return found


def _memory(view: DriverView, group: Devices) -> str | None:
    model = view.model(group.model)
    assert model is not None
    if not group.partition:
        memory = model.products[group.product].memory
        return memory.canonical() if memory else None
    part = view.partition(group.model, group.partition)
    assert part is not None, f"no partition {group.partition} of {group.model}"
    return part.memory.canonical() if part.memory else None

"""A driver's schema at one release, with its feature gates: what its devices really publish."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from claimsmith.documents.driver_schema import (
    Attribute,
    AttributeSet,
    Capacity,
    DeviceType,
    DriverSchema,
    DriverTaint,
    EarlierAttribute,
    Model,
    Partition,
    Partitioning,
    ShippedClass,
)
from claimsmith.values.quantity import Quantity
from claimsmith.values.semver import Semver
from claimsmith.values.suggest import closest

UNRELEASED = "unreleased"

Fact = str | Quantity | Semver
T = TypeVar("T", Attribute, Capacity)


def release_names(schema: DriverSchema) -> list[str]:
    """The releases of a driver, oldest first, and ``unreleased`` where the schema covers it."""
    names = [release.version for release in schema.releases]
    return [*names, UNRELEASED] if schema.unreleased else names


def known_release(schema: DriverSchema, release: str) -> str | None:
    """The release that a version, an alias or a version with a leading ``v`` names."""
    for each in schema.releases:
        if release.removeprefix("v") in (each.version, *each.aliases):
            return each.version
    return UNRELEASED if release == UNRELEASED and schema.unreleased else None


@dataclass(frozen=True, slots=True)
class DriverView:
    """Made by ``of``. Attributes and capacities are by qualified name, within a device type."""

    schema: DriverSchema
    release: str
    gates: frozenset[str]
    _attributes: Mapping[str, Mapping[str, Attribute]]
    _capacities: Mapping[str, Mapping[str, Capacity]]
    _gone: Mapping[str, Mapping[str, Attribute | Capacity]]

    @classmethod
    def of(cls, schema: DriverSchema, release: str, gates: Mapping[str, bool]) -> "DriverView | None":
        """The view at a release, or None where the schema does not know it."""
        version = known_release(schema, release)
        if version is None:
            return None
        timeline = _Timeline(tuple(release_names(schema)), version)
        on = {gate.name for gate in schema.feature_gates if gate.default} | {g for g, is_on in gates.items() if is_on}
        enabled = frozenset(on - {gate for gate, is_on in gates.items() if not is_on})
        attributes: dict[str, dict[str, Attribute]] = {}
        capacities: dict[str, dict[str, Capacity]] = {}
        gone: dict[str, dict[str, Attribute | Capacity]] = {}
        sets = {each.name: each for each in schema.attribute_sets}
        for device_type in schema.device_types:
            parts: list[AttributeSet | DeviceType] = [
                *(sets[name] for name in device_type.include if name in sets),
                device_type,
            ]
            all_attributes = {each.name: each for part in parts for each in part.attributes}
            all_capacities = {each.name: each for part in parts for each in part.capacities}
            attributes[device_type.id] = _present(all_attributes, timeline, enabled)
            capacities[device_type.id] = _present(all_capacities, timeline, enabled)
            here = attributes[device_type.id].keys() | capacities[device_type.id].keys()
            everything: dict[str, Attribute | Capacity] = {**all_attributes, **all_capacities}
            gone[device_type.id] = {name: each for name, each in everything.items() if name not in here}
        return cls(schema, version, enabled, attributes, capacities, gone)

    @property
    def _timeline(self) -> "_Timeline":
        return _Timeline(tuple(release_names(self.schema)), self.release)

    @property
    def name(self) -> str:
        return self.schema.name

    @property
    def attribute_domain(self) -> str:
        """The domain of the driver's own attributes."""
        return self.schema.attribute_domain or self.schema.name

    @property
    def model_attribute(self) -> str | None:
        return self.schema.model_attribute

    @property
    def partitioning(self) -> Partitioning | None:
        return self.schema.partitioning

    @property
    def classes(self) -> tuple[ShippedClass, ...]:
        """The vendor's classes at this release."""
        timeline = self._timeline
        return tuple(each for each in self.schema.classes if timeline.has(each.since, each.removed_in))

    def device_types(self) -> tuple[DeviceType, ...]:
        """The device types of this release, whether or not their feature gate is on."""
        timeline = self._timeline
        return tuple(each for each in self.schema.device_types if timeline.has(each.since, each.removed_in))

    def device_type(self, name: str) -> DeviceType | None:
        return next((each for each in self.device_types() if each.id == name), None)

    def types_without_models(self) -> list[str]:
        """Device types that no model and no partition is of, whose feature gate is on, and which something tells
        from the driver's other types."""
        taken = {model.device_type for model in self.schema.models}
        if self.partitioning:
            taken.add(self.partitioning.device_type)
        types = self.device_types()
        return [
            each.id
            for each in types
            if each.id not in taken
            and (each.feature_gate is None or each.feature_gate in self.gates)
            and (each.discriminator is not None or len(types) == 1)
        ]

    def attributes(self, device_type: str) -> Mapping[str, Attribute]:
        return self._attributes.get(device_type, {})

    def capacities(self, device_type: str) -> Mapping[str, Capacity]:
        return self._capacities.get(device_type, {})

    def attribute(self, device_type: str, name: str) -> Attribute | None:
        return _named(self.attributes(device_type), name)

    def capacity(self, device_type: str, name: str) -> Capacity | None:
        return _named(self.capacities(device_type), name)

    def closest_name(self, device_type: str, name: str) -> str | None:
        """The published attribute or capacity that a name may stand for: the same one of another domain first."""
        own = f"{self.attribute_domain}/"
        known = [*self.attributes(device_type), *self.capacities(device_type)]
        if "/" not in name:
            known = [each.removeprefix(own) for each in known]
        identifier = name.rpartition("/")[2].lower()
        same = [each for each in known if each.rpartition("/")[2].lower() == identifier]
        return same[0] if same else closest(name, known)

    def absence(self, device_type: str, name: str) -> str:
        """Why a name that the schema knows is not published here, to follow a statement that it is not.

        Empty where the schema does not know the name, or where it is published.
        """
        found = self._gone.get(device_type, {}).get(name)
        if found is None:
            return ""
        if found.feature_gate and found.feature_gate not in self.gates:
            return f": it needs the driver's feature gate {found.feature_gate}"
        instead = f", use {' or '.join(found.replaced_by)}" if found.replaced_by else ""
        timeline = self._timeline
        if found.removed_in and not timeline.before(found.removed_in):
            return f": it was removed in {found.removed_in}{instead}"
        if found.since and timeline.before(found.since):
            return f": it comes with {found.since}"
        was = _earlier(found, timeline)
        return f": it comes back with {was.before}" if was else ""

    def health_taints(self) -> tuple[DriverTaint, ...]:
        """The taints by which this release tells of sick devices, whether or not its gate is on."""
        health = self.schema.health
        timeline = self._timeline
        if health is None or not timeline.has(health.since, None):
            return ()
        return tuple(each for each in health.taints if timeline.has(each.since, each.removed_in))

    def model_names(self) -> list[str]:
        return [model.name for model in self.schema.models]

    def model(self, name: str) -> Model | None:
        """A model by name, whatever the case."""
        wanted = name.lower()
        return next((model for model in self.schema.models if model.name.lower() == wanted), None)

    def partition(self, model: str, profile: str) -> Partition | None:
        """A part of a model by its profile, whatever the case."""
        found = self.model(model)
        wanted = profile.lower()
        return next((p for p in found.partitions if p.profile.lower() == wanted), None) if found else None

    def shares(self, device_type: str) -> bool:
        """Whether several claims may share one device of this type."""
        found = self.device_type(device_type)
        sharing = found.allow_multiple_allocations if found else None
        if sharing is None or not self._timeline.has(sharing.since, None):
            return False
        return sharing.feature_gate is None or sharing.feature_gate in self.gates

    def key_of_capacity(self, capacity: Capacity) -> str:
        """The key under which the driver writes a capacity, which is the one that the allocator compares."""
        if capacity.written_as:
            return capacity.written_as
        own = f"{self.attribute_domain}/"
        return capacity.name.removeprefix(own) if self.schema.publishes_unqualified else capacity.name

    def identity_of(self, device_type: str) -> str | None:
        """The attribute that names one physical device of this type, where it has one."""
        identity = self.schema.identity
        return identity if identity and self.attribute(device_type, identity) else None

    def parent_identity_of(self, device_type: str) -> str | None:
        """The attribute that names the physical device of which devices of this type are parts."""
        found = self.device_type(device_type)
        return found.parent_identity if found else None

    def facts(self, model: str | None, partition: str | None, name: str) -> Sequence[Fact]:
        """What devices of a model are known to publish under a qualified name: one fact a product, or none."""
        found = self.model(model) if model else None
        if found is None:
            return ()
        own = self.attribute_domain
        if partition is not None:
            part = self.partition(found.name, partition)
            if part and name == f"{own}/memory":
                return (part.memory,) if part.memory is not None else ()
        elif name == f"{own}/memory":
            known = tuple(product.memory for product in found.products if product.memory is not None)
            return known if len(known) == len(found.products) else ()
        if name == self.model_attribute:
            return tuple(product.name for product in found.products)
        if name == f"{own}/architecture" and found.architecture:
            return (found.architecture,)
        if name == f"{own}/cudaComputeCapability" and found.compute_capability:
            return (Semver.normalized(found.compute_capability),)
        return ()


@dataclass(frozen=True, slots=True)
class _Timeline:
    """The releases of a driver, and where on that line we stand."""

    releases: tuple[str, ...]
    now: str

    def _index(self, release: str) -> int:
        return self.releases.index(release) if release in self.releases else len(self.releases)

    def before(self, release: str) -> bool:
        return self._index(self.now) < self._index(release)

    def has(self, since: str | None, removed_in: str | None) -> bool:
        if since is not None and self.before(since):
            return False
        return removed_in is None or self.before(removed_in)


def _present(items: Mapping[str, T], timeline: _Timeline, gates: frozenset[str]) -> dict[str, T]:
    found = {}
    for name, item in items.items():
        gated = item.feature_gate is not None and item.feature_gate not in gates
        if timeline.has(item.since, item.removed_in) and not gated:
            current = _at(item, timeline, gates)
            if current.presence != "absent":
                found[name] = current
    return found


def _at(item: T, timeline: _Timeline, gates: frozenset[str]) -> T:
    """The item as it was at the release, in the form, scalar or list, that the gates choose."""
    changes: dict[str, Any] = {}
    was = _earlier(item, timeline)
    if was is not None and was.presence is not None:
        changes |= {"presence": was.presence, "condition": was.condition}
    if isinstance(item, Attribute):
        types = item.type
        if was is not None:
            types = was.type or types
            changes["values"] = was.values or item.values
            changes["values_closed"] = item.values_closed if was.values_closed is None else was.values_closed
        if item.list_feature_gate is not None:
            as_list = item.list_feature_gate in gates
            types = tuple(each for each in types if each.endswith("s") is as_list)
        changes["type"] = types
    return replace(item, **changes)


def _earlier(item: Attribute | Capacity, timeline: _Timeline) -> EarlierAttribute | None:
    """How the item was: the first of ``earlier`` whose end is still to come tells."""
    return next((was for was in item.earlier if timeline.before(was.before)), None)


def _named(items: Mapping[str, T], name: str) -> T | None:
    """An item by its name; a name with a placeholder such as ``memorySlice<i>`` stands for any number."""
    if name in items:
        return items[name]
    for item in items.values():
        if item.pattern:
            before, _, after = item.name.partition("<i>")
            middle = name.removeprefix(before).removesuffix(after)
            if name == before + middle + after and middle.isascii() and middle.isdigit():
                return item
    return None

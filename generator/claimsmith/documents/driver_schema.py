"""DriverSchema: what a driver publishes, release by release, and the models that profiles name."""

from dataclasses import dataclass

from claimsmith.documents.decode import Positioned
from claimsmith.documents.parts import Document
from claimsmith.values.quantity import Quantity

AttributeValue = str | int | bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Release(Positioned):
    version: str
    date: str | None = None
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FeatureGate(Positioned):
    name: str
    default: bool
    since: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Partitioning(Positioned):
    """How parts of a device appear: as devices of a type, their profile in an attribute."""

    device_type: str
    attribute: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShippedClass(Positioned):
    """A device class that the vendor ships or documents; ``pattern`` marks a name with placeholders."""

    name: str
    pattern: bool = False
    device_type: str | None = None
    selectors: tuple[str, ...] = ()
    extended_resource_name: str | None = None
    since: str | None = None
    removed_in: str | None = None
    feature_gate: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverTaint(Positioned):
    key: str
    pattern: bool = False
    value: str | None = None
    effects: tuple[str, ...] = ()
    since: str | None = None
    removed_in: str | None = None
    condition: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Health(Positioned):
    """How the driver tells that a device is ill."""

    path: str
    feature_gate: str | None = None
    since: str | None = None
    note: str | None = None
    taints: tuple[DriverTaint, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class OpaqueConfig(Positioned):
    api_version: str | None = None
    kind: str | None = None
    fields: tuple[str, ...] = ()
    device_types: tuple[str, ...] = ()
    legacy: bool = False
    feature_gate: str | None = None
    condition: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierAttribute(Positioned):
    """How an attribute or capacity was before the release ``before``."""

    before: str
    presence: str | None = None
    condition: str | None = None
    type: tuple[str, ...] = ()
    values: tuple[AttributeValue, ...] = ()
    values_closed: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attribute(Positioned):
    """An attribute; ``devices_per_value`` is the most devices of one node known to share a value."""

    name: str
    type: tuple[str, ...]
    presence: str
    list_feature_gate: str | None = None
    written_as: str | None = None
    pattern: bool = False
    condition: str | None = None
    feature_gate: str | None = None
    since: str | None = None
    deprecated_since: str | None = None
    removed_in: str | None = None
    replaced_by: tuple[str, ...] = ()
    unit: str | None = None
    values: tuple[AttributeValue, ...] = ()
    values_closed: bool = False
    examples: tuple[AttributeValue, ...] = ()
    devices_per_value: int | None = None
    aliases: tuple[str, ...] = ()
    earlier: tuple[EarlierAttribute, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestPolicy(Positioned):
    default: str | None = None
    min: str | None = None
    max: str | None = None
    step: str | None = None
    valid_values: tuple[str, ...] = ()
    condition: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity(Positioned):
    name: str
    presence: str
    written_as: str | None = None
    pattern: bool = False
    condition: str | None = None
    feature_gate: str | None = None
    since: str | None = None
    deprecated_since: str | None = None
    removed_in: str | None = None
    replaced_by: tuple[str, ...] = ()
    unit: str | None = None
    examples: tuple[str, ...] = ()
    request_policy: RequestPolicy | None = None
    earlier: tuple[EarlierAttribute, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AttributeSet(Positioned):
    name: str
    attributes: tuple[Attribute, ...] = ()
    capacities: tuple[Capacity, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Discriminator(Positioned):
    """What tells a device type from the driver's others: a value, or whether the attribute is there."""

    attribute: str
    equals: AttributeValue | None = None
    exists: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MultipleAllocations(Positioned):
    presence: str
    feature_gate: str | None = None
    since: str | None = None
    condition: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Counters(Positioned):
    counter_set: str
    names: tuple[str, ...] = ()
    feature_gate: str | None = None
    condition: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceType(Positioned):
    id: str
    discriminator: Discriminator | None = None
    since: str | None = None
    removed_in: str | None = None
    feature_gate: str | None = None
    condition: str | None = None
    device_name: str | None = None
    parent_identity: str | None = None
    allow_multiple_allocations: MultipleAllocations | None = None
    counters: Counters | None = None
    include: tuple[str, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    capacities: tuple[Capacity, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Product(Positioned):
    """One value of the model attribute, and the memory that such a device publishes."""

    name: str
    memory: Quantity | None = None
    unconfirmed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Partition(Positioned):
    profile: str
    memory: Quantity | None = None
    multiprocessors: int | None = None
    memory_slices: int | None = None
    per_device: int | None = None
    unconfirmed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Model(Positioned):
    name: str
    device_type: str
    products: tuple[Product, ...]
    architecture: str | None = None
    compute_capability: str | None = None
    precisions: tuple[str, ...] = ()
    partitions: tuple[Partition, ...] = ()
    unconfirmed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class DriverSchema(Document):
    """``open`` schemas allow attributes that they do not list."""

    repository: str
    open: bool
    attribute_domain: str | None = None
    other_domains: tuple[str, ...] = ()
    publishes_unqualified: bool = False
    releases: tuple[Release, ...]
    unreleased: bool
    feature_gates: tuple[FeatureGate, ...] = ()
    identity: str | None = None
    model_attribute: str | None = None
    partitioning: Partitioning | None = None
    classes: tuple[ShippedClass, ...] = ()
    health: Health | None = None
    configs: tuple[OpaqueConfig, ...] = ()
    attribute_sets: tuple[AttributeSet, ...] = ()
    device_types: tuple[DeviceType, ...]
    models: tuple[Model, ...] = ()

"""What a JSON Schema cannot say of a driver's schema: that its names and releases fit together."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from claimsmith.documents.decode import Positioned
from claimsmith.documents.driver_schema import (
    Attribute,
    AttributeSet,
    AttributeValue,
    Capacity,
    DeviceType,
    DriverSchema,
    Model,
)
from claimsmith.documents.nodes import PathStep
from claimsmith.drivers.view import release_names
from claimsmith.values.names import qualified_attribute_problem
from claimsmith.values.quantity import Quantity
from claimsmith.values.semver import Semver

SCALARS = {"string": str, "int": int, "bool": bool, "version": str}


@dataclass(frozen=True, slots=True)
class Inconsistency:
    """A field of a part of a schema, and what is wrong with it in words that follow the field's name."""

    part: Positioned
    steps: tuple[PathStep, ...]
    problem: str


def inconsistencies(schema: DriverSchema) -> Iterator[Inconsistency]:
    """Everything in a schema that does not fit together, section by section."""
    yield from _releases(schema)
    yield from _repeated(schema.attribute_sets, "name")
    yield from _repeated(schema.device_types, "id")
    for holder in _holders(schema):
        yield from _repeated(holder.attributes, "name")
        yield from _repeated(holder.capacities, "name")
        items: list[Attribute | Capacity] = [*holder.attributes, *holder.capacities]
        for item in items:
            yield from _item(item, schema)
    for device_type in schema.device_types:
        yield from _device_type(device_type, schema)
    yield from _references(schema)
    yield from _models(schema)


def _holders(schema: DriverSchema) -> Iterator[AttributeSet | DeviceType]:
    yield from schema.attribute_sets
    yield from schema.device_types


def _releases(schema: DriverSchema) -> Iterator[Inconsistency]:
    names = Counter(name for each in schema.releases for name in (each.version, *each.aliases))
    for release in schema.releases:
        for name in (release.version, *release.aliases):
            if names[name] > 1:
                step = "version" if name == release.version else "aliases"
                yield Inconsistency(release, (step,), f"`{name}` names more than one release")
    dated = [release for release in schema.releases if release.date]
    for before, after in pairwise(dated):
        if (before.date or "") > (after.date or ""):
            yield Inconsistency(after, ("date",), f"is before that of {before.version}, which stands above it")
    known = release_names(schema)
    for part in _versioned(schema):
        for name, key in (("since", "since"), ("removed_in", "removedIn"), ("deprecated_since", "deprecatedSince")):
            release_name = getattr(part, name, None)
            if release_name is not None and release_name not in known:
                yield Inconsistency(part, (key,), f"names no release of the schema: {', '.join(known)}")
        since, removed = getattr(part, "since", None), getattr(part, "removed_in", None)
        if since in known and removed in known and known.index(since) >= known.index(removed):
            yield Inconsistency(part, ("removedIn",), f"is not after {since}, the release that it came with")


def _versioned(schema: DriverSchema) -> Iterator[Positioned]:
    yield from schema.feature_gates
    yield from schema.classes
    if schema.health:
        yield schema.health
        yield from schema.health.taints
    yield from schema.device_types
    for device_type in schema.device_types:
        if device_type.allow_multiple_allocations:
            yield device_type.allow_multiple_allocations
    for holder in _holders(schema):
        yield from holder.attributes
        yield from holder.capacities


def _repeated(parts: Iterable[Positioned], field: str, fold: bool = False) -> Iterator[Inconsistency]:
    seen: set[str] = set()
    for part in parts:
        name = str(getattr(part, field))
        name = name.lower() if fold else name
        if name in seen:
            yield Inconsistency(part, (field,), "is there twice" + (", whatever the case" if fold else ""))
        seen.add(name)


def _item(item: Attribute | Capacity, schema: DriverSchema) -> Iterator[Inconsistency]:
    problem = qualified_attribute_problem(item.name.replace("<i>", "0") if item.pattern else item.name)
    if problem:
        yield Inconsistency(item, ("name",), problem)
    if item.pattern and "<i>" not in item.name:
        yield Inconsistency(item, ("name",), "is a pattern and has no placeholder <i>")
    if isinstance(item, Attribute):
        kinds = {kind.removesuffix("s") for kind in item.type}
        for field, values in (("values", item.values), ("examples", item.examples)):
            for index, value in enumerate(values):
                if not any(_fits(value, kind) for kind in kinds):
                    yield Inconsistency(item, (field, index), f"is not of type {' or '.join(item.type)}")
        if item.list_feature_gate and len({kind.endswith("s") for kind in item.type}) < 2:
            yield Inconsistency(item, ("listFeatureGate",), "chooses between two forms, and the type has one")
    else:
        for index, text in enumerate(item.examples):
            if not _parses(Quantity.parse, text):
                yield Inconsistency(item, ("examples", index), "is not a quantity")
    known = release_names(schema)
    last = -1
    for was in item.earlier:
        place = known.index(was.before) if was.before in known else None
        if place is None:
            yield Inconsistency(was, ("before",), f"names no release of the schema: {', '.join(known)}")
        elif place <= last:
            yield Inconsistency(was, ("before",), "is not after the one above it")
        else:
            last = place


def _fits(value: AttributeValue, kind: str) -> bool:
    if not isinstance(value, SCALARS[kind]) or (kind == "int" and isinstance(value, bool)):
        return False
    return kind != "version" or _parses(Semver.parse, str(value))


def _parses(parse: Callable[[str], object], text: str) -> bool:
    try:
        parse(text)
    except ValueError:
        return False
    return True


def _device_type(device_type: DeviceType, schema: DriverSchema) -> Iterator[Inconsistency]:
    sets = {each.name: each for each in schema.attribute_sets}
    names = {each.name for each in device_type.attributes}
    for index, name in enumerate(device_type.include):
        if name in sets:
            names |= {each.name for each in sets[name].attributes}
        else:
            yield Inconsistency(device_type, ("include", index), f"names no attribute set: {', '.join(sets)}")
    mark = device_type.discriminator
    if mark is not None:
        if (mark.equals is None) == (mark.exists is None):
            yield Inconsistency(mark, (), "needs one of equals and exists")
        elif mark.exists is not False and mark.attribute not in names:
            yield Inconsistency(mark, ("attribute",), f"is no attribute of {device_type.id}")
    if device_type.parent_identity and device_type.parent_identity not in names:
        yield Inconsistency(device_type, ("parentIdentity",), f"is no attribute of {device_type.id}")


def _references(schema: DriverSchema) -> Iterator[Inconsistency]:
    attributes = {each.name for holder in _holders(schema) for each in holder.attributes}
    types = {each.id for each in schema.device_types}
    gates = {each.name for each in schema.feature_gates}
    for key, name in (("identity", schema.identity), ("modelAttribute", schema.model_attribute)):
        if name is not None and name not in attributes:
            yield Inconsistency(schema, (key,), "is no attribute of the schema")
    if schema.partitioning:
        if schema.partitioning.attribute not in attributes:
            yield Inconsistency(schema.partitioning, ("attribute",), "is no attribute of the schema")
        if schema.partitioning.device_type not in types:
            yield Inconsistency(schema.partitioning, ("deviceType",), "is no device type of the schema")
    for shipped in schema.classes:
        if shipped.device_type is not None and shipped.device_type not in types:
            yield Inconsistency(shipped, ("deviceType",), "is no device type of the schema")
    for config in schema.configs:
        for index, name in enumerate(config.device_types):
            if name not in types:
                yield Inconsistency(config, ("deviceTypes", index), "is no device type of the schema")
    for part in (*_versioned(schema), *schema.configs):
        for field, key in (("feature_gate", "featureGate"), ("list_feature_gate", "listFeatureGate")):
            gate = getattr(part, field, None)
            if gate is not None and gate not in gates:
                yield Inconsistency(part, (key,), "is not among the schema's featureGates")


def _models(schema: DriverSchema) -> Iterator[Inconsistency]:
    if schema.models and schema.model_attribute is None:
        yield Inconsistency(schema, ("models",), "need a modelAttribute that holds their product names")
    yield from _repeated(schema.models, "name", fold=True)
    products: dict[str, Model] = {}
    types = {each.id for each in schema.device_types}
    for model in schema.models:
        if model.device_type not in types:
            yield Inconsistency(model, ("deviceType",), "is no device type of the schema")
        yield from _repeated(model.partitions, "profile", fold=True)
        if model.partitions and schema.partitioning is None:
            yield Inconsistency(model, ("partitions",), "need the schema's partitioning")
        for product in model.products:
            if product.name in products:
                other = products[product.name].name
                yield Inconsistency(product, ("name",), f"is a product of {other} already")
            products.setdefault(product.name, model)

"""The devices that selectors are tried on: recorded ResourceSlices, and devices made from the driver schemas.

The made ones are kept in ``recorded/devices.jsonl`` (``record.py`` writes it), so that a later change of a schema
leaves what Kubernetes was asked as it is.
"""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import yaml

from claimsmith.compiler.requirements import Literal
from claimsmith.documents.driver_schema import Attribute, Capacity, DeviceType
from claimsmith.drivers.catalogue import Catalogue
from claimsmith.drivers.view import DriverView, release_names
from claimsmith.values import Quantity, Semver
from tests.compiler.golden import DRIVERS, NAMES, RECORDED, STRINGS, requirement_cases
from tests.compiler.meaning import Attribute as AttributeTerm
from tests.compiler.meaning import Capacity as CapacityTerm

MADE = RECORDED / "devices.jsonl"
SCALARS = {"string": "a value", "int": 1, "bool": True, "version": "1.0.0"}
INT64 = range(-(2**63), 2**63)

Slice = dict[str, Any]


def fleet() -> list[Slice]:
    """Every slice, in the order of the recorded answers."""
    made = [json.loads(line) for line in MADE.read_text(encoding="utf-8").splitlines()]
    return [*_recorded(), *made]


def _recorded() -> Iterator[Slice]:
    """Real slices, as a server with default gates stores them: without list attributes."""
    for path in sorted((RECORDED / "slices").glob("*.yaml")):
        for each in filter(None, yaml.load_all(path.read_bytes(), yaml.CSafeLoader)):
            name = f"{path.stem}:{each['metadata']['name']}"
            yield _slice(
                name, each["spec"]["driver"], [_scalar_only(device) for device in each["spec"].get("devices", ())]
            )


def _scalar_only(device: dict[str, Any]) -> dict[str, Any]:
    attributes = {name: typed for name, typed in device.get("attributes", {}).items() if set(typed) <= set(SCALARS)}
    return {"name": device["name"], "attributes": attributes, "capacity": device.get("capacity", {})}


def make() -> list[Slice]:
    """Devices of every type of every driver, of every model and partition, and with values around those asked for."""
    catalogue = Catalogue()
    slices = [each for name in catalogue.names() for each in _of_types(name, catalogue)]
    slices += [each for name in catalogue.names() for each in _of_models(name, catalogue)]
    slices += [_of_values(kind, name) for kind, name in NAMES.items()]
    return slices


def _of_types(driver: str, catalogue: Catalogue) -> Iterator[Slice]:
    """A device with everything, with what is always there, with the mark of its type, and with nothing.

    Of the drivers with golden classes at every release, of the others at the newest.
    """
    schema = catalogue.schema(driver)
    assert schema is not None
    known: list[dict[str, Any]] = []
    for release in release_names(schema) if driver in DRIVERS else release_names(schema)[-1:]:
        view = _view(catalogue, driver, release)
        for device_type in view.device_types():
            made = []
            for name, device in _variants(view, device_type):
                if device not in known:
                    known.append(device)
                    made.append({"name": name, **device})
            if made:
                yield _slice(f"{driver} {release} type {device_type.id}", driver, made)


def _view(catalogue: Catalogue, driver: str, release: str) -> DriverView:
    """With every gate that adds devices or attributes; lists need a gate of Kubernetes that is off by default."""
    schema = catalogue.schema(driver)
    assert schema is not None
    gates = {gate.name: gate.name != "DRAListTypeAttributes" for gate in schema.feature_gates}
    view = catalogue.view(driver, release, gates)
    assert view is not None
    return view


def _variants(view: DriverView, device_type: DeviceType) -> Iterator[tuple[str, dict[str, Any]]]:
    attributes = [each for each in view.attributes(device_type.id).values() if each.type[0] in SCALARS]
    capacities = list(view.capacities(device_type.id).values())
    mark = device_type.discriminator.attribute if device_type.discriminator else ""
    yield "all", _device(view, device_type, attributes, capacities)
    always = [each for each in attributes if each.presence == "always" or each.name == mark]
    yield "always", _device(view, device_type, always, [each for each in capacities if each.presence == "always"])
    yield "mark", _device(view, device_type, [each for each in attributes if each.name == mark], [])
    yield "nothing", _device(view, device_type, [], [])


def _device(
    view: DriverView, device_type: DeviceType, attributes: Iterable[Attribute], capacities: Iterable[Capacity]
) -> dict[str, Any]:
    mark = device_type.discriminator
    values = {}
    for each in attributes:
        examples = [*each.values, *each.examples, SCALARS[each.type[0]]]
        value = mark.equals if mark and mark.attribute == each.name and mark.equals is not None else examples[0]
        values[_published(view, each.name)] = {each.type[0]: value}
    amounts = {view.key_of_capacity(each): {"value": [*each.examples, "1"][0]} for each in capacities}
    return {"attributes": values, "capacity": {name.replace("<i>", "0"): held for name, held in amounts.items()}}


def _published(view: DriverView, name: str) -> str:
    own = f"{view.attribute_domain}/"
    bare = view.schema.publishes_unqualified and view.attribute_domain == view.name
    return (name.removeprefix(own) if bare else name).replace("<i>", "0")


def _of_models(driver: str, catalogue: Catalogue) -> Iterator[Slice]:
    """A slice a model and partition, ``<driver> <model>[ <partition>]``, with a device for each product name.

    And one for each other device type, ``<driver> type <type>``, whose devices go by the same product names.
    """
    schema = catalogue.schema(driver)
    assert schema is not None
    view = _view(catalogue, driver, release_names(schema)[-1])
    attribute = view.model_attribute
    if attribute is None:
        return
    part = view.partitioning
    whole = {model.device_type for model in view.schema.models}
    for model in view.schema.models:
        products = [product.name for product in model.products]
        made = [_modelled(view, model.device_type, {attribute: product}) for product in products]
        yield _slice(f"{driver} {model.name}", driver, _numbered(made))
        for each in model.partitions if part else ():
            assert part is not None
            marks: list[dict[str, str]] = [{attribute: product, part.attribute: each.profile} for product in products]
            made = [_modelled(view, part.device_type, values) for values in marks]
            yield _slice(f"{driver} {model.name} {each.profile}", driver, _numbered(made))
    products = [product.name for model in view.schema.models for product in model.products]
    for device_type in view.device_types():
        if device_type.id not in {*whole, part.device_type if part else ""}:
            made = [_modelled(view, device_type.id, {attribute: product}) for product in products]
            yield _slice(f"{driver} type {device_type.id}", driver, _numbered(made))


def _modelled(view: DriverView, device_type: str, values: dict[str, str]) -> dict[str, Any]:
    found = view.device_type(device_type)
    assert found is not None
    device = next(made for name, made in _variants(view, found) if name == "always")
    named = {_published(view, name): {"string": value} for name, value in values.items()}
    return {"attributes": device["attributes"] | named, "capacity": device["capacity"]}


def _numbered(made: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    return [{"name": f"device-{index}", **device} for index, device in enumerate(made)]


def _of_values(kind: str, name: str) -> Slice:
    """Devices that have nothing but a value, the ones that the golden requirements name and their neighbours."""
    terms = [term for case in requirement_cases() for selector in case.selectors for term in selector.meaning]
    conditions = [
        term.condition for term in terms if isinstance(term, AttributeTerm | CapacityTerm) and term.name == name
    ]
    literals = [
        literal for each in conditions for literal in (each.literals if hasattr(each, "literals") else (each.literal,))
    ]
    values = dict.fromkeys(value for literal in literals for value in _around(literal))
    driver, _, bare = name.rpartition("/")
    if kind == "quantity":
        made = [{"attributes": {}, "capacity": {bare: {"value": value}}} for value in values]
    else:
        made = [{"attributes": {bare: {kind: value}}, "capacity": {}} for value in values]
    return _slice(f"values of {name}", driver, _numbered(made))


def _around(literal: Literal) -> Iterator[str | int | bool]:
    if isinstance(literal, bool):
        yield from (literal, not literal)
    elif isinstance(literal, int):
        yield from (value for value in (literal, literal - 1, literal + 1, 0) if value in INT64)
    elif isinstance(literal, str):
        yield from (literal, f"{literal} ", literal.lower(), *STRINGS)
    elif isinstance(literal, Semver):
        release = f"{literal.major}.{literal.minor}.{literal.patch}"
        yield from (str(literal), release, f"{release}-rc.1", f"{release}-rc.2", f"{release}+build", "0.0.0")
        yield f"{literal.major}.{literal.minor}.{literal.patch + 1}"
        yield f"{literal.major}.{literal.minor + 1}.0-alpha"
    else:
        assert isinstance(literal, Quantity)
        amount = literal.as_fraction()
        yield from (literal.canonical(), "0", "-1", "1m")
        yield from (str(int(amount) + step) for step in (-1, 0, 1))


def _slice(name: str, driver: str, made: list[dict[str, Any]]) -> Slice:
    return {"metadata": {"name": name}, "spec": {"driver": driver, "devices": made}}

"""Devices to try selectors on: of each type and model that a driver is known to have, with the values that matter.

What a driver publishes in a closed set of values, or a catalogue knows, is tried as it is. Anything else may have any
value, so those are tried that can make a difference: what the selectors compare it with, and its neighbours.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product

from claimsmith.cel.devices import Device
from claimsmith.cel.runtime import quantities, versions
from claimsmith.cel.runtime.failure import Failure
from claimsmith.cel.runtime.values import Map
from claimsmith.documents.driver_schema import Attribute, Capacity, DeviceType, Model, Product
from claimsmith.drivers.view import DriverView
from claimsmith.rules.selectors.paths import Constant, Read
from claimsmith.values.quantity import Quantity
from claimsmith.values.semver import Semver

MOST = 400
"""The combinations of values that are tried of one kind of device."""

_FOREIGN = "another-driver.example.com"
_SCALARS = ("string", "int", "bool", "version")

Value = object


@dataclass(frozen=True, slots=True, eq=False)
class Kind:
    """Devices that differ in nothing a catalogue knows; without a view, those of some other driver."""

    view: DriverView | None
    device_type: str = ""
    model: Model | None = None
    product: Product | None = None
    partition: str | None = None

    @property
    def title(self) -> str:
        """How people call it."""
        return " ".join(filter(None, (self.model.name if self.model else self.device_type, self.partition)))

    @property
    def published(self) -> Mapping[str, Attribute | Capacity]:
        if self.view is None:
            return {}
        return {**self.view.attributes(self.device_type), **self.view.capacities(self.device_type)}

    def item(self, field: str | None, name: str) -> Attribute | Capacity | None:
        """What a read of this field by this name finds on such devices, if the schema has it."""
        if self.view is None:
            return None
        if field == "capacity":
            return self.view.capacity(self.device_type, name)
        return self.view.attribute(self.device_type, name)

    def fact(self, name: str) -> str | Quantity | Semver | None:
        """What every device of this kind is known to publish under a name."""
        view, model = self.view, self.model
        if view is None or model is None:
            return None
        if name == view.model_attribute:
            return self.product.name if self.product else None
        if name == f"{view.attribute_domain}/memory" and self.partition is None:
            return self.product.memory if self.product else None
        if view.partitioning and name == view.partitioning.attribute:
            return self.partition
        return next(iter(view.facts(model.name, self.partition, name)), None)


FOREIGN = Kind(None)


@dataclass(frozen=True, slots=True, eq=False)
class Specimen:
    """One device to try; `absent` are what it does not publish though others of its type may."""

    kind: Kind
    device: Device
    absent: frozenset[str]


def kinds_of(
    view: DriverView,
    device_type: str | None = None,
    model: str | None = None,
    partition: str | None = None,
    *,
    gated: bool = False,
) -> list[Kind]:
    """The kinds of a driver, or those of one type, model or partition.

    Types whose feature gate is off are left out, but for the one that is asked for, unless `gated` includes them:
    where nobody knows the gates.
    """
    found = []
    for each in view.device_types():
        if device_type is not None and each.id != device_type:
            continue
        off = each.feature_gate is not None and each.feature_gate not in view.gates
        if off and device_type is None and not gated:
            continue
        found += [
            kind
            for kind in _models(view, each)
            if model is None or (kind.model is not None and (kind.model.name, kind.partition) == (model, partition))
        ]
        if model is None:
            found.append(Kind(view, each.id))
    return found


def _models(view: DriverView, device_type: DeviceType) -> Iterator[Kind]:
    parts = view.partitioning is not None and view.partitioning.device_type == device_type.id
    for model in view.schema.models:
        for each in model.products:
            if model.device_type == device_type.id:
                yield Kind(view, device_type.id, model, each)
            if parts:
                for partition in model.partitions:
                    yield Kind(view, device_type.id, model, each, partition.profile)


def representatives(kinds: Iterable[Kind], reads: Iterable[Read]) -> list[Kind]:
    """One of the kinds between which these reads cannot tell."""
    names = sorted({read.name for read in reads if read.name is not None})
    found: dict[object, Kind] = {}
    for kind in kinds:
        facts = tuple(_identity(kind.fact(name)) for name in names)
        found.setdefault((id(kind.view), kind.device_type, kind.model is None, facts), kind)
    return list(found.values())


@dataclass(frozen=True, slots=True)
class Trials:
    """`complete`: whether what holds for all of these holds for all devices of the kind."""

    specimens: tuple[Specimen, ...]
    complete: bool


def trials(kind: Kind, reads: Sequence[Read]) -> Trials:
    """Devices of a kind with every combination of values that the reads can tell apart, up to `MOST`."""
    if kind.view is None:
        return Trials((Specimen(kind, Device("", "", _FOREIGN, {}, {}), frozenset()),), True)
    uses: dict[tuple[str, str], list[Read]] = {}
    for read in reads:
        if read.name is not None and read.field is not None and kind.item(read.field, read.name) is not None:
            uses.setdefault((read.field, read.name), []).append(read)
    names = list(uses)
    unlisted = kind.view.schema.open and any(
        read.name is not None and kind.item(read.field, read.name) is None for read in reads
    )
    options, complete = [], not unlisted and not any(read.computed for read in reads)
    for field, name in names:
        values, closed = _values(kind, field, name, uses[field, name])
        options.append(values)
        complete = complete and closed
    consistent = (each for each in product(*options) if _consistent(kind, names, each))
    combinations = list(islice(consistent, MOST + 1))
    usual = _usual(kind)
    specimens = tuple(_specimen(kind, usual, dict(zip(names, each, strict=True))) for each in combinations[:MOST])
    return Trials(specimens, complete and len(combinations) <= MOST)


_ABSENT = None


def _values(kind: Kind, field: str, name: str, uses: Iterable[Read]) -> tuple[list[Value], bool]:
    """The values to try, `None` for none at all, and whether any other would make no difference."""
    item = kind.item(field, name)
    assert item is not None
    fact = kind.fact(name)
    if fact is not None:
        return [_runtime(fact)], True
    absent: list[Value] = [_ABSENT] if item.presence == "conditional" else []
    type_name = _type(item)
    known = _known(kind, name, item, type_name)
    if known is not None:
        return [*known, *absent], True
    constants = [constant for read in uses if read.use for constant in read.use.literals]
    parts = [part for read in uses if read.use for part in read.use.through]
    values = list(_candidates(type_name, constants, parts))
    if type_name == "string" or not values:
        values += [value for text in item.examples if (value := _read(type_name, text)) is not None][:2]
        values.append(_default(type_name))
    distinct = {_identity(value): value for value in values}
    # A regular expression, say, may be met by values that nobody can guess.
    followed = all(
        (read.use and read.use.operator != "matches") or read.steps[2].form in ("has", "in") for read in uses
    )
    return [*distinct.values(), *absent], followed


def _known(kind: Kind, name: str, item: Attribute | Capacity, type_name: str) -> list[Value] | None:
    view = kind.view
    assert view is not None
    device_type = view.device_type(kind.device_type)
    mark = device_type.discriminator if device_type else None
    if mark and mark.attribute == name and mark.equals is not None:
        return [_read(type_name, mark.equals)]
    if type_name == "bool":
        closed = isinstance(item, Attribute) and item.values_closed
        return [bool(each) for each in item.values] if closed and isinstance(item, Attribute) else [True, False]
    if isinstance(item, Attribute) and item.values_closed:
        return [_read(type_name, each) for each in item.values]
    return None


def _type(item: Attribute | Capacity) -> str:
    if isinstance(item, Capacity):
        return "quantity"
    return next((each for each in item.type if each in _SCALARS), item.type[0])


def type_of(item: Attribute | Capacity) -> str:
    """The type of its values: string, int, bool, version, quantity, or a list form such as strings."""
    return _type(item)


def _candidates(type_name: str, constants: Sequence[Constant], parts: Sequence[str]) -> Iterator[Value]:
    for constant in constants:
        value = constant.value
        if type_name == "string" and isinstance(value, str):
            yield value
        elif type_name == "int" and isinstance(value, int | float) and not isinstance(value, bool):
            yield from (int(value) - 1, int(value), int(value) + 1)
        elif type_name == "version":
            yield from _versions(value, parts)
        elif type_name == "quantity" and isinstance(value, str):
            yield from _amounts(value)


def _versions(value: object, parts: Sequence[str]) -> Iterator[Value]:
    if isinstance(value, int):
        for number in (value - 1, value, value + 1):
            if number >= 0:
                place = next((each for each in ("patch", "minor") if each in parts), "major")
                numbers = [number if each == place else 0 for each in ("major", "minor", "patch")]
                yield Semver(numbers[0], numbers[1], numbers[2])
    elif isinstance(value, str):
        try:
            known = Semver.normalized(value)
        except ValueError:
            return
        yield from (known, Semver(known.major, known.minor, known.patch + 1), Semver(0, 0, 0))


def _amounts(text: str) -> Iterator[Value]:
    try:
        amount = Quantity.parse(text)
    except ValueError:
        return
    whole = int(amount.as_fraction())
    for number in (whole - 1, whole, whole + 1):
        if number >= 0:
            yield quantities.parse(str(number))


def _read(type_name: str, value: object) -> Value:
    """A value as documents write it; None where it is not of the type."""
    try:
        if type_name == "version":
            return versions.parse(str(value))
        if type_name == "quantity":
            return quantities.parse(str(value))
    except Failure:
        return None
    if type_name == "string":
        return str(value)
    return value if type_name in ("int", "bool") else None


def _default(type_name: str) -> Value:
    scalars: dict[str, Value] = {"string": "?", "int": 0, "bool": False, "version": Semver(1, 0, 0)}
    if type_name == "quantity":
        return quantities.parse("1")
    return scalars.get(type_name, ())


def _runtime(fact: str | Quantity | Semver) -> Value:
    return quantities.of(fact, fact.canonical()) if isinstance(fact, Quantity) else fact


def _identity(value: Value) -> object:
    return (type(value), getattr(value, "coefficient", value), getattr(value, "power", 0))


def _condition(kind: Kind, field: str, name: str) -> str | None:
    item = kind.item(field, name)
    return item.condition if item is not None and item.presence == "conditional" else None


def _consistent(kind: Kind, names: Sequence[tuple[str, str]], values: Sequence[Value]) -> bool:
    """Whether what is published under one condition is there or absent together."""
    there: dict[str, bool] = {}
    for (field, name), value in zip(names, values, strict=True):
        condition = _condition(kind, field, name)
        if condition is not None and there.setdefault(condition, value is not _ABSENT) is not (value is not _ABSENT):
            return False
    return True


def _specimen(kind: Kind, usual: Mapping[str, Mapping[str, Map]], chosen: Mapping[tuple[str, str], Value]) -> Specimen:
    """A device with the usual values but for the chosen ones."""
    view = kind.view
    assert view is not None
    fields = {field: dict(domains) for field, domains in usual.items()}
    gone = {_condition(kind, field, name) for (field, name), value in chosen.items() if value is _ABSENT} - {None}
    together: dict[tuple[str, str], Value] = {
        (field, name): _ABSENT
        for name, item in (kind.published.items() if gone else ())
        if item.condition in gone
        for field in ("capacity" if isinstance(item, Capacity) else "attributes",)
    }
    for (field, name), value in (together | dict(chosen)).items():
        domain, _, identifier = name.rpartition("/")
        there = fields[field].get(domain)
        entries = dict(there.entries) if there is not None else {}
        entries.pop(identifier, None)
        if value is not _ABSENT:
            entries[identifier] = value
        fields[field].pop(domain, None)
        if entries:
            fields[field][domain] = Map(entries, native=True)
    shares = view.shares(kind.device_type)
    device = Device("", kind.title, view.name, fields["attributes"], fields["capacity"], shares)
    return Specimen(kind, device, frozenset(name for (_, name), value in chosen.items() if value is _ABSENT))


def _usual(kind: Kind) -> dict[str, dict[str, Map]]:
    """Everything that such devices may publish, with values of the right types."""
    fields: dict[str, dict[str, Map]] = {"attributes": {}, "capacity": {}}
    for name, item in kind.published.items():
        if not item.pattern:
            domain, _, identifier = name.rpartition("/")
            field = "capacity" if isinstance(item, Capacity) else "attributes"
            fields[field].setdefault(domain, Map({}, native=True)).entries[identifier] = _first(kind, name, item)
    return fields


def _first(kind: Kind, name: str, item: Attribute | Capacity) -> Value:
    fact = kind.fact(name)
    if fact is not None:
        return _runtime(fact)
    type_name = _type(item)
    known = _known(kind, name, item, type_name) or [_read(type_name, each) for each in item.examples]
    return next((each for each in known if each is not None), _default(type_name))

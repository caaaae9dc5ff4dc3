"""Devices as an expression sees them, from ResourceSlices."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from claimsmith.cel.runtime import quantities, versions
from claimsmith.cel.runtime.failure import Failure
from claimsmith.cel.runtime.values import Map
from claimsmith.values.quantity import Quantity

_EMPTY = Map({}, native=True)
_INT64 = 2**63


@dataclass(frozen=True, slots=True, eq=False)
class Device:
    """One device of a slice.

    `attributes` and `capacity` are the values by domain and id; names without a domain have the driver's. `lists`
    names attributes that are lists, which some targets cannot read. `problem` is the error of every evaluation, as
    for an attribute without a value that Kubernetes knows.
    """

    slice: str
    name: str
    driver: str
    attributes: Mapping[str, Map]
    capacity: Mapping[str, Map]
    allow_multiple_allocations: bool = False
    lists: tuple[str, ...] = ()
    problem: str | None = None
    attributes_map: Map = field(init=False)
    capacity_map: Map = field(init=False)
    value: Map = field(init=False)

    def __post_init__(self) -> None:
        attributes = Map(dict(self.attributes), _EMPTY, native=True)
        capacity = Map(dict(self.capacity), _EMPTY, native=True)
        fields = {
            "driver": self.driver,
            "allowMultipleAllocations": self.allow_multiple_allocations,
            "attributes": attributes,
            "capacity": capacity,
        }
        object.__setattr__(self, "attributes_map", attributes)
        object.__setattr__(self, "capacity_map", capacity)
        object.__setattr__(self, "value", Map(fields, native=True))

    @property
    def key(self) -> str:
        """`<slice>/<device>`."""
        return f"{self.slice}/{self.name}"


def devices(resource_slice: Mapping[str, Any]) -> list[Device]:
    """The devices of a ResourceSlice (resource.k8s.io/v1) in the order of the slice.

    `ValueError` for an object that no API server can have stored: a field of a wrong type, no such quantity.
    """
    name = _text(_mapping(resource_slice.get("metadata"), "metadata").get("name"), "metadata.name")
    spec = _mapping(resource_slice.get("spec"), "spec")
    driver = _text(spec.get("driver"), "spec.driver")
    items = spec.get("devices") or []
    if not isinstance(items, list):
        raise ValueError(f"spec.devices of slice {name} must be a list")
    return [_device(name, driver, _mapping(item, f"spec.devices[{index}]")) for index, item in enumerate(items)]


def _mapping(value: object, where: str) -> Mapping[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise ValueError(f"{where} must be a mapping")
    return value


def _text(value: object, where: str) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ValueError(f"{where} must be a string")
    return value


def _device(slice_name: str, driver: str, item: Mapping[str, Any]) -> Device:
    name = _text(item.get("name"), "the name of a device")
    attributes: dict[str, Map] = {}
    lists: list[str] = []
    problem: str | None = None
    for qualified, published in _mapping(item.get("attributes"), f"attributes of device {name}").items():
        where = f"attribute {qualified} of device {name}"
        try:
            value = _attribute(_mapping(published, where), where)
        except Failure as failure:
            problem = problem or f"attribute {qualified}: {failure.text}"
            continue
        if type(value) is tuple:
            lists.append(str(qualified))
        _put(attributes, driver, str(qualified), value)
    capacity: dict[str, Map] = {}
    for qualified, published in _mapping(item.get("capacity"), f"capacity of device {name}").items():
        where = f"capacity {qualified} of device {name}"
        _put(capacity, driver, str(qualified), _quantity(_mapping(published, where).get("value"), where))
    multiple = item.get("allowMultipleAllocations")
    if not isinstance(multiple, bool | None):
        raise ValueError(f"allowMultipleAllocations of device {name} must be true or false")
    return Device(slice_name, name, driver, attributes, capacity, bool(multiple), tuple(lists), problem)


def _put(values: dict[str, Map], driver: str, qualified: str, value: Any) -> None:
    domain, slash, identifier = qualified.partition("/")
    if not slash:
        domain, identifier = driver, qualified
    values.setdefault(domain, Map({}, native=True)).entries[identifier] = value


def _attribute(published: Mapping[str, Any], where: str) -> Any:
    """The value in the order in which Kubernetes looks for one; `Failure` without."""
    for field_name, read in _LISTS:
        items = published.get(field_name)
        if items is not None:
            if not isinstance(items, list):
                raise ValueError(f"{field_name} of {where} must be a list")
            return tuple(read(item, where) for item in items)
    for field_name, read in _SCALARS:
        value = published.get(field_name)
        if value is not None:
            return read(value, where)
    raise Failure("unsupported attribute value")


def _int(value: object, where: str) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not -_INT64 <= value < _INT64:
        raise ValueError(f"the int of {where} must be a number of 64 bits")
    return value


def _bool(value: object, where: str) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"the bool of {where} must be true or false")
    return value


def _string(value: object, where: str) -> str:
    return _text(value, f"the string of {where}")


def _version(value: object, where: str) -> Any:
    try:
        return versions.parse(_text(value, f"the version of {where}"))
    except Failure as failure:
        raise Failure(f"parse semantic version: {failure.text}") from failure


def _quantity(value: object, where: str) -> Any:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise ValueError(f"the value of {where} must be a quantity")
    text = str(value)
    try:
        return quantities.of(Quantity.parse(text), text)
    except ValueError as error:
        raise ValueError(f"the value of {where}: {error}") from error


_Reader = Callable[[object, str], Any]

_LISTS: tuple[tuple[str, _Reader], ...] = (
    ("ints", _int),
    ("bools", _bool),
    ("strings", _string),
    ("versions", _version),
)
_SCALARS: tuple[tuple[str, _Reader], ...] = (("int", _int), ("bool", _bool), ("string", _string), ("version", _version))

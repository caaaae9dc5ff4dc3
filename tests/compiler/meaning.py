"""What a generated selector is to mean, told without CEL: the answers of Kubernetes are compared with it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from claimsmith.compiler.requirements import Comparison, Condition, Literal
from claimsmith.values import Quantity, Semver

ORDER = {
    "<": lambda found, wanted: found < wanted,
    "<=": lambda found, wanted: found <= wanted,
    ">": lambda found, wanted: found > wanted,
    ">=": lambda found, wanted: found >= wanted,
}


@dataclass(frozen=True, slots=True)
class Device:
    """A device as a selector sees it; names are qualified."""

    key: str
    driver: str
    attributes: Mapping[str, Literal]
    capacities: Mapping[str, Literal]


@dataclass(frozen=True, slots=True)
class OfDriver:
    driver: str

    def holds(self, device: Device) -> bool:
        return device.driver == self.driver


@dataclass(frozen=True, slots=True)
class Attribute:
    name: str
    condition: Condition

    def holds(self, device: Device) -> bool:
        return _fulfils(device.attributes.get(self.name), self.condition)


@dataclass(frozen=True, slots=True)
class Capacity:
    name: str
    condition: Condition

    def holds(self, device: Device) -> bool:
        return _fulfils(device.capacities.get(self.name), self.condition)


@dataclass(frozen=True, slots=True)
class Present:
    name: str
    present: bool

    def holds(self, device: Device) -> bool:
        return (self.name in device.attributes) is self.present


@dataclass(frozen=True, slots=True)
class NoneOf:
    """No device that goes by one of these values; one that has none is let in."""

    name: str
    values: tuple[str, ...]

    def holds(self, device: Device) -> bool:
        return device.attributes.get(self.name) not in self.values


Term = OfDriver | Attribute | Capacity | Present | NoneOf


def _fulfils(found: Literal | None, condition: Condition) -> bool:
    if not isinstance(condition, Comparison):
        return any(_equal(found, literal) for literal in condition.literals)
    if condition.operator == "==":
        return _equal(found, condition.literal)
    if condition.operator == "!=":
        return not _equal(found, condition.literal)
    return type(found) is type(condition.literal) and ORDER[condition.operator](found, condition.literal)


def _equal(found: Literal | None, wanted: Literal) -> bool:
    return type(found) is type(wanted) and found == wanted


def devices(slices: Iterable[Mapping[str, Any]]) -> list[Device]:
    """The devices of ResourceSlices; ``key`` is ``<slice>/<device>``."""
    return [
        Device(
            f"{each['metadata']['name']}/{device['name']}",
            each["spec"]["driver"],
            {
                _qualified(name, each["spec"]["driver"]): _value(*next(iter(typed.items())))
                for name, typed in device.get("attributes", {}).items()
            },
            {
                _qualified(name, each["spec"]["driver"]): _quantity(str(held["value"]))
                for name, held in device.get("capacity", {}).items()
            },
        )
        for each in slices
        for device in each["spec"]["devices"]
    ]


def _qualified(name: str, driver: str) -> str:
    return name if "/" in name else f"{driver}/{name}"


def _value(kind: str, value: str | int | bool) -> Literal:
    return Semver.parse(str(value)) if kind == "version" else value


@lru_cache
def _quantity(text: str) -> Quantity:
    return Quantity.parse(text)

"""Everything that ``codegen: 1`` generates text for, with what the text is to mean."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from claimsmith.compiler import selectors
from claimsmith.compiler.classes import class_selectors
from claimsmith.compiler.context import DeviceClassRef
from claimsmith.compiler.requirements import Comparison, Condition, OneOf, conditions
from claimsmith.drivers.catalogue import Catalogue
from claimsmith.drivers.view import DriverView, release_names
from claimsmith.values import Quantity
from tests.compiler.meaning import Attribute, Capacity, NoneOf, OfDriver, Present, Term

RECORDED = Path(__file__).parent / "recorded"
GOLDEN = RECORDED / "codegen-1.json"
DRIVERS = ("gpu.nvidia.com", "gpu.example.com", "dra.net")

NAMES = {
    "string": "gpu.nvidia.com/productName",
    "int": "dra.net/mtu",
    "bool": "dra.net/virtual",
    "version": "gpu.nvidia.com/driverVersion",
    "quantity": "gpu.nvidia.com/memory",
}
"""The attribute or capacity that the cases of a kind are about."""

AWKWARD = 'say "x" \\ it\'s\n\r\t\b\f\x00\x1b\x7f\u2028 é 漢 😀 ${a} {{b}} %s'
STRINGS = ("NVIDIA A100 80GB PCIe", "= no operator", "", "!=", AWKWARD)

REQUIREMENTS: Mapping[str, tuple[object, ...]] = {
    "string": (
        "NVIDIA A100 80GB PCIe",
        "== NVIDIA GB200",
        "!= NVIDIA GB200",
        "",
        AWKWARD,
        "!= " + AWKWARD,
        ["NVIDIA H200", "NVIDIA H200 NVL"],
        ["Tesla T4"],
        ["", "Tesla T4"],
        ['"; true || "', AWKWARD, "\\", "!= Tesla T4"],
    ),
    "int": (
        9000,
        -1,
        "== 1500",
        "!= 1500",
        "> 1500",
        ">= 1500",
        "< 1500",
        "<= 1500",
        "!= -1",
        ">= 1500, < 9000",
        ">= -9223372036854775808",
        "< 9223372036854775807",
        [0, 1500, 9000],
        [-9223372036854775808, "9223372036854775807"],
    ),
    "bool": (True, False),
    "version": (
        "580.126.09",
        "== 570.0.0",
        "!= 570.0.0",
        "> 570",
        ">= v570.86",
        "< 580.126.9",
        "<= 580.126.9",
        ">= 570.0.0, < 580, != 575.1.2",
        ">= 570.0.0-rc.1",
        "== 570.0.0+build.5",
        ["570.0.0", "580.126.09", "1.0.0-alpha.1"],
    ),
    "quantity": (
        "== 80Gi",
        "!= 80Gi",
        "> 80Gi",
        ">= 81559Mi",
        "< 80Gi",
        "<= 81920Mi",
        ">= 40Gi, < 100Gi",
        "> 0",
        ">= 1.5",
        "== 85899345920",
        "< 1e12",
        "== 500m",
    ),
}

DIRECT: Mapping[str, tuple[Condition, ...]] = {
    "string": (Comparison("!=", ""), OneOf(())),
    "bool": (Comparison("!=", True), Comparison("!=", False), OneOf((True, False))),
    "quantity": (OneOf((Quantity.parse("80Gi"), Quantity.parse("81559Mi"))),),
}
"""Conditions that no ``require`` makes today and that have a text nevertheless."""

EXCLUDED = ("GPU-00000000-0000-0000-0000-000000000000", "GPU-00000000-0000-0000-0000-000000000001", AWKWARD)
MANY_EXCLUDED = (EXCLUDED[0], *(f"GPU-{number:08x}-1111-2222-3333-444444444444" for number in range(199)))


@dataclass(frozen=True, slots=True)
class Selector:
    text: str
    meaning: tuple[Term, ...]


@dataclass(frozen=True, slots=True)
class RequirementCase:
    """``require`` is the value in a profile, or the conditions themselves in Python's words."""

    kind: str
    name: str
    require: object
    selectors: tuple[Selector, ...]


@dataclass(frozen=True, slots=True)
class ClassCase:
    """``name`` is ``<model>``, ``<model> <partition>`` or ``type <device type>``."""

    driver: str
    release: str
    name: str
    excluded: tuple[str, ...]
    selectors: tuple[Selector, ...]


def requirement_cases() -> list[RequirementCase]:
    cases = []
    for kind, name in NAMES.items():
        for value in REQUIREMENTS[kind]:
            cases.append(RequirementCase(kind, name, value, _selectors(kind, name, conditions(kind, value))))
        for condition in DIRECT.get(kind, ()):
            cases.append(RequirementCase(kind, name, repr(condition), _selectors(kind, name, (condition,))))
    return cases


def _selectors(kind: str, name: str, wanted: tuple[Condition, ...]) -> tuple[Selector, ...]:
    if kind == "quantity":
        texts = selectors.capacity_selectors(name, wanted)
        return tuple(Selector(text, (Capacity(name, each),)) for text, each in zip(texts, wanted, strict=True))
    texts = selectors.attribute_selectors(name, wanted)
    return tuple(Selector(text, (Attribute(name, each),)) for text, each in zip(texts, wanted, strict=True))


def class_cases() -> list[ClassCase]:
    """The class of every model, partition and device type of ``DRIVERS`` at each of their releases."""
    catalogue = Catalogue()
    cases = []
    for driver in DRIVERS:
        schema = catalogue.schema(driver)
        assert schema is not None
        for release in release_names(schema):
            for ref in _references(driver, release, catalogue):
                cases.append(_class_case(ref, ()))
    newest = {(each.driver, each.name): each for each in cases}
    identified = (
        ("gpu.nvidia.com", "H100-80GB"),
        ("gpu.nvidia.com", "A100-80GB 3g.40gb"),
        ("gpu.nvidia.com", "type vfio"),
    )
    for driver, name in identified:
        release = newest[driver, name].release
        ref = next(each for each in _references(driver, release, catalogue) if class_label(each) == name)
        cases += [_class_case(ref, EXCLUDED), _class_case(ref, MANY_EXCLUDED)]
    return cases


def class_label(ref: DeviceClassRef) -> str:
    return " ".join(filter(None, (ref.model or f"type {ref.device_type}", ref.partition)))


def _references(driver: str, release: str, catalogue: Catalogue) -> Iterator[DeviceClassRef]:
    view = catalogue.view(driver, release, {})
    assert view is not None
    for model in view.schema.models:
        yield DeviceClassRef("", view, model.device_type, model.name, ours=True)
        for part in model.partitions:
            assert view.partitioning is not None
            yield DeviceClassRef("", view, view.partitioning.device_type, model.name, part.profile, ours=True)
    for device_type in view.device_types():
        yield DeviceClassRef("", view, device_type.id, ours=True)


def _class_case(ref: DeviceClassRef, excluded: tuple[str, ...]) -> ClassCase:
    view = ref.view
    assert view is not None
    texts = class_selectors(ref, {view.name: excluded} if excluded else {})
    meanings = _class_meaning(view, ref, excluded)
    found = tuple(Selector(text, meaning) for text, meaning in zip(texts, meanings, strict=True))
    return ClassCase(view.name, view.release, class_label(ref), excluded, found)


def _class_meaning(view: DriverView, ref: DeviceClassRef, excluded: tuple[str, ...]) -> list[tuple[Term, ...]]:
    device_type = view.device_type(ref.device_type or "")
    assert device_type is not None
    mark = device_type.discriminator
    kind: list[Term] = [OfDriver(view.name)]
    if mark is not None and mark.equals is not None:
        kind.append(Attribute(mark.attribute, Comparison("==", mark.equals)))
    elif mark is not None:
        kind.append(Present(mark.attribute, bool(mark.exists)))
    meaning: list[tuple[Term, ...]] = [tuple(kind)]
    model = view.model(ref.model or "")
    if model is not None:
        assert view.model_attribute is not None
        products = tuple(each.name for each in model.products)
        named = OneOf(products) if len(products) > 1 else Comparison("==", products[0])
        meaning.append((Attribute(view.model_attribute, named),))
    if ref.partition is not None:
        assert view.partitioning is not None
        meaning.append((Attribute(view.partitioning.attribute, Comparison("==", ref.partition)),))
    if excluded:
        published = view.attributes(device_type.id)
        names = (view.schema.identity or "", device_type.parent_identity or "")
        meaning += [(NoneOf(name, excluded),) for name in names if name in published]
    return meaning


def document() -> dict[str, Any]:
    """All text as it is kept: a class has one entry for each text, with the releases that it is for."""
    classes: dict[tuple[str, str, tuple[str, ...], tuple[str, ...]], list[str]] = {}
    for each in class_cases():
        texts = tuple(selector.text for selector in each.selectors)
        classes.setdefault((each.driver, each.name, each.excluded, texts), []).append(each.release)
    return {
        "codegen": 1,
        "requirements": [
            {
                "kind": each.kind,
                "name": each.name,
                "require": each.require,
                "selectors": [s.text for s in each.selectors],
            }
            for each in requirement_cases()
        ],
        "classes": [
            {
                "driver": driver,
                "class": name,
                "releases": releases,
                "excluded": list(excluded),
                "selectors": list(texts),
            }
            for (driver, name, excluded, texts), releases in classes.items()
        ],
    }


def meanings() -> dict[str, tuple[Term, ...]]:
    """Every selector of ``codegen: 1`` once, with its meaning."""
    found: dict[str, tuple[Term, ...]] = {}
    cases: list[RequirementCase | ClassCase] = [*requirement_cases(), *class_cases()]
    for case in cases:
        for selector in case.selectors:
            assert found.setdefault(selector.text, selector.meaning) == selector.meaning
    return found

"""The selectors that vendors ship, and those that we generate, of every driver at every release."""

import re

import pytest

from claimsmith.compiler.classes import class_selectors
from claimsmith.compiler.context import DeviceClassRef
from claimsmith.compiler.requirements import conditions
from claimsmith.compiler.selectors import attribute_selectors, capacity_selectors
from claimsmith.drivers.view import DriverView, release_names
from claimsmith.findings import Severity
from claimsmith.rules import rule
from claimsmith.rules.selectors.fleet import FOREIGN, kinds_of, type_of
from claimsmith.rules.selectors.inspection import Setting, check_selectors
from tests.rules.selector_setting import CATALOGUE, target

TRULY_UNGUARDED = {("dra.net", "efa.networking.k8s.aws"): {"CS410"}}
"""A device without a PCI id in the database stops the Pod: the vendor's selector reads `pciDevice` unguarded."""
EXAMPLES = {"string": "x", "int": ">= 1", "bool": True, "version": ">= 1.2", "quantity": ">= 1Gi"}


def said(texts: list[str], setting: Setting) -> set[str]:
    return {each.rule for remarks in check_selectors(texts, setting) for each in remarks}


def releases(driver: str) -> list[str]:
    schema = CATALOGUE.schema(driver)
    assert schema is not None
    return release_names(schema)


DRIVERS = [name for name in CATALOGUE.names() if releases(name)]


def views(driver: str) -> list[DriverView]:
    found = [CATALOGUE.view(driver, release, {}) for release in releases(driver)]
    return [view for view in found if view is not None]


@pytest.mark.parametrize("driver", DRIVERS)
def test_vendor_classes(driver: str) -> None:
    for view in views(driver):
        setting = Setting(target(), (*kinds_of(view, gated=True), FOREIGN), of_class=True)
        for each in view.classes:
            if not each.pattern:
                assert said(list(each.selectors), setting) == TRULY_UNGUARDED.get((driver, each.name), set())


@pytest.mark.parametrize("driver", DRIVERS)
def test_generated_classes(driver: str) -> None:
    view = views(driver)[-1]
    setting = Setting(target(), (*kinds_of(view, gated=True), FOREIGN), of_class=True)
    models = [DeviceClassRef("", view, each.device_type, each.name) for each in view.schema.models[::2]]
    types = [DeviceClassRef("", view, each) for each in view.types_without_models()]
    parts = [
        DeviceClassRef("", view, view.partitioning.device_type, model.name, part.profile)
        for model in view.schema.models[3:5]
        for part in model.partitions[:2]
        if view.partitioning is not None
    ]
    for each in (*models, *types, *parts):
        assert said(class_selectors(each, {view.name: ["GPU-1", "GPU-2"]}), setting) == set()


@pytest.mark.parametrize("driver", DRIVERS)
def test_generated_requirements(driver: str) -> None:
    """They never fail, and read nothing that is not there; that they may be true of all or none is the value's fault."""
    view = views(driver)[-1]
    for device_type in view.device_types():
        kinds = tuple(kinds_of(view, device_type.id))
        for item in (*view.attributes(device_type.id).values(), *view.capacities(device_type.id).values()):
            kind = type_of(item)
            if item.pattern or kind not in EXAMPLES or not re.fullmatch(r"\w+", item.name.rpartition("/")[2]):
                continue
            generate = capacity_selectors if kind == "quantity" else attribute_selectors
            texts = list(generate(item.name, conditions(kind, EXAMPLES[kind])))
            found = said(texts, Setting(target(), kinds))
            assert {each for each in found if rule(each).severity is not Severity.INFO and each[:3] != "CS5"} == set()

"""The text of ``codegen: 1`` does on every Kubernetes minor what it is to mean, on any device, and never errs.

Kubernetes' answers are recorded (``record.py``); what the text is to mean is worked out here, without CEL.
"""

from itertools import combinations

import pytest

from tests.compiler import golden
from tests.compiler.answers import MINORS, Answer, answers
from tests.compiler.fleet import fleet
from tests.compiler.meaning import Device, Term, devices

FAR_UNDER = 1_000
"""Of the 1,000,000 that the API server allows."""

Answers = dict[tuple[str, str], Answer]


@pytest.fixture(scope="module")
def fleet_devices() -> list[Device]:
    return devices(fleet())


@pytest.fixture(scope="module")
def meanings() -> dict[str, tuple[Term, ...]]:
    return golden.meanings()


@pytest.fixture(scope="module")
def answered() -> Answers:
    return {(each.expression, each.minor): each for each in answers()}


def test_kubernetes_was_asked_about_all_of_the_text(answered: Answers, meanings: dict[str, tuple[Term, ...]]) -> None:
    assert set(answered) == {(text, minor) for text in meanings for minor in MINORS}


def test_a_new_object_may_have_it_on_every_minor(answered: Answers) -> None:
    assert [each.expression for each in answered.values() if not each.accepted] == []
    assert max(each.cost or 0 for each in answered.values()) < FAR_UNDER


def test_it_never_errs(answered: Answers, fleet_devices: list[Device]) -> None:
    assert {len(each.devices) for each in answered.values()} == {len(fleet_devices)}
    assert [each.expression for each in answered.values() if set(each.devices) - set("01")] == []


@pytest.mark.parametrize("minor", MINORS)
def test_it_means_what_it_should(
    minor: str, answered: Answers, fleet_devices: list[Device], meanings: dict[str, tuple[Term, ...]]
) -> None:
    wrong = []
    for text, terms in meanings.items():
        wanted = "".join("01"[all(term.holds(device) for term in terms)] for device in fleet_devices)
        found = answered[text, minor].devices
        if found != wanted:
            differing = [
                d.key for d, was, is_right in zip(fleet_devices, found, wanted, strict=True) if was != is_right
            ]
            wrong.append((text, differing[:3]))
    assert wrong == []


def test_the_fleet_can_tell(answered: Answers) -> None:
    """Every text matches some device and not some other, but for the list of nothing."""
    blind = {text for (text, _), each in answered.items() if len(set(each.devices)) < 2}
    assert blind == {'device.attributes["gpu.nvidia.com"].?productName.orValue("") in []'}


def class_devices(answered: Answers, fleet_devices: list[Device], minor: str) -> dict[tuple[str, str], set[str]]:
    """The keys of the devices in each class, without exclusions, of each driver's newest release."""
    found = {}
    for case in golden.class_cases():
        if not case.excluded:
            marks = zip(*(answered[selector.text, minor].devices for selector in case.selectors), strict=True)
            chosen = {device.key for device, each in zip(fleet_devices, marks, strict=True) if set(each) == {"1"}}
            found[case.driver, case.name] = chosen
    return found


@pytest.mark.parametrize("minor", MINORS)
def test_a_class_has_the_devices_of_its_model_only(minor: str, answered: Answers, fleet_devices: list[Device]) -> None:
    chosen = class_devices(answered, fleet_devices, minor)
    by_slice: dict[str, set[str]] = {}
    for device in fleet_devices:
        by_slice.setdefault(device.key.rpartition("/")[0], set()).add(device.key)
    of_models = {key for name, keys in by_slice.items() if name.startswith("gpu.nvidia.com ") for key in keys}
    of_types = {key for key in of_models if " type " in key}
    named = [name for driver, name in chosen if driver == "gpu.nvidia.com" and not name.startswith("type ")]
    assert len(named) > 50
    for name in named:
        assert chosen["gpu.nvidia.com", name] & (of_models - of_types) == by_slice[f"gpu.nvidia.com {name}"]
    wholes, parts = ({name for name in named if (" " in name) is part} for part in (False, True))
    assert chosen["gpu.nvidia.com", "type gpu"] & (of_models - of_types) == set().union(
        *(by_slice[f"gpu.nvidia.com {name}"] for name in wholes)
    )
    assert chosen["gpu.nvidia.com", "type mig"] & (of_models - of_types) == set().union(
        *(by_slice[f"gpu.nvidia.com {name}"] for name in parts)
    )
    assert by_slice["gpu.nvidia.com type vfio"] <= chosen["gpu.nvidia.com", "type vfio"]


@pytest.mark.parametrize("driver", golden.DRIVERS)
def test_no_device_is_in_two_classes_of_its_driver(driver: str, answered: Answers, fleet_devices: list[Device]) -> None:
    chosen = class_devices(answered, fleet_devices, MINORS[-1])
    classes = {name: keys for (owner, name), keys in chosen.items() if owner == driver}
    models = {name: keys for name, keys in classes.items() if not name.startswith("type ")}
    types = {name: keys for name, keys in classes.items() if name.startswith("type ")}
    shared = {
        (one, other): classes[one] & classes[other]
        for group in (models, types)
        for one, other in combinations(group, 2)
        if group[one] & group[other]
    }
    # Every whole GPU of gpu.example.com counts as its type gpu, also one that could be cut.
    shared.pop(("type gpu", "type gpu-full"), None)
    assert shared == {}


def test_a_part_is_never_taken_for_a_whole_device(answered: Answers, fleet_devices: list[Device]) -> None:
    chosen = class_devices(answered, fleet_devices, MINORS[-1])
    parts = chosen["gpu.example.com", "type gpu-partition"]
    wholes = chosen["gpu.example.com", "LATEST-GPU-MODEL"]
    assert any(key.startswith("gpu.example.com type gpu-partition/") for key in parts)
    assert any(key.startswith("gpu.example.com type gpu-full/") for key in wholes)
    assert any(key.startswith("gpu.example.com LATEST-GPU-MODEL/") for key in wholes)
    assert not parts & wholes
    assert not parts & chosen["gpu.example.com", "type gpu-full"]

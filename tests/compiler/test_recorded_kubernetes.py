"""What the compiler emits today is what real clusters were seen to store and obey; ``make cluster-record`` asks them again."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from claimsmith.kubernetes import drop, resolve_target
from tests.cluster import records
from tests.cluster.build import KUBERNETES, MINORS
from tests.cluster.emitted import differences, read_output
from tests.cluster.example import CLUSTERS, compile_example, compile_example_with_every_gate, stored_key
from tests.cluster.fleet import device_uuid
from tests.cluster.gated import OBJECTS
from tests.cluster.scenario import TEAM, WORKLOAD, Company, objects_of
from tests.cluster.story import TOPIC, company_of
from tests.cluster.workload import read_values

Object = dict[str, Any]

SCENARIOS = {
    "preferred free": MINORS,
    "preferred free, without the affinity": MINORS,
    "preferred taken": MINORS,
    "none, with a deadline": MINORS,
    "none, with a backoffLimit of 0 alone": MINORS,
    "none, until a device is free": MINORS,
    "preferred unhealthy, by selector": MINORS,
    "preferred unhealthy, by auto": ("1.34", "1.35", "1.36"),
    "preferred unhealthy, by rule": ("1.36", "1.37"),
    "preferred unhealthy, by the driver's taint": ("1.36", "1.37"),
    "preferred unhealthy, the driver's taint dropped": ("1.34", "1.35"),
    "preferred unhealthy, the rule not obeyed": ("1.34", "1.35", "1.36"),
    "evicted, with the failure policy": ("1.36", "1.37"),
    "evicted, without the failure policy": ("1.36", "1.37"),
    "same model, h100-80gb": MINORS,
    "same model, a100-80gb": MINORS,
    "same model, one device too few": MINORS,
    "a list for two Pods": MINORS,
}
"""Which minors each scenario is recorded for."""

LOADS = {"preferred free": [0, 30, 80], "preferred free, without the affinity": [30, 80]}


def stories(minor: str) -> Iterator[tuple[Object, list[Object]]]:
    """What is recorded of each scenario: what it was, and its steps."""
    for head, *steps in records.read(TOPIC, minor).values():
        yield head, steps


def given() -> Iterator[Any]:
    """Every step of every minor in which a Pod got devices."""
    for minor in MINORS:
        for head, steps in stories(minor):
            for number, step in enumerate(steps):
                if "given" in step:
                    name = f"{minor} {head['scenario']}, load {head['load']}, step {number}"
                    yield pytest.param(minor, head, step, id=name)


GIVEN = list(given())


@pytest.fixture(scope="module")
def output_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Company], Path]:
    """Compiles the documents of a scenario, once."""
    return cache(lambda company: company.compile(tmp_path_factory.mktemp("company") / "repository"))


# Stored objects.


@pytest.mark.parametrize("every_gate", [False, True], ids=["stock", "every-gate"])
@pytest.mark.parametrize("minor", MINORS)
def test_the_example_is_emitted_as_it_was_stored(minor: str, every_gate: bool, tmp_path: Path) -> None:
    compiled = compile_example_with_every_gate if every_gate else compile_example
    output, stored = compiled(tmp_path, minor), records.read("stored", minor)
    assert set(stored) == {stored_key(name, every_gate=each) for name in CLUSTERS for each in (False, True)}
    problems = []
    for name in CLUSTERS:
        emitted = [each.document for each in read_output(output / name)]
        assert emitted
        problems += differences(emitted, stored[stored_key(name, every_gate=every_gate)], name)
    assert problems == []


@pytest.mark.parametrize("document", OBJECTS, ids=lambda document: str(document["kind"]))
@pytest.mark.parametrize("minor", MINORS)
def test_what_a_target_drops_is_what_the_server_dropped(minor: str, document: Object) -> None:
    target, _ = resolve_target(minor)
    assert target is not None
    recorded = records.read("dropped", minor)[document["kind"]]
    _, dropped = drop(document, target)
    assert sorted((each.path for each in dropped), key=str) == sorted(
        (tuple(each["path"]) for each in recorded), key=str
    )


# Scenarios.


@pytest.mark.parametrize("minor", MINORS)
def test_every_scenario_is_recorded(minor: str) -> None:
    expected = sorted(
        (name, load) for name, minors in SCENARIOS.items() if minor in minors for load in LOADS.get(name, [0])
    )
    heads = [head for head, _ in stories(minor)]
    assert sorted((head["scenario"], head["load"]) for head in heads) == expected
    assert {head["kubernetes"] for head in heads} == {f"v{KUBERNETES[minor].version}"}


@pytest.mark.parametrize(("minor", "head", "step"), GIVEN)
def test_what_was_given_is_what_an_alternative_asks_for(
    output_of: Callable[[Company], Path], minor: str, head: Object, step: Object
) -> None:
    """Its name, its count, and a class for the product that was given."""
    output = output_of(company_of(minor, step))
    asked = alternatives(output, variant(head["scenario"]))
    ((request, count),) = step["given"].items()
    assert asked[request]["count"] == count == len(step["devices"])
    (device_class,) = [
        each
        for each in objects_of(output)
        if each["kind"] == "DeviceClass" and each["metadata"]["name"] == asked[request]["deviceClassName"]
    ]
    assert f'"{step["attributes"]["productName"]}"' in str(device_class["spec"]["selectors"])


@pytest.mark.parametrize(
    ("minor", "head", "step"), [each for each in GIVEN if each.values[1]["scenario"] == "preferred free"]
)
def test_the_free_first_choice_was_given_where_the_affinity_leads(
    output_of: Callable[[Company], Path], minor: str, head: Object, step: Object
) -> None:
    output = output_of(company_of(minor, step))
    assert list(step["given"]) == [next(iter(alternatives(output)))]
    affinity = read_values(output, TEAM, WORKLOAD)["podSpec"]["affinity"]["nodeAffinity"]
    terms = affinity["preferredDuringSchedulingIgnoredDuringExecution"]
    first = max(terms, key=lambda term: int(term["weight"]))
    (match,) = first["preference"]["matchExpressions"]
    assert step["node"].partition("-")[0] in match["values"]


@pytest.mark.parametrize(
    ("minor", "head", "step"), [each for each in GIVEN if each.values[2].get("company", {}).get("sick")]
)
def test_what_was_in_quarantine_was_not_given_and_is_kept_out(
    output_of: Callable[[Company], Path], minor: str, head: Object, step: Object
) -> None:
    company = company_of(minor, step)
    objects = objects_of(output_of(company))
    rules = [each["spec"]["deviceSelector"] for each in objects if each["kind"] == "DeviceTaintRule"]
    classes = [str(each["spec"]["selectors"]) for each in objects if each["kind"] == "DeviceClass"]
    for node, number in company.sick:
        assert f"{node}/gpu-{number}" not in step["devices"]
        if minor in SCENARIOS["preferred unhealthy, by rule"] and company.quarantine == "rule":
            assert {"driver": "gpu.nvidia.com", "pool": node, "device": f"gpu-{number}"} in rules
        else:
            assert rules == []
            assert all(device_uuid(node, number) in each for each in classes)


@pytest.mark.parametrize("minor", MINORS)
def test_the_order_of_what_was_given(minor: str) -> None:
    """The first choice while there is one, the second while there is none, and nothing when there is neither."""
    told = {head["scenario"]: steps for head, steps in stories(minor)}
    first, second = {"gpu/h100-80gb": 1}, {"gpu/a100-80gb": 2}
    assert [step["given"] for step in told["preferred taken"]] == [first, second]
    assert told["none, with a deadline"][1]["pending"].startswith(
        "0/2 nodes are available: 2 cannot allocate all claims"
    )
    assert told["none, with a deadline"][2]["ended"] == "DeadlineExceeded"
    assert [step.get("given") for step in told["none, until a device is free"]] == [first, None, first]
    for way in ("selector", "auto", "rule"):
        if minor in SCENARIOS[f"preferred unhealthy, by {way}"]:
            steps = told[f"preferred unhealthy, by {way}"]
            assert [step.get("given") for step in steps] == [second, second, None, first]
    assert [step["given"] for step in told["same model, h100-80gb"]] == [{"gpu": 1}] * 2
    assert [step["given"] for step in told["same model, a100-80gb"]] == [{"gpu": 2}] * 2
    assert {str(step["given"]) for step in told["a list for two Pods"]} == {str(first), str(second)}


def alternatives(output: Path, variant: str | None = None) -> dict[str, Object]:
    """What the template of the workload asks for, in its order, by the name under which the scheduler gives it."""
    values = read_values(output, TEAM, f"{WORKLOAD}.{variant}" if variant else WORKLOAD)
    (named,) = values["podSpec"]["resourceClaims"]
    (template,) = [
        each for each in objects_of(output) if each["metadata"]["name"] == named["resourceClaimTemplateName"]
    ]
    (request,) = template["spec"]["spec"]["devices"]["requests"]
    if "exactly" in request:
        return {request["name"]: request["exactly"]}
    return {f"{request['name']}/{each['name']}": each for each in request["firstAvailable"]}


def variant(scenario: str) -> str | None:
    """The alternative whose template the Pods of a scenario have, None for the list."""
    if not scenario.startswith("same model"):
        return None
    return "a100-80gb" if "a100" in scenario else "h100-80gb"


# The records themselves.


@pytest.mark.parametrize("file", sorted(records.FOLDER.glob("*.json")), ids=lambda file: str(file.stem))
def test_another_run_writes_the_same(file: Path) -> None:
    """Nothing is in a record that no other run has: uids of objects, times, names that a server made up."""
    text = file.read_text(encoding="utf-8")
    topic, _, minor = file.stem.rpartition("-")
    assert records.text_of(records.read(topic, minor)) == text
    assert re.findall(r"(?<!GPU-)\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-", text) == []
    assert re.findall(r"20\d\d-\d\d-\d\dT", text) == []
    assert re.findall(r"resourceVersion|managedFields|generateName", text) == []

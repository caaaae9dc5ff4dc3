"""The tables against what API servers of 1.34.4, 1.35.4, 1.36.3 and 1.37.2 reported and stored."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from claimsmith.kubernetes import MINORS, Target, apply_defaults, drop, gates_of, resolve_target
from claimsmith.kubernetes.served import KINDS, kind_versions

RECORDED = Path(__file__).parent / "recorded"
REPORTED = json.loads((RECORDED / "reported.json").read_text())
STORED = [json.loads(line) for line in (RECORDED / "stored.jsonl").read_text().splitlines()]
SERVERS = tuple(REPORTED["served"])


def target_of(server: str) -> Target:
    """The target of ``1.36`` or ``1.36 api/all=true``."""
    minor, _, config = server.partition(" ")
    key, _, value = config.partition("=")
    target, problems = resolve_target(minor, {}, {key: value == "true"} if config else {})
    assert target is not None
    assert problems == []
    return target


def cases(key: str) -> Iterator[Any]:
    for row in STORED:
        for answer in row.get(key, ()):
            by, spec = (answer["by"], answer["spec"]) if key == "stored" else ([answer], None)
            for server in by:
                yield pytest.param(server, row["object"], spec, id=f"{server} {row['file']}")


def without_times(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: without_times(item) for key, item in value.items() if key != "timeAdded"}
    if isinstance(value, list):
        return [without_times(item) for item in value]
    return value


def test_every_known_minor_was_recorded() -> None:
    assert {server.partition(" ")[0] for server in SERVERS} == {str(minor) for minor in MINORS}


@pytest.mark.parametrize("minor", MINORS, ids=str)
def test_stages_and_defaults_are_what_the_server_reports(minor: Any) -> None:
    stages = gates_of(minor)
    for name, reported in REPORTED["gates"][str(minor)].items():
        assert (stages[name].stage.name, stages[name].default) == (reported["stage"], reported["on"]), name


@pytest.mark.parametrize("minor", MINORS, ids=str)
def test_no_gate_of_dra_is_known_that_the_server_does_not_report(minor: Any) -> None:
    ours = {name for name in gates_of(minor) if name.startswith(("DRA", "Dynamic", "ResourceHealth"))}
    assert ours == set(REPORTED["gates"][str(minor)])


@pytest.mark.parametrize("server", SERVERS)
def test_served_versions_are_what_discovery_lists(server: str) -> None:
    target = target_of(server)
    listed = {
        (resource, version) for version, resources in REPORTED["served"][server].items() for resource in resources
    }
    assert {(KINDS[each.kind].resource, each.version) for each in target.served} == listed
    if server.endswith("api/all=true"):
        assert target.served == kind_versions(target.minor)


@pytest.mark.parametrize(("server", "obj", "spec"), list(cases("stored")))
def test_dropping_and_defaulting_makes_what_the_server_stored(server: str, obj: Any, spec: Any) -> None:
    target = target_of(server)
    kept, dropped = drop(obj, target)
    assert without_times(apply_defaults(kept)["spec"]) == without_times(spec)
    assert target.serves(obj["kind"], obj["apiVersion"].partition("/")[2])
    assert all(not target.enabled(field.gate) for field in dropped)


@pytest.mark.parametrize(("server", "obj", "spec"), list(cases("unserved")))
def test_what_the_server_did_not_find_is_not_served(server: str, obj: Any, spec: None) -> None:
    assert not target_of(server).serves(obj["kind"], obj["apiVersion"].partition("/")[2])


def test_the_recording_has_every_kind_of_answer() -> None:
    """Guards the tests above against a recording that has become trivial."""
    dropped = set()
    for row in STORED:
        for answer in row["stored"]:
            for server in answer["by"]:
                for field in drop(row["object"], target_of(server))[1]:
                    dropped.add((row["object"]["kind"], field.path[-1], server))
    assert {(kind, name, server) for kind, name, server in dropped if " " not in server} == {
        ("ResourceClaimTemplate", "tolerations", "1.35"),
        ("DeviceClass", "extendedResourceName", "1.34"),
        ("DeviceClass", "extendedResourceName", "1.35"),
        ("ResourceSlice", "taints", "1.34"),
        ("ResourceSlice", "taints", "1.35"),
    }
    assert any(row.get("unserved") for row in STORED)

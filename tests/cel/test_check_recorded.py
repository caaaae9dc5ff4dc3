"""Verdicts, types, costs and errors of selectors, as Kubernetes' own library of four minors gave them."""

import gzip
import json
import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from claimsmith.cel.check import Checked, check
from claimsmith.cel.environment import Environment, environment
from claimsmith.kubernetes.minors import MINORS
from claimsmith.values.version import Minor

RECORDED = Path(__file__).parent / "recorded"
POSITION = re.compile(r"<input>:([0-9]+):([0-9]+)")


@lru_cache(maxsize=2)
def _lines(name: str) -> list[dict[str, Any]]:
    with gzip.open(RECORDED / name, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def _position(message: str | None) -> tuple[int | None, int | None]:
    found = POSITION.search(message or "")
    return (int(found[1]), int(found[2])) if found else (None, None)


def _first_position(checked: Checked) -> tuple[int | None, int | None]:
    return (checked.errors[0].line, checked.errors[0].column) if checked.errors else (None, None)


@pytest.mark.parametrize("minor", MINORS, ids=str)
def test_every_recorded_selector(minor: Minor) -> None:
    language = environment(minor)
    rows = _lines("cel.jsonl.gz")[1:]
    assert len(rows) == 3099
    other_words = 0
    for row in rows:
        verdict = row["verdict"] if "verdict" in row else row["verdicts"][str(minor)]
        checked = check(row["expression"], language)
        found = checked.accepted, checked.type, checked.cost
        assert found == (verdict["accepted"], verdict.get("type"), verdict.get("cost")), row["expression"]
        if "message" in verdict:
            assert _first_position(checked) == _position(verdict["message"]), row["expression"]
            other_words += checked.message != verdict["message"]
    assert other_words <= 1, "messages in other words than Kubernetes', all errors of an expression counted"


def _environment(name: str) -> Environment:
    minor, _, gates = name.partition(" ")
    return environment(
        Minor.parse(minor),
        list_attributes="DRAListTypeAttributes=true" in gates,
        consumable_capacity="DRAConsumableCapacity=true" in gates,
    )


NAMES: list[str] = _lines("checks.jsonl.gz")[0]["environments"]


@pytest.mark.parametrize("name", NAMES)
def test_edges_and_random_selectors(name: str) -> None:
    """Corners of the language, expressions from a generator that knows types, and mutations of both."""
    language = _environment(name)
    for row in _lines("checks.jsonl.gz")[1:]:
        accepted, kind, cost, message = row["verdict"] if "verdict" in row else row["verdicts"][NAMES.index(name)]
        checked = check(row["expression"], language)
        assert (checked.accepted, checked.type, checked.cost) == (accepted, kind, cost), row["expression"]
        if message:
            assert _first_position(checked) == _position(message), row["expression"]
            assert checked.message is not None
            assert checked.message.split("\n")[0] == message, row["expression"]

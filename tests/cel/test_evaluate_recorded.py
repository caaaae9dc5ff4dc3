"""Selectors on recorded devices, as the scheduler of Kubernetes evaluated them."""

import gzip
import json
from typing import Any

import pytest

from claimsmith.cel.check import check
from claimsmith.cel.environment import environment
from claimsmith.cel.evaluate import EvaluationError, compile_selector
from claimsmith.kubernetes.minors import MINORS, V1_37
from claimsmith.values.version import Minor
from tests.cel.fleet import RECORDED, fleet

LETTERS = {True: "T", False: "F"}


def _lines(name: str) -> list[dict[str, Any]]:
    with gzip.open(RECORDED / name, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_every_recorded_selector_on_every_recorded_device() -> None:
    header, *rows = _lines("cel.jsonl.gz")
    devices = [fleet()[key] for key in header["devices"]]
    language = environment(V1_37, scheduler=True)
    evaluated = 0
    for row in rows:
        if "matches" not in row:
            continue
        selector = compile_selector(check(row["expression"], language), language)
        verdicts = "".join(
            "E" if isinstance(verdict, EvaluationError) else LETTERS[verdict]
            for verdict in map(selector.matches, devices)
        )
        assert verdicts == row["matches"], row["expression"]
        evaluated += len(devices)
    assert evaluated > 90_000


@pytest.mark.parametrize("minor", MINORS, ids=str)
def test_texts_of_errors_and_values_shown_by_them(minor: Minor) -> None:
    """`evaluations.jsonl.gz`: random expressions with the answers of Kubernetes' own library, texts included.

    Where they have the language for it, 1.34 and 1.35 answered as 1.36 did.
    """
    language = environment(minor, scheduler=True)
    old = minor < Minor(1, 36)
    compared = 0
    for row in _lines("evaluations.jsonl.gz")[: 400 if old else None]:
        answers = row["answers"].get("1.36" if old else str(minor))
        checked = check(row["expression"], language)
        if answers is None or (old and not checked.compiles):
            continue
        assert checked.compiles, row["expression"]
        selector = compile_selector(checked, language)
        for key, expected in answers.items():
            verdict = selector.matches(fleet()[key])
            shown = f"error: {verdict.text}" if isinstance(verdict, EvaluationError) else verdict
            assert shown == expected, (row["expression"], key)
            compared += 1
    assert compared > 1000

"""What Kubernetes' own CEL answered to the text of ``codegen: 1``, per minor; ``record.py`` asks."""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from tests.compiler.golden import RECORDED

ANSWERS = RECORDED / "answers.jsonl"
SYMBOLS = {True: "1", False: "0"}
MINORS = ("1.34", "1.35", "1.36", "1.37")


@dataclass(frozen=True, slots=True)
class Answer:
    """``devices`` has a letter for each device of the fleet: 1 matches, 0 does not, e is a run-time error."""

    expression: str
    minor: str
    accepted: bool
    cost: int | None
    devices: str


def default_gates(minor: str) -> str:
    """The gates that change the language and are on by default, as ``cluster answer-cel`` takes them."""
    return "DRAConsumableCapacity=true" if minor in ("1.36", "1.37") else ""


def answers() -> Iterator[Answer]:
    for line in ANSWERS.read_text(encoding="utf-8").splitlines():
        entry = json.loads(line)
        for each in entry["answers"]:
            for minor in each["minors"]:
                yield Answer(entry["expression"], minor, each["accepted"], each["cost"], each["devices"])

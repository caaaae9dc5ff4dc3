"""What real clusters did, kept in ``tests/recorded`` for the tests that run without them.

A file a topic and a minor, ``scenarios-1.36.json``: an object whose values are lists with an entry a line, without
anything that another run would do otherwise. An ordinary run compares; with ``CLAIMSMITH_CLUSTER_RECORD`` set it writes.
"""

import json
import os
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parents[1] / "recorded"
VARIABLE = "CLAIMSMITH_CLUSTER_RECORD"

Entries = list[Any]


def writes() -> bool:
    """Whether this run records."""
    return bool(os.environ.get(VARIABLE))


def file_of(topic: str, minor: str) -> Path:
    return FOLDER / f"{topic}-{minor}.json"


def read(topic: str, minor: str) -> dict[str, Entries]:
    """What is recorded, nothing where there is no file."""
    file = file_of(topic, minor)
    found: dict[str, Entries] = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    return found


def forget(minor: str) -> None:
    """Removes what is recorded of a minor, so that nothing is left of tests that are gone."""
    for file in FOLDER.glob(f"*-{minor}.json"):
        file.unlink()


def text_of(entries: dict[str, Entries]) -> str:
    """The content of a file: sorted, an entry a line."""
    blocks = []
    for key, listed in sorted(entries.items()):
        lines = ",\n".join(json.dumps(each, sort_keys=True, ensure_ascii=False) for each in listed)
        blocks.append(f"{json.dumps(key)}: [\n{lines}\n]" if lines else f"{json.dumps(key)}: []")
    return "{\n" + ",\n".join(blocks) + "\n}\n"


class Records:
    """The records of one minor. All tests of a minor that record run in one process, so nobody writes in between."""

    def __init__(self, minor: str) -> None:
        self.minor = minor

    def keep(self, topic: str, key: str, entries: Entries) -> None:
        """Records what was seen, or compares it with what is recorded; ``AssertionError`` where that is something else."""
        known = read(topic, self.minor)
        if writes():
            file_of(topic, self.minor).write_text(text_of({**known, key: entries}), encoding="utf-8")
            return
        again = "`make cluster-record` records what real clusters do now"
        assert key in known, f"{key}: not in {file_of(topic, self.minor).name}; {again}"
        assert json.loads(json.dumps(entries)) == known[key], f"{key}: something else is recorded; {again}"

"""Answers of Kubernetes' own Go libraries, recorded."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

RECORDED = Path(__file__).parent / "recorded"


@pytest.fixture(scope="session")
def recorded() -> Callable[[str], list[dict[str, Any]]]:
    """Reads a file of recorded answers by its name."""

    def read(name: str) -> list[dict[str, Any]]:
        lines = (RECORDED / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]

    return read

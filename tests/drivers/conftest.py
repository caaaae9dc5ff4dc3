import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from claimsmith.drivers.catalogue import Catalogue

RECORDED = Path(__file__).parent / "recorded"


@pytest.fixture(scope="session")
def recorded() -> Callable[[str], Any]:
    """Reads a file of recorded facts by its name."""
    return lambda name: json.loads((RECORDED / f"{name}.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    return Catalogue()

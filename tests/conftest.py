"""What tests of the whole pipeline share."""

from pathlib import Path

import pytest
from hypothesis import settings

from tests.repo import DOCUMENTS, Repo

# Time says nothing on a shared machine, and a run must be the same as the one before.
settings.register_profile("claimsmith", deadline=None, derandomize=True)
settings.load_profile("claimsmith")


@pytest.fixture
def empty(tmp_path: Path) -> Repo:
    """A repository without documents."""
    root = tmp_path / "repository"
    (root / "profiles").mkdir(parents=True)
    return Repo(root)


@pytest.fixture
def repo(empty: Repo) -> Repo:
    """A repository with one cluster and one team, about which there is nothing to say."""
    empty.write_all(DOCUMENTS)
    return empty

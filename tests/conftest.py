"""What tests of the whole pipeline share."""

from pathlib import Path

import pytest

from tests.repo import DOCUMENTS, Repo


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

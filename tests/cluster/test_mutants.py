"""A compiler with a mistake is caught by these tests: each mutant of its output fails the check that is for it."""

from pathlib import Path

import pytest

from tests.cluster.cluster import Clusters
from tests.cluster.mutants import HARMLESS, MUTANTS, Mutant, compile_for
from tests.cluster.waiting import NotInTimeError


def assert_caught(clusters: Clusters, mutant: Mutant, root: Path) -> None:
    """The check holds for what the compiler emits and fails for the mutant, for what it sees and not for want of time."""
    settings, folder = compile_for(mutant, root)
    mutant.check(clusters, settings, folder)
    clusters.get(settings).wipe()
    mutant.apply(folder)
    with pytest.raises(AssertionError) as caught:
        mutant.check(clusters, settings, folder)
    assert not isinstance(caught.value, NotInTimeError)


@pytest.mark.parametrize(
    ("mutant", "minor"),
    [pytest.param(each, each.minor, id=f"{each.minor} {each.mistake}") for each in MUTANTS],
    scope="session",
)
def test_a_mistake_of_the_compiler_is_caught(clusters: Clusters, tmp_path: Path, mutant: Mutant, minor: str) -> None:
    assert_caught(clusters, mutant, tmp_path)


@pytest.mark.parametrize(
    ("mutant", "minor"),
    [pytest.param(each, each.minor, id=f"{each.minor} {each.check.__name__}") for each in HARMLESS],
    scope="session",
)
def test_a_mutant_that_survives_fails_the_test(clusters: Clusters, tmp_path: Path, mutant: Mutant, minor: str) -> None:
    with pytest.raises(pytest.fail.Exception, match="DID NOT RAISE"):
        assert_caught(clusters, mutant, tmp_path)

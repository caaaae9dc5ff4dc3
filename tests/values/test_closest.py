from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimsmith.values import closest

ATTRIBUTES = ["architecture", "cudaComputeCapability", "driverVersion", "memory", "productName", "uuid"]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("driverversion", "driverVersion"),
        ("MEMORY", "memory"),
        ("memroy", "memory"),
        ("product_name", "productName"),
        ("computeCapability", "cudaComputeCapability"),
        ("colour", None),
        ("", None),
    ],
)
def test_finds_what_was_meant(word: str, expected: str | None) -> None:
    assert closest(word, ATTRIBUTES) == expected


def test_without_candidates_there_is_no_answer() -> None:
    assert closest("memory", []) is None


def test_a_difference_in_case_beats_a_smaller_word_order() -> None:
    assert closest("Gpu", ["gpa", "gpu", "gpus"]) == "gpu"


@given(
    st.text("abcAB-", max_size=6),
    st.lists(st.text("abcAB-", min_size=1, max_size=6), max_size=6),
    st.randoms(),
)
def test_does_not_depend_on_the_order_of_candidates(word: str, candidates: list[str], random: Random) -> None:
    shuffled = list(candidates)
    random.shuffle(shuffled)
    answer = closest(word, candidates)
    assert closest(word, shuffled) == answer
    assert closest(word, iter(candidates)) == answer
    assert answer is None or answer in candidates

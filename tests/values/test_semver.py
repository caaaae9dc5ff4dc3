from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimsmith.values import Semver

Recorded = Callable[[str], list[dict[str, Any]]]

NUMBERS = st.integers(min_value=0, max_value=2**64 - 1)
WORDS = st.from_regex("[0-9]*[A-Za-z-][0-9A-Za-z-]*", fullmatch=True)
VERSIONS = st.builds(
    Semver,
    st.integers(min_value=0, max_value=3),
    st.integers(min_value=0, max_value=3),
    NUMBERS,
    st.lists(st.one_of(NUMBERS, WORDS), max_size=3).map(tuple),
    st.lists(st.from_regex("[0-9A-Za-z-]+", fullmatch=True), max_size=2).map(tuple),
)


def attempt(parse: Callable[[str], Semver], text: str) -> str | None:
    try:
        return str(parse(text))
    except ValueError:
        return None


def test_parse_equals_kubernetes(recorded: Recorded) -> None:
    answers = recorded("semver")
    assert len(answers) > 400
    ours = {answer["input"]: attempt(Semver.parse, answer["input"]) for answer in answers}
    assert ours == {answer["input"]: answer["parsed"] for answer in answers}


def test_normalized_equals_kubernetes(recorded: Recorded) -> None:
    answers = recorded("semver")
    ours = {answer["input"]: attempt(Semver.normalized, answer["input"]) for answer in answers}
    assert ours == {answer["input"]: answer["normalized"] for answer in answers}


def test_order_equals_kubernetes(recorded: Recorded) -> None:
    answers = recorded("semver_order")
    assert len(answers) > 500

    def compare(left: Semver, right: Semver) -> int:
        assert (left == right) == (not left < right and not right < left)
        return (left > right) - (left < right)

    ours = [compare(Semver.parse(answer["left"]), Semver.parse(answer["right"])) for answer in answers]
    assert ours == [answer["compare"] for answer in answers]


@pytest.mark.parametrize(
    ("text", "version"),
    [("9.0", "9.0.0"), ("v570", "570.0.0"), ("580.126.09", "580.126.9"), ("12.4", "12.4.0")],
)
def test_what_people_write(text: str, version: str) -> None:
    assert str(Semver.normalized(text)) == version
    with pytest.raises(ValueError, match=f"did you mean {version}\\?"):
        Semver.parse(text)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "has none of the three numbers"),
        ("1.x", "has 2 of the three numbers"),
        ("1.x.0", "minor number 'x' must be decimal digits"),
        ("1.2.3-01", "prerelease number '01' must not have leading zeros"),
        ("1.2.3-", "prerelease part '' must be letters"),
        ("1.2.3+a_b", "build part 'a_b' must be letters"),
        ("18446744073709551616.0.0", "major number '18446744073709551616' does not fit into 64 bits"),
    ],
)
def test_refusal_says_what_is_wrong(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match="expected three numbers, such as") as error:
        Semver.parse(text)
    assert reason in str(error.value)


def test_normalized_refusal() -> None:
    with pytest.raises(ValueError, match="expected one to three numbers"):
        Semver.normalized("R570")


def test_build_metadata_does_not_count() -> None:
    left, right = Semver.parse("1.0.0+a"), Semver.parse("1.0.0+b")
    assert left == right
    assert hash(left) == hash(right)
    assert left <= right
    assert str(left) != str(right)


@given(VERSIONS)
def test_text_round_trips(version: Semver) -> None:
    text = str(version)
    assert str(Semver.parse(text)) == text
    assert Semver.parse(text) == version == Semver.normalized(text) == Semver.normalized(f"v{text}")


@given(VERSIONS, VERSIONS, VERSIONS)
def test_order_is_total(a: Semver, b: Semver, c: Semver) -> None:
    assert [a < b, a == b, a > b].count(True) == 1
    low, middle, high = sorted((a, b, c))
    assert low <= middle <= high
    assert low <= high


@given(VERSIONS)
def test_prerelease_comes_before_its_release(version: Semver) -> None:
    release = Semver(version.major, version.minor, version.patch)
    assert version < release if version.prerelease else version == release


@given(st.text(alphabet="v01239.-+aZé \n", max_size=14))
def test_reads_or_refuses_with_words(text: str) -> None:
    for parse in (Semver.parse, Semver.normalized):
        version = attempt(parse, text)
        if version is None:
            with pytest.raises(ValueError, match=r"expected .* such as"):
                parse(text)
        else:
            assert str(Semver.parse(version)) == version

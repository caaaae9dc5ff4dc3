import operator
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimsmith.values import Quantity

Recorded = Callable[[str], list[dict[str, Any]]]

SUFFIXES = ["", "n", "u", "m", "k", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"]
TEXTS = st.builds(
    lambda sign, whole, fraction, suffix: f"{sign}{whole}{fraction}{suffix}",
    st.sampled_from(["", "-", "+"]),
    st.from_regex("[0-9]{1,22}", fullmatch=True),
    st.from_regex("([.][0-9]{0,12})?", fullmatch=True),
    st.one_of(st.sampled_from(SUFFIXES), st.from_regex("[eE][+-]?[0-9]{1,2}", fullmatch=True)),
)
QUANTITIES = TEXTS.map(Quantity.parse)
# Kubernetes prints larger decimal amounts without their suffix.
PRINTABLE = QUANTITIES.filter(lambda quantity: abs(quantity.as_fraction()) < 10**21)


def canonical(text: str) -> str | None:
    try:
        return Quantity.parse(text).canonical()
    except ValueError:
        return None


def test_canonical_text_equals_kubernetes(recorded: Recorded) -> None:
    answers = recorded("quantity")
    assert len(answers) > 800
    ours = {answer["input"]: canonical(answer["input"]) for answer in answers}
    assert ours == {answer["input"]: answer.get("canonical") for answer in answers}


def test_amount_equals_kubernetes(recorded: Recorded) -> None:
    values = {answer["input"]: answer["value"] for answer in recorded("quantity") if answer.get("value")}
    ours = {text: Quantity.parse(text).as_fraction() for text in values}
    assert ours == {text: Fraction(value) for text, value in values.items()}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("81920Mi", "80Gi"),
        ("81559Mi", "81559Mi"),
        ("0.5Gi", "512Mi"),
        ("1.5", "1500m"),
        ("1e3", "1e3"),
        ("1000m", "1"),
        ("1024", "1024"),
        ("100G", "100G"),
    ],
)
def test_canonical_examples(text: str, expected: str) -> None:
    assert Quantity.parse(text).canonical() == expected
    assert str(Quantity.parse(text)) == expected


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("80GiB", "did you mean 80Gi?"),
        ("80 Gi", "did you mean 80Gi?"),
        (" 1.5gb ", "did you mean 1.5G?"),
        ("1K", "did you mean 1k?"),
        ("1mi", "did you mean 1Mi?"),
    ],
)
def test_refusal_suggests_the_suffix(text: str, hint: str) -> None:
    with pytest.raises(ValueError, match="is not a quantity; expected a number with") as error:
        Quantity.parse(text)
    assert str(error.value).endswith(hint)


@pytest.mark.parametrize("text", ["1..5Gi", "many", "1e1.5"])
def test_refusal_without_a_suggestion(text: str) -> None:
    with pytest.raises(ValueError, match=r"\(for example 80Gi\)$"):
        Quantity.parse(text)


def test_refuses_empty_and_endless_texts() -> None:
    with pytest.raises(ValueError, match="must not be empty"):
        Quantity.parse("")
    with pytest.raises(ValueError, match="1001 characters is too long"):
        Quantity.parse("9" * 1001)


def test_compares_by_amount() -> None:
    assert Quantity.parse("1Gi") == Quantity.parse("1024Mi") == Quantity.parse("1073741824")
    assert hash(Quantity.parse("1Gi")) == hash(Quantity.parse("1073741824"))
    assert Quantity.parse("81559Mi") < Quantity.parse("80Gi") <= Quantity.parse("81920Mi")
    assert Quantity.parse("81559Mi") > Quantity.parse("79Gi") > Quantity.parse("80G")
    assert Quantity.parse("-2") < Quantity.parse("-1") < Quantity.parse("0") < Quantity.parse("1n")
    assert Quantity.parse("1") != 1
    with pytest.raises(TypeError):
        operator.lt(Quantity.parse("1"), 1)


def test_enormous_exponents_stay_cheap() -> None:
    enormous = Quantity.parse("1e2147483647")
    assert enormous > Quantity.parse("1e2147483646") > Quantity.parse("9Ei")
    assert Quantity.parse("-1e2147483647") < Quantity.parse("-9Ei")
    assert Quantity.parse("1e-2147483647") == Quantity.parse("1n")
    assert enormous.as_int() is None
    with pytest.raises(OverflowError):
        enormous.as_fraction()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("80Gi", 85899345920),
        ("1500m", None),
        ("2000m", 2),
        ("-1k", -1000),
        ("9223372036854775807", 2**63 - 1),
        ("9223372036854775808", None),
        ("-9223372036854775808", -(2**63)),
        ("1e18", 10**18),
        ("1e19", None),
    ],
)
def test_as_int(text: str, expected: int | None) -> None:
    assert Quantity.parse(text).as_int() == expected


@given(PRINTABLE)
def test_canonical_text_keeps_the_amount(quantity: Quantity) -> None:
    again = Quantity.parse(quantity.canonical())
    assert again == quantity
    # `1.953125Ki` is printed as `2000`, which is canonical as `2k` only: the second reading settles it.
    settled = Quantity.parse(again.canonical())
    assert settled.canonical() == again.canonical()


@given(QUANTITIES, QUANTITIES)
def test_order_is_that_of_the_amounts(left: Quantity, right: Quantity) -> None:
    assert (left < right) == (left.as_fraction() < right.as_fraction())
    assert (left == right) == (left.as_fraction() == right.as_fraction())
    assert [left < right, left == right, left > right].count(True) == 1
    assert left != right or hash(left) == hash(right)


@given(st.text(alphabet="0123456789.+-eEinumkKMGTPxé \n", max_size=12))
def test_reads_or_refuses_with_words(text: str) -> None:
    if canonical(text) is None:
        with pytest.raises(ValueError, match="expected a number"):
            Quantity.parse(text)
    else:
        assert Quantity.parse(text) <= Quantity.parse("1e999999999")

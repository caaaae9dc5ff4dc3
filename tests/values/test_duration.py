import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimsmith.values import Duration


@pytest.mark.parametrize(
    ("text", "seconds", "canonical"),
    [
        ("24h", 86400, "1d"),
        ("30m", 1800, "30m"),
        ("1h30m", 5400, "1h30m"),
        ("180d", 180 * 86400, "180d"),
        ("90s", 90, "1m30s"),
        ("1d2h3m4s", 93784, "1d2h3m4s"),
        ("1h0m", 3600, "1h"),
        ("2147483647s", 2**31 - 1, "24855d3h14m7s"),
    ],
)
def test_reads_and_writes(text: str, seconds: int, canonical: str) -> None:
    duration = Duration.parse(text)
    assert duration.seconds == seconds
    assert str(duration) == canonical


@pytest.mark.parametrize(
    "text",
    ["", "24", "h", "1.5h", "-1h", "+1h", "1 h", "1h ", "30m1h", "1h1h", "1w", "1H", "1ms", "１h", "1h\n"],
)
def test_refuses_other_texts(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a duration; expected days, .* such as 180d"):
        Duration.parse(text)


@pytest.mark.parametrize("text", ["0s", "0d0h", "2147483648s", "24856d", "9999999999d"])
def test_refuses_amounts_out_of_range(text: str) -> None:
    with pytest.raises(ValueError, match=f"the duration '{text}' must be between 1s and 2147483647s"):
        Duration.parse(text)


@pytest.mark.parametrize("seconds", [0, -1, 2**31])
def test_cannot_be_made_out_of_range(seconds: int) -> None:
    with pytest.raises(ValueError, match=f"{seconds} seconds must be between"):
        Duration(seconds)


def test_orders_by_length() -> None:
    assert Duration.parse("59m") < Duration.parse("1h") == Duration.parse("60m") < Duration.parse("1d")


@given(st.integers(min_value=1, max_value=2**31 - 1))
def test_canonical_text_is_read_again(seconds: int) -> None:
    duration = Duration(seconds)
    assert Duration.parse(str(duration)) == duration

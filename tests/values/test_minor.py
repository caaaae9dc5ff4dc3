import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimsmith.values import Minor


def test_reads_and_writes() -> None:
    assert Minor.parse("1.36") == Minor(1, 36)
    assert str(Minor(1, 36)) == "1.36"


def test_orders_by_number() -> None:
    assert Minor.parse("1.9") < Minor.parse("1.34") < Minor.parse("1.37") < Minor.parse("2.0")


@pytest.mark.parametrize("text", ["v1.36", "1.36.3", "v1.36.3", "1.36.3-gke.100", "1.36+"])
def test_suggests_the_minor_of_a_release(text: str) -> None:
    with pytest.raises(ValueError, match=r"expected two numbers, such as 1\.36; did you mean 1\.36\?"):
        Minor.parse(text)


@pytest.mark.parametrize("text", ["", "1", "1.", ".36", "0.36", "1.036", "1,36", " 1.36", "1.36\n", "１.36", "latest"])
def test_refuses_other_texts(text: str) -> None:
    with pytest.raises(ValueError, match=r"is not a Kubernetes minor; expected two numbers, such as 1\.36$"):
        Minor.parse(text)


@given(st.integers(min_value=1, max_value=9999), st.integers(min_value=0, max_value=9999))
def test_text_round_trips(major: int, minor: int) -> None:
    assert Minor.parse(str(Minor(major, minor))) == Minor(major, minor)

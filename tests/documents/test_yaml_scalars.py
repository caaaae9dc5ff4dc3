import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from claimsmith.documents.yaml_scalars import Reading, is_text, resolve

RECORDED = [
    json.loads(line)
    for line in (Path(__file__).parent / "recorded" / "go-yaml-scalars.jsonl").read_text("utf-8").splitlines()
]

SURE = {
    "": None,
    "null": None,
    "true": True,
    "false": False,
    "0": 0,
    "7": 7,
    "-12": -12,
    "9223372036854775807": 2**63 - 1,
    "-9223372036854775808": -(2**63),
    "0.5": 0.5,
    "-12.250": -12.25,
    "12.4": 12.4,
    "0.4.1": "0.4.1",
    "570.0.0": "570.0.0",
    "0-7": "0-7",
    "70Gi": "70Gi",
    "24h": "24h",
    "3g.40gb": "3g.40gb",
    "81559Mi": "81559Mi",
    "H100-80GB": "H100-80GB",
    "8080:80": "8080:80",
    "12:60": "12:60",
    "0x": "0x",
    "0b2": "0b2",
    "0o8": "0o8",
    "1e": "1e",
    "e3": "e3",
    "_1": "_1",
    "+": "+",
    ".": ".",
    "..": "..",
    "2024-01": "2024-01",
    "20240101": 20240101,
    "2024-01-01 to 2024-02-01": "2024-01-01 to 2024-02-01",
    "none": "none",
    "yea": "yea",
    "nan": "nan",
    "==": "==",
    "<": "<",
    "½": "½",
    "١٢": "١٢",
}
AMBIGUOUS = {
    Reading.BOOLEAN: "y Y n N yes Yes YES no No NO on On ON off Off OFF True TRUE False FALSE",
    Reading.NULL: "~ Null NULL",
    Reading.NUMBER: (
        "+1 -0 +0 1. -1. .5 -.5 1e3 1E3 1e+3 1.5e3 .5e3 12e45678 1_000 1_ +_1 +_ ._ 01.5 +1.5 08 1_2.5 .inf -.Inf"
        " +.INF .nan .NaN 9223372036854775808 -9223372036854775809 18446744073709551616 1_e_3"
    ),
    Reading.OCTAL: "00 01 012 0o14 0O7 -0o7 0o-7 0_7",
    Reading.HEXADECIMAL: "0x1 0xfF 0X1F -0x1 +0x1 0x_f",
    Reading.BINARY: "0b1 0b101 -0b1 0B1 0b-1",
    Reading.BASE_60: "1:30 12:30 12:30:00 190:20:30 12:30:45.5 0:1",
    Reading.DATE: "2024-01-01 2024-1-1 2024-01-01T10:00:00Z 2024-01-01T10:00:00+02:00 2024-01-01T10:00:00,5Z",
    Reading.DEFAULT_VALUE: "=",
    Reading.MERGE_KEY: "<<",
}
# These readers agree that they are text, but each is one step from a scalar of which that is not true.
NEEDLESS = ["-.nan", ".iNf", "01:02", "0:1", "nULL", "oN", "tRue", "yEs"]


@pytest.mark.parametrize(("text", "value"), SURE.items())
def test_scalars_that_all_readers_agree_on(text: str, value: object) -> None:
    found, reading = resolve(text)
    assert (type(found), found, reading) == (type(value), value, None)
    assert is_text(text) == isinstance(value, str)


@pytest.mark.parametrize(
    ("text", "reading"), [(text, reading) for reading, texts in AMBIGUOUS.items() for text in texts.split()]
)
def test_scalars_that_readers_disagree_on(text: str, reading: Reading) -> None:
    assert resolve(text)[1] == reading
    assert not is_text(text)


@pytest.mark.parametrize("text", ["2024-01-01 10:00:00", "2001-12-14 21:59:43.10 -5", "9" * 5000, "1" * 400 + ".5"])
def test_more_scalars_that_readers_disagree_on(text: str) -> None:
    assert resolve(text) in [(text, Reading.DATE), (text, Reading.NUMBER)]


@pytest.mark.parametrize(
    ("text", "value"), [("True", True), ("FALSE", False), ("NULL", None), ("~", None), ("yes", "yes"), ("012", "012")]
)
def test_the_value_of_an_ambiguous_scalar_is_what_it_most_likely_means(text: str, value: object) -> None:
    assert resolve(text)[0] is value or resolve(text)[0] == value


def agree(found: object, wanted: object) -> bool:
    """Equality where 1 is 1.0 (JSON has one type of number) and True is not 1."""
    return found == wanted and isinstance(found, bool) == isinstance(wanted, bool)


def readings(text: str) -> list[object]:
    document = f"k: {text}\n"
    return [yaml.safe_load(document)["k"], YAML(typ="safe", pure=True).load(document)["k"]]


def test_what_is_accepted_means_the_same_to_go_and_python() -> None:
    accepted = [case for case in RECORDED if resolve(case["text"])[1] is None]
    assert len(accepted) >= 500
    for case in accepted:
        value = resolve(case["text"])[0]
        for found in [case["value"], case["value_v3"], *readings(case["text"])]:
            assert agree(found, value), case
        if isinstance(value, str):
            assert case["key"] == case["key_v3"] == value, case


def test_what_is_refused_is_refused_for_a_reason() -> None:
    refused = [case for case in RECORDED if resolve(case["text"])[1] is not None]
    assert len(refused) >= 150
    needless = [case["text"] for case in refused if all(found == case["text"] for found in answers(case))]
    assert sorted(needless) == NEEDLESS


def answers(case: dict[str, object]) -> list[object]:
    try:
        return [case["value"], case["value_v3"], *readings(str(case["text"]))]
    except (ValueError, yaml.YAMLError) as error:
        return [error]


@given(st.text(alphabet="0123456789abcdefxoEeyYnN_+-.:~TZtruefals", min_size=1, max_size=8))
@settings(max_examples=400, deadline=None)
def test_what_is_accepted_means_the_same_to_yaml_1_1_and_1_2(text: str) -> None:
    value, reading = resolve(text)
    if reading is not None or not is_plain(text):
        return
    assert all(agree(found, value) for found in readings(text))


def is_plain(text: str) -> bool:
    try:
        events = list(yaml.parse(f"k: {text}\n", Loader=yaml.CSafeLoader))
    except yaml.YAMLError:
        return False
    return [event.value for event in events if isinstance(event, yaml.ScalarEvent)] == ["k", text]


@given(st.text(max_size=20))
def test_resolving_never_raises(text: str) -> None:
    value, _ = resolve(text)
    assert value is None or isinstance(value, str | int | float)

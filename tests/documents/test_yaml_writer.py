import json
import math
from pathlib import Path

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from claimsmith.documents.nodes import to_plain
from claimsmith.documents.yaml_reader import read
from claimsmith.documents.yaml_writer import write, write_json

RECORDED = Path(__file__).parent / "recorded" / "go-yaml-documents.jsonl"

TRAPS = (
    "",
    " ",
    "  a",
    "a ",
    "\t",
    "a\tb",
    "\n",
    "\n\n",
    "a\n",
    "a\n\n",
    "\na",
    " a\nb",
    "a\n  b\n\nc\n",
    "a \nb",
    "a\n\n b",
    "a\r\nb",
    "\ta\nb",
    "a\n\tb",
    "# c\nd: e\n- f",
    "---\na",
    "...\na",
    "n",
    "y",
    "N",
    "Yes",
    "no",
    "on",
    "OFF",
    "true",
    "True",
    "false",
    "null",
    "Null",
    "~",
    "0",
    "-0",
    "+1",
    "1",
    "012",
    "0o14",
    "0x1",
    "0b1",
    "1_000",
    "1e3",
    "1E3",
    "1.5e3",
    "1.",
    ".5",
    "0.5",
    "12e45678",
    ".inf",
    "-.INF",
    ".NaN",
    "12:30",
    "12:30:00",
    "2024-01-01",
    "2024-01-01T10:00:00Z",
    "99999999999999999999",
    "=",
    "<<",
    "- a",
    "-",
    "--- a",
    "---",
    "...",
    "a: b",
    "a:",
    ":a",
    "a:b",
    "? a",
    "?",
    "# c",
    "a # c",
    "a#c",
    "[a]",
    "{a}",
    "{{ .Values.x }}",
    "a, b",
    "&a",
    "*a",
    "!a",
    "|",
    ">",
    "%a",
    "@a",
    "`a`",
    "'a'",
    '"a"',
    "it's",
    'say "a"',
    "a\\b",
    "\x00",
    "\x07",
    "\x1b[0m",
    "\x7f",
    "\x85",
    "a\x85b",
    "\xa0",
    "\xad",
    "\u200b",
    "\u2028",
    "a\u2029b",
    "\u202e",
    "\ufeff",
    "\ufffe",
    "é",
    "模型",
    "😀",
    "a😀\nb",
    "é\nü\n",
    'device.attributes["gpu.nvidia.com"].architecture == "Hopper" && 1 > 0',
    "x" * 200,
    "word " * 60,
    "k" * 129,
)

texts = st.one_of(
    st.sampled_from(TRAPS),
    st.text(alphabet="0123456789abcdefxoEeyYnN_+-.:~TZtruefals \n#'\"=<[]{}&*!|>%@`,?\\", max_size=12),
    st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=12),
)
scalars = st.one_of(
    texts,
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    st.booleans(),
    st.none(),
)
trees = st.recursive(
    scalars,
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(texts, inner, max_size=4)),
    max_leaves=12,
)


def yaml_1_2(data: bytes) -> object:
    return YAML(typ="safe", pure=True).load(data.decode())


def ours(data: bytes) -> object:
    nodes, findings = read(data, "out.yaml")
    assert findings == []
    return to_plain(nodes[0])


@pytest.mark.parametrize("text", TRAPS)
def test_every_trap_is_read_back_by_every_reader(text: str) -> None:
    tree = {"value": text, text: "key", "list": [text, [text], {"inner": text}], "last": text}
    data = write([tree])
    assert yaml.safe_load(data) == tree
    assert yaml_1_2(data) == tree
    assert ours(data) == tree


@pytest.mark.parametrize("text", TRAPS)
def test_every_trap_is_read_back_as_a_document(text: str) -> None:
    data = write([text])
    assert yaml.safe_load(data) == text
    assert yaml_1_2(data) == text
    assert ours(data) == text


@given(trees)
@settings(max_examples=150, deadline=None)
@example({"a": [], "b": {}, "c": [[]], "d": [{}]})
@example([[[{"a": ["b\nc\n"]}]]])
def test_any_tree_is_read_back_by_every_reader(tree: object) -> None:
    data = write([tree])
    assert same(yaml.safe_load(data), tree)
    assert same(yaml_1_2(data), tree)
    assert same(ours(data), tree)


@given(st.lists(trees, min_size=1, max_size=4))
@settings(max_examples=40, deadline=None)
def test_any_stream_is_read_back_document_by_document(documents: list[object]) -> None:
    data = write(documents, header="made by a test\nand read again")
    assert same(list(yaml.safe_load_all(data)), documents)
    nodes, findings = read(data, "out.yaml")
    assert findings == []
    assert same([to_plain(node) for node in nodes], documents)


@given(trees)
@settings(max_examples=50, deadline=None)
def test_json_is_read_back(tree: object) -> None:
    data = write_json(tree)
    assert same(json.loads(data), tree)
    assert data.endswith(b"\n")


def same(found: object, wanted: object) -> bool:
    """Equality that tells a boolean from a number, and an integer from a float."""
    return repr(found) == repr(wanted)


def test_go_reads_what_was_written() -> None:
    recorded = [json.loads(line) for line in RECORDED.read_text("utf-8").splitlines()]
    assert len(recorded) >= 300
    for case in recorded:
        assert write([case["tree"]]).decode() == case["yaml"], case
        assert case["go"] == case["tree"], case


def test_the_layout() -> None:
    tree = {
        "apiVersion": "resource.k8s.io/v1",
        "count": 4,
        "share": 0.5,
        "all": True,
        "none": None,
        "empty": {"list": [], "map": {}},
        "list": ["a", "- b", {"name": "x", "n": "y"}, ["c", "d"]],
        "cel": 'device.driver == "gpu.nvidia.com" &&\n  "uuid" in device\n',
        "unfinished": "a\nb",
        "yes": "no",
        "hash": "12e45678",
        "long": "word " * 30 + "end",
    }
    assert write([tree, "second"], header="Generated.\n\nDo not edit.").decode() == (
        "# Generated.\n"
        "#\n"
        "# Do not edit.\n"
        "apiVersion: resource.k8s.io/v1\n"
        "count: 4\n"
        "share: 0.5\n"
        "all: true\n"
        "none: null\n"
        "empty:\n"
        "  list: []\n"
        "  map: {}\n"
        "list:\n"
        "- a\n"
        '- "- b"\n'
        "- name: x\n"
        '  "n": "y"\n'
        "- - c\n"
        "  - d\n"
        "cel: |\n"
        '  device.driver == "gpu.nvidia.com" &&\n'
        '    "uuid" in device\n'
        "unfinished: |-\n"
        "  a\n"
        "  b\n"
        '"yes": "no"\n'
        'hash: "12e45678"\n'
        f"long: {'word ' * 30}end\n"
        "--- second\n"
    )


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("é", b"k: \xc3\xa9\n"),
        ("a\u200bb é", b'k: "a\\u200Bb \\xE9"\n'),
        ("a\x85b", b'k: "a\\Nb"\n'),
        ("\x1b", b'k: "\\e"\n'),
        ("😀", b'k: "\\U0001F600"\n'),
        ("a\tb", b'k: "a\\tb"\n'),
        ("a\nb \n", b'k: "a\\nb \\n"\n'),
        ("a\n\n", b'k: "a\\n\\n"\n'),
    ],
)
def test_what_cannot_be_seen_is_escaped(text: str, written: bytes) -> None:
    assert write([{"k": text}]) == written


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (1e16, b"10000000000000000.0\n"),
        (1e-7, b"0.0000001\n"),
        (-0.0, b"-0.0\n"),
        (2.0, b"2.0\n"),
        (-(2**63), b"-9223372036854775808\n"),
    ],
)
def test_numbers_are_written_without_exponents(number: float, written: bytes) -> None:
    assert write([{"k": number}]) == b"k: " + written


def test_nothing_is_shared() -> None:
    item = {"a": [1]}
    assert write([[item, item]]) == b"- a:\n  - 1\n- a:\n  - 1\n"


def test_no_documents() -> None:
    assert write([]) == b""
    assert write([], header="nothing here") == b"# nothing here\n"


@pytest.mark.parametrize("value", [2**63, -(2**63) - 1, math.inf, math.nan, "\ud800"])
def test_values_that_no_reader_takes_are_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"64 bits|no number|surrogate"):
        write([{"k": value}])


@pytest.mark.parametrize("value", [{1: "a"}, {None: "a"}, {"a": object()}, [b"bytes"], {"a": {1, 2}}])
def test_other_types_are_refused(value: object) -> None:
    with pytest.raises(TypeError):
        write([value])


def test_a_header_stays_a_comment() -> None:
    with pytest.raises(ValueError, match="header"):
        write([{}], header="a\rkey: value")


def test_json_layout() -> None:
    assert write_json({"b": ["é", 1, 1.5, True, None], "a": {}}) == (
        '{\n  "b": [\n    "é",\n    1,\n    1.5,\n    true,\n    null\n  ],\n  "a": {}\n}\n'.encode()
    )


@pytest.mark.parametrize("value", [math.nan, "\ud800"])
def test_json_refuses_what_json_has_not(value: object) -> None:
    with pytest.raises(ValueError, match=r"JSON compliant|surrogate"):
        write_json([value])

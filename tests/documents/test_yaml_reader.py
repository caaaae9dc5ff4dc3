import time
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from claimsmith.documents import yaml_reader
from claimsmith.documents.nodes import Mapping, Node, Scalar, Sequence, find, to_plain
from claimsmith.documents.yaml_reader import MAX_DEPTH, read
from claimsmith.documents.yaml_text import MAX_BYTES, check_size, read_bounded
from claimsmith.findings import Finding, Position, Rule
from claimsmith.rules import cs1_yaml

RULES = {
    item.id: item
    for item in vars(cs1_yaml).values()
    if isinstance(item, type) and issubclass(item, Rule) and "id" in vars(item)
}


def places(data: bytes) -> list[str]:
    """Rule and place of each finding, as ``CS102 2:1``."""
    return [f"{item.rule} {item.position.line}:{item.position.column}" for item in read(data, "a.yaml")[1]]


def plain(data: bytes) -> list[object]:
    nodes, findings = read(data, "a.yaml")
    assert findings == []
    return [to_plain(node) for node in nodes]


def span(node: Node | None) -> str:
    assert node is not None
    place = node.position
    assert place.file == "a.yaml"
    return f"{place.line}:{place.column}-{place.end_line}:{place.end_column}"


def test_a_document_of_every_kind_of_value() -> None:
    data = b"""\
# a comment
name: trainer
count: 4
share: 0.5
all: true
nothing:
empty: null
list: [a, 'b', "c", 1]
nested:
- {model: H100-80GB, count: 4}
- x: |
    line 1
    line 2
  z: >-
    folded
    text
"""
    assert plain(data) == [
        {
            "name": "trainer",
            "count": 4,
            "share": 0.5,
            "all": True,
            "nothing": None,
            "empty": None,
            "list": ["a", "b", "c", 1],
            "nested": [
                {"model": "H100-80GB", "count": 4},
                {"x": "line 1\nline 2\n", "z": "folded text"},
            ],
        }
    ]


def test_scalars_keep_their_text_and_style() -> None:
    (root,), _ = read(b"- 4\n- '4'\n- \"\\x34\"\n- |\n  4\n- >-\n  4\n", "a.yaml")
    assert isinstance(root, Sequence)
    found = [(item.value, item.text, item.style) for item in root.items if isinstance(item, Scalar)]
    assert found == [(4, "4", "plain"), ("4", "4", "'"), ("4", "4", '"'), ("4\n", "4\n", "|"), ("4", "4", ">")]


def test_documents_come_in_order_and_empty_ones_are_left_out() -> None:
    assert plain(b"---\na: 1\n---\n# nothing\n---\n- 2\n...\n---\nthree\n---\n") == [{"a": 1}, [2], "three"]
    assert plain(b"null") == [None]


def test_json_is_yaml() -> None:
    assert plain(b'{\n\t"a": [1, 2.5, "x\\u00e9"],\r\n\t"b": {"c": null}\n}\n') == [
        {"a": [1, 2.5, "xé"], "b": {"c": None}}
    ]


def test_positions() -> None:
    data = "a: é😀x\nb:\n- [1,  two]\n- c: |2\n    x\n\n  # d\ne: {}\nf:\n".encode()
    (root,), _ = read(data, "a.yaml")
    assert span(root) == "1:1-9:3"
    assert span(find(root, "a")) == "1:4-1:7"
    assert span(find(root, "b")) == "3:1-7:1"
    assert span(find(root, "b", 0)) == "3:3-3:12"
    assert span(find(root, "b", 0, 1)) == "3:8-3:11"
    assert span(find(root, "b", 1)) == "4:3-7:1"
    assert span(find(root, "b", 1, "c")) == "4:6-7:1"
    assert span(find(root, "e")) == "8:4-8:6"
    assert span(find(root, "f")) == "9:3-9:3"
    assert isinstance(root, Mapping)
    assert [span(key) for key, _ in root.entries] == ["1:1-1:2", "2:1-2:2", "8:1-8:2", "9:1-9:2"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("start", ["", "\ufeff"])
def test_positions_do_not_depend_on_line_ends_or_a_byte_order_mark(start: str, end: str) -> None:
    data = (start + "# x" + end + end + "  a: 1" + end + "  b: " + '"\\' + end + "   y" + '"' + end).encode()
    (root,), findings = read(data, "a.yaml")
    assert findings == []
    assert to_plain(root) == {"a": 1, "b": "y"}
    assert span(root) == "3:3-5:6"
    assert span(find(root, "a")) == "3:6-3:7"
    assert span(find(root, "b")) == "4:6-5:6"


def test_an_anchor_is_no_part_of_its_value() -> None:
    data = b"a: &x 1\nb: &y\n  # c\n  c: d\ne: &z   [1]\nf: &v\ng: &w\n- &u |\n  t\n"
    (root,), findings = read(data, "a.yaml")
    assert findings == []
    assert span(find(root, "a")) == "1:7-1:8"
    assert span(find(root, "b")) == "4:3-4:7"
    assert span(find(root, "e")) == "5:9-5:12"
    assert span(find(root, "f")) == "6:6-6:6"
    assert span(find(root, "g", 0)) == "8:6-10:1"


def test_an_alias_is_the_node_of_its_anchor() -> None:
    (root,), findings = read(b"a: &x {k: [1]}\nb: *x\nc: [*x, *x]\n", "a.yaml")
    assert findings == []
    assert to_plain(root) == {"a": {"k": [1]}, "b": {"k": [1]}, "c": [{"k": [1]}, {"k": [1]}]}
    assert find(root, "c", 1) is find(root, "a")
    assert span(find(root, "b")) == "1:7-1:15"
    assert span(find(root, "c")) == "3:4-3:12"


SYNTAX = {
    b"a: [1, 2\n": "CS101 2:1",
    b"a: [1, 2": "CS101 1:9",
    b"a: {b: c\nd: e\n": "CS101 2:2",
    b"a: b: c\n": "CS101 1:5",
    b"a: 1\n b: 2\n": "CS101 2:3",
    b"a:\n  - b\n c: d\n": "CS101 3:2",
    b"- a\nb: c\n": "CS101 2:1",
    b"a: 'b\n\nc: d\n": "CS101 1:4",
    b'a: "b\n': "CS101 1:4",
    b'a: "\\q"\n': "CS101 1:5",
    b'a: "\\ud83d"\n': "CS101 1:7",
    b"a: @b\n": "CS101 1:4",
    b"a: `b`\n": "CS101 1:4",
    b"a: %b\n": "CS101 1:4",
    b"a: * b\n": "CS101 1:5",
    b"a: |x\n  b\n": "CS101 1:5",
    b"a: 1\nb\n": "CS101 3:1",
    b"a: - b\n": "CS101 1:4",
    b"a: ]\n": "CS101 1:4",
    b"'a' b\n": "CS101 1:5",
    b"a: b\n---\nc: [\n": "CS101 4:1",
    "é😀: [}\n".encode(): "CS101 1:6",
    b"!%ed%a0%80 a\n": "CS101 1:1",
}
REFUSALS = {
    # duplicate keys
    b"a: 1\nb: 2\na: 3\n": ["CS102 3:1"],
    b"{a: 1, 'a': 2, \"\\x61\": 3}\n": ["CS102 1:8", "CS102 1:16"],
    b"- a:\n    b: 1\n    b: 2\n": ["CS102 3:5"],
    b"a: 1\n---\na: 1\n": [],
    # ambiguous scalars
    b"a: yes\n": ["CS103 1:4"],
    b"a: [no, 012, 1_000, ~]\n": ["CS103 1:5", "CS103 1:9", "CS103 1:14", "CS103 1:21"],
    b"n: 1\n": ["CS103 1:1"],
    b"12:30: 1\n": ["CS103 1:1"],
    b"1e3\n": ["CS103 1:1"],
    b"True: 1\n": ["CS103 1:1"],
    b"a: <<\n": ["CS103 1:4"],
    b"a: ['yes', \"012\"]\nb: |-\n  no\n": [],
    # keys that are no text
    b"8080: a\n": ["CS104 1:1"],
    b"1.5: a\n": ["CS104 1:1"],
    b"a:\n  true: b\n": ["CS104 2:3"],
    b"null: a\n": ["CS104 1:1"],
    b"? \n: a\n": ["CS104 1:2"],
    b"? [a]\n: b\n": ["CS104 1:3"],
    b"? {a: b}\n: b\n": ["CS104 1:3"],
    b"? - a\n: b\n": ["CS104 1:3"],
    b"a: &x k\n*x : b\n": ["CS104 2:1"],
    b"? a\n: b\n": [],
    # merge keys
    b"a: &x {b: 1}\nc:\n  <<: *x\n  d: 1\n": ["CS105 3:3"],
    b"<<: 1\n<<: 2\n": ["CS105 1:1", "CS105 2:1"],
    b'"<<": 1\n': [],
    # tags
    b"a: !!str 1\n": ["CS106 1:4"],
    b"a: !foo [1]\n": ["CS106 1:4"],
    b"!foo\na: 1\n": ["CS106 1:1"],
    b"a: &x !!python/object:os.system x\n": ["CS106 1:7"],
    b"a: !<tag:x,1:y> 1\n": ["CS106 1:4"],
    b"a: ! 1\n": ["CS106 1:4"],
    b"a: !e!x 1\n": ["CS106 1:4"],
    b"!!str a: 1\n": ["CS106 1:1"],
    # directives
    b"%YAML 1.1\n---\na: 1\n": ["CS107 1:1"],
    b"# c\n%TAG !e! tag:x,1:\n---\na: 1\n": ["CS107 2:1"],
    b"%YAML 2.0\n---\na: 1\n": ["CS107 1:1"],
    b"%FOO bar\n---\na: 1\n": ["CS107 1:1"],
    b"a: 1\n...\n%YAML 1.2\n---\nb: 1\n": ["CS107 3:1"],
    b"%\n": ["CS107 1:1"],
    # anchors and aliases
    b"a: *x\n": ["CS108 1:4"],
    b"a: &x 1\n---\nb: *x\n": ["CS108 3:4"],
    b"*x\n": ["CS108 1:1"],
    b"&x [*x]\n": ["CS109 1:5"],
    b"a: &x\n  b: *x\n": ["CS109 2:6"],
    b"a: &x 1\nb: &x 2\n": ["CS111 2:4"],
    b"a: &x [&x 1]\n": ["CS111 1:8"],
    # tabs
    b"a:\n\tb: 1\n": ["CS112 2:1"],
    b"a:\n  \tb: 1\n": ["CS112 2:3"],
    b"a:\n  b: 1\n\tc: 2\n": ["CS112 3:1"],
    b"- a\n\t- b\n": ["CS112 2:1"],
    b"a: |\n\tx\n": ["CS112 2:1"],
    b"\ta: 1\n": ["CS112 1:1"],
    b"a:\tb\n": [],
    b"a: |\n  \tx\n": ["CS112 2:3"],
    b"a: |\n  x\n  \ty\n": [],
    # encodings
    b"a: 1\nb: \xe9\n": ["CS113 2:4"],
    b"\xef\xbb\xbfa: \xc3\xa9\xff\n": ["CS113 1:5"],
    b"a: \xed\xa0\x80\n": ["CS113 1:4"],
    "a: 1\n".encode("utf-16"): ["CS113 1:1"],
    "a: 1\n".encode("utf-16-be"): ["CS114 1:1", "CS114 1:3", "CS114 1:5", "CS114 1:7", "CS114 1:9"],
    b"\xfe\xff\x00a": ["CS113 1:1"],
    # characters
    b"a: \x00\n": ["CS114 1:4"],
    b"a: 1\r\n\r\nb: '\x07'\x1b\n": ["CS114 3:5", "CS114 3:7"],
    b"a: \x7f\n": ["CS114 1:4"],
    "é: 1\u2028b: 2\x85c: 3\n".encode(): ["CS114 1:5", "CS114 1:10"],
    'a: "x\u2029y"\n'.encode(): ["CS114 1:6"],
    "a: b\n\ufeffc: d\n".encode(): ["CS114 2:1"],
    "😀: \ufffe\n".encode(): ["CS114 1:4"],
    b"a: 1\x0c\n": ["CS114 1:5"],
    b'a: "\\u2028\\0"\n': [],
    # nothing there
    b"": ["CS118 1:1"],
    b"\xef\xbb\xbf": ["CS118 1:1"],
    b"# a comment\n\n": ["CS118 1:1"],
    b"---\n---\n": ["CS118 1:1"],
    # several at once, in the order of the file
    b"b: yes\nb: 1\n8: !x 0x1\n": ["CS103 1:4", "CS102 2:1", "CS104 3:1", "CS106 3:4"],
}


@pytest.mark.parametrize(("data", "found"), SYNTAX.items())
def test_syntax_errors(data: bytes, found: str) -> None:
    assert places(data) == [found]


@pytest.mark.parametrize(("data", "found"), REFUSALS.items())
def test_refusals(data: bytes, found: list[str]) -> None:
    assert places(data) == found


@pytest.mark.parametrize("data", [*SYNTAX, *REFUSALS])
def test_every_finding_has_words(data: bytes) -> None:
    for finding in read(data, "a.yaml")[1]:
        words = RULES[finding.rule]
        message, help_text = words.render_message(finding.data), words.render_help(finding.data)
        assert message
        assert help_text
        for text in (message, help_text):
            assert "\n" not in text
            assert not text.endswith(".")
            assert len(text) < 200


def words(data: bytes) -> str:
    (finding,) = read(data, "a.yaml")[1]
    words_of = RULES[finding.rule]
    return f"{words_of.render_message(finding.data)}; {words_of.render_help(finding.data)}"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (
            b"a: [1\n",
            "this is not YAML: the list that `[` opens on line 1 expects `,` or `]` here; "
            "add what is missing; quote values that contain `,`, `[` or `]`",
        ),
        (
            b"a: b\nc: 'd\n",
            "this is not YAML: the quote that opens here is never closed; close it, with the same kind of quote",
        ),
        (b"a: 1\na: 2\n", "the key `a` is already on line 1; remove one of the two"),
        (
            b"a: True\n",
            '`True` is a boolean to some YAML readers and not to others; write `"True"` if it is text, '
            "or `true` if it is not",
        ),
        (
            b"a: ~\n",
            '`~` is null to some YAML readers and not to others; write `"~"` if it is text, or `null` if it is not',
        ),
        (
            b"a: 12e45678\n",
            '`12e45678` is a number to some YAML readers and not to others; write `"12e45678"` if it is text',
        ),
        (b"a: !!str 1\n", "tags such as `!!str` are not allowed; remove the tag; quote a value to make it text"),
        (b"a: \xff\n", "the file is not UTF-8: the byte at offset 3 is 0xFF; save the file as UTF-8"),
        (
            b"\xff\xfea\x00",
            "the file is not UTF-8: the byte at offset 0 is 0xFF, it looks like UTF-16; save the file as UTF-8",
        ),
        (
            "a: \u2028\n".encode(),
            "the character U+2028 LINE SEPARATOR is not allowed in YAML source; remove it, or write it as an escape "
            "such as `\\u2028` in a double-quoted string",
        ),
    ],
)
def test_the_words(data: bytes, text: str) -> None:
    assert words(data) == text


def test_findings_name_the_file_and_span_what_they_are_about() -> None:
    _, findings = read(b"a: 1\na: yes\n", "profiles/teams/vision.yaml")
    assert findings == [
        Finding("CS102", Position("profiles/teams/vision.yaml", 2, 1, 2, 2), {"key": "a", "first_line": 1}),
        Finding(
            "CS103",
            Position("profiles/teams/vision.yaml", 2, 4, 2, 7),
            {"text": "yes", "reading": "a boolean", "meant": ""},
        ),
    ]


def test_long_texts_are_shortened_in_messages() -> None:
    (finding,) = read(b"a: 1" + b"0" * 1000 + b"\n", "a.yaml")[1]
    assert finding.data["text"] == "1" + "0" * 38 + "…"


@pytest.mark.parametrize(
    ("data", "tree"),
    [
        (b"a: 1\na: {b: [2]}\nc: 3\n", {"a": 1, "c": 3}),
        (b"a: &x {b: 1}\nc:\n  <<: [*x, {y: z}]\n  d: 1\n", {"a": {"b": 1}, "c": {"d": 1}}),
        (b"? [a]\n: {b: c}\nd: e\n", {"d": "e"}),
        (b"a: &x b\n*x : c\nd: e\n", {"a": "b", "d": "e"}),
        (b"1: a\n1.50: b\nnull: c\n", {"1": "a", "1.50": "b", "null": "c"}),
        (b"1: a\n'1': b\n", {"1": "a"}),
        (b"a: [True, NULL, yes, 012]\n", {"a": [True, None, "yes", "012"]}),
        (b"a: [*x, &y [*y]]\n", {"a": [None, [None]]}),
        (b"a: !!str 1\nb: !c [!d e]\n", {"a": "1", "b": ["e"]}),
        (b"%YAML 1.2\n---\na: 1\n", {"a": 1}),
    ],
)
def test_the_rest_of_a_document_survives_a_refusal(data: bytes, tree: object) -> None:
    nodes, findings = read(data, "a.yaml")
    assert findings
    assert [to_plain(node) for node in nodes] == [tree]


def test_the_documents_before_a_syntax_error_survive() -> None:
    nodes, findings = read(b"a: 1\n---\nb: [\n---\nc: 1\n", "a.yaml")
    assert [to_plain(node) for node in nodes] == [{"a": 1}]
    assert [item.rule for item in findings] == ["CS101"]


def test_depth() -> None:
    assert plain(b"[" * MAX_DEPTH + b"]" * MAX_DEPTH)
    assert places(b"[" * (MAX_DEPTH + 1)) == [f"CS116 1:{MAX_DEPTH + 1}"]
    assert places(b"[" * 100_000)[-1].startswith("CS116 1:")
    assert places(b"- " * 100_000) == [f"CS116 1:{2 * MAX_DEPTH + 1}"]
    assert places(b"a:\n" + b"".join(b" " * i + b"a:\n" for i in range(1, 80))) == [f"CS116 {MAX_DEPTH + 1}:65"]


def test_depth_counts_what_aliases_repeat() -> None:
    def nested(depth: int) -> bytes:
        return b"[" * depth + b"]" * depth

    assert plain(b"a: &x " + nested(40) + b"\nb: " + b"[" * 23 + b"*x" + b"]" * 23)
    assert places(b"a: &x " + nested(40) + b"\nb: " + b"[" * 24 + b"*x" + b"]" * 24) == ["CS116 2:28"]


def test_a_chain_of_aliases_that_grows_in_depth_only() -> None:
    data = b"a0: &a0 []\n" + b"".join(b"a%d: &a%d [*a%d]\n" % (i, i, i - 1) for i in range(1, 100))
    assert places(data) == ["CS116 64:12"]


def test_the_billion_laughs() -> None:
    lines = [b"a0: &a0 [lol, lol, lol, lol, lol, lol, lol, lol, lol]"]
    lines += [b"a%d: &a%d [%s]" % (i, i, b", ".join([b"*a%d" % (i - 1)] * 9)) for i in range(1, 10)]
    start = time.perf_counter()
    found = places(b"\n".join(lines))
    assert time.perf_counter() - start < 0.5
    assert found == ["CS110 6:15"]


def test_the_number_of_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_reader, "MAX_VALUES", 10)
    assert plain(b"[1, 2, 3, 4, 5, 6, 7, 8, 9]")
    assert places(b"[1, 2, 3, 4, 5, 6, 7, 8, 9, 10]") == ["CS117 1:29"]
    assert plain(b"- &x [1, 2]\n- *x\n- *x\n")
    assert places(b"- &x [1, 2]\n- *x\n- *x\n- *x\n") == ["CS110 4:3"]
    assert places(b"a: b\n---\n" * 6) == ["CS117 7:1"]


def test_the_size_of_a_file() -> None:
    filled = b"a: b\n" + b"#" * (MAX_BYTES - 5)
    assert plain(filled) == [{"a": "b"}]
    assert places(filled + b"\n") == ["CS115 1:1"]
    assert check_size(MAX_BYTES, "a.yaml") is None
    assert check_size(100 * MAX_BYTES, "a.yaml") == Finding("CS115", Position("a.yaml"), {"limit": "1 MiB"})
    assert words(filled + b"\n") == "the file is larger than 1 MiB; split it"


def test_a_large_file_is_not_read_whole(tmp_path: Path) -> None:
    with (tmp_path / "large.yaml").open("w+b") as stream:
        stream.truncate(100 * MAX_BYTES)
        assert places(read_bounded(stream)) == ["CS115 1:1"]
        assert stream.tell() == MAX_BYTES + 1


def test_forbidden_characters_are_counted_out() -> None:
    assert len(places(b"\x01" * 1000)) == 20


@given(st.binary(max_size=60))
@settings(max_examples=300, deadline=None)
def test_no_bytes_make_it_raise(data: bytes) -> None:
    check(data)


FRAGMENTS = (
    *(
        "a",
        "b: ",
        "- ",
        "? ",
        ": ",
        ", ",
        "[",
        "]",
        "{",
        "}",
        "\n",
        "\n  ",
        "\n\n    ",
        " ",
        "\t",
        "'",
        '"',
        "#",
        " # c",
    ),
    *(
        "|",
        ">",
        "|2-",
        "---\n",
        "...\n",
        "%YAML 1.1\n",
        "%TAG ! !x\n",
        "%F\n",
        "&x ",
        "&y",
        "*x",
        "*y ",
        "!",
        "!!str ",
        "!t ",
    ),
    *(
        "!<u> ",
        "!%ff",
        "!e!f ",
        "<<: ",
        "1",
        "0x1",
        "yes",
        "~",
        "null",
        "1.5",
        "\\",
        "\\u00e9",
        "é",
        "😀",
        "\r\n",
        "\r",
    ),
    *("\x00", "\x85", "\u2028", "\ufeff", "=", "`", "@", "%"),
)


@given(st.lists(st.sampled_from(FRAGMENTS), max_size=14).map("".join))
@settings(max_examples=1000, deadline=None)
def test_no_yaml_makes_it_raise(text: str) -> None:
    check(text.encode())


def check(data: bytes) -> None:
    """Reads; holds the positions against the file, the words against the findings, and clean values against PyYAML."""
    nodes, findings = read(data, "a.yaml")
    lines = (
        data.removeprefix(b"\xef\xbb\xbf")
        .decode(errors="replace")
        .replace("\r\n", "\n")
        .replace("\r", "\n")
        .split("\n")
    )
    for finding in findings:
        place = finding.position
        assert place.file == "a.yaml"
        assert 1 <= place.line <= len(lines)
        assert 1 <= place.column <= len(lines[place.line - 1]) + 1
        assert (place.line, place.column) <= (place.end_line, place.end_column)
        assert RULES[finding.rule].render_message(finding.data)
        assert RULES[finding.rule].render_help(finding.data)
    assert findings == sorted(findings, key=lambda finding: finding.position)
    if not findings:
        theirs = [item for item in yaml.load_all(data, Loader=yaml.CSafeLoader) if item is not None]
        assert [item for item in map(to_plain, nodes) if item is not None] == theirs

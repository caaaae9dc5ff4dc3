"""Places within a scalar, through every style of YAML."""

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from claimsmith.documents.nodes import Mapping, Scalar
from claimsmith.documents.scalar_map import position_in
from claimsmith.documents.source import Source
from claimsmith.documents.yaml_reader import read
from claimsmith.findings import Position

FOLDED = {" ", "\n"}


def scalar(document: str) -> tuple[Scalar, Source]:
    """The value of the one key of a document."""
    [root], findings = read(document.encode(), "f.yaml")
    assert findings == []
    assert isinstance(root, Mapping)
    value = root.get("key")
    assert isinstance(value, Scalar)
    return value, Source.of(document.encode(), "f.yaml")


def shown(source: Source, place: Position) -> str:
    """What the file has at a place on one line."""
    assert place.line == place.end_line
    return source.line(place.line)[place.column - 1 : place.end_column - 1]


def check(document: str) -> None:
    """Every character stands where it is said to; line breaks and what was folded have no character there."""
    value, source = scalar(document)
    for index, character in enumerate(value.text):
        text = shown(source, position_in(value, source, index, index + 1))
        if character not in FOLDED or text:
            assert text in (character, "'" * 2) or text.startswith("\\"), (document, index)


@pytest.mark.parametrize(
    "document",
    [
        "key: one two\n",
        "key: one\n   two\n\n\n   three # comment\nb: 1\n",
        "key: 'it''s  a\n   fold\n\n   é '\n",
        'key: "a\\tb \\u00e9\\U0001F600 \\x41 \\\n    c\n  d  \n\n  e\\\\"\n',
        "key: |\n  one\n   two\n\n  three\n\n\nb: 1\n",
        "key: |2-   # comment\n     one\n  two",
        "key: |+\n  one\n\n\n",
        "key: >\n  one\n  two\n\n  three\n   four\n   five\n\n  six\n\n\n  seven\nb: 1\n",
        "key: >-\n\n\n  one\n  two",
        "key: >1\n one\n  two\n three\n",
        "key: |\n\n  \n  one\n",
        "a: {b: [1, 2]}\nkey: &x 'anchored'\n",
        "\ufeffkey: 'after a byte order mark'\n",
        "key: 'carriage\r\n  returns'\r\n",
        "key: |\r\n  one\r\n  two\r\n",
    ],
)
def test_every_character_has_its_place(document: str) -> None:
    check(document)


PRINTABLE = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cc", "Cs", "Zl", "Zp", "Cn", "Co", "Cf")) | st.just("\n"),
    max_size=40,
)
STYLES = st.sampled_from(["", "'", '"', "|", ">"])


@settings(max_examples=300, deadline=None)
@given(PRINTABLE, STYLES, st.integers(0, 3))
def test_whatever_a_writer_makes(text: str, style: str, nesting: int) -> None:
    """PyYAML writes a text in a style, folded at 20 columns; the text is found again, character by character."""
    node: yaml.Node = yaml.ScalarNode("tag:yaml.org,2002:str", text, style=style or None)
    for _ in range(nesting):
        node = yaml.MappingNode("tag:yaml.org,2002:map", [(yaml.ScalarNode("tag:yaml.org,2002:str", "k"), node)])
    document = yaml.serialize(node, width=20, allow_unicode=True, explicit_start=True)
    roots, findings = read(document.encode(), "f.yaml")
    if findings or not roots:
        return
    value = roots[0]
    while isinstance(value, Mapping):
        found = value.get("k")
        assert found is not None
        value = found
    assert isinstance(value, Scalar)
    source = Source.of(document.encode(), "f.yaml")
    for index, character in enumerate(value.text):
        place = position_in(value, source, index, index + 1)
        assert place != value.position or len(value.text) == 1
        there = shown(source, place)
        if character not in FOLDED or there:
            assert there in (character, "''") or there.startswith("\\")


def test_spans() -> None:
    value, source = scalar("key: >\n  one two\n  three\n")
    assert position_in(value, source, 4, 7) == Position("f.yaml", 2, 7, 2, 10)
    assert position_in(value, source, 4, 13) == Position("f.yaml", 2, 7, 3, 8)
    assert position_in(value, source, 0, 0) == Position("f.yaml", 2, 3, 2, 4)


def test_the_end_is_behind_the_last_character() -> None:
    for document, place in (
        ("key: one\n", (1, 9)),
        ("key: 'one'\n", (1, 10)),
        ("key: ''\n", (1, 7)),
        ("key: |\n  one\n", (2, 7)),
        ("key: |-\n  one\n", (2, 6)),
    ):
        value, source = scalar(document)
        length = len(value.text)
        line, column = place
        assert position_in(value, source, length, length + 1) == Position("f.yaml", line, column, line, column + 1)


def test_a_source_that_is_not_known_or_is_another() -> None:
    value, _ = scalar("key: |\n  one\n")
    assert position_in(value, None, 0, 1) == value.position
    assert position_in(value, Source.of(b"key: |\n  two\n", "f.yaml"), 0, 1) == value.position
    assert position_in(value, Source.of(b"key: |\n  one\n", "g.yaml"), 0, 1) == value.position

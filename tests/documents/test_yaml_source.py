from claimsmith.documents.source import Source, Suppression, suppressions
from claimsmith.documents.yaml_reader import read
from claimsmith.findings import Position


def found(text: str) -> list[Suppression]:
    data = text.encode()
    nodes, _ = read(data, "a.yaml")
    return suppressions(Source.of(data, "a.yaml"), nodes)


def lines(text: str) -> list[tuple[int, int]]:
    return [(item.first_line, item.last_line) for item in found(text)]


def test_lines_are_those_of_an_editor() -> None:
    source = Source.of("\ufeffa: 1\r\nb: é\rc\x85d\u2028e\n".encode() + b"\xff", "a.yaml")
    assert source.file == "a.yaml"
    assert [source.line(number) for number in range(6)] == ["", "a: 1", "b: é", "c\x85d\u2028e", "\ufffd", ""]


def test_a_comment_at_the_end_of_a_line() -> None:
    assert found("a: 1\nb: é 2  # claimsmith: ignore CS503 - the node has no A100  \n") == [
        Suppression(Position("a.yaml", 2, 9, 2, 58), 2, 2, ("CS503",), "the node has no A100")
    ]


def test_several_rules() -> None:
    (item,) = found("a: 1 # claimsmith: ignore CS503,CS504 , CS101 - two - reasons")
    assert item.rule_ids == ("CS503", "CS504", "CS101")
    assert item.reason == "two - reasons"


def test_a_comment_alone_on_a_line_is_about_the_next_line_with_content() -> None:
    assert lines("# claimsmith: ignore CS503 - x\na: 1\n") == [(2, 2)]
    assert lines("a:\n  # claimsmith: ignore CS503 - x\n\n  # more\n  # claimsmith: ignore CS504 - y\n  b: 1\n") == [
        (6, 6),
        (6, 6),
    ]
    assert lines("a: 1\n# claimsmith: ignore CS503 - x\n# the end\n") == [(2, 2)]


def test_a_scalar_of_several_lines_is_silenced_as_a_whole() -> None:
    assert lines("cel: |  # claimsmith: ignore CS503 - x\n  a\n  b\n\nc: d\n") == [(1, 4)]
    assert lines("# claimsmith: ignore CS503 - x\ncel: >-\n  a\n  b\nc: d\n") == [(2, 4)]
    assert lines("# claimsmith: ignore CS503 - x\ncel: 'a\n  b'\nc: d\n") == [(2, 3)]
    assert lines("a: {b: 1,  # claimsmith: ignore CS503 - x\n  c: d}\n") == [(1, 1)]


def test_what_a_suppression_covers() -> None:
    (item,) = found("cel: | # claimsmith: ignore CS503, CS504 - x\n  a\n  b\nc: d\n")
    assert item.covers("CS503", Position("a.yaml", 1, 1))
    assert item.covers("CS504", Position("a.yaml", 3, 4))
    assert not item.covers("CS505", Position("a.yaml", 1, 1))
    assert not item.covers("CS503", Position("a.yaml", 4, 1))
    assert not item.covers("CS503", Position("b.yaml", 1, 1))


def test_text_is_no_comment() -> None:
    assert found('a: "x # claimsmith: ignore CS503 - x"\n') == []
    assert found("a: 'x\n  # claimsmith: ignore CS503 - x\n  y'\n") == []
    assert found("a: |\n  # claimsmith: ignore CS503 - x\n") == []
    assert found("a: >\n  b\n\n  # claimsmith: ignore CS503 - x\n\n") == []
    assert found("'# claimsmith: ignore CS503 - x': 1\n") == []
    assert found("a#claimsmith: ignore CS503 - x\n") == []
    assert found("a: b# claimsmith: ignore CS503 - x\n") == []


def test_a_comment_after_text() -> None:
    assert lines('a: "x # y" # claimsmith: ignore CS503 - x\n') == [(1, 1)]
    assert lines("a: |\n  # b\n# claimsmith: ignore CS503 - x\nc: d\n") == [(4, 4)]
    assert lines("a: |\n  b\n # claimsmith: ignore CS503 - x\nc: d\n") == [(4, 4)]
    assert lines("a: [é😀, '#', # claimsmith: ignore CS503 - x\n  b]\n") == [(1, 1)]
    assert lines("a: &x |\n  b\nc: *x # claimsmith: ignore CS503 - x\n") == [(3, 3)]


def test_a_comment_within_a_comment_is_none() -> None:
    assert found("a: 1 # write # claimsmith: ignore CS503 - x\n") == []


def test_words_that_are_not_known_are_kept_without_rules() -> None:
    for words in ("ignore", "ignore 503 - x", "ignore CS503: x", "ignore CS503 CS504", "ignor CS503", ""):
        (item,) = found(f"a: 1  # claimsmith: {words}\n")
        assert item.rule_ids == ()
        assert item.reason == ""
        assert not item.covers("CS503", Position("a.yaml", 1, 1))


def test_a_missing_reason_is_empty() -> None:
    for words in ("ignore CS503", "ignore CS503 -", "ignore CS503 - "):
        (item,) = found(f"a: 1  # claimsmith: {words}\n")
        assert (item.rule_ids, item.reason) == (("CS503",), "")


def test_spacing_is_free() -> None:
    (item,) = found("a: 1\t#claimsmith:ignore  CS503  -  x\n")
    assert (item.rule_ids, item.reason) == (("CS503",), "x")


def test_a_file_that_cannot_be_read_still_has_comments() -> None:
    assert lines("a: [ # claimsmith: ignore CS503 - x\n") == [(1, 1)]


def test_many_comments_take_linear_time() -> None:
    assert len(found("# claimsmith: ignore CS503 - x\n" * 20_000)) == 20_000

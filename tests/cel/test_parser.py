"""The tree of an expression: spans, expansion of macros, several errors at once, limits."""

from collections.abc import Iterator
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimsmith.cel.ast import Call, Comprehension, Expr, Ident, ListExpr, Literal, MapExpr, Select, Uint, children
from claimsmith.cel.errors import in_order, line_column
from claimsmith.cel.lexer import tokenize
from claimsmith.cel.macros import EXPANDERS
from claimsmith.cel.parser import Parsed, parse


def parsed(text: str) -> Parsed:
    return parse(text, EXPANDERS.keys(), escaped_names=True)


def tree(text: str) -> Expr:
    result = parsed(text)
    assert result.tree is not None, result.problems
    return result.tree


def nodes(root: Expr) -> Iterator[Expr]:
    yield root
    for child in children(root):
        yield from nodes(child)


def written(text: str, node: Expr) -> str:
    return text[node.start : node.end]


def shape(node: Expr) -> str:
    """The tree as an expression with every bracket."""
    match node:
        case Literal():
            return repr(node.value)
        case Ident():
            return node.name
        case Select():
            field = f"{shape(node.operand)}.{node.field}"
            return f"has({field})" if node.presence else field
        case Call():
            inside = ", ".join(map(shape, node.arguments))
            return (
                f"{node.function}({inside})"
                if node.target is None
                else f"{shape(node.target)}.{node.function}({inside})"
            )
        case ListExpr():
            return "[" + ", ".join("?" * (at in node.optional) + shape(e) for at, e in enumerate(node.elements)) + "]"
        case MapExpr():
            entries = (f"{'?' * entry.optional}{shape(entry.key)}: {shape(entry.value)}" for entry in node.entries)
            return f"{node.message or ''}{{{', '.join(entries)}}}"
        case Comprehension():
            variables = node.variable + (f", {node.variable2}" if node.variable2 else "")
            return (
                f"loop({variables} of {shape(node.source)}; {node.accumulator} = {shape(node.initial)}; "
                f"{shape(node.condition)}; {shape(node.step)}; {shape(node.result)})"
            )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3 - 4", "_-_(_+_(1, _*_(2, 3)), 4)"),
        ("a < b == c in d", "@in(_==_(_<_(a, b), c), d)"),
        ("a ? b : c ? d : e", "_?_:_(a, b, _?_:_(c, d, e))"),
        ("a && b || c && d", "_||_(_&&_(a, b), _&&_(c, d))"),
        ("a && b && c && d && e", "_&&_(_&&_(_&&_(a, b), c), _&&_(d, e))"),
        ("!!!a", "!_(a)"),
        ("!!a", "a"),
        ("-1 - -2", "_-_(-1, -2)"),
        ("--1", "1"),
        ("-a", "-_(a)"),
        ("a.?b[?c]", "_[?_](_?._(a, 'b'), c)"),
        ("a[0].b.c(1, 2)", "_[_](a, 0).b.c(1, 2)"),
        ("[1, ?a,]", "[1, ?a]"),
        ("{?a: 1, 'b': 2,}", "{?a: 1, 'b': 2}"),
        (".a.b.C{d: 1}", ".a.b.C{'d': 1}"),
        ("a.`b-c`", "a.b-c"),
        ("has(a.b)", "has(a.b)"),
        ("cel.bind(x, 1, x)", "loop(#unused of []; x = 1; False; x; x)"),
        ("a.bind(x, 1, x)", "a.bind(x, 1, x)"),
        (
            "a.exists(x, x)",
            "loop(x of a; @result = False; @not_strictly_false(!_(@result)); _||_(@result, x); @result)",
        ),
        (
            "a.all(i, x, x)",
            "loop(i, x of a; @result = True; @not_strictly_false(@result); _&&_(@result, x); @result)",
        ),
        ("a.map(x, b, c)", "loop(x of a; @result = []; True; _?_:_(b, _+_(@result, [c]), @result); @result)"),
        (
            "a.exists_one(x, b)",
            "loop(x of a; @result = 0; True; _?_:_(b, _+_(@result, 1), @result); _==_(@result, 1))",
        ),
        (
            "a.optFlatMap(x, b)",
            "_?_:_(a.hasValue(), loop(#unused of []; x = a.value(); False; x; b), optional.none())",
        ),
        (
            "a.sortBy(x, b)",
            "loop(#unused of []; @__sortBy_input__ = a; False; @__sortBy_input__; @__sortBy_input__."
            "@sortByAssociatedKeys(loop(x of @__sortBy_input__; @result = []; True; _+_(@result, [b]); @result)))",
        ),
    ],
)
def test_shape(text: str, expected: str) -> None:
    assert shape(tree(text)) == expected


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0x1F", 31),
        ("-0x10", -16),
        ("-9223372036854775808", -(2**63)),
        (".5", 0.5),
        ("1e3", 1000.0),
        ('"a\\tb\\x41\\u00e9\\101\\U0001F600\\`\\?"', "a\tbAéA😀`?"),
        ("r'\\d'", "\\d"),
        ('"""a\r\n"b"""', 'a\n"b'),
        ("b'\\377\\x80é'", b"\xff\x80" + "é".encode()),
        ("null", None),
    ],
)
def test_literals(text: str, value: object) -> None:
    node = tree(text)
    assert isinstance(node, Literal)
    assert node.value == value
    assert written(text, node) == text


def test_unsigned_literals_are_their_own_type() -> None:
    node = tree("7u")
    assert isinstance(node, Literal)
    assert node.kind == "uint"
    assert isinstance(node.value, Uint)


def test_spans_leave_out_brackets_around_a_node_and_cover_its_operands() -> None:
    text = "(a || (b)) && c.d(e)[0]"
    root = tree(text)
    assert isinstance(root, Call)
    left, right = root.arguments
    assert written(text, root) == text
    assert written(text, left) == "a || (b)"
    assert written(text, right) == "c.d(e)[0]"
    assert text[root.at : root.at + 2] == "&&"
    assert isinstance(right, Call)
    called = right.arguments[0]
    assert isinstance(called, Call)
    assert text[called.name_start :].startswith("d(")
    assert text[called.at] == "("


def test_a_field_knows_where_its_name_is() -> None:
    text = 'device.attributes["gpu.nvidia.com"].productName'
    node = tree(text)
    assert isinstance(node, Select)
    assert text[node.field_start : node.end] == "productName"
    assert text[node.at] == "."


def test_macros_are_remembered_as_written() -> None:
    text = "has(a.b) && [1].exists(x, x > 0)"
    result = parsed(text)
    calls = sorted((call.name, written(text, call.root)) for call in result.macros.values())
    assert calls == [("exists", "[1].exists(x, x > 0)"), ("has", "has(a.b)")]


def test_a_chain_of_optional_maps_is_a_graph() -> None:
    node = tree("a" + ".optMap(x, x)" * 100)
    assert isinstance(node, Call)
    condition, mapped, _ = node.arguments
    assert isinstance(condition, Call)
    assert isinstance(mapped, Call)
    bound = mapped.arguments[0]
    assert isinstance(bound, Comprehension)
    assert isinstance(bound.initial, Call)
    assert bound.initial.target is condition.target


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(1 +) && [2, && x", [5, 14]),
        ("a = b", [3, 5]),
        ('"a && b', [1, 8]),
        ("has(a) || package || 1.", [5, 11, 24]),
    ],
)
def test_several_errors_at_once(text: str, expected: list[int]) -> None:
    problems = in_order(parsed(text).problems)
    assert [line_column(text, problem.at or 0)[1] for problem in problems] == expected


def test_without_backticks_a_quoted_field_is_an_error() -> None:
    problems = parse("a.`b`", (), escaped_names=False).problems
    assert [problem.message for problem in problems] == ["unsupported syntax: '`'"]


def test_macros_that_the_language_lacks_are_calls() -> None:
    node = parse("[1].map(x, x)", (), escaped_names=True).tree
    assert isinstance(node, Call)
    assert node.function == "map"


PIECES = st.sampled_from(
    [
        *"()[]{}.,?:!-+*/%<>",
        "&&",
        "||",
        "==",
        "in",
        "a",
        "device",
        "1",
        "2u",
        '"s"',
        "'",
        '"',
        "\\",
        "\n",
        "has",
        "true",
    ]
)


@given(
    st.one_of(
        st.text(max_size=60), st.lists(PIECES, max_size=40).map(" ".join), st.lists(PIECES, max_size=40).map("".join)
    )
)
def test_any_text_gives_a_tree_or_errors_inside_it(text: str) -> None:
    result = parsed(text)
    assert (result.tree is None) == bool(result.problems)
    for problem in result.problems:
        assert problem.message
        assert 0 <= problem.start <= problem.end <= len(text) + 1
    if result.tree is not None:
        for node in nodes(result.tree):
            assert result.tree.start <= node.start <= node.at < len(text)
            assert node.start < node.end <= result.tree.end


@given(st.text(max_size=80))
def test_tokens_and_errors_cover_the_text_in_order(text: str) -> None:
    tokens = tokenize(text)
    spans = [(start, start + len(kind)) for start, kind in zip(tokens.starts[:-1], tokens.texts, strict=False)]
    spans += [(problem.start, problem.end) for problem in tokens.problems]
    spans.sort()
    assert all(end <= start for (_, end), (start, _) in pairwise(spans))
    assert tokens.kinds[-1] == "<EOF>"

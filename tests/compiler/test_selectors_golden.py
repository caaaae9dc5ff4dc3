"""The text of ``codegen: 1`` is fixed, and nothing that a user writes gets into it but as a value."""

import json
import re
from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from claimsmith.compiler import selectors
from claimsmith.compiler.requirements import Comparison, Condition, Literal, RequirementError, conditions
from claimsmith.values import Quantity, Semver
from tests.compiler import golden

STRING = re.compile(r'"(?:[^"\\\r\n]|\\(?:[abfnrtv"\'`?\\]|u[0-9A-Fa-f]{4}))*"')
ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|(.))")
ESCAPED = {"a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v"}

PLACE = r"device\.(?:attributes|capacity)\[S\]\.memory"
FUNCTION = r"(?:quantity|semver)\(S\)"
VALUE = rf"(?:S|true|false|-?[0-9]+|{FUNCTION})"
LIST = rf"\[(?:{VALUE}(?:, {VALUE})*)?\]"
OPERATOR = r"(?:==|!=|<=|>=|<|>)"
SHAPES = re.compile(
    rf"device\.attributes\[S\]\.\?memory\.orValue\(S\) (?:(?:==|!=) S|in {LIST})"
    rf"|has\({PLACE}\) && {PLACE} (?:{OPERATOR} {VALUE}|in {LIST})"
    rf"|has\({PLACE}\) && {PLACE}\.compareTo\({FUNCTION}\) {OPERATOR} 0"
    rf"|!has\({PLACE}\) \|\| {PLACE}(?: != {VALUE}|\.compareTo\({FUNCTION}\) != 0)"
)
"""Every form that a requirement takes, its strings written as S."""

DOMAIN = "gpu.example.com"
NAME = f"{DOMAIN}/memory"

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=40) | st.text("\"\\'\n\r\t`{}()|& =!<>", max_size=12)
INTEGERS = st.integers(-(2**63), 2**63 - 1)
VERSIONS = st.from_regex(
    r"v?[0-9]{1,4}(\.[0-9]{1,4}){0,2}|[1-9]\.[0-9]\.[1-9](-[a-z][a-z0-9]{0,2})?(\+[a-z]{1,3})?", fullmatch=True
)
QUANTITIES = st.from_regex(r"[1-9][0-9]{0,5}(\.[0-9]{1,3})?(m|k|M|G|Ki|Mi|Gi|Ti|e3)?", fullmatch=True)
OPERATORS = st.sampled_from(["==", "!=", "=", "<", "<=", ">", ">=", ""])


def compared(values: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    return st.lists(st.tuples(OPERATORS, values), min_size=1, max_size=3).map(
        lambda parts: ", ".join(f"{operator} {value}" for operator, value in parts)
    )


REQUIRED = st.one_of(
    st.tuples(st.just("string"), WORDS | WORDS.map(lambda word: f"!= {word}") | st.lists(WORDS, max_size=4)),
    st.tuples(st.just("int"), INTEGERS | compared(INTEGERS.map(str)) | st.lists(INTEGERS, max_size=4)),
    st.tuples(st.just("bool"), st.booleans()),
    st.tuples(st.just("version"), compared(VERSIONS) | st.lists(VERSIONS, max_size=4)),
    st.tuples(st.just("quantity"), compared(QUANTITIES)),
    st.tuples(st.sampled_from(["int", "bool", "version", "quantity"]), WORDS),
)


def literals(condition: Condition) -> tuple[Literal, ...]:
    return (condition.literal,) if isinstance(condition, Comparison) else condition.literals


def generate(kind: str, wanted: Sequence[Condition]) -> tuple[str, ...]:
    if kind == "quantity":
        return selectors.capacity_selectors(NAME, wanted)
    return selectors.attribute_selectors(NAME, wanted)


def unescaped(literal: str) -> str:
    """What a string literal of CEL stands for, by the language's own table of escapes."""
    return ESCAPE.sub(
        lambda found: chr(int(found[1], 16)) if found[1] else ESCAPED.get(found[2], found[2]), literal[1:-1]
    )


def test_the_text_of_codegen_1_never_changes() -> None:
    kept = json.loads(golden.GOLDEN.read_text(encoding="utf-8"))
    made = json.loads(json.dumps(golden.document()))
    assert made["requirements"] == kept["requirements"]
    assert made == kept, "what is new is added by: python -m tests.compiler.record text"


@given(REQUIRED)
def test_user_text_is_only_ever_a_value(required: tuple[str, object]) -> None:
    kind, value = required
    try:
        wanted = conditions(kind, value)
    except RequirementError:
        return
    texts = generate(kind, wanted)
    assert texts == generate(kind, conditions(kind, value))
    assert len(texts) == len(wanted)
    for text, condition in zip(texts, wanted, strict=True):
        shape = STRING.sub("S", text)
        assert SHAPES.fullmatch(shape), text
        ours = [DOMAIN, ""] if ".orValue(" in shape else [DOMAIN, DOMAIN]
        theirs = [spelt(each) for each in literals(condition) if spelt(each) is not None]
        assert [unescaped(each) for each in STRING.findall(text)] == [*ours, *theirs]


def spelt(literal: Literal) -> str | None:
    """The string in the text that a literal is written with, if there is one."""
    if isinstance(literal, Quantity):
        return literal.canonical()
    return str(literal) if isinstance(literal, str | Semver) else None


@given(st.lists(VERSIONS, min_size=1, max_size=3))
def test_versions_are_read_back_as_they_were(versions: list[str]) -> None:
    (wanted,) = conditions("version", versions)
    (text,) = generate("version", [wanted])
    assert tuple(Semver.parse(unescaped(each)) for each in STRING.findall(text)[2:]) == literals(wanted)


@given(st.tuples(st.sampled_from(["==", "!=", "<", "<=", ">", ">="]), QUANTITIES))
def test_amounts_are_read_back_as_they_were(compared_to: tuple[str, str]) -> None:
    (wanted,) = conditions("quantity", " ".join(compared_to))
    (text,) = generate("quantity", [wanted])
    assert tuple(Quantity.parse(unescaped(each)) for each in STRING.findall(text)[2:]) == literals(wanted)


@given(st.lists(WORDS, min_size=1, max_size=4))
def test_excluded_identities_are_only_ever_values(identities: list[str]) -> None:
    text = selectors.identity_not_in(NAME, identities)
    assert [unescaped(each) for each in STRING.findall(text)] == [DOMAIN, "", *identities]
    listed = ", ".join("S" for _ in identities)
    assert STRING.sub("S", text) == f"!(device.attributes[S].?memory.orValue(S) in [{listed}])"

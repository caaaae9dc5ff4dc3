"""What `check` says beyond the recorded verdicts: references, spans, limits, and that nothing stops or slows it."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimsmith.cel.ast import Call, Select
from claimsmith.cel.check import check
from claimsmith.cel.environment import MAX_LENGTH, environment, environment_of
from claimsmith.kubernetes.minors import MINORS, V1_34, V1_36, V1_37
from claimsmith.kubernetes.target import resolve_target
from claimsmith.values.version import Minor

LANGUAGE = environment(V1_37)


def test_types_and_references_are_there_for_later_steps() -> None:
    checked = check('device.capacity["a"].memory.compareTo(quantity("1Gi")) >= 0', LANGUAGE)
    assert checked.accepted
    root = checked.ast
    assert isinstance(root, Call)
    call = root.arguments[0]
    assert isinstance(call, Call)
    assert checked.references[call.id].overloads == ("quantity_compare_to",)
    assert call.target is not None
    assert str(checked.types[call.target.id]) == "kubernetes.Quantity"
    inner = call.arguments[0]
    assert str(checked.types[inner.id]) == "kubernetes.Quantity"


def test_a_qualified_function_is_marked() -> None:
    checked = check("optional.of(1).hasValue()", LANGUAGE)
    root = checked.ast
    assert isinstance(root, Call)
    inner = root.target
    assert isinstance(inner, Call)
    assert checked.references[inner.id].qualified
    assert checked.references[inner.id].name == "optional.of"
    assert not checked.references[root.id].qualified


def test_an_undefined_field_has_a_tree_and_a_span() -> None:
    text = "true && device.drivr == 'x'"
    checked = check(text, LANGUAGE)
    assert isinstance(checked.ast, Call)
    (error,) = checked.errors
    assert (error.line, error.column, text[error.start : error.end]) == (1, 15, "device.drivr")
    assert not checked.compiles


def test_every_error_is_reported() -> None:
    checked = check("x == 1 && device.driver == 5 && device.foo", LANGUAGE)
    assert [(error.column, error.message.split(" ")[0]) for error in checked.errors] == [
        (1, "undeclared"),
        (25, "found"),
        (39, "undefined"),
    ]


def test_a_message_shows_the_line_and_marks_wide_characters() -> None:
    checked = check("true &&\n'é' == 5", LANGUAGE)
    assert checked.message == (
        "compilation failed: ERROR: <input>:2:5: found no matching overload for '_==_' applied to '(string, int)'\n"
        " | 'é' == 5\n"
        " | .．..^"
    )


def test_cost_alone_can_refuse() -> None:
    checked = check("[1].all(a, " * 2 + 'device.driver.split("").all(x, ' * 6 + "true" + ")" * 8, LANGUAGE)
    assert checked.compiles
    assert not checked.accepted
    assert checked.type == "bool"
    assert checked.cost is not None
    assert checked.cost > 1_000_000


def test_length_alone_can_refuse() -> None:
    long = '"' + "é" * (MAX_LENGTH // 2) + '" != ""'
    checked = check(long, LANGUAGE)
    assert (checked.compiles, checked.accepted) == (True, False)
    assert check(long[:-16] + '" != ""', LANGUAGE).accepted


@pytest.mark.parametrize(
    ("minor", "gates", "text", "accepted"),
    [
        (V1_34, {}, "device.allowMultipleAllocations", False),
        (V1_34, {"DRAConsumableCapacity": True}, "device.allowMultipleAllocations", True),
        (V1_36, {}, "device.allowMultipleAllocations", True),
        (V1_36, {}, 'device.attributes["a"].b.exists(x, x == 1)', False),
        (V1_36, {"DRAListTypeAttributes": True}, 'device.attributes["a"].b.exists(x, x == 1)', True),
        (V1_36, {}, 'device.attributes["a"].b.includes(1)', False),
        (V1_36, {"DRAListTypeAttributes": True}, 'device.attributes["a"].b.includes(1)', True),
        (V1_34, {}, "[1, 1].distinct().size() == 1", False),
        (Minor(1, 35), {}, "[1, 1].distinct().size() == 1", True),
    ],
)
def test_the_target_decides(minor: Minor, gates: dict[str, bool], text: str, accepted: bool) -> None:
    target, _ = resolve_target(str(minor), gates)
    assert target is not None
    assert check(text, environment_of(target)).accepted is accepted


@pytest.mark.parametrize("minor", MINORS, ids=str)
def test_the_scheduler_knows_everything(minor: Minor) -> None:
    language = environment(minor, scheduler=True, consumable_capacity=False)
    assert check("device.allowMultipleAllocations && [1, 1].distinct().size() == 1", language).compiles


def test_lone_surrogates_count_as_replacement_characters() -> None:
    assert check('"\ud800" == "\ufffd"', LANGUAGE).accepted


HOSTILE = {
    "brackets": "(" * 5000,
    "not": "!" * 10_000 + "true",
    "chain of and": "&&".join(["true"] * 1700),
    "chain of plus": "+".join(["1"] * 5000),
    "chain of fields": "a" + ".a" * 5000,
    "nested loops": "[1].all(x," * 240 + "true" + ")" * 240,
    "optional maps": "optional.of(1)" + ".optMap(x,x)" * 200 + ".hasValue()",
    "lists of lists": "[" * 245 + "]" * 245 + " == []",
    "growing types": "[].map(a,[])" + ".map(b,[b])" * 200 + "==[]",
    "free types": "[" + ",".join(["{}"] * 3400) + "] == []",
    "optional indices": "device.attributes" + '[?"a"]' * 240,
    "unknown names": "||".join(f"x{number}" for number in range(1500)),
    "open string": '"' * 10_239,
    "backslashes": "\\" * 10_240,
    "commas": "," * 10_240,
    "digits": "1" * 10_240,
    "patterns": '"".matches("' + "(a*)*" * 2000 + '")',
    "clauses": '"' + "%s" * 2500 + '".format([' + ",".join(["1"] * 2500) + ']) == ""',
}


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_text_takes_no_time(name: str) -> None:
    text = HOSTILE[name][:MAX_LENGTH]
    check("true", LANGUAGE)
    started = time.process_time()
    checked = check(text, LANGUAGE)
    # Five times the aim, for machines that do other things.
    assert time.process_time() - started < 0.25
    assert checked.accepted or checked.message


PARTS = st.sampled_from(
    [
        "device", ".attributes", ".capacity", ".driver", '["a"]', ".b", ".?b", '[?"a"]', " == ", " && ", " || ", "!", "(",
        ")", "[", "]", "{", "}", "1", "2u", "1.5", '"s"', "b'x'", "null", "true", "x", ".map(x, ", ".all(i, x, ",
        "cel.bind(x, ", "has(", ", ", " ? ", " : ", ".size()", ".optMap(x, ", "optional.none()", ".orValue(", "[]", "{}",
        'quantity("1")', ".compareTo(", " in ", "dyn(", "int(", '"%s".format(', "duration(", ".sum()", ".flatten(", "type(",
        "google.protobuf.Value{", "null_value: ", ".sortBy(x, ", ".transformMap(k, v, ", " + ", "-", ".split(", ".join(",
    ]
)  # fmt: skip


@settings(max_examples=300)
@given(st.lists(PARTS, max_size=14).map("".join), st.sampled_from(MINORS), st.booleans())
def test_any_expression_gets_a_verdict(text: str, minor: Minor, lists: bool) -> None:
    checked = check(text, environment(minor, list_attributes=lists))
    assert checked.accepted != bool(checked.errors)
    assert (checked.message is None) == checked.accepted
    assert (checked.type is None) == (checked.cost is None)
    if checked.compiles:
        assert checked.ast is not None
        assert checked.ast.id in checked.types


def test_fields_are_found_through_an_optional() -> None:
    checked = check("optional.of(device).?driver.value() == 'x'", LANGUAGE)
    assert checked.accepted
    assert not isinstance(checked.ast, Select)

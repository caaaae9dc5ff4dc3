"""`claimsmith cel check`: a line out for each line in."""

import json
from typing import Any

from click.testing import CliRunner, Result

from claimsmith.cli.app import main


def run(lines: str, *options: str) -> Result:
    return CliRunner().invoke(main, ["cel", "check", *options], input=lines)


def answers(questions: list[dict[str, Any]], *options: str) -> list[dict[str, Any]]:
    result = run("".join(json.dumps(question) + "\n" for question in questions), *options)
    assert result.exit_code == 0, result.output
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_one_line_out_for_each_in_order() -> None:
    asked = [
        {"id": "b", "expression": 'device.driver == "gpu.nvidia.com"'},
        {"id": 2, "expression": "device.driver"},
        {"id": "a", "expression": "true &&\n device.foo"},
    ]
    found = answers(asked, "--kubernetes", "1.36")
    assert found[0] == {
        "id": "b",
        "accepted": True,
        "message": None,
        "line": None,
        "column": None,
        "type": "bool",
        "cost": 4,
    }
    assert found[1] == {
        "id": 2,
        "accepted": False,
        "message": "must evaluate to bool or the unknown type, not string",
        "line": None,
        "column": None,
        "type": None,
        "cost": None,
    }
    assert (found[2]["line"], found[2]["column"], found[2]["type"]) == (2, 8, None)
    assert found[2]["message"].startswith("compilation failed: ERROR: <input>:2:8: undefined field 'foo'")


def test_cost_alone_refuses_with_type_and_cost() -> None:
    expensive = 'device.driver.split("").all(x, ' * 6 + "true" + ")" * 6
    (found,) = answers([{"id": 1, "expression": expensive}])
    assert found["accepted"] is False
    assert found["type"] == "bool"
    assert found["cost"] > 1_000_000


def test_gates_and_minors() -> None:
    listed = {"id": 1, "expression": 'device.attributes["a"].b.exists(x, x == 1)'}
    assert [each["accepted"] for each in answers([listed])] == [False]
    assert [each["accepted"] for each in answers([listed], "--feature-gates", "DRAListTypeAttributes=true")] == [True]
    shared = {"id": 1, "expression": "device.allowMultipleAllocations"}
    assert [each["accepted"] for each in answers([shared], "--kubernetes", "1.34")] == [True]
    off = answers([shared], "--kubernetes", "1.34", "--feature-gates", "DRAConsumableCapacity=false")
    assert [each["accepted"] for each in off] == [False]


def test_empty_lines_are_no_questions() -> None:
    result = run('\n{"id": 1, "expression": "true"}\n\n')
    assert (result.exit_code, len(result.stdout.splitlines())) == (0, 1)


def test_a_line_that_is_no_question_ends_it() -> None:
    for line in ("x", "[]", '{"id": 1}', '{"id": 1, "expression": 5}', "1"):
        result = run('{"id": 1, "expression": "true"}\n' + line + "\n")
        assert result.exit_code == 2, line
        assert "line 2" in result.stderr
        assert len(result.stdout.splitlines()) == 1


def test_unknown_gates_are_refused() -> None:
    result = run("", "--feature-gates", "DRAListTypeAttribute=true")
    assert result.exit_code == 2
    assert "did you mean DRAListTypeAttributes" in result.stderr
    assert run("", "--feature-gates", "DRAListTypeAttributes").exit_code == 2

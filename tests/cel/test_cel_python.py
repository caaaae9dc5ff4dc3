"""Beside cel-python, which is an implementation of its own: where the two differ, and which is Kubernetes'."""

import celpy
import pytest

from claimsmith.cel.check import check
from claimsmith.cel.devices import Device
from claimsmith.cel.environment import environment
from claimsmith.cel.evaluate import EvaluationError, compile_selector
from claimsmith.kubernetes.minors import V1_37

ALIKE = (
    "1 + 2 * 3 == 7",
    "7 / -2 == -3",
    "7 % -2 == 1",
    "9223372036854775807 + 1 > 0",
    "-9223372036854775808 < 0",
    "5u - 6u == 0u",
    "1.5 + 1.5 == 3.0",
    "1 / 0 == 1",
    "true || 1 / 0 == 1",
    "1 / 0 == 1 || true",
    "false && 1 / 0 == 1",
    "1 / 0 == 1 && false",
    "true ? true : 1 / 0 == 1",
    '"abc".contains("b")',
    '"abc".startsWith("ab") && "abc".endsWith("bc")',
    '"abc".matches("^a.c$")',
    'size("\\u00e9\\U0001F600") == 2',
    '"a" + "b" == "ab"',
    '"a" < "b"',
    "[1, 2] + [3] == [1, 2, 3]",
    "2 in [1, 2]",
    "[1, 2, 3].all(x, x > 0)",
    "[1, 0].exists(x, 1 / x == 1)",
    "[0, 1].all(x, 1 / x == 2)",
    "[1, 2].exists_one(x, x == 2)",
    "[1, 2].map(x, x * 2) == [2, 4]",
    "[1, 2, 3].filter(x, x > 1) == [2, 3]",
    '{"a": 1}["a"] == 1',
    '{"a": 1}.a == 1',
    '"a" in {"a": 1}',
    'has({"a": 1}.a)',
    'has({"a": 1}.b)',
    '{"a": 1}["b"] == 1',
    "[1][1] == 1",
    'int("12") == 12',
    'string(12) == "12"',
    'double("1.5") == 1.5',
    'bytes("a") == b"a"',
    'uint("3") == 3u',
    'timestamp("2024-01-01T00:00:00Z") < timestamp("2025-01-01T00:00:00Z")',
    'duration("1h") == duration("60m")',
    'timestamp("2024-01-01T00:00:00Z") + duration("1h") == timestamp("2024-01-01T01:00:00Z")',
    'timestamp("2024-03-01T00:00:00Z").getMonth() == 2',
    'timestamp("2024-03-01T05:00:00Z").getHours("-01:00") == 4',
    'duration("90s").getMinutes() == 1',
    "type(1) == int",
    '{"a": 1} == {"a": 1}',
    "null == null",
    'b"a" < b"b"',
    "[1, 2].size() == 2",
    '"\\x41" == "A"',
    'r"\\d" == "\\\\d"',
)

# What Kubernetes says (recorded from its own library), what cel-python says, and why.
DIFFERENT = {
    '["0x10"].exists(x, int(x) == 16)': ("error", True, "Go's ParseInt reads decimal digits only"),
    'string(true) == "true"': (True, False, "cel-python writes Python's True"),
    'string(1.0) == "1"': (True, False, "cel-python writes Python's 1.0"),
    "dyn(1) == 1.0": (True, "error", "Kubernetes compares numbers across their types"),
    'dyn(1) == "1"': (False, "error", "Kubernetes: values of different types are unequal"),
    "dyn(1u) == 1": (True, "error", "Kubernetes compares numbers across their types"),
    "1 < 1.5": (True, "error", "Kubernetes compares numbers across their types"),
    "dyn(1) in [1.0]": (True, "error", "Kubernetes compares numbers across their types"),
    '"""a\nb""" == "a\\nb"': (True, False, "cel-python drops line ends in such strings"),
}

DEVICE = Device("slice", "device", "gpu.example.com", {}, {})


def _ours(expression: str) -> bool | str:
    language = environment(V1_37, scheduler=True)
    verdict = compile_selector(check(expression, language), language).matches(DEVICE)
    return "error" if isinstance(verdict, EvaluationError) else verdict


def _cel_python(expression: str) -> bool | str:
    language = celpy.Environment()
    try:
        result = language.program(language.compile(expression)).evaluate({})
    except celpy.CELEvalError:
        return "error"
    assert isinstance(result, celpy.celtypes.BoolType)
    return bool(result)


@pytest.mark.parametrize("expression", ALIKE)
def test_cel_python_agrees(expression: str) -> None:
    assert _ours(expression) == _cel_python(expression)


@pytest.mark.parametrize("expression", DIFFERENT)
def test_cel_python_differs_from_kubernetes(expression: str) -> None:
    kubernetes, other, _ = DIFFERENT[expression]
    assert (_ours(expression), _cel_python(expression)) == (kubernetes, other)

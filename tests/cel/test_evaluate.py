"""Devices from slices, the verdicts that need a slice of their own, and what no expression may do."""

import threading
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from claimsmith.cel.check import check
from claimsmith.cel.devices import Device, devices
from claimsmith.cel.environment import environment
from claimsmith.cel.evaluate import EvaluationError, compile_selector
from claimsmith.kubernetes.minors import MINORS, V1_37
from claimsmith.values.version import Minor
from tests.cel.fleet import fleet

H100 = "gpu.nvidia.com-h100-80gb-hbm3.yaml:node-a-gpu.nvidia.com-00000/gpu-7"


def _slice(**device: Any) -> dict[str, Any]:
    return {
        "metadata": {"name": "s"},
        "spec": {"driver": "gpu.example.com", "devices": [{"name": "d", **device}]},
    }


def _device(**device: Any) -> Device:
    return devices(_slice(**device))[0]


def _verdict(expression: str, device: Device, minor: Minor = V1_37, *, lists: bool = False) -> bool | str:
    language = environment(minor, scheduler=True, list_attributes=lists)
    verdict = compile_selector(check(expression, language), language).matches(device)
    return verdict.text if isinstance(verdict, EvaluationError) else verdict


def test_names_without_a_domain_have_the_drivers() -> None:
    device = _device(
        attributes={"a": {"int": 1}, "other.example.com/a": {"string": "x"}},
        capacity={"memory": {"value": "80Gi"}, "other.example.com/n": {"value": 4}},
    )
    assert device.key == "s/d"
    assert _verdict('device.attributes["gpu.example.com"].a == 1', device) is True
    assert _verdict('device.attributes["other.example.com"].a == "x"', device) is True
    assert _verdict('device.capacity["gpu.example.com"].memory == quantity("81920Mi")', device) is True
    assert _verdict('device.capacity["other.example.com"].n.asInteger() == 4', device) is True


@pytest.mark.parametrize("allowed", [True, False, None])
def test_allow_multiple_allocations(allowed: bool | None) -> None:
    assert _verdict("device.allowMultipleAllocations", _device(allowMultipleAllocations=allowed)) is bool(allowed)


@pytest.mark.parametrize(
    ("published", "expression"),
    [
        ({"ints": [1, 2]}, "{}.exists(x, x == 2) && {}.includes(1)"),
        ({"strings": ["a"]}, '{}.includes("a") && {} == ["a"]'),
        ({"bools": []}, "{} == [] && !{}.includes(true)"),
        ({"versions": ["1.2.3"]}, '{}.includes(semver("1.2.3")) && {}[0].major() == 1'),
    ],
)
def test_list_attributes_by_minor_and_gate(published: dict[str, Any], expression: str) -> None:
    device = _device(attributes={"l": published})
    text = expression.replace("{}", 'device.attributes["gpu.example.com"].l')
    assert _verdict(text, device) is True
    assert _verdict(text, device, Minor(1, 36), lists=True) is True
    for minor in MINORS:
        expected = True if minor == V1_37 else "attribute l: unsupported attribute value"
        assert _verdict("true", device, minor) == expected


def test_attributes_that_no_evaluation_survives() -> None:
    assert _verdict("true", _device(attributes={"x": {}})) == "attribute x: unsupported attribute value"
    bad = _device(attributes={"v": {"version": "1.2"}})
    assert _verdict("true", bad) == "attribute v: parse semantic version: No Major.Minor.Patch elements found"


@pytest.mark.parametrize(
    "broken",
    [
        {"attributes": {"a": {"int": "1"}}},
        {"attributes": {"a": {"bool": 1}}},
        {"attributes": {"a": {"strings": "x"}}},
        {"attributes": []},
        {"capacity": {"m": {"value": "80GiB"}}},
        {"capacity": {"m": {}}},
        {"allowMultipleAllocations": "yes"},
    ],
)
def test_what_no_server_stores_is_refused(broken: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"must be|value of"):
        devices(_slice(**broken))


def test_hint_of_the_scheduler() -> None:
    error = EvaluationError("no such key: x")
    assert error.hinted(Minor(1, 36)) == "no such key: x"
    assert error.hinted(V1_37).endswith("guarding the check with has() for optional fields")


def test_what_does_not_compile_has_no_selector() -> None:
    language = environment(V1_37, scheduler=True)
    with pytest.raises(ValueError, match="does not compile"):
        compile_selector(check("device.nope", language), language)


def test_cost_ends_what_would_not_end() -> None:
    nested = "lists.range(1000).all(a, lists.range(1000).all(b, lists.range(1000).all(c, a + b + c >= 0)))"
    assert _verdict(nested, fleet()[H100]) == "operation cancelled: actual cost limit exceeded"
    assert _verdict(f"true || {nested}", fleet()[H100]) is True


def test_a_selector_is_shared_by_threads() -> None:
    language = environment(V1_37, scheduler=True)
    selector = compile_selector(check("[1, 2, 3].map(x, [x].map(y, y + x)) == [[2], [4], [6]]", language), language)
    verdicts: list[object] = []

    def run() -> None:
        verdicts.extend(selector.matches(fleet()[H100]) for _ in range(200))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert verdicts == [True] * 800


_ATOMS = st.sampled_from(
    [
        "device",
        "device.driver",
        "device.attributes",
        'device.attributes["gpu.nvidia.com"].productName',
        'device.attributes["gpu.nvidia.com"].driverVersion',
        'device.attributes["x"].y',
        'device.capacity["gpu.nvidia.com"].memory',
        "null",
        "1",
        "-9223372036854775808",
        "2u",
        "1.5",
        '"a"',
        'b"\\xff"',
        "[]",
        "[1, 2]",
        '{"a": 1}',
        "optional.none()",
        "optional.of(1)",
        'duration("1h")',
        "timestamp(0)",
        "int",
        'quantity("1Gi")',
        'semver("1.0.0")',
        'ip("::1")',
        'cidr("10.0.0.0/8")',
        'url("/a")',
        "format.uri()",
    ]
)


def _wider(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    operators = st.sampled_from(["+", "-", "*", "/", "%", "<", ">=", "==", "!=", "in", "&&", "||"])
    methods = st.sampled_from(
        ["size()", "trim()", "sort()", "distinct()", "min()", "sum()", "hasValue()", "value()", "getHours()", "major()",
         "asInteger()", "family()", "masked()", "getHost()", "flatten()", "reverse()", "join()", "isSorted()", "first()"]
    )  # fmt: skip
    binary = st.sampled_from(
        ["contains", "indexOf", "matches", "find", "split", "compareTo", "add", "or", "orValue", "includes", "format",
         "containsIP", "validate", "startsWith"]
    )  # fmt: skip
    functions = st.sampled_from(
        ["string", "int", "uint", "double", "bool", "bytes", "type", "size", "quantity", "semver"]
    )
    loops = st.sampled_from(["all", "exists", "exists_one", "map", "filter", "sortBy"])
    return st.one_of(
        st.builds("dyn({0}) {1} dyn({2})".format, inner, operators, inner).map("({})".format),
        st.builds("dyn({0}).{1}".format, inner, methods),
        st.builds("dyn({0}).{1}(dyn({2}))".format, inner, binary, inner),
        st.builds("{1}(dyn({0}))".format, inner, functions),
        st.builds("dyn({0})[{1}]".format, inner, inner.map("dyn({})".format)),
        st.builds("dyn({0})[?dyn({1})]".format, inner, inner),
        st.builds("dyn({0}).{1}(x, dyn({2}))".format, inner, loops, inner),
        st.builds("(dyn({0}) ? dyn({1}) : dyn({2}))".format, inner, inner, inner),
        st.builds("{{dyn({0}): {1}}}".format, inner, inner),
        st.builds("cel.bind(x, {0}, [x, dyn({1})])".format, inner, inner),
    )


@settings(max_examples=400, deadline=None)
@given(st.recursive(_ATOMS, _wider, max_leaves=8))
def test_evaluation_never_raises(text: str) -> None:
    language = environment(V1_37, scheduler=True)
    checked = check(f"dyn({text}) == dyn(1)", language)
    if not checked.compiles:
        return
    verdict = compile_selector(checked, language).matches(fleet()[H100])
    assert isinstance(verdict, bool | EvaluationError)

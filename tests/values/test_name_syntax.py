from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimsmith.values import names

Recorded = Callable[[str], list[dict[str, Any]]]
Problem = Callable[[str], str | None]

KINDS: dict[str, Problem] = {
    "attribute": names.attribute_name_problem,
    "dns_label": names.dns_label_problem,
    "dns_subdomain": names.dns_subdomain_problem,
    "driver_name": names.driver_name_problem,
    "extended_resource_name": names.extended_resource_name_problem,
    "label_key": names.label_key_problem,
    "label_value": names.label_value_problem,
    "pool_name": names.pool_name_problem,
    "qualified_attribute": names.qualified_attribute_problem,
}


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_verdict_equals_kubernetes(kind: str, recorded: Recorded) -> None:
    answers = recorded("names")
    if "attribute" in kind:
        answers = [answer for answer in answers if answer["input"].count("/") < 2]
    theirs = {answer["input"]: kind in answer["valid"] for answer in answers}
    assert set(theirs.values()) == {True, False}
    assert {text: KINDS[kind](text) is None for text in theirs} == theirs


@pytest.mark.parametrize("kind", ["attribute", "qualified_attribute"])
def test_several_slashes_in_an_attribute_are_a_problem(kind: str) -> None:
    assert "separated by one '/'" in str(KINDS[kind]("example.com/a/b"))


@pytest.mark.parametrize(
    ("kind", "text", "reason"),
    [
        ("dns_label", "", "must not be empty"),
        ("dns_label", "gpu.big", "must not contain dots"),
        ("dns_label", "a" * 64, "must have at most 63 characters, not 64"),
        ("dns_label", "GPU", "must consist of lower-case letters, digits and '-'"),
        ("dns_subdomain", "a..b", "such as example.com"),
        ("driver_name", "gpu_nvidia", "must consist of letters, digits, '-' and '.'"),
        ("pool_name", "node-1/Gpus", "has a part 'Gpus' that must consist of lower-case"),
        ("label_value", "-x", "or be empty"),
        ("label_key", "a/b/c", "must have at most one '/'"),
        ("label_key", "Example.com/x", "has a domain 'Example.com' that must consist of lower-case"),
        ("label_key", "example.com/", "has a name '' that must not be empty"),
        ("label_key", "_x", "must consist of letters, digits, '-', '_' and '.'"),
        ("attribute", "product-name", "must consist of letters, digits and '_'"),
        ("attribute", "gpu.nvidia.com/0x", "has a name '0x' that must consist of"),
        ("attribute", "/x", "has a domain '' that must not be empty"),
        ("qualified_attribute", "model", "must be a domain and a name separated by one '/'"),
        ("extended_resource_name", "gpu", "must be a domain and a name separated by '/'"),
        ("extended_resource_name", "x.kubernetes.io/gpu", "must not be in the domain kubernetes.io"),
        ("extended_resource_name", "requests.x.com/gpu", "must not start with 'requests.'"),
        ("extended_resource_name", "a" * 245 + "/gpu", "at most 244 characters, not 245"),
    ],
)
def test_problem_says_what_is_wrong(kind: str, text: str, reason: str) -> None:
    assert reason in str(KINDS[kind](text))


@given(st.text("aB0._/-", min_size=1, max_size=12))
def test_narrower_kinds_imply_wider_ones(text: str) -> None:
    valid = {kind for kind, problem in KINDS.items() if problem(text) is None}
    implications = [
        ("dns_label", "dns_subdomain"),
        ("dns_subdomain", "driver_name"),
        ("dns_subdomain", "pool_name"),
        ("dns_label", "label_value"),
        ("label_value", "label_key"),
        ("qualified_attribute", "attribute"),
        ("extended_resource_name", "label_key"),
    ]
    assert [pair for pair in implications if pair[0] in valid and pair[1] not in valid] == []

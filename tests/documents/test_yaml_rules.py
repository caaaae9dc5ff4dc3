import re

import pytest

from claimsmith.documents.yaml_reader import read
from claimsmith.findings import Consequence, Rule, Severity, rule
from claimsmith.rules import cs1_yaml

RULES = [
    value
    for value in vars(cs1_yaml).values()
    if isinstance(value, type) and issubclass(value, Rule) and "id" in vars(value)
]


def test_the_family_is_whole() -> None:
    assert [item.id for item in RULES] == [f"CS{number}" for number in range(101, 119)]
    assert all(rule(item.id) is item for item in RULES)


@pytest.mark.parametrize("item", RULES, ids=lambda item: item.id)
def test_a_rule_has_words(item: type[Rule]) -> None:
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", item.name)
    assert item.message
    assert item.help
    assert not item.message.endswith(".")
    assert not item.help.endswith(".")
    assert item.why.endswith(".")
    if item.id != "CS118":
        assert (item.severity, item.consequence) == (Severity.ERROR, Consequence.INVALID)


@pytest.mark.parametrize("item", [item for item in RULES if item.bad], ids=lambda item: item.id)
def test_the_examples_are_true(item: type[Rule]) -> None:
    assert {finding.rule for finding in read(item.bad.encode(), "a.yaml")[1]} - {"CS103"} <= {item.id}
    assert item.id in [finding.rule for finding in read(item.bad.encode(), "a.yaml")[1]]
    assert read(item.good.encode(), "a.yaml")[1] == []


def test_every_problem_of_the_parser_has_words() -> None:
    for problem, (message, help_text) in cs1_yaml._IN_WORDS.items():
        data = {"problem": problem, "context_line": 3}
        assert rule("CS101").render_message(data) == f"this is not YAML: {message.format_map(data)}"
        assert rule("CS101").render_help(data) == help_text.format_map(data)


def test_an_unknown_problem_of_the_parser_is_passed_on() -> None:
    data = {"problem": "found something else", "context_line": 3}
    assert rule("CS101").render_message(data) == "this is not YAML: found something else"
    assert rule("CS101").render_help(data) == "check the indentation, the quotes and the brackets"

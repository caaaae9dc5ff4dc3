"""Policies: what they may say, what is wrong with them, and what they say of profiles."""

import logging
import random
import subprocess
import sys
import time
import tracemalloc
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from claimsmith.rules.policy.data import VARIABLES
from claimsmith.rules.policy.engine import Failure, compile_expression, run, to_value
from tests.repo import CLUSTER, PROFILE, PROFILE_FILE, Repo
from tests.rules.test_findings import spans

POLICY_FILE = "profiles/policies/guard.yaml"
NAME_PLACE = (3, 18, 3, 24)

GOOD = [
    "true",
    'profile.kind == "TeamProfile" && profile.metadata.name == "vision"',
    "profile.spec.claims.size() == 1 && size(profile.spec.claims) < 2",
    "profile.spec.claims.all(c, c.requests.all(r, r.prefer.all(p, p.count <= 8)))",
    'profile.spec.claims.all(c, c.requests.all(r, r.prefer.all(p, p.count != "all")))',
    "profile.spec.claims.exists(c, c.requests.exists(r, r.prefer.exists(p, p.model.startsWith('H100'))))",
    "profile.spec.claims[0].requests[0].prefer.exists_one(p, p.count == 4)",
    "profile.spec.claims[0].requests[0].prefer.map(p, p.model) == ['H100-80GB', 'A100-80GB']",
    "profile.spec.claims[0].requests[0].prefer.filter(p, p.count > 4).size() == 1",
    'profile.spec.claims[0].requests[0].require.memory == ">= 70Gi"',
    "!has(profile.spec.clusters) || profile.spec.clusters.size() < 3",
    "!has(profile.spec.claims[0].requests[0].count) // it has a list, and the counts stand there",
    "profile.spec.claims[0].constraints == [] && profile.spec.workloads[0].pods == 1",
    'profile.spec.namespaces.all(n, n.matches("^[a-z]+$"))',
    '"vision" in profile.spec.namespaces && !("other" in profile.spec.namespaces)',
    'cluster.spec.kubernetes == "1.37" && cluster.spec.quotas.size() == 0',
    "cluster.spec.nodePools.filter(p, 'H100-80GB' in p.models).map(p, p.name) == ['h100']",
    "cluster.spec.drivers.exists(d, d.name == 'dra.net') && cluster.spec.quarantine == 'auto'",
    'models["H100-80GB"].memory == 81559 * 1024 * 1024 && models["A100-80GB"].memory == 80 * 1024 * 1024 * 1024',
    'models["H100-80GB"].architecture == "Hopper" && models["H100-80GB"].computeCapability == "9.0"',
    'models["A100-80GB"].partitions["3g.40gb"].memory > 30000000000 && "bf16" in models["A100-80GB"].precisions',
    'models["H100-80GB"].driver == "gpu.nvidia.com" && models["H100-80GB"].deviceType == "gpu" && size(models) == 2',
    "profile.spec.claims.all(c, c.requests.all(r, r.prefer.all(p, models[p.model].memory > 1)))",
    # What cel-python alone gets wrong.
    '1 == 1.0 && 1 != "1" && !("1" in [1, 2]) && 1 < 1.5 && [1, "a"] != [1, 2]',
    'string(true) == "true" && string(1.0) == "1" && int("12") == 12 && double("1.5") == 1.5 && bool("t")',
    '"""a\nb""" == "a\\nb" && "\\?\\x41\\u00e9\\101" == "?AéA" && r"\\d" == "\\\\d" && b"\\xff" != b"a"',
    'type(1) == int && type("a") != int && type(null) == null_type && type([]) == list && type(int) == type',
    '7 / -2 == -3 && -7 % 2 == -1 && 1 / 2 == 0 && 1.0 / 2.0 == 0.5 && -(-1) == 1 && 7u + 1u == 8u && !!true',
    '1 / 0 == 1 || true',
    'duration("1h30m") == duration("90m") && duration("-1s") < duration("1ms") && duration("90m").getHours() == 1',
    'timestamp("2024-05-06T07:08:09.123456789+02:00").getHours() == 5 && timestamp(0).getDayOfWeek() == 4',
    'timestamp("2024-01-01T00:00:00Z") + duration("24h") == timestamp("2024-01-02T00:00:00Z")',
    '{"a": [1, {"b": 2}]} == {"a": [1.0, {"b": 2u}]} && {"a": 1}.a == 1 && {1: "x"}[1] == "x" && !(true in {1: 2})',
    '(profile.spec.claims.size() > 0 ? "a" : 1 / 0) == "a" && "a" + "b" == "ab" && [1] + [2] == [1, 2]',
    "true // isn't it",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Bad:
    """A marked expression and the words of the one finding that it gets."""

    rule: str
    expression: str
    message: str
    help: str = ""


def unknown(known: str, hint: str = "") -> str:
    return (f"did you mean `{hint}`? " if hint else "") + f"known: {known}"


def limit(feature: str, instead: str) -> tuple[str, str]:
    return (
        f"cel-python, which runs the policies, has no {feature}",
        f"this is a limit of the policy engine and not of CEL: {instead}",
    )


def no_answer(problem: str, hint: str = "") -> tuple[str, str]:
    return (
        f"rule `rule` of policy `guard` has no answer for team `vision`: {problem}",
        (f"did you mean `{hint}`? " if hint else "")
        + "a field that may be missing is asked for first: `!has(a.b) || a.b == 1`",
    )


def not_bool(kind: str) -> tuple[str, str]:
    message = f"rule `rule` of policy `guard` is {kind} and not true or false for team `vision`"
    return message, "compare it with something"


def costly(problem: str) -> tuple[str, str]:
    return f"the expression is too costly: {problem}", "split the rule, or look at each list once"


NAMES = "cluster, models, profile"
FUNCTIONS = "bool, bytes, double, duration, dyn, has, int, matches, size, string, timestamp, type, uint"
METHODS = (
    "all, contains, endsWith, exists, exists_one, filter, getDate, getDayOfMonth, getDayOfWeek, getDayOfYear, "
    "getFullYear, getHours, getMilliseconds, getMinutes, getMonth, getSeconds, map, matches, size, startsWith"
)
STANDARD = "use the functions of CEL's standard library"
OPTIONAL = "write `has(a.b) ? a.b : …`"

SYNTAX = [
    Bad("CS910", "profile.kind ‹=› 1", "this is not CEL: `=` has no meaning in CEL", "did you mean `==`?"),
    Bad("CS910", "true ‹&› true", "this is not CEL: `&` has no meaning in CEL", "did you mean `&&`?"),
    Bad(
        "CS910",
        'true ‹and› profile.kind == "x"',
        "this is not CEL: there is no operator between `true` and `and`",
        "did you mean `&&`?",
    ),
    Bad("CS910", "profile.kind == ‹“›x”", "this is not CEL: `“` has no meaning in CEL", 'did you mean `"`?'),
    Bad("CS910", 'profile.kind == ‹"x›', "this is not CEL: the string is never closed"),
    Bad("CS910", "profile.kind == ‹\"'›", "this is not CEL: the string is never closed"),
    Bad(
        "CS910",
        'profile.kind.matches("‹\\d›+")',
        "this is not CEL: `\\d` is no escape in a CEL string",
        "did you mean `\\\\d`?",
    ),
    Bad(
        "CS910",
        'profile.kind == "‹\\u›d800"',
        "this is not CEL: `\\u` is no escape in a CEL string",
        "did you mean `\\\\u`?",
    ),
    Bad("CS910", "profile.spec.claims == [] &&‹ ›", "this is not CEL: the expression ends too early"),
    Bad("CS910", "true ? 1 == 1‹ ›", "this is not CEL: the expression ends too early"),
    Bad("CS910", "‹(›profile.spec.claims == []", "this is not CEL: `(` is never closed"),
    Bad("CS910", "profile.spec.claims == []‹)›", "this is not CEL: `)` closes nothing"),
    Bad("CS910", "profile.spec.claims[0‹)› == 1", "this is not CEL: `)` closes nothing"),
    Bad("CS910", "1 == ‹==› 1", "this is not CEL: `==` is not expected here"),
    Bad("CS910", '"x" ‹indevice› == 1', 'this is not CEL: there is no operator between `"x"` and `indevice`'),
    Bad("CS910", "[true].all(‹package›, true)", "this is not CEL: `package` is a reserved word"),
    Bad("CS910", "profile.‹[›0] == 1", "this is not CEL: a name must follow `.`"),
    Bad("CS910", "profile‹.›", "this is not CEL: a name must follow `.`"),
    Bad("CS910", "profile.kind.‹startsWith›()", "this is not CEL: `startsWith` takes 1 argument and not 0"),
    Bad("CS910", "‹size›(profile, 1) == 1", "this is not CEL: `size` takes 1 argument and not 2"),
    Bad("CS910", "has(‹profile›)", "this is not CEL: `has` asks for a field: `has(a.b)`"),
    Bad(
        "CS910",
        "profile.spec.claims.all(‹1›, true)",
        "this is not CEL: the first argument of `all` is the name of a variable",
    ),
    Bad("CS910", "profile.spec.claims.‹map›(c) == []", "this is not CEL: `map` takes a variable and an expression"),
    Bad("CS910", "‹9223372036854775808› > 0", "this is not CEL: the number does not fit 64 bits"),
    Bad("CS910", "‹profile{kind: 1}› == 1", "this is not CEL: policies have no message types"),
    Bad("CS910", "‹// nothing›", "this is not CEL: the expression is empty"),
]

LIMITS = [
    Bad("CS913", "profile.spec‹.?›clusters.orValue([]) == []", *limit("optional values (`.?`)", OPTIONAL)),
    Bad("CS913", 'models‹[?›"H100-80GB"].hasValue()', *limit("optional values (`[?`)", OPTIONAL)),
    Bad("CS913", "‹[?›optional.of(1)].size() == 1", *limit("optional values (`[?`)", OPTIONAL)),
    Bad("CS913", '‹{?›"a": optional.none()}.size() == 0', *limit("optional values (`{?`)", OPTIONAL)),
    Bad(
        "CS913",
        "profile.spec.claims.‹all›(i, c, i < 3)",
        *limit("`all` with two variables", "use `all`, `exists` or `map` with one variable"),
    ),
    Bad(
        "CS913",
        "{'a': 1}.‹transformMap›(k, v, v)['a'] == 1",
        *limit("`transformMap` with two variables", "use `all`, `exists` or `map` with one variable"),
    ),
    Bad(
        "CS913",
        "profile.spec.claims.‹map›(c, c.name != '', c.name) == []",
        *limit("`map` with a condition", "write `filter(x, …).map(x, …)`"),
    ),
    Bad(
        "CS913",
        "‹cel.bind(x, profile.spec, x.claims != [])›",
        *limit("`cel.bind` of CEL's extension libraries", STANDARD),
    ),
    Bad("CS913", "‹sets.contains([1], [1])›", *limit("`sets.contains` of CEL's extension libraries", STANDARD)),
    Bad("CS913", "profile.kind.‹split›('a') == []", *limit("`split` of CEL's extension libraries", STANDARD)),
    Bad("CS913", "‹quantity›('1Gi') == 1", *limit("`quantity` of CEL's extension libraries", STANDARD)),
    Bad("CS913", "[2, 1].‹min›() == 1", *limit("`min` of CEL's extension libraries", STANDARD)),
    Bad("CS913", "[1, 2‹,›] == [1, 2]", *limit("a comma at the end of a list", "leave it out")),
    Bad("CS913", "models.‹`H100-80GB`›.memory > 1", *limit("names in backticks", 'write `map["name"]`')),
    Bad(
        "CS913",
        "profile.kind == ‹r'\\'›",
        *limit("a raw string that ends in a backslash", 'write `"…\\\\"`'),
    ),
    Bad("CS913", "‹.size(models)› == 2", *limit("a function named with a leading `.`", "leave the `.` out")),
    Bad(
        "CS913", "timestamp(0).‹getHours›('Europe/Paris') == 1", *limit("`getHours` in a time zone", "times are in UTC")
    ),
]

UNKNOWN = [
    Bad("CS914", "‹profle›.spec.claims == []", "there is no variable `profle`", unknown(NAMES, "profile")),
    Bad("CS914", "profile.spec.claims.all(c, ‹d›.name != '')", "there is no variable `d`", unknown(f"c, {NAMES}")),
    Bad("CS914", "[1].all(c, true) && ‹c› == 1", "there is no variable `c`", unknown(NAMES)),
    Bad("CS914", "‹siz›(models) == 2", "there is no function `siz`", unknown(FUNCTIONS, "size")),
    Bad(
        "CS914",
        "profile.kind.‹startswith›('T')",
        "there is no function `startswith` to call on a value",
        unknown(METHODS, "startsWith"),
    ),
    Bad("CS914", "[1].‹reduce›(1, 2) == 1", "there is no function `reduce` to call on a value", unknown(METHODS)),
    Bad("CS914", "‹size› == 1", "`size` is a function and wants its argument", unknown(NAMES)),
]

EVALUATION = [
    Bad(
        "CS911",
        "profile.spec.‹claim› == []",
        *no_answer("there is no `claim` here; ask for it first with `has`", "claims"),
    ),
    Bad("CS911", "has(profile.spec.‹queue›.name)", *no_answer("there is no `queue` here; ask for it first with `has`")),
    Bad(
        "CS911",
        "‹models['h100-80gb']›.memory > 1",
        *no_answer("there is no key `h100-80gb` here; ask for it first with `in`", "H100-80GB"),
    ),
    Bad("CS911", "profile.kind.‹name› == ''", *no_answer("`.name` needs a map and not a string")),
    Bad("CS911", "‹profile.spec.claims[-1]› == 1", *no_answer("the index -1 is outside a list of 1")),
    Bad("CS911", "‹profile.spec.claims[7]› == 1", *no_answer("the index 7 is outside a list of 1")),
    Bad("CS911", "‹profile.spec.claims['a']› == 1", *no_answer("the index of a list is an int and not a string")),
    Bad("CS911", "true && ‹1 / 0› == 1", *no_answer("division by zero")),
    Bad("CS911", "‹9223372036854775807 + 1› > 0", *no_answer("the number does not fit 64 bits")),
    Bad("CS911", "‹'a' + 1› == 'a1'", *no_answer("`+` cannot be used on a string and an int")),
    Bad("CS911", "‹profile.kind < 1›", *no_answer("`<` cannot compare a string with an int")),
    Bad("CS911", "‹!profile.kind›", *no_answer("`!` needs a bool and not a string")),
    Bad("CS911", "‹profile.kind && true›", *no_answer("`&&` needs bools and not a string")),
    Bad("CS911", "‹1 ? true : false›", *no_answer("`? :` needs a bool before it and not an int")),
    Bad("CS911", "profile.kind.‹all›(c, true)", *no_answer("`all` needs a list or a map and not a string")),
    Bad("CS911", "[1].‹filter›(x, x) == []", *no_answer("the condition of `filter` is a bool and not an int")),
    Bad("CS911", "[1].‹all›(x, x)", *no_answer("`&&` needs bools and not an int")),
    Bad(
        "CS911",
        "‹profile.kind.matches('[')›",
        *no_answer("this is no regular expression of RE2: missing ]: ["),
    ),
    Bad("CS911", "‹timestamp('now')› > timestamp(0)", *no_answer("`timestamp` cannot be made of the string `now`")),
    Bad("CS911", "‹int('0x10')› == 16", *no_answer("`int` cannot be made of the string `0x10`")),
    Bad("CS911", "{‹'a': 1, 'a': 2›}.a == 1", *no_answer("the key `a` is there twice")),
    Bad("CS912", "‹profile.spec.claims›", *not_bool("a list")),
    Bad("CS912", "‹models.map(m, m)[0]›", *not_bool("a string")),
    Bad("CS912", "‹null›", *not_bool("null")),
]

COSTLY = [
    Bad("CS915", "[" * 48 + "‹[›", *costly("more than 48 brackets stand in one another")),
    Bad("CS915", "!" * 160 + "‹!›" + "true", *costly("more than 160 operators and calls stand in one another")),
    Bad("CS915", "‹" + "true == true && " * 700 + "true›", *costly("it has 11204 characters, and 10240 are the most")),
    Bad(
        "CS915",
        "‹[1,1,1,1,1,1,1,1,1,1].all(a, [1,1,1,1,1,1,1,1,1,1].all(b, [1,1,1,1,1,1,1,1,1,1].all(c, "
        "[1,1,1,1,1,1,1,1,1,1].all(d, true))))›",
        *costly("it takes more than 100000 steps"),
    ),
]

BAD = [*SYNTAX, *LIMITS, *UNKNOWN, *EVALUATION, *COSTLY]
# What is wrong with a profile's evaluation is said of its cluster.
OF_A_CLUSTER = {"CS911", "CS912"}


def policy(expression: str, severity: str = "error", message: str = "not so", more: str = "") -> str:
    """A policy with one rule, the expression on a line of its own in a block."""
    block = expression.replace("\n", "\n      ")
    return (
        "apiVersion: claimsmith/v1alpha1\nkind: Policy\nmetadata: {name: guard}\n"
        f"spec:\n{more}  rules:\n  - name: rule\n    severity: {severity}\n    message: {message}\n"
        f"    expression: |-\n      {block}\n"
    )


def findings(repo: Repo) -> list[dict[str, Any]]:
    return repo.run("check", "--format", "json").findings


def finding(rule: str, message: str, help_text: str, place: tuple[int, int, int, int], **more: Any) -> dict[str, Any]:
    line, column, end_line, end_column = place
    return {
        "rule": rule,
        "severity": "error",
        "consequence": "invalid",
        "message": message,
        "help": help_text,
        "file": POLICY_FILE,
        "line": line,
        "column": column,
        "endLine": end_line,
        "endColumn": end_column,
        "path": None,
        "field": "spec.rules[0].expression",
        "clusters": [],
    } | more


@pytest.mark.parametrize("expression", GOOD)
def test_good_policies_say_nothing(repo: Repo, expression: str) -> None:
    repo.write(POLICY_FILE, policy(expression))
    assert findings(repo) == []


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: f"{bad.rule} {bad.expression[:40]}")
def test_bad_policies(repo: Repo, bad: Bad) -> None:
    text, [place] = spans(policy(bad.expression))
    # A block loses the blanks behind its text, and with them what a mark there encloses.
    repo.write(POLICY_FILE, text)
    evaluated = bad.rule in OF_A_CLUSTER or "steps" in bad.message
    assert findings(repo) == [finding(bad.rule, bad.message, bad.help, place, clusters=["prod"] if evaluated else [])]


@pytest.mark.parametrize(
    "scalar",
    [
        "profile.spec.‹clams› == []",
        "  profile.spec.‹clams› == [] # with a comment",
        "profile.spec\n      .‹clams›\n\n      == []",
        "'profile.kind == '''' || profile.spec.‹clams› == []'",
        "'profile.kind ==\n      '''' || profile.spec.‹clams› == []'",
        '"profile.kind == \\"\\u00e9\\" || profile.spec.‹clams› == []"',
        "\"profile.kind == \\\n      '' || \\n profile\n      .spec.‹clams› == []\"",
        "|\n      // a comment\n      profile.spec.‹clams›\n        == []\n",
        "|2-\n        profile.spec.‹clams› == []\n",
        ">\n      profile.kind == 'é'\n      || profile.spec\n        .‹clams›\n\n      == []\n",
        ">-\n\n      profile.spec.‹clams› == []\n",
    ],
)
def test_places_in_every_style(repo: Repo, scalar: str) -> None:
    document = policy("X").replace("|-\n      X\n", scalar.lstrip() + "\n")
    text, [place] = spans(document)
    repo.write(POLICY_FILE, text)
    message, help_text = no_answer("there is no `clams` here; ask for it first with `has`", "claims")
    assert findings(repo) == [finding("CS911", message, help_text, place, clusters=["prod"])]


@pytest.mark.parametrize(
    ("severity", "rule", "consequence"),
    [("error", "CS901", "invalid"), ("warning", "CS902", "unsafe"), ("info", "CS903", "style")],
)
def test_what_a_broken_rule_says(repo: Repo, severity: str, rule: str, consequence: str) -> None:
    expression = "profile.spec.claims.all(c, c.requests.all(r, r.prefer.all(p, p.count <= 4)))"
    repo.write(POLICY_FILE, policy(expression, severity, "at most {four}\n      devices"))
    result = repo.run("check", "--format", "json")
    assert result.findings == [
        finding(
            rule,
            "at most {four} devices",
            f"policy `guard`, rule `rule` ({POLICY_FILE}:10)",
            NAME_PLACE,
            severity=severity,
            consequence=consequence,
            file=PROFILE_FILE,
            field="metadata.name",
            clusters=["prod"],
        )
    ]
    assert result.status == (0 if severity == "info" else 1)


def test_the_examples_policy_on_a_job_without_lifecycle(repo: Repo) -> None:
    """It says what the Job lacks, and can be evaluated."""
    example = Path(__file__).parents[2] / "profiles/policies/platform.yaml"
    repo.write(POLICY_FILE, example.read_text("utf-8"))
    assert [(each["rule"], each["message"].partition(",")[0]) for each in findings(repo)] == [
        ("CS901", "every Job needs lifecycle.activeDeadline")
    ]


def test_an_error_refuses_the_compile(repo: Repo) -> None:
    repo.write(POLICY_FILE, policy("false"))
    assert repo.run("compile").status == 1
    assert repo.output() == {}


def test_one_finding_for_several_clusters(repo: Repo) -> None:
    repo.write("profiles/clusters/lab.yaml", CLUSTER.replace("{name: prod}", "{name: lab}"))
    repo.write(POLICY_FILE, policy("cluster.metadata.name == ''"))
    assert [(each["rule"], each["clusters"]) for each in findings(repo)] == [("CS901", ["lab", "prod"])]


def test_only_the_clusters_that_a_policy_names(repo: Repo) -> None:
    repo.write("profiles/clusters/lab.yaml", CLUSTER.replace("{name: prod}", "{name: lab}"))
    repo.write(POLICY_FILE, policy("false", more="  clusters: [lab]\n"))
    assert [(each["rule"], each["clusters"]) for each in findings(repo)] == [("CS901", ["lab"])]


def test_every_name_of_an_expression_is_told(repo: Repo) -> None:
    repo.write(POLICY_FILE, policy("profle.kind == clster.kind"))
    assert [(each["rule"], each["column"]) for each in findings(repo)] == [("CS914", 7), ("CS914", 22)]


def test_a_profile_that_makes_no_sense_is_not_judged(repo: Repo) -> None:
    repo.edit(PROFILE_FILE, "model: H100-80GB", "model: H100-81GB")
    repo.write(POLICY_FILE, policy("models['H100-80GB'].memory > 1"))
    assert [each["rule"] for each in findings(repo)] == ["CS142"]


def test_models_by_the_spelling_of_the_profile(repo: Repo) -> None:
    repo.edit(PROFILE_FILE, "model: H100-80GB", "model: h100-80gb")
    repo.write(POLICY_FILE, policy("models['H100-80GB'] == models['h100-80gb']"))
    assert findings(repo) == []


def test_nothing_else_is_printed(repo: Repo, caplog: pytest.LogCaptureFixture) -> None:
    repo.write(POLICY_FILE, policy("profile.kind.matches('(')"))
    with caplog.at_level(logging.DEBUG):
        done = repo.spawn("check", "--format", "concise")
        repo.run("check")
    assert (done.status, done.stderr, done.stdout.count("\n")) == (1, "", 1)
    assert caplog.records == []


def test_cel_python_is_only_imported_for_policies() -> None:
    code = "import sys, claimsmith.workflow.check; print(sorted({'celpy', 'lark', 're2', 'jinja2'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert done.stdout.strip() == "[]"


def test_the_stack_is_left_as_it_was() -> None:
    before = sys.getrecursionlimit()
    evaluate("!" * 150 + "true")
    assert sys.getrecursionlimit() == before


def evaluate(expression: str, profile: object = None) -> bool | Failure | str:
    """The outcome, or the rule that the expression breaks."""
    program, problems = compile_expression(expression, VARIABLES)
    if program is None:
        return problems[0].rule
    own = profile or {"list": list(range(400)), "text": "a" * 50_000, "word": "abc"}
    values = {"profile": to_value(own), "cluster": to_value({}), "models": to_value({})}
    return run(program, values)


PIECES = (
    *" ()[]{}.,:?!-+*/%<>=&|\"'\\\n\0é`", '"""', "r'", "b'", "//", "&&", "||", "in ", "null", "true", "1u", "0x", "1e9",
    "has(", ".all(x, ", ".size()", "profile",
)  # fmt: skip
LONGEST = 78

HOSTILE = [
    '"' + "\\a" * 5000,
    "r'" + "\\a" * 5000,
    '"""' + "\\a" * 3000 + '" ""',
    "!" * 3000 + "true",
    "-" * 3000 + "1",
    "profile" + ".a" * 2000,
    "profile" + "[0]" * 1000,
    "true ? true : " * 300 + "true",
    "1+" * 2000 + "1",
    "f(" * 3000,
    "[" * 48 + "]" * 48 + " == 1",
    "{" * 5000,
    "9" * 10_000,
    "duration('" + "a" * 200 + "!') == duration('1s')",
    "duration('" + "1h" * 400 + "!') == duration('1s')",
    "profile.text.matches('" + "(a*)*" * 150 + "b')",
    "profile.text.matches('((((a{30}){30}){30}){30}){30}')",
    "profile.text.matches('" + "a" * 5000 + "')",
    "profile.list.all(a, profile.list.all(b, profile.list.all(c, true)))",
    "profile.list.map(a, profile.list.map(b, profile.list)) == []",
    "profile.list.map(a, profile.text + profile.text) == []",
    "profile.list.map(a, profile.list.map(b, profile.text + profile.text)) == []",
    "profile.list.all(a, profile.list == profile.list)",
    "profile.list.all(a, profile.text == profile.text)",
    "profile.list.all(a, profile.text.contains('b'))",
    "profile.list.all(a, !(a in profile.list.map(x, 'y')))",
    "profile.list.all(x, " * 40 + "true" + ")" * 40,
    "[0].map(a, [a, a]).map(b, [b, b])" + ".map(c, [c, c, c, c, c, c])" * 40 + " == [0]",
    "[[0]]" + ".map(c, c + c)" * 60 + " == [0]",
    "['a']" + ".map(c, c + c)" * 60 + " == ['a']",
    "timestamp('" + "9" * 5000 + "') == timestamp(0)",
    "timestamp(9223372036854775807) == timestamp(0)",
    "timestamp('9999-12-31T23:59:59Z') + duration('999999999h') == timestamp(0)",
    "int('" + "9" * 5000 + "') == 1",
    "double('" + "9" * 900 + "e999') == 1.0",
    "int(1e308) == 1 || int(0.0 / 0.0) == 1",
    "string(b'\\xff\\xfe') == ''",
    "profile.__class__.__mro__ == 1",
    "profile.word.__len__() == 3",
    "type(profile).__subclasses__() == []",
    "type(profile)",
]


@pytest.mark.parametrize("expression", HOSTILE, ids=lambda text: text[:40])
def test_hostile_expressions_end_soon_and_small(expression: str) -> None:
    evaluate("true")
    tracemalloc.start()
    begun = time.perf_counter()
    outcome = evaluate(expression)
    took = time.perf_counter() - begun
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert outcome is not True
    assert isinstance(outcome, bool | Failure) or outcome.startswith("CS9")
    assert took < 10
    assert peak < 100 * 1024 * 1024


def test_the_bound_is_on_work_and_not_on_time() -> None:
    expression = "profile.a.all(x, profile.a.all(y, x == y || true))"
    too_many = Failure(0, len(expression), "it takes more than 100000 steps", costly=True)
    outcomes = [evaluate(expression, {"a": [0] * length}) for length in (LONGEST, LONGEST + 1)]
    assert outcomes == [True, too_many]


def test_mutilated_expressions_are_findings_and_never_crashes() -> None:
    chance = random.Random(0)
    texts = [*GOOD, *(spans(bad.expression)[0] for bad in BAD if len(bad.expression) < 300)]
    for _ in range(400):
        text = chance.choice(texts)
        for _ in range(chance.randint(1, 4)):
            start, end = sorted((chance.randint(0, len(text)), chance.randint(0, len(text))))
            piece = chance.choice(PIECES) if chance.random() < 0.5 else text[start:end][:9]
            text = text[:start] + piece + text[start if chance.random() < 0.5 else min(end, start + 4) :]
        outcome = evaluate(text)
        assert isinstance(outcome, bool | Failure) or outcome.startswith("CS9")


def test_the_profile_of_the_repository_is_read_as_it_stands() -> None:
    assert PROFILE.splitlines()[2][NAME_PLACE[1] - 1 : NAME_PLACE[3] - 1] == "vision"

"""Values templates: what they make, what is said of the wrong ones, and their place in a compile."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from claimsmith.delivery.template_model import VARIABLES
from claimsmith.delivery.template_sandbox import FILTERS, METHODS, TESTS
from tests.delivery.templates import MODEL, NAMES, Told, rendered
from tests.repo import PROFILE_FILE, Repo

TEMPLATE_FILE = "profiles/templates/trainer.yaml.j2"
VALUES_FILE = "prod/teams/vision/values/trainer.yaml"
DOCS = Path(__file__).parents[2] / "docs" / "values-templates.md"
DEFAULT_LAYOUT = """\
podSpec:
  {{ podSpec | to_yaml | indent(2) }}
container:
  {{ container | to_yaml | indent(2) }}
{% if job %}
job:
  {{ job | to_yaml | indent(2) }}
{% endif %}
"""

GOOD: list[tuple[str, object]] = [
    ("name: {{ team }}-{{ workload.name }}", {"name": "vision-trainer"}),
    ("x: {{ podSpec.nodeSelector | to_yaml | indent(2) }}", None),
    ("x:\n  {{ podSpec.nodeSelector | to_yaml | indent(2) }}", {"x": {"pool": "yes"}}),
    ("{{ {'podSpec': podSpec, 'job': job} | tojson }}", {"podSpec": MODEL["podSpec"], "job": MODEL["job"]}),
    (
        "{% for name, claim in claims.items() %}\n{{ name }}:\n"
        "  {% for each in claim.requests[0].alternatives %}\n"
        "  - {{ loop.index }}/{{ loop.length }} {{ each.model }} {{ each.count }}{{ ' last' if loop.last else '' }}\n"
        "  {% endfor %}\n{% endfor %}\n",
        {"gpu": ["1/2 H100-80GB 4", "2/2 A100-80GB 8 last"]},
    ),
    ("x: {{ claims.gpu.template }}", {"x": "vision-gpu-0a1b2c3d"}),
    ("x: {{ claims['gpu']['requests'][0].alternatives[-1].deviceClass }}", {"x": "a100-80gb.gpu.nvidia.com"}),
    ("x: {{ workload.image }}\nb: {{ workload.elastic }}\nc: {{ workload.pods }}", {"x": None, "b": True, "c": 2}),
    ("x: {{ workload.image | default('none') | tojson }}", {"x": None}),
    ("x: {{ workload.image | default('none', true) | tojson }}", {"x": "none"}),
    ("x: {{ workload.queue | default('none') }}", {"x": "none"}),
    ("x: {{ 'a' if workload.queue is defined else 'b' }}", {"x": "b"}),
    ("{% set n = workload.pods * 2 + 1 %}\nx: {{ n }}\nb: {{ n / 2 }}\nc: {{ n // 2 }}\nd: {{ -n % 3 }}", {"x": 5, "b": 2.5, "c": 2, "d": 1}),
    ("{% if workload.pods > 1 and not workload.image %}\nx: 1\n{% elif team %}\nx: 2\n{% else %}\nx: 3\n{% endif %}", {"x": 1}),
    ("{% with a = 'b' %}\nx: {{ a ~ 1 ~ true }}\n{% endwith %}", {"x": "b1true"}),
    ("{% for n in namespaces if n != team %}\nx: {{ n }}\n{% else %}\nx: 0\n{% endfor %}", {"x": "vision-dev"}),
    ("{% for n in [] %}\n{% else %}\nx: 0\n{% endfor %}", {"x": 0}),
    ("{%- for i in range(2) -%}\nx{{ i }}: {{ i }}\n{% endfor %}", {"x0": 0, "x1": 1}),
    ("x: {{ ['b', 'a', 'b'] | unique | sort | join('-') }}", {"x": "a-b"}),
    ("x: {{ [3, 1, 2] | sort(reverse=true) | tojson }}", {"x": [3, 2, 1]}),
    ("x: {{ claims.gpu.requests[0].alternatives | sort(attribute='count', reverse=true) | map(attribute='model') | first }}", {"x": "A100-80GB"}),
    ("x: {{ [1, 2] | sum }}\nb: {{ [1, 2] | max }}\nc: {{ [2, 1] | min }}\nd: {{ [1, 2] | last }}", {"x": 3, "b": 2, "c": 1, "d": 2}),
    ("x: {{ 'aBc' | upper }}{{ 'aBc' | lower }}{{ ' a ' | trim }}{{ 'aa' | replace('a', 'b') }}", {"x": "ABCabcabb"}),
    ("x: {{ 'a,b'.split(',') | tojson }}\nb: {{ 'abc'.startswith('a') }}\nc: {{ 'abc'.endswith('a') }}", {"x": ["a", "b"], "b": True, "c": False}),
    ("x: {{ 'abc'[1:] }}{{ 'abc'[::-1] }}{{ [1, 2, 3][:2] | join }}{{ 'abc'[0] }}", {"x": "bccba12a"}),
    ("x: {{ {'b': 1, 'a': 2} | dictsort | tojson }}", {"x": [["a", 2], ["b", 1]]}),
    ("x: {{ job.keys() | list | tojson }}\nb: {{ job.values() | tojson }}\nc: {{ job.get('a', 7) }}", {"x": ["backoffLimit"], "b": [3], "c": 7}),
    ("x: {{ '12' | int + 1 }}\nb: {{ 'a' | int(5) }}\nc: {{ 2 | float }}\ne: {{ 2.6 | round }}\nd: {{ -2 | abs }}", {"x": 13, "b": 5, "c": 2.0, "e": 3, "d": 2}),
    ("x: {{ 'abc' | length }}{{ [1] | count }}{{ 7 | string }}{{ [1, 2] | reverse | join }}", {"x": 31721}),
    ("x: {{ 'a' in 'abc' }}\nb: {{ 3 not in [1, 2] }}\nc: {{ 1 < 2 <= 2 }}\nd: {{ team == 'vision' }}", {"x": True, "b": True, "c": True, "d": True}),
    ("x: {{ job is mapping and [] is sequence and 1 is number and '' is string and none is none and true is boolean }}", {"x": True}),
    ("x: {{ 2 is even and 3 is odd and true is true and false is false and job is iterable and a is defined if false else 1 }}", None),
    ("x: {{ 'yes' | tojson }}\nb: {{ '1.37' | to_yaml }}", {"x": "yes", "b": "1.37"}),
    ("x: |\n  {{ 'a\\nb' | indent(2) }}", {"x": "a\nb"}),
    ("{% raw %}\nx: '{{ a }}'\n{% endraw %}", {"x": "{{ a }}"}),
    ("{}", {}),
    (DEFAULT_LAYOUT, {key: MODEL[key] for key in ("podSpec", "container", "job")}),
]  # fmt: skip

BAD = [
    ("CS731", "‹x: {{ 1›", "this is no jinja2 template: unexpected end of template, expected 'end of print statement'", ""),
    ("CS731", "x: 1\n‹{% if %}›", "this is no jinja2 template: expected an expression, got 'end of statement block'", ""),
    ("CS731", "‹{% do x %}›", "this is no jinja2 template: encountered unknown tag 'do'", ""),
    ("CS731", "x: {{ 'a' ‹if› team }}", "this is no jinja2 template: an `if` within an expression needs its `else`", ""),
    ("CS731", "x: {{ team | ‹join›(1, 2) }}", "this is no jinja2 template: `join` takes (separator)", ""),
    ("CS731", "x: {{ team | ‹trim›(1) }}", "this is no jinja2 template: `trim` takes no arguments", ""),
    ("CS731", "x: {{ job.‹get›() }}", "this is no jinja2 template: `get` takes (key, default)", ""),
    ("CS731", "x: {{ ‹range›() }}", "this is no jinja2 template: `range` takes one to three numbers", ""),
    ("CS731", "x: {{ 1 is ‹even›(2) }}", "this is no jinja2 template: `is even` takes no arguments", ""),
    ("CS732", "x: 1\nb: {{ ‹wrokload›.name }}", "there is no `wrokload`", f"did you mean `workload`? known: {NAMES}"),
    ("CS732", "x: {{ ‹foo› is defined }}", "there is no `foo`", f"known: {NAMES}"),
    ("CS732", "{% for a in claims %}{% endfor %}\nx: {{ ‹a› }}", "there is no `a`", f"known: {NAMES}"),
    (
        "CS732",
        "{% if true %}\n{% for a in claims %}\nx: {{\n  workload.‹imgae›\n}}\n{% endfor %}\n{% endif %}",
        "there is no `imgae` here",
        "did you mean `image`? known: container, elastic, image, kind, name, pods",
    ),
    ("CS732", "x: {{ claims['‹cpu›'].template }}", "there is no `cpu` here", "did you mean `gpu`? known: gpu"),
    ("CS732", "x: {{ namespaces[‹7›] }}", "there is no `7` here", "known: nothing"),
    (
        "CS732",
        "{% if not team %}{% set a = 1 %}{% endif %}\nx: {{ ‹a› }}",
        "`a` has no value here",
        "known: nothing",
    ),
    ("CS732", "{% for a in claims %}\nx: {{ loop.‹index1› }}\n{% endfor %}", "there is no `index1` here", "did you mean `index`? known: depth, depth0, first, index, index0, last, length, revindex, revindex0"),
    ("CS733", "{% ‹include› 'a' %}", "a values template has no tag `include`", ""),
    ("CS733", "{% ‹macro› a() %}{% endmacro %}", "a values template has no tag `macro`", ""),
    ("CS733", "{% ‹set› a %}{% endset %}", "a values template has no block form of the tag `set`", ""),
    ("CS733", "x: {{ 2 ‹**› 3 }}", "a values template has no operator `**`", ""),
    ("CS733", "x: {{ ‹dict›(a=1) }}", "a values template has no function `dict`", "known: range"),
    ("CS733", "x: {{ ‹range› }}", "a values template has no `range` as a value", "call it"),
    ("CS733", "x: {{ team | ‹lowr› }}", "a values template has no filter `lowr`", f"did you mean `lower`? known: {', '.join(sorted(FILTERS))}"),
    ("CS733", "x: {{ 1 is ‹integer› }}", "a values template has no test `integer`", f"known: {', '.join(sorted(TESTS))}"),
    ("CS733", "x: {{ team.‹uper›() }}", "a values template has no method `uper`", f"did you mean `upper`? known: {', '.join(sorted({n for m in METHODS.values() for n in m}))}"),
    ("CS734", "{% for a in range(9) %}\n‹{% for b in range(99999) %}›\n{% endfor %}\n{% endfor %}", "the template is too costly: more than 200000 steps", "write less, or loop over fewer things"),
    ("CS735", "x: 1\n‹b: {{ podSpec }}›", "the template stops here: a mapping is no text; write it with `to_yaml` or `tojson`", ""),
    ("CS735", "‹x: {{ workload.pods / 0 }}›", "the template stops here: division by zero", ""),
    ("CS735", "‹x: {{ workload.pods + 'a' }}›", "the template stops here: `+` cannot be used on a number and a text", ""),
    ("CS735", "‹x: {{ podSpec < 1 }}›", "the template stops here: the values do not fit what is done with them", ""),
    ("CS735", "‹{% for a in team %}{% endfor %}›", "the template stops here: a list is needed here and not a text", ""),
    ("CS735", "‹x: {{ team.name }}›", "the template stops here: a text has no fields, and `name` is asked of it", ""),
    ("CS735", "‹x: {{ [1, 'a'] | sort }}›", "the template stops here: only numbers among themselves, or texts, have an order", ""),
    ("CS735", "‹x: {{ '\\ud800' }}›", "the template stops here: half of a surrogate pair is no character", ""),
    ("CS735", "‹x: {{ {1: 2} | to_yaml }}›", "the template stops here: a mapping or something in it has no form in YAML", ""),
    ("CS736", "‹- {{ team }}›", "the template makes no mapping, and Helm values are one mapping", ""),
    ("CS736", "‹{# nothing #}›", "the template makes nothing, and Helm values are one mapping", ""),
    ("CS736", "‹x: 1›\n---\nb: 1\n", "the template makes 2 documents, and Helm values are one mapping", ""),
    ("CS101", "x: 1\n{% if team %}\n  b‹:› 2\n{% endif %}", "this is not YAML: a `:` is not expected here", "quote the value if it contains `: `, or indent this line like the key above it"),
    ("CS102", "{% if team %}\nx: 1\n{% endif %}\n{% for a in claims %}\n‹x›: 2\n{% endfor %}", "the key `x` is already on line 2", "remove one of the two"),
    ("CS103", "x: 1\n‹b: {{ podSpec.nodeSelector.pool }}›", "`yes` is a boolean to some YAML readers and not to others", 'write `"yes"` if it is text'),
    ("CS106", "a:\n  b: ‹!!int› 1", "tags such as `!!int` are not allowed", "remove the tag; quote a value to make it text"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "values"), GOOD, ids=[text[:50] for text, _ in GOOD])
def test_what_templates_make(text: str, values: object) -> None:
    made, told = rendered(text)
    assert bool(told) is (values is None)
    assert made == values


@pytest.mark.parametrize(("rule", "marked", "message", "help_text"), BAD, ids=[f"{b[0]} {b[1][:40]}" for b in BAD])
def test_what_is_said_of_bad_templates(rule: str, marked: str, message: str, help_text: str) -> None:
    before, _, rest = marked.partition("‹")
    line, column = before.count("\n") + 1, len(before) - (before.rfind("\n") + 1) + 1
    width = len(rest.partition("›")[0])
    values, told = rendered(marked.replace("‹", "").replace("›", ""))
    assert values is None
    assert told == [Told(rule, (line, column, column + width), message, help_text)]


def test_every_name_that_is_not_there_is_told() -> None:
    _, told = rendered("{% if a %}\nx: {{ b | nope }}\n{% endif %}")
    assert [(each.rule, each.place[0]) for each in told] == [("CS732", 1), ("CS732", 2), ("CS733", 2)]


def test_only_the_first_mistakes_of_the_text_are_told() -> None:
    _, told = rendered("x: 1\n{% for i in range(1000) %}\nx: {{ i }}\n{% endfor %}")
    assert {each.rule for each in told} == {"CS102"}
    assert len(told) == 1


PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(st.characters(codec="utf-8"), max_size=9), inner, max_size=4),
    max_leaves=20,
)  # fmt: skip


@settings(max_examples=60, deadline=None)
@given(PLAIN)
def test_data_arrives_as_it_is(value: object) -> None:
    """Whatever is in a model, no text in it can become anything but that text."""
    model = {"value": {"a": [value]}}
    for text in ("x: {{ value | tojson }}", "x:\n  {{ value | to_yaml | indent(2) }}"):
        values, told = rendered(text, model)
        assert [each for each in told if each.rule not in ("CS114", "CS102")] == []
        assert values == {"x": model["value"]} or told


@pytest.fixture
def templated(repo: Repo) -> Repo:
    """The small repository with a template that makes the default layout."""
    repo.edit(PROFILE_FILE, "elastic: true\n", "elastic: true\n    values: {template: trainer.yaml.j2}\n")
    repo.write(TEMPLATE_FILE, DEFAULT_LAYOUT)
    return repo


def check(repo: Repo) -> list[dict[str, Any]]:
    return repo.run("check", "--format", "json").findings


def test_the_default_layout_can_be_written_as_a_template(repo: Repo, templated: Repo) -> None:
    assert check(templated) == []
    assert templated.run("compile").status == 0
    own = templated.output()[VALUES_FILE]
    templated.edit(PROFILE_FILE, "    values: {template: trainer.yaml.j2}\n", "")
    templated.run("compile")
    assert templated.output()[VALUES_FILE] == own


def test_values_are_written_anew_and_safely(templated: Repo) -> None:
    templated.write(TEMPLATE_FILE, f"b:   'yes'\na: &a [\"1_0\", ~, 0x10]\n{DEFAULT_LAYOUT}".replace(", ~, 0x10", ""))
    assert templated.run("compile").status == 0
    text = templated.output()[VALUES_FILE].decode()
    assert text.startswith('# Generated by claimsmith from profiles/. Do not edit.\nb: "yes"\na:\n- "1_0"\npodSpec:\n')
    assert yaml.safe_load(text)["podSpec"]["resourceClaims"][0]["name"] == "trainer"
    assert templated.run("compile", "--check").status == 0


@pytest.mark.parametrize(
    ("template", "rule"),
    [(b"x: {{ nope }}\n", "CS732"), (b"x: {{ 1 / 0 }}\n", "CS735"), (b"{% x\n", "CS731"), (b"- a\n", "CS736"), (b"x: yes\n", "CS103"), (b"x: \xff\n", "CS730"), (b"x: 1\n" * 20_000, "CS730")],
)  # fmt: skip
def test_a_bad_template_refuses_the_compile(templated: Repo, template: bytes, rule: str) -> None:
    templated.write(TEMPLATE_FILE, template)
    [finding] = check(templated)
    assert (finding["rule"], finding["file"]) == (rule, TEMPLATE_FILE)
    assert templated.run("compile").status == 1
    assert templated.output() == {}


@pytest.mark.parametrize(
    ("data", "problem"), [(b"\xff", "it is not UTF-8"), (b"x" * 65_537, "it is larger than 64 KiB"), (None, "it is no file")]
)  # fmt: skip
def test_unreadable_templates(templated: Repo, data: bytes | None, problem: str) -> None:
    path = templated.write(TEMPLATE_FILE, data or b"")
    if data is None:
        path.unlink()
        path.mkdir()
    [finding] = check(templated)
    assert (finding["rule"], finding["message"]) == ("CS730", f"the template cannot be read: {problem}")


def test_a_template_that_is_not_there_is_told_once(templated: Repo) -> None:
    (templated.root / TEMPLATE_FILE).unlink()
    assert [each["rule"] for each in check(templated)] == ["CS129"]


LEFT_OUT = [
    (
        "podSpec: {resourceClaims: {{ podSpec.resourceClaims | tojson }}}\n",
        "CS810",
        "the values of workload `trainer` leave out `affinity`, which holds up the order of its list",
        "write `podSpec.affinity` into them",
    ),
    (
        "affinity: {{ podSpec.affinity | tojson }}\n",
        "CS737",
        "the values of workload `trainer` leave out the claim template `vision-trainer-",
        "write `podSpec.resourceClaims` into them, or `claims.<name>.template`",
    ),
]


@pytest.mark.parametrize(("template", "rule", "message", "help_text"), LEFT_OUT)
def test_what_values_should_not_leave_out(
    templated: Repo, template: str, rule: str, message: str, help_text: str
) -> None:
    templated.write(TEMPLATE_FILE, template)
    [finding] = check(templated)
    assert finding["message"].startswith(message)
    line = next(
        number
        for number, text in enumerate((templated.root / PROFILE_FILE).read_text().splitlines(), 1)
        if "values:" in text
    )
    assert {key: finding[key] for key in ("rule", "severity", "consequence", "help", "file", "line", "clusters")} == {
        "rule": rule,
        "severity": "warning",
        "consequence": "unsafe",
        "help": help_text,
        "file": PROFILE_FILE,
        "line": line,
        "clusters": ["prod"],
    }
    assert templated.run("compile").status == 1
    assert VALUES_FILE in templated.output()


def test_no_affinity_is_missed_where_there_is_no_list(templated: Repo) -> None:
    templated.edit(PROFILE_FILE, "      - {model: A100-80GB, count: 8}\n", "")
    (templated.root / "profiles/evidence/vision.yaml").unlink()
    templated.write(TEMPLATE_FILE, "x: {{ claims.trainer.template }}\n")
    assert check(templated) == []


def test_a_template_per_model(templated: Repo) -> None:
    templated.edit(
        PROFILE_FILE, "    elastic: true\n", "    pods: 2\n    sameModel: template-per-model\n    elastic: true\n"
    )
    text = "{% set c = claims.trainer %}\n{{ c.requests[0].alternatives[0].model }}: {{ c.template }}\n"
    templated.write(TEMPLATE_FILE, text)
    assert templated.run("compile").status == 0
    made: Mapping[str, Any] = {
        name.rpartition("/")[2]: list(yaml.safe_load(data))
        for name, data in templated.output().items()
        if "/values/" in name
    }
    assert made == {"trainer.h100-80gb.yaml": ["H100-80GB"], "trainer.a100-80gb.yaml": ["A100-80GB"]}


def test_the_docs_name_everything() -> None:
    text = DOCS.read_text(encoding="utf-8")
    names = [*VARIABLES, *FILTERS, *TESTS, *(name for methods in METHODS.values() for name in methods)]
    assert [name for name in names if f"`{name}`" not in text and f"`{name}()`" not in text] == []

"""Ways out of a template engine's sandbox, and ways to keep it busy: each is a finding, or does nothing."""

import os
import random
import time
import tracemalloc
from pathlib import Path

import pytest

from tests.delivery.templates import Told, deadline, rendered

SYNTAX, MISSING, REFUSED, COSTLY, FAILED, NO_VALUES = "CS731", "CS732", "CS733", "CS734", "CS735", "CS736"


def doubled(start: str, step: str, end: str, times: int = 40) -> str:
    """Statements each of which doubles what the one before made."""
    lines = [start]
    lines += [step.replace("#", str(number + 1)).replace("@", str(number)) for number in range(times)]
    return "\n".join([*lines, end.replace("#", str(times))])


ESCAPES = [
    # The way up from a value to Python's own classes.
    ("x: {{ ''.__class__ }}", FAILED),
    ("x: {{ ''.__class__.__mro__[1].__subclasses__() }}", REFUSED),
    ("x: {{ ''.__class__.__mro__ }}", FAILED),
    ("x: {{ ''['__class__'] }}", FAILED),
    ("x: {{ ()['__cl' ~ 'ass__'] }}", FAILED),
    ("x: {{ claims.__class__ }}", MISSING),
    ("x: {{ claims['__class__'] }}", MISSING),
    ("x: {{ claims['\\x5f\\x5fclass\\x5f\\x5f'] }}", MISSING),
    ("x: {{ workload.pods.__add__ }}", FAILED),
    ("x: {{ (1).__class__.__base__ }}", FAILED),
    ("x: {{ [].append }}", FAILED),
    ("x: {{ [].append(1) }}", REFUSED),
    ("x: {{ claims.update({'a': 1}) }}", REFUSED),
    ("x: {{ claims.pop('gpu') }}", REFUSED),
    ("x: {{ claims.items.__self__ }}", MISSING),
    ("x: {{ claims.items }}", MISSING),
    ("x: {{ 'x'.upper.__globals__ }}", FAILED),
    # The way in through what the engine itself offers.
    ("x: {{ self }}", MISSING),
    ("x: {{ self.__init__.__globals__ }}", MISSING),
    ("x: {{ self._TemplateReference__context }}", MISSING),
    ("x: {{ cycler.__init__.__globals__.os.popen('id').read() }}", MISSING),
    ("x: {{ joiner.__init__.__globals__ }}", MISSING),
    ("x: {{ namespace.__init__.__globals__ }}", MISSING),
    ("x: {{ namespace(a=1) }}", REFUSED),
    ("x: {{ lipsum.__globals__['os'].popen('id') }}", MISSING),
    ("x: {{ lipsum(n=100000) }}", REFUSED),
    ("x: {{ dict(a=1) }}", REFUSED),
    ("x: {{ range.__class__ }}", REFUSED),
    ("x: {{ get_flashed_messages.__globals__ }}", MISSING),
    ("x: {{ config }}", MISSING),
    ("x: {{ request.application.__globals__ }}", MISSING),
    ("x: {{ environment }}", MISSING),
    ("x: {{ context }}", MISSING),
    ("x: {{ undefined }}", MISSING),
    ("x: {{ resolve('team') }}", REFUSED),
    ("x: {{ __import__('os') }}", REFUSED),
    ("x: {{ open('/etc/passwd').read() }}", REFUSED),
    ("x: {{ eval('1') }}", REFUSED),
    ("{% for i in [1] %}x: {{ loop.__init__.__globals__ }}{% endfor %}", MISSING),
    ("{% for i in [1] %}x: {{ loop._iterator }}{% endfor %}", MISSING),
    ("{% for i in [1] %}x: {{ loop['__class__'] }}{% endfor %}", FAILED),
    ("{% for i in [1] %}x: {{ loop.cycle('a') }}{% endfor %}", REFUSED),
    ("{% for i in [1] %}x: {{ loop }}{% endfor %}", FAILED),
    ("x: {{ caller }}", MISSING),
    ("x: {{ varargs }}{{ kwargs }}", MISSING),
    ("x: {{ _write('a', 1, true) }}", REFUSED),
    ("x: {{ 'a' | _write(1, true) }}", REFUSED),
    ("x: {{ 'a' | _call('__class__') }}", REFUSED),
    # Filters that fetch attributes or format texts.
    ("x: {{ ''|attr('__class__') }}", REFUSED),
    ("x: {{ [1]|map('attr', '__class__')|list }}", SYNTAX),
    ("x: {{ [1]|map(attribute='__class__')|list }}", FAILED),
    ("x: {{ [claims]|map(attribute='__class__.__mro__')|list }}", MISSING),
    ("x: {{ [1]|sort(attribute='__class__') }}", FAILED),
    ("x: {{ [1]|groupby('__class__') }}", REFUSED),
    ("x: {{ [1]|selectattr('__class__') }}", REFUSED),
    ("x: {{ claims|xmlattr }}", REFUSED),
    ("x: {{ 'a'|pprint }}", REFUSED),
    ("x: {{ 'a'|safe }}", REFUSED),
    ("x: {{ '{0.__class__}'.format(1) }}", REFUSED),
    ("x: {{ '{a.__class__}'.format_map({'a': 1}) }}", REFUSED),
    ("x: {{ '%s'|format(1) }}", REFUSED),
    ("x: {{ '{}'.format }}", FAILED),
    ("x: {{ ('a').replace('a', 'b', 1) }}", SYNTAX),
    # Tags that load, define or switch something.
    ("{% include '/etc/passwd' %}", REFUSED),
    ("{% include ['a', 'b'] ignore missing %}", REFUSED),
    ("{% import 'os' as os %}", REFUSED),
    ("{% from 'os' import popen %}", REFUSED),
    ("{% extends '/etc/passwd' %}", REFUSED),
    ("{% block a %}{{ super() }}{% endblock %}", REFUSED),
    ("{% macro f() %}{{ caller() }}{% endmacro %}{% call f() %}{% endcall %}", REFUSED),
    ("{% filter upper %}a{% endfilter %}", REFUSED),
    ("{% set x %}a{% endset %}", REFUSED),
    ("{% set claims.gpu = 1 %}", REFUSED),
    ("{% set loop.index = 1 %}", REFUSED),
    ("{% autoescape true %}{{ ''.__class__ }}{% endautoescape %}", REFUSED),
    ("{% do claims.clear() %}", SYNTAX),
    ("{% trans %}a{% endtrans %}", SYNTAX),
    ("{% debug %}", SYNTAX),
    ("{% break %}", SYNTAX),
    ("x: {{ f(*claims) }}", REFUSED),
    ("x: {{ [1]|join(**claims) }}", REFUSED),
    ("x: {{ 'a' is callable }}", REFUSED),
    ("x: {{ 1() }}", REFUSED),
    ("x: {{ (claims.items())() }}", REFUSED),
    # Endless work.
    ("{% for i in range(10**9) %}{% endfor %}", REFUSED),
    ("{% for i in range(1000000000) %}{% endfor %}", COSTLY),
    ("{% for i in range(-9000000000000000000, 9000000000000000000) %}{% endfor %}", COSTLY),
    ("{% for i in range(0, 9000000000000000000, -1) %}{% endfor %}", COSTLY),
    ("x: {{ range(1000000000) | list }}", COSTLY),
    ("{% for i in range(1000) %}{% for j in range(1000) %}{{ i * j }}{% endfor %}{% endfor %}", COSTLY),
    ("{% for i in range(20000) %}{{ 'a' }}{{ 'a' }}{{ 'a' }}{{ 'a' }}{{ 'a' }}{{ 'a' }}{{ 'a' }}{% endfor %}", COSTLY),
    ("{% for i in range(9000) %}" + "a" * 5000 + "{% endfor %}", COSTLY),
    ("{% for i in range(9000) if false %}" + "{{ i }}" * 30 + "{% endfor %}", COSTLY),
    ("{% for i in claims recursive %}{{ loop(claims) }}{% endfor %}", REFUSED),
    ("{% macro f() %}{{ f() }}{% endmacro %}{{ f() }}", REFUSED),
    ("{% for a in [1] %}" * 25 + "{% endfor %}" * 25, COSTLY),
    ("{% if true %}" * 45 + "{% endif %}" * 45, COSTLY),
    ("x: {{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", COSTLY),
    ("x: {{ " + "[" * 5000 + "]" * 5000 + " }}", COSTLY),
    ("x: {{ " + "not " * 5000 + "1 }}", COSTLY),
    ("x: {{ " + "1+" * 5000 + "1 }}", COSTLY),
    ("x: {{ " + "-" * 5000 + "1 }}", COSTLY),
    ("x: {{ claims" + ".a" * 5000 + " }}", COSTLY),
    ("x: {{ 'a'" + "|upper" * 5000 + " }}", COSTLY),
    ("{{ " * 20_000, COSTLY),
    ("{# " * 20_000, SYNTAX),
    ("{% raw %}" * 7000, SYNTAX),
    ("x: {{ '" + "\\a" * 30_000, SYNTAX),
    ("y" * 70_000, COSTLY),
    # Large results.
    ("x: {{ 'a' * 1000000000 }}", FAILED),
    ("x: {{ [1] * 1000000000 }}", FAILED),
    ("x: {{ 1000000000 * 'a' }}", FAILED),
    ("x: {{ '%1000000000d' % 1 }}", FAILED),
    ("x: {{ 9 ** 9 ** 9 ** 9 }}", REFUSED),
    ("x: {{ 9223372036854775807 * 9223372036854775807 }}", FAILED),
    ("x: {{ 1e308 * 10 }}", FAILED),
    ("x: {{ " + "9" * 5000 + " }}", SYNTAX),
    ("x: {{ 1e9999 }}", SYNTAX),
    ("x: {{ 'a'|center(1000000000) }}", REFUSED),
    ("x: {{ 'a'|indent(1000000000) }}", FAILED),
    ("x: {{ 'a'.ljust(1000000000) }}", REFUSED),
    ("x: {{ 'a'.zfill(1000000000) }}", REFUSED),
    ("x: {{ 'a'|wordwrap(1) }}", REFUSED),
    ("x: {{ [1]|batch(1000000000, 'x')|list }}", REFUSED),
    ("x: {{ [1]|slice(1000000000)|list }}", REFUSED),
    ("x: {{ ('a' ~ 'b')|replace('', 'c') }}", FAILED),
    (doubled("{% set a0 = 'aaaa' %}", "{% set a# = a@ ~ a@ %}", "x: {{ a# }}"), COSTLY),
    (doubled("{% set a0 = 'aaaa' %}", "{% set a# = a@ + a@ %}", "x: {{ a# }}"), COSTLY),
    (doubled("{% set a0 = 'a' %}", "{% set a# = a@|replace('a', 'aa') %}", "x: {{ a# }}"), COSTLY),
    (doubled("{% set a0 = 'a' %}", "{% set a# = [a@, a@]|join %}", "x: {{ a# }}"), COSTLY),
    (doubled("{% set a0 = [1] %}", "{% set a# = a@ + a@ %}", "x: {{ a#|length }}"), COSTLY),
    (doubled("{% set a0 = [1] %}", "{% set a# = [a@, a@] %}", "x: {{ a#|to_yaml }}"), COSTLY),
    (doubled("{% set a0 = [1] %}", "{% set a# = [a@, a@] %}", "x: {{ a#|tojson }}"), COSTLY),
    (doubled("{% set a0 = [1] %}{% set b0 = [1] %}", "{% set a# = [a@, a@] %}{% set b# = [b@, b@] %}", "x: {{ a# == b# }}"), COSTLY),
    (doubled("{% set a0 = {} %}{% set b0 = {} %}", "{% set a# = {'a': a@} %}{% set b# = {'a': b@} %}", "x: {{ a# in [b#] }}", 80), COSTLY),
    # YAML's own ways.
    ("x: !!python/object/apply:os.system ['id']", "CS106"),
    ("a: &a [1]\nb: &b [*a, *a]\n" + "".join(f"c{n}: &c{n} [*{'b' if n == 0 else f'c{n - 1}'}, *{'b' if n == 0 else f'c{n - 1}'}]\n" for n in range(30)), "CS110"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "rule"), ESCAPES, ids=[text[:60] for text, _ in ESCAPES])
def test_every_escape_is_a_finding(text: str, rule: str) -> None:
    tracemalloc.start()
    begun = time.perf_counter()
    with deadline(20):
        values, told = rendered(text)
    took = time.perf_counter() - begun
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert values is None
    assert told[0].rule == rule
    assert took < 10
    assert peak < 100 * 1024 * 1024
    # Nothing of Python shows in what is said.
    assert not [each for each in told if "<class" in each.message or " object at 0x" in each.message]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("x: {{ '{0.__class__}' }}", {"x": {"0.__class__": None}}),
        ("x: '{{ \"{% include 1 %}\" }}'", {"x": "{% include 1 %}"}),
        ("x: '{% raw %}{{ self }}{% endraw %}'", {"x": "{{ self }}"}),
        ("x: 1 {# {{ self.__init__ }} #}", {"x": 1}),
        ("x: {{ range(3) | tojson }}", {"x": [0, 1, 2]}),
        ("{% set __class__ = 'a' %}x: {{ __class__ }}", {"x": "a"}),
        ("{% set team = 'a' %}x: {{ team }}", {"x": "a"}),
        ("x: {{ {'__class__': 1}.__class__ }}", {"x": 1}),
        ("x: {{ '<&>' | tojson }}", {"x": "<&>"}),
    ],
)
def test_what_is_harmless(text: str, values: object) -> None:
    assert rendered(text) == (values, [])


def test_a_model_is_never_changed_by_a_rendering() -> None:
    model = {"claims": {"a": [1]}}
    text = "{% set b = claims.a + [2] %}{% set claims = {} %}x: {{ b | tojson }}"
    assert rendered(text, model) == ({"x": [1, 2]}, [])
    assert model == {"claims": {"a": [1]}}


def test_no_file_is_opened(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    rendered("x: 1")
    secret = tmp_path / "secret"
    secret.write_text("x: secret\n")
    monkeypatch.chdir(tmp_path)
    opened: list[object] = []
    monkeypatch.setattr(os, "open", lambda *args, **kwargs: opened.append(args))
    monkeypatch.setattr("builtins.open", lambda *args, **kwargs: opened.append(args))
    for text in ("{% include 'secret' %}", "{% import 'secret' as s %}", "{% extends 'secret' %}"):
        values, [told] = rendered(text)
        assert (values, told.rule) == (None, REFUSED)
    assert opened == []


def test_the_bound_is_on_work_and_not_on_time() -> None:
    text = "{%% for i in range(%d) %%}{%% if i %%}{%% endif %%}{%% endfor %%}x: 1"
    assert rendered(text % 49_998) == ({"x": 1}, [])
    values, told = rendered(text % 49_999)
    message = "the template is too costly: more than 200000 steps"
    assert values is None
    assert told == [Told(COSTLY, (1, 1, 65), message, "write less, or loop over fewer things")]


PIECES = (
    *" ()[]{}.,:|~-+*/%=\"'\\\n\0é#", "{{", "}}", "{%", "%}", "{#", "#}", "for ", "endfor", "if ", "endif", "in ", "is ",
    "set ", "x", "team", "claims", "loop", "range(", "to_yaml", "__class__", "1e999", "\ud800",
)  # fmt: skip


def test_mutilated_templates_are_findings_and_never_crashes() -> None:
    chance = random.Random(0)
    texts = [text for text, _ in ESCAPES if len(text) < 300]
    for _ in range(400):
        text = chance.choice(texts)
        for _ in range(chance.randint(1, 4)):
            start, end = sorted((chance.randint(0, len(text)), chance.randint(0, len(text))))
            piece = chance.choice(PIECES) if chance.random() < 0.5 else text[start:end][:9]
            text = text[:start] + piece + text[start if chance.random() < 0.5 else min(end, start + 4) :]
        with deadline(20):
            values, told = rendered(text)
        assert values is not None or told

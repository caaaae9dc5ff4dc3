"""``claimsmith rule``, and the start of the program."""

import json

import pytest

import claimsmith
from claimsmith.rules import all_rules
from tests.repo import Repo

HEAVY = {"jsonschema", "celpy", "jinja2", "kubernetes", "rich", "pygls"}


def test_list(empty: Repo) -> None:
    result = empty.run("rule")
    assert result.status == 0
    assert [line.split()[0] for line in result.stdout.splitlines()] == [rule.id for rule in all_rules()]
    assert "CS121 unknown-field (error, invalid)\n" in result.stdout


@pytest.mark.parametrize("given", ["CS502", "cs502"])
def test_page(empty: Repo, given: str) -> None:
    result = empty.run("rule", given)
    assert result.status == 0
    assert result.stdout.startswith(
        "# CS502 model-excluded\n\nError; never-matches: accepted, and no device ever matches.\n\nSays: `{field}`"
    )
    assert (
        'Instead of:\n\n    prefer: [{model: H100-80GB}, {model: A100-80GB}]\n    require: {memory: ">= 80Gi"}\n'
        in (result.stdout)
    )


def test_json(empty: Repo) -> None:
    pages = json.loads(empty.run("rule", "--format", "json").stdout)
    assert [page["id"] for page in pages] == [rule.id for rule in all_rules()]
    assert set(pages[0]) == {"id", "name", "severity", "consequence", "message", "help", "why", "bad", "good"}


def test_unknown(empty: Repo) -> None:
    result = empty.run("rule", "CS121X")
    assert (result.status, result.stdout) == (2, "")
    assert "there is no rule CS121X; did you mean CS121?" in result.stderr


class TestStart:
    def test_help(self, empty: Repo) -> None:
        result = empty.run("--help")
        assert result.status == 0
        for command in ("check", "compile", "rule"):
            assert f"\n  {command} " in result.stdout

    def test_version(self, empty: Repo) -> None:
        assert empty.run("--version").stdout == f"claimsmith, version {claimsmith.__version__}\n"

    def test_unknown_command(self, empty: Repo) -> None:
        assert empty.run("complie").status == 2

    @pytest.mark.parametrize("arguments", [["--help"], ["check", "--help"], ["compile", "--help"], ["rule", "CS121"]])
    def test_imports(self, empty: Repo, arguments: list[str]) -> None:
        result = empty.spawn(*arguments, python=["-X", "importtime"])
        assert result.status == 0
        imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in result.stderr.splitlines()}
        assert "click" in imported
        assert imported & HEAVY == set()

    def test_check_imports_what_it_needs(self, repo: Repo) -> None:
        result = repo.spawn("check", python=["-X", "importtime"])
        imported = {line.rpartition("|")[2].strip().partition(".")[0] for line in result.stderr.splitlines()}
        assert imported & HEAVY == {"jsonschema"}

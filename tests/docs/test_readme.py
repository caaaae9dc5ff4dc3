"""What the README and the docs show is what the product does."""

import re
import shutil
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner

from claimsmith import rules
from claimsmith.cli import main
from claimsmith.report import rule_page

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text("utf-8")


def block(language: str, containing: str) -> str:
    found = re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)
    return next(each for each in found if containing in each)


def example(folder: Path) -> Path:
    shutil.copytree(ROOT / "profiles", folder / "profiles")
    return folder / "profiles" / "teams" / "vision.yaml"


def test_the_finding_shown_is_the_finding_printed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vision = example(tmp_path)
    vision.write_text(vision.read_text("utf-8").replace(">= 70Gi", ">= 80Gi"), "utf-8")
    monkeypatch.chdir(tmp_path)
    printed = CliRunner().invoke(main, ["check"]).stdout
    shown = block("console", "CS502").removeprefix("$ claimsmith check\n")
    assert shown in printed


def test_the_template_shown_is_the_template_compiled(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    vision = example(tmp_path)
    vision.write_text(block("yaml", "kind: TeamProfile"), "utf-8")
    monkeypatch.chdir(tmp_path)
    result = CliRunner().invoke(main, ["compile"])
    assert "CS8" not in result.stdout.replace("CS802", "")
    made = yaml.safe_load((tmp_path / "output/prod-us/teams/vision/resourceclaimtemplates.yaml").read_text("utf-8"))
    shown = yaml.safe_load(block("yaml", "kind: ResourceClaimTemplate").replace("          …\n", ""))
    assert shown["metadata"]["name"] == made["metadata"]["name"]
    (request,) = shown["spec"]["spec"]["devices"]["requests"]
    (compiled,) = made["spec"]["spec"]["devices"]["requests"]
    assert request["firstAvailable"][0] == compiled["firstAvailable"][0]


def test_rules_page_is_generated() -> None:
    assert (ROOT / "docs/rules.md").read_text("utf-8") == rule_page.document(rules.all_rules()), "run `make docs`"


def test_links_lead_somewhere() -> None:
    for page in (ROOT / "README.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text("utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"

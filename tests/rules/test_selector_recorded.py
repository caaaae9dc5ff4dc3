"""Claims after public reports, with what became of them on a real Kubernetes 1.36.3 with the slices of each file."""

from pathlib import Path

import pytest
import yaml

from claimsmith.findings import Consequence, Severity
from claimsmith.rules import rule
from claimsmith.rules.selectors.inspection import check_selector
from tests.rules.selector_setting import under_class

RECORDED = Path(__file__).parent / "recorded"
EXPECTED = dict(
    line.split("\t")
    for line in (RECORDED / "selectors-expected.tsv").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
)
SAID = {
    "01-nodomain": "CS301",
    "02-typo": "CS401",
    "03-wrongdomain": "CS402",
    "04-guarded": "CS420",
    "05-ver-eq-string": "CS413",
    "07-semver-short": "CS414",
    "08-semver-op": "CS301",
    "10-mem-as-attr": "CS407",
    "11-mem-80Gi-h100": "CS514",
    "13-mem-op": "CS301",
    "14-mem-eq": "CS513",
    "15-contradiction": "CS504",
    "17-nonbool": "CS415",
    "18-single-eq": "CS301",
    "19-undeclared": "CS301",
    "20-dotdomain": "CS406",
    "22-has": "CS420",
    "26-helm-braces": "CS505",
    "28-shortname": "CS507",
}
"""The one rule of each file of which there is more to say than a note."""


def test_all_files_have_an_answer() -> None:
    assert {path.name for path in (RECORDED / "selectors").glob("*.yaml")} == set(EXPECTED)


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_consequence(name: str) -> None:
    documents = list(yaml.safe_load_all((RECORDED / "selectors" / name).read_text(encoding="utf-8")))
    [claim] = [each for each in documents if each["kind"] == "ResourceClaim"]
    [class_selector] = documents[0]["spec"]["selectors"]
    [selector] = claim["spec"]["devices"]["requests"][0]["exactly"]["selectors"]
    setting = under_class(class_selector=class_selector["cel"]["expression"])
    rules = [rule(each.rule) for each in check_selector(selector["cel"]["expression"], setting)]
    loud = {each for each in rules if each.severity is not Severity.INFO}
    expected = SAID.get(name.removesuffix(".yaml"))
    assert {each.id for each in loud} == ({expected} if expected else set())
    answer = EXPECTED[name]
    if answer == "matches":
        assert {each.consequence for each in loud} <= {Consequence.UNSAFE}
    else:
        assert {each.consequence.value for each in loud} == {answer}

"""What is said of recorded expressions, against what they come to on recorded devices of the driver."""

import gzip
import json
from pathlib import Path

from claimsmith.cel.devices import Device
from claimsmith.cel.environment import environment_of
from claimsmith.rules.selectors.fleet import kinds_of
from claimsmith.rules.selectors.inspection import Setting, check_selector
from claimsmith.rules.selectors.verdict import expression
from tests.cel.fleet import fleet
from tests.rules.selector_setting import CATALOGUE, target

EXPRESSIONS = Path(__file__).parents[1] / "cel" / "recorded" / "cel.jsonl.gz"
EVERY = 9
"""One expression in so many is tried: all of them take half a minute."""
NEVER = {"CS501", "CS504", "CS506", "CS507", "CS420"}
OLD = {"index", "pcieBusID"}
"""Attributes of releases before the one that is checked for."""


def expressions() -> list[str]:
    with gzip.open(EXPRESSIONS, "rt", encoding="utf-8") as lines:
        rows = [json.loads(line) for line in lines]
    return [row["expression"] for row in rows if isinstance(row.get("expression"), str)]


def devices() -> list[Device]:
    ours = [each for each in fleet().values() if each.driver == "gpu.nvidia.com"]
    return [each for each in ours if not OLD & set(each.attributes["gpu.nvidia.com"].entries)]


def test_nothing_is_claimed_that_a_recorded_device_refutes() -> None:
    view = CATALOGUE.view("gpu.nvidia.com", "0.4.1", {"PassthroughSupport": True, "DynamicMIG": True})
    assert view is not None
    setting = Setting(target(), tuple(kinds_of(view)), ('device.driver == "gpu.nvidia.com"',))
    recorded = devices()
    assert len(recorded) > 10
    claims = {"never": 0, "always": 0, "fatal": 0}
    for text in expressions()[::EVERY]:
        said = {each.rule for each in check_selector(text, setting)}
        found = expression(text, environment_of(setting.target, scheduler=True))
        if found is None:
            assert any(each[:3] == "CS3" or each == "CS505" for each in said), text
            continue
        results = [found.selector.matches(each) for each in recorded]
        errors = [each for each in results if not isinstance(each, bool)]
        if said & NEVER:
            claims["never"] += 1
            assert True not in results, text
        if "CS508" in said:
            claims["always"] += 1
            assert set(results) <= {True}, text
        if errors:
            claims["fatal"] += 1
            assert any(each[:2] == "CS" and each[2] in "34" for each in said), (text, errors[0])
    assert min(claims.values()) > 5, claims

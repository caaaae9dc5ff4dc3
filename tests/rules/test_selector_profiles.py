"""``require.cel`` of profiles: where findings stand, which clusters and alternatives they concern."""

from typing import Any

import pytest

from tests.repo import CLUSTER, PROFILE_FILE, Repo

REQUIRE = 'require: {memory: ">= 70Gi"}'
FIRST = "- {model: H100-80GB, count: 4}"
A = 'device.attributes["gpu.nvidia.com"]'


def findings(repo: Repo, *changes: tuple[str, str]) -> list[dict[str, Any]]:
    """All but notes, after changes to the profile."""
    for old, new in changes:
        repo.edit(PROFILE_FILE, old, new)
    found = repo.run("check", "--format", "json").findings
    return [each for each in found if each["severity"] != "info"]


def places(found: list[dict[str, Any]]) -> list[tuple[str, int, int, int, str]]:
    return [(each["rule"], each["line"], each["column"], each["endColumn"], each["field"]) for each in found]


def place_in_file(repo: Repo, text: str) -> tuple[int, int, int]:
    """The line, column and end column of a text that is once in the profile."""
    content = (repo.root / PROFILE_FILE).read_text(encoding="utf-8")
    before, _ = content.split(text)
    column = len(before) - before.rfind("\n")
    return before.count("\n") + 1, column, column + len(text)


@pytest.mark.parametrize(
    "written",
    [
        f"require: {{cel: '{A}.productname != \"x\"'}}",
        'require: {cel: "device.attributes[\\"gpu.nvidia.com\\"].productname != \\"x\\""}',
        f"require:\n        cel: |\n          true &&\n          {A}.productname != 'x'\n",
        f"require:\n        cel: >-\n          true\n          && {A}.productname != 'x'\n",
        f"require:\n        cel: {A}.productname != 'x'\n",
        f"require:\n        cel:\n        - 'true'\n        - {A}.productname != 'x'\n",
    ],
)
def test_columns_in_every_style_of_scalar(repo: Repo, written: str) -> None:
    [found] = findings(repo, (REQUIRE, written))
    field = "spec.claims[0].requests[0].require.cel" + ("[1]" if "- 'true'" in written else "")
    assert places([found]) == [("CS401", *place_in_file(repo, "productname"), field)]
    assert found["clusters"] == ["prod"]
    assert found["message"] == "devices of type `gpu` of `gpu.nvidia.com` 0.4.1 publish no attribute `productname`"
    assert found["help"] == "did you mean `productName`?"


def test_a_selector_that_is_right(repo: Repo) -> None:
    cel = f'require: {{cel: \'{A}.?addressingMode.orValue("None") != "HMM"\'}}'
    assert findings(repo, (REQUIRE, cel)) == []
    repo.run("compile")
    template = repo.output()["prod/teams/vision/resourceclaimtemplates.yaml"].decode()
    assert template.count("addressingMode") == 2


def test_what_an_alternative_asks_of_its_own_model(repo: Repo) -> None:
    cel = f'{A}.architecture == "Ampere"'
    [found] = findings(repo, (FIRST, f"- {{model: H100-80GB, count: 4, require: {{cel: '{cel}'}}}}"))
    field = "spec.claims[0].requests[0].prefer[0].require.cel"
    assert places([found]) == [("CS502", *place_in_file(repo, cel), field)]
    assert found["message"] == "`architecture` == Ampere excludes H100-80GB, which has Hopper"


def test_a_threshold_that_only_one_alternative_misses(repo: Repo) -> None:
    cel = 'device.capacity["gpu.nvidia.com"].memory.compareTo(quantity("80Gi")) >= 0'
    [found] = findings(repo, (REQUIRE, f"require: {{cel: '{cel}'}}"))
    assert (found["rule"], found["message"], found["help"]) == (
        "CS502",
        "`memory` >= 80Gi excludes H100-80GB, which has 81559Mi",
        'write .compareTo(quantity("79Gi")) >= 0 to include it',
    )


def test_a_mistake_in_the_second_alternative_only(repo: Repo) -> None:
    cel = f"- {{model: A100-80GB, count: 8, require: {{cel: '{A}.archtecture == \"Ampere\"'}}}}"
    [found] = findings(repo, ("- {model: A100-80GB, count: 8}", cel))
    assert (found["rule"], found["help"]) == ("CS401", "did you mean `architecture`?")


def test_contradiction_with_the_other_requirements(repo: Repo) -> None:
    cel = f'require: {{driverVersion: ">= 580.0.0", cel: \'{A}.driverVersion.isLessThan(semver("570.0.0"))\'}}'
    assert [each["rule"] for each in findings(repo, (REQUIRE, cel))] == ["CS504", "CS504"]


def test_only_the_cluster_with_the_older_driver(repo: Repo) -> None:
    """The attribute came with 25.12.0, and every device of the other cluster may lack it."""
    older = CLUSTER.replace("{name: prod}", "{name: old}").replace("release: 0.4.1", 'release: "25.8.0"')
    repo.write("profiles/clusters/old.yaml", older)
    cel = 'device.attributes["resource.kubernetes.io"].pciBusID != ""'
    [found] = findings(repo, (REQUIRE, f"require: {{cel: '{cel}'}}"))
    assert (found["rule"], found["clusters"]) == ("CS403", ["old"])
    assert found["message"].endswith("do not publish `resource.kubernetes.io/pciBusID`: it comes with 25.12.0")


def test_only_the_cluster_with_the_older_kubernetes(repo: Repo) -> None:
    repo.write("profiles/clusters/old.yaml", CLUSTER.replace("{name: prod}", "{name: old}").replace("1.37", "1.34"))
    cel = f'require: {{cel: \'{A}.architecture in ["Hopper", "Ampere"].distinct()\'}}'
    found = [each for each in findings(repo, (REQUIRE, cel)) if each["rule"][:3] == "CS3"]
    assert [(each["rule"], each["clusters"]) for each in found] == [("CS303", ["old"])]


def test_a_vendors_class_is_known_by_its_selectors(repo: Repo) -> None:
    request = "    - {name: nic, deviceClass: dranet, require: {cel: 'device.attributes[\"dra.net\"].rmda == true'}}\n"
    [found] = findings(repo, ("  workloads:\n", f"{request}  workloads:\n"))
    assert (found["rule"], found["help"]) == ("CS401", "did you mean `rdma`?")


def test_a_class_of_which_nothing_is_known(repo: Repo) -> None:
    repo.write("profiles/clusters/prod.yaml", CLUSTER + "  deviceClasses: [fpga.example.com]\n")
    request = "    - {name: card, deviceClass: fpga.example.com, require: {cel: 'device.attributes[\"a.b\"].c == 1'}}\n"
    assert findings(repo, ("  workloads:\n", f"{request}  workloads:\n")) == []

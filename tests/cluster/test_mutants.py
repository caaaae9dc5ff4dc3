"""A compiler with a mistake is caught by these tests: each mutant of its output fails the check that is for it."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cluster.cluster import Clusters
from tests.cluster.control_plane import Settings
from tests.cluster.fleet import Devices
from tests.cluster.scenario import (
    PREFERRED,
    RULES_ON_1_36,
    TEAM,
    WORKLOAD,
    Company,
    a100_node,
    h100_node,
    objects_of,
)
from tests.cluster.test_stored import assert_stored_as_emitted
from tests.cluster.waiting import NotInTimeError
from tests.cluster.workload import pod, read_values

CLASSES = "platform/deviceclasses.yaml"
RULES = "platform/devicetaintrules.yaml"
TEMPLATES = "teams/vision/resourceclaimtemplates.yaml"
VALUES = "teams/vision/values/trainer.yaml"

LOAD = 30
SICK = ("h100-00", 0)


def preferred_is_given(clusters: Clusters, settings: Settings, folder: Path) -> None:
    """With some load on its node, which the affinity must outweigh."""
    cluster = clusters.get(settings)
    preferred = h100_node()
    cluster.apply_all(objects_of(folder))
    cluster.fleet(preferred, a100_node())
    cluster.load(preferred, LOAD)
    made = cluster.api.create(pod(read_values(folder, TEAM, WORKLOAD), TEAM))
    assert cluster.outcome(made) == [PREFERRED]


def preferred_is_given_on_one_node(clusters: Clusters, settings: Settings, folder: Path) -> None:
    """On a node that has both models: there the order of the list decides."""
    cluster = clusters.get(settings)
    cluster.apply_all(objects_of(folder))
    cluster.fleet(h100_node(extra=[Devices(2, "A100-80GB")]))
    made = cluster.api.create(pod(read_values(folder, TEAM, WORKLOAD), TEAM))
    assert cluster.outcome(made) == [PREFERRED]


def sick_is_not_given(clusters: Clusters, settings: Settings, folder: Path) -> None:
    cluster = clusters.get(settings)
    cluster.apply_all(objects_of(folder))
    cluster.fleet(h100_node(), a100_node())
    made = cluster.placed(cluster.api.create(pod(read_values(folder, TEAM, WORKLOAD), TEAM)))
    assert {each.pool for each in cluster.granted(made)} == {"a100-00"}


def is_stored(clusters: Clusters, settings: Settings, folder: Path) -> None:
    assert_stored_as_emitted(clusters.get(settings), folder)


Check = Callable[[Clusters, Settings, Path], None]

MUTANTS: list[tuple[str, str, str, str, str, Check]] = [
    ("class left out", "1.37", CLASSES, r"(?s)---\n(?:(?!---).)*name: a100-80gb\.gpu.*?(?=---\n)", "", preferred_is_given),
    ("class of another name", "1.36", CLASSES, r"name: h100-80gb\.", "name: h100-81gb.", preferred_is_given),
    ("class that errs", "1.35", CLASSES, r"\.\?productName\.orValue\(\"\"\) in \[\"NVIDIA H100", '.noName in ["NVIDIA H100', preferred_is_given),
    ("class without its type", "1.37", CLASSES, r"\.\?type\.orValue", ".?kind.orValue", preferred_is_given),
    ("affinity left out", "1.37", VALUES, r"(?m)^  affinity:\n(?:    .*\n)+", "", preferred_is_given),
    ("affinity to the wrong pool", "1.36", VALUES, r"- h100\b", "- b100", preferred_is_given),
    ("order of the list", "1.34", TEMPLATES, r"(?s)(        - name: h100-80gb.*?)(        - name: a100-80gb.*)", r"\2\1", preferred_is_given_on_one_node),
    ("field misspelt", "1.37", TEMPLATES, r"deviceClassName", "deviceClass", is_stored),
    ("default left out", "1.36", TEMPLATES, r" *allocationMode: ExactCount\n", "", is_stored),
    ("count as text", "1.35", TEMPLATES, r"count: 2", 'count: "2"', is_stored),
    ("field that is dropped", "1.35", CLASSES, r"(?m)^spec:\n", "spec:\n  extendedResourceName: nvidia.com/gpu\n", is_stored),
    ("field that is dropped later", "1.34", CLASSES, r"(?m)^spec:\n", "spec:\n  extendedResourceName: nvidia.com/gpu\n", is_stored),
    ("label that is a boolean", "1.37", TEMPLATES, r"claimsmith/claim: trainer", "claimsmith/claim: yes", is_stored),
    ("selector that does not compile", "1.36", CLASSES, r'"gpu"', "gpu", is_stored),
    ("taint rule of the wrong version", "1.36", RULES, r"v1beta2", "v1", is_stored),
    ("taint rule of an old version", "1.37", RULES, r"resource.k8s.io/v1\b", "resource.k8s.io/v1beta2", is_stored),
    ("taint rule with another device", "1.37", RULES, r"device: gpu-0", "device: gpu-1", sick_is_not_given),
    ("taint rule of another pool", "1.36", RULES, r"pool: h100-00", "pool: h100-01", sick_is_not_given),
    ("taint without effect", "1.37", RULES, r"effect: NoSchedule|effect: NoExecute", "effect: None", sick_is_not_given),
    ("exclusion of another device", "1.35", CLASSES, r"GPU-[0-9a-f-]{36}", "GPU-1", sick_is_not_given),
    ("exclusion left out", "1.34", CLASSES, r"(?m)^  - cel:\n      expression: '!.*\n", "", sick_is_not_given),
]  # fmt: skip


def compiled(minor: str, root: Path) -> tuple[Settings, Path]:
    """The company with a quarantined device, on a cluster that obeys rules where the minor can by itself or at 1.36."""
    gates, versions = RULES_ON_1_36 if minor == "1.36" else ((), ())
    company = Company(minor, (SICK,), gates=gates, runtime_config=versions)
    return Settings.of(minor, dict.fromkeys(gates, True), versions), company.compile(root)


@pytest.mark.parametrize(
    ("mistake", "minor", "file", "old", "new", "check"), MUTANTS, ids=[each[0] for each in MUTANTS], scope="session"
)
def test_a_mistake_of_the_compiler_is_caught(
    clusters: Clusters, tmp_path: Path, mistake: str, minor: str, file: str, old: str, new: str, check: Check
) -> None:
    settings, folder = compiled(minor, tmp_path)
    if check is not sick_is_not_given and check is not is_stored:
        folder = Company(minor).compile(tmp_path / "healthy")
        settings = Settings.of(minor)
    check(clusters, settings, folder)
    clusters.get(settings).wipe()
    text = (folder / file).read_text(encoding="utf-8")
    mutant = re.sub(old, new, text)
    assert mutant != text, f"{mistake}: nothing to change in {file}"
    (folder / file).write_text(mutant, encoding="utf-8")
    with pytest.raises(AssertionError) as caught:
        check(clusters, settings, folder)
    assert not isinstance(caught.value, NotInTimeError)

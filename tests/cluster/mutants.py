"""Mistakes that a compiler could make, as changes of its output, each with the check that must catch it."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

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
    """The fallback is, although the preferred device is free."""
    cluster = clusters.get(settings)
    cluster.apply_all(objects_of(folder))
    cluster.fleet(h100_node(), a100_node())
    made = cluster.placed(cluster.api.create(pod(read_values(folder, TEAM, WORKLOAD), TEAM)))
    assert {each.pool for each in cluster.granted(made)} == {"a100-00"}


def is_stored(clusters: Clusters, settings: Settings, folder: Path) -> None:
    """As it was emitted, by a server that validates strictly."""
    assert_stored_as_emitted(clusters.get(settings), folder)


Check = Callable[[Clusters, Settings, Path], None]


@dataclass(frozen=True, slots=True)
class Mutant:
    """``old``, a regular expression, becomes ``new`` in a file of the output for a minor."""

    mistake: str
    minor: str
    file: str
    old: str
    new: str
    check: Check

    def apply(self, folder: Path) -> None:
        """Changes the file; ``AssertionError`` where there is nothing to change."""
        path = folder / self.file
        text = path.read_text(encoding="utf-8")
        mutant = re.sub(self.old, self.new, text)
        assert mutant != text, f"{self.mistake}: nothing to change in {self.file}"
        path.write_text(mutant, encoding="utf-8")


MUTANTS = [
    Mutant("class left out", "1.37", CLASSES, r"(?s)---\n(?:(?!---).)*name: a100-80gb\.gpu.*?(?=---\n)", "", preferred_is_given),
    Mutant("class of another name", "1.36", CLASSES, r"name: h100-80gb\.", "name: h100-81gb.", preferred_is_given),
    Mutant("class that errs", "1.35", CLASSES, r"\.\?productName\.orValue\(\"\"\) in \[\"NVIDIA H100", '.noName in ["NVIDIA H100', preferred_is_given),
    Mutant("class without its type", "1.37", CLASSES, r"\.\?type\.orValue", ".?kind.orValue", preferred_is_given),
    Mutant("affinity left out", "1.37", VALUES, r"(?m)^  affinity:\n(?:    .*\n)+", "", preferred_is_given),
    Mutant("affinity to the wrong pool", "1.36", VALUES, r"- h100\b", "- b100", preferred_is_given),
    Mutant("order of the list", "1.34", TEMPLATES, r"(?s)(        - name: h100-80gb.*?)(        - name: a100-80gb.*)", r"\2\1", preferred_is_given_on_one_node),
    Mutant("field misspelt", "1.37", TEMPLATES, r"deviceClassName", "deviceClass", is_stored),
    Mutant("default left out", "1.36", TEMPLATES, r" *allocationMode: ExactCount\n", "", is_stored),
    Mutant("count as text", "1.35", TEMPLATES, r"count: 2", 'count: "2"', is_stored),
    Mutant("field that is dropped", "1.35", CLASSES, r"(?m)^spec:\n", "spec:\n  extendedResourceName: nvidia.com/gpu\n", is_stored),
    Mutant("field that is dropped later", "1.34", CLASSES, r"(?m)^spec:\n", "spec:\n  extendedResourceName: nvidia.com/gpu\n", is_stored),
    Mutant("label that is a boolean", "1.37", TEMPLATES, r"claimsmith/claim: trainer", "claimsmith/claim: yes", is_stored),
    Mutant("selector that does not compile", "1.36", CLASSES, r'"gpu"', "gpu", is_stored),
    Mutant("taint rule of the wrong version", "1.36", RULES, r"v1beta2", "v1", is_stored),
    Mutant("taint rule of an old version", "1.37", RULES, r"resource.k8s.io/v1\b", "resource.k8s.io/v1beta2", is_stored),
    Mutant("taint rule with another device", "1.37", RULES, r"device: gpu-0", "device: gpu-1", sick_is_not_given),
    Mutant("taint rule of another pool", "1.36", RULES, r"pool: h100-00", "pool: h100-01", sick_is_not_given),
    Mutant("taint without effect", "1.37", RULES, r"effect: NoSchedule|effect: NoExecute", "effect: None", sick_is_not_given),
    Mutant("exclusion of another device", "1.35", CLASSES, r"GPU-[0-9a-f-]{36}", "GPU-1", sick_is_not_given),
    Mutant("exclusion left out", "1.34", CLASSES, r"(?m)^  - cel:\n      expression: '!.*\n", "", sick_is_not_given),
]  # fmt: skip

HARMLESS = [
    Mutant("comment", "1.37", TEMPLATES, r"\Z", "# A comment.\n", check)
    for check in (preferred_is_given, preferred_is_given_on_one_node, sick_is_not_given, is_stored)
]
"""Changes that mean nothing, which no check may take for a mistake."""


def compile_for(mutant: Mutant, root: Path) -> tuple[Settings, Path]:
    """The output that a mutant changes, and the cluster that it is for.

    Checks of quarantine and storage have a device in quarantine, on a cluster that obeys rules where the minor can
    by itself or at 1.36.
    """
    if mutant.check not in (sick_is_not_given, is_stored):
        return Settings.of(mutant.minor), Company(mutant.minor).compile(root)
    gates, versions = RULES_ON_1_36 if mutant.minor == "1.36" else ((), ())
    company = Company(mutant.minor, (SICK,), gates=gates, runtime_config=versions)
    return Settings.of(mutant.minor, dict.fromkeys(gates, True), versions), company.compile(root)

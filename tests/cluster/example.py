"""The worked example of this repository, compiled for the minor that a test is about."""

import re
import shutil
from collections.abc import Mapping
from pathlib import Path

import yaml

from tests.repo import Repo

ROOT = Path(__file__).parents[2]
OUTPUT = ROOT / "output"
CLUSTERS = {"lab": "1.35", "prod-eu": "1.36", "prod-us": "1.37"}
"""The clusters of the example, with the minor that each document names."""

EVERY_GATE = {
    "1.34": (("DRADeviceTaints", "DRAConsumableCapacity", "DRAExtendedResource"), ("resource.k8s.io/v1alpha3",)),
    "1.35": (
        ("DRADeviceTaints", "DRADeviceTaintRules", "DRAConsumableCapacity", "DRAExtendedResource"),
        ("resource.k8s.io/v1alpha3",),
    ),
    "1.36": (("DRADeviceTaintRules",), ("resource.k8s.io/v1beta2",)),
    "1.37": ((), ()),
}
"""What to switch on, by minor, for a server to keep and obey all that the compiler can emit."""


def stored_key(cluster: str, *, every_gate: bool = False) -> str:
    """Under which the records have what is stored of a cluster of the example."""
    return f"{cluster}, every gate" if every_gate else cluster


def compile_example_with_every_gate(root: Path, minor: str) -> Path:
    """The whole example for clusters that keep and obey everything."""
    gates, versions = EVERY_GATE[minor]
    return compile_example(root, minor, gates=dict.fromkeys(gates, True), runtime_config=dict.fromkeys(versions, True))


def compile_example(
    root: Path, minor: str, *, gates: Mapping[str, bool] | None = None, runtime_config: Mapping[str, bool] | None = None
) -> Path:
    """The whole example compiled in a folder with every cluster at one minor; returns its ``output``.

    A reservation keeps its pools of a driver only where rules can taint them: elsewhere that is an error.
    """
    shutil.copytree(ROOT / "profiles", root / "profiles")
    taint_rules = minor == "1.37" or bool(gates and runtime_config)
    for file in (root / "profiles" / "clusters").glob("*.yaml"):
        text = file.read_text(encoding="utf-8")
        text, changed = re.subn(r'^  kubernetes: "[0-9.]+"', f'  kubernetes: "{minor}"', text, flags=re.MULTILINE)
        assert changed == 1, file
        settings = {"featureGates": dict(gates or {}), "runtimeConfig": dict(runtime_config or {})}
        file.write_text(text + _indented({key: value for key, value in settings.items() if value}), encoding="utf-8")
    if not taint_rules:
        for file in (root / "profiles" / "reservations").glob("*.yaml"):
            text = file.read_text(encoding="utf-8")
            file.write_text(re.sub(r"^  pools:\n(  - .*\n)+", "", text, flags=re.MULTILINE), encoding="utf-8")
    run = Repo(root).run("compile")
    assert run.status == 0, run.stdout + run.stderr
    return root / "output"


def minor_of(cluster: str) -> str:
    """The minor that the document of a cluster of the example names."""
    document = yaml.safe_load((ROOT / "profiles" / "clusters" / f"{cluster}.yaml").read_text(encoding="utf-8"))
    minor: str = document["spec"]["kubernetes"]
    return minor


def _indented(settings: Mapping[str, object]) -> str:
    if not settings:
        return ""
    return "".join(f"  {line}\n" for line in yaml.safe_dump(dict(settings)).splitlines())

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

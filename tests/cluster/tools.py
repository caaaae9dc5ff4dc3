"""kustomize and helm as programs."""

import subprocess
from pathlib import Path

from tests.cluster.build import tool_binary


def kustomize(folder: Path) -> str:
    """What ``kustomize build`` makes of a folder; ``AssertionError`` with its errors where it fails."""
    return _run("kustomize", "build", str(folder))


def helm_template(chart: Path, *values: Path, name: str = "release", **settings: str) -> str:
    """What ``helm template`` makes of a chart with files of values, and single ones."""
    files = [option for file in values for option in ("--values", str(file))]
    singles = [option for key, value in settings.items() for option in ("--set-string", f"{key}={value}")]
    return _run("helm", "template", name, str(chart), *files, *singles)


def _run(tool: str, *arguments: str) -> str:
    done = subprocess.run([tool_binary(tool), *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout

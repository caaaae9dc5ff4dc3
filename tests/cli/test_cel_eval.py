"""`cel eval`: JSON Lines in, JSON Lines out."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from claimsmith.cli.cel_eval import command

SLICE = """\
apiVersion: resource.k8s.io/v1
kind: ResourceSlice
metadata: {name: node-a}
spec:
  driver: gpu.example.com
  devices:
  - {name: gpu-0, attributes: {model: {string: H100}}}
  - {name: gpu-1}
"""


@pytest.fixture
def slices(tmp_path: Path) -> Path:
    (tmp_path / "a.yaml").write_text(SLICE)
    listed = {
        "kind": "ResourceSliceList",
        "items": [{"metadata": {"name": "b"}, "spec": {"driver": "x", "devices": [{"name": "d"}]}}],
    }
    (tmp_path / "b.json").write_text(json.dumps(listed))
    (tmp_path / "README.md").write_text("not a slice")
    return tmp_path


def _run(slices: Path, *lines: object, options: tuple[str, ...] = ()) -> Result:
    text = "\n".join(line if isinstance(line, str) else json.dumps(line) for line in lines)
    return CliRunner().invoke(command, ["--slices", str(slices), *options], input=text)


def test_a_line_for_each_line(slices: Path) -> None:
    result = _run(
        slices,
        {"id": 1, "expression": 'device.attributes["gpu.example.com"].model == "H100"'},
        {"id": "two", "expression": "device.nope"},
    )
    assert result.exit_code == 0, result.output
    first, second = map(json.loads, result.stdout.splitlines())
    assert first == {
        "id": 1,
        "matches": {
            "a.yaml:node-a/gpu-0": True,
            "a.yaml:node-a/gpu-1": "error: no such key: model",
            "b.json:b/d": "error: no such key: model",
        },
    }
    assert second["id"] == "two"
    assert second["error"].startswith("compilation failed: ERROR: <input>:1:7: undefined field 'nope'")


def test_minor_and_gates(slices: Path) -> None:
    question = {"id": 1, "expression": 'device.driver.includes("gpu.example.com")'}
    assert "error" in json.loads(_run(slices, question, options=("--kubernetes", "1.35")).stdout)
    options = ("--kubernetes", "1.36", "--feature-gates", "DRAListTypeAttributes=true")
    assert json.loads(_run(slices, question, options=options).stdout)["matches"]["a.yaml:node-a/gpu-0"] is True


@pytest.mark.parametrize("line", ["nonsense", "[]", '{"id": 1}', '{"id": 1, "expression": 2}'])
def test_wrong_input(slices: Path, line: str) -> None:
    result = _run(slices, line)
    assert result.exit_code == 2
    assert "line 1 is not" in result.stderr


def test_wrong_gates(slices: Path) -> None:
    for gates in ("x", "NoSuchGate=true"):
        assert _run(slices, options=("--feature-gates", gates)).exit_code == 2

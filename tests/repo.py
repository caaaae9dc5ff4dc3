"""Throw-away repositories: documents as YAML text, and the command line run over them."""

import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from click.testing import CliRunner

from claimsmith.cli import main

CLUSTER = """\
apiVersion: claimsmith/v1alpha1
kind: Cluster
metadata: {name: prod}
spec:
  kubernetes: "1.37"
  codegen: 1
  drivers:
  - name: gpu.nvidia.com
    release: 0.4.1
    featureGates: {NVMLDeviceHealthCheck: true}
    models: [H100-80GB, A100-80GB]
    partitions: {A100-80GB: [3g.40gb]}
  - name: dra.net
    release: 1.4.0
  nodePools:
  - {name: h100, nodeSelector: {pool: h100}, minSize: 1, models: [H100-80GB]}
  - {name: a100, nodeSelector: {pool: a100}, minSize: 1, models: [A100-80GB]}
"""

PROFILE = """\
apiVersion: claimsmith/v1alpha1
kind: TeamProfile
metadata: {name: vision}
spec:
  namespaces: [vision]
  claims:
  - name: trainer
    requests:
    - name: gpu
      driver: gpu.nvidia.com
      prefer:
      - {model: H100-80GB, count: 4}
      - {model: A100-80GB, count: 8}
      require: {memory: ">= 70Gi"}
  workloads:
  - name: trainer
    kind: Job
    claims: [trainer]
    elastic: true
"""

EVIDENCE = """\
apiVersion: claimsmith/v1alpha1
kind: Evidence
metadata: {name: vision-trainer-a100}
spec:
  team: vision
  workload: trainer
  driver: gpu.nvidia.com
  model: A100-80GB
  image: registry.example.com/vision/trainer@sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae
  date: "2026-11-02"
  checks: {starts: true}
"""

CLUSTER_FILE = "profiles/clusters/prod.yaml"
PROFILE_FILE = "profiles/teams/vision.yaml"

EVIDENCE_FILE = "profiles/evidence/vision.yaml"

DOCUMENTS: Mapping[str, str] = {CLUSTER_FILE: CLUSTER, PROFILE_FILE: PROFILE, EVIDENCE_FILE: EVIDENCE}
"""A small repository about which there is nothing to say."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a run of the command line left: its exit status and its two streams."""

    status: int
    stdout: str
    stderr: str

    @property
    def report(self) -> dict[str, Any]:
        """The JSON that it printed."""
        document: dict[str, Any] = json.loads(self.stdout)
        return document

    @property
    def findings(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.report["findings"]
        return found

    @property
    def rules(self) -> list[str]:
        return [finding["rule"] for finding in self.findings]


@dataclass(frozen=True, slots=True)
class Repo:
    root: Path

    def write(self, name: str, content: str | bytes) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def write_all(self, documents: Mapping[str, str]) -> None:
        for name, text in documents.items():
            self.write(name, text)

    def edit(self, name: str, old: str, new: str) -> None:
        """Replaces the one place in a file that reads ``old``."""
        text = (self.root / name).read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} is {text.count(old)} times in {name}"
        self.write(name, text.replace(old, new))

    def output(self) -> dict[str, bytes]:
        """Everything below the output directory."""
        folder = self.root / "output"
        return {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }

    def run(
        self,
        *arguments: str,
        stdin: str | bytes | None = None,
        folder: str = ".",
        environment: Mapping[str, str | None] | None = None,
    ) -> Run:
        """The command line in this process, in the repository."""
        with contextlib.chdir(self.root / folder):
            result = CliRunner().invoke(
                main, list(arguments), input=stdin, env=dict(environment or {}), catch_exceptions=False
            )
        return Run(result.exit_code, result.stdout, result.stderr)

    def spawn(
        self,
        *arguments: str,
        stdin: bytes | None = None,
        environment: Mapping[str, str] | None = None,
        python: Sequence[str] = (),
        timeout: float = 60,
    ) -> Run:
        """The command line in a process of its own; ``python`` are options of the interpreter."""
        done = subprocess.run(
            [
                sys.executable,
                *python,
                "-c",
                "from claimsmith.cli import main; main(prog_name='claimsmith')",
                *arguments,
            ],
            cwd=self.root,
            input=stdin,
            env={**os.environ, **(environment or {})},
            capture_output=True,
            timeout=timeout,
            check=False,
        )
        return Run(done.returncode, done.stdout.decode(), done.stderr.decode())

"""How long a compile takes: ``python -m tests.bench [NUMBER OF PROFILES]...``.

Each size is compiled twice in fresh processes, from nothing and with nothing to do, and set against a program
that only reads the same profiles with PyYAML's C loader and writes them again.
"""

import os
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

SIZES = (500, 2_000, 8_000)

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
  nodePools:
  - {name: h100, nodeSelector: {pool: h100}, minSize: 1, models: [H100-80GB]}
  - {name: a100, nodeSelector: {pool: a100}, minSize: 1, models: [A100-80GB]}
"""

PROFILE = """\
apiVersion: claimsmith/v1alpha1
kind: TeamProfile
metadata: {{name: {team}}}
spec:
  namespaces: [{team}]
  claims:
  - name: trainer
    requests:
    - name: gpu
      driver: gpu.nvidia.com
      prefer:
      - {{model: H100-80GB, count: 4}}
      - {{model: A100-80GB, count: 8}}
      require: {{memory: ">= 70Gi", driverVersion: ">= 570.0.0", architecture: [Ampere, Hopper]}}
  workloads:
  - name: trainer
    kind: Job
    claims: [trainer]
    image: {image}
    elastic: true
    lifecycle: {{maxRetries: 3, activeDeadline: 24h, ttlAfterFinished: 1h}}
"""

EVIDENCE = """\
apiVersion: claimsmith/v1alpha1
kind: Evidence
metadata: {{name: {team}-a100}}
spec:
  team: {team}
  workload: trainer
  driver: gpu.nvidia.com
  model: A100-80GB
  image: {image}
  date: "2026-11-02"
  checks: {{starts: true, operators: true, peakMemory: 61Gi, throughput: 0.48}}
"""

IMAGE = f"registry.example.com/app@sha256:{'0' * 64}"

BASELINE = """\
import sys
from pathlib import Path
import yaml
source, target = map(Path, sys.argv[1:])
target.mkdir()
for path in sorted(source.rglob("*.yaml")):
    document = yaml.load(path.read_bytes(), yaml.CSafeLoader)
    (target / f"{path.parent.name}-{path.name}").write_bytes(yaml.dump(document, Dumper=yaml.CSafeDumper, encoding="utf-8"))
"""

COMPILE = "from claimsmith.cli import main; main(prog_name='claimsmith')"


@dataclass(frozen=True, slots=True)
class Cost:
    seconds: float
    peak_mib: float


def write_profiles(root: Path, count: int) -> None:
    for folder in ("clusters", "teams", "evidence"):
        (root / "profiles" / folder).mkdir(parents=True)
    (root / "profiles/clusters/prod.yaml").write_text(CLUSTER, encoding="utf-8")
    for number in range(count):
        team = f"team-{number:05}"
        for folder, text in (("teams", PROFILE), ("evidence", EVIDENCE)):
            path = root / "profiles" / folder / f"{team}.yaml"
            path.write_text(text.format(team=team, image=IMAGE), encoding="utf-8")


def measure(root: Path, *arguments: str) -> Cost:
    """Runs Python once; ``RuntimeError`` with what it said if it fails."""
    with tempfile.TemporaryFile() as said:
        start = time.perf_counter()
        process = subprocess.Popen([sys.executable, *arguments], cwd=root, stdout=said, stderr=subprocess.STDOUT)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            said.seek(0)
            raise RuntimeError(said.read().decode()[-2000:])
    scale = 1024 * 1024 if sys.platform == "darwin" else 1024
    return Cost(seconds, usage.ru_maxrss / scale)


def count_objects(root: Path) -> int:
    """Kubernetes objects of the output, Kustomize's own left out."""
    made = [
        *(root / "output").rglob("resourceclaimtemplates.yaml"),
        *(root / "output").rglob("platform/deviceclasses.yaml"),
    ]
    return sum(path.read_text(encoding="utf-8").count("\nkind: ") for path in made)


def say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main(sizes: tuple[int, ...]) -> None:
    head = f"{'profiles':>8} {'run':<16} {'wall s':>8} {'ms/profile':>11} {'peak MiB':>9} {'objects/s':>10} {'x baseline':>11}"
    say(head)
    per_profile = []
    for size in sizes:
        with tempfile.TemporaryDirectory(prefix="claimsmith-bench-") as folder:
            root = Path(folder)
            write_profiles(root, size)
            baseline = measure(root, "-c", BASELINE, "profiles", "baseline")
            compiled = measure(root, "-c", COMPILE, "compile")
            objects = count_objects(root)
            again = measure(root, "-c", COMPILE, "compile", "--check")
        per_profile.append(again.seconds / size)
        for name, cost, rate in (
            ("read and dump", baseline, ""),
            ("compile", compiled, f"{objects / compiled.seconds:.0f}"),
            ("compile --check", again, ""),
        ):
            row = (
                f"{size:>8} {name:<16} {cost.seconds:>8.2f} {1000 * cost.seconds / size:>11.3f} "
                f"{cost.peak_mib:>9.1f} {rate:>10} {cost.seconds / baseline.seconds:>11.1f}"
            )
            say(row)
    if len(per_profile) > 1:
        growth = per_profile[-1] / per_profile[0]
        verdict = "linear" if growth < 1.3 else "more than linear"
        say(f"seconds per profile, without the disk, at {sizes[-1]} against {sizes[0]}: x{growth:.2f} ({verdict})")


if __name__ == "__main__":
    main(tuple(map(int, sys.argv[1:])) or SIZES)

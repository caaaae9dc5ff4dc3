"""A small company of one team and one cluster, whose claim prefers one H100 and falls back to two A100."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.cluster.client import Object
from tests.cluster.cluster import Cluster
from tests.cluster.emitted import read_output
from tests.cluster.fleet import Devices, FleetNode, device_uuid
from tests.cluster.workload import job, pod, read_values
from tests.repo import Repo

TEAM = "vision"
WORKLOAD = "trainer"
PREFERRED, FALLBACK = "gpu/h100-80gb", "gpu/a100-80gb"
FALLBACK_COUNT = 2

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
      - {model: H100-80GB, count: 1}
      - {model: A100-80GB, count: 2}
      require: {memory: ">= 70Gi"}
  workloads:
  - name: trainer
    kind: Job
    claims: [trainer]
    elastic: true
    lifecycle: {maxRetries: 0}
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

CLUSTER = """\
apiVersion: claimsmith/v1alpha1
kind: Cluster
metadata: {{name: test}}
spec:
  kubernetes: "{minor}"
  codegen: 1
  featureGates: {{{gates}}}
  runtimeConfig: {{{runtime_config}}}
  drivers:
  - name: gpu.nvidia.com
    release: 0.4.1
    models: [H100-80GB, A100-80GB]
    partitions: {{A100-80GB: [3g.40gb]}}
  nodePools:
  - {{name: h100, nodeSelector: {{example.com/pool: h100}}, minSize: 1, models: [H100-80GB]}}
  - {{name: a100, nodeSelector: {{example.com/pool: a100}}, minSize: 1, models: [A100-80GB]}}
  quarantine: {quarantine}
{more}"""

SAME_MODEL = PROFILE.replace("elastic: true\n", "elastic: true\n    pods: 2\n    sameModel: template-per-model\n")
"""The same for two Pods that must be on one model."""

RULES_ON_1_36 = ("DRADeviceTaintRules",), ("resource.k8s.io/v1beta2",)
"""The gates and served versions with which 1.36 obeys a DeviceTaintRule."""


@dataclass(frozen=True, slots=True)
class Company:
    """The documents of a scenario; ``sick`` are devices in quarantine, as (node, number) of a fleet's node."""

    minor: str
    sick: Sequence[tuple[str, int]] = ()
    quarantine: str = "auto"
    gates: Sequence[str] = ()
    runtime_config: Sequence[str] = ()
    profile: str = PROFILE
    more: str = ""
    effect: str = "NoSchedule"
    same_model: bool = False

    def documents(self) -> dict[str, str]:
        cluster = CLUSTER.format(
            minor=self.minor,
            gates=", ".join(f"{gate}: true" for gate in self.gates),
            runtime_config=", ".join(f"{version}: true" for version in self.runtime_config),
            quarantine=self.quarantine,
            more=self.more,
        )
        documents = {
            "profiles/clusters/test.yaml": cluster,
            "profiles/teams/vision.yaml": SAME_MODEL if self.same_model else self.profile,
            "profiles/evidence/vision.yaml": EVIDENCE,
        }
        if self.sick:
            documents["profiles/quarantines/test.yaml"] = self._quarantine()
        return documents

    def _quarantine(self) -> str:
        devices = "".join(
            f"  - {{driver: gpu.nvidia.com, pool: {node}, device: gpu-{number}, uuid: {device_uuid(node, number)}}}\n"
            for node, number in self.sick
        )
        return (
            "apiVersion: claimsmith/v1alpha1\nkind: Quarantine\nmetadata: {name: sick}\nspec:\n"
            f"  clusters: [test]\n  devices:\n{devices}  effect: {self.effect}\n  reason: XID 79\n  ticket: https://tickets.example.com/1\n"
        )

    def write(self, root: Path) -> Repo:
        """A repository of the documents."""
        repo = Repo(root)
        root.mkdir(parents=True, exist_ok=True)
        stale = root / "profiles" / "quarantines" / "test.yaml"
        stale.unlink(missing_ok=True)
        repo.write_all(self.documents())
        return repo

    def compile(self, root: Path) -> Path:
        """The folder of the cluster's output; the compiler must have nothing against it."""
        run = self.write(root).run("compile")
        assert run.status == 0, run.stdout + run.stderr
        return root / "output" / "test"


def objects_of(folder: Path) -> list[Object]:
    """The objects of an output, in the order of a sync."""
    return [each.document for each in read_output(folder)]


def h100_node(name: str = "h100-00", count: int = 1, *, extra: Sequence[Devices] = ()) -> FleetNode:
    """A node of the preferred pool, with devices of other kinds after those of the model."""
    return FleetNode(name, "h100", [Devices(count, "H100-80GB"), *extra])


def a100_node(name: str = "a100-00", count: int = 4, *, extra: Sequence[Devices] = ()) -> FleetNode:
    """A node of the fallback's pool."""
    return FleetNode(name, "a100", [Devices(count, "A100-80GB"), *extra])


class Scenario:
    """A company's output synced to a cluster with a fleet."""

    def __init__(self, cluster: Cluster, company: Company, root: Path, *nodes: FleetNode) -> None:
        self.cluster = cluster
        self._root = root
        self.sync(company)
        cluster.fleet(*nodes)

    def sync(self, company: Company) -> None:
        """Compiles the documents and syncs what came of them; what is no longer there is deleted."""
        before = {_key(each): each for each in getattr(self, "objects", ())}
        self.company = company
        self.folder = company.compile(self._root)
        self.objects = objects_of(self.folder)
        self.cluster.apply_all(self.objects)
        for key in before.keys() - {_key(each) for each in self.objects}:
            gone = before[key]
            metadata = gone["metadata"]
            self.cluster.api.delete(self.cluster.api.kind_of(gone), metadata["name"], metadata.get("namespace"))

    @property
    def values(self) -> Object:
        """The values of the workload."""
        return self.values_of(WORKLOAD)

    def values_of(self, workload: str) -> Object:
        """The values of ``trainer``, or of ``trainer.h100-80gb`` where there are some for each alternative."""
        return read_values(self.folder, TEAM, workload)

    def start(
        self, name: str = "trainer", *, workload: str = WORKLOAD, affinity: bool = True, **fields: object
    ) -> Object:
        """The Pod of a new Job of the workload."""
        made = self.cluster.api.create(job(self.values_of(workload), TEAM, name, affinity=affinity, **fields))
        return self.cluster.pod_of(made)

    def start_pod(self, name: str = "trainer", *, affinity: bool = True) -> Object:
        """A Pod of the workload without a Job."""
        return self.cluster.api.create(pod(self.values, TEAM, name, affinity=affinity))

    def requests(self, started: Object) -> list[str]:
        """The requests that the devices of a Pod were given for, when it has a node."""
        self.cluster.placed(started)
        return [each.request for each in self.cluster.granted(started)]


def _key(document: Object) -> tuple[str, str | None, str]:
    return document["kind"], document["metadata"].get("namespace"), document["metadata"]["name"]

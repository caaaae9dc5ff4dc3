"""Random edits of a repository, each of which leaves one that compiles."""

import random
from dataclasses import dataclass, field

from tests.repo import Repo

MINORS = ("1.34", "1.35", "1.36", "1.37")
MODELS = ("Alpha", "Beta")
DRIVER = """\
apiVersion: claimsmith/v1alpha1
kind: DriverSchema
metadata: {name: accel.example.com}
spec:
  repository: https://example.com/accel
  source: {commit: "abc"}
  open: false
  publishesUnqualified: true
  releases: [{version: "1.0.0", date: "2025-01-01"}]
  unreleased: false
  identity: accel.example.com/uuid
  modelAttribute: accel.example.com/model
  deviceTypes:
  - id: board
    attributes:
    - {name: accel.example.com/uuid, type: string, presence: always}
    - {name: accel.example.com/model, type: string, presence: always}
  models:
  - {name: Alpha, deviceType: board, products: [{name: "Alpha 1"}]}
  - {name: Beta, deviceType: board, products: [{name: "Beta 1"}]}
"""
"""A small driver, since the schema is read anew by every compile."""


@dataclass
class Team:
    """Namespaces; claims with the count of each model; clusters."""

    namespaces: list[str]
    claims: dict[str, tuple[int, int]]
    clusters: list[str]
    same_model: bool = False


@dataclass
class Edits:
    """The state of a repository of two clusters and one team, and the edits ``made`` so far."""

    chance: random.Random
    repo: Repo
    minors: dict[str, str] = field(default_factory=lambda: {"prod": "1.37", "lab": "1.36"})
    teams: dict[str, Team] = field(
        default_factory=lambda: {"vision": Team(["vision"], {"trainer": (4, 8)}, ["prod", "lab"])}
    )
    quarantined: list[int] = field(default_factory=list)
    undone: list[tuple[str, str, tuple[int, int]]] = field(default_factory=list)
    made: list[str] = field(default_factory=list)
    serial: int = 0

    def make(self) -> None:
        """One more edit, written to the repository."""
        edits = [
            self.edit_claim,
            self.edit_claim,
            self.edit_claim,
            self.revert,
            self.add_claim,
            self.remove_claim,
            self.rename_claim,
            self.add_namespace,
            self.remove_namespace,
            self.add_team,
            self.remove_team,
            self.change_clusters,
            self.change_kubernetes,
            self.quarantine,
            self.one_model,
        ]
        edit = self.chance.choice(edits)
        edit()
        self.made.append(edit.__name__)
        self.write()

    def namespaces(self) -> set[tuple[str, str, str]]:
        """Cluster, team and namespace of everything that templates are made for."""
        return {
            (cluster, name, namespace)
            for name, team in self.teams.items()
            for cluster in team.clusters
            for namespace in team.namespaces
        }

    def team(self) -> tuple[str, Team]:
        return self.chance.choice(sorted(self.teams.items(), key=lambda each: each[0]))

    def fresh(self, prefix: str) -> str:
        self.serial += 1
        return f"{prefix}{self.serial}"

    def edit_claim(self) -> None:
        name, team = self.team()
        claim = self.chance.choice(sorted(team.claims))
        self.undone.append((name, claim, team.claims[claim]))
        team.claims[claim] = (self.chance.randint(1, 4), self.chance.randint(1, 8))

    def revert(self) -> None:
        if self.undone:
            name, claim, counts = self.undone.pop()
            if name in self.teams and claim in self.teams[name].claims:
                self.teams[name].claims[claim] = counts

    def add_claim(self) -> None:
        _, team = self.team()
        if len(team.claims) < 3:
            team.claims[self.fresh("claim")] = (1, 2)

    def remove_claim(self) -> None:
        _, team = self.team()
        if len(team.claims) > 1:
            del team.claims[self.chance.choice(sorted(team.claims))]

    def rename_claim(self) -> None:
        _, team = self.team()
        team.claims[self.fresh("renamed")] = team.claims.pop(self.chance.choice(sorted(team.claims)))

    def add_namespace(self) -> None:
        name, team = self.team()
        if len(team.namespaces) < 3:
            team.namespaces.append(self.fresh(f"{name}-"))

    def remove_namespace(self) -> None:
        _, team = self.team()
        if len(team.namespaces) > 1:
            team.namespaces.pop(self.chance.randrange(len(team.namespaces)))

    def add_team(self) -> None:
        name = self.fresh("team")
        if len(self.teams) < 3:
            self.teams[name] = Team([name], {"gpu": (1, 1)}, ["prod"])

    def remove_team(self) -> None:
        if len(self.teams) > 1:
            del self.teams[self.team()[0]]

    def change_clusters(self) -> None:
        _, team = self.team()
        team.clusters = self.chance.choice([["prod"], ["lab"], ["prod", "lab"]])

    def change_kubernetes(self) -> None:
        self.minors[self.chance.choice(sorted(self.minors))] = self.chance.choice(MINORS)

    def quarantine(self) -> None:
        if self.quarantined and self.chance.random() < 0.5:
            self.quarantined.pop()
        else:
            self.quarantined.append(self.chance.randrange(1000))

    def one_model(self) -> None:
        _, team = self.team()
        team.same_model = not team.same_model

    def write(self) -> None:
        for old in (self.repo.root / "profiles").rglob("*.yaml"):
            old.unlink()
        self.repo.write("profiles/schemas/accel.yaml", DRIVER)
        for cluster, minor in self.minors.items():
            self.repo.write(f"profiles/clusters/{cluster}.yaml", _cluster(cluster, minor))
        for name, team in self.teams.items():
            self.repo.write(f"profiles/teams/{name}.yaml", _profile(name, team))
            evidence = "---\n".join(_evidence(name, claim) for claim in team.claims)
            self.repo.write(f"profiles/evidence/{name}.yaml", evidence)
        if self.quarantined:
            devices = "".join(
                f"  - {{driver: accel.example.com, pool: node-{each}, device: gpu-0, uuid: GPU-{each:04}}}\n"
                for each in dict.fromkeys(self.quarantined)
            )
            head = "apiVersion: claimsmith/v1alpha1\nkind: Quarantine\nmetadata: {name: sick}\nspec:\n"
            self.repo.write("profiles/quarantines/sick.yaml", f"{head}  reason: sick\n  devices:\n{devices}")


def _cluster(name: str, minor: str) -> str:
    return f"""\
apiVersion: claimsmith/v1alpha1
kind: Cluster
metadata: {{name: {name}}}
spec:
  kubernetes: "{minor}"
  codegen: 1
  drivers: [{{name: accel.example.com, release: 1.0.0, models: [{", ".join(MODELS)}]}}]
"""


def _profile(name: str, team: Team) -> str:
    claims = "".join(
        f"  - name: {claim}\n    requests:\n    - name: gpu\n      prefer:\n"
        f"      - {{model: {MODELS[0]}, count: {first}}}\n      - {{model: {MODELS[1]}, count: {second}}}\n"
        "      tolerate: [{key: example.com/dedicated, operator: Exists, effect: NoSchedule}]\n"
        for claim, (first, second) in team.claims.items()
    )
    same = ", pods: 2, sameModel: template-per-model" if team.same_model else ""
    workloads = "".join(
        f"  - {{name: {claim}, kind: Job, claims: [{claim}], elastic: true{same}}}\n" for claim in team.claims
    )
    return f"""\
apiVersion: claimsmith/v1alpha1
kind: TeamProfile
metadata: {{name: {name}}}
spec:
  namespaces: [{", ".join(team.namespaces)}]
  clusters: [{", ".join(team.clusters)}]
  claims:
{claims}  workloads:
{workloads}"""


def _evidence(team: str, workload: str) -> str:
    digest = "2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
    return f"""\
apiVersion: claimsmith/v1alpha1
kind: Evidence
metadata: {{name: {team}-{workload}}}
spec:
  team: {team}
  workload: {workload}
  driver: accel.example.com
  model: {MODELS[1]}
  image: registry.example.com/trainer@sha256:{digest}
  date: "2026-11-02"
  checks: {{starts: true}}
"""

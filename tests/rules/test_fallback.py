"""CS8xx: whether a workload really runs on what it may get."""

import re
from datetime import date, timedelta

import pytest

from claimsmith.rules import rule
from claimsmith.workflow.build import build
from claimsmith.workflow.compile import Options
from claimsmith.workflow.repository import read_repository
from tests.repo import EVIDENCE_FILE, PROFILE_FILE, Repo
from tests.rules.cases import (
    IMAGE,
    OTHER_IMAGE,
    PROD,
    Scene,
    assert_not_told,
    assert_told,
    cluster,
    evidence,
    profile,
    title,
)
from tests.rules.test_findings import LIST, REQUIRE, Said

HARD = "make H100-80GB a hard constraint: keep it as the only entry of `prefer`"
A100 = ("{model: A100-80GB, count: 8}", "{model: ‹A100-80GB›, count: 8}")
H100_ALONE = ("      - {model: A100-80GB, count: 8}\n", "")
SECOND_LIST = (
    REQUIRE,
    REQUIRE
    + "    - name: small\n      driver: gpu.nvidia.com\n      prefer: [{model: H100-80GB}, {model: A100-80GB}]\n",
)


def workload(*lines: str) -> tuple[str, str]:
    """Further fields of the workload."""
    return "    elastic: true\n", "    elastic: true\n" + "".join(f"    {line}\n" for line in lines)


def need(of: str, has: str, mend: str = HARD, field: str = "prefer[1]") -> Said:
    return Said(
        f"workload `trainer` needs {of}, and A100-80GB {has}", mend, f"spec.claims[0].requests[0].{field}.model", PROD
    )


SCENES = [
    Scene(
        "CS801",
        evidence(("model: A100-80GB", "model: A100-40GB")) | profile(A100),
        evidence(("model: A100-80GB", "model: a100-80gb")),
        Said(
            "nothing shows that workload `trainer` runs on its fallback A100-80GB",
            "run it there once and add an Evidence document, or keep one entry in `prefer`",
            "spec.claims[0].requests[0].prefer[1].model",
            PROD,
        ),
    ),
    Scene(
        "CS801",
        profile(("model: A100-80GB, count: 8", "model: ‹A100-80GB›, partition: 3g.40gb, count: 8"), (REQUIRE, "")),
        evidence(("  model: A100-80GB\n", "  model: A100-80GB\n  partition: 3g.40gb\n")),
        Said(
            "nothing shows that workload `trainer` runs on its fallback A100-80GB 3g.40gb",
            "run it there once and add an Evidence document, or keep one entry in `prefer`",
            "spec.claims[0].requests[0].prefer[1].model",
            PROD,
        ),
        name="of a partition",
    ),
    Scene(
        "CS802",
        profile(A100, workload(f"image: {OTHER_IMAGE}")),
        profile(workload(f"image: {IMAGE.replace('registry', 'mirror')}")),
        Said(
            "the evidence for A100-80GB (`vision-trainer-a100`) is of another image: "
            "sha256:2c26b46b68ff and not sha256:fcde2b2edba5",
            "run the present image on A100-80GB and renew the evidence",
            "spec.claims[0].requests[0].prefer[1].model",
            PROD,
        ),
    ),
    Scene(
        "CS802",
        profile(A100, workload("image: registry.example.com/vision/trainer:v1")),
        profile(),
        Said(
            "the evidence for A100-80GB (`vision-trainer-a100`) is of another image: "
            "sha256:2c26b46b68ff and not `registry.example.com/vision/trainer:v1`, which is not named by digest",
            "run the present image on A100-80GB and renew the evidence",
            "spec.claims[0].requests[0].prefer[1].model",
            PROD,
        ),
        name="not named by digest",
    ),
    Scene(
        "CS804",
        evidence(("{starts: true}", "{starts: true, operators: false}")) | profile(A100),
        evidence(("{starts: true}", "{starts: true, operators: true}")),
        Said(
            "the evidence for A100-80GB (`vision-trainer-a100`) says that workload `trainer` does not run there: operators",
            "take A100-80GB out of `prefer`, or renew the evidence",
            "spec.claims[0].requests[0].prefer[1].model",
            PROD,
        ),
    ),
    Scene(
        "CS805",
        evidence(("workload: trainer", "workload: ‹trainr›")) | profile(H100_ALONE),
        evidence(),
        Said(
            "this evidence is of nothing that a profile names: team `vision` has no workload `trainr`",
            field="spec.workload",
        ),
    ),
    Scene(
        "CS805",
        evidence(("team: vision", "team: ‹visoin›")) | profile(H100_ALONE),
        evidence(),
        Said("this evidence is of nothing that a profile names: there is no team `visoin`", field="spec.team"),
        name="team",
    ),
    Scene(
        "CS806",
        profile(A100, workload("needs: {precisions: [bf16, fp8]}")),
        profile(H100_ALONE, workload("needs: {precisions: [bf16, fp8]}")),
        need("fp8", "does not compute in it"),
        name="fp8",
    ),
    Scene(
        "CS806",
        profile(A100, workload('needs: {computeCapability: ["9.0"]}')),
        profile(workload('needs: {computeCapability: ["8.0", "9.0"]}')),
        need("compute capability 9.0, for which its image was built", "has 8.0"),
        name="image for 9.0 only",
    ),
    Scene(
        "CS806",
        profile(
            ("{model: A100-80GB, count: 8}", "{model: ‹A100-80GB›, partition: 3g.40gb, count: 8}"),
            (REQUIRE, ""),
            workload("needs: {memory: 60Gi}"),
        )
        | evidence(("  model: A100-80GB\n", "  model: A100-80GB\n  partition: 3g.40gb\n")),
        profile(workload("needs: {memory: 60Gi}")) | evidence(),
        Said(
            "workload `trainer` needs 60Gi of memory per device, and A100-80GB 3g.40gb has 40192Mi",
            HARD,
            "spec.claims[0].requests[0].prefer[1].model",
            PROD,
        ),
        name="memory",
    ),
    Scene(
        "CS806",
        profile(
            ("{model: H100-80GB, count: 4}", "{model: ‹A100-80GB›, count: 4}"),
            H100_ALONE,
            workload("needs: {precisions: [fp8]}"),
        ),
        profile(H100_ALONE, workload("needs: {precisions: [fp8]}")),
        need("fp8", "does not compute in it", "name another model", "prefer[0]"),
        name="first choice",
    ),
    Scene(
        "CS807",
        profile(("prefer:\n" + LIST, f"prefer:\n      ‹{LIST.strip()}›\n"), ("    elastic: true\n", "")),
        profile(("count: 8", "count: 4"), ("    elastic: true\n", "")),
        Said(
            "the entries of request `gpu` have different counts (4, 8), and workload `trainer` is not elastic",
            "set `elastic: true` once the program adapts to the number of devices it finds",
            "spec.claims[0].requests[0].prefer",
            PROD,
        ),
    ),
    Scene(
        "CS807",
        profile(
            ("prefer:\n" + LIST, f"prefer:\n      ‹{LIST.strip().replace('count: 4', 'count: all')}›\n"),
            ("    elastic: true\n", ""),
        ),
        profile(("prefer:\n" + LIST, "prefer:\n      - {model: H100-80GB, count: all}\n"), ("    elastic: true\n", "")),
        Said(
            "the entries of request `gpu` have different counts (all, 8), and workload `trainer` is not elastic",
            "set `elastic: true` once the program adapts to the number of devices it finds",
            "spec.claims[0].requests[0].prefer",
            PROD,
        ),
        beside=frozenset({"CS152"}),
        name="all of a node",
    ),
    Scene(
        "CS808",
        profile(workload("pods: ‹4›")),
        profile(workload("pods: 4", "sameModel: template-per-model")),
        Said(
            "the 4 Pods of workload `trainer` may get different models: each claim chooses on its own",
            "set `sameModel: template-per-model`, or `sameModel: refuse` and keep one entry in `prefer`",
            "spec.workloads[0].pods",
            PROD,
        ),
    ),
    Scene(
        "CS809",
        profile(workload("pods: 4", "sameModel: ‹refuse›")),
        profile(H100_ALONE, workload("pods: 4", "sameModel: refuse")),
        Said(
            "workload `trainer` refuses different models, and request `gpu` has 2 alternatives",
            "keep one entry in `prefer`, or set `sameModel: template-per-model`",
            "spec.workloads[0].sameModel",
            PROD,
        ),
    ),
    Scene(
        "CS811",
        profile(SECOND_LIST, workload("pods: 2", "sameModel: ‹template-per-model›")),
        profile(workload("pods: 2", "sameModel: template-per-model")),
        Said(
            "`sameModel: template-per-model` takes one list in all of a workload's claims, and there are 2",
            "keep one request with several entries in `prefer`",
            "spec.workloads[0].sameModel",
            PROD,
        ),
    ),
]


@pytest.mark.parametrize("scene", SCENES, ids=title)
def test_what_the_reader_is_told(scene: Scene, repo: Repo) -> None:
    assert_told(repo, scene)


@pytest.mark.parametrize("scene", SCENES, ids=title)
def test_its_good_twin(scene: Scene, repo: Repo) -> None:
    assert_not_told(repo, scene)


def old(repo: Repo, days: int) -> list[tuple[str, str, int, int]]:
    """The findings about evidence of 2026-11-02 after some days, on a cluster that wants at most 180."""
    repo.write_all(cluster(settings="evidence: {maxAge: 180d}"))
    options = Options(today=date(2026, 11, 2) + timedelta(days=days))
    done = build(read_repository(repo.root), repo.root / "output", options, write=False)
    return [
        (each.rule, rule(each.rule).render_message(each.data), each.position.line, each.position.column)
        for each in done.findings
        if each.rule == "CS803"
    ]


def test_old_evidence(repo: Repo) -> None:
    """CS803, by the day on which one looks."""
    assert old(repo, 180) == []
    message = "the evidence for A100-80GB (`vision-trainer-a100`) is 181 days old, and the cluster wants at most 180d"
    assert old(repo, 181) == [("CS803", message, 13, 17)]


def test_old_evidence_as_the_reader_sees_it(repo: Repo) -> None:
    repo.write_all(cluster(settings="evidence: {maxAge: 180d}") | evidence(("2026-11-02", "2020-01-01")))
    [finding] = repo.run("check", "--format", "json").findings
    assert re.fullmatch(
        r"the evidence for A100-80GB \(`vision-trainer-a100`\) is \d{4} days old, and the cluster wants at most 180d",
        finding.pop("message"),
    )
    assert finding == {
        "rule": "CS803",
        "severity": "warning",
        "consequence": "unsafe",
        "help": "run the workload on A100-80GB again and renew the evidence",
        "file": PROFILE_FILE,
        "line": 13,
        "column": 17,
        "endLine": 13,
        "endColumn": 26,
        "path": None,
        "field": "spec.claims[0].requests[0].prefer[1].model",
        "clusters": ["prod"],
    }


class TestWhichEvidenceCounts:
    """Several documents of one fallback: that of the present image first, then the latest."""

    def rules(self, repo: Repo, first: dict[str, str], second: dict[str, str]) -> list[str]:
        [one], [two] = first.values(), second.values()
        repo.write(EVIDENCE_FILE, one)
        repo.write("profiles/evidence/more.yaml", two.replace("name: vision-trainer-a100", "name: more"))
        repo.write_all(profile(workload(f"image: {IMAGE}")))
        return repo.run("check", "--format", "json").rules

    def test_the_latest(self, repo: Repo) -> None:
        failed = evidence(("starts: true", "starts: false"), ("2026-11-02", "2026-11-01"))
        assert self.rules(repo, failed, evidence()) == []
        failed = evidence(("starts: true", "starts: false"), ("2026-11-02", "2026-11-03"))
        assert self.rules(repo, failed, evidence()) == ["CS804"]

    def test_the_present_image(self, repo: Repo) -> None:
        later = evidence((IMAGE, OTHER_IMAGE), ("2026-11-02", "2026-11-20"))
        assert self.rules(repo, later, evidence()) == []


def test_the_first_choice_needs_no_evidence(repo: Repo) -> None:
    (repo.root / EVIDENCE_FILE).unlink()
    repo.write_all(profile(H100_ALONE))
    assert repo.run("check", "--format", "json").rules == []


def test_images_run_on_later_minors_of_their_capability_only(repo: Repo) -> None:
    """Code for 8.0 runs on 8.9, code for 8.6 does not run on 8.0."""
    repo.write_all(profile(workload('needs: {computeCapability: ["8.6", "9.0"]}')))
    assert repo.run("check", "--format", "json").rules == ["CS806"]


TEXT = {
    "fp8": (
        profile(workload("needs: {precisions: [fp8]}")),
        "profiles/teams/vision.yaml:13:17: error[CS806] workload `trainer` needs fp8, and A100-80GB does not compute in it\n"
        "  13 |       - {model: A100-80GB, count: 8}\n"
        "     |                 ^^^^^^^^^\n"
        f"  help: {HARD}\n"
        "  unsafe, prod at spec.claims[0].requests[0].prefer[1].model: ",
    ),
    "9.0 only": (
        profile(workload('needs: {computeCapability: ["9.0"]}')),
        "profiles/teams/vision.yaml:13:17: error[CS806] workload `trainer` needs compute capability 9.0, for which its image "
        "was built, and A100-80GB has 8.0\n"
        "  13 |       - {model: A100-80GB, count: 8}\n"
        "     |                 ^^^^^^^^^\n"
        f"  help: {HARD}\n"
        "  unsafe, prod at spec.claims[0].requests[0].prefer[1].model: ",
    ),
    "no evidence": (
        evidence(("model: A100-80GB", "model: A100-40GB")),
        "profiles/teams/vision.yaml:13:17: error[CS801] nothing shows that workload `trainer` runs on its fallback A100-80GB\n"
        "  13 |       - {model: A100-80GB, count: 8}\n"
        "     |                 ^^^^^^^^^\n"
        "  help: run it there once and add an Evidence document, or keep one entry in `prefer`\n"
        "  invalid, prod at spec.claims[0].requests[0].prefer[1].model: ",
    ),
    "another image": (
        profile(workload(f"image: {OTHER_IMAGE}")),
        "profiles/teams/vision.yaml:13:17: warning[CS802] the evidence for A100-80GB (`vision-trainer-a100`) is of another "
        "image: sha256:2c26b46b68ff and not sha256:fcde2b2edba5\n"
        "  13 |       - {model: A100-80GB, count: 8}\n"
        "     |                 ^^^^^^^^^\n"
        "  help: run the present image on A100-80GB and renew the evidence\n"
        "  unsafe, prod at spec.claims[0].requests[0].prefer[1].model: ",
    ),
    "80Gi and the H100": (
        profile(('">= 70Gi"', '">= 80Gi"')),
        "profiles/teams/vision.yaml:14:25: error[CS502] `memory` >= 80Gi excludes H100-80GB, which has 81559Mi\n"
        '  14 |       require: {memory: ">= 80Gi"}\n'
        "     |                         ^^^^^^^^^\n"
        '  help: write ">= 79Gi" to include it\n'
        "  never-matches, prod at spec.claims[0].requests[0].require.memory: ",
    ),
}


@pytest.mark.parametrize(("documents", "block"), list(TEXT.values()), ids=list(TEXT))
def test_in_text(documents: dict[str, str], block: str, repo: Repo) -> None:
    repo.write_all(documents)
    result = repo.run("check")
    assert result.status == 1
    assert result.stdout.startswith(block), result.stdout

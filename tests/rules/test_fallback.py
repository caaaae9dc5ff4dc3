"""CS8xx: whether a workload really runs on what it may get."""

from datetime import date, timedelta

import pytest

from claimsmith.workflow.compile import Options
from claimsmith.workflow.build import build
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
    REQUIRE + "    - name: small\n      driver: gpu.nvidia.com\n      prefer: [{model: H100-80GB}, {model: A100-80GB}]\n",
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
        evidence(("workload: trainer", "workload: tuner"))
        | profile(A100, workload("- {name: tuner, kind: Job, claims: [trainer], elastic: true}".replace("- ", "", 0)))
        if False
        else profile(("model: A100-80GB, count: 8", "model: ‹A100-80GB›, partition: 3g.40gb, count: 8"), (REQUIRE, "")),
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
        profile(("{model: A100-80GB, count: 8}", "{model: ‹A100-80GB›, count: 8}"), (REQUIRE, ""), workload("needs: {memory: 80.5Gi}"))
        if False
        else profile(
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
        profile(("{model: H100-80GB, count: 4}", "{model: ‹A100-80GB›, count: 4}"), H100_ALONE, workload("needs: {precisions: [fp8]}")),
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

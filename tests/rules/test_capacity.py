"""CS720 to CS729, CS740: quotas, reservations, shared namespaces and node pools that are empty."""

import pytest

from tests.repo import EVIDENCE, Repo
from tests.rules.cases import (
    PROD,
    RESERVATION_FILE,
    Scene,
    assert_not_told,
    assert_told,
    change,
    cluster,
    profile,
    reservation,
    title,
)
from tests.rules.test_findings import LIST, Said

OF_THE_OTHERS = "take this entry out on this cluster; as long as it is there, not even the other entries can be had"
RAISE = "raise the quota, or take the entry out: Kubernetes charges every class that a list names"
MODEL = ("{model: H100-80GB, count: 4}", "{model: ‹H100-80GB›, count: 4}")
ONLY_A100 = (LIST, "      - {model: A100-80GB, count: 8}\n")


def second(claim: str) -> tuple[str, str]:
    """A second claim, and the workload that uses it."""
    return (
        "  workloads:\n  - name: trainer\n",
        f"  - {claim}\n  workloads:\n  - {{name: other, kind: Pod, claims: [other]}}\n  - name: trainer\n",
    )


def zoo(namespaces: str) -> dict[str, str]:
    """A team beside ``vision``, by file."""
    [text] = profile(("{name: vision}", "{name: zoo}"), ("namespaces: [vision]", f"namespaces: {namespaces}")).values()
    return {"profiles/teams/zoo.yaml": text, "profiles/evidence/zoo.yaml": EVIDENCE.replace("vision", "zoo")}


def another_reservation(*changes: tuple[str, str]) -> dict[str, str]:
    """A second reservation of node pool ``h100``, for team ``vision``."""
    text = reservation("nodePool: h100")[RESERVATION_FILE]
    changes = (("{name: h100-for-speech}", "{name: second}"), *changes)
    return {"profiles/reservations/vision.yaml": change(text, *changes)}


SCENES = [
    Scene(
        "CS720",
        reservation("models: [H100-80GB]") | profile(MODEL),
        profile(ONLY_A100),
        Said(
            "`h100-80gb.gpu.nvidia.com` is reserved for team `speech` (reservation `h100-for-speech`)",
            OF_THE_OTHERS,
            "spec.claims[0].requests[0].prefer[0].model",
            PROD,
        ),
    ),
    Scene(
        "CS720",
        reservation("models: [h100-80gb]")
        | profile(
            MODEL,
            second("{name: other, requests: [{name: gpu, deviceClass: ‹gpu.nvidia.com›}]}"),
        ),
        reservation("clusters: [prod]", "pools: [{driver: gpu.nvidia.com, pool: node-7}]"),
        [
            Said(
                f"`{name}` is reserved for team `speech` (reservation `h100-for-speech`)",
                OF_THE_OTHERS,
                f"spec.claims[{place}",
                PROD,
            )
            for name, place in (
                ("h100-80gb.gpu.nvidia.com", "0].requests[0].prefer[0].model"),
                ("gpu.nvidia.com", "1].requests[0].deviceClass"),
            )
        ],
        name="and the driver's own class",
    ),
    Scene(
        "CS720",
        reservation("models: [A100-80GB]")
        | profile(
            ("{model: H100-80GB, count: 4}", "{model: ‹A100-80GB›, partition: 3g.40gb}"),
            ("{model: A100-80GB, count: 8}", "{model: H100-80GB}"),
            ('      require: {memory: ">= 70Gi"}\n', ""),
        ),
        profile(("{model: H100-80GB, count: 4}", "{model: H100-80GB}"), ("      - {model: A100-80GB, count: 8}\n", "")),
        Said(
            "`a100-80gb-3g.40gb.gpu.nvidia.com` is reserved for team `speech` (reservation `h100-for-speech`)",
            OF_THE_OTHERS,
            "spec.claims[0].requests[0].prefer[0].model",
            PROD,
        ),
        beside=frozenset({"CS801"}),
        name="and its partitions",
    ),
    Scene(
        "CS721",
        cluster(settings="quotas: [{team: vision, model: A100-80GB, devices: 7}]")
        | profile(("model: A100-80GB", "model: ‹A100-80GB›")),
        cluster(settings="quotas: [{team: vision, model: A100-80GB, devices: 8}]"),
        Said(
            "one claim is charged 8 devices of `a100-80gb.gpu.nvidia.com`, and the quota of team `vision` is 7",
            RAISE,
            "spec.claims[0].requests[0].prefer[1].model",
            PROD,
        ),
    ),
    Scene(
        "CS721",
        cluster(settings="quotas: [{team: vision, model: h100-80gb, devices: 31}]")
        | profile((LIST, "      - {model: ‹H100-80GB›, count: all}\n")),
        cluster(settings="quotas: [{team: vision, model: h100-80gb, devices: 32}]"),
        Said(
            "one claim is charged 32 devices of `h100-80gb.gpu.nvidia.com`, and the quota of team `vision` is 31",
            RAISE,
            "spec.claims[0].requests[0].prefer[0].model",
            PROD,
        ),
        name="all of a node",
    ),
    Scene(
        "CS722",
        cluster(settings="quotas: [{team: vision, model: A100-80GB, devices: ‹8›}]")
        | profile(("namespaces: [vision]", "namespaces: [vision, vision-batch]")),
        profile(),
        Said(
            "the quota counts in each of the 2 namespaces of team `vision` on its own",
            field="spec.quotas[0].devices",
            clusters=PROD,
        ),
    ),
    Scene(
        "CS723",
        cluster(kubernetes="1.36") | reservation("pools: ‹[{driver: gpu.nvidia.com, pool: node-7}]›"),
        cluster(kubernetes="1.37"),
        Said(
            "the driver pools cannot be set aside on Kubernetes 1.36 of this cluster "
            "(missing: DRADeviceTaintRules, resource.k8s.io/v1beta2)",
            "leave out `pools`, and reserve by `models` or `nodePool`",
            "spec.pools",
            PROD,
        ),
    ),
    Scene(
        "CS724",
        {
            name: change(text, ("{name: h100-for-speech}", "{name: ‹h100-for-speech›}"))
            if "reservations" in name
            else text
            for name, text in reservation("reason: soon").items()
        },
        reservation("nodePool: h100"),
        Said(
            "the reservation names neither `nodePool` nor `models` nor `pools`",
            field="metadata.name",
            clusters=PROD,
        ),
    ),
    Scene(
        "CS725",
        reservation(
            "nodePool: ‹h10›", "models: [h100-80gb, ‹H200-141GB›]", "pools: [{driver: ‹gpu.nvidia›, pool: node-7}]"
        )
        | profile(ONLY_A100),
        reservation("nodePool: h100", "models: [h100-80gb]", "pools: [{driver: gpu.nvidia.com, pool: node-7}]"),
        [
            Said(message, mend, field, PROD)
            for message, mend, field in (
                ("cluster prod has no node pool `h10`", "did you mean `h100`? known: a100, h100", "spec.nodePool"),
                (
                    "cluster prod has no model `H200-141GB`",
                    "did you mean `H100-80GB`? known: A100-80GB, H100-80GB",
                    "spec.models[1]",
                ),
                (
                    "cluster prod has no driver `gpu.nvidia`",
                    "did you mean `gpu.nvidia.com`? known: dra.net, gpu.nvidia.com",
                    "spec.pools[0].driver",
                ),
            )
        ],
    ),
    Scene(
        "CS725",
        {
            name: change(text, ("team: speech", "team: ‹speach›")) if "reservations" in name else text
            for name, text in reservation("nodePool: h100").items()
        },
        reservation("nodePool: h100"),
        Said("cluster prod has no team `speach`", "did you mean `speech`? known: speech, vision", "spec.team", PROD),
        name="team",
    ),
    Scene(
        "CS726",
        reservation("nodePool: h100")
        | profile(("kind: Job\n", "kind: Job\n    nodePool: ‹h100›\n"), ("      - {model: A100-80GB, count: 8}\n", "")),
        reservation("nodePool: a100"),
        Said(
            "node pool `h100` is reserved for team `speech` (reservation `h100-for-speech`)",
            field="spec.workloads[0].nodePool",
            clusters=PROD,
        ),
    ),
    Scene(
        "CS727",
        cluster(("{pool: h100}, minSize: 1", "{pool: h100}, minSize: 0")) | profile(MODEL),
        cluster(("{pool: h100}, minSize: 1, ", "{pool: h100}, ")),
        Said(
            "every node pool with H100-80GB may shrink to no node (h100), and an empty pool publishes no device",
            "set `minSize: 1`, or order the entries so that this one is not waited for",
            "spec.claims[0].requests[0].prefer[0].model",
            PROD,
        ),
    ),
    Scene(
        "CS727",
        cluster(
            ("{pool: h100}, minSize: 1", "{pool: h100}, minSize: 0"),
            (
                "{pool: a100}, minSize: 1, models: [A100-80GB]",
                "{pool: a100}, minSize: 0, models: [h100-80gb, A100-80GB]",
            ),
        )
        | profile(MODEL, ("model: A100-80GB", "model: ‹A100-80GB›")),
        cluster(("models: [A100-80GB]}", "models: [A100-80GB]}\n  - {name: spot, minSize: 0, models: [A100-80GB]}")),
        [
            Said(
                f"every node pool with {model} may shrink to no node ({pools}), and an empty pool publishes no device",
                "set `minSize: 1`, or order the entries so that this one is not waited for",
                f"spec.claims[0].requests[0].prefer[{index}].model",
                PROD,
            )
            for index, (model, pools) in enumerate([("H100-80GB", "h100, a100"), ("A100-80GB", "a100")])
        ],
        name="all of several pools",
    ),
    Scene(
        "CS728",
        cluster(settings="quotas: [{team: ‹visoin›, model: H100-80GB, devices: 4}]"),
        cluster(settings="quotas: [{team: vision, model: H100-80GB, devices: 4}]"),
        Said("cluster prod has no team `visoin`", "did you mean `vision`? known: vision", "spec.quotas[0].team", PROD),
    ),
    Scene(
        "CS728",
        cluster(settings="quotas: [{team: vision, model: ‹H200-141GB›, devices: 4}]"),
        cluster(settings="quotas: [{team: vision, model: h100-80gb, devices: 4}]"),
        Said(
            "cluster prod has no model `H200-141GB`",
            "did you mean `H100-80GB`? known: A100-80GB, H100-80GB",
            "spec.quotas[0].model",
            PROD,
        ),
        name="model",
    ),
    Scene(
        "CS728",
        cluster(settings="quotas: [{team: vision, model: A100-80GB, partition: ‹3g.20gb›, devices: 4}]"),
        cluster(settings="quotas: [{team: vision, model: A100-80GB, partition: 3G.40GB, devices: 4}]"),
        Said(
            "cluster prod has no partition `3g.20gb`",
            "did you mean `3g.40gb`? known: 3g.40gb",
            "spec.quotas[0].partition",
            PROD,
        ),
        name="partition",
    ),
    Scene(
        "CS729",
        reservation("nodePool: h100")
        | another_reservation(("team: speech", "team: vision"), ("nodePool: h100", "nodePool: ‹h100›")),
        another_reservation(("team: speech", "team: vision"), ("nodePool: h100", "nodePool: a100")),
        Said(
            "node pool `h100` is already reserved for team `speech` (reservation `h100-for-speech`)",
            field="spec.nodePool",
            clusters=PROD,
        ),
    ),
    Scene(
        "CS729",
        reservation("nodePool: h100")
        | another_reservation(("team: speech", "team: vision"), ("nodePool: h100", "nodePool: ‹h100›")),
        another_reservation(),
        Said(
            "node pool `h100` is already reserved for team `speech` (reservation `h100-for-speech`)",
            field="spec.nodePool",
            clusters=PROD,
        ),
        name="but not for one team",
    ),
    *(
        Scene(
            "CS740",
            guarded | zoo("[zoo, ‹vision›]"),
            bare,
            Said(
                "namespace `vision` is also that of team `vision`, and quotas, reservations and policies hold for both",
                "give each team namespaces of its own on a cluster with such guardrails",
                "spec.namespaces[1]",
                PROD,
            ),
            name=name,
        )
        for name, guarded, bare in (
            ("quotas", cluster(settings="quotas: [{team: vision, model: A100-80GB, devices: 8}]"), cluster()),
            ("admission policy", cluster(settings="admissionPolicy: true"), cluster()),
            ("reservations", reservation("nodePool: h100"), zoo("[zoo, zoo-2]")),
        )
    ),
]


@pytest.mark.parametrize("scene", SCENES, ids=title)
def test_what_the_reader_is_told(scene: Scene, repo: Repo) -> None:
    assert_told(repo, scene)


@pytest.mark.parametrize("scene", SCENES, ids=title)
def test_its_good_twin(scene: Scene, repo: Repo) -> None:
    assert_not_told(repo, scene)


def test_another_teams_class_in_text(repo: Repo) -> None:
    repo.write_all(reservation("models: [H100-80GB]"))
    result = repo.run("compile")
    assert result.status == 1
    assert result.stdout.startswith(
        "profiles/teams/vision.yaml:12:17: error[CS720] `h100-80gb.gpu.nvidia.com` is reserved for team `speech` "
        "(reservation `h100-for-speech`)\n"
        "  12 |       - {model: H100-80GB, count: 4}\n"
        "     |                 ^^^^^^^^^\n"
        f"  help: {OF_THE_OTHERS}\n"
        "  rejected, prod at spec.claims[0].requests[0].prefer[0].model: "
    )
    assert not (repo.root / "output").exists()


def test_the_owner_may_use_it(repo: Repo) -> None:
    repo.write_all(reservation("models: [H100-80GB]"))
    repo.edit("profiles/reservations/speech.yaml", "team: speech", "team: vision")
    assert repo.run("check", "--format", "json").rules == []


def test_only_the_clusters_of_the_reservation(repo: Repo) -> None:
    [text] = cluster().values()
    repo.write("profiles/clusters/lab.yaml", text.replace("{name: prod}", "{name: lab}"))
    repo.write_all(reservation("clusters: [lab]", "models: [H100-80GB]"))
    assert [(each["rule"], each["clusters"]) for each in repo.run("check", "--format", "json").findings] == [
        ("CS720", ["lab"])
    ]

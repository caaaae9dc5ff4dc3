"""CS6xx: what is sick or in quarantine, and who would get it all the same."""

import pytest

from tests.drivers.test_consistency import SOUND
from tests.repo import Repo
from tests.rules.cases import (
    DEVICE,
    PROD,
    QUARANTINE_FILE,
    Scene,
    assert_not_told,
    assert_told,
    cluster,
    profile,
    quarantine,
    title,
)
from tests.rules.test_findings import REQUIRE, Said

RULE_GATES = "featureGates: {DRADeviceTaintRules: true}\n  runtimeConfig: {resource.k8s.io/v1beta2: true}"
WITHOUT_PARTITIONS = ("    partitions: {A100-80GB: [3g.40gb]}\n", "")
LIMITS = frozenset({"CS607"})
AMD = (
    "  - name: dra.net\n    release: 1.4.0\n",
    "  - {name: gpu.amd.com, release: unreleased}\n",
)
INTEL = (
    "  - name: dra.net\n    release: 1.4.0\n",
    "  - {name: gpu.intel.com, release: 0.11.0, deviceTypes: [gpu]}\n",
)
MANY = ", ".join(f"{{driver: gpu.nvidia.com, uuid: GPU-{number:036}}}" for number in range(2, 233))


def tolerate(toleration: str) -> dict[str, str]:
    return profile((REQUIRE, f"{REQUIRE}      tolerate: [{toleration}]\n"))


SCENES = [
    Scene(
        "CS601",
        cluster(kubernetes="1.35", settings="quarantine: rule") | quarantine(f"devices: [{DEVICE}]", name="‹sick›"),
        cluster(kubernetes="1.35", settings="quarantine: auto"),
        Said(
            "Kubernetes 1.35 of this cluster does not obey DeviceTaintRules "
            "(missing: DRADeviceTaints, DRADeviceTaintRules, resource.k8s.io/v1alpha3)",
            "set the cluster's `quarantine: auto`, which keeps the devices out by selector, "
            "or switch on what is missing",
            "metadata.name",
            PROD,
        ),
        beside=frozenset({"CS612"}),
        left=frozenset({"CS607", "CS612"}),
    ),
    Scene(
        "CS601",
        cluster(kubernetes="1.36", settings="featureGates: {DRADeviceTaintRules: true}\n  quarantine: rule")
        | quarantine(f"devices: [{DEVICE}]", name="‹sick›"),
        cluster(WITHOUT_PARTITIONS, kubernetes="1.36", settings=f"{RULE_GATES}\n  quarantine: rule"),
        Said(
            "Kubernetes 1.36 of this cluster does not obey DeviceTaintRules (missing: resource.k8s.io/v1beta2)",
            "set the cluster's `quarantine: auto`, which keeps the devices out by selector, "
            "or switch on what is missing",
            "metadata.name",
            PROD,
        ),
        name="gate without its API",
    ),
    Scene(
        "CS602",
        quarantine("clusters: [prod]", "pools: [{driver: ‹gpu.amd.com›, pool: node-7}]"),
        quarantine("clusters: [prod]", "pools: [{driver: gpu.nvidia.com, pool: node-7}]"),
        Said(
            "cluster prod has no driver `gpu.amd.com`, so nothing is kept out there",
            field="spec.pools[0].driver",
            clusters=PROD,
        ),
    ),
    Scene(
        "CS602",
        quarantine("clusters: [prod]", "devices: [{driver: ‹gpu.amd.com›, pool: node-7, device: gpu-0-128}]"),
        quarantine("devices: [{driver: gpu.amd.com, pool: node-7, device: gpu-0-128}]"),
        Said(
            "cluster prod has no driver `gpu.amd.com`, so nothing is kept out there",
            field="spec.devices[0].driver",
            clusters=PROD,
        ),
        name="of every cluster that has it",
    ),
    Scene(
        "CS603",
        cluster(WITHOUT_PARTITIONS) | quarantine("devices: [‹{driver: gpu.nvidia.com, device: gpu-3}›]"),
        quarantine(f"devices: [{DEVICE}]"),
        Said(
            "this cluster keeps devices out by rule, which needs `pool` and `device`",
            "name driver, pool, device and uuid, and every strategy works",
            "spec.devices[0]",
            PROD,
        ),
    ),
    Scene(
        "CS603",
        cluster(settings="quarantine: selector")
        | quarantine("devices: [‹{driver: gpu.nvidia.com, pool: a, device: b}›]"),
        quarantine(f"devices: [{DEVICE}]"),
        Said(
            "this cluster keeps devices out by selector, which needs `uuid`",
            "name driver, pool, device and uuid, and every strategy works",
            "spec.devices[0]",
            PROD,
        ),
        left=LIMITS,
        name="selector",
    ),
    Scene(
        "CS603",
        cluster(kubernetes="1.36") | quarantine("pools: [‹{driver: gpu.nvidia.com, pool: node-7}›]"),
        cluster(kubernetes="1.36", settings=RULE_GATES),
        Said(
            "this cluster keeps devices out by selector, which needs its devices by `uuid`",
            "name driver, pool, device and uuid, and every strategy works",
            "spec.pools[0]",
            PROD,
        ),
        name="a pool by selector",
    ),
    Scene(
        "CS604",
        cluster(AMD, settings="quarantine: selector") | quarantine('devices: [{driver: gpu.amd.com, uuid: ‹"1234"›}]'),
        cluster(AMD) | quarantine("devices: [{driver: gpu.amd.com, pool: node-7, device: gpu-0-128}]"),
        Said(
            "`gpu.amd.com` publishes no attribute that names one device, so it cannot be kept out by selector",
            "switch on DeviceTaintRules, or cordon the node",
            "spec.devices[0].uuid",
            PROD,
        ),
    ),
    Scene(
        "CS605",
        cluster(settings="quarantine: selector") | quarantine(f"devices: [{DEVICE}]", "effect: ‹None›"),
        cluster(WITHOUT_PARTITIONS, settings="quarantine: auto"),
        Said(
            "effect None counts what a rule would evict, and this cluster has no rules: nothing is done",
            "use NoSchedule to keep the devices out",
            "spec.effect",
            PROD,
        ),
    ),
    Scene(
        "CS606",
        quarantine("pools: [{driver: gpu.nvidia.com, pool: node-7}]", 'until: ‹"2026-01-31"›'),
        quarantine("pools: [{driver: gpu.nvidia.com, pool: node-7}]", 'until: "9999-12-31"'),
        Said(
            "this quarantine was to end on 2026-01-31, and is still in force",
            "remove it, or move `until`",
            "spec.until",
        ),
    ),
    Scene(
        "CS607",
        cluster(settings="quarantine: selector") | quarantine(f"devices: [{DEVICE}]", name="‹sick›"),
        cluster(WITHOUT_PARTITIONS, settings="quarantine: auto"),
        Said(
            "kept out of our device classes by identity: Pods that have the device keep it, "
            "and the driver's own class still admits it",
            "`admissionPolicy: true` of the cluster closes the driver's own class to teams",
            "metadata.name",
            PROD,
        ),
    ),
    Scene(
        "CS607",
        cluster(settings="quarantine: selector\n  admissionPolicy: true")
        | quarantine(f"devices: [{DEVICE}]", name="‹sick›"),
        cluster(WITHOUT_PARTITIONS, settings="quarantine: rule"),
        Said(
            "kept out of our device classes by identity: Pods that have the device keep it",
            field="metadata.name",
            clusters=PROD,
        ),
        name="where the driver's class is closed",
    ),
    Scene(
        "CS608",
        cluster(settings="quarantine: selector") | quarantine(f"devices: [{DEVICE}]", "effect: ‹NoExecute›"),
        quarantine(f"devices: [{DEVICE}]", "effect: NoSchedule"),
        Said(
            "effect NoExecute evicts nobody here: the cluster keeps devices out by selector",
            "delete the Pods that have the device by hand",
            "spec.effect",
            PROD,
        ),
        beside=LIMITS,
        left=LIMITS,
    ),
    Scene(
        "CS609",
        cluster(settings="quarantine: selector")
        | quarantine(f"devices: [{{driver: gpu.nvidia.com, uuid: ‹GPU-{1:036}›}}, {MANY}]"),
        quarantine(f"devices: [{MANY}]"),
        Said(
            "232 devices of `gpu.nvidia.com` are kept out by selector, which makes 10274 bytes; a selector has 10240",
            "switch on DeviceTaintRules, or take whole nodes out",
            "spec.devices[0].uuid",
            PROD,
        ),
        beside=LIMITS,
        left=LIMITS,
    ),
    Scene(
        "CS610",
        tolerate("‹{operator: Exists}›"),
        tolerate("{key: example.com/dedicated, operator: Equal, value: vision, effect: NoSchedule}"),
        Said(
            "this toleration of everything admits devices that are in quarantine or set aside",
            "tolerate the one taint that is meant, by `key`, `value` and `effect`",
            "spec.claims[0].requests[0].tolerate[0]",
            PROD,
        ),
        name="of everything",
    ),
    Scene(
        "CS610",
        tolerate("‹{operator: Exists, effect: NoSchedule}›"),
        tolerate("{operator: Exists, effect: None}"),
        Said(
            "this toleration of everything admits devices that are in quarantine or set aside",
            "tolerate the one taint that is meant, by `key`, `value` and `effect`",
            "spec.claims[0].requests[0].tolerate[0]",
            PROD,
        ),
        name="of an effect",
    ),
    Scene(
        "CS610",
        tolerate("{key: ‹claimsmith/quarantine›, value: sick, effect: NoSchedule}"),
        tolerate("{key: claimsmith/quarantined, value: sick, effect: NoSchedule}"),
        Said(
            "this toleration of `claimsmith/quarantine` admits devices that are in quarantine or set aside",
            "tolerate the one taint that is meant, by `key`, `value` and `effect`",
            "spec.claims[0].requests[0].tolerate[0].key",
            PROD,
        ),
        name="of one quarantine",
    ),
    Scene(
        "CS610",
        profile(("{model: A100-80GB, count: 8}", "{model: A100-80GB, count: 8, tolerate: [‹{operator: Exists}›]}")),
        profile(),
        Said(
            "this toleration of everything admits devices that are in quarantine or set aside",
            "tolerate the one taint that is meant, by `key`, `value` and `effect`",
            "spec.claims[0].requests[0].prefer[1].tolerate[0]",
            PROD,
        ),
        name="in one alternative",
    ),
    Scene(
        "CS611",
        tolerate("‹{key: gpu.nvidia.com/xid, operator: Exists}›"),
        tolerate("{key: gpu.nvidia.com/xid, operator: Exists, effect: None}"),
        Said(
            "this toleration of `gpu.nvidia.com/xid` admits devices that gpu.nvidia.com reports as sick "
            "(`gpu.nvidia.com/xid`)",
            "tolerate the one taint that is meant, by `key`, `value` and `effect`",
            "spec.claims[0].requests[0].tolerate[0]",
            PROD,
        ),
    ),
    Scene(
        "CS611",
        tolerate('‹{key: gpu.nvidia.com/xid, value: "79", effect: NoSchedule}›'),
        tolerate("{key: gpu.nvidia.com/unmonitored, operator: Exists}"),
        Said(
            "this toleration of `gpu.nvidia.com/xid` admits devices that gpu.nvidia.com reports as sick "
            "(`gpu.nvidia.com/xid`)",
            "tolerate the one taint that is meant, by `key`, `value` and `effect`",
            "spec.claims[0].requests[0].tolerate[0]",
            PROD,
        ),
        name="of one error",
    ),
    Scene(
        "CS611",
        cluster(INTEL)
        | profile(
            (
                "  workloads:\n",
                "  - name: media\n    requests:\n    - name: gpu\n      driver: gpu.intel.com\n"
                "      deviceType: gpu\n"
                "      tolerate: [‹{key: HealthIssues-memorytemperature, operator: Exists}›]\n  workloads:\n",
            ),
            ("claims: [trainer]", "claims: [trainer, media]"),
        ),
        profile(
            (
                "  workloads:\n",
                "  - name: media\n    requests:\n    - name: gpu\n      driver: gpu.intel.com\n"
                "      deviceType: gpu\n      tolerate: [{key: HealthIssue, operator: Exists}]\n  workloads:\n",
            ),
            ("claims: [trainer]", "claims: [trainer, media]"),
        ),
        Said(
            "this toleration of `HealthIssues-memorytemperature` admits devices that gpu.intel.com reports as sick "
            "(`HealthIssues-<categories>`)",
            "tolerate the one taint that is meant, by `key`, `value` and `effect`",
            "spec.claims[1].requests[0].tolerate[0]",
            PROD,
        ),
        name="whose key has a changing part",
    ),
    Scene(
        "CS612",
        cluster(
            ("- name: gpu.nvidia.com", "- name: ‹gpu.nvidia.com›"),
            ("    featureGates: {NVMLDeviceHealthCheck: true}\n", ""),
        ),
        cluster(),
        Said(
            "sick devices of `gpu.nvidia.com` 0.4.1 get no taint on this cluster: "
            "the driver's feature gate NVMLDeviceHealthCheck is off",
            "switch it on and declare `featureGates: {NVMLDeviceHealthCheck: true}`",
            "spec.drivers[0].name",
            PROD,
        ),
    ),
    Scene(
        "CS612",
        cluster(("- name: gpu.nvidia.com", "- name: ‹gpu.nvidia.com›"), kubernetes="1.35"),
        cluster(kubernetes="1.36"),
        Said(
            "sick devices of `gpu.nvidia.com` 0.4.1 get no taint on this cluster: "
            "Kubernetes 1.35 drops them (gate DRADeviceTaints is off)",
            "put them in quarantine by hand",
            "spec.drivers[0].name",
            PROD,
        ),
        name="dropped",
    ),
    Scene(
        "CS612",
        cluster(
            (
                "  - name: dra.net\n    release: 1.4.0\n",
                "  - {name: ‹gpu.amd.com›, release: unreleased, models: [MI300X]}\n",
            )
        ),
        cluster(),
        Said(
            "sick devices of `gpu.amd.com` unreleased get no taint on this cluster: the driver publishes none",
            "put them in quarantine by hand",
            "spec.drivers[1].name",
            PROD,
        ),
        name="never published",
    ),
    Scene(
        "CS613",
        quarantine("devices: [{driver: gpu.nvidia.com, pool: node-7, device: ‹gpu-3›}]"),
        quarantine("pools: [{driver: gpu.nvidia.com, pool: node-7}]"),
        Said(
            "the rule taints the device `gpu-3` and not its partitions, which are devices of their own",
            "put its partitions, or the whole pool, in quarantine too",
            "spec.devices[0].device",
            PROD,
        ),
    ),
    Scene(
        "CS614",
        quarantine(name="‹sick›"),
        quarantine("pools: [{driver: gpu.nvidia.com, pool: node-7}]"),
        Said("the quarantine names neither `devices` nor `pools`", field="metadata.name"),
    ),
]


@pytest.mark.parametrize("scene", SCENES, ids=title)
def test_what_the_reader_is_told(scene: Scene, repo: Repo) -> None:
    assert_told(repo, scene)


@pytest.mark.parametrize("scene", SCENES, ids=title)
def test_its_good_twin(scene: Scene, repo: Repo) -> None:
    assert_not_told(repo, scene)


def test_a_toleration_of_everything_in_text(repo: Repo) -> None:
    repo.write_all(tolerate("{operator: Exists}"))
    result = repo.run("check")
    assert result.status == 1
    assert result.stdout.startswith(
        "profiles/teams/vision.yaml:15:18: error[CS610] this toleration of everything admits devices that are in quarantine or set aside\n"
        "  15 |       tolerate: [{operator: Exists}]\n"
        "     |                  ^^^^^^^^^^^^^^^^^^\n"
        "  help: tolerate the one taint that is meant, by `key`, `value` and `effect`\n"
        "  unsafe, prod at spec.claims[0].requests[0].tolerate[0]: "
    )


def test_quarantine_by_rule_in_text(repo: Repo) -> None:
    repo.write_all(cluster(kubernetes="1.35", settings="quarantine: rule") | quarantine(f"devices: [{DEVICE}]"))
    result = repo.run("compile", "--format", "concise")
    assert result.status == 1
    assert (
        f"{QUARANTINE_FILE}:3:18: CS601 Kubernetes 1.35 of this cluster does not obey DeviceTaintRules "
        "(missing: DRADeviceTaints, DRADeviceTaintRules, resource.k8s.io/v1alpha3)\n"
    ) in result.stdout
    assert not (repo.root / "output").exists()


def test_quarantine_that_is_past_changes_no_output(repo: Repo) -> None:
    lines = ["pools: [{driver: gpu.nvidia.com, pool: node-7}]", 'until: "2026-01-31"']
    repo.write_all(quarantine(*lines[:1]))
    repo.run("compile")
    before = repo.output()
    repo.write_all(quarantine(*lines))
    assert repo.run("compile", "--format", "json").rules == ["CS606"]
    assert repo.output() == before


class TestDriverSchema:
    """CS164: a repository's own schemas."""

    FILE = "profiles/schemas/fpga.yaml"

    def test_bad(self, repo: Repo) -> None:
        repo.write(
            self.FILE,
            SOUND.replace(
                "include: [common]\n    attributes:\n    - {name: fpga.example.com/node",
                "include: [comon]\n    attributes:\n    - {name: fpga.example.com/node",
            ),
        )
        found = [each for each in repo.run("check", "--format", "json").findings if each["rule"] == "CS164"]
        assert found[0] == {
            "rule": "CS164",
            "severity": "error",
            "consequence": "invalid",
            "message": "this driver schema does not fit together: names no attribute set: common",
            "help": "",
            "file": self.FILE,
            "line": 28,
            "column": 15,
            "endLine": 28,
            "endColumn": 20,
            "path": None,
            "field": "spec.deviceTypes[0].include[0]",
            "clusters": [],
        }

    def test_good(self, repo: Repo) -> None:
        repo.write(self.FILE, SOUND)
        assert repo.run("check", "--format", "json").rules == []

"""Every finding about profiles and clusters, as its reader sees it.

A case changes one place of the small repository of ``tests.repo``, about which there is nothing to say, and
marks where the finding should stand: ``‹`` and ``›`` are taken out of the text before it is read.
"""

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from string import Formatter

import pytest

import claimsmith
from claimsmith.findings import Rule
from claimsmith.rules import all_rules
from tests.repo import CLUSTER, CLUSTER_FILE, PROFILE, PROFILE_FILE, Repo

TESTS = Path(__file__).parents[1]
PACKAGE = Path(claimsmith.__file__).parent
PROD = ("prod",)
REQUIRE = '      require: {memory: ">= 70Gi"}\n'
LIST = "      - {model: H100-80GB, count: 4}\n      - {model: A100-80GB, count: 8}\n"
DRIVERS = (
    "ascend.project-hami.io, cni.dra.networking.x-k8s.io, compute-domain.nvidia.com, cpu.example.com, dra.cpu, "
    "dra.hygon.com, dra.memory, dra.net, dra.nvme, gaudi.intel.com, gpu.amd.com, gpu.example.com, gpu.intel.com, "
    "gpu.nvidia.com, hami-core-gpu.project-hami.io, net.example.com, neuron.aws.com, npu.rebellions.ai, "
    "qat.intel.com, resource.kubernetes.io, spyre.ibm.com, sriovnetwork.k8snetworkplumbingwg.io, tenstorrent.com, "
    "tpu.google.com"
)
MODELS = (
    "H100-80GB, H100-94GB, H200-141GB, A100-40GB, A100-80GB, A30-24GB, A10-24GB, L4, L40S, T4, V100-16GB, V100-32GB, "
    "GH200-96GB, B200, GB200, GB300"
)
CLASSES = (
    "a100-80gb-3g.40gb.gpu.nvidia.com, a100-80gb.gpu.nvidia.com, dranet, efa.networking.k8s.aws, "
    "erdma.alibaba.dra.net, gpu.nvidia.com, h100-80gb.gpu.nvidia.com, mig.nvidia.com, netdev.dra.net, rdma.dra.net, "
    "vfio.gpu.nvidia.com"
)
ARCHITECTURES = "Kepler, Maxwell, Pascal, Volta, Turing, Ampere, Ada Lovelace, Hopper, Blackwell, Rubin, Unknown"


@dataclass(frozen=True, slots=True)
class Said:
    """One finding in words; ``count`` is for a place that several marks share."""

    message: str
    help: str = ""
    field: str | None = None
    clusters: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Case:
    """What ``old`` becomes in ``file`` to break a rule (``bad``) and not to break it (``good``, as it is if None).

    ``also`` are changes of both, by file; ``beside`` are the other rules that the bad document breaks.
    """

    rule: str
    old: str
    bad: str
    said: Said | Sequence[Said]
    file: str = PROFILE_FILE
    good: str | None = None
    also: Mapping[str, Sequence[tuple[str, str]]] | None = None
    beside: frozenset[str] = frozenset()
    name: str = ""


def claims(bad: str) -> str:
    """A line or more after the request, of the claim."""
    return REQUIRE + bad


def kubernetes(minor: str, settings: str = "") -> dict[str, list[tuple[str, str]]]:
    return {CLUSTER_FILE: [('kubernetes: "1.37"\n', f'kubernetes: "{minor}"\n{settings}')]}


def lines(text: str, times: int) -> str:
    return "".join(text.replace("%", str(number)) for number in range(times))


def unreleased(gate: str) -> tuple[str, str]:
    """NVIDIA's driver with a gate of its next release."""
    old = "release: 0.4.1\n    featureGates: {NVMLDeviceHealthCheck: true}\n"
    return old, f"release: unreleased\n    featureGates: {{{gate}: true}}\n"


SHARES = unreleased("ConsumableShares")
PLACE = "%"
LONG_NAME = "trainer-" + "n" * 44
LONG_SUFFIX = ".".join(["x" * 55] * 3) + "." + "x" * 52
ADMIN_ACCESS = "admin access sees the devices of every team, so profiles cannot ask for it"
SHARED_CLAIMS = "a claim that Pods share by name outlives them and keeps its devices, so profiles make templates only"
CLASS_CONFIG = "configuration of a class is that of every team, so it is the platform's, not a profile's"
CLAIM_FIELDS = "constraints, name, requests"
REQUEST_FIELDS = "config, count, deviceClass, deviceType, driver, name, prefer, require, share, tolerate"
WORKLOAD_FIELDS = "claims, container, elastic, image, kind, lifecycle, name, needs, nodePool, pods, sameModel, values"

DOCUMENTS = [
    Case(
        "CS120",
        PROFILE[:30],
        f"‹- a›\n---\n{PROFILE[:30]}",
        Said("a document is a mapping", "start with `apiVersion: claimsmith/v1alpha1`, `kind` and `metadata`"),
    ),
    Case(
        "CS121",
        "count: 4",
        "‹cuont›: 4",
        Said(
            "unknown field `cuont`",
            "did you mean `count`? known here: config, count, model, partition, require, share, tolerate",
            "spec.claims[0].requests[0].prefer[0].cuont",
        ),
    ),
    *(
        Case(
            "CS121",
            before,
            f"{before}{indent}‹{name}›: true\n",
            Said(f"unknown field `{name}`", f"{reason}; known here: {known}", f"{field}.{name}"),
            name=name,
        )
        for name, before, indent, field, reason, known in (
            ("adminAccess", REQUIRE, "      ", "spec.claims[0].requests[0]", ADMIN_ACCESS, REQUEST_FIELDS),
            ("resourceClaimName", "kind: Job\n", "    ", "spec.workloads[0]", SHARED_CLAIMS, WORKLOAD_FIELDS),
            ("shared", "  claims:\n  - name: trainer\n", "    ", "spec.claims[0]", SHARED_CLAIMS, CLAIM_FIELDS),
            (
                "classConfig",
                REQUIRE,
                "      ",
                "spec.claims[0].requests[0]",
                f"did you mean `config`? {CLASS_CONFIG}",
                REQUEST_FIELDS,
            ),
        )
    ),
    Case(
        "CS122",
        "    - name: gpu\n      driver: gpu.nvidia.com\n      prefer: \n".replace(": \n", ":\n") + LIST + REQUIRE,
        "    - ‹driver: gpu.nvidia.com\n      prefer: [{model: H100-80GB}]›\n",
        Said(
            "`name` is missing in spec.claims[0].requests[0]",
            field="spec.claims[0].requests[0].name",
        ),
    ),
    Case(
        "CS122",
        "kind: TeamProfile\n",
        "",
        Said("`kind` is missing in the document", field="kind"),
        name="kind",
    ),
    Case(
        "CS122",
        PROFILE,
        f"‹{PROFILE[PROFILE.index('metadata') :].rstrip()}›\n",
        Said("`apiVersion` is missing in the document, and so is `kind`", field="apiVersion"),
        name="apiVersion and kind",
    ),
    Case(
        "CS123",
        '"1.37"',
        "‹1.37›",
        Said("`spec.kubernetes` takes a string and has the number 1.37", 'write "1.37" in quotes', "spec.kubernetes"),
        CLUSTER_FILE,
    ),
    Case(
        "CS123",
        LIST,
        "        ‹model: H100-80GB›\n",
        Said(
            "`spec.claims[0].requests[0].prefer` takes a list and has a mapping",
            field="spec.claims[0].requests[0].prefer",
        ),
        name="mapping for a list",
    ),
    *(
        Case(
            "CS123",
            old,
            old.replace(PLACE, f"‹{number}.0›"),
            Said(f"`{field}` takes a whole number{more} and has the number {number}.0", f"write {number}", field),
            file,
            good=old.replace(PLACE, str(number)),
            also={file: [(before, old)]},
            name=f"float for {field}",
        )
        for file, before, old, number, field, more in (
            (
                PROFILE_FILE,
                "count: 4",
                f"count: {PLACE}",
                4,
                "spec.claims[0].requests[0].prefer[0].count",
                " or a string",
            ),
            (PROFILE_FILE, "elastic: true\n", f"pods: {PLACE}\n", 2, "spec.workloads[0].pods", ""),
            (
                PROFILE_FILE,
                "kind: Job\n",
                f"kind: Job\n    lifecycle: {{activeDeadline: 1h, maxRetries: {PLACE}}}\n",
                3,
                "spec.workloads[0].lifecycle.maxRetries",
                "",
            ),
            (CLUSTER_FILE, "codegen: 1\n", f"codegen: {PLACE}\n", 1, "spec.codegen", ""),
            (
                CLUSTER_FILE,
                "codegen: 1\n",
                f"codegen: 1\n  quotas: [{{team: vision, model: A100-80GB, devices: {PLACE}}}]\n",
                8,
                "spec.quotas[0].devices",
                "",
            ),
        )
    ),
    Case(
        "CS123",
        "elastic: true\n",
        "pods: ‹2.5›\n",
        Said(
            "`spec.workloads[0].pods` takes a whole number and has the number 2.5",
            field="spec.workloads[0].pods",
        ),
        good="pods: 2\n",
        name="part of a Pod",
    ),
    Case(
        "CS124",
        "codegen: 1\n",
        "codegen: 1\n  quarantine: ‹rules›\n",
        Said("`rules` is not one of: auto, rule, selector", "did you mean `rule`?", "spec.quarantine"),
        CLUSTER_FILE,
        good="codegen: 1\n  quarantine: rule\n",
    ),
    Case(
        "CS124",
        "kind: TeamProfile\n",
        "kind: ‹TeamProfiles›\n",
        Said(
            "`TeamProfiles` is not one of: TeamProfile, Cluster, Evidence, Quarantine, Reservation, Policy, DriverSchema",
            "did you mean `TeamProfile`?",
            "kind",
        ),
        name="kind",
    ),
    Case(
        "CS124",
        "claimsmith/v1alpha1",
        "‹claimsmith/v1beta1›",
        Said(
            "`claimsmith/v1beta1` is not one of: claimsmith/v1alpha1",
            "did you mean `claimsmith/v1alpha1`?",
            "apiVersion",
        ),
        name="apiVersion",
    ),
    Case(
        "CS124",
        "kind: TeamProfile\n",
        "kind: ‹[TeamProfile]›\n",
        Said(
            "`a list` is not one of: TeamProfile, Cluster, Evidence, Quarantine, Reservation, Policy, DriverSchema",
            field="kind",
        ),
        name="kind that is a list",
    ),
    Case(
        "CS124",
        "claimsmith/v1alpha1",
        "‹{claimsmith: v1alpha1}›",
        Said("`a mapping` is not one of: claimsmith/v1alpha1", "did you mean `claimsmith/v1alpha1`?", "apiVersion"),
        name="apiVersion that is a mapping",
    ),
    *(
        Case(
            "CS125",
            '"1.37"',
            f'‹"{minor}"›',
            Said(
                f"`{minor}` cannot stand in `spec.kubernetes`: '{minor}' is not a Kubernetes minor; "
                "expected two numbers, such as 1.36; did you mean 1.36?",
                field="spec.kubernetes",
            ),
            CLUSTER_FILE,
            good='"1.36"',
            name=minor,
        )
        for minor in ("v1.36", "1.36.3")
    ),
    Case(
        "CS125",
        "  workloads:\n  - name: trainer\n    kind: Job\n",
        f"  workloads:\n  - name: ‹{LONG_NAME}n›\n    kind: CronJob\n",
        Said(
            f"`{LONG_NAME}n` cannot stand in `name`: a CronJob's name has at most 52 characters",
            field="spec.workloads[0].name",
        ),
        good=f"  workloads:\n  - name: {LONG_NAME}\n    kind: CronJob\n",
        name="CronJob",
    ),
    Case(
        "CS125",
        "{name: vision}",
        "{name: ‹Vision_Team›}",
        Said(
            "`Vision_Team` cannot stand in `metadata.name`: must consist of lower-case letters, digits and '-', "
            "and must start and end with a letter or a digit, such as my-name",
            field="metadata.name",
        ),
    ),
    Case(
        "CS126",
        LIST,
        "        ‹[]›\n",
        Said(
            "`spec.claims[0].requests[0].prefer` needs at least 1 item(s)",
            field="spec.claims[0].requests[0].prefer",
        ),
    ),
    Case(
        "CS126",
        "namespaces: [vision]",
        "namespaces: ‹[vision, vision]›",
        Said("`spec.namespaces` names something twice", field="spec.namespaces"),
        good="namespaces: [vision, vision-2]",
        name="twice",
    ),
    Case(
        "CS127",
        "    elastic: true\n",
        "    elastic: true\n---\n‹apiVersion: v1\nkind: ConfigMap›\n",
        Said("this is not a claimsmith document (`v1` `ConfigMap`), so it was left unread"),
    ),
    Case(
        "CS128",
        "    elastic: true\n",
        "    elastic: true\n---\n" + PROFILE.replace("{name: vision}", "{name: ‹vision›}"),
        Said(
            "there are two documents `TeamProfile` named `vision`; the first is at profiles/teams/vision.yaml:3",
            "rename one or remove it",
            "metadata.name",
        ),
        good="    elastic: true\n---\n" + PROFILE.replace("{name: vision}", "{name: speech}"),
    ),
    Case(
        "CS129",
        "codegen: 1\n",
        "codegen: 1\n  inventory: ‹../../../etc/passwd›\n",
        Said(
            "`../../../etc/passwd` leads out of the repository",
            "name a file inside the repository by a relative path",
            "spec.inventory",
        ),
        CLUSTER_FILE,
        good="codegen: 1\n  inventory: ../teams/vision.yaml\n",
    ),
    Case(
        "CS129",
        "codegen: 1\n",
        "codegen: 1\n  inventory: ‹../inventories/prod.yaml›\n",
        Said(
            "`../inventories/prod.yaml` is not there (looked for `profiles/inventories/prod.yaml`)",
            "name a file inside the repository by a relative path",
            "spec.inventory",
        ),
        CLUSTER_FILE,
        name="missing",
    ),
    Case(
        "CS129",
        "    kind: Job\n",
        "    kind: Job\n    values: {template: ‹../teams/vision.yaml›}\n",
        Said(
            "`../teams/vision.yaml` leads out of `profiles/templates/`",
            "name a file inside the repository by a relative path",
            "spec.workloads[0].values.template",
        ),
        name="template",
    ),
    Case(
        "CS131",
        "count: 4}\n",
        "count: 4} ‹# claimsmith: ignore CS521 - no such finding here›\n",
        Said("this suppression of CS521 suppresses nothing", "remove the comment"),
    ),
    Case(
        "CS132",
        "count: 4}\n",
        "cuont: 4} ‹# claimsmith: ignore CS121 - we like it so›\n",
        Said("CS121 cannot be suppressed: it is an error of the kind `invalid`"),
        beside=frozenset({"CS121"}),
    ),
    Case(
        "CS132",
        "count: 8}\n",
        "count: 40} ‹# claimsmith: ignore CS212›\n",
        Said("CS212 cannot be suppressed: a reason is missing (`- reason`)"),
        good="count: 40} # claimsmith: ignore CS212 - two claims are to come\n",
        beside=frozenset({"CS212"}),
        name="no reason",
    ),
    Case(
        "CS132",
        "count: 4}\n",
        "count: 4} ‹# claimsmith: ignore CS999 - what for›\n",
        Said("CS999 cannot be suppressed: there is no such rule"),
        name="unknown rule",
    ),
    Case(
        "CS132",
        "count: 4}\n",
        "count: 4} ‹# claimsmith: ignroe CS521 - misspelt›\n",
        Said("this cannot be suppressed: write `# claimsmith: ignore CS503 - reason`"),
        name="misspelt",
    ),
]

REFERENCES = [
    Case(
        "CS140",
        "  - name: dra.net\n",
        "  - name: ‹dra.nte›\n",
        Said(
            "there is no schema for the driver `dra.nte`",
            f"did you mean `dra.net`? known: {DRIVERS}; another driver needs a schema in `schemas/drivers/`",
            "spec.drivers[1].name",
            PROD,
        ),
        CLUSTER_FILE,
    ),
    Case(
        "CS140",
        "  - name: gpu.nvidia.com\n",
        "  - name: ‹nvidia.com›\n",
        Said(
            "there is no schema for the driver `nvidia.com`",
            f"did you mean `gpu.nvidia.com`? known: {DRIVERS}; another driver needs a schema in `schemas/drivers/`",
            "spec.drivers[0].name",
            PROD,
        ),
        CLUSTER_FILE,
        name="with models",
    ),
    Case(
        "CS141",
        "release: 1.4.0",
        "release: ‹1.4.1›",
        Said(
            "the schema of `dra.net` has no release `1.4.1`",
            "did you mean `1.0.1`? known: 0.4.0, 0.5.0, 0.5.1, 0.6.0, 0.6.1, 0.6.2, 0.7.0, 0.8.0, 0.9.0, 1.0.0, 1.0.1, "
            "1.1.0, 1.2.0, 1.3.0, 1.4.0, unreleased",
            "spec.drivers[1].release",
            PROD,
        ),
        CLUSTER_FILE,
        good="release: v1.3.0",
    ),
    Case(
        "CS142",
        "H100-80GB, count",
        "‹H100›, count",
        Said(
            "the driver `gpu.nvidia.com` has no model `H100`",
            f"did you mean `H100-80GB`? known: {MODELS}",
            "spec.claims[0].requests[0].prefer[0].model",
            PROD,
        ),
        good="h100-80gb, count",
    ),
    Case(
        "CS142",
        "models: [H100-80GB, A100-80GB]",
        "models: [H100-80GB, A100-80GB, ‹A101-80GB›]",
        Said(
            "the driver `gpu.nvidia.com` has no model `A101-80GB`",
            f"did you mean `A100-80GB`? known: {MODELS}",
            "spec.drivers[0].models[2]",
            PROD,
        ),
        CLUSTER_FILE,
        good="models: [H100-80GB, A100-80GB, a100-40gb]",
        name="of a cluster",
    ),
    Case(
        "CS143",
        "H100-80GB, count",
        "‹H200-141GB›, count",
        Said(
            "`H200-141GB` is not declared by cluster prod",
            "declare it there, or leave this cluster out with `clusters`",
            "spec.claims[0].requests[0].prefer[0].model",
            PROD,
        ),
    ),
    Case(
        "CS143",
        "A100-80GB, count: 8",
        "A100-80GB, partition: ‹1g.10gb›",
        Said(
            "`A100-80GB 1g.10gb` is not declared by cluster prod",
            "declare it there, or leave this cluster out with `clusters`",
            "spec.claims[0].requests[0].prefer[1].partition",
            PROD,
        ),
        good="A100-80GB, partition: 3G.40GB",
        also={PROFILE_FILE: [(">= 70Gi", ">= 9Gi")]},
        name="partition",
    ),
    Case(
        "CS143",
        "models: [H100-80GB]}",
        "models: [‹H200-141GB›]}",
        Said(
            "`H200-141GB` is not declared by the cluster's drivers",
            "did you mean `H100-80GB`? declare it there, or leave this cluster out with `clusters`",
            "spec.nodePools[0].models[0]",
            PROD,
        ),
        CLUSTER_FILE,
        beside=frozenset({"CS530"}),
        name="of a node pool",
    ),
    Case(
        "CS144",
        "A100-80GB, count: 8",
        "A100-80GB, partition: ‹3g.20gb›",
        Said(
            "`A100-80GB` has no partition `3g.20gb`",
            "did you mean `1g.20gb`? known: 1g.10gb, 1g.20gb, 2g.20gb, 3g.40gb, 4g.40gb, 7g.80gb",
            "spec.claims[0].requests[0].prefer[1].partition",
            PROD,
        ),
    ),
    Case(
        "CS145",
        REQUIRE,
        claims("    - {name: nic, deviceClass: ‹rdma.dra.nte›}\n"),
        Said(
            "cluster prod has no device class `rdma.dra.nte`",
            f"did you mean `rdma.dra.net`? known: {CLASSES}; classes of others are declared in the cluster's `deviceClasses`",
            "spec.claims[0].requests[1].deviceClass",
            PROD,
        ),
        good=claims("    - {name: nic, deviceClass: rdma.dra.net}\n"),
    ),
    Case(
        "CS146",
        REQUIRE,
        claims("    - {name: nic, driver: dra.net, deviceType: ‹roce›}\n"),
        Said(
            "there is no class for the device type `roce` of `dra.net`",
            "known: netdev, rdma",
            "spec.claims[0].requests[1].deviceType",
            PROD,
        ),
        good=claims("    - {name: nic, driver: dra.net, deviceType: rdma}\n"),
    ),
    Case(
        "CS146",
        "release: 1.4.0\n",
        "release: 1.4.0\n    deviceTypes: [‹rmda›]\n",
        Said(
            "there is no class for the device type `rmda` of `dra.net`",
            "did you mean `rdma`? known: rdma, netdev",
            "spec.drivers[1].deviceTypes[0]",
            PROD,
        ),
        CLUSTER_FILE,
        good="release: 1.4.0\n    deviceTypes: [rdma]\n",
        name="of a cluster",
    ),
    Case(
        "CS147",
        "claims: [trainer]",
        "claims: [trainer, ‹trianer›]",
        Said(
            "there is no claim `trianer` in profile vision",
            "did you mean `trainer`? known: trainer",
            "spec.workloads[0].claims[1]",
        ),
    ),
    Case(
        "CS147",
        "namespaces: [vision]\n",
        "namespaces: [vision]\n  clusters: [prod, ‹prdo›]\n",
        Said("there is no cluster `prdo` in the repository", "did you mean `prod`? known: prod", "spec.clusters[1]"),
        good="namespaces: [vision]\n  clusters: [prod]\n",
        name="cluster",
    ),
    Case(
        "CS147",
        REQUIRE,
        claims("    constraints: [{match: gpu.nvidia.com/architecture, requests: [‹gpus›]}]\n"),
        Said(
            "there is no request `gpus` in claim trainer",
            "did you mean `gpu`? known: gpu",
            "spec.claims[0].constraints[0].requests[0]",
        ),
        good=claims("    constraints: [{match: gpu.nvidia.com/architecture, requests: [gpu]}]\n"),
        name="request",
    ),
    Case(
        "CS147",
        "driver: gpu.nvidia.com",
        "driver: ‹gpu.amd.com›",
        Said(
            "there is no driver `gpu.amd.com` in cluster prod",
            "did you mean `gpu.nvidia.com`? known: dra.net, gpu.nvidia.com",
            "spec.claims[0].requests[0].driver",
            PROD,
        ),
        name="driver",
    ),
    Case(
        "CS148",
        "      driver: gpu.nvidia.com\n      prefer:\n" + LIST,
        "      prefer:\n      ‹" + LIST.strip() + "›\n",
        Said(
            "request `gpu` must name its driver: the cluster has several, or its class does not tell",
            "add `driver`; known: dra.net, gpu.nvidia.com",
            "spec.claims[0].requests[0].prefer",
            PROD,
        ),
    ),
    Case(
        "CS148",
        REQUIRE,
        claims("    - {name: ib, deviceClass: example.com, config: ‹[{a: 1}]›}\n"),
        Said(
            "request `ib` must name its driver: the cluster has several, or its class does not tell",
            "add `driver`; known: dra.net, gpu.nvidia.com",
            "spec.claims[0].requests[1].config",
            PROD,
        ),
        good=claims("    - {name: ib, driver: example.com, deviceClass: example.com, config: [{a: 1}]}\n"),
        also={CLUSTER_FILE: [("  nodePools:", "  deviceClasses: [example.com]\n  nodePools:")]},
        name="config",
    ),
    Case(
        "CS149",
        CLUSTER[CLUSTER.index("  - name: gpu") : CLUSTER.index("  nodePools")],
        "  - name: gpu.nvidia.com\n    release: 0.4.1\n    models: [H100-80GB, A100-80GB]\n    classSuffix: ‹nvidia.com›\n"
        "    deviceTypes: [mig]\n",
        Said(
            "the device class name `mig.nvidia.com` cannot be used: the driver's own chart makes it",
            "set `classSuffix` of the driver",
            "spec.drivers[0].classSuffix",
            PROD,
        ),
        CLUSTER_FILE,
    ),
    Case(
        "CS149",
        "release: 1.4.0\n",
        f"release: 1.4.0\n    deviceTypes: [rdma]\n    classSuffix: ‹{LONG_SUFFIX}x›\n",
        Said(
            f"the device class name `rdma.{LONG_SUFFIX}x` cannot be used: with the "
            "`.deviceclass.resource.k8s.io` of its quota it must have at most 253 characters, not 254",
            "set `classSuffix` of the driver",
            "spec.drivers[1].classSuffix",
            PROD,
        ),
        CLUSTER_FILE,
        good=f"release: 1.4.0\n    deviceTypes: [rdma]\n    classSuffix: {LONG_SUFFIX}\n",
        name="too long for the key of its quota",
    ),
    Case(
        "CS150",
        "  workloads:\n",
        "  - name: ‹trainer›\n    requests: [{name: nic, deviceClass: rdma.dra.net}]\n  workloads:\n",
        Said("there are two claims named `trainer`", field="spec.claims[1].name"),
        good="  - name: nic\n    requests: [{name: nic, deviceClass: rdma.dra.net}]\n  workloads:\n",
    ),
    Case(
        "CS150",
        "{name: a100,",
        "{name: ‹h100›,",
        Said("there are two node pools named `h100`", field="spec.nodePools[1].name", clusters=PROD),
        CLUSTER_FILE,
        name="node pool",
    ),
    Case(
        "CS150",
        "  - name: dra.net\n    release: 1.4.0\n",
        "  - {name: dra.net, release: 1.4.0}\n  - {name: ‹dra.net›, release: 1.3.0}\n",
        Said("there are two drivers named `dra.net`", field="spec.drivers[2].name", clusters=PROD),
        CLUSTER_FILE,
        name="driver",
    ),
    Case(
        "CS151",
        "driver: gpu.nvidia.com\n",
        "driver: gpu.nvidia.com\n      deviceType: ‹gpu›\n",
        Said(
            "request `gpu` has prefer and deviceType",
            "use `prefer` for models, else `deviceClass`, or `driver` with `deviceType`",
            "spec.claims[0].requests[0].deviceType",
        ),
    ),
    Case(
        "CS151",
        REQUIRE,
        claims("    - ‹{name: nic, driver: dra.net}›\n"),
        Said(
            "request `nic` does not say what it wants",
            "use `prefer` for models, else `deviceClass`, or `driver` with `deviceType`",
            "spec.claims[0].requests[1]",
        ),
        name="nothing",
    ),
    Case(
        "CS151",
        "driver: gpu.nvidia.com\n",
        "driver: gpu.nvidia.com\n      count: ‹2›\n",
        Said(
            "request `gpu` has a `count` beside `prefer`; it belongs into each entry",
            "use `prefer` for models, else `deviceClass`, or `driver` with `deviceType`",
            "spec.claims[0].requests[0].count",
        ),
        name="count",
    ),
    Case(
        "CS152",
        "count: 4",
        "count: ‹all›",
        Said(
            "`count: all` stands alone in a list of one",
            "make it the only entry of `prefer`, or give a number",
            "spec.claims[0].requests[0].prefer[0].count",
        ),
    ),
    Case(
        "CS153",
        REQUIRE,
        claims(
            "    constraints: [‹{match: gpu.nvidia.com/architecture, distinct: resource.kubernetes.io/pcieRoot}›]\n"
        ),
        Said("a constraint has either `match` or `distinct`", field="spec.claims[0].constraints[0]"),
        good=claims("    constraints: [{match: gpu.nvidia.com/architecture}]\n"),
    ),
    Case(
        "CS155",
        '{memory: ">= 70Gi"}',
        '{memroy: ‹">= 70Gi"›}',
        Said(
            "devices of type `gpu` of `gpu.nvidia.com` 0.4.1 do not publish `memroy`",
            "did you mean `memory`?",
            "spec.claims[0].requests[0].require.memroy",
            PROD,
        ),
    ),
    Case(
        "CS155",
        '{memory: ">= 70Gi"}',
        "{index: ‹0›}",
        Said(
            "devices of type `gpu` of `gpu.nvidia.com` 0.4.1 do not publish `index`: it was removed in 25.8.0, use "
            "gpu.nvidia.com/uuid or resource.kubernetes.io/pciBusID or resource.kubernetes.io/pcieRoot",
            field="spec.claims[0].requests[0].require.index",
            clusters=PROD,
        ),
        name="removed",
    ),
    Case(
        "CS155",
        '{memory: ">= 70Gi"}',
        "{pcieRoot: ‹pci0000:a0›}",
        Said(
            "devices of type `gpu` of `gpu.nvidia.com` 0.4.1 do not publish `pcieRoot`",
            "did you mean `resource.kubernetes.io/pcieRoot`?",
            "spec.claims[0].requests[0].require.pcieRoot",
            PROD,
        ),
        good="{resource.kubernetes.io/pcieRoot: pci0000:a0}",
        name="other domain",
    ),
    Case(
        "CS155",
        REQUIRE,
        "      share: {memroy: ‹20Gi›}\n",
        Said(
            "devices of type `gpu` of `gpu.nvidia.com` unreleased do not publish `memroy`",
            "did you mean `memory`?",
            "spec.claims[0].requests[0].share.memroy",
            PROD,
        ),
        good="      share: {memory: 20Gi}\n",
        also={CLUSTER_FILE: [SHARES]},
        name="share",
    ),
    Case(
        "CS156",
        '">= 70Gi"',
        "‹70Gi›",
        Said(
            '`memory` is of type quantity: say how to compare, such as ">= 70Gi"',
            field="spec.claims[0].requests[0].require.memory",
            clusters=PROD,
        ),
    ),
    *(
        Case(
            "CS156",
            REQUIRE,
            f"      share: {{memory: ‹{amount}›}}\n",
            Said(
                "`memory` is of type quantity: a share is more than nothing",
                field="spec.claims[0].requests[0].share.memory",
                clusters=PROD,
            ),
            good="      share: {memory: 1m}\n",
            also={CLUSTER_FILE: [SHARES]},
            name=f"share of {amount}",
        )
        for amount in ("0Gi", "-1Gi")
    ),
    Case(
        "CS157",
        REQUIRE,
        claims('    - {name: ib, deviceClass: example.com, require: {memory: ‹">= 1Gi"›}}\n'),
        Said(
            "`memory` cannot be required of the class `example.com`: nothing is known of its devices",
            "add a driver schema in `schemas/drivers/`, or name `driver` and `deviceType`",
            "spec.claims[0].requests[1].require.memory",
            PROD,
        ),
        good=claims("    - {name: ib, deviceClass: example.com}\n"),
        also={CLUSTER_FILE: [("  nodePools:", "  deviceClasses: [example.com]\n  nodePools:")]},
    ),
    Case(
        "CS158",
        '{memory: ">= 70Gi"}',
        "{resource.kubernetes.io/numaNode: ‹0›}",
        Said(
            "`resource.kubernetes.io/numaNode` is a list on these devices; lists cannot be required yet",
            field='spec.claims[0].requests[0].require["resource.kubernetes.io/numaNode"]',
            clusters=PROD,
        ),
        also={CLUSTER_FILE: [unreleased("DRAListTypeAttributes")]},
    ),
    Case(
        "CS159",
        REQUIRE,
        "      share: ‹{memory: 20Gi}›\n",
        Said(
            "devices of type `gpu` of `gpu.nvidia.com` cannot be shared at this release with these gates",
            "leave out `share`, or declare the driver's feature gate on the cluster",
            "spec.claims[0].requests[0].share",
            PROD,
        ),
    ),
    Case(
        "CS160",
        "kind: Job\n",
        "kind: Deployment\n    lifecycle: {activeDeadline: ‹24h›}\n",
        Said(
            "a Deployment has no `activeDeadline`",
            "these limits are those of a Job",
            "spec.workloads[0].lifecycle.activeDeadline",
        ),
        good="kind: CronJob\n    lifecycle: {activeDeadline: 24h}\n",
    ),
    Case(
        "CS161",
        "  workloads:\n",
        "  - name: ‹nic›\n    requests: [{name: nic, deviceClass: rdma.dra.net}]\n  workloads:\n",
        Said("no workload uses the claim `nic`", field="spec.claims[1].name"),
    ),
    Case(
        "CS163",
        "featureGates: {NVMLDeviceHealthCheck: true}",
        "featureGates: {NVMLDeviceHealthChek: ‹true›}",
        Said(
            "the driver `gpu.nvidia.com` has no feature gate `NVMLDeviceHealthChek`",
            "did you mean `NVMLDeviceHealthCheck`? known: DynamicMIG, PassthroughSupport, NVMLDeviceHealthCheck, "
            "MPSSupport, ConsumableShares, FabricManagerPartitioning, DRAListTypeAttributes",
            "spec.drivers[0].featureGates.NVMLDeviceHealthChek",
            PROD,
        ),
        CLUSTER_FILE,
    ),
]

API = [
    Case(
        "CS210",
        f"      prefer:\n{LIST}",
        "      prefer:\n      ‹"
        + lines("- {model: H100-80GB, count: %}\n      ".replace("%", "1%"), 9).rstrip()
        + "›\n",
        Said(
            "alternatives of a request: 9, and Kubernetes takes 8 at most",
            field="spec.claims[0].requests[0].prefer",
            clusters=PROD,
        ),
        good="      prefer:\n" + "".join(f"      - {{model: H100-80GB, count: {8 - number}}}\n" for number in range(8)),
        beside=frozenset({"CS521"}),
        name="alternatives",
    ),
    Case(
        "CS210",
        f"    - name: gpu\n      driver: gpu.nvidia.com\n      prefer:\n{LIST}{REQUIRE}",
        "    ‹" + lines("- {name: nic-%, deviceClass: rdma.dra.net}\n    ", 33).rstrip() + "›\n",
        Said(
            "requests of a claim: 33, and Kubernetes takes 32 at most", field="spec.claims[0].requests", clusters=PROD
        ),
        good=lines("    - {name: nic-%, deviceClass: rdma.dra.net}\n", 32),
        beside=frozenset({"CS211"}),
        name="requests",
    ),
    Case(
        "CS210",
        REQUIRE,
        claims("    constraints:\n    ‹" + lines("- {match: gpu.nvidia.com/architecture}\n    ", 33).rstrip() + "›\n"),
        Said(
            "constraints of a claim: 33, and Kubernetes takes 32 at most",
            field="spec.claims[0].constraints",
            clusters=PROD,
        ),
        good=claims("    constraints:\n" + lines("    - {match: gpu.nvidia.com/architecture}\n", 32)),
        name="constraints",
    ),
    Case(
        "CS210",
        f"    - name: gpu\n      driver: gpu.nvidia.com\n      prefer:\n{LIST}{REQUIRE}",
        "    ‹- {name: nic, deviceClass: rdma.dra.net, config: [" + lines("{a: %}, ", 33) + "]}›\n",
        Said(
            "configurations of a claim: 33, and Kubernetes takes 32 at most",
            field="spec.claims[0].requests",
            clusters=PROD,
        ),
        good="    - {name: nic, deviceClass: rdma.dra.net, config: [" + lines("{a: %}, ", 32) + "]}\n",
        name="configurations",
    ),
    Case(
        "CS210",
        '{memory: ">= 70Gi"}',
        '‹{memory: ">= 1Gi' + lines(", >= %Mi", 32) + '"}›',
        Said(
            "selectors of a request: 33, and Kubernetes takes 32 at most",
            field="spec.claims[0].requests[0].require",
            clusters=PROD,
        ),
        good='{memory: ">= 1Gi' + lines(", >= %Mi", 31) + '"}',
        name="selectors",
    ),
    Case(
        "CS210",
        REQUIRE,
        claims("      tolerate: ‹[" + lines("{key: k%, operator: Exists}, ", 17) + "]›\n"),
        Said(
            "tolerations of a request: 17, and Kubernetes takes 16 at most",
            field="spec.claims[0].requests[0].tolerate",
            clusters=PROD,
        ),
        good=claims("      tolerate: [" + lines("{key: k%, operator: Exists}, ", 16) + "]\n"),
        name="tolerations",
    ),
    Case(
        "CS211",
        "    - name: gpu\n      driver: gpu.nvidia.com\n      prefer:\n" + LIST + REQUIRE,
        "    ‹- {name: gpu, driver: gpu.nvidia.com, prefer: [{model: H100-80GB, count: 33}, {model: A100-80GB, count: 34}]}›\n",
        Said(
            "claim `trainer` asks for 33 devices, and one claim gets 32 at most",
            "ask for fewer, or use several Pods",
            "spec.claims[0].requests",
            PROD,
        ),
    ),
    Case(
        "CS212",
        "count: 8",
        "count: ‹33›",
        Said(
            "this alternative would make 33 devices in one claim, more than 32, so it is always skipped",
            field="spec.claims[0].requests[0].prefer[1].count",
            clusters=PROD,
        ),
        good="count: 32",
    ),
    Case(
        "CS213",
        REQUIRE,
        claims("      config: [‹{a: " + "x" * 10233 + "}›]\n"),
        Said(
            "the configuration has 10241 bytes, and Kubernetes takes 10240 at most",
            field="spec.claims[0].requests[0].config[0]",
            clusters=PROD,
        ),
        good=claims("      config: [{a: " + "x" * 10232 + "}]\n"),
        name="configuration",
    ),
    *(
        Case(
            "CS213",
            REQUIRE,
            claims(f'      config: [‹{{a: "{character * fits}xxxxxx"}}›]\n'),
            Said(
                f"the configuration has {8 + size * fits + 6} bytes, and Kubernetes takes 10240 at most",
                field="spec.claims[0].requests[0].config[0]",
                clusters=PROD,
            ),
            good=claims(f'      config: [{{a: "{character * fits}"}}]\n'),
            name=f"configuration of {character}",
        )
        # What Go's JSON makes of each: UTF-8, but for five characters, which are escaped.
        for character, size in (("é", 2), ("🙂", 4), ("<", 6), (">", 6), ("&", 6), ("\\u2028", 6), ("\\u2029", 6))
        for fits in ((10240 - 8) // size,)
    ),
    Case(
        "CS213",
        "count: 8}",
        'count: 8, require: ‹{productName: "!= ' + "x" * 10240 + '"}›}',
        Said(
            "a selector has 10306 bytes, and Kubernetes takes 10240 at most",
            field="spec.claims[0].requests[0].prefer[1].require",
            clusters=PROD,
        ),
        good='count: 8, require: {productName: "!= ' + "x" * 10174 + '"}}',
        name="selector",
    ),
    Case(
        "CS214",
        REQUIRE,
        claims("      tolerate: [{key: example.com/dedicated, operator: Exists, value: ‹vision›}]\n"),
        Said(
            "this toleration has a value with operator Exists",
            field="spec.claims[0].requests[0].tolerate[0].value",
            clusters=PROD,
        ),
        good=claims("      tolerate: [{key: example.com/dedicated, operator: Equal, value: vision}]\n"),
    ),
    Case(
        "CS214",
        "models: [H100-80GB]}\n",
        "models: [H100-80GB], tolerations: [‹{value: vision}›]}\n",
        Said(
            "this toleration has no key with operator Equal",
            field="spec.nodePools[0].tolerations[0]",
            clusters=PROD,
        ),
        CLUSTER_FILE,
        good="models: [H100-80GB], tolerations: [{operator: Exists}]}\n",
        name="of a node pool",
    ),
    *(
        Case(
            "CS214",
            "models: [H100-80GB]}\n",
            f"models: [H100-80GB], tolerations: [{{key: a, operator: Exists, {effect}tolerationSeconds: ‹30›}}]}}\n",
            Said(
                "this toleration has seconds, which only the effect NoExecute of a node taint has",
                field="spec.nodePools[0].tolerations[0].tolerationSeconds",
                clusters=PROD,
            ),
            CLUSTER_FILE,
            good="models: [H100-80GB], tolerations: "
            "[{key: a, operator: Exists, effect: NoExecute, tolerationSeconds: 30}]}\n",
            name=f"seconds {effect}".rstrip(", "),
        )
        for effect in ("", "effect: NoSchedule, ")
    ),
    Case(
        "CS220",
        REQUIRE,
        claims("      tolerate: [‹{key: example.com/dedicated, operator: Exists}›]\n"),
        Said(
            "Kubernetes 1.35 does not obey tolerations (gate DRADeviceTaints is off), so they are left out",
            "nothing is lost: device taints are not obeyed there either",
            "spec.claims[0].requests[0].tolerate[0]",
            PROD,
        ),
        also=kubernetes("1.35"),
    ),
    Case(
        "CS221",
        REQUIRE,
        "      share: ‹{memory: 20Gi}›\n",
        Said(
            "Kubernetes 1.35 does not keep `share` (gate DRAConsumableCapacity is off), so a whole device is claimed",
            field="spec.claims[0].requests[0].share",
            clusters=PROD,
        ),
        also={CLUSTER_FILE: [SHARES, *kubernetes("1.35")[CLUSTER_FILE]]},
    ),
    Case(
        "CS222",
        REQUIRE,
        claims("    constraints: [{distinct: ‹gpu.nvidia.com/uuid›}]\n"),
        Said(
            "Kubernetes 1.35 does not keep `distinct` (gate DRAConsumableCapacity is off), so the constraint is left out",
            field="spec.claims[0].constraints[0].distinct",
            clusters=PROD,
        ),
        good=claims("    constraints: [{match: gpu.nvidia.com/architecture}]\n"),
        also=kubernetes("1.35"),
    ),
    Case(
        "CS223",
        "release: 0.4.1\n",
        "release: 0.4.1\n    extendedResourceName: {H100-80GB: ‹example.com/h100›}\n",
        Said(
            "Kubernetes 1.35 does not keep `extendedResourceName` (gate DRAExtendedResource is off), so it is left out",
            field="spec.drivers[0].extendedResourceName.H100-80GB",
            clusters=PROD,
        ),
        CLUSTER_FILE,
        also=kubernetes("1.35"),
    ),
    Case(
        "CS224",
        f"prefer:\n{LIST}",
        f"prefer:\n      ‹{LIST.strip()}›\n",
        Said(
            "cluster prod has no prioritized lists (gate DRAPrioritizedList is off)",
            "keep one entry in `prefer`, or turn the gate on",
            "spec.claims[0].requests[0].prefer",
            PROD,
        ),
        good="prefer:\n      - {model: H100-80GB, count: 4}\n",
        also=kubernetes("1.35", "  featureGates: {DRAPrioritizedList: false}\n"),
    ),
    Case(
        "CS225",
        "release: 0.4.1\n",
        "release: 0.4.1\n    extendedResourceName: {H100-80GB: example.com/gpu, A100-80GB: ‹example.com/gpu›}\n",
        Said(
            "the extended resource `example.com/gpu` is given to two classes: h100-80gb.gpu.nvidia.com, a100-80gb.gpu.nvidia.com",
            field="spec.drivers[0].extendedResourceName.A100-80GB",
            clusters=PROD,
        ),
        CLUSTER_FILE,
        good="release: 0.4.1\n    extendedResourceName: {H100-80GB: example.com/gpu, A100-80GB: example.com/a100}\n",
    ),
    Case(
        "CS226",
        "release: 0.4.1\n",
        "release: 0.4.1\n    extendedResourceName: {H100-80GB: ‹nvidia.com/gpu›}\n",
        Said(
            "the driver's own class `gpu.nvidia.com` may answer `nvidia.com/gpu` too; the newest class wins",
            "take the name away from the driver's class in its chart",
            "spec.drivers[0].extendedResourceName.H100-80GB",
            PROD,
        ),
        CLUSTER_FILE,
        good="release: 0.4.1\n    extendedResourceName: {H100-80GB: example.com/h100}\n",
    ),
    Case(
        "CS227",
        REQUIRE,
        claims("      tolerate: [{key: example.com/dedicated, operator: Exists, effect: ‹None›}]\n"),
        Said(
            "Kubernetes 1.34 has no effect `None`",
            field="spec.claims[0].requests[0].tolerate[0].effect",
            clusters=PROD,
        ),
        good=claims("      tolerate: [{key: example.com/dedicated, operator: Exists, effect: NoExecute}]\n"),
        also=kubernetes("1.34", "  featureGates: {DRADeviceTaints: true}\n"),
    ),
    Case(
        "CS228",
        REQUIRE,
        claims("    constraints: [{distinct: ‹gpu.nvidia.com/uuid›}]\n"),
        Said(
            "Kubernetes 1.36 compares only neighbours for `distinct`: with 8 devices the third may equal the first",
            "use requests of one device each",
            "spec.claims[0].constraints[0].distinct",
            PROD,
        ),
        also=kubernetes("1.36"),
    ),
]

SELECTION = [
    Case(
        "CS501",
        '{memory: ">= 70Gi"}',
        "{addressingMode: ‹hmm›}",
        Said(
            "no device has `addressingMode` `hmm`",
            "did you mean `HMM`? known: HMM, ATS, None",
            "spec.claims[0].requests[0].require.addressingMode",
            PROD,
        ),
        good="{addressingMode: HMM}",
    ),
    Case(
        "CS501",
        '{memory: ">= 70Gi"}',
        "{architecture: [Ampere, Hopper, ‹hoper›]}",
        Said(
            "no device has `architecture` `hoper`",
            f"did you mean `Hopper`? known: {ARCHITECTURES}",
            "spec.claims[0].requests[0].require.architecture[2]",
            PROD,
        ),
        good="{architecture: [Ampere, Hopper]}",
        name="in a list",
    ),
    Case(
        "CS502",
        '">= 70Gi"',
        '‹">= 80Gi"›',
        Said(
            "`memory` >= 80Gi excludes H100-80GB, which has 81559Mi",
            'write ">= 79Gi" to include it',
            "spec.claims[0].requests[0].require.memory",
            PROD,
        ),
        good='">= 79Gi"',
    ),
    Case(
        "CS502",
        '{memory: ">= 70Gi"}',
        "{architecture: ‹Hopper›}",
        Said(
            "`architecture` == Hopper excludes A100-80GB, which has Ampere",
            field="spec.claims[0].requests[0].require.architecture",
            clusters=PROD,
        ),
        name="architecture",
    ),
    Case(
        "CS503",
        '{memory: ">= 70Gi"}',
        '{driverVersion: ‹">= 570, < 560"›}',
        Said(
            "`driverVersion` cannot be >= 570.0.0 and < 560.0.0 at once",
            field="spec.claims[0].requests[0].require.driverVersion",
            clusters=PROD,
        ),
        good='{driverVersion: ">= 560, < 570"}',
    ),
    Case(
        "CS503",
        "count: 8}\n" + REQUIRE,
        'count: 8, require: {driverVersion: ‹"< 560"›}}\n      require: {driverVersion: ">= 560"}\n',
        Said(
            "`driverVersion` cannot be >= 560.0.0 and < 560.0.0 at once",
            field="spec.claims[0].requests[0].prefer[1].require.driverVersion",
            clusters=PROD,
        ),
        good='count: 8, require: {driverVersion: "<= 560"}}\n      require: {driverVersion: ">= 560"}\n',
        name="of request and alternative",
    ),
    Case(
        "CS510",
        REQUIRE,
        claims("    constraints: [{match: ‹gpu.nvidia.com/pcieRoot›}]\n"),
        Said(
            "devices of type `gpu` of `gpu.nvidia.com` 0.4.1 do not publish `gpu.nvidia.com/pcieRoot`",
            "did you mean `resource.kubernetes.io/pcieRoot`? a device without the attribute never meets the constraint",
            "spec.claims[0].constraints[0].match",
            PROD,
        ),
        good=claims("    constraints: [{match: gpu.nvidia.com/architecture}]\n"),
    ),
    Case(
        "CS511",
        "count: 8}\n" + REQUIRE,
        "count: ‹8›}\n" + claims("    constraints: [{match: resource.kubernetes.io/pcieRoot}]\n"),
        Said(
            "8 devices of request `gpu` cannot share one value of `resource.kubernetes.io/pcieRoot`: at most 4 are known to",
            "ask for 4 at most, or take this request out of the constraint",
            "spec.claims[0].requests[0].prefer[1].count",
            PROD,
        ),
        good="count: 4}\n" + claims("    constraints: [{match: resource.kubernetes.io/pcieRoot}]\n"),
    ),
    Case(
        "CS512",
        LIST + REQUIRE,
        "      - {model: H100-80GB, count: all}\n    constraints: [{match: ‹gpu.nvidia.com/architecture›}]\n",
        Said(
            "`count: all` under a constraint stops the whole Pod on a node where one device does not meet it",
            field="spec.claims[0].constraints[0].match",
            clusters=PROD,
        ),
        good="      - {model: H100-80GB, count: all}\n",
    ),
    Case(
        "CS520",
        "H100-80GB, count: 4",
        "‹H100-80GB›, count: 4",
        Said(
            "node pool `a100` has no H100-80GB, so this alternative is never reached by workload `trainer`",
            "pools with it: h100",
            "spec.claims[0].requests[0].prefer[0].model",
            PROD,
        ),
        good="A100-80GB, count: 9",
        also={PROFILE_FILE: [("    kind: Job\n", "    kind: Job\n    nodePool: a100\n")]},
        beside=frozenset({"CS530"}),
    ),
    Case(
        "CS522",
        "H100-80GB, count",
        "‹H100-80GB›, count",
        Said(
            "a device plugin hands out H100-80GB in every node pool that has it (h100, old), so no claim is ever met with one",
            "switch a pool to the DRA driver and to `devices: dra`, or take this entry out",
            "spec.claims[0].requests[0].prefer[0].model",
            PROD,
        ),
        good="a100-80gb, count",
        also={
            CLUSTER_FILE: [
                (
                    "models: [H100-80GB]}\n",
                    "models: [h100-80gb], devices: devicePlugin}\n"
                    "  - {name: old, models: [H100-80GB], devices: devicePlugin}\n",
                )
            ]
        },
        beside=frozenset({"CS530"}),
    ),
    Case(
        "CS521",
        "- {model: A100-80GB, count: 8}",
        "- ‹{model: H100-80GB, count: 8}›",
        Said(
            "this alternative is never reached: the one of line 12 asks for the same devices, and no more of them",
            field="spec.claims[0].requests[0].prefer[1]",
            clusters=PROD,
        ),
        good="- {model: H100-80GB, count: 2}",
    ),
    Case(
        "CS530",
        f"prefer:\n{LIST}",
        f"prefer:\n      ‹{LIST.strip()}›\n",
        Said(
            "nothing holds up the order of request `gpu` across nodes: no node pool with a nodeSelector has H100-80GB",
            "declare a node pool with a nodeSelector for each model",
            "spec.claims[0].requests[0].prefer",
            PROD,
        ),
        good="prefer:\n      - {model: H100-80GB, count: 4}\n",
        also={CLUSTER_FILE: [("nodeSelector: {pool: h100}, ", "")]},
    ),
]

DELIVERY = [
    Case(
        "CS710",
        "kind: Job\n",
        "kind: Job\n    lifecycle: {activeDeadline: 24h, pendingDeadline: ‹30m›}\n",
        Said(
            "`pendingDeadline` is left out: the cluster has no queue",
            "`activeDeadline` counts waiting and running together, and does end a Pod that waits",
            "spec.workloads[0].lifecycle.pendingDeadline",
            PROD,
        ),
        good="kind: Job\n    lifecycle: {activeDeadline: 24h}\n",
    ),
    Case(
        "CS711",
        "kind: Job\n",
        "kind: Job\n    lifecycle: {pendingDeadline: ‹30m›}\n",
        Said(
            "`pendingDeadline` is left out, and nothing else ends the wait of workload `trainer`",
            "add `activeDeadline`",
            "spec.workloads[0].lifecycle.pendingDeadline",
            PROD,
        ),
        good="kind: Job\n    lifecycle: {activeDeadline: 24h}\n",
    ),
    Case(
        "CS712",
        f"prefer:\n{LIST}",
        f"prefer:\n      ‹{LIST.strip()}›\n",
        Said(
            "Kueue does not admit a workload whose claim has a list of alternatives",
            "keep one entry in `prefer` on this cluster, or run the workload without the queue",
            "spec.claims[0].requests[0].prefer",
            PROD,
        ),
        good="prefer:\n      - {model: H100-80GB, count: 4}\n",
        also={CLUSTER_FILE: [("codegen: 1\n", "codegen: 1\n  queue: {kind: kueue}\n")]},
    ),
    Case(
        "CS713",
        "kind: Job\n",
        "kind: Job\n    nodePool: ‹old›\n",
        Said(
            "in node pool `old` a device plugin hands the devices out, so no claim of workload `trainer` is ever met there",
            field="spec.workloads[0].nodePool",
            clusters=PROD,
        ),
        good="kind: Job\n    nodePool: new\n",
        also={
            CLUSTER_FILE: [
                (
                    CLUSTER[CLUSTER.index("  - {name: h100") :],
                    "  - {name: old, models: [H100-80GB, A100-80GB], devices: devicePlugin}\n"
                    "  - {name: new, models: [H100-80GB, A100-80GB]}\n",
                )
            ]
        },
        beside=frozenset({"CS530"}),
    ),
    Case(
        "CS714",
        "kind: Job\n",
        "kind: Job\n    nodePool: ‹a10›\n",
        Said(
            "cluster prod has no node pool `a10`",
            "did you mean `a100`? known: a100, h100",
            "spec.workloads[0].nodePool",
            PROD,
        ),
    ),
]

CASES = [*DOCUMENTS, *REFERENCES, *API, *SELECTION, *DELIVERY]


def by_name(case: Case) -> str:
    return f"{case.rule} {case.name}".rstrip()


def spans(text: str) -> tuple[str, list[tuple[int, int, int, int]]]:
    """The text without its marks, and the lines and columns that each pair of them encloses."""
    plain, found, start = "", [], (0, 0)
    for part in re.split("([‹›])", text):
        line, column = plain.count("\n") + 1, len(plain) - plain.rfind("\n")
        if part == "‹":
            start = (line, column)
        elif part == "›":
            found.append((*start, line, column))
        else:
            plain += part
    return plain, found


def prepare(repo: Repo, case: Case, new: str | None) -> list[tuple[int, int, int, int]]:
    for file, changes in (case.also or {}).items():
        for old, changed in changes:
            repo.edit(file, old, changed)
    if new is None:
        return []
    repo.edit(case.file, case.old, new)
    plain, found = spans((repo.root / case.file).read_text(encoding="utf-8"))
    repo.write(case.file, plain)
    return found


@pytest.mark.parametrize("case", CASES, ids=by_name)
def test_what_the_reader_is_told(case: Case, repo: Repo) -> None:
    marked = prepare(repo, case, case.bad)
    said = [case.said] if isinstance(case.said, Said) else case.said
    result = repo.run("check", "--format", "json")
    found = [finding for finding in result.findings if finding["rule"] == case.rule]
    words = next(rule for rule in all_rules() if rule.id == case.rule)
    whole_file = [(1, 1, len(PROFILE.splitlines()) - 1, 18)]
    assert found == [
        {
            "rule": case.rule,
            "severity": words.severity.value,
            "consequence": words.consequence.value,
            "message": each.message,
            "help": each.help,
            "file": case.file,
            "line": place[0],
            "column": place[1],
            "endLine": place[2],
            "endColumn": place[3],
            "path": None,
            "field": each.field,
            "clusters": list(each.clusters),
        }
        for each, place in zip(said, marked or whole_file, strict=True)
    ]
    covered = {each.rule for each in CASES}
    assert {finding["rule"] for finding in result.findings} & covered - {case.rule} == case.beside
    failed = any(finding["severity"] != "info" for finding in result.findings)
    assert result.status == (1 if failed else 0)


@pytest.mark.parametrize("case", CASES, ids=by_name)
def test_its_good_twin(case: Case, repo: Repo) -> None:
    prepare(repo, case, case.good)
    assert case.rule not in repo.run("check", "--format", "json").rules


def test_unreadable_file(repo: Repo) -> None:
    (repo.root / "profiles/teams/gone.yaml").symlink_to("nowhere.yaml")
    [finding] = repo.run("check", "--format", "json").findings
    assert finding == {
        "rule": "CS130",
        "severity": "error",
        "consequence": "invalid",
        "message": "`profiles/teams/gone.yaml` cannot be read: no such file or directory",
        "help": "",
        "file": "profiles/teams/gone.yaml",
        "line": 1,
        "column": 1,
        "endLine": 1,
        "endColumn": 1,
        "path": None,
        "field": None,
        "clusters": [],
    }


def test_one_finding_for_all_its_clusters(repo: Repo) -> None:
    repo.write("profiles/clusters/lab.yaml", CLUSTER.replace("{name: prod}", "{name: lab}"))
    repo.edit(PROFILE_FILE, "count: 8", "count: 33")
    [finding] = repo.run("check", "--format", "json").findings
    assert (finding["rule"], finding["clusters"]) == ("CS212", ["lab", "prod"])


def exercised() -> Iterator[str]:
    """The rule ids that tests speak of."""
    for path in TESTS.rglob("test_*.py"):
        yield from re.findall(r"\bCS[0-9]{3}\b", path.read_text(encoding="utf-8"))


def test_every_rule_is_exercised() -> None:
    assert {rule.id for rule in all_rules()} - set(exercised()) == set()


@pytest.mark.parametrize("rule", list(all_rules()), ids=lambda rule: rule.id)
def test_words(rule: type[Rule]) -> None:
    """Rules say something, in one sentence without its full stop, and their examples differ."""
    assert rule.message
    assert rule.why.endswith(".")
    assert not rule.message.endswith(".")
    assert rule.bad != rule.good or not rule.bad


def placeholders(rule: type[Rule]) -> set[str]:
    return {name for text in (rule.message, rule.help) for _, name, _, _ in Formatter().parse(text) if name}


def calls() -> Iterator[tuple[str, str, set[str]]]:
    """Where the code reports a rule by its id, with the keys that it passes; calls that pass a variable are left out."""
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            ids = [str(each.value) for each in node.args if isinstance(each, ast.Constant) and is_id(each.value)]
            data = [each for each in node.args if isinstance(each, ast.Dict)]
            names = {keyword.arg for keyword in node.keywords}
            keys = [key for each in data for key in each.keys]
            method = isinstance(node.func, ast.Attribute)
            known = all(isinstance(key, ast.Constant) for key in keys) and None not in names
            if len(ids) == 1 and known and (method or data or len(node.args) < 3):
                found = {key.value for key in keys if isinstance(key, ast.Constant)} | (names - {None})
                yield ids[0], f"{path.relative_to(PACKAGE)}:{node.lineno}", {str(each) for each in found}


def is_id(value: object) -> bool:
    return isinstance(value, str) and re.fullmatch("CS[0-9]{3}", value) is not None


def test_words_fit_what_every_call_passes() -> None:
    words = {rule.id: placeholders(rule) for rule in all_rules()}
    found = list(calls())
    assert len(found) > 60
    assert [(rule, place, words[rule] - keys) for rule, place, keys in found if words[rule] - keys] == []


def test_ids_and_names_are_unique() -> None:
    rules = list(all_rules())
    assert len({rule.name for rule in rules}) == len(rules)
    assert all(re.fullmatch("CS[1-9][0-9]{2}", rule.id) for rule in rules)
    assert all(re.fullmatch("[a-z0-9]+(-[a-z0-9]+)*", rule.name) for rule in rules)

"""Valid repositories, made up by Hypothesis.

Documents are plain trees; :func:`as_yaml` writes them as JSON, in which every string is quoted, so that names
such as ``n`` or ``1e3`` are what they say in any YAML.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

Tree = dict[str, Any]

FOREIGN_CLASS = "example.com"
"""A device class that the generated clusters declare as made by others."""

TARGETS: list[tuple[str, dict[str, bool]]] = [
    ("1.34", {}),
    ("1.34", {"DRADeviceTaints": True}),
    ("1.35", {}),
    ("1.35", {"DRADeviceTaints": True, "DRAConsumableCapacity": True, "DRAExtendedResource": True}),
    ("1.36", {}),
    ("1.37", {}),
]

CHOICES = [
    ("H100-80GB", None),
    ("A100-80GB", None),
    ("a100-40gb", None),
    ("A100-80GB", "3g.40gb"),
    ("A100-80GB", "1g.10gb"),
    ("H200-141GB", None),
]

TRICKY = ["n", "y", "on", "off", "no", "yes", "null", "true", "1e3", "0x1", "012", "0b1", "08", "0o7", "1", "0"]
WORDS = [*TRICKY, "Yes", "NULL", "1_000", "1.0", "1.37", "2026-01-01", "a", "vision", "x-1"]

labels = st.one_of(st.sampled_from(TRICKY), st.from_regex(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", fullmatch=True))
label_values = st.one_of(
    st.sampled_from(WORDS), st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,20}[A-Za-z0-9])?", fullmatch=True)
)
label_keys = st.one_of(label_values, label_values.map(lambda name: f"example.com/{name}"))
texts = st.one_of(
    st.sampled_from(
        [*WORDS, "12:30", "~", "=", "<<", "- a", "a: b", "#", " ", "", "|", "'", '"', "\\", "%", "@", "*a", "&a"]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
)
json_values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(2**63), 2**63 - 1), st.integers(-999, 999).map(lambda n: n / 100), texts
    ),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)
configs = st.lists(st.dictionaries(texts, json_values, max_size=3), max_size=2)
amounts = st.sampled_from(["1Gi", "1024Mi", "1073741824", "1.5Gi", "1e9"])


def as_yaml(document: Tree) -> str:
    """One document on one line; what not every YAML reader takes as it is, is escaped."""
    text = json.dumps(document, ensure_ascii=False)
    return re.sub("[\x7f-\uffff]", lambda match: f"\\u{ord(match.group()):04x}", text) + "\n"


@dataclass(frozen=True, slots=True)
class Generated:
    clusters: Sequence[Tree]
    profiles: Sequence[Tree]
    evidence: Sequence[Tree]

    @property
    def documents(self) -> list[Tree]:
        return [*self.clusters, *self.profiles, *self.evidence]


def document(kind: str, name: str, spec: Tree) -> Tree:
    return {"apiVersion": "claimsmith/v1alpha1", "kind": kind, "metadata": {"name": name}, "spec": spec}


def without_empty(tree: Tree) -> Tree:
    return {key: value for key, value in tree.items() if value not in (None, [], {})}


@st.composite
def tolerations(draw: st.DrawFn, effects: Sequence[str]) -> Tree:
    effect = {"effect": draw(st.sampled_from([*effects, ""]))}
    if not effect["effect"]:
        effect = {}
    if draw(st.booleans()):
        return {"key": draw(label_keys), "operator": "Exists"} | effect
    value = {"value": draw(label_values)} if draw(st.booleans()) else {}
    return {"key": draw(label_keys)} | value | effect


@st.composite
def clusters(draw: st.DrawFn, name: str, shares: bool) -> Tree:
    kubernetes, gates = draw(st.sampled_from(TARGETS))
    nvidia: Tree = {
        "name": "gpu.nvidia.com",
        "release": "unreleased" if shares else draw(st.sampled_from(["25.12.0", "0.4.1", "v0.4.0"])),
        "featureGates": {"ConsumableShares": True} if shares else {},
        "models": ["H100-80GB", "A100-80GB", "A100-40GB", "H200-141GB"],
        "partitions": {"A100-80GB": ["3g.40gb", "1g.10gb"]},
    }
    if draw(st.booleans()):
        nvidia["classSuffix"] = draw(labels)
    if draw(st.booleans()):
        nvidia["extendedResourceName"] = {"H100-80GB": f"example.com/{draw(label_values)}"}
    pools = [
        without_empty(
            {
                "name": pool,
                "nodeSelector": draw(st.dictionaries(label_keys, label_values, max_size=2)),
                "tolerations": draw(st.lists(tolerations(["NoSchedule", "PreferNoSchedule"]), max_size=2)),
                "models": draw(st.lists(st.sampled_from(nvidia["models"]), unique=True)),
                "minSize": 1,
            }
        )
        for pool in draw(st.lists(labels, unique=True, max_size=3))
    ]
    return document(
        "Cluster",
        name,
        {
            "kubernetes": kubernetes,
            "codegen": 1,
            "featureGates": gates,
            "drivers": draw(st.permutations([nvidia, {"name": "dra.net", "release": "1.4.0"}])),
            "deviceClasses": [FOREIGN_CLASS],
            "nodePools": pools,
        },
    )


gpu_requirements = st.fixed_dictionaries(
    {},
    optional={
        "memory": st.sampled_from([">= 1Gi", "> 5000Mi, <= 200Gi", "!= 3Gi"]),
        "driverVersion": st.sampled_from([">= 570", ">= 570.1, < 900.0.0", "!= 1.2.3"]),
        "architecture": st.sampled_from([["Ampere", "Hopper"], "!= Turing"]),
        "cudaComputeCapability": st.sampled_from([">= 8.0", ["8.0", "9.0"]]),
        "resource.kubernetes.io/pciBusID": st.one_of(
            texts.filter(lambda text: text[:1].isalnum()), st.just(["n", "12:30"])
        ),
        "uuid": st.lists(texts, min_size=1, max_size=3),
    },
)
nic_requirements = st.fixed_dictionaries(
    {},
    optional={
        "mtu": st.sampled_from([9000, ">= 1500, < 10000", [1500, 9000], "!= 0"]),
        "sriov": st.booleans(),
        "ifName": st.sampled_from(["eth0", ["on", "no"], "!= lo"]),
    },
)


@st.composite
def gpu_requests(draw: st.DrawFn, name: str, shares: bool) -> Tree:
    choices = draw(st.lists(st.sampled_from(CHOICES), min_size=1, max_size=4, unique=True))
    entries = [
        without_empty(
            {
                "model": model,
                "partition": partition,
                "count": draw(st.integers(1, 4)),
                "tolerate": draw(st.lists(tolerations(["NoSchedule", "NoExecute"]), max_size=1)),
                "config": draw(configs),
            }
        )
        for model, partition in choices
    ]
    if len(entries) == 1 and draw(st.booleans()):
        entries[0]["count"] = "all"
    return without_empty(
        {
            "name": name,
            "driver": "gpu.nvidia.com",
            "prefer": entries,
            "require": draw(gpu_requirements),
            "tolerate": draw(st.lists(tolerations(["NoSchedule", "NoExecute"]), max_size=2)),
            "config": draw(configs),
            "share": {"memory": draw(amounts)}
            if shares and not any(partition for _, partition in choices) and draw(st.booleans())
            else None,
        }
    )


@st.composite
def plain_requests(draw: st.DrawFn, name: str) -> Tree:
    kind = draw(st.sampled_from(["class", "type", "foreign"]))
    request: Tree = {"name": name, "count": draw(st.sampled_from([1, 2, "all"])), "config": draw(configs)}
    if kind == "foreign":
        return without_empty(request | {"deviceClass": FOREIGN_CLASS, "driver": "example.com"})
    what = {"deviceClass": "rdma.dra.net"} if kind == "class" else {"driver": "dra.net", "deviceType": "netdev"}
    return without_empty(request | what | {"require": draw(nic_requirements)})


@st.composite
def claims(draw: st.DrawFn, name: str, shares: bool) -> Tree:
    requests = [
        draw(st.one_of(gpu_requests(request, shares), plain_requests(request)))
        for request in draw(st.lists(labels, min_size=1, max_size=3, unique=True))
    ]
    claim: Tree = {"name": name, "requests": requests}
    gpus = [request["name"] for request in requests if "prefer" in request]
    constrained: bool = draw(st.booleans())
    if gpus and constrained:
        claim["constraints"] = [
            draw(
                st.sampled_from(
                    [
                        {"match": "gpu.nvidia.com/driverVersion", "requests": gpus},
                        {"distinct": "gpu.nvidia.com/uuid", "requests": gpus[:1]},
                    ]
                )
            )
        ]
    return claim


@st.composite
def workloads(draw: st.DrawFn, name: str, names: Sequence[str]) -> Tree:
    kind = draw(st.sampled_from(["Job", "CronJob", "Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Pod"]))
    workload: Tree = {
        "name": name,
        "kind": kind,
        "claims": draw(st.lists(st.sampled_from(names), min_size=1, unique=True)),
        "elastic": True,
    }
    if draw(st.booleans()):
        workload["container"] = draw(labels)
    if kind in ("Job", "CronJob") and draw(st.booleans()):
        workload["lifecycle"] = {
            "maxRetries": draw(st.integers(0, 9)),
            "activeDeadline": "1h",
            "ttlAfterFinished": "5m",
        }
    return workload


@st.composite
def profiles(draw: st.DrawFn, name: str, cluster_names: Sequence[str], shares: bool) -> Tree:
    names = draw(st.lists(labels, min_size=1, max_size=3, unique=True))
    spec: Tree = {
        "namespaces": draw(st.lists(labels, min_size=1, max_size=2, unique=True)),
        "claims": [draw(claims(claim, shares)) for claim in names],
        "workloads": [draw(workloads(workload, names)) for workload in draw(st.lists(labels, max_size=2, unique=True))],
    }
    if draw(st.booleans()):
        spec["clusters"] = draw(st.lists(st.sampled_from(cluster_names), min_size=1, unique=True))
    return document("TeamProfile", name, spec)


def evidence_of(profile: Tree) -> list[Tree]:
    """Evidence for every fallback of every workload."""
    team = profile["metadata"]["name"]
    lists = {
        claim["name"]: [entry for request in claim["requests"] for entry in request.get("prefer", [])]
        for claim in profile["spec"]["claims"]
    }
    wanted = {
        (workload["name"], entry["model"], entry.get("partition"))
        for workload in profile["spec"]["workloads"]
        for claim in workload["claims"]
        for entry in lists[claim]
    }
    return [
        document(
            "Evidence",
            f"{number}-{team}"[:63].rstrip("-"),
            without_empty(
                {
                    "team": team,
                    "workload": workload,
                    "driver": "gpu.nvidia.com",
                    "model": model,
                    "partition": partition,
                    "image": "registry.example.com/app@sha256:" + "0" * 64,
                    "date": "2026-11-02",
                    "checks": {"starts": True},
                }
            ),
        )
        for number, (workload, model, partition) in enumerate(sorted(wanted, key=str))
    ]


@st.composite
def repositories(draw: st.DrawFn) -> Generated:
    """One or two clusters and one to three teams that fit together."""
    shares = draw(st.booleans())
    cluster_names = draw(st.lists(labels, min_size=1, max_size=2, unique=True))
    teams = draw(st.lists(labels, min_size=1, max_size=3, unique=True))
    made = [draw(profiles(team, cluster_names, shares)) for team in teams]
    proofs = [each for profile in made for each in evidence_of(profile)]
    unique = {each["metadata"]["name"]: each for each in proofs}
    return Generated(
        [draw(clusters(name, shares)) for name in cluster_names],
        made,
        list(unique.values()) if len(unique) == len(proofs) else rename(proofs),
    )


def rename(documents: Sequence[Tree]) -> list[Tree]:
    return [{**each, "metadata": {"name": f"e-{number}"}} for number, each in enumerate(documents)]

"""What a cluster did, kept as JSON: Pods, claims, events, and the attributes and taints of every device."""

import json
import os
from pathlib import Path
from typing import Any

from tests.cluster.build import cache
from tests.cluster.client import CLAIM, EVENT, JOB, POD, Object
from tests.cluster.cluster import Cluster

VARIABLE = "CLAIMSMITH_CLUSTER_EVIDENCE"


def evidence_folder() -> Path:
    """Where evidence is kept: ``$CLAIMSMITH_CLUSTER_EVIDENCE``, or in the cache."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else cache() / "evidence"


def collect(cluster: Cluster, namespace: str) -> Object:
    """The Jobs, Pods and claims of a namespace, the events about them, and the fleet."""
    rules = cluster.taint_rules()
    present = {each["metadata"]["uid"] for kind in (JOB, POD, CLAIM) for each in cluster.api.list(kind, namespace)}
    return {
        "kubernetes": cluster.api.request("GET", "/version")["gitVersion"],
        "settings": str(cluster.plane.settings),
        "jobs": [_brief(each, "conditions") for each in cluster.api.list(JOB, namespace)],
        "pods": [
            {**_brief(each, "phase"), "node": each["spec"].get("nodeName")} for each in cluster.api.list(POD, namespace)
        ],
        "claims": [
            {**_brief(each, "allocation"), "labels": each["metadata"].get("labels", {}), "spec": each["spec"]}
            for each in cluster.api.list(CLAIM, namespace)
        ],
        "events": [
            {"reason": each["reason"], "about": each["involvedObject"]["kind"], "message": each["message"]}
            for each in cluster.api.list(EVENT, namespace)
            if each["involvedObject"].get("uid") in present
        ],
        "devices": [
            {"driver": key[0], "pool": key[1], "device": key[2], **_published(device)}
            for key, device in sorted(cluster.devices().items())
        ],
        "taintRules": [each["spec"] for each in cluster.api.list(rules)] if rules else [],
    }


def keep(cluster: Cluster, namespace: str, scenario: str) -> Path:
    """Writes the evidence of a scenario to ``<folder>/<minor>/<scenario>.json``."""
    path = evidence_folder() / cluster.minor / f"{scenario}.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    text = json.dumps(collect(cluster, namespace), indent=1, sort_keys=True)
    path.write_text(f"{text}\n", encoding="utf-8")
    return path


def _brief(document: Object, status: str) -> Object:
    found: Any = (document.get("status") or {}).get(status)
    return {"name": document["metadata"]["name"], status: found}


def _published(device: Object) -> Object:
    return {key: device[key] for key in ("attributes", "capacity", "taints") if key in device}

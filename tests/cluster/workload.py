"""Jobs and Pods as a chart makes them of what the compiler wrote in ``values/<workload>.yaml``."""

from pathlib import Path
from typing import Any

import yaml

from tests.cluster.client import Object

IMAGE = "registry.example.com/vision/trainer:1"


def read_values(folder: Path, team: str, workload: str) -> Object:
    """The values of a workload below ``output/<cluster>``."""
    values: Object = yaml.safe_load(
        (folder / "teams" / team / "values" / f"{workload}.yaml").read_text(encoding="utf-8")
    )
    return values


def job(values: Object, namespace: str, name: str = "trainer", *, affinity: bool = True, **fields: Any) -> Object:
    """A Job with every value in its place; ``fields`` replace those of its spec, such as ``activeDeadlineSeconds``."""
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": namespace},
        "spec": {**values.get("job", {}), **fields, "template": {"spec": _pod_spec(values, affinity)}},
    }


def pod(values: Object, namespace: str, name: str = "trainer", *, affinity: bool = True) -> Object:
    """A Pod with the values of a workload."""
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": _pod_spec(values, affinity)}


def _pod_spec(values: Object, affinity: bool) -> Object:
    spec = {key: value for key, value in values["podSpec"].items() if affinity or key != "affinity"}
    requests = {"requests": {"cpu": "1", "memory": "1Gi"}}
    container = {"name": "main", "image": IMAGE, "resources": {**values["container"]["resources"], **requests}}
    return {"restartPolicy": "Never", "terminationGracePeriodSeconds": 0, **spec, "containers": [container]}

"""A workload's settings in the two forms that people merge: Helm values and a strategic-merge patch."""

from claimsmith.compiler.objects import KubernetesObject
from claimsmith.compiler.pods import PodSettings

_API_VERSIONS = {
    "Job": "batch/v1",
    "CronJob": "batch/v1",
    "Deployment": "apps/v1",
    "StatefulSet": "apps/v1",
    "DaemonSet": "apps/v1",
    "ReplicaSet": "apps/v1",
    "Pod": "v1",
}


def helm_values(settings: PodSettings) -> dict[str, object]:
    """``podSpec``, ``container`` and, for Jobs, ``job``."""
    values: dict[str, object] = {"podSpec": dict(settings.pod_spec), "container": dict(settings.container)}
    if settings.job:
        values["job"] = dict(settings.job)
    return values


def patch(settings: PodSettings) -> KubernetesObject:
    """The same, shaped as the workload: Kustomize merges it into the object of this kind and name."""
    workload = settings.workload
    container = {"name": workload.container or workload.name, **settings.container}
    pod = {"containers": [container], **settings.pod_spec}
    if workload.kind == "Pod":
        spec: dict[str, object] = pod
    else:
        spec = {**settings.job, "template": {"spec": pod}}
    if workload.kind == "CronJob":
        spec = {"jobTemplate": {"spec": spec}}
    return {
        "apiVersion": _API_VERSIONS[workload.kind],
        "kind": workload.kind,
        "metadata": {"name": workload.name},
        "spec": spec,
    }

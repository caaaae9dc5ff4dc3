"""A cluster that a test may fill: what its control plane has, made and removed again."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from tests.cluster.client import (
    CLAIM,
    DEVICE_CLASS,
    EVENT,
    JOB,
    NODE,
    POD,
    POLICY,
    POLICY_BINDING,
    QUOTA,
    SLICE,
    TEMPLATE,
    Api,
    ApiError,
    Kind,
    Object,
)
from tests.cluster.control_plane import ControlPlane, ControlPlanes, Settings
from tests.cluster.fleet import FleetNode
from tests.cluster.waiting import until

CRON_JOB = Kind("batch", "v1", "cronjobs", True)
REPLICA_SETS = tuple(Kind("apps", "v1", name, True) for name in ("deployments", "statefulsets", "replicasets"))
SERVED_AS_RULES = ("v1", "v1beta2", "v1alpha3")
"""Versions of DeviceTaintRule, best first."""


@dataclass(frozen=True, slots=True)
class Granted:
    """A device that a claim got: for which request (``gpu/h100-80gb`` for an alternative), and what it publishes."""

    request: str
    driver: str
    pool: str
    device: str
    attributes: dict[str, dict[str, Any]]

    @property
    def product(self) -> str:
        product: str = self.attributes["productName"]["string"]
        return product


class Cluster:
    """The objects of a test in a running control plane; ``wipe`` removes them."""

    def __init__(self, plane: ControlPlane) -> None:
        self.plane = plane

    @property
    def api(self) -> Api:
        return self.plane.api

    @property
    def minor(self) -> str:
        return self.plane.minor

    def namespace(self, name: str, labels: dict[str, str] | None = None) -> None:
        """A namespace, which stays for later tests."""
        document = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name, "labels": labels or {}}}
        self.api.apply(document, force=True)

    def create_all(self, documents: Iterable[Object]) -> list[Object]:
        return [self.api.create(document) for document in documents]

    def apply_all(self, documents: Iterable[Object]) -> list[Object]:
        """Applies objects as a sync does, their namespaces first where they are missing."""
        listed = list(documents)
        for namespace in sorted({each["metadata"]["namespace"] for each in listed if "namespace" in each["metadata"]}):
            self.namespace(namespace)
        return [self.api.apply(document) for document in listed]

    def fleet(self, *nodes: FleetNode) -> None:
        """Nodes, ready for Pods, and the slices of their devices."""
        for each in nodes:
            self.api.create(each.node())
            self.api.patch(NODE, each.name, {"status": each.status()}, subresource="status")
            untainted = {"spec": {"taints": [dict(taint) for taint in each.taints] or None}}
            self.api.patch(NODE, each.name, untainted)
            self.create_all(each.slices())

    def load(self, node: FleetNode, percent: int) -> None:
        """A Pod without devices that takes a part of a node's CPU and memory."""
        if not percent:
            return
        room = {
            "cpu": f"{node.cpu * percent * 10}m",
            "memory": f"{int(node.memory.removesuffix('Gi')) * percent // 100}Gi",
        }
        self.namespace("load")
        container = {"name": "load", "image": "load", "resources": {"requests": room}}
        spec = {"nodeName": node.name, "containers": [container], "terminationGracePeriodSeconds": 0}
        metadata = {"name": f"load-{node.name}", "namespace": "load"}
        self.api.create({"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec})

    def pods_of(self, job: Object) -> list[Object]:
        """The Pods of a Job that are not being deleted, oldest first."""
        selector = f"batch.kubernetes.io/job-name={job['metadata']['name']}"
        found = self.api.list(POD, job["metadata"]["namespace"], labelSelector=selector)
        alive = [pod for pod in found if "deletionTimestamp" not in pod["metadata"]]
        return sorted(alive, key=lambda pod: pod["metadata"]["creationTimestamp"])

    def pod_of(self, job: Object) -> Object:
        """The Pod that a Job has made, as soon as it has."""
        return until(lambda: next(iter(self.pods_of(job)), None), "a Pod of the Job", seen=lambda: self.api.stored(job))

    def placed(self, pod: Object) -> Object:
        """The Pod, when a node has been chosen for it."""

        def look() -> Object | None:
            now = self.api.stored(pod)
            return now if now["spec"].get("nodeName") else None

        return until(look, f"a node for {pod['metadata']['name']}", seen=lambda: self.events(pod))

    def outcome(self, pod: Object) -> Sequence[str]:
        """The requests that the devices of a Pod were given for, or what the scheduler says against it, once it is known."""

        def look() -> Sequence[str] | None:
            if self.api.stored(pod)["spec"].get("nodeName"):
                return [each.request for each in self.granted(pod)]
            said = [event["message"] for event in self.events(pod) if event["reason"] == "FailedScheduling"]
            return said[-1] if said else None

        return until(look, f"an outcome for {pod['metadata']['name']}", seen=lambda: self.events(pod))

    def unschedulable(self, pod: Object, text: str = "") -> str:
        """What the scheduler says of a Pod that it cannot place, when it has said so (and something with the text)."""

        def look() -> str | None:
            said = [event["message"] for event in self.events(pod) if event["reason"] == "FailedScheduling"]
            return next((message for message in reversed(said) if text in message), None)

        return until(
            look, "FailedScheduling", seen=lambda: (self.api.stored(pod)["spec"].get("nodeName"), self.events(pod))
        )

    def events(self, about: Object) -> list[Object]:
        """The events of an object, oldest first."""
        uid = about["metadata"]["uid"]
        found = self.api.list(EVENT, about["metadata"]["namespace"], fieldSelector=f"involvedObject.uid={uid}")
        return sorted(found, key=lambda event: int(event["metadata"]["resourceVersion"]))

    def claims_of(self, pod: Object) -> list[Object]:
        """The claims of a Pod, in its order, that exist."""
        statuses = self.api.stored(pod).get("status", {}).get("resourceClaimStatuses") or []
        names = [each["resourceClaimName"] for each in statuses if each.get("resourceClaimName")]
        namespace = pod["metadata"]["namespace"]
        found = [self.api.find(CLAIM, name, namespace) for name in names]
        return [claim for claim in found if claim is not None]

    def granted(self, pod: Object) -> list["Granted"]:
        """The devices that the claims of a Pod got, in the order of the allocation."""
        published = self.devices()
        found = []
        for claim in self.claims_of(pod):
            allocation = claim.get("status", {}).get("allocation") or {}
            for result in allocation.get("devices", {}).get("results", ()):
                key = (result["driver"], result["pool"], result["device"])
                found.append(Granted(result["request"], *key, published[key].get("attributes", {})))
        return found

    def devices(self) -> dict[tuple[str, str, str], Object]:
        """Every published device by driver, pool and name."""
        return {
            (slice_["spec"]["driver"], slice_["spec"]["pool"]["name"], device["name"]): device
            for slice_ in self.api.list(SLICE)
            for device in slice_["spec"].get("devices", ())
        }

    def finish(self, pod: Object, phase: str = "Succeeded") -> None:
        """Says what a kubelet would: that a Pod has ended."""
        code = 0 if phase == "Succeeded" else 1
        status = {
            "phase": phase,
            "containerStatuses": [
                {
                    "name": each["name"],
                    "image": each["image"],
                    "imageID": "",
                    "ready": False,
                    "restartCount": 0,
                    "state": {"terminated": {"exitCode": code, "reason": "Completed" if code == 0 else "Error"}},
                }
                for each in pod["spec"]["containers"]
            ],
        }
        metadata = pod["metadata"]
        self.api.patch(POD, metadata["name"], {"status": status}, metadata["namespace"], subresource="status")

    def taint_rules(self) -> Kind | None:
        """The best version of DeviceTaintRule that is served, if any is."""
        for version in SERVED_AS_RULES:
            try:
                served = self.api.request("GET", f"/apis/resource.k8s.io/{version}")["resources"]
            except ApiError:
                continue
            if any(each["name"] == "devicetaintrules" for each in served):
                return Kind("resource.k8s.io", version, "devicetaintrules", False)
        return None

    def wipe(self) -> None:
        """Removes everything that a test can have made, namespaces excepted, and waits until it is gone."""
        rules = self.taint_rules()
        guarded = self._guarded_namespaces()
        for kind in (CRON_JOB, JOB, *REPLICA_SETS, POD, CLAIM, TEMPLATE, QUOTA, POLICY_BINDING, POLICY):
            self._remove(kind)
        for kind in (DEVICE_CLASS, SLICE, NODE, *([rules] if rules else [])):
            self._remove(kind)
        until(lambda: not any(map(self._refuses, guarded)), "the last of the policies")

    def _guarded_namespaces(self) -> list[str]:
        """Namespaces for which there is an admission policy: the server forgets one a moment after it is deleted."""
        expressions = [
            expression
            for policy in self.api.list(POLICY)
            for expression in policy["spec"]["matchConstraints"]
            .get("namespaceSelector", {})
            .get("matchExpressions", ())
        ]
        return sorted({name for each in expressions for name in each.get("values", ())})

    def _refuses(self, namespace: str) -> bool:
        """Whether a policy keeps a claim of a class that no team may use out of a namespace."""
        request = {"name": "any", "exactly": {"deviceClassName": "class-of-no-team"}}
        metadata = {"generateName": "probe-", "namespace": namespace}
        head = {"apiVersion": "resource.k8s.io/v1", "kind": "ResourceClaim", "metadata": metadata}
        try:
            self.api.create({**head, "spec": {"devices": {"requests": [request]}}}, dry_run=True)
        except ApiError as error:
            return error.status == 403
        return False

    def _remove(self, kind: Kind) -> None:
        def gone() -> bool:
            left = self.api.list(kind)
            for item in left:
                name, namespace = item["metadata"]["name"], item["metadata"].get("namespace")
                if item["metadata"].get("finalizers"):
                    self._unbind(kind, name, namespace)
                self.api.delete(kind, name, namespace, now=True)
            return not left

        until(gone, f"no {kind.plural} left")

    def _unbind(self, kind: Kind, name: str, namespace: str | None) -> None:
        """Takes an object's finalizers away: what would wait for a kubelet or a driver, waits for ever here."""
        try:
            self.api.patch(kind, name, {"metadata": {"finalizers": None}}, namespace)
        except ApiError as error:
            if error.status != 404:
                raise


class Clusters:
    """The clusters that a test has asked for, by their settings."""

    def __init__(self, planes: ControlPlanes) -> None:
        self._planes = planes
        self.used: list[Cluster] = []

    def get(self, settings: Settings) -> Cluster:
        plane = self._planes.get(settings)
        found = next((each for each in self.used if each.plane is plane), None)
        if found is None:
            found = Cluster(plane)
            self.used.append(found)
        return found

"""Cluster: one target, with its version, gates, drivers and node pools."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from claimsmith.documents.decode import Positioned
from claimsmith.documents.parts import Document, Toleration
from claimsmith.values.duration import Duration


@dataclass(frozen=True, slots=True, kw_only=True)
class ClusterDriver(Positioned):
    """A driver installed on the cluster, and the models, partitions and device types present there.

    ``device_types`` left out means every type without models; ``class_suffix`` ends the names of our classes.
    """

    name: str
    release: str
    feature_gates: Mapping[str, bool] = field(default_factory=dict)
    models: tuple[str, ...] = ()
    partitions: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    device_types: tuple[str, ...] | None = None
    class_suffix: str | None = None
    extended_resource_name: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class NodePool(Positioned):
    """A group of nodes; ``devices`` says whether DRA or a device plugin hands its devices out."""

    name: str
    node_selector: Mapping[str, str] = field(default_factory=dict)
    tolerations: tuple[Toleration, ...] = ()
    models: tuple[str, ...] = ()
    min_size: int | None = None
    devices: str = "dra"


@dataclass(frozen=True, slots=True, kw_only=True)
class Queue(Positioned):
    kind: str = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota(Positioned):
    """The most devices of a model (or of a partition of it) that a team may claim."""

    team: str
    model: str
    partition: str | None = None
    devices: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EvidencePolicy(Positioned):
    max_age: Duration | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cluster(Document):
    kubernetes: str
    codegen: int
    preset: str | None = None
    feature_gates: Mapping[str, bool] = field(default_factory=dict)
    runtime_config: Mapping[str, bool] = field(default_factory=dict)
    drivers: tuple[ClusterDriver, ...] = ()
    device_classes: tuple[str, ...] = ()
    node_pools: tuple[NodePool, ...] = ()
    quarantine: str = "auto"
    admission_policy: bool = False
    admin_access_namespaces: tuple[str, ...] = ()
    queue: Queue | None = None
    quotas: tuple[Quota, ...] = ()
    evidence: EvidencePolicy | None = None
    inventory: str | None = None

    def driver(self, name: str) -> ClusterDriver | None:
        return next((driver for driver in self.drivers if driver.name == name), None)

    def node_pool(self, name: str) -> NodePool | None:
        return next((pool for pool in self.node_pools if pool.name == name), None)

    @property
    def queue_kind(self) -> str:
        return self.queue.kind if self.queue else "none"

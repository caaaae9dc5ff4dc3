"""The platform team's other documents: Evidence, Quarantine, Reservation and Policy."""

from dataclasses import dataclass

from claimsmith.documents.decode import Positioned
from claimsmith.documents.parts import DevicePool, Document
from claimsmith.values.quantity import Quantity


@dataclass(frozen=True, slots=True, kw_only=True)
class Checks(Positioned):
    """What was tried on the device; ``throughput`` is relative to the first choice (1.0 is as fast)."""

    starts: bool
    operators: bool | None = None
    peak_memory: Quantity | None = None
    throughput: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence(Document):
    """That a workload was seen to run on a model with an image; ``date`` is ``YYYY-MM-DD``."""

    team: str
    workload: str
    driver: str
    model: str
    partition: str | None = None
    image: str
    date: str
    driver_version: str | None = None
    cuda_version: str | None = None
    checks: Checks
    url: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class QuarantinedDevice(Positioned):
    """One device; ``uuid`` is the value of the driver's identity attribute, which the selector strategy needs."""

    driver: str
    pool: str | None = None
    device: str | None = None
    uuid: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Quarantine(Document):
    """Devices or whole pools to keep out; ``until`` (``YYYY-MM-DD``) is only reported when it is past."""

    clusters: tuple[str, ...] | None = None
    devices: tuple[QuarantinedDevice, ...] = ()
    pools: tuple[DevicePool, ...] = ()
    effect: str = "NoSchedule"
    reason: str
    ticket: str | None = None
    until: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Reservation(Document):
    """A node pool or models set aside for one team; ``pools`` are the driver pools whose devices get a taint."""

    clusters: tuple[str, ...] | None = None
    team: str
    node_pool: str | None = None
    models: tuple[str, ...] = ()
    pools: tuple[DevicePool, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PolicyRule(Positioned):
    """A CEL expression over ``profile``, ``cluster`` and ``models`` that must be true, and what to say if not."""

    name: str
    expression: str
    message: str
    severity: str = "error"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy(Document):
    clusters: tuple[str, ...] | None = None
    rules: tuple[PolicyRule, ...]

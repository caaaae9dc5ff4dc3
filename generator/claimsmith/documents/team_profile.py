"""TeamProfile: what a team wants, in its own words."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from claimsmith.documents.decode import Positioned
from claimsmith.documents.parts import Document, Toleration
from claimsmith.values.duration import Duration
from claimsmith.values.quantity import Quantity

Requirement = str | int | bool | list[str | int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Alternative(Positioned):
    """One entry of ``prefer``; ``count`` is a number or ``all``."""

    model: str
    partition: str | None = None
    count: int | str = 1
    require: Mapping[str, Requirement] = field(default_factory=dict)
    tolerate: tuple[Toleration, ...] = ()
    config: tuple[object, ...] = ()
    share: Mapping[str, Quantity] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request(Positioned):
    """One kind of device in a claim: by ``prefer``, by ``device_class``, or by ``device_type`` of a driver."""

    name: str
    driver: str | None = None
    prefer: tuple[Alternative, ...] = ()
    device_class: str | None = None
    device_type: str | None = None
    count: int | str = 1
    require: Mapping[str, Requirement] = field(default_factory=dict)
    tolerate: tuple[Toleration, ...] = ()
    config: tuple[object, ...] = ()
    share: Mapping[str, Quantity] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Constraint(Positioned):
    """Devices that must share (``match``) or must not share (``distinct``) the value of an attribute."""

    match: str | None = None
    distinct: str | None = None
    requests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim(Positioned):
    name: str
    requests: tuple[Request, ...]
    constraints: tuple[Constraint, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Needs(Positioned):
    """What the image needs of whichever device it gets; ``memory`` per device."""

    memory: Quantity | None = None
    cuda: str | None = None
    compute_capability: tuple[str, ...] = ()
    precisions: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Lifecycle(Positioned):
    max_retries: int | None = None
    active_deadline: Duration | None = None
    pending_deadline: Duration | None = None
    ttl_after_finished: Duration | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ValuesLayout(Positioned):
    """The team's own layout of the Helm values, a jinja2 template below ``profiles/templates/``."""

    template: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload(Positioned):
    name: str
    kind: str
    claims: tuple[str, ...] = ()
    container: str | None = None
    node_pool: str | None = None
    image: str | None = None
    needs: Needs | None = None
    pods: int = 1
    same_model: str | None = None
    elastic: bool = False
    lifecycle: Lifecycle | None = None
    values: ValuesLayout | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TeamProfile(Document):
    namespaces: tuple[str, ...]
    clusters: tuple[str, ...] | None = None
    claims: tuple[Claim, ...] = ()
    workloads: tuple[Workload, ...] = ()

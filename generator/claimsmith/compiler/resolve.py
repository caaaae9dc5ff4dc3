"""A profile on one cluster: names become classes and attributes, requirements become selectors."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from claimsmith.compiler import selectors
from claimsmith.compiler.context import ClusterContext, DeviceClassRef
from claimsmith.compiler.requirements import Comparison, Condition, OneOf, RequirementError, conditions
from claimsmith.documents.decode import Positioned
from claimsmith.documents.parts import Toleration
from claimsmith.documents.team_profile import Alternative, Claim, Constraint, Needs, Request, TeamProfile
from claimsmith.drivers.view import DriverView
from claimsmith.findings import Finding
from claimsmith.values.quantity import Quantity
from claimsmith.values.semver import Semver
from claimsmith.values.suggest import closest

NOTHING = Quantity.parse("0")
CUDA_ATTRIBUTE = "cudaDriverVersion"
"""The attribute, in a driver's own domain, with the newest CUDA version that the kernel driver supports."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """A hard constraint, resolved: ``name`` is ``domain/id``, ``kind`` the type of its values.

    It is written in ``source`` at ``steps``, the last of which is the word that its author used.
    """

    name: str
    kind: str
    conditions: tuple[Condition, ...]
    source: Positioned
    steps: tuple[str, ...]

    @property
    def key(self) -> str:
        return self.steps[-1]


@dataclass(frozen=True, slots=True)
class Choice:
    """One alternative, or the only choice, of a request. ``count`` None is all devices of a node."""

    name: str
    device_class: DeviceClassRef
    count: int | None
    selectors: tuple[str, ...]
    requirements: tuple[Requirement, ...]
    tolerations: tuple[Toleration, ...]
    config: tuple[tuple[str, object], ...]
    capacity: Mapping[str, str]
    source: Alternative | Request


@dataclass(frozen=True, slots=True)
class ResolvedRequest:
    """``choices`` in order of preference; ``config`` (driver and parameters) is of the request as a whole."""

    name: str
    choices: tuple[Choice, ...]
    config: tuple[tuple[str, object], ...]
    source: Request

    @property
    def is_list(self) -> bool:
        return len(self.choices) > 1


@dataclass(frozen=True, slots=True)
class ResolvedClaim:
    name: str
    requests: tuple[ResolvedRequest, ...]
    constraints: tuple[Constraint, ...]
    source: Claim


@dataclass(frozen=True, slots=True)
class ResolvedProfile:
    """A profile as one cluster understands it. A claim that could not be resolved is not among ``claims``."""

    profile: TeamProfile
    context: ClusterContext
    claims: tuple[ResolvedClaim, ...]

    def claim(self, name: str) -> ResolvedClaim | None:
        return next((claim for claim in self.claims if claim.name == name), None)


@dataclass(slots=True)
class _Resolver:
    context: ClusterContext
    cuda: Mapping[str, Needs]
    findings: list[Finding] = field(default_factory=list)
    claim_name: str = ""

    def report(self, finding: Finding) -> None:
        self.findings.append(finding.on(self.context.name))

    def claim(self, claim: Claim) -> ResolvedClaim | None:
        self.claim_name = claim.name
        requests = [self.request(request) for request in claim.requests]
        if any(request is None for request in requests):
            return None
        resolved = tuple(request for request in requests if request is not None)
        return ResolvedClaim(claim.name, resolved, claim.constraints, claim)

    def request(self, request: Request) -> ResolvedRequest | None:
        if not request.prefer:
            device_class = self.plain_class(request)
            if device_class is None:
                return None
            choice = self.choice(request.name, device_class, request, None)
            return ResolvedRequest(request.name, (choice,), self.config(request, device_class), request)
        view = self.driver(request)
        if view is None:
            return None
        names = choice_names([(entry.model, entry.partition) for entry in request.prefer])
        choices = []
        for name, entry in zip(names, request.prefer, strict=True):
            device_class = self.model_class(view, entry)
            if device_class is not None:
                choices.append(self.choice(name, device_class, request, entry))
        if len(choices) < len(request.prefer):
            return None
        return ResolvedRequest(request.name, tuple(choices), self.config(request, choices[0].device_class), request)

    def driver(self, request: Request) -> DriverView | None:
        drivers = self.context.drivers
        if request.driver is None:
            if len(drivers) == 1:
                return next(iter(drivers.values()))
            self.report(request.finding("CS148", "prefer", request=request.name, known=", ".join(sorted(drivers))))
            return None
        if request.driver in drivers:
            return drivers[request.driver]
        self.report(
            request.finding(
                "CS147",
                "driver",
                what="driver",
                name=request.driver,
                where=f"cluster {self.context.name}",
                known=", ".join(sorted(drivers)),
                did_you_mean=closest(request.driver, drivers),
            )
        )
        return None

    def model_class(self, view: DriverView, entry: Alternative) -> DeviceClassRef | None:
        model = view.model(entry.model)
        if model is None:
            known = view.model_names()
            self.report(
                entry.finding(
                    "CS142",
                    "model",
                    driver=view.name,
                    model=entry.model,
                    known=", ".join(known) or "none",
                    did_you_mean=closest(entry.model, known),
                )
            )
            return None
        if entry.partition is not None and view.partition(model.name, entry.partition) is None:
            known = [each.profile for each in model.partitions]
            self.report(
                entry.finding(
                    "CS144",
                    "partition",
                    model=model.name,
                    partition=entry.partition,
                    known=", ".join(known) or "none",
                    did_you_mean=closest(entry.partition, known),
                )
            )
            return None
        found = self.context.class_of_model(view.name, model.name, entry.partition)
        if found is None:
            name = f"{model.name} {entry.partition}" if entry.partition else model.name
            step = "partition" if entry.partition else "model"
            self.report(entry.finding("CS143", step, model=name, cluster=f"cluster {self.context.name}"))
        return found

    def plain_class(self, request: Request) -> DeviceClassRef | None:
        if request.device_class is not None:
            found = self.context.class_named(request.device_class)
            if found is None:
                known = sorted(each.name for each in self.context.classes)
                self.report(
                    request.finding(
                        "CS145",
                        "deviceClass",
                        device_class=request.device_class,
                        cluster=self.context.name,
                        known=", ".join(known),
                        did_you_mean=closest(request.device_class, known),
                    )
                )
            return found
        view = self.driver(request)
        if view is None or request.device_type is None:
            return None
        found = self.context.class_of_type(view.name, request.device_type)
        if found is None:
            known = sorted(
                each.device_type
                for each in self.context.classes
                if each.ours and each.view is view and each.device_type and each.model is None
            )
            self.report(
                request.finding(
                    "CS146",
                    "deviceType",
                    driver=view.name,
                    device_type=request.device_type,
                    known=", ".join(known) or "none",
                    did_you_mean=closest(request.device_type, known),
                )
            )
        return found

    def choice(self, name: str, device_class: DeviceClassRef, request: Request, entry: Alternative | None) -> Choice:
        source = entry or request
        count = entry.count if entry else request.count
        requirements = [*self.requirements(request, device_class)]
        own_cel = [*self.cel(request)]
        tolerations = request.tolerate
        share = dict(request.share)
        config: tuple[tuple[str, object], ...] = ()
        if entry is not None:
            requirements += self.requirements(entry, device_class)
            own_cel += self.cel(entry)
            tolerations += entry.tolerate
            share |= entry.share
            config = self.config(entry, device_class)
        requirements += self.cuda_version(device_class)
        generated = [text for each in requirements for text in self.generate(each)]
        capacity = {}
        for key, amount in share.items():
            holder = entry if entry and key in entry.share else request
            published = self.shared_capacity(holder, key, device_class)
            if amount <= NOTHING:
                problem = "a share is more than nothing"
                self.report(holder.finding("CS156", "share", key, field=key, kind="quantity", problem=problem))
            elif published is not None:
                capacity[published] = amount.canonical()
        return Choice(
            name=name,
            device_class=device_class,
            count=count if isinstance(count, int) else None,
            selectors=tuple(dict.fromkeys([*generated, *own_cel])),
            requirements=tuple(requirements),
            tolerations=tuple(dict.fromkeys(tolerations)),
            config=config,
            capacity=dict(sorted(capacity.items())),
            source=source,
        )

    def requirements(self, holder: Request | Alternative, device_class: DeviceClassRef) -> Iterator[Requirement]:
        for key, value in holder.require.items():
            if key == "cel":
                continue
            found = self.attribute(holder, key, device_class)
            if found is None:
                continue
            name, kind = found
            try:
                yield Requirement(name, kind, conditions(kind, value), holder, ("require", key))
            except RequirementError as error:
                self.report(holder.finding("CS156", "require", key, field=key, kind=kind, problem=str(error)))

    def cuda_version(self, device_class: DeviceClassRef) -> Iterator[Requirement]:
        """What the claim's workloads need of the driver's CUDA version, where devices publish it."""
        needs, view, device_type = self.cuda.get(self.claim_name), device_class.view, device_class.device_type
        if needs is None or needs.cuda is None or view is None or device_type is None:
            return
        name = f"{view.attribute_domain}/{CUDA_ATTRIBUTE}"
        if view.attribute(device_type, name) is not None:
            least = Comparison(">=", Semver.normalized(needs.cuda))
            yield Requirement(name, "version", (least,), needs, ("cuda",))

    def attribute(
        self, holder: Request | Alternative, key: str, device_class: DeviceClassRef
    ) -> tuple[str, str] | None:
        """The qualified name and the kind of what a key of ``require`` speaks of."""
        view, device_type = device_class.view, device_class.device_type
        if view is None or device_type is None:
            self.report(holder.finding("CS157", "require", key, field=key, device_class=device_class.name))
            return None
        domain = view.attribute_domain
        name = key if "/" in key else f"{domain}/{key}"
        capacity = view.capacity(device_type, name)
        if capacity is not None:
            return name, "quantity"
        attribute = view.attribute(device_type, name)
        if attribute is not None:
            scalar = [kind for kind in attribute.type if kind in ("string", "int", "bool", "version")]
            if scalar:
                return name, scalar[0]
            self.report(holder.finding("CS158", "require", key, field=key))
            return None
        self.report(
            holder.finding(
                "CS155",
                "require",
                key,
                field=key,
                driver=view.name,
                release=view.release,
                device_type=device_type,
                history=view.absence(device_type, name),
                did_you_mean=view.closest_name(device_type, key),
            )
        )
        return None

    def generate(self, requirement: Requirement) -> tuple[str, ...]:
        if requirement.kind == "quantity":
            return selectors.capacity_selectors(requirement.name, requirement.conditions)
        return selectors.attribute_selectors(requirement.name, requirement.conditions)

    def cel(self, holder: Request | Alternative) -> Sequence[str]:
        value = holder.require.get("cel")
        if value is None:
            return ()
        return [value] if isinstance(value, str) else [str(each) for each in value] if isinstance(value, list) else ()

    def config(self, holder: Request | Alternative, device_class: DeviceClassRef) -> tuple[tuple[str, object], ...]:
        if not holder.config:
            return ()
        driver = device_class.view.name if device_class.view else getattr(holder, "driver", None)
        if driver is None:
            known = ", ".join(sorted(self.context.drivers))
            self.report(holder.finding("CS148", "config", request=getattr(holder, "name", ""), known=known))
            return ()
        return tuple((driver, parameters) for parameters in holder.config)

    def shared_capacity(self, holder: Request | Alternative, key: str, device_class: DeviceClassRef) -> str | None:
        """The key exactly as the driver publishes it, which is what the allocator compares."""
        view, device_type = device_class.view, device_class.device_type
        if view is None or device_type is None:
            return key
        name = key if "/" in key else f"{view.attribute_domain}/{key}"
        capacity = view.capacity(device_type, name)
        if capacity is None:
            known = [each.removeprefix(f"{view.attribute_domain}/") for each in view.capacities(device_type)]
            self.report(
                holder.finding(
                    "CS155",
                    "share",
                    key,
                    field=key,
                    driver=view.name,
                    release=view.release,
                    device_type=device_type,
                    history="",
                    did_you_mean=closest(key, known),
                )
            )
            return None
        if not view.shares(device_type):
            self.report(holder.finding("CS159", "share", driver=view.name, device_type=device_type))
            return None
        return view.key_of_capacity(capacity)


def choice_names(entries: Sequence[tuple[str, str | None]]) -> list[str]:
    """Names of alternatives, DNS labels and unique: ``h100-80gb``, ``a100-80gb-3g-40gb``, then ``…-2``."""
    names: list[str] = []
    for model, partition in entries:
        base = "-".join(filter(None, (model, partition))).lower()
        base = "".join(c if c.isalnum() else "-" for c in base)[:59].strip("-")
        name, number = base, 2
        while name in names:
            name, number = f"{base}-{number}", number + 1
        names.append(name)
    return names


def _cuda_needs(profile: TeamProfile) -> dict[str, Needs]:
    """By claim, the needs with the highest CUDA version among the workloads that use it."""
    highest: dict[str, Needs] = {}
    for workload in profile.workloads:
        if workload.needs is None or workload.needs.cuda is None:
            continue
        for claim in workload.claims:
            known = highest.get(claim)
            if known is None or Semver.normalized(known.cuda or "0") < Semver.normalized(workload.needs.cuda):
                highest[claim] = workload.needs
    return highest


def resolve(profile: TeamProfile, context: ClusterContext) -> tuple[ResolvedProfile, list[Finding]]:
    """The profile on a cluster, with what is wrong with it there."""
    resolver = _Resolver(context, _cuda_needs(profile))
    claims = tuple(claim for claim in map(resolver.claim, profile.claims) if claim is not None)
    return ResolvedProfile(profile, context, claims), resolver.findings


__all__ = [
    "Choice",
    "Comparison",
    "OneOf",
    "Requirement",
    "ResolvedClaim",
    "ResolvedProfile",
    "ResolvedRequest",
    "choice_names",
    "resolve",
]

"""CS140 to CS169: documents that do not fit together, and requests that make no sense."""

from collections import Counter
from collections.abc import Iterable, Iterator

from claimsmith.compiler.pods import JOB_KINDS
from claimsmith.documents.decode import Positioned
from claimsmith.documents.load import DocumentSet
from claimsmith.documents.team_profile import Claim, Request, TeamProfile, Workload
from claimsmith.drivers.consistency import inconsistencies
from claimsmith.findings import Consequence, Finding, Rule, Severity, register
from claimsmith.values.suggest import closest

CRON_JOB_NAME = 52
"""The longest name of a CronJob: its Jobs' names add 11 characters (pkg/apis/batch/validation)."""


class _Invalid(Rule):
    severity = Severity.ERROR
    consequence = Consequence.INVALID


@register
class UnknownDriver(_Invalid):
    id = "CS140"
    name = "unknown-driver"
    message = "there is no schema for the driver `{driver}`"
    help = "known: {known}; another driver needs a schema in `schemas/drivers/`"
    why = "Selectors are made from what a driver publishes, so claimsmith must know the driver."
    bad = "drivers:\n- {name: nvidia.com, release: 0.4.1}\n"
    good = "drivers:\n- {name: gpu.nvidia.com, release: 0.4.1}\n"


@register
class UnknownRelease(_Invalid):
    id = "CS141"
    name = "unknown-release"
    message = "the schema of `{driver}` has no release `{release}`"
    help = "known: {known}"
    why = "Attributes come, go and change their names between releases of a driver."
    bad = "drivers:\n- {name: gpu.nvidia.com, release: 0.9.0}\n"
    good = "drivers:\n- {name: gpu.nvidia.com, release: 0.4.1}\n"


@register
class UnknownModel(_Invalid):
    id = "CS142"
    name = "unknown-model"
    message = "the driver `{driver}` has no model `{model}`"
    help = "known: {known}"
    why = "A model is a name in the driver's catalogue; `claimsmith schema show` of the driver lists them."
    bad = "prefer:\n- {model: H100}\n"
    good = "prefer:\n- {model: H100-80GB}\n"


@register
class ModelNotDeclared(_Invalid):
    id = "CS143"
    name = "model-not-declared"
    message = "`{model}` is not declared by {cluster}"
    help = "declare it there, or leave this cluster out with `clusters`"
    why = (
        "Device classes are made for what a cluster declares. A class that is missing in any alternative of a list "
        "stops the whole Pod, even while the first choice is free."
    )
    bad = "prefer:\n- {model: H200-141GB}   # the cluster declares models: [H100-80GB, A100-80GB]\n"
    good = "prefer:\n- {model: H100-80GB}\n"


@register
class UnknownPartition(_Invalid):
    id = "CS144"
    name = "unknown-partition"
    message = "`{model}` has no partition `{partition}`"
    help = "known: {known}"
    why = "A partition is named as the driver publishes it, such as the MIG profile 3g.40gb."
    bad = "prefer:\n- {model: A100-80GB, partition: 3g.20gb}\n"
    good = "prefer:\n- {model: A100-80GB, partition: 3g.40gb}\n"


@register
class UnknownDeviceClass(_Invalid):
    id = "CS145"
    name = "unknown-device-class"
    message = "cluster {cluster} has no device class `{device_class}`"
    help = "known: {known}; classes of others are declared in the cluster's `deviceClasses`"
    why = "A claim whose class does not exist is accepted, and then the scheduler gives up on the whole Pod."
    bad = "requests:\n- {name: nic, deviceClass: rdma.dra.nte}\n"
    good = "requests:\n- {name: nic, deviceClass: rdma.dra.net}\n"


@register
class UnknownDeviceType(_Invalid):
    id = "CS146"
    name = "unknown-device-type"
    message = "there is no class for the device type `{device_type}` of `{driver}`"
    help = "known: {known}"
    why = "A device type without models gets the class `<deviceType>.<suffix>` where the cluster has it."
    bad = "requests:\n- {name: nic, driver: dra.net, deviceType: roce}\n"
    good = "requests:\n- {name: nic, driver: dra.net, deviceType: rdma}\n"


@register
class UnknownReference(_Invalid):
    id = "CS147"
    name = "unknown-reference"
    message = "there is no {what} `{name}` in {where}"
    help = "known: {known}"
    why = "A name that leads nowhere would be left out in silence."
    bad = "claims:\n- name: trainer\nworkloads:\n- {name: train, kind: Job, claims: [trianer]}\n"
    good = "claims:\n- name: trainer\nworkloads:\n- {name: train, kind: Job, claims: [trainer]}\n"


@register
class DriverNotNamed(_Invalid):
    id = "CS148"
    name = "driver-not-named"
    message = "request `{request}` must name its driver: the cluster has several, or its class does not tell"
    help = "add `driver`; known: {known}"
    why = "A driver may be left out only where there is just one to choose from."
    bad = "requests:\n- name: gpu\n  prefer: [{model: H100-80GB}]\n"
    good = "requests:\n- name: gpu\n  driver: gpu.nvidia.com\n  prefer: [{model: H100-80GB}]\n"


@register
class ClassNameTaken(_Invalid):
    id = "CS149"
    name = "class-name-taken"
    message = "the device class name `{name}` cannot be used: {problem}"
    help = "set `classSuffix` of the driver"
    why = "Two writers of one object overwrite each other for ever."


@register
class DuplicateName(_Invalid):
    id = "CS150"
    name = "duplicate-name"
    message = "there are two {what}s named `{name}`"
    why = "Names lead to objects and files; the second would overwrite the first."
    bad = "claims:\n- name: gpu\n- name: gpu\n"
    good = "claims:\n- name: gpu\n- name: nic\n"


@register
class RequestForm(_Invalid):
    id = "CS151"
    name = "request-form"
    message = "request `{request}` {problem}"
    help = "use `prefer` for models, else `deviceClass`, or `driver` with `deviceType`"
    why = "A request says in one way what it wants."
    bad = "requests:\n- {name: gpu, prefer: [{model: H100-80GB}], deviceClass: gpu.nvidia.com}\n"
    good = "requests:\n- {name: gpu, prefer: [{model: H100-80GB}]}\n"


@register
class AllStandsAlone(_Invalid):
    id = "CS152"
    name = "all-stands-alone"
    message = "`count: all` stands alone in a list of one"
    help = "make it the only entry of `prefer`, or give a number"
    why = (
        "All devices of a node means another number on every node, so nothing can be said of a fallback; and "
        "Kubernetes up to 1.35 mixes up the alternatives of such a list."
    )
    bad = "prefer:\n- {model: H100-80GB, count: all}\n- {model: A100-80GB, count: 8}\n"
    good = "prefer:\n- {model: H100-80GB, count: all}\n"


@register
class ConstraintForm(_Invalid):
    id = "CS153"
    name = "constraint-form"
    message = "a constraint has either `match` or `distinct`"
    why = "The API server accepts both at once, and the allocator then looks at one of them only."
    bad = "constraints:\n- {match: resource.kubernetes.io/pcieRoot, distinct: resource.kubernetes.io/pcieRoot}\n"
    good = "constraints:\n- {match: resource.kubernetes.io/pcieRoot}\n"


@register
class UnknownRequirement(_Invalid):
    id = "CS155"
    name = "unknown-requirement"
    message = "devices of type `{device_type}` of `{driver}` {release} do not publish `{field}`{history}"
    why = "A requirement on something that no device publishes would never be met."
    bad = 'require: {memroy: ">= 70Gi"}\n'
    good = 'require: {memory: ">= 70Gi"}\n'


@register
class MalformedRequirement(_Invalid):
    id = "CS156"
    name = "malformed-requirement"
    message = "`{field}` is of type {kind}: {problem}"
    why = "What can be asked of an attribute depends on its type: strings are equal or not, quantities have an order."
    bad = "require: {memory: 70Gi}\n"
    good = 'require: {memory: ">= 70Gi"}\n'


@register
class RequirementWithoutSchema(_Invalid):
    id = "CS157"
    name = "requirement-without-schema"
    message = "`{field}` cannot be required of the class `{device_class}`: nothing is known of its devices"
    help = "add a driver schema in `schemas/drivers/`, or name `driver` and `deviceType`"
    why = "Without a schema the type of the attribute is unknown, and so is the selector."


@register
class ListRequirement(_Invalid):
    id = "CS158"
    name = "list-requirement"
    message = "`{field}` is a list on these devices; lists cannot be required yet"
    why = "List attributes need the alpha gate DRAListTypeAttributes, and selectors of another form."


@register
class NotShared(_Invalid):
    id = "CS159"
    name = "not-shared"
    message = "devices of type `{device_type}` of `{driver}` cannot be shared at this release with these gates"
    help = "leave out `share`, or declare the driver's feature gate on the cluster"
    why = "A part of a device can be had only where the driver allows several allocations of it."


@register
class LifecycleWithoutJob(_Invalid):
    id = "CS160"
    name = "lifecycle-without-job"
    message = "a {kind} has no `{field}`"
    help = "these limits are those of a Job"
    why = "backoffLimit, activeDeadlineSeconds and ttlSecondsAfterFinished are fields of Jobs only."
    bad = "workloads:\n- {name: serve, kind: Deployment, claims: [gpu], lifecycle: {activeDeadline: 24h}}\n"
    good = "workloads:\n- {name: train, kind: Job, claims: [gpu], lifecycle: {activeDeadline: 24h}}\n"


@register
class UnusedClaim(Rule):
    id = "CS161"
    name = "unused-claim"
    severity = Severity.INFO
    consequence = Consequence.STYLE
    message = "no workload uses the claim `{claim}`"
    why = "Its template is made all the same, for Pods that are not described in the profile."


@register
class UnknownDriverGate(_Invalid):
    id = "CS163"
    name = "unknown-driver-gate"
    message = "the driver `{driver}` has no feature gate `{gate}`"
    help = "known: {known}"
    why = "Which attributes, device types and health taints a driver publishes depends on its own gates."
    bad = "featureGates: {NVMLDeviceHealthChek: true}\n"
    good = "featureGates: {NVMLDeviceHealthCheck: true}\n"


@register
class SchemaInconsistent(_Invalid):
    id = "CS164"
    name = "driver-schema-inconsistent"
    message = "this driver schema does not fit together: {problem}"
    why = "Selectors, classes and findings are made from the schema; what is wrong there is wrong everywhere."


def check_documents(documents: DocumentSet) -> Iterator[Finding]:
    """What needs no cluster: names, references between documents, the forms of requests and constraints."""
    for profile in documents.profiles:
        yield from _profile(profile)
        yield from _references(documents, profile, "cluster", "Cluster", [each.name for each in documents.clusters])
    for schema in documents.driver_schemas:
        for wrong in inconsistencies(schema):
            yield wrong.part.finding("CS164", *wrong.steps, problem=wrong.problem)
    for kind in (documents.quarantines, documents.reservations, documents.policies):
        for each in kind:
            clusters = [cluster.name for cluster in documents.clusters]
            yield from _references(documents, each, "cluster", "Cluster", clusters)


def _profile(profile: TeamProfile) -> Iterator[Finding]:
    yield from _duplicates("claim", profile.claims)
    yield from _duplicates("workload", profile.workloads)
    for claim in profile.claims:
        yield from _claim(claim)
    used = {name for workload in profile.workloads for name in workload.claims}
    for claim in profile.claims:
        if claim.name not in used:
            yield claim.finding("CS161", "name", claim=claim.name)
    names = [claim.name for claim in profile.claims]
    for workload in profile.workloads:
        yield from _workload(workload, profile, names)


def _claim(claim: Claim) -> Iterator[Finding]:
    yield from _duplicates("request", claim.requests)
    for request in claim.requests:
        yield from _request(request)
    names = [request.name for request in claim.requests]
    for constraint in claim.constraints:
        if (constraint.match is None) == (constraint.distinct is None):
            yield constraint.finding("CS153")
        for index, name in enumerate(constraint.requests):
            if name not in names:
                yield _unknown(constraint, ("requests", index), "request", name, f"claim {claim.name}", names)


def _request(request: Request) -> Iterator[Finding]:
    forms = [
        form
        for form, given in (
            ("prefer", bool(request.prefer)),
            ("deviceClass", request.device_class is not None),
            ("deviceType", request.device_type is not None),
        )
        if given
    ]
    if len(forms) != 1:
        problem = f"has {' and '.join(forms)}" if forms else "does not say what it wants"
        yield request.finding("CS151", *forms[1:2], request=request.name, problem=problem)
    if request.prefer and request.node.get("count") is not None:
        problem = "has a `count` beside `prefer`; it belongs into each entry"
        yield request.finding("CS151", "count", request=request.name, problem=problem)
    if len(request.prefer) > 1:
        for entry in request.prefer:
            if entry.count == "all":
                yield entry.finding("CS152", "count")


def _workload(workload: Workload, profile: TeamProfile, claims: list[str]) -> Iterator[Finding]:
    for index, name in enumerate(workload.claims):
        if name not in claims:
            yield _unknown(workload, ("claims", index), "claim", name, f"profile {profile.name}", claims)
    if workload.kind == "CronJob" and len(workload.name) > CRON_JOB_NAME:
        reason = f"a CronJob's name has at most {CRON_JOB_NAME} characters"
        yield workload.finding("CS125", "name", value=workload.name, field="name", reason=reason)
    if workload.lifecycle is not None and workload.kind not in JOB_KINDS:
        for key, _ in workload.lifecycle.node:
            yield workload.lifecycle.finding("CS160", key, kind=workload.kind, field=key)


def _duplicates(what: str, parts: Iterable[Positioned]) -> Iterator[Finding]:
    seen: Counter[str] = Counter()
    for part in parts:
        name = str(getattr(part, "name", ""))
        seen[name] += 1
        if seen[name] == 2:
            yield part.finding("CS150", "name", what=what, name=name)


def _references(documents: DocumentSet, part: Positioned, what: str, kind: str, known: list[str]) -> Iterator[Finding]:
    for index, name in enumerate(getattr(part, f"{what}s") or ()):
        if name not in known and not documents.is_broken(kind, name):
            yield _unknown(part, (f"{what}s", index), what, name, "the repository", known)


def _unknown(
    part: Positioned, steps: tuple[str | int, ...], what: str, name: str, where: str, known: Iterable[str]
) -> Finding:
    words = sorted(known)
    return part.finding(
        "CS147",
        *steps,
        what=what,
        name=name,
        where=where,
        known=", ".join(words) or "none",
        did_you_mean=closest(name, words),
    )

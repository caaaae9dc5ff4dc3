"""CS210 to CS239: what the API server would refuse, or drop."""

import json
from collections.abc import Iterator

from claimsmith.compiler.classes import extended_resource_name
from claimsmith.compiler.context import ClusterContext
from claimsmith.compiler.resolve import Choice, ResolvedClaim, ResolvedProfile, ResolvedRequest
from claimsmith.documents.parts import Toleration
from claimsmith.documents.team_profile import Alternative, Request
from claimsmith.findings import Consequence, Finding, Rule, Severity, register
from claimsmith.kubernetes.limits import Limits


class _Rejected(Rule):
    severity = Severity.ERROR
    consequence = Consequence.REJECTED


@register
class TooMany(_Rejected):
    id = "CS210"
    name = "too-many-items"
    message = "{what}: {count}, and Kubernetes takes {limit} at most"
    why = (
        "The API server refuses the whole object. The limits are those of resource.k8s.io, the same from 1.34 to 1.37."
    )
    bad = "prefer: [nine entries]\n"
    good = "prefer: [eight entries at most]\n"


@register
class TooManyDevices(Rule):
    id = "CS211"
    name = "too-many-devices"
    severity = Severity.ERROR
    consequence = Consequence.FATAL
    message = "claim `{claim}` asks for {count} devices, and one claim gets {limit} at most"
    help = "ask for fewer, or use several Pods"
    why = (
        "The API server accepts a larger number, and the allocator then stops the whole Pod. Of a list the smallest "
        "alternative counts."
    )
    bad = "prefer:\n- {model: H100-80GB, count: 33}\n"
    good = "prefer:\n- {model: H100-80GB, count: 8}\n"


@register
class AlternativeTooLarge(Rule):
    id = "CS212"
    name = "alternative-too-large"
    severity = Severity.ERROR
    consequence = Consequence.NEVER_MATCHES
    message = "this alternative would make {count} devices in one claim, more than {limit}, so it is always skipped"
    why = "The allocator passes over an alternative that would bring the claim above 32 devices."
    bad = "prefer:\n- {model: A100-80GB, count: 40}\n- {model: H100-80GB, count: 8}\n"
    good = "prefer:\n- {model: A100-80GB, count: 16}\n- {model: H100-80GB, count: 8}\n"


@register
class TooLong(_Rejected):
    id = "CS213"
    name = "too-long"
    message = "{what} has {size} bytes, and Kubernetes takes {limit} at most"
    why = "Expressions and opaque parameters have a limit of 10 KiB each."


@register
class TolerationForm(_Rejected):
    id = "CS214"
    name = "toleration-form"
    message = "this toleration {problem}"
    why = (
        "Operator Exists has no value. An empty key with operator Equal is documented as wrong and yet accepted: it "
        "tolerates every key that has the value."
    )
    bad = "tolerate:\n- {key: example.com/dedicated, operator: Exists, value: vision}\n"
    good = "tolerate:\n- {key: example.com/dedicated, operator: Equal, value: vision}\n"


@register
class TolerationsIgnored(Rule):
    id = "CS220"
    name = "tolerations-ignored"
    severity = Severity.INFO
    consequence = Consequence.IGNORED
    message = "Kubernetes {kubernetes} does not obey tolerations (gate {gate} is off), so they are left out"
    help = "nothing is lost: device taints are not obeyed there either"
    why = (
        "A field of a gate that is off is dropped in silence, shows up as drift, and cannot be added later, since "
        "templates are immutable. So the output of that cluster does not have it."
    )


@register
class ShareIgnored(Rule):
    id = "CS221"
    name = "share-ignored"
    severity = Severity.WARNING
    consequence = Consequence.IGNORED
    message = "Kubernetes {kubernetes} does not keep `share` (gate {gate} is off), so a whole device is claimed"
    why = "Without the gate DRAConsumableCapacity the request for a part is dropped, and the claim takes all of the device."


@register
class DistinctIgnored(Rule):
    id = "CS222"
    name = "distinct-ignored"
    severity = Severity.WARNING
    consequence = Consequence.IGNORED
    message = "Kubernetes {kubernetes} does not keep `distinct` (gate {gate} is off), so the constraint is left out"
    why = "Without the gate DRAConsumableCapacity the attribute is dropped, and the API server refuses what is left."


@register
class ExtendedResourceIgnored(Rule):
    id = "CS223"
    name = "extended-resource-ignored"
    severity = Severity.WARNING
    consequence = Consequence.IGNORED
    message = "Kubernetes {kubernetes} does not keep `extendedResourceName` (gate {gate} is off), so it is left out"
    why = "Pods that ask for the extended resource get nothing from the class on that cluster."


@register
class NoPrioritizedList(_Rejected):
    id = "CS224"
    name = "no-prioritized-list"
    message = "cluster {cluster} has no prioritized lists (gate DRAPrioritizedList is off)"
    help = "keep one entry in `prefer`, or turn the gate on"
    why = "The API server would drop `firstAvailable` and refuse what is left of the request."


@register
class ExtendedResourceTaken(Rule):
    id = "CS225"
    name = "extended-resource-taken"
    severity = Severity.WARNING
    consequence = Consequence.UNSAFE
    message = "the extended resource `{resource}` is given to two classes: {classes}"
    why = "Kubernetes lets the newest class win, so which devices a Pod gets depends on the day a class was made."


@register
class ExtendedResourceOfVendor(Rule):
    id = "CS226"
    name = "extended-resource-of-vendor"
    severity = Severity.INFO
    consequence = Consequence.UNSAFE
    message = "the driver's own class `{device_class}` may answer `{resource}` too; the newest class wins"
    help = "take the name away from the driver's class in its chart"
    why = "Uniqueness of extended resource names is not checked by the API server."


@register
class EffectUnknown(_Rejected):
    id = "CS227"
    name = "effect-unknown"
    message = "Kubernetes {kubernetes} has no effect `{effect}`"
    why = "The effect None came with 1.35."


@register
class DistinctUnsound(Rule):
    id = "CS228"
    name = "distinct-unsound"
    severity = Severity.WARNING
    consequence = Consequence.UNSAFE
    message = "Kubernetes {kubernetes} compares only neighbours for `distinct`: with {count} devices the third may equal the first"
    help = "use requests of one device each"
    why = "Up to 1.36 the allocator remembers the latest value of a request only; 1.37 remembers all."


def check(resolved: ResolvedProfile) -> Iterator[Finding]:
    """Limits and dropped fields of one profile on one cluster."""
    cluster = resolved.context.name
    for claim in resolved.claims:
        for finding in _claim(claim, resolved.context):
            yield finding.on(cluster)


def _claim(claim: ResolvedClaim, context: ClusterContext) -> Iterator[Finding]:
    limits, target = context.target.limits, context.target
    source = claim.source
    if len(claim.requests) > limits.requests_per_claim:
        yield source.finding(
            "CS210",
            "requests",
            what="requests of a claim",
            count=len(claim.requests),
            limit=limits.requests_per_claim,
        )
    if len(claim.constraints) > limits.constraints_per_claim:
        yield source.finding(
            "CS210",
            "constraints",
            what="constraints of a claim",
            count=len(claim.constraints),
            limit=limits.constraints_per_claim,
        )
    configs = sum(len(r.config) + sum(len(c.config) for c in r.choices) for r in claim.requests)
    if configs > limits.configs:
        yield source.finding("CS210", "requests", what="configurations of a claim", count=configs, limit=limits.configs)
    yield from _devices(claim, limits)
    for request in claim.requests:
        yield from _request(request, context)
    for constraint in claim.constraints:
        if constraint.distinct is None:
            continue
        if not target.keeps_distinct_attribute:
            yield constraint.finding("CS222", "distinct", kubernetes=target.kubernetes, gate="DRAConsumableCapacity")
        concerned = [r for r in claim.requests if not constraint.requests or r.name in constraint.requests]
        most = max((c.count or 0 for r in concerned for c in r.choices), default=0)
        if target.keeps_distinct_attribute and not target.distinct_attribute_is_sound(most):
            yield constraint.finding("CS228", "distinct", kubernetes=target.kubernetes, count=most)


def _devices(claim: ResolvedClaim, limits: Limits) -> Iterator[Finding]:
    limit = limits.devices_per_claim
    least = {request.name: min(c.count or 1 for c in request.choices) for request in claim.requests}
    total = sum(least.values())
    if total > limit:
        yield claim.source.finding("CS211", "requests", claim=claim.name, count=total, limit=limit)
        return
    for request in claim.requests:
        for choice in request.choices:
            count = total - least[request.name] + (choice.count or 1)
            if count > limit:
                yield choice.source.finding("CS212", "count", count=count, limit=limit)


def _request(request: ResolvedRequest, context: ClusterContext) -> Iterator[Finding]:
    limits = context.target.limits
    if request.is_list and not context.target.has_prioritized_list:
        yield request.source.finding("CS224", "prefer", cluster=context.name)
    if len(request.choices) > limits.alternatives_per_request:
        yield request.source.finding(
            "CS210",
            "prefer",
            what="alternatives of a request",
            count=len(request.choices),
            limit=limits.alternatives_per_request,
        )
    for choice in request.choices:
        yield from _choice(choice, request, context)
    for index, (_, parameters) in enumerate(request.config):
        yield from _size(request.source, index, parameters, limits)


def _choice(choice: Choice, request: ResolvedRequest, context: ClusterContext) -> Iterator[Finding]:
    target, limits = context.target, context.target.limits

    def writer(field: str) -> Alternative | Request:
        """Who wrote the field: the alternative itself, or the request for all of its alternatives."""
        return choice.source if choice.source.node.get(field) else request.source

    if len(choice.selectors) > limits.selectors:
        yield writer("require").finding(
            "CS210",
            "require",
            what="selectors of a request",
            count=len(choice.selectors),
            limit=limits.selectors,
        )
    for text in choice.selectors:
        size = len(text.encode())
        if size > limits.cel_length:
            yield writer("require").finding("CS213", "require", what="a selector", size=size, limit=limits.cel_length)
    if len(choice.tolerations) > limits.documented_tolerations:
        yield writer("tolerate").finding(
            "CS210",
            "tolerate",
            what="tolerations of a request",
            count=len(choice.tolerations),
            limit=limits.documented_tolerations,
        )
    for toleration in choice.tolerations:
        yield from toleration_problems(toleration)
        if not target.honours_tolerations:
            yield toleration.finding("CS220", kubernetes=target.kubernetes, gate="DRADeviceTaints")
        elif toleration.effect and toleration.effect not in target.toleration_effects:
            yield toleration.finding("CS227", "effect", kubernetes=target.kubernetes, effect=toleration.effect)
    if choice.capacity and not target.keeps_capacity:
        yield writer("share").finding("CS221", "share", kubernetes=target.kubernetes, gate="DRAConsumableCapacity")
    for index, (_, parameters) in enumerate(choice.config):
        yield from _size(choice.source, index, parameters, limits)


def toleration_problems(toleration: Toleration) -> Iterator[Finding]:
    """What is wrong with a toleration's form, of devices and of nodes alike."""
    if toleration.operator == "Exists" and toleration.value:
        yield toleration.finding("CS214", "value", problem="has a value with operator Exists")
    if toleration.operator == "Equal" and not toleration.key:
        yield toleration.finding("CS214", problem="has no key with operator Equal")


def _size(source: Alternative | Request, index: int, parameters: object, limits: Limits) -> Iterator[Finding]:
    text = json.dumps(parameters, separators=(",", ":"), ensure_ascii=False)
    # Go's JSON, which kubectl sends, writes these as six bytes each.
    size = len(text.encode()) + sum(text.count(each) * (6 - len(each.encode())) for each in "<>&\u2028\u2029")
    if size > limits.opaque_parameters_length:
        yield source.finding(
            "CS213", "config", index, what="the configuration", size=size, limit=limits.opaque_parameters_length
        )


def check_cluster(context: ClusterContext) -> Iterator[Finding]:
    """Fields of the cluster document that its own target drops, and node tolerations."""
    target = context.target
    taken: dict[str, str] = {}
    vendor = {
        each.extended_resource_name: each.name
        for view in context.drivers.values()
        for each in view.classes
        if each.extended_resource_name
    }
    for ref in context.classes:
        resource = extended_resource_name(context, ref) if ref.ours else None
        driver = context.cluster.driver(ref.view.name) if ref.view else None
        if resource is None or driver is None:
            continue
        steps = (
            "extendedResourceName",
            next(k for k in driver.extended_resource_name if k.lower() == (ref.model or "").lower()),
        )
        if not target.keeps_extended_resource_name:
            yield driver.finding("CS223", *steps, kubernetes=target.kubernetes, gate="DRAExtendedResource")
        elif resource in taken:
            yield driver.finding("CS225", *steps, resource=resource, classes=f"{taken[resource]}, {ref.name}")
        elif resource in vendor:
            yield driver.finding("CS226", *steps, resource=resource, device_class=vendor[resource])
        taken.setdefault(resource, ref.name)
    for pool in context.cluster.node_pools:
        for toleration in pool.tolerations:
            yield from toleration_problems(toleration)
            if toleration.toleration_seconds is not None and toleration.effect != "NoExecute":
                yield toleration.finding(
                    "CS214",
                    "tolerationSeconds",
                    problem="has seconds, which only the effect NoExecute of a node taint has",
                )

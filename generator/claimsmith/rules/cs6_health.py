"""CS6xx: taints and health. What is sick or set aside must not be handed out, whatever the target."""

import re
from collections.abc import Iterator
from datetime import date

from claimsmith.compiler.classes import Exclusions, class_selectors
from claimsmith.compiler.context import ClusterContext
from claimsmith.compiler.quarantine import TAINT_KEY as QUARANTINED
from claimsmith.compiler.quarantine import plan_quarantine
from claimsmith.compiler.reservations import TAINT_KEY as RESERVED
from claimsmith.compiler.resolve import Choice, ResolvedProfile
from claimsmith.documents.driver_schema import DriverTaint
from claimsmith.documents.parts import Toleration
from claimsmith.findings import Consequence, Finding, Rule, Severity, register


@register
class RuleNotEnforced(Rule):
    id = "CS601"
    name = "taint-rules-not-enforced"
    severity = Severity.ERROR
    consequence = Consequence.IGNORED
    message = "Kubernetes {kubernetes} of this cluster does not obey DeviceTaintRules (missing: {missing})"
    help = "set the cluster's `quarantine: auto`, which keeps the devices out by selector, or switch on what is missing"
    why = (
        "Where the API is served and the gate is off, a DeviceTaintRule is accepted and ignored: the sick device is "
        "still handed out. 1.37 obeys rules as it is, earlier versions only with gates."
    )
    bad = "quarantine: rule   # on a 1.35 cluster\n"
    good = "quarantine: auto\n"


@register
class QuarantineDriver(Rule):
    id = "CS602"
    name = "quarantine-driver-absent"
    severity = Severity.ERROR
    consequence = Consequence.INVALID
    message = "cluster {cluster} has no driver `{driver}`, so nothing is kept out there"
    why = "A quarantine that names the cluster is meant to keep something out there."


@register
class QuarantineIncomplete(Rule):
    id = "CS603"
    name = "quarantine-incomplete"
    severity = Severity.ERROR
    consequence = Consequence.INVALID
    message = "this cluster keeps devices out by {strategy}, which needs {missing}"
    help = "name driver, pool, device and uuid, and every strategy works"
    why = (
        "A rule without a pool would taint the device of that name on every node, and one without a selector every "
        "device there is. A selector sees neither pool nor device name, only the identity that the driver publishes."
    )
    bad = "devices:\n- {driver: gpu.nvidia.com, device: gpu-3}\n"
    good = "devices:\n- {driver: gpu.nvidia.com, pool: node-7, device: gpu-3, uuid: GPU-0a1b}\n"


@register
class NoIdentity(Rule):
    id = "CS604"
    name = "no-device-identity"
    severity = Severity.ERROR
    consequence = Consequence.INVALID
    message = "`{driver}` publishes no attribute that names one device, so it cannot be kept out by selector"
    help = "switch on DeviceTaintRules, or cordon the node"
    why = "The selector strategy compares an identity such as NVIDIA's uuid."


@register
class NoneUnderSelector(Rule):
    id = "CS605"
    name = "none-needs-rules"
    severity = Severity.WARNING
    consequence = Consequence.IGNORED
    message = "effect None counts what a rule would evict, and this cluster has no rules: nothing is done"
    help = "use NoSchedule to keep the devices out"
    why = "Only the eviction controller counts, and it looks at rules only."


@register
class QuarantineExpired(Rule):
    id = "CS606"
    name = "quarantine-expired"
    severity = Severity.WARNING
    consequence = Consequence.DRIFT
    message = "this quarantine was to end on {until}, and is still in force"
    help = "remove it, or move `until`"
    why = "An end date never changes the output by itself: what keeps a sick device out goes away by review only."


@register
class SelectorLimits(Rule):
    id = "CS607"
    name = "selector-quarantine-limits"
    severity = Severity.INFO
    consequence = Consequence.UNSAFE
    message = "kept out of our device classes by identity: Pods that have the device keep it{way_around}"
    help = "{mend}"
    why = (
        "The selector strategy works on every version and at once, for new claims of our classes. It evicts nobody, "
        "and the driver's own class still admits the device."
    )


@register
class NobodyEvicted(Rule):
    id = "CS608"
    name = "nobody-evicted"
    severity = Severity.WARNING
    consequence = Consequence.IGNORED
    message = "effect NoExecute evicts nobody here: the cluster keeps devices out by selector"
    help = "delete the Pods that have the device by hand"
    why = "Eviction is the work of the taint eviction controller, which looks at taints, not at classes."


@register
class TooManyExcluded(Rule):
    id = "CS609"
    name = "too-many-excluded"
    severity = Severity.ERROR
    consequence = Consequence.REJECTED
    message = "{count} devices of `{driver}` are kept out by selector, which makes {size} bytes; a selector has {limit}"
    help = "switch on DeviceTaintRules, or take whole nodes out"
    why = "A selector holds about 200 identities of 40 characters."


@register
class ToleratesQuarantine(Rule):
    id = "CS610"
    name = "tolerates-quarantine"
    severity = Severity.ERROR
    consequence = Consequence.UNSAFE
    message = "this toleration of {what} admits devices that are in quarantine or set aside"
    help = "tolerate the one taint that is meant, by `key`, `value` and `effect`"
    why = "A quarantine by rule is a taint; whoever tolerates everything gets the sick device first, since it is free."
    bad = "tolerate:\n- {operator: Exists}\n"
    good = "tolerate:\n- {key: example.com/dedicated, operator: Equal, value: vision, effect: NoSchedule}\n"


@register
class ToleratesHealthTaint(Rule):
    id = "CS611"
    name = "tolerates-health-taint"
    severity = Severity.ERROR
    consequence = Consequence.UNSAFE
    message = "this toleration of {what} admits devices that {driver} reports as sick (`{taint}`)"
    help = "tolerate the one taint that is meant, by `key`, `value` and `effect`"
    why = "The driver puts these taints on devices with fatal errors."
    bad = "tolerate:\n- {key: gpu.nvidia.com/xid, operator: Exists}\n"
    good = "tolerate:\n- {key: example.com/dedicated, operator: Equal, value: vision, effect: NoSchedule}\n"


@register
class HealthUnseen(Rule):
    id = "CS612"
    name = "health-unseen"
    severity = Severity.INFO
    consequence = Consequence.UNSAFE
    message = "sick devices of `{driver}` {release} get no taint on this cluster: {reason}"
    help = "{mend}"
    why = "Without health taints a device with a fatal error is handed out like any other until somebody puts it in quarantine."


@register
class PartitionsOfDevice(Rule):
    id = "CS613"
    name = "partitions-not-tainted"
    severity = Severity.INFO
    consequence = Consequence.UNSAFE
    message = "the rule taints the device `{device}` and not its partitions, which are devices of their own"
    help = "put its partitions, or the whole pool, in quarantine too"
    why = "A DeviceTaintRule picks devices by name; a MIG partition has a name of its own."


@register
class QuarantineEmpty(Rule):
    id = "CS614"
    name = "quarantine-empty"
    severity = Severity.ERROR
    consequence = Consequence.INVALID
    message = "the quarantine names neither `devices` nor `pools`"
    why = "Nothing would be kept out."


def check_cluster(context: ClusterContext, today: date) -> Iterator[Finding]:
    """Quarantines on one cluster, and what its drivers say of health."""
    plan, findings = plan_quarantine(context)
    yield from findings
    for quarantine in context.quarantines:
        if not (quarantine.devices or quarantine.pools):
            yield quarantine.name_finding("CS614")
        if quarantine.until is not None and date.fromisoformat(quarantine.until) < today:
            yield quarantine.finding("CS606", "until", until=quarantine.until)
    for quarantine in plan.by_selector:
        if quarantine.effect == "NoExecute":
            yield quarantine.finding("CS608", "effect").on(context.name)
        closed = context.cluster.admission_policy
        yield quarantine.name_finding(
            "CS607",
            way_around="" if closed else ", and the driver's own class still admits it",
            mend="" if closed else "`admissionPolicy: true` of the cluster closes the driver's own class to teams",
        ).on(context.name)
    yield from _sizes(context, plan.excluded)
    yield from _partitions(context)
    yield from _unseen(context)


def _sizes(context: ClusterContext, excluded: Exclusions) -> Iterator[Finding]:
    limit = context.target.limits.cel_length
    for driver, identities in excluded.items():
        ours = [each for each in context.classes if each.ours and each.view and each.view.name == driver]
        texts = [text for each in ours for text in class_selectors(each, excluded)]
        size = max((len(text.encode()) for text in texts), default=0)
        if size > limit:
            first = next(
                part for each in context.quarantines for part in each.devices if part.driver == driver and part.uuid
            )
            yield first.finding("CS609", "uuid", count=len(identities), driver=driver, size=size, limit=limit).on(
                context.name
            )


def _partitions(context: ClusterContext) -> Iterator[Finding]:
    if not context.target.enforces_taint_rules or context.cluster.quarantine == "selector":
        return
    for quarantine in context.quarantines:
        for part in quarantine.devices:
            driver = context.cluster.driver(part.driver)
            if driver is not None and driver.partitions and part.pool and part.device:
                yield part.finding("CS613", "device", device=part.device).on(context.name)


def _unseen(context: ClusterContext) -> Iterator[Finding]:
    for driver in context.cluster.drivers:
        view = context.drivers[driver.name]
        if not driver.models and not driver.partitions:
            continue
        reason, mend = _why_unseen(context, driver.name)
        if reason:
            yield driver.finding(
                "CS612", "name", driver=driver.name, release=view.release, reason=reason, mend=mend
            ).on(context.name)


def _why_unseen(context: ClusterContext, driver: str) -> tuple[str, str]:
    view = context.drivers[driver]
    health = view.schema.health
    if health is None or health.path == "none" or not view.health_taints():
        return "the driver publishes none", "put them in quarantine by hand"
    if not context.target.honours_slice_taints:
        kubernetes = context.target.kubernetes
        return f"Kubernetes {kubernetes} drops them (gate DRADeviceTaints is off)", "put them in quarantine by hand"
    if health.feature_gate and health.feature_gate not in view.gates:
        gate = health.feature_gate
        return f"the driver's feature gate {gate} is off", f"switch it on and declare `featureGates: {{{gate}: true}}`"
    return "", ""


def check(resolved: ResolvedProfile) -> Iterator[Finding]:
    """Tolerations of one profile that admit what should be kept out. Also where a target ignores them today."""
    for claim in resolved.claims:
        for request in claim.requests:
            for choice in request.choices:
                for toleration in choice.tolerations:
                    yield from _toleration(toleration, choice, resolved.context)


def _toleration(toleration: Toleration, choice: Choice, context: ClusterContext) -> Iterator[Finding]:
    what = _words(toleration)
    if toleration.effect == "None":  # Such a taint keeps nothing out.
        return
    if not toleration.key:
        yield toleration.finding("CS610", what=what).on(context.name)
        return
    if toleration.key in (QUARANTINED, RESERVED):
        yield toleration.finding("CS610", "key", what=what).on(context.name)
        return
    view = choice.device_class.view
    for taint in view.health_taints() if view else ():
        if _admits(toleration, taint):
            yield toleration.finding("CS611", what=what, driver=view.name if view else "", taint=taint.key).on(
                context.name
            )
            return


def _admits(toleration: Toleration, taint: DriverTaint) -> bool:
    blocking = [effect for effect in taint.effects if effect in ("NoSchedule", "NoExecute")]
    if not blocking or not _is_key_of(toleration.key, taint):
        return False
    if toleration.effect and toleration.effect not in blocking:
        return False
    return toleration.operator == "Exists" or taint.pattern or toleration.value == (taint.value or "")


def _is_key_of(key: str, taint: DriverTaint) -> bool:
    """Whether a taint may have this key: parts of its own in ``<>`` change where it has a ``pattern``."""
    fixed = map(re.escape, re.split("<[^>]*>", taint.key) if taint.pattern else [taint.key])
    return re.fullmatch(".+".join(fixed), key) is not None


def _words(toleration: Toleration) -> str:
    if not toleration.key:
        return "everything" if toleration.operator == "Exists" else f"every key with the value `{toleration.value}`"
    return f"`{toleration.key}`"

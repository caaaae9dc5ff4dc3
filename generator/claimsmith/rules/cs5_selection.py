"""CS5xx: selection that never finds a device, or finds another one than was meant."""

from collections.abc import Iterator, Sequence

from claimsmith.compiler.context import ClusterContext
from claimsmith.compiler.requirements import Comparison, Condition, Literal, OneOf
from claimsmith.compiler.resolve import Choice, Requirement, ResolvedClaim, ResolvedProfile, ResolvedRequest
from claimsmith.documents.team_profile import Constraint
from claimsmith.drivers.view import DriverView
from claimsmith.findings import Consequence, Finding, Rule, Severity, register
from claimsmith.values.quantity import Quantity
from claimsmith.values.semver import Semver
from claimsmith.values.suggest import closest


class _NeverMatches(Rule):
    severity = Severity.ERROR
    consequence = Consequence.NEVER_MATCHES


@register
class UnknownAttributeValue(_NeverMatches):
    id = "CS501"
    name = "unknown-attribute-value"
    message = "no device has `{field}` `{value}`"
    help = "known: {known}"
    why = "The driver publishes one of a few values and their case counts. Another one is accepted and never matches."
    bad = "require: {architecture: hopper}\n"
    good = "require: {architecture: Hopper}\n"


@register
class ModelExcluded(_NeverMatches):
    id = "CS502"
    name = "model-excluded"
    message = "`{field}` {wanted} excludes {model}, which has {actual}"
    help = "{hint}"
    why = (
        "An alternative whose own requirement its model does not meet can never be had. The usual cause is a rounded "
        'number: an "80 GB" H100 publishes 81559Mi, which is less than 80Gi, and an 80 GB A100 publishes exactly '
        "80Gi, so that `>= 80Gi` turns a preference for the H100 into the A100."
    )
    bad = 'prefer: [{model: H100-80GB}, {model: A100-80GB}]\nrequire: {memory: ">= 80Gi"}\n'
    good = 'prefer: [{model: H100-80GB}, {model: A100-80GB}]\nrequire: {memory: ">= 79Gi"}\n'


@register
class Contradiction(_NeverMatches):
    id = "CS503"
    name = "contradiction"
    message = "`{field}` cannot be {first} and {second} at once"
    why = "All requirements of a request and of its alternatives must hold together."
    bad = 'require: {memory: ">= 80Gi, < 40Gi"}\n'
    good = 'require: {memory: ">= 40Gi, < 80Gi"}\n'


@register
class ConstraintAttribute(_NeverMatches):
    id = "CS510"
    name = "constraint-attribute-unpublished"
    message = "devices of type `{device_type}` of `{driver}` {release} do not publish `{attribute}`"
    help = "a device without the attribute never meets the constraint"
    why = "The allocator rejects a device that lacks the attribute of a constraint."
    bad = "constraints:\n- {match: gpu.nvidia.com/pcieRoot}\n"
    good = "constraints:\n- {match: resource.kubernetes.io/pcieRoot}\n"


@register
class ConstraintCount(_NeverMatches):
    id = "CS511"
    name = "constraint-count"
    severity = Severity.WARNING
    message = "{count} devices of request `{request} cannot share one value of `{attribute}`: {reason}"
    help = "ask for {limit} at most, or take this request out of the constraint"
    why = (
        "`match` wants the same value on every device of every request it names, and an attribute that tells "
        "devices apart, or that few devices share, cannot have it."
    )
    bad = "requests: [{name: gpu, prefer: [{model: H100-80GB, count: 8}]}]\nconstraints: [{match: resource.kubernetes.io/pcieRoot}]\n"
    good = "requests: [{name: gpu, prefer: [{model: H100-80GB, count: 1}]}]\nconstraints: [{match: resource.kubernetes.io/pcieRoot}]\n"


@register
class AllWithConstraint(Rule):
    id = "CS512"
    name = "all-with-constraint"
    severity = Severity.WARNING
    consequence = Consequence.FATAL
    message = "`count: all` under a constraint stops the whole Pod on a node where one device does not meet it"
    why = "With allocationMode All a constraint that fails is an error of the scheduler, not a reason to try another node."
    bad = "requests: [{name: gpu, prefer: [{model: H100-80GB, count: all}]}]\nconstraints: [{match: resource.kubernetes.io/numaNode}]\n"


@register
class PoolWithoutModel(_NeverMatches):
    id = "CS520"
    name = "node-pool-without-model"
    severity = Severity.WARNING
    message = "node pool `{pool}` has no {model}, so this alternative is never reached by workload `{workload}`"
    help = "pools with it: {pools}"
    why = "The workload runs in that pool only, and the claim must be met on the node of the Pod."


@register
class DevicePluginOnly(_NeverMatches):
    id = "CS522"
    name = "device-plugin-only"
    severity = Severity.WARNING
    message = (
        "a device plugin hands out {model} in every node pool that has it ({pools}), so no claim is ever met with one"
    )
    help = "switch a pool to the DRA driver and to `devices: dra`, or take this entry out"
    why = "A node's devices belong to the device plugin or to the DRA driver; only the latter publishes ResourceSlices."


@register
class RepeatedAlternative(_NeverMatches):
    id = "CS521"
    name = "repeated-alternative"
    severity = Severity.WARNING
    message = "this alternative is never reached: the one of line {line} asks for the same devices, and no more of them"
    why = "The list is tried in order, and whatever fits the later entry already fits the earlier one."
    bad = "prefer:\n- {model: H100-80GB, count: 4}\n- {model: H100-80GB, count: 8}\n"
    good = "prefer:\n- {model: H100-80GB, count: 8}\n- {model: H100-80GB, count: 4}\n"


@register
class PreferenceIsScore(Rule):
    id = "CS530"
    name = "preference-is-only-a-score"
    severity = Severity.INFO
    consequence = Consequence.UNSAFE
    message = "nothing holds up the order of request `{request}` across nodes: {reason}"
    help = "declare a node pool with a nodeSelector for each model"
    why = (
        "A list orders the devices of one node. Which node a Pod gets is a matter of scores (of none on 1.34), and a "
        "busy node with a free H100 loses against an idle one with an A100. A preferred node affinity to the pools "
        "of the first choice holds the order up, where the pools can be told apart."
    )


def check(resolved: ResolvedProfile) -> Iterator[Finding]:
    """Logic of one profile on one cluster."""
    for claim in resolved.claims:
        for finding in _claim(claim):
            yield finding.on(resolved.context.name)
    for finding in _placement(resolved):
        yield finding.on(resolved.context.name)


def _claim(claim: ResolvedClaim) -> Iterator[Finding]:
    for request in claim.requests:
        for choice in request.choices:
            yield from _requirements(choice)
        yield from _repeated(request)
    for constraint in claim.constraints:
        yield from _constraint(constraint, claim)


def _requirements(choice: Choice) -> Iterator[Finding]:
    view, device_type = choice.device_class.view, choice.device_class.device_type
    if view is None or device_type is None:
        return
    for requirement in choice.requirements:
        unknown = list(_known_values(requirement, view, device_type))
        yield from unknown or _model_facts(requirement, choice, view)
    yield from _contradictions(choice)


def _known_values(requirement: Requirement, view: DriverView, device_type: str) -> Iterator[Finding]:
    attribute = view.attribute(device_type, requirement.name)
    if attribute is None or not attribute.values_closed or requirement.kind not in ("string", "int"):
        return
    known = [str(value) for value in attribute.values]
    for condition in requirement.conditions:
        if isinstance(condition, Comparison) and condition.operator not in ("==", "!="):
            continue
        for index, literal in enumerate(_literals(condition)):
            if str(literal) not in known:
                steps: tuple[str | int, ...] = requirement.steps
                if isinstance(condition, OneOf):
                    steps = (*steps, index)
                yield requirement.source.finding(
                    "CS501",
                    *steps,
                    field=requirement.key,
                    value=literal,
                    known=", ".join(known),
                    did_you_mean=closest(str(literal), known),
                )


def _model_facts(requirement: Requirement, choice: Choice, view: DriverView) -> Iterator[Finding]:
    """Whether the model itself, by its catalogue facts, meets its own requirement."""
    facts = view.facts(choice.device_class.model, choice.device_class.partition, requirement.name)
    if not facts:
        return
    for condition in requirement.conditions:
        if any(_holds(condition, fact) for fact in facts):
            continue
        actual = ", ".join(dict.fromkeys(str(fact) for fact in facts))
        name = " ".join(filter(None, (choice.device_class.model, choice.device_class.partition)))
        yield requirement.source.finding(
            "CS502",
            *requirement.steps,
            field=requirement.key,
            wanted=_words(condition),
            model=name,
            actual=actual,
            hint=_threshold_hint(condition, facts),
        )


def _threshold_hint(condition: Condition, facts: Sequence[Literal]) -> str:
    """For a rounded threshold that just misses: the whole Gi below."""
    if not isinstance(condition, Comparison) or condition.operator not in (">=", ">"):
        return ""
    best = max((fact for fact in facts if isinstance(fact, Quantity)), default=None)
    if best is None or not isinstance(condition.literal, Quantity):
        return ""
    have, want = best.as_fraction(), condition.literal.as_fraction()
    gib = 1024**3
    if have >= gib and have > want * 9 / 10:
        return f'write ">= {int(have // gib)}Gi" to include it'
    return ""


def _holds(condition: Condition, fact: Literal) -> bool:
    if isinstance(condition, OneOf):
        return fact in condition.literals
    literal = condition.literal
    if condition.operator == "==":
        return fact == literal
    if condition.operator == "!=":
        return fact != literal
    if isinstance(fact, Quantity) and isinstance(literal, Quantity):
        return _ordered(condition.operator, fact < literal, fact == literal)
    if isinstance(fact, Semver) and isinstance(literal, Semver):
        return _ordered(condition.operator, fact < literal, fact == literal)
    if isinstance(fact, int) and isinstance(literal, int):
        return _ordered(condition.operator, fact < literal, fact == literal)
    return True


def _ordered(operator: str, less: bool, equal: bool) -> bool:
    return {"<": less, "<=": less or equal, ">": not (less or equal), ">=": not less}[operator]


def _contradictions(choice: Choice) -> Iterator[Finding]:
    """Pairs of conditions on one attribute that no value meets: each pair is tried on both of their literals."""
    flat = [(each, condition) for each in choice.requirements for condition in each.conditions]
    for index, (later, condition) in enumerate(flat):
        for earlier, other in flat[:index]:
            if earlier.name == later.name and _exclusive(other, condition):
                yield later.source.finding(
                    "CS503",
                    *later.steps,
                    field=later.key,
                    first=_words(other),
                    second=_words(condition),
                )
                break


def _exclusive(one: Condition, other: Condition) -> bool:
    if isinstance(one, OneOf) or isinstance(other, OneOf):
        listed = one if isinstance(one, OneOf) else other
        rest = other if listed is one else one
        return not any(_holds(rest, literal) for literal in _literals(listed))
    for first, second in ((one, other), (other, one)):
        if first.operator == "==":
            return not _holds(second, first.literal)
    low = next((c for c in (one, other) if c.operator in (">", ">=")), None)
    high = next((c for c in (one, other) if c.operator in ("<", "<=")), None)
    if low is None or high is None:
        return False
    strict = low.operator == ">" or high.operator == "<"
    touching = _holds(Comparison("==", high.literal), low.literal)
    return not _holds(Comparison("<=", high.literal), low.literal) or (touching and strict)


def _literals(condition: Condition) -> tuple[Literal, ...]:
    return condition.literals if isinstance(condition, OneOf) else (condition.literal,)


def _words(condition: Condition) -> str:
    if isinstance(condition, OneOf):
        return "one of " + ", ".join(map(str, condition.literals))
    return f"{condition.operator} {condition.literal}"


def _repeated(request: ResolvedRequest) -> Iterator[Finding]:
    for index, later in enumerate(request.choices):
        for earlier in request.choices[:index]:
            same = (
                earlier.device_class.name == later.device_class.name
                and set(earlier.selectors) <= set(later.selectors)
                and earlier.capacity == later.capacity
                and set(later.tolerations) <= set(earlier.tolerations)
            )
            if same and (earlier.count or 0) <= (later.count or 0):
                yield later.source.finding("CS521", line=earlier.source.node.position.line)
                break


def _constraint(constraint: Constraint, claim: ResolvedClaim) -> Iterator[Finding]:
    name = constraint.match or constraint.distinct
    if name is None:
        return
    step = "match" if constraint.match else "distinct"
    concerned = [each for each in claim.requests if not constraint.requests or each.name in constraint.requests]
    for request in concerned:
        for choice in request.choices:
            if choice.count is None:
                yield constraint.finding("CS512", step)
            view, device_type = choice.device_class.view, choice.device_class.device_type
            if view is None or device_type is None:
                continue
            attribute = view.attribute(device_type, name)
            if attribute is None:
                yield constraint.finding(
                    "CS510",
                    step,
                    device_type=device_type,
                    driver=view.name,
                    release=view.release,
                    attribute=name,
                    did_you_mean=view.closest_name(device_type, name),
                )
            elif constraint.match and attribute.devices_per_value:
                yield from _crowded(choice, request, concerned, name, attribute.devices_per_value)


def _crowded(
    choice: Choice, request: ResolvedRequest, concerned: Sequence[ResolvedRequest], attribute: str, limit: int
) -> Iterator[Finding]:
    """More devices of one kind under a ``match`` than can have the same value, other requests counted at their least."""
    kind = (choice.device_class.view, choice.device_class.device_type)
    others = 0
    for other in concerned:
        counts = [
            each.count or 1 for each in other.choices if (each.device_class.view, each.device_class.device_type) == kind
        ]
        if other is not request and len(counts) == len(other.choices):
            others += min(counts)
    count = (choice.count or 1) + others
    if count > limit:
        step = (
            "count" if choice.source.node.get("count") else "model" if choice.source is not request.source else "name"
        )
        yield choice.source.finding(
            "CS511",
            step,
            count=count,
            request=f"{request.name}` with the other requests of its constraint" if others else f"{request.name}`",
            attribute=attribute,
            reason="every device has its own" if limit == 1 else f"at most {limit} are known to",
            limit=limit,
        )


def _placement(resolved: ResolvedProfile) -> Iterator[Finding]:
    context = resolved.context
    if not context.cluster.node_pools:
        return
    for choice in (each for claim in resolved.claims for request in claim.requests for each in request.choices):
        model = choice.device_class.model
        if model and not context.pools_with(model) and context.all_pools_with(model):
            names = ", ".join(pool.name for pool in context.all_pools_with(model))
            yield choice.source.finding("CS522", "model", model=model, pools=names)
    placed: set[str] = set()
    for workload in resolved.profile.workloads:
        for name in workload.claims:
            claim = resolved.claim(name)
            for request in claim.requests if claim else ():
                if workload.node_pool is None:
                    yield from _scored(request, context, placed)
                if workload.node_pool is None or context.cluster.node_pool(workload.node_pool) is None:
                    continue
                for choice in request.choices:
                    model = choice.device_class.model
                    pools = [pool.name for pool in context.all_pools_with(model)] if model else []
                    if model and workload.node_pool not in pools:
                        yield choice.source.finding(
                            "CS520",
                            "model",
                            pool=workload.node_pool,
                            model=model,
                            workload=workload.name,
                            pools=", ".join(pools) or "none",
                        )
                if request.is_list and request.name not in placed:
                    placed.add(request.name)
                    reason = f"workload `{workload.name}` runs in the one node pool `{workload.node_pool}`"
                    yield request.source.finding("CS530", "prefer", request=request.name, reason=reason)


def _scored(request: ResolvedRequest, context: ClusterContext, placed: set[str]) -> Iterator[Finding]:
    model = request.choices[0].device_class.model
    if not request.is_list or model is None or request.name in placed:
        return
    if not any(pool.node_selector for pool in context.pools_with(model)):
        placed.add(request.name)
        reason = f"no node pool with a nodeSelector has {model}"
        yield request.source.finding("CS530", "prefer", request=request.name, reason=reason)

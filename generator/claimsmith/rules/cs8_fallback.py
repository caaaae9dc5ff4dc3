"""CS8xx: whether a workload really runs on what it may get."""

from collections.abc import Iterator
from datetime import date

from claimsmith.compiler.resolve import Choice, ResolvedProfile, ResolvedRequest
from claimsmith.documents.driver_schema import Model
from claimsmith.documents.guardrails import Evidence
from claimsmith.documents.load import DocumentSet
from claimsmith.documents.team_profile import Workload
from claimsmith.findings import Consequence, Finding, Rule, Severity, register
from claimsmith.rules.facts import Facts
from claimsmith.values.image import ImageReference
from claimsmith.values.quantity import Quantity
from claimsmith.values.semver import Semver


class _Unsafe(Rule):
    severity = Severity.WARNING
    consequence = Consequence.UNSAFE


@register
class NoEvidence(Rule):
    id = "CS801"
    name = "fallback-without-evidence"
    severity = Severity.ERROR
    consequence = Consequence.INVALID
    message = "nothing shows that workload `{workload}` runs on its fallback {model}"
    help = "run it there once and add an Evidence document, or keep one entry in `prefer`"
    why = (
        "A fallback is taken on the day when nothing else is left. One that was never tried turns a wait into a "
        "failure. Evidence names team, workload, driver, model and the image by digest, with what was checked."
    )
    bad = "prefer: [{model: H100-80GB}, {model: A100-80GB}]   # and no Evidence for A100-80GB\n"
    good = "kind: Evidence\nspec: {team: vision, workload: trainer, model: A100-80GB, checks: {starts: true}}\n"


@register
class EvidenceOfOtherImage(_Unsafe):
    id = "CS802"
    name = "evidence-of-another-image"
    message = "the evidence for {model} (`{evidence}`) is of another image: {tried} and not {used}"
    help = "run the present image on {model} and renew the evidence"
    why = "Another image may have been built without the code for the fallback's architecture."


@register
class EvidenceOld(_Unsafe):
    id = "CS803"
    name = "evidence-old"
    message = "the evidence for {model} (`{evidence}`) is {age} days old, and the cluster wants at most {limit}"
    help = "run the workload on {model} again and renew the evidence"
    why = "Drivers and clusters change; what ran a year ago may not run today."


@register
class EvidenceNegative(Rule):
    id = "CS804"
    name = "evidence-negative"
    severity = Severity.ERROR
    consequence = Consequence.INVALID
    message = "the evidence for {model} (`{evidence}`) says that workload `{workload}` does not run there: {failed}"
    help = "take {model} out of `prefer`, or renew the evidence"
    why = "Evidence can also show that a fallback does not work."


@register
class EvidenceUnused(Rule):
    id = "CS805"
    name = "evidence-unused"
    severity = Severity.INFO
    consequence = Consequence.STYLE
    message = "this evidence is of nothing that a profile names: {reason}"
    why = "Evidence is found by team, workload, driver and model; a misspelt one shows nothing."


@register
class NeedNotMet(Rule):
    id = "CS806"
    name = "need-not-met"
    severity = Severity.ERROR
    consequence = Consequence.UNSAFE
    message = "workload `{workload}` needs {need}, and {model} {has}"
    help = "{mend}"
    why = (
        "The scheduler knows devices, not programs: it hands out the fallback, and the program fails when it starts "
        "or gives wrong numbers. What a workload needs must hold on every alternative of its claims."
    )
    bad = "prefer: [{model: H100-80GB}, {model: A100-80GB}]\nneeds: {precisions: [fp8]}\n"
    good = "prefer: [{model: H100-80GB}]\nneeds: {precisions: [fp8]}\n"


@register
class CountsDiffer(_Unsafe):
    id = "CS807"
    name = "counts-differ"
    message = (
        "the entries of request `{request}` have different counts ({counts}), and workload `{workload}` is not elastic"
    )
    help = "set `elastic: true` once the program adapts to the number of devices it finds"
    why = "Arguments, CPU and memory of a Pod are fixed before the choice; only the number of devices changes."
    bad = "prefer: [{model: H100-80GB, count: 4}, {model: A100-80GB, count: 8}]\n"
    good = "workloads: [{name: train, kind: Job, claims: [gpu], elastic: true}]\n"


@register
class MixedModels(_Unsafe):
    id = "CS808"
    name = "mixed-models"
    message = "the {pods} Pods of workload `{workload}` may get different models: each claim chooses on its own"
    help = "set `sameModel: template-per-model`, or `sameModel: refuse` and keep one entry in `prefer`"
    why = "A claim is of one Pod. A distributed job on an H100 and an A100 runs at the speed of the A100, if at all."
    bad = "workloads: [{name: train, kind: Job, claims: [gpu], pods: 4}]\n"
    good = "workloads: [{name: train, kind: Job, claims: [gpu], pods: 4, sameModel: template-per-model}]\n"


@register
class MixedModelsRefused(Rule):
    id = "CS809"
    name = "mixed-models-refused"
    severity = Severity.ERROR
    consequence = Consequence.INVALID
    message = "workload `{workload}` refuses different models, and request `{request}` has {count} alternatives"
    help = "keep one entry in `prefer`, or set `sameModel: template-per-model`"
    why = "With `sameModel: refuse` the profile itself asks that a list be an error."


@register
class TemplatePerModelLimits(Rule):
    id = "CS811"
    name = "template-per-model-limits"
    severity = Severity.ERROR
    consequence = Consequence.INVALID
    message = "`sameModel: template-per-model` takes one list in all of a workload's claims, and there are {count}"
    help = "keep one request with several entries in `prefer`"
    why = "Two lists would make a template for every pair of alternatives."


def check(resolved: ResolvedProfile, facts: Facts) -> Iterator[Finding]:
    """Every alternative that a workload may get, against its needs and its evidence."""
    for workload in resolved.profile.workloads:
        for finding in _workload(workload, resolved, facts):
            yield finding.on(resolved.context.name)


def _workload(workload: Workload, resolved: ResolvedProfile, facts: Facts) -> Iterator[Finding]:
    claims = [claim for name in workload.claims if (claim := resolved.claim(name)) is not None]
    requests = [request for claim in claims for request in claim.requests]
    for request in requests:
        for index, choice in enumerate(request.choices):
            if choice.device_class.model is None:
                continue
            yield from _needs(workload, request, choice, index)
            if index > 0:
                yield from _evidence(workload, choice, resolved, facts)
        counts = [choice.count for choice in request.choices]
        fixed = workload.elastic or workload.same_model == "template-per-model"
        if len(set(counts)) > 1 and not fixed:
            yield request.source.finding(
                "CS807",
                "prefer",
                request=request.name,
                counts=", ".join("all" if count is None else str(count) for count in counts),
                workload=workload.name,
            )
    yield from _same_model(workload, [request for request in requests if request.is_list])


def _same_model(workload: Workload, lists: list[ResolvedRequest]) -> Iterator[Finding]:
    if not lists:
        return
    if workload.same_model == "refuse":
        for request in lists:
            yield workload.finding(
                "CS809", "sameModel", workload=workload.name, request=request.name, count=len(request.choices)
            )
    elif workload.same_model == "template-per-model":
        if len(lists) > 1:
            yield workload.finding("CS811", "sameModel", count=len(lists))
    elif workload.pods > 1:
        yield workload.finding("CS808", "pods", pods=workload.pods, workload=workload.name)


def _needs(workload: Workload, request: ResolvedRequest, choice: Choice, index: int) -> Iterator[Finding]:
    needs, device_class = workload.needs, choice.device_class
    view = device_class.view
    model = view.model(device_class.model or "") if view else None
    if needs is None or view is None or model is None:
        return
    name = " ".join(filter(None, (model.name, device_class.partition)))
    first = request.choices[0].device_class.model
    mend = f"make {first} a hard constraint: keep it as the only entry of `prefer`" if index else "name another model"
    for need, has in _unmet(workload, choice, model):
        yield choice.source.finding("CS806", "model", workload=workload.name, need=need, model=name, has=has, mend=mend)


def _unmet(workload: Workload, choice: Choice, model: Model) -> Iterator[tuple[str, str]]:
    needs, view = workload.needs, choice.device_class.view
    assert needs is not None
    assert view is not None
    if needs.memory is not None:
        domain = view.attribute_domain
        facts = view.facts(model.name, choice.device_class.partition, f"{domain}/memory")
        known = [fact for fact in facts if isinstance(fact, Quantity)]
        if known and min(known) < needs.memory:
            yield f"{needs.memory} of memory per device", f"has {min(known)}"
    if needs.compute_capability and model.compute_capability:
        own = Semver.normalized(model.compute_capability)
        built = [Semver.normalized(text) for text in needs.compute_capability]
        if not any(each.major == own.major and each.minor <= own.minor for each in built):
            wanted = " or ".join(needs.compute_capability)
            yield f"compute capability {wanted}, for which its image was built", f"has {model.compute_capability}"
    if model.precisions:
        missing = [each for each in needs.precisions if each not in model.precisions]
        if missing:
            yield ", ".join(missing), "does not compute in it"


def _evidence(workload: Workload, choice: Choice, resolved: ResolvedProfile, facts: Facts) -> Iterator[Finding]:
    device_class = choice.device_class
    name = " ".join(filter(None, (device_class.model, device_class.partition)))
    found = sorted(
        (each for each in facts.evidence.get((resolved.profile.name, workload.name), ()) if _is_of(each, choice)),
        key=lambda each: (_same_image(each, workload), each.date, each.name),
    )
    if not found:
        yield choice.source.finding("CS801", "model", workload=workload.name, model=name)
        return
    best = found[-1]
    failed = [
        what
        for what, passed in (("starts", best.checks.starts), ("operators", best.checks.operators))
        if passed is False
    ]
    if failed:
        yield choice.source.finding(
            "CS804", "model", model=name, evidence=best.name, workload=workload.name, failed=", ".join(failed)
        )
        return
    if not _same_image(best, workload):
        yield choice.source.finding(
            "CS802",
            "model",
            model=name,
            evidence=best.name,
            tried=_short(best.image),
            used=_short(workload.image or ""),
        )
    policy = resolved.context.cluster.evidence
    age = (facts.today - date.fromisoformat(best.date)).days
    if policy and policy.max_age and age * 86400 > policy.max_age.seconds:
        limit = str(policy.max_age)
        yield choice.source.finding("CS803", "model", model=name, evidence=best.name, age=age, limit=limit)


def _is_of(evidence: Evidence, choice: Choice) -> bool:
    device_class = choice.device_class
    return (
        device_class.view is not None
        and evidence.driver == device_class.view.name
        and evidence.model.lower() == (device_class.model or "").lower()
        and (evidence.partition or "").lower() == (device_class.partition or "").lower()
    )


def _same_image(evidence: Evidence, workload: Workload) -> bool:
    """By digest; a workload that names no image is not compared."""
    if workload.image is None:
        return True
    return ImageReference.parse(evidence.image).digest == ImageReference.parse(workload.image).digest


def _short(image: str) -> str:
    digest = ImageReference.parse(image).digest if image else None
    return digest[:19] if digest else f"`{image}`, which is not named by digest"


def check_evidence(documents: DocumentSet) -> Iterator[Finding]:
    """Evidence that belongs to no workload."""
    profiles = {profile.name: profile for profile in documents.profiles}
    for each in documents.evidence:
        profile = profiles.get(each.team)
        if profile is None:
            if not documents.is_broken("TeamProfile", each.team):
                yield each.finding("CS805", "team", reason=f"there is no team `{each.team}`")
        elif all(workload.name != each.workload for workload in profile.workloads):
            yield each.finding("CS805", "workload", reason=f"team `{each.team}` has no workload `{each.workload}`")

"""Everything that can be said of the selectors of one class or request."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from claimsmith.cel.check import Checked, CheckError, check
from claimsmith.cel.deep import room_for
from claimsmith.cel.environment import environment, environment_of
from claimsmith.cel.evaluate import EvaluationError
from claimsmith.cel.runtime import quantities, versions
from claimsmith.findings import Severity, rule
from claimsmith.kubernetes.capabilities import Target
from claimsmith.kubernetes.minors import MINORS
from claimsmith.rules.selectors import schema
from claimsmith.rules.selectors.fleet import Kind, Specimen, representatives, trials
from claimsmith.rules.selectors.hints import hint
from claimsmith.rules.selectors.logic import Selection, judge
from claimsmith.rules.selectors.paths import calls, constants
from claimsmith.rules.selectors.remark import Part, Remark
from claimsmith.rules.selectors.verdict import Expression, Trial, admitted, blame, expression, tried

_TEMPLATE = re.compile(r"\{\{.*?\}\}", re.DOTALL)
_TOO_MUCH = ("must not be longer than", "too complex")


@dataclass(frozen=True, slots=True)
class Setting:
    """Where selectors are used.

    `kinds` are the devices of the nodes, none where nothing is known of them; `class_selectors` come first and narrow
    them down; `before` are selectors of the same request that are not looked at. `model` is the title of the model of
    which this is an alternative. `of_class` says that the selectors are themselves those of a class.
    """

    target: Target
    kinds: tuple[Kind, ...] = ()
    class_selectors: tuple[str, ...] = ()
    before: tuple[str, ...] = ()
    model: str | None = None
    of_class: bool = False


def check_selectors(texts: Sequence[str], setting: Setting) -> list[list[Remark]]:
    """The remarks on each selector: as the API server checks it, then on devices as the allocator does."""
    found = [list(_accepted(text, setting)) for text in texts]
    if any(found) or not setting.kinds:
        for text, remarks in zip(texts, found, strict=True):
            remarks += [] if remarks else _without_devices(text, setting)
        return found
    return [_distinct(remarks) for remarks in _on_devices(texts, setting)]


def check_selector(text: str, setting: Setting) -> list[Remark]:
    """The remarks on a selector that stands alone."""
    return check_selectors([text], setting)[0]


def _distinct(remarks: Sequence[Remark]) -> list[Remark]:
    return list({each.key: each for each in remarks}.values())


def _accepted(text: str, setting: Setting) -> Iterator[Remark]:
    checked = check(text, environment_of(setting.target))
    template = _template(checked)
    if template is not None:
        yield Remark("CS505", template, {"text": checked.expression[template.start : template.end]})
        return
    domain = next((each.view.attribute_domain for each in setting.kinds if each.view), "<driver>")
    elsewhere = _accepted_elsewhere(text, setting.target) if checked.errors else ""
    for error in checked.errors:
        yield _refused(checked, error, domain, elsewhere, setting.target)


def _template(checked: Checked) -> Part | None:
    """Braces of a template engine, in text or where nothing else explains them."""
    for match in _TEMPLATE.finditer(checked.expression):
        literals = constants(checked.ast) if checked.ast is not None else None
        if literals is None or any(each.start <= match.start() and match.end() <= each.end for each in literals):
            return Part(match.start(), match.end())
    return None


def _refused(checked: Checked, error: CheckError, domain: str, elsewhere: str, target: Target) -> Remark:
    place = Part(error.start, error.end)
    if error.message.startswith(_TOO_MUCH):
        return Remark("CS302", place, {"problem": error.message})
    if elsewhere:
        return Remark("CS303", place, {"problem": error.message, "minor": target.minor, "where": elsewhere})
    with room_for(checked.nesting):
        return Remark("CS301", place, {"problem": error.message, "hint": hint(checked, error, domain)})


def _accepted_elsewhere(text: str, target: Target) -> str:
    """On which other target it compiles, in words."""
    for minor in MINORS:
        if not minor < target.minor and minor != target.minor and check(text, environment(minor)).accepted:
            return f"from {minor} on"
    for minor in MINORS:
        if not minor < target.minor and check(text, environment(minor, list_attributes=True)).accepted:
            since = "" if minor == target.minor else f"from {minor} on "
            return f"{since}with the feature gate DRAListTypeAttributes"
    return ""


def _without_devices(text: str, setting: Setting) -> list[Remark]:
    """What is wrong whatever devices there are."""
    found = expression(text, environment_of(setting.target, scheduler=True))
    if found is None:
        return []
    remarks = []
    for call in calls(found.tree):
        if call.function in ("semver", "quantity") and call.target is None and len(call.arguments) == 1:
            value = getattr(call.arguments[0], "value", None)
            readable = versions.is_semver if call.function == "semver" else quantities.is_quantity
            if isinstance(value, str) and not readable(value):
                remarks.append(schema.invalid_literal(call))
    return remarks


def _on_devices(texts: Sequence[str], setting: Setting) -> list[list[Remark]]:
    surroundings = environment_of(setting.target, scheduler=True)
    compiled = [expression(text, surroundings) for text in (*setting.class_selectors, *setting.before, *texts)]
    if any(each is None for each in compiled):
        return [_without_devices(text, setting) for text in texts]
    everything = [each for each in compiled if each is not None]
    of_class = everything[: len(setting.class_selectors)]
    of_request = everything[len(setting.class_selectors) :]
    first = len(setting.before)
    paths = [read for each in everything for read in each.reads]
    reached: list[Trial] = []
    complete = True
    for kind in representatives(setting.kinds, paths):
        tries = trials(kind, paths)
        mine = [tried(of_request, each) for each in tries.specimens if admitted(of_class, each.device)]
        complete = complete and (tries.complete or not mine)
        reached += mine
    kinds = tuple(dict.fromkeys(each.specimen.kind for each in reached))
    found = []
    for number, each in enumerate(of_request[first:], first):
        outcomes = tuple((trial.specimen, trial.results[number]) for trial in reached if len(trial.results) > number)
        selection = Selection(each, outcomes, kinds, complete, setting.model, setting.of_class)
        found.append(_judged(each, selection))
    return found


def _failing(selection: Selection) -> list[Specimen]:
    """The devices on which it fails, one of those that differ in no more than values."""
    found: dict[object, Specimen] = {}
    for specimen, result in selection.outcomes:
        if isinstance(result, EvaluationError):
            kind = specimen.kind
            found.setdefault((id(kind.view), kind.device_type, kind.model, specimen.absent, result.text), specimen)
    return list(found.values())


def _judged(found: Expression, selection: Selection) -> list[Remark]:
    blames = [(specimen, each) for specimen in _failing(selection) for each in blame(found, specimen.device)]
    always = all(isinstance(result, EvaluationError) for _, result in selection.outcomes)
    remarks: list[Remark] = []
    for failures in schema.gather(blames):
        remarks += schema.explain(found, failures, selection.admitted, always=always)
    broken = any(rule(each.rule).severity is Severity.ERROR for each in remarks)
    never = selection.never and not broken
    silent = list(schema.guarded(found, selection.admitted, remarks, never=never))
    remarks += silent
    if broken or any(each.rule == "CS420" for each in silent) or not selection.outcomes:
        return remarks
    return remarks + list(judge(selection))

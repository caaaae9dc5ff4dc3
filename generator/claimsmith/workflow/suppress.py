"""Suppression comments applied to the findings of a run."""

from collections.abc import Iterable, Sequence

from claimsmith.documents.source import Suppression
from claimsmith.findings import Consequence, Finding, Severity
from claimsmith.rules import all_rules, rule

_NEVER = (Consequence.INVALID, Consequence.REJECTED)


def apply(findings: Sequence[Finding], suppressions: Iterable[Suppression], *, complete: bool) -> list[Finding]:
    """The findings that no comment silences, and those about the comments themselves.

    Only of a ``complete`` run can it be said that a comment silences nothing.
    """
    suppressions = list(suppressions)
    if not suppressions:
        return list(findings)
    usable, problems = _usable(suppressions)
    kept, used = [], set()
    for finding in findings:
        hit = next((each for each in usable if each.covers(finding.rule, finding.position)), None)
        if hit is None:
            kept.append(finding)
        else:
            used.add((hit.position, finding.rule))
    for each in usable if complete else ():
        for rule_id in each.rule_ids:
            if (each.position, rule_id) not in used:
                problems.append(Finding("CS131", each.position, {"rule": rule_id}))
    return [*kept, *problems]


def _usable(suppressions: Iterable[Suppression]) -> tuple[list[Suppression], list[Finding]]:
    known = {each.id for each in all_rules()}
    usable, problems = [], []
    for each in suppressions:
        refused = _problem(each, known)
        if refused is None:
            usable.append(each)
        else:
            problems.append(Finding("CS132", each.position, {"rule": refused[0], "problem": refused[1]}))
    return usable, problems


def _problem(suppression: Suppression, known: set[str]) -> tuple[str, str] | None:
    if not suppression.rule_ids:
        return "this", "write `# claimsmith: ignore CS503 - reason`"
    for rule_id in suppression.rule_ids:
        if rule_id not in known:
            return rule_id, "there is no such rule"
        words = rule(rule_id)
        if words.severity is Severity.ERROR and words.consequence in _NEVER:
            return rule_id, f"it is an error of the kind `{words.consequence.value}`"
    if not suppression.reason:
        return ", ".join(suppression.rule_ids), "a reason is missing (`- reason`)"
    return None

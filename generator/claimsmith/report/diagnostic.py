"""A finding with its rule's words: what reports print."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from claimsmith import rules
from claimsmith.findings import Consequence, Finding, Position, Severity

CONSEQUENCES = {
    Consequence.REJECTED: "the API server refuses it",
    Consequence.FATAL: "accepted, then stops scheduling of the whole Pod",
    Consequence.NEVER_MATCHES: "accepted, and no device ever matches",
    Consequence.IGNORED: "dropped or not enforced on this target",
    Consequence.UNSAFE: "works, but not as meant",
    Consequence.DRIFT: "what is deployed is not what the profiles say",
    Consequence.STYLE: "nothing breaks",
    Consequence.INVALID: "claimsmith refuses it; nothing is written",
}


@dataclass(frozen=True, slots=True)
class Diagnostic:
    rule: str
    name: str
    severity: Severity
    consequence: Consequence
    message: str
    help: str
    position: Position
    field: str | None
    clusters: tuple[str, ...]


def diagnose(findings: Iterable[Finding]) -> list[Diagnostic]:
    """Findings in words, in the order of files and lines, the same one said once for all its clusters."""
    merged: dict[tuple[object, ...], Diagnostic] = {}
    for finding in findings:
        diagnostic = _diagnostic(finding)
        key = (diagnostic.rule, diagnostic.position, diagnostic.message, diagnostic.help)
        known = merged.get(key)
        if known is None:
            merged[key] = diagnostic
        elif not known.clusters or not diagnostic.clusters:
            merged[key] = _with_clusters(known, ())
        else:
            merged[key] = _with_clusters(known, tuple(sorted({*known.clusters, *diagnostic.clusters})))
    return sorted(merged.values(), key=lambda each: (each.position, each.rule, each.message))


def _diagnostic(finding: Finding) -> Diagnostic:
    words = rules.rule(finding.rule)
    data = {key: shorten(value) for key, value in finding.data.items()}
    return Diagnostic(
        rule=finding.rule,
        name=words.name,
        severity=words.severity,
        consequence=words.consequence,
        message=printable(words.render_message(data)),
        help=printable(words.render_help(data)),
        position=replace(finding.position, file=printable(finding.position.file)),
        field=finding.path,
        clusters=finding.clusters,
    )


_LONGEST = 400
_LONGEST_LIST = 4000


def shorten(value: object) -> object:
    """Text that somebody wrote, no longer than a reader wants it; lists, such as of known names, may be longer."""
    if isinstance(value, str):
        longest = _LONGEST_LIST if ", " in value else _LONGEST
        return value if len(value) <= longest else f"{value[:longest]}…"
    return value


def printable(text: str) -> str:
    """The text with everything that a terminal would obey, or that would break a line, as an escape."""
    return (
        text
        if text.isprintable()
        else "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
    )


def _with_clusters(diagnostic: Diagnostic, clusters: tuple[str, ...]) -> Diagnostic:
    return replace(diagnostic, clusters=clusters)


def fails(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether a command that found these exits with 1."""
    return any(each.severity is not Severity.INFO for each in diagnostics)


def summary(diagnostics: Iterable[Diagnostic]) -> dict[str, int]:
    """How many of each severity."""
    counts = dict.fromkeys((severity.value for severity in Severity), 0)
    for each in diagnostics:
        counts[each.severity.value] += 1
    return counts

"""A rule's own words, for ``claimsmith rule`` and for the docs."""

import textwrap
from collections.abc import Iterable

from claimsmith.findings import Rule
from claimsmith.report.diagnostic import CONSEQUENCES


def line(rule: type[Rule]) -> str:
    """``CS121 unknown-field (error, invalid)``."""
    return f"{rule.id} {rule.name} ({rule.severity.value}, {rule.consequence.value})"


def page(rule: type[Rule]) -> str:
    """The rule as Markdown that also reads well in a terminal."""
    parts = [
        f"# {rule.id} {rule.name}",
        f"{rule.severity.value.capitalize()}; {rule.consequence.value}: {CONSEQUENCES[rule.consequence]}.",
        f"Says: {rule.message}" + (f"\nHelp: {rule.help}" if rule.help else ""),
        textwrap.fill(rule.why, 100),
    ]
    for title, example in (("Instead of", rule.bad), ("write", rule.good)):
        if example:
            parts.append(f"{title}:\n\n" + textwrap.indent(example.rstrip("\n"), "    "))
    return "\n\n".join(parts)


_FAMILIES = {
    "CS1": "Documents and YAML",
    "CS2": "Kubernetes API validity",
    "CS3": "CEL that the API server rejects",
    "CS4": "CEL that fails at scheduling",
    "CS5": "Selection logic",
    "CS6": "Taints and health",
    "CS7": "Delivery: output, queues, quotas",
    "CS8": "Fallback safety",
    "CS9": "Policies",
}


def document(rules: Iterable[type[Rule]]) -> str:
    """The page of all rules, ``docs/rules.md``."""
    parts = ["# Rules", "One rule, one id, for ever. This page is generated: `make docs`."]
    family = ""
    for rule in rules:
        if rule.id[:3] != family:
            family = rule.id[:3]
            parts.append(f"## {family}xx {_FAMILIES[family]}")
        parts.append(page(rule).replace("# ", "### ", 1))
    return "\n\n".join(parts) + "\n"


def as_json(rule: type[Rule]) -> dict[str, str]:
    return {
        "id": rule.id,
        "name": rule.name,
        "severity": rule.severity.value,
        "consequence": rule.consequence.value,
        "message": rule.message,
        "help": rule.help,
        "why": rule.why,
        "bad": rule.bad,
        "good": rule.good,
    }

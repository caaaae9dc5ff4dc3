"""The stable JSON form of a run's findings (DESIGN section 9)."""

import json
from collections.abc import Sequence

from claimsmith.report.diagnostic import Diagnostic, summary


def render(diagnostics: Sequence[Diagnostic], **extra: object) -> str:
    """``path`` is a Kubernetes object's field, so it is null here; ``field`` is the field of our own document."""
    document = {
        "version": 1,
        "findings": [_finding(each) for each in diagnostics],
        "summary": summary(diagnostics),
        **extra,
    }
    return json.dumps(document, indent=2, ensure_ascii=False)


def _finding(each: Diagnostic) -> dict[str, object]:
    return {
        "rule": each.rule,
        "severity": each.severity.value,
        "consequence": each.consequence.value,
        "message": each.message,
        "help": each.help,
        "file": each.position.file,
        "line": each.position.line,
        "column": each.position.column,
        "endLine": each.position.end_line,
        "endColumn": each.position.end_column,
        "path": None,
        "field": each.field,
        "clusters": list(each.clusters),
    }

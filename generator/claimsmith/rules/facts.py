"""What checks look up again and again, indexed once a run."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date

from claimsmith.documents.guardrails import Evidence
from claimsmith.documents.load import DocumentSet


@dataclass(frozen=True, slots=True)
class Facts:
    """The documents of a run, the day it is, and evidence by team and workload."""

    documents: DocumentSet
    today: date
    evidence: Mapping[tuple[str, str], tuple[Evidence, ...]]

    @classmethod
    def of(cls, documents: DocumentSet, today: date) -> "Facts":
        evidence: dict[tuple[str, str], list[Evidence]] = {}
        for each in documents.evidence:
            evidence.setdefault((each.team, each.workload), []).append(each)
        return cls(documents, today, {key: tuple(found) for key, found in evidence.items()})

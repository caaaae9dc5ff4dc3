"""Templates that a merge of two branches mixed, as each branch had them.

A merge of text takes lines from both sides, so that a template may stand under one branch's name with a part of
the other's spec. The name holds a digest of the spec: what the name says can be found again among the specs that
the merge was made of.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from itertools import chain, product

from claimsmith.compiler.claims import template_name
from claimsmith.compiler.objects import ALTERNATIVE_LABEL, CLAIM_LABEL, TEAM_LABEL, KubernetesObject

_MOST = 12
"""The most places in which two specs are tried in every combination."""


def is_sound(template: KubernetesObject) -> bool:
    """Whether a template's spec is the one that its name was made from."""
    return _names(template, template.get("spec"))


def untangled(template: KubernetesObject, others: Iterable[KubernetesObject]) -> KubernetesObject | None:
    """The template with the spec that its name was made from, put together from its own and one of ``others``;
    None where no combination of their lines is that spec."""
    own = template.get("spec")
    for spec in (each.get("spec") for each in others):
        for candidate in chain([spec], _combinations(_lines(own), _lines(spec))):
            if _names(template, candidate):
                return {**template, "spec": candidate}
    return None


def _names(template: KubernetesObject, spec: object) -> bool:
    metadata = template.get("metadata")
    labels = metadata.get("labels") if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict) or not isinstance(labels, dict):
        return False
    title = "-".join(str(labels[key]) for key in (CLAIM_LABEL, ALTERNATIVE_LABEL) if key in labels)
    return template_name(str(labels.get(TEAM_LABEL)), title, spec) == metadata.get("name")


def _lines(spec: object) -> list[str]:
    return json.dumps(spec, indent=0).splitlines()


def _combinations(own: Sequence[str], other: Sequence[str]) -> Iterator[object]:
    """Every spec that is at each place where the two differ as one or the other, the least changed first."""
    parts = [
        (own[a:b], other[c:d], tag != "equal")
        for tag, a, b, c, d in SequenceMatcher(None, own, other, autojunk=False).get_opcodes()
    ]
    places = sum(differs for *_, differs in parts)
    if places > _MOST:
        return
    for choice in sorted(product((False, True), repeat=places), key=sum):
        taken = iter(choice)
        lines = [line for mine, theirs, differs in parts for line in (theirs if differs and next(taken) else mine)]
        try:
            yield json.loads("\n".join(lines))
        except ValueError:
            continue

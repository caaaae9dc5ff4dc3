"""What an API server leaves out of an object because a feature gate is off."""

import copy
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from claimsmith.documents.nodes import PathStep
from claimsmith.kubernetes.capabilities import Target
from claimsmith.kubernetes.served import GROUP


@dataclass(frozen=True, slots=True)
class DroppedField:
    """A field that a target drops from an object, and the (first) gate that would have to be on."""

    path: tuple[PathStep, ...]
    gate: str


def dropped_fields(target: Target) -> list[tuple[str, str, str]]:
    """Kind, field pattern (``spec.devices.requests[].exactly.capacity``, ``*`` for any key) and gate."""
    return [(gated.kind, gated.pattern, gate) for gated, gate in target.dropped]


def drop(obj: Mapping[str, Any], target: Target) -> tuple[dict[str, Any], list[DroppedField]]:
    """A copy of a Kubernetes object as the target would take it, and what is missing from it.

    Objects of other groups pass through. What the remains lead to, such as a request without its only
    alternatives being refused, is for validation to say.
    """
    kept: dict[str, Any] = copy.deepcopy(dict(obj))
    group, _, version = str(obj.get("apiVersion", "")).rpartition("/")
    if group != GROUP:
        return kept, []
    dropped = [
        DroppedField(path, gate)
        for gated, gate in target.dropped
        if gated.kind == obj.get("kind")
        for path in _remove(kept, gated.steps_in(version), ())
    ]
    return kept, dropped


def _remove(node: Any, steps: tuple[str, ...], path: tuple[PathStep, ...]) -> Iterator[tuple[PathStep, ...]]:
    """Takes the fields that ``steps`` lead to out of ``node``; yields the paths of those not empty."""
    step, rest = steps[0], steps[1:]
    if step == "[]":
        if isinstance(node, list):
            for index, item in enumerate(node):
                yield from _remove(item, rest, (*path, index))
    elif not isinstance(node, dict):
        return
    elif step == "*":
        for key, value in node.items():
            yield from _remove(value, rest, (*path, key))
    elif step in node:
        if rest:
            yield from _remove(node[step], rest, (*path, step))
        elif node.pop(step) not in (None, [], {}):
            yield (*path, step)

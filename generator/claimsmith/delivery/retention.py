"""Superseded templates: Jobs that still have to create a Pod need the template that they name.

What is retained is part of the output itself, newest first by claim and namespace. So the next output follows
from the documents and the present output alone, on every clone.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import yaml

from claimsmith.compiler.objects import ALTERNATIVE_LABEL, CLAIM_LABEL, KubernetesObject
from claimsmith.delivery.untangle import is_sound, untangled

KEPT = 2
"""How many superseded templates stay, by claim and namespace."""

_KIND = "ResourceClaimTemplate"

_OURS = re.compile(rb"^<{7}[^\n]*\n", re.MULTILINE)
_CONFLICT = re.compile(
    rb"^<{7}[^\n]*\n(?P<ours>.*?)(?:^\|{7}[^\n]*\n.*?)?^={7}\r?\n(?P<theirs>.*?)^>{7}[^\n]*(?:\n|\Z)",
    re.MULTILINE | re.DOTALL,
)


class RetentionError(ValueError):
    """A file of the output that cannot be read, so that nobody knows which templates are deployed."""


CURRENT, RETAINED = "resourceclaimtemplates.yaml", "retained.yaml"
"""The two files of a team's folder that hold templates."""


@dataclass(frozen=True, slots=True)
class TeamFolder:
    """The bytes of a team's current and retained templates as they are in the output now; None for no file."""

    current: bytes | None = None
    retained: bytes | None = None


def retain(now: Sequence[KubernetesObject], written: bytes | None, before: TeamFolder) -> list[KubernetesObject]:
    """The templates to retain beside ``now``, whose bytes are ``written``. Raises ``RetentionError``.

    A file in which a merge left its conflict markers counts with both of its sides.
    """
    current = [] if before.current == written else _templates(before.current, CURRENT)
    retained = _templates(before.retained, RETAINED)
    kept = superseded(now, current, retained)
    return [_whole(each, [*now, *current, *retained]) for each in kept]


def superseded(
    now: Sequence[KubernetesObject],
    current: Iterable[KubernetesObject],
    retained: Iterable[KubernetesObject],
    keep: int = KEPT,
) -> list[KubernetesObject]:
    """The templates that were ``current``, then those ``retained`` before, less those that are current ``now``:
    the newest ``keep`` of each claim in each namespace."""
    live = {_identity(each) for each in now}
    kept: list[KubernetesObject] = []
    seen: set[tuple[str, str]] = set()
    count: dict[tuple[str, ...], int] = {}
    for each in (*current, *retained):
        identity = _identity(each)
        if identity in live or identity in seen:
            continue
        seen.add(identity)
        owner = (identity[0], *_claim(each))
        count[owner] = count.get(owner, 0) + 1
        if count[owner] <= keep:
            kept.append(each)
    # By claim and namespace, so that a change of one claim does not move the templates of another.
    return sorted(kept, key=lambda each: (_claim(each), _identity(each)[0]))


def _identity(template: KubernetesObject) -> tuple[str, str]:
    metadata = _mapping(template.get("metadata"))
    return str(metadata.get("namespace", "")), str(metadata.get("name", ""))


def _claim(template: KubernetesObject) -> tuple[str, str]:
    """The claim that a template is of, and the alternative where it is of one only."""
    labels = _mapping(_mapping(template.get("metadata")).get("labels"))
    return str(labels.get(CLAIM_LABEL, "")), str(labels.get(ALTERNATIVE_LABEL, ""))


def _mapping(value: object) -> Mapping[str, object]:
    return value if isinstance(value, dict) else {}


def _whole(template: KubernetesObject, known: Sequence[KubernetesObject]) -> KubernetesObject:
    """The template as its name says; ``known`` are those that a merge may have mixed it with."""
    if is_sound(template):
        return template
    whole = untangled(template, (each for each in known if _claim(each) == _claim(template)))
    if whole is None:
        name = _identity(template)[1]
        raise RetentionError(f"`{name}` is not what its name says; take the files of one branch as they were")
    return whole


def _templates(data: bytes | None, file: str) -> list[KubernetesObject]:
    """The templates of a file, newest first; where it has two sides, the newest of both come first."""
    sides: list[list[KubernetesObject]] = []
    for side in _sides(data or b""):
        try:
            documents = list(yaml.load_all(side, Loader=yaml.CSafeLoader))
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            raise RetentionError(f"{file}: {' '.join(str(error).split())}") from error
        sides.append([each for each in documents if isinstance(each, dict) and each.get("kind") == _KIND])
    return [each for rank in zip_longest(*sides) for each in rank if each is not None]


def _sides(data: bytes) -> tuple[bytes, ...]:
    """The file, or the two files that a merge with conflicts was made of."""
    if not _OURS.search(data):
        return (data,)
    return _CONFLICT.sub(rb"\g<ours>", data), _CONFLICT.sub(rb"\g<theirs>", data)

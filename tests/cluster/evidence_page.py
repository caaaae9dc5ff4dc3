"""``docs/evidence.md``, made of the records: ``python -m tests.cluster.evidence_page > docs/evidence.md``."""

import sys
from collections.abc import Iterable, Iterator

from tests.cluster import records
from tests.cluster.build import KUBERNETES, MINORS
from tests.cluster.client import Object
from tests.cluster.mutants import MUTANTS
from tests.cluster.story import TOPIC

INTRODUCTION = """\
# What real clusters did

Made by `make cluster-record` from one run on real control planes (etcd, API server, scheduler, controller manager; no kubelet, so
devices are allocated and nothing is started) of Kubernetes {versions}. `make cluster-test` repeats the run and fails where a
cluster does anything else; `make test` compares the compiler with the records in `tests/recorded/`.

{stored} objects of the [worked example](example.md), compiled for each minor with stock and with every feature gate, were created and
applied with strict validation, and what was stored is what was emitted, field for field. {scenarios} scenarios ran.
"""
SCENARIOS = """\
## Scenarios

The claim prefers one H100 and falls back to two A100. One node has one H100, another four A100 (one in "none", eight where two Pods
are started, and then four H100 unless they are too few). Each scenario starts from nothing, with a compile and a sync. *Load* is the
part of the H100 node's CPU and memory that is taken. What is said of each Job's Pod is which request of the claim was satisfied with how many
devices on which node; letters are the scheduler's events, below.
"""
STEPS = ("given", "pending", "ended", "goes on")


def document() -> str:
    """The whole page."""
    stored = [entry for minor in MINORS for entries in records.read("stored", minor).values() for entry in entries]
    told = {minor: list(records.read(TOPIC, minor).values()) for minor in MINORS}
    introduction = INTRODUCTION.format(
        versions=_and(KUBERNETES[minor].version for minor in MINORS),
        stored=len(stored),
        scenarios=sum(map(len, told.values())),
    )
    messages = list(
        dict.fromkeys(
            step["pending"] for story in told.values() for _, *steps in story for step in steps if "pending" in step
        )
    )
    letters = {message: chr(ord("A") + index) for index, message in enumerate(messages)}
    parts = [
        introduction,
        SCENARIOS,
        _table(("scenario", "load", "Kubernetes", "what happened"), _outcomes(told, letters)),
        _table(("event", "Kubernetes", "`FailedScheduling`"), _events(told, letters)),
        "## Attributes of what was given\n",
        _table(("scenario", "device", "attributes"), _attributes(told)),
        "## Fields that are dropped\n\nSent with strict validation to servers with stock gates, accepted, and not stored; a second apply does not show it either. The\n"
        "compiler leaves them out for these targets and says so. Servers that are not named keep all of them.\n",
        _table(("kind", "field", "not stored by"), _dropped()),
        f"## Mistakes that are caught\n\nEach of these {len(MUTANTS)} changes of the output fails the check beside it; a change that no check notices fails the test.\n",
        _table(("mistake", "Kubernetes", "file", "fails"), _mutants()),
    ]
    return "\n".join(parts)


def _outcomes(told: dict[str, list[list[Object]]], letters: dict[str, str]) -> Iterator[tuple[str, ...]]:
    """One line for the minors that do the same in the same scenario."""
    found: dict[tuple[str, int, str], list[str]] = {}
    for minor, stories in told.items():
        for head, *steps in stories:
            outcome = "<br>".join(_step(step, letters) for step in steps)
            switched = f" with {_switched(head['switched'])}" if "switched" in head else ""
            found.setdefault((head["scenario"], head["load"], outcome), []).append(f"{minor}{switched}")
    for (scenario, load, outcome), minors in sorted(found.items(), key=lambda each: (_rank(each[0][0]), each[0][1])):
        yield scenario, f"{load} %", "<br>".join(minors), outcome


def _rank(scenario: str) -> tuple[int, str]:
    order = ("preferred free", "preferred taken", "none", "preferred unhealthy", "evicted", "same model", "a list")
    return next(index for index, start in enumerate(order) if scenario.startswith(start)), scenario


def _step(step: Object, letters: dict[str, str]) -> str:
    sick = step.get("company", {}).get("sick", ())
    quarantine = f", {_and(f'{node}/gpu-{number}' for node, number in sick)} in quarantine" if sick else ""
    if "given" in step:
        got = _and(f"{count} × `{request}`" for request, count in step["given"].items())
        return f"{step['job']}: {got} on {step['node']}{quarantine}"
    if "pending" in step:
        return f"{step['job']}: Pending ({letters[step['pending']]}){quarantine}"
    if "ended" in step:
        return f"{step['job']}: Failed, {step['ended']} ({step['message']})"
    return f"{step['job']}: {step['goes on']}"


def _switched(settings: str) -> str:
    return _and(f"`{each}`" for each in settings.split())


def _events(told: dict[str, list[list[Object]]], letters: dict[str, str]) -> Iterator[tuple[str, ...]]:
    for message, letter in letters.items():
        minors = [
            minor
            for minor, stories in told.items()
            if any(step.get("pending") == message for _, *steps in stories for step in steps)
        ]
        yield letter, ", ".join(minors), message


def _attributes(told: dict[str, list[list[Object]]]) -> Iterator[tuple[str, ...]]:
    """Of the newest minor: what the devices of the four scenarios publish does not depend on it."""
    for head, *steps in told[MINORS[-1]]:
        if head["scenario"] in ("preferred free", "preferred taken") and not head["load"]:
            for step in steps:
                listed = ", ".join(f"{name} {value}" for name, value in step["attributes"].items())
                yield head["scenario"], _and(step["devices"]), listed


def _dropped() -> Iterator[tuple[str, ...]]:
    found: dict[tuple[str, str], list[str]] = {}
    for minor in MINORS:
        for kind, fields in records.read("dropped", minor).items():
            for field in fields:
                found.setdefault((kind, _path(field["path"])), []).append(minor)
    for (kind, path), minors in sorted(found.items()):
        yield kind, f"`{path}`", ", ".join(minors)


def _path(steps: list[str | int]) -> str:
    return "".join("[]" if isinstance(step, int) else f".{step}" for step in steps).removeprefix(".")


def _mutants() -> Iterator[tuple[str, ...]]:
    for each in MUTANTS:
        yield each.mistake, each.minor, f"`{each.file}`", each.check.__name__.replace("_", " ")


def _table(heads: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _and(words: Iterable[str]) -> str:
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


if __name__ == "__main__":
    sys.stdout.write(document())

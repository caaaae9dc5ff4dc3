"""Findings of whole repositories: documents with marks where a finding should stand, and what it should say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from claimsmith.rules import rule
from tests.repo import CLUSTER, CLUSTER_FILE, EVIDENCE, EVIDENCE_FILE, PROFILE, PROFILE_FILE, Repo
from tests.rules.test_findings import Said, spans

IMAGE = "registry.example.com/vision/trainer@sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"
OTHER_IMAGE = IMAGE.replace("2c26b46b68ffc68ff99b453c1d30", "fcde2b2edba56bf408601fb721fe")
QUARANTINE_FILE = "profiles/quarantines/sick.yaml"
RESERVATION_FILE = "profiles/reservations/speech.yaml"
SPEECH_FILE = "profiles/teams/speech.yaml"
PROD = ("prod",)
DEVICE = "{driver: gpu.nvidia.com, pool: node-7, device: gpu-3, uuid: GPU-0a1b}"


@dataclass(frozen=True, slots=True)
class Scene:
    """Documents by file that break ``rule`` where ``‹`` and ``›`` are, in the order of the files' names, and a good
    twin of those that differ. ``beside`` are the other rules that the bad documents break, ``left`` all those that
    the good ones do."""

    rule: str
    bad: Mapping[str, str]
    good: Mapping[str, str]
    said: Said | Sequence[Said]
    beside: frozenset[str] = frozenset()
    left: frozenset[str] = frozenset()
    name: str = ""


def title(scene: Scene) -> str:
    return f"{scene.rule} {scene.name}".rstrip()


def change(text: str, *changes: tuple[str, str]) -> str:
    """``text`` with each first part, which must be there once, replaced by the second."""
    for old, new in changes:
        assert text.count(old) == 1, f"{old!r} is {text.count(old)} times in the document"
        text = text.replace(old, new)
    return text


def cluster(*changes: tuple[str, str], kubernetes: str = "1.37", settings: str = "") -> dict[str, str]:
    """The cluster of ``tests.repo`` at a minor, with further fields of its spec."""
    spec = (
        'kubernetes: "1.37"\n',
        f'kubernetes: "{kubernetes}"\n' + "".join(f"  {line}\n" for line in [settings] if line),
    )
    return {CLUSTER_FILE: change(CLUSTER, spec, *changes)}


def profile(*changes: tuple[str, str]) -> dict[str, str]:
    """The profile of ``tests.repo``."""
    return {PROFILE_FILE: change(PROFILE, *changes)}


def evidence(*changes: tuple[str, str]) -> dict[str, str]:
    """The evidence of ``tests.repo``."""
    return {EVIDENCE_FILE: change(EVIDENCE, *changes)}


def quarantine(*spec: str, name: str = "sick") -> dict[str, str]:
    """A quarantine of the given lines."""
    return {QUARANTINE_FILE: _document("Quarantine", name, (*spec, "reason: XID 79"))}


def reservation(*spec: str) -> dict[str, str]:
    """A reservation of the given lines for team ``speech``, and the profile of that team."""
    nic = "{name: nic, requests: [{name: nic, deviceClass: rdma.dra.net}]}"
    lines = ("namespaces: [speech]", f"claims: [{nic}]", "workloads: [{name: server, kind: Pod, claims: [nic]}]")
    speech = _document("TeamProfile", "speech", lines)
    return {RESERVATION_FILE: _document("Reservation", "h100-for-speech", ("team: speech", *spec)), SPEECH_FILE: speech}


def _document(kind: str, name: str, spec: Sequence[str]) -> str:
    lines = "".join(f"  {line}\n" for line in spec)
    return f"apiVersion: claimsmith/v1alpha1\nkind: {kind}\nmetadata: {{name: {name}}}\nspec:\n{lines}"


def assert_told(repo: Repo, scene: Scene) -> None:
    """The whole finding, as ``--format json`` has it; nothing else but what is ``beside``; and the exit status."""
    places = []
    for file, text in sorted(scene.bad.items()):
        plain, found = spans(text)
        repo.write(file, plain)
        places += [(file, place) for place in found]
    result = repo.run("check", "--format", "json")
    words = rule(scene.rule)
    said = [scene.said] if isinstance(scene.said, Said) else scene.said
    assert [finding for finding in result.findings if finding["rule"] == scene.rule] == [
        {
            "rule": scene.rule,
            "severity": words.severity.value,
            "consequence": words.consequence.value,
            "message": each.message,
            "help": each.help,
            "file": file,
            "line": place[0],
            "column": place[1],
            "endLine": place[2],
            "endColumn": place[3],
            "path": None,
            "field": each.field,
            "clusters": list(each.clusters),
        }
        for each, (file, place) in zip(said, places, strict=True)
    ]
    assert set(result.rules) - {scene.rule} == scene.beside
    failed = any(finding["severity"] != "info" for finding in result.findings)
    assert result.status == (1 if failed else 0)


def assert_not_told(repo: Repo, scene: Scene) -> None:
    """The good twin breaks no rule but those that are ``left``."""
    for file, text in {**scene.bad, **scene.good}.items():
        repo.write(file, spans(text)[0])
    assert set(repo.run("check", "--format", "json").rules) == scene.left

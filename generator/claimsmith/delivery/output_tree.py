"""What is in the output directory against what the profiles make.

A file is ours where the lock of its folder lists it, where it is such a lock, or where it begins with the
header. Whatever else stands in the output directory is foreign and is never touched.
"""

from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from claimsmith.delivery.lock_file import HEADER, LOCK_NAME, digest, is_lock, lock, require_paths
from claimsmith.delivery.output_disk import (
    STAGE,
    Kind,
    OutputError,
    Scope,
    Tree,
    is_plain_directory,
    parents,
    read_tree,
)
from claimsmith.delivery.turn import WAIT, turn
from claimsmith.findings import Finding, Position

__all__ = [
    "HEADER",
    "LOCK_NAME",
    "Change",
    "OutputError",
    "Plan",
    "Scope",
    "differences",
    "everything",
    "lock",
    "plan",
]


@dataclass(frozen=True, slots=True)
class Change:
    """One file to write or remove: its path, its SHA-256 before and after, None where there is no file."""

    path: str
    old: str | None
    new: str | None


@dataclass(frozen=True, slots=True)
class Plan:
    """What makes an output directory what it should be, locks last; with conflicts, none of it is done."""

    changes: tuple[Change, ...] = ()
    conflicts: tuple[Finding, ...] = ()
    unchanged: int = field(default=0, compare=False)
    """How many files are right already."""

    @property
    def added(self) -> tuple[str, ...]:
        return tuple(change.path for change in self.changes if change.old is None)

    @property
    def changed(self) -> tuple[str, ...]:
        return tuple(change.path for change in self.changes if change.old and change.new)

    @property
    def removed(self) -> tuple[str, ...]:
        return tuple(change.path for change in self.changes if change.new is None)


def everything(path: str) -> bool:
    """The scope of a run that is not limited to some clusters or teams."""
    return True


def plan(root: Path, desired: Mapping[str, bytes], scope: Scope = everything) -> Plan:
    """What a compile would do to ``root``; only reads. What is out of ``scope`` is left as it is.

    ``desired``: the content of every file of the output, by path relative to ``root``. ``ValueError`` for a
    path that is none, ``OutputError`` where ``root`` cannot be read.
    """
    wanted = _wanted(desired, scope)
    return _compare(root, read_tree(root, wanted, scope), wanted)


def differences(
    root: Path, desired: Mapping[str, bytes], scope: Scope = everything, wait: float = WAIT
) -> tuple[Finding, ...]:
    """All in which ``root`` is not what ``desired`` says; none only if it is exactly that, byte for byte.

    Only reads, and needs no write permission. It waits for a run that is writing; one that was killed is a
    finding. Errors as for :func:`plan`, and ``OutputError`` after ``wait`` seconds.
    """
    wanted = _wanted(desired, scope)
    with turn(root, shared=True, wait=wait) if is_plain_directory(root) else nullcontext():
        tree = read_tree(root, wanted, scope)
    planned = _compare(root, tree, wanted)
    found = [*planned.conflicts, *_mixtures(root, tree), *_drift(root, tree, planned)]
    if tree.kinds.get(STAGE) is Kind.DIRECTORY:
        found.append(_finding("CS706", root, ".", directory=root.as_posix()))
    return tuple(sorted(found, key=lambda finding: (finding.position, finding.rule)))


def _wanted(desired: Mapping[str, bytes], scope: Scope) -> dict[str, str]:
    require_paths(desired)
    return {path: digest(content) for path, content in desired.items() if scope(path)}


def _compare(root: Path, tree: Tree, wanted: Mapping[str, str]) -> Plan:
    listed = {path for pairs in tree.locks.values() for path, _ in pairs}
    owned = (listed & tree.digests.keys()) | tree.generated | tree.locks.keys()
    changes = [
        Change(path, tree.digests.get(path), wanted.get(path))
        for path in wanted.keys() | owned
        if tree.digests.get(path) != wanted.get(path)
    ]
    changes.sort(key=lambda change: (is_lock(change.path), change.path))
    foreign = {change.path for change in changes if change.old} - owned
    conflicts = tuple(_conflicts(root, tree, wanted, listed, foreign))
    return Plan(tuple(changes), conflicts, len(wanted) - sum(change.new is not None for change in changes))


def _conflicts(
    root: Path, tree: Tree, wanted: Mapping[str, str], listed: set[str], foreign: set[str]
) -> Iterator[Finding]:
    """What stands in the way, each thing once, whatever the number of files that it concerns."""
    folders = {".", STAGE, *(folder for path in wanted for folder in parents(path))}
    places = {*folders, *wanted, *listed, *(folder for path in listed for folder in parents(path))}
    for path in sorted(places & tree.kinds.keys()):
        kind = tree.kinds[path]
        if kind is Kind.SYMLINK:
            yield _finding("CS705", root, path)
        elif (
            (path in folders and kind is not Kind.DIRECTORY)
            or (path in wanted and kind is not Kind.FILE)
            or path in foreign
        ):
            yield _finding("CS704", root, path, kind=kind)


def _mixtures(root: Path, tree: Tree) -> Iterator[Finding]:
    for path, pairs in tree.locks.items():
        if wrong := sorted({name for name, sha256 in pairs if tree.digests.get(name) != sha256}):
            yield _finding("CS707", root, path, files=", ".join(wrong))


def _drift(root: Path, tree: Tree, planned: Plan) -> Iterator[Finding]:
    compiled = {pair for pairs in tree.locks.values() for pair in pairs}
    listed = {path for path, _ in compiled}
    for change in planned.changes:
        if change.old is None:
            yield _finding("CS701", root, change.path)
        elif change.new is None:
            yield _finding("CS703", root, change.path)
        else:
            edited = change.path in listed and (change.path, change.old) not in compiled
            state = "was edited after it was compiled" if edited else "is not what the profiles make now"
            yield _finding("CS702", root, change.path, state=state)


def _finding(rule: str, root: Path, path: str, **data: object) -> Finding:
    file = (root / path).as_posix()
    finding = Finding(rule, Position(file), {"file": file, **data})
    cluster, slash, _ = path.partition("/")
    return finding.on(cluster) if slash else finding

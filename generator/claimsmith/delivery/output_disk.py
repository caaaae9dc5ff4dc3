"""The output directory as it is on disk. Nothing here writes, or follows a symbolic link."""

import hashlib
import os
import stat
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from claimsmith.delivery.lock_file import HEADER, NAME, is_lock, listed

STAGE = ".claimsmith-stage"
"""Where a compile prepares its files; there only while one runs, or after one was killed."""

Scope = Callable[[str], bool]
"""Whether a file, by its path relative to the output directory, is a matter of this run."""


class OutputError(Exception):
    """The output directory cannot be read or written; the message says why, and in what state it is left."""


class Kind(StrEnum):
    FILE = "file"
    DIRECTORY = "directory"
    SYMLINK = "symbolic link"
    SPECIAL = "special file"


@dataclass(frozen=True, slots=True)
class Tree:
    """What an output directory holds; paths are relative to it, ``.`` is the directory itself.

    ``kinds`` has every path but those with names that claimsmith never gives (hidden ones, for example), and
    the stage. The rest is of files in scope: ``digests`` of those that are wanted, listed in a lock, or
    ``generated`` (begin with the header); ``locks`` by path, with the paths and digests that they list.
    """

    kinds: Mapping[str, Kind] = field(default_factory=dict)
    digests: Mapping[str, str] = field(default_factory=dict)
    generated: frozenset[str] = frozenset()
    locks: Mapping[str, tuple[tuple[str, str], ...]] = field(default_factory=dict)


def read_tree(root: Path, wanted: Collection[str], scope: Scope) -> Tree:
    """The tree under ``root``, which may be missing. ``OutputError`` where it cannot be read."""
    try:
        kinds = dict(_walk(root))
        files = [path for path, kind in kinds.items() if kind is Kind.FILE and scope(path)]
        locks = {path: _listed_in(root, path, scope) for path in files if is_lock(path)}
        of_interest = {*wanted, *locks, *(path for pairs in locks.values() for path, _ in pairs)}
        digests, generated = {}, set()
        for path in files:
            with (root / path).open("rb") as file:
                if file.read(len(HEADER)) == HEADER.encode():
                    generated.add(path)
                elif path not in of_interest:
                    continue
                file.seek(0)
                digests[path] = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise OutputError(f"cannot read {error.filename or root}: {error.strerror}") from error
    return Tree(kinds, digests, frozenset(generated), locks)


def parents(path: str) -> list[str]:
    """The directories above ``path``, outermost first: ``a/b/c`` → ``.``, ``a``, ``a/b``."""
    names = path.split("/")[:-1]
    return [".", *("/".join(names[:depth]) for depth in range(1, len(names) + 1))]


def digest_at(root: Path, path: str) -> str | None:
    """The SHA-256 of the file at ``path``, None where there is nothing, empty for anything else.

    What is reached through a link, or a file, is something else. ``OSError`` where it cannot be read.
    """
    try:
        if not all(stat.S_ISDIR((root / folder).lstat().st_mode) for folder in parents(path)):
            return ""
        if not stat.S_ISREG((root / path).lstat().st_mode):
            return ""
        with (root / path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except FileNotFoundError:
        return None


def is_plain_directory(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def _listed_in(root: Path, lock_path: str, scope: Scope) -> tuple[tuple[str, str], ...]:
    folder = lock_path.rpartition("/")[0]
    pairs = listed((root / lock_path).read_bytes())
    located = ((f"{folder}/{name}" if folder else name, sha256) for name, sha256 in pairs)
    return tuple((path, sha256) for path, sha256 in located if scope(path))


def _walk(root: Path) -> Iterator[tuple[str, Kind]]:
    if not os.path.lexists(root):
        return
    yield ".", (kind := _kind(root))
    pending = ["."] if kind is Kind.DIRECTORY else []
    while pending:
        folder = pending.pop()
        with os.scandir(root / folder) as entries:
            for entry in entries:
                is_stage = folder == "." and entry.name == STAGE
                if not (is_stage or NAME.fullmatch(entry.name)):
                    continue
                path = entry.name if folder == "." else f"{folder}/{entry.name}"
                yield path, (kind := _kind(entry))
                if kind is Kind.DIRECTORY and not is_stage:
                    pending.append(path)


def _kind(place: "Path | os.DirEntry[str]") -> Kind:
    if place.is_symlink():
        return Kind.SYMLINK
    if place.is_dir():
        return Kind.DIRECTORY
    return Kind.FILE if place.is_file() else Kind.SPECIAL

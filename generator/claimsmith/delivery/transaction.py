"""Writing the output directory: all of it or nothing, whenever the run is killed and whoever else writes.

Everything is staged and synced inside the output directory; a journal that appears under its name in one step
is the point of no return; then the files are renamed into place, locks last. The next run finishes what has a
journal and throws away what has none. Each change in the journal has the digests before and after it, so it
can be made twice, and what someone else changed in between is left alone.
"""

import errno
import json
import os
import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple
from pathlib import Path

from claimsmith.delivery.lock_file import PATH
from claimsmith.delivery.output_disk import (
    STAGE,
    OutputError,
    Scope,
    digest_at,
    is_plain_directory,
    parents,
)
from claimsmith.delivery.output_tree import Change, Plan, everything, plan
from claimsmith.delivery.turn import WAIT, turn

_JOURNAL = "journal.json"
_UNCHANGED = "nothing was changed"
_JOURNALLED = "the next compile finishes what was begun"


Make = Callable[[], Mapping[str, bytes]]


def write(root: Path, desired: Mapping[str, bytes], scope: Scope = everything, wait: float = WAIT) -> Plan:
    """Makes ``root`` what ``desired`` says, once an earlier run's rest is dealt with. Returns what was done.

    A plan with conflicts was not carried out. Files that are right already are not rewritten.
    ``OutputError``: no permission, a full disk, another run for ``wait`` seconds; the message says in what
    state the output is. ``ValueError``: a path in ``desired`` that is none.
    """
    return rewrite(root, lambda: desired, scope, wait)


def rewrite(root: Path, make: Make, scope: Scope = everything, wait: float = WAIT) -> Plan:
    """As :func:`write`, where what is desired depends on what is there.

    ``make`` reads ``root`` after an earlier run's rest is dealt with, and no other run writes until its answer
    is carried out. It may be asked twice.
    """
    desired: Mapping[str, bytes] | None = None
    if not is_plain_directory(root):
        desired = make()
        planned = plan(root, desired, scope)
        if planned.conflicts or not planned.changes:
            return planned
        with _explained(root, _UNCHANGED):
            root.mkdir(parents=True, exist_ok=True)
    with turn(root, wait=wait):
        _recover(root)
        if desired is None or any(root.iterdir()):
            desired = make()
        planned = plan(root, desired, scope)
        if planned.conflicts or not planned.changes:
            return planned
        _require_writable(root, planned.changes)
        with _explained(root, _UNCHANGED):
            _stage(root, planned.changes, desired)
        with _explained(root, _JOURNALLED):
            overtaken = _carry_out(root, planned.changes)
    if overtaken:
        raise OutputError(f"{', '.join(overtaken)} changed in {root} while claimsmith wrote it; compile again")
    return planned


def recover(root: Path, wait: float = WAIT) -> None:
    """Finishes or throws away what a killed run left in ``root``, if anything; can be killed itself.

    ``OutputError`` as for :func:`write`.
    """
    if is_plain_directory(root) and is_plain_directory(root / STAGE):
        with turn(root, wait=wait):
            _recover(root)


def _recover(root: Path) -> None:
    stage = root / STAGE
    if not is_plain_directory(stage):
        return
    with _explained(root, _JOURNALLED):
        if changes := _read_journal(stage):
            _carry_out(root, changes)
        else:
            _discard(stage)


def _require_writable(root: Path, changes: Sequence[Change]) -> None:
    """Nearly every permission error is found here, before the first file moves."""
    for folder in sorted({root, *((root / change.path).parent for change in changes)}):
        existing = next(place for place in (folder, *folder.parents) if place.exists())
        if not os.access(existing, os.W_OK | os.X_OK):
            raise OutputError(f"cannot write in {existing}: no permission; {_UNCHANGED}")


def _stage(root: Path, changes: Sequence[Change], desired: Mapping[str, bytes]) -> None:
    stage = root / STAGE
    staged = {str(number): change.path for number, change in enumerate(changes) if change.new is not None}
    try:
        stage.mkdir()
        for name, path in staged.items():
            (stage / name).write_bytes(desired[path])
        # Synced only once all are written: the first sync then carries much of the others. A single sync of
        # the whole system was no faster on ext4, waits for strangers' data and, on macOS, not for ours.
        for name in staged:
            _sync(stage / name)
        _sync(stage)
        journal = stage / f"{_JOURNAL}.new"
        journal.write_text(json.dumps([astuple(change) for change in changes]))
        _sync(journal)
        journal.replace(stage / _JOURNAL)
        _sync(stage)
        _sync(root)
    except BaseException:
        with suppress(OSError):
            _discard(stage)
        raise


def _read_journal(stage: Path) -> list[Change] | None:
    """The changes of a journal; None where there is none, or one that :func:`_stage` cannot have written."""
    try:
        changes = [Change(*row) for row in json.loads((stage / _JOURNAL).read_bytes())]
        return changes if all(PATH.fullmatch(change.path) for change in changes) else None
    except (FileNotFoundError, ValueError, TypeError):
        return None


def _carry_out(root: Path, changes: Sequence[Change]) -> list[str]:
    """Makes the changes, then forgets them. Returns the paths that someone else changed meanwhile."""
    overtaken = [change.path for number, change in enumerate(changes) if not _apply(root, number, change)]
    touched = {folder for change in changes for folder in parents(change.path)}
    emptied = {folder for change in changes if change.new is None for folder in parents(change.path)[1:]}
    for folder in sorted(touched, reverse=True):
        if folder in emptied:
            with suppress(OSError):
                (root / folder).rmdir()
        with suppress(FileNotFoundError, NotADirectoryError):
            _sync(root / folder)
    _discard(root / STAGE)
    return overtaken


def _apply(root: Path, number: int, change: Change) -> bool:
    """Makes one change; False where its file is neither as it was planned from nor as it should become."""
    now, target, staged = digest_at(root, change.path), root / change.path, root / STAGE / str(number)
    if now == change.new:
        return True
    if now != change.old:
        return False
    if change.new is None:
        target.unlink()
        return True
    if digest_at(staged.parent, staged.name) != change.new:
        return False
    target.parent.mkdir(parents=True, exist_ok=True)
    staged.replace(target)
    return True


def _discard(stage: Path) -> None:
    """Removes the stage; the journal first, which must never outlive the files that it speaks of."""
    (stage / _JOURNAL).unlink(missing_ok=True)
    _sync(stage)
    shutil.rmtree(stage)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        # The answer of file systems that cannot sync a directory.
        if error.errno != errno.EINVAL:
            raise
    finally:
        os.close(descriptor)


@contextmanager
def _explained(root: Path, outcome: str) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise OutputError(f"cannot write {error.filename or root}: {error.strerror}; {outcome}") from error

"""Whose turn it is to use the output directory, where several runs want it at once.

The lock is a ``flock`` on the directory itself: there is no file of its own that could be committed, the
kernel drops it when its holder is killed, and a reader needs no write permission.
"""

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from claimsmith.delivery.output_disk import OutputError

WAIT = 30.0
"""Seconds to wait for another run."""

_POLL = 0.02

if sys.platform == "win32":

    @contextmanager
    def turn(root: Path, *, shared: bool = False, wait: float = WAIT) -> Iterator[None]:
        """Readers need no turn here, and there are no writers: Windows has no ``flock``."""
        if not shared:
            raise OutputError("claimsmith writes its output on Linux and macOS only (on Windows: in WSL)")
        yield

else:
    import fcntl

    @contextmanager
    def turn(root: Path, *, shared: bool = False, wait: float = WAIT) -> Iterator[None]:
        """Holds ``root`` alone to write, or ``shared`` to read. ``OutputError`` after ``wait`` seconds."""
        try:
            descriptor = os.open(root, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        except OSError as error:
            raise OutputError(f"cannot open {root}: {error.strerror}") from error
        try:
            _acquire(descriptor, root, fcntl.LOCK_SH if shared else fcntl.LOCK_EX, wait)
            yield
        finally:
            os.close(descriptor)

    def _acquire(descriptor: int, root: Path, operation: int, wait: float) -> None:
        deadline = time.monotonic() + wait
        try:
            while not _try(descriptor, operation):
                if time.monotonic() >= deadline:
                    raise OutputError(f"another claimsmith has used {root} for {wait:g} s; try again later")
                time.sleep(_POLL)
            same = os.path.samestat(os.fstat(descriptor), root.lstat())
        except FileNotFoundError:
            same = False
        except OSError as error:
            raise OutputError(f"cannot lock {root}: {error.strerror}") from error
        if not same:
            raise OutputError(f"{root} was removed or replaced while claimsmith waited for it; try again")

    def _try(descriptor: int, operation: int) -> bool:
        try:
            fcntl.flock(descriptor, operation | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

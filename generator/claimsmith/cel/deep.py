"""Room on the interpreter's stack for the deepest trees that Kubernetes accepts."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager

_ROOM = 12_000
_SHALLOW = 40

_lock = threading.Lock()
_users = 0
_usual = 0


@contextmanager
def room_for(nesting: int) -> Iterator[None]:
    """Lets functions recurse over a tree whose source nests `nesting` deep.

    The interpreter's limit is raised only for deep trees (hostile ones, in practice), and given back by the last user.
    """
    global _users, _usual  # the limit belongs to the interpreter, so its keeper is one too
    if nesting <= _SHALLOW:
        yield
        return
    with _lock:
        if _users == 0:
            _usual = sys.getrecursionlimit()
            sys.setrecursionlimit(max(_usual, _ROOM))
        _users += 1
    try:
        yield
    finally:
        with _lock:
            _users -= 1
            if _users == 0:
                sys.setrecursionlimit(_usual)

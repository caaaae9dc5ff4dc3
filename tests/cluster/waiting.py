"""Waiting for a cluster to become what is expected: with a deadline, and with what was seen last when it passes."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

INTERVAL = 0.05
"""Seconds between two looks."""


class NotInTimeError(AssertionError):
    """What was waited for did not come."""


def until(
    look: Callable[[], T | None], what: str, *, seconds: float = 20, seen: Callable[[], object] | None = None
) -> T:
    """The first answer of ``look`` that is neither None nor False; ``NotInTimeError`` with what is ``seen`` instead."""
    deadline = time.monotonic() + seconds
    while True:
        found = look()
        if found is not None and found is not False:
            return found
        if time.monotonic() >= deadline:
            state = f"\nseen last: {seen()}" if seen else ""
            raise NotInTimeError(f"not within {seconds:.0f} s: {what}{state}")
        time.sleep(INTERVAL)


def stays(look: Callable[[], bool], what: str, *, seconds: float) -> None:
    """That something holds for a while; ``AssertionError`` as soon as it does not."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if not look():
            raise AssertionError(f"did not stay: {what}")
        time.sleep(INTERVAL)

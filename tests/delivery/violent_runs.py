"""Runs that are killed, race each other, or lack permissions, each in a process of its own.

A script, because only a process without threads forks safely. It takes a scenario and a directory, and prints
what came of each run as a line of JSON.
"""

import json
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from claimsmith.delivery.output_tree import OutputError, differences
from claimsmith.delivery.transaction import recover, write
from tests.delivery.output_states import AFTER, BEFORE, FOREIGN, cluster, contents, put

_CHANGING = {"os.rename", "os.remove", "os.mkdir", "os.rmdir"}


def child(work: Callable[[], object]) -> int:
    """Starts ``work`` in a process of its own; its exit status is 0, or 3 for an ``OutputError``."""
    pid = os.fork()
    if pid:
        return pid
    try:
        work()
    except OutputError:
        os._exit(3)
    except BaseException:
        sys.excepthook(*sys.exc_info())
        os._exit(4)
    os._exit(0)


def status(pid: int) -> int:
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def killed_at(point: int, work: Callable[[], object]) -> bool:
    """Whether ``work`` was killed before its ``point``-th operation that changes or syncs the file system."""

    def run() -> None:
        seen = 0

        def count() -> None:
            nonlocal seen
            seen += 1
            if seen == point:
                os.kill(os.getpid(), signal.SIGKILL)

        def watch(event: str, arguments: tuple[object, ...]) -> None:
            if event in _CHANGING or (event == "open" and arguments[2] & (os.O_WRONLY | os.O_RDWR)):
                count()

        fsync = os.fsync
        os.fsync = lambda descriptor: (count(), fsync(descriptor))[1]
        sys.addaudithook(watch)
        work()

    result = status(child(run))
    assert result in (0, -signal.SIGKILL), result
    return result != 0


def fresh(directory: Path) -> Path:
    root = directory / "output"
    shutil.rmtree(root, ignore_errors=True)
    put(root, BEFORE | FOREIGN)
    return root


def honest(root: Path, *states: Mapping[str, bytes]) -> bool:
    """``--check`` calls an output clean only where it is just that."""
    return all(contents(root) == state | FOREIGN for state in states if not differences(root, state))


def whole(root: Path, *states: Mapping[str, bytes]) -> bool:
    return contents(root) in [state | FOREIGN for state in states]


def report(**result: object) -> None:
    print(json.dumps(result))  # noqa: T201


def every_point(directory: Path) -> None:
    """Killed at each of its operations in turn; whether its stage survives or is lost too."""
    point, killed = 0, True
    while killed:
        point += 1
        root = fresh(directory)
        killed = killed_at(point, lambda root=root: write(root, AFTER))
        checked = honest(root, BEFORE, AFTER)
        without_stage = directory / "without_stage"
        shutil.copytree(root, without_stage)
        shutil.rmtree(without_stage / ".claimsmith-stage", ignore_errors=True)
        recover(root)
        recovered = whole(root, BEFORE, AFTER)
        write(root, AFTER)
        report(
            killed=killed,
            checked=checked and honest(without_stage, BEFORE, AFTER),
            recovered=recovered,
            mended=whole(root, AFTER) and not differences(root, AFTER),
        )
        shutil.rmtree(without_stage)


def during_recovery(directory: Path) -> None:
    """Killed, and the recovery killed too, as often as it takes."""
    chance = random.Random(7)
    for _ in range(25):
        root = fresh(directory)
        killed = killed_at(chance.randint(40, 110), lambda root=root: write(root, AFTER))
        kills, checked = int(killed), honest(root, BEFORE, AFTER)
        while killed_at(chance.randint(1, 30), lambda root=root: recover(root)):
            kills += 1
            checked = checked and honest(root, BEFORE, AFTER)
        report(kills=kills, checked=checked, recovered=whole(root, BEFORE, AFTER))


def any_moment(directory: Path) -> None:
    """Killed after some milliseconds of writing two outputs by turns; the next starts from there."""
    chance = random.Random(11)
    root = fresh(directory)

    def alternate() -> None:
        while True:
            write(root, AFTER)
            write(root, BEFORE)

    for _ in range(100):
        pid = child(alternate)
        time.sleep(chance.uniform(0.001, 0.02))
        os.kill(pid, signal.SIGKILL)
        killed = status(pid) == -signal.SIGKILL
        checked = honest(root, BEFORE, AFTER)
        interrupted = (root / ".claimsmith-stage").exists()
        goal = chance.choice([BEFORE, AFTER])
        mended = True
        if chance.random() < 0.5:
            write(root, goal)
            mended = whole(root, goal) and not differences(root, goal)
        report(killed=killed, interrupted=interrupted, checked=checked, mended=mended)


def race(directory: Path) -> None:
    """Two and five processes at once, each with an output of its own."""
    for count in (2, 2, 2, 2, 5, 5, 5, 5):
        root = fresh(directory)
        states = [cluster("prod-eu", f"racer {n}", "vision", f"team{n}") for n in range(count)]
        start, go = os.pipe()

        def run(state: dict[str, bytes], root: Path = root, start: int = start, go: int = go) -> None:
            os.close(go)
            os.read(start, 1)
            write(root, state)

        pids = [child(lambda state=state: run(state)) for state in states]
        os.close(start)
        os.close(go)
        statuses = [status(pid) for pid in pids]
        clean = [state for state in states if not differences(root, state)]
        report(finished=statuses == [0] * count, whole=whole(root, *states), clean=len(clean))


def reader(directory: Path) -> None:
    """What ``--check`` sees while another process writes: one output or the other."""
    root = fresh(directory)
    other = differences(root, AFTER)

    def alternate() -> None:
        chance = random.Random(13)
        for state in (AFTER, BEFORE) * 10:
            write(root, state)
            time.sleep(chance.uniform(0, 0.04))

    pid = child(alternate)
    while os.waitpid(pid, os.WNOHANG) == (0, 0):
        seen = differences(root, AFTER)
        report(sees="after" if not seen else "before" if seen == other else "a mixture")
        time.sleep(0.001)


def no_permission(directory: Path) -> None:
    """As a user who may read the output, or most of it, and not write it."""
    root = fresh(directory)
    if os.geteuid() == 0:
        for path in (directory, *directory.rglob("*")):
            os.chown(path, 65534, 65534)
        os.setuid(65534)

    def attempt(where: str) -> None:
        message = ""
        try:
            write(root, AFTER)
        except OutputError as error:
            message = str(error)
        report(where=where, message=message, untouched=whole(root, BEFORE))

    (root / "prod-eu/teams/vision/values").chmod(0o555)
    attempt("prod-eu/teams/vision/values")
    directories = [root, *(path for path in root.rglob("*") if path.is_dir())]
    for path in directories:
        path.chmod(0o555)
    attempt("")
    report(clean=not differences(root, BEFORE), dirty=bool(differences(root, AFTER)))
    (root / "NOTES").chmod(0o000)
    report(unreadable=unreadable(root))
    for path in directories:
        path.chmod(0o755)


def unreadable(root: Path) -> str:
    try:
        differences(root, BEFORE)
    except OutputError as error:
        return str(error)
    return ""


SCENARIOS = {
    scenario.__name__: scenario for scenario in (every_point, during_recovery, any_moment, race, reader, no_permission)
}

if __name__ == "__main__":
    # A killed process loses nothing that it wrote, synced or not; only its machine does.
    os.fsync = lambda descriptor: None
    SCENARIOS[sys.argv[1]](Path(sys.argv[2]))

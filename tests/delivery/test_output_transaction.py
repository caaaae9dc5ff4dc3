import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from claimsmith.delivery.lock_file import digest
from claimsmith.delivery.output_tree import OutputError, differences
from claimsmith.delivery.transaction import recover, write
from claimsmith.delivery.turn import turn
from tests.delivery.output_states import AFTER, BEFORE, FOREIGN, contents, folders, put

STAGE = ".claimsmith-stage"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    root = tmp_path / "output"
    write(root, BEFORE)
    put(root, FOREIGN)
    return root


def violent_runs(scenario: str, directory: Path) -> list[dict[str, object]]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.delivery.violent_runs", scenario, str(directory)],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def codes(root: Path, desired: dict[str, bytes]) -> set[str]:
    return {finding.rule for finding in differences(root, desired)}


class TestWriting:
    def test_makes_a_missing_output_directory(self, tmp_path: Path) -> None:
        root = tmp_path / "some" / "output"
        plan = write(root, BEFORE)
        assert set(plan.added) == set(BEFORE)
        assert contents(root) == BEFORE
        assert not differences(root, BEFORE)

    def test_nothing_to_write_makes_no_directory(self, tmp_path: Path) -> None:
        write(tmp_path / "output", {})
        assert not (tmp_path / "output").exists()

    def test_replaces_removes_and_leaves_what_is_foreign(self, root: Path) -> None:
        plan = write(root, AFTER)
        assert contents(root) == AFTER | FOREIGN
        assert "old/platform/claimsmith.lock.json" in plan.removed
        assert "new/kustomization.yaml" in plan.added
        assert "prod-eu/platform/deviceclasses.yaml" in plan.changed

    def test_directories_go_with_our_last_file_but_not_with_foreign_ones_in_them(self, root: Path) -> None:
        put(root, {"old/platform/runbook.md": b"", "prod-eu/teams/nlp/values/.keep": b""})
        write(root, AFTER)
        assert {"old", "old/platform", "prod-eu/teams/nlp/values"} <= folders(root)
        (root / "old/platform/runbook.md").unlink()
        assert (root / "prod-eu/teams/nlp/values/.keep").exists()

    def test_directories_of_ours_alone_are_removed(self, root: Path) -> None:
        write(root, AFTER)
        assert not {"old", "prod-eu/teams/nlp", STAGE} & folders(root)
        write(root, {})
        assert contents(root) == FOREIGN
        assert folders(root) == {"prod-eu", "prod-eu/teams", "prod-eu/teams/vision"}

    def test_files_that_are_right_keep_their_inode_and_time(self, root: Path) -> None:
        def stamps() -> dict[str, tuple[int, int]]:
            paths = [path for path in BEFORE if BEFORE[path] == AFTER.get(path)]
            return {path: ((root / path).stat().st_ino, (root / path).stat().st_mtime_ns) for path in paths}

        before = stamps()
        assert before
        write(root, AFTER)
        assert stamps() == before

    def test_a_second_write_touches_nothing(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        write(root, AFTER)
        monkeypatch.setattr(os, "mkdir", None)
        monkeypatch.setattr(os, "replace", None)
        assert not write(root, AFTER).changes

    def test_overwrites_own_files_edited_by_hand(self, root: Path) -> None:
        (root / "prod-eu/teams/nlp/values/trainer.txt").write_text("mine now")
        assert write(root, BEFORE).changed == ("prod-eu/teams/nlp/values/trainer.txt",)
        assert contents(root) == BEFORE | FOREIGN

    def test_a_conflict_stops_everything(self, root: Path) -> None:
        put(root, {"new/kustomization.yaml": b"resources: []\n"})
        as_it_was = contents(root)
        plan = write(root, AFTER)
        assert [finding.rule for finding in plan.conflicts] == ["CS704"]
        assert contents(root) == as_it_was

    @pytest.mark.parametrize("link", ["prod-eu/teams", "prod-eu/platform/deviceclasses.yaml", STAGE, "."])
    def test_never_writes_through_a_link(self, root: Path, tmp_path: Path, link: str) -> None:
        place, elsewhere = root / link, tmp_path / "elsewhere"
        if link == STAGE:
            elsewhere.mkdir()
        else:
            place.rename(elsewhere)
        place.symlink_to(elsewhere)
        as_it_was = contents(tmp_path)
        assert "CS705" in {finding.rule for finding in write(root, AFTER).conflicts}
        recover(root)
        assert "CS705" in codes(root, AFTER)
        assert contents(tmp_path) == as_it_was
        assert place.is_symlink()

    def test_scope_leaves_other_clusters_alone(self, root: Path) -> None:
        write(root, AFTER, lambda path: path.startswith("prod-eu/"))
        assert contents(root) == FOREIGN | {
            path: content
            for state, cluster in ((AFTER, "prod-eu"), (BEFORE, "old"))
            for path, content in state.items()
            if path.startswith(cluster)
        }

    def test_a_path_out_of_the_output_is_refused(self, root: Path) -> None:
        with pytest.raises(ValueError, match="not a path"):
            write(root, {"../escaped.yaml": b""})


class TestSyncing:
    def test_all_is_on_disk_before_the_journal_and_locks_come_last(
        self, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        events: list[tuple[str, object]] = []
        appeared: set[Path] = set()
        fsync, replace = os.fsync, os.replace

        def record_fsync(descriptor: int) -> None:
            events.append(("sync", os.fstat(descriptor).st_ino))
            fsync(descriptor)

        def record_replace(source: Path, target: Path) -> None:
            inode = Path(source).stat().st_ino
            if not Path(target).exists():
                appeared.add(Path(target))
            replace(source, target)
            events.append((Path(target).relative_to(root).as_posix(), inode))

        monkeypatch.setattr(os, "fsync", record_fsync)
        monkeypatch.setattr(os, "replace", record_replace)
        write(root, AFTER)
        names = [name for name, _ in events]
        commit = names.index(f"{STAGE}/journal.json")
        assert root / STAGE / "journal.json" in appeared
        first_rename = next(n for n, name in enumerate(names) if n > commit and name != "sync")
        staged = {inode for name, inode in events[commit:] if name != "sync"}
        assert staged <= {inode for name, inode in events[:commit] if name == "sync"}
        assert len(events[commit + 1 : first_rename]) == 2
        assert ("sync", root.stat().st_ino) in events[commit:first_rename]
        renamed = [name for name in names[commit + 1 :] if name != "sync"]
        assert {path for path in AFTER if AFTER[path] != BEFORE.get(path)} == set(renamed)
        locks = [name.endswith("claimsmith.lock.json") for name in renamed]
        assert locks == sorted(locks)
        last_rename = max(position for position, name in enumerate(names) if name != "sync")
        synced_after = {inode for _, inode in events[last_rename:]}
        assert {(root / path).parent.stat().st_ino for path in renamed} <= synced_after


class TestFailing:
    @pytest.mark.parametrize("call", range(1, 30, 4))
    def test_a_full_disk_while_staging_changes_nothing(
        self, root: Path, monkeypatch: pytest.MonkeyPatch, call: int
    ) -> None:
        as_it_was, calls, write_bytes = contents(root), 0, Path.write_bytes

        def full(path: Path, data: bytes) -> int:
            nonlocal calls
            calls += 1
            if calls > min(call, 14):
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))
            return write_bytes(path, data)

        monkeypatch.setattr(Path, "write_bytes", full)
        with pytest.raises(OutputError, match=r"No space left on device; nothing was changed"):
            write(root, AFTER)
        assert contents(root) == as_it_was
        assert STAGE not in folders(root)

    def test_what_is_thrown_away_can_never_be_carried_out(self, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        fsync = os.fsync

        def fail_once_journalled(descriptor: int) -> None:
            if (root / STAGE / "journal.json").exists():
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            fsync(descriptor)

        def interrupted(path: Path) -> None:
            (path / "0").unlink()
            raise KeyboardInterrupt

        with monkeypatch.context() as patched:
            patched.setattr(os, "fsync", fail_once_journalled)
            patched.setattr(shutil, "rmtree", interrupted)
            with pytest.raises(KeyboardInterrupt):
                write(root, AFTER)
        assert STAGE in folders(root)
        recover(root)
        assert contents(root) == BEFORE | FOREIGN

    def test_an_error_after_the_journal_is_mended_by_the_next_run(
        self, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        replace = os.replace

        def fail_once_there(source: Path, target: Path) -> None:
            if Path(target).name == "resourceclaimtemplates.yaml":
                raise OSError(errno.EIO, os.strerror(errno.EIO), str(target))
            replace(source, target)

        with monkeypatch.context() as patched:
            patched.setattr(os, "replace", fail_once_there)
            with pytest.raises(OutputError, match="the next compile finishes"):
                write(root, AFTER)
        assert "CS706" in codes(root, AFTER)
        recover(root)
        assert contents(root) == AFTER | FOREIGN

    def test_a_file_that_appears_between_plan_and_rename_is_not_overwritten(
        self, root: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        replace = os.replace

        def interfere(source: Path, target: Path) -> None:
            replace(source, target)
            if Path(target).name == "journal.json":
                put(root, {"new/kustomization.yaml": b"theirs"})

        monkeypatch.setattr(os, "replace", interfere)
        with pytest.raises(OutputError, match=r"new/kustomization\.yaml changed"):
            write(root, AFTER)
        assert (root / "new/kustomization.yaml").read_bytes() == b"theirs"
        assert codes(root, AFTER) == {"CS704", "CS702"}

    def test_waits_its_time_for_another_run_and_says_so(self, root: Path) -> None:
        with turn(root):
            for attempt in (write, differences):
                with pytest.raises(OutputError, match=r"another claimsmith .* 0\.05 s"):
                    attempt(root, AFTER, wait=0.05)
        with turn(root, shared=True):
            assert not differences(root, BEFORE, wait=0)
            with pytest.raises(OutputError, match="another claimsmith"):
                write(root, AFTER, wait=0)
        assert contents(root) == BEFORE | FOREIGN

    def test_a_directory_that_was_replaced_meanwhile_is_not_written(self, root: Path) -> None:
        with ThreadPoolExecutor() as pool, turn(root):
            waiting = pool.submit(write, root, AFTER)
            time.sleep(0.1)
            root.rename(root.with_name("moved"))
            put(root, BEFORE)
        with pytest.raises(OutputError, match="removed or replaced"):
            waiting.result()
        assert contents(root) == BEFORE

    def test_a_turn_is_not_taken_through_a_link(self, root: Path, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to(root)
        with pytest.raises(OutputError, match="cannot open"), turn(tmp_path / "link"):
            pass

    def test_no_permission(self) -> None:
        # Not in tmp_path, which only its owner may enter: as root, the runs become another user's.
        with tempfile.TemporaryDirectory() as directory:
            one_folder, all_folders, check, foreign = violent_runs("no_permission", Path(directory))
        for attempt in (one_folder, all_folders):
            assert f"output/{attempt['where']}".rstrip("/") in str(attempt["message"])
            assert "no permission; nothing was changed" in str(attempt["message"])
            assert attempt["untouched"]
        assert check == {"clean": True, "dirty": True}
        assert "NOTES: Permission denied" in str(foreign["unreadable"])


class TestRecovery:
    def journal(self, root: Path, content: str) -> None:
        put(root, {f"{STAGE}/journal.json": content.encode(), f"{STAGE}/0": b"staged"})

    def test_nothing_to_recover(self, root: Path, tmp_path: Path) -> None:
        recover(root)
        recover(tmp_path / "missing")
        assert contents(root) == BEFORE | FOREIGN

    @pytest.mark.parametrize(
        "journal",
        ["", "[[1, 2]]", '{"a": 1}', "7", f'[["../victim", null, "{digest(b"staged")}"]]'],
    )
    def test_a_journal_that_claimsmith_did_not_write_is_thrown_away(self, root: Path, journal: str) -> None:
        self.journal(root, journal)
        assert codes(root, BEFORE) == {"CS706"}
        recover(root)
        assert contents(root) == BEFORE | FOREIGN
        assert STAGE not in folders(root)
        assert not (root.parent / "victim").exists()

    def test_a_staged_file_that_is_damaged_is_not_used(self, root: Path) -> None:
        self.journal(root, json.dumps([["new/kustomization.yaml", None, digest(b"staged, whole")]]))
        recover(root)
        assert contents(root) == BEFORE | FOREIGN

    def test_a_link_made_after_the_kill_is_not_followed(self, root: Path, tmp_path: Path) -> None:
        (tmp_path / "elsewhere").mkdir()
        (root / "new").symlink_to(tmp_path / "elsewhere")
        self.journal(root, json.dumps([["new/kustomization.yaml", None, digest(b"staged")]]))
        recover(root)
        assert not contents(tmp_path / "elsewhere")

    def test_leaves_alone_what_was_changed_after_the_kill(self, root: Path) -> None:
        steps = [["NOTES", "0" * 64, None], ["prod-eu/teams/vision/README.md", None, "0" * 64]]
        self.journal(root, json.dumps(steps))
        recover(root)
        assert contents(root) == BEFORE | FOREIGN

    def test_check_reports_and_does_not_recover(self, root: Path) -> None:
        self.journal(root, "[]")
        as_it_was = contents(root)
        assert codes(root, BEFORE) == {"CS706"}
        assert contents(root) == as_it_was


class TestKilledAndRacing:
    def test_killed_at_every_operation(self, tmp_path: Path) -> None:
        runs = violent_runs("every_point", tmp_path)
        assert len(runs) > 100
        assert [run.pop("killed") for run in runs] == [True] * (len(runs) - 1) + [False]
        good = {"checked": True, "recovered": True, "mended": True}
        assert [point for point, run in enumerate(runs, 1) if run != good] == []

    def test_recovery_killed_too(self, tmp_path: Path) -> None:
        runs = violent_runs("during_recovery", tmp_path)
        assert max(run["kills"] for run in runs) >= 3
        assert all(run["checked"] and run["recovered"] for run in runs)

    def test_killed_a_hundred_times_at_any_moment(self, tmp_path: Path) -> None:
        runs = violent_runs("any_moment", tmp_path)
        assert len(runs) == 100
        assert all(run["killed"] and run["checked"] and run["mended"] for run in runs)
        assert any(run["interrupted"] for run in runs)

    def test_two_and_five_at_once(self, tmp_path: Path) -> None:
        runs = violent_runs("race", tmp_path)
        assert runs == [{"finished": True, "whole": True, "clean": 1}] * 8

    def test_a_check_beside_a_run_sees_one_output_or_the_other(self, tmp_path: Path) -> None:
        assert {run["sees"] for run in violent_runs("reader", tmp_path)} == {"before", "after"}

"""Superseded templates stay deployed: over edits, clones, kills and merges."""

import random
import re
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Callable
from itertools import zip_longest
from pathlib import Path
from typing import Any

import pytest
import yaml

from claimsmith.compiler.claims import template_name
from claimsmith.delivery import transaction
from claimsmith.workflow.build import build
from claimsmith.workflow.compile import Options
from claimsmith.workflow.repository import read_repository
from tests.repo import CLUSTER, DOCUMENTS, PROFILE_FILE, Repo
from tests.workflow.random_edits import Edits

TEAM = "output/prod/teams/vision"
CURRENT, RETAINED = f"{TEAM}/resourceclaimtemplates.yaml", f"{TEAM}/retained.yaml"
Owner = tuple[str, str, str, str, str]
"""Cluster, team, namespace, claim and alternative of a template."""


def read(path: Path) -> list[dict[str, Any]]:
    return [each for each in yaml.load_all(path.read_bytes(), yaml.CSafeLoader) if each] if path.is_file() else []


def owners(root: Path, file: str) -> dict[Owner, list[dict[str, Any]]]:
    """The templates of a file of every team on every cluster, in their order."""
    found: dict[Owner, list[dict[str, Any]]] = defaultdict(list)
    for path in sorted((root / "output").glob(f"*/teams/*/{file}")):
        for each in read(path):
            metadata = each["metadata"]
            labels = metadata["labels"]
            alternative = labels.get("claimsmith/alternative", "")
            cluster, team = path.parts[-4], path.parts[-2]
            found[cluster, team, metadata["namespace"], labels["claimsmith/claim"], alternative].append(each)
    return found


def names(root: Path, file: str = "retained.yaml") -> list[str]:
    """Names of templates of team vision on prod."""
    return [each["metadata"]["name"] for each in read(root / TEAM / file)]


def deployed(root: Path) -> set[tuple[str, ...]]:
    """Every template of the output, by cluster, team, namespace and name."""
    return {
        (*owner[:3], each["metadata"]["name"])
        for file in ("resourceclaimtemplates.yaml", "retained.yaml")
        for owner, found in owners(root, file).items()
        for each in found
    }


def assert_sound(root: Path) -> None:
    """A template is what its name says: the cluster refuses another meaning under a name that it knows."""
    for file in ("resourceclaimtemplates.yaml", "retained.yaml"):
        for (_, team, _, claim, alternative), found in owners(root, file).items():
            title = f"{claim}-{alternative}" if alternative else claim
            for each in found:
                assert each["metadata"]["name"] == template_name(team, title, each["spec"])


def compile_(repo: Repo, *options: str) -> None:
    result = repo.run("compile", *options)
    assert result.status == 0, result.stdout + result.stderr


def assert_settled(repo: Repo) -> None:
    """``--check`` is clean, and a second compile changes nothing."""
    before = repo.output()
    assert repo.run("compile", "--check").status == 0
    compile_(repo)
    assert repo.output() == before


def count(repo: Repo, number: int, index: int = 0, file: str = PROFILE_FILE) -> None:
    """Edits the count of one alternative."""
    text = (repo.root / file).read_text()
    found = list(re.finditer(r"count: (\d+)", text))[index]
    repo.write(file, text[: found.start(1)] + str(number) + text[found.end(1) :])


@pytest.fixture
def compiled(repo: Repo) -> Repo:
    compile_(repo)
    return repo


class TestOneClaim:
    def test_nothing_superseded(self, compiled: Repo) -> None:
        assert not (compiled.root / RETAINED).exists()

    def test_the_newest_two(self, compiled: Repo) -> None:
        current = []
        for number in (5, 6, 7):
            current.append(names(compiled.root, "resourceclaimtemplates.yaml")[0])
            count(compiled, number)
            compile_(compiled)
        assert names(compiled.root) == [current[2], current[1]]
        assert_sound(compiled.root)

    def test_as_it_was_emitted(self, compiled: Repo) -> None:
        before = read(compiled.root / CURRENT)
        count(compiled, 5)
        compile_(compiled)
        assert read(compiled.root / RETAINED) == before

    def test_it_is_deployed(self, compiled: Repo) -> None:
        count(compiled, 5)
        compile_(compiled)
        [kustomization] = read(compiled.root / TEAM / "kustomization.yaml")
        assert kustomization["resources"] == ["resourceclaimtemplates.yaml", "retained.yaml"]

    def test_reverted(self, compiled: Repo) -> None:
        [first] = names(compiled.root, "resourceclaimtemplates.yaml")
        count(compiled, 5)
        compile_(compiled)
        [second] = names(compiled.root, "resourceclaimtemplates.yaml")
        count(compiled, 4)
        compile_(compiled)
        assert (names(compiled.root, "resourceclaimtemplates.yaml"), names(compiled.root)) == ([first], [second])

    def test_prune(self, compiled: Repo) -> None:
        count(compiled, 5)
        compile_(compiled)
        before = compiled.output()
        compile_(compiled, "--prune")
        assert before.keys() - compiled.output().keys() == {RETAINED.removeprefix("output/")}
        assert_settled(compiled)

    def test_a_day_of_edits_is_one_version_a_compile(self, compiled: Repo) -> None:
        [first] = names(compiled.root, "resourceclaimtemplates.yaml")
        for number in (5, 6, 7):
            count(compiled, number)
        compile_(compiled)
        assert names(compiled.root) == [first]


class TestClaimsAndNamespaces:
    def test_renamed_claim(self, compiled: Repo) -> None:
        before = read(compiled.root / CURRENT)
        text = (compiled.root / PROFILE_FILE).read_text()
        renamed = text.replace("- name: trainer\n    requests", "- name: training\n    requests")
        compiled.write(PROFILE_FILE, renamed.replace("claims: [trainer]", "claims: [training]"))
        compile_(compiled)
        assert read(compiled.root / RETAINED) == before

    def test_removed_namespace(self, compiled: Repo) -> None:
        compiled.edit(PROFILE_FILE, "namespaces: [vision]", "namespaces: [vision, batch]")
        compile_(compiled)
        assert not (compiled.root / RETAINED).exists()
        compiled.edit(PROFILE_FILE, "namespaces: [vision, batch]", "namespaces: [batch]")
        compile_(compiled)
        assert [each["metadata"]["namespace"] for each in read(compiled.root / RETAINED)] == ["vision"]

    def test_each_namespace_has_its_two(self, compiled: Repo) -> None:
        compiled.edit(PROFILE_FILE, "namespaces: [vision]", "namespaces: [vision, batch]")
        for number in (5, 6, 7):
            count(compiled, number)
            compile_(compiled)
        found = [each["metadata"]["namespace"] for each in read(compiled.root / RETAINED)]
        assert sorted(found) == ["batch", "batch", "vision", "vision"]

    def test_a_claim_of_its_own(self, compiled: Repo) -> None:
        """Edits of one claim never push out the templates of another."""
        nic = "  - name: nic\n    requests: [{name: nic, deviceClass: rdma.dra.net, count: 1}]\n  workloads:\n"
        compiled.edit(PROFILE_FILE, "  workloads:\n", nic)
        compiled.edit(PROFILE_FILE, "claims: [trainer]", "claims: [trainer, nic]")
        compile_(compiled)
        count(compiled, 2, index=2)
        compile_(compiled)
        kept = read(compiled.root / RETAINED)
        for number in (5, 6, 7):
            count(compiled, number)
            compile_(compiled)
        assert [each for each in read(compiled.root / RETAINED) if each in kept] == kept

    def test_removed_team(self, compiled: Repo) -> None:
        before = read(compiled.root / CURRENT)
        (compiled.root / PROFILE_FILE).unlink()
        (compiled.root / "profiles/evidence/vision.yaml").unlink()
        compile_(compiled)
        assert read(compiled.root / RETAINED) == before
        assert {path.name for path in (compiled.root / TEAM).iterdir()} == {
            "claimsmith.lock.json",
            "kustomization.yaml",
            "retained.yaml",
        }
        assert_settled(compiled)
        compile_(compiled, "--prune")
        assert not (compiled.root / TEAM).exists()

    def test_removed_from_a_cluster(self, compiled: Repo) -> None:
        compiled.write("profiles/clusters/lab.yaml", CLUSTER.replace("{name: prod}", "{name: lab}"))
        compile_(compiled)
        before = read(compiled.root / CURRENT)
        compiled.edit(PROFILE_FILE, "  namespaces:", "  clusters: [lab]\n  namespaces:")
        compile_(compiled)
        assert read(compiled.root / RETAINED) == before
        [kustomization] = read(compiled.root / "output/prod/kustomization.yaml")
        assert kustomization["resources"] == ["platform", "teams/vision"]


def test_one_template_an_alternative(repo: Repo) -> None:
    """Where a workload has a template a model, each has its own two."""
    repo.edit(PROFILE_FILE, "elastic: true\n", "elastic: true\n    pods: 4\n    sameModel: template-per-model\n")
    first: dict[str, list[str]] = defaultdict(list)
    for number in (4, 5, 6, 7):
        count(repo, number)
        compile_(repo)
        for (*_, alternative), [found] in owners(repo.root, "resourceclaimtemplates.yaml").items():
            first[alternative].append(found["metadata"]["name"])
    kept = {
        owner[-1]: [each["metadata"]["name"] for each in found]
        for owner, found in owners(repo.root, "retained.yaml").items()
    }
    h100 = first["h100-80gb"]
    assert kept == {"h100-80gb": [h100[2], h100[1]]}
    assert len(set(first["a100-80gb"])) == 1


class TestTeamScope:
    @pytest.fixture
    def two(self, repo: Repo) -> Repo:
        for file in (PROFILE_FILE, "profiles/evidence/vision.yaml"):
            text = (repo.root / file).read_text()
            repo.write(file.replace("vision", "speech"), text.replace("vision", "speech"))
        compile_(repo)
        return repo

    def test_only_that_team(self, two: Repo) -> None:
        before = two.output()
        count(two, 5)
        count(two, 5, file="profiles/teams/speech.yaml")
        compile_(two, "--team", "vision")
        after = two.output()
        assert {path for path in after if after[path] != before.get(path)} <= {
            f"prod/teams/vision/{name}"
            for name in (
                "claimsmith.lock.json",
                "kustomization.yaml",
                "resourceclaimtemplates.yaml",
                "retained.yaml",
                "values/trainer.yaml",
                "patches/trainer.yaml",
            )
        }
        assert len(names(two.root)) == 1
        compile_(two)
        assert len(owners(two.root, "retained.yaml")) == 2

    def test_prune_of_that_team(self, two: Repo) -> None:
        count(two, 5)
        count(two, 5, file="profiles/teams/speech.yaml")
        compile_(two)
        compile_(two, "--team", "vision", "--prune")
        assert {owner[1] for owner in owners(two.root, "retained.yaml")} == {"speech"}
        assert_settled(two)


UNREADABLE = {
    "not YAML": b"# Generated by claimsmith from profiles/. Do not edit.\na: [\n",
    "tag": b"# Generated by claimsmith from profiles/. Do not edit.\n--- !!python/object:os.system {}\n",
    "not text": b"# Generated by claimsmith from profiles/. Do not edit.\n\xff\xfe\x00",
    "half a conflict": b"# Generated by claimsmith from profiles/. Do not edit.\n<<<<<<< ours\na: 1\n",
}


@pytest.mark.parametrize("data", list(UNREADABLE.values()), ids=list(UNREADABLE))
@pytest.mark.parametrize("file", [CURRENT, RETAINED])
def test_unreadable(file: str, data: bytes, compiled: Repo) -> None:
    """Nobody knows what is deployed, so nothing is written; ``--prune`` does not need to know."""
    count(compiled, 5)
    compiled.write(file, data)
    before = compiled.output()
    result = compiled.run("compile")
    assert result.status == 2
    assert "the templates that are deployed now cannot be read: " in result.stderr
    assert f"prod/teams/vision: {Path(file).name}: " in result.stderr
    assert compiled.output() == before
    assert compiled.run("compile", "--check").status == 2
    compile_(compiled, "--prune")


def test_what_no_branch_had(compiled: Repo) -> None:
    """A retained template that was edited by hand would be refused by every cluster that has it."""
    count(compiled, 5)
    compile_(compiled)
    [name] = names(compiled.root)
    compiled.edit(RETAINED, "count: 4", "count: 9")
    before = compiled.output()
    result = compiled.run("compile")
    assert result.status == 2
    assert f"prod/teams/vision: `{name}` is not what its name says; take the files of one branch" in result.stderr
    assert compiled.output() == before


class TestClones:
    """The output follows from the files of the repository alone."""

    def history(self, repo: Repo) -> None:
        for number in (5, 6, 7):
            compile_(repo)
            count(repo, number)

    def test_a_copy(self, repo: Repo, tmp_path: Path) -> None:
        self.history(repo)
        copy = Repo(tmp_path / "copy")
        shutil.copytree(repo.root, copy.root, copy_function=shutil.copyfile)
        for each in sorted(copy.root.rglob("*"), reverse=True):
            if each.is_file():
                each.write_bytes(each.read_bytes())
        compile_(repo)
        compile_(copy)
        assert copy.output() == repo.output()

    def test_a_git_clone(self, repo: Repo, tmp_path: Path) -> None:
        git = Git(repo.root)
        git.start()
        self.history(repo)
        git.commit("edit")
        git("clone", "-q", str(repo.root), str(tmp_path / "clone"))
        clone = Repo(tmp_path / "clone")
        compile_(repo)
        compile_(clone)
        assert clone.output() == repo.output()
        assert_settled(clone)

    def test_line_ends(self, compiled: Repo) -> None:
        """A clone that writes CRLF retains the same templates."""
        before = read(compiled.root / CURRENT)
        compiled.write(CURRENT, (compiled.root / CURRENT).read_bytes().replace(b"\n", b"\r\n"))
        count(compiled, 5)
        compile_(compiled)
        assert read(compiled.root / RETAINED) == before


def test_killed_before_any_rename(compiled: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """A run dies between its journal and its renames; the next one finishes it, then goes on from there."""
    [first] = names(compiled.root, "resourceclaimtemplates.yaml")
    count(compiled, 5)

    def die(*_: object) -> list[str]:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(transaction, "_carry_out", die)
        with pytest.raises(KeyboardInterrupt):
            crash(compiled)
    assert names(compiled.root, "resourceclaimtemplates.yaml") == [first]
    count(compiled, 6)
    compile_(compiled)
    assert len(names(compiled.root)) == 2
    assert names(compiled.root)[1] == first
    assert_settled(compiled)


@pytest.mark.parametrize("renames", range(1, 7))
def test_killed_between_renames(renames: int, compiled: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    [first] = names(compiled.root, "resourceclaimtemplates.yaml")
    count(compiled, 5)
    done = 0
    apply = transaction._apply

    def dying(*arguments: Any) -> bool:
        nonlocal done
        done += 1
        if done > renames:
            raise KeyboardInterrupt
        return apply(*arguments)

    with monkeypatch.context() as patched:
        patched.setattr(transaction, "_apply", dying)
        try:
            crash(compiled)
        except KeyboardInterrupt:
            assert compiled.run("compile", "--check").status == 1
    count(compiled, 6)
    compile_(compiled)
    assert names(compiled.root)[1] == first
    assert_settled(compiled)


def crash(repo: Repo) -> None:
    """A compile that dies of whatever was planted; click would make an exit status of it."""
    build(read_repository(repo.root), repo.root / "output", Options(), write=True)


class Git:
    """A real repository of git, whatever the settings of who runs the tests."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def __call__(self, *arguments: str, fails: bool = False) -> str:
        settings = ["user.name=t", "user.email=t@example.com", "commit.gpgsign=false", "init.defaultBranch=main"]
        options = [part for each in settings for part in ("-c", each)]
        environment = {"PATH": "/usr/bin:/bin:/usr/local/bin", "HOME": str(self.root), "GIT_CONFIG_NOSYSTEM": "1"}
        done = subprocess.run(
            ["git", *options, *arguments], cwd=self.root, env=environment, capture_output=True, check=False
        )
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        return done.stdout.decode()

    def start(self) -> None:
        self("init", "-q")
        self.commit("start")

    def commit(self, message: str) -> None:
        self("add", "-A")
        self("commit", "-q", "--allow-empty", "-m", message)


NIC = "  - name: nic\n    requests: [{name: nic, deviceClass: rdma.dra.net, count: 1}]\n  workloads:\n"
Edit = Callable[[Repo], None]


def a_team(repo: Repo) -> None:
    for file in (PROFILE_FILE, "profiles/evidence/vision.yaml"):
        text = (repo.root / file).read_text()
        repo.write(file.replace("vision", "speech"), text.replace("vision", "speech"))


def h100(number: int) -> Edit:
    return lambda repo: count(repo, number)


def a100(number: int) -> Edit:
    return lambda repo: count(repo, number, index=1)


def nic(number: int) -> Edit:
    return lambda repo: count(repo, number, index=2)


def batch(repo: Repo) -> None:
    repo.edit(PROFILE_FILE, "namespaces: [vision]", "namespaces: [vision, batch]")


BRANCHES: dict[str, tuple[list[Edit], list[Edit]]] = {
    "the same line": ([h100(5)], [h100(6)]),
    "one claim, far apart": ([h100(5)], [a100(16)]),
    "different claims": ([h100(5)], [nic(2)]),
    "one adds a team": ([h100(5)], [a_team]),
    "one adds a namespace": ([batch], [h100(5)]),
    "twice and once": ([h100(5), h100(6)], [h100(7)]),
    "twice and twice": ([h100(5), h100(6)], [h100(7), h100(8)]),
    "both twice, far apart": ([h100(5), h100(6)], [a100(16), a100(12)]),
    "the same edit": ([h100(5)], [h100(5)]),
    "one reverts": ([h100(5), h100(4)], [h100(6)]),
}


CASES = [
    *((case, "merge", before) for case in BRANCHES for before in (0, 2)),
    *((case, style, 2) for case in ("the same line", "twice and twice") for style in ("diff3", "zdiff3")),
]


@pytest.fixture(scope="module")
def starts(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    """Repositories of git with two claims, compiled, by the number of edits that went before."""
    repo = Repo(tmp_path_factory.mktemp("start") / "0")
    repo.write_all(DOCUMENTS)
    repo.edit(PROFILE_FILE, "  workloads:\n", NIC)
    repo.edit(PROFILE_FILE, "claims: [trainer]", "claims: [trainer, nic]")
    # Room between the lines, or every merge of the profile would conflict.
    repo.edit(PROFILE_FILE, "      - {model: A100", "      #\n      #\n      #\n      #\n      - {model: A100")
    compile_(repo)
    edited = Repo(repo.root.with_name("2"))
    shutil.copytree(repo.root, edited.root)
    for number in (20, 21, 4):
        count(edited, number)
        compile_(edited)
    for each in (repo, edited):
        Git(each.root).start()
    return {0: repo.root, 2: edited.root}


@pytest.mark.parametrize(("case", "style", "before"), CASES)
def test_merge(case: str, style: str, before: int, starts: dict[int, Path], tmp_path: Path) -> None:
    """Both branches compile; whoever merges settles the profiles, compiles once, and keeps what both had."""
    repo = Repo(tmp_path / "repository")
    shutil.copytree(starts[before], repo.root)
    git = Git(repo.root)
    ours, theirs = BRANCHES[case]
    had: dict[str, dict[Owner, list[str]]] = {}
    for branch, edits in (("ours", ours), ("theirs", theirs)):
        git("checkout", "-q", "-b", branch, "main")
        for edit in edits:
            edit(repo)
            compile_(repo)
        git.commit(branch)
        had[branch] = {
            owner: [each["metadata"]["name"] for each in found]
            for owner, found in owners(repo.root, "resourceclaimtemplates.yaml").items()
        }
        for owner, found in owners(repo.root, "retained.yaml").items():
            had[branch].setdefault(owner, []).extend(each["metadata"]["name"] for each in found)
    git("checkout", "-q", "ours")
    merge(git, style)
    profile = (repo.root / PROFILE_FILE).read_text()
    settled = re.sub(r"<{7}.*?\n(.*?)(?:\|{7}.*?)?={7}\n.*?>{7}[^\n]*\n", r"\1", profile, flags=re.DOTALL)
    repo.write(PROFILE_FILE, settled)

    compile_(repo)

    assert not any(re.search(rb"^[<>=|]{7}", data, re.MULTILINE) for data in repo.output().values())
    assert_sound(repo.root)
    assert_settled(repo)
    now = deployed(repo.root)
    current = owners(repo.root, "resourceclaimtemplates.yaml")
    for owner in had["ours"].keys() | had["theirs"].keys():
        live = [each["metadata"]["name"] for each in current.get(owner, [])]
        lists = [[name for name in had[branch].get(owner, []) if name not in live] for branch in ("ours", "theirs")]
        newest = [name for pair in zip_longest(*lists) for name in dict.fromkeys(pair) if name]
        for name in list(dict.fromkeys(newest))[:2]:
            assert (*owner[:3], name) in now, (owner, name)


def merge(git: Git, style: str) -> None:
    done = subprocess.run(
        [
            "git",
            "-c",
            f"merge.conflictStyle={style}",
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@example.com",
            "merge",
            "-q",
            "theirs",
        ],
        cwd=git.root,
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr


def walk(repo: Repo, seed: int, steps: int, folder: Path) -> None:
    """Compiles after each of some random edits. What was current in the last two versions of its claim, and what is
    now, must be there; every fifth time a second run must find nothing to do, and a clone make the same output."""
    edits = Edits(random.Random(seed), repo)
    history: dict[Owner, list[str]] = {}
    for step in range(steps):
        edits.make()
        done = repo.run("compile", "--format", "json")
        assert done.report["summary"]["error"] == 0, (edits.made, done.findings)
        current = owners(repo.root, "resourceclaimtemplates.yaml")
        for owner, [template] in current.items():
            past = history.setdefault(owner, [])
            name = template["metadata"]["name"]
            if name in past:
                past.remove(name)
            past.append(name)
        now = deployed(repo.root)
        for owner, past in history.items():
            del past[: -3 if owner in current else -2]
            for name in past:
                assert (*owner[:3], name) in now, (edits.made, owner, name)
        assert_sound(repo.root)
        if step % 5 == 4:
            before = repo.output()
            assert not {"CS701", "CS702", "CS703"} & set(repo.run("compile", "--check", "--format", "json").rules)
            clone = Repo(folder / f"clone-{step}")
            shutil.copytree(repo.root, clone.root, copy_function=shutil.copyfile)
            clone.run("compile")
            assert clone.output() == before
    repo.run("compile", "--prune")
    assert owners(repo.root, "retained.yaml") == {}
    assert {owner[:3] for owner in owners(repo.root, "resourceclaimtemplates.yaml")} == edits.namespaces()


@pytest.mark.parametrize(("seed", "steps"), [(0, 20), (1, 20), (4711, 50)])
def test_random_edits(seed: int, steps: int, empty: Repo, tmp_path: Path) -> None:
    walk(empty, seed, steps, tmp_path)

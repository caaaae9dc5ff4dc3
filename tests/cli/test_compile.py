"""``claimsmith compile`` from the command line to the bytes on disk."""

from pathlib import Path

import pytest
import yaml

from tests.repo import CLUSTER, CLUSTER_FILE, EVIDENCE, PROFILE, PROFILE_FILE, Repo

CLUSTER_KUSTOMIZATION = "prod/kustomization.yaml"
LAB = CLUSTER.replace("{name: prod}", "{name: lab}")
SPEECH = PROFILE.replace("vision", "speech")


def resources(repo: Repo, path: str) -> list[str]:
    document = yaml.safe_load(repo.output()[path])
    listed: list[str] = document["resources"]
    return listed


@pytest.fixture
def two(repo: Repo) -> Repo:
    """Two clusters and two teams, compiled."""
    repo.write("profiles/clusters/lab.yaml", LAB)
    repo.write("profiles/teams/speech.yaml", SPEECH)
    repo.write("profiles/evidence/speech.yaml", EVIDENCE.replace("vision", "speech"))
    assert repo.run("compile").status == 0
    return repo


def test_files(repo: Repo) -> None:
    result = repo.run("compile")
    assert (result.status, result.stderr) == (0, "")
    team, platform = "prod/teams/vision", "prod/platform"
    assert {
        CLUSTER_KUSTOMIZATION,
        f"{platform}/deviceclasses.yaml",
        f"{platform}/kustomization.yaml",
        f"{platform}/claimsmith.lock.json",
        f"{team}/resourceclaimtemplates.yaml",
        f"{team}/kustomization.yaml",
        f"{team}/claimsmith.lock.json",
        f"{team}/values/trainer.yaml",
        f"{team}/patches/trainer.yaml",
    } <= set(repo.output())
    assert resources(repo, CLUSTER_KUSTOMIZATION) == ["platform", "teams/vision"]


def test_second_run_changes_nothing(repo: Repo) -> None:
    repo.run("compile")
    before = repo.output()
    inodes = {path: path.stat().st_ino for path in (repo.root / "output").rglob("*")}
    report = repo.run("compile", "--format", "json").report
    assert (report["written"], report["removed"]) == ([], [])
    assert repo.output() == before
    assert {path: path.stat().st_ino for path in (repo.root / "output").rglob("*")} == inodes


def test_an_error_writes_nothing(repo: Repo) -> None:
    repo.run("compile")
    before = repo.output()
    repo.edit(PROFILE_FILE, "count: 4", "cuont: 4")
    result = repo.run("compile")
    assert result.status == 1
    assert "output/ was not compiled; nothing was written" in result.stdout
    assert repo.output() == before


def test_no_output_folder_after_an_error(repo: Repo) -> None:
    repo.edit(PROFILE_FILE, "count: 4", "cuont: 4")
    assert repo.run("compile").status == 1
    assert not (repo.root / "output").exists()


def test_a_warning_writes_and_fails(repo: Repo) -> None:
    repo.edit(PROFILE_FILE, "kind: Job\n", "kind: Job\n    lifecycle: {pendingDeadline: 30m}\n")
    result = repo.run("compile", "--format", "json")
    assert (result.status, "CS711" in result.rules, len(repo.output()) > 5) == (1, True, True)


def test_pools_of_device_plugins_hold_nothing_to_claim(repo: Repo) -> None:
    """They are left out of affinity and tolerations."""
    repo.edit(CLUSTER_FILE, "models: [H100-80GB]}", "models: [H100-80GB], tolerations: [{key: new, operator: Exists}]}")
    a100, old_and_a100 = (
        "  - {name: a100, ",
        (
            "  - {name: old, nodeSelector: {pool: old}, models: [H100-80GB, A100-80GB], devices: devicePlugin, "
            "tolerations: [{key: old, operator: Exists}]}\n  - {name: a100, "
        ),
    )
    repo.run("compile")
    before = repo.output()
    repo.edit(CLUSTER_FILE, a100, old_and_a100)
    assert repo.run("compile").status == 0
    patch = "prod/teams/vision/patches/trainer.yaml"
    assert repo.output()[patch] == before[patch]
    spec = yaml.safe_load(before[patch])["spec"]["template"]["spec"]
    assert spec["tolerations"] == [{"key": "new", "operator": "Exists"}]
    preferred = spec["affinity"]["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]
    assert [each["preference"]["matchExpressions"][0]["values"] for each in preferred] == [["h100"], ["a100"]]


class TestCheck:
    def test_clean(self, repo: Repo) -> None:
        repo.run("compile")
        result = repo.run("compile", "--check")
        assert result.status == 0
        assert "output/ is what the profiles make: 1 clusters, 1 teams" in result.stdout

    def test_dirty(self, repo: Repo) -> None:
        repo.run("compile")
        repo.edit(PROFILE_FILE, "count: 8", "count: 16")
        before = repo.output()
        result = repo.run("compile", "--check", "--format", "json")
        # The old template goes to a file that is not there yet.
        assert (result.status, set(result.rules)) == (1, {"CS701", "CS702"})
        assert repo.output() == before

    def test_findings_name_files_as_the_repository_does(self, repo: Repo) -> None:
        repo.run("compile")
        repo.edit(PROFILE_FILE, "count: 8", "count: 16")
        found = repo.run("compile", "--check", "--format", "json").findings
        assert {finding["file"] for finding in found} >= {
            "output/prod/teams/vision/claimsmith.lock.json",
            "output/prod/teams/vision/resourceclaimtemplates.yaml",
        }
        assert [
            finding["file"] for finding in found if not finding["file"].startswith("output/prod/teams/vision/")
        ] == []
        assert not [finding for finding in found if str(repo.root) in finding["message"]]

    def test_never_compiled(self, repo: Repo) -> None:
        result = repo.run("compile", "--check", "--format", "json")
        assert (result.status, set(result.rules)) == (1, {"CS701"})
        assert not (repo.root / "output").exists()

    def test_edited_by_hand(self, repo: Repo) -> None:
        repo.run("compile")
        repo.edit("output/prod/teams/vision/resourceclaimtemplates.yaml", "count: 8", "count: 9")
        result = repo.run("compile", "--check", "--format", "json")
        assert (result.status, set(result.rules)) == (1, {"CS702", "CS707"})

    def test_json_has_no_lists_of_written_files(self, repo: Repo) -> None:
        assert "written" not in repo.run("compile", "--check", "--format", "json").report


class TestScope:
    @staticmethod
    def delete_speech(repo: Repo) -> None:
        (repo.root / "profiles/teams/speech.yaml").unlink()
        (repo.root / "profiles/evidence/speech.yaml").unlink()

    def test_deleted_profile(self, two: Repo) -> None:
        """Its templates stay for Jobs that still make Pods, until they are pruned."""
        [template] = yaml.safe_load_all(two.output()["prod/teams/speech/resourceclaimtemplates.yaml"])
        self.delete_speech(two)
        assert two.run("compile").status == 0
        left = {path for path in two.output() if path.startswith("prod/teams/speech/")}
        assert left == {
            f"prod/teams/speech/{name}" for name in ("claimsmith.lock.json", "kustomization.yaml", "retained.yaml")
        }
        [retained] = yaml.safe_load_all(two.output()["prod/teams/speech/retained.yaml"])
        assert (retained["metadata"]["name"], retained["spec"]) == (template["metadata"]["name"], template["spec"])

    def test_deleted_profile_pruned(self, two: Repo) -> None:
        self.delete_speech(two)
        report = two.run("compile", "--prune", "--format", "json").report
        assert {path.split("/")[2] for path in report["removed"]} == {"speech"}
        assert not [path for path in two.output() if "speech" in path]
        assert not (two.root / "output/prod/teams/speech").exists()
        assert resources(two, CLUSTER_KUSTOMIZATION) == ["platform", "teams/vision"]

    def test_deleted_cluster(self, two: Repo) -> None:
        (two.root / "profiles/clusters/lab.yaml").unlink()
        assert two.run("compile").status == 0
        assert {path.split("/")[0] for path in two.output()} == {"prod"}
        assert not (two.root / "output/lab").exists()

    def test_files_of_others_stay(self, two: Repo) -> None:
        two.write("output/prod/teams/speech/README.md", "ours")
        self.delete_speech(two)
        assert two.run("compile", "--prune").status == 0
        assert [path for path in two.output() if "speech" in path] == ["prod/teams/speech/README.md"]

    def test_one_cluster(self, two: Repo) -> None:
        before = two.output()
        two.edit(PROFILE_FILE, "count: 8", "count: 16")
        report = two.run("compile", "--cluster", "lab", "--format", "json").report
        assert {path.split("/")[0] for path in report["written"]} == {"lab"}
        assert {path: data for path, data in two.output().items() if path.startswith("prod/")} == {
            path: data for path, data in before.items() if path.startswith("prod/")
        }
        assert two.run("compile", "--check", "--cluster", "lab").status == 0
        assert two.run("compile", "--check", "--cluster", "prod").status == 1

    def test_one_team(self, two: Repo) -> None:
        two.edit(PROFILE_FILE, "count: 8", "count: 16")
        two.edit("profiles/teams/speech.yaml", "count: 8", "count: 16")
        report = two.run("compile", "--team", "vision", "--format", "json").report
        assert {path.split("/")[2] for path in report["written"]} == {"vision"}
        assert two.run("compile", "--check", "--team", "vision").status == 0
        assert two.run("compile", "--check", "--team", "speech").status == 1

    def test_team_that_leaves_a_cluster(self, two: Repo) -> None:
        two.edit(PROFILE_FILE, "namespaces: [vision]\n", "namespaces: [vision]\n  clusters: [lab]\n")
        two.run("compile", "--prune", "--team", "vision")
        scoped = two.output()
        two.run("compile", "--prune")
        assert scoped == two.output()
        assert resources(two, CLUSTER_KUSTOMIZATION) == ["platform", "teams/speech"]

    def test_first_compile_of_one_team(self, repo: Repo) -> None:
        """What the cluster's kustomization lists is there, or Argo CD cannot build it."""
        repo.run("compile", "--team", "vision")
        listed = resources(repo, CLUSTER_KUSTOMIZATION)
        assert [name for name in listed if not (repo.root / "output/prod" / name).exists()] == []

    def test_order_of_scopes_does_not_matter(self, two: Repo) -> None:
        whole = two.output()
        for path in sorted(whole, reverse=True):
            (two.root / "output" / path).unlink()
        for cluster in ("prod", "lab"):
            two.run("compile", "--cluster", cluster)
        assert two.output() == whole

    @pytest.mark.parametrize(
        ("option", "name", "hint"), [("--cluster", "prdo", "prod"), ("--team", "visoin", "vision")]
    )
    def test_unknown(self, repo: Repo, option: str, name: str, hint: str) -> None:
        result = repo.run("compile", option, name)
        assert (result.status, result.stdout) == (2, "")
        assert f"'{name}'; did you mean '{hint}'?" in result.stderr


class TestUsage:
    def test_no_repository(self, tmp_path: Path) -> None:
        result = Repo(tmp_path).run("compile")
        assert (result.status, result.stdout) == (2, "")
        assert "there is no folder profiles/ here or above" in result.stderr

    def test_from_a_folder_below(self, repo: Repo) -> None:
        assert repo.run("compile", folder="profiles/teams").status == 0
        assert repo.output()

    def test_root(self, repo: Repo, tmp_path: Path) -> None:
        assert Repo(tmp_path).run("compile", "--root", str(repo.root)).status == 0
        assert repo.output()

    def test_other_output(self, repo: Repo, tmp_path: Path) -> None:
        assert repo.run("compile", "--output", str(tmp_path / "elsewhere")).status == 0
        assert (tmp_path / "elsewhere/prod/kustomization.yaml").is_file()
        assert not (repo.root / "output").exists()

    @pytest.mark.parametrize("arguments", [["--frobnicate"], ["--format", "xml"], ["surplus"]])
    def test_wrong_options(self, repo: Repo, arguments: list[str]) -> None:
        result = repo.run("compile", *arguments)
        assert (result.status, result.stdout) == (2, "")

    def test_output_that_cannot_be_written_is_no_finding(self, repo: Repo) -> None:
        repo.write("taken", "a file")
        result = repo.run("compile", "--output", "taken/output")
        assert (result.status, result.stdout) == (2, "")
        assert "Not a directory" in result.stderr or "not a directory" in result.stderr

    @pytest.mark.parametrize(
        ("output", "folder"),
        [
            ("profiles", "."),
            ("profiles/output", "."),
            ("output/../profiles/teams", "."),
            (".", "."),
            ("..", "."),
            ("", "."),
            ("", "profiles"),
            ("..", "profiles"),
            ("/", "."),
        ],
    )
    def test_output_among_the_profiles(self, repo: Repo, output: str, folder: str) -> None:
        before = sorted(repo.root.parent.rglob("*"))
        result = repo.run("compile", "--output", output, folder=folder)
        assert (result.status, result.stdout) == (2, "")
        assert f"the output cannot be in {repo.root / 'profiles'}, nor the other way round" in result.stderr
        assert sorted(repo.root.parent.rglob("*")) == before

    def test_output_beside_the_profiles(self, repo: Repo) -> None:
        assert repo.run("compile", "--output", "profiles-output").status == 0
        assert (repo.root / "profiles-output/prod/kustomization.yaml").is_file()

    def test_empty_repository(self, empty: Repo) -> None:
        assert empty.run("compile").status == 0
        assert empty.output() == {}

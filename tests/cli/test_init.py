import json
import re
import shlex
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import yaml

from claimsmith.delivery.output_disk import STAGE
from claimsmith.delivery.scaffold import base
from claimsmith.documents.load import load_file
from claimsmith.workflow.initialise import InitError, Plan, carry_out
from tests.repo import CLUSTER, PROFILE, Repo

CHECKOUT = Path(__file__).parents[2]
URL = "https://git.example.com/platform/claims.git"
MODELINE = re.compile(r"^# yaml-language-server: \$schema=(\S+)$", re.MULTILINE)


def contents(root: Path) -> dict[str, bytes | str | None]:
    """All below a folder: bytes of files, targets of links, None for folders."""
    return {
        path.relative_to(root).as_posix(): str(path.readlink())
        if path.is_symlink()
        else path.read_bytes()
        if path.is_file()
        else None
        for path in sorted(root.rglob("*"))
    }


@pytest.fixture
def here(tmp_path: Path) -> Repo:
    """A folder with nothing in it."""
    root = tmp_path / "here"
    root.mkdir()
    return Repo(root)


@pytest.fixture
def new(here: Repo) -> Repo:
    run = here.run("init")
    assert run.status == 0, run.stderr
    return here


class TestNewRepository:
    def test_compiles_at_once_with_nothing_to_complain_about(self, new: Repo) -> None:
        assert new.run("check").status == 0
        run = new.run("compile", "--format", "json")
        assert run.status == 0
        assert {finding["severity"] for finding in run.findings} <= {"info"}
        assert new.run("compile", "--check").status == 0
        output = new.output()
        assert b"firstAvailable" in output["example/teams/example/resourceclaimtemplates.yaml"]

    @pytest.mark.parametrize("folder", ["", "/platform", "/teams/example"])
    def test_kustomize_finds_all_that_the_output_lists(self, new: Repo, folder: str) -> None:
        new.run("compile")
        objects = list(build(new.root / f"output/example{folder}"))
        kinds = {each["kind"] for each in objects}
        assert (
            kinds
            == {
                "": {"DeviceClass", "ResourceClaimTemplate"},
                "/platform": {"DeviceClass"},
                "/teams/example": {"ResourceClaimTemplate"},
            }[folder]
        )
        names = [(each["kind"], each["metadata"].get("namespace"), each["metadata"]["name"]) for each in objects]
        assert len(names) == len(set(names))

    def test_says_what_to_do_next(self, here: Repo) -> None:
        run = here.run("init")
        assert "profiles/teams/example.yaml" in run.stdout
        assert "claimsmith compile" in run.stdout
        assert run.stderr == ""

    @pytest.mark.parametrize("name", ["prod-eu", "1", "n", "true", "null", "a" * 63])
    def test_names_its_cluster(self, here: Repo, name: str) -> None:
        assert here.run("init", "--cluster", name).status == 0
        assert here.run("compile").status == 0
        assert f"{name}/platform/deviceclasses.yaml" in here.output()

    @pytest.mark.parametrize("name", ["", "Prod", "prod_eu", "a.b", "../x", "a" * 64, "[[ x ]]"])
    def test_refuses_a_name_that_no_cluster_can_have(self, here: Repo, name: str) -> None:
        run = here.run("init", "--cluster", name)
        assert (run.status, contents(here.root)) == (2, {})
        assert "cannot be a cluster's name" in run.stderr

    @pytest.mark.parametrize("folder", ["claims", "my clàims 漢字", "a/b/c", "-x", "[x]*?"])
    def test_makes_the_folder(self, here: Repo, folder: str) -> None:
        assert here.run("init", "--", folder).status == 0
        assert Repo(here.root / folder).run("compile").status == 0
        assert {path.name for path in here.root.iterdir()} == {folder.split("/")[0]}

    def test_has_nothing_that_was_not_filled_in(self, new: Repo) -> None:
        assert not [name for name, data in contents(new.root).items() if isinstance(data, bytes) and b"[[" in data]


def build(folder: Path) -> Any:
    """The objects of a kustomization, as Kustomize collects them: each resource a file, or a folder with its own."""
    kustomization = yaml.safe_load((folder / "kustomization.yaml").read_bytes())
    assert kustomization["resources"]
    assert kustomization.keys() == {"apiVersion", "kind", "resources"}
    for resource in kustomization["resources"]:
        if (folder / resource).is_dir():
            yield from build(folder / resource)
        else:
            yield from yaml.safe_load_all((folder / resource).read_bytes())


class TestEditors:
    def test_every_document_names_the_schema_of_its_kind(self, new: Repo) -> None:
        documents = sorted((new.root / "profiles").rglob("*.yaml"))
        assert len(documents) == 3
        for path in documents:
            (schema,) = MODELINE.findall(path.read_text(encoding="utf-8"))
            title = json.loads((path.parent / schema).read_bytes())["title"]
            assert title == yaml.safe_load(path.read_bytes())["kind"]

    def test_settings_map_every_schema_to_the_documents_of_its_kind(self, new: Repo) -> None:
        settings = json.loads((new.root / ".vscode/settings.json").read_bytes())["yaml.schemas"]
        schemas = {path.relative_to(new.root).as_posix() for path in (new.root / ".claimsmith/schemas").iterdir()}
        assert settings.keys() == schemas
        for path in (new.root / "profiles").rglob("*.yaml"):
            name = path.relative_to(new.root).as_posix()
            matching = [schema for schema, glob in settings.items() if fnmatch(name, glob.replace("**/", ""))]
            assert matching == [f".claimsmith/schemas/{yaml.safe_load(path.read_bytes())['kind']}.json"]

    def test_schemas_are_those_of_this_release(self, new: Repo) -> None:
        for path in (CHECKOUT / "schemas/documents").iterdir():
            assert (new.root / ".claimsmith/schemas" / path.name).read_bytes() == path.read_bytes()

    def test_what_the_pages_show_can_be_copied(self, new: Repo) -> None:
        pages = [path for path in (new.root / "profiles").rglob("README.md") if "```yaml" in path.read_text()]
        assert len(pages) == 4
        for page in pages:
            (example,) = re.findall(r"```yaml\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
            loaded = load_file(example.encode(), page.name)
            assert not loaded.findings
            assert len(loaded.documents) == 1
            (schema,) = MODELINE.findall(example)
            assert (page.parent / schema).is_file()


def commands(script: str) -> list[list[str]]:
    """The claimsmith commands of a script."""
    return [
        shlex.split(found)
        for found in re.findall(r"^\s*(?:- |run: |- run: )?(claimsmith [^;#|`\n]*)", script, re.MULTILINE)
    ]


class TestContinuousIntegration:
    @pytest.mark.parametrize("name", [".github/workflows/claimsmith.yaml", ".gitlab-ci.claimsmith.yml"])
    def test_its_commands_pass_on_what_was_compiled_and_fail_on_what_was_not(self, new: Repo, name: str) -> None:
        found = commands((new.root / name).read_text(encoding="utf-8"))
        assert found == [["claimsmith", "check"], ["claimsmith", "compile", "--check"]]
        assert [new.run(*command[1:]).status for command in found] == [0, 1]
        new.run("compile")
        assert [new.run(*command[1:]).status for command in found] == [0, 0]

    def test_its_yaml_is_a_workflow_and_a_job(self, new: Repo) -> None:
        workflow = yaml.safe_load((new.root / ".github/workflows/claimsmith.yaml").read_bytes())
        (job,) = workflow["jobs"].values()
        assert [step for step in job["steps"] if step.keys() & {"uses", "run"}] == job["steps"]
        gitlab = yaml.safe_load((new.root / ".gitlab-ci.claimsmith.yml").read_bytes())
        assert all(isinstance(line, str) for line in gitlab["claimsmith"]["script"])

    @pytest.mark.parametrize("tool", ["argocd", "flux"])
    def test_it_asks_for_the_files_of_new_teams(self, new: Repo, tool: str) -> None:
        text = (new.root / ".github/workflows/claimsmith.yaml").read_text(encoding="utf-8")
        (command,) = re.findall(r'claimsmith (init --gitops "\$tool" --check)', text)
        arguments = shlex.split(command.replace("$tool", tool))
        new.run("init", "--gitops", tool)
        assert new.run(*arguments).status == 0
        new.write("profiles/teams/vision.yaml", PROFILE)
        assert new.run(*arguments).status == 1

    def test_git_ignores_the_stage_and_folds_the_output(self, new: Repo) -> None:
        subprocess.run(["git", "init", "-q", str(new.root)], check=True)
        (new.root / "output" / STAGE).mkdir(parents=True)
        (new.root / "output" / STAGE / "0").touch()

        def git(*arguments: str) -> str:
            done = subprocess.run(["git", *arguments], cwd=new.root, check=True, capture_output=True, text=True)
            return done.stdout

        assert "output" not in git("status", "--porcelain", "--untracked-files=all")
        assert "linguist-generated: set" in git("check-attr", "-a", "output/example/kustomization.yaml")


class TestHooks:
    hooks: list[dict[str, Any]] = yaml.safe_load((CHECKOUT / ".pre-commit-hooks.yaml").read_bytes())

    def hook(self, name: str) -> dict[str, Any]:
        (found,) = [hook for hook in self.hooks if hook["id"] == name]
        return found

    def test_there_are_two_that_install_themselves(self) -> None:
        assert [hook["id"] for hook in self.hooks] == ["claimsmith-check", "claimsmith-compile"]
        for hook in self.hooks:
            assert hook["language"] == "python"
            assert hook.keys() <= {
                "id",
                "name",
                "description",
                "language",
                "entry",
                "files",
                "pass_filenames",
                "require_serial",
            }

    def test_check_gets_the_documents_that_changed(self, new: Repo) -> None:
        hook = self.hook("claimsmith-check")
        assert hook["require_serial"]
        assert hook.get("pass_filenames", True)
        pattern = re.compile(hook["files"])
        names = [name for name, data in contents(new.root).items() if data is not None and pattern.search(name)]
        assert names == [
            "profiles/clusters/example.yaml",
            "profiles/evidence/example-trainer-a100-80gb.yaml",
            "profiles/teams/example.yaml",
        ]
        arguments = shlex.split(hook["entry"])[1:]
        assert new.run(*arguments, *names).status == 0
        new.edit("profiles/teams/example.yaml", "model: H100-80GB", "model: H100-80GBB")
        assert new.run(*arguments, "profiles/teams/example.yaml").status == 1

    def test_compile_runs_where_the_output_may_be_stale(self, new: Repo) -> None:
        hook = self.hook("claimsmith-compile")
        assert hook["pass_filenames"] is False
        for name in ("profiles/teams/x.yaml", "output/a/kustomization.yaml", "schemas/drivers/x.yaml"):
            assert re.search(hook["files"], name)
        assert not re.search(hook["files"], "src/profiles.py")
        arguments = shlex.split(hook["entry"])[1:]
        assert new.run(*arguments).status == 1
        new.run("compile")
        assert new.run(*arguments).status == 0

    def test_a_new_repository_has_the_same_without_an_address(self, new: Repo) -> None:
        (source,) = yaml.safe_load((new.root / ".pre-commit-config.yaml").read_bytes())["repos"]
        assert source["repo"] == "local"
        theirs = {hook["id"]: hook["entry"] for hook in source["hooks"]}
        assert theirs == {hook["id"]: hook["entry"] for hook in self.hooks}


class TestExistingFiles:
    def test_are_left_alone_and_listed(self, here: Repo) -> None:
        mine = {
            "README.md": "mine",
            ".vscode/settings.json": "{}",
            ".gitignore": "",
            "profiles/policies/README.md": "x",
        }
        here.write_all(mine)
        (here.root / ".gitattributes").symlink_to("nowhere")
        before = contents(here.root)
        run = here.run("init")
        assert run.status == 0
        after = contents(here.root)
        assert {name: after[name] for name in before} == before
        _, _, kept = run.stdout.partition("Left alone")
        assert all(f"  {name} (differs" in kept for name in [*mine, ".gitattributes"])
        assert here.run("compile").status == 0

    def test_a_second_run_changes_nothing(self, new: Repo) -> None:
        before = contents(new.root)
        run = new.run("init")
        assert run.status == 0
        assert contents(new.root) == before
        assert "Created" not in run.stdout
        assert "differs" not in run.stdout

    def test_a_missing_file_comes_back_and_an_example_does_not(self, new: Repo) -> None:
        (new.root / "README.md").unlink()
        (new.root / "profiles/teams/example.yaml").unlink()
        (new.root / "profiles/evidence/example-trainer-a100-80gb.yaml").unlink()
        assert new.run("init").status == 0
        assert (new.root / "README.md").is_file()
        assert [path.name for path in (new.root / "profiles").rglob("*.yaml")] == ["example.yaml"]

    def test_check_writes_nothing(self, here: Repo, new: Repo) -> None:
        (new.root / ".gitignore").unlink()
        before = contents(new.root)
        run = new.run("init", "--check")
        assert (run.status, run.stdout) == (1, "missing: .gitignore\n")
        assert contents(new.root) == before
        new.run("init")
        assert new.run("init", "--check").status == 0


class TestRefusals:
    """Whatever is refused, nothing is created, the status is 2 and standard error says why."""

    def refused(self, repo: Repo, *arguments: str) -> str:
        before = contents(repo.root)
        run = repo.run("init", *arguments)
        assert (run.status, run.stdout) == (2, "")
        assert contents(repo.root) == before
        assert "Traceback" not in run.stderr
        return run.stderr

    @pytest.mark.parametrize("name", ["profiles", "profiles/evidence", ".github", ".claimsmith/schemas"])
    def test_a_file_where_a_folder_must_be(self, here: Repo, name: str) -> None:
        here.write(name, "")
        assert f"{name} is a file where a folder must be; nothing was created" in self.refused(here)

    @pytest.mark.parametrize("name", ["README.md", "profiles/teams/example.yaml"])
    def test_a_folder_where_a_file_must_be(self, here: Repo, name: str) -> None:
        (here.root / name).mkdir(parents=True)
        assert f"{name} is a folder where a file must be" in self.refused(here)

    def test_a_link_where_a_folder_must_be(self, here: Repo, tmp_path: Path) -> None:
        (tmp_path / "elsewhere").mkdir()
        (here.root / ".github").symlink_to(tmp_path / "elsewhere")
        (here.root / ".vscode").symlink_to("nowhere")
        message = self.refused(here)
        assert ".github is a link where a folder must be" in message
        assert ".vscode is a link where a folder must be" in message

    def test_a_path_that_is_a_file(self, here: Repo) -> None:
        here.write("notes", "mine")
        assert "is a file" in self.refused(here, "notes")

    def test_a_path_below_a_file(self, here: Repo) -> None:
        here.write("notes", "mine")
        assert "notes" in self.refused(here, "notes/claims")

    def test_a_link_to_nowhere(self, here: Repo) -> None:
        (here.root / "claims").symlink_to("nowhere")
        assert "claims is not a folder" in self.refused(here, "claims")

    def test_a_name_that_is_too_long(self, here: Repo) -> None:
        assert "nothing was created" in self.refused(here, f"a/{'x' * 300}")

    def test_an_unknown_tool(self, here: Repo) -> None:
        assert "'argocd', 'flux'" in self.refused(here, "--gitops", "argo")

    def test_a_url_without_a_tool(self, here: Repo) -> None:
        assert "--repo-url needs --gitops" in self.refused(here, "--repo-url", URL)

    def test_a_url_with_credentials(self, here: Repo) -> None:
        message = self.refused(here, "--gitops", "argocd", "--repo-url", "https://me:hunter2@git.example.com/claims")
        assert "Secret" in message
        assert "hunter2" not in message

    def test_another_url_than_before(self, new: Repo) -> None:
        new.run("init", "--gitops", "flux", "--repo-url", URL)
        assert "gitops/flux/example/source.yaml" in self.refused(
            new, "--gitops", "flux", "--repo-url", "https://git.example.com/other"
        )

    def test_an_unknown_cluster(self, new: Repo) -> None:
        assert "did you mean 'example'?" in self.refused(new, "--gitops", "flux", "--cluster", "exampel")

    def test_a_cluster_for_a_repository_that_has_some(self, new: Repo) -> None:
        assert "clusters already" in self.refused(new, "--cluster", "prod")

    def test_gitops_without_a_cluster(self, here: Repo) -> None:
        here.write("profiles/teams/vision.yaml", PROFILE)
        assert "no cluster" in self.refused(here, "--gitops", "argocd")

    def test_gitops_for_documents_that_cannot_be_read(self, new: Repo) -> None:
        new.edit("profiles/teams/example.yaml", "namespaces:", "namespace:")
        assert "first mend profiles/teams/example.yaml" in self.refused(new, "--gitops", "argocd")


class TestAllOrNothing:
    def test_a_disk_that_fills_up_leaves_nothing(self, here: Repo) -> None:
        # The first schemas are shorter than this, a later one is not.
        limit = max(len(data) for data in base().values()) - 1
        script = (
            f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\n"
            "from claimsmith.cli import main; main(['init', 'claims'])"
        )
        done = subprocess.run([sys.executable, "-B", "-c", script], cwd=here.root, capture_output=True, text=True)
        assert done.returncode == 2
        assert "nothing was created" in done.stderr
        assert contents(here.root) == {}

    def test_an_interruption_leaves_nothing_but_what_was_there(self, here: Repo) -> None:
        class Interrupted(dict[str, bytes]):
            def items(self) -> Any:
                yield "a/b/c", b"x"
                yield "a/d", b"y"
                raise KeyboardInterrupt

        (here.root / "a").mkdir()
        with pytest.raises(KeyboardInterrupt):
            carry_out(Plan(here.root, Interrupted(), {}, (), is_new=True, lacks_url=False))
        assert contents(here.root) == {"a": None}

    def test_a_file_that_appears_meanwhile_is_not_overwritten(self, here: Repo) -> None:
        here.write("b", "mine")
        with pytest.raises(InitError, match="nothing was created"):
            carry_out(Plan(here.root, {"a": b"x", "b": b"y"}, {}, (), is_new=True, lacks_url=False))
        assert contents(here.root) == {"b": b"mine"}

    def test_a_folder_that_cannot_be_written(self, tmp_path: Path) -> None:
        # As another user where the tests run as root, whom nothing is forbidden.
        script = """
import os, sys, tempfile
from pathlib import Path
from claimsmith.workflow.initialise import InitError, Request, carry_out, plan
with tempfile.TemporaryDirectory() as name:
    os.chmod(name, 0o755)
    root = Path(name) / "read only"
    root.mkdir()
    planned = plan(Request(root, "2026-01-01"))
    root.chmod(0o555)
    me = os.geteuid()
    if me == 0:
        os.seteuid(65534)
    try:
        carry_out(planned)
    except InitError as error:
        print(str(error).replace(name, ""), len(list(root.iterdir())))
    os.seteuid(me)
    root.chmod(0o755)
"""
        done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
        assert done.stdout == "cannot create /read only/.claimsmith: Permission denied; nothing was created 0\n"


class TestGitOps:
    @pytest.mark.parametrize("tool", ["argocd", "flux"])
    def test_a_new_repository_has_it_from_the_start(self, here: Repo, tool: str) -> None:
        run = here.run("init", "--gitops", tool, "--repo-url", URL, "--cluster", "prod")
        assert run.status == 0
        assert f"gitops/{tool}/prod/" in run.stdout.partition("Next:")[2]
        assert here.run("compile").status == 0
        deployed = {path for path in here.output() if path.endswith("claimsmith.lock.json")}
        assert deployed == {"prod/platform/claimsmith.lock.json", "prod/teams/example/claimsmith.lock.json"}
        assert (here.root / "gitops" / tool / "prod").is_dir()

    def test_argo_cd_without_a_url_is_told_to_put_one_in(self, here: Repo) -> None:
        run = here.run("init", "--gitops", "argocd")
        assert run.status == 0
        assert "CHANGE-ME" in run.stdout
        assert "CHANGE-ME" in (here.root / "gitops/argocd/example/applicationset.yaml").read_text()

    @pytest.mark.parametrize("tool", ["argocd", "flux"])
    def test_a_repository_with_profiles_gets_nothing_else(self, empty: Repo, tool: str) -> None:
        empty.write_all({"profiles/clusters/prod.yaml": CLUSTER, "profiles/teams/vision.yaml": PROFILE})
        before = contents(empty.root)
        assert empty.run("init", "--gitops", tool, "--repo-url", URL).status == 0
        added = contents(empty.root).keys() - before.keys()
        assert {name.split("/")[0] for name in added} == {"gitops"}

    @pytest.mark.parametrize(
        ("tool", "name", "source"),
        [
            ("argocd", "project-team-vision.yaml", {"sourceRepos": [URL]}),
            ("flux", "team-vision.yaml", {"sourceRef": {"kind": "GitRepository", "name": "claimsmith"}}),
        ],
    )
    def test_a_new_team_gets_its_file_with_the_source_of_the_others(
        self, here: Repo, tool: str, name: str, source: dict[str, object]
    ) -> None:
        here.run("init", "--gitops", tool, "--repo-url", URL)
        before = contents(here.root)
        here.write("profiles/teams/vision.yaml", PROFILE)
        path = f"gitops/{tool}/example/{name}"
        check = here.run("init", "--gitops", tool, "--check")
        assert (check.status, check.stdout) == (1, f"missing: {path}\n")
        assert here.run("init", "--gitops", tool).status == 0
        after = contents(here.root)
        assert after.keys() - before.keys() == {path, "profiles/teams/vision.yaml"}
        assert {each: after[each] for each in before} == before
        spec = yaml.safe_load((here.root / path).read_bytes())["spec"]
        assert {key: spec[key] for key in source} == source
        here.run("init", "--gitops", tool)
        assert contents(here.root) == after

    def test_a_team_is_deployed_where_its_profile_says(self, new: Repo) -> None:
        new.write("profiles/clusters/prod.yaml", CLUSTER)
        new.write("profiles/teams/vision.yaml", PROFILE.replace("spec:\n", "spec:\n  clusters: [prod]\n", 1))
        assert new.run("init", "--gitops", "flux").status == 0
        files = [path.relative_to(new.root / "gitops/flux").as_posix() for path in new.root.rglob("gitops/flux/*/*")]
        assert sorted(files) == [
            "example/platform.yaml",
            "example/team-example.yaml",
            "prod/platform.yaml",
            "prod/team-example.yaml",
            "prod/team-vision.yaml",
        ]

    def test_one_cluster_can_be_chosen(self, new: Repo) -> None:
        new.write("profiles/clusters/prod.yaml", CLUSTER)
        assert new.run("init", "--gitops", "flux", "--cluster", "prod").status == 0
        assert [path.name for path in (new.root / "gitops/flux").iterdir()] == ["prod"]

    def test_a_url_left_open_can_be_given_later(self, here: Repo) -> None:
        here.run("init", "--gitops", "argocd")
        here.write("profiles/teams/vision.yaml", PROFILE)
        assert here.run("init", "--gitops", "argocd", "--repo-url", URL).status == 0
        project = yaml.safe_load((here.root / "gitops/argocd/example/project-team-vision.yaml").read_bytes())
        assert project["spec"]["sourceRepos"] == [URL]

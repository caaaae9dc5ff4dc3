"""What people install, and what other tools make of the output."""

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest
import yaml

from tests.repo import Repo

ROOT = Path(__file__).parents[2]
CHART = Path(__file__).parents[1] / "chart"
KUBECTL, HELM = shutil.which("kubectl"), shutil.which("helm")

needs_kubectl = pytest.mark.skipif(KUBECTL is None, reason="kubectl is not installed")
needs_helm = pytest.mark.skipif(HELM is None, reason="helm is not installed")


def run(*command: str | Path, folder: Path | None = None) -> str:
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    done = subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel made from it."""
    folder = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder, ROOT)
    return folder


@pytest.fixture(scope="module")
def wheel(built: Path) -> Path:
    [path] = built.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The command of a fresh environment that has the wheel, and for the rest what this one has."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=False, symlinks=True)
    [site] = home.glob("lib/python*/site-packages")
    target = f"--target={site}"
    run(
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "install",
        "-q",
        "--no-deps",
        "--no-index",
        target,
        wheel,
    )
    # Behind the wheel in the order of search, and without the editable checkout, whose .pth is not read from here.
    (site / "others.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    script = home / "bin/claimsmith"
    script.write_text(
        f"#!{home / 'bin/python'}\nfrom claimsmith.cli import main\nmain(prog_name='claimsmith')\n", encoding="utf-8"
    )
    script.chmod(0o755)
    return script


@pytest.fixture
def copy(tmp_path: Path) -> Repo:
    """The worked example, somewhere else, with nothing compiled."""
    shutil.copytree(ROOT / "profiles", tmp_path / "profiles")
    return Repo(tmp_path)


def test_wheel_has_the_schemas(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    shipped = {
        f"claimsmith/{path.relative_to(ROOT).as_posix()}" for path in (ROOT / "schemas").rglob("*") if path.is_file()
    }
    modules = {path.relative_to(ROOT / "generator").as_posix() for path in (ROOT / "generator").rglob("*.py")}
    assert shipped
    assert (shipped | modules | {"claimsmith/py.typed"}) - names == set()
    assert not [name for name in names if name.startswith(("tests/", "output/", "profiles/"))]


def test_wheel_declares_its_command(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        [path] = [name for name in archive.namelist() if name.endswith("entry_points.txt")]
        assert "claimsmith = claimsmith.cli:main" in archive.read(path).decode()


def test_sdist_can_be_tested(built: Path) -> None:
    [path] = built.glob("*.tar.gz")
    with tarfile.open(path) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "Makefile",
        "tests/repo.py",
        "profiles/teams/vision.yaml",
    } <= names
    assert not [name for name in names if "/.venv/" in f"/{name}" or name.startswith("dist/")]


def test_installed(installed: Path, copy: Repo) -> None:
    where = run(installed.with_name("python"), "-c", "import claimsmith; print(claimsmith.__file__)", folder=copy.root)
    assert Path(where.strip()).is_relative_to(installed.parents[1])
    report = json.loads(run(installed, "compile", "--format", "json", folder=copy.root))
    assert report["written"]
    shutil.rmtree(copy.root / "output")
    shutil.copytree(ROOT / "output", copy.root / "output")
    report = json.loads(run(installed, "compile", "--check", "--format", "json", folder=copy.root))
    assert report["summary"]["error"] == 0


@needs_kubectl
def test_kustomize_builds_every_folder(copy: Repo) -> None:
    copy.run("compile")
    folders = sorted(path.parent for path in (copy.root / "output").rglob("kustomization.yaml"))
    assert len(folders) > 6
    for folder in folders:
        made = [each for each in yaml.safe_load_all(run(str(KUBECTL), "kustomize", folder)) if each]
        below = {
            (each["kind"], each["metadata"].get("namespace"), each["metadata"]["name"])
            for path in folder.rglob("*.yaml")
            if not {"values", "patches"} & set(path.relative_to(folder).parts)
            for each in yaml.safe_load_all(path.read_text(encoding="utf-8"))
            if "metadata" in each
        }
        assert {(each["kind"], each["metadata"].get("namespace"), each["metadata"]["name"]) for each in made} == below


@needs_kubectl
def test_kustomize_builds_what_has_nothing_in_it(repo: Repo) -> None:
    """A cluster whose drivers need no class of ours."""
    repo.write_all(
        {
            "profiles/clusters/prod.yaml": "apiVersion: claimsmith/v1alpha1\nkind: Cluster\nmetadata: {name: prod}\n"
            'spec: {kubernetes: "1.37", codegen: 1, drivers: [{name: dra.net, release: 1.4.0, deviceTypes: []}]}\n',
            "profiles/teams/vision.yaml": "apiVersion: claimsmith/v1alpha1\nkind: TeamProfile\nmetadata: {name: vision}\n"
            "spec: {namespaces: [vision], claims: [{name: nic, requests: [{name: nic, deviceClass: dranet}]}]}\n",
        }
    )
    (repo.root / "profiles/evidence/vision.yaml").unlink()
    assert repo.run("compile").status == 0
    made = run(str(KUBECTL), "kustomize", repo.root / "output/prod")
    assert [each["kind"] for each in yaml.safe_load_all(made) if each] == ["ResourceClaimTemplate"]


@needs_kubectl
def test_kustomize_takes_the_patch(repo: Repo) -> None:
    workload = "trainer"
    repo.run("compile")
    repo.write(
        "app/job.yaml",
        f"apiVersion: batch/v1\nkind: Job\nmetadata: {{name: {workload}}}\nspec:\n  template:\n    spec:\n      containers:\n"
        f"      - {{name: sidecar, image: b}}\n      - {{name: {workload}, image: a}}\n",
    )
    shutil.copy(repo.root / f"output/prod/teams/vision/patches/{workload}.yaml", repo.root / "app/patch.yaml")
    repo.write("app/kustomization.yaml", "resources: [job.yaml]\npatches: [{path: patch.yaml}]\n")
    [job] = yaml.safe_load_all(run(str(KUBECTL), "kustomize", repo.root / "app"))
    check_pod(job["spec"]["template"]["spec"], repo, workload)


@needs_helm
def test_helm_takes_the_values(repo: Repo) -> None:
    repo.run("compile")
    values = repo.root / "output/prod/teams/vision/values/trainer.yaml"
    [job] = [
        each for each in yaml.safe_load_all(run(str(HELM), "template", "trainer", CHART, "--values", values)) if each
    ]
    check_pod(job["spec"]["template"]["spec"], repo, "trainer")
    assert job["spec"]["podFailurePolicy"]["rules"][0]["action"] == "Ignore"


def check_pod(pod: dict[str, object], repo: Repo, workload: str) -> None:
    """The container and the Pod have the claim, and no other container does."""
    [template] = yaml.safe_load_all(repo.output()["prod/teams/vision/resourceclaimtemplates.yaml"])
    assert pod["resourceClaims"] == [{"name": workload, "resourceClaimTemplateName": template["metadata"]["name"]}]
    containers = pod["containers"]
    assert isinstance(containers, list)
    claims = {each["name"]: each.get("resources", {}).get("claims") for each in containers}
    assert claims.pop(workload) == [{"name": workload}]
    assert set(claims.values()) <= {None}
    affinity = pod["affinity"]
    assert isinstance(affinity, dict)
    assert [each["weight"] for each in affinity["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]] == [
        100,
        10,
    ]
    assert pod["restartPolicy"] == "Never"

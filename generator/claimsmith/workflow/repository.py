"""The user's repository on disk: which files it has, read safely."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from claimsmith.documents.load import DocumentSet, LoadedFile, gather, load_file
from claimsmith.documents.packaged import schemas_folder
from claimsmith.documents.yaml_text import check_size, read_bounded
from claimsmith.findings import Finding, Position

YAML_ENDINGS = (".yaml", ".yml")
PROFILES = "profiles"
_NOT_DOCUMENTS = ("inventories", "templates", "scenarios")


@dataclass(frozen=True, slots=True)
class Repository:
    """What was read: the documents, and everything that is wrong with them so far. ``whole``: nothing was left out."""

    root: Path
    files: tuple[LoadedFile, ...]
    documents: DocumentSet
    findings: tuple[Finding, ...]
    whole: bool = False


def find_root(start: Path) -> Path | None:
    """The nearest folder at or above ``start`` that has a folder ``profiles``."""
    start = start.resolve()
    for folder in (start, *start.parents):
        if (folder / PROFILES).is_dir():
            return folder
    return None


def read_repository(root: Path) -> Repository:
    """Everything under ``profiles/`` and the repository's own ``schemas/drivers/``."""
    findings: list[Finding] = []
    files: list[LoadedFile] = []
    for path in _document_files(root, findings):
        files.append(read_file(path, shown(path.relative_to(root)), findings))
    return replace(_repository(root, files, findings), whole=True)


def read_files(root: Path, paths: Iterable[tuple[Path, str]]) -> Repository:
    """Only these files; each with the name to show for it."""
    findings: list[Finding] = []
    files = [read_file(path, name, findings) for path, name in paths]
    return _repository(root, files, findings)


def read_bytes(root: Path, data: bytes, name: str) -> Repository:
    """Only these bytes, such as standard input."""
    return _repository(root, [load_file(data, name)], [])


def _repository(root: Path, files: list[LoadedFile], findings: list[Finding]) -> Repository:
    documents, duplicates = gather(files)
    for loaded in files:
        findings.extend(loaded.findings)
    findings.extend(duplicates)
    findings.extend(_unsafe_paths(root, documents))
    return Repository(root, tuple(files), documents, tuple(findings))


def shown(path: Path) -> str:
    """A path as reports show it; bytes of a file name that are no text become U+FFFD."""
    return path.as_posix().encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def read_file(path: Path, name: str, findings: list[Finding]) -> LoadedFile:
    """One file; what cannot be read becomes a finding."""
    try:
        if path.exists() and not path.is_file():
            # A pipe or a device would be read for ever.
            findings.append(Finding("CS130", Position(name), {"path": name, "problem": "it is not a regular file"}))
            return LoadedFile(name, broken=(("", ""),))
        with path.open("rb") as stream:
            refused = check_size(os.fstat(stream.fileno()).st_size, name)
            if refused is not None:
                findings.append(refused)
                return LoadedFile(name, broken=(("", ""),))
            return load_file(read_bounded(stream), name)
    except OSError as error:
        problem = (error.strerror or str(error)).lower()
        findings.append(Finding("CS130", Position(name), {"path": name, "problem": problem}))
        return LoadedFile(name, broken=(("", ""),))


def _document_files(root: Path, findings: list[Finding]) -> list[Path]:
    paths = list(yaml_files(root, root / PROFILES, findings))
    own_schemas = root / "schemas" / "drivers"
    if own_schemas.is_dir() and own_schemas.resolve() != (schemas_folder() / "drivers").resolve():
        paths += yaml_files(root, own_schemas, findings)
    return paths


def yaml_files(root: Path, folder: Path, findings: list[Finding]) -> Iterator[Path]:
    """The YAML files below a folder, sorted; links that leave the repository are findings and not followed."""
    inside = root.resolve()
    for parent, folders, names in os.walk(folder):
        here = Path(parent)
        at_top = here == root / PROFILES
        for name in sorted(folders):
            if (here / name).is_symlink():
                _refuse_link(root, here / name, findings)
        folders[:] = sorted(
            name
            for name in folders
            if not name.startswith(".") and not (here / name).is_symlink() and not (at_top and name in _NOT_DOCUMENTS)
        )
        for name in sorted(names):
            path = here / name
            if not name.endswith(YAML_ENDINGS) or name.startswith("."):
                continue
            if path.is_symlink() and not path.resolve().is_relative_to(inside):
                _refuse_link(root, path, findings)
                continue
            yield path


def _refuse_link(root: Path, path: Path, findings: list[Finding]) -> None:
    name = path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()
    problem = "is a link to a folder" if path.is_dir() else "is a link out of the repository"
    findings.append(Finding("CS129", Position(name), {"path": name, "problem": problem}))


def _unsafe_paths(root: Path, documents: DocumentSet) -> Iterator[Finding]:
    for cluster in documents.clusters:
        if cluster.inventory is not None:
            problem = path_problem(root, cluster.file, cluster.inventory)
            if problem:
                yield cluster.finding("CS129", "inventory", path=cluster.inventory, problem=problem)
    for profile in documents.profiles:
        for workload in profile.workloads:
            if workload.values is not None:
                problem = path_problem(root, profile.file, workload.values.template, folder=TEMPLATES)
                if problem:
                    yield workload.values.finding("CS129", "template", path=workload.values.template, problem=problem)


TEMPLATES = f"{PROFILES}/templates"


def resolve_path(root: Path, file: str, text: str, *, folder: str | None = None) -> Path:
    """A path written in a document: relative to ``folder`` of the repository, else to the document's file."""
    base = root / folder if folder else (root / file).parent
    return base / text


def path_problem(root: Path, file: str, text: str, *, folder: str | None = None) -> str | None:
    """Why a path written in a document must not be followed, or None."""
    target = resolve_path(root, file, text, folder=folder)
    inside = (root / folder).resolve() if folder else root.resolve()
    if not Path(os.path.normpath(target)).is_relative_to(os.path.normpath(root / folder if folder else root)):
        return "leads out of " + (f"`{folder}/`" if folder else "the repository")
    if not target.resolve().is_relative_to(inside):
        return "is a link out of the repository"
    if not target.exists():
        where = target.relative_to(root).as_posix() if target.is_relative_to(root) else str(text)
        return f"is not there (looked for `{os.path.normpath(where)}`)"
    return None

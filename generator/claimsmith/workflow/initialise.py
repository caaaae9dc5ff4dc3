"""``init``: plans the files that a repository lacks, and creates them, all of them or none.

Nothing that exists is ever changed. A repository that has documents gets no example, and with a GitOps tool
named only the files for it: what its people removed since the first ``init`` does not come back with a team.
"""

import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from claimsmith.delivery import gitops, scaffold
from claimsmith.documents.load import DocumentSet, gather, load_file
from claimsmith.documents.nodes import Scalar, find
from claimsmith.documents.yaml_reader import read
from claimsmith.values.names import dns_label_problem
from claimsmith.values.suggest import closest
from claimsmith.workflow.repository import PROFILES, Repository, read_repository

EXAMPLE_CLUSTER = "example"

_URL_AT = {
    "argocd": ("applicationset.yaml", ("spec", "template", "spec", "source", "repoURL")),
    "flux": ("source.yaml", ("spec", "url")),
}


class InitError(Exception):
    """Why nothing was created, in words for people."""


@dataclass(frozen=True, slots=True)
class Request:
    """What to set up. ``cluster``: the example's name, or the one cluster to deploy to; ``today``: YYYY-MM-DD."""

    root: Path
    today: str
    tool: str | None = None
    url: str | None = None
    cluster: str | None = None


@dataclass(frozen=True, slots=True)
class Plan:
    """``create``: content by path; ``kept``: paths that exist, with whether ``init`` would write the same."""

    root: Path
    create: Mapping[str, bytes]
    kept: Mapping[str, bool]
    clusters: tuple[str, ...]
    is_new: bool
    lacks_url: bool


def plan(request: Request) -> Plan:
    """What ``init`` would do; only reads. ``InitError`` where something is in the way or asked for wrongly."""
    try:
        return _plan(request)
    except OSError as error:
        raise InitError(f"cannot read {error.filename or request.root}: {error.strerror}") from error


def _plan(request: Request) -> Plan:
    repository = read_repository(request.root)
    is_new = not any(loaded.file.startswith(f"{PROFILES}/") for loaded in repository.files)
    files: dict[str, bytes] = {}
    if is_new or request.tool is None:
        files |= scaffold.base()
    if is_new:
        examples = scaffold.example(_new_cluster(request), request.today)
        files |= examples
        documents, _ = gather([load_file(data, name) for name, data in examples.items()])
    else:
        documents = repository.documents
    clusters = _clusters(request, repository, documents, is_new)
    url = None
    if request.tool is not None:
        url = _url(request, request.tool)
        for cluster in clusters:
            files |= _gitops_files(request.tool, cluster, documents, url)
    if problems := list(_in_the_way(request.root, files)):
        raise InitError(f"{'; '.join(problems)}; nothing was created")
    there = {name for name in files if os.path.lexists(request.root / name)}
    return Plan(
        request.root,
        {name: data for name, data in sorted(files.items()) if name not in there},
        {name: _same(request.root / name, files[name]) for name in sorted(there)},
        clusters,
        is_new,
        lacks_url=request.tool == "argocd" and url is None,
    )


def carry_out(planned: Plan) -> None:
    """Creates the files. ``InitError`` where that fails; what it had created is gone again then."""
    made: list[Path] = []
    try:
        for name, data in planned.create.items():
            path = planned.root / name
            _make_folder(path.parent, made)
            with path.open("xb") as file:
                made.append(path)
                file.write(data)
    except OSError as error:
        left = _undo(made)
        outcome = f"could not be removed again: {', '.join(left)}" if left else "nothing was created"
        raise InitError(f"cannot create {error.filename or planned.root}: {error.strerror}; {outcome}") from error
    except BaseException:
        _undo(made)
        raise


def _new_cluster(request: Request) -> str:
    name = EXAMPLE_CLUSTER if request.cluster is None else request.cluster
    if problem := dns_label_problem(name):
        raise InitError(f"{name!r} cannot be a cluster's name: {problem}")
    return name


def _clusters(request: Request, repository: Repository, documents: DocumentSet, is_new: bool) -> tuple[str, ...]:
    """The clusters to deploy to, or the one that is new."""
    names = tuple(cluster.name for cluster in documents.clusters)
    if is_new:
        return names
    if request.tool is None:
        if request.cluster is not None:
            raise InitError("the repository has clusters already; --cluster chooses among them for --gitops")
        return ()
    if documents.broken:
        broken = sorted({loaded.file for loaded in repository.files if loaded.broken})
        raise InitError(f"first mend {', '.join(broken)}: `claimsmith check` says how")
    if request.cluster is None:
        if not names:
            raise InitError("there is no cluster in profiles/clusters/ to deploy to")
        return names
    if request.cluster not in names:
        hint = closest(request.cluster, names)
        raise InitError(f"there is no cluster {request.cluster!r}" + (f"; did you mean {hint!r}?" if hint else ""))
    return (request.cluster,)


def _url(request: Request, tool: str) -> str | None:
    """The repository's URL: as asked for, else as the GitOps files that exist have it."""
    if request.url is not None and (problem := gitops.url_problem(request.url, tool)):
        raise InitError(f"--repo-url: {problem}")
    found = dict(_urls(request.root, tool))
    other = next((name for name, url in found.items() if request.url not in (None, url)), None)
    if other:
        raise InitError(f"{other} has the URL {found[other]}; --repo-url must be the same, or change it there first")
    return request.url or next(iter(found.values()), None)


def _urls(root: Path, tool: str) -> Iterator[tuple[str, str]]:
    name, place = _URL_AT[tool]
    for path in sorted(root.glob(f"gitops/{tool}/*/{name}")):
        shown = path.relative_to(root).as_posix()
        roots, _ = read(path.read_bytes(), shown)
        for document in roots:
            url = find(document, *place)
            if isinstance(url, Scalar) and url.text != gitops.PLACEHOLDER_URL:
                yield shown, url.text


def _gitops_files(tool: str, cluster: str, documents: DocumentSet, url: str | None) -> dict[str, bytes]:
    teams = [
        gitops.Team(profile.name, profile.namespaces)
        for profile in documents.profiles
        if profile.clusters is None or cluster in profile.clusters
    ]
    if tool == "argocd":
        files = gitops.argocd(cluster, teams, url or gitops.PLACEHOLDER_URL)
    else:
        files = gitops.flux(cluster, teams, url)
    return {name: scaffold.gitops_file(tool, cluster, file) for name, file in files.items()}


def _in_the_way(root: Path, files: Mapping[str, bytes]) -> Iterator[str]:
    """A file or a link where a folder must be, or a folder where a file must be."""
    if os.path.lexists(root) and not root.is_dir():
        yield f"{root} is not a folder"
        return
    folders = {parent.as_posix() for name in files for parent in Path(name).parents[:-1]}
    for name in sorted(folders):
        path = root / name
        if path.is_symlink():
            yield f"{path} is a link where a folder must be"
        elif os.path.lexists(path) and not path.is_dir():
            yield f"{path} is a file where a folder must be"
    for name in sorted(files):
        if (root / name).is_dir():
            yield f"{root / name} is a folder where a file must be"


def _same(path: Path, content: bytes) -> bool:
    with suppress(OSError):
        return path.read_bytes() == content
    return False


def _make_folder(folder: Path, made: list[Path]) -> None:
    for each in reversed([folder, *folder.parents]):
        if not each.is_dir():
            each.mkdir()
            made.append(each)


def _undo(made: list[Path]) -> list[str]:
    """Removes what was made; returns what would not go."""
    left = []
    for path in reversed(made):
        try:
            if path.is_dir():
                path.rmdir()
            else:
                path.unlink()
        except OSError:
            left.append(str(path))
    return left

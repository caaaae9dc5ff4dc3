"""From a repository to its output: resolve, check, compile, write."""

from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path

from claimsmith.compiler.context import ClusterContext, build_context
from claimsmith.compiler.program import compile_cluster
from claimsmith.compiler.resolve import ResolvedProfile, resolve
from claimsmith.delivery.layout import Files, lay_out
from claimsmith.delivery.retention import CURRENT, RETAINED, TeamFolder
from claimsmith.documents.cluster import Cluster
from claimsmith.documents.load import DocumentSet
from claimsmith.documents.team_profile import TeamProfile
from claimsmith.drivers.catalogue import Catalogue
from claimsmith.findings import Finding
from claimsmith.rules.checks import check_cluster, check_documents, check_profile
from claimsmith.rules.cs9_policy import Policies
from claimsmith.rules.facts import Facts
from claimsmith.values.suggest import closest
from claimsmith.workflow.templates import OwnValues, Templates

Progress = Callable[[str, int, int], None]


def no_progress(what: str, done: int, total: int) -> None:
    """Progress for those who do not look."""


@dataclass(frozen=True, slots=True)
class Options:
    """What of a repository to look at, and how. Empty selections mean everything."""

    clusters: frozenset[str] = frozenset()
    teams: frozenset[str] = frozenset()
    prune: bool = False
    today: date = field(default_factory=date.today)

    def wants(self, path: str) -> bool:
        """Whether a path of the output is within the selection."""
        cluster, _, rest = path.partition("/")
        if self.clusters and cluster not in self.clusters:
            return False
        if not self.teams or rest == "kustomization.yaml":
            return True
        return rest.startswith("teams/") and rest.split("/")[1] in self.teams


@dataclass(frozen=True, slots=True)
class ResolvedCluster:
    """A cluster with the profiles that apply to it."""

    context: ClusterContext
    profiles: tuple[ResolvedProfile, ...]
    own_values: OwnValues


@dataclass(slots=True)
class Resolution:
    """Everything resolved, and all that the checks found."""

    clusters: list[ResolvedCluster] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)


def resolve_all(
    documents: DocumentSet,
    catalogue: Catalogue,
    options: Options,
    templates: Templates,
    progress: Progress = no_progress,
) -> Resolution:
    """Resolves and checks every selected profile on every selected cluster."""
    resolution = Resolution()
    facts = Facts.of(documents, options.today)
    policies = Policies(documents)
    resolution.findings += check_documents(documents)
    resolution.findings += policies.findings
    clusters = [each for each in documents.clusters if _selected(each.name, options.clusters)]
    profiles = [each for each in documents.profiles if _selected(each.name, options.teams)]
    total = len(clusters) * len(profiles)
    for number, cluster in enumerate(clusters):
        context, findings = build_context(cluster, catalogue, documents)
        resolution.findings += findings
        if context is None:
            continue
        resolution.findings += check_cluster(context, facts)
        resolved = []
        own_values: OwnValues = {}
        for index, profile in enumerate(profiles):
            progress("checking", number * len(profiles) + index, total)
            if profile.clusters is not None and cluster.name not in profile.clusters:
                continue
            one, findings = resolve(profile, context)
            resolution.findings += findings
            resolution.findings += check_profile(one, facts)
            resolution.findings += policies.check(one)
            own_values |= templates.values(one, resolution.findings)
            resolved.append(one)
        resolution.clusters.append(ResolvedCluster(context, tuple(resolved), own_values))
    return resolution


def _selected(name: str, selection: Collection[str]) -> bool:
    return not selection or name in selection


def output_files(resolution: Resolution, output: Path, options: Options) -> Files:
    """The files that the resolved profiles make, of the selected clusters and teams.

    Raises ``RetentionError`` where the templates of the present output cannot be read.
    """
    files: Files = {}
    for resolved in resolution.clusters:
        compiled = compile_cluster(resolved.context, resolved.profiles)
        before = team_folders(output / resolved.context.name / "teams")
        on_disk = None
        if options.teams:
            before = {name: folder for name, folder in before.items() if name in options.teams}
            on_disk = folders_on_disk(output / resolved.context.name) - {f"teams/{team}" for team in options.teams}
        files |= lay_out(compiled, before, prune=options.prune, on_disk=on_disk, own_values=resolved.own_values)
    return {path: data for path, data in files.items() if options.wants(path)}


def team_folders(teams: Path) -> dict[str, TeamFolder]:
    """The template files of every team in the output; links are not followed."""
    if not teams.is_dir() or teams.is_symlink():
        return {}
    return {
        folder.name: TeamFolder(_bytes(folder / CURRENT), _bytes(folder / RETAINED))
        for folder in teams.iterdir()
        if folder.is_dir() and not folder.is_symlink()
    }


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() and not path.is_symlink() else None


def folders_on_disk(cluster: Path) -> set[str]:
    """The folders of a cluster's output that can be built, relative to it."""
    found = (*cluster.glob("platform/kustomization.yaml"), *cluster.glob("teams/*/kustomization.yaml"))
    return {each.parent.relative_to(cluster).as_posix() for each in found}


def unknown_selections(documents: DocumentSet, options: Options) -> Iterator[str]:
    """What is wrong with ``--cluster`` and ``--team``, in words."""
    yield from _unknown("cluster", options.clusters, documents.clusters, documents)
    yield from _unknown("team", options.teams, documents.profiles, documents)


def _unknown(
    what: str, wanted: Iterable[str], known: Iterable[Cluster | TeamProfile], documents: DocumentSet
) -> Iterator[str]:
    names = [each.name for each in known]
    kind = "Cluster" if what == "cluster" else "TeamProfile"
    for name in sorted(wanted):
        if name not in names and not documents.is_broken(kind, name):
            hint = closest(name, names)
            yield f"there is no {what} {name!r}" + (f"; did you mean {hint!r}?" if hint else "")

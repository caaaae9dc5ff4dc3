"""What Argo CD and Flux need to deploy ``output/``: plain objects, by the file that they are written to.

Each cluster has a folder of its own, so that a new one changes no file of another, and whatever depends on a
team is a file of its own, so that a new team adds one and changes none.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import urlsplit

from claimsmith.compiler.objects import KubernetesObject

TOOLS = ("argocd", "flux")

PLACEHOLDER_URL = "https://git.example.com/CHANGE-ME.git"
"""Where nobody has said what the repository's URL is and Argo CD must have one."""

_CLAIMS = {"group": "resource.k8s.io", "kind": "ResourceClaimTemplate"}
_PLATFORM_KINDS = (
    {"group": "resource.k8s.io", "kind": "DeviceClass"},
    {"group": "resource.k8s.io", "kind": "DeviceTaintRule"},
    {"group": "admissionregistration.k8s.io", "kind": "ValidatingAdmissionPolicy"},
    {"group": "admissionregistration.k8s.io", "kind": "ValidatingAdmissionPolicyBinding"},
)
_FLUX_NAMESPACE = "flux-system"
_LONGEST_LABEL = 63


@dataclass(frozen=True, slots=True)
class Team:
    """A team that a cluster serves, with the namespaces that its claim templates are in."""

    name: str
    namespaces: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class File:
    """A file to write: its objects, and the name of the comment to put above them with its ``team``, if any."""

    objects: tuple[KubernetesObject, ...]
    comment: str
    team: str = ""


def argocd(cluster: str, teams: Sequence[Team], url: str) -> dict[str, File]:
    """An ApplicationSet and the projects that it needs, by path in the repository.

    The ApplicationSet finds teams by their folders. A team without a project deploys nothing: what it may
    touch is decided by people, and not by the folder that it made.
    """
    folder = f"gitops/argocd/{cluster}"
    files = {
        f"{folder}/applicationset.yaml": File((_application_set(cluster, url),), "applicationset"),
        f"{folder}/project-platform.yaml": File((_platform_project(cluster, url),), "project-platform"),
    }
    for team in teams:
        files[f"{folder}/project-team-{team.name}.yaml"] = File(
            (_team_project(cluster, team, url),), "project-team", team.name
        )
    return files


def flux(cluster: str, teams: Sequence[Team], url: str | None) -> dict[str, File]:
    """A Kustomization for the platform and one for each team, by path in the repository.

    Without ``url`` they use the repository that Flux was bootstrapped from. There is no kustomization.yaml: it
    would have to change with every team, and Flux takes every file of a folder that has none.
    """
    folder = f"gitops/flux/{cluster}"
    source = _FLUX_NAMESPACE if url is None else "claimsmith"
    files = {}
    if url is not None:
        files[f"{folder}/source.yaml"] = File((_git_repository(source, url),), "source")
    platform = "claimsmith-platform"
    files[f"{folder}/platform.yaml"] = File(
        (_flux_kustomization(platform, f"./output/{cluster}/platform", source),), "platform"
    )
    for team in teams:
        files[f"{folder}/team-{team.name}.yaml"] = File(
            (
                _flux_kustomization(
                    _label_sized(f"claimsmith-team-{team.name}"),
                    f"./output/{cluster}/teams/{team.name}",
                    source,
                    depends_on=[platform],
                ),
            ),
            "team",
            team.name,
        )
    return files


def url_problem(url: str, tool: str) -> str | None:
    """Why a repository's URL cannot be used by a tool of :data:`TOOLS`, or None."""
    if not url.isascii() or not url.isprintable() or " " in url or "{{" in url:
        return "a repository's URL has no spaces, braces or unusual characters"
    try:
        parts = urlsplit(url)
        host, password = parts.hostname, parts.password
    except ValueError:
        return "it is no URL"
    if parts.scheme in ("https", "http", "ssh"):
        if password is not None or (parts.scheme != "ssh" and parts.username is not None):
            return "credentials have no place in Git: leave them out here and give them to the cluster as a Secret"
        return None if host and parts.path.strip("/") else "it has no host or no path"
    login, colon, path = url.partition(":")
    if "://" not in url and colon and "@" in login and path:
        return None if tool == "argocd" else f"Flux takes no such URL; write ssh://{login}/{path.lstrip('/')}"
    return "a repository's URL starts with https:// or ssh://"


def _application_set(cluster: str, url: str) -> KubernetesObject:
    prefix = f"claimsmith.{cluster}"
    team = "{{.path.basename}}"

    def generator(path: str, part: str, name: str) -> Mapping[str, object]:
        return {
            "git": {
                "repoURL": url,
                "revision": "HEAD",
                "directories": [{"path": path}],
                "values": {"name": name, "part": part},
            }
        }

    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "ApplicationSet",
        "metadata": {"name": prefix, "namespace": "argocd"},
        "spec": {
            "goTemplate": True,
            "goTemplateOptions": ["missingkey=error"],
            "generators": [
                generator(f"output/{cluster}/platform", "platform", f"{prefix}.platform"),
                generator(f"output/{cluster}/teams/*", "teams", f"{prefix}.teams.{team}"),
            ],
            "syncPolicy": {"preserveResourcesOnDeletion": True},
            "template": {
                "metadata": {
                    "name": "{{.values.name}}",
                    "labels": {"claimsmith/cluster": cluster, "claimsmith/part": "{{.values.part}}"},
                    "annotations": {"argocd.argoproj.io/compare-options": "ServerSideDiff=true"},
                },
                "spec": {
                    "project": "{{.values.name}}",
                    "source": {"repoURL": url, "targetRevision": "HEAD", "path": "{{.path.path}}"},
                    "destination": {"name": cluster},
                    "syncPolicy": {
                        "automated": {"prune": True, "selfHeal": True, "allowEmpty": False},
                        "syncOptions": ["ServerSideApply=true", "PruneLast=true"],
                    },
                    "ignoreDifferences": [
                        {
                            "group": "resource.k8s.io",
                            "kind": "DeviceTaintRule",
                            "jsonPointers": ["/spec/taint/timeAdded"],
                        }
                    ],
                },
            },
        },
    }


def _platform_project(cluster: str, url: str) -> KubernetesObject:
    return _project(
        f"claimsmith.{cluster}.platform",
        {
            "description": f"GPU platform of {cluster}",
            "sourceRepos": [url],
            "destinations": [{"name": cluster, "namespace": "*"}],
            "clusterResourceWhitelist": list(_PLATFORM_KINDS),
            "namespaceResourceWhitelist": [{"group": "", "kind": "ResourceQuota"}],
        },
    )


def _team_project(cluster: str, team: Team, url: str) -> KubernetesObject:
    # An Application whose destination has no namespace is only allowed by an entry without one, and that
    # entry allows nothing else: a claim template always has a namespace.
    namespaces = ["", *sorted(team.namespaces)]
    return _project(
        f"claimsmith.{cluster}.teams.{team.name}",
        {
            "description": f"GPU claims of team {team.name} on {cluster}",
            "sourceRepos": [url],
            "destinations": [{"name": cluster, "namespace": namespace} for namespace in namespaces],
            "clusterResourceWhitelist": [],
            "namespaceResourceWhitelist": [dict(_CLAIMS)],
        },
    )


def _project(name: str, spec: Mapping[str, object]) -> KubernetesObject:
    return {
        "apiVersion": "argoproj.io/v1alpha1",
        "kind": "AppProject",
        "metadata": {"name": name, "namespace": "argocd"},
        "spec": spec,
    }


def _git_repository(name: str, url: str) -> KubernetesObject:
    return {
        "apiVersion": "source.toolkit.fluxcd.io/v1",
        "kind": "GitRepository",
        "metadata": {"name": name, "namespace": _FLUX_NAMESPACE},
        "spec": {"interval": "1m", "url": url, "ref": {"branch": "main"}, "ignore": "/*\n!/output\n"},
    }


def _flux_kustomization(name: str, path: str, source: str, depends_on: Sequence[str] = ()) -> KubernetesObject:
    spec: dict[str, object] = {
        "sourceRef": {"kind": "GitRepository", "name": source},
        "path": path,
        "interval": "10m",
        "retryInterval": "1m",
        "timeout": "3m",
        "prune": True,
        "deletionPolicy": "Orphan",
        "wait": True,
        "force": False,
    }
    if depends_on:
        spec = {"dependsOn": [{"name": each} for each in depends_on], **spec}
    return {
        "apiVersion": "kustomize.toolkit.fluxcd.io/v1",
        "kind": "Kustomization",
        "metadata": {"name": name, "namespace": _FLUX_NAMESPACE},
        "spec": spec,
    }


def _label_sized(name: str) -> str:
    """Flux puts a Kustomization's name into a label of all that it deploys; a longer one gets a digest."""
    if len(name) <= _LONGEST_LABEL:
        return name
    return f"{name[: _LONGEST_LABEL - 9]}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"

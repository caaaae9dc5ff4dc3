"""Where everything that a cluster gets is written: paths below the output directory, and bytes."""

from collections.abc import Collection, Iterable, Mapping

from claimsmith.compiler.program import ClusterOutput, TeamOutput
from claimsmith.delivery.lock_file import HEADER, LOCK_NAME, lock
from claimsmith.delivery.values import helm_values, patch
from claimsmith.documents.yaml_writer import write

Files = dict[str, bytes]


def lay_out(output: ClusterOutput, teams: Collection[str]) -> Files:
    """The files of one cluster. ``teams`` are those that the cluster's own kustomization lists."""
    files: Files = {}
    cluster = output.context.name
    facts = {
        "cluster": cluster,
        "codegen": output.context.cluster.codegen,
        "kubernetes": output.context.target.kubernetes,
    }
    platform = {name: _yaml(objects) for name, objects in output.platform.items()}
    platform["kustomization.yaml"] = kustomization(sorted(platform))
    _add(files, f"{cluster}/platform", platform, facts)
    for team in output.teams:
        _add(files, f"{cluster}/teams/{team.team}", _team_files(team), {**facts, "team": team.team})
    listed = ["platform", *(f"teams/{team}" for team in sorted(teams))]
    files[f"{cluster}/kustomization.yaml"] = kustomization(listed)
    return files


def kustomization(resources: Iterable[str]) -> bytes:
    """A kustomization that lists ``resources`` in the order given."""
    document = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": list(resources),
    }
    return _yaml([document])


def _team_files(team: TeamOutput) -> Files:
    files: Files = {}
    resources = []
    if team.templates:
        files["resourceclaimtemplates.yaml"] = _yaml(team.templates)
        resources.append("resourceclaimtemplates.yaml")
    for settings in team.pods:
        files[f"values/{settings.workload.name}.yaml"] = _yaml([helm_values(settings)])
        files[f"patches/{settings.workload.name}.yaml"] = _yaml([patch(settings)])
    files["kustomization.yaml"] = kustomization(resources)
    return files


def _add(files: Files, folder: str, content: Files, facts: Mapping[str, object]) -> None:
    for name, data in content.items():
        files[f"{folder}/{name}"] = data
    files[f"{folder}/{LOCK_NAME}"] = lock(content, facts)


def _yaml(documents: Iterable[object]) -> bytes:
    return write(list(documents), header=HEADER.removeprefix("# "))

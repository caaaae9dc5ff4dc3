"""Where everything that a cluster gets is written: paths below the output directory, and bytes."""

from collections.abc import Collection, Iterable, Mapping

from claimsmith.compiler.program import ClusterOutput, TeamOutput
from claimsmith.delivery.lock_file import HEADER, LOCK_NAME, lock
from claimsmith.delivery.retention import CURRENT, RETAINED, RetentionError, TeamFolder, retain
from claimsmith.delivery.values import helm_values, patch
from claimsmith.documents.yaml_writer import write

Files = dict[str, bytes]


def lay_out(
    output: ClusterOutput,
    before: Mapping[str, TeamFolder],
    *,
    prune: bool = False,
    on_disk: Collection[str] | None = None,
    own_values: Mapping[tuple[str, str], object] | None = None,
) -> Files:
    """The files of one cluster. Raises ``RetentionError``.

    ``before`` has the present folders of the cluster's teams; what they deploy and no longer make is retained
    unless ``prune``. Of a run that is limited to some teams, ``on_disk`` has the folders that the cluster has
    already: its own kustomization lists those and the teams that get files, for any other would not be there.
    ``own_values``, by team and name of the settings, take the place of the default layout.
    """
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
    gone = [TeamOutput(name, (), ()) for name in before.keys() - {team.team for team in output.teams}]
    listed = {folder.removeprefix("teams/") for folder in on_disk or () if folder.startswith("teams/")}
    for team in (*output.teams, *gone):
        folder = f"{cluster}/teams/{team.team}"
        try:
            deployed = TeamFolder() if prune else before.get(team.team, TeamFolder())
            content = _team_files(team, deployed, own_values or {})
        except RetentionError as error:
            raise RetentionError(f"{folder}: {error}") from error
        if team in gone and "retained.yaml" not in content:
            continue
        listed.add(team.team)
        _add(files, folder, content, {**facts, "team": team.team})
    resources = ["platform"] if on_disk is None or "platform" in on_disk else []
    resources += [f"teams/{team}" for team in sorted(listed)]
    files[f"{cluster}/kustomization.yaml"] = kustomization(resources)
    return files


def kustomization(resources: Iterable[str]) -> bytes:
    """A kustomization that lists ``resources`` in the order given."""
    document = {
        "apiVersion": "kustomize.config.k8s.io/v1beta1",
        "kind": "Kustomization",
        "resources": list(resources),
    }
    return _yaml([document])


def _team_files(team: TeamOutput, before: TeamFolder, own_values: Mapping[tuple[str, str], object]) -> Files:
    files: Files = {}
    if team.templates:
        files[CURRENT] = _yaml(team.templates)
    retained = retain(team.templates, files.get(CURRENT), before)
    if retained:
        files[RETAINED] = _yaml(retained)
    resources = sorted(files)
    for settings in team.pods:
        values = own_values.get((team.team, settings.name), helm_values(settings))
        files[f"values/{settings.name}.yaml"] = _yaml([values])
        files[f"patches/{settings.name}.yaml"] = _yaml([patch(settings)])
    files["kustomization.yaml"] = kustomization(resources)
    return files


def _add(files: Files, folder: str, content: Files, facts: Mapping[str, object]) -> None:
    for name, data in content.items():
        files[f"{folder}/{name}"] = data
    files[f"{folder}/{LOCK_NAME}"] = lock(content, facts)


def _yaml(documents: Iterable[object]) -> bytes:
    return write(list(documents), header=HEADER.removeprefix("# "))

"""kustomize and helm take the whole output, and what they make of it is what a server accepts."""

from pathlib import Path

import pytest
import yaml

from tests.cluster.client import Object
from tests.cluster.cluster import Cluster
from tests.cluster.emitted import differences, read_output
from tests.cluster.example import CLUSTERS, OUTPUT, ROOT
from tests.cluster.tools import helm_template, kustomize

CHART = ROOT / "tests" / "chart"
IMAGE = "registry.example.com/vision/trainer:1.0"


def documents(text: str) -> list[Object]:
    return [document for document in yaml.load_all(text, yaml.CSafeLoader) if document]


def key(document: Object) -> tuple[str, str, str]:
    metadata = document["metadata"]
    return document["kind"], metadata.get("namespace", ""), metadata["name"]


def by_key(listed: list[Object]) -> dict[tuple[str, str, str], Object]:
    found = {key(each): each for each in listed}
    assert len(found) == len(listed)
    return found


@pytest.mark.parametrize("name", sorted(CLUSTERS))
def test_kustomize_builds_what_the_files_have(name: str) -> None:
    emitted = by_key([each.document for each in read_output(OUTPUT / name)])
    assert differences(emitted, by_key(documents(kustomize(OUTPUT / name)))) == []
    folders = [OUTPUT / name / "platform", *sorted((OUTPUT / name / "teams").iterdir())]
    apart = [document for folder in folders for document in documents(kustomize(folder))]
    assert differences(emitted, by_key(apart)) == []


WORKLOADS = [
    pytest.param(name, minor, patch, id=f"{minor}-{name}-{patch.parents[1].name}-{patch.stem}")
    for name, minor in CLUSTERS.items()
    for patch in sorted((OUTPUT / name / "teams").glob("*/patches/*.yaml"))
]


def base_of(patch: Object) -> Object:
    """The workload as a team writes it, without anything of claimsmith."""
    kind, name = patch["kind"], patch["metadata"]["name"]
    labels = {"app": name}
    pod: Object = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": name, "image": IMAGE}]}}
    spec: Object = {"template": pod}
    if kind in ("Job", "CronJob"):
        pod["spec"]["restartPolicy"] = "Never"
        if kind == "CronJob":
            spec = {"schedule": "0 3 * * *", "jobTemplate": {"spec": spec}}
    else:
        spec["selector"] = {"matchLabels": labels}
        if kind == "StatefulSet":
            spec["serviceName"] = name
    metadata = {"name": name, "namespace": "default"}
    return {"apiVersion": patch["apiVersion"], "kind": kind, "metadata": metadata, "spec": spec}


def lacking(part: object, whole: object, path: str = "") -> list[str]:
    """What of a patch is not in a document: lists of things with names are matched by name."""
    if isinstance(part, dict) and isinstance(whole, dict):
        return [line for name, value in part.items() for line in lacking(value, whole.get(name), f"{path}.{name}")]
    if (
        isinstance(part, list)
        and isinstance(whole, list)
        and all(isinstance(each, dict) and "name" in each for each in part)
    ):
        named = {each["name"]: each for each in whole}
        return [line for each in part for line in lacking(each, named.get(each["name"]), f"{path}[{each['name']}]")]
    return [] if part == whole else [f"{path}: {part!r} is {whole!r}"]


@pytest.mark.parametrize(("name", "minor", "path"), WORKLOADS, scope="session")
def test_the_patch_of_a_workload_is_accepted_and_kept(
    cluster: Cluster, name: str, minor: str, path: Path, tmp_path: Path
) -> None:
    patch: Object = yaml.safe_load(path.read_text(encoding="utf-8"))
    (tmp_path / "workload.yaml").write_text(yaml.safe_dump(base_of(patch)), encoding="utf-8")
    (tmp_path / "patch.yaml").write_bytes(path.read_bytes())
    (tmp_path / "kustomization.yaml").write_text(
        "resources: [workload.yaml]\npatches: [{path: patch.yaml}]\n", encoding="utf-8"
    )
    (workload,) = documents(kustomize(tmp_path))
    assert lacking(patch, cluster.api.create(workload, dry_run=True)) == []


@pytest.mark.parametrize(("name", "minor", "path"), WORKLOADS, scope="session")
def test_the_values_of_a_workload_make_what_its_patch_makes(
    cluster: Cluster, name: str, minor: str, path: Path
) -> None:
    patch: Object = yaml.safe_load(path.read_text(encoding="utf-8"))
    (workload,) = documents(helm_template(CHART, path.parents[1] / "values" / path.name, name=path.stem))
    spec = patch["spec"].get("jobTemplate", patch)["spec"] if patch["kind"] == "CronJob" else patch["spec"]
    pod = spec["template"]["spec"]
    made = workload["spec"]["template"]["spec"]
    (container,) = pod.pop("containers")
    assert lacking(pod, made) == []
    assert container["resources"] == made["containers"][0]["resources"]
    if patch["kind"] in ("Job", "CronJob"):
        assert lacking({field: value for field, value in spec.items() if field != "template"}, workload["spec"]) == []
        metadata = {**workload["metadata"], "namespace": "default"}
        cluster.api.create({**workload, "metadata": metadata}, dry_run=True)

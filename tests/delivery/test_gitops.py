import re
from fnmatch import fnmatchcase
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from claimsmith.delivery.gitops import PLACEHOLDER_URL, File, Team, argocd, flux, url_problem
from claimsmith.delivery.scaffold import gitops_file

URL = "https://git.example.com/platform/claims.git"
TEAMS = [Team("vision", ("vision",)), Team("speech", ("speech-staging", "speech"))]

# The fields of the custom resource definitions: Argo CD 3.6, kustomize-controller 1.9, source-controller 1.9.
# `...` ends what is checked: free-form maps and scalars.
METADATA = {"name": ..., "namespace": ..., "labels": ..., "annotations": ...}
KIND = {"group": ..., "kind": ...}
GIT = {"repoURL": ..., "revision": ..., "values": ..., "directories": {"path": ..., "exclude": ...}}
APPLICATION = {
    "project": ...,
    "source": {"repoURL": ..., "targetRevision": ..., "path": ...},
    "destination": {"name": ..., "server": ..., "namespace": ...},
    "syncPolicy": {
        "automated": {"prune": ..., "selfHeal": ..., "allowEmpty": ..., "enabled": ...},
        "syncOptions": ...,
        "retry": ...,
    },
    "ignoreDifferences": {**KIND, "jsonPointers": ..., "jqPathExpressions": ..., "managedFieldsManagers": ...},
}
SPECS = {
    "argoproj.io/v1alpha1/ApplicationSet": {
        "goTemplate": ...,
        "goTemplateOptions": ...,
        "generators": {"git": GIT},
        "strategy": ...,
        "syncPolicy": {"applicationsSync": ..., "preserveResourcesOnDeletion": ...},
        "template": {"metadata": METADATA, "spec": APPLICATION},
    },
    "argoproj.io/v1alpha1/AppProject": {
        "description": ...,
        "sourceRepos": ...,
        "destinations": {"name": ..., "server": ..., "namespace": ...},
        "clusterResourceWhitelist": {**KIND, "name": ...},
        "namespaceResourceWhitelist": KIND,
    },
    "source.toolkit.fluxcd.io/v1/GitRepository": {
        "interval": ...,
        "url": ...,
        "ref": {"branch": ..., "tag": ..., "semver": ..., "name": ..., "commit": ...},
        "ignore": ...,
        "secretRef": {"name": ...},
    },
    "kustomize.toolkit.fluxcd.io/v1/Kustomization": {
        "dependsOn": {"name": ..., "namespace": ..., "readyExpr": ...},
        "sourceRef": {"kind": ..., "name": ..., "namespace": ..., "apiVersion": ...},
        "path": ...,
        "interval": ...,
        "retryInterval": ...,
        "timeout": ...,
        "prune": ...,
        "deletionPolicy": ...,
        "wait": ...,
        "force": ...,
    },
}


def unknown_fields(value: object, known: Any, path: str = "") -> list[str]:
    if known is ...:
        return []
    if isinstance(value, list):
        return [each for item in value for each in unknown_fields(item, known, path)]
    if not isinstance(value, dict):
        return [f"{path} is no object"]
    found = []
    for key, item in value.items():
        found += unknown_fields(item, known[key], f"{path}.{key}") if key in known else [f"{path}.{key}"]
    return found


def only(file: File) -> dict[str, Any]:
    (document,) = file.objects
    return document


def specs(files: dict[str, File]) -> dict[str, dict[str, Any]]:
    return {path: only(file)["spec"] for path, file in files.items()}


ALL = {**argocd("prod-eu", TEAMS, URL), **flux("prod-eu", TEAMS, URL)}


@pytest.mark.parametrize("path", ALL)
def test_uses_only_fields_that_the_definitions_have(path: str) -> None:
    document = only(ALL[path])
    kind = f"{document['apiVersion']}/{document['kind']}"
    assert not unknown_fields(document, {"apiVersion": ..., "kind": ..., "metadata": METADATA, "spec": SPECS[kind]})


@pytest.mark.parametrize("path", ALL)
def test_a_file_is_its_object_below_a_comment_that_fits_the_page(path: str) -> None:
    tool = path.split("/")[1]
    data = gitops_file(tool, "prod-eu", ALL[path])
    assert yaml.safe_load(data) == only(ALL[path])
    comment = [line for line in data.decode().splitlines() if line.startswith("#")]
    assert comment
    assert all(len(line) <= 120 for line in comment)
    assert "[[" not in data.decode()


@pytest.mark.parametrize("make", [argocd, flux])
def test_a_new_team_adds_a_file_and_changes_none(make: Any) -> None:
    before, after = make("prod-eu", TEAMS[:1], URL), make("prod-eu", TEAMS, URL)
    assert {path: file for path, file in after.items() if path in before} == before
    assert [path.rpartition("/")[2] for path in after.keys() - before.keys()] in (
        ["project-team-speech.yaml"],
        ["team-speech.yaml"],
    )


@pytest.mark.parametrize("make", [argocd, flux])
def test_clusters_share_no_file(make: Any) -> None:
    assert not make("prod-eu", TEAMS, URL).keys() & make("prod-us", TEAMS, URL).keys()


class TestArgoCD:
    spec = specs(argocd("prod-eu", TEAMS, URL))

    def application_set(self) -> dict[str, Any]:
        return self.spec["gitops/argocd/prod-eu/applicationset.yaml"]

    @pytest.mark.parametrize(
        ("folder", "part"),
        [
            ("output/prod-eu/platform", "platform"),
            ("output/prod-eu/teams/vision", "teams"),
            ("output/prod-eu/teams/platform", "teams"),
            ("output/prod-eu/teams/vision/values", None),
            ("output/prod-eu", None),
            ("output/prod-us/platform", None),
        ],
    )
    def test_each_folder_is_one_application(self, folder: str, part: str | None) -> None:
        def matches(pattern: str) -> bool:
            names, patterns = folder.split("/"), pattern.split("/")
            return len(names) == len(patterns) and all(map(fnmatchcase, names, patterns))

        found = [
            generator["git"]["values"]["part"]
            for generator in self.application_set()["generators"]
            if any(matches(directory["path"]) for directory in generator["git"]["directories"])
        ]
        assert found == ([part] if part else [])

    def test_every_application_has_its_project(self) -> None:
        names = {
            generator["git"]["values"]["name"].replace("{{.path.basename}}", team.name)
            for generator in self.application_set()["generators"]
            for team in TEAMS
        }
        projects = {
            only(file)["metadata"]["name"]
            for file in argocd("prod-eu", TEAMS, URL).values()
            if only(file)["kind"] == "AppProject"
        }
        assert names == projects
        assert self.application_set()["template"]["spec"]["project"] == "{{.values.name}}"

    def test_a_team_may_deploy_claim_templates_in_its_namespaces_only(self) -> None:
        project = self.spec["gitops/argocd/prod-eu/project-team-speech.yaml"]
        assert project["namespaceResourceWhitelist"] == [{"group": "resource.k8s.io", "kind": "ResourceClaimTemplate"}]
        assert project["clusterResourceWhitelist"] == []
        assert project["sourceRepos"] == [URL]
        # The empty one is the destination of the Application itself; Argo CD refuses it otherwise.
        assert project["destinations"] == [
            {"name": "prod-eu", "namespace": ""},
            {"name": "prod-eu", "namespace": "speech"},
            {"name": "prod-eu", "namespace": "speech-staging"},
        ]
        assert "namespace" not in self.application_set()["template"]["spec"]["destination"]

    def test_the_platform_may_deploy_no_claim_templates(self) -> None:
        project = self.spec["gitops/argocd/prod-eu/project-platform.yaml"]
        assert {each["kind"] for each in project["clusterResourceWhitelist"]} == {
            "DeviceClass",
            "DeviceTaintRule",
            "ValidatingAdmissionPolicy",
            "ValidatingAdmissionPolicyBinding",
        }
        assert project["namespaceResourceWhitelist"] == [{"group": "", "kind": "ResourceQuota"}]

    def test_syncs_by_itself_prunes_last_and_never_deletes_with_an_application(self) -> None:
        template = self.application_set()["template"]
        assert template["spec"]["syncPolicy"] == {
            "automated": {"prune": True, "selfHeal": True, "allowEmpty": False},
            "syncOptions": ["ServerSideApply=true", "PruneLast=true"],
        }
        assert self.application_set()["syncPolicy"] == {"preserveResourcesOnDeletion": True}
        assert "finalizers" not in template["metadata"]

    def test_ignores_what_the_server_sets(self) -> None:
        assert self.application_set()["template"]["spec"]["ignoreDifferences"] == [
            {"group": "resource.k8s.io", "kind": "DeviceTaintRule", "jsonPointers": ["/spec/taint/timeAdded"]}
        ]


class TestFlux:
    spec = specs(flux("prod-eu", TEAMS, URL))

    def test_one_kustomization_for_the_platform_and_each_team(self) -> None:
        paths = {spec["path"] for path, spec in self.spec.items() if not path.endswith("source.yaml")}
        assert paths == {
            "./output/prod-eu/platform",
            "./output/prod-eu/teams/vision",
            "./output/prod-eu/teams/speech",
        }

    def test_teams_wait_for_the_platform_and_the_platform_for_nothing(self) -> None:
        files = flux("prod-eu", TEAMS, URL)
        platform = only(files["gitops/flux/prod-eu/platform.yaml"])
        assert "dependsOn" not in platform["spec"]
        for team in TEAMS:
            spec = self.spec[f"gitops/flux/prod-eu/team-{team.name}.yaml"]
            assert spec["dependsOn"] == [{"name": platform["metadata"]["name"]}]

    @pytest.mark.parametrize("name", ["platform", "team-vision"])
    def test_prunes_and_never_replaces_or_deletes_with_the_kustomization(self, name: str) -> None:
        spec = self.spec[f"gitops/flux/prod-eu/{name}.yaml"]
        assert (spec["prune"], spec["wait"], spec["force"], spec["deletionPolicy"]) == (True, True, False, "Orphan")
        assert "targetNamespace" not in spec
        for field in ("interval", "retryInterval", "timeout"):
            assert re.fullmatch(r"([0-9]+(\.[0-9]+)?(ms|s|m|h))+", spec[field])

    def test_the_source_is_ours_with_a_url_and_the_bootstrapped_one_without(self) -> None:
        def sources(files: dict[str, File]) -> set[str]:
            return {only(file)["spec"].get("sourceRef", {}).get("name") for file in files.values()} - {None}

        ours = flux("prod-eu", TEAMS, URL)
        assert only(ours["gitops/flux/prod-eu/source.yaml"])["spec"]["url"] == URL
        assert sources(ours) == {only(ours["gitops/flux/prod-eu/source.yaml"])["metadata"]["name"]}
        bootstrapped = flux("prod-eu", TEAMS, None)
        assert "gitops/flux/prod-eu/source.yaml" not in bootstrapped
        assert sources(bootstrapped) == {"flux-system"}


LABELS = st.from_regex(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?", fullmatch=True)
SUBDOMAIN = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*")


@given(st.sets(LABELS, min_size=1, max_size=4), st.sets(LABELS, min_size=1, max_size=4))
def test_names_are_valid_and_never_meet(clusters: set[str], teams: set[str]) -> None:
    members = [Team(name, (name,)) for name in sorted(teams)]
    projects = [
        str(only(file)["metadata"]["name"])
        for cluster in sorted(clusters)
        for file in argocd(cluster, members, URL).values()
    ]
    kustomizations = [str(only(file)["metadata"]["name"]) for file in flux("prod", members, URL).values()]
    for names in (projects, kustomizations):
        assert len(names) == len(set(names))
        assert all(SUBDOMAIN.fullmatch(name) and len(name) <= 253 for name in names)
    # Flux puts them into labels.
    assert all(len(name) <= 63 for name in kustomizations)


@pytest.mark.parametrize("tool", ["argocd", "flux"])
@pytest.mark.parametrize(
    "url",
    [
        URL,
        PLACEHOLDER_URL,
        "http://git.example.com:8080/claims",
        "ssh://git@git.example.com/platform/claims.git",
        "ssh://git@git.example.com:2222/platform/claims.git",
    ],
)
def test_takes_a_url(url: str, tool: str) -> None:
    assert url_problem(url, tool) is None


@pytest.mark.parametrize("tool", ["argocd", "flux"])
@pytest.mark.parametrize(
    "url",
    [
        "",
        "claims",
        "git.example.com/platform/claims",
        "https://",
        "https://git.example.com",
        "https://git.example.com/",
        "https:///claims.git",
        "https://[::1/claims",
        "file:///srv/claims.git",
        "https://git.example.com/my claims",
        "https://git.example.com/claims\n",
        "https://git.example.com/{{.x}}",
        "https://user:secret@git.example.com/claims",
        "https://token@git.example.com/claims",
        "ssh://git:secret@git.example.com/claims",
    ],
)
def test_refuses_a_url_and_does_not_repeat_its_secret(url: str, tool: str) -> None:
    problem = url_problem(url, tool)
    assert problem
    assert "secret" not in problem
    assert "token" not in problem


def test_the_short_form_of_ssh_is_for_argo_cd_only() -> None:
    url = "git@git.example.com:platform/claims.git"
    assert url_problem(url, "argocd") is None
    problem = url_problem(url, "flux")
    assert problem
    assert "ssh://git@git.example.com/platform/claims.git" in problem
    assert url_problem("ssh://git@git.example.com/platform/claims.git", "flux") is None

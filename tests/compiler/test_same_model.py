"""Distributed jobs on one model: a template an alternative, each with its own settings."""

from typing import Any

import pytest

from claimsmith.compiler.pods import PodSettings
from claimsmith.compiler.program import TeamOutput
from tests.compiler.clusters import compiled, templates
from tests.repo import CLUSTER, CLUSTER_FILE, PROFILE, PROFILE_FILE, Repo

H100, A100 = "h100-80gb.gpu.nvidia.com", "a100-80gb.gpu.nvidia.com"
PER_MODEL = "elastic: true\n    pods: 4\n    sameModel: template-per-model\n"
TEAM = "prod/teams/vision"


def documents(*changes: tuple[str, str]) -> dict[str, str]:
    text = PROFILE
    for old, new in (("elastic: true\n", PER_MODEL), *changes):
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return {CLUSTER_FILE: CLUSTER, PROFILE_FILE: text}


def claims_of(settings: PodSettings) -> list[dict[str, str]]:
    """``resourceClaims`` of the Pods."""
    found = settings.pod_spec["resourceClaims"]
    assert isinstance(found, list)
    return found


def team(texts: dict[str, str]) -> TeamOutput:
    [found] = compiled(texts).teams
    return found


def requests(template: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = template["spec"]["spec"]["devices"]["requests"]
    return found


def by_alternative(texts: dict[str, str]) -> dict[str, dict[str, Any]]:
    """Templates by the label that says of which alternative they are."""
    made = templates(compiled(texts), "vision")
    found = {each["metadata"]["labels"].get("claimsmith/alternative", ""): each for each in made}
    assert len(found) == len(made)
    return found


class TestTemplatePerModel:
    def test_templates(self) -> None:
        """The list is gone: each template asks for one model, exactly."""
        made = by_alternative(documents())
        assert set(made) == {"h100-80gb", "a100-80gb"}
        for name, device_class, count in (("h100-80gb", H100, 4), ("a100-80gb", A100, 8)):
            [request] = requests(made[name])
            assert set(request) == {"name", "exactly"}
            assert (request["exactly"]["deviceClassName"], request["exactly"]["count"]) == (device_class, count)
            assert made[name]["metadata"]["name"].startswith(f"vision-trainer-{name}-")

    def test_labels(self) -> None:
        """The claim is that of the profile; only the template says which alternative it is."""
        made = by_alternative(documents())["h100-80gb"]
        assert made["metadata"]["labels"] == {
            "app.kubernetes.io/managed-by": "claimsmith",
            "claimsmith/alternative": "h100-80gb",
            "claimsmith/claim": "trainer",
            "claimsmith/team": "vision",
        }
        assert made["spec"]["metadata"]["labels"] == {"claimsmith/claim": "trainer", "claimsmith/team": "vision"}

    def test_settings(self) -> None:
        """Each alternative's Pods name its template, under the claim's own name, and need no preference of nodes."""
        texts = documents()
        made, pods = by_alternative(texts), {each.name: each for each in team(texts).pods}
        assert set(pods) == {"trainer.h100-80gb", "trainer.a100-80gb"}
        for name in ("h100-80gb", "a100-80gb"):
            settings = pods[f"trainer.{name}"]
            assert settings.pod_spec["resourceClaims"] == [
                {"name": "trainer", "resourceClaimTemplateName": made[name]["metadata"]["name"]}
            ]
            assert settings.container == {"resources": {"claims": [{"name": "trainer"}]}}
            assert "affinity" not in settings.pod_spec

    def test_node_tolerations_of_its_own_pools(self) -> None:
        texts = documents()
        pool = "tolerations: [{key: a100, operator: Exists}], models: [A100-80GB]"
        texts[CLUSTER_FILE] = CLUSTER.replace("models: [A100-80GB]}", f"{pool}}}")
        pods = {each.name: each.pod_spec for each in team(texts).pods}
        assert "tolerations" not in pods["trainer.h100-80gb"]
        assert pods["trainer.a100-80gb"]["tolerations"] == [{"key": "a100", "operator": "Exists"}]

    def test_each_namespace(self) -> None:
        made = templates(compiled(documents(("[vision]", "[a, b]"))), "vision")
        assert sorted(each["metadata"]["namespace"] for each in made) == ["a", "a", "b", "b"]

    def test_the_rest_of_the_claim_is_the_same(self) -> None:
        nic = ("  workloads:", "    - {name: nic, deviceClass: rdma.dra.net, count: 2}\n  workloads:")
        made = by_alternative(documents(nic))
        [first], [second] = (requests(each)[1:] for each in made.values())
        assert first == second
        assert first["exactly"]["deviceClassName"] == "rdma.dra.net"

    def test_alternatives_of_one_model(self) -> None:
        made = by_alternative(documents(("{model: A100-80GB, count: 8}", "{model: H100-80GB, count: 2}")))
        assert set(made) == {"h100-80gb", "h100-80gb-2"}
        assert len({each["metadata"]["name"] for each in made.values()}) == 2

    def test_one_entry_is_no_list(self) -> None:
        texts = documents(("      - {model: A100-80GB, count: 8}\n", ""))
        assert set(by_alternative(texts)) == {""}
        assert [each.name for each in team(texts).pods] == ["trainer"]

    def test_an_edit_of_one_alternative_leaves_the_other(self) -> None:
        before, after = by_alternative(documents()), by_alternative(documents(("count: 8", "count: 16")))
        assert before["h100-80gb"] == after["h100-80gb"]
        assert before["a100-80gb"]["metadata"]["name"] != after["a100-80gb"]["metadata"]["name"]

    def test_a_claim_without_a_list_beside_it(self) -> None:
        texts = documents(
            ("  workloads:", "  - name: nic\n    requests: [{name: nic, deviceClass: rdma.dra.net}]\n  workloads:"),
            ("claims: [trainer]", "claims: [trainer, nic]"),
        )
        assert set(by_alternative(texts)) == {"", "h100-80gb", "a100-80gb"}
        nic = by_alternative(texts)[""]["metadata"]["name"]
        assert [claims_of(each)[1]["resourceClaimTemplateName"] for each in team(texts).pods] == [nic] * 2


class TestSharedClaim:
    """One workload takes a template a model, the other the list."""

    OTHER = ("  workloads:\n", "  workloads:\n  - {name: server, kind: Deployment, claims: [trainer], elastic: true}\n")

    def test_templates(self) -> None:
        made = by_alternative(documents(self.OTHER))
        assert set(made) == {"", "h100-80gb", "a100-80gb"}
        [request] = requests(made[""])
        assert [each["deviceClassName"] for each in request["firstAvailable"]] == [H100, A100]

    def test_each_names_its_own(self) -> None:
        texts = documents(self.OTHER)
        made = by_alternative(texts)
        assert {each.name: claims_of(each)[0]["resourceClaimTemplateName"] for each in team(texts).pods} == {
            "server": made[""]["metadata"]["name"],
            "trainer.h100-80gb": made["h100-80gb"]["metadata"]["name"],
            "trainer.a100-80gb": made["a100-80gb"]["metadata"]["name"],
        }
        assert {each.name for each in team(texts).pods if "affinity" in each.pod_spec} == {"server"}

    def test_two_that_take_a_template_a_model(self) -> None:
        texts = documents(
            (
                "  workloads:\n",
                "  workloads:\n  - {name: tuner, kind: Job, claims: [trainer], pods: 2, sameModel: template-per-model}\n",
            )
        )
        assert set(by_alternative(texts)) == {"h100-80gb", "a100-80gb"}
        assert [each.name for each in team(texts).pods] == [
            "tuner.h100-80gb",
            "tuner.a100-80gb",
            "trainer.h100-80gb",
            "trainer.a100-80gb",
        ]


class TestFiles:
    def test_values_and_patch_of_each(self, repo: Repo) -> None:
        repo.write_all(documents())
        assert repo.run("compile").status == 0
        written = repo.output()
        found = {path for path in written if path.startswith((f"{TEAM}/values/", f"{TEAM}/patches/"))}
        assert found == {
            f"{TEAM}/{kind}/trainer.{name}.yaml"
            for kind in ("values", "patches")
            for name in ("h100-80gb", "a100-80gb")
        }
        for path in found:
            name = path.split(".")[1]
            assert f"resourceClaimTemplateName: vision-trainer-{name}-".encode() in written[path]

    def test_refused(self, repo: Repo) -> None:
        repo.write_all(documents())
        repo.edit(PROFILE_FILE, "sameModel: template-per-model", "sameModel: refuse")
        result = repo.run("compile", "--format", "json")
        assert (result.status, result.rules) == (1, ["CS809"])
        assert not (repo.root / "output").exists()

    def test_refuse_with_one_entry(self, repo: Repo) -> None:
        repo.write_all(documents(("      - {model: A100-80GB, count: 8}\n", "")))
        repo.edit(PROFILE_FILE, "sameModel: template-per-model", "sameModel: refuse")
        assert repo.run("compile").status == 0
        assert f"{TEAM}/values/trainer.yaml" in repo.output()

    @pytest.mark.parametrize(("elastic", "rules"), [("true", []), ("false", ["CS807"])])
    def test_elastic(self, elastic: str, rules: list[str], repo: Repo) -> None:
        """Only says whether different counts are meant; the output is the same."""
        repo.edit(PROFILE_FILE, "elastic: true", f"elastic: {elastic}")
        assert repo.run("compile", "--format", "json").rules == rules
        assert f"{TEAM}/values/trainer.yaml" in repo.output()

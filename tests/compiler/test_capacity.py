"""Quotas, reservations and the admission policy that closes what they leave open."""

from typing import Any

import celpy
import pytest
from celpy.adapter import json_to_cel
from hypothesis import given
from hypothesis import strategies as st

from claimsmith.compiler.quotas import charge
from claimsmith.kubernetes.defaults import apply_defaults
from claimsmith.kubernetes.drop import drop
from tests.compiler.clusters import compiled, objects, profiles_of, templates
from tests.repo import CLUSTER, CLUSTER_FILE, PROFILE, PROFILE_FILE

H100, A100, A100_PART = "h100-80gb.gpu.nvidia.com", "a100-80gb.gpu.nvidia.com", "a100-80gb-3g.40gb.gpu.nvidia.com"
SUFFIX = ".deviceclass.resource.k8s.io/devices"
SPEECH = PROFILE.replace("vision", "speech")
PROFILES = {PROFILE_FILE: PROFILE, "profiles/teams/speech.yaml": SPEECH}


def documents(*settings: str, reservation: str = "", kubernetes: str = "1.37") -> dict[str, str]:
    """The cluster of ``tests.repo`` with two like teams; ``reservation`` are lines of one for team speech."""
    spec = f'kubernetes: "{kubernetes}"\n' + "".join(f"  {line}\n" for line in settings)
    texts = {CLUSTER_FILE: CLUSTER.replace('kubernetes: "1.37"\n', spec), **PROFILES}
    if reservation:
        head = (
            "apiVersion: claimsmith/v1alpha1\nkind: Reservation\nmetadata: {name: for-speech}\nspec:\n  team: speech\n"
        )
        texts["profiles/reservations/speech.yaml"] = head + "".join(f"  {line}\n" for line in reservation.splitlines())
    return texts


def quotas(texts: dict[str, str]) -> dict[tuple[str, str], dict[str, str]]:
    """By namespace and name, the hard limits by class."""
    return {
        (each["metadata"]["namespace"], each["metadata"]["name"]): {
            key.removesuffix(SUFFIX): value for key, value in each["spec"]["hard"].items()
        }
        for each in objects(compiled(texts), "resourcequotas.yaml")
    }


class TestQuotas:
    def test_in_full(self) -> None:
        texts = documents("quotas: [{team: vision, model: h100-80gb, devices: 16}]")
        assert objects(compiled(texts), "resourcequotas.yaml") == [
            {
                "apiVersion": "v1",
                "kind": "ResourceQuota",
                "metadata": {
                    "name": "claimsmith-vision",
                    "namespace": "vision",
                    "labels": {"app.kubernetes.io/managed-by": "claimsmith", "claimsmith/team": "vision"},
                },
                "spec": {"hard": {"h100-80gb.gpu.nvidia.com.deviceclass.resource.k8s.io/devices": "16"}},
            }
        ]

    def test_none(self) -> None:
        assert quotas(documents()) == {}

    def test_of_each_namespace(self) -> None:
        texts = documents("quotas: [{team: vision, model: A100-80GB, devices: 8}]")
        texts[PROFILE_FILE] = PROFILE.replace("[vision]", "[vision-b, vision-a]")
        assert quotas(texts) == {
            ("vision-a", "claimsmith-vision"): {A100: "8"},
            ("vision-b", "claimsmith-vision"): {A100: "8"},
        }

    def test_of_a_partition(self) -> None:
        texts = documents("quotas: [{team: vision, model: A100-80GB, partition: 3G.40gb, devices: 4}]")
        assert quotas(texts) == {("vision", "claimsmith-vision"): {A100_PART: "4"}}

    def test_the_smallest_of_several(self) -> None:
        each = "{team: vision, model: A100-80GB, devices: %d}"
        texts = documents(f"quotas: [{each % 9}, {each % 8}, {each % 10}]")
        assert quotas(texts) == {("vision", "claimsmith-vision"): {A100: "8"}}

    def test_zero(self) -> None:
        texts = documents("quotas: [{team: vision, model: A100-80GB, devices: 0}]")
        assert quotas(texts) == {("vision", "claimsmith-vision"): {A100: "0"}}


class TestReservedClasses:
    """Zero for the others, and nothing for the owner."""

    def test_model_and_the_drivers_class(self) -> None:
        texts = documents(reservation="models: [h100-80gb]")
        assert quotas(texts) == {("vision", "claimsmith-vision"): {"gpu.nvidia.com": "0", H100: "0"}}

    def test_its_partitions_too(self) -> None:
        texts = documents(reservation="models: [A100-80GB]")
        nothing = dict.fromkeys((A100_PART, A100, "gpu.nvidia.com", "mig.nvidia.com"), "0")
        assert quotas(texts) == {("vision", "claimsmith-vision"): nothing}

    def test_over_a_quota(self) -> None:
        texts = documents(
            "quotas: [{team: vision, model: H100-80GB, devices: 8}, {team: speech, model: H100-80GB, devices: 4}]",
            reservation="models: [H100-80GB]",
        )
        assert quotas(texts) == {
            ("speech", "claimsmith-speech"): {H100: "4"},
            ("vision", "claimsmith-vision"): {"gpu.nvidia.com": "0", H100: "0"},
        }

    def test_node_pool_alone(self) -> None:
        assert quotas(documents(reservation="nodePool: h100")) == {}

    def test_other_cluster(self) -> None:
        assert quotas(documents(reservation="clusters: [lab]\nmodels: [H100-80GB]")) == {}


CHOICES = st.lists(
    st.tuples(st.sampled_from(["H100-80GB", "A100-80GB", "A100-80GB, partition: 3g.40gb"]), st.integers(1, 8)),
    min_size=1,
    max_size=4,
)
CLASS_OF = {"H100-80GB": H100, "A100-80GB": A100, "A100-80GB, partition: 3g.40gb": A100_PART}


def charged_by_kubernetes(claim: dict[str, Any]) -> dict[str, int]:
    """``claimEvaluator.Usage`` of ``pkg/quota/v1/evaluator/core/resource_claims.go``."""
    total: dict[str, int] = {}

    def devices(request: dict[str, Any]) -> int:
        return 32 if request["allocationMode"] == "All" else int(request["count"])

    for request in claim["devices"]["requests"]:
        if "exactly" in request:
            name = request["exactly"]["deviceClassName"]
            total[name] = total.get(name, 0) + devices(request["exactly"])
            continue
        most: dict[str, int] = {}
        for alternative in request["firstAvailable"]:
            name = alternative["deviceClassName"]
            most[name] = max(most.get(name, 0), devices(alternative))
        for name, count in most.items():
            total[name] = total.get(name, 0) + count
    return total


def charges(requests: list[str]) -> tuple[dict[str, int], dict[str, int]]:
    """What we say, and what Kubernetes would of the template that we emit."""
    listed = "".join(f"    - {{name: r{index}, {each}}}\n" for index, each in enumerate(requests))
    old = PROFILE[PROFILE.index("    - name: gpu") : PROFILE.index("  workloads")]
    texts = documents()
    texts[PROFILE_FILE] = PROFILE.replace(old, listed)
    _, [_, resolved] = profiles_of(texts)
    [template] = templates(compiled(texts), "vision")
    return charge(resolved.claims[0]), charged_by_kubernetes(template["spec"]["spec"])


def prefer(entries: list[tuple[str, int | str]]) -> str:
    listed = ", ".join(f"{{model: {model}, count: {count}}}" for model, count in entries)
    return f"driver: gpu.nvidia.com, prefer: [{listed}]"


class TestCharge:
    def test_every_class_of_a_list(self) -> None:
        ours, _ = charges([prefer([("H100-80GB", 4), ("A100-80GB", 8)])])
        assert ours == {H100: 4, A100: 8}

    def test_the_most_within_a_list_and_the_sum_of_requests(self) -> None:
        twice = prefer([("A100-80GB", 2), ("H100-80GB", 1), ("A100-80GB", 5)])
        ours, _ = charges([twice, prefer([("A100-80GB", 1)]), "deviceClass: rdma.dra.net, count: 2"])
        assert ours == {A100: 6, H100: 1, "rdma.dra.net": 2}

    def test_all(self) -> None:
        ours, theirs = charges([prefer([("A100-80GB", "all")])])
        assert ours == theirs == {A100: 32}

    @given(
        st.lists(CHOICES.map(lambda found: prefer([(model, count) for model, count in found])), min_size=1, max_size=3)
    )
    def test_as_kubernetes_does(self, requests: list[str]) -> None:
        ours, theirs = charges(requests)
        assert ours == theirs


def policy(texts: dict[str, str], team: str = "vision") -> tuple[dict[str, Any], dict[str, Any]]:
    """The policy of a team and its binding."""
    made = {
        (each["kind"], each["metadata"]["name"]): each for each in objects(compiled(texts), "admissionpolicies.yaml")
    }
    name = f"claimsmith-{team}"
    return made["ValidatingAdmissionPolicy", name], made["ValidatingAdmissionPolicyBinding", name]


def admitted(spec: dict[str, Any], obj: dict[str, Any]) -> bool:
    """The policy's answer: variables in order, then every validation."""
    variables: dict[str, Any] = {}
    environment = celpy.Environment()

    def evaluate(expression: str) -> Any:
        program = environment.program(environment.compile(expression))
        return program.evaluate({"object": json_to_cel(obj), "variables": celpy.celtypes.MapType(variables)})

    for each in spec["variables"]:
        variables[celpy.celtypes.StringType(each["name"])] = evaluate(each["expression"])
    return all(bool(evaluate(each["expression"])) for each in spec["validations"])


def claim(*requests: dict[str, Any], template: bool = False) -> dict[str, Any]:
    """A ResourceClaim, or a template of one."""
    spec: dict[str, Any] = {"devices": {"requests": list(requests)}}
    kind = "ResourceClaimTemplate" if template else "ResourceClaim"
    return {"apiVersion": "resource.k8s.io/v1", "kind": kind, "spec": {"spec": spec} if template else spec}


def exactly(name: str) -> dict[str, Any]:
    return {"name": "r", "exactly": {"deviceClassName": name}}


def either(*names: str) -> dict[str, Any]:
    return {
        "name": "r",
        "firstAvailable": [{"name": f"a{index}", "deviceClassName": each} for index, each in enumerate(names)],
    }


class TestAdmission:
    POLICY = "admissionPolicy: true"

    def test_only_where_wanted(self) -> None:
        assert objects(compiled(documents()), "admissionpolicies.yaml") == []

    def test_whom_it_concerns(self) -> None:
        texts = documents(self.POLICY)
        texts[PROFILE_FILE] = PROFILE.replace("[vision]", "[vision-b, vision-a]")
        made, binding = policy(texts)
        match = made["spec"]["matchConstraints"]
        assert match["namespaceSelector"] == {
            "matchExpressions": [
                {"key": "kubernetes.io/metadata.name", "operator": "In", "values": ["vision-a", "vision-b"]}
            ]
        }
        assert match["resourceRules"] == [
            {
                "apiGroups": ["resource.k8s.io"],
                "apiVersions": ["v1"],
                "operations": ["CREATE"],
                "resources": ["resourceclaims", "resourceclaimtemplates"],
                "scope": "*",
            }
        ]
        assert (match["matchPolicy"], made["spec"]["failurePolicy"]) == ("Equivalent", "Fail")
        assert binding["spec"] == {"policyName": "claimsmith-vision", "validationActions": ["Deny"]}

    def test_what_it_says(self) -> None:
        made, _ = policy(documents(self.POLICY, reservation="models: [H100-80GB]"))
        [validation] = made["spec"]["validations"]
        allowed = f"{A100_PART}, {A100}"
        assert validation["message"].startswith(f"team vision may use these device classes only: {allowed}")
        assert H100 not in validation["message"]

    @pytest.mark.parametrize("template", [False, True], ids=["claim", "template"])
    @pytest.mark.parametrize(
        ("requests", "answer"),
        [
            ([exactly(A100)], True),
            ([exactly(H100)], True),
            ([exactly("gpu.nvidia.com")], False),
            ([exactly("mig.nvidia.com")], False),
            ([exactly("anything.example.com")], False),
            ([either(H100, A100)], True),
            ([either(H100, "gpu.nvidia.com")], False),
            ([either("gpu.nvidia.com", H100)], False),
            ([exactly(A100), either(H100, A100_PART)], True),
            ([exactly(A100), either(H100, "gpu.nvidia.com")], False),
            ([exactly("gpu.nvidia.com"), exactly(A100)], False),
            ([], True),
        ],
    )
    def test_answers(self, requests: list[dict[str, Any]], answer: bool, template: bool) -> None:
        made, _ = policy(documents(self.POLICY))
        assert admitted(made["spec"], claim(*requests, template=template)) is answer

    @pytest.mark.parametrize("spec", [{}, {"devices": {}}, {"spec": {}}, {"spec": {"devices": {}}}])
    def test_nothing_requested(self, spec: dict[str, Any]) -> None:
        made, _ = policy(documents(self.POLICY))
        assert admitted(made["spec"], {"spec": spec})

    def test_reserved(self) -> None:
        texts = documents(self.POLICY, reservation="models: [H100-80GB]")
        theirs, owners = policy(texts, "vision")[0]["spec"], policy(texts, "speech")[0]["spec"]
        assert (admitted(theirs, claim(exactly(H100))), admitted(owners, claim(exactly(H100)))) == (False, True)

    def test_classes_of_others_that_the_profile_names(self) -> None:
        texts = documents(self.POLICY)
        texts[PROFILE_FILE] = PROFILE.replace("  workloads:", "    - {name: nic, deviceClass: dranet}\n  workloads:")
        named, other = policy(texts, "vision")[0]["spec"], policy(texts, "speech")[0]["spec"]
        request = claim(exactly("dranet"))
        assert (admitted(named, request), admitted(other, request)) == (True, False)

    def test_our_own_templates(self) -> None:
        texts = documents(self.POLICY)
        made, _ = policy(texts)
        for each in templates(compiled(texts), "vision"):
            assert admitted(made["spec"], each)


class TestReservedPools:
    RESERVED = "pools: [{driver: gpu.nvidia.com, pool: node-7}]"
    TOLERATION = {"key": "claimsmith/reserved", "operator": "Equal", "value": "speech", "effect": "NoSchedule"}

    def tolerations(self, texts: dict[str, str], team: str) -> list[Any]:
        """The tolerations of every alternative of a team's one template."""
        [template] = templates(compiled(texts), team)
        [request] = template["spec"]["spec"]["devices"]["requests"]
        return [each.get("tolerations") for each in request["firstAvailable"]]

    def test_taint(self) -> None:
        [rule] = objects(compiled(documents(reservation=self.RESERVED)), "devicetaintrules.yaml")
        assert rule["metadata"]["name"].startswith("reserved-for-speech-")
        assert rule["spec"] == {
            "deviceSelector": {"driver": "gpu.nvidia.com", "pool": "node-7"},
            "taint": {"key": "claimsmith/reserved", "value": "speech", "effect": "NoSchedule"},
        }

    def test_only_the_owner_tolerates_it(self) -> None:
        texts = documents(reservation=self.RESERVED)
        assert self.tolerations(texts, "speech") == [[self.TOLERATION], [self.TOLERATION]]
        assert self.tolerations(texts, "vision") == [None, None]

    def test_beside_its_own_tolerations(self) -> None:
        own = {"key": "example.com/dedicated", "operator": "Exists"}
        texts = documents(reservation=self.RESERVED)
        require = '      require: {memory: ">= 70Gi"}\n'
        texts["profiles/teams/speech.yaml"] = SPEECH.replace(
            require, f"{require}      tolerate: [{{key: example.com/dedicated, operator: Exists}}]\n"
        )
        assert self.tolerations(texts, "speech") == [[own, self.TOLERATION]] * 2

    def test_other_driver(self) -> None:
        texts = documents(reservation="pools: [{driver: dra.net, pool: node-7}]")
        assert self.tolerations(texts, "speech") == [None, None]

    @pytest.mark.parametrize("kubernetes", ["1.34", "1.35", "1.36"])
    def test_where_rules_are_not_obeyed(self, kubernetes: str) -> None:
        texts = documents(reservation=self.RESERVED, kubernetes=kubernetes)
        assert objects(compiled(texts), "devicetaintrules.yaml") == []

    def test_the_target_stores_it(self) -> None:
        texts = documents("admissionPolicy: true", reservation=f"{self.RESERVED}\nmodels: [H100-80GB]")
        context, _ = profiles_of(texts)
        output = compiled(texts)
        emitted = [*templates(output, "speech"), *(each for file in output.platform for each in objects(output, file))]
        assert len({each["kind"] for each in emitted}) == 6
        for each in emitted:
            assert drop(each, context.target) == (each, [])
            assert apply_defaults(each) == each


class TestReservedNodePools:
    POOLS = CLUSTER[CLUSTER.index("  nodePools") :]
    SHARED = (
        "  nodePools:\n"
        "  - {name: h100, nodeSelector: {pool: h100}, models: [H100-80GB]}\n"
        "  - {name: a100, nodeSelector: {pool: a100}, models: [A100-80GB]}\n"
        "  - name: own\n"
        "    nodeSelector: {pool: own}\n"
        "    models: [H100-80GB, A100-80GB]\n"
        "    tolerations: [{key: example.com/speech, operator: Exists, effect: NoSchedule}]\n"
    )

    def pod(self, team: str) -> Any:
        texts = documents(reservation="nodePool: own")
        texts[CLUSTER_FILE] = texts[CLUSTER_FILE].replace(self.POOLS, self.SHARED)
        [found] = [each for each in compiled(texts).teams if each.team == team]
        return found.pods[0].pod_spec

    def preferred(self, team: str) -> list[str]:
        affinity = self.pod(team)["affinity"]["nodeAffinity"]["preferredDuringSchedulingIgnoredDuringExecution"]
        return [each["preference"]["matchExpressions"][0]["values"][0] for each in affinity]

    def test_the_owner_runs_there(self) -> None:
        spec = self.pod("speech")
        assert spec["nodeSelector"] == {"pool": "own"}
        assert spec["tolerations"] == [{"key": "example.com/speech", "operator": "Exists", "effect": "NoSchedule"}]

    def test_the_others_do_not(self) -> None:
        spec = self.pod("vision")
        assert "nodeSelector" not in spec
        assert "tolerations" not in spec
        assert self.preferred("vision") == ["h100", "a100"]

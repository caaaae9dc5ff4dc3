"""Quarantines by rule, by selector and ``auto``, on every minor."""

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from claimsmith.compiler.quarantine import plan_quarantine
from claimsmith.kubernetes.defaults import apply_defaults
from claimsmith.kubernetes.drop import drop
from tests.compiler.clusters import compiled, context_of, objects, templates
from tests.repo import CLUSTER, CLUSTER_FILE, PROFILE, PROFILE_FILE

RULES, CLASSES = "devicetaintrules.yaml", "deviceclasses.yaml"
DEVICE = "{driver: gpu.nvidia.com, pool: node-7, device: gpu-3, uuid: GPU-0a1b}"
GATES = "featureGates: {DRADeviceTaints: true, DRADeviceTaintRules: true}"
TARGETS = {
    "1.34": ("1.34", "", None),
    "1.34 gate": ("1.34", "featureGates: {DRADeviceTaints: true}", None),
    "1.34 gate and API": (
        "1.34",
        "featureGates: {DRADeviceTaints: true}\n  runtimeConfig: {resource.k8s.io/v1alpha3: true}",
        "resource.k8s.io/v1alpha3",
    ),
    "1.35": ("1.35", "", None),
    "1.35 gates": ("1.35", GATES, None),
    "1.35 gates and API": (
        "1.35",
        f"{GATES}\n  runtimeConfig: {{resource.k8s.io/v1alpha3: true}}",
        "resource.k8s.io/v1alpha3",
    ),
    "1.36": ("1.36", "", None),
    "1.36 API": ("1.36", "runtimeConfig: {resource.k8s.io/v1beta2: true}", None),
    "1.36 gate": ("1.36", "featureGates: {DRADeviceTaintRules: true}", None),
    "1.36 gate and API": (
        "1.36",
        "featureGates: {DRADeviceTaintRules: true}\n  runtimeConfig: {resource.k8s.io/v1beta2: true}",
        "resource.k8s.io/v1beta2",
    ),
    "1.37": ("1.37", "", "resource.k8s.io/v1"),
    "1.37 gate off": ("1.37", "featureGates: {DRADeviceTaintRules: false}", None),
}


def quarantine(name: str, *devices: str, pools: str = "", effect: str = "", clusters: str = "") -> str:
    lines = [f"devices: [{', '.join(devices)}]" if devices else "", pools and f"pools: [{pools}]"]
    lines += [effect and f"effect: {effect}", clusters and f"clusters: [{clusters}]", "reason: sick"]
    spec = "".join(f"  {line}\n" for line in lines if line)
    return f"apiVersion: claimsmith/v1alpha1\nkind: Quarantine\nmetadata: {{name: {name}}}\nspec:\n{spec}"


def documents(*quarantines: str, target: str = "1.37", strategy: str = "auto") -> dict[str, str]:
    kubernetes, settings, _ = TARGETS[target]
    spec = f'kubernetes: "{kubernetes}"\n  quarantine: {strategy}\n' + (f"  {settings}\n" if settings else "")
    return {
        CLUSTER_FILE: CLUSTER.replace('kubernetes: "1.37"\n', spec),
        PROFILE_FILE: PROFILE,
        **{f"profiles/quarantines/{number}.yaml": text for number, text in enumerate(quarantines)},
    }


def rules(*quarantines: str, target: str = "1.37", strategy: str = "auto") -> list[dict[str, Any]]:
    return objects(compiled(documents(*quarantines, target=target, strategy=strategy)), RULES)


def exclusions(*quarantines: str, target: str = "1.37", strategy: str = "auto") -> dict[str, list[str]]:
    """By class, the selectors that keep identities out."""
    made = objects(compiled(documents(*quarantines, target=target, strategy=strategy)), CLASSES)
    found = {}
    for each in made:
        texts = [selector["cel"]["expression"] for selector in each["spec"]["selectors"]]
        found[each["metadata"]["name"]] = [text for text in texts if "GPU-" in text]
    return {name: texts for name, texts in found.items() if texts}


def reported(*quarantines: str, target: str = "1.37", strategy: str = "auto") -> list[str]:
    _, findings = plan_quarantine(context_of(documents(*quarantines, target=target, strategy=strategy)))
    return [finding.rule for finding in findings]


@pytest.mark.parametrize("strategy", ["auto", "rule", "selector"])
@pytest.mark.parametrize("target", list(TARGETS))
def test_way(target: str, strategy: str) -> None:
    """A rule where the target obeys it and the strategy allows it, else the classes; never both, never neither in
    silence."""
    _, _, version = TARGETS[target]
    sick = quarantine("sick", DEVICE)
    by_rule = version is not None and strategy != "selector"
    by_selector = not by_rule and strategy != "rule"
    assert [each["apiVersion"] for each in rules(sick, target=target, strategy=strategy)] == [version] * by_rule
    assert bool(exclusions(sick, target=target, strategy=strategy)) == by_selector
    assert reported(sick, target=target, strategy=strategy) == ([] if by_rule or by_selector else ["CS601"])


@pytest.mark.parametrize("target", [name for name, (_, _, version) in TARGETS.items() if version])
def test_rule_in_full(target: str) -> None:
    [rule] = rules(quarantine("sick", DEVICE), target=target)
    name = rule["metadata"].pop("name")
    assert name.startswith("quarantine-sick-")
    assert rule == {
        "apiVersion": TARGETS[target][2],
        "kind": "DeviceTaintRule",
        "metadata": {"labels": {"app.kubernetes.io/managed-by": "claimsmith"}},
        "spec": {
            "deviceSelector": {"driver": "gpu.nvidia.com", "pool": "node-7", "device": "gpu-3"},
            "taint": {"key": "claimsmith/quarantine", "value": "sick", "effect": "NoSchedule"},
        },
    }


def test_exclusion_in_full() -> None:
    """In the classes of models by the device's own identity, in those of parts by that of the device they are of."""
    in_models = '!(device.attributes["gpu.nvidia.com"].?uuid.orValue("") in ["GPU-0a1b", "GPU-ffff"])'
    in_parts = '!(device.attributes["gpu.nvidia.com"].?parentUUID.orValue("") in ["GPU-0a1b", "GPU-ffff"])'
    other = "{driver: gpu.nvidia.com, uuid: GPU-ffff}"
    assert exclusions(quarantine("sick", other, DEVICE), strategy="selector") == {
        "h100-80gb.gpu.nvidia.com": [in_models],
        "a100-80gb.gpu.nvidia.com": [in_models],
        "a100-80gb-3g.40gb.gpu.nvidia.com": [in_models, in_parts],
    }


def test_pool_by_rule() -> None:
    [rule] = rules(quarantine("rack", pools="{driver: gpu.nvidia.com, pool: node-7}"))
    assert rule["spec"]["deviceSelector"] == {"driver": "gpu.nvidia.com", "pool": "node-7"}


@pytest.mark.parametrize("effect", ["NoSchedule", "NoExecute", "None"])
def test_effects(effect: str) -> None:
    [rule] = rules(quarantine("sick", DEVICE, effect=effect))
    assert rule["spec"]["taint"]["effect"] == effect


def test_effect_that_the_target_lacks() -> None:
    assert reported(quarantine("sick", DEVICE, effect="None"), target="1.34 gate and API") == ["CS227"]


def test_effect_none_excludes_nothing() -> None:
    assert exclusions(quarantine("sick", DEVICE, effect="None"), strategy="selector") == {}
    assert reported(quarantine("sick", DEVICE, effect="None"), strategy="selector") == ["CS605"]


class TestAuto:
    """Each entry for itself."""

    ONLY_UUID = "{driver: gpu.nvidia.com, uuid: GPU-ffff}"
    ONLY_NAME = "{driver: gpu.nvidia.com, pool: node-8, device: gpu-0}"
    NOTHING = "{driver: gpu.nvidia.com, device: gpu-0}"

    def test_where_rules_work(self) -> None:
        mixed = quarantine("sick", DEVICE, self.ONLY_UUID, self.ONLY_NAME)
        assert [each["spec"]["deviceSelector"]["pool"] for each in by_pool(rules(mixed))] == ["node-7", "node-8"]
        assert set(map(tuple, exclusions(mixed).values())) >= {
            ('!(device.attributes["gpu.nvidia.com"].?uuid.orValue("") in ["GPU-ffff"])',)
        }
        assert reported(mixed) == []

    def test_where_they_do_not(self) -> None:
        mixed = quarantine("sick", DEVICE, self.ONLY_UUID, self.ONLY_NAME)
        assert rules(mixed, target="1.36") == []
        [in_models] = exclusions(mixed, target="1.36")["h100-80gb.gpu.nvidia.com"]
        assert in_models.endswith('in ["GPU-0a1b", "GPU-ffff"])')
        assert reported(mixed, target="1.36") == ["CS603"]

    def test_neither(self) -> None:
        assert reported(quarantine("sick", self.NOTHING)) == ["CS603"]
        assert reported(quarantine("sick", self.NOTHING), target="1.36") == ["CS603"]
        assert reported(quarantine("sick", self.ONLY_UUID), strategy="rule") == ["CS603"]


def by_pool(made: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    return sorted(made, key=lambda each: str(each["spec"]["deviceSelector"]["pool"]))


class TestSeveralQuarantines:
    def test_of_one_device_by_rule(self) -> None:
        """Each has its taint, so that lifting one leaves the other."""
        both = [quarantine("ecc", DEVICE), quarantine("fan", DEVICE, effect="NoExecute")]
        made = rules(*both)
        assert {each["spec"]["taint"]["value"]: each["spec"]["taint"]["effect"] for each in made} == {
            "ecc": "NoSchedule",
            "fan": "NoExecute",
        }
        assert len({each["metadata"]["name"] for each in made}) == 2
        assert rules(both[1]) == [each for each in made if each["spec"]["taint"]["value"] == "fan"]

    def test_of_one_device_by_selector(self) -> None:
        both = [quarantine("ecc", DEVICE), quarantine("fan", DEVICE)]
        assert exclusions(*both, strategy="selector") == exclusions(both[0], strategy="selector")

    def test_one_device_twice_in_one(self) -> None:
        assert len(rules(quarantine("ecc", DEVICE, DEVICE))) == 1

    def test_names_that_run_into_each_other(self) -> None:
        one = quarantine("a", "{driver: gpu.nvidia.com, pool: b, device: c}", pools="{driver: gpu.nvidia.com, pool: b}")
        made = rules(one, quarantine("a-b", "{driver: gpu.nvidia.com, pool: b, device: c}"))
        assert len({each["metadata"]["name"] for each in made}) == len(made) == 3


class TestOtherClusters:
    def test_not_named(self) -> None:
        assert rules(quarantine("sick", DEVICE, clusters="lab")) == []

    def test_driver_that_is_not_there(self) -> None:
        absent = "{driver: gpu.amd.com, pool: node-7, device: gpu-0-128}"
        assert rules(quarantine("sick", absent)) == []
        assert reported(quarantine("sick", absent)) == []
        assert reported(quarantine("sick", absent, clusters="prod")) == ["CS602"]

    def test_the_rest_of_it_is_kept_out(self) -> None:
        absent = "{driver: gpu.amd.com, pool: node-7, device: gpu-0-128}"
        assert rules(quarantine("sick", absent, DEVICE)) == rules(quarantine("sick", DEVICE))

    def test_driver_without_identity(self) -> None:
        device = quarantine("sick", "{driver: dra.net, uuid: eth0}")
        assert reported(device, strategy="selector") == ["CS604"]
        assert exclusions(device, strategy="selector") == {}


def entries() -> st.SearchStrategy[list[tuple[str, str, str | None]]]:
    """Names of quarantines with what each keeps out: a device of a pool, or the pool."""
    names = st.sampled_from(["a", "b", "a-b"])
    pools = st.sampled_from(["node-1", "node-2", "node-1/x"])
    devices = st.sampled_from(["gpu-0", "gpu-1", None])
    return st.lists(st.tuples(names, pools, devices), min_size=1, max_size=8, unique=True)


def written(found: Sequence[tuple[str, str, str | None]]) -> Iterator[str]:
    for name in sorted({each[0] for each in found}):
        mine = [(pool, device) for owner, pool, device in found if owner == name]
        devices = [f"{{driver: gpu.nvidia.com, pool: {pool}, device: {device}}}" for pool, device in mine if device]
        pools = ", ".join(f"{{driver: gpu.nvidia.com, pool: {pool}}}" for pool, device in mine if not device)
        yield quarantine(name, *devices, pools=pools)


@given(entries(), st.data())
def test_names_are_stable_and_unique(found: list[tuple[str, str, str | None]], data: st.DataObject) -> None:
    """A rule keeps its name and content whatever else is put in quarantine, or lifted."""
    every = {each["metadata"]["name"]: each for each in rules(*written(found))}
    assert len(every) == len(found)
    assert all(each["spec"]["deviceSelector"].keys() >= {"driver", "pool"} for each in every.values())
    some = data.draw(st.lists(st.sampled_from(found), unique=True))
    fewer = {each["metadata"]["name"]: each for each in rules(*written(some))}
    assert len(fewer) == len(some)
    assert fewer.items() <= every.items()


@pytest.mark.parametrize("strategy", ["auto", "rule", "selector"])
@pytest.mark.parametrize("target", list(TARGETS))
def test_the_target_stores_what_is_emitted(target: str, strategy: str) -> None:
    texts = documents(quarantine("sick", DEVICE, TestAuto.ONLY_UUID), target=target, strategy=strategy)
    context, output = context_of(texts), compiled(texts)
    emitted = [each for file in output.platform for each in objects(output, file)]
    assert emitted
    for each in emitted:
        assert drop(each, context.target) == (each, [])
        assert apply_defaults(each) == each


def test_the_most_that_a_selector_holds() -> None:
    """About 200 devices: the classes of parts have the longest selector."""
    many = [f"{{driver: gpu.nvidia.com, uuid: GPU-{number:036}}}" for number in range(231)]
    texts = exclusions(quarantine("rack", *many), strategy="selector")
    assert (
        max(len(text) for found in texts.values() for text in found) <= context_of(documents()).target.limits.cel_length
    )


@pytest.mark.parametrize("strategy", ["rule", "selector"])
def test_lifting_renames_no_template(strategy: str) -> None:
    """What is kept out is never written into templates, which cannot be changed."""
    free = compiled(documents(strategy=strategy))
    kept_out = compiled(documents(quarantine("sick", DEVICE), strategy=strategy))
    assert templates(kept_out, "vision") == templates(free, "vision") != []
    assert (objects(kept_out, RULES) != []) == (strategy == "rule")
    assert objects(free, RULES) == []
    assert (objects(kept_out, CLASSES) != objects(free, CLASSES)) == (strategy == "selector")
    assert [each["metadata"] for each in objects(kept_out, CLASSES)] == [
        each["metadata"] for each in objects(free, CLASSES)
    ]


def test_the_order_of_documents_means_nothing() -> None:
    parts = [quarantine("a", DEVICE), quarantine("b", "{driver: gpu.nvidia.com, pool: node-1, device: gpu-1}")]
    assert rules(*parts) == rules(*reversed(parts))
    assert exclusions(*parts, strategy="selector") == exclusions(*reversed(parts), strategy="selector")

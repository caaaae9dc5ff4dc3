"""What holds of the output whatever the profiles say, and of whatever is wrong with them."""

import copy
import itertools
import json
import random
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from claimsmith.kubernetes import resolve_target
from claimsmith.kubernetes.capabilities import Target
from claimsmith.kubernetes.defaults import apply_defaults
from claimsmith.kubernetes.drop import drop
from tests.compiler.generated import FOREIGN_CLASS, Generated, Tree, as_yaml, repositories
from tests.repo import DOCUMENTS, PROFILE, PROFILE_FILE, Repo

DNS_LABEL = re.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
DNS_SUBDOMAIN = re.compile(rf"(?=.{{1,253}}$){DNS_LABEL.pattern}(\.{DNS_LABEL.pattern})*")
LABEL_VALUE = re.compile("([A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?)?")
MODEL = re.compile(r'\.\?productName\.orValue\(""\) (?:== ("[^"]*")|in (\[[^]]*\]))')

few = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    database=None,
    # A smaller example would take minutes to find.
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)


def compiled(documents: Mapping[str, str], *arguments: str) -> tuple[dict[str, bytes], list[dict[str, Any]]]:
    """The output of a repository with these files, and what was said about them."""
    with tempfile.TemporaryDirectory() as folder:
        repo = Repo(Path(folder))
        (repo.root / "profiles").mkdir()
        repo.write_all(documents)
        findings = repo.run("compile", "--format", "json", *arguments).findings
        return repo.output(), findings


def one_a_file(documents: Sequence[Tree]) -> dict[str, str]:
    return {f"profiles/{number:02}.yaml": as_yaml(each) for number, each in enumerate(documents)}


def output_of(generated: Generated) -> dict[str, bytes]:
    output, findings = compiled(one_a_file(generated.documents))
    errors = [(each["rule"], each["message"]) for each in findings if each["severity"] == "error"]
    assert errors == [], "the generator made an invalid repository"
    return output


def objects(output: Mapping[str, bytes], cluster: str, kind: str) -> list[dict[str, Any]]:
    return [
        each
        for path, data in output.items()
        if path.startswith(f"{cluster}/") and path.endswith(".yaml")
        for each in yaml.safe_load_all(data)
        if each.get("kind") == kind
    ]


def requests_of(template: Tree) -> Iterator[Tree]:
    """Every exact request and every alternative of a template."""
    for request in template["spec"]["spec"]["devices"]["requests"]:
        assert ("exactly" in request) != ("firstAvailable" in request)
        yield from [request["exactly"]] if "exactly" in request else request["firstAvailable"]


def target_of(cluster: Tree) -> Target:
    spec = cluster["spec"]
    target, problems = resolve_target(spec["kubernetes"], spec["featureGates"], {}, None)
    assert target is not None
    assert list(problems) == []
    return target


def check_reads_the_same(output: Mapping[str, bytes]) -> None:
    """YAML 1.1 and YAML 1.2 see the same trees, of the types that JSON has."""
    for path, data in output.items():
        if path.endswith(".json"):
            json.loads(data)
            continue
        old = list(yaml.load_all(data, yaml.SafeLoader))
        new = list(YAML(typ="safe", pure=True).load_all(StringIO(data.decode())))
        assert json.dumps(old) == json.dumps(new), path


def check_configuration_is_kept(generated: Generated, output: Mapping[str, bytes]) -> None:
    """Opaque parameters come out as they went in."""
    for profile in generated.profiles:
        for claim in profile["spec"]["claims"]:
            given_ = sorted(json.dumps(each, sort_keys=True) for each in configurations(claim))
            for cluster in generated.clusters:
                for template in objects(output, cluster["metadata"]["name"], "ResourceClaimTemplate"):
                    labels = template["metadata"]["labels"]
                    if (labels["claimsmith/team"], labels["claimsmith/claim"]) == (
                        profile["metadata"]["name"],
                        claim["name"],
                    ):
                        config = template["spec"]["spec"]["devices"].get("config", [])
                        kept = sorted(json.dumps(each["opaque"]["parameters"], sort_keys=True) for each in config)
                        assert kept == given_


def configurations(claim: Tree) -> Iterator[object]:
    for request in claim["requests"]:
        yield from request.get("config", [])
        for entry in request.get("prefer", []):
            yield from entry.get("config", [])


def check_models(cluster: Tree, output: Mapping[str, bytes]) -> None:
    """A request has one class, which exists, and class and request agree about the model."""
    name = cluster["metadata"]["name"]
    classes = {each["metadata"]["name"]: each for each in objects(output, name, "DeviceClass")}
    for template in objects(output, name, "ResourceClaimTemplate"):
        for request in requests_of(template):
            device_class = request["deviceClassName"]
            assert isinstance(device_class, str)
            assert device_class in classes or device_class == FOREIGN_CLASS
            selectors = [
                *classes.get(device_class, {"spec": {}})["spec"].get("selectors", []),
                *request.get("selectors", []),
            ]
            wanted: set[str] | None = None
            for selector in selectors:
                for match in MODEL.finditer(selector["cel"]["expression"]):
                    products = {json.loads(match[1])} if match[1] else set(json.loads(match[2]))
                    wanted = products if wanted is None else wanted & products
            assert wanted != set()


def check_names(generated: Generated, output: Mapping[str, bytes]) -> None:
    """One name is one claim, and every claim has its template in every namespace."""
    for cluster in generated.clusters:
        name = cluster["metadata"]["name"]
        owners: dict[str, tuple[str, str]] = {}
        placed = set()
        for template in objects(output, name, "ResourceClaimTemplate"):
            labels = template["metadata"]["labels"]
            owner = (labels["claimsmith/team"], labels["claimsmith/claim"])
            assert owners.setdefault(template["metadata"]["name"], owner) == owner
            place = (template["metadata"]["namespace"], *owner)
            assert place not in placed
            placed.add(place)
            inner = template["spec"]["metadata"]["labels"]
            assert (inner["claimsmith/team"], inner["claimsmith/claim"]) == owner
        assert placed == {
            (namespace, profile["metadata"]["name"], claim["name"])
            for profile in generated.profiles
            if name in profile["spec"].get("clusters", [name])
            for namespace in profile["spec"]["namespaces"]
            for claim in profile["spec"]["claims"]
        }


def check_api_rules(cluster: Tree, output: Mapping[str, bytes]) -> None:
    """The limits and forms of resource.k8s.io, the server's defaults, and nothing that the target drops."""
    name, target = cluster["metadata"]["name"], target_of(cluster)
    templates = objects(output, name, "ResourceClaimTemplate")
    for each in [*templates, *objects(output, name, "DeviceClass")]:
        assert drop(each, target) == (each, [])
        assert apply_defaults(each) == each
        assert DNS_SUBDOMAIN.fullmatch(each["metadata"]["name"])
        assert all(LABEL_VALUE.fullmatch(value) for value in each["metadata"]["labels"].values())
        assert "status" not in each
    for template in templates:
        devices = template["spec"]["spec"]["devices"]
        requests = devices["requests"]
        assert 1 <= len(requests) <= 32
        names = [request["name"] for request in requests]
        names += [
            f"{request['name']}/{each['name']}" for request in requests for each in request.get("firstAvailable", [])
        ]
        assert len(set(names)) == len(names)
        assert all(DNS_LABEL.fullmatch(part) for each in names for part in each.split("/"))
        assert all(2 <= len(request["firstAvailable"]) <= 8 for request in requests if "firstAvailable" in request)
        for request in requests_of(template):
            assert (request["allocationMode"] == "All") == ("count" not in request)
            assert request.get("count", 1) >= 1
            assert len(request.get("selectors", [])) <= 32
            assert len(request.get("tolerations", [])) <= 16
            assert all(len(each["cel"]["expression"].encode()) <= 10240 for each in request.get("selectors", []))
        for part in (*devices.get("constraints", []), *devices.get("config", [])):
            assert 1 <= len(part["requests"]) <= 32
            assert set(part["requests"]) <= set(names)
        assert len(devices.get("config", [])) <= 32
        assert len(devices.get("constraints", [])) <= 32
        for constraint in devices.get("constraints", []):
            assert ("matchAttribute" in constraint) != ("distinctAttribute" in constraint)


def check_references(cluster: Tree, output: Mapping[str, bytes]) -> None:
    """Values and patches name templates and pod claims that exist."""
    name = cluster["metadata"]["name"]
    templates = {each["metadata"]["name"] for each in objects(output, name, "ResourceClaimTemplate")}
    for path, data in output.items():
        if not (path.startswith(f"{name}/teams/") and "/values/" in path):
            continue
        values = yaml.safe_load(data)
        claims = {each["name"]: each["resourceClaimTemplateName"] for each in values["podSpec"]["resourceClaims"]}
        assert set(claims.values()) <= templates
        assert {each["name"] for each in values["container"]["resources"]["claims"]} == set(claims)


@few
@given(repositories())
def test_output(generated: Generated) -> None:
    output = output_of(generated)
    check_reads_the_same(output)
    check_configuration_is_kept(generated, output)
    check_names(generated, output)
    for cluster in generated.clusters:
        check_models(cluster, output)
        check_api_rules(cluster, output)
        check_references(cluster, output)


@settings(few, max_examples=10)
@given(repositories(), st.randoms(use_true_random=False))
def test_order_of_files_and_documents(generated: Generated, order: random.Random) -> None:
    documents = list(generated.documents)
    expected = output_of(generated)
    order.shuffle(documents)
    split = order.randrange(len(documents) + 1)
    parts = [part for part in (documents[:split], documents[split:]) if part]
    files = {f"profiles/{number}.yml": "---\n".join(map(as_yaml, part)) for number, part in enumerate(parts)}
    assert compiled(files)[0] == expected


@settings(few, max_examples=2)
@given(repositories())
def test_hash_seeds(generated: Generated) -> None:
    with tempfile.TemporaryDirectory() as folder:
        repo = Repo(Path(folder))
        repo.write_all(one_a_file(generated.documents))
        outputs, reports = [], []
        for seed in ("0", "1", "random"):
            target = f"output-{seed}"
            result = repo.spawn("compile", "--output", target, "--format", "json", environment={"PYTHONHASHSEED": seed})
            reports.append({**result.report, "written": sorted(result.report["written"])})
            outputs.append(
                {
                    path.relative_to(repo.root / target).as_posix(): path.read_bytes()
                    for path in (repo.root / target).rglob("*")
                    if path.is_file()
                }
            )
        assert outputs[0]
        assert outputs[0] == outputs[1] == outputs[2]
        assert reports[0] == reports[1] == reports[2]


VALID: Tree = yaml.safe_load(PROFILE)
Place = tuple[str | int, ...]


def paths(node: object, path: Place = ()) -> Iterator[Place]:
    """Every place in a tree, below the root."""
    items: Iterator[tuple[str | int, object]] = iter(())
    if isinstance(node, dict):
        items = iter(node.items())
    elif isinstance(node, list):
        items = iter(enumerate(node))
    for step, value in items:
        yield (*path, step)
        yield from paths(value, (*path, step))


PLACES = list(paths(VALID))
KEYS = [path for path in PLACES if isinstance(path[-1], str)]
REQUIRED = [
    path for path in KEYS if path[-1] not in ("workloads", "count", "require", "memory", "prefer", "driver", "elastic")
]
NAMED = [path for path in PLACES if isinstance(path[-1], int) and path[-2] in ("claims", "requests", "workloads")]
NAMED = [path for path in NAMED if path[:3] != ("spec", "workloads", 0) or len(path) == 3]
COUNTS = [path for path in PLACES if path[-1] == "count"]
MODELS = [path for path in PLACES if path[-1] == "model"]


def parent(tree: Tree, path: Place) -> Any:
    node: Any = tree
    for step in path[:-1]:
        node = node[step]
    return node


def removed(tree: Tree, path: Place) -> None:
    del parent(tree, path)[path[-1]]


def misspelt(tree: Tree, path: Place) -> None:
    holder = parent(tree, path)
    entries = [(key + "x" if key == path[-1] else key, value) for key, value in holder.items()]
    holder.clear()
    holder.update(entries)


def twice(tree: Tree, path: Place) -> None:
    parent(tree, path).append(copy.deepcopy(parent(tree, path)[path[-1]]))


def replaced(value: object, tree: Tree, path: Place) -> None:
    parent(tree, path)[path[-1]] = value


ABSURD = [0, -1, 33, 10**9, 2**63 - 1, 2**63, 10**30, 1.5, "4", "ALL", "", True, None, [1], {"a": 1}]
WRONG: list[object] = [None, {"x": 1}, [[]], 7.5]
UNKNOWN = ["H100", "h100_80gb", "", "NVIDIA H100 80GB HBM3", "A100-80GB ", "Ä100", "x" * 300]


MUTATIONS = [
    *((removed, path) for path in REQUIRED),
    *((misspelt, path) for path in KEYS),
    *((twice, path) for path in NAMED),
    *((value, path) for value, path in itertools.product(WRONG, PLACES)),
    *((value, path) for value, path in itertools.product(ABSURD, COUNTS[:1])),
    *((value, path) for value, path in itertools.product(UNKNOWN, MODELS)),
]


@pytest.fixture(scope="module")
def compiled_repo(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    repo = Repo(tmp_path_factory.mktemp("repository"))
    repo.write_all(DOCUMENTS)
    assert repo.run("compile").status == 0
    return repo


@settings(few, max_examples=80)
@given(st.sampled_from(MUTATIONS))
def test_invalid_profiles(compiled_repo: Repo, mutation: tuple[Any, Place]) -> None:
    change, path = mutation
    tree = copy.deepcopy(VALID)
    if callable(change):
        change(tree, path)
    else:
        replaced(change, tree, path)
    before = compiled_repo.output()
    text = yaml.safe_dump(tree, sort_keys=False, allow_unicode=True)
    compiled_repo.write(PROFILE_FILE, text)
    result = compiled_repo.run("compile", "--format", "json")
    compiled_repo.write(PROFILE_FILE, PROFILE)
    assert result.status == 1
    lines = text.split("\n")
    errors = [each for each in result.findings if each["severity"] == "error" and each["file"] == PROFILE_FILE]
    assert errors
    for each in errors:
        start, end = (each["line"], each["column"]), (each["endLine"], each["endColumn"])
        assert (1, 1) <= start <= end
        assert end[0] <= len(lines)
        assert start[1] <= len(lines[start[0] - 1]) + 1
        assert end[1] <= len(lines[end[0] - 1]) + 1
    assert compiled_repo.output() == before


@settings(few, max_examples=30)
@given(st.binary(max_size=200) | st.text(max_size=100).map(str.encode))
def test_any_bytes(compiled_repo: Repo, data: bytes) -> None:
    """Whatever stands where a profile did, claimsmith answers, and writes nothing that is half right."""
    before = compiled_repo.output()
    compiled_repo.write(PROFILE_FILE, data)
    result = compiled_repo.run("compile", "--check", "--format", "json")
    compiled_repo.write(PROFILE_FILE, PROFILE)
    assert result.status == 1
    assert result.findings
    assert compiled_repo.output() == before

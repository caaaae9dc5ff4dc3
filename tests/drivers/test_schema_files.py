"""The shipped driver schemas, read with nothing but PyYAML and jsonschema."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator, Draft202012Validator

SCHEMAS = Path(__file__).parents[2] / "schemas"
FILES = sorted((SCHEMAS / "drivers").glob("*.yaml"))
JSON_SCHEMA = json.loads((SCHEMAS / "documents" / "DriverSchema.json").read_text("utf-8"))

# Device types that the schemas split or, where only an old driver has them, keep under a simpler name.
SPLIT = {("dra.net", "netdev"): ["netdev", "rdma"]}

Spec = dict[str, Any]


def load(name: str) -> Spec:
    document: dict[str, Any] = yaml.safe_load((SCHEMAS / "drivers" / f"{name}.yaml").read_text("utf-8"))
    spec: Spec = document["spec"]
    return spec


def items(spec: Spec, device_type: Spec, section: str) -> dict[str, Spec]:
    """Attributes or capacities of a device type by name, those of its sets overridden by its own."""
    sets = {each["name"]: each for each in spec.get("attributeSets", [])}
    parts = [*(sets[name] for name in device_type.get("include", [])), device_type]
    return {item["name"]: item for part in parts for item in part.get(section, [])}


def releases(spec: Spec) -> list[str]:
    return [*(each["version"] for each in spec["releases"]), *(["unreleased"] if spec["unreleased"] else [])]


def every(node: object, key: str) -> Iterator[Any]:
    if isinstance(node, dict):
        if key in node:
            yield node[key]
        for value in node.values():
            yield from every(value, key)
    elif isinstance(node, list):
        for value in node:
            yield from every(value, key)


def subschemas(node: object, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """Every field's schema, by its path."""
    if isinstance(node, dict):
        for name, child in node.get("properties", {}).items():
            yield f"{path}.{name}", child
            yield from subschemas(child, f"{path}.{name}")
        for name, child in node.get("definitions", {}).items():
            yield from subschemas(child, name)
        yield from subschemas(node.get("items"), f"{path}[]")


def test_json_schema_is_valid_for_old_and_new_editors() -> None:
    Draft202012Validator.check_schema(JSON_SCHEMA)
    Draft7Validator.check_schema(JSON_SCHEMA)
    assert JSON_SCHEMA["$id"] == "https://claimsmith.dev/schemas/v1alpha1/DriverSchema.json"


def test_json_schema_describes_every_field_and_is_closed() -> None:
    fields = dict(subschemas(JSON_SCHEMA))
    assert len(fields) > 100
    undescribed = [path for path, field in fields.items() if not field.get("description") and "$ref" not in field]
    assert undescribed == []
    objects = [field for field in every(JSON_SCHEMA, "properties") if isinstance(field, dict)]
    closed = [flag for flag in every(JSON_SCHEMA, "additionalProperties") if flag is False]
    assert len(closed) == len(objects)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_file_fits_the_json_schema(path: Path) -> None:
    document = yaml.safe_load(path.read_text("utf-8"))
    errors = [
        f"{error.json_path}: {error.message}" for error in Draft202012Validator(JSON_SCHEMA).iter_errors(document)
    ]
    assert errors == []
    assert document["metadata"]["name"] == path.stem


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_releases_are_ordered_and_known(path: Path) -> None:
    spec = load(path.stem)
    known = releases(spec)
    assert len(known) == len(set(known))
    dates = [each["date"] for each in spec["releases"] if "date" in each]
    assert dates == sorted(dates)
    for key in ("since", "removedIn", "deprecatedSince", "before", "release"):
        unknown = {name for name in every(spec, key) if name not in known}
        assert unknown == set(), key


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_names_are_unique_and_valid(path: Path) -> None:
    spec = load(path.stem)
    models = [each["name"].lower() for each in spec.get("models", [])]
    assert len(models) == len(set(models))
    products = [product["name"] for model in spec.get("models", []) for product in model["products"]]
    assert len(products) == len(set(products))
    ids = [each["id"] for each in spec["deviceTypes"]]
    assert len(ids) == len(set(ids))
    domains = {spec.get("attributeDomain"), *spec.get("otherDomains", [])}
    for device_type in spec["deviceTypes"]:
        for section in ("attributes", "capacities"):
            own = [each["name"] for each in device_type.get(section, [])]
            assert len(own) == len(set(own)), (device_type["id"], section)
            for name, item in items(spec, device_type, section).items():
                domain, _, identifier = name.partition("/")
                assert domain in domains, name
                placeholder = "<i>" if item.get("pattern") else ""
                assert re.fullmatch(rf"[A-Za-z_][A-Za-z0-9_]*{placeholder}", identifier), name
                assert len(identifier.replace("<i>", "0")) <= 32, name


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_replacements_are_published(path: Path) -> None:
    spec = load(path.stem)
    for device_type in spec["deviceTypes"]:
        attributes = items(spec, device_type, "attributes")
        for name, item in attributes.items():
            for successor in item.get("replacedBy", []):
                assert "removedIn" not in attributes[successor], (name, successor)


def test_nothing_of_the_reference_is_lost(recorded: Callable[[str], Any]) -> None:
    reference = recorded("reference-drivers")
    assert set(reference) == {path.stem for path in FILES}
    compared = 0
    for driver, facts in reference.items():
        if driver == "resource.kubernetes.io":
            continue
        spec = load(driver)
        types = {each["id"]: each for each in spec["deviceTypes"]}
        wanted = {name for id_ in facts["types"] for name in SPLIT.get((driver, id_), [id_])}
        assert set(types) == wanted, driver
        for id_, sections in facts["types"].items():
            for name in SPLIT.get((driver, id_), [id_]):
                if "discriminator" in sections:
                    assert types[name]["discriminator"] == sections["discriminator"]
                compared += compare(driver, spec, types[name], sections)
    assert compared > 450


def compare(driver: str, spec: Spec, device_type: Spec, facts: Spec) -> int:
    split = (driver, "netdev") in SPLIT
    first = device_type.get("since", releases(spec)[0])
    for section in ("attributes", "capacities"):
        ours = items(spec, device_type, section)
        wanted = facts.get(section, {})
        # Only RDMA devices have a name of an RDMA device.
        missing = (
            set(wanted) - set(ours) - ({"dra.net/rdmaDevice"} if split and device_type["id"] == "netdev" else set())
        )
        assert missing == set(), (driver, device_type["id"])
        for name in set(wanted) & set(ours):
            same_facts(f"{driver} {device_type['id']} {name}", ours[name], wanted[name], first)
    return sum(len(facts.get(section, {})) for section in ("attributes", "capacities"))


def same_facts(where: str, ours: Spec, wanted: Spec, first: str) -> None:
    if "types" in wanted:
        kind = ours["type"]
        assert (kind if isinstance(kind, list) else [kind]) == wanted["types"], where
    if wanted["presence"] == "removed":
        assert ours["removedIn"] == wanted.get("removedIn", ours["removedIn"]), where
    else:
        assert ours["presence"] == wanted["presence"], where
        assert "removedIn" not in ours, where
    if "since" in wanted:
        assert ours.get("since", first) == wanted["since"], where
    assert ours.get("deprecatedSince") == wanted.get("deprecatedSince"), where
    if "values" in wanted and "dra.net/" not in where:
        assert ours["values"] == wanted["values"], where
        assert ours["valuesClosed"], where


def test_classes_taints_and_configs_of_the_reference_are_there(recorded: Callable[[str], Any]) -> None:
    for driver, facts in recorded("reference-drivers").items():
        spec = load(driver)
        classes = {each["name"]: each.get("selectors", []) for each in spec.get("classes", [])}
        for name, selectors in facts.get("classes", {}).items():
            assert classes[name] == selectors
        assert {each["key"] for each in spec.get("health", {}).get("taints", [])} == set(facts.get("taints", []))
        kinds = {each["kind"] for each in spec.get("configs", []) if "kind" in each}
        assert kinds == set(facts.get("configs", []))
        listed = [version for version in releases(spec) if version in facts.get("releases", [])]
        assert listed == facts.get("releases", [])


def test_standard_attributes_are_there(recorded: Callable[[str], Any]) -> None:
    facts = recorded("reference-drivers")["resource.kubernetes.io"]
    spec = load("resource.kubernetes.io")
    standard, others = spec["attributeSets"]
    ours = {each["name"]: each for each in standard["attributes"]}
    assert set(ours) == set(facts["types"]["standard"]["attributes"])
    for name, wanted in facts["types"]["standard"]["attributes"].items():
        same_facts(name, ours[name], wanted, releases(spec)[0])
    assert {each["name"] for each in others["attributes"]} == set(facts["notStandard"])


MIB = {"Mi": 1, "Gi": 1024}


def mebibytes(quantity: str) -> int:
    return int(quantity[:-2]) * MIB[quantity[-2:]]


def test_parts_of_a_model_fit_on_its_device() -> None:
    checked = 0
    for path in FILES:
        for model in load(path.stem).get("models", []):
            least = min(mebibytes(each["memory"]) for each in model["products"])
            for part in model.get("partitions", []):
                if "memory" in part:
                    checked += 1
                    assert mebibytes(part["memory"]) * part["perDevice"] <= least, (model["name"], part["profile"])
                if "memorySlices" in part:
                    assert part["memorySlices"] * part["perDevice"] <= 8
                for field in part.get("unconfirmed", []):
                    assert field in part, (model["name"], part["profile"])
    assert checked > 20


def test_requested_nvidia_models_are_there() -> None:
    models = {each["name"]: each for each in load("gpu.nvidia.com")["models"]}
    wanted = {"H100-80GB", "H100-94GB", "H200-141GB", "A100-40GB", "A100-80GB", "L4", "L40S", "T4", "B200", "GB200"}
    assert wanted <= set(models)
    for model in models.values():
        assert model["precisions"]
        assert model["computeCapability"]
        assert model["sources"]

"""Schemas that fit their JSON Schema and still make no sense."""

import pytest

from claimsmith.documents.driver_schema import DriverSchema
from claimsmith.documents.load import load_file
from claimsmith.drivers.catalogue import Catalogue
from claimsmith.drivers.consistency import inconsistencies

SOUND = """\
apiVersion: claimsmith/v1alpha1
kind: DriverSchema
metadata: {name: fpga.example.com}
spec:
  repository: https://example.com/fpga
  source: {commit: "abc"}
  open: false
  attributeDomain: fpga.example.com
  publishesUnqualified: true
  releases:
  - {version: "1.0.0", date: "2025-01-01", aliases: ["1.0"]}
  - {version: "1.1.0", date: "2025-02-01"}
  unreleased: true
  featureGates: [{name: Lists, default: false}]
  identity: fpga.example.com/serial
  modelAttribute: fpga.example.com/model
  partitioning: {deviceType: region, attribute: fpga.example.com/shape}
  classes: [{name: fpga.example.com, deviceType: board}]
  configs: [{kind: Bitstream, deviceTypes: [board]}]
  attributeSets:
  - name: common
    attributes:
    - {name: fpga.example.com/serial, type: string, presence: always}
    - {name: fpga.example.com/model, type: string, presence: always}
  deviceTypes:
  - id: board
    discriminator: {attribute: fpga.example.com/shape, exists: false}
    include: [common]
    attributes:
    - {name: fpga.example.com/node, type: [int, ints], listFeatureGate: Lists, presence: always, examples: [0]}
    - name: fpga.example.com/firmware
      type: version
      presence: always
      since: "1.1.0"
      removedIn: unreleased
      examples: ["1.2.3"]
      earlier: [{before: "1.1.0", presence: absent}, {before: unreleased, presence: conditional}]
  - id: region
    discriminator: {attribute: fpga.example.com/shape, equals: half}
    parentIdentity: fpga.example.com/serial
    include: [common]
    attributes:
    - {name: fpga.example.com/shape, type: string, presence: always}
    capacities:
    - {name: "fpga.example.com/bank<i>", pattern: true, presence: always, examples: ["1"]}
  models:
  - name: Alpha
    deviceType: board
    products: [{name: "Alpha 1"}]
    partitions: [{profile: half}]
"""

FAULTS = [
    ('aliases: ["1.0"]', 'aliases: ["1.1.0"]', "spec.releases[0].aliases", "more than one release"),
    ('date: "2025-02-01"', 'date: "2024-02-01"', "spec.releases[1].date", "before that of 1.0.0"),
    ('since: "1.1.0"', 'since: "2.0.0"', "spec.deviceTypes[0].attributes[1].since", "names no release"),
    ("removedIn: unreleased", 'removedIn: "1.0.0"', "spec.deviceTypes[0].attributes[1].removedIn", "is not after"),
    ('before: "1.1.0"', 'before: "9.9.9"', "spec.deviceTypes[0].attributes[1].earlier[0].before", "names no release"),
    ("before: unreleased", 'before: "1.0.0"', "spec.deviceTypes[0].attributes[1].earlier[1].before", "is not after"),
    ("- id: region", "- id: board", "spec.deviceTypes[1].id", "twice"),
    ("/shape, type", f"/{'s' * 33}, type", "spec.deviceTypes[1].attributes[0].name", "at most 32"),
    ("examples: [0]", "examples: [zero]", "spec.deviceTypes[0].attributes[0].examples[0]", "type int or ints"),
    ("examples: [0]", "examples: [true]", "spec.deviceTypes[0].attributes[0].examples[0]", "type int or ints"),
    ('["1.2.3"]', '["1.2"]', "spec.deviceTypes[0].attributes[1].examples[0]", "type version"),
    ("[int, ints]", "int", "spec.deviceTypes[0].attributes[0].listFeatureGate", "two forms"),
    ("listFeatureGate: Lists", "listFeatureGate: List", "spec.deviceTypes[0].attributes[0].listFeatureGate", "not among"),
    ("bank<i>", "bank", "spec.deviceTypes[1].capacities[0].name", "no placeholder"),
    ("include: [common]", "include: [comon]", "spec.deviceTypes[0].include[0]", "names no attribute set"),
    ("exists: false", "exists: true", "spec.deviceTypes[0].discriminator.attribute", "no attribute of board"),
    (", exists: false", "", "spec.deviceTypes[0].discriminator", "one of equals and exists"),
    ("parentIdentity: fpga.example.com/serial", "parentIdentity: fpga.example.com/board", "spec.deviceTypes[1].parentIdentity", "no attribute"),
    ("identity: fpga.example.com/serial", "identity: fpga.example.com/uuid", "spec.identity", "no attribute"),
    ("deviceType: region", "deviceType: zone", "spec.partitioning.deviceType", "no device type"),
    ("attribute: fpga.example.com/shape}", "attribute: fpga.example.com/form}", "spec.partitioning.attribute", "no attribute"),
    ("com, deviceType: board", "com, deviceType: card", "spec.classes[0].deviceType", "no device type"),
    ("deviceTypes: [board]", "deviceTypes: [card]", "spec.configs[0].deviceTypes[0]", "no device type"),
    ("    deviceType: board", "    deviceType: card", "spec.models[0].deviceType", "no device type"),
    ('[{name: "Alpha 1"}]', '[{name: "A"}, {name: "A"}]', "spec.models[0].products[1].name", "already"),
    ("[{profile: half}]", "[{profile: half}, {profile: HALF}]", "spec.models[0].partitions[1].profile", "whatever the case"),
    ("  modelAttribute: fpga.example.com/model\n", "", "spec.models", "need a modelAttribute"),
    ("  models:\n", "  models:\n  - {name: ALPHA, deviceType: board, products: [{name: B}]}\n", "spec.models[1].name", "whatever the case"),
]  # fmt: skip


def schema(text: str) -> DriverSchema:
    loaded = load_file(text.encode(), "fpga.yaml")
    assert loaded.findings == ()
    (document,) = loaded.documents
    assert isinstance(document, DriverSchema)
    return document


def test_a_sound_schema_has_no_inconsistencies() -> None:
    assert list(inconsistencies(schema(SOUND))) == []


@pytest.mark.parametrize(("old", "new", "path", "problem"), FAULTS)
def test_each_fault_is_found_where_it_is(old: str, new: str, path: str, problem: str) -> None:
    assert old in SOUND
    broken = schema(SOUND.replace(old, new, 1))
    found = {each.part.field_path(*each.steps): each.problem for each in inconsistencies(broken)}
    assert problem in found.get(path, f"nothing at {path}, but {found}")


@pytest.mark.parametrize(("old", "new", "path", "problem"), FAULTS)
def test_a_broken_schema_still_has_views(old: str, new: str, path: str, problem: str) -> None:
    broken = schema(SOUND.replace(old, new, 1))
    view = Catalogue([broken]).view("fpga.example.com", "1.0.0", {"Lists": True})
    assert view is not None
    assert view.device_type("board") is not None

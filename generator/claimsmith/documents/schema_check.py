"""A document against the JSON Schema of its kind."""

import json
from collections.abc import Iterator
from collections.abc import Mapping as Mapping_
from functools import cache
from typing import Any

from claimsmith.documents.nodes import Mapping, Node, PathStep, Scalar, find, path_text, to_plain
from claimsmith.documents.packaged import schemas_folder
from claimsmith.findings import Finding
from claimsmith.values.suggest import closest

API_VERSION = "claimsmith/v1alpha1"
KINDS = ("TeamProfile", "Cluster", "Evidence", "Quarantine", "Reservation", "Policy", "DriverSchema")

_TYPE_WORDS = {
    "string": "a string",
    "integer": "a whole number",
    "number": "a number",
    "boolean": "true or false",
    "array": "a list",
    "object": "a mapping",
    "null": "nothing",
}


@cache
def _validator(kind: str) -> Any:
    from jsonschema import Draft202012Validator, validators

    from claimsmith.documents.formats import checker

    schema = json.loads((schemas_folder() / "documents" / f"{kind}.json").read_text("utf-8"))
    whole = Draft202012Validator.TYPE_CHECKER.redefine("integer", lambda _, value: type(value) is int)
    extend: Any = validators.extend
    strict = extend(Draft202012Validator, type_checker=whole)
    return strict(_inlined(schema, schema), format_checker=checker())


def _inlined(part: Any, root: Mapping_[str, Any]) -> Any:
    """The schema with its own definitions in the place of references, which are slow to follow."""
    if isinstance(part, list):
        return [_inlined(each, root) for each in part]
    if not isinstance(part, dict):
        return part
    reference = part.get("$ref")
    if isinstance(reference, str):
        _, section, name = reference.split("/")
        return _inlined(root[section][name], root)
    return {key: _inlined(each, root) for key, each in part.items() if key not in ("$defs", "definitions")}


def check(kind: str, root: Mapping) -> list[Finding]:
    """Everything that the schema of ``kind`` has against the document, in the order of the file."""
    findings = [finding for error in _validator(kind).iter_errors(to_plain(root)) for finding in _findings(error, root)]
    return sorted(set_once(findings), key=lambda finding: finding.position)


def set_once(findings: list[Finding]) -> list[Finding]:
    seen = set()
    kept = []
    for finding in findings:
        key = (finding.rule, finding.position, tuple(sorted((k, str(v)) for k, v in finding.data.items())))
        if key not in seen:
            seen.add(key)
            kept.append(finding)
    return kept


def _findings(error: Any, root: Mapping) -> Iterator[Finding]:
    path: tuple[PathStep, ...] = tuple(error.absolute_path)
    node = find(root, *path) or root
    make = _MAKERS.get(error.validator, _out_of_range)
    yield from make(error, node, path)


_NO_SHARED_CLAIMS = (
    "a claim that Pods share by name outlives them and keeps its devices, so profiles make templates only"
)
_REFUSED = {
    "adminAccess": "admin access sees the devices of every team, so profiles cannot ask for it",
    "resourceClaimName": _NO_SHARED_CLAIMS,
    "shared": _NO_SHARED_CLAIMS,
    "classConfig": "configuration of a class is that of every team, so it is the platform's, not a profile's",
}
"""Fields that people ask for and that v1alpha1 refuses, with the reason."""


def _unknown_fields(error: Any, node: Node, path: tuple[PathStep, ...]) -> Iterator[Finding]:
    known = sorted(error.schema.get("properties", {}))
    assert isinstance(node, Mapping)
    for key, _ in node.entries:
        name = str(key.value)
        if name in known:
            continue
        yield Finding(
            "CS121",
            key.position,
            {
                "field": name,
                "known": ", ".join(known),
                "did_you_mean": closest(name, known),
                "refused": f"{_REFUSED[name]}; " if name in _REFUSED else "",
            },
            path_text((*path, name)),
        )


def _missing_field(error: Any, node: Node, path: tuple[PathStep, ...]) -> Iterator[Finding]:
    assert isinstance(node, Mapping)
    for name in error.validator_value:
        if node.get(name) is None and f"'{name}'" in error.message:
            where = path_text(path) or "the document"
            yield Finding("CS122", node.position, {"field": name, "where": where}, path_text((*path, name)))


def _wrong_type(error: Any, node: Node, path: tuple[PathStep, ...]) -> Iterator[Finding]:
    expected = error.validator_value if isinstance(error.validator_value, list) else [error.validator_value]
    hint = ""
    if isinstance(node, Scalar) and isinstance(node.value, float) and "integer" in expected and node.value.is_integer():
        hint = f"write {int(node.value)}"
    elif isinstance(node, Scalar) and "string" in expected and isinstance(node.value, int | float):
        hint = f'write "{node.text}" in quotes'
    yield Finding(
        "CS123",
        node.position,
        {
            "field": path_text(path) or "the document",
            "expected": " or ".join(_TYPE_WORDS[word] for word in expected),
            "got": _kind_of(node),
            "hint": hint,
        },
        path_text(path),
    )


def said(node: Node) -> str:
    """The text of a scalar; of anything else what it is, such as ``a list``."""
    return node.text if isinstance(node, Scalar) else _kind_of(node)


def _kind_of(node: Node) -> str:
    if isinstance(node, Mapping):
        return "a mapping"
    if isinstance(node, Scalar):
        if node.value is None:
            return "nothing"
        if isinstance(node.value, bool):
            return f"the boolean {node.text}"
        return f"the string `{node.text}`" if isinstance(node.value, str) else f"the number {node.text}"
    return "a list"


def _unknown_value(error: Any, node: Node, path: tuple[PathStep, ...]) -> Iterator[Finding]:
    allowed = [error.validator_value] if error.validator == "const" else error.validator_value
    words = [str(word) for word in allowed]
    text = said(node)
    yield Finding(
        "CS124",
        node.position,
        {"value": text, "known": ", ".join(words), "did_you_mean": closest(text, words)},
        path_text(path),
    )


def _malformed(error: Any, node: Node, path: tuple[PathStep, ...]) -> Iterator[Finding]:
    reason = str(error.cause) if error.cause else f"it must match {error.validator_value}"
    position = node.position
    text = node.text if isinstance(node, Scalar) else str(error.instance)
    if isinstance(node, Mapping):
        key = node.key(str(error.instance))
        position = key.position if key else position
    yield Finding("CS125", position, {"field": path_text(path), "value": text, "reason": reason}, path_text(path))


_LIMITS = {
    "minItems": "needs at least {limit} item(s)",
    "maxItems": "has more than {limit} items",
    "minLength": "is empty",
    "maxLength": "is longer than {limit} characters",
    "minimum": "is less than {limit}",
    "maximum": "is more than {limit}",
    "minProperties": "needs at least {limit} entry",
    "uniqueItems": "names something twice",
}


def _out_of_range(error: Any, node: Node, path: tuple[PathStep, ...]) -> Iterator[Finding]:
    words = _LIMITS.get(error.validator)
    problem = words.format(limit=error.validator_value) if words else error.message
    yield Finding(
        "CS126",
        node.position,
        {"field": path_text(path) or "the document", "problem": problem},
        path_text(path),
    )


_MAKERS = {
    "additionalProperties": _unknown_fields,
    "required": _missing_field,
    "type": _wrong_type,
    "enum": _unknown_value,
    "const": _unknown_value,
    "format": _malformed,
    "pattern": _malformed,
}

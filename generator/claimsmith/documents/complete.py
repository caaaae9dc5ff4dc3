"""A document as plain JSON: what was written, and the defaults of what was not."""

from collections.abc import Mapping
from dataclasses import fields

from claimsmith.documents.decode import Positioned, camel
from claimsmith.documents.nodes import Mapping as MappingNode
from claimsmith.documents.nodes import Node, Scalar, Sequence, find, to_plain
from claimsmith.documents.parts import Document
from claimsmith.values.duration import Duration
from claimsmith.values.quantity import Quantity


def complete(document: Document) -> dict[str, object]:
    """``apiVersion``, ``kind``, ``metadata`` and ``spec``.

    Amounts and durations stay the text that was written; a value where a list is expected is a list of one. Lists
    and mappings that were left out are empty, and numbers, texts and truth values have their defaults; other
    fields that were left out are absent.
    """
    root = document.root
    plain = {key: to_plain(node) for key, node in root if key != "spec"}
    return {**plain, "spec": _part(document)}


def _part(part: Positioned) -> dict[str, object]:
    plain: dict[str, object] = {}
    for item in fields(part):
        key = item.metadata.get("key", camel(item.name))
        if item.name in ("node", "steps") or (isinstance(part, Document) and item.name in ("name", "root")):
            continue
        value = getattr(part, item.name)
        if value is not None:
            plain[key] = _value(value, find(part.node, key))
    return plain


def _value(value: object, node: Node | None) -> object:
    if isinstance(value, Positioned):
        return _part(value)
    if isinstance(value, tuple):
        nodes = node.items if isinstance(node, Sequence) else (node,) * len(value)
        return [_value(each, own) for each, own in zip(value, nodes, strict=True)]
    if isinstance(value, Mapping):
        return {
            key: _value(each, node.get(key) if isinstance(node, MappingNode) else None) for key, each in value.items()
        }
    if isinstance(value, Quantity | Duration):
        return node.text if isinstance(node, Scalar) else str(value)
    return value

"""YAML nodes into typed, frozen dataclasses that remember where each field stands.

``decode`` expects a node that its JSON Schema has accepted: it converts, it does not check.
"""

import types
import typing
from collections.abc import Callable
from collections.abc import Mapping as AbstractMapping
from dataclasses import dataclass, field, fields
from functools import cache
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from claimsmith.documents.nodes import Mapping, Node, PathStep, Scalar, Sequence, find, path_text, to_plain
from claimsmith.findings import Finding, Position
from claimsmith.values.duration import Duration
from claimsmith.values.quantity import Quantity


@dataclass(frozen=True, slots=True, kw_only=True)
class Positioned:
    """A part of a document, with the YAML mapping it was read from and the way to it in the document."""

    node: Mapping = field(compare=False, repr=False)
    steps: tuple[PathStep, ...] = field(compare=False, repr=False)

    def at(self, *steps: PathStep) -> Position:
        """Where a field of this part stands; the nearest enclosing place where it is not written."""
        for end in range(len(steps), 0, -1):
            found = find(self.node, *steps[:end])
            if found is not None:
                return found.position
        return self.node.position

    def key_at(self, name: str) -> Position:
        """Where the key of a field stands, else this part."""
        key = self.node.key(name)
        return key.position if key else self.node.position

    def field_path(self, *steps: PathStep) -> str:
        return path_text(self.steps + steps)

    def finding(self, rule: str, *steps: PathStep, **data: object) -> Finding:
        """A finding at a field of this part."""
        return Finding(rule, self.at(*steps), data, self.field_path(*steps))


_PARSERS: dict[type, Callable[[str], object]] = {Duration: Duration.parse, Quantity: Quantity.parse}

T = TypeVar("T", bound=Positioned)

Converter = Callable[[Node, tuple[PathStep, ...]], Any]


def camel(name: str) -> str:
    """``api_version`` as ``apiVersion``."""
    head, *tail = name.split("_")
    return head + "".join(part.capitalize() for part in tail)


def decode(cls: type[T], node: Mapping, path: tuple[PathStep, ...] = (), **given: object) -> T:
    """``node`` as an instance of ``cls``; a field's key is its camelCase name unless its metadata says ``key``.

    Fields in ``given`` are taken from there and not from the node.
    """
    values: dict[str, Any] = {"node": node, "steps": path, **given}
    for name, key, convert in _plan(cast("Any", cls)):
        if name in given:
            continue
        child = node.get(key)
        if child is not None and not (isinstance(child, Scalar) and child.value is None):
            values[name] = convert(child, (*path, key))
    return cls(**values)


@cache
def _plan(cls: type[Positioned]) -> tuple[tuple[str, str, Converter], ...]:
    hints = get_type_hints(cls)
    plan = []
    for item in fields(cls):
        if item.name in ("node", "steps"):
            continue
        plan.append((item.name, item.metadata.get("key", camel(item.name)), _converter(hints[item.name])))
    return tuple(plan)


def _converter(hint: Any) -> Converter:
    origin = get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        options = [option for option in get_args(hint) if option is not type(None)]
        if len(options) == 1:
            return _converter(options[0])
        return _plain
    if origin is tuple:
        convert_item = _converter(get_args(hint)[0])

        def convert_items(node: Node, path: tuple[PathStep, ...]) -> Any:
            # A single value is as good as a list of one.
            items = node.items if isinstance(node, Sequence) else (node,)
            return tuple(convert_item(item, (*path, index)) for index, item in enumerate(items))

        return convert_items
    if origin in (dict, AbstractMapping):
        convert_value = _converter(get_args(hint)[1])

        def convert_entries(node: Node, path: tuple[PathStep, ...]) -> Any:
            assert isinstance(node, Mapping)
            return {name: convert_value(value, (*path, name)) for name, value in node}

        return convert_entries
    if isinstance(hint, type) and issubclass(hint, Positioned):

        def convert_part(node: Node, path: tuple[PathStep, ...]) -> Any:
            assert isinstance(node, Mapping)
            return decode(hint, node, path)

        return convert_part
    if isinstance(hint, type) and hint in _PARSERS:
        parse = _PARSERS[hint]

        def convert_text(node: Node, path: tuple[PathStep, ...]) -> Any:
            assert isinstance(node, Scalar)
            return parse(node.text)

        return convert_text
    return _plain


def _plain(node: Node, path: tuple[PathStep, ...]) -> Any:
    return to_plain(node)

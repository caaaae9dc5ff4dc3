"""YAML as a tree of values that know where they stand."""

from collections.abc import Iterator
from dataclasses import dataclass

from claimsmith.findings import Position

Plain = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Scalar:
    """A scalar, resolved to the one value on which YAML 1.1, YAML 1.2 and Go's readers agree.

    ``style`` is ``plain``, ``'``, ``"``, ``|`` or ``>``; ``text`` is the content before it was resolved.
    """

    value: Plain
    text: str
    style: str
    position: Position


@dataclass(frozen=True, slots=True)
class Sequence:
    items: tuple["Node", ...]
    position: Position


@dataclass(frozen=True, slots=True)
class Mapping:
    """Entries in the order of the file; keys are strings and unique."""

    entries: tuple[tuple[Scalar, "Node"], ...]
    position: Position

    def get(self, key: str) -> "Node | None":
        for name, node in self.entries:
            if name.value == key:
                return node
        return None

    def key(self, name: str) -> Scalar | None:
        """The key itself, for findings that point at it."""
        for key, _ in self.entries:
            if key.value == name:
                return key
        return None

    def __iter__(self) -> Iterator[tuple[str, "Node"]]:
        return ((str(key.value), node) for key, node in self.entries)


Node = Scalar | Sequence | Mapping

PathStep = str | int


def find(node: Node, *path: PathStep) -> Node | None:
    """The node at a path of keys and indices, or None."""
    current: Node | None = node
    for step in path:
        if isinstance(current, Mapping) and isinstance(step, str):
            current = current.get(step)
        elif isinstance(current, Sequence) and isinstance(step, int) and step < len(current.items):
            current = current.items[step]
        else:
            return None
    return current


def to_plain(node: Node) -> object:
    """The node as dicts, lists and scalars (JSON's types only)."""
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, Sequence):
        return [to_plain(item) for item in node.items]
    return {str(key.value): to_plain(value) for key, value in node.entries}


def path_text(path: tuple[PathStep, ...]) -> str:
    """``("spec", "claims", 0, "name")`` as ``spec.claims[0].name``."""
    text = ""
    for step in path:
        if isinstance(step, int):
            text += f"[{step}]"
        elif all(c.isalnum() or c in "_-" for c in step):
            text += f".{step}" if text else step
        else:
            text += f'["{step}"]'
    return text

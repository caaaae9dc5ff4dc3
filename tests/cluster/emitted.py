"""What the compiler emits, as it is in the files, and how it differs from what a server stores."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from tests.cluster.client import Object

SERVER_METADATA = ("uid", "resourceVersion", "generation", "creationTimestamp", "managedFields")


@dataclass(frozen=True, slots=True)
class Emitted:
    """An object of a file: its text, which the server's own YAML reader gets, and what Python reads in it."""

    file: str
    text: str
    document: Object

    @property
    def namespace(self) -> str | None:
        namespace: str | None = self.document["metadata"].get("namespace")
        return namespace

    def __str__(self) -> str:
        return f"{self.document['kind']} {self.document['metadata']['name']} in {self.file}"


def read_output(folder: Path) -> list[Emitted]:
    """Every object below ``output/<cluster>`` in the order of a sync, platform first.

    Values and patches are no objects of their own, and kustomize reads its own files.
    """
    files = [*sorted((folder / "platform").glob("*.yaml")), *sorted((folder / "teams").glob("*/*.yaml"))]
    return [
        each
        for file in files
        if file.name != "kustomization.yaml"
        for each in split_documents(file.read_text(encoding="utf-8"), file.relative_to(folder).as_posix())
    ]


def split_documents(content: str, file: str) -> Iterator[Emitted]:
    """The objects of a YAML text, each with its own part of the text."""
    for text in re.split(r"^---\n", content, flags=re.MULTILINE):
        document = yaml.load(text, yaml.CSafeLoader)
        if document is not None:
            yield Emitted(file, text, document)


def as_emitted(stored: Object) -> Object:
    """A stored object without what only the server sets: its metadata, the status, when a taint was added."""
    metadata = {key: value for key, value in stored["metadata"].items() if key not in SERVER_METADATA}
    document = {**stored, "metadata": metadata}
    document.pop("status", None)
    if stored["kind"] == "DeviceTaintRule":
        taint = {key: value for key, value in stored["spec"]["taint"].items() if key != "timeAdded"}
        document["spec"] = {**stored["spec"], "taint": taint}
    return document


def differences(emitted: Any, stored: Any, path: str = "") -> list[str]:
    """Where two documents differ, a line each; types count too, so that 1 is not true."""
    if isinstance(emitted, dict) and isinstance(stored, dict):
        found = []
        for key in [*emitted, *(key for key in stored if key not in emitted)]:
            here = f"{path}.{key}"
            if key not in stored:
                found.append(f"{here}: emitted {emitted[key]!r}, not stored")
            elif key not in emitted:
                found.append(f"{here}: stored {stored[key]!r}, not emitted")
            else:
                found += differences(emitted[key], stored[key], here)
        return found
    if isinstance(emitted, list) and isinstance(stored, list) and len(emitted) == len(stored):
        pairs = zip(emitted, stored, strict=True)
        return [line for index, pair in enumerate(pairs) for line in differences(*pair, f"{path}[{index}]")]
    if type(emitted) is type(stored) and emitted == stored:
        return []
    return [f"{path}: emitted {emitted!r}, stored {stored!r}"]

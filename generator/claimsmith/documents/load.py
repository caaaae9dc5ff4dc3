"""Files into documents; what is wrong comes back as findings and never as an exception."""

from collections.abc import Callable, Iterable
from collections.abc import Mapping as AbstractMapping
from dataclasses import dataclass, field
from typing import TypeVar

from claimsmith.documents import schema_check
from claimsmith.documents.cluster import Cluster
from claimsmith.documents.decode import decode
from claimsmith.documents.driver_schema import DriverSchema
from claimsmith.documents.guardrails import Evidence, Policy, Quarantine, Reservation
from claimsmith.documents.nodes import Mapping, Node, Scalar, find
from claimsmith.documents.parts import Document
from claimsmith.documents.source import Source, Suppression, suppressions
from claimsmith.documents.team_profile import TeamProfile
from claimsmith.documents.yaml_reader import read
from claimsmith.findings import Finding
from claimsmith.values.suggest import closest

T = TypeVar("T", bound=Document)

TYPES: dict[str, type[Document]] = {
    "TeamProfile": TeamProfile,
    "Cluster": Cluster,
    "Evidence": Evidence,
    "Quarantine": Quarantine,
    "Reservation": Reservation,
    "Policy": Policy,
    "DriverSchema": DriverSchema,
}


@dataclass(frozen=True, slots=True)
class LoadedFile:
    """What one file holds. ``broken`` has kind and name of documents that are there but not usable."""

    file: str
    documents: tuple[Document, ...] = ()
    broken: tuple[tuple[str, str], ...] = ()
    findings: tuple[Finding, ...] = ()
    suppressions: tuple[Suppression, ...] = field(default=())
    source: Source | None = field(default=None, repr=False)


def load_file(data: bytes, file: str) -> LoadedFile:
    """Reads, checks and decodes every document of a file."""
    roots, findings = read(data, file)
    documents: list[Document] = []
    broken: list[tuple[str, str]] = []
    if findings and not roots:
        broken.append(("", ""))
    for root in roots:
        document, problems = _load_document(root)
        findings.extend(problems)
        if document is not None:
            documents.append(document)
        else:
            broken.append(_identity(root))
    source = Source.of(data, file)
    return LoadedFile(
        file, tuple(documents), tuple(broken), tuple(findings), tuple(suppressions(source, roots)), source
    )


def _load_document(root: Node) -> tuple[Document | None, list[Finding]]:
    if not isinstance(root, Mapping):
        return None, [Finding("CS120", root.position, {"problem": "a document is a mapping"})]
    kind, problem = _kind(root)
    if kind is None:
        return None, [problem] if problem else []
    findings = schema_check.check(kind, root)
    if findings:
        return None, findings
    spec = root.get("spec")
    name = find(root, "metadata", "name")
    assert isinstance(spec, Mapping)
    assert isinstance(name, Scalar)
    return decode(TYPES[kind], spec, ("spec",), root=root, name=str(name.value)), []


def _kind(root: Mapping) -> tuple[str | None, Finding | None]:
    version, kind = root.get("apiVersion"), root.get("kind")
    if version is None or kind is None:
        missing = "kind" if version is not None else "apiVersion"
        where = "the document" if version is not kind else "the document, and so is `kind`"
        return None, Finding("CS122", root.position, {"field": missing, "where": where}, missing)
    version_text, kind_text = schema_check.said(version), schema_check.said(kind)
    if version_text != schema_check.API_VERSION:
        if kind_text not in schema_check.KINDS and "claimsmith" not in version_text.lower():
            return None, Finding("CS127", root.position, {"api_version": version_text, "kind": kind_text})
        data = {
            "value": version_text,
            "known": schema_check.API_VERSION,
            "did_you_mean": schema_check.API_VERSION,
        }
        return None, Finding("CS124", version.position, data, "apiVersion")
    if kind_text not in schema_check.KINDS:
        known = schema_check.KINDS
        data = {
            "value": kind_text,
            "known": ", ".join(known),
            "did_you_mean": closest(kind_text, known) or "",
        }
        return None, Finding("CS124", kind.position, data, "kind")
    return kind_text, None


def _identity(root: Node) -> tuple[str, str]:
    kind, name = find(root, "kind"), find(root, "metadata", "name")
    known = isinstance(kind, Scalar) and kind.text in TYPES
    return (
        kind.text if isinstance(kind, Scalar) and known else "",
        name.text if isinstance(name, Scalar) else "",
    )


@dataclass(frozen=True, slots=True)
class DocumentSet:
    """The documents of a run, each name once in its kind; ``sources`` are the texts of their files, by name."""

    profiles: tuple[TeamProfile, ...] = ()
    clusters: tuple[Cluster, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    quarantines: tuple[Quarantine, ...] = ()
    reservations: tuple[Reservation, ...] = ()
    policies: tuple[Policy, ...] = ()
    driver_schemas: tuple[DriverSchema, ...] = ()
    broken: frozenset[tuple[str, str]] = frozenset()
    sources: AbstractMapping[str, Source] = field(default_factory=dict, repr=False)

    def is_broken(self, kind: str, name: str) -> bool:
        """Whether such a document is there but unusable, so that a missing reference to it is no news."""
        candidates = {(kind, name), (kind, ""), ("", name), ("", "")}
        return not candidates.isdisjoint(self.broken)


def gather(files: Iterable[LoadedFile]) -> tuple[DocumentSet, list[Finding]]:
    """All documents in order of kind and name, whatever the order of files; second ones of a name are findings."""
    files = sorted(files, key=lambda loaded: loaded.file)
    findings: list[Finding] = []
    first: dict[tuple[type[Document], str], Document] = {}
    for document in (document for loaded in files for document in loaded.documents):
        key = (type(document), document.name)
        if key in first:
            other = first[key].name_position
            data = {
                "kind": type(document).__name__,
                "name": document.name,
                "first": f"{other.file}:{other.line}",
            }
            findings.append(document.name_finding("CS128", **data))
        else:
            first[key] = document

    def of(kind: type[Document]) -> list[Document]:
        return sorted((d for (t, _), d in first.items() if t is kind), key=lambda d: d.name)

    return (
        DocumentSet(
            profiles=_only(TeamProfile, of),
            clusters=_only(Cluster, of),
            evidence=_only(Evidence, of),
            quarantines=_only(Quarantine, of),
            reservations=_only(Reservation, of),
            policies=_only(Policy, of),
            driver_schemas=_only(DriverSchema, of),
            broken=frozenset(pair for loaded in files for pair in loaded.broken),
            sources={loaded.file: loaded.source for loaded in files if loaded.source is not None},
        ),
        findings,
    )


def _only(kind: type[T], of: Callable[[type[Document]], list[Document]]) -> tuple[T, ...]:
    return tuple(document for document in of(kind) if isinstance(document, kind))

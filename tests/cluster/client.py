"""The API of a cluster over HTTPS: objects are the dicts that JSON makes of them, as the server has them.

Not the ``kubernetes`` package, whose models drop the fields that they do not know: these tests compare what is stored.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import urllib3

Object = dict[str, Any]

MANAGER = "claimsmith-test"
MERGE_PATCH = "application/merge-patch+json"
STRATEGIC_PATCH = "application/strategic-merge-patch+json"
APPLY_PATCH = "application/apply-patch+yaml"


class ApiError(Exception):
    """What the API server refused: the HTTP ``status``, its ``reason`` and ``message``, and the ``causes`` by field."""

    def __init__(self, status: int, body: str) -> None:
        self.status = status
        try:
            said = json.loads(body)
        except ValueError:
            said = {}
        self.reason: str = said.get("reason", "")
        self.message: str = said.get("message", body)
        self.causes: list[Object] = (said.get("details") or {}).get("causes") or []
        super().__init__(f"{status} {self.reason}: {self.message}")


@dataclass(frozen=True, slots=True)
class Kind:
    """Where objects of a kind are: ``group`` is empty for the core, ``plural`` as in the path."""

    group: str
    version: str
    plural: str
    namespaced: bool

    def path(self, namespace: str | None = None, name: str | None = None) -> str:
        """The path of a collection (of every namespace, unless one is named), or of an object."""
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        inside = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        return f"{root}{inside}/{self.plural}{f'/{quote(name, safe=str())}' if name else ''}"


RESOURCE = "resource.k8s.io"
NODE = Kind("", "v1", "nodes", False)
NAMESPACE = Kind("", "v1", "namespaces", False)
POD = Kind("", "v1", "pods", True)
EVENT = Kind("", "v1", "events", True)
QUOTA = Kind("", "v1", "resourcequotas", True)
JOB = Kind("batch", "v1", "jobs", True)
DEVICE_CLASS = Kind(RESOURCE, "v1", "deviceclasses", False)
SLICE = Kind(RESOURCE, "v1", "resourceslices", False)
CLAIM = Kind(RESOURCE, "v1", "resourceclaims", True)
TEMPLATE = Kind(RESOURCE, "v1", "resourceclaimtemplates", True)
POLICY = Kind("admissionregistration.k8s.io", "v1", "validatingadmissionpolicies", False)
POLICY_BINDING = Kind("admissionregistration.k8s.io", "v1", "validatingadmissionpolicybindings", False)


@dataclass(frozen=True, slots=True)
class Api:
    """The API as the holder of a token sees it."""

    url: str
    token: str
    certificate: Path
    pool: urllib3.PoolManager
    kinds: dict[tuple[str, str], Kind] = field(default_factory=dict)

    @classmethod
    def connect(cls, url: str, token: str, certificate: Path) -> "Api":
        return cls(url, token, certificate, urllib3.PoolManager(ca_certs=str(certificate), maxsize=4, retries=False))

    def acting_as(self, token: str) -> "Api":
        """The same API for the holder of another token."""
        return replace(self, token=token)

    def request(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        content_type: str = "application/json",
        query: Mapping[str, str] | None = None,
        timeout: float = 30,
    ) -> Any:
        """What the server answers, decoded; ``ApiError`` unless it is a success."""
        address = f"{self.url}{path}{f'?{urlencode(query)}' if query else ''}"
        headers = {"Authorization": f"Bearer {self.token}", "Accept": "application/json", "Content-Type": content_type}
        sent = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
        answered = self.pool.request(method, address, body=sent, headers=headers, timeout=timeout)
        if answered.status >= 300:
            raise ApiError(answered.status, answered.data.decode())
        text = answered.data.decode()
        return json.loads(text) if answered.headers.get("Content-Type", "").startswith("application/json") else text

    def kind_of(self, document: Object) -> Kind:
        """The kind of a document, as the server lists it; ``ApiError`` 404 where it serves no such version."""
        version, kind = document["apiVersion"], document["kind"]
        if (version, kind) not in self.kinds:
            group, _, bare = version.rpartition("/")
            listed = self.request("GET", f"/apis/{version}" if group else f"/api/{version}")
            for each in listed["resources"]:
                if "/" not in each["name"]:
                    self.kinds[version, each["kind"]] = Kind(group, bare, each["name"], each["namespaced"])
        if (version, kind) not in self.kinds:
            raise ApiError(404, f"the server does not serve {kind} of {version}")
        return self.kinds[version, kind]

    def create(self, document: Object, *, strict: bool = True, dry_run: bool = False) -> Object:
        """Creates an object, unknown and duplicate fields refused, and returns what is stored."""
        kind = self.kind_of(document)
        query = {"fieldValidation": "Strict" if strict else "Warn", "fieldManager": MANAGER}
        if dry_run:
            query["dryRun"] = "All"
        created: Object = self.request("POST", kind.path(_namespace(document)), document, query=query)
        return created

    def apply(self, document: Object, *, dry_run: bool = False, force: bool = False) -> Object:
        """Applies an object server-side, with strict field validation, and returns what is stored."""
        kind = self.kind_of(document)
        path = kind.path(_namespace(document), document["metadata"]["name"])
        query = {"fieldManager": MANAGER, "fieldValidation": "Strict", "force": str(force).lower()}
        if dry_run:
            query["dryRun"] = "All"
        applied: Object = self.request("PATCH", path, document, content_type=APPLY_PATCH, query=query)
        return applied

    def get(self, kind: Kind, name: str, namespace: str | None = None) -> Object:
        found: Object = self.request("GET", kind.path(namespace, name))
        return found

    def find(self, kind: Kind, name: str, namespace: str | None = None) -> Object | None:
        """The object, or None where there is none."""
        try:
            return self.get(kind, name, namespace)
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def stored(self, document: Object) -> Object:
        """What the server has under the document's name."""
        return self.get(self.kind_of(document), document["metadata"]["name"], _namespace(document))

    def list(self, kind: Kind, namespace: str | None = None, **query: str) -> list[Object]:
        """Every object of the kind; ``query`` such as ``labelSelector``."""
        listed = self.request("GET", kind.path(namespace), query=query)
        head = {"apiVersion": listed["apiVersion"], "kind": listed["kind"].removesuffix("List")}
        return [head | item for item in listed["items"]]

    def patch(
        self, kind: Kind, name: str, change: object, namespace: str | None = None, *, subresource: str = ""
    ) -> Object:
        """Merges a change into an object, or into its ``status``."""
        path = kind.path(namespace, name) + (f"/{subresource}" if subresource else "")
        patched: Object = self.request("PATCH", path, change, content_type=MERGE_PATCH)
        return patched

    def delete(self, kind: Kind, name: str, namespace: str | None = None, *, now: bool = False) -> None:
        """Deletes an object, ``now`` without the time to stop; nothing happens where there is none."""
        options = {"gracePeriodSeconds": 0} if now else {}
        try:
            self.request("DELETE", kind.path(namespace, name), {**options, "propagationPolicy": "Background"})
        except ApiError as error:
            if error.status != 404:
                raise


def _namespace(document: Object) -> str | None:
    namespace: str | None = document["metadata"].get("namespace")
    return namespace

"""The defaults that an API server writes into claims and claim templates.

Source: ``SetDefaults_*`` in ``pkg/apis/resource/v1/defaults.go`` and the ``+default`` tags of the API types,
the same from 1.34 to 1.37. ``timeAdded`` of a taint is missing here: it is the time of the server's clock.
"""

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from claimsmith.kubernetes.served import GROUP


def apply_defaults(obj: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of a Kubernetes object with the server's defaults spelt out; other kinds pass through."""
    filled: dict[str, Any] = copy.deepcopy(dict(obj))
    group, _, version = str(obj.get("apiVersion", "")).rpartition("/")
    if group != GROUP:
        return filled
    spec = filled.get("spec")
    if obj.get("kind") == "ResourceClaimTemplate" and isinstance(spec, dict):
        spec.setdefault("metadata", {})
        spec = spec.get("spec")
    elif obj.get("kind") != "ResourceClaim":
        return filled
    for request in _requests(spec, flat=version == "v1beta1"):
        _fill_request(request)
    return filled


def _requests(spec: Any, *, flat: bool) -> Iterator[dict[str, Any]]:
    """Every part of a claim's spec that asks for devices: exact requests and alternatives.

    ``flat`` is the shape of v1beta1, in which a request with a class is the exact request itself.
    """
    devices = spec.get("devices") if isinstance(spec, dict) else None
    requests = devices.get("requests") if isinstance(devices, dict) else None
    for request in _dicts(requests):
        if flat and request.get("deviceClassName"):
            yield request
        yield from _dicts([request.get("exactly")])
        yield from _dicts(request.get("firstAvailable"))


def _fill_request(request: dict[str, Any]) -> None:
    if not request.get("allocationMode"):
        request["allocationMode"] = "ExactCount"
    if not request.get("count"):
        request.pop("count", None)
        if request["allocationMode"] == "ExactCount":
            request["count"] = 1
    for toleration in _dicts(request.get("tolerations")):
        if not toleration.get("operator"):
            toleration["operator"] = "Equal"


def _dicts(items: Any) -> Iterator[dict[str, Any]]:
    if isinstance(items, list):
        yield from (item for item in items if isinstance(item, dict))

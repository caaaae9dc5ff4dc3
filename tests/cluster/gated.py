"""Objects with every field that some minor drops, and what a server left of them."""

from collections.abc import Iterator
from typing import Any

from tests.cluster.client import Object

GPU = "gpu.nvidia.com"
TOLERATION = {"key": "example.com/dedicated", "operator": "Equal", "value": "vision", "effect": "NoSchedule"}
SHARE = {"requests": {"memory": "20Gi"}}
EXACT = {"deviceClassName": GPU, "allocationMode": "ExactCount", "count": 1}
REQUESTS: list[Object] = [
    {"name": "gpu", "exactly": {**EXACT, "tolerations": [TOLERATION], "capacity": SHARE}},
    {"name": "list", "firstAvailable": [{"name": "first", **EXACT, "tolerations": [TOLERATION], "capacity": SHARE}]},
]
DEVICE: Object = {
    "name": "gpu-0",
    "attributes": {"productName": {"string": "NVIDIA H100 80GB HBM3"}},
    "capacity": {"memory": {"value": "81559Mi", "requestPolicy": {"default": "1Gi", "validRange": {"min": "1Gi"}}}},
    "allowMultipleAllocations": True,
    "taints": [{"key": "gpu.nvidia.com/gpu-lost", "effect": "NoSchedule"}],
}
OBJECTS: tuple[Object, ...] = (
    {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "h100-80gb.gpu.nvidia.com"},
        "spec": {"selectors": [{"cel": {"expression": "true"}}], "extendedResourceName": "nvidia.com/gpu"},
    },
    {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaim",
        "metadata": {"name": "trainer", "namespace": "vision"},
        "spec": {"devices": {"requests": REQUESTS}},
    },
    {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": {"name": "trainer", "namespace": "vision"},
        "spec": {"spec": {"devices": {"requests": REQUESTS}}},
    },
    {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceSlice",
        "metadata": {"name": "h100-00"},
        "spec": {
            "driver": GPU,
            "nodeName": "h100-00",
            "pool": {"name": "h100-00", "generation": 1, "resourceSliceCount": 1},
            "devices": [DEVICE],
        },
    },
)


def missing(sent: Any, stored: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], Any]]:
    """The fields of what was sent that are not in what is stored, the outermost of each, with their values."""
    if isinstance(sent, dict) and isinstance(stored, dict):
        for key, value in sent.items():
            if key in stored:
                yield from missing(value, stored[key], (*path, key))
            else:
                yield (*path, key), value
    elif isinstance(sent, list) and isinstance(stored, list) and len(sent) == len(stored):
        for index, (one, other) in enumerate(zip(sent, stored, strict=True)):
            yield from missing(one, other, (*path, index))
    else:
        assert sent == stored, path

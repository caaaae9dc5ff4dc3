"""Fields that an API server drops without a word while a feature gate is off.

Source: ``dropDisabledFields`` and its like in ``pkg/api/resourceclaimspec/util.go`` and
``pkg/registry/resource/*/strategy.go`` of Kubernetes 1.34.4, 1.35.4, 1.36.3 and 1.37.2. An object that had a
field before an update keeps it; this table is about objects that are created.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from claimsmith.values.version import Minor


@dataclass(frozen=True, slots=True)
class GatedField:
    """A field of a kind in the shape of v1.

    ``steps`` leads to it: keys, ``[]`` for every item of a list, ``*`` for every entry of a map. All of
    ``gates`` must be on. ``since`` is the first minor that drops it, ``until`` the last one that has it.
    """

    kind: str
    steps: tuple[str, ...]
    gates: tuple[str, ...]
    since: Minor
    until: Minor | None = None

    @property
    def pattern(self) -> str:
        """Such as ``spec.devices.requests[].exactly.capacity``."""
        return ".".join(self.steps).replace(".[]", "[]")

    def exists_in(self, minor: Minor) -> bool:
        return self.since <= minor and (self.until is None or minor <= self.until)

    def steps_in(self, version: str) -> tuple[str, ...]:
        """``steps`` in the shape of a version: v1beta1 has no ``exactly`` and its devices are ``basic``."""
        if version != "v1beta1":
            return self.steps
        if self.kind == "ResourceSlice" and self.steps[:3] == ("spec", "devices", "[]"):
            return (*self.steps[:3], "basic", *self.steps[3:])
        return tuple(step for step in self.steps if step != "exactly")


def _rows(kind: str, gates: tuple[str, ...], since: str, until: str | None, paths: str) -> Iterator[GatedField]:
    for path in paths.split():
        steps = tuple(path.replace("[]", ".[]").split("."))
        yield GatedField(kind, steps, gates, Minor.parse(since), Minor.parse(until) if until is not None else None)


def _claim_rows(gate: str, since: str, paths: str) -> Iterator[GatedField]:
    in_template = " ".join(f"spec.{path}" for path in paths.split())
    yield from _rows("ResourceClaim", (gate,), since, None, paths)
    yield from _rows("ResourceClaimTemplate", (gate,), since, None, in_template)


def _slice_rows(gate: str, since: str, paths: str, until: str | None = None) -> Iterator[GatedField]:
    yield from _rows("ResourceSlice", (gate,), since, until, paths)


GATED_FIELDS: tuple[GatedField, ...] = (
    *_rows("DeviceClass", ("DRAExtendedResource",), "1.34", None, "spec.extendedResourceName"),
    # Before the fields of the alternatives, which go with it.
    *_claim_rows("DRAPrioritizedList", "1.34", "spec.devices.requests[].firstAvailable"),
    # 1.34 keeps tolerations although its scheduler does not look at them.
    *_claim_rows(
        "DRADeviceTaints",
        "1.35",
        "spec.devices.requests[].exactly.tolerations spec.devices.requests[].firstAvailable[].tolerations",
    ),
    *_claim_rows("DRAAdminAccess", "1.34", "spec.devices.requests[].exactly.adminAccess"),
    *_claim_rows(
        "DRAConsumableCapacity",
        "1.34",
        "spec.devices.constraints[].distinctAttribute"
        " spec.devices.requests[].exactly.capacity spec.devices.requests[].firstAvailable[].capacity",
    ),
    *_claim_rows(
        "DRADerivedAttributes",
        "1.37",
        "spec.devices.requests[].exactly.derivedAttributes spec.devices.requests[].firstAvailable[].derivedAttributes",
    ),
    *_slice_rows("DRADeviceTaints", "1.34", "spec.devices[].taints"),
    *_slice_rows(
        "DRAPartitionableDevices",
        "1.34",
        "spec.sharedCounters spec.perDeviceNodeSelection spec.devices[].consumesCounters"
        " spec.devices[].nodeName spec.devices[].nodeSelector spec.devices[].allNodes",
    ),
    *_rows(
        "ResourceSlice",
        ("DRADeviceBindingConditions", "DRAResourceClaimDeviceStatus"),
        "1.34",
        None,
        "spec.devices[].bindingConditions spec.devices[].bindingFailureConditions spec.devices[].bindsToNode",
    ),
    *_slice_rows(
        "DRAConsumableCapacity",
        "1.34",
        "spec.devices[].allowMultipleAllocations spec.devices[].capacity.*.requestPolicy",
    ),
    *_slice_rows("DRADeviceCompatibilityGroups", "1.37", "spec.devices[].consumesCounters[].compatibilityGroups"),
    *_slice_rows(
        "DRANodeAllocatableResources",
        "1.36",
        "spec.devices[].nodeAllocatableResourceMappings",
        until="1.36",
    ),
    *_slice_rows("DRANodeAllocatableResources", "1.37", "spec.devices[].nodeAllocatableResources"),
    *_slice_rows(
        "DRAListTypeAttributes",
        "1.36",
        "spec.devices[].attributes.*.bools spec.devices[].attributes.*.ints"
        " spec.devices[].attributes.*.strings spec.devices[].attributes.*.versions",
    ),
    *_slice_rows("DRAPartitionableDevicesType", "1.37", "spec.partitionTypeAttribute"),
    *_slice_rows("DRAOptionalNodeOperations", "1.37", "spec.skipNodeOperations"),
)

"""What one cluster's control plane can do: its capability table."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from claimsmith.kubernetes.gated_fields import GATED_FIELDS, GatedField
from claimsmith.kubernetes.gates import GATES
from claimsmith.kubernetes.limits import LIMITS, Limits
from claimsmith.kubernetes.minors import V1_34, V1_35, V1_36, V1_37
from claimsmith.kubernetes.served import GROUP, VERSIONS_TO_EMIT, KindVersion
from claimsmith.values.version import Minor

_TAINT_RULE_GATES: Mapping[Minor, tuple[str, ...]] = MappingProxyType(
    {
        V1_34: ("DRADeviceTaints",),
        V1_35: ("DRADeviceTaints", "DRADeviceTaintRules"),
        V1_36: ("DRADeviceTaints", "DRADeviceTaintRules"),
        V1_37: ("DRADeviceTaints", "DRADeviceTaintRules"),
    }
)

_WATCHED_TAINT_RULES: Mapping[Minor, str] = MappingProxyType(
    {V1_34: "v1alpha3", V1_35: "v1alpha3", V1_36: "v1beta2", V1_37: "v1"}
)
"""The version in which the scheduler and the eviction controller of a minor watch DeviceTaintRules
(``pkg/scheduler/scheduler.go``, ``cmd/kube-controller-manager/app``)."""

_EFFECTS_OF_1_34 = frozenset({"NoSchedule", "NoExecute"})


@dataclass(frozen=True, slots=True)
class Target:
    """A Kubernetes minor with the gates that are on and the API versions that are served.

    Made by ``resolve_target``. The questions about fields are about objects that are created: an object that
    already has a gated field keeps it.
    """

    minor: Minor
    enabled_gates: frozenset[str]
    served: frozenset[KindVersion]
    preset: str | None = None

    @property
    def kubernetes(self) -> str:
        """The minor as text, such as ``1.36``."""
        return str(self.minor)

    @property
    def limits(self) -> Limits:
        return LIMITS[self.minor]

    def enabled(self, gate: str) -> bool:
        """Whether a gate is on; False in a minor without it. ``KeyError`` for what is no gate of ours."""
        if gate not in GATES:
            raise KeyError(gate)
        return gate in self.enabled_gates

    def serves(self, kind: str, version: str) -> bool:
        """Whether resource.k8s.io has the kind in this version (``v1``) on this target."""
        return KindVersion(kind, version) in self.served

    def api_version(self, kind: str) -> str | None:
        """The ``apiVersion`` to emit for a kind, such as ``resource.k8s.io/v1``; None where it is not served.

        v1 where there is one, else the newest served version of the same shape.
        """
        return next((f"{GROUP}/{version}" for version in VERSIONS_TO_EMIT if self.serves(kind, version)), None)

    # Taints

    @property
    def missing_for_taint_rules(self) -> tuple[str, ...]:
        """What must be switched on for DeviceTaintRules to have an effect: gates, then an API version."""
        missing = [gate for gate in _TAINT_RULE_GATES[self.minor] if gate not in self.enabled_gates]
        watched = _WATCHED_TAINT_RULES[self.minor]
        if not self.serves("DeviceTaintRule", watched):
            missing.append(f"{GROUP}/{watched}")
        return tuple(missing)

    @property
    def enforces_taint_rules(self) -> bool:
        """Whether scheduler and eviction controller obey DeviceTaintRules, not only the API server."""
        return not self.missing_for_taint_rules

    @property
    def honours_slice_taints(self) -> bool:
        """Whether taints that a driver publishes in its ResourceSlices are kept and obeyed."""
        return self.enabled("DRADeviceTaints")

    @property
    def keeps_tolerations(self) -> bool:
        """Whether tolerations of claims and templates are stored; 1.34 stores them with the gate off too."""
        return self._keeps("ResourceClaim", "spec.devices.requests[].exactly.tolerations")

    @property
    def honours_tolerations(self) -> bool:
        """Whether the scheduler looks at tolerations."""
        return self.enabled("DRADeviceTaints")

    @property
    def taint_effects(self) -> frozenset[str]:
        """The effects that the API allows in a device taint."""
        return _EFFECTS_OF_1_34 if self.minor < V1_35 else _EFFECTS_OF_1_34 | {"None"}

    @property
    def toleration_effects(self) -> frozenset[str]:
        """The effects that the API allows in a toleration, apart from none, which stands for all of them."""
        return self.taint_effects

    # Claims and classes

    @property
    def keeps_capacity(self) -> bool:
        """Whether requests for a share of a device's capacity are stored and obeyed."""
        return self._keeps("ResourceClaim", "spec.devices.requests[].exactly.capacity")

    @property
    def keeps_distinct_attribute(self) -> bool:
        return self._keeps("ResourceClaim", "spec.devices.constraints[].distinctAttribute")

    @property
    def keeps_extended_resource_name(self) -> bool:
        return self._keeps("DeviceClass", "spec.extendedResourceName")

    @property
    def keeps_admin_access(self) -> bool:
        return self._keeps("ResourceClaim", "spec.devices.requests[].exactly.adminAccess")

    @property
    def has_prioritized_list(self) -> bool:
        """Whether ``firstAvailable`` is stored and obeyed."""
        return self._keeps("ResourceClaim", "spec.devices.requests[].firstAvailable")

    @property
    def has_scoring(self) -> bool:
        """Whether the order of alternatives counts in the choice of the node; before 1.35 it does not."""
        return self.minor >= V1_35 and self.has_prioritized_list

    @property
    def all_in_first_available_is_sound(self) -> bool:
        """Whether ``allocationMode: All`` works in an alternative; up to 1.35 the allocator mixes them up."""
        return self.minor >= V1_36

    def distinct_attribute_is_sound(self, count: int) -> bool:
        """Whether ``distinctAttribute`` keeps ``count`` devices of one request apart.

        Up to 1.36 the allocator remembers only the latest device of a request: the third may equal the first.
        """
        return count < 3 or self.minor >= V1_37

    # Dropped fields

    @property
    def dropped(self) -> Iterator[tuple[GatedField, str]]:
        """The fields that this target drops, each with the first gate that is off."""
        for gated in GATED_FIELDS:
            if gated.exists_in(self.minor):
                off = next((gate for gate in gated.gates if gate not in self.enabled_gates), None)
                if off is not None:
                    yield gated, off

    def _keeps(self, kind: str, pattern: str) -> bool:
        return not any(gated.kind == kind and gated.pattern == pattern for gated, _ in self.dropped)

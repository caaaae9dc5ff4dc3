"""How much the API server takes of everything, by Kubernetes minor.

Source: the constants of ``pkg/apis/resource/types.go`` and their use in
``pkg/apis/resource/validation/validation.go`` of Kubernetes 1.34.4, 1.35.4, 1.36.3 and 1.37.2.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

from claimsmith.kubernetes.minors import V1_34, V1_35, V1_36, V1_37
from claimsmith.values.version import Minor


@dataclass(frozen=True, slots=True)
class Limits:
    """Largest numbers allowed; lengths are in bytes, None means that there is no such limit in the minor."""

    requests_per_claim: int = 32
    alternatives_per_request: int = 8
    selectors: int = 32
    """Of a request, and of a class."""
    constraints_per_claim: int = 32
    configs: int = 32
    """Of a claim, and of a class."""
    references: int = 32
    """Requests named by one constraint or one config."""
    devices_per_claim: int = 32
    """Not checked when the claim is created: the scheduler fails on a claim that needs more."""
    allocation_configs: int = 64
    consumers_per_claim: int = 256
    cel_length: int = 10 * 1024
    cel_cost: int = 1_000_000
    opaque_parameters_length: int = 10 * 1024
    """Of the parameters as JSON."""
    documented_tolerations: int = 16
    """Documented for a request, and checked by no release."""
    derived_attributes: int | None = None
    taint_rule_conditions: int | None = 8

    label_length: int = 63
    """Names of requests, alternatives, devices, counters and counter sets; values of labels and taints."""
    subdomain_length: int = 253
    """Names of objects and classes."""
    driver_name_length: int = 63
    pool_name_length: int = 253
    attribute_domain_length: int = 63
    attribute_id_length: int = 32

    devices_per_slice: int = 128
    devices_per_advanced_slice: int | None = 64
    """Where a device of the slice has taints, consumes counters or (since 1.36) has list attributes."""
    attributes_and_capacities_per_device: int = 32
    attribute_values_per_device: int | None = None
    """Items of list attributes counted."""
    attribute_value_length: int = 64
    taints_per_device: int = 16
    binding_conditions_per_device: int = 4
    request_policy_values: int = 10
    counters_per_slice: int | None = None
    counter_sets_per_slice: int | None = 8
    counters_per_set: int | None = 32
    counter_sets_per_device: int | None = 2
    counters_per_device: int | None = None
    counters_per_set_of_device: int | None = 32
    device_counters_per_slice: int | None = None
    compatibility_groups: int | None = None


_1_35 = Limits()
_1_34 = replace(
    _1_35,
    taint_rule_conditions=None,
    devices_per_advanced_slice=None,
    taints_per_device=4,
    counters_per_slice=32,
    counter_sets_per_slice=None,
    counters_per_set=None,
    counter_sets_per_device=None,
    counters_per_device=32,
    counters_per_set_of_device=None,
    device_counters_per_slice=1024,
)
_1_36 = replace(_1_35, attribute_values_per_device=48)
_1_37 = replace(_1_36, derived_attributes=32, compatibility_groups=2)

LIMITS: Mapping[Minor, Limits] = MappingProxyType({V1_34: _1_34, V1_35: _1_35, V1_36: _1_36, V1_37: _1_37})

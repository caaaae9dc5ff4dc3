"""Feature gates that concern Dynamic Resource Allocation, by Kubernetes minor.

Source: ``pkg/features/kube_features.go`` of Kubernetes 1.34.4, 1.35.4, 1.36.3 and 1.37.2, in its own form:
the history of each gate (``defaultVersionedKubernetesFeatureGates``) and what it needs
(``defaultKubernetesFeatureGateDependencies``). A new minor adds a stage where a gate changed, and nothing
where it did not. The stages and defaults agree with what stock API servers report in ``/metrics``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType

from claimsmith.kubernetes.minors import V1_35
from claimsmith.values.version import Minor


class Stage(StrEnum):
    ALPHA = "alpha"
    BETA = "beta"
    GA = "ga"


@dataclass(frozen=True, slots=True)
class GateStage:
    """How a gate is from a minor on: ``default`` unless it is set, which it cannot be where ``locked``."""

    since: Minor
    stage: Stage
    default: bool
    locked: bool = False


@dataclass(frozen=True, slots=True)
class Gate:
    """The stages of a gate, oldest first, and the gates that must be on for it to be on."""

    stages: tuple[GateStage, ...]
    needs: tuple[str, ...] = ()

    def at(self, minor: Minor) -> GateStage | None:
        """The gate in a minor; None where it does not exist yet."""
        return next((stage for stage in reversed(self.stages) if stage.since <= minor), None)


def _alpha(since: str) -> GateStage:
    return GateStage(Minor.parse(since), Stage.ALPHA, default=False)


def _beta(since: str, *, default: bool = True) -> GateStage:
    return GateStage(Minor.parse(since), Stage.BETA, default)


def _ga(since: str, *, locked: bool) -> GateStage:
    return GateStage(Minor.parse(since), Stage.GA, default=True, locked=locked)


_DRA = "DynamicResourceAllocation"

GATES: Mapping[str, Gate] = MappingProxyType(
    {
        "DRAAdminAccess": Gate((_alpha("1.32"), _beta("1.34"), _ga("1.36", locked=True)), (_DRA,)),
        "DRAConsumableCapacity": Gate((_alpha("1.34"), _beta("1.36")), (_DRA,)),
        "DRADerivedAttributes": Gate((_alpha("1.37"),), (_DRA,)),
        "DRADeviceBindingConditions": Gate((_alpha("1.34"), _beta("1.36")), (_DRA, "DRAResourceClaimDeviceStatus")),
        "DRADeviceCompatibilityGroups": Gate((_alpha("1.37"),), (_DRA, "DRAPartitionableDevices")),
        "DRADeviceTaintRules": Gate(
            (_alpha("1.35"), _beta("1.36", default=False), _ga("1.37", locked=False)), ("DRADeviceTaints",)
        ),
        "DRADeviceTaints": Gate((_alpha("1.33"), _beta("1.36"), _ga("1.37", locked=False)), (_DRA,)),
        "DRAExtendedResource": Gate((_alpha("1.34"), _beta("1.36"), _ga("1.37", locked=True)), (_DRA,)),
        # On by default only with --min-compatibility-version=1.37, which a stock 1.37 does not have.
        "DRAFractionalCapacityRange": Gate((_beta("1.37", default=False),), ("DRAConsumableCapacity",)),
        "DRAListTypeAttributes": Gate((_alpha("1.36"),), (_DRA,)),
        "DRANodeAllocatableResources": Gate((_alpha("1.36"),), (_DRA,)),
        "DRAOptionalNodeOperations": Gate((_alpha("1.37"),), (_DRA, "NodeDeclaredFeatures")),
        "DRAPartitionableDevices": Gate((_alpha("1.33"), _beta("1.36")), (_DRA,)),
        "DRAPartitionableDevicesType": Gate(
            (_alpha("1.37"),), (_DRA, "DRAPartitionableDevices", "DRAResourcePoolStatus")
        ),
        "DRAPrioritizedList": Gate(
            (_alpha("1.33"), _beta("1.34"), _ga("1.36", locked=False), _ga("1.37", locked=True)), (_DRA,)
        ),
        "DRAResourceClaimDeviceStatus": Gate((_alpha("1.32"), _beta("1.33"), _ga("1.37", locked=True))),
        "DRAResourceClaimGranularStatusAuthorization": Gate((_beta("1.36"),), (_DRA, "DRAResourceClaimDeviceStatus")),
        "DRAResourcePoolStatus": Gate((_alpha("1.36"),), (_DRA,)),
        "DRASchedulerFilterTimeout": Gate((_beta("1.34"),), (_DRA,)),
        "DRAWorkloadResourceClaims": Gate((_alpha("1.36"), _beta("1.37", default=False)), (_DRA, "GenericWorkload")),
        _DRA: Gate(
            (
                _alpha("1.26"),
                _beta("1.32", default=False),
                _ga("1.34", locked=False),
                _ga("1.35", locked=True),
            )
        ),
        "GenericWorkload": Gate((_alpha("1.35"), _beta("1.37", default=False))),
        "KubeletPodResourcesDynamicResources": Gate((_alpha("1.27"), _beta("1.34"), _ga("1.36", locked=True))),
        "NodeDeclaredFeatures": Gate((_alpha("1.35"), _beta("1.36"), _ga("1.37", locked=True))),
        "ResourceHealthStatus": Gate((_alpha("1.31"), _beta("1.36")), (_DRA,)),
        "ResourceHealthStatusMessage": Gate((_beta("1.36"),), ("ResourceHealthStatus",)),
    }
)

GROUP_GATES: Mapping[str, Stage] = MappingProxyType({"AllAlpha": Stage.ALPHA, "AllBeta": Stage.BETA})
"""Gates that set every gate of a stage that is not set on its own (component-base ``featuregate``)."""

_DEPENDENCIES_CHECKED_SINCE = V1_35


def gates_of(minor: Minor) -> dict[str, GateStage]:
    """The gates that exist in a minor, by name."""
    stages = ((name, gate.at(minor)) for name, gate in GATES.items())
    return {name: stage for name, stage in stages if stage is not None}


def needs_of(gate: str, minor: Minor) -> tuple[str, ...]:
    """The gates without which the components of a minor refuse to start with this gate on."""
    return GATES[gate].needs if minor >= _DEPENDENCIES_CHECKED_SINCE else ()

"""Kubernetes as a target: minors, gates, served versions, limits, and what a server makes of an object."""

from claimsmith.kubernetes.capabilities import Target
from claimsmith.kubernetes.defaults import apply_defaults
from claimsmith.kubernetes.drop import DroppedField, drop, dropped_fields
from claimsmith.kubernetes.gates import GATES, Gate, GateStage, Stage, gates_of, needs_of
from claimsmith.kubernetes.limits import LIMITS, Limits
from claimsmith.kubernetes.minors import MINORS, NEWEST, minor_in
from claimsmith.kubernetes.presets import PRESETS, Preset
from claimsmith.kubernetes.served import GROUP, KINDS, KindVersion, runtime_config_keys
from claimsmith.kubernetes.target import TargetProblem, resolve_target

__all__ = [
    "GATES",
    "GROUP",
    "KINDS",
    "LIMITS",
    "MINORS",
    "NEWEST",
    "PRESETS",
    "DroppedField",
    "Gate",
    "GateStage",
    "KindVersion",
    "Limits",
    "Preset",
    "Stage",
    "Target",
    "TargetProblem",
    "apply_defaults",
    "drop",
    "dropped_fields",
    "gates_of",
    "minor_in",
    "needs_of",
    "resolve_target",
    "runtime_config_keys",
]

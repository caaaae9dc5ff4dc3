"""What a check has to say: findings, their positions, and the registry of rules."""

from claimsmith.findings.finding import Finding
from claimsmith.findings.position import NOWHERE, Position
from claimsmith.findings.rule import Consequence, Rule, Severity, all_rules, register, rule

__all__ = [
    "NOWHERE",
    "Consequence",
    "Finding",
    "Position",
    "Rule",
    "Severity",
    "all_rules",
    "register",
    "rule",
]

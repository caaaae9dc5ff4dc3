"""Quarantined devices: by DeviceTaintRule where the target obeys those, else out of our classes by identity."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field

from claimsmith.compiler.context import ClusterContext
from claimsmith.compiler.objects import MANAGED_BY, KubernetesObject
from claimsmith.documents.guardrails import Quarantine, QuarantinedDevice
from claimsmith.documents.parts import DevicePool
from claimsmith.findings import Finding

TAINT_KEY = "claimsmith/quarantine"


@dataclass(frozen=True, slots=True)
class QuarantinePlan:
    """``rules`` are DeviceTaintRules; ``excluded`` has, by driver, identities that our classes leave out.

    ``by_selector`` are the quarantines that the classes carry out, with all that this does not do.
    """

    rules: tuple[KubernetesObject, ...] = ()
    excluded: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    by_selector: tuple[Quarantine, ...] = ()


def plan_quarantine(context: ClusterContext) -> tuple[QuarantinePlan, list[Finding]]:
    """How the cluster keeps out what is quarantined, and what it cannot keep out."""
    planner = _Planner(context)
    for quarantine in context.quarantines:
        planner.add(quarantine)
    plan = QuarantinePlan(
        tuple(planner.rules),
        {driver: tuple(sorted(identities)) for driver, identities in sorted(planner.excluded.items())},
        tuple(planner.by_selector),
    )
    return plan, [finding.on(context.name) for finding in planner.findings]


@dataclass(slots=True)
class _Planner:
    context: ClusterContext
    rules: list[KubernetesObject] = field(default_factory=list)
    excluded: dict[str, set[str]] = field(default_factory=dict)
    by_selector: list[Quarantine] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def add(self, quarantine: Quarantine) -> None:
        strategy, target = self.context.cluster.quarantine, self.context.target
        if strategy == "rule" and not target.enforces_taint_rules:
            self.findings.append(
                quarantine.name_finding(
                    "CS601", kubernetes=target.kubernetes, missing=", ".join(target.missing_for_taint_rules)
                )
            )
            return
        parts: list[QuarantinedDevice | DevicePool] = [*quarantine.devices, *quarantine.pools]
        for part in parts:
            if part.driver not in self.context.drivers:
                if quarantine.clusters is not None:
                    self._report(part, "CS602", "driver", driver=part.driver, cluster=self.context.name)
                continue
            way = self._way(part)
            if way == "rule":
                self._add_rule(quarantine, part)
            elif isinstance(part, QuarantinedDevice) and part.uuid is not None and way == "selector":
                self._exclude(quarantine, part, part.uuid)

    def _way(self, part: QuarantinedDevice | DevicePool) -> str | None:
        """The strategy that keeps this part out; None, with a finding, where none can."""
        strategy = self.context.cluster.quarantine
        rules = strategy != "selector" and self.context.target.enforces_taint_rules
        identity = part.uuid if isinstance(part, QuarantinedDevice) else None
        if rules and (isinstance(part, DevicePool) or (part.pool is not None and part.device is not None)):
            return "rule"
        if strategy != "rule" and identity is not None:
            return "selector"
        if rules:
            self._report(part, "CS603", missing="`pool` and `device`", strategy="rule")
        else:
            missing = "its devices by `uuid`" if isinstance(part, DevicePool) else "`uuid`"
            self._report(part, "CS603", missing=missing, strategy="selector")
        return None

    def _add_rule(self, quarantine: Quarantine, part: QuarantinedDevice | DevicePool) -> None:
        device = part.device if isinstance(part, QuarantinedDevice) else None
        selector = {"driver": part.driver, "pool": part.pool} | ({"device": device} if device else {})
        if quarantine.effect not in self.context.target.taint_effects:
            self.findings.append(
                quarantine.finding(
                    "CS227", "effect", kubernetes=self.context.target.kubernetes, effect=quarantine.effect
                )
            )
        taint = {"key": TAINT_KEY, "value": quarantine.name, "effect": quarantine.effect}
        self.rules.append(taint_rule(self.context, f"quarantine-{quarantine.name}", selector, taint))

    def _exclude(self, quarantine: Quarantine, part: QuarantinedDevice, uuid: str) -> None:
        if self.context.drivers[part.driver].schema.identity is None:
            self._report(part, "CS604", "uuid", driver=part.driver)
            return
        if quarantine.effect == "None":
            self.findings.append(quarantine.finding("CS605", "effect"))
            return
        self.excluded.setdefault(part.driver, set()).add(uuid)
        if quarantine not in self.by_selector:
            self.by_selector.append(quarantine)

    def _report(self, part: QuarantinedDevice | DevicePool, rule: str, *steps: str, **data: object) -> None:
        self.findings.append(part.finding(rule, *steps, **data))


def taint_rule(
    context: ClusterContext, prefix: str, selector: Mapping[str, object], taint: Mapping[str, object]
) -> KubernetesObject:
    """A DeviceTaintRule in the version that the target obeys. It always has a selector: without one, 1.34 to
    1.36 taint every device of the cluster."""
    chosen = "/".join(str(selector.get(key, "")) for key in ("driver", "pool", "device"))
    return {
        "apiVersion": context.target.api_version("DeviceTaintRule"),
        "kind": "DeviceTaintRule",
        "metadata": {
            "name": f"{prefix}-{hashlib.sha256(chosen.encode()).hexdigest()[:8]}",
            "labels": dict(MANAGED_BY),
        },
        "spec": {"deviceSelector": dict(selector), "taint": dict(taint)},
    }

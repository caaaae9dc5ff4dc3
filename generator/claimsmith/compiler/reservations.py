"""What is set aside for one team: its classes, its node pools, and the taint of its driver pools."""

from collections.abc import Iterable

from claimsmith.compiler.context import ClusterContext, DeviceClassRef
from claimsmith.compiler.objects import KubernetesObject
from claimsmith.compiler.quarantine import taint_rule
from claimsmith.documents.cluster import NodePool
from claimsmith.documents.guardrails import Reservation

TAINT_KEY = "claimsmith/reserved"


def foreign_reservations(context: ClusterContext, team: str) -> tuple[Reservation, ...]:
    """Reservations of other teams."""
    return tuple(each for each in context.reservations if each.team != team)


def reserved_classes(context: ClusterContext, reservations: Iterable[Reservation]) -> dict[str, Reservation]:
    """Names of the classes that reservations of models take away from other teams, with who took them.

    The vendor's classes that admit the same devices go with them, or they would be a way around.
    """
    taken: dict[str, Reservation] = {}
    for reservation in reservations:
        models = {model.lower() for model in reservation.models}
        ours = [each for each in context.classes if each.ours and each.model and each.model.lower() in models]
        kinds = {(each.view.name, each.device_type) for each in ours if each.view}
        for each in (*ours, *(ref for ref in context.classes if _admits(ref, kinds))):
            taken.setdefault(each.name, reservation)
    return taken


def _admits(ref: DeviceClassRef, kinds: set[tuple[str, str | None]]) -> bool:
    """Whether a class of the vendor's admits devices of one of these drivers and types."""
    if ref.ours or ref.view is None:
        return False
    return any(driver == ref.view.name and ref.device_type in (None, device_type) for driver, device_type in kinds)


def open_pools(context: ClusterContext, team: str, model: str) -> tuple[NodePool, ...]:
    """Node pools with a model in which a team may run."""
    closed = {each.node_pool for each in foreign_reservations(context, team)}
    return tuple(pool for pool in context.pools_with(model) if pool.name not in closed)


def own_pools(context: ClusterContext, team: str) -> tuple[NodePool, ...]:
    """Node pools that are set aside for a team."""
    names = {each.node_pool for each in context.reservations if each.team == team}
    return tuple(pool for pool in context.cluster.node_pools if pool.name in names)


def reservation_rules(context: ClusterContext) -> list[KubernetesObject]:
    """A DeviceTaintRule for each driver pool that a reservation names."""
    if not context.target.enforces_taint_rules:
        return []
    return [
        taint_rule(
            context,
            f"reserved-{reservation.name}",
            {"driver": pool.driver, "pool": pool.pool},
            {"key": TAINT_KEY, "value": reservation.team, "effect": "NoSchedule"},
        )
        for reservation in context.reservations
        for pool in reservation.pools
    ]


def reservation_toleration(context: ClusterContext, team: str, driver: str) -> dict[str, object] | None:
    """What a team's requests to a driver must tolerate, where driver pools are set aside for the team."""
    concerned = any(
        reservation.team == team and any(pool.driver == driver for pool in reservation.pools)
        for reservation in context.reservations
    )
    if not concerned:
        return None
    return {"key": TAINT_KEY, "operator": "Equal", "value": team, "effect": "NoSchedule"}

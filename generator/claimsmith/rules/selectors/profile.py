"""The selectors that teams write themselves: ``require.cel``, of a request and of its alternatives."""

from collections.abc import Iterator

from claimsmith.compiler.classes import class_selectors
from claimsmith.compiler.context import ClusterContext, DeviceClassRef
from claimsmith.compiler.resolve import Choice, ResolvedProfile, ResolvedRequest
from claimsmith.documents.nodes import Scalar, Sequence, find
from claimsmith.documents.scalar_map import position_in
from claimsmith.documents.source import Source
from claimsmith.documents.team_profile import Alternative, Request
from claimsmith.findings import Finding
from claimsmith.rules.selectors.fleet import Kind, kinds_of
from claimsmith.rules.selectors.inspection import Setting, check_selectors


def check(resolved: ResolvedProfile, source: Source | None) -> Iterator[Finding]:
    """What is wrong with a profile's own selectors on a cluster; `source` is the profile's file."""
    for claim in resolved.claims:
        for request in claim.requests:
            for choice in request.choices:
                for finding in _choice(request, choice, resolved.context, source):
                    yield finding.on(resolved.context.name)


def _choice(
    request: ResolvedRequest, choice: Choice, context: ClusterContext, source: Source | None
) -> Iterator[Finding]:
    own = list(_written(request.source))
    if choice.source is not request.source:
        own += _written(choice.source)
    if not own:
        return
    texts = [scalar.text for _, scalar, _ in own]
    kinds, of_class = _devices(choice.device_class)
    setting = Setting(
        context.target,
        tuple(kinds),
        tuple(of_class),
        tuple(each for each in choice.selectors if each not in texts),
        " ".join(filter(None, (choice.device_class.model, choice.device_class.partition))) or None,
    )
    for (holder, scalar, steps), remarks in zip(own, check_selectors(texts, setting), strict=True):
        for each in remarks:
            place = position_in(scalar, source, each.place.start, each.place.end)
            yield Finding(each.rule, place, each.data, holder.field_path(*steps))


def _written(holder: Request | Alternative) -> Iterator[tuple[Request | Alternative, Scalar, tuple[str | int, ...]]]:
    node = find(holder.node, "require", "cel")
    if isinstance(node, Scalar):
        yield holder, node, ("require", "cel")
    elif isinstance(node, Sequence):
        for index, item in enumerate(node.items):
            if isinstance(item, Scalar):
                yield holder, item, ("require", "cel", index)


def _devices(device_class: DeviceClassRef) -> tuple[list[Kind], list[str]]:
    """The kinds of devices that the allocator may come to, and the selectors of the class that it tries first."""
    view = device_class.view
    if view is None:
        return [], []
    if device_class.ours:
        kinds = kinds_of(view, device_class.device_type, device_class.model, device_class.partition)
        return kinds, class_selectors(device_class, {})
    shipped = next((each for each in view.classes if each.name == device_class.name), None)
    if shipped is None or not shipped.selectors:
        return kinds_of(view, device_class.device_type), []
    return kinds_of(view), list(shipped.selectors)

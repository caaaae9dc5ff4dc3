"""What policies see: documents and catalogue facts as plain JSON."""

from collections.abc import Iterator

from claimsmith.compiler.context import ClusterContext, DeviceClassRef
from claimsmith.compiler.resolve import ResolvedProfile
from claimsmith.documents.complete import complete
from claimsmith.documents.driver_schema import Model
from claimsmith.documents.team_profile import Alternative, TeamProfile
from claimsmith.values.quantity import Quantity

VARIABLES = frozenset(("profile", "cluster", "models"))


def profile_data(profile: TeamProfile) -> dict[str, object]:
    """The document, completed; a request with `prefer` has its counts there and none of its own."""
    data = complete(profile)
    spec = data["spec"]
    assert isinstance(spec, dict)
    for claim, claim_data in zip(profile.claims, spec["claims"], strict=True):
        for request, request_data in zip(claim.requests, claim_data["requests"], strict=True):
            if request.prefer and request.node.get("count") is None:
                del request_data["count"]
    return data


def cluster_data(context: ClusterContext) -> dict[str, object]:
    """The document, completed."""
    return complete(context.cluster)


def model_data(resolved: ResolvedProfile) -> dict[str, object]:
    """Catalogue facts of each model that the claims name, by the catalogue's name and by the profile's spelling.

    What the catalogue does not know is left out: ``memory`` is the least that a product of this model has, in bytes.
    """
    models: dict[str, object] = {}
    for device_class, written in _named(resolved):
        model = device_class.view.model(device_class.model) if device_class.view and device_class.model else None
        if model is not None and device_class.view is not None:
            facts = _facts(device_class.view.name, model)
            models.setdefault(model.name, facts)
            models.setdefault(written, facts)
    return models


def _named(resolved: ResolvedProfile) -> Iterator[tuple[DeviceClassRef, str]]:
    for claim in resolved.claims:
        for request in claim.requests:
            for choice in request.choices:
                if isinstance(choice.source, Alternative):
                    yield choice.device_class, choice.source.model


def _facts(driver: str, model: Model) -> dict[str, object]:
    facts: dict[str, object] = {
        "driver": driver,
        "deviceType": model.device_type,
        "architecture": model.architecture,
        "computeCapability": model.compute_capability,
        "precisions": list(model.precisions),
        "memory": _bytes(min((each.memory for each in model.products if each.memory is not None), default=None)),
        "products": [each.name for each in model.products],
        "partitions": {
            each.profile: _known({"memory": _bytes(each.memory), "perDevice": each.per_device})
            for each in model.partitions
        },
    }
    return _known(facts)


def _bytes(amount: Quantity | None) -> int | None:
    return amount.as_int() if amount is not None else None


def _known(facts: dict[str, object]) -> dict[str, object]:
    return {name: value for name, value in facts.items() if value is not None}

"""What all our Kubernetes objects share."""

from collections.abc import Iterable

MANAGED_BY = {"app.kubernetes.io/managed-by": "claimsmith"}
TEAM_LABEL = "claimsmith/team"
CLAIM_LABEL = "claimsmith/claim"
ALTERNATIVE_LABEL = "claimsmith/alternative"

KubernetesObject = dict[str, object]


def object_name(obj: KubernetesObject) -> str:
    """``metadata.name``."""
    metadata = obj["metadata"]
    return str(metadata["name"]) if isinstance(metadata, dict) else ""


def unique_by_name(objects: Iterable[KubernetesObject]) -> list[KubernetesObject]:
    """The first object of each name."""
    return list({object_name(each): each for each in reversed(list(objects))}.values())

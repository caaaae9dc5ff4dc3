"""What all our Kubernetes objects share."""

MANAGED_BY = {"app.kubernetes.io/managed-by": "claimsmith"}
TEAM_LABEL = "claimsmith/team"
CLAIM_LABEL = "claimsmith/claim"

KubernetesObject = dict[str, object]

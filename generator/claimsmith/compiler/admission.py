"""ValidatingAdmissionPolicies: a team's namespaces may name their device classes and no others."""

from collections.abc import Iterable, Sequence

from claimsmith.compiler import selectors
from claimsmith.compiler.context import ClusterContext
from claimsmith.compiler.objects import MANAGED_BY, TEAM_LABEL, KubernetesObject
from claimsmith.compiler.reservations import foreign_reservations, reserved_classes
from claimsmith.compiler.resolve import ResolvedProfile

_SPEC = "has(object.spec.spec) ? object.spec.spec : object.spec"
_CLASSES = (
    "!has(variables.claim.devices) || !has(variables.claim.devices.requests) || "
    "variables.claim.devices.requests.all(r, "
    "(!has(r.exactly) || r.exactly.deviceClassName in variables.allowed) && "
    "(!has(r.firstAvailable) || r.firstAvailable.all(a, a.deviceClassName in variables.allowed)))"
)


def allowed_classes(context: ClusterContext, resolved: ResolvedProfile) -> list[str]:
    """Our classes that nobody else has reserved, and the classes of others that the team's profile names.

    Not only the classes of today's claims: superseded templates that are still deployed name others.
    """
    taken = reserved_classes(context, foreign_reservations(context, resolved.profile.name))
    named = {
        choice.device_class.name
        for claim in resolved.claims
        for request in claim.requests
        for choice in request.choices
    }
    ours = {each.name for each in context.classes if each.ours}
    return sorted(name for name in ours | named if name not in taken)


def admission_policies(context: ClusterContext, profiles: Iterable[ResolvedProfile]) -> list[KubernetesObject]:
    """A policy and its binding a team, where the cluster wants them."""
    if not context.cluster.admission_policy:
        return []
    return [
        each
        for resolved in sorted(profiles, key=lambda one: one.profile.name)
        for each in _policy(resolved, allowed_classes(context, resolved))
    ]


def _policy(resolved: ResolvedProfile, allowed: Sequence[str]) -> list[KubernetesObject]:
    team = resolved.profile.name
    name = f"claimsmith-{team}"
    metadata = {"name": name, "labels": {**MANAGED_BY, TEAM_LABEL: team}}
    listed = ", ".join(selectors.text(each) for each in allowed)
    namespaces = {
        "matchExpressions": [
            {
                "key": "kubernetes.io/metadata.name",
                "operator": "In",
                "values": sorted(resolved.profile.namespaces),
            }
        ]
    }
    policy: KubernetesObject = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicy",
        "metadata": metadata,
        "spec": {
            "failurePolicy": "Fail",
            "matchConstraints": {
                "matchPolicy": "Equivalent",
                "namespaceSelector": namespaces,
                "objectSelector": {},
                "resourceRules": [
                    {
                        "apiGroups": ["resource.k8s.io"],
                        "apiVersions": ["v1"],
                        # Specs never change, and an UPDATE that is refused would keep a claim from being deleted.
                        "operations": ["CREATE"],
                        "resources": ["resourceclaims", "resourceclaimtemplates"],
                        "scope": "*",
                    }
                ],
            },
            "variables": [
                {"name": "claim", "expression": _SPEC},
                {"name": "allowed", "expression": f"[{listed}]"},
            ],
            "validations": [
                {
                    "expression": _CLASSES,
                    "message": f"team {team} may use these device classes only: {', '.join(allowed)}",
                    "reason": "Forbidden",
                }
            ],
        },
    }
    binding: KubernetesObject = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingAdmissionPolicyBinding",
        "metadata": metadata,
        "spec": {"policyName": name, "validationActions": ["Deny"]},
    }
    return [policy, binding]

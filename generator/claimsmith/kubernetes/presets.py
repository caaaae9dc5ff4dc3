"""Managed Kubernetes whose control plane its customers do not configure.

A preset says that a cluster has the defaults of its minor, apart from ``feature_gates``, and what of
``--runtime-config`` a customer may switch. Where a real cluster differs, leave the preset out and write down
what ``kubectl get --raw /metrics`` (``kubernetes_feature_enabled``) and ``kubectl api-versions`` say.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from claimsmith.kubernetes.gates import Stage


@dataclass(frozen=True, slots=True)
class Preset:
    """``confirmed`` means that the provider's own pages, ``sources``, say all of ``description``.

    ``feature_gates`` are values that the provider fixes other than Kubernetes does; ``switchable_versions``
    are the stages of API versions that a customer can switch on.
    """

    name: str
    description: str
    confirmed: bool
    sources: tuple[str, ...]
    feature_gates: Mapping[str, bool] = field(default_factory=dict)
    switchable_versions: frozenset[Stage] = frozenset()


PRESETS: Mapping[str, Preset] = MappingProxyType(
    {
        preset.name: preset
        for preset in (
            Preset(
                name="aks",
                description="Azure Kubernetes Service: customers cannot alter the API server and the other"
                " managed components",
                confirmed=True,
                sources=("https://learn.microsoft.com/en-us/azure/aks/support-policies",),
            ),
            Preset(
                name="doks",
                description="DigitalOcean Kubernetes: customers cannot modify feature gates; only beta and GA"
                " features are supported",
                confirmed=True,
                sources=("https://docs.digitalocean.com/glossary/feature-gates",),
            ),
            Preset(
                name="eks",
                description="Amazon EKS: alpha features are not supported and new beta APIs are off"
                " (documented); customers cannot set feature gates (no page says so, a public"
                " request to allow it is open)",
                confirmed=False,
                sources=(
                    "https://docs.aws.amazon.com/eks/latest/userguide/kubernetes-versions.html",
                    "https://github.com/aws/containers-roadmap/issues/512",
                ),
            ),
            Preset(
                name="gke",
                description="Google Kubernetes Engine, alpha clusters excepted: feature gates cannot be"
                " modified, beta API versions can be switched on, alpha API versions cannot",
                confirmed=True,
                sources=(
                    "https://docs.cloud.google.com/kubernetes-engine/docs/concepts/feature-gates",
                    "https://docs.cloud.google.com/kubernetes-engine/docs/how-to/use-beta-apis",
                ),
                switchable_versions=frozenset({Stage.BETA}),
            ),
            Preset(
                name="openshift",
                description="OpenShift with its default feature set: other gates need CustomNoUpgrade, which"
                " is unsupported and prevents upgrades (documented); DRAPartitionableDevices is off as in the"
                " development branch, which release has it is not confirmed",
                confirmed=False,
                sources=(
                    "https://docs.redhat.com/en/documentation/openshift_container_platform/4.20/html/config_apis/featuregate-config-openshift-io-v1",
                    "https://github.com/openshift/api/blob/master/features/features.go",
                ),
                feature_gates=MappingProxyType({"DRAPartitionableDevices": False}),
            ),
        )
    }
)

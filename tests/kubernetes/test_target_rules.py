"""The words of CS201 to CS209 over the problems that ``resolve_target`` finds."""

from collections.abc import Mapping

import pytest

from claimsmith.kubernetes import resolve_target
from claimsmith.rules import rule


@pytest.mark.parametrize(
    ("kubernetes", "gates", "config", "preset", "message", "help_text"),
    [
        (
            "v1.36.3",
            {},
            {},
            None,
            "Kubernetes `v1.36.3` is not known",
            "did you mean `1.36`? known are 1.34, 1.35, 1.36, 1.37",
        ),
        (
            "1.38",
            {},
            {},
            None,
            "Kubernetes `1.38` is newer than 1.37, the newest that this claimsmith knows",
            "upgrade claimsmith, or say 1.37 and leave out what is new",
        ),
        (
            "1.34",
            {"DRADeviceTaintRules": True},
            {},
            None,
            "Kubernetes 1.34 has no feature gate `DRADeviceTaintRules` that concerns DRA",
            "it exists in 1.35, 1.36, 1.37",
        ),
        (
            "1.36",
            {"DRADeviceTaint": True},
            {},
            None,
            "Kubernetes 1.36 has no feature gate `DRADeviceTaint` that concerns DRA",
            "did you mean `DRADeviceTaints`? only gates that concern DRA belong here",
        ),
        (
            "1.37",
            {"DRAExtendedResource": False},
            {},
            None,
            "the feature gate `DRAExtendedResource` is locked to true in Kubernetes 1.37",
            "leave it out",
        ),
        (
            "1.35",
            {"DRADeviceTaintRules": True},
            {},
            None,
            "the feature gate `DRADeviceTaintRules` is on and needs `DRADeviceTaints`, which is off in Kubernetes 1.35",
            "set both the same way",
        ),
        (
            "1.35",
            {},
            {"resource.k8s.io/v1beta2/devicetaintrules": True},
            None,
            "Kubernetes 1.35 has no API `resource.k8s.io/v1beta2/devicetaintrules` in resource.k8s.io to switch",
            "it exists in 1.36, 1.37",
        ),
        (
            "1.36",
            {},
            {},
            "gkee",
            "there is no preset `gkee`",
            "did you mean `gke`? known are aks, doks, eks, gke, openshift; without a preset the minor's"
            " defaults hold, and featureGates and runtimeConfig",
        ),
        (
            "1.36",
            {"DRADeviceTaintRules": True},
            {},
            "gke",
            "the preset `gke` does not let `DRADeviceTaintRules` be changed in featureGates",
            "leave it out; or, where the cluster really has it so, leave out the preset",
        ),
        (
            "1.34",
            {"DynamicResourceAllocation": False},
            {},
            None,
            "`DynamicResourceAllocation` is off on this Kubernetes 1.34, so nothing here has an effect",
            "leave it on",
        ),
    ],
)
def test_words(
    kubernetes: str,
    gates: Mapping[str, bool],
    config: Mapping[str, bool],
    preset: str | None,
    message: str,
    help_text: str,
) -> None:
    _, [problem] = resolve_target(kubernetes, gates, config, preset)
    words = rule(problem.rule)
    assert words.render_message(problem.data) == message
    assert words.render_help(problem.data) == help_text


def test_keys_that_no_minor_knows_are_answered_with_the_known_ones() -> None:
    _, [problem] = resolve_target("1.36", {}, {"batch/v2alpha1": True})
    assert rule(problem.rule).render_help(problem.data).startswith("known are api/all, api/ga, api/beta,")

"""Which kinds of resource.k8s.io an API server serves in which version.

Source: ``pkg/registry/resource/rest/storage_resource.go`` (what exists), ``pkg/controlplane/instance.go``
(what is off by default) and apiserver ``pkg/server/resourceconfig/helpers.go`` (what ``--runtime-config``
does) of Kubernetes 1.34.4, 1.35.4, 1.36.3 and 1.37.2; seen in the discovery of stock servers and of servers
with ``--runtime-config=api/all=true``.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from claimsmith.kubernetes.gates import Stage
from claimsmith.values.version import Minor

GROUP = "resource.k8s.io"

VERSIONS_TO_EMIT: tuple[str, ...] = ("v1", "v1beta2", "v1alpha3")
"""Versions of one shape, best first; v1beta1 is missing because its requests are flat."""


@dataclass(frozen=True, slots=True, order=True)
class KindVersion:
    """A kind in one version of resource.k8s.io, such as DeviceTaintRule in v1beta2."""

    kind: str
    version: str


@dataclass(frozen=True, slots=True)
class Kind:
    """``resource`` is the plural in the API's paths; ``versions`` says since which minor each exists."""

    resource: str
    versions: Mapping[str, Minor]


def _kind(resource: str, **versions: str) -> Kind:
    return Kind(resource, MappingProxyType({name: Minor.parse(since) for name, since in versions.items()}))


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "DeviceClass": _kind("deviceclasses", v1="1.34", v1beta2="1.33", v1beta1="1.32"),
        "DeviceTaintRule": _kind("devicetaintrules", v1="1.37", v1beta2="1.36", v1alpha3="1.33"),
        "ResourceClaim": _kind("resourceclaims", v1="1.34", v1beta2="1.33", v1beta1="1.32"),
        "ResourceClaimTemplate": _kind("resourceclaimtemplates", v1="1.34", v1beta2="1.33", v1beta1="1.32"),
        "ResourcePoolStatusRequest": _kind("resourcepoolstatusrequests", v1alpha3="1.36"),
        "ResourceSlice": _kind("resourceslices", v1="1.34", v1beta2="1.33", v1beta1="1.32"),
    }
)

_STAGE_KEYS: Mapping[str, frozenset[Stage]] = MappingProxyType(
    {
        "api/all": frozenset(Stage),
        "api/ga": frozenset({Stage.GA}),
        "api/beta": frozenset({Stage.BETA}),
        "api/alpha": frozenset({Stage.ALPHA}),
    }
)
"""In the order in which the API server applies them."""


def stage_of_version(version: str) -> Stage:
    """``v1`` is GA, ``v1beta2`` beta, ``v1alpha3`` alpha."""
    match = re.fullmatch(r"v\d+(alpha|beta)?(\d+)?", version)
    if match is None:
        raise ValueError(f"{version!r} is not a version of a Kubernetes API")
    return Stage(match[1]) if match[1] else Stage.GA


def kind_versions(minor: Minor) -> frozenset[KindVersion]:
    """Everything that a server of this minor can serve."""
    return frozenset(
        KindVersion(name, version)
        for name, kind in KINDS.items()
        for version, since in kind.versions.items()
        if since <= minor
    )


def runtime_config_keys(minor: Minor) -> tuple[str, ...]:
    """The keys of ``--runtime-config`` that concern resource.k8s.io in a minor: ``api/…`` first."""
    keys = set[str]()
    for each in kind_versions(minor):
        keys.add(f"{GROUP}/{each.version}")
        keys.add(f"{GROUP}/{each.version}/{KINDS[each.kind].resource}")
    return (*_STAGE_KEYS, *sorted(keys))


def stages_of_key(key: str) -> frozenset[Stage]:
    """The stages of the versions that a key of ``runtime_config_keys`` switches."""
    return _STAGE_KEYS.get(key) or frozenset({stage_of_version(key.split("/")[1])})


def served(minor: Minor, runtime_config: Mapping[str, bool]) -> frozenset[KindVersion]:
    """What a server of this minor serves with these settings, whose keys are of ``runtime_config_keys``.

    As in the API server: GA versions are on unless switched off, stages are applied before versions and
    versions before single resources, whatever the order in which they are given.
    """
    return frozenset(each for each in kind_versions(minor) if _is_on(each, runtime_config))


def _is_on(each: KindVersion, runtime_config: Mapping[str, bool]) -> bool:
    on = stage_of_version(each.version) is Stage.GA
    for key in _keys_for(each):
        on = runtime_config.get(key, on)
    return on


def _keys_for(each: KindVersion) -> Iterator[str]:
    stage = stage_of_version(each.version)
    yield from (key for key, stages in _STAGE_KEYS.items() if stage in stages)
    yield f"{GROUP}/{each.version}"
    yield f"{GROUP}/{each.version}/{KINDS[each.kind].resource}"

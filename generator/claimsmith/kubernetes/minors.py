"""The Kubernetes minor releases that claimsmith knows."""

import re

from claimsmith.values.version import Minor

_RELEASE = re.compile(r"v?([0-9]+\.[0-9]+)(\.[0-9]+)?([-+].*)?")

V1_34 = Minor(1, 34)
V1_35 = Minor(1, 35)
V1_36 = Minor(1, 36)
V1_37 = Minor(1, 37)

MINORS: tuple[Minor, ...] = (V1_34, V1_35, V1_36, V1_37)
"""Every minor that the tables of this package cover, oldest first. The releases read and asked are 1.34.4,
1.35.4, 1.36.3 and 1.37.2."""

NEWEST: Minor = MINORS[-1]


def minor_in(release: str) -> Minor | None:
    """The minor of a release as tools print it (``v1.36.3-gke.100`` is of 1.36), or None."""
    match = _RELEASE.fullmatch(release.strip())
    if match is None:
        return None
    try:
        return Minor.parse(match[1])
    except ValueError:
        return None

"""The recorded devices, by `<file>:<slice>/<device>`."""

from functools import lru_cache
from pathlib import Path

import yaml

from claimsmith.cel.devices import Device, devices

RECORDED = Path(__file__).parent / "recorded"
SLICES = RECORDED / "slices"


@lru_cache(maxsize=1)
def fleet() -> dict[str, Device]:
    found: dict[str, Device] = {}
    for path in sorted(SLICES.glob("*.yaml")):
        for document in yaml.load_all(path.read_bytes(), yaml.CSafeLoader):
            if document:
                found.update((f"{path.name}:{device.key}", device) for device in devices(document))
    return found

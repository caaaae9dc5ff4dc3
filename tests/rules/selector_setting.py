"""Selectors under the driver's own class, as a manifest has them."""

from claimsmith.drivers.catalogue import Catalogue
from claimsmith.kubernetes.capabilities import Target
from claimsmith.kubernetes.target import resolve_target
from claimsmith.rules.selectors.fleet import kinds_of
from claimsmith.rules.selectors.inspection import Setting

CATALOGUE = Catalogue()
NVIDIA_CLASS = 'device.driver == "gpu.nvidia.com" && device.attributes["gpu.nvidia.com"].type == "gpu"'


def target(minor: str = "1.36") -> Target:
    resolved, _ = resolve_target(minor, {}, {}, None)
    assert resolved is not None
    return resolved


def under_class(
    driver: str = "gpu.nvidia.com",
    release: str = "0.4.1",
    class_selector: str = NVIDIA_CLASS,
    minor: str = "1.36",
    gates: tuple[str, ...] = (),
) -> Setting:
    view = CATALOGUE.view(driver, release, dict.fromkeys(gates, True))
    assert view is not None
    return Setting(target(minor), tuple(kinds_of(view)), (class_selector,))

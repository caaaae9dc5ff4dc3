"""How remarks speak of devices, attributes and values."""

from collections.abc import Iterable

from claimsmith.rules.selectors.fleet import Kind
from claimsmith.values.quantity import Quantity
from claimsmith.values.semver import Semver


def devices_of(kinds: Iterable[Kind], admitted: Iterable[Kind]) -> str:
    """``devices of type `gpu` of `gpu.nvidia.com` 0.4.1``, the type left out where it makes no difference."""
    kinds, everything = list(kinds), list(admitted)
    view = kinds[0].view
    if view is None:
        return "devices of other drivers"
    driver = f"`{view.name}` {view.release}"
    types = list(dict.fromkeys(each.device_type for each in kinds))
    if len(types) > 1 and set(types) == {each.device_type for each in everything}:
        return f"devices of {driver}"
    named = ", ".join(f"`{each}`" for each in types)
    return f"devices of type {named} of {driver}"


def models(kinds: Iterable[Kind]) -> str:
    """Their names, each once."""
    return ", ".join(dict.fromkeys(each.title for each in kinds))


def place_of(field: str, name: str) -> str:
    """``device.attributes["gpu.nvidia.com"].uuid``."""
    domain, _, identifier = name.rpartition("/")
    return f'device.{field}["{domain}"].{identifier}'


def short(name: str, domain: str | None) -> str:
    """A qualified name without the domain that everybody expects."""
    where, _, identifier = name.rpartition("/")
    return identifier if where == domain else name


def mended(kind: str, text: str) -> str | None:
    """The literal that was probably meant by one that cannot be read."""
    if kind == "semver":
        try:
            return str(Semver.normalized(text))
        except ValueError:
            return None
    bare = text.strip().replace(" ", "")
    for each in (bare, bare.removesuffix("B"), bare.removesuffix("b"), *_cased(bare)):
        try:
            Quantity.parse(each)
        except ValueError:
            continue
        return each
    return None


def _cased(text: str) -> Iterable[str]:
    number = text.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
    suffix = text[len(number) :].lower().removesuffix("b")
    return (f"{number}{suffix.capitalize()}", f"{number}{suffix}")

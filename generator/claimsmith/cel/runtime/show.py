"""Values as Go's `%v` writes them in error messages."""

from typing import Any

from claimsmith.cel.ast import Uint
from claimsmith.cel.runtime import network, times
from claimsmith.cel.runtime.go_text import shortest
from claimsmith.cel.runtime.values import (
    LISTS,
    MISSING,
    CelType,
    Cidr,
    Duration,
    Ip,
    Map,
    NamedFormat,
    Optional,
    Quantity,
    Timestamp,
    Url,
)


def show(value: Any) -> str:
    """Go's `%v` of a value."""
    kind = type(value)
    if kind is str:
        return str(value)
    if kind is bool:
        return "true" if value else "false"
    if kind is int or kind is Uint:
        return str(int(value))
    if kind is float:
        return shortest(value)
    if value is None:
        return "0"
    if kind is bytes:
        return "[" + " ".join(map(str, value)) + "]"
    if kind in LISTS:
        return "[" + ", ".join(map(show, value)) + "]"
    if kind is Map:
        return "{" + ", ".join(f"{show(key)}: {show(value.find(key))}" for key in value.all_keys()) + "}"
    if kind is Optional:
        return "optional.none()" if value.value is MISSING else f"optional({show(value.value)})"
    return _show_object(value)


def _show_object(value: Any) -> str:
    kind = type(value)
    if kind is CelType:
        return str(value.name)
    if kind is Duration:
        return times.go_duration(value)
    if kind is Timestamp:
        return times.go_timestamp(value)
    if kind is Quantity:
        return str(value.text())
    if kind is Url:
        return str(value.text)
    if kind is Ip or kind is Cidr:
        return network.text(value)
    return value.name if kind is NamedFormat else str(value)

"""The result of a selector as true or false."""

from typing import Any

from claimsmith.cel.ast import Uint
from claimsmith.cel.runtime.failure import Failure
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
    type_name,
)
from claimsmith.values.semver import Semver

_FROM: dict[type, str] = {
    int: "unsupported type conversion from 'int' to bool",
    Uint: "unsupported type conversion from 'uint' to bool",
    str: "unsupported native conversion from string to 'bool'",
    float: "type conversion error from Double to 'bool'",
    bytes: "type conversion error from Bytes to 'bool'",
    type(None): "type conversion error from 'null_type' to 'bool'",
    Map: "type conversion error from map to 'bool'",
    CelType: "type conversion not supported for 'type'",
    Duration: "type conversion error from 'Duration' to 'bool'",
    Timestamp: "type conversion error from 'Timestamp' to 'bool'",
    Quantity: "type conversion error from 'Quantity' to 'bool'",
    Semver: "type conversion error from 'Semver' to 'bool'",
    Url: "type conversion error from 'URL' to 'bool'",
    Ip: "type conversion error from 'IP' to 'bool'",
    Cidr: "type conversion error from 'CIDR' to 'bool'",
    NamedFormat: "type conversion error from 'Format' to 'bool'",
    **dict.fromkeys(LISTS, "type conversion error from list to 'bool'"),
}


def as_bool(value: Any) -> bool:
    """The verdict; `Failure` with Kubernetes' text for a result of another type."""
    inner = value
    while type(inner) is Optional and inner.value is not MISSING:
        inner = inner.value
    if inner is True or inner is False:
        return inner
    why = "optional.none() dereference" if type(inner) is Optional else _FROM[type(inner)]
    raise Failure(f"CEL result of type {type_name(value)} could not be converted to bool: {why}")

"""The language of device selectors on a Kubernetes minor: functions, macros, names and the fields of `device`.

Sources: apiserver pkg/cel/environment/base.go, k8s.io/dynamic-resource-allocation/cel/compile.go of 1.34.4, 1.35.4,
1.36.3 and 1.37.2; `environment.json` has what their library lists.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import resources
from typing import Any

from claimsmith.cel import types
from claimsmith.cel.types import Type
from claimsmith.kubernetes.capabilities import Target
from claimsmith.kubernetes.minors import V1_37
from claimsmith.values.version import Minor

MAX_LENGTH = 10 * 1024
"""The bytes that a selector may have (CELSelectorExpressionMaxLength)."""

MAX_COST = 1_000_000
"""The cost that a selector may be estimated at (CELSelectorExpressionMaxCost)."""

_LIST_GATE = "DRAListTypeAttributes"
_CAPACITY_GATE = "DRAConsumableCapacity"


@dataclass(frozen=True, slots=True)
class Overload:
    """One signature of a function; the first of the arguments of a member is the receiver.

    `variables` are the names of its type parameters.
    """

    id: str
    member: bool
    arguments: tuple[Type, ...]
    result: Type
    variables: tuple[str, ...]


# What a call with these types resolves to: result or None, overloads, and the type variables that trying took.
Resolution = tuple[Type | None, tuple[str, ...], int]


@dataclass(frozen=True, slots=True, eq=False)
class Environment:
    """What an expression may use.

    `names`: global variables, types and constants with their types. `structs`: the fields of object types. `leaf`:
    the type of an attribute's value. `results`: the types that a selector may have. `local_first`: a local variable
    hides a qualified name that starts like it (cel-go since 0.29). `resolved`: what earlier calls resolved to.
    """

    minor: Minor
    scheduler: bool
    functions: Mapping[str, tuple[Overload, ...]]
    macros: frozenset[tuple[str, int, bool]]
    names: Mapping[str, Type]
    structs: Mapping[str, Mapping[str, Type]]
    leaf: Type
    results: frozenset[Type]
    resolved: dict[tuple[str, bool, tuple[Type, ...]], Resolution] = field(default_factory=dict)

    @property
    def modern(self) -> bool:
        """Whether cel-go is 0.29 (1.37) rather than 0.26."""
        return self.minor >= V1_37

    @property
    def escaped_names(self) -> bool:
        """Whether a field may be written between backticks."""
        return self.modern


def environment_of(target: Target, *, scheduler: bool = False) -> Environment:
    """For a new selector on a target, or with `scheduler` for stored ones and those that are evaluated."""
    return environment(
        target.minor,
        scheduler=scheduler,
        list_attributes=_LIST_GATE in target.enabled_gates,
        consumable_capacity=_CAPACITY_GATE in target.enabled_gates,
    )


@lru_cache(maxsize=64)
def environment(
    minor: Minor, *, scheduler: bool = False, list_attributes: bool = False, consumable_capacity: bool = True
) -> Environment:
    """The environment of a minor with these gates; the scheduler's of 1.37 has the fields of all gates."""
    tables = _tables()
    name = str(minor) + " scheduler" * scheduler
    if list_attributes and f"{name} {_LIST_GATE}" in tables["environments"]:
        name = f"{name} {_LIST_GATE}"
    index = tables["environments"].index(name)
    lists = (list_attributes or (scheduler and minor >= V1_37)) and not minor < _FIRST_WITH_LISTS
    leaf = types.DYN if lists else types.ANY
    fields = _device(leaf, consumable_capacity or scheduler)
    structs = {"kubernetes.DRADevice": fields, **_MESSAGES}
    maps = {f"kubernetes.DRADevice.{name}": types.type_of(fields[name]) for name in ("attributes", "capacity")}
    return Environment(
        minor,
        scheduler,
        _functions(tables["overloads"], index),
        frozenset(_macro(row["macro"]) for row in tables["macros"] if index in row.get("in", (index,))),
        {**_NAMES, **maps},
        structs,
        leaf,
        frozenset((types.BOOL, leaf) if minor >= V1_37 else (types.BOOL, types.ANY, leaf)),
    )


_FIRST_WITH_LISTS = Minor(1, 36)


@lru_cache(maxsize=1)
def _tables() -> Any:
    return json.loads(resources.files("claimsmith.cel").joinpath("environment.json").read_text(encoding="utf-8"))


def _functions(rows: list[dict[str, Any]], index: int) -> dict[str, tuple[Overload, ...]]:
    functions: dict[str, list[Overload]] = {}
    for row in rows:
        if index in row.get("in", (index,)):
            arguments = tuple(_type(text) for text in row["args"])
            result = _type(row["result"])
            overload = Overload(
                row["overload"], row.get("member", False), arguments, result, _variables(arguments, result)
            )
            functions.setdefault(row["function"], []).append(overload)
    return {name: tuple(overloads) for name, overloads in functions.items()}


_type = lru_cache(maxsize=256)(types.parse_type)


def _variables(arguments: tuple[Type, ...], result: Type) -> tuple[str, ...]:
    """The type parameters of a signature, in the order of their appearance."""
    found: dict[str, None] = {}

    def collect(kind: Type) -> None:
        if kind.kind == "param":
            found[kind.name] = None
        for parameter in kind.parameters:
            collect(parameter)

    for kind in (*arguments, result):
        collect(kind)
    return tuple(found)


def _macro(key: str) -> tuple[str, int, bool]:
    name, arguments, receiver = key.split(":")
    return name, int(arguments), receiver == "true"


QUANTITY = types.make("struct", "kubernetes.Quantity")
DEVICE = types.make("struct", "kubernetes.DRADevice")


def _device(leaf: Type, allow_multiple: bool) -> dict[str, Type]:
    fields = {
        "driver": types.STRING,
        "attributes": types.map_of(types.STRING, types.map_of(types.STRING, leaf)),
        "capacity": types.map_of(types.STRING, types.map_of(types.STRING, QUANTITY)),
    }
    if allow_multiple:
        fields["allowMultipleAllocations"] = types.BOOL
    return fields


_LIST_OF_DYN = types.list_of(types.DYN)
_STRUCT = types.map_of(types.STRING, types.DYN)


# Protobuf's own messages, which every CEL environment knows.
_MESSAGES: dict[str, dict[str, Type]] = {
    "google.protobuf.Any": {"type_url": types.STRING, "value": types.BYTES},
    "google.protobuf.BoolValue": {"value": types.BOOL},
    "google.protobuf.BytesValue": {"value": types.BYTES},
    "google.protobuf.DoubleValue": {"value": types.DOUBLE},
    "google.protobuf.Duration": {"seconds": types.INT, "nanos": types.INT},
    "google.protobuf.Empty": {},
    "google.protobuf.FloatValue": {"value": types.DOUBLE},
    "google.protobuf.Int32Value": {"value": types.INT},
    "google.protobuf.Int64Value": {"value": types.INT},
    "google.protobuf.ListValue": {"values": _LIST_OF_DYN},
    "google.protobuf.StringValue": {"value": types.STRING},
    "google.protobuf.Struct": {"fields": _STRUCT},
    "google.protobuf.Struct.FieldsEntry": {"key": types.STRING, "value": types.DYN},
    "google.protobuf.Timestamp": {"seconds": types.INT, "nanos": types.INT},
    "google.protobuf.UInt32Value": {"value": types.UINT},
    "google.protobuf.UInt64Value": {"value": types.UINT},
    "google.protobuf.Value": {
        "null_value": types.INT,
        "number_value": types.DOUBLE,
        "string_value": types.STRING,
        "bool_value": types.BOOL,
        "struct_value": _STRUCT,
        "list_value": _LIST_OF_DYN,
    },
}


def _wrapper(kind: Type) -> Type:
    return types.make(kind.kind, kind.name, (), True)


_TYPE_NAMES: dict[str, Type] = {
    "bool": types.BOOL,
    "bytes": types.BYTES,
    "double": types.DOUBLE,
    "duration": types.DURATION,
    "timestamp": types.TIMESTAMP,
    "int": types.INT,
    "list": _LIST_OF_DYN,
    "map": types.map_of(types.DYN, types.DYN),
    "null_type": types.NULL,
    "string": types.STRING,
    "uint": types.UINT,
    "type": types.make("type", "type"),
    "optional_type": types.optional_of(types.DYN),
    "net.IP": types.make("opaque", "net.IP"),
    "net.CIDR": types.make("opaque", "net.CIDR"),
    "kubernetes.DRADevice": DEVICE,
    "google.protobuf.Any": types.ANY,
    "google.protobuf.BoolValue": _wrapper(types.BOOL),
    "google.protobuf.BytesValue": _wrapper(types.BYTES),
    "google.protobuf.DoubleValue": _wrapper(types.DOUBLE),
    "google.protobuf.Duration": types.DURATION,
    "google.protobuf.Empty": types.make("struct", "google.protobuf.Empty"),
    "google.protobuf.FloatValue": _wrapper(types.DOUBLE),
    "google.protobuf.Int32Value": _wrapper(types.INT),
    "google.protobuf.Int64Value": _wrapper(types.INT),
    "google.protobuf.ListValue": _LIST_OF_DYN,
    "google.protobuf.StringValue": _wrapper(types.STRING),
    "google.protobuf.Struct": _STRUCT,
    "google.protobuf.Struct.FieldsEntry": types.make("struct", "google.protobuf.Struct.FieldsEntry"),
    "google.protobuf.Timestamp": types.TIMESTAMP,
    "google.protobuf.UInt32Value": _wrapper(types.UINT),
    "google.protobuf.UInt64Value": _wrapper(types.UINT),
    "google.protobuf.Value": types.DYN,
}

NULL_VALUE = "google.protobuf.NullValue.NULL_VALUE"

LOADABLE_TYPES = frozenset(
    ("bool", "bytes", "double", "int", "list", "map", "null_type", "string", "uint", "type", "optional_type")
) | {
    "net.IP",
    "net.CIDR",
    "google.protobuf.Duration",
    "google.protobuf.Empty",
    "google.protobuf.Struct.FieldsEntry",
    "google.protobuf.Timestamp",
}
"""The names of types that are values at run time; an expression with another one is refused after its types."""

_NAMES: dict[str, Type] = {
    **{name: types.type_of(kind) for name, kind in _TYPE_NAMES.items()},
    NULL_VALUE: types.INT,
    "device": DEVICE,
}

"""Types of the checker, and when one can stand for another. Source: cel-go, common/types/types.go, checker/types.go.

Most types that are alike are the same object, which is only a matter of speed: `alike` compares them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache


@dataclass(frozen=True, slots=True, eq=False)
class Type:
    """A type.

    `kind` is one of bool, bytes, double, int, string, uint, null, timestamp, duration, any, dyn, error, param, list,
    map, type, opaque, struct. `free` tells whether it has type parameters. `nullable` ones are protobuf wrappers.
    """

    kind: str
    name: str
    parameters: tuple["Type", ...] = ()
    nullable: bool = False
    free: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "free", self.kind == "param" or any(part.free for part in self.parameters))

    @property
    def text(self) -> str:
        """cel-go's name, the one in results."""
        if self.kind == "param":
            return f"<{self.name}>"
        if self.parameters:
            return f"{self.name}({', '.join(part.text for part in self.parameters)})"
        return f"wrapper({self.name})" if self.nullable else self.name

    @property
    def shown(self) -> str:
        """The form in messages."""
        if self.kind in _SHORT:
            return _SHORT[self.kind]
        if self.parameters:
            return f"{self.name}({', '.join(part.shown for part in self.parameters)})"
        return f"wrapper({self.name})" if self.nullable else self.name

    def __str__(self) -> str:
        return self.text


_SHORT = {"any": "any", "duration": "duration", "timestamp": "timestamp", "null": "null", "error": "!error!"}


_interned = lru_cache(maxsize=8192)(Type)


def make(kind: str, name: str, parameters: tuple[Type, ...] = (), nullable: bool = False) -> Type:
    """A type with these properties, nearly always the same object for the same ones."""
    return _interned(kind, name, parameters, nullable)


BOOL = Type("bool", "bool")
BYTES = Type("bytes", "bytes")
DOUBLE = Type("double", "double")
INT = Type("int", "int")
STRING = Type("string", "string")
UINT = Type("uint", "uint")
NULL = Type("null", "null_type")
TIMESTAMP = Type("timestamp", "google.protobuf.Timestamp")
DURATION = Type("duration", "google.protobuf.Duration")
ANY = Type("any", "google.protobuf.Any")
DYN = Type("dyn", "dyn")
ERROR = Type("error", "error")

_NAMED = {
    simple.name: simple
    for simple in (BOOL, BYTES, DOUBLE, INT, STRING, UINT, NULL, TIMESTAMP, DURATION, ANY, DYN, ERROR)
} | {"any": ANY}

_GENERIC = {"list": "list", "map": "map", "type": "type"}
_OPAQUE = frozenset(("optional_type", "net.IP", "net.CIDR"))


def parse_type(text: str) -> Type:
    """Reads the form that `str` writes, such as `map(string, list(<A>))`."""
    made, rest = _parse(text)
    if rest:
        raise ValueError(text)
    return made


def _parse(text: str) -> tuple[Type, str]:
    end = next((index for index, char in enumerate(text) if char in "(),"), len(text))
    name, rest = text[:end], text[end:]
    parameters: list[Type] = []
    if rest.startswith("("):
        while not rest.startswith(")"):
            parameter, rest = _parse(rest[1:].lstrip())
            parameters.append(parameter)
        rest = rest[1:]
    if name.startswith("<"):
        return make("param", name[1:-1]), rest
    if name == "wrapper":
        return make(parameters[0].kind, parameters[0].name, (), True), rest
    if name in _NAMED:
        return _NAMED[name], rest
    kind = _GENERIC.get(name) or ("opaque" if name in _OPAQUE else "struct")
    return make(kind, name, tuple(parameters)), rest


def list_of(element: Type) -> Type:
    return make("list", "list", (element,))


def map_of(key: Type, value: Type) -> Type:
    return make("map", "map", (key, value))


def optional_of(value: Type) -> Type:
    return make("opaque", "optional_type", (value,))


def type_of(kind: Type) -> Type:
    return make("type", "type", (kind,))


_variables: list[Type] = []


def variable(number: int) -> Type:
    """A type variable, bound while an expression is checked; they are asked for in the order of their numbers."""
    while len(_variables) <= number:
        _variables.append(Type("param", f"_var{len(_variables)}"))
    return _variables[number]


def is_dyn(kind: Type) -> bool:
    return kind.kind in ("dyn", "any")


def unwrap_optional(kind: Type) -> tuple[Type, bool]:
    """The type in an optional and True, or the type itself and False."""
    if kind.name == "optional_type" and kind.kind == "opaque" and kind.parameters:
        return kind.parameters[0], True
    return kind, False


def alike(left: Type, right: Type) -> bool:
    """cel-go's IsExactType: by kind, name and parameters, whatever can be null."""
    return left is right or (
        left.kind == right.kind
        and left.name == right.name
        and len(left.parameters) == len(right.parameters)
        and all(alike(one, other) for one, other in zip(left.parameters, right.parameters, strict=True))
    )


class Bindings:
    """What the type variables of an expression stand for. Failed attempts leave no trace."""

    __slots__ = ("_before", "_bound", "_resolved", "_resolved_to_dyn")

    def __init__(self) -> None:
        self._bound: dict[Type, Type] = {}
        self._before: list[tuple[Type, Type | None]] = []  # what each change replaced
        self._resolved: dict[Type, Type] = {}  # since the last change
        self._resolved_to_dyn: dict[Type, Type] = {}

    def assignable(self, left: Type, right: Type) -> bool:
        """Whether a value of type `left` can stand where `right` is wanted; binds variables on both sides."""
        if left is right:
            return True
        if not left.free and not right.free:
            return self._assignable(left, right)
        changes = len(self._before)
        if self._assignable(left, right):
            return True
        self._undo(changes)
        return False

    def all_assignable(self, left: Sequence[Type], right: Sequence[Type]) -> bool:
        if len(left) != len(right):
            return False
        changes = len(self._before)
        for one, other in zip(left, right, strict=True):
            if not self._assignable(one, other):
                self._undo(changes)
                return False
        return True

    def _bind(self, parameter: Type, kind: Type) -> None:
        self._forget()
        self._before.append((parameter, self._bound.get(parameter)))
        self._bound[parameter] = kind

    def _undo(self, changes: int) -> None:
        if len(self._before) > changes:
            self._forget()
        while len(self._before) > changes:
            parameter, kind = self._before.pop()
            if kind is None:
                del self._bound[parameter]
            else:
                self._bound[parameter] = kind

    def resolve(self, kind: Type, to_dyn: bool = False) -> Type:
        """With every bound variable replaced, and with `to_dyn` the others by dyn."""
        if not kind.free:
            return kind
        known = self._resolved_to_dyn if to_dyn else self._resolved
        found = known.get(kind)
        if found is None:
            found = known[kind] = self._replaced(kind, to_dyn)
        return found

    def _replaced(self, kind: Type, to_dyn: bool) -> Type:
        if kind.kind == "param":
            bound = self._bound.get(kind)
            if bound is not None:
                return self.resolve(bound, to_dyn)
            return DYN if to_dyn else kind
        parts = tuple([self.resolve(part, to_dyn) for part in kind.parameters])
        return kind if parts == kind.parameters else make(kind.kind, kind.name, parts)

    def _forget(self) -> None:
        if self._resolved:
            self._resolved = {}
        if self._resolved_to_dyn:
            self._resolved_to_dyn = {}

    def _assignable(self, left: Type, right: Type) -> bool:
        if right.kind == "param":
            valid, bound = self._valid(left, right)
            if valid:
                return True
            if bound:
                return False
        if left.kind == "param":
            return self._valid(right, left)[0]
        left_kind, right_kind = left.kind, right.kind
        if left_kind in _ANYTHING or right_kind in _ANYTHING:
            return True
        if left_kind == "null":
            return _can_be_null(right)
        if right_kind == "null":
            return _can_be_null(left)
        if left_kind in _PLAIN:
            return left_kind == right_kind and left.name == right.name
        if left_kind == "type":
            return right_kind == "type"
        return (
            left_kind == right_kind
            and left.name == right.name
            and len(left.parameters) == len(right.parameters)
            and all(self._assignable(one, other) for one, other in zip(left.parameters, right.parameters, strict=True))
        )

    def _valid(self, kind: Type, parameter: Type) -> tuple[bool, bool]:
        """Whether `parameter` can stand for `kind`, and whether it is bound to something."""
        if kind is parameter:
            return True, True
        bound = self._bound.get(parameter)
        if bound is not None:
            if alike(kind, bound):
                return True, True
            if self._assignable(kind, bound):
                general = wider(kind, bound)
                if self._absent(parameter, general):
                    self._bind(parameter, general)
                return True, True
            return False, True
        if self._absent(parameter, kind):
            self._bind(parameter, kind)
            return True, False
        return False, False

    def _absent(self, parameter: Type, kind: Type) -> bool:
        if not kind.free:
            return True
        if kind is parameter:
            return False
        if kind.kind == "param":
            bound = self._bound.get(kind)
            return bound is None or self._absent(parameter, bound)
        return all(self._absent(parameter, part) for part in kind.parameters)


_ANYTHING = frozenset(("dyn", "any", "error"))
_PLAIN = frozenset(("bool", "bytes", "double", "int", "string", "uint", "duration", "timestamp", "struct"))
_NULLABLE = frozenset(("opaque", "struct", "any", "duration", "timestamp", "null"))


def _can_be_null(kind: Type) -> bool:
    return kind.kind in _NULLABLE or kind.nullable


def wider(left: Type, right: Type) -> Type:
    """The more general of two types that go together."""
    return left if _as_wide(left, right) else right


def _as_wide(left: Type, right: Type) -> bool:
    """Whether `left` is the same or more general."""
    if left.kind in ("dyn", "any", "param"):
        return True
    if right.kind in ("dyn", "any", "param") or left.kind != right.kind:
        return False
    if left.kind in ("opaque", "list", "map"):
        return (
            left.name == right.name
            and len(left.parameters) == len(right.parameters)
            and all(_as_wide(one, other) for one, other in zip(left.parameters, right.parameters, strict=True))
        )
    return left.kind == "type" or left.name == right.name

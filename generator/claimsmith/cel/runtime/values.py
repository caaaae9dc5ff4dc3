"""Values at run time.

bool, int, double, string, bytes and null are Python's own; uint is `Uint`. A list is a tuple (`Joined` when it was
made by `+`), a list under construction in a comprehension is a Python list. `Any` stands for a value of any type.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Final

from claimsmith.cel.ast import Uint
from claimsmith.cel.runtime.failure import NO_OVERLOAD, Aborted, Failure
from claimsmith.values.semver import Semver

MISSING: Final = object()


class Joined(tuple[Any, ...]):
    """A list that `+` made: its `==` reports the errors of its elements' `==`, which other lists ignore."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class CelType:
    """The value of `type(x)`; types are equal by name."""

    name: str


@dataclass(frozen=True, slots=True)
class Duration:
    nanos: int


@dataclass(frozen=True, slots=True)
class Timestamp:
    """A moment, with the offset from UTC (seconds) that it was written with."""

    seconds: int
    nanos: int
    offset: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Optional:
    """`value` is `MISSING` for `optional.none()`."""

    value: Any


NONE: Final = Optional(MISSING)


class Map:
    """Keys are strings, or `(type, value)` for others, since Python's 1, 1.0 and True are one key.

    `default` is what a lookup of an absent key finds (for the domains of a device); it does not show otherwise.
    `growing`: under construction in a comprehension. `native`: a map of Go strings, as a device has them.
    """

    __slots__ = ("default", "entries", "growing", "native")

    def __init__(
        self, entries: dict[Any, Any], default: "Map | None" = None, *, growing: bool = False, native: bool = False
    ) -> None:
        self.entries = entries
        self.default = default
        self.growing = growing
        self.native = native

    def all_keys(self) -> Iterator[Any]:
        return (key if type(key) is str else key[1] for key in self.entries)

    def find(self, key: Any) -> Any:
        """The value at a key, numbers compared across their types; `MISSING` without."""
        found = self.entries.get(key, MISSING) if type(key) is str else self._find_other(key)
        return self.default if found is MISSING and self.default is not None else found

    def contains(self, key: Any) -> bool:
        return key in self.entries if type(key) is str else self._find_other(key) is not MISSING

    def _find_other(self, key: Any) -> Any:
        if self.native or not self.entries:
            return MISSING
        kind = type(key)
        found = self.entries.get(encode_key(key), MISSING)
        if found is not MISSING or kind not in NUMBERS:
            return found
        if kind is float and not key.is_integer():
            return MISSING
        whole = int(key)
        if kind is not int and -(2**63) < whole < 2**63:
            found = self.entries.get((int, whole), MISSING)
        if found is MISSING and kind is not Uint and 0 <= whole < 2**64:
            found = self.entries.get((Uint, Uint(whole)), MISSING)
        return found


class Quantity:
    """`amount` is `coefficient * 10**power`.

    `whole` says whether Kubernetes keeps it as a scaled 64-bit number (else as a decimal, which `asInteger` refuses).
    `derived`: made by `add` or `sub`, which Kubernetes returns by pointer, and `x == derived` is then an error.
    """

    __slots__ = ("coefficient", "derived", "power", "text", "whole")

    def __init__(self, coefficient: int, power: int, text: Callable[[], str], *, whole: bool, derived: bool) -> None:
        self.coefficient = coefficient
        self.power = power
        self.text = text
        self.whole = whole
        self.derived = derived

    def compare(self, other: "Quantity") -> int:
        lower = min(self.power, other.power)
        left, right = self.coefficient * 10 ** (self.power - lower), other.coefficient * 10 ** (other.power - lower)
        return int(left > right) - int(left < right)


@dataclass(frozen=True, slots=True)
class Url:
    """The parts of a parsed URL that can be asked for; `text` is its canonical form, by which URLs are equal."""

    text: str
    scheme: str
    host: str
    escaped_path: str
    query: tuple[tuple[str, tuple[str, ...]], ...]


@dataclass(frozen=True, slots=True)
class Ip:
    """`version` is 4 or 6, `number` the address."""

    version: int
    number: int


@dataclass(frozen=True, slots=True)
class Cidr:
    address: Ip
    bits: int


@dataclass(frozen=True, slots=True, eq=False)
class NamedFormat:
    """`cost_size` is the length that Kubernetes takes for its regular expression when it counts cost."""

    name: str
    validate: Callable[[str], list[str]]
    cost_size: int


NUMBERS: Final = frozenset((int, Uint, float))
LISTS: Final = frozenset((tuple, Joined, list))

_TYPE_NAMES: Final[dict[type, str]] = {
    bool: "bool",
    int: "int",
    Uint: "uint",
    float: "double",
    str: "string",
    bytes: "bytes",
    type(None): "null_type",
    tuple: "list",
    Joined: "list",
    list: "list",
    Map: "map",
    CelType: "type",
    Duration: "google.protobuf.Duration",
    Timestamp: "google.protobuf.Timestamp",
    Optional: "optional_type",
    Quantity: "kubernetes.Quantity",
    Semver: "kubernetes.Semver",
    Url: "kubernetes.URL",
    Ip: "net.IP",
    Cidr: "net.CIDR",
    NamedFormat: "kubernetes.NamedFormat",
}
_GO_NAMES: Final[dict[type, str]] = {
    bool: "types.Bool",
    int: "types.Int",
    Uint: "types.Uint",
    float: "types.Double",
    str: "types.String",
    bytes: "types.Bytes",
    type(None): "types.Null",
    tuple: "*types.baseList",
    Joined: "*types.concatList",
    list: "*types.mutableList",
    Map: "*types.baseMap",
    CelType: "*types.Type",
    Duration: "types.Duration",
    Timestamp: "types.Timestamp",
    Optional: "*types.Optional",
    Quantity: "cel.Quantity",
    Semver: "cel.Semver",
    Url: "cel.URL",
    Ip: "cel.IP",
    Cidr: "cel.CIDR",
    NamedFormat: "cel.Format",
}


def type_name(value: Any) -> str:
    """The CEL name of a value's type."""
    return _TYPE_NAMES[type(value)]


def go_type(value: Any) -> str:
    """The name of the Go type of a value (`%T`), as a few messages have it."""
    if type(value) is Quantity and value.derived:
        return "*cel.Quantity"
    return _GO_NAMES[type(value)]


def encode_key(key: Any) -> Any:
    """The form of a key in `Map.entries`."""
    if type(key) is str:
        return key
    check_hashable(key)
    if type(key) in LISTS or type(key) in (Map, Optional, Quantity, Url):
        return type(key), _Identity(key)
    return type(key), key


class _Identity:
    """A key that is equal to itself only, as Go's pointers are."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value


def check_hashable(key: Any) -> None:
    """Kubernetes panics when it looks up such a value in a set or map."""
    if type(key) in (bytes, Semver, NamedFormat):
        raise Aborted(f"internal error: runtime error: hash of unhashable type {go_type(key)}")


def compare_numbers(left: Any, right: Any) -> int:
    """-1, 0 or 1 for numbers that are not NaN. A double beside an integer compares as doubles, as in cel-go."""
    if type(left) is float or type(right) is float:
        left, right = _beside_double(left, right), _beside_double(right, left)
    return int(left > right) - int(left < right)


def _beside_double(number: Any, other: Any) -> Any:
    if type(number) is float:
        return number
    limit = 2.0**64 if type(number) is Uint else 2.0**63
    return number if type(other) is float and abs(other) > limit else float(number)


def identical(left: Any, right: Any) -> bool | None:
    """cel-go's `left.Equal(right)`; None for its error "no such overload"."""
    kind = type(left)
    other = type(right)
    if kind is str or kind is bytes or kind is bool or kind is Duration or kind is CelType or left is None:
        return kind is other and left == right
    if kind in NUMBERS:
        if other not in NUMBERS or left != left or right != right:
            return False
        return left == right if kind is other else compare_numbers(left, right) == 0
    if kind in LISTS:
        return _identical_lists(left, right) if other in LISTS else False
    if kind is Map:
        return _identical_maps(left, right) if other is Map else False
    if kind is Timestamp:
        return other is Timestamp and (left.seconds, left.nanos) == (right.seconds, right.nanos)
    if kind is Optional:
        if other is not Optional or left.value is MISSING or right.value is MISSING:
            return other is Optional and left.value is right.value
        return identical(left.value, right.value)
    if kind is not other:
        return None
    if kind is Quantity:
        return None if right.derived else left.compare(right) == 0
    if kind is Url:
        return bool(left.text == right.text)
    if kind is NamedFormat:
        return bool(left.name == right.name)
    return bool(left == right)


def equal(left: Any, right: Any) -> bool | None:
    """`left == right`: as `identical`, and null equals null only."""
    if left is None or right is None:
        return left is right
    return identical(left, right)


def _identical_lists(left: Any, right: Any) -> bool | None:
    if len(left) != len(right):
        return False
    result: bool | None = True
    for ours, theirs in zip(left, right, strict=True):
        same = equal(ours, theirs)
        if same is False:
            return False
        if same is None and type(left) is Joined:
            result = None
    return result


def _identical_maps(left: Map, right: Map) -> bool:
    if len(left.entries) != len(right.entries):
        return False
    for key, value in zip(left.all_keys(), left.entries.values(), strict=True):
        theirs = right.find(key)
        if theirs is MISSING or equal(value, theirs) is False:
            return False
    return True


def list_contains(items: Any, wanted: Any) -> bool:
    return any(identical(wanted, item) is True for item in items)


def compare(left: Any, right: Any) -> int:
    """-1, 0 or 1 for two values of an ordered type; `Failure` for others."""
    kind = type(left)
    other = type(right)
    if kind is other and (kind is str or kind is int or kind is bool or kind is bytes or kind is Uint):
        return bool(left > right) - bool(left < right)
    if kind in NUMBERS:
        if left != left:
            raise Failure("NaN values cannot be ordered")
        if other not in NUMBERS:
            raise Failure(NO_OVERLOAD)
        if right != right:
            raise Failure("NaN values cannot be ordered")
        return compare_numbers(left, right)
    if kind is other and kind is Duration:
        return int(left.nanos > right.nanos) - int(left.nanos < right.nanos)
    if kind is other and kind is Timestamp:
        ours, theirs = (left.seconds, left.nanos), (right.seconds, right.nanos)
        return int(ours > theirs) - int(ours < theirs)
    raise Failure(NO_OVERLOAD)


ORDERED: Final = frozenset((bool, int, Uint, float, str, bytes, Duration, Timestamp))


def is_zero(value: Any) -> bool:
    """Whether `optional.ofNonZeroValue` takes a value for none."""
    kind = type(value)
    if value is None:
        return True
    if kind in NUMBERS or kind is bool:
        return not value
    if kind is str or kind is bytes or kind in LISTS:
        return len(value) == 0
    if kind is Map:
        return not value.entries
    if kind is Duration:
        return bool(value.nanos == 0)
    if kind is Timestamp:
        return (value.seconds, value.nanos) == (-62135596800, 0)
    return False


def size(value: Any) -> int | None:
    """The size of a string (code points), bytes, list or map; None for what has none."""
    kind = type(value)
    if kind is str or kind is bytes or kind in LISTS:
        return len(value)
    return len(value.entries) if kind is Map else None

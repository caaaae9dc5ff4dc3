"""The cost of functions, and the size of their results, where neither is the language's own matter.

Sources: cel-go ext/lists.go, ext/sets.go; apiserver pkg/cel/library/cost.go.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

from claimsmith.cel.ast import Expr, Literal
from claimsmith.cel.cost_sizes import (
    ONE,
    REGEX,
    TRAVERSAL,
    UNKNOWN,
    UNLIMITED,
    Path,
    Size,
    declared_size,
    from_float,
    plus,
    product_of,
    regex,
    scaled,
    sum_of,
    times,
    traversal,
    wrapped,
)
from claimsmith.cel.types import Type, alike

_LIST = 10
_MAX_NAMED_FORMAT = 64
_MAX_FORMAT_REGEX = 128
_MAX_LIST_ATTRIBUTE = 48


@dataclass(frozen=True, slots=True)
class Node:
    """An argument or target while its call is costed."""

    expression: Expr
    kind: Type
    path: Path | None
    size: Size | None


# The cost of a call without its arguments, and the size of its result where it has one.
Estimate = tuple[int, Size | None]


def size_of(node: Node) -> Size:
    return UNKNOWN if node.size is None else node.size


def estimated(node: Node) -> Size:
    """As `size_of`, and by the path where the node has no size of its own."""
    if node.size is not None:
        return node.size
    return declared_size(node.path) or UNKNOWN


# Extensions of cel-go, by overload


def _allocating(factor: float, size: Size) -> Estimate:
    return plus(plus(scaled(size[1], factor), 1), _LIST), size


def _integer(node: Node, otherwise: int) -> int:
    literal = node.expression
    if isinstance(literal, Literal) and literal.kind == "int":
        assert isinstance(literal.value, int)
        return max(literal.value, 0)
    return otherwise


def _slice(target: Node | None, arguments: list[Node]) -> Estimate | None:
    if target is None:
        return None
    start = _integer(arguments[0], 0)
    end = _integer(arguments[1], estimated(target)[1])
    length = wrapped(end - start)
    return _allocating(1.0, (length, length))


def _range(target: Node | None, arguments: list[Node]) -> Estimate | None:
    count = _integer(arguments[0], UNLIMITED)
    return _allocating(1.0, (count, count))


def _reverse(target: Node | None, arguments: list[Node]) -> Estimate | None:
    return None if target is None else _allocating(1.0, estimated(target))


def _flatten(target: Node | None, arguments: list[Node]) -> Estimate | None:
    if target is None:
        return None
    depth = _integer(arguments[0], UNLIMITED) if arguments else 1
    return _allocating(float(depth), estimated(target))


def _distinct(target: Node | None, arguments: list[Node]) -> Estimate | None:
    if target is None:
        return None
    size = estimated(target)
    return _allocating(2.0, product_of(size, size))


def _sorting(factor: float, by_key: bool) -> Callable[[Node | None, list[Node]], Estimate | None]:
    def sort(target: Node | None, arguments: list[Node]) -> Estimate | None:
        if target is None:
            return None
        size = estimated(arguments[0] if by_key else target)
        return _allocating(factor, product_of(size, size))

    return sort


def _sets(factor: float) -> Callable[[Node | None, list[Node]], Estimate | None]:
    def compare(target: Node | None, arguments: list[Node]) -> Estimate | None:
        size = product_of(estimated(arguments[0]), estimated(arguments[1]))
        return plus(scaled(size[1], factor), 1), None

    return compare


_SORTED_BY_TEXT = ("string", "bytes")
_SORTED = ("int", "uint", "double", "bool", "google.protobuf.Duration", "google.protobuf.Timestamp", *_SORTED_BY_TEXT)

_EXTENSIONS: dict[str, Callable[[Node | None, list[Node]], Estimate | None]] = {
    "list_slice": _slice,
    "list_flatten": _flatten,
    "list_flatten_int": _flatten,
    "lists_range": _range,
    "list_reverse": _reverse,
    "list_distinct": _distinct,
    "list_sets_contains_list": _sets(1.0),
    "list_sets_intersects_list": _sets(1.0),
    "list_sets_equivalent_list": _sets(2.0),
    **{f"list_{kind}_sort": _sorting(2.0 + TRAVERSAL * (kind in _SORTED_BY_TEXT), False) for kind in _SORTED},
    **{
        f"list_{kind}_sortByAssociatedKeys": _sorting(2.0 + TRAVERSAL * (kind in _SORTED_BY_TEXT), True)
        for kind in _SORTED
    },
}


# Kubernetes' estimator, by function


def _equality(arguments: list[Node]) -> Estimate | None:
    left, right = arguments
    if not alike(left.kind, right.kind):
        return None
    name = left.kind.name
    if name in ("net.IP", "net.CIDR", "kubernetes.Quantity", "kubernetes.Semver"):
        return 1, None
    if name == "kubernetes.NamedFormat":
        return scaled(_MAX_NAMED_FORMAT, TRAVERSAL), None
    if name == "kubernetes.URL":
        return scaled((right.size or ONE)[1], TRAVERSAL), None
    return None


KubernetesEstimator = Callable[[str, Node | None, list[Node]], Estimate | None]


def _unit(overload: str, target: Node | None, arguments: list[Node]) -> Estimate | None:
    return 1, None


def _parse(overload: str, target: Node | None, arguments: list[Node]) -> Estimate | None:
    return (traversal(estimated(arguments[0])), None) if arguments else None


def _ip(overload: str, target: Node | None, arguments: list[Node]) -> Estimate | None:
    return (1, None) if overload == "cidr_ip" else _parse(overload, target, arguments)


def _canonical(overload: str, target: Node | None, arguments: list[Node]) -> Estimate | None:
    return scaled(estimated(arguments[0])[1], 2 * TRAVERSAL), None


def _url(overload: str, target: Node | None, arguments: list[Node]) -> Estimate | None:
    size = estimated(arguments[0])
    return traversal(size), size


def _transform(overload: str, target: Node | None, arguments: list[Node]) -> Estimate | None:
    if target is None:
        return None
    size = estimated(target)
    return traversal(size), size


def _element(target: Node) -> tuple[Type, Size] | None:
    """The type and size of what a list (or map, or optional) holds."""
    if not target.kind.parameters:
        return None
    path = target.path
    if path is None:
        return target.kind.parameters[0], UNKNOWN
    below = Path([*path.names(), "@items"], path.length + 1, path.length + 1)
    return target.kind.parameters[0], declared_size(below) or UNKNOWN


def _search(overload: str, target: Node | None, arguments: list[Node]) -> Estimate | None:
    if target is None:
        return None
    size = estimated(target)
    element = _element(target)
    if element is not None:
        kind, element_size = element
        each = 1
        if kind.kind in ("string", "bytes"):
            each = plus(each, traversal(element_size))
        return times(size[1], each), None
    if overload == "list_includes_dyn_dyn":
        return size[1], None
    return traversal(size), None


def _replace(overload: str, target: Node | None, arguments: list[Node]) -> Estimate | None:
    if target is None:
        return None
    size, old, new = estimated(target), estimated(arguments[0]), estimated(arguments[1])
    most, kept_most = 0, 0
    if old[0] == 0:
        most, kept_most = plus(size[1], 1), size[1]
    elif new[1] <= old[0]:
        kept_most = size[1]
    else:
        most = from_float(math.ceil(float(size[1]) / float(old[0])))
    least, kept_least = 0, 0
    if old[1] == 0:
        least, kept_least = plus(size[0], 1), size[0]
    elif old[1] <= new[0]:
        kept_least = size[0]
    else:
        least = from_float(math.ceil(float(size[0]) / float(old[1])))
    result = sum_of(product_of((least, most), new), (kept_least, kept_most))
    return scaled(size[1], 2 * TRAVERSAL), result


def _split(overload: str, target: Node | None, arguments: list[Node]) -> Estimate | None:
    if target is None:
        return None
    size = estimated(target)
    most = size[1]
    if len(arguments) > 1:
        limit = arguments[1].expression
        if isinstance(limit, Literal) and limit.kind == "int":
            assert isinstance(limit.value, int)
            most = wrapped(limit.value)
    return scaled(size[1], 2 * TRAVERSAL), (0, most)


def _join(overload: str, target: Node | None, arguments: list[Node]) -> Estimate | None:
    if target is None:
        return None
    count = estimated(target)
    size: Size = (0, 0)
    element = _element(target)
    if element is not None:
        size = product_of(count, element[1])
    if arguments:
        size = sum_of(size, product_of(estimated(arguments[0]), (max(count[0] - 1, 0), max(count[1] - 1, 0))))
    return traversal(size), size


def _find(overload: str, target: Node | None, arguments: list[Node]) -> Estimate | None:
    if target is None:
        return None
    size = estimated(target)
    return regex(size, estimated(arguments[0])), (0, size[1])


_ADDRESS = 16  # the bytes of the longest address


def _contains_ip(overload: str, target: Node | None, arguments: list[Node]) -> Estimate | None:
    cost = scaled(2 * _ADDRESS, TRAVERSAL)
    if overload == "cidr_contains_ip_string":
        cost = plus(cost, traversal(estimated(arguments[0])))
    return cost, None


def _contains_cidr(overload: str, target: Node | None, arguments: list[Node]) -> Estimate | None:
    cost = scaled(2 * _ADDRESS, TRAVERSAL) + scaled(_ADDRESS, TRAVERSAL) + 1
    if overload == "cidr_contains_cidr_string":
        cost = plus(cost, traversal(estimated(arguments[0])))
    return cost, None


def _validate(overload: str, target: Node | None, arguments: list[Node]) -> Estimate | None:
    return scaled(traversal(estimated(arguments[0])), _MAX_FORMAT_REGEX * REGEX), None


_KUBERNETES: dict[str, KubernetesEstimator] = {
    **dict.fromkeys(
        (
            "masked", "prefixLength", "family", "isUnspecified", "isLoopback", "isLinkLocalMulticast",
            "isLinkLocalUnicast", "isGlobalUnicast", "format.named", "sign", "asInteger", "isInteger",
            "asApproximateFloat", "isGreaterThan", "isLessThan", "compareTo", "add", "sub", "major", "minor",
            "patch", "getScheme", "getHostname", "getHost", "getPort", "getEscapedPath", "getQuery",
        ),
        _unit,
    ),
    **dict.fromkeys(("cidr", "isIP", "isCIDR", "quantity", "isQuantity", "semver", "isSemver"), _parse),
    **dict.fromkeys(("isSorted", "sum", "max", "min", "indexOf", "lastIndexOf", "includes"), _search),
    **dict.fromkeys(("lowerAscii", "upperAscii", "substring", "trim"), _transform),
    **dict.fromkeys(("find", "findAll"), _find),
    "ip": _ip,
    "ip.isCanonical": _canonical,
    "url": _url,
    "replace": _replace,
    "split": _split,
    "join": _join,
    "containsIP": _contains_ip,
    "containsCIDR": _contains_cidr,
    "validate": _validate,
}  # fmt: skip


def library_estimate(function: str, overload: str, target: Node | None, arguments: list[Node]) -> Estimate | None:
    """What the extensions and Kubernetes' own estimator say; None where they leave it to the language."""
    extension = _EXTENSIONS.get(overload)
    if extension is not None:
        found = extension(target, arguments)
        if found is not None:
            return found
    if function == "_==_":
        return _equality(arguments)
    if overload == "dra_includes_dyn_dyn":
        return _MAX_LIST_ATTRIBUTE, None
    known = _KUBERNETES.get(function)
    return None if known is None else known(overload, target, arguments)

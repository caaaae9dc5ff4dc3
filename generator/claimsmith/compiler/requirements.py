"""What ``require`` says, typed: ``">= 40Gi, < 100Gi"`` as two comparisons, a list as a set of values."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

from claimsmith.values.quantity import Quantity
from claimsmith.values.semver import Semver

OPERATORS = {">=", "<=", "==", "!=", ">", "<"}
_OPERATOR = re.compile(r"\s*(>=|<=|==|!=|=|>|<)\s*(.*?)\s*", re.DOTALL)

Literal = str | int | bool | Quantity | Semver
T = TypeVar("T")


class RequirementError(ValueError):
    """Why a requirement cannot be made into a selector, in words for its author."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """``<attribute> <operator> <literal>``."""

    operator: str
    literal: Literal


@dataclass(frozen=True, slots=True)
class OneOf:
    """The attribute has one of these values."""

    literals: tuple[Literal, ...]


Condition = Comparison | OneOf


def conditions(kind: str, value: object) -> tuple[Condition, ...]:
    """The conditions that a value of ``require`` puts on an attribute or capacity of type ``kind``.

    ``kind`` is ``string``, ``int``, ``bool``, ``version`` or ``quantity``. Raises ``RequirementError``.
    """
    return _READERS[kind](value)


def _string(value: object) -> tuple[Condition, ...]:
    if isinstance(value, list):
        return (OneOf(tuple(_text(item) for item in value)),)
    operator, text = _split(_text(value))
    if operator not in ("==", "!=", ""):
        raise RequirementError(f"`{operator}` needs a number, a version or a quantity, and this is a string")
    return (Comparison(operator or "==", text),)


def _bool(value: object) -> tuple[Condition, ...]:
    if not isinstance(value, bool):
        raise RequirementError("it is true or false, without quotes")
    return (Comparison("==", value),)


def _int(value: object) -> tuple[Condition, ...]:
    if isinstance(value, bool):
        raise RequirementError("it is a whole number")
    if isinstance(value, int):
        return (Comparison("==", value),)
    if isinstance(value, list):
        return (OneOf(tuple(_whole(str(item)) for item in value)),)
    return _comparisons(value, _whole, "==")


def _version(value: object) -> tuple[Condition, ...]:
    if isinstance(value, list):
        return (OneOf(tuple(_parse(Semver.normalized, str(item)) for item in value)),)
    return _comparisons(value, lambda text: _parse(Semver.normalized, text), "==")


def _quantity(value: object) -> tuple[Condition, ...]:
    if isinstance(value, list):
        raise RequirementError('a capacity is compared, such as ">= 70Gi"; it has no list of values')
    return _comparisons(value, _amount, None)


_READERS: Mapping[str, Callable[[object], tuple[Condition, ...]]] = {
    "string": _string,
    "int": _int,
    "bool": _bool,
    "version": _version,
    "quantity": _quantity,
}


def _comparisons(value: object, parse: Callable[[str], Literal], default: str | None) -> tuple[Condition, ...]:
    found: list[Condition] = []
    for part in _text(value).split(","):
        operator, text = _split(part)
        if not operator and default is None:
            raise RequirementError(f'say how to compare, such as ">= {text.strip() or "70Gi"}"')
        found.append(Comparison(operator or default or "==", parse(text)))
    return tuple(found)


def _split(text: str) -> tuple[str, str]:
    match = _OPERATOR.fullmatch(text)
    if not match:
        return "", text.strip()
    operator, rest = match.groups()
    if not rest or rest[0] in "<>=!":
        raise RequirementError(f"`{text.strip()}` is not a comparison; the operators are >=, >, <=, <, == and !=")
    return ("==" if operator == "=" else operator), rest


def _text(value: object) -> str:
    if isinstance(value, bool) or not isinstance(value, str):
        raise RequirementError(f'it is a string: write "{_plain(value)}" in quotes')
    return value


def _plain(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _whole(text: str) -> int:
    if not re.fullmatch(r"-?(0|[1-9][0-9]*)", text) or not -(2**63) <= int(text) < 2**63:
        raise RequirementError(f"`{text}` is not a whole number")
    return int(text)


def _amount(text: str) -> Quantity:
    amount = _parse(Quantity.parse, text)
    # Kubernetes' own canonical form of such an amount is that of another one, and goes into the selector.
    if Quantity.parse(amount.canonical()) != amount:
        raise RequirementError(f"`{text}` is more than Kubernetes can write in canonical form")
    return amount


def _parse(parse: Callable[[str], T], text: str) -> T:
    try:
        return parse(text)
    except ValueError as error:
        raise RequirementError(str(error)) from None

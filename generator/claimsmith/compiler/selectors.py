"""CEL device selectors, generated. The text is fixed by ``codegen: 1``: a change of it is a new codegen.

Every selector is total: it gives true or false on any device of its driver, whether or not the device
publishes the attribute. An absent attribute fulfils ``!=`` and nothing else.
"""

import json
from collections.abc import Iterable, Sequence
from functools import cache

from claimsmith.compiler.requirements import Comparison, Condition, Literal, OneOf
from claimsmith.values.quantity import Quantity
from claimsmith.values.semver import Semver


def driver_is(driver: str) -> str:
    return f"device.driver == {text(driver)}"


def attribute_selectors(name: str, conditions: Iterable[Condition]) -> tuple[str, ...]:
    """Selectors on the attribute ``name`` (``domain/id``), one a condition."""
    domain, _, identifier = name.rpartition("/")
    return tuple(_attribute(f"device.attributes[{text(domain)}]", identifier, each) for each in conditions)


def capacity_selectors(name: str, conditions: Iterable[Condition]) -> tuple[str, ...]:
    """Selectors on the capacity ``name`` (``domain/id``), one a condition."""
    domain, _, identifier = name.rpartition("/")
    place = f"device.capacity[{text(domain)}].{identifier}"
    return tuple(_guarded(place, each) for each in conditions)


def attribute_present(name: str, present: bool) -> str:
    domain, _, identifier = name.rpartition("/")
    found = f"has(device.attributes[{text(domain)}].{identifier})"
    return found if present else f"!{found}"


def identity_not_in(name: str, values: Sequence[str]) -> str:
    """A selector that keeps named devices out by the attribute that identifies them."""
    domain, _, identifier = name.rpartition("/")
    listed = ", ".join(text(value) for value in values)
    return f'!(device.attributes[{text(domain)}].?{identifier}.orValue("") in [{listed}])'


def _attribute(domain: str, identifier: str, condition: Condition) -> str:
    literals = condition.literals if isinstance(condition, OneOf) else (condition.literal,)
    if all(isinstance(literal, str) and literal for literal in literals):
        value = f'{domain}.?{identifier}.orValue("")'
        if isinstance(condition, OneOf):
            return f"{value} in [{', '.join(map(_literal, literals))}]"
        return f"{value} {condition.operator} {_literal(condition.literal)}"
    return _guarded(f"{domain}.{identifier}", condition)


def _guarded(place: str, condition: Condition) -> str:
    if isinstance(condition, Comparison) and condition.operator == "!=":
        return f"!has({place}) || {_compared(place, condition)}"
    return f"has({place}) && {_compared(place, condition)}"


def _compared(place: str, condition: Condition) -> str:
    if isinstance(condition, OneOf):
        return f"{place} in [{', '.join(map(_literal, condition.literals))}]"
    literal = condition.literal
    if isinstance(literal, Quantity | Semver):
        return f"{place}.compareTo({_literal(literal)}) {condition.operator} 0"
    return f"{place} {condition.operator} {_literal(literal)}"


def _literal(value: Literal) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Quantity):
        return f"quantity({text(value.canonical())})"
    if isinstance(value, Semver):
        return f"semver({text(str(value))})"
    return text(value) if isinstance(value, str) else str(value)


@cache
def text(value: str) -> str:
    """A CEL string literal; JSON's escapes are a subset of CEL's."""
    return json.dumps(value, ensure_ascii=False)

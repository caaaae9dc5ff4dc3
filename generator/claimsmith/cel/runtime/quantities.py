"""Quantities: Kubernetes' parser and arithmetic, `asInteger` and `asApproximateFloat` with their quirks."""

import re

from claimsmith.cel.runtime.failure import Failure
from claimsmith.cel.runtime.values import Quantity
from claimsmith.values import quantity as amounts

_FORMAT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
_SUFFIX = "unable to parse quantity's suffix"
_NUMERIC = "unable to parse numeric part of quantity"
_PARTS = re.compile(r"[+-]?([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[-+]?[0-9]*)", re.ASCII)
_SHAPE = re.compile(r"[+-]?[0-9]*(?:\.[0-9]*)?")
_BINARY = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_INT64 = 2**63


def parse(text: str) -> Quantity:
    """`quantity(text)`; `Failure` with Kubernetes' text."""
    try:
        amount = amounts.Quantity.parse(text)
    except ValueError as error:
        raise Failure(_problem(text)) from error
    return of(amount, text)


def of(amount: amounts.Quantity, text: str) -> Quantity:
    """The value of a quantity that was read from `text`."""
    scale = _scale(text)
    if scale is None:
        return Quantity(amount.coefficient, amount.power, amount.canonical, whole=False, derived=False)
    coefficient, power = amount.coefficient, amount.power
    while power > scale:
        coefficient, power = coefficient * 10, power - 1
    return Quantity(coefficient, scale, amount.canonical, whole=True, derived=False)


def is_quantity(text: str) -> bool:
    try:
        amounts.Quantity.parse(text)
    except ValueError:
        return False
    return True


def _problem(text: str) -> str:
    if not text:
        return _FORMAT
    match = _PARTS.fullmatch(text)
    if match is None:
        return _FORMAT
    number = _SHAPE.match(text)
    if number is not None and number.group().strip("+-") in ("", "."):
        return _NUMERIC if match.group(3) in _BINARY or not match.group(3) else _SUFFIX
    return _SUFFIX


def _scale(text: str) -> int | None:
    """The power of ten of a quantity that Kubernetes keeps as a scaled integer; None where it keeps a decimal."""
    match = _PARTS.fullmatch(text)
    if match is None:
        return None
    whole, fraction, suffix = match.group(1).lstrip("0") or "0", match.group(2) or "", match.group(3)
    if text == "0":
        return 0
    if suffix in _BINARY:
        bits = _BINARY[suffix]
        fits = not fraction and 15 - len(whole) - bits * 3 // 10 - 1 >= 0
        return 0 if fits and int(whole) << bits < _INT64 else None
    exponent = _decimal_exponent(suffix)
    if 18 - len(whole) - len(fraction) < 0 or exponent - len(fraction) < -9:
        return None
    return exponent - len(fraction)


def _decimal_exponent(suffix: str) -> int:
    powers = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
    if suffix in powers:
        return powers[suffix]
    return (int(suffix[1:]) + 2**31) % 2**32 - 2**31


def as_integer(amount: Quantity) -> int | None:
    """The amount where Kubernetes keeps it as a whole number of 64 bits; None otherwise."""
    if not amount.whole or amount.power < 0:
        return None
    value = amount.coefficient * 10**amount.power if amount.power <= 18 else _INT64
    if amount.coefficient == 0:
        value = 0
    return int(value) if -_INT64 <= value < _INT64 else None


def as_float(amount: Quantity) -> float:
    if amount.power == 0:
        return float(amount.coefficient)
    return float(amount.coefficient) * _pow10(amount.power)


def _pow10(power: int) -> float:
    return 0.0 if power < -323 else float("inf") if power > 308 else float(f"1e{power}")


def sign(amount: Quantity) -> int:
    return (amount.coefficient > 0) - (amount.coefficient < 0)


def add(left: Quantity, right: Quantity) -> Quantity:
    return _sum(left, right.coefficient, right.power, right)


def subtract(left: Quantity, right: Quantity) -> Quantity:
    negated = -right.coefficient
    if negated == _INT64 and left.whole and right.whole:
        # Go's negation of the least number leaves it as it is.
        wrapped = _scaled_sum(left.coefficient, left.power, -_INT64, right.power)
        if wrapped is not None:
            return _derived(left, right, *wrapped, whole=True)
    return _sum(left, negated, right.power, right)


def integer(value: int) -> Quantity:
    return Quantity(value, 0, lambda: str(value), whole=True, derived=False)


def _sum(left: Quantity, coefficient: int, power: int, right: Quantity) -> Quantity:
    if left.whole and right.whole:
        fitting = _scaled_sum(left.coefficient, left.power, coefficient, power)
        if fitting is not None:
            return _derived(left, right, *fitting, whole=True)
    lower = min(left.power, power)
    total = left.coefficient * 10 ** (left.power - lower) + coefficient * 10 ** (power - lower)
    return _derived(left, right, total, lower, whole=False)


def _scaled_sum(coefficient: int, power: int, other: int, other_power: int) -> tuple[int, int] | None:
    """The sum as a scaled integer of 64 bits; None where a step of it overflows."""
    if other == 0:
        return coefficient, power
    if coefficient == 0:
        return other, other_power
    lower = min(power, other_power)
    scaled, other_scaled = coefficient * 10 ** (power - lower), other * 10 ** (other_power - lower)
    if not all(-_INT64 <= number < _INT64 for number in (scaled, other_scaled, scaled + other_scaled)):
        return None
    return scaled + other_scaled, lower


def _derived(left: Quantity, right: Quantity, total: int, power: int, *, whole: bool) -> Quantity:
    return Quantity(total, power, lambda: _sum_text(left, right, total, power), whole=whole, derived=True)


def _sum_text(left: Quantity, right: Quantity, total: int, power: int) -> str:
    family = right if left.coefficient == 0 else left
    suffix = re.sub(r"^[+-]?[0-9.]*", "", family.text())
    if suffix in _BINARY and power >= 0:
        return (
            amounts.Quantity.parse(f"{total * 10**power // 1024}Ki").canonical() if _even(total, power) else str(total)
        )
    if suffix[:1] in ("e", "E") and len(suffix) > 1:
        return amounts.Quantity.parse(f"{total}e{power}").canonical()
    return _decimal_text(total, power)


def _even(total: int, power: int) -> bool:
    return bool(total * 10**power % 1024 == 0)


def _decimal_text(total: int, power: int) -> str:
    if total == 0:
        return "0"
    while total % 10 == 0:
        total, power = total // 10, power + 1
    total, power = total * 10 ** (power % 3), power - power % 3
    suffixes = {-9: "n", -6: "u", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E"}
    return f"{total}{suffixes.get(power, '')}"

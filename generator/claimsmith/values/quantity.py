"""Amounts as Kubernetes writes them: ``80Gi``, ``1500m``, ``1e3``."""

import re
from dataclasses import dataclass
from enum import Enum, auto
from fractions import Fraction
from functools import total_ordering

_GRAMMAR = re.compile(r"([+-]?)([0-9]*)(?:\.([0-9]*))?([eEinumkKMGTP]*[+-]?[0-9]*)")
_DECIMAL_POWERS = {
    "n": -9,
    "u": -6,
    "m": -3,
    "": 0,
    "k": 3,
    "M": 6,
    "G": 9,
    "T": 12,
    "P": 15,
    "E": 18,
}
_BINARY_POWERS = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}
_DECIMAL_SUFFIXES = {power: suffix for suffix, power in _DECIMAL_POWERS.items()}
_BINARY_SUFFIXES = {0: "", **{power: suffix for suffix, power in _BINARY_POWERS.items()}}
_EXPONENT = re.compile(r"[eE]([+-]?[0-9]+)")

_NANO = -9
_INT64_MAX = 2**63 - 1
_INT64_DIGITS = 18
_MAX_TEXT = 1000
_MAX_EXPANDED_POWER = 4096

_EXPECTED = (
    "expected a number with one of the suffixes n u m k M G T P E or Ki Mi Gi Ti Pi Ei, "
    "or an exponent such as e3 (for example 80Gi)"
)
_MISWRITTEN = re.compile(r"([+-]?[0-9]+(?:\.[0-9]+)?)([A-Za-z]+?)[Bb]?")
_LARGE_SUFFIXES = {suffix.lower(): suffix for suffix in (*"kMGTPE", *_BINARY_POWERS)}


class _Family(Enum):
    """The suffixes that a quantity keeps when it is written again."""

    DECIMAL = auto()
    BINARY = auto()
    EXPONENT = auto()


@total_ordering
@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """An exact amount, read, rounded and written as k8s.io/apimachinery's ``resource.Quantity``.

    The amount is ``coefficient * 10**power``; the coefficient has no trailing zeros, and zero has power 0.
    Quantities compare and hash by amount: ``1Gi == 1024Mi``. They are made by ``parse`` only.
    """

    coefficient: int
    power: int
    _text: str

    @classmethod
    def parse(cls, text: str) -> "Quantity":
        """Reads what ``resource.ParseQuantity`` reads, surrounding blanks refused.

        What is more precise than 1n is rounded away from zero; amounts with a binary suffix are capped at
        2**63-1. ``ValueError`` for anything else, and for texts of more than 1000 characters.
        """
        if len(text) > _MAX_TEXT:
            raise ValueError(f"a quantity of {len(text)} characters is too long; {_EXPECTED}")
        match = _GRAMMAR.fullmatch(text)
        if not text or match is None:
            raise _refusal(text)
        sign, whole, fraction, suffix = match.group(1, 2, 3, 4)
        scale = _interpret(suffix)
        if scale is None:
            raise _refusal(text)
        family, exponent = scale

        # Kubernetes counts the zero that it puts before a bare fraction, but no other leading zero.
        numerator = whole.lstrip("0") or "0"
        digits = numerator + (fraction or "")
        short = _fits_fast_path(family, exponent, numerator, fraction or "")
        if not short and not whole and not fraction:
            raise _refusal(text)

        coefficient, power = int(digits), -len(fraction or "")
        if family is _Family.BINARY:
            coefficient <<= exponent
        else:
            power += exponent
        if not short:
            coefficient, power = _round_up(coefficient, power)
            if family is _Family.BINARY:
                if _compare(coefficient, power, _INT64_MAX, 0) > 0:
                    coefficient, power = _INT64_MAX, 0
                if _compare(coefficient, power, 1, 0) < 0:
                    family = _Family.DECIMAL
        kept = short and _keeps_its_text(family, digits, power)
        coefficient, power = _normalise(-coefficient if sign == "-" else coefficient, power)
        return cls(coefficient, power, text if kept else _canonical(coefficient, power, family))

    def canonical(self) -> str:
        """Go's ``Quantity.String()`` after a parse, which is what the API server stores.

        The suffix family is kept, and the suffix is the largest that needs no fraction: ``81920Mi`` is
        ``80Gi``, ``1.5`` is ``1500m``. Kubernetes' own oddities are kept too: a text that it takes for
        canonical stays as written (``1.500``, ``+5``, ``007``), and amounts of 1000E and more that are not
        written with an exponent may lose their suffix (``1000E`` becomes ``1``). The text of a few
        fractions is not settled at once: ``1.953125Ki`` becomes ``2000``, and that ``2k``.
        """
        return self._text

    def as_fraction(self) -> Fraction:
        """The exact amount; ``OverflowError`` where it has thousands of digits."""
        if self.power > _MAX_EXPANDED_POWER:
            raise OverflowError(f"{self._text} is too large to write out")
        return Fraction(self.coefficient) * Fraction(10) ** self.power

    def as_int(self) -> int | None:
        """The amount, such as a number of bytes, where it is whole and fits into 64 bits; None otherwise."""
        if self.power < 0 or self.power > _INT64_DIGITS:
            return None
        amount: int = self.coefficient * 10**self.power
        return amount if -_INT64_MAX - 1 <= amount <= _INT64_MAX else None

    def __str__(self) -> str:
        return self._text

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Quantity):
            return NotImplemented
        return (self.coefficient, self.power) == (other.coefficient, other.power)

    def __lt__(self, other: "Quantity") -> bool:
        if not isinstance(other, Quantity):
            return NotImplemented
        return _compare(self.coefficient, self.power, other.coefficient, other.power) < 0

    def __hash__(self) -> int:
        return hash((self.coefficient, self.power))


def _interpret(suffix: str) -> tuple[_Family, int] | None:
    """The family and the power (of two for the binary one, else of ten) of a suffix."""
    if suffix in _DECIMAL_POWERS:
        return _Family.DECIMAL, _DECIMAL_POWERS[suffix]
    if suffix in _BINARY_POWERS:
        return _Family.BINARY, _BINARY_POWERS[suffix]
    match = _EXPONENT.fullmatch(suffix)
    if match is None:
        return None
    exponent = int(match.group(1))
    if not -_INT64_MAX - 1 <= exponent <= _INT64_MAX:
        return None
    # Kubernetes reads a 64-bit exponent and keeps its low 32 bits.
    return _Family.EXPONENT, (exponent + 2**31) % 2**32 - 2**31


def _fits_fast_path(family: _Family, exponent: int, numerator: str, fraction: str) -> bool:
    """Whether Kubernetes reads the text as a scaled int64, which it neither rounds nor caps."""
    if family is _Family.BINARY:
        return not fraction and 15 - len(numerator) - exponent * 3 // 10 - 1 >= 0
    return len(numerator) + len(fraction) <= _INT64_DIGITS and exponent - len(fraction) >= _NANO


def _keeps_its_text(family: _Family, digits: str, power: int) -> bool:
    """Whether Kubernetes takes a text of the fast path for canonical already."""
    if family is _Family.BINARY:
        return int(digits) % 8 != 0
    return power % 3 == 0 and not digits.endswith("000") and digits[0] != "0"


def _round_up(coefficient: int, power: int) -> tuple[int, int]:
    """A non-negative amount in whole nanos, rounded up."""
    surplus = _NANO - power
    if surplus <= 0 or coefficient == 0:
        return coefficient, power
    if surplus > len(str(coefficient)):
        return 1, _NANO
    return -(-coefficient // 10**surplus), _NANO


def _normalise(coefficient: int, power: int) -> tuple[int, int]:
    if coefficient == 0:
        return 0, 0
    digits = str(coefficient)
    significant = digits.rstrip("0")
    return int(significant), power + len(digits) - len(significant)


def _compare(coefficient: int, power: int, other_coefficient: int, other_power: int) -> int:
    """-1, 0 or 1; never expands an exponent beyond the digits that are there."""
    signs = _sign(coefficient) - _sign(other_coefficient)
    if signs or coefficient == 0:
        return _sign(signs)
    magnitude = len(str(abs(coefficient))) + power
    other_magnitude = len(str(abs(other_coefficient))) + other_power
    if magnitude != other_magnitude:
        return _sign(coefficient) * _sign(magnitude - other_magnitude)
    lower = min(power, other_power)
    return _sign(coefficient * 10 ** (power - lower) - other_coefficient * 10 ** (other_power - lower))


def _sign(number: int) -> int:
    return (number > 0) - (number < 0)


def _canonical(coefficient: int, power: int, family: _Family) -> str:
    """``Quantity.CanonicalizeBytes`` for a normalised amount."""
    if coefficient == 0:
        return "0"
    if family is _Family.BINARY and power >= 0:
        amount = coefficient * 10**power
        if abs(amount) >= 1024:
            binary_power = 0
            while amount % 1024 == 0:
                amount //= 1024
                binary_power += 10
            return f"{amount}{_BINARY_SUFFIXES[binary_power]}"
    thousands = power - power % 3
    number = coefficient * 10 ** (power - thousands)
    if family is _Family.EXPONENT:
        return f"{number}e{thousands}" if thousands else str(number)
    return f"{number}{_DECIMAL_SUFFIXES.get(thousands, '')}"


def _refusal(text: str) -> ValueError:
    if not text:
        return ValueError(f"a quantity must not be empty; {_EXPECTED}")
    match = _MISWRITTEN.fullmatch("".join(text.split()))
    suffix = _LARGE_SUFFIXES.get(match.group(2).lower()) if match else None
    hint = f"; did you mean {match.group(1)}{suffix}?" if match and suffix else ""
    return ValueError(f"{text!r} is not a quantity; {_EXPECTED}{hint}")

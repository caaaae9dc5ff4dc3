"""Semantic versions as the CEL function ``semver()`` of Kubernetes reads them."""

import re
from dataclasses import dataclass, field
from functools import total_ordering

_NUMBER = re.compile(r"0|[1-9][0-9]*")
_DIGITS = re.compile(r"[0-9]+")
_IDENTIFIER = re.compile(r"[0-9A-Za-z-]+")
_UINT64_MAX = 2**64 - 1
_UINT64_DIGITS = 20
_EXPECTED = "expected three numbers, such as 9.0.0, and optionally -prerelease and +build"


@total_ordering
@dataclass(frozen=True, slots=True)
class Semver:
    """A version of semver.org's specification 2.0.0, within the limits of github.com/blang/semver/v4.

    Numbers, numeric prerelease identifiers among them, are unsigned and of 64 bits. Order and equality follow
    the specification's precedence: a prerelease is lower than its release, and build metadata is ignored.
    """

    major: int
    minor: int
    patch: int
    prerelease: tuple[int | str, ...] = ()
    build: tuple[str, ...] = field(default=(), compare=False)

    @classmethod
    def parse(cls, text: str) -> "Semver":
        """Reads what ``semver(text)`` reads; ``ValueError`` with what was expected otherwise."""
        version = _read(text)
        if isinstance(version, Semver):
            return version
        problem = f"{text!r} is not a semantic version: {version}; {_EXPECTED}"
        relaxed = _read(_normalise(text))
        if isinstance(relaxed, Semver):
            problem += f"; did you mean {relaxed}?"
        raise ValueError(problem)

    @classmethod
    def normalized(cls, text: str) -> "Semver":
        """Reads what ``semver(text, true)`` reads, which is what people write.

        A leading ``v`` and leading zeros are dropped, and a missing minor and patch are zero: ``9.0`` is
        9.0.0, ``v570`` is 570.0.0 and ``580.126.09`` is 580.126.9. ``ValueError`` for anything else.
        """
        version = _read(_normalise(text))
        if isinstance(version, Semver):
            return version
        raise ValueError(
            f"{text!r} is not a version: {version}; expected one to three numbers, such as 12.4 or 580.126.09"
        )

    def __str__(self) -> str:
        text = f"{self.major}.{self.minor}.{self.patch}"
        if self.prerelease:
            text += "-" + ".".join(str(identifier) for identifier in self.prerelease)
        if self.build:
            text += "+" + ".".join(self.build)
        return text

    def __lt__(self, other: "Semver") -> bool:
        if not isinstance(other, Semver):
            return NotImplemented
        return self._precedence() < other._precedence()

    def _precedence(self) -> tuple[int, int, int, bool, tuple[tuple[bool, int, str], ...]]:
        identifiers = tuple(
            (True, 0, identifier) if isinstance(identifier, str) else (False, identifier, "")
            for identifier in self.prerelease
        )
        return self.major, self.minor, self.patch, not self.prerelease, identifiers


def _read(text: str) -> Semver | str:
    """The version, or the reason why there is none."""
    parts = text.split(".", 2)
    if len(parts) < 3:
        return f"it has {len(parts) if text else 'none'} of the three numbers"
    major, minor, rest = parts
    rest, plus, build_text = rest.partition("+")
    patch, dash, prerelease_text = rest.partition("-")

    numbers: list[int] = []
    for name, part in (("major", major), ("minor", minor), ("patch", patch)):
        number = _number(part)
        if isinstance(number, str):
            return f"the {name} number {part!r} {number}"
        numbers.append(number)

    prerelease: list[int | str] = []
    for identifier in prerelease_text.split(".") if dash else ():
        if not _IDENTIFIER.fullmatch(identifier):
            return f"the prerelease part {identifier!r} must be letters, digits and '-'"
        if not _DIGITS.fullmatch(identifier):
            prerelease.append(identifier)
            continue
        number = _number(identifier)
        if isinstance(number, str):
            return f"the prerelease number {identifier!r} {number}"
        prerelease.append(number)

    build = tuple(build_text.split(".")) if plus else ()
    for identifier in build:
        if not _IDENTIFIER.fullmatch(identifier):
            return f"the build part {identifier!r} must be letters, digits and '-'"
    return Semver(numbers[0], numbers[1], numbers[2], tuple(prerelease), build)


def _number(text: str) -> int | str:
    if not _DIGITS.fullmatch(text):
        return "must be decimal digits"
    if not _NUMBER.fullmatch(text):
        return "must not have leading zeros"
    if len(text) > _UINT64_DIGITS or int(text) > _UINT64_MAX:
        return "does not fit into 64 bits"
    return int(text)


def _normalise(text: str) -> str:
    """``normalizeAndParse`` of k8s.io/apiserver's CEL library; leaves short versions with a prerelease."""
    parts = text.removeprefix("v").split(".", 2)
    for index, part in enumerate(parts):
        if len(part) > 1:
            stripped = part.lstrip("0")
            parts[index] = stripped if _DIGITS.match(stripped) else "0" + stripped
    if len(parts) < 3 and any(sign in parts[-1] for sign in "+-"):
        return text
    return ".".join(parts + ["0"] * (3 - len(parts)))

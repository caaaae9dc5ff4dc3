"""Semantic versions, with the errors of github.com/blang/semver/v4."""

import re

from claimsmith.cel.runtime.failure import Failure
from claimsmith.cel.runtime.go_text import quote
from claimsmith.values.semver import Semver

_DIGITS = re.compile(r"[0-9]+")
_IDENTIFIER = re.compile(r"[0-9A-Za-z-]+")
_UINT64 = 2**64
_SHORT = "short version cannot contain PreRelease/Build meta data"


def parse(text: str, *, normalize: bool = False) -> Semver:
    """`semver(text, normalize)`; `Failure` with Kubernetes' text."""
    if normalize:
        text = _normalized(text)
    try:
        return Semver.parse(text)
    except ValueError as error:
        raise Failure(_problem(text)) from error


def is_semver(text: str, *, normalize: bool = False) -> bool:
    try:
        parse(text, normalize=normalize)
    except Failure:
        return False
    return True


def _normalized(text: str) -> str:
    parts = text.removeprefix("v").split(".", 2)
    for index, part in enumerate(parts):
        if len(part) > 1:
            stripped = part.lstrip("0")
            parts[index] = stripped if _DIGITS.match(stripped) else "0" + stripped
    if len(parts) < 3 and any(sign in parts[-1] for sign in "+-"):
        raise Failure(_SHORT)
    return ".".join(parts + ["0"] * (3 - len(parts)))


def _problem(text: str) -> str:
    if not text:
        return "Version string empty"
    parts = text.split(".", 2)
    if len(parts) != 3:
        return "No Major.Minor.Patch elements found"
    rest, plus, build = parts[2].partition("+")
    patch, dash, prerelease = rest.partition("-")
    checks = [_number_problem("major", parts[0]), _number_problem("minor", parts[1]), _number_problem("patch", patch)]
    checks += [_prerelease_problem(part) for part in prerelease.split(".") if dash]
    checks += [_build_problem(part) for part in build.split(".") if plus]
    return next(problem for problem in checks if problem)


def _number_problem(name: str, part: str) -> str:
    if not _DIGITS.fullmatch(part) and part:
        return f"Invalid character(s) found in {name} number {quote(part)}"
    if len(part) > 1 and part.startswith("0"):
        return f"{name.capitalize()} number must not contain leading zeroes {quote(part)}"
    return _range_problem(part)


def _range_problem(part: str) -> str:
    if not part:
        return 'strconv.ParseUint: parsing "": invalid syntax'
    if len(part) > 20 or int(part) >= _UINT64:
        return f"strconv.ParseUint: parsing {quote(part)}: value out of range"
    return ""


def _prerelease_problem(part: str) -> str:
    if not part:
        return "Prerelease is empty"
    if _DIGITS.fullmatch(part):
        if len(part) > 1 and part.startswith("0"):
            return f"Numeric PreRelease version must not contain leading zeroes {quote(part)}"
        return _range_problem(part)
    return "" if _IDENTIFIER.fullmatch(part) else f"Invalid character(s) found in prerelease {quote(part)}"


def _build_problem(part: str) -> str:
    if not part:
        return "Build meta data is empty"
    return "" if _IDENTIFIER.fullmatch(part) else f"Invalid character(s) found in build meta data {quote(part)}"


def compare(left: Semver, right: Semver) -> int:
    return -1 if left < right else 1 if right < left else 0


def signed(number: int) -> int:
    """The number as Go's conversion from uint64 to int64 leaves it."""
    return number - _UINT64 if number >= _UINT64 // 2 else number

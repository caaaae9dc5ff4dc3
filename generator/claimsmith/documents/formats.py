"""The string formats that the JSON Schemas name, checked by the value types."""

import re
from collections.abc import Callable
from datetime import date
from pathlib import PurePosixPath

from jsonschema import FormatChecker

from claimsmith.values import names
from claimsmith.values.duration import Duration
from claimsmith.values.image import ImageReference
from claimsmith.values.quantity import Quantity
from claimsmith.values.semver import Semver
from claimsmith.values.version import Minor


def _model_name(text: str) -> str | None:
    if re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?", text) and len(text) <= 63:
        return None
    return "a model's name has letters, digits and inner `-` only, 63 at most"


def _fully_qualified(text: str) -> str | None:
    if "/" not in text:
        return "an attribute in a constraint needs its domain, such as `resource.kubernetes.io/pcieRoot`"
    return names.qualified_attribute_problem(text)


def _relative_path(text: str) -> str | None:
    path = PurePosixPath(text)
    if path.is_absolute() or "\\" in text or re.match(r"[A-Za-z]:", text) or "\0" in text:
        return "the path must be relative, with `/` between its parts"
    return None


def _calendar_date(text: str) -> str | None:
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        return 'a date is written "YYYY-MM-DD"'
    try:
        date.fromisoformat(text)
    except ValueError:
        return "there is no such day"
    return None


def _url(text: str) -> str | None:
    if re.fullmatch(r"https?://[^\s/]+(/\S*)?", text):
        return None
    return "a URL starts with https:// or http://"


def _image(text: str) -> str | None:
    return _parsed(ImageReference.parse)(text)


def _image_digest(text: str) -> str | None:
    try:
        image = ImageReference.parse(text)
    except ValueError as error:
        return str(error)
    return None if image.digest else "evidence names the image by digest: name@sha256:<64 hex digits>"


def _parsed(parse: Callable[[str], object]) -> Callable[[str], str | None]:
    def problem(text: str) -> str | None:
        try:
            parse(text)
        except ValueError as error:
            return str(error)
        return None

    return problem


PROBLEMS: dict[str, Callable[[str], str | None]] = {
    "dns-label": names.dns_label_problem,
    "dns-subdomain": names.dns_subdomain_problem,
    "label-key": names.label_key_problem,
    "label-value": names.label_value_problem,
    "driver-name": names.driver_name_problem,
    "pool-name": names.pool_name_problem,
    "extended-resource": names.extended_resource_name_problem,
    "qualified-attribute": _fully_qualified,
    "requirement-name": names.attribute_name_problem,
    "model-name": _model_name,
    "quantity": _parsed(Quantity.parse),
    "duration": _parsed(Duration.parse),
    "version": _parsed(Semver.normalized),
    "kubernetes-minor": _parsed(Minor.parse),
    "image": _image,
    "image-digest": _image_digest,
    "relative-path": _relative_path,
    "calendar-date": _calendar_date,
    "url": _url,
}


class FormatError(ValueError):
    """Why a string is not of its format."""


def checker() -> FormatChecker:
    """A checker whose errors carry the reason (``FormatError``) as their cause."""
    formats = FormatChecker(formats=())
    for name, problem in PROBLEMS.items():
        formats.checks(name, raises=FormatError)(_check(problem))
    return formats


def _check(problem: Callable[[str], str | None]) -> Callable[[object], bool]:
    def check(value: object) -> bool:
        reason = problem(value) if isinstance(value, str) else None
        if reason:
            raise FormatError(reason)
        return True

    return check

"""Which plain YAML scalars mean the same to every reader, and what the others could be taken for.

The rules are the union of what real readers do: PyYAML's resolver (YAML 1.1), the core schema of YAML 1.2 as
ruamel.yaml has it, and `resolve.go` of go-yaml v2 and v3, on which sigs.k8s.io/yaml and so kubectl, Argo CD,
Flux and Helm stand. `tests/documents/recorded/go-yaml-scalars.jsonl` holds Go's own answers.
"""

import math
import re
from enum import StrEnum

from claimsmith.documents.nodes import Plain


class Reading(StrEnum):
    """What some reader takes an ambiguous scalar for."""

    BOOLEAN = "a boolean"
    NULL = "null"
    NUMBER = "a number"
    BINARY = "a binary number"
    OCTAL = "an octal number"
    HEXADECIMAL = "a hexadecimal number"
    BASE_60 = "a number in base 60"
    DATE = "a date"
    DEFAULT_VALUE = "a default value"
    MERGE_KEY = "a merge key"


_WORDS = {
    "y": Reading.BOOLEAN,
    "n": Reading.BOOLEAN,
    "yes": Reading.BOOLEAN,
    "no": Reading.BOOLEAN,
    "on": Reading.BOOLEAN,
    "off": Reading.BOOLEAN,
    "true": Reading.BOOLEAN,
    "false": Reading.BOOLEAN,
    "null": Reading.NULL,
    "~": Reading.NULL,
    "=": Reading.DEFAULT_VALUE,
    "<<": Reading.MERGE_KEY,
}
_SURE: dict[str, Plain] = {"": None, "null": None, "true": True, "false": False}
_LIKELY: dict[str, Plain] = {"true": True, "false": False, "null": None, "~": None}
_LONGEST_WORD = max(map(len, _WORDS))

_SUSPECT = frozenset("0123456789+-.~=<yYnNtTfFoO")
_NUMERIC = frozenset("0123456789+-.")

_INTEGER = re.compile(r"0|-?[1-9][0-9]*")
_DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]*)\.[0-9]+")
_INT64_DIGITS = 19

# Go drops every underscore before it looks at a number, so that these see the text without them. A sign after
# the prefix (`0b-1`) is a number to Go, too.
_NUMBERS = (
    (re.compile(r"[-+]?0[bB][-+]?[01]+"), Reading.BINARY),
    (re.compile(r"[-+]?0(?:[oO][-+]?)?[0-7]+"), Reading.OCTAL),
    (re.compile(r"[-+]?0[xX][-+]?[0-9a-fA-F]+"), Reading.HEXADECIMAL),
    (re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"), Reading.NUMBER),
    (re.compile(r"[-+]?\.(?:inf|nan)", re.IGNORECASE), Reading.NUMBER),
    (re.compile(r"[-+]?[0-9]+(?::[0-5]?[0-9])+(?:\.[0-9]*)?"), Reading.BASE_60),
    (
        re.compile(
            r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
            r"(?:(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{1,2}:[0-9]{1,2}(?:[.,][0-9]*)?"
            r"(?:[ \t]*(?:[Zz]|[-+][0-9]{1,2}(?::?[0-9]{2})?))?)?"
        ),
        Reading.DATE,
    ),
)
# ruamel.yaml takes these for numbers, and then fails on them.
_ONLY_UNDERSCORES = re.compile(r"[-+]?(?:0[bBoOxX])?\.?_[_.]*")


def resolve(text: str) -> tuple[Plain, Reading | None]:
    """The value of a plain scalar, and, where readers disagree about it, what some take it for.

    Integers are those of 64 bits with a sign, decimals have digits on both sides of the point. The value of
    an ambiguous scalar is the text itself, or what another case of `true`, `false` or `null`, or `~`, most
    likely means.
    """
    if text and text[0] not in _SUSPECT:
        return text, None
    if text in _SURE:
        return _SURE[text], None
    if len(text) <= _LONGEST_WORD and (word := text.lower()) in _WORDS:
        return _LIKELY.get(word, text), _WORDS[word]
    if text[0] not in _NUMERIC:
        return text, None
    return _resolve_number(text)


def is_text(text: str) -> bool:
    """Whether every reader takes this plain scalar for a string."""
    value, reading = resolve(text)
    return reading is None and isinstance(value, str)


def _resolve_number(text: str) -> tuple[Plain, Reading | None]:
    if _INTEGER.fullmatch(text):
        # A longer run of digits is not even converted: Python limits that, and it takes quadratic time.
        if len(text.lstrip("-")) <= _INT64_DIGITS and -(2**63) <= (number := int(text)) < 2**63:
            return number, None
        return text, Reading.NUMBER
    if _DECIMAL.fullmatch(text):
        decimal = float(text)
        return (decimal, None) if math.isfinite(decimal) else (text, Reading.NUMBER)
    if _ONLY_UNDERSCORES.fullmatch(text):
        return text, Reading.NUMBER
    digits = text.replace("_", "")
    for pattern, reading in _NUMBERS:
        if pattern.fullmatch(digits):
            return text, reading
    return text, None

"""Rules: public ids, severities and words, kept in one registry."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import ClassVar


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


class Consequence(StrEnum):
    """What a real cluster, or claimsmith itself (``invalid``), would do about a mistake."""

    REJECTED = "rejected"
    FATAL = "fatal"
    NEVER_MATCHES = "never-matches"
    IGNORED = "ignored"
    UNSAFE = "unsafe"
    DRIFT = "drift"
    STYLE = "style"
    INVALID = "invalid"


class Rule:
    """One diagnostic. Subclasses set the class attributes; ``message`` and ``help`` are ``str.format`` templates."""

    id: ClassVar[str]
    name: ClassVar[str]
    severity: ClassVar[Severity]
    consequence: ClassVar[Consequence]
    message: ClassVar[str]
    help: ClassVar[str] = ""
    why: ClassVar[str]
    bad: ClassVar[str] = ""
    good: ClassVar[str] = ""

    @classmethod
    def render_message(cls, data: Mapping[str, object]) -> str:
        return cls.message.format_map(data)

    @classmethod
    def render_help(cls, data: Mapping[str, object]) -> str:
        suggestion = data.get("did_you_mean")
        parts = [f"did you mean `{suggestion}`?"] if suggestion else []
        text = cls.help.format_map(data)
        if text:
            parts.append(text)
        return " ".join(parts)


_RULES: dict[str, type[Rule]] = {}


def register(cls: type[Rule]) -> type[Rule]:
    """Adds a rule to the registry; an id is given once and for ever."""
    if cls.id in _RULES:
        raise ValueError(f"rule {cls.id} is registered twice")
    _RULES[cls.id] = cls
    return cls


def rule(rule_id: str) -> type[Rule]:
    """The rule of this id; ``KeyError`` where there is none."""
    return _RULES[rule_id]


def all_rules() -> Iterator[type[Rule]]:
    """Every rule, by id."""
    return (_RULES[key] for key in sorted(_RULES))

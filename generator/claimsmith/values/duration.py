"""Lengths of time as profiles write them: ``24h``, ``1h30m``, ``180d``."""

import re
from dataclasses import dataclass

_UNITS = {"d": 86400, "h": 3600, "m": 60, "s": 1}
_GRAMMAR = re.compile("".join(rf"(?:([0-9]{{1,10}}){unit})?" for unit in _UNITS))
_MAX_SECONDS = 2**31 - 1
_EXPECTED = "expected days, hours, minutes and seconds in this order, such as 180d, 24h, 1h30m or 90s"


@dataclass(frozen=True, slots=True, order=True)
class Duration:
    """A positive number of whole seconds, at most 2**31-1 as Kubernetes has it for the deadline of a Pod."""

    seconds: int

    def __post_init__(self) -> None:
        if not 0 < self.seconds <= _MAX_SECONDS:
            raise ValueError(f"a duration of {self.seconds} seconds must be between 1s and {_MAX_SECONDS}s")

    @classmethod
    def parse(cls, text: str) -> "Duration":
        """Reads ``24h``, ``1h30m``, ``180d`` (24 hours each) or ``90s``; ``ValueError`` otherwise."""
        match = _GRAMMAR.fullmatch(text)
        if not text or match is None:
            raise ValueError(f"{text!r} is not a duration; {_EXPECTED}")
        seconds = sum(int(count) * unit for count, unit in zip(match.groups("0"), _UNITS.values(), strict=True))
        if not 0 < seconds <= _MAX_SECONDS:
            raise ValueError(f"the duration {text!r} must be between 1s and {_MAX_SECONDS}s (24855d)")
        return cls(seconds)

    def __str__(self) -> str:
        """The canonical text: the largest units first, ``86400`` seconds as ``1d``."""
        text, rest = "", self.seconds
        for suffix, unit in _UNITS.items():
            count, rest = divmod(rest, unit)
            if count:
                text += f"{count}{suffix}"
        return text

"""Kubernetes minors."""

import re
from dataclasses import dataclass

_GRAMMAR = re.compile("([1-9][0-9]{0,3})[.](0|[1-9][0-9]{0,3})")
_RELEASE = re.compile(r"v?([0-9]+\.[0-9]+)(?:[.+-].*)?")


@dataclass(frozen=True, slots=True, order=True)
class Minor:
    """A minor release of Kubernetes, such as 1.36."""

    major: int
    minor: int

    @classmethod
    def parse(cls, text: str) -> "Minor":
        """Reads ``1.36``; ``ValueError`` otherwise, patch releases (``v1.36.3``) among them."""
        match = _GRAMMAR.fullmatch(text)
        if match is None:
            release = _RELEASE.fullmatch(text)
            hint = f"; did you mean {release.group(1)}?" if release and _GRAMMAR.fullmatch(release[1]) else ""
            raise ValueError(f"{text!r} is not a Kubernetes minor; expected two numbers, such as 1.36{hint}")
        return cls(int(match.group(1)), int(match.group(2)))

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}"

"""References to container images."""

import re
from dataclasses import dataclass

_HOST_PART = "[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?"
_HOST = rf"(?:{_HOST_PART}(?:\.{_HOST_PART})*|\[[a-fA-F0-9:]+\])(?::[0-9]+)?"
_PATH_PART = r"[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*"
_NAME = re.compile(rf"(?:{_HOST}/)?({_PATH_PART}(?:/{_PATH_PART})*)")
_TAG = re.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}")
_DIGEST = re.compile("sha256:[a-f0-9]{64}")
_MAX_PATH = 255
_EXPECTED = "expected name[:tag][@sha256:<64 hex digits>], such as registry.example.com/team/app:1.0"


@dataclass(frozen=True, slots=True)
class ImageReference:
    """``name[:tag][@digest]``, with the registry as part of the name and no defaults filled in."""

    name: str
    tag: str | None = None
    digest: str | None = None

    @classmethod
    def parse(cls, text: str) -> "ImageReference":
        """Reads the grammar of github.com/distribution/reference, with SHA-256 digests only.

        ``ValueError`` otherwise.
        """
        rest, at, digest = text.partition("@")
        name, colon, tag = rest.rpartition(":")
        if not colon or "/" in tag:
            name, colon, tag = rest, "", ""
        parts = _NAME.fullmatch(name)
        if at and not _DIGEST.fullmatch(digest):
            problem = f"the digest {digest!r} must be sha256: and 64 lower-case hex digits"
        elif colon and not _TAG.fullmatch(tag):
            problem = f"the tag {tag!r} must be up to 128 letters, digits, '_', '.' and '-'"
        elif parts is None:
            problem = f"the name {name!r} must be lower-case parts separated by '/', after an optional registry"
        elif len(parts[1]) > _MAX_PATH:
            problem = f"the name must have at most {_MAX_PATH} characters after the registry, not {len(parts[1])}"
        else:
            return cls(name, tag if colon else None, digest if at else None)
        raise ValueError(f"{text!r} is not an image reference: {problem}; {_EXPECTED}")

    def __str__(self) -> str:
        tag = f":{self.tag}" if self.tag is not None else ""
        digest = f"@{self.digest}" if self.digest is not None else ""
        return f"{self.name}{tag}{digest}"

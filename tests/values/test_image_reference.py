from collections.abc import Callable
from typing import Any

import pytest

from claimsmith.values import ImageReference

Recorded = Callable[[str], list[dict[str, Any]]]

DIGEST = "sha256:" + "0123456789abcdef" * 4


def attempt(text: str) -> ImageReference | None:
    try:
        return ImageReference.parse(text)
    except ValueError:
        return None


def test_parse_equals_the_reference_library(recorded: Recorded) -> None:
    answers = recorded("image")
    theirs = {
        answer["input"]: None if "error" in answer else ImageReference(answer["name"], answer["tag"], answer["digest"])
        for answer in answers
    }
    assert sum(reference is not None for reference in theirs.values()) > 80
    assert {text: attempt(text) for text in theirs} == theirs


def test_text_round_trips(recorded: Recorded) -> None:
    texts = [answer["input"] for answer in recorded("image") if "error" not in answer]
    assert [str(ImageReference.parse(text)) for text in texts] == texts


def test_registry_port_is_not_a_tag() -> None:
    reference = ImageReference.parse(f"registry.example.com:5000/vision/trainer:1.0@{DIGEST}")
    assert reference == ImageReference("registry.example.com:5000/vision/trainer", "1.0", DIGEST)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the name '' must be"),
        ("Trainer", "the name 'Trainer' must be lower-case parts"),
        ("trainer:", "the tag '' must be up to 128"),
        ("trainer@sha256:12", "the digest 'sha256:12' must be sha256: and 64"),
        ("trainer@sha512:" + "0" * 128, "must be sha256: and 64"),
        ("x.com/" + "a" * 256, "at most 255 characters after the registry, not 256"),
    ],
)
def test_refusal_says_what_is_wrong(text: str, reason: str) -> None:
    with pytest.raises(ValueError, match="is not an image reference: ") as error:
        ImageReference.parse(text)
    assert reason in str(error.value)
    assert str(error.value).endswith("such as registry.example.com/team/app:1.0")

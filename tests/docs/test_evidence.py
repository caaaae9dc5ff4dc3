"""The page of evidence is what the records say."""

from pathlib import Path

from tests.cluster import evidence_page

PAGE = Path(__file__).parents[2] / "docs" / "evidence.md"


def test_evidence_page_is_generated() -> None:
    assert PAGE.read_text("utf-8") == evidence_page.document(), "run `make docs`"

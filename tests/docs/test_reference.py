"""The pages that are made from the program say what there is to say."""

from __future__ import annotations

from pathlib import Path

import pytest

PAGES = sorted((Path(__file__).parents[2] / "docs" / "reference").glob("*.md"))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_everything_on_the_page_has_a_name(page):
    text = page.read_text(encoding="utf-8")
    assert "``" not in text.replace("```", "")
    assert not [line for line in text.splitlines() if line.startswith("`") and "None" in line]

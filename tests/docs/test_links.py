from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
LINK = re.compile(r"\]\((?!https?://)([^)#\s]+)")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page):
    links = LINK.findall(page.read_text(encoding="utf-8"))
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_decision_is_in_the_list():
    folder = ROOT / "docs" / "adr"
    listed = set(LINK.findall((folder / "README.md").read_text(encoding="utf-8")))
    assert {page.name for page in folder.glob("[0-9]*.md")} == listed

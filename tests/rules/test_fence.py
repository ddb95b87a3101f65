from __future__ import annotations

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from recollect.model import Author, AuthorKind, Scope
from recollect.ops import Remember
from recollect.rules.fence import HEAD, fenced, plain
from recollect.rules.plan import memory

NOW = datetime(2026, 2, 12, tzinfo=UTC)


def record(text, **more):
    return memory(Remember(text, **more), text, "abc", NOW)


def test_a_memory_says_who_wrote_it_and_when():
    who = Author(AuthorKind.AGENT, "cli")
    found = fenced([record("The build uses make.", author=who, scope=Scope(project="x"))])
    assert found == (
        f'{HEAD}\n<memory id="abc" kind="memory" by="agent cli" written="2026-02-12"'
        ' about="2026-02-12" project="x">\nThe build uses make.\n</memory>'
    )


def test_nothing_is_put_before_a_model_where_nothing_is_known():
    assert fenced([]) == ""


@given(st.text(), st.text())
def test_no_text_can_close_its_fence_open_another_attribute_or_hide(text, title):
    found = fenced([record(text, title=title)])
    assert found.count("</") == 1
    head = found.removeprefix(HEAD).split(">\n", 1)[0]
    assert head.count('"') % 2 == 0
    assert "\u202e" not in found
    assert "\x1b" not in found


def test_what_is_seen_stays():
    assert plain("naïve 東京 👩\u200d👩 a\tb\nc") == "naïve 東京 👩\u200d👩 a\tb\nc"

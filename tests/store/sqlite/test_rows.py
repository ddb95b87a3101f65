"""Rows are read by place, so the order of a record's fields is held here."""

from __future__ import annotations

from recollect.model import Record
from recollect.store.sqlite import rows
from recollect.value import fields, replace
from tests.store.build import NOON, record


def test_the_fields_of_a_record_come_in_the_order_that_rows_are_read_in():
    assert fields(Record) == (
        "id", "kind", "scope", "author", "text", "created_at", "updated_at", "event_time",
        "valid_from", "valid_until", "type", "title", "key", "status", "confidence", "importance",
        "source", "source_ref", "session", "speaker", "metadata", "facts", "version", "seq",
        "accessed_at", "supersedes", "superseded_by",
    )  # fmt: skip


def test_a_fresh_record_has_nothing_that_a_caller_cannot_decide():
    given = record("a", seq=9, accessed_at=NOON, supersedes=("b",), superseded_by="c", title="t")
    expected = replace(given, seq=4, accessed_at=None, supersedes=(), superseded_by="")
    assert rows.fresh(given, 4) == expected

"""Decision records as Markdown: read and written without loss, in both formats."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.rules import adr
from recollect.rules.adr import Adr, parse, render, restated

NYGARD = """# 3. Use PostgreSQL

Date: 2024-03-01

## Status

Accepted

## Context

We need transactions.
And we know it.

## Decision

We will use PostgreSQL.

## Consequences

- Backups are ours.
- Upgrades, too,
  every year.
"""
MADR = """---
status: accepted
date: 2024-03-01
---

# Use PostgreSQL

## Context and Problem Statement

Where do users live?

## Decision Drivers

* ACID

## Considered Options

* PostgreSQL
* MongoDB

## Decision Outcome

Chosen option: "PostgreSQL", because it is ACID.

### Consequences

* Good, because it is known.
"""
OLDER = """# [short title]

* Status: superseded by [ADR-0005](0005-example.md)
* Date: 2020-01-02

## Context and Problem Statement

Something.
"""


def test_a_record_of_nygard_is_read():
    one = parse(NYGARD, "0003-use-postgresql.md")
    assert one is not None
    assert (one.title, one.number, one.status) == ("Use PostgreSQL", 3, "accepted")
    assert one.date == datetime(2024, 3, 1, tzinfo=UTC)
    assert "We need transactions.\nAnd we know it." in one.reasons
    assert one.reasons.endswith("We will use PostgreSQL.")
    assert one.consequences == ("Backups are ours.", "Upgrades, too, every year.")
    assert one.format == adr.NYGARD


def test_a_record_of_madr_is_read():
    one = parse(MADR, "docs/0007-use-postgresql.md")
    assert one is not None
    assert (one.title, one.number, one.format) == ("Use PostgreSQL", 7, adr.MADR)
    assert one.options == ("PostgreSQL", "MongoDB")
    assert "Decision Drivers: * ACID" in one.reasons
    assert one.consequences == ("Good, because it is known.",)


def test_a_status_in_a_list_is_read_with_what_took_its_place():
    one = parse(OLDER)
    assert one is not None
    assert (one.status, one.superseded_by) == ("superseded", 5)
    assert one.date == datetime(2020, 1, 2, tzinfo=UTC)


@pytest.mark.parametrize("text", ["", "No heading", "# A readme\n\nHello.\n", "## Status\n\nx\n"])
def test_what_is_no_record_is_none(text):
    assert parse(text) is None


@pytest.mark.parametrize("text", [NYGARD, MADR, OLDER, NYGARD.replace("\n", "\r\n")])
def test_a_text_is_restated_only_where_its_status_changed(text):
    one = parse(text)
    assert one is not None
    assert restated(text, one.status, one.superseded_by) == text
    changed = restated(text, adr.SUPERSEDED, 12)
    again = parse(changed)
    assert again is not None
    assert (again.status, again.superseded_by) == (adr.SUPERSEDED, 12)
    assert (again.title, again.reasons, again.date) == (one.title, one.reasons, one.date)
    assert restated(changed, one.status, one.superseded_by).casefold() == text.casefold() or (
        one.superseded_by is not None
    )


word = st.text("abcdefgh XYZ", min_size=1, max_size=20).map(str.strip).filter(bool)
line = word.map(lambda said: " ".join(said.split()))
records = st.builds(
    Adr,
    title=line,
    number=st.integers(1, 9999),
    status=st.sampled_from([adr.PROPOSED, adr.ACCEPTED, adr.REJECTED, adr.DEPRECATED]),
    superseded_by=st.none(),
    date=st.none() | st.dates().map(lambda d: datetime(d.year, d.month, d.day, tzinfo=UTC)),
    reasons=st.lists(line, max_size=3).map("\n\n".join),
    options=st.lists(line, max_size=3, unique=True).map(tuple),
    consequences=st.lists(line, max_size=3).map(tuple),
    format=st.sampled_from(adr.FORMATS),
)


@given(records)
def test_what_is_written_is_read_again_as_it_was(one):
    options = tuple(option for option in one.options if option != one.title)
    expected = type(one)(**{f: getattr(one, f) for f in one._fields} | {"options": options})
    assert parse(render(one)) == expected


@pytest.mark.parametrize("format_", adr.FORMATS)
def test_what_was_not_said_has_no_heading(format_):
    assert "Context" not in render(Adr("Use one pool", format=format_))
    assert "Context" in render(Adr("Use one pool", reasons="It is enough.", format=format_))


@given(st.text(max_size=300))
def test_any_text_is_read_or_is_none(text):
    parse(text)
    restated(text, adr.DEPRECATED)

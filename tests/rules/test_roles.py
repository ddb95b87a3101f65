"""Places that one fills at a time: who fills one anew is at odds with who filled it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.rules.conflict import judge
from recollect.rules.roles import odds

PAIRS = [
    json.loads(line)
    for line in (Path(__file__).parents[2] / "bench" / "data" / "roles.jsonl")
    .read_text("utf-8")
    .splitlines()
]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Bob is the team lead", "Carol is the team lead now", True),
        ("The owner of the parser is Ann", "Ben became owner of the parser", True),
        ("Acme's CEO is Jane", "The CEO of Acme is John", True),
        ("Kai is on call", "Uma's on-call", True),
        ("Our database is Postgres", "We moved to MySQL", True),
        ("We use Yarn", "We use pnpm now", True),
        ("Der Port ist 8080", "Der Port ist 9090", True),
        ("締め切りは5月10日です", "締め切りは6月1日です", True),
        # Of another thing, or of several.
        ("The lead of team A is Bob", "The lead of team B is Carol", False),
        ("The staging lead is Bob", "The production lead is Carol", False),
        ("Der Port ist 8080", "Die Frist ist 14 Tage", False),
        ("Wir mögen Tee", "Wir mögen Kaffee", False),
        # Nothing that this could tell.
        ("Bob is a lead", "Carol is a lead", None),
        ("Bob is the team lead", "Bob is the team lead", None),
        ("Bob is the lead of search", "Carol is the lead", None),
        ("Bob is the team lead", "Carol may become the team lead", None),
        ("Our database is Postgres", "We may move to MySQL", None),
        ("Our database is Postgres", "We moved to Berlin", None),
        ("The site runs on AWS", "The docs moved to Netlify", None),
        ("", "", None),
    ],
)
def test_what_is_said_of_places(old, new, said):
    assert odds(old, new) is said


@given(st.text(max_size=80), st.text(max_size=80))
def test_whatever_two_texts_say_it_is_told_alike_every_time(old, new):
    assert odds(old, new) is odds(old, new)
    assert odds(old, old) in {None, False}


@pytest.mark.parametrize("half", ["dev", "held"])
def test_hints_at_new_holders_are_as_right_as_is_published(half):
    rows = [row for row in PAIRS if row["half"] == half]
    said = [
        row["label"] == "conflict" for row in rows if judge(row["old"], row["new"], None).conflict
    ]
    there = sum(row["label"] == "conflict" for row in rows)
    assert sum(said) / len(said) >= 0.9
    assert sum(said) / there >= 0.9

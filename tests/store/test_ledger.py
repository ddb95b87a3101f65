"""The rules of the ledger, which are the same for every store."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.model import Author, AuthorKind, Entry, Kind, Scope, micros
from recollect.store import ledger
from recollect.value import fields, replace
from tests.store.build import ANN, BOT, HOUR, NOON, edge, plan, record

SALT = bytes(range(ledger.SALT_BYTES))
PLAIN = record("a", "text")
OTHER = {
    "id": "b",
    "kind": Kind.DECISION,
    "scope": Scope("local", "", "x"),
    "author": Author(AuthorKind.AGENT, "ann"),
    "created_at": NOON + timedelta(microseconds=1),
    "updated_at": NOON + timedelta(microseconds=1),
    "event_time": NOON + timedelta(microseconds=1),
    "valid_from": NOON + timedelta(microseconds=1),
    "valid_until": NOON,
    "confidence": 0.5,
    "importance": 0.5,
    "version": 2,
}
UNSEALED = {"seq": 1, "accessed_at": NOON, "supersedes": ("b",), "superseded_by": "b"}
SEAL_OF_PLAIN = "169b32d6696cbc915ca06dedeec88fc9509c632113106c7a4ad71659ceeb5333"
CONTENT = [field for field in fields(PLAIN) if field not in UNSEALED]


@pytest.mark.parametrize("field", CONTENT)
def test_a_seal_changes_with_every_field_of_the_content(field):
    other = replace(PLAIN, **{field: OTHER.get(field, "other")})
    assert ledger.seal(other, SALT) != ledger.seal(PLAIN, SALT)


def test_a_seal_leaves_out_what_the_store_adds():
    assert ledger.seal(replace(PLAIN, **UNSEALED), SALT) == ledger.seal(PLAIN, SALT)


def test_a_seal_is_of_its_salt():
    assert ledger.seal(PLAIN, SALT) != ledger.seal(PLAIN, SALT[::-1])


def test_a_seal_never_changes_between_releases():
    assert ledger.seal(PLAIN, SALT) == SEAL_OF_PLAIN


def test_a_whole_number_seals_like_the_float_that_a_database_makes_of_it():
    whole, broken = (replace(PLAIN, confidence=one, importance=one) for one in (1, 1.0))
    assert ledger.seal(whole, SALT) == ledger.seal(broken, SALT)


def test_a_lone_surrogate_can_be_sealed():
    assert ledger.seal(record("a", "\ud800"), SALT) != ledger.seal(record("a", "\ud801"), SALT)


words = st.text(alphabet="a\x1f2|", max_size=4)


@given(st.lists(words, min_size=4, max_size=4), st.lists(words, min_size=4, max_size=4))
def test_no_word_passes_for_the_end_of_one_field_and_the_start_of_another(one, other):
    names = ("text", "type", "title", "key")
    first, second = (
        ledger.seal(replace(PLAIN, **dict(zip(names, said, strict=True))), SALT)
        for said in (one, other)
    )
    assert (first == second) == (one == other)


LINK: dict[str, Any] = {
    "previous": "p",
    "seq": 1,
    "at": 2,
    "verb": "v",
    "record": "r",
    "author_kind": "human",
    "author_name": "n",
    "detail": "{}",
    "seal_": "s",
}


@pytest.mark.parametrize("field", LINK)
def test_a_hash_is_over_every_field_of_the_entry(field):
    other = LINK | {field: LINK[field] * 2}
    assert ledger.link(**other) != ledger.link(**LINK)


def chain():
    parts = [("remember", id_, f"seal {id_}") for id_ in "abcd"]
    return list(ledger.chained(parts, (0, ledger.START), NOON, ANN, "{}"))


def test_a_chain_counts_on_from_the_last_entry():
    *_, last = chain()
    more = list(ledger.chained([("forget", "a", "")], (last.seq, last.hash), NOON, BOT, "{}"))
    assert [event.seq for event in (*chain(), *more)] == [1, 2, 3, 4, 5]
    assert ledger.check([*chain(), *more]) is None
    assert ledger.check(more, last.hash) is None
    assert ledger.check(more) is not None


def test_no_entries_are_a_sound_chain():
    assert ledger.check([]) is None
    assert list(ledger.chained([], (0, ledger.START), NOON, ANN, "{}")) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"seq": 9},
        {"at": NOON + HOUR},
        {"verb": "forget"},
        {"record": "x"},
        {"author": BOT},
        {"author": Author(AuthorKind.HUMAN, "bob")},
        {"detail": '{"reason":"x"}'},
        {"seal": ""},
        {"hash": "0"},
    ],
)
def test_a_changed_entry_is_found(changes):
    events = chain()
    events[1] = replace(events[1], **changes)
    problem = ledger.check(events)
    assert problem is not None
    assert problem.where == f"event {events[1].seq}"
    assert problem.what
    assert problem.advice


def test_a_missing_an_added_and_a_moved_entry_are_found():
    a, b, c, d = chain()
    assert ledger.check([a, c, d]) is not None
    assert ledger.check([b, c, d]) is not None
    assert ledger.check([a, b, b, c, d]) is not None
    assert ledger.check([a, c, b, d]) is not None


def test_a_plan_becomes_entries_in_the_order_in_which_it_is_carried_out():
    new, old = record("new"), record("old", version=2)
    made = plan(
        verb="supersede",
        insert=(Entry(new),),
        update=(Entry(old),),
        link=(edge("new", "supersedes", "old"), edge("new", "likes", "old", id="rel_1")),
        unlink=(edge("x", "mentions", "y"), edge("x", "likes", "y", id="rel_2")),
        forget=("gone",),
    )
    salts = {"new": SALT, "old": SALT[::-1]}
    assert list(ledger.entries(made, salts)) == [
        ("supersede", "new", ledger.seal(new, SALT)),
        ("supersede", "old", ledger.seal(old, SALT[::-1])),
        ("supersede", "rel_1", ""),
        ("supersede", "rel_2", ""),
        ("forget", "gone", ""),
    ]


def history():
    states = [record("a", text, version=n) for n, text in enumerate(("one", "two"), 1)]
    made = plan(insert=(Entry(states[0]),), update=(Entry(states[1]),))
    parts = ledger.entries(made, {"a": SALT})
    last = (0, ledger.START)
    return states, list(ledger.chained(parts, last, made.at, made.author, made.detail))


def test_a_record_is_vouched_for_by_the_newest_entries_that_name_it():
    states, events = history()
    assert ledger.vouched(states, SALT, events) is None
    assert ledger.vouched(states, SALT, [*chain(), *events]) is None


def test_a_record_that_was_changed_behind_the_ledgers_back_is_found():
    (one, two), events = history()
    for wrong in ([one, replace(two, text="x")], [replace(one, text="x"), two], [two], [two, one]):
        problem = ledger.vouched(wrong, SALT, events)
        assert (problem is None) == (wrong == [two])
    assert ledger.vouched([one, two], SALT[::-1], events) is not None
    assert ledger.vouched([one, two], SALT, events[1:]) is not None
    problem = ledger.vouched([one, two], SALT, [])
    assert problem is not None
    assert problem.where == "record a"


def test_wiping_names_the_tenant_in_the_detail():
    assert ledger.wiped('a"é') == ("wipe", "", "", '{"tenant": "a\\"é"}')


def test_a_clock_going_backwards_does_not_break_the_chain():
    first = list(ledger.chained([("a", "a", "")], (0, ledger.START), NOON, ANN, "{}"))
    second = list(ledger.chained([("b", "b", "")], (1, first[0].hash), NOON - HOUR, ANN, "{}"))
    assert ledger.check(first + second) is None
    assert micros(second[0].at) < micros(first[0].at)

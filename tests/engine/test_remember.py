"""Keeping one text: what is kept of it, when it is kept once, and what it is linked to."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from recollect.errors import Conflict, InvalidRequest, NotFound
from recollect.model import EVER, Author, AuthorKind, Kind, Scope
from recollect.ops import OWNER, Recall, Remember, RememberAll
from tests.engine.build import entities, get, ledger, listed, now, remember, said, unchanged

DAY = timedelta(days=1)
OTHER = Scope("other")
BOT = Author(AuthorKind.AGENT, "bot")


def test_what_happens_again_is_kept_again_where_the_time_is_told(engine, clock):
    text, today = "The stand-up was cancelled.", clock()
    first = remember(engine, text, type="episodic", event_time=today - 9 * DAY)
    again = said(engine, text, type="episodic", event_time=today - 2 * DAY)
    assert again.created
    for told in (first, again.record):
        same = said(engine, text, type="episodic", event_time=told.event_time)
        assert (same.created, same.record.id) == (False, told.id)
    # Without a time it is told once more of the first.
    assert said(engine, text, type="episodic").record.id == first.id
    items = tuple(
        Remember(text, type="episodic", event_time=today - days * DAY) for days in (9, 5, 5)
    )
    assert engine.run(RememberAll(items)).created == 1
    # What is so is so whenever it is said.
    remember(engine, "The build uses make.", event_time=today - 9 * DAY)
    assert not said(engine, "The build uses make.", event_time=today).created


def test_what_was_said_of_a_text_is_kept_with_it(engine, clock):
    today = clock()
    made = remember(
        engine,
        "  The build uses make.\n",
        scope=Scope("local", "ann", "site"),
        author=BOT,
        type="episodic",
        title="Build",
        event_time=today - 2 * DAY,
        valid_from=today - DAY,
        valid_until=today + DAY,
        confidence=0.5,
        importance=0.25,
        source="chat",
        source_ref="turn 7",
        session="s1",
        speaker="Ann",
        metadata='{"b": 1, "a": [2]}',
    )
    assert now(engine, made) == made
    assert made.kind is Kind.MEMORY
    assert made.text == "  The build uses make.\n"
    assert made.scope == Scope("local", "ann", "site")
    assert made.author == BOT
    assert (made.type, made.title) == ("episodic", "Build")
    assert (made.created_at, made.updated_at) == (today, today)
    assert made.event_time == today - 2 * DAY
    assert (made.valid_from, made.valid_until) == (today - DAY, today + DAY)
    assert (made.confidence, made.importance) == (0.5, 0.25)
    assert (made.source, made.source_ref) == ("chat", "turn 7")
    assert (made.session, made.speaker) == ("s1", "Ann")
    assert made.metadata == '{"b":1,"a":[2]}'
    assert made.version == 1


@pytest.mark.parametrize(
    ("given", "happened", "since"),
    [
        ({}, 0, 0),
        ({"event_time": -3}, -3, -3),
        ({"valid_from": -5}, -5, -5),
        ({"event_time": -3, "valid_from": 2}, -3, 2),
    ],
)
def test_when_it_happened_and_since_when_it_holds_default_to_each_other(
    engine, clock, given, happened, since
):
    times = {name: clock() + days * DAY for name, days in given.items()}
    made = remember(engine, "the office is in Bonn", **times)
    assert made.event_time == clock() + happened * DAY
    assert made.valid_from == clock() + since * DAY


def test_a_time_of_any_offset_is_the_same_time(engine):
    tokyo = datetime(2026, 1, 1, 9, tzinfo=timezone(9 * timedelta(hours=1)))
    made = remember(engine, "happy new year", event_time=tokyo)
    assert now(engine, made).event_time == datetime(2026, 1, 1, tzinfo=UTC)


def test_a_new_text_is_said_to_be_new_and_an_old_one_is_not(engine, clock):
    first = said(engine, "the build uses make")
    clock.move(DAY)
    with unchanged(engine):
        again = said(engine, "the build uses make")
    assert (first.created, again.created) == (True, False)
    assert again.record == first.record


@pytest.mark.parametrize("more", [{"title": "other"}, {"importance": 0.1}, {"metadata": '{"n":1}'}])
def test_a_known_text_of_which_something_else_is_said_is_another_record(engine, more):
    first = said(engine, "the build uses make")
    other = said(engine, "the build uses make", **more)
    assert other.created
    assert not said(engine, "the build uses make", **more).created
    assert said(engine, "the build uses make").record.id == first.record.id


def test_the_same_text_of_another_scope_is_another_record(engine):
    scopes = [Scope(), Scope("local", "ann"), Scope("local", "", "x"), OTHER]
    made = [said(engine, "the build uses make", scope=scope) for scope in scopes]
    assert all(answer.created for answer in made)
    assert len({answer.record.id for answer in made}) == 4


@pytest.mark.parametrize("other", ["The build uses make", "the build uses make ", "the build"])
def test_only_the_very_same_text_is_the_same(engine, other):
    remember(engine, "the build uses make")
    assert said(engine, other).created


def test_who_asks_for_it_gets_a_second_record_of_the_same_text(engine):
    first = remember(engine, "the build uses make")
    second = said(engine, "the build uses make", once=False)
    assert second.created
    assert second.record.id != first.id
    assert said(engine, "the build uses make").record.id == first.id


def test_a_text_that_no_longer_held_is_kept_anew(engine, clock):
    first = remember(engine, "the build uses make", valid_until=clock() + DAY)
    clock.move(2 * DAY)
    second = said(engine, "the build uses make")
    assert second.created
    assert second.record.id != first.id


def test_one_text_may_take_the_place_of_several(engine, clock):
    old = [remember(engine, text) for text in ("lives in Bonn", "lives on the Rhine")]
    clock.move(DAY)
    new = remember(engine, "moved to Oslo", supersedes=(old[1].id, old[0].id, old[1].id))
    assert now(engine, new).supersedes == (old[0].id, old[1].id)
    for each in old:
        closed = now(engine, each)
        assert (closed.valid_until, closed.superseded_by) == (clock(), new.id)
        assert closed.version == 2
    assert new.supersedes == (old[0].id, old[1].id)


def test_a_replacement_that_was_true_earlier_closes_the_old_one_earlier(engine, clock):
    old = remember(engine, "lives in Bonn", valid_from=clock() - 9 * DAY)
    remember(engine, "lives in Oslo", valid_from=clock() - DAY, supersedes=(old.id,))
    assert now(engine, old).valid_until == clock() - DAY


def test_a_replacement_that_is_true_only_later_leaves_the_old_one_its_time(engine, clock):
    old = remember(engine, "lives in Bonn")
    clock.move(DAY)
    new = remember(engine, "lives in Oslo", valid_from=clock() + DAY, supersedes=(old.id,))
    assert now(engine, old).valid_until == new.valid_from


def test_a_text_that_cannot_take_the_place_is_not_kept_either(engine):
    old = remember(engine, "lives in Bonn")
    remember(engine, "lives in Oslo", supersedes=(old.id,))
    theirs = remember(engine, "lives in Rome", scope=OTHER)
    with unchanged(engine):
        with pytest.raises(Conflict):
            remember(engine, "lives in Paris with Zoe", supersedes=(old.id,))
        for nobody in ("nobody", theirs.id, "", "\ud800", "a\0b"):
            with pytest.raises(NotFound):
                remember(engine, "lives in Paris with Zoe", supersedes=(nobody,))
        with pytest.raises(InvalidRequest):
            remember(engine, "lives in Paris", supersedes=("x",) * 1001)


def test_what_ended_before_anybody_said_so_held_until_then(engine, clock):
    ended = remember(engine, "lived in Bonn by the river", valid_until=clock() - DAY)
    assert (ended.valid_from, ended.event_time) == (EVER, clock() - DAY)
    for at, found in ((None, []), (clock() - 9 * DAY, [ended.id]), (clock() - DAY, [])):
        answer = engine.run(Recall("lived in Bonn", as_of=at))
        assert [hit.record.id for hit in answer.hits] == found


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": ""},
        {"text": " \n\t"},
        {"text": "a\0b"},
        {"text": "half a pair \ud800"},
        {"text": "x" * 2_000_001},
        {"title": "a\0b"},
        {"type": "\udfff"},
        {"source": "x" * 1001},
        {"source_ref": "a\0b"},
        {"session": "\ud800"},
        {"speaker": "\ud800"},
        {"scope": Scope("\ud800")},
        {"scope": Scope("local", "\ud800")},
        {"scope": Scope("local", "", "a\0b")},
        {"confidence": 1.5},
        {"confidence": float("nan")},
        {"importance": -0.1},
        {"metadata": "no json"},
        {"metadata": "[]"},
        {"metadata": '{"a": 1, "a": 2}'},
        {"similar": -1},
        {
            "valid_from": datetime(2026, 1, 2, tzinfo=UTC),
            "valid_until": datetime(2026, 1, 1, tzinfo=UTC),
        },
        {
            "event_time": datetime(2026, 1, 2, tzinfo=UTC),
            "valid_until": datetime(2025, 1, 1, tzinfo=UTC),
        },
        {"valid_from": datetime(2026, 1, 2)},  # noqa: DTZ001 -- what must be refused
        {"valid_until": datetime(2027, 1, 2)},  # noqa: DTZ001 -- what must be refused
        {"event_time": datetime(2026, 1, 2)},  # noqa: DTZ001 -- what must be refused
    ],
)
def test_what_cannot_be_kept_is_refused_and_changes_nothing(engine, wrong):
    remember(engine, "the build uses make")
    with unchanged(engine), pytest.raises(InvalidRequest):
        engine.run(Remember(**{"text": "a text", **wrong}))


@pytest.mark.parametrize(
    "text",
    [
        "x" * 1_000_000,
        "\ufeffرمز البناء",
        "東京都に住んでいます",
        "👩‍👩‍👧 e\u0301 \u202e",
        "a\r\nb\tc\x01",
    ],
)
def test_any_text_comes_back_to_the_letter(engine, text):
    made = remember(engine, text)
    assert now(engine, made).text == text
    assert not said(engine, text).created


def test_the_ledger_says_who_kept_what_and_never_the_text(engine, clock):
    made = remember(engine, "Zanzibar is far away", author=BOT)
    told = ledger(engine)
    assert {event.verb for event in told} == {"remember"}
    assert {event.author for event in told} == {BOT}
    assert made.id in {event.record for event in told}
    assert {event.at for event in told} == {clock()}
    assert "anzibar" not in repr(told)


def test_what_a_text_names_becomes_an_entity_that_other_texts_share(engine):
    remember(engine, "Yesterday we met Anna Kowalski in Bonn")
    remember(engine, "Tomorrow ANNA KOWALSKI leaves")
    found = entities(engine)
    assert set(found) == {"Anna Kowalski", "Bonn"}
    anna = found["Anna Kowalski"]
    assert anna.id.startswith("ent_")
    assert (anna.kind, anna.key, anna.status) == (Kind.ENTITY, "anna kowalski", "extracted")
    with engine.ports.store.reading() as reader:
        assert len(reader.edges([anna.id], "incoming", ["mentions"])) == 2


def test_entities_are_shared_by_the_projects_of_one_user_and_by_nobody_else(engine):
    for scope in (Scope("local", "ann", "x"), Scope("local", "ann", "y"), Scope("local", "bob")):
        remember(engine, "the call with Zoe", scope=scope)
    remember(engine, "the call with Zoe", scope=OTHER)
    whose = [r.scope for r in listed(engine) if r.kind is Kind.ENTITY]
    assert sorted(scope.user for scope in whose) == ["ann", "bob"]
    assert {scope.project for scope in whose} == {""}
    assert len(entities(engine, tenant="other")) == 1


def test_what_may_be_at_odds_with_a_new_text_is_named_best_first(engine):
    old = remember(engine, "Anna lives in Seattle")
    remember(engine, "lunch was late today")
    new = said(engine, "Anna lives in Austin")
    assert [one.record.id for one in new.similar] == [old.id]
    assert 0 < new.similar[0].similarity <= 1
    assert new.similar[0].conflict


def test_nothing_similar_is_looked_for_unless_wanted(engine):
    for city in ("Oslo", "Bonn", "Rome"):
        remember(engine, f"Anna lives in {city}", similar=0)
    assert said(engine, "Anna lives in Austin", similar=0).similar == ()
    assert len(said(engine, "Anna lives in Paris", similar=2).similar) == 2


def test_neither_closed_texts_nor_those_of_others_are_named_as_similar(engine, clock):
    remember(engine, "Anna lives in Oslo", valid_until=clock() + DAY)
    remember(engine, "Anna lives in Bonn", scope=Scope("local", "bob"))
    remember(engine, "Anna lives in Rome", scope=OTHER)
    clock.move(2 * DAY)
    assert said(engine, "Anna lives in Austin").similar == ()


def test_what_a_text_takes_the_place_of_is_not_named_as_similar(engine):
    first = remember(engine, "The build uses Poetry.")
    assert said(engine, "The build uses Poetry 2.").similar != ()
    again = said(engine, "The build uses Poetry 3.", supersedes=(first.id,))
    assert first.id not in {one.record.id for one in again.similar}


def test_a_text_that_is_known_still_names_what_is_similar(engine):
    old = remember(engine, "Anna lives in Seattle")
    first = said(engine, "Anna lives in Austin")
    again = said(engine, "Anna lives in Austin")
    assert not again.created
    assert [one.record.id for one in again.similar] == [old.id]
    assert [one.record.id for one in first.similar] == [old.id]


def test_who_embeds_the_engine_acts_for_its_own_user(engine):
    assert remember(engine, "a text").author == OWNER
    assert get(engine, "nobody") is None

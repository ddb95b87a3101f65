"""Correcting a record in place: what changes, what stays, and what history keeps."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from recollect.errors import Conflict, InvalidRequest, NotFound
from recollect.model import Author, AuthorKind, Scope, Where
from recollect.ops import Describe, History, Invalidate, Revise, Status
from tests.engine.build import (
    Meanwhile,
    described,
    entities,
    found,
    get,
    ledger,
    listed,
    now,
    opened,
    recalled,
    related,
    remember,
    unchanged,
    why,
)

DAY = timedelta(days=1)
NAIVE = datetime(2026, 1, 2)  # noqa: DTZ001 -- what must be refused


def test_what_is_none_stays_as_it_is(engine, clock):
    old = remember(engine, "lives in Bonn", title="Home", importance=0.5, session="s")
    clock.move(DAY)
    answer = engine.run(Revise(old.id, confidence=0.5))
    assert answer.previous == old
    assert answer.record == now(engine, old)
    assert (answer.record.version, answer.record.updated_at) == (2, clock())
    for field in ("text", "title", "importance", "session", "created_at", "valid_from", "author"):
        assert getattr(answer.record, field) == getattr(old, field)


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"text": "lives in Bonn"},
        {"title": "Home", "confidence": 1},
        {"metadata": "{}"},
        {"metadata": "{ }", "importance": 1.0},
    ],
)
def test_what_a_record_says_already_is_no_new_version(engine, clock, change):
    old = remember(engine, "lives in Bonn", title="Home")
    clock.move(DAY)
    with unchanged(engine):
        answer = engine.run(Revise(old.id, **change))
    assert answer.record == answer.previous == old == now(engine, old)
    with pytest.raises(Conflict):
        engine.run(Revise(old.id, **change, expected_version=2))


@pytest.mark.parametrize(
    "change",
    [
        {"text": "lives in Oslo"},
        {"type": "episodic"},
        {"title": "Where"},
        {"title": ""},
        {"confidence": 0.25},
        {"importance": 0},
        {"metadata": '{"a":1}'},
        {"event_time": datetime(2025, 1, 1, tzinfo=UTC)},
        {"valid_from": datetime(2025, 1, 1, tzinfo=UTC)},
    ],
)
def test_each_field_can_be_corrected(engine, change):
    old = remember(engine, "lives in Bonn", title="Home")
    new = engine.run(Revise(old.id, **change)).record
    ((field, value),) = change.items()
    assert getattr(new, field) == value
    assert getattr(now(engine, old), field) == value
    assert ledger(engine)[-1].detail == f'{{"changed": "{field}"}}'


def test_a_corrected_text_is_found_and_the_old_one_is_not(engine):
    old = remember(engine, "the zebra lives in Bonn")
    engine.run(Revise(old.id, text="the giraffe lives in Bonn"))
    told = why(recalled(engine, "giraffe", explain=True))
    assert told.terms == ("giraff",)
    assert told.cosine is not None
    assert told.cosine > 0.2
    assert why(recalled(engine, "zebra", explain=True)).bm25 == 0


def test_history_keeps_what_was(engine, clock):
    old = remember(engine, "one")
    for text in ("two", "three"):
        clock.move(DAY)
        engine.run(Revise(old.id, text=text))
    told = engine.run(History(old.id))
    assert [version.text for version in told.versions] == ["one", "two", "three"]
    assert [version.version for version in told.versions] == [1, 2, 3]
    assert [event.verb for event in told.events] == ["remember", "revise", "revise"]


def test_a_record_can_be_read_as_it_was_known_at_any_time(engine, clock):
    start = clock()
    old = remember(engine, "one")
    clock.move(DAY)
    engine.run(Revise(old.id, text="two"))
    assert get(engine, old, known_at=start - DAY) is None
    assert get(engine, old, known_at=start) == old
    assert get(engine, old, known_at=start + DAY) == now(engine, old)
    assert get(engine, old, known_at=start + 9 * DAY) == now(engine, old)


def test_who_expects_another_version_is_told_to_read_again(engine):
    old = remember(engine, "one")
    new = engine.run(Revise(old.id, text="two", expected_version=1)).record
    assert new.version == 2
    with unchanged(engine), pytest.raises(Conflict, match="is at version 2, not 1") as raised:
        engine.run(Revise(old.id, text="three", expected_version=1))
    assert raised.value.facts == {"id": old.id, "version": 2}


@pytest.mark.parametrize(
    "wrong",
    [
        {"text": " "},
        {"text": "a\0b"},
        {"title": "\ud800"},
        {"type": "x" * 1001},
        {"confidence": 2},
        {"importance": -1},
        {"metadata": "[]"},
        {"event_time": NAIVE},
        {"valid_from": NAIVE},
        {"valid_from": datetime(2027, 1, 1, tzinfo=UTC)},
    ],
)
def test_a_correction_that_cannot_be_is_refused_and_changes_nothing(engine, clock, wrong):
    old = remember(engine, "one", valid_until=clock() + DAY)
    with unchanged(engine), pytest.raises(InvalidRequest):
        engine.run(Revise(old.id, **wrong))


@pytest.mark.parametrize("id_", ["nobody", "", "\ud800", "a\0b", "ü", "x" * 300])
def test_what_is_not_there_cannot_be_corrected(engine, id_):
    with unchanged(engine), pytest.raises(NotFound):
        engine.run(Revise(id_, text="two"))


def test_another_tenant_cannot_correct_it(engine):
    theirs = remember(engine, "one", scope=Scope("other"))
    with unchanged(engine), pytest.raises(NotFound):
        engine.run(Revise(theirs.id, text="two"))
    assert engine.run(Revise(theirs.id, tenant="other", text="two")).record.text == "two"


def test_a_closed_record_stays_closed_when_it_is_corrected(engine, clock):
    old = remember(engine, "one")
    clock.move(DAY)
    closed = engine.run(Invalidate(old.id)).record
    assert engine.run(Revise(old.id, text="two")).record.valid_until == closed.valid_until


def test_who_corrected_it_is_in_the_ledger_and_who_said_it_in_the_record(engine):
    bot = Author(AuthorKind.AGENT, "bot")
    old = remember(engine, "one")
    assert engine.run(Revise(old.id, text="two", author=bot)).record.author == old.author
    assert ledger(engine)[-1].author == bot


def test_a_correction_moves_the_links_to_what_is_named_now(engine):
    old = remember(engine, "met Anna and Zoe")
    remember(engine, "lunch with Zoe")
    engine.run(Revise(old.id, text="met Anna and Bob"))
    assert set(entities(engine)) == {"Anna", "Bob", "Zoe"}
    with engine.ports.store.reading() as reader:
        named = {edge.dst for edge in reader.edges([old.id], "outgoing")}
    assert named == {entities(engine)[name].id for name in ("Anna", "Bob")}


def test_an_entity_that_nothing_names_any_more_goes_unless_it_was_described(engine):
    old = remember(engine, "met Anna and Zoe")
    described(engine, "Anna")
    engine.run(Revise(old.id, text="met nobody"))
    assert set(entities(engine)) == {"Anna"}


def test_a_correction_leaves_alone_what_a_caller_drew(engine):
    old = remember(engine, "met Anna and Zoe")
    anna, zoe = entities(engine)["Anna"], entities(engine)["Zoe"]
    drawn = related(engine, old, "praises", anna)
    mention = related(engine, old, "mentions", zoe)
    engine.run(Revise(old.id, text="met nobody"))
    with engine.ports.store.reading() as reader:
        assert {edge.id for edge in reader.edges([old.id])} == {drawn.id, mention.id}
    assert set(entities(engine)) == {"Anna", "Zoe"}


def test_the_old_text_is_not_kept_in_a_cache(engine):
    old = remember(engine, "one")
    engine.run(Revise(old.id, text="two"))
    before = engine.run(Status()).cache_misses
    found(engine, "one")
    remember(engine, "one", similar=0)
    assert engine.run(Status()).cache_misses == before + 2


def test_a_correction_of_the_rest_embeds_nothing(engine):
    old = remember(engine, "one")
    before = engine.run(Status()).cache_misses
    engine.run(Revise(old.id, importance=0.1, metadata='{"a":1}'))
    assert engine.run(Status()).cache_misses == before
    assert found(engine, "one") == ["one"]


def test_an_entity_may_get_another_name_and_is_then_found_by_it(engine):
    anna = described(engine, "Anna")
    described(engine, "Zoe")
    new = engine.run(Revise(anna.id, title="Anna Kowalski")).record
    assert new.key == "anna kowalski"
    assert engine.run(Describe("anna kowalski")).record.id == anna.id
    with unchanged(engine):
        with pytest.raises(Conflict):
            engine.run(Revise(anna.id, title="ZOE"))
        for nameless in ("", " ", "'"):
            with pytest.raises(InvalidRequest):
                engine.run(Revise(anna.id, title=nameless))


def test_what_a_person_says_of_an_extracted_entity_makes_it_stay(engine):
    met = remember(engine, "met Anna")
    anna = entities(engine)["Anna"]
    new = engine.run(Revise(anna.id, text="Anna runs Acme from Bonn")).record
    assert (new.status, new.text) == ("described", "Anna runs Acme from Bonn")
    with engine.ports.store.reading() as reader:
        assert reader.edges([anna.id], "outgoing") == []
    engine.run(Revise(met.id, text="met nobody"))
    assert [r.id for r in listed(engine, Where(kinds=(anna.kind,)))] == [anna.id]


def test_what_others_corrected_meanwhile_is_not_overwritten(store, clock):
    meanwhile = Meanwhile()
    with opened(store, clock, embedder=lambda: meanwhile) as engine:
        old = remember(engine, "one")
        meanwhile.todo.append(lambda: engine.run(Revise(old.id, text="theirs")))
        with pytest.raises(Conflict):
            engine.run(Revise(old.id, text="mine"))
        assert now(engine, old).text == "theirs"

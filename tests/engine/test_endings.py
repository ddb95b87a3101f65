"""Superseding and invalidating: what ends, when it ends, and what can be seen of it afterwards."""

from __future__ import annotations

from datetime import timedelta

import pytest

from recollect.errors import Conflict, InvalidRequest, NotFound
from recollect.model import Author, AuthorKind, Scope, Where
from recollect.ops import Explore, Forget, History, Invalidate, Revise, Supersede
from tests.engine.build import (
    described,
    found,
    get,
    ledger,
    listed,
    now,
    related,
    remember,
    said,
    unchanged,
)

DAY = timedelta(days=1)
NOBODY = ["nobody", "", "\ud800", "a\0b", "rel_nobody", "rel_\ud800"]


@pytest.fixture
def pair(engine, clock):
    """Two records, the newer one from the third day on, and the fifth day has come."""
    old = remember(engine, "lives in Bonn")
    clock.move(2 * DAY)
    new = remember(engine, "lives in Oslo")
    clock.move(2 * DAY)
    return old, new


def test_superseding_closes_the_old_record_where_the_new_one_begins(engine, pair):
    old, new = pair
    answer = engine.run(Supersede(old.id, new.id))
    assert answer.old == now(engine, old)
    assert answer.new == now(engine, new)
    assert answer.old.valid_until == new.valid_from
    assert (answer.old.superseded_by, answer.old.version) == (new.id, 2)
    assert (answer.new.supersedes, answer.new.version) == ((old.id,), 1)
    assert ledger(engine)[-1].verb == "supersede"
    assert ledger(engine)[-1].detail == f'{{"by": "{new.id}"}}'


def test_what_is_superseded_by_what_begins_later_holds_until_then_and_says_so_at_once(
    engine, clock
):
    old = remember(engine, "Ada is CEO.")
    begins = clock() + 9 * DAY
    new = remember(engine, "Bea is CEO.", valid_from=begins, supersedes=(old.id,))
    ended = now(engine, old)
    assert (ended.valid_until, ended.superseded_by) == (begins, new.id)
    assert found(engine, "who is CEO") == ["Ada is CEO."]
    assert found(engine, "who is CEO", as_of=begins) == ["Bea is CEO."]
    assert said(engine, "Cleo is CEO.", similar=5, valid_until=begins).similar == ()
    clock.move(10 * DAY)
    assert found(engine, "who is CEO") == ["Bea is CEO."]


def test_a_record_can_be_superseded_afterwards_by_one_that_begins_later(engine, clock):
    old = remember(engine, "lives in Bonn")
    new = remember(engine, "lives in Oslo", valid_from=clock() + 9 * DAY)
    clock.move(DAY)
    assert engine.run(Supersede(old.id, new.id)).old.valid_until == new.valid_from


def test_superseding_never_reopens_nor_lengthens_what_has_ended(engine, clock, pair):
    _, new = pair
    ended = new.valid_from - DAY
    old = remember(engine, "on leave", valid_from=ended - DAY, valid_until=ended)
    assert engine.run(Supersede(old.id, new.id)).old.valid_until == ended


def test_superseding_by_what_was_true_earlier_leaves_the_old_record_no_time(engine, pair):
    first, second = pair
    closed = engine.run(Supersede(second.id, first.id)).old
    assert closed.valid_until == closed.valid_from


@pytest.mark.parametrize("wrong", ["again", "by another", "itself", "in a circle"])
def test_what_has_a_successor_cannot_get_another(engine, pair, wrong):
    old, new = pair
    third = remember(engine, "lives in Rome")
    engine.run(Supersede(old.id, new.id))
    engine.run(Supersede(new.id, third.id))
    ends = {
        "again": (old, new),
        "by another": (old, third),
        "itself": (third, third),
        "in a circle": (third, old),
    }[wrong]
    for ask in (
        Supersede(ends[0].id, ends[1].id),
        Invalidate(ends[0].id, superseded_by=ends[1].id),
    ):
        with unchanged(engine), pytest.raises(Conflict):
            engine.run(ask)


@pytest.mark.parametrize("id_", NOBODY)
def test_what_is_not_there_can_neither_end_nor_end_another(engine, pair, id_):
    old, _ = pair
    for ask in (
        Supersede(old.id, id_),
        Supersede(id_, old.id),
        Invalidate(id_),
        Invalidate(old.id, superseded_by=id_ or "-"),
        Forget((old.id, id_)),
    ):
        with unchanged(engine), pytest.raises(NotFound):
            engine.run(ask)


def test_what_belongs_to_another_tenant_is_not_there(engine, pair):
    old, _ = pair
    a, b = (remember(engine, text, scope=Scope("other")) for text in ("one", "two"))
    drawn = related(engine, a, "likes", b, tenant="other")
    for ask in (
        Supersede(old.id, a.id),
        Supersede(a.id, old.id),
        Supersede(a.id, b.id),
        Supersede(a.id, old.id, "other"),
        Invalidate(a.id),
        Invalidate(drawn.id),
        Invalidate(old.id, superseded_by=a.id),
        Forget((old.id, a.id)),
        Forget((drawn.id,)),
        History(a.id),
        History(drawn.id),
    ):
        with unchanged(engine), pytest.raises(NotFound):
            engine.run(ask)
    assert engine.run(Supersede(a.id, b.id, "other")).new.supersedes == (a.id,)
    assert [event.verb for event in engine.run(History(drawn.id, "other")).events] == ["relate"]


def test_only_what_was_true_then_is_seen_as_of_a_time(engine, pair):
    old, new = pair
    engine.run(Supersede(old.id, new.id))
    end = new.valid_from
    for time, text in ((end - DAY, "lives in Bonn"), (end, "lives in Oslo")):
        assert [r.text for r in listed(engine, Where(at=time))] == [text]
        assert found(engine, "lives", as_of=time) == [text]
        assert [r.text for r in (old, new) if get(engine, r, as_of=time)] == [text]
    assert found(engine, "lives") == ["lives in Oslo"]
    assert sorted(found(engine, "lives", any_time=True)) == ["lives in Bonn", "lives in Oslo"]
    assert [r.text for r in listed(engine, Where(), current=True)] == ["lives in Oslo"]
    assert listed(engine, Where(at=old.valid_from - DAY)) == []
    assert get(engine, old) is not None


def test_what_was_known_at_a_time_knows_nothing_of_later_successors(engine, clock, pair):
    old, new = pair
    before = clock()
    clock.move(DAY)
    engine.run(Supersede(old.id, new.id))
    superseded = clock()
    clock.move(DAY)
    engine.run(Revise(old.id, title="Home"))
    assert get(engine, old, known_at=before) == old
    assert get(engine, new, known_at=before) == new
    then = get(engine, old, known_at=superseded)
    assert then is not None
    assert (then.title, then.superseded_by, then.version) == ("", new.id, 2)
    assert get(engine, new, known_at=superseded) == now(engine, new)
    assert get(engine, old, known_at=before, as_of=superseded) == old
    assert get(engine, old, known_at=superseded, as_of=superseded) is None


def test_forgetting_the_successor_leaves_the_old_record_closed_and_free(engine, pair):
    old, new = pair
    engine.run(Supersede(old.id, new.id))
    engine.run(Forget((new.id,)))
    left = now(engine, old)
    assert (left.valid_until, left.superseded_by) == (new.valid_from, "")
    third = remember(engine, "lives in Rome", supersedes=(old.id,))
    assert now(engine, old).superseded_by == third.id
    assert now(engine, old).valid_until == new.valid_from


def test_invalidating_closes_a_record_now(engine, clock, pair):
    old, _ = pair
    bot = Author(AuthorKind.AGENT, "bot")
    answer = engine.run(Invalidate(old.id, author=bot, reason="moved"))
    assert answer.edge is None
    assert answer.record == now(engine, old)
    assert (now(engine, old).valid_until, now(engine, old).version) == (clock(), 2)
    last = ledger(engine)[-1]
    assert (last.verb, last.author, last.detail) == ("invalidate", bot, '{"reason": "moved"}')


def test_invalidating_what_has_ended_changes_nothing(engine, clock, pair):
    old, _ = pair
    first = engine.run(Invalidate(old.id))
    clock.move(DAY)
    with unchanged(engine):
        assert engine.run(Invalidate(old.id)) == first


def test_invalidating_brings_an_end_that_was_to_come_forward(engine, clock):
    old = remember(engine, "on leave", valid_until=clock() + 9 * DAY)
    clock.move(DAY)
    closed = engine.run(Invalidate(old.id)).record
    assert closed is not None
    assert closed.valid_until == clock()


def test_what_was_to_become_true_never_does_when_it_is_invalidated(engine, clock):
    plan = remember(engine, "will move to Rome", valid_from=clock() + 9 * DAY)
    closed = engine.run(Invalidate(plan.id)).record
    assert closed is not None
    assert closed.valid_until == plan.valid_from
    assert found(engine, "Rome", as_of=plan.valid_from) == []


def test_invalidating_in_favour_of_another_ends_the_record_now(engine, clock, pair):
    old, new = pair
    closed = engine.run(Invalidate(old.id, superseded_by=new.id, reason="moved")).record
    assert closed is not None
    assert (closed.valid_until, closed.superseded_by) == (clock(), new.id)
    assert ledger(engine)[-1].detail == f'{{"by": "{new.id}", "reason": "moved"}}'


def test_a_relation_can_end_too(engine, clock):
    anna, acme = described(engine, "Anna"), described(engine, "Acme")
    drawn = related(engine, anna, "works at", acme)
    assert [e.id for e in engine.run(Explore(anna.id)).edges] == [drawn.id]
    clock.move(DAY)
    answer = engine.run(Invalidate(drawn.id, reason="left"))
    assert answer.record is None
    assert answer.edge is not None
    assert answer.edge.valid_until == clock()
    assert engine.run(Explore(anna.id)).edges == ()
    ended = clock()
    clock.move(DAY)
    with unchanged(engine):
        again = engine.run(Invalidate(drawn.id))
    assert again.edge is not None
    assert again.edge.valid_until == ended
    assert [e.verb for e in engine.run(History(drawn.id)).events] == ["relate", "invalidate"]


def test_an_end_before_the_beginning_is_none_when_the_clock_went_back(engine, clock):
    anna, acme = described(engine, "Anna"), described(engine, "Acme")
    met = remember(engine, "met at noon")
    drawn = related(engine, anna, "works at", acme)
    clock.move(-DAY)
    record, edge = engine.run(Invalidate(met.id)).record, engine.run(Invalidate(drawn.id)).edge
    assert record is not None
    assert record.valid_until == record.valid_from
    assert edge is not None
    assert edge.valid_until == edge.valid_from


@pytest.mark.parametrize("reason", ["a\0b", "\ud800", "x" * 1001])
def test_a_reason_is_a_line_of_text(engine, pair, reason):
    for ask in (Invalidate, lambda id_, reason: Forget((id_,), reason=reason)):
        with unchanged(engine), pytest.raises(InvalidRequest):
            engine.run(ask(pair[0].id, reason=reason))

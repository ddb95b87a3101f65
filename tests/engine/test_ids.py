"""Ids: their shape, their order, and what tells kinds apart."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from recollect.engine.ports import Ids, prefix_of
from recollect.model import Kind
from recollect.testing import FixedClock
from tests.engine.build import described, entities, opened, related, remember

moves = st.timedeltas(min_value=timedelta(days=-400), max_value=timedelta(days=400))


@given(st.lists(moves, max_size=20))
def test_ids_sort_as_they_were_given_whatever_the_clock_does(by):
    clock = FixedClock()
    ids = Ids(clock)
    made = []
    for move in by:
        clock.move(move)
        made += [ids(), ids()]
    assert made == sorted(set(made))
    assert all(re.fullmatch("[a-z0-9]{20}", id_) for id_ in made)


@given(st.datetimes(datetime(1, 1, 1), datetime(2080, 1, 1), timezones=st.just(UTC)))  # noqa: DTZ001 -- hypothesis wants them so
def test_an_id_has_twenty_characters_at_any_time(time):
    assert re.fullmatch("[a-z0-9]{20}", Ids(FixedClock(time))())


@given(st.lists(moves, unique=True, min_size=2, max_size=2))
def test_ids_of_different_times_sort_by_time_whoever_gave_them(by):
    start = datetime(2026, 1, 1, tzinfo=UTC)
    early, late = (Ids(FixedClock(start + move))() for move in sorted(by))
    assert early < late


def test_two_sources_give_different_ids_at_the_same_moment():
    clock = FixedClock()
    assert len({Ids(clock)() for _ in range(100)}) == 100


def test_each_kind_is_known_by_its_prefix():
    assert prefix_of(Kind.MEMORY) == ""
    assert prefix_of(Kind.DECISION) == "dec_"
    assert prefix_of(Kind.ENTITY) == "ent_"
    assert len({prefix_of(kind) for kind in Kind}) == len(Kind)


def test_what_the_engine_makes_carries_ids_of_its_kind(store, clock):
    with opened(store, clock, new_id=None) as engine:
        memory = remember(engine, "met Zoe")
        anna = described(engine, "Anna")
        drawn = related(engine, anna, "knows", entities(engine)["Zoe"])
        assert re.fullmatch("[a-z0-9]{20}", memory.id)
        assert re.fullmatch("ent_[a-z0-9]{20}", anna.id)
        assert re.fullmatch("ent_[a-z0-9]{20}", entities(engine)["Zoe"].id)
        assert re.fullmatch("rel_[a-z0-9]{20}", drawn.id)
        clock.move(timedelta(days=-1))
        assert remember(engine, "met nobody").id > memory.id

from __future__ import annotations

from datetime import timedelta

import pytest

from recollect.errors import InvalidRequest, NotFound
from recollect.model import Kind, Scope, Where
from recollect.ops import Around, Get, Invalidate, Overdue, Recall
from tests.engine.build import described, found, remember, unchanged

DAY = timedelta(days=1)


def texts(engine, record, **more):
    return [one.text for one in engine.run(Around(record.id, **more)).records]


@pytest.fixture
def five(engine, clock):
    made = []
    for number in range(5):
        made.append(remember(engine, f"entry {number}", scope=Scope(project="atlas")))
        remember(engine, f"elsewhere {number}", scope=Scope(project="other"))
        clock.move(DAY)
    return made


def test_a_timeline_is_what_was_made_before_and_after_in_the_same_project(engine, five):
    assert texts(engine, five[2], before=1, after=1) == ["entry 1", "entry 2", "entry 3"]
    assert texts(engine, five[0], before=3, after=0) == ["entry 0"]
    assert texts(engine, five[4]) == ["entry 1", "entry 2", "entry 3", "entry 4"]


def test_what_no_longer_holds_is_part_of_what_was(engine, five):
    engine.run(Invalidate(five[1].id))
    assert texts(engine, five[2], before=1, after=0) == ["entry 1", "entry 2"]


@pytest.mark.parametrize("where", [Where("other"), Where(kinds=(Kind.ENTITY,)), Where(user="ada")])
def test_a_record_that_is_not_of_the_callers_has_no_timeline(engine, five, where):
    with pytest.raises(NotFound):
        engine.run(Around(five[0].id, where))


@pytest.mark.parametrize("id_", ["nothing", "", "a\0b", "\ud800"])
def test_an_id_that_names_nothing_has_no_timeline(engine, id_):
    with pytest.raises(NotFound):
        engine.run(Around(id_))


def test_depths_are_natural_numbers(engine, five):
    with pytest.raises(InvalidRequest):
        engine.run(Around(five[0].id, before=-1))


def test_some_ids_have_to_name_something_where_that_is_asked(engine, five):
    answer = engine.run(Get(("x" * 20, five[0].id), some=True))
    assert (answer.records, answer.missing) == ((five[0],), ("x" * 20,))
    with pytest.raises(NotFound):
        engine.run(Get(("x" * 20, "y" * 20), some=True))


def overdue(engine, **limits):
    answer = engine.run(Overdue(**limits))
    return answer.ids, answer.by_age, answer.by_count


def test_what_is_older_than_the_limit_is_overdue(engine, clock, five):
    with unchanged(engine):
        ids, by_age, by_count = overdue(engine, max_age_days=3.5, where=Where(project="atlas"))
    assert (ids, by_age, by_count) == ((five[0].id, five[1].id), 2, 0)
    assert overdue(engine, max_age_days=5)[0] == ()
    earlier = clock() - 2 * DAY
    assert overdue(engine, max_age_days=2.5, at=earlier, where=Where(project="atlas"))[1] == 1


def test_of_each_project_the_newest_are_left(engine, five):
    ids, by_age, by_count = overdue(engine, max_for_each_project=4)
    assert (len(ids), by_age, by_count) == (2, 0, 2)
    assert five[0].id in ids
    assert overdue(engine, max_for_each_project=0)[2] == 10


def test_what_is_beyond_both_limits_counts_for_both_and_is_named_once(engine, five):
    ids, by_age, by_count = overdue(
        engine, max_age_days=3.5, max_for_each_project=4, where=Where(project="atlas")
    )
    assert (len(ids), by_age, by_count) == (2, 2, 1)


def test_without_a_limit_nothing_is_overdue(engine, five):
    assert overdue(engine) == ((), 0, 0)


@pytest.mark.parametrize("days", [1e300, float("inf"), 1e6])
def test_nothing_is_older_than_time_itself(engine, five, days):
    assert overdue(engine, max_age_days=days) == ((), 0, 0)


@pytest.mark.parametrize(
    "limits",
    [{"max_age_days": 0}, {"max_age_days": float("nan")}, {"max_for_each_project": -1}],
)
def test_a_limit_that_is_none_is_refused(engine, limits):
    with pytest.raises(InvalidRequest):
        engine.run(Overdue(**limits))


def test_pages_hold_all_that_matches_each_once(engine):
    for number in range(150):
        remember(engine, f"note {number} on the harbour")
    described(engine, "Harbour")
    pages = [
        engine.run(Recall("harbour note", limit=20, offset=at, fold=False, count=True))
        for at in range(0, 180, 20)
    ]
    assert {page.total for page in pages} == {150}
    ids = [hit.record.id for page in pages for hit in page.hits]
    assert len(ids) == len(set(ids)) == 150
    assert [len(page.hits) for page in pages] == [20] * 7 + [10, 0]


def test_a_page_beyond_everything_is_empty(engine):
    remember(engine, "note")
    answer = engine.run(Recall("note", offset=2**53, fold=False, count=True))
    assert (answer.hits, answer.total) == ((), 1)
    assert found(engine, "note") == ["note"]

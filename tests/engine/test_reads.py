"""Looking without changing: records by id, pages, history, the ledger, and how the engine is."""

from __future__ import annotations

from datetime import datetime, timedelta
from importlib import import_module

import pytest

from recollect._version import __version__
from recollect.engine import HANDLERS
from recollect.errors import InvalidRequest, NotFound
from recollect.model import Kind, Scope, Where
from recollect.ops import (
    Changes,
    Explore,
    Forget,
    Get,
    History,
    List,
    ListScopes,
    Op,
    Recall,
    Remember,
    Revise,
    Scopes,
    Status,
    Verify,
    Wipe,
)
from tests.engine.build import (
    described,
    get,
    ledger,
    listed,
    opened,
    recalled,
    related,
    remember,
    unchanged,
)

DAY = timedelta(days=1)
NAIVE = datetime(2026, 1, 2)  # noqa: DTZ001 -- what must be refused


def test_every_op_has_a_handler_of_its_own_that_takes_it():
    verbs = Op.__subclasses__()
    assert sorted(HANDLERS) == sorted(verb.__name__ for verb in verbs)
    for verb in verbs:
        module, name = HANDLERS[verb.__name__]
        handler = getattr(import_module(f"recollect.engine.{module}"), name)
        assert handler.__annotations__["op"] == verb.__name__


def test_records_come_in_the_order_asked_for_and_what_is_missing_is_named(engine):
    one, two = remember(engine, "one"), remember(engine, "two")
    answer = engine.run(Get((two.id, "nobody", one.id, two.id, "\ud800", "")))
    assert answer.records == (two, one, two)
    assert answer.missing == ("nobody", "\ud800", "")


def test_another_tenants_record_is_missing(engine):
    theirs = remember(engine, "one", scope=Scope("other"))
    assert get(engine, theirs) is None
    assert get(engine, theirs, tenant="other") == theirs


@pytest.mark.parametrize("ids", [(), ("x",) * 1001])
def test_no_ids_and_far_too_many_are_a_mistake(engine, ids):
    with pytest.raises(InvalidRequest):
        engine.run(Get(ids))


def test_a_record_is_got_only_while_it_was_true(engine, clock):
    today = clock()
    it = remember(engine, "on leave", valid_from=today, valid_until=today + DAY)
    times = {-1: None, 0: it, 1: None}
    assert {n: get(engine, it, as_of=today + n * DAY) for n in times} == times
    assert get(engine, it) == it


def test_pages_follow_each_other_newest_first(engine):
    texts = [remember(engine, f"text {n}", similar=0).text for n in range(7)]
    pages = [engine.run(List(limit=3, offset=offset)) for offset in (0, 3, 6, 9)]
    assert [r.text for page in pages for r in page.records] == texts[::-1]
    assert {page.total for page in pages} == {7}
    assert [len(page.records) for page in pages] == [3, 3, 1, 0]


def test_a_list_holds_what_its_filter_admits(engine, clock):
    today = clock()
    ann = Scope("local", "ann", "x")
    a = remember(engine, "a", scope=ann, type="episodic", session="s", event_time=today - 5 * DAY)
    b = remember(engine, "b", type="semantic", valid_until=today + DAY)
    c = remember(engine, "c", scope=Scope("other"))
    clock.move(2 * DAY)
    filters = {
        Where(): {a, b},
        Where("other"): {c},
        Where(user="ann"): {a},
        Where(user=""): {b},
        Where(project="x"): {a},
        Where(types=("episodic", "procedural")): {a},
        Where(session="s"): {a},
        Where(since=today): {b},
        Where(until=today): {a},
        Where(since=today - 5 * DAY, until=today - 4 * DAY): {a},
        Where(at=today): {a, b},
        Where(at=clock()): {a},
        Where(kinds=(Kind.DECISION,)): set(),
        Where(statuses=("active",)): set(),
    }
    assert {where: set(listed(engine, where)) for where in filters} == filters
    assert set(listed(engine, Where(), current=True)) == {a}
    assert engine.run(List(Where(), current=True)).total == 1


@pytest.mark.parametrize(
    "ask",
    [
        List(limit=0),
        List(limit=1001),
        List(offset=-1),
        List(offset=2**60),
        List(Where("\ud800")),
        List(Where(user="\ud800")),
        List(Where(project="a\0b")),
        List(Where(session="\ud800")),
        List(Where(types=("\ud800",))),
        List(Where(statuses=("\ud800",))),
        List(Where(at=NAIVE)),
        List(Where(since=NAIVE)),
        List(Where(until=NAIVE)),
        Get(("x",), as_of=NAIVE),
        Get(("x",), known_at=NAIVE),
        Recall("x", as_of=NAIVE),
        Recall("x", Where(session="\ud800")),
        Recall("x", Where(since=NAIVE)),
        Recall("x", limit=0),
        Recall("x", limit=1001),
        Recall("x", offset=-1),
        Recall("x", budget=0),
        Recall(" "),
        Recall("\ud800"),
        Recall("x" * 10_001),
        Explore("x", depth=0),
        Explore("x", depth=4),
        Explore("x", direction="sideways"),
        Explore("x", types=("\ud800",)),
        Explore("x", as_of=NAIVE),
        Changes(after=-1),
        Changes(limit=0),
        Changes(limit=10_001),
        Status("\ud800"),
    ],
    ids=repr,
)
def test_a_question_that_cannot_be_answered_is_refused(engine, ask):
    remember(engine, "one")
    with unchanged(engine), pytest.raises(InvalidRequest):
        engine.run(ask)


def test_history_tells_every_version_and_entry_of_one_record(engine, clock):
    one = remember(engine, "one")
    remember(engine, "two")
    clock.move(DAY)
    new = engine.run(Revise(one.id, text="uno")).record
    told = engine.run(History(one.id))
    assert told.versions == (one, new)
    assert [(event.verb, event.record) for event in told.events] == [
        ("remember", one.id),
        ("revise", one.id),
    ]


@pytest.mark.parametrize("id_", ["nobody", "", "\ud800", "a\0b"])
def test_what_was_never_there_has_no_history(engine, id_):
    with pytest.raises(NotFound):
        engine.run(History(id_))


def test_the_ledger_can_be_followed_from_any_place(engine):
    for text in ("one", "two", "three"):
        remember(engine, text)
    everything = ledger(engine)
    assert [event.seq for event in everything] == [1, 2, 3]
    assert engine.run(Changes(after=1, limit=1)).events == (everything[1],)
    assert engine.run(Changes(after=3)).events == ()
    assert engine.run(Changes(after=99)).events == ()


def test_status_counts_what_a_tenant_has_and_what_the_engine_does(engine):
    anna, acme = described(engine, "Anna"), described(engine, "Acme")
    remember(engine, "one")
    related(engine, anna, "works at", acme)
    health = engine.run(Status())
    assert health.version == __version__
    counts = health.counts
    assert (counts.memories, counts.entities, counts.relations, counts.records) == (1, 2, 1, 3)
    assert (health.model, health.model_status, health.model_error) == ("hash-384", "ready", "")
    assert (health.vectors.serving, health.vectors.dimensions) == ("hash-384", 384)
    assert (health.vectors.coming, health.vectors.done, health.vectors.waiting) == ("", 1, 0)
    assert (health.cache_misses, health.cache_hits, health.cache_size) == (1, 0, 1)
    assert health.ledger == 4
    assert health.bytes > 0
    assert engine.run(Status("other")).counts.records == 0


def test_status_of_an_empty_store_needs_no_model(engine):
    health = engine.run(Status())
    assert (health.model_status, health.vectors.serving, health.ledger) == ("loading", "", 0)


def test_everything_is_checked_for_all_tenants(engine):
    one = remember(engine, "one")
    remember(engine, "two", scope=Scope("other"))
    engine.run(Forget((one.id,)))
    remember(engine, "three")
    checked = engine.run(Verify())
    assert (checked.records, checked.events, checked.problems) == (2, 4, ())


def test_every_answer_to_an_empty_store_is_empty(engine):
    assert engine.run(List()).records == ()
    assert engine.run(Get(("x",))).missing == ("x",)
    assert engine.run(Changes()).events == ()
    answer = recalled(engine, "anything")
    assert (answer.hits, answer.total, answer.graph_nodes, answer.tokens) == ((), 0, 0, 0)
    assert engine.run(Wipe()).counts.records == 0
    checked = engine.run(Verify())
    assert (checked.records, checked.events, checked.problems) == (0, 1, ())


def test_an_engine_begins_and_ends_once(store, clock):
    with opened(store, clock) as engine:
        assert engine.start() is engine
        assert engine.start() is engine
        assert engine.run(Remember("one")).created


def test_an_engine_that_did_nothing_closes_too(store):
    opened(store).close()


def test_whose_memories_there_are_and_of_which_projects_is_told(engine):
    for scope in (Scope(project="b"), Scope(user="eva", project="a"), Scope(tenant="other")):
        remember(engine, f"A fact of {scope}.", scope=scope)
    assert engine.run(ListScopes()) == Scopes(("eva",), ("a", "b"))
    assert engine.run(ListScopes("nobody")) == Scopes((), ())

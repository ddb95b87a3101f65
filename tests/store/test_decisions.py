"""What every store holds to about decisions, and what the file itself refuses."""

from __future__ import annotations

import apsw
import pytest

from recollect.decisions.measured import Came, Sums
from recollect.errors import Conflict, Isolated
from recollect.model import Entry, Kind, Link, Scope, Where, micros
from recollect.rules.decide import written
from tests.store.build import ANN, BOT, HOUR, NOON, apply, changed, edge, get, keep, plan, record


def decision(id_, author=BOT, **more):
    said = {"kind": Kind.DECISION, "status": "active", "key": "database", **more}
    return record(id_, author=author, **said)


def outcome(id_, of, score=1.0, **more):
    facts = written({"stated": 0.8})
    said = {"kind": Kind.OUTCOME, "type": "database", "key": of, "status": "success", **more}
    return record(id_, confidence=score, facts=facts, **said)


def by_bot(store, **parts):
    with store.writing() as tx:
        return tx.apply(plan(author=BOT, **parts))


def succession(store, new, old, by=by_bot):
    closed = changed(get(store, old), status="superseded", valid_until=NOON + HOUR)
    by(store, update=(Entry(closed),), link=(edge(new, Link.SUPERSEDES, old),))


def test_records_are_found_by_their_keys_and_nothing_else(store):
    keep(store, decision("a"), decision("b", key="cache"), decision("c", key=""), outcome("o", "a"))
    with store.reading() as reader:
        every = Where(kinds=(Kind.DECISION,))
        assert [one.id for one in reader.keyed(every, ["database", "cache"])] == ["a", "b"]
        assert [one.id for one in reader.keyed(every, ["cache", ""])] == ["b"]
        assert reader.keyed(Where("other", kinds=(Kind.DECISION,)), ["cache"]) == []
        assert [one.id for one in reader.keyed(Where(kinds=(Kind.OUTCOME,)), ["a"])] == ["o"]


def test_what_came_of_decisions_is_what_was_said_last(store):
    keep(store, decision("a"), decision("b"), outcome("one", "a", 0.25), outcome("two", "a", 0.75))
    keep(store, outcome("other", "b", 0.5, type="auth"))
    keep(store, outcome("far", "b", 0.5, scope=Scope("other")))
    closed = changed(get(store, "one"), valid_until=NOON + HOUR)
    apply(store, update=(Entry(closed),), link=(edge("two", Link.SUPERSEDES, "one"),))
    with store.reading() as reader:
        assert reader.came(Where(types=("database",))) == [
            Came("a", "database", 0.8, 0.75, micros(NOON))
        ]
        assert [one.decision for one in reader.came(Where())] == ["a", "b"]
        assert reader.summed(Where(types=("database",))) == Sums(1, 0.75, 0.8, micros(NOON))
        assert reader.summed(Where()) == Sums(2, 1.25, 1.6, micros(NOON))
        assert reader.summed(Where(types=("infra",))) == Sums()
        assert reader.came(Where(types=("infra",))) == []


def test_what_bears_on_a_lesson_is_known_by_its_evidence(store):
    keep(store, decision("a"), decision("b"), decision("c"), record("s", kind=Kind.SKILL))
    keep(store, outcome("one", "a", 0.25), outcome("two", "b", 0.75))
    links = tuple(edge(one, Link.EVIDENCE_FOR, "s") for one in "ac")
    apply(store, link=links)
    with store.reading() as reader:
        assert [(one.decision, one.score) for one in reader.bearing("s")] == [("a", 0.25)]
        assert reader.bearing("nothing") == []


def test_an_entry_may_be_about_no_record(store):
    with store.writing() as tx:
        tx.note("mine", "mining:local", BOT, micros(NOON), '{"through":7}')
    with store.reading() as reader:
        (event,) = reader.events_of("mining:local")
    assert (event.verb, event.author, event.detail) == ("mine", BOT, '{"through":7}')


@pytest.mark.parametrize(
    ("was", "becomes", "allowed"),
    [
        ("draft", "active", True),
        ("draft", "deprecated", True),
        ("draft", "superseded", False),
        ("active", "superseded", True),
        ("active", "deprecated", True),
        ("active", "draft", False),
        ("superseded", "active", False),
        ("deprecated", "active", False),
        ("superseded", "deprecated", False),
    ],
)
def test_a_decision_moves_one_way(store, was, becomes, allowed):
    keep(store, decision("a", status=was))
    after = Entry(changed(get(store, "a"), status=becomes))
    if allowed:
        apply(store, update=(after,))
        assert get(store, "a").status == becomes
    else:
        with pytest.raises(Conflict):
            apply(store, update=(after,))


def test_a_decision_has_a_known_status(store):
    with pytest.raises(Conflict):
        keep(store, decision("a", status="perhaps"))


def test_an_author_is_one_for_life(store):
    keep(store, record("m"))
    with pytest.raises(Conflict):
        apply(store, update=(Entry(changed(get(store, "m"), author=BOT)),))


def test_only_a_decision_takes_the_place_of_one(store):
    keep(store, decision("a"), record("m"), decision("b"))
    with pytest.raises(Conflict):
        succession(store, "m", "a")
    with pytest.raises(Conflict):
        by_bot(store, link=(edge("b", Link.SUPERSEDES, "a"),))
    succession(store, "b", "a")
    assert get(store, "a").superseded_by == "b"


def test_no_plan_of_an_agent_touches_what_a_person_decided(store):
    keep(store, decision("hers", ANN), decision("hers too", ANN))
    by_bot(store, insert=(Entry(decision("its")),))
    for attempt in (
        {"update": (Entry(changed(get(store, "hers"), text="Another")),)},
        {"forget": ("hers",)},
        {"insert": (Entry(decision("forged", ANN)),)},
        {"derive": (Entry(decision("forged", ANN)),)},
        {"derive": (Entry(decision("hers", BOT)),)},
        {"discard": ("hers",)},
    ):
        with pytest.raises(Isolated):
            by_bot(store, **attempt)
    with pytest.raises(Isolated):
        succession(store, "its", "hers")
    # Nor does a person's plan put an agent's over a person's.
    with pytest.raises(Isolated):
        succession(store, "its", "hers", apply)
    succession(store, "hers too", "hers", apply)
    succession(store, "hers too", "its", apply)


def test_a_wipe_by_an_agent_leaves_what_people_decided(store):
    keep(store, decision("hers", ANN), record("m"))
    by_bot(store, insert=(Entry(decision("its")),))
    with store.writing() as tx:
        counts = tx.wipe("local", BOT, micros(NOON))
    assert (counts.decisions, counts.memories) == (1, 1)
    with store.reading() as reader:
        assert [one.id for one in reader.page(Where(kinds=()), 10)] == ["hers"]
    assert store.verify() == []
    with store.writing() as tx:
        assert tx.wipe("local", ANN, micros(NOON)).decisions == 1
    with store.reading() as reader:
        assert reader.total() == 0


@pytest.fixture
def connection(tmp_path):
    """The file as any program may open it, with a person's decision and an agent's."""
    from recollect.store.sqlite import SqliteStore

    with_rules = SqliteStore.open(tmp_path / "memory.db")
    keep(with_rules, decision("hers", ANN))
    by_bot(with_rules, insert=(Entry(decision("its")),))
    with_rules.close()
    made = apsw.Connection(str(tmp_path / "memory.db"))
    yield made
    made.close()


AGENT = "(SELECT id FROM author WHERE kind = 'agent')"
HERS, ITS = (
    "(SELECT seq FROM record WHERE id = 'hers')",
    "(SELECT seq FROM record WHERE id='its')",
)
EVENT = "INSERT INTO event SELECT max(seq) + 1, 0, 'x', '{}', {}, '{{}}', '', '' FROM event"
EDGE = "INSERT INTO edge VALUES ({}, 'supersedes', {}, 1, 0, 0, NULL, NULL)"
ENDED = "UPDATE record SET status = 'superseded' WHERE id = 'hers'"
REVIVED = "UPDATE record SET status = 'active' WHERE id = 'hers'"
TAKEN = "UPDATE content SET author = {} WHERE seq = {}"


@pytest.mark.parametrize(
    "statements",
    [
        [EVENT.format("hers", AGENT)],
        [TAKEN.format(AGENT, HERS)],
        [EDGE.format(ITS, HERS)],
        [ENDED, EDGE.format(ITS, HERS)],
        [ENDED, REVIVED],
        ["UPDATE record SET status = 'perhaps' WHERE id = 'its'"],
    ],
)
def test_the_file_itself_refuses(connection, statements):
    *before, last = statements
    for statement in before:
        connection.execute(statement)
    with pytest.raises(apsw.ConstraintError):
        connection.execute(last)
    connection.execute(EVENT.format("its", AGENT))

"""What a snapshot answers about records, whichever store it is of."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone

import pytest

from recollect.errors import Conflict
from recollect.model import Author, AuthorKind, Entry, Kind, Record, Scope, Where, micros
from recollect.rules.analyse import tokens
from recollect.value import fields, replace
from tests.store.build import (
    ANN,
    ANY,
    HOUR,
    NOON,
    SMALL,
    apply,
    changed,
    get,
    keep,
    record,
    unit,
    update,
)

FULL = Record(
    id="dec_1",
    kind=Kind.DECISION,
    scope=Scope("acme", "ann", "site"),
    author=Author(AuthorKind.AGENT, "bot"),
    text="Wir nehmen 東京 \u202bעברית\u202c \U0001f600 'quotes' \"more\" % \\ \n end",
    created_at=NOON + timedelta(microseconds=1),
    updated_at=NOON + timedelta(microseconds=2),
    event_time=datetime(1969, 7, 20, 20, 17, 40, 999_999, tzinfo=UTC),
    valid_from=NOON + timedelta(microseconds=3),
    valid_until=datetime(9999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    type="semantic",
    title="A title",
    key="site/database",
    status="active",
    confidence=0.1,
    importance=0.30000000000000004,
    source="chat",
    source_ref="https://example.org/#1",
    session="s1",
    speaker="Ann",
    metadata='{"a": [1, null]}',
    facts='{"alternatives":["b"]}',
)


def ids(records):
    return [r.id for r in records]


def test_a_record_comes_back_as_it_was_written(store):
    (kept,) = keep(store, FULL)
    assert replace(kept, seq=0) == FULL
    assert get(store, "dec_1") == kept


def test_a_text_may_hold_any_character(store):
    text = "before\x00after\x1f\x1e\ufeff\uffff" + "é" * 100_000
    keep(store, record("a", text))
    assert get(store, "a").text == text


def test_times_in_any_zone_are_the_same_moment(store):
    zone = timezone(timedelta(hours=5, minutes=30))
    keep(store, record("a", event_time=NOON.astimezone(zone)))
    assert get(store, "a").event_time == NOON


@pytest.mark.parametrize("field", fields(Record))
def test_every_field_has_a_value_in_the_full_record(field):
    given_by_the_store = {"seq", "accessed_at", "supersedes", "superseded_by", "version"}
    plain = record("x", "")
    assert field in given_by_the_store or getattr(FULL, field) != getattr(plain, field)


def test_records_are_found_by_id_and_an_unknown_id_is_left_out(store):
    a, b = keep(store, record("a"), record("b"))
    with store.reading() as reader:
        assert reader.records(["b", "x", "a", "a"]) == {"a": a, "b": b}
        assert reader.records(iter(["a"])) == {"a": a}
        assert reader.records([]) == {}


def test_records_are_found_by_number_and_an_unknown_number_is_left_out(store):
    a, b = keep(store, record("a"), record("b"))
    with store.reading() as reader:
        assert reader.rows([b.seq, 999, a.seq, a.seq]) == {a.seq: a, b.seq: b}
        assert reader.rows([]) == {}


def test_a_page_is_newest_first(store):
    keep(store, record("a"), record("b"))
    keep(store, record("c", created_at=NOON - HOUR), record("d"))
    with store.reading() as reader:
        assert ids(reader.page(Where(), 10)) == ["d", "c", "b", "a"]


def test_pages_follow_each_other_without_gap_or_overlap(store):
    keep(store, *map(record, "abcde"))
    with store.reading() as reader:
        pages = [ids(reader.page(Where(), 2, offset)) for offset in (0, 2, 4, 6)]
        assert pages == [["e", "d"], ["c", "b"], ["a"], []]
        assert reader.count(Where()) == 5


def test_an_update_does_not_move_a_record_within_the_pages(store):
    keep(store, record("a"), record("b"))
    update(store, "a", text="new")
    with store.reading() as reader:
        assert ids(reader.page(Where(), 10)) == ["b", "a"]


def test_an_empty_store_answers_nothing(store):
    with store.reading() as reader:
        assert reader.page(ANY, 10) == []
        assert reader.count(ANY) == 0


FILTERED = (
    record("plain"),
    record("tenant", scope=Scope("acme")),
    record("user", scope=Scope("local", "ann")),
    record("project", scope=Scope("local", "", "site")),
    record("both", scope=Scope("local", "ann", "site")),
    record("decision", kind=Kind.DECISION),
    record("signal", kind=Kind.SIGNAL),
    record("typed", type="semantic"),
    record("active", status="active"),
    record("closed", valid_until=NOON + HOUR),
    record("later", valid_from=NOON + HOUR),
    record("session", session="s1"),
    record("early", event_time=NOON - HOUR),
)
MEMORIES = {r.id for r in FILTERED if r.kind == Kind.MEMORY and r.scope.tenant == "local"}
CASES = {
    "the default is every memory of the local tenant": (Where(), MEMORIES),
    "another tenant": (Where("acme"), {"tenant"}),
    "a tenant that holds nothing": (Where("nobody"), set()),
    "one user, any project": (Where(user="ann"), {"user", "both"}),
    "nobody's user": (Where(user=""), MEMORIES - {"user", "both"}),
    "one project, any user": (Where(project="site"), {"project", "both"}),
    "nobody's project": (Where(project=""), MEMORIES - {"project", "both"}),
    "one user and project": (Where(user="ann", project="site"), {"both"}),
    "one user without project": (Where(user="ann", project=""), {"user"}),
    "an unknown user": (Where(user="bob"), set()),
    "one kind": (Where(kinds=(Kind.DECISION,)), {"decision"}),
    "two kinds": (Where(kinds=(Kind.DECISION, Kind.SIGNAL)), {"decision", "signal"}),
    "no kind named is any": (Where(kinds=()), MEMORIES | {"decision", "signal"}),
    "one type": (Where(types=("semantic",)), {"typed"}),
    "one of two types": (Where(types=("episodic", "semantic")), {"typed"}),
    "an unknown type": (Where(types=("episodic",)), set()),
    "the empty type": (Where(types=("",)), MEMORIES - {"typed"}),
    "one status": (Where(statuses=("active",)), {"active"}),
    "one of two statuses": (Where(statuses=("draft", "active")), {"active"}),
    "an unknown status": (Where(statuses=("draft",)), set()),
    "true from the first moment": (Where(at=NOON), MEMORIES - {"later"}),
    "not true before": (Where(at=NOON - HOUR), set()),
    "true until the last moment": (Where(at=NOON + HOUR), MEMORIES - {"closed"}),
    "true just before the end": (
        Where(at=NOON + HOUR - timedelta(microseconds=1)),
        MEMORIES - {"later"},
    ),
    "one session": (Where(session="s1"), {"session"}),
    "no session": (Where(session=""), MEMORIES - {"session"}),
    "since, with that moment": (Where(since=NOON), MEMORIES - {"early"}),
    "until, without that moment": (Where(until=NOON), {"early"}),
    "between": (Where(since=NOON - HOUR, until=NOON), {"early"}),
    "since the future": (Where(since=NOON + HOUR), set()),
    "all together": (
        Where(
            user="",
            project="",
            types=("semantic",),
            statuses=("",),
            at=NOON,
            session="",
            since=NOON,
            until=NOON + HOUR,
        ),
        {"typed"},
    ),
}


def paged(reader, where):
    return {r.id for r in reader.page(where, 100)}


def matched(reader, where):
    found = reader.matching(tokens("says"), where, 100)
    return {r.id for r in reader.rows([c.seq for c in found]).values()}


def near(reader, where):
    found = reader.nearest(unit(0), where, 100)
    return {r.id for r in reader.rows([c.seq for c in found]).values()}


@pytest.mark.parametrize("read", [paged, matched, near])
@pytest.mark.parametrize(("where", "expected"), CASES.values(), ids=CASES)
def test_every_read_keeps_to_the_filter(store, read, where, expected):
    with store.writing() as tx:
        tx.prepare(SMALL)
    entries = tuple(Entry(r, unit(n)) for n, r in enumerate(FILTERED))
    apply(store, insert=entries)
    with store.reading() as reader:
        assert read(reader, where) == expected
        assert reader.count(where) == len(expected)


@pytest.mark.parametrize("read", [paged, matched, near])
def test_a_filter_sees_what_an_update_made_of_a_record(store, read):
    with store.writing() as tx:
        tx.prepare(SMALL)
    apply(store, insert=(Entry(record("a"), unit(1)), Entry(record("b"), unit(2))))
    update(
        store,
        "a",
        scope=Scope("local", "ann"),
        type="semantic",
        status="active",
        session="s1",
        event_time=NOON + HOUR,
        valid_until=NOON + HOUR,
    )
    with store.reading() as reader:
        assert read(reader, Where(user="ann")) == {"a"}
        assert read(reader, Where(user="")) == {"b"}
        assert read(reader, Where(types=("semantic",))) == {"a"}
        assert read(reader, Where(statuses=("active",))) == {"a"}
        assert read(reader, Where(session="s1")) == {"a"}
        assert read(reader, Where(since=NOON + HOUR)) == {"a"}
        assert read(reader, Where(at=NOON + HOUR)) == {"b"}


def test_saying_finds_the_memories_with_these_texts_oldest_first(store):
    kept = keep(store, record("a", "same"), record("c", "other"), record("b", "same"))
    keep(store, record("d", "further"))
    with store.reading() as reader:
        assert reader.saying(Scope(), ["same", "other", "never"]) == kept
        assert reader.saying(Scope(), []) == []


@pytest.mark.parametrize(
    "changes",
    [
        {"text": "Same"},
        {"text": "same "},
        {"kind": Kind.DECISION},
        {"scope": Scope("acme")},
        {"scope": Scope("local", "ann")},
        {"scope": Scope("local", "", "site")},
        {"valid_until": NOON + HOUR},
    ],
)
def test_saying_passes_over_whatever_is_not_an_open_memory_of_the_scope(store, changes):
    keep(store, record("a", **{"text": "same"} | changes), record("b", "same"))
    with store.reading() as reader:
        assert [r.id for r in reader.saying(Scope(), ["same"])] == ["b"]


def test_saying_follows_an_update(store):
    keep(store, record("a", "old"))
    update(store, "a", text="new")
    with store.reading() as reader:
        assert [r.text for r in reader.saying(Scope(), ["old", "new"])] == ["new"]


def entity(id_, key, **changes):
    return record(id_, kind=Kind.ENTITY, key=key, **changes)


def test_named_finds_entities_of_the_user_in_any_project(store):
    ann = Scope("local", "ann", "site")
    keep(store, entity("a", "postgres", scope=ann), entity("b", "redis", scope=ann))
    with store.reading() as reader:
        for project in ("", "site", "other"):
            found = reader.named(Scope("local", "ann", project), ["postgres", "redis", "never"])
            assert {key: r.id for key, r in found.items()} == {"postgres": "a", "redis": "b"}
        assert reader.named(Scope("local", "bob"), ["postgres"]) == {}
        assert reader.named(Scope("local"), ["postgres"]) == {}
        assert reader.named(Scope("acme", "ann"), ["postgres"]) == {}
        assert reader.named(ann, []) == {}


def test_named_finds_entities_only(store):
    keep(store, record("a", key="postgres"))
    with store.reading() as reader:
        assert reader.named(Scope(), ["postgres"]) == {}


def test_a_name_means_one_entity_of_a_user(store):
    keep(store, entity("a", "postgres"), entity("b", "postgres", scope=Scope("local", "ann")))
    with pytest.raises(Conflict):
        keep(store, entity("c", "postgres", scope=Scope("local", "", "site")))
    keep(store, entity("c", "redis"))
    with pytest.raises(Conflict):
        update(store, "c", key="postgres")
    with store.reading() as reader:
        assert reader.named(Scope(), ["postgres"])["postgres"].id == "a"


def test_a_renamed_entity_makes_room_for_another(store):
    keep(store, entity("a", "postgres"))
    update(store, "a", text="an update that keeps the name")
    update(store, "a", key="postgresql")
    keep(store, entity("b", "postgres"))
    with store.reading() as reader:
        found = reader.named(Scope(), ["postgres", "postgresql"])
    assert {key: it.id for key, it in found.items()} == {"postgres": "b", "postgresql": "a"}


def test_named_forgets_with_the_entity(store):
    keep(store, entity("a", "postgres"))
    apply(store, forget=("a",))
    with store.reading() as reader:
        assert reader.named(Scope(), ["postgres"]) == {}


def test_touching_notes_the_time_and_nothing_else(store):
    (kept,) = keep(store, record("a"))
    with store.writing() as tx:
        before = tx.last_event()
        tx.touch([kept.seq, 999], micros(NOON + HOUR))
        assert tx.last_event() == before
        assert tx.versions("a") == []
    assert get(store, "a") == replace(kept, accessed_at=NOON + HOUR)


def test_the_last_touch_counts_and_outlives_an_update(store):
    (kept,) = keep(store, record("a"))
    for hours in (2, 1):
        with store.writing() as tx:
            tx.touch([kept.seq], micros(NOON + hours * HOUR))
    apply(store, update=(Entry(changed(kept, text="new")),))
    assert get(store, "a").accessed_at == NOON + HOUR


def test_what_only_the_store_decides_cannot_be_written(store):
    forged = record("a", seq=77, accessed_at=NOON, supersedes=("b",), superseded_by="b", author=ANN)
    (kept,) = keep(store, forged)
    assert kept == replace(record("a"), seq=kept.seq)
    assert kept.seq != 77
    apply(store, update=(Entry(changed(forged)),))
    assert get(store, "a") == replace(changed(record("a")), seq=kept.seq)


def test_counts_tell_what_a_tenant_holds(store):
    kinds = (Kind.MEMORY, Kind.MEMORY, Kind.DECISION, Kind.CODE, Kind.ENTITY, Kind.SKILL)
    keep(store, *(record(str(n), kind=kind) for n, kind in enumerate(kinds)))
    keep(store, record("else", scope=Scope("acme", "ann")))
    with store.reading() as reader:
        held = reader.counts("local")
        assert (held.memories, held.decisions, held.code_chunks) == (2, 1, 1)
        assert (held.entities, held.relations, held.records) == (1, 0, 6)
        assert (reader.counts("acme").memories, reader.counts("acme").records) == (1, 1)
        assert reader.counts("nobody").records == 0


def test_a_store_says_how_much_room_it_takes(store):
    keep(store, record("a"))
    assert store.size() > 0


def test_what_is_from_a_source_is_found_by_it_closed_or_not(store):
    mine = Scope("local", "", "atlas")
    keep(
        store,
        record("a", scope=mine, source_ref="docs/log.md#One"),
        record("b", scope=mine, source_ref="docs/log.md"),
        record("c", scope=mine, source_ref="docs/log.md#Two", valid_until=NOON + HOUR),
        record("d", scope=mine, source_ref='docs/log.md"#x'),
        record("e", scope=mine, source_ref="docs/log.mdx#One"),
        record("f", source_ref="docs/log.md#One"),
        record("g", scope=mine, source_ref="docs/log.md#One", kind=Kind.DECISION),
        record("h", scope=mine),
    )
    with store.reading() as reader:
        assert [one.id for one in reader.sourced(mine, "docs/log.md")] == ["a", "b", "c"]
        assert reader.sourced(mine, "") == []
        assert reader.sourced(Scope("nobody"), "docs/log.md") == []


def test_neighbours_are_those_that_match_nearest_first(store):
    keep(store, *(record(name, type="odd" if name in "bd" else "even") for name in "abcdef"))
    with store.reading() as reader:
        seq = reader.records(["d"])["d"].seq
        assert [one.id for one in reader.beside(seq, Where(), 2, later=False)] == ["c", "b"]
        assert [one.id for one in reader.beside(seq, Where(), 9, later=True)] == ["e", "f"]
        odd = Where(types=("odd",))
        assert [one.id for one in reader.beside(seq, odd, 2, later=False)] == ["b"]
        assert reader.beside(seq, Where(), 0, later=True) == []


def test_the_age_of_each_record_is_told_with_its_project(store):
    keep(store, record("a", scope=Scope(project="p")), record("b", created_at=NOON + HOUR))
    with store.reading() as reader:
        aged = sorted(reader.aged(Where()), key=lambda one: one.id)
        assert [(one.id, one.project, one.since) for one in aged] == [
            ("a", "p", NOON),
            ("b", "", NOON + HOUR),
        ]
        assert reader.aged(Where(project="other")) == []


def test_around_a_record_are_those_of_its_session_and_scope(store):
    said = [record(f"s{n}", session="s") for n in range(6)]
    between = record("t", session="t")
    elsewhere = record("u", session="s", scope=Scope("local", "ann"))
    alone = record("alone")
    made = keep(store, *said[:3], between, elsewhere, *said[3:], alone)
    seqs = {r.id: r.seq for r in made}
    with store.reading() as reader:
        beside = reader.around([seqs["s0"], seqs["s3"], seqs["t"], seqs["alone"]], 2)
        assert reader.around([], 2) == {}
    assert beside == {
        seqs["s0"]: [seqs["s1"], seqs["s2"]],
        seqs["s3"]: [seqs["s1"], seqs["s2"], seqs["s4"], seqs["s5"]],
    }


def test_who_said_a_record_is_told_where_it_is_known(store):
    one, two = keep(store, record("one", speaker="Ann"), record("two"))
    with store.reading() as reader:
        assert reader.speakers([one.seq, two.seq, 99]) == {one.seq: "Ann"}
        assert reader.speakers([]) == {}

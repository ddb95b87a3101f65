"""Carrying a store whole: what comes out goes in again, and what is not whole is refused."""

from __future__ import annotations

import json
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest

from recollect.errors import Conflict, Damaged, InvalidRequest, RecollectError, TooNew
from recollect.model import Author, AuthorKind, Entry, Kind, Plan, Record, Scope, Where
from recollect.ops import (
    Around,
    Changes,
    Explore,
    Export,
    Forget,
    Get,
    History,
    Invalidate,
    List,
    Overdue,
    Recall,
    Restore,
    Revise,
    Status,
    Supersede,
    Verify,
)
from recollect.store.memory import MemoryStore
from recollect.value import replace
from tests.engine.build import (
    EVERYTHING,
    described,
    exported,
    found,
    hashed,
    listed,
    opened,
    related,
    remember,
    restored,
    unchanged,
)
from tests.store.build import STORES

ROBOT = Author(AuthorKind.AGENT, "robot")
HOUR = timedelta(hours=1)


@pytest.fixture
def lived(engine, clock):
    """An engine on a store in which everything has happened that can."""
    old = remember(engine, "Ada lives in Turin.", author=ROBOT, metadata='{"a": [1, "é"]}')
    clock.move(HOUR)
    new = remember(engine, "Ada lives in Milan.\nIn a flat \u2028 of 3 rooms 🏠.", session="s")
    engine.run(Supersede(old.id, new.id))
    clock.move(HOUR)
    engine.run(Revise(new.id, text="Ada lives in Milan.", confidence=0.5, title="Home"))
    clock.move(HOUR)
    ada, turin = described(engine, "Ada", type="person"), described(engine, "Turin")
    edge = related(engine, ada, "knows", turin, weight=0.25)
    engine.run(Invalidate(edge.id, reason="moved"))
    related(engine, ada, "likes", turin)
    gone = remember(engine, "Something secret about Bob.")
    engine.run(Forget((gone.id,), reason="asked for"))
    closed = remember(engine, "The shop is open.", scope=Scope("local", "eve", "shop"))
    engine.run(Invalidate(closed.id))
    remember(engine, "Another tenant says this.", scope=Scope("other"))
    found(engine, "where does Ada live")
    return engine


@pytest.fixture(params=STORES)
def empty(request, tmp_path):
    """A store to restore into, of every kind."""
    folder = tmp_path / "restored"
    folder.mkdir()
    return STORES[request.param](folder)


def answers(engine):
    """What every op that reads has to say, but for the numbers that are the store's own."""
    said: list[Any] = []
    for tenant in ("local", "other"):
        everything = Where(tenant, kinds=())
        records = listed(engine, everything)
        said += records
        said.append(engine.run(Status(tenant)).counts)
        said.append(engine.run(Overdue(everything, max_age_days=1e-6)))
        for record in records:
            said += engine.run(Get((record.id,), tenant)).records
            said += engine.run(Get((record.id,), tenant, known_at=record.created_at)).records
            said += engine.run(Around(record.id, everything)).records
            told = engine.run(History(record.id, tenant))
            walked = engine.run(Explore(record.id, tenant, depth=3, direction="both"))
            said += [*told.versions, *told.events, *walked.records, *walked.edges]
    said += engine.run(Changes()).events
    for query in ("where does Ada live", "Turin", "shop", "secret Bob"):
        hits = engine.run(Recall(query, EVERYTHING, any_time=True, fold=False, limit=50)).hits
        said += [(hit.record.id, round(hit.score, 3)) for hit in hits]
    return [replace(one, seq=0) if isinstance(one, Record) else one for one in said]


def sealed(lines):
    """The lines with a closing line that fits them, as somebody would write it who lies."""
    end = {"lines": len(lines), "sha256": sha256(b"".join(lines)).hexdigest()}
    return [*lines, json.dumps({"end": end}).encode()]


def edited(lines, number, change):
    """The lines with one of them changed, and the digest made to fit."""
    said = json.loads(lines[number])
    change(said)
    return sealed([*lines[:number], json.dumps(said).encode() + b"\n", *lines[number + 1 : -1]])


def place_of(lines, name):
    """Where the first line of a kind is."""
    return next(at for at, line in enumerate(lines) if line.startswith(f'{{"{name}"'.encode()))


def test_a_restored_store_gives_the_same_answers_on_whatever_store(lived, empty, clock):
    with restored(exported(lived), empty, clock) as engine:
        assert answers(engine) == answers(lived)
        assert engine.run(Verify()).problems == ()


def test_an_export_of_what_was_restored_is_the_same_file(lived, empty, clock):
    lines = exported(lived)
    with restored(lines, empty, clock) as engine:
        again = exported(engine)
    halved = {json.dumps(json.loads(line)) for line in again if b'"float' not in line}
    assert halved - {json.dumps(json.loads(again[-1]))} <= {
        json.dumps(json.loads(line)) for line in lines
    }
    assert len(again) == len(lines)


def test_a_restored_store_searches_by_meaning_without_embedding_anything(lived, empty, clock):
    def refuse():
        raise AssertionError

    lines = exported(lived)
    with opened(empty, clock, embedder=refuse) as engine:
        carried = engine.run(Restore(lines))
        assert carried.vectors == 3 + 1
        with engine.ports.store.reading() as reader:
            assert reader.models().waiting == 0


def test_without_vectors_the_texts_wait_and_are_embedded_anew(lived, empty, clock):
    lines = exported(lived, vectors=False)
    assert not any(b'"float' in line for line in lines)
    with restored(lines, empty, clock) as engine:
        assert engine.settle() == 4
        assert answers(engine) == answers(lived)


def test_writing_goes_on_after_a_restore(lived, empty, clock):
    with restored(exported(lived), empty, clock, new_id=lived.ports.new_id) as engine:
        new = remember(engine, "Ada works in Genoa.")
        assert found(engine, "Genoa")[0] == new.text
        assert engine.run(Verify()).problems == ()


def test_nothing_of_what_was_forgotten_is_in_an_export(lived):
    everything = b"".join(exported(lived))
    assert b"secret about Bob" not in everything
    assert b'"verb":"forget"' in everything


def test_an_empty_store_can_be_carried(engine, empty, clock):
    with restored(exported(engine), empty, clock) as other:
        assert listed(other) == []


def test_a_store_that_is_not_empty_is_left_as_it_is(lived):
    lines = exported(lived)
    with unchanged(lived), pytest.raises(Conflict, match="not empty"):
        lived.run(Restore(lines))


def test_an_agent_may_not_restore(lived, empty):
    with opened(empty) as engine, pytest.raises(InvalidRequest, match="person"):
        engine.run(Restore(exported(lived), ROBOT))


def refused(lines, error, match=None):
    """The lines are refused, and nothing of them is kept."""
    with opened(MemoryStore()) as engine:
        with pytest.raises(error, match=match):
            engine.run(Restore(lines))
        assert listed(engine) == []
        assert engine.run(Changes()).events == ()
        assert engine.run(Status()).vectors.serving == ""


def test_a_file_that_was_cut_anywhere_is_refused(lived):
    lines = exported(lived)
    for end in range(len(lines)):
        refused(lines[:end], RecollectError)
        refused([*lines[:end], lines[end][: len(lines[end]) // 2]], RecollectError)


def test_a_changed_byte_anywhere_is_refused(lived):
    lines = exported(lived)
    for place, line in enumerate(lines):
        middle = len(line) // 2
        changed = line[:middle] + bytes([line[middle] ^ 1]) + line[middle + 1 :]
        refused([*lines[:place], changed, *lines[place + 1 :]], RecollectError)


def test_lines_out_of_order_twice_or_missing_are_refused(lived):
    lines = exported(lived)
    refused([lines[0], *lines[2:]], Damaged)
    refused([*lines[:2], *lines[1:]], Damaged)
    refused([*lines, lines[-1]], Damaged, "after its end")
    swapped = [lines[0], lines[2], lines[1], *lines[3:]]
    refused(swapped, Damaged)


def test_a_record_that_the_ledger_does_not_vouch_for_is_refused_whatever_the_digest(lived):
    lines = exported(lived)
    at = place_of(lines, "record")

    def lie(said):
        said["record"]["state"]["text"] = "Ada lives in Rome."

    refused(edited(lines, at, lie), Damaged, "ledger")


def test_an_entry_that_does_not_follow_is_refused_whatever_the_digest(lived):
    def lie(said):
        said["event"]["verb"] = "imagine"

    refused(edited(exported(lived), 1, lie), Damaged, "chain")


def test_an_edge_to_nothing_is_refused_whatever_the_digest(lived):
    lines = exported(lived)

    def lie(said):
        said["edge"]["dst"] = "nobody"

    refused(edited(lines, place_of(lines, "edge"), lie), RecollectError)


def test_a_record_that_comes_twice_is_refused_whatever_the_digest(lived):
    lines = exported(lived)
    at = place_of(lines, "record")
    refused(sealed([*lines[: at + 1], *lines[at:-1]]), Conflict)


@pytest.mark.parametrize("field", ["state", "salt"])
@pytest.mark.parametrize("value", [None, 7, "no", [], {}])
def test_a_record_of_another_shape_is_refused(lived, field, value):
    lines = exported(lived)

    def spoil(said):
        said["record"][field] = value

    refused(edited(lines, place_of(lines, "record"), spoil), Damaged)


@pytest.mark.parametrize("model", ["hash", [], ["hash"], [1], {"name": "x"}, ["hash", "many"]])
def test_a_model_of_another_shape_is_refused(lived, model):
    def spoil(said):
        said["recollect_export"]["model"] = model

    refused(edited(exported(lived), 0, spoil), Damaged, "Line 1")


def test_a_newer_format_or_kind_of_line_is_refused_as_too_new(lived):
    lines = exported(lived)

    def newer(said):
        said["recollect_export"]["format"] = 2

    refused(edited(lines, 0, newer), TooNew, "format 2")
    refused(sealed([*lines[:-1], b'{"dream": {}}\n']), TooNew, "'dream'")


@pytest.mark.parametrize(
    "first", [b"", b"\n", b"[]", b"{}", b'{"type": "entity"}\n', b"\xff\xfe{\x00", b"[" * 100_000]
)
def test_what_is_no_export_is_refused_and_says_what_reads_it(first):
    refused([first], InvalidRequest, "recollect import")


def test_every_kind_of_record_with_all_of_its_fields_is_carried(engine, empty, clock):
    now = clock()
    made = [
        Record(
            f"one_{kind.value}", kind, Scope("local", "ann", "p"), ROBOT, f"a {kind.value}", now,
            now, now, now - HOUR, now + HOUR, "type", "title", kind.value, "active", 0.25, 0.75,
            "source", "ref", "session", "speaker", '{"m": 1}', '{"f": [1, 2]}',
        )
        for kind in Kind
    ]  # fmt: skip
    with engine.ports.store.writing() as tx:
        tx.prepare(hashed().model)
        tx.apply(Plan("make", ROBOT, now, insert=tuple(map(Entry, made))))
    with restored(exported(engine), empty, clock) as other:
        assert [r.facts for r in listed(other)] == ['{"f": [1, 2]}'] * len(Kind)
        assert [replace(r, seq=0) for r in listed(other)] == [
            replace(r, seq=0) for r in listed(engine)
        ]


def test_an_export_is_of_one_moment_whatever_is_written_meanwhile(lived):
    lines: list[bytes] = []

    def write(line):
        if len(lines) == 2:
            remember(lived, "Said while the export was made.")
        lines.append(line)

    lived.run(Export(write))
    assert not any(b"while the export" in line for line in lines)
    with restored(lines, MemoryStore()) as engine:
        assert engine.run(Verify()).problems == ()


def test_a_page_of_records_is_listed_in_the_same_order(lived, empty, clock):
    with restored(exported(lived), empty, clock) as engine:
        page = List(EVERYTHING, limit=3, offset=1)
        assert [r.id for r in engine.run(page).records] == [r.id for r in lived.run(page).records]

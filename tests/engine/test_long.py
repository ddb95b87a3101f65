"""Texts that are longer than a model reads: found by any place in them, and gone without a rest."""

from __future__ import annotations

import re
from datetime import timedelta
from hashlib import sha256

import pytest

from recollect.engine import long, recall, upkeep
from recollect.model import Where
from recollect.ops import Export, Forget, Restore, Revise, Status, Verify, Weights
from recollect.rules.passages import passages
from recollect.store.lines import END, line
from tests.engine.build import found, opened, recalled, remember
from tests.store.build import STORES

MEANING = Weights(vector=1, words=0, graph=0)


def talk(*said, filler=30):
    """A conversation in which a person says one thing after the other, and a machine much more."""
    much = "assistant: " + "There are many things to be said of the weather in general. " * filler
    return "\n".join(f"user: {one}\n{much}" for one in said)


def waits(engine):
    return engine.run(Status()).vectors.waiting


def test_a_long_text_is_found_by_what_is_said_at_its_end(engine):
    for n in range(12):
        remember(engine, talk(f"I fed cat {n}", f"we had soup number {n}"))
    told = remember(engine, talk("good morning", "how are you", "my zebra is called Otto"))
    for weights in (None, MEANING):
        assert found(engine, "what is my zebra called", weights=weights)[0] == told.text


def test_what_a_person_says_counts_more_than_what_a_machine_says(engine):
    plain = "The zebra is called Otto."
    machine = remember(engine, talk("hello", "bye").replace("bye", f"bye\nassistant: {plain}"))
    person = remember(engine, talk("hello", plain))
    texts = found(engine, "what is the zebra called")
    assert texts.index(person.text) < texts.index(machine.text)


def test_a_very_long_text_is_found_by_its_words_at_once_and_by_meaning_soon(engine):
    text = talk(*(f"I saw bird {n}" for n in range(40))) + "\nuser: my zebra is called Otto"
    assert sum(map(len, passages(text))) > long.AT_ONCE
    remember(engine, text)
    assert waits(engine) == 1
    assert found(engine, "zebra Otto") == [text]
    engine.settle()
    assert waits(engine) == 0
    cosine = recalled(engine, "my zebra is called Otto", weights=MEANING, explain=True).hits[0].why
    assert cosine is not None
    assert cosine.cosine == pytest.approx(1, abs=0.2)


def test_a_conversation_of_many_short_turns_is_known_whole_at_once(engine):
    turns = [f"user: And bird {n}?\nassistant: It sings of {n}." for n in range(240)]
    turns[200] = "user: Marta must not eat nuts."
    text = remember(engine, "\n".join(turns)).text
    assert waits(engine) == 0
    remember(engine, "a kettle for the kitchen")
    assert found(engine, "Marta must not eat nuts", weights=MEANING)[0] == text


def test_a_conversation_of_very_many_turns_is_begun_at_once(engine):
    remember(engine, "\n".join(f"A: yes {n}" for n in range(2_000)))
    assert waits(engine) == 1
    engine.settle()
    assert waits(engine) == 0


def test_nothing_is_left_of_a_long_text_that_is_forgotten_or_rewritten(engine, store):
    told = remember(engine, talk("my zebra is called Otto", "and my cat Ada"))
    short = remember(engine, "a short one")
    engine.run(Revise(told.id, text=talk("my dog is called Max", "and my cow Eva")))
    engine.run(Forget((told.id,)))
    assert engine.run(Verify()).problems == ()
    with store.reading() as reader:
        assert reader.senses([told.seq]) == {}
        (sense,) = reader.senses([short.seq]).values()
        assert [one.seq for one in reader.nearest(sense.vector, Where(), 9)] == [short.seq]


def test_much_that_waits_is_embedded_a_part_at_a_time(engine, monkeypatch):
    monkeypatch.setattr(upkeep, "_LONGEST", 60_000)
    texts = [talk(*(f"I saw bird {n} of {m}" for n in range(36))) for m in range(3)]
    for text in texts:
        remember(engine, text)
    assert waits(engine) == 3
    assert [upkeep.step(engine.ports) for _ in texts] == [1, 1, 1]
    assert waits(engine) == 0


def test_in_a_large_store_nothing_is_listed_by_its_time(engine, clock, monkeypatch):
    monkeypatch.setattr(recall, "_QUICKLY_LISTED", 0)
    told = remember(engine, "Anna swam", event_time=clock() - timedelta(days=14))
    assert found(engine, "What did Anna do two weeks ago?") == [told.text]


@pytest.mark.parametrize("kind", STORES)
def test_passages_are_exported_and_restored(engine, kind, tmp_path, clock):
    remember(engine, talk("my zebra is called Otto", "and my cat Ada"))
    remember(engine, talk(*(f"I saw bird {n}" for n in range(40))))
    lines: list[bytes] = []
    carried = engine.run(Export(lines.append))
    # Of the other only the beginning is known.
    assert carried.vectors == 1
    folder = tmp_path / "other"
    folder.mkdir()
    with opened(STORES[kind](folder), clock) as other:
        other.run(Restore(lines))
        assert waits(other) == 1
        assert other.run(Verify()).problems == ()
        assert "Otto" in found(other, "what is my zebra called", weights=MEANING)[0]


def test_an_export_of_an_older_version_knows_no_passages(engine, store, clock, tmp_path):
    told = remember(engine, talk("my zebra is called Otto", "and my cat Ada"))
    remember(engine, "a short one")
    lines: list[bytes] = []
    engine.run(Export(lines.append))
    older = [re.sub(rb',"parts":"[^"]*"', b"", one) for one in lines[:-1]]
    end = {"lines": len(older), "sha256": sha256(b"".join(older)).hexdigest()}
    older.append(line(END, end))
    with opened(STORES["memory"](tmp_path), clock) as other:
        other.run(Restore(older))
        assert waits(other) == 1
        assert other.settle() == 1
        with other.ports.store.reading() as reader:
            assert reader.senses([told.seq])[told.seq].parts
    with store.reading() as reader:
        assert reader.senses([told.seq])[told.seq].parts


ANSWER = "The spare key for the boat house hangs behind the third lamp."
PLAIN = "Of the harbour there is much to be said, and of the weather. " * 40


@pytest.mark.parametrize("weights", [None, MEANING, Weights(vector=0, words=1, graph=0)])
@pytest.mark.parametrize("before", ["", "# Manual\n\n"])
@pytest.mark.parametrize("title", ["", "The manual of the club"])
def test_of_a_long_text_the_passage_that_was_found_is_told(engine, weights, before, title):
    told = remember(engine, f"{before}{PLAIN}{ANSWER} {PLAIN}", title=title, speaker="Ada")
    remember(engine, "The kettle is in the kitchen.")
    query = "where is the spare key for the boat house"
    for hit in recalled(engine, query, weights=weights, quote=True).hits:
        long_one = hit.record.id == told.id
        assert (ANSWER in hit.passage) == long_one
        assert len(hit.passage) <= 800
        assert hit.passage in hit.record.text
    assert [hit.passage for hit in recalled(engine, query).hits] == [""] * len(
        recalled(engine, query).hits
    )


def test_short_turns_are_told_with_those_beside_them(engine):
    turns = [f"user: And bird {n}?\nassistant: It sings." for n in range(80)]
    turns[40] = "user: Who must not eat nuts?\nassistant: It is Marta."
    remember(engine, "\n".join(turns))
    (hit,) = recalled(engine, "who must not eat nuts", quote=True).hits
    assert turns[40] in hit.passage


def test_a_passage_that_nothing_tells_of_is_none(engine):
    text = remember(engine, PLAIN).text
    for query in ("zebra", "???"):
        for hit in recalled(engine, query, quote=True, weights=Weights(0, 0, 1)).hits:
            assert hit.passage in text

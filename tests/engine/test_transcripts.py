"""Transcripts of four programs: what is kept of them, and that nothing else is."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from bench.month.generate import FORMATS, month, write
from recollect.model import AuthorKind, Where
from recollect.ops import Import, Undo
from recollect.rules.foreign import Format, read, recognise
from tests.engine.build import found, listed, unchanged

SESSIONS, PLANTED = month("dev", seed=1)


@pytest.fixture
def folder(tmp_path):
    write(SESSIONS[:8], tmp_path)
    return tmp_path


def bring(engine, folder, *sources, **more):
    return engine.run(Import(sources, (str(folder),), **more))


def test_facts_and_decisions_of_all_programs_are_kept_and_chatter_is_not(engine, folder):
    answer = bring(engine, folder, ".")
    assert answer.formats == ("transcript",)
    texts = [record.text for record in answer.records]
    assert {record.source for record in answer.records} == {*FORMATS}
    assert len([one for one in PLANTED[:16] if any(map(one.is_in, texts))]) >= 15
    assert [text for text in texts if not any(one.is_in(text) for one in PLANTED)] == []
    assert not any("Perl" in text or "Rust" in text for text in texts)


def test_what_is_kept_is_a_candidate_of_the_agent_with_its_time_and_session(engine, folder, clock):
    clock.now = datetime(2026, 6, 1, tzinfo=UTC)
    bring(engine, folder, "claude-code")
    records = listed(engine, Where(statuses=("candidate",)))
    assert records == listed(engine, Where())
    one = records[-1]
    assert (one.author.kind, one.author.name) == (AuthorKind.AGENT, "claude-code")
    assert (one.scope.project, one.session) == ("shop", "session-000")
    assert one.event_time.date() == datetime(2026, 3, 2, tzinfo=UTC).date()
    assert one.confidence < 1
    assert one.text in found(engine, one.text)


def test_the_same_transcripts_again_bring_nothing_and_one_batch_goes_as_one(engine, folder):
    answer = bring(engine, folder, ".")
    with unchanged(engine):
        assert bring(engine, folder, ".").records == ()
    engine.run(Undo(answer.batch))
    assert listed(engine) == []


def one_of(text):
    return [fact.text for fact in read(Format.TRANSCRIPT, "t", text).facts]


def test_what_a_program_says_in_a_persons_name_is_not_theirs():
    for said in ("<command-name>x</command-name> We decided to use Rust.", "Caveat: We use Rust."):
        line = {"sessionId": "s", "message": {"role": "user", "content": said}}
        assert one_of(json.dumps(line)) == []
    line = {"sessionId": "s", "message": {"role": "user", "content": "We decided to use Rust."}}
    assert one_of(json.dumps(line)) == ["We decided to use Rust."]
    for mark in ("isSidechain", "isMeta", "isCompactSummary"):
        assert one_of(json.dumps({**line, mark: True})) == []


def test_older_rollouts_and_single_conversations_are_read_too():
    message = {
        "type": "message",
        "role": "user",
        "content": [{"type": "input_text", "text": "We decided to use Rust."}],
    }
    head = {"id": "s1", "timestamp": "2025-05-01T00:00:00Z", "instructions": None}
    text = f"{json.dumps(head)}\n{json.dumps(message)}\n{{cut"
    assert recognise("r.jsonl", json.dumps(message)) is Format.TRANSCRIPT
    cargo = read(Format.TRANSCRIPT, "r", text)
    assert [(fact.text, fact.session) for fact in cargo.facts] == [
        ("We decided to use Rust.", "s1")
    ]
    assert cargo.left_out[0].startswith("r, line 3: is no JSON")
    chat = {
        "uuid": "c",
        "chat_messages": [{"sender": "human", "text": "We decided to use Rust."}, 3],
    }
    assert recognise("c.json", json.dumps(chat)) is Format.TRANSCRIPT
    assert one_of(json.dumps(chat)) == ["We decided to use Rust."]
    assert one_of("[3, {}]") == []


def test_a_conversation_that_leads_in_circles_or_nowhere_ends():
    node = {
        "message": {"author": {"role": "user"}, "content": {"parts": ["We decided to use Rust."]}}
    }
    chat = {"mapping": {"a": {**node, "parent": "a"}}, "current_node": "a"}
    assert one_of(json.dumps(chat)) == ["We decided to use Rust."]
    assert one_of(json.dumps({"mapping": {"a": {"parent": "b"}}, "current_node": "a"})) == []
    assert one_of(json.dumps({"mapping": {}, "current_node": None})) == []

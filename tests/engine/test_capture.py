from __future__ import annotations

import pytest

from recollect.errors import InvalidRequest
from recollect.model import AuthorKind, Scope, Where
from recollect.ops import Capture, Invalidate, ListBatches, Said, Undo
from recollect.rules.redact import Policy
from tests.engine.build import found, listed, opened, remember, unchanged

SECRET = "db_password=" + "hunter" + "2"
TURN = (
    Said("user", "Thanks! We decided to use SQLite for the store. Can you run the tests?"),
    Said("assistant", "I'll run them. The root cause was a missing index on orders."),
)


def capture(engine, *said, **more):
    return engine.run(Capture(said or TURN, source="codex", session="s1", **more))


def test_facts_and_decisions_of_a_turn_are_kept_as_candidates_and_nothing_else(engine):
    answer = capture(engine, scope=Scope(project="shop"))
    decision, lesson = answer.records
    assert decision.text == "We decided to use SQLite for the store."
    assert (decision.type, lesson.type) == ("decision", "lesson")
    assert {(r.status, r.scope.project, r.session) for r in answer.records} == {
        ("candidate", "shop", "s1")
    }
    assert (decision.author.kind, decision.author.name) == (AuthorKind.AGENT, "codex")
    assert (decision.speaker, lesson.speaker) == ("", "assistant")
    assert len(listed(engine, Where())) == 2
    assert engine.settle() == 2
    assert "We decided to use SQLite for the store." in found(engine, "which store?")


def test_what_was_said_before_is_not_kept_again_even_if_it_was_ended(engine):
    (first, _) = capture(engine).records
    engine.run(Invalidate(first.id))
    with unchanged(engine):
        assert capture(engine).known == 2
        assert capture(engine, Said("user", "we decided to use SQLite for the store.")).known == 1


def test_what_a_person_remembered_in_the_same_words_is_known(engine):
    remember(engine, "We decided to use SQLite for the store.")
    assert [record.type for record in capture(engine).records] == ["lesson"]


def test_a_turn_without_a_fact_changes_nothing(engine):
    with unchanged(engine):
        answer = capture(engine, Said("user", "Please run the tests."))
    assert (answer.batch, answer.records, answer.known) == ("", (), 0)


def test_a_turn_can_be_taken_back(engine):
    answer = capture(engine)
    assert engine.run(ListBatches()).batches[0].by == "hook"
    engine.run(Undo(answer.batch))
    assert listed(engine) == []


def test_secrets_are_taken_out_and_never_refused(engine):
    (record,) = capture(engine, Said("user", f"Remember that {SECRET} is for staging.")).records
    assert record.text == "Remember that db_password=[redacted: password] is for staging."


def test_secrets_are_kept_where_the_person_wants_that(store, clock):
    with opened(store, clock, secrets=Policy.ALLOW) as engine:
        said = Said("user", f"Remember that {SECRET} is for staging.")
        assert SECRET in capture(engine, said).records[0].text


def test_what_is_no_text_is_passed_over(engine):
    said = Said("user", "Remember that \ud800 is no letter. We decided to use SQLite here.")
    assert len(capture(engine, said).records) == 1


def test_a_session_whose_name_cannot_be_kept_is_refused(engine):
    with unchanged(engine), pytest.raises(InvalidRequest, match="session"):
        engine.run(Capture(TURN, session="a\0b"))

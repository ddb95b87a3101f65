"""Counsel without a model, mining when it comes, and what is out of the ordinary."""

from __future__ import annotations

from datetime import timedelta

import pytest

from recollect.decisions import Decide, SearchDecisions
from recollect.decisions.measured import (
    Analyse,
    Depth,
    FindAnomalies,
    FindSkills,
    GatherContext,
    GetDecision,
    Guide,
    Mine,
    RecordOutcome,
    RecordSignal,
    Weigh,
)
from recollect.errors import InvalidRequest
from recollect.model import Author, AuthorKind
from tests.engine.build import ledger, unchanged

BOT = Author(AuthorKind.AGENT, "bot")
LESSON = "Pool the connections early"


def decided(engine, statement, score=None, *lessons, **more):
    said = Decide(statement, author=BOT, **{"module": "database", **more})
    id_ = engine.run(said).decision.record.id
    if score is not None:
        status = "success" if score > 0.5 else "failure"
        engine.run(RecordOutcome(id_, status, score, author=BOT, lessons=lessons))
    return id_


def skills(engine):
    return [one.record.text for one in engine.run(FindSkills("database", "", 0.0)).skills]


def test_words_counsel_while_the_model_loads_and_lessons_follow(waiting, slow):
    for place in range(3):
        decided(waiting, f"Use PostgreSQL for service {place}", 0.9, LESSON)
    failed = decided(waiting, "Use MongoDB for user data", 0.1)
    context = waiting.run(GatherContext("Use MongoDB for user data", depth=Depth.FULL))
    assert context.similar[0].decision.record.id == failed
    assert [one.type for one in context.warnings] == ["repeated_failure"]
    # That something is used is nothing that it has in common with them.
    assert waiting.run(GetDecision(failed)).similar == ()
    assert waiting.run(Analyse(failed)).chain.whole.outcome is not None
    assert not waiting.run(SearchDecisions("MongoDB")).semantic
    assert skills(waiting) == []
    assert waiting.run(Mine()).made == ()
    slow.go.set()
    slow_embedder = waiting.ports.semantics.configured().inner
    slow_embedder.start()
    while not waiting.settle():
        pass
    assert waiting.run(Mine(anew=True)).made
    assert LESSON in skills(waiting)


def test_several_lessons_of_one_outcome_are_learned_each_by_itself(engine):
    for place in range(3):
        decided(
            engine, f"Use thing {place} for place {place}", 0.9, LESSON, "Write a runbook first"
        )
    assert {LESSON, "Write a runbook first"} <= {*skills(engine)}
    seen = len(ledger(engine))
    assert engine.run(Mine()).outcomes == 3
    # Only that it was looked at is new.
    assert len(ledger(engine)) == seen + 1


def test_many_outcomes_at_once_teach_what_they_teach_one_by_one(engine):
    for place in range(4):
        decided(engine, f"Use PostgreSQL for service {place}", 0.9, LESSON)
    before = engine.run(FindSkills("database", "", 0.0)).skills
    engine.run(Mine(anew=True))
    after = engine.run(FindSkills("database", "", 0.0)).skills
    said = {one.record.text: (one.outcomes, one.successes) for one in before}
    again = {one.record.text: (one.outcomes, one.successes) for one in after}
    assert said.items() <= again.items()
    for one, other in zip(before, after, strict=False):
        assert one.confidence == pytest.approx(other.confidence, abs=1e-9)


def test_a_lesson_grows_old_and_is_retired(engine, clock):
    for place in range(4):
        decided(engine, f"Use PostgreSQL for service {place}", 0.9, LESSON)
    engine.run(Mine())
    assert skills(engine)
    clock.move(timedelta(days=366))
    changed = engine.run(Mine()).changed
    assert {one.status for one in changed} == {"retired"}
    assert skills(engine) == []


def test_context_keeps_to_its_budget_and_says_what_it_left_out(engine):
    for place in range(8):
        decided(engine, f"Use PostgreSQL for service {place}", 0.9, LESSON)
    whole = engine.run(GatherContext("Use PostgreSQL", depth=Depth.FULL))
    assert whole.left_out == 0
    some = engine.run(GatherContext("Use PostgreSQL", depth=Depth.FULL, budget=20))
    assert some.tokens <= 20
    assert some.left_out > 0


@pytest.mark.parametrize(
    "op",
    [
        GatherContext("Use it", budget=0),
        GatherContext("Use it", confidence=1.5),
        GatherContext(""),
        Weigh("Use it", alternatives=("",)),
        Weigh("Use it", confidence=-1.0),
        Guide("database", 2.0),
        RecordOutcome("dec_x", "maybe", 1.0),
        RecordOutcome("dec_x", "success", 1.5),
        RecordSignal("dec_x", "rumour", "positive"),
        RecordSignal("dec_x", "incident", "odd"),
        Decide("Use it", risk="some"),
        Decide("Use it", alternatives=tuple("a" * 101)),
        Decide("Use it", supersedes=tuple(f"dec_{n}" for n in range(101))),
    ],
)
def test_what_cannot_be_asked_changes_nothing(engine, op):
    with pytest.raises(InvalidRequest), unchanged(engine):
        engine.run(op)


def test_anomalies_name_their_evidence(engine, clock):
    for place in range(6):
        decided(engine, f"Choose the auth provider {place}", 1.0, module="auth")
    bad = [decided(engine, f"Choose the auth token {n}", 0.0, module="auth") for n in range(5)]
    late = decided(engine, "Choose the cache", module="backend")
    for place in range(3):
        engine.run(
            RecordSignal(late, "incident", "negative", author=BOT, description=f"No {place}")
        )
    clock.move(timedelta(days=31))
    found = {one.type: one for one in engine.run(FindAnomalies()).found}
    assert found["success_drop"].domain == "auth"
    assert {*found["success_drop"].evidence} <= {*bad}
    assert found["incident_cluster"].evidence == (late,)
    assert found["pending"].evidence == (late,)


def test_a_domain_without_words_is_that_of_its_neighbours(engine):
    for place in range(3):
        decided(engine, f"Adopt the zebra stripes, variant {place}", module="infra")
    new = engine.run(Decide("Adopt the zebra stripes, variant 9", author=BOT)).decision
    assert new.domain == "infra"


def test_a_later_decision_that_turned_down_what_failed_was_warned(engine, clock):
    failed = decided(engine, "Use MongoDB for user data", 0.1, "It lost writes")
    clock.move(timedelta(days=1))
    decided(engine, "Use PostgreSQL for user data", alternatives=("Use MongoDB for user data",))
    told = engine.run(Analyse(failed))
    assert [one.statement for one in told.prevented] == ["Use PostgreSQL for user data"]

"""The ranking policy over generated stores: whatever was decided, proposed, ended and replaced."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.decisions import Decide, Mode, SearchDecisions
from recollect.errors import Conflict, Isolated
from recollect.model import Author, AuthorKind, Kind, Scope, Where
from recollect.ops import Invalidate, List
from recollect.rules.precedence import PENALTIES
from recollect.store.memory import MemoryStore
from tests.engine.build import opened, proposed

ANN, BOT = Author(AuthorKind.HUMAN, "ann"), Author(AuthorKind.AGENT, "bot")
TARGETS = ("database", "cache", "queue")
WORDS = ("PostgreSQL", "Redis", "Kafka", "one pool", "a replica", "nothing")
steps = st.lists(
    st.tuples(
        st.sampled_from(("decide", "decide", "replace", "end", "propose")),
        st.sampled_from(TARGETS),
        st.sampled_from(WORDS),
        st.sampled_from((ANN, BOT)),
        st.integers(0, 9),
    ),
    min_size=1,
    max_size=10,
)


def history(engine, todo):
    """Carry out what can be carried out."""
    made: list[str] = []
    for verb, target, words, author, place in todo:
        old = made[place % len(made)] if made else ""
        try:
            match verb:
                case "decide":
                    op = Decide(f"Use {words}", f"For the {target}.", target, author=author)
                    made.append(engine.run(op).decision.record.id)
                case "replace" if old:
                    op = Decide(f"Use {words}", "Better.", target, author=author, supersedes=(old,))
                    made.append(engine.run(op).decision.record.id)
                case "end" if old:
                    engine.run(Invalidate(old, author=author))
                case "propose":
                    proposed(engine, f"Use {words}", target)
        except (Conflict, Isolated):
            continue


@pytest.fixture(scope="module", params=[*Mode])
def mode(request):
    return request.param


@given(steps, st.sampled_from(WORDS), st.integers(1, 20))
def test_the_policy_holds_over_any_store(mode, todo, query, limit):
    with opened(MemoryStore()) as engine:
        history(engine, todo)
        hits = engine.run(SearchDecisions(query, limit=limit, mode=mode)).hits
        every = engine.run(List(Where(kinds=(Kind.DECISION, Kind.PROPOSAL)), 1000)).records
    assert len(hits) <= limit
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    for hit in hits:
        status, person = hit.record.status, hit.record.author.kind is AuthorKind.HUMAN
        penalty = PENALTIES.get(status, 1.0) if mode is Mode.BALANCED else 1.0
        expected = hit.similarity * penalty + (status == "active") + 0.1 * person
        assert hit.score == pytest.approx(expected, abs=1e-12)
        assert 0 <= hit.similarity <= 1
    if mode is Mode.STRICT:
        assert {hit.record.status for hit in hits} <= {"active"}
    if mode is Mode.AUDIT:
        assert len(hits) == min(limit, len(every))
        return
    targets = [hit.record.key for hit in hits]
    assert len(targets) == len({*targets})
    standing = {one.key for one in every if one.status == "active"}
    assert all(hit.record.status == "active" for hit in hits if hit.record.key in standing)
    if mode is Mode.BALANCED and limit >= len(TARGETS):
        # What was replaced by a decision on another target is answered by that.
        assert standing <= {*targets}


def test_a_decision_names_the_others_that_stand_for_its_target(engine):
    def decide(statement, target="database", **more):
        return engine.run(Decide(statement, "It is known.", target, **more))

    def standing(answer):
        return [one.statement for one in answer.standing]

    elsewhere = Scope("local", "ann", "elsewhere")
    first = decide("Use PostgreSQL")
    assert standing(first) == []
    assert standing(decide("Use MySQL", " Database ")) == ["Use PostgreSQL"]
    assert standing(decide("Use Redis", "cache")) == []
    assert standing(decide("Use SQLite", scope=elsewhere)) == []
    assert standing(decide("Use DuckDB", draft=True)) == []
    engine.run(Decide("Measure first", "It is known."))
    assert standing(engine.run(Decide("Measure twice", "It is known."))) == []
    old = first.decision.record.id
    assert standing(decide("Use Oracle", supersedes=(old,))) == ["Use MySQL"]

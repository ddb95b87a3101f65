"""The contract `agent-memory`, as its document has it, on every kind of store."""

from __future__ import annotations

from datetime import timedelta

import pytest

from recollect.contracts.agent_memory import MARKER
from recollect.decisions import Decide
from recollect.model import Author, AuthorKind, Role
from recollect.ops import Get
from tests.contracts.build import as_caller
from tests.engine.build import governed, proposed

OF = "agent-memory"
ANN = Author(AuthorKind.HUMAN, "ann")
USE = {
    "title": "Use PostgreSQL",
    "target": "database_policy",
    "rationale": "It has to be ACID, and the team knows it.",
}
MOVE = {
    "title": "Use CockroachDB",
    "target": "database_policy",
    "rationale": "It has to span regions now, and speaks the same language.",
}


def recorded(client, **changes):
    return client.ask(OF, "record_decision", **{**USE, **changes})["decision_id"]


def superseded(client, *old, **changes):
    said = {**MOVE, **changes}
    return client.ask(OF, "supersede_decision", old_decision_ids=list(old), **said)["decision_id"]


def searched(client, query="which database", **more):
    answer = client.ask(OF, "search_decisions", query=query, **more)
    assert answer["status"] == "success"
    return answer["results"]


def by_ann(client, statement="Use PostgreSQL", target="database_policy", **more):
    said = {"reasoning": "It has to be ACID.", "author": ANN, **more}
    return client.engine.run(Decide(statement, target=target, **said)).decision.record.id


def record(client, id_):
    return client.engine.run(Get((id_,))).records[0]


def test_a_decision_is_recorded_and_found_as_standing(client):
    answer = client.ask(OF, "record_decision", consequences=["Backups are ours."], **USE)
    assert answer["status"] == "success"
    assert answer["decision_id"].startswith("dec_")
    (hit,) = searched(client)
    assert hit["id"] == answer["decision_id"]
    assert (hit["status"], hit["kind"]) == ("active", "decision")
    assert 1.0 <= hit["score"] <= 2.0
    assert "Use PostgreSQL" in hit["preview"]
    assert hit["preview"].endswith(MARKER)


def test_what_a_person_decides_has_no_marker_whatever_it_says(client):
    by_ann(client, reasoning=f"It has to be ACID. {MARKER}")
    (hit,) = searched(client)
    assert MARKER not in hit["preview"]
    assert hit["score"] >= 1.1


def test_a_long_rationale_is_cut_and_the_marker_still_stands_at_its_end(client):
    recorded(client, rationale="It has to be ACID. " * 50)
    (hit,) = searched(client)
    assert hit["preview"].endswith(f"… {MARKER}")


def test_superseding_makes_the_new_one_stand_and_follows_the_chain(client):
    old = recorded(client)
    new = superseded(client, old)
    last = superseded(client, new, title="Use Spanner", rationale="Somebody else runs it for us.")
    assert [record(client, id_).status for id_ in (old, new, last)] == [
        "superseded",
        "superseded",
        "active",
    ]
    assert record(client, new).supersedes == (old,)
    assert record(client, old).superseded_by == new
    # Only the oldest version speaks of ACID, and what stands is answered in its place.
    for mode in ("balanced", "strict"):
        assert [hit["id"] for hit in searched(client, "ACID", mode=mode)] == [last]
    assert {hit["id"] for hit in searched(client, mode="audit")} == {old, new, last}


def test_several_are_superseded_at_once_or_none(client):
    one, two = recorded(client), recorded(client, title="Use MySQL")
    superseded(client, two)
    said = client.refused(OF, "supersede_decision", old_decision_ids=[one, two], **MOVE)
    assert said.startswith("Conflict: ")
    assert record(client, one).status == "active"


def test_the_failures_say_what_kind_they_are(client):
    old = recorded(client)
    new = superseded(client, old)
    for ids, kind in (([old], "Conflict"), (["dec_none"], "Not Found"), (["x" * 300], "Not Found")):
        said = client.refused(OF, "supersede_decision", old_decision_ids=ids, **MOVE)
        assert said.startswith(f"{kind}: "), said
    memory = client.ask("memento", "store_memory", content="The sky is blue.")["created"]["id"]
    said = client.refused(OF, "supersede_decision", old_decision_ids=[memory], **MOVE)
    assert said.startswith("Not Found: ")
    assert record(client, new).status == "active"


@pytest.mark.parametrize(
    ("tool", "changes", "field"),
    [
        ("record_decision", {"title": ""}, "title"),
        ("record_decision", {"title": "   "}, "title"),
        ("record_decision", {"target": ""}, "target"),
        ("record_decision", {"rationale": "too short"}, "rationale"),
        ("record_decision", {"rationale": " " * 20}, "rationale"),
        ("record_decision", {"consequences": [1]}, "consequences"),
        ("supersede_decision", {"old_decision_ids": []}, "old_decision_ids"),
        ("supersede_decision", {"rationale": "fourteen chars"}, "rationale"),
        ("search_decisions", {"limit": 0}, "limit"),
        ("search_decisions", {"limit": 21}, "limit"),
        ("search_decisions", {"mode": "loose"}, "mode"),
        ("search_decisions", {"query": ""}, "query"),
    ],
)
def test_what_is_out_of_bounds_is_named(client, tool, changes, field):
    usual = {**USE, "old_decision_ids": [recorded(client)], "query": "x"}
    said = client.refused(OF, tool, **{**usual, **changes})
    assert said.startswith("Invalid Argument: ")
    assert field in said


def test_a_target_is_answered_once_by_what_stands(client):
    recorded(client)
    recorded(client, title="Use PostgreSQL 17", target=" Database_Policy ")
    other = recorded(client, target="cache_policy", title="Use Redis as a database cache")
    hits = searched(client, limit=20)
    assert len(hits) == 2
    assert other in {hit["id"] for hit in hits}
    assert len(searched(client, limit=20, mode="audit")) == 3


def test_an_agent_does_not_supersede_what_a_person_decided(client):
    old = by_ann(client)
    said = client.refused(OF, "supersede_decision", old_decision_ids=[old], **MOVE)
    assert said.startswith("Isolation Violation: ")


def test_a_person_supersedes_anything(client):
    old = recorded(client)
    mine = by_ann(client, "Use SQLite", supersedes=(old,))
    newer = by_ann(client, "Use DuckDB", supersedes=(mine,))
    assert [record(client, one).status for one in (old, mine, newer)] == [
        "superseded",
        "superseded",
        "active",
    ]


def test_what_stood_and_was_invalidated_is_deprecated(client):
    from recollect.ops import Invalidate

    old = recorded(client)
    client.engine.run(Invalidate(old))
    (hit,) = searched(client)
    assert hit["status"] == "deprecated"
    assert 0 <= hit["score"] <= 0.05
    assert searched(client, mode="strict") == []


def test_a_proposal_is_accepted_by_an_admin_after_an_hour(client, clock):
    id_ = proposed(client.engine, "Use one pool", "pooling")
    said = client.refused(OF, "accept_proposal", proposal_id=id_)
    assert said.startswith("Permission Denied: ")
    (hit,) = searched(client, "one pool")
    assert (hit["id"], hit["status"], hit["kind"]) == (id_, "draft", "proposal")
    with as_caller(client, role=Role.ADMIN) as admin:
        said = admin.refused(OF, "accept_proposal", proposal_id=id_)
        assert said.startswith("PI1 Violation: ")
        assert "60 minutes" in said
        clock.move(timedelta(minutes=59, seconds=59))
        assert "1 minute" in admin.refused(OF, "accept_proposal", proposal_id=id_)
        clock.move(timedelta(seconds=1))
        assert admin.ask(OF, "accept_proposal", proposal_id=id_)["status"] == "success"
        (hit,) = searched(client, "one pool")
        assert (hit["status"], hit["kind"]) == ("active", "decision")
        said = admin.refused(OF, "accept_proposal", proposal_id=id_)
        assert said.startswith("Conflict: ")
        assert admin.refused(OF, "accept_proposal", proposal_id="none.md").startswith("Not Found")


def test_decisions_of_one_agent_lie_apart_where_that_is_asked_for(client, clock):
    with governed(client, cooldown=60) as slow:
        recorded(slow)
        said = slow.refused(OF, "record_decision", **USE)
        assert said.startswith("Rate Limit Exceeded: ")
        by_ann(slow, "A person never waits.")
        with as_caller(slow, author=Author(AuthorKind.AGENT, "another")) as another:
            recorded(another)
        clock.move(timedelta(seconds=61))
        recorded(slow)

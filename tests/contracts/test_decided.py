"""What the documents of `membria` and `agent-memory` say of single fields, bounds and defaults."""

from __future__ import annotations

from datetime import timedelta

import pytest

from recollect.decisions import Decide
from recollect.decisions.measured import GetDecision
from recollect.model import Author, AuthorKind
from recollect.ops import Forget
from recollect.rules.calibrate import WEIGHTS
from tests.contracts.build import as_caller
from tests.contracts.test_agent_memory import USE, recorded, searched
from tests.contracts.test_membria import LESSON, ask, came_to, captured, learned, refused
from tests.engine.build import ledger

STAGES = ("pending", "executed", "completed", "failed", "reworked")
ANN = Author(AuthorKind.HUMAN, "ann")


def test_an_update_changes_what_is_given_and_nothing_else(client):
    id_ = captured(client)
    before = ask(client, "get_decision", decision_id=id_)
    same = ask(client, "update_decision", decision_id=id_)
    assert (same["previous_status"], same["new_status"]) == ("pending", "pending")
    for said, shown in (
        ({"linked_pr": "https://github.com/o/r/pull/7"}, "linked_pr"),
        ({"linked_commit": "0a1b2c3d"}, "linked_commit"),
    ):
        ask(client, "update_decision", decision_id=id_, **said)
        before |= said
        assert ask(client, "get_decision", decision_id=id_) == before, shown
    ask(client, "update_decision", decision_id=id_, confidence_update=0.1, notes="Ann\nasked.")
    assert ask(client, "get_decision", decision_id=id_) == before | {"confidence": 0.1}


def test_a_decision_goes_through_every_stage_and_back(client):
    id_ = captured(client)
    previous = "pending"
    for stage in (*STAGES, *STAGES[::-1]):
        moved = ask(client, "update_decision", decision_id=id_, status=stage)
        assert (moved["previous_status"], moved["new_status"]) == (previous, stage)
        assert ask(client, "get_decision", decision_id=id_)["status"] == stage
        previous = stage


def test_of_a_stage_and_an_outcome_what_was_said_last_holds(client):
    id_ = captured(client)

    def now():
        return ask(client, "get_decision", decision_id=id_)["status"]

    ask(client, "update_decision", decision_id=id_, status="reworked")
    came_to(client, id_, 0.9)
    assert now() == "completed"
    for stage in STAGES:
        moved = ask(client, "update_decision", decision_id=id_, status=stage)
        assert (moved["new_status"], now()) == (stage, stage)
    came_to(client, id_, 0.1)
    assert now() == "failed"
    assert ask(client, "get_decision", decision_id=id_)["outcome"] == "failure"


@pytest.mark.parametrize(
    ("tool", "changes", "field"),
    [
        ("update_decision", {"status": "done"}, "status"),
        ("update_decision", {"confidence_update": 1.01}, "confidence_update"),
        ("update_decision", {"confidence_update": -0.01}, "confidence_update"),
        ("update_decision", {"confidence_update": True}, "confidence_update"),
        ("record_outcome", {"final_score": 1.01}, "final_score"),
        ("record_outcome", {"final_score": -0.01}, "final_score"),
        ("record_outcome", {"final_status": "ok"}, "final_status"),
        ("record_outcome", {"lessons_learned": [""]}, "lessons_learned"),
        ("record_outcome", {"signals": {"reliability_score": 1.5}}, "signals.reliability_score"),
        ("record_outcome", {"signals": {"ci_passed": "yes"}}, "signals.ci_passed"),
        ("record_outcome", {"signals": {"incident_found": 1}}, "signals.incident_found"),
        ("record_outcome", {"signals": {"performance_metrics": []}}, "signals.performance_metrics"),
        ("record_signal", {"signal_type": "deployed"}, "signal_type"),
        ("record_signal", {"valence": "good"}, "valence"),
        ("record_signal", {"metrics": [1]}, "metrics"),
        ("record_signal", {"description": "x" * 1001}, "description"),
        ("get_confidence_guidance", {"decision_confidence": 1.5}, "decision_confidence"),
        ("get_all_calibrations", {"sort_by": "name"}, "sort_by"),
        ("get_all_calibrations", {"min_sample_size": 1.5}, "min_sample_size"),
        ("get_decision_context", {"depth": "deep"}, "depth"),
        ("get_decision_context", {"confidence": -1}, "confidence"),
        ("get_skills", {"min_confidence": 1.01}, "min_confidence"),
        ("get_skills", {"min_confidence": -0.01}, "min_confidence"),
        ("get_skills", {"limit": 0}, "limit"),
        ("get_skills", {"limit": 501}, "limit"),
        ("get_warnings", {"alternatives": [""]}, "alternatives"),
        ("get_warnings", {"confidence": 2}, "confidence"),
    ],
)
def test_what_is_out_of_bounds_is_named_and_changes_nothing(client, tool, changes, field):
    usual = {
        "decision_id": captured(client),
        "final_status": "success",
        "final_score": 1,
        "signal_type": "ci_passed",
        "valence": "positive",
        "domain": "auth",
        "module": "auth",
        "statement": "Use passkeys for login",
    }
    error = refused(client, tool, **{**usual, **changes})
    assert error["code"] == -32602
    assert error["data"]["field"].startswith(field)


@pytest.mark.parametrize("score", [0, 0.0, 1, 1.0, 0.5])
@pytest.mark.parametrize("status", ["success", "partial", "failure"])
def test_an_outcome_has_its_own_words_and_bounds(client, status, score):
    id_ = captured(client)
    told = ask(
        client,
        "record_outcome",
        decision_id=id_,
        final_status=status,
        final_score=score,
        signals={
            "ci_passed": True,
            "incident_found": False,
            "performance_metrics": {"p95": 1.5},
            "reliability_score": 1,
        },
        lessons_learned=["Pool the connections"],
    )
    assert (told["decision_id"], told["final_status"], told["final_score"]) == (id_, status, score)
    assert told["outcome_id"].startswith("outcome_")
    assert told["completed_at"].endswith("Z")
    assert told["calibration_impact"]["domain"] == "database"
    assert told["calibration_impact"]["new_success_rate"] == pytest.approx((1 + score) / 3)
    assert ask(client, "get_decision", decision_id=id_)["outcome"] == status


def test_an_outcome_counts_for_the_domain_that_it_names(client):
    id_ = captured(client)
    impact = came_to(client, id_, 0.9, decision_domain="kitchen")["calibration_impact"]
    assert (impact["domain"], impact["sample_size"]) == ("kitchen", 1)
    assert ask(client, "get_calibration", domain="database")["sample_size"] == 0
    # Said again without it, it is the decision's own.
    impact = came_to(client, id_, 0.9)["calibration_impact"]
    assert (impact["domain"], impact["sample_size"]) == ("database", 1)
    assert ask(client, "get_calibration", domain="kitchen")["sample_size"] == 0


@pytest.mark.parametrize("type_", WEIGHTS)
@pytest.mark.parametrize("valence", ["positive", "negative", "neutral"])
def test_every_signal_moves_the_estimate_as_its_valence_says(client, type_, valence):
    id_ = captured(client)
    said = {"signal_type": type_, "valence": valence}
    told = ask(client, "record_signal", decision_id=id_, **said)
    assert told["signal_id"].startswith("sig_")
    assert told["decision_id"] == id_
    assert told["recorded_at"].endswith("Z")
    moved = (told["estimated_success"] > 0.5) - (told["estimated_success"] < 0.5)
    assert moved == {"positive": 1, "negative": -1, "neutral": 0}[valence]


def test_calibrations_are_of_those_that_have_enough_and_in_the_order_asked_for(client, clock):
    for domain, scores in {
        "auth": (0.2, 0.3, 0.2, 0.9, 1.0, 0.9) + (0.2,) * 6 + (1.0,) * 8,
        "database": (0.9, 1.0, 0.9, 0.8),
        "infra": (0.5, 0.4, 0.6),
        "api": (1.0, 1.0),
    }.items():
        for place, score in enumerate(scores):
            clock.move(timedelta(hours=1))
            learned(client, f"Decide on {domain} matter {place}", score, module=domain)

    def names(**said):
        answer = ask(client, "get_all_calibrations", **said)
        return [one["domain"] for one in answer["domains"]], answer

    listed, whole = names()
    assert sorted(listed) == ["auth", "database", "infra"]
    assert whole["last_updated"]
    assert whole["overall_calibration"] in {"well-calibrated", "overconfident", "underconfident"}
    assert sorted(names(min_sample_size=0)[0]) == ["api", "auth", "database", "infra"]
    assert names(min_sample_size=4)[0] == ["auth", "database"]
    assert names(min_sample_size=21)[0] == []
    assert names(sort_by="success_rate")[0] == ["database", "auth", "infra"]
    one = {name: ask(client, "get_calibration", domain=name) for name in listed}
    by_variance = sorted(listed, key=lambda name: one[name]["variance"])
    assert names(sort_by="variance")[0] == by_variance
    trends = names(sort_by="trend")[1]["domains"]
    order = ["improving", "stable", "declining"]
    assert [entry["trend"] for entry in trends] == sorted(
        (entry["trend"] for entry in trends), key=order.index
    )
    assert one["auth"]["trend"] == "improving"
    for entry in trends:
        whole = one[entry["domain"]]
        assert {name: whole[name] for name in entry} == entry


def test_a_calibration_without_a_domain_is_of_all(client):
    learned(client, "Rotate the signing keys", 1.0, module="auth")
    learned(client, "Use PostgreSQL for user data", 0.0)
    told = ask(client, "get_calibration")
    assert (told["domain"], told["sample_size"], told["success_rate"]) == ("overall", 2, 0.5)
    assert told["mean_confidence"] == pytest.approx(0.8)
    assert told["confidence_gap"] == pytest.approx(0.3)
    assert told["brier_score"] == pytest.approx((0.2**2 + 0.8**2) / 2)
    assert told["expected_calibration_error"] == pytest.approx(0.3)
    for place in range(2):
        learned(client, f"Use PostgreSQL for part {place}", 0.0)
    assert "brier_score" not in ask(client, "get_calibration", domain="database")


def test_guidance_has_the_patterns_that_worked(client):
    for place in range(4):
        learned(client, f"Use PostgreSQL for service number {place}", 0.9, LESSON)
    told = ask(
        client,
        "get_confidence_guidance",
        domain="database",
        decision_confidence=0.5,
        context="Pool connections early for the new service",
    )
    assert (told["status"], told["sample_size"], told["your_confidence"]) == (
        "data_available",
        4,
        0.5,
    )
    assert told["confidence_gap"] == pytest.approx(0.5 - 0.9)
    assert told["calibration_status"] == "underconfident"
    assert 0 < told["adjustment"] <= 0.4
    low, high = told["credible_interval_95"]
    assert low < told["actual_success_rate"] < high
    assert 1 <= len(told["similar_patterns"]) <= 3
    for pattern in told["similar_patterns"]:
        assert pattern.keys() >= {"pattern", "success_rate", "confidence", "recommendation"}


def test_a_context_is_standard_and_holds_a_confidence_against_the_domain(client):
    for place in range(6):
        learned(client, f"Use PostgreSQL for service number {place}", 0.9, LESSON)
    said = {"statement": "Use PostgreSQL for another service", "module": "database"}
    usual = ask(client, "get_decision_context", **said)
    assert usual == ask(client, "get_decision_context", **said, depth="standard")
    assert usual["decision_statement"] == said["statement"]
    assert (len(usual["similar_decisions"]), len(usual["applicable_skills"])) == (3, 2)
    assert all(one["lessons"] == [LESSON] for one in usual["similar_decisions"])
    calibration = usual["calibration_context"]
    assert (calibration["your_confidence"], calibration["domain"]) == (None, "database")
    assert calibration["gap"] == pytest.approx(0.8 - 0.9)
    sure = ask(client, "get_decision_context", **said, confidence=0.5)["calibration_context"]
    assert sure["gap"] == pytest.approx(0.5 - 0.9)
    assert (sure["team_success_rate"], sure["team_confidence"]) == (
        pytest.approx(0.9),
        pytest.approx(0.8),
    )
    full = ask(client, "get_decision_context", **said, depth="full")
    assert len(full["similar_decisions"]) == 6
    assert full["causal_context"].keys() == {
        "previous_failed_decisions",
        "lessons_learned",
        "causal_chains",
        "related_decisions",
    }


def test_an_analysis_has_the_chain_from_decision_to_skill(client):
    for place in range(3):
        id_, _ = learned(client, f"Use PostgreSQL for service number {place}", 0.9, LESSON)
    ask(client, "update_decision", decision_id=id_, linked_commit="0a1b2c3d")
    merged = {"signal_type": "pr_merged", "valence": "positive", "description": "Schema migration"}
    ask(client, "record_signal", decision_id=id_, **merged)
    told = ask(client, "analyze_decision", decision_id=id_)
    assert told["statement"] == "Use PostgreSQL for service number 2"
    chain = told["analysis"]["causal_chain"]
    assert chain["implementation"] == "commit 0a1b2c3d, Schema migration"
    assert (chain["outcome"], chain["lesson"]) == ("Success (0.90 score)", LESSON)
    assert chain["skill_generated"]
    assert told["analysis"]["prevention_effectiveness"] == {
        "prevented_decisions": 0,
        "prevented_issue": None,
    }
    assert len(told["analysis"]["similar_decisions"]) == 2


def test_at_most_ten_skills_from_seven_tenths_on_are_told_unless_asked_otherwise(client):
    subjects = "oak elm ash fir yew bay fig hop rye oat pea hay".split()
    for subject in subjects:
        for place in range(3):
            learned(client, f"Plant more {subject} in field {place}", 0.95, f"Water the {subject}")
    said = {"domain": "database"}
    assert len(ask(client, "get_skills", **said)["skills"]) == 10
    every = ask(client, "get_skills", **said, limit=500, min_confidence=0)["skills"]
    assert len(every) >= len(subjects)
    assert len(ask(client, "get_skills", **said, limit=1)["skills"]) == 1
    confident = [one["confidence"] for one in every]
    assert confident == sorted(confident, reverse=True)
    least = max(confident) + 0.001
    assert ask(client, "get_skills", **said, min_confidence=least)["skills"] == []


@pytest.mark.parametrize("mode", ["strict", "balanced"])
def test_five_decisions_are_found_unless_more_are_asked_for(client, mode):
    for place in range(25):
        recorded(client, target=f"database_{place}")
    assert len(searched(client, mode=mode)) == 5
    assert len(searched(client, mode=mode, limit=20)) == 20
    assert len(searched(client, mode=mode, limit=1)) == 1


def test_consequences_are_none_unless_there_are_some(client):
    for said, kept in (({}, ()), ({"consequences": ["Backups are ours.", "日本語"]}, None)):
        id_ = recorded(client, **said)
        decision = client.engine.run(GetDecision(id_)).whole.decision
        assert decision.consequences == (tuple(said["consequences"]) if kept is None else kept)


def test_an_id_of_another_kind_names_no_decision(client):
    id_ = captured(client)
    outcome = came_to(client, id_, 0.9)["outcome_id"]
    memory = client.ask("memento", "store_memory", content="The sky is blue.")["created"]["id"]
    for other in (outcome, memory, f"dec_{memory}", outcome.replace("outcome_", "dec_")):
        for tool in ("get_decision", "analyze_decision", "update_decision"):
            code = refused(client, tool, decision_id=other)["code"]
            assert code == (-32003 if other.startswith("dec_") else -32602)
        said = {"old_decision_ids": [other], **USE}
        answer = client.refused("agent-memory", "supersede_decision", **said)
        assert answer.startswith("Not Found: ")


def test_what_is_deleted_is_gone_and_the_ledger_says_so(client):
    id_, _ = learned(client, "Use PostgreSQL for user data", 0.9, LESSON)
    client.engine.run(Forget((id_,), author=ANN))
    assert refused(client, "get_decision", decision_id=id_)["code"] == -32003
    assert any(event.record == id_ and event.verb == "forget" for event in ledger(client.engine))


def test_a_decision_that_was_captured_again_is_another_one(client):
    said = {"statement": "Use PostgreSQL for user data", "alternatives": ["x"], "confidence": 0.5}
    one, two = (ask(client, "capture_decision", **said)["decision_id"] for _ in range(2))
    assert one != two
    told = ask(client, "get_decision", decision_id=one)
    assert [like["decision_id"] for like in told["similar_decisions"]] == [two]


def test_whose_a_decision_is_follows_from_how_it_came(client):
    theirs = client.engine.run(Decide("Use DuckDB", "Columns.", "db", author=ANN)).decision.record
    assert ask(client, "get_decision", decision_id=theirs.id)["created_by"] == "human"
    mine = captured(client, created_by="human", author="ann")
    assert ask(client, "get_decision", decision_id=mine)["created_by"] == "tests"
    for name in ("human", " Human "):
        with as_caller(client, author=Author(AuthorKind.AGENT, name)) as forger:
            forged = captured(forger)
        assert ask(client, "get_decision", decision_id=forged)["created_by"] == "agent"

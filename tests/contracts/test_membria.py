"""The contract `membria`, as its document has it, on every kind of store."""

from __future__ import annotations

import hashlib
import json
from datetime import timedelta

import pytest
from scipy import stats

from recollect.decisions import Decide
from recollect.decisions.measured import Mine
from recollect.model import Author, AuthorKind
from tests.contracts.build import as_caller
from tests.engine.build import governed, ledger

OF = "membria"
ANN = Author(AuthorKind.HUMAN, "ann")
POSTGRES = {
    "statement": "Use PostgreSQL for user database instead of MongoDB",
    "alternatives": ["MongoDB", "SQLite", "MySQL"],
    "confidence": 0.82,
    "assumptions": ["PostgreSQL can handle 10k+ req/s", "Team has PostgreSQL experience"],
    "risk_level": "medium",
    "context": {
        "module": "database",
        "session_id": "sess_phase3_work",
        "file_path": "src/db/schema.ts",
        "reasoning": "ACID guarantees needed for transactions",
    },
}


def ask(client, tool, **arguments):
    return client.ask(OF, f"membria.{tool}", **arguments)


def refused(client, tool, **arguments):
    return client.refused(OF, f"membria.{tool}", **arguments)


def captured(client, **changes):
    return ask(client, "capture_decision", **{**POSTGRES, **changes})["decision_id"]


def came_to(client, id_, score, *lessons, **more):
    status = "success" if score >= 0.7 else "failure" if score < 0.4 else "partial"
    said = {"final_status": status, "final_score": score, "lessons_learned": list(lessons)}
    return ask(client, "record_outcome", decision_id=id_, **{**said, **more})


def learned(client, statement, score, *lessons, confidence=0.8, module="database", **more):
    id_ = captured(
        client, statement=statement, confidence=confidence, context={"module": module}, **more
    )
    return id_, came_to(client, id_, score, *lessons)


def test_a_decision_is_captured_and_read_whole(client):
    new = ask(client, "capture_decision", **POSTGRES)
    assert (new["status"], new["confidence"]) == ("pending", 0.82)
    told = ask(client, "get_decision", decision_id=new["decision_id"])
    assert told["statement"] == POSTGRES["statement"]
    assert told["alternatives"] == POSTGRES["alternatives"]
    assert told["assumptions"] == POSTGRES["assumptions"]
    assert (told["module"], told["created_by"]) == ("database", "tests")
    assert (told["status"], told["outcome"]) == ("pending", None)
    names = ("statement", "alternatives", "assumptions", "module", "reasoning", "created_at")
    said = {name: told[name] for name in names}
    canonical = json.dumps(said, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert told["context_hash"] == hashlib.sha256(canonical.encode()).hexdigest()


def test_a_governed_decision_is_read_with_what_it_does_not_say(client):
    rationale = "It has to be ACID, says everybody."
    id_ = client.ask(
        "agent-memory", "record_decision", title="Use SQLite", target="db", rationale=rationale
    )["decision_id"]
    told = ask(client, "get_decision", decision_id=id_)
    assert (told["statement"], told["reasoning"]) == ("Use SQLite", rationale)
    assert (told["alternatives"], told["confidence"]) == ([], 0.5)
    said = Decide("Use DuckDB", "It reads columns.", "db", author=ANN)
    theirs = client.engine.run(said).decision.record.id
    told = ask(client, "get_decision", decision_id=theirs)
    assert (told["created_by"], told["confidence"]) == ("human", 1.0)
    # And the other way round.
    mine = captured(client)
    hits = client.ask("agent-memory", "search_decisions", query="PostgreSQL or MongoDB", limit=20)
    assert mine in {hit["id"] for hit in hits["results"]}


def test_what_came_of_a_decision_is_its_stage(client):
    id_ = captured(client)
    moved = ask(client, "update_decision", decision_id=id_, status="executed", linked_pr="#1")
    assert (moved["previous_status"], moved["new_status"]) == ("pending", "executed")
    came_to(client, id_, 0.87)
    told = ask(client, "get_decision", decision_id=id_)
    assert (told["status"], told["outcome"], told["linked_pr"]) == ("completed", "success", "#1")
    came_to(client, id_, 0.1)
    assert ask(client, "get_decision", decision_id=id_)["status"] == "failed"
    again = ask(client, "update_decision", decision_id=id_, status="reworked")
    assert again["new_status"] == "reworked"


def test_an_outcome_said_again_replaces_the_first_and_counts_once(client):
    id_ = captured(client)
    first = came_to(client, id_, 1.0)
    assert first["calibration_impact"]["previous_success_rate"] is None
    second = came_to(client, id_, 0.0)
    impact = second["calibration_impact"]
    assert impact["sample_size"] == 1
    assert impact["previous_success_rate"] == pytest.approx(2 / 3)
    assert impact["new_success_rate"] == pytest.approx(1 / 3)
    assert impact["confidence_gap"] == pytest.approx(0.82)
    verbs = [event.record for event in ledger(client.engine) if event.verb == "outcome"]
    assert {first["outcome_id"], second["outcome_id"]} <= {*verbs}


def test_a_calibration_is_the_beta_posterior_to_the_digit(client):
    scores = (1.0, 0.9, 0.4, 0.0, 0.75)
    for place, score in enumerate(scores):
        learned(client, f"Use the database number {place}", score, confidence=0.9)
    told = ask(client, "get_calibration", domain="database")
    theirs = stats.beta(1 + sum(scores), 1 + len(scores) - sum(scores))
    assert told["sample_size"] == 5
    assert told["success_rate"] == pytest.approx(theirs.mean(), abs=1e-9)
    assert told["variance"] == pytest.approx(theirs.var(), abs=1e-9)
    assert told["credible_interval_95"] == pytest.approx(theirs.interval(0.95), abs=1e-9)
    assert told["confidence_gap"] == pytest.approx(0.9 - sum(scores) / 5)
    assert told["status"] == "overconfident"
    bare = {"include_trend": False, "include_credible_interval": False}
    told = ask(client, "get_calibration", domain="database", **bare)
    assert not {"trend", "credible_interval_95"} & told.keys()
    every = ask(client, "get_all_calibrations", sort_by="success_rate")
    assert [one["domain"] for one in every["domains"]] == ["database"]
    brier = sum((0.9 - score) ** 2 for score in scores) / 5
    assert every["brier_score"] == pytest.approx(brier)


def test_other_priors_can_be_set(client):
    learned(client, "Use the database number one", 1.0)
    with governed(client, prior_successes=3.0, prior_failures=2.0):
        told = ask(client, "get_calibration")
    assert (told["alpha"], told["beta"]) == (4.0, 2.0)


def test_too_few_outcomes_say_so_and_none_answer_the_prior(client):
    told = ask(client, "get_calibration", domain="auth")
    assert (told["sample_size"], told["status"]) == (0, "no_data")
    assert (told["alpha"], told["beta"]) == (1.0, 1.0)
    learned(client, "Use passkeys for the login", 1.0, module="auth")
    error = refused(client, "get_calibration", domain="auth")
    assert error["code"] == -32002
    told = ask(client, "get_confidence_guidance", domain="auth", decision_confidence=0.5)
    assert (told["status"], told["sample_size"]) == ("data_available", 1)
    told = ask(client, "get_confidence_guidance", domain="infra")
    assert (told["status"], told["adjustment"]) == ("no_data", None)


def test_guidance_takes_back_what_is_too_much(client):
    for place, score in enumerate((1.0, 1.0, 0.0, 0.5, 0.5, 1.0, 0.0, 1.0)):
        learned(client, f"Rotate the auth token number {place}", score, module="auth")
    told = ask(client, "get_confidence_guidance", domain="auth", decision_confidence=0.8)
    assert told["actual_success_rate"] == pytest.approx(0.625)
    assert told["confidence_gap"] == pytest.approx(0.175)
    assert told["calibration_status"] == "overconfident"
    assert -0.175 < told["adjustment"] < 0


def test_signals_move_what_is_expected(client):
    id_ = captured(client)

    def seen(type_, valence, **more):
        said = {"signal_type": type_, "valence": valence, **more}
        return ask(client, "record_signal", decision_id=id_, **said)["estimated_success"]

    first = seen("pr_created", "neutral")
    better = seen("ci_passed", "positive", metrics={"seconds": 80})
    worse = seen("incident", "negative", description="The pool ran dry.")
    assert first == pytest.approx(0.5)
    assert better > first > worse
    told = ask(client, "analyze_decision", decision_id=id_)["analysis"]["causal_chain"]
    assert told["signals"] == [
        "pr_created (neutral)",
        "ci_passed (positive)",
        "incident (negative)",
    ]


LESSON = "Set up connection pooling early"


def test_what_worked_three_times_is_a_skill_and_matures(client):
    for place in range(3):
        _, answer = learned(client, f"Use PostgreSQL for service number {place}", 0.9, LESSON)
    assert answer["skill_generated"]["skill"]
    for place in range(3, 8):
        learned(client, f"Use PostgreSQL for service number {place}", 1.0, LESSON)
    found = ask(client, "get_skills", domain="database")
    said = {one["statement"]: one for one in found["skills"]}
    skill = said[LESSON]
    assert skill["evidence"]["total_outcomes"] == 8
    assert len(skill["evidence"]["decisions"]) == 8
    assert skill["status"] == "mature"
    theirs = stats.beta(1 + 7.7, 1 + 0.3)
    assert skill["confidence"] == pytest.approx(theirs.mean(), abs=1e-9)
    fits = ask(client, "get_skills", domain="database", decision_statement="Pool connections")
    assert all(0 <= one["applicability_score"] <= 1 for one in fits["skills"])
    context = ask(client, "get_decision_context", statement="Use PostgreSQL for another service")
    assert context["applicable_skills"]


def test_what_failed_three_times_is_an_antipattern_that_warns(client):
    for place in range(4):
        learned(
            client,
            f"Run database migrations without testing on system {place}",
            0.05,
            "Test migrations on a copy of the data first",
        )
    found = ask(client, "get_skills", domain="database")
    assert found["antipatterns"]
    assert {one["severity"] for one in found["antipatterns"]} <= {"high", "medium"}
    told = ask(
        client,
        "get_warnings",
        statement="Run database migrations without testing on the new system",
        module="database",
        confidence=0.95,
    )
    types = {one["type"] for one in told["warnings"]}
    assert {"antipattern", "overconfidence"} <= types
    assert told["firewall_status"] in {"caution", "block"}
    assert 0.4 <= told["risk_score"] <= 1


STALE = (
    "Cache invalidation missed on write, stale reads",
    "Stale data served since the cache was not invalidated",
)


def test_failures_in_other_words_are_one_antipattern(minded):
    minded.engine.settle()
    statements = ("Cache pages in Redis", "Keep profiles in memory", "Put results into the CDN")
    for place, statement in enumerate(statements):
        besides = ("The vendor raised prices", "Ann was away", "Rain got into the cellar")[place]
        learned(minded, statement, 0.1, STALE[place % 2], besides, module="backend")
    found = ask(minded, "get_skills", domain="backend")["antipatterns"]
    assert [one["pattern"] in STALE for one in found] == [True]
    told = ask(
        minded,
        "get_warnings",
        statement="Serve stale data, for the cache is not invalidated",
        module="backend",
    )
    assert [one["type"] for one in told["warnings"]] == ["antipattern"]


def test_a_repeat_in_other_words_is_warned_of_and_another_matter_is_not(minded):
    minded.engine.settle()
    learned(minded, "Keep the users in a Postgres database", 0.05)
    said = {"statement": "Store user accounts in PostgreSQL", "module": "database"}
    types = [one["type"] for one in ask(minded, "get_warnings", **said)["warnings"]]
    assert types == ["repeated_failure"]
    said["statement"] = "Render the invoices as PDF files"
    assert ask(minded, "get_warnings", **said)["warnings"] == []


def test_nothing_is_similar_to_what_has_nothing_like_it(minded):
    minded.engine.settle()
    like = captured(minded, statement="Keep the users in a Postgres database")
    captured(minded, statement="Put search results into the CDN", context={"module": "infra"})
    for statement in ("Adopt the four day work week", "Buy a new coffee machine for the office"):
        told = ask(minded, "get_decision_context", statement=statement, depth="full")
        assert told["similar_decisions"] == []
        assert told["causal_context"]["related_decisions"] == []
    said = "Use PostgreSQL for user database"
    (one,) = ask(minded, "get_decision_context", statement=said)["similar_decisions"]
    assert one["decision_id"] == like
    assert ask(minded, "get_decision", decision_id=like)["similar_decisions"] == []


def test_a_skill_that_turns_is_retired(client, clock):
    ids = []
    for place in range(3):
        id_, _ = learned(client, f"Use PostgreSQL for service number {place}", 0.9, LESSON)
        ids.append(id_)
    for id_ in ids:
        came_to(client, id_, 0.0, LESSON)
    assert ask(client, "get_skills", domain="database", min_confidence=0)["skills"] == []
    clock.move(timedelta(days=1))
    client.engine.run(Mine())
    assert ask(client, "get_skills", domain="database", min_confidence=0)["skills"] == []


def test_mining_finds_no_more_than_was_learned_at_once_and_then_only_what_is_new(client):
    for place in range(5):
        learned(client, f"Use PostgreSQL for service number {place}", 0.9, LESSON)
    before = ask(client, "get_skills", domain="database")
    assert client.engine.run(Mine()).outcomes == 5
    assert client.engine.run(Mine()).outcomes == 0
    assert ask(client, "get_skills", domain="database") == before
    learned(client, "Use PostgreSQL for the last service", 0.9, LESSON)
    assert client.engine.run(Mine()).outcomes == 1


def test_a_skill_is_withheld_from_some_and_both_arms_are_told(client):
    for place in range(12):
        learned(client, f"Use PostgreSQL for service number {place}", 0.9, LESSON)
    with governed(client, withheld=0.5):
        found = ask(client, "get_skills", domain="database", min_confidence=0)
        trial = found["skills"][0]["trial"]
        assert trial["shown_outcomes"] + trial["withheld_outcomes"] == 12
        statements = [f"Use PostgreSQL for thing {place}" for place in range(20)]
        shown = [
            len(ask(client, "get_skills", domain="database", decision_statement=one)["skills"])
            for one in statements
        ]
        assert len({*shown}) > 1
        assert shown == [
            len(ask(client, "get_skills", domain="database", decision_statement=one)["skills"])
            for one in statements
        ]


def test_context_has_three_depths(client):
    for place in range(5):
        learned(client, f"Use PostgreSQL for service number {place}", 0.9, LESSON)
    learned(client, "Use MongoDB for the user data", 0.1, "Benchmark the alternatives")
    said = {"statement": "Use MongoDB for the user data", "module": "database", "confidence": 0.9}
    minimal = ask(client, "get_decision_context", **said, depth="minimal")
    assert minimal.keys() == {
        "decision_statement",
        "calibration_context",
        "warnings",
        "firewall_status",
    }
    assert len(minimal["warnings"]) == 1
    standard = ask(client, "get_decision_context", **said)
    assert len(standard["similar_decisions"]) <= 3
    assert len(standard["applicable_skills"]) <= 2
    assert "causal_context" not in standard
    assert "repeated_failure" in {one["type"] for one in standard["warnings"]}
    full = ask(client, "get_decision_context", **said, depth="full")["causal_context"]
    assert "Use MongoDB for the user data" in full["previous_failed_decisions"]
    assert "Benchmark the alternatives" in full["lessons_learned"]
    assert full["causal_chains"]


def test_a_standing_decision_speaks_against_what_it_turned_down(client):
    client.engine.run(
        Decide("Use PostgreSQL", "ACID.", "database", alternatives=("MongoDB",), author=ANN)
    )
    told = ask(client, "get_warnings", statement="Use MongoDB for it", module="database")
    assert [one["type"] for one in told["warnings"]] == ["contradiction"]
    assert told["warnings"][0]["severity"] == "high"
    assert told["firewall_status"] == "caution"
    told = ask(client, "get_warnings", statement="Use PostgreSQL", module="database")
    assert (told["warnings"], told["firewall_status"], told["risk_score"]) == ([], "clear", 0.0)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"confidence": 1.5}, "confidence_out_of_range"),
        ({"confidence": -0.1}, "confidence_out_of_range"),
        ({"alternatives": []}, "missing_alternatives"),
        ({"context": {"module": "kitchen"}}, "invalid_module"),
        ({"statement": "too short"}, "invalid_statement"),
        ({"statement": "x" * 501}, "invalid_statement"),
        ({"statement": "a\x1b[2J statement"}, "invalid_statement"),
        ({"confidence": "high"}, "invalid_argument"),
        ({"assumptions": "one"}, "invalid_argument"),
    ],
)
def test_what_is_wrong_with_a_capture_is_named(client, changes, reason):
    error = refused(client, "capture_decision", **{**POSTGRES, **changes})
    assert error["code"] == -32602
    assert error["data"]["reason"] == reason
    assert error["data"]["field"].split(".")[0] in changes
    assert error["data"]["suggestion"]


def test_alternatives_cannot_be_left_out(client):
    error = refused(client, "capture_decision", statement="A statement.", confidence=0.5)
    assert error["data"]["reason"] == "missing_alternatives"
    assert error["data"]["received"] is None


@pytest.mark.parametrize(
    "statement",
    [
        "",
        " ",
        "too short",
        "  short  ",
        "x" * 501,
        "a\x1b[2J text",
        "\u202eUse a pool",
        "a\x00b c d e f",
    ],
)
@pytest.mark.parametrize("tool", ["capture_decision", "get_decision_context", "get_warnings"])
def test_a_statement_has_ten_to_five_hundred_characters_that_are_seen(client, tool, statement):
    usual = {**POSTGRES, "module": "database", "context": {}}
    error = refused(client, tool, **{**usual, "statement": statement})
    assert (error["code"], error["data"]["field"]) == (-32602, "statement")
    assert {"problem", "received", "suggestion"} <= error["data"].keys()
    for fitting in ("x" * 10, "x" * 500, "日本語の決定はここに書く", "Use 👩‍💻 and می‌خواهم for it"):
        ask(client, tool, **{**usual, "statement": fitting})


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("capture_decision", {**POSTGRES, "confidence": 7}),
        ("capture_decision", {**POSTGRES, "statement": None}),
        ("capture_decision", {**POSTGRES, "alternatives": []}),
        ("capture_decision", {**POSTGRES, "alternatives": [""]}),
        ("get_decision", {"decision_id": "outcome_x"}),
        ("get_decision", {}),
        ("get_skills", {"domain": " "}),
        ("get_skills", {"domain": "auth", "limit": 0}),
        ("get_confidence_guidance", {"domain": ""}),
    ],
)
def test_invalid_params_have_field_problem_received_and_suggestion(client, tool, arguments):
    error = refused(client, tool, **arguments)
    assert error["code"] == -32602
    assert {"field", "problem", "received", "suggestion", "reason"} <= error["data"].keys()


def test_a_domain_is_the_same_in_capitals_and_between_blanks(client):
    for place in range(3):
        id_ = captured(client, statement=f"Rotate the signing keys of part {place}")
        came_to(client, id_, 0.9, "Rotate keys every month", decision_domain=" AUTH ")
    told = ask(client, "get_calibration", domain="Auth")
    assert (told["domain"], told["sample_size"]) == ("auth", 3)
    assert ask(client, "get_confidence_guidance", domain="AUTH")["sample_size"] == 3
    assert ask(client, "get_skills", domain=" auth")["skills"]
    told = ask(client, "get_calibration", domain=" ")
    assert (told["domain"], told["sample_size"]) == ("overall", 3)


def test_a_similar_decision_is_told_by_what_came_of_it_against_how_sure_this_one_is(client):
    like = captured(client, statement="Use PostgreSQL for analytics", confidence=0.4)
    id_ = captured(client, statement="Use PostgreSQL for user database", confidence=0.82)
    (one,) = ask(client, "get_decision", decision_id=id_)["similar_decisions"]
    assert (one["success_rate"], one["confidence_difference"]) == (None, None)
    came_to(client, like, 0.88)
    (one,) = ask(client, "get_decision", decision_id=id_)["similar_decisions"]
    assert (one["success_rate"], one["confidence_difference"]) == (0.88, 0.06)


def test_a_decision_that_is_not_there_has_a_code_of_its_own(client):
    for tool in ("get_decision", "analyze_decision", "update_decision"):
        assert refused(client, tool, decision_id="dec_none")["code"] == -32003
        assert refused(client, tool, decision_id="nothing")["code"] == -32602
    said = {"decision_id": "dec_none", "final_status": "success", "final_score": 1}
    assert refused(client, "record_outcome", **said)["code"] == -32003


def test_what_a_person_decided_has_outcomes_and_stays_as_it_is(client):
    id_ = client.engine.run(Decide("Use DuckDB", "Columns.", "db", author=ANN)).decision.record.id
    before = ask(client, "get_decision", decision_id=id_)
    error = refused(client, "update_decision", decision_id=id_, status="failed")
    assert (error["code"], error["data"]["reason"]) == (-32602, "isolated")
    came_to(client, id_, 0.9)
    after = ask(client, "get_decision", decision_id=id_)
    assert (after["status"], after["outcome"]) == ("completed", "success")
    kept = ("statement", "reasoning", "confidence", "context_hash", "created_by")
    assert [after[name] for name in kept] == [before[name] for name in kept]


def test_decisions_of_others_are_not_seen(client):
    id_ = captured(client)
    with as_caller(client, tenant="other") as other:
        assert other.refused(OF, "membria.get_decision", decision_id=id_)["code"] == -32003
        told = other.ask(OF, "membria.get_all_calibrations")
        assert told["domains"] == []

"""How a server does, as Prometheus reads it."""

from __future__ import annotations

import re

from recollect.decisions import Decide
from recollect.decisions.measured import RecordOutcome
from recollect.model import Role
from recollect.ops import CreateKey
from tests.engine.build import remember
from tests.ways.http.conftest import calling, request

NAME = "mcp_server_operation_duration_seconds"


def talk(*documents, **headers):
    async def ask(client):
        for document in documents:
            await client.post("/mcp", json=document, headers=headers)
        return await client.get("/metrics", headers=headers)

    return ask


def test_calls_are_counted_by_tool_and_by_how_they_ended(visit):
    answer = visit(
        talk(
            calling("store_memory", content="A fact."),
            calling("store_memory", content="Another fact."),
            calling("store_memory"),
            calling("made up by a client"),
            request("tools/list"),
        )
    )
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    found = {
        (match["tool"], match["error"]): int(match["n"])
        for match in re.finditer(
            rf'{NAME}_count{{mcp_method_name="[^"]+",gen_ai_tool_name="(?P<tool>[^"]*)",'
            r'error_type="(?P<error>[^"]*)"[^}]*} (?P<n>\d+)',
            answer.text,
        )
    }
    assert found == {
        ("store_memory", ""): 2,
        ("store_memory", "tool_error"): 1,
        ("unknown", "-32602"): 1,
        ("", ""): 1,
    }
    assert "made up" not in answer.text


def test_what_is_asked_by_rest_is_counted_too(visit):
    async def ask(client):
        await client.post("/api/v1/recall", json={"query": "x"})
        await client.post("/api/v1/recall", json={})
        return (await client.get("/metrics")).text

    text = visit(ask)
    for error in ("", "400"):
        assert re.search(f'gen_ai_tool_name="Recall",error_type="{error}"[^}}]*}} 1', text)


def test_the_store_and_the_model_are_measured(visit, engine):
    remember(engine, "A fact.")
    text = visit(talk()).text
    assert 'recollect_records{kind="memories"} 1' in text
    assert "recollect_store_bytes " in text
    assert 'recollect_embedding_cache_total{result="hit"}' in text
    assert re.search(r'recollect_model_ready{model="[^"]+"} [01]\n', text)


def test_who_waits_for_a_turn_is_counted(visit):
    text = visit(talk()).text
    assert 'recollect_turns{state="taken"} 0' in text
    assert 'recollect_turns{state="waiting"} 0' in text


def test_calibration_is_measured_by_domain(visit, engine):
    made = engine.run(Decide("Use PostgreSQL for orders", module="database", confidence=0.9))
    engine.run(RecordOutcome(made.decision.record.id, "success", 1.0))
    text = visit(talk()).text
    assert 'recollect_calibration_outcomes{domain="database"} 1' in text
    assert 'recollect_calibration_gap{domain="database"} -0.1' in text


def test_numbers_are_for_those_who_are_let_in_and_of_their_own_tenant(visit, engine):
    remember(engine, "A fact.")
    secret = engine.run(CreateKey("one", Role.VIEWER, "other")).secret
    assert visit(talk()).status_code == 401
    text = visit(talk(authorization=f"Bearer {secret}")).text
    assert 'recollect_records{kind="memories"} 0' in text

"""One memory behind all contracts: what one keeps, changes or ends, the others have at once."""

from __future__ import annotations

import pytest

from tests.contracts.across import CURRENT, FINDS, KEEPS, LISTS, new_id

FACT = "The quagga sleeps in the lighthouse."
QUERY = "quagga lighthouse"


def keep(client, way, text=FACT):
    return new_id(way, client.ask(way.of, way.tool, **{way.takes: text}))


def found(client, way, query=QUERY):
    return way.ids(client.ask(way.of, way.tool, **({way.takes: query} if way.takes else {})))


@pytest.fixture(params=KEEPS, ids=str)
def kept_by(request):
    return request.param


def test_what_one_contract_keeps_every_other_finds_first_under_the_same_id(client, kept_by):
    keep(client, kept_by, "Tea is hot.")
    id_ = keep(client, kept_by)
    for way in FINDS:
        assert found(client, way)[0] == id_, way
    for way in LISTS:
        assert found(client, way)[0] == id_, way


def test_it_is_read_by_its_id_whole_and_with_the_same_text_and_time(client, kept_by):
    id_ = keep(client, kept_by)
    memory = client.ask("memory-mcp", "get_memory", id=id_)
    (entry,) = client.ask("codex-memory", "get_entries", ids=[id_])["items"]
    (recent,) = client.ask("memento", "list_recent_memories")["memories"]
    assert memory["id"] == {"tb": "memories", "id": {"String": id_}}
    assert memory["content"] == entry["body"] == recent["content"] == FACT
    assert memory["ingestion_time"] == entry["created_at"] == recent["created_at"]
    around = client.ask("codex-memory", "timeline", anchor_id=id_)["items"]
    assert [item["id"] for item in around] == [id_]
    assert client.ask("memory-mcp", "get_status")["memories_count"] == 1


def ended(client, by, old, new):
    """Have one contract say that the new memory took the place of the old."""
    if by == "memento":
        client.ask("memento", "supersede_memory", old_memory_id=old, new_memory_id=new)
    else:
        client.ask("memory-mcp", "invalidate", id=old, superseded_by=new)


@pytest.mark.parametrize("by", ["memento", "memory-mcp"])
def test_what_was_superseded_is_gone_everywhere_at_once(client, kept_by, by):
    old = keep(client, kept_by)
    new = keep(client, kept_by, "The quagga has left the lighthouse.")
    ended(client, by, old, new)
    for way in (*FINDS, *CURRENT):
        seen = found(client, way)
        assert old not in seen, way
        assert new in seen, way
    # It is still there for those who ask for it, and says what became of it.
    assert client.ask("memory-mcp", "get_memory", id=old)["valid_until"]
    (entry,) = client.ask("codex-memory", "get_entries", ids=[old])["items"]
    assert entry["superseded_by"] == new
    assert old in found(client, LISTS[1])
    assert client.refused("memento", "supersede_memory", old_memory_id=old, new_memory_id=new)


def test_what_was_changed_or_deleted_is_so_everywhere_at_once(client, kept_by):
    id_ = keep(client, kept_by)
    client.ask("memory-mcp", "update_memory", id=id_, content="The okapi waits at the harbour.")
    for way in FINDS:
        assert found(client, way, "okapi harbour")[0] == id_, way
    assert client.ask("codex-memory", "get_entries", ids=[id_])["items"][0]["body"].startswith(
        "The okapi"
    )
    client.ask("memory-mcp", "delete_memory", id=id_)
    for way in (*FINDS, *LISTS):
        assert found(client, way, "okapi harbour") == [], way
    assert client.refused("codex-memory", "get_entries", ids=[id_])["code"] == "ENTRY_NOT_FOUND"


def test_a_hint_names_what_another_contract_kept(client, kept_by):
    old = keep(client, kept_by, "The staging server listens on port 5433.")
    for of in ("memento", "together"):
        port = {"memento": 6001, "together": 6002}[of]
        answer = client.ask(
            of, "store_memory", content=f"The staging server listens on port {port}."
        )
        assert (
            f'supersede_memory("{old}", "{answer["created"]["id"]}")' in (answer["action_required"])
        )


@pytest.mark.parametrize("governed", [True, False])
def test_what_was_decided_is_found_by_every_contract_under_the_same_id(client, governed):
    if governed:
        said = {"title": "The quagga moves", "target": "quagga"}
        rationale = "Its lighthouse is damp."
        made = client.ask("agent-memory", "record_decision", **said, rationale=rationale)
    else:
        others = ["It sleeps outside."]
        made = client.ask(
            "membria",
            "membria.capture_decision",
            statement=FACT,
            alternatives=others,
            confidence=0.5,
        )
    id_ = made["decision_id"]
    keep(client, KEEPS[0], "Tea is hot.")
    for way in FINDS:
        assert found(client, way)[0] == id_, way
    for way in LISTS:
        assert id_ not in found(client, way), way
    text = "The quagga moves. Its lighthouse is damp." if governed else FACT
    assert client.ask("memory-mcp", "get_memory", id=id_)["content"] == text
    (entry,) = client.ask("codex-memory", "get_entries", ids=[id_])["items"]
    assert entry["entry_type"] == "decision"
    only = client.ask("codex-memory", "search", query=QUERY, type="decision")
    assert [item["id"] for item in only["items"]] == [id_]
    assert client.ask("membria", "membria.get_decision", decision_id=id_)["decision_id"] == id_
    hits = client.ask("agent-memory", "search_decisions", query=QUERY)["results"]
    assert [hit["id"] for hit in hits] == [id_]
    # What it says stays, for it is what was decided; its id ends and deletes it like any other.
    assert "in place" in client.refused("memory-mcp", "update_memory", id=id_, content="x")
    assert client.ask("memory-mcp", "delete_memory", id=id_)["deleted"]
    for way in FINDS:
        assert id_ not in found(client, way), way

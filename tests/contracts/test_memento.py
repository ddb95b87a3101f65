from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest

from recollect.contracts.memento import fail
from recollect.errors import Busy, Damaged, Fault, ModelNotReady
from recollect.ops import Get, Remember
from tests.engine.build import ledger, listed

OF = "memento"
FIELDS = {"id", "content", "confidence", "source", "created_at", "updated_at", "accessed_at"}


def store(client, content, **more):
    return client.ask(OF, "store_memory", content=content, **more)


def kept(client, content, **more):
    return store(client, content, **more)["created"]["id"]


def supersede(client, old, new):
    return client.ask(OF, "supersede_memory", old_memory_id=old, new_memory_id=new)


def search(client, query, **more):
    return client.ask(OF, "search_memories", query=query, **more)["memories"]


def recent(client, **more):
    return client.ask(OF, "list_recent_memories", **more)["memories"]


def test_a_new_memory_comes_back_with_all_its_fields(client):
    answer = store(client, "User plays the oboe.", confidence=0.25, source="explicit")
    made = answer["created"]
    assert made == {
        "id": made["id"],
        "content": "User plays the oboe.",
        "confidence": 0.25,
        "source": "explicit",
        "created_at": "2026-01-01T00:00:00Z",
        "updated_at": "2026-01-01T00:00:00Z",
        "accessed_at": "2026-01-01T00:00:00Z",
    }
    assert re.fullmatch("[a-z0-9]{20}", made["id"])
    assert (answer["similar"], answer["action_required"]) == ([], None)


def test_confidence_is_one_and_the_source_extracted_unless_it_is_said(client):
    made = store(client, "User plays the oboe.")["created"]
    assert (made["confidence"], made["source"]) == (1.0, "extracted")


def test_what_was_superseded_by_a_fact_that_begins_later_is_left_out_at_once(client):
    old = kept(client, "Ada is CEO.")
    new = client.engine.run(Remember("Bea is CEO.", valid_from=datetime(2999, 1, 1, tzinfo=UTC)))
    supersede(client, old, new.record.id)
    assert (search(client, "CEO"), recent(client)) == ([], [])


@pytest.mark.parametrize("confidence", [0, 1, 0.0, 1.0, 0.5])
def test_confidence_may_be_anything_from_zero_to_one(client, confidence):
    made = store(client, "User plays the oboe.", confidence=confidence)["created"]
    assert made["confidence"] == confidence


@pytest.mark.parametrize(
    "content",
    ["東京に住んでいる。", "naïve café ☕️ 👩‍👩‍👧", "a\nb\tc", "  kept  as it is  ", "x" * 100_000],
)
def test_content_comes_back_to_the_byte(client, content):
    id_ = kept(client, content)
    assert recent(client, limit=1)[0]["content"] == content
    assert client.ask("memory-mcp", "get_memory", id=id_)["content"] == content


def test_the_same_said_again_is_one_memory_and_anything_else_said_of_it_another(client):
    first = kept(client, "User plays the oboe.")
    assert kept(client, "User plays the oboe.") == first
    surer = store(client, "User plays the oboe.", confidence=0.5, source="explicit")["created"]
    assert surer["id"] != first
    assert (surer["confidence"], surer["source"]) == (0.5, "explicit")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("User lives in Seattle", "User moved to Austin"),
        ("User lives in Seattle.", "User now lives in Austin."),
        ("The database listens on port 5432.", "The database listens on port 6543."),
        ("User likes coffee.", "User doesn't like coffee anymore."),
    ],
)
def test_a_likely_conflict_comes_first_with_the_call_that_resolves_it(minded, old, new):
    client = minded
    kept(client, "User's sister is called Ines.")
    id_ = kept(client, old)
    answer = store(client, new)
    assert answer["similar"][0]["id"] == id_
    assert answer["similar"][0].keys() >= FIELDS
    made = answer["created"]["id"]
    assert f'supersede_memory("{id_}", "{made}")' in answer["action_required"]
    assert supersede(client, id_, made)["success"] is True


def test_what_has_nothing_to_do_with_it_is_neither_similar_nor_at_odds(client):
    kept(client, "Bees can see ultraviolet light.")
    answer = store(client, "The invoice for the harbour crane was paid in May.")
    assert (answer["similar"], answer["action_required"]) == ([], None)


def test_similar_holds_at_most_five_best_first_and_none_that_no_longer_holds(client):
    old = [kept(client, f"The server room has {number} racks.") for number in range(2, 10)]
    supersede(client, old[0], old[1])
    answer = store(client, "The server room has 12 racks.")
    similar = answer["similar"]
    assert len(similar) == 5
    assert old[0] not in {one["id"] for one in similar}
    assert answer["created"]["id"] not in {one["id"] for one in similar}
    named = re.findall(r'supersede_memory\("(\w+)", "(\w+)"\)', answer["action_required"])
    assert named
    assert {new for _, new in named} == {answer["created"]["id"]}
    # Those at odds come first, and within both parts the nearest.
    assert [one["id"] for one in similar[: len(named)]] == [one for one, _ in named]
    scores = [one["relevance_score"] for one in similar]
    assert scores[: len(named)] == sorted(scores[: len(named)], reverse=True)
    assert scores[len(named) :] == sorted(scores[len(named) :], reverse=True)


def test_superseding_closes_the_old_memory_and_points_both_ways(client, clock):
    old = kept(client, "User lives in Seattle.")
    clock.move(timedelta(days=1))
    new = kept(client, "User moved to Austin.")
    clock.move(timedelta(hours=1))
    assert supersede(client, old, new) == {
        "success": True,
        "message": f"Memory {old} marked as superseded by {new}",
    }
    (shown,) = recent(client)
    assert (shown["id"], shown["supersedes"]) == (new, old)
    closed = client.engine.run(Get((old,))).records[0]
    assert closed.superseded_by == new
    assert client.ask("memory-mcp", "get_memory", id=old)["valid_until"] == "2026-01-02T00:00:00Z"


def test_what_was_superseded_is_gone_from_every_contract_at_once(client):
    old, new = kept(client, "User lives in Seattle."), kept(client, "User moved to Austin.")
    supersede(client, old, new)
    assert {one["id"] for one in search(client, "Where does the user live? Seattle")} == {new}
    for of, tool, name in (
        ("memory-mcp", "search", "results"),
        ("memory-mcp", "search_text", "results"),
        ("memory-mcp", "recall", "results"),
        ("codex-memory", "search", "items"),
        ("together", "search", "results"),
    ):
        found = client.ask(of, tool, query="User lives in Seattle")[name]
        assert old not in {one["id"] for one in found}, tool
    valid = client.ask("memory-mcp", "get_valid")["results"]
    assert [one["id"]["id"]["String"] for one in valid] == [new]


@pytest.mark.parametrize("order", ["twice", "itself", "a circle", "a longer circle"])
def test_superseding_twice_itself_or_in_a_circle_is_an_error(client, order):
    a, b, c = (kept(client, text) for text in ("The tide is low.", "Tea is hot.", "Owls hoot."))
    if order != "itself":
        supersede(client, a, b)
    if order == "a longer circle":
        supersede(client, b, c)
    pairs = {"twice": (a, c), "itself": (a, a), "a circle": (b, a), "a longer circle": (c, a)}
    old, new = pairs[order]
    error = client.refused(OF, "supersede_memory", old_memory_id=old, new_memory_id=new)
    assert error["code"] == "INVALID_PARAMETER"
    assert error["message"]


@pytest.mark.parametrize("unknown", ["mem_xyz789", "x" * 20, "", "../../etc/passwd", "ü", "a b"])
def test_an_unknown_id_is_not_found_on_either_side(client, unknown):
    there = kept(client, "User lives in Seattle.")
    for old, new in ((unknown, there), (there, unknown)):
        error = client.refused(OF, "supersede_memory", old_memory_id=old, new_memory_id=new)
        assert error["code"] == "MEMORY_NOT_FOUND"
        assert f"Memory with ID {unknown} not found" in error["message"]


def test_an_entity_is_no_memory_to_supersede(client):
    there = kept(client, "User lives in Seattle.")
    entity = client.ask("memory-mcp", "create_entity", name="Seattle")["id"]
    for old, new in ((entity, there), (there, entity)):
        error = client.refused(OF, "supersede_memory", old_memory_id=old, new_memory_id=new)
        assert error["code"] == "MEMORY_NOT_FOUND"


def test_a_search_answers_best_first_with_a_score_and_keeps_to_the_limit(client):
    for number in range(25):
        kept(client, f"Heron number {number} nests in bay {number * 7}.")
    kept(client, "The moon has no wind.")
    assert len(search(client, "heron nests")) == 5
    for limit in (1, 20, 20.0):
        found = search(client, "heron nests", limit=limit)
        assert len(found) == limit
        scores = [one["relevance_score"] for one in found]
        assert scores == sorted(scores, reverse=True)
        assert all(0 <= score <= 1 for score in scores)
        assert all(one.keys() >= FIELDS for one in found)


def test_a_memory_is_found_at_once_after_it_was_stored(client):
    for number in range(5):
        id_ = kept(client, f"Unheard-of quagga{number}")
        assert search(client, f"quagga{number}", limit=1)[0]["id"] == id_


def test_a_search_of_nothing_finds_nothing(client):
    assert search(client, "anything") == []
    assert recent(client) == []


def test_the_recent_come_newest_first_ten_of_them_unless_asked_otherwise(client, clock):
    ids = []
    for number in range(60):
        ids.append(kept(client, f"entry {number}"))
        clock.move(timedelta(seconds=1))
    for limit in (1, 50):
        assert [one["id"] for one in recent(client, limit=limit)] == ids[::-1][:limit]
    assert [one["id"] for one in recent(client)] == ids[::-1][:10]
    assert all("relevance_score" not in one for one in recent(client))


def test_access_is_noted_when_a_memory_is_found_or_read_and_not_when_it_is_listed(client, clock):
    id_ = kept(client, "The heron nests in the bay.")
    made = recent(client)[0]["accessed_at"]
    clock.move(timedelta(hours=1))
    assert recent(client)[0]["accessed_at"] == made
    search(client, "heron")
    assert recent(client)[0]["accessed_at"] == "2026-01-01T01:00:00Z"
    clock.move(timedelta(hours=1))
    client.ask("memory-mcp", "get_memory", id=id_)
    assert recent(client)[0]["accessed_at"] == "2026-01-01T02:00:00Z"
    clock.move(timedelta(hours=1))
    client.ask("codex-memory", "get_entries", ids=[id_])
    assert recent(client)[0]["accessed_at"] == "2026-01-01T03:00:00Z"
    assert recent(client)[0]["updated_at"] == made


def test_a_read_waits_for_no_write(client, clock):
    kept(client, "The heron nests in the bay.")
    clock.move(timedelta(hours=1))
    # Nobody can write meanwhile, and yet everything can be read.
    with client.engine.ports.store.writing():
        assert search(client, "heron")
        assert recent(client)[0]["accessed_at"] == "2026-01-01T01:00:00Z"


@pytest.mark.parametrize(
    ("tool", "arguments", "field", "bound"),
    [
        ("store_memory", {}, "content", "required"),
        ("store_memory", {"content": None}, "content", "string"),
        ("store_memory", {"content": 7}, "content", "string"),
        ("store_memory", {"content": ["x"]}, "content", "string"),
        ("store_memory", {"content": ""}, "content", "empty"),
        ("store_memory", {"content": " \n\t"}, "content", "empty"),
        ("store_memory", {"content": "a\0b"}, "content", "NUL"),
        ("store_memory", {"content": "a\ud800"}, "content", "surrogate"),
        ("store_memory", {"content": "x", "confidence": 1.01}, "confidence", "1"),
        ("store_memory", {"content": "x", "confidence": -0.01}, "confidence", "0"),
        ("store_memory", {"content": "x", "confidence": True}, "confidence", "number"),
        ("store_memory", {"content": "x", "confidence": "1"}, "confidence", "number"),
        ("store_memory", {"content": "x", "confidence": None}, "confidence", "number"),
        ("store_memory", {"content": "x", "confidence": float("nan")}, "confidence", "finite"),
        ("store_memory", {"content": "x", "confidence": float("inf")}, "confidence", ""),
        ("store_memory", {"content": "x", "source": "guessed"}, "source", "'explicit'"),
        ("store_memory", {"content": "x", "source": None}, "source", "'explicit'"),
        ("store_memory", {"content": "x", "source": "Explicit"}, "source", "'explicit'"),
        ("supersede_memory", {"old_memory_id": "x"}, "new_memory_id", "required"),
        ("supersede_memory", {"new_memory_id": "x"}, "old_memory_id", "required"),
        ("supersede_memory", {"old_memory_id": 1, "new_memory_id": "x"}, "old_memory_id", "string"),
        ("search_memories", {}, "query", "required"),
        ("search_memories", {"query": ""}, "query", "empty"),
        ("search_memories", {"query": "x", "limit": 0}, "limit", "at least 1."),
        ("search_memories", {"query": "x", "limit": 21}, "limit", "at most 20."),
        ("search_memories", {"query": "x", "limit": 1.5}, "limit", "whole"),
        ("search_memories", {"query": "x", "limit": True}, "limit", "whole"),
        ("search_memories", {"query": "x", "limit": "5"}, "limit", "whole"),
        ("search_memories", {"query": "x", "limit": None}, "limit", "whole"),
        ("search_memories", {"query": "x", "limit": 10**400}, "limit", "20"),
        ("list_recent_memories", {"limit": 0}, "limit", "at least 1."),
        ("list_recent_memories", {"limit": 51}, "limit", "at most 50."),
    ],
)
def test_what_cannot_be_asked_for_is_an_invalid_parameter_that_names_field_and_bound(
    client, tool, arguments, field, bound
):
    error = client.refused(OF, tool, **arguments)
    assert error["code"] == "INVALID_PARAMETER"
    assert error["message"].startswith(field)
    assert bound in error["message"]


def test_fields_that_nobody_knows_are_ignored(client):
    store(
        client, "User plays the oboe.", id="mine", created_at="1999-01-01", tags=["x"], nonsense=1
    )
    assert search(client, "oboe", offset=5, user="x")[0]["content"] == "User plays the oboe."
    assert len(recent(client, order="oldest")) == 1


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (ModelNotReady(), "EMBEDDING_ERROR"),
        (Busy("/home/ann/memory.db is locked"), "STORAGE_ERROR"),
        (Damaged("/home/ann/memory.db", path="/home/ann/memory.db"), "STORAGE_ERROR"),
        (Fault(), "STORAGE_ERROR"),
    ],
)
def test_what_is_wrong_with_the_machine_is_said_without_its_paths(error, code):
    failure = fail(error, "store_memory")
    assert failure.data is not None
    shown = failure.data["error"]
    assert isinstance(shown, dict)
    assert shown.keys() == {"code", "message"}
    assert shown["code"] == code
    assert "/" not in failure.text


def test_a_secret_is_refused_by_kind_and_never_echoed(client):
    secret = "db_password=" + "hunter" + "2"
    error = client.refused(OF, "store_memory", content=f"Setup.\n{secret}")
    assert error["code"] == "INVALID_PARAMETER"
    assert "password on line 2" in error["message"]
    assert "hunter" not in error["message"]


def test_looking_leaves_no_trace_in_the_ledger_or_the_versions(client):
    kept(client, "User plays the oboe.")
    before = ledger(client.engine)
    (record,) = listed(client.engine)
    search(client, "oboe")
    recent(client)
    assert ledger(client.engine) == before
    assert listed(client.engine)[0].version == record.version

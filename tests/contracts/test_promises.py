"""Promises of the documents that no other test holds; requirements.toml has all of them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from bench import lessons
from recollect.contracts.codex_memory.shown import fail
from recollect.contracts.contract import Caller
from recollect.contracts.listing import Selection, _written, offered
from recollect.embed.background import Background
from recollect.embed.bundled import Bundled
from recollect.embed.cache import Cached
from recollect.errors import Busy, Damaged, Fault, ModelNotReady, TooNew, Unavailable
from recollect.rules import mine
from recollect.rules.conflict import judge
from tests.contracts.build import AGENT, Client
from tests.contracts.hostile import arguments
from tests.contracts.test_hostile import LISTED, NOT_YET, ids, named
from tests.engine.build import Slow, opened, unchanged
from tests.store.build import STORES

BENCH = Path(__file__).parents[2] / "bench"
NOT_READY = "Embedding service not ready. Please try again."


def output(of, name):
    """The validator of what a tool of a contract answers."""
    (shown,) = [tool for tool in _written()[of]["tools"] if tool["name"] == name]
    return Draft202012Validator(shown["outputSchema"])


@pytest.fixture(scope="module")
def bundled():
    return Bundled()


@pytest.fixture
def slow():
    made = Slow()
    yield made
    made.go.set()


@pytest.fixture(params=STORES)
def early(request, tmp_path, clock, slow):
    """An agent whose memory has no model yet, and nobody waits for it."""
    store = STORES[request.param](tmp_path)
    with opened(store, clock, embedder=lambda: Cached(Background(slow, patience=0))) as engine:
        yield Client(engine, Caller(AGENT))
        slow.error = None
        slow.go.set()


def test_the_conversation_of_memento_goes_as_the_document_tells_it(minded):
    old = minded.ask("memento", "store_memory", content="User lives in Seattle", confidence=0.9)
    answer = minded.ask(
        "memento",
        "store_memory",
        content="User moved to Austin last month",
        confidence=1.0,
        source="explicit",
    )
    before, after = old["created"]["id"], answer["created"]["id"]
    assert [(one["id"], one["content"]) for one in answer["similar"]] == [
        (before, "User lives in Seattle")
    ]
    assert answer["action_required"] == (
        f'Call supersede_memory("{before}", "{after}") to mark the old memory as outdated.'
    )
    assert minded.ask("memento", "supersede_memory", old_memory_id=before, new_memory_id=after) == {
        "success": True,
        "message": f"Memory {before} marked as superseded by {after}",
    }
    found = minded.ask("memento", "search_memories", query="Where does the user live?", limit=3)
    assert [one["id"] for one in found["memories"]] == [after]


def test_a_relative_is_listed_and_asks_for_nothing(minded):
    id_ = minded.ask("memento", "store_memory", content="User's sister lives in Bonn.")["created"]
    answer = minded.ask("memento", "store_memory", content="User's brother lives in Graz.")
    assert [one["id"] for one in answer["similar"]] == [id_["id"]]
    assert answer["action_required"] is None


def test_hints_are_as_right_as_the_published_figures_say():
    published = json.loads((BENCH / "results" / "conflicts.json").read_text("utf-8"))
    for name, file in (("held", "conflicts.jsonl"), ("everyday, held", "everyday.jsonl")):
        rows = [json.loads(row) for row in (BENCH / "data" / file).read_text("utf-8").splitlines()]
        said = [
            row["label"] == "conflict"
            for row in rows
            if row["half"] == "held" and judge(row["old"], row["new"], None).conflict
        ]
        figures = published[name]["words alone"]["conflict"]["precision"]
        assert (sum(said), len(said)) == (figures["hits"], figures["of"])
    figures = published["everyday, held"]["with the bundled model"]["conflict"]
    assert figures["precision"]["share"] >= 0.85
    assert figures["recall"]["share"] >= 0.7


@pytest.mark.parametrize("half", ["development", "held"])
def test_what_says_the_same_is_told_as_well_as_the_published_figures_say(half, bundled):
    published = json.loads((BENCH / "results" / "lessons.json").read_text("utf-8"))[half]
    every = lessons.texts(half, bundled)
    choices = [one for one in every if one.topic.startswith("choice-")]
    found = {
        "say the same": lessons.pairs(every, lambda a, b: a.says == b.says, mine.same),
        "decisions of one matter": lessons.pairs(
            choices, lambda a, b: a.topic == b.topic, lessons.near
        ),
    }
    for name, least in (("say the same", 0.8), ("decisions of one matter", 0.7)):
        # Machines round vectors differently, and a pair or two lies on the line.
        for figure in ("precision", "recall"):
            assert found[name][figure]["share"] == pytest.approx(
                published[name][figure]["share"], abs=0.05
            )
        assert published[name]["precision"]["share"] >= least


def test_the_same_question_has_the_same_answer(client):
    for number in range(12):
        client.ask("codex-memory", "save_memory", text=f"The harbour has {number} cranes.")
    asked = {"query": "harbour cranes"}
    once, again = (client.reply("codex-memory", "search", asked).text for _ in range(2))
    assert once == again


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (Busy("/home/ann/memory.db is locked"), "STORAGE_FAILURE"),
        (Damaged("/home/ann/memory.db", path="/home/ann/memory.db"), "STORAGE_FAILURE"),
        (Fault(), "STORAGE_FAILURE"),
        (ModelNotReady(), "STORAGE_FAILURE"),
        (TooNew("/home/ann/memory.db", version=99), "MIGRATION_FAILURE"),
    ],
)
def test_what_is_wrong_with_the_machine_has_a_code_and_no_details(error, code):
    failure = fail(error, "search")
    shown = json.loads(failure.text)["error"]
    assert shown.keys() == {"code", "message", "details"}
    assert (shown["code"], shown["details"]) == (code, None)
    assert "/" not in failure.text


def test_a_page_of_codex_memory_has_twenty_items_unless_more_are_asked_for(client):
    for number in range(105):
        client.ask("codex-memory", "save_memory", text=f"The harbour has crane {number}.")
    for limit, expected in ((None, 20), (1, 1), (100, 100)):
        more = {} if limit is None else {"limit": limit}
        answer = client.ask("codex-memory", "search", query="harbour crane", **more)
        assert (len(answer["items"]), answer["limit"], answer["offset"]) == (expected, expected, 0)
        scores = [item["score"] for item in answer["items"]]
        assert scores == sorted(scores, reverse=True)


def test_two_hundred_entries_can_be_read_at_once_and_no_more(client):
    id_ = client.ask("codex-memory", "save_memory", text="The harbour has cranes.")["id"]
    nobody = [f"{number:020}" for number in range(1_000, 1_200)]
    answer = client.ask("codex-memory", "get_entries", ids=[id_, *nobody[:199]])
    assert [item["id"] for item in answer["items"]] == [id_]
    assert answer["missing"] == nobody[:199]
    refused = client.refused("codex-memory", "get_entries", ids=[id_, *nobody])
    assert refused["details"]["field"] == "ids"
    assert "200" in refused["message"]


def test_retention_is_tried_as_of_now_unless_a_time_is_given(client, clock):
    answer = client.ask("codex-memory", "retention_dry_run", max_age_days=1)
    assert (answer["mode"], answer["executed_at"]) == ("dry-run", "2026-01-01T00:00:00Z")
    answer = client.ask("codex-memory", "retention_dry_run", now="2027-01-01T00:00:00-01:00")
    assert answer["executed_at"] == "2027-01-01T01:00:00Z"


def test_metadata_sets_the_fields_of_an_entry_too(client):
    metadata = {
        "event_time": "2025-03-01T10:00:00+02:00",
        "valid_from": "2025-04-01",
        "valid_until": "2025-05-01T00:00:00Z",
        "session_id": "s-9",
        "speaker": "Zebulon",
        "title": "Quokkas",
        "project": "vulcan",
    }
    id_ = client.ask("codex-memory", "save_memory", text="They are small.", metadata=metadata)["id"]
    (entry,) = client.ask("codex-memory", "get_entries", ids=[id_])["items"]
    assert (entry["session_id"], entry["title"], entry["project"]) == ("s-9", "Quokkas", "vulcan")
    memory = client.ask("memory-mcp", "get_memory", id=id_)
    assert memory["event_time"] == "2025-03-01T08:00:00Z"
    assert memory["valid_from"] == "2025-04-01T00:00:00Z"
    assert memory["valid_until"] == "2025-05-01T00:00:00Z"


def test_what_held_then_keeps_to_its_limit(client):
    for number in range(105):
        client.ask("memory-mcp", "store_memory", content=f"The harbour has crane {number}.")
    for limit, expected in ((None, 20), (1, 1), (100, 100)):
        more = {} if limit is None else {"limit": limit}
        answer = client.ask("memory-mcp", "get_valid_at", timestamp="2026-01-01T00:00:00Z", **more)
        assert (len(answer["results"]), answer["count"]) == (expected, expected)
    assert "100" in client.refused(
        "memory-mcp", "get_valid_at", timestamp="2026-01-01T00:00:00Z", limit=101
    )


def test_a_search_of_code_keeps_to_its_limit(client):
    folder = Path(client.caller.roots[0]) / "harbour"
    folder.mkdir()
    cranes = "".join(f"def crane_{number}():\n    lift()\n\n\n" for number in range(60))
    (folder / "cranes.py").write_text(cranes, "utf-8")
    client.ask("memory-mcp", "index_project", path=str(folder))
    for limit, expected in ((None, 10), (1, 1), (50, 50)):
        more = {} if limit is None else {"limit": limit}
        answer = client.ask("memory-mcp", "search_code", query="crane lift", **more)
        assert (len(answer["results"]), answer["count"]) == (expected, expected)
    for limit in (0, 51):
        said = client.refused("memory-mcp", "search_code", query="crane", limit=limit)
        assert said.startswith("limit")


def test_while_the_model_loads_what_needs_it_says_so_and_all_else_works(early):
    kept = early.ask("memento", "store_memory", content="The heron nests in the bay.")
    id_ = kept["created"]["id"]
    with unchanged(early.engine):
        for tool, asked in (
            ("store_memory", {"content": "Tea is hot."}),
            ("update_memory", {"id": id_, "content": "The heron has left."}),
            ("search", {"query": "heron"}),
        ):
            assert early.refused("memory-mcp", tool, **asked) == NOT_READY, tool
    for of, tool, found in (
        ("memory-mcp", "search_text", "results"),
        ("memory-mcp", "recall", "results"),
        ("memento", "search_memories", "memories"),
        ("codex-memory", "search", "items"),
        ("together", "search", "items"),
    ):
        assert [one["id"] for one in early.ask(of, tool, query="heron")[found]] == [id_], tool
    assert early.ask("memory-mcp", "get_memory", id=id_)["content"]
    changed = early.ask("memory-mcp", "update_memory", id=id_, memory_type="procedural")
    assert changed["memory_type"] == "procedural"
    assert early.ask("codex-memory", "save_memory", text="Saved meanwhile.")["status"] == "saved"
    assert early.ask("together", "store_memory", content="Stored meanwhile.")["id"]


def test_the_status_says_how_the_model_is(early, slow):
    def status():
        return early.ask("memory-mcp", "get_status")["embedding"]["status"]

    early.ask("memento", "store_memory", content="The heron nests in the bay.")
    assert status() == "loading"
    slow.error = Unavailable("no weights")
    slow.go.set()
    with pytest.raises(Unavailable):
        early.engine.ports.semantics.configured().inner.ready(10)
    assert status() == "error"
    slow.error = None
    early.engine.ports.semantics.configured().inner.ready(10)
    assert status() == "ready"


@pytest.mark.parametrize(
    ("of", "listed"), [one for one in LISTED if one[1]["name"] != NOT_YET], ids=named
)
def test_fields_that_nobody_knows_are_ignored_by_every_tool(client, of, listed):
    given = ids(client, fresh=True)
    plain = arguments(listed["inputSchema"], given)
    strange = {"nonsense": {"a": [1]}, "__class__": "x", "tenant": "other", "author": "human"}
    usual = client.ask(of, listed["name"], **arguments(listed["inputSchema"], given))
    assert client.ask(of, listed["name"], **plain, **strange).keys() == usual.keys()


def test_every_tool_has_a_title_both_schemas_and_annotations():
    reads = "get_ list_ search recall timeline retention_dry_run"
    for one in offered(Selection()):
        shown = one.shown
        assert shown["title"] != shown["name"]
        assert shown["description"].endswith(".")
        assert shown["inputSchema"]["type"] == shown["outputSchema"]["type"] == "object"
        told = shown["annotations"]
        assert {type(told[hint]) for hint in told} == {bool}
        assert told.keys() >= {"readOnlyHint", "destructiveHint", "idempotentHint"}
        if one.contract in {"memento", "memory-mcp", "codex-memory", "together"}:
            assert told["readOnlyHint"] == one.own.startswith(tuple(reads.split())), one.own
            ends = re.match("supersede|update|delete|invalidate|reset", one.own)
            assert told["destructiveHint"] == (ends is not None), one.own


def test_a_client_of_either_contract_finds_its_own_in_a_shared_tool(client):
    for of, asked in (
        ("memento", {"content": "Tea is hot.", "confidence": 0.5, "source": "explicit"}),
        ("memory-mcp", {"content": "Tea is hot.", "memory_type": None, "metadata": {"n": 1}}),
    ):
        answer = client.ask("together", "store_memory", **asked)
        assert output(of, "store_memory").is_valid(answer)
    assert answer["id"] == answer["created"]["id"]
    for of, asked in (
        ("codex-memory", {"query": "tea", "type": "semantic", "offset": 1}),
        ("memory-mcp", {"query": "tea", "limit": 50}),
    ):
        answer = client.ask("together", "search", **asked)
        assert output(of, "search").is_valid(answer)
        assert [one["id"] for one in answer["items"]] == [one["id"] for one in answer["results"]]
    assert client.ask("together", "search", query="tea")["limit"] == 20
    assert client.ask("together", "search", query="tea", limit=100)["limit"] == 100

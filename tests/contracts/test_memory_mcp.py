from __future__ import annotations

import re
from datetime import timedelta
from itertools import pairwise

import pytest

from recollect.contracts.memory_mcp.shown import fail
from recollect.decisions import Decide
from recollect.errors import Busy, Damaged, Fault, ModelNotReady
from recollect.model import Author, AuthorKind
from tests.contracts.build import as_caller
from tests.engine.build import ledger

OF = "memory-mcp"
NOBODY = "x" * 20
HOUR = timedelta(hours=1)


def store(client, content, **more):
    return client.ask(OF, "store_memory", content=content, **more)["id"]


def get(client, id_):
    return client.ask(OF, "get_memory", id=id_)


def entity(client, name, **more):
    return client.ask(OF, "create_entity", name=name, **more)["id"]


def relate(client, src, dst, type_="knows", **more):
    return client.ask(
        OF, "create_relation", from_entity=src, to_entity=dst, relation_type=type_, **more
    )["id"]


def related(client, id_, **more):
    answer = client.ask(OF, "get_related", entity_id=id_, **more)
    assert answer["entity_count"] == len(answer["entities"])
    assert answer["relation_count"] == len(answer["relations"])
    return [one["name"] for one in answer["entities"]]


def shown_ids(memories):
    return [one["id"]["id"]["String"] for one in memories]


def held_at(client, timestamp, **more):
    return shown_ids(client.ask(OF, "get_valid_at", timestamp=timestamp, **more)["results"])


def found(client, tool, query, **more):
    return [one["id"] for one in client.ask(OF, tool, query=query, **more)["results"]]


def test_a_memory_is_stored_under_twenty_characters_and_read_as_the_document_has_it(client):
    id_ = store(client, "The build uses make.")
    assert re.fullmatch("[a-z0-9]{20}", id_)
    assert get(client, id_) == {
        "id": {"tb": "memories", "id": {"String": id_}},
        "content": "The build uses make.",
        "memory_type": "semantic",
        "event_time": "2026-01-01T00:00:00Z",
        "ingestion_time": "2026-01-01T00:00:00Z",
        "valid_from": "2026-01-01T00:00:00Z",
        "valid_until": None,
        "importance_score": 1.0,
        "metadata": {},
    }


@pytest.mark.parametrize("type_", ["episodic", "semantic", "procedural"])
def test_a_memory_has_the_type_that_it_was_given(client, type_):
    assert get(client, store(client, "x", memory_type=type_))["memory_type"] == type_


def test_null_stands_for_what_is_not_said(client):
    id_ = store(client, "x", memory_type=None, user_id=None, metadata=None)
    assert get(client, id_)["memory_type"] == "semantic"
    assert get(client, id_)["metadata"] == {}
    updated = client.ask(OF, "update_memory", id=id_, content=None, memory_type=None, metadata=None)
    assert updated == get(client, id_)
    assert client.ask(OF, "get_valid", user_id=None)["count"] == 1
    assert (
        client.ask(OF, "recall", query="x", project_id=None, language=None)["memories_count"] == 1
    )
    assert entity(client, "Ada", entity_type=None, description=None, user_id=None)


def test_metadata_comes_back_as_it_was_given(client):
    metadata = {"n": 1, "f": 0.5, "none": None, "deep": {"list": [1, "ü", {}]}, "": "empty"}
    assert get(client, store(client, "x", metadata=metadata))["metadata"] == metadata


def test_metadata_also_sets_the_fields_of_the_memory(client):
    metadata = {
        "event_time": "2025-03-01T10:00:00+02:00",
        "valid_from": "2025-04-01",
        "valid_until": "2025-05-01T00:00:00Z",
        "session_id": "s-9",
        "speaker": "Zebulon",
        "title": "Quokkas",
        "project": "vulcan",
    }
    id_ = store(client, "They are small.", metadata=metadata)
    shown = get(client, id_)
    assert shown["event_time"] == "2025-03-01T08:00:00Z"
    assert shown["valid_from"] == "2025-04-01T00:00:00Z"
    assert shown["valid_until"] == "2025-05-01T00:00:00Z"
    assert shown["metadata"] == metadata
    entry = client.ask("codex-memory", "get_entries", ids=[id_])["items"][0]
    assert (entry["session_id"], entry["title"], entry["project"]) == ("s-9", "Quokkas", "vulcan")


@pytest.mark.parametrize("query", ["Quokkas", "Zebulon"])
@pytest.mark.parametrize("tool", ["recall", "search_text"])
def test_the_title_and_the_speaker_take_part_in_recall(client, tool, query):
    store(client, "The moon has no wind.")
    id_ = store(client, "They are small.", metadata={"title": "Quokkas", "speaker": "Zebulon"})
    assert found(client, tool, query)[0] == id_


def test_an_event_is_kept_each_time_and_a_fact_once(client):
    assert store(client, "Lunch.", memory_type="episodic") != store(
        client, "Lunch.", memory_type="episodic"
    )
    assert store(client, "Tea is hot.") == store(client, "Tea is hot.")
    first = store(client, "Tea is hot.", metadata={"n": 1})
    assert get(client, first)["metadata"] == {"n": 1}
    assert get(client, store(client, "Tea is hot.", memory_type="procedural"))["memory_type"] == (
        "procedural"
    )


def test_an_update_changes_what_is_given_and_nothing_else(client, clock):
    id_ = store(client, "The build uses make.", memory_type="episodic", metadata={"n": 1})
    clock.move(timedelta(hours=1))
    before = get(client, id_)
    assert client.ask(OF, "update_memory", id=id_) == before
    changed = client.ask(OF, "update_memory", id=id_, content="The build uses ninja.")
    assert changed == before | {"content": "The build uses ninja."} == get(client, id_)
    changed = client.ask(OF, "update_memory", id=id_, memory_type="procedural")
    assert (changed["memory_type"], changed["content"]) == ("procedural", "The build uses ninja.")
    changed = client.ask(OF, "update_memory", id=id_, metadata={"m": [2]})
    assert (changed["metadata"], changed["memory_type"]) == ({"m": [2]}, "procedural")


@pytest.mark.parametrize("name", ["event_time", "valid_from", "valid_until"])
def test_a_time_in_the_metadata_of_an_update_has_to_be_one(client, name):
    id_ = store(client, "The build uses make.")
    said = client.refused(OF, "update_memory", id=id_, metadata={name: "garbage"})
    assert f"metadata.{name} is no time" in said


def test_an_updated_text_is_found_by_its_new_words_and_not_by_its_old(client):
    id_ = store(client, "The aardvark sleeps.")
    client.ask(OF, "update_memory", id=id_, content="The wombat sleeps.")
    assert found(client, "search_text", "aardvark") == []
    assert found(client, "search_text", "wombat") == [id_]
    assert found(client, "search", "wombat")[0] == id_


@pytest.mark.parametrize("type_", ["fact", "Semantic", "", "semantic "])
def test_a_memory_type_that_there_is_not_is_refused_in_an_update_too(client, type_):
    id_ = store(client, "x")
    said = client.refused(OF, "update_memory", id=id_, memory_type=type_)
    assert said.startswith("memory_type must be one of episodic, semantic, procedural")
    assert client.refused(OF, "store_memory", content="y", memory_type=type_).startswith(
        "memory_type must be one of 'episodic', 'semantic' or 'procedural'"
    )


@pytest.mark.parametrize("unknown", [NOBODY, "nope", "", "ü", "a b", "'; DROP TABLE record; --"])
@pytest.mark.parametrize("tool", ["get_memory", "update_memory", "delete_memory", "invalidate"])
def test_an_unknown_id_is_said_in_the_documents_words(client, tool, unknown):
    assert client.refused(OF, tool, id=unknown) == f"Memory not found: {unknown}"


def test_delete_takes_everything_of_a_memory_away(client):
    id_, other = store(client, "Quokkas like Zebulon."), store(client, "The moon has no wind.")
    assert client.ask(OF, "delete_memory", id=id_) == {"deleted": True}
    assert client.refused(OF, "get_memory", id=id_) == f"Memory not found: {id_}"
    assert client.refused(OF, "delete_memory", id=id_) == f"Memory not found: {id_}"
    for tool in ("search", "search_text", "recall"):
        assert id_ not in found(client, tool, "Quokkas like Zebulon")
    assert client.ask(OF, "list_memories")["total"] == 1
    assert shown_ids(client.ask(OF, "get_valid")["results"]) == [other]
    # What only it had named is gone as well.
    assert client.ask(OF, "get_status")["entities_count"] == 0


def test_delete_and_invalidate_work_for_every_kind_of_id_that_is_given_out(client):
    for end in ("invalidate", "delete_memory"):
        ada, bob = entity(client, "Ada"), entity(client, "Bob")
        drawn = relate(client, ada, bob)
        given = [store(client, f"To be ended by {end}."), drawn, ada, bob]
        for id_ in given:
            answer = client.ask(OF, end, id=id_)
            assert answer == (
                {"deleted": True} if end == "delete_memory" else {"invalidated": True}
            )
    for id_ in given:
        assert client.refused(OF, "delete_memory", id=id_) == f"Memory not found: {id_}"


def test_an_invalidated_entity_is_not_related_to_anything_any_more(client):
    ada, bob = entity(client, "Ada"), entity(client, "Bob")
    relate(client, ada, bob)
    client.ask(OF, "invalidate", id=bob)
    answer = client.ask(OF, "get_related", entity_id=ada)
    assert answer == {"entities": [], "relations": [], "entity_count": 0, "relation_count": 0}


def test_memories_are_listed_newest_first_page_by_page(client, clock):
    ids = []
    for number in range(105):
        ids.append(store(client, f"entry {number}"))
        clock.move(timedelta(seconds=1))
    client.ask(OF, "invalidate", id=ids[0])
    page = client.ask(OF, "list_memories")
    assert shown_ids(page["memories"]) == ids[::-1][:20]
    assert (page["total"], page["limit"], page["offset"]) == (105, 20, 0)
    page = client.ask(OF, "list_memories", limit=100, offset=100)
    assert shown_ids(page["memories"]) == ids[::-1][100:]
    assert (page["total"], page["limit"], page["offset"]) == (105, 100, 100)
    assert client.ask(OF, "list_memories", limit=1.0, offset=0.0)["limit"] == 1
    assert client.ask(OF, "list_memories", offset=10**9)["memories"] == []


def test_search_is_by_meaning_and_search_text_by_words(client):
    heron, moon = (
        store(client, "The heron nests in the bay."),
        store(client, "The moon has no wind."),
    )
    answer = client.ask(OF, "search", query="heron nests", limit=1)
    assert answer["results"] == [
        {
            "id": heron,
            "content": "The heron nests in the bay.",
            "memory_type": "semantic",
            "score": answer["results"][0]["score"],
        }
    ]
    assert 0 < answer["results"][0]["score"] <= 1
    assert (answer["count"], answer["query"]) == (1, "heron nests")
    assert found(client, "search_text", "moon") == [moon]
    assert client.ask(OF, "search_text", query="absent") == {
        "results": [],
        "count": 0,
        "query": "absent",
    }


@pytest.mark.parametrize("tool", ["search", "search_text", "recall"])
def test_a_search_keeps_to_its_limit_best_first(client, tool):
    for number in range(55):
        store(client, f"Heron {number} nests in bay {number * 3} {'by the sea ' * (number % 4)}")
    for limit, expected in ((None, 10), (1, 1), (50, 50), (50.0, 50)):
        more = {} if limit is None else {"limit": limit}
        results = client.ask(OF, tool, query="heron bay sea", **more)["results"]
        scores = [one["score"] for one in results]
        assert len(scores) == expected
        assert scores == sorted(scores, reverse=True)


@pytest.mark.parametrize(
    "query", ['"', "a AND b OR", "NEAR(a b)", "heron*", "col:heron", "(", "-heron", "^a", "{a}"]
)
@pytest.mark.parametrize("tool", ["search", "search_text", "recall"])
def test_a_query_is_words_and_never_a_language(client, tool, query):
    store(client, "The heron nests in the bay.")
    assert client.ask(OF, tool, query=query)["query"] == query


def test_recall_shows_what_each_way_of_finding_gave(client):
    id_ = store(client, "Ada Lovelace wrote the first program.")
    store(client, "Ada Lovelace met Charles Babbage in London.")
    store(client, "The moon has no wind.")
    answer = client.ask(OF, "recall", query="first program")
    best = answer["results"][0]
    assert best["id"] == id_
    assert best["source"] == "memory"
    for name in ("score", "vector_score", "bm25_score", "ppr_score"):
        assert all(0 <= one[name] <= 1 for one in answer["results"])
    assert best["bm25_score"] == 1
    assert answer["memories_count"] == len(answer["results"])
    assert (answer["code_count"], answer["query"]) == (0, "first program")
    # The graph leads from the first memory over Ada to the second, so it walked all three.
    assert answer["subgraph_nodes"] >= 3


def test_weights_of_a_recall_may_be_any_that_are_not_negative(client):
    words, graph = store(client, "quagga zoo"), store(client, "zebra")
    base = client.ask(OF, "recall", query="quagga")["results"]
    by = {"vector_weight": 40, "bm25_weight": 15, "ppr_weight": 45}
    again = client.ask(OF, "recall", query="quagga", **by)["results"]
    assert [one["id"] for one in again] == [one["id"] for one in base]
    assert again[0]["score"] == pytest.approx(base[0]["score"])
    only = {"vector_weight": 0, "bm25_weight": 7, "ppr_weight": 0}
    assert found(client, "recall", "quagga", **only) == [words]
    for weight in (0, 1, 1e-300, 1e300, 5):
        assert found(client, "recall", "quagga", ppr_weight=weight)
    assert graph


@pytest.mark.parametrize(
    ("weights", "named"),
    [
        ({"vector_weight": -0.1}, "vector_weight"),
        ({"bm25_weight": -1}, "bm25_weight"),
        ({"ppr_weight": -1e-9}, "ppr_weight"),
        ({"vector_weight": 0, "bm25_weight": 0, "ppr_weight": 0}, "vector_weight"),
        ({"vector_weight": float("inf")}, "vector_weight"),
        ({"vector_weight": float("nan")}, "vector_weight"),
        ({"vector_weight": 10**400}, "vector_weight"),
        ({"vector_weight": True}, "vector_weight"),
        ({"vector_weight": None}, "vector_weight"),
        ({"vector_weight": "0.4"}, "vector_weight"),
    ],
)
def test_negative_weights_and_none_at_all_are_refused(client, weights, named):
    assert client.refused(OF, "recall", query="x", **weights).startswith(named)


def test_recall_leaves_out_what_is_not_wanted(client):
    store(client, "The heron nests in the bay.")
    for more in ({}, {"include_code": True}):
        answer = client.ask(OF, "recall", query="heron", include_memories=False, **more)
        assert answer["results"] == []
        assert (answer["memories_count"], answer["code_count"]) == (0, 0)
    assert client.ask(OF, "recall", query="heron", include_code=True)["memories_count"] == 1


def test_a_name_is_one_entity_for_each_user(client):
    first = entity(client, "Ada Lovelace", user_id="u")
    assert re.fullmatch("ent_[a-z0-9]+", first)
    assert entity(client, "Ada Lovelace", user_id="u") == first
    assert entity(client, "Ada Lovelace", user_id="v") != first
    assert entity(client, "Ada Lovelace") != first


def test_an_entity_that_a_text_named_is_the_same_when_it_is_created(client):
    store(client, "Yesterday Ada Lovelace came by.")
    assert client.ask(OF, "get_status")["entities_count"] == 1
    entity(client, "Ada Lovelace")
    assert client.ask(OF, "get_status")["entities_count"] == 1


@pytest.mark.parametrize("missing", ["from_entity", "to_entity"])
def test_a_relation_needs_entities_that_exist(client, missing):
    ada, memory = entity(client, "Ada"), store(client, "x")
    for wrong in (NOBODY, memory, "", "rel_1"):
        ends = {"from_entity": ada, "to_entity": ada} | {missing: wrong}
        said = client.refused(OF, "create_relation", relation_type="knows", **ends)
        assert said == f"Entity not found: {wrong}"
    assert client.refused(OF, "get_related", entity_id=NOBODY) == f"Entity not found: {NOBODY}"


def test_a_walk_goes_as_far_and_in_the_direction_that_is_asked(client):
    names = ("Ada", "Bob", "Cleo", "Dan", "Eve")
    ids = [entity(client, name) for name in names]
    for src, dst in pairwise(ids):
        relate(client, src, dst)
    assert related(client, ids[0]) == ["Bob"]
    assert related(client, ids[0], depth=3) == ["Bob", "Cleo", "Dan"]
    assert related(client, ids[0], direction="incoming") == []
    assert related(client, ids[2], direction="incoming", depth=2) == ["Bob", "Ada"]
    assert sorted(related(client, ids[2], direction="both")) == ["Bob", "Dan"]
    answer = client.ask(OF, "get_related", entity_id=ids[0])
    (drawn,) = answer["relations"]
    assert (drawn["from_entity"], drawn["to_entity"]) == (ids[0], ids[1])
    assert (drawn["relation_type"], drawn["weight"]) == ("knows", 1.0)


@pytest.mark.parametrize("weight", [0, 0.0, 0.5, 1])
def test_a_relation_has_the_weight_that_it_was_given(client, weight):
    ada, bob = entity(client, "Ada"), entity(client, "Bob")
    relate(client, ada, bob, weight=weight)
    (drawn,) = client.ask(OF, "get_related", entity_id=ada)["relations"]
    assert drawn["weight"] == weight


def test_what_is_valid_now_is_what_was_not_ended_newest_first(client, clock):
    ids = [store(client, f"entry {number}") for number in range(25) if not clock.move(HOUR)]
    client.ask(OF, "invalidate", id=ids[-1])
    later = store(client, "later", metadata={"valid_from": "2099-01-01T00:00:00Z"})
    answer = client.ask(OF, "get_valid")
    assert shown_ids(answer["results"]) == ids[-2::-1][:20]
    assert answer["count"] == 20
    assert client.ask(OF, "get_valid", limit=100)["count"] == 24
    assert later in held_at(client, "2100-01-01T00:00:00Z", limit=100)


def test_what_was_valid_at_a_time_begins_with_it_and_ends_before_it(client):
    id_ = store(
        client,
        "The crane is rented.",
        metadata={"valid_from": "2025-01-01T00:00:00Z", "valid_until": "2025-02-01T00:00:00Z"},
    )
    assert held_at(client, "2024-12-31T23:59:59.999999Z") == []
    assert held_at(client, "2025-01-01T00:00:00Z") == [id_]
    assert held_at(client, "2025-01-31T23:59:59.999999Z") == [id_]
    assert held_at(client, "2025-02-01T00:00:00Z") == []
    # The same moments elsewhere on earth.
    assert held_at(client, "2025-01-01T02:00:00+02:00") == [id_]
    assert held_at(client, "2025-02-01T01:00:00+01:00") == []


def test_what_ended_before_it_was_stored_held_until_then(client):
    id_ = store(client, "We met in Oslo.", metadata={"valid_until": "2020-03-01T00:00:00Z"})
    assert client.ask(OF, "get_valid")["count"] == 0
    assert held_at(client, "2019-07-01T00:00:00Z") == [id_]
    assert held_at(client, "2020-03-01T00:00:00Z") == []
    shown = client.ask(OF, "get_memory", id=id_)
    assert shown["event_time"] == shown["valid_until"] == "2020-03-01T00:00:00Z"
    assert shown["valid_from"] == "0001-01-01T00:00:00Z"


def test_a_timestamp_is_answered_in_utc(client):
    for said, shown in (
        ("2025-06-01T12:00:00+02:00", "2025-06-01T10:00:00Z"),
        ("2025-06-01T12:00:00.25Z", "2025-06-01T12:00:00.250000Z"),
        ("2025-06-01", "2025-06-01T00:00:00Z"),
        ("2025-06-01t10:00:00z", "2025-06-01T10:00:00Z"),
    ):
        answer = client.ask(OF, "get_valid_at", timestamp=said)
        assert answer == {"results": [], "count": 0, "timestamp": shown}


def test_valid_memories_are_those_of_the_user_that_is_named(client):
    ann, bob = (
        store(client, "Likes tea.", user_id="ann"),
        store(client, "Likes tea.", user_id="bob"),
    )
    nobody = store(client, "Tea is hot.")
    assert ann != bob
    assert shown_ids(client.ask(OF, "get_valid", user_id="ann")["results"]) == [ann]
    assert held_at(client, "2026-01-01T00:00:00Z", user_id="bob") == [bob]
    everybody = shown_ids(client.ask(OF, "get_valid")["results"])
    assert everybody == [nobody, bob, ann]


def test_who_is_a_user_sees_their_own(client):
    store(client, "Likes tea.", user_id="ann")
    with as_caller(client, user="bob") as bob:
        mine = store(bob, "Likes coffee.")
        assert shown_ids(bob.ask(OF, "get_valid")["results"]) == [mine]
        assert found(bob, "recall", "likes") == [mine]


def test_to_invalidate_ends_a_memory_now_and_keeps_it(client, clock):
    id_ = store(client, "The crane is rented.")
    clock.move(HOUR)
    assert client.ask(OF, "invalidate", id=id_, reason="returned") == {"invalidated": True}
    assert get(client, id_)["valid_until"] == "2026-01-01T01:00:00Z"
    assert found(client, "recall", "crane") == found(client, "search_text", "crane") == []
    assert held_at(client, "2026-01-01T00:30:00Z") == [id_]
    clock.move(HOUR)
    assert client.ask(OF, "invalidate", id=id_) == {"invalidated": True}
    assert get(client, id_)["valid_until"] == "2026-01-01T01:00:00Z"
    assert "returned" in ledger(client.engine)[-1].detail


def test_to_invalidate_may_name_what_takes_the_place(client, clock):
    old, new = store(client, "User lives in Seattle."), store(client, "User moved to Austin.")
    clock.move(HOUR)
    client.ask(OF, "invalidate", id=old, superseded_by=new)
    assert get(client, old)["valid_until"] == "2026-01-01T01:00:00Z"
    (shown,) = client.ask("memento", "list_recent_memories")["memories"]
    assert (shown["id"], shown["supersedes"]) == (new, old)
    assert client.refused(OF, "invalidate", id=new, superseded_by=NOBODY) == (
        f"Memory not found: {NOBODY}"
    )
    # It stands for itself, or follows what it came from.
    for other in (new, old):
        assert client.refused(OF, "invalidate", id=new, superseded_by=other)


def test_the_status_counts_and_says_which_model_it_is(client):
    ada, bob = entity(client, "Ada"), entity(client, "Bob")
    relate(client, ada, bob)
    store(client, "tea is hot")
    status = client.ask(OF, "get_status")
    assert status["status"] == "healthy"
    assert re.fullmatch(r"\d+\.\d+\.\d+", status["version"])
    counts = [status[name] for name in ("memories_count", "entities_count", "code_chunks_count")]
    assert counts == [1, 2, 0]
    embedder = client.engine.ports.semantics.configured()
    assert status["embedding"]["model"] == embedder.model.name
    assert status["embedding"]["dimensions"] == status["db_dimension"] == 384
    assert status["embedding"]["status"] in {"loading", "ready"}
    assert status["embedding"]["cache_stats"].keys() == {"hits", "misses", "size"}


@pytest.mark.parametrize(
    "confirm", [{}, *({"confirm": v} for v in (False, None, "true", 1, [True]))]
)
def test_without_a_confirmation_nothing_is_reset_and_that_is_no_error(client, confirm):
    id_ = store(client, "tea is hot")
    assert client.ask(OF, "reset_all_memory", **confirm) == {
        "reset": False,
        "message": "Confirmation required. Set confirm=true to delete all data.",
    }
    assert get(client, id_)


def test_a_reset_deletes_everything_and_counts_it(client):
    ada, bob = entity(client, "Ada"), entity(client, "Bob")
    relate(client, ada, bob)
    store(client, "tea is hot")
    assert client.ask(OF, "reset_all_memory", confirm=True) == {
        "reset": True,
        "deleted": {"memories": 1, "entities": 2, "relations": 1, "code_chunks": 0},
    }
    assert client.ask(OF, "list_memories")["total"] == 0
    assert client.ask(OF, "get_status")["entities_count"] == 0
    assert found(client, "recall", "tea") == []
    assert get(client, store(client, "tea is cold"))["content"] == "tea is cold"


@pytest.mark.parametrize(
    ("tool", "arguments", "field", "bound"),
    [
        ("store_memory", {}, "content", "required"),
        ("store_memory", {"content": None}, "content", "string"),
        ("store_memory", {"content": " "}, "content", "empty"),
        ("store_memory", {"content": "a\0"}, "content", "NUL"),
        ("store_memory", {"content": "x", "memory_type": 1}, "memory_type", "one of"),
        ("store_memory", {"content": "x", "user_id": 1}, "user_id", "string"),
        ("store_memory", {"content": "x", "user_id": "u" * 1001}, "user_id", "1000"),
        ("store_memory", {"content": "x", "metadata": []}, "metadata", "object"),
        ("store_memory", {"content": "x", "metadata": "{}"}, "metadata", "object"),
        ("store_memory", {"content": "x", "metadata": {"speaker": 7}}, "metadata.speaker", ""),
        ("store_memory", {"content": "x", "metadata": {"valid_from": "?"}}, "metadata.valid_f", ""),
        (
            "store_memory",
            {"content": "x", "metadata": {"valid_from": "2026-01-01", "valid_until": "2025-01-01"}},
            "valid_until",
            "before",
        ),
        ("update_memory", {}, "id", "required"),
        ("update_memory", {"id": 7}, "id", "string"),
        ("list_memories", {"limit": 0}, "limit", "at least 1."),
        ("list_memories", {"limit": 101}, "limit", "at most 100."),
        ("list_memories", {"limit": None}, "limit", "whole"),
        ("list_memories", {"offset": -1}, "offset", "at least 0."),
        ("search", {"query": ""}, "query", "empty"),
        ("search", {"query": "x", "limit": 51}, "limit", "at most 50."),
        ("search_text", {"query": "x", "limit": 0}, "limit", "at least 1."),
        ("search_text", {"query": "x", "limit": False}, "limit", "whole"),
        ("recall", {"query": "x", "limit": 51}, "limit", "at most 50."),
        ("recall", {"query": "x", "include_memories": "yes"}, "include_memories", "true or false"),
        ("recall", {"query": "x", "include_code": 1}, "include_code", "true or false"),
        ("create_entity", {"name": ""}, "name", "empty"),
        ("create_entity", {"name": "x" * 1001}, "name", "1000"),
        ("create_entity", {"name": "x", "entity_type": "t" * 1001}, "entity_type", "1000"),
        ("create_relation", {"relation_type": ""}, "relation_type", "empty"),
        ("create_relation", {"weight": 1.1}, "weight", "at most 1."),
        ("create_relation", {"weight": -0.1}, "weight", "at least 0."),
        ("create_relation", {"weight": None}, "weight", "number"),
        ("get_related", {"entity_id": "x", "depth": 0}, "depth", "at least 1."),
        ("get_related", {"entity_id": "x", "depth": 4}, "depth", "at most 3."),
        ("get_related", {"entity_id": "x", "direction": "up"}, "direction", "'outgoing'"),
        ("get_valid", {"limit": 101}, "limit", "at most 100."),
        ("get_valid_at", {}, "timestamp", "required"),
        ("get_valid_at", {"timestamp": "yesterday"}, "timestamp", "2026-02-12T10:30:00Z"),
        ("get_valid_at", {"timestamp": 1}, "timestamp", "string"),
        ("get_valid_at", {"timestamp": "2025-01-01", "limit": 0}, "limit", "at least 1."),
        ("invalidate", {"id": None}, "id", "string"),
    ],
)
def test_what_cannot_be_asked_for_is_said_in_a_sentence_that_names_field_and_bound(
    client, tool, arguments, field, bound
):
    if tool == "create_relation":
        ada = entity(client, "Ada")
        arguments = {"from_entity": ada, "to_entity": ada, "relation_type": "x"} | arguments
    said = client.refused(OF, tool, **arguments)
    assert said.startswith(field)
    assert bound in said


def test_fields_that_nobody_knows_are_ignored(client):
    id_ = store(client, "tea is hot", id="mine", importance_score=0.1, nonsense={"a": 1})
    assert get(client, id_)["importance_score"] == 1.0
    assert client.ask(OF, "get_status", verbose=True)["memories_count"] == 1


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ModelNotReady(), "Embedding service not ready. Please try again."),
        (Busy("/home/ann/memory.db is locked"), "Database error. Please try again."),
        (Damaged("/home/ann/memory.db"), "Database error. Please try again."),
        (Fault(), "Database error. Please try again."),
    ],
)
def test_what_is_wrong_with_the_machine_is_said_in_the_documents_words(error, said):
    assert fail(error, "store_memory").text == said
    assert fail(error, "store_memory").data is None


def test_what_another_tenant_keeps_is_not_there(client):
    id_, ada = store(client, "tea is hot"), entity(client, "Ada")
    with as_caller(client, tenant="other") as other:
        assert other.refused(OF, "get_memory", id=id_) == f"Memory not found: {id_}"
        assert other.refused(OF, "get_related", entity_id=ada) == f"Entity not found: {ada}"
        assert found(other, "recall", "tea") == []
        assert other.ask(OF, "reset_all_memory", confirm=True)["deleted"]["memories"] == 0
    assert get(client, id_)


def decided(client):
    return client.ask(
        "agent-memory",
        "record_decision",
        title="Use PostgreSQL",
        target="database",
        rationale="It has to be ACID, and the team knows it.",
    )["decision_id"]


def test_a_decision_that_a_search_found_is_read_ended_and_deleted_by_its_id(client):
    id_ = decided(client)
    shown = client.ask(OF, "get_memory", id=id_)
    assert (shown["id"]["id"]["String"], shown["memory_type"]) == (id_, "semantic")
    assert client.ask(OF, "invalidate", id=id_)["invalidated"]
    strict = client.ask("agent-memory", "search_decisions", query="PostgreSQL", mode="strict")
    # What was decided does not stand any more.
    assert strict["results"] == []
    assert client.ask(OF, "delete_memory", id=id_)["deleted"]
    assert "not found" in client.refused(OF, "get_memory", id=id_)


def test_what_a_person_decided_is_neither_ended_nor_deleted_by_an_agent(client):
    ann = Author(AuthorKind.HUMAN, "ann")
    op = Decide("Use PostgreSQL", target="database", reasoning="ACID.", author=ann)
    id_ = client.engine.run(op).decision.record.id
    for name in ("invalidate", "delete_memory"):
        assert "only people change what people decided" in client.refused(OF, name, id=id_)
    refused = client.refused(OF, "update_memory", id=id_, content="Use MySQL")
    assert "not corrected in place" in refused


def test_whatever_others_call_a_memory_it_has_a_type_of_this_contract(client):
    client.ask("codex-memory", "save_memory", text="Lint runs on save.", type="finding")
    (found,) = client.ask(OF, "search_text", query="lint")["results"]
    assert found["memory_type"] == "semantic"

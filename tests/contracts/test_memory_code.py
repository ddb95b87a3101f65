"""The five code tools of `memory-mcp`, and code in its `recall`, as the document has them."""

from __future__ import annotations

import sys

import pytest

OF = "memory-mcp"


@pytest.fixture
def project(client, tmp_path):
    made = tmp_path / "atlas" / "harbour"
    (made / "src").mkdir(parents=True)
    (made / "src" / "main.rs").write_text("fn main() {\n    dock_ship();\n}\n", "utf-8")
    (made / "src" / "ship.rs").write_text("pub fn dock_ship() {\n    moor();\n}\n", "utf-8")
    (made / "notes.md").write_text("# Ships\nThey dock at noon.\n", "utf-8")
    return made


def test_a_project_goes_through_its_five_tools(client, project):
    made = client.ask(OF, "index_project", path=str(project), watch=False)
    assert made == {"project_id": "harbour", "files_indexed": 3, "chunks_created": 3}
    assert client.ask(OF, "list_projects") == {"projects": ["harbour"], "count": 1}
    state = client.ask(OF, "get_index_status", project_id="harbour")
    assert (state["status"], state["progress_percent"], state["eta_seconds"]) == (
        "completed",
        100.0,
        None,
    )
    assert (state["total_files"], state["indexed_files"], state["total_chunks"]) == (3, 3, 3)
    assert state["started_at"].endswith("Z")
    assert state["completed_at"].endswith("Z")
    assert client.ask(OF, "get_status")["code_chunks_count"] == 3
    found = client.ask(OF, "search_code", query="dock ship", project_id="harbour", limit=2)
    assert found["count"] == len(found["results"]) == 2
    best = found["results"][0]
    assert best.pop("id").startswith("code_")
    assert 0 < best.pop("score") <= 1
    assert best == {
        "file_path": "src/ship.rs",
        "content": "pub fn dock_ship() {\n    moor();\n}",
        "language": "rust",
        "start_line": 1,
        "end_line": 3,
        "chunk_type": "function",
        "name": "dock_ship",
    }
    assert client.ask(OF, "delete_project", project_id="harbour") == {"chunks_deleted": 3}
    assert client.ask(OF, "search_code", query="dock ship")["results"] == []
    assert client.ask(OF, "list_projects")["projects"] == []


def test_recall_finds_code_beside_memories_with_where_it_is(client, project):
    client.ask(OF, "index_project", path=str(project))
    client.ask(OF, "store_memory", content="Ships dock only by day.", memory_type="episodic")
    answer = client.ask(OF, "recall", query="dock ship", include_code=True)
    sources = [one["source"] for one in answer["results"]]
    assert (sources.count("memory"), sources.count("code")) == (
        answer["memories_count"],
        answer["code_count"],
    )
    assert answer["memories_count"] == 1
    code = next(one for one in answer["results"] if one["source"] == "code")
    assert {"file_path", "start_line", "end_line"} <= code.keys()
    memory = next(one for one in answer["results"] if one["source"] == "memory")
    assert "file_path" not in memory
    only = {"query": "dock ship", "include_memories": False, "include_code": True}
    rust = client.ask(OF, "recall", **only, language="Rust")["results"]
    assert {one["file_path"].rpartition(".")[2] for one in rust} == {"rs"}
    assert client.ask(OF, "recall", **only, project_id="other")["results"] == []
    assert client.ask(OF, "recall", query="dock ship")["code_count"] == 0


def test_what_is_not_there_is_said_in_the_documents_words(client, project):
    refused = client.refused(OF, "index_project", path="nowhere/at/all")
    assert refused == "Invalid path: nowhere/at/all"
    refused = client.refused(OF, "get_index_status", project_id="harbour")
    assert refused.startswith("There is no indexed project 'harbour'.")
    assert "harbour" in client.refused(OF, "delete_project", project_id="harbour")


def test_a_status_says_what_is_missing_and_what_waits_for_a_vector(client, project, monkeypatch):
    monkeypatch.setitem(sys.modules, "tree_sitter_language_pack", None)
    told = client.ask(OF, "index_project", path=str(project))
    assert "pip install" in told["warnings"][0]
    status = client.ask(OF, "get_index_status", project_id="harbour")
    assert status["warnings"] == told["warnings"]
    assert 0 <= status["chunks_embedded"] <= status["total_chunks"]
    monkeypatch.undo()
    assert "warnings" not in client.ask(OF, "index_project", path=str(project))
    status = client.ask(OF, "get_index_status", project_id="harbour")
    assert "warnings" not in status


def test_symbols_are_walked_deleted_and_invalidated_by_their_ids(client, project):
    client.ask(OF, "index_project", path=str(project))
    found = client.ask(OF, "search_code", query="main")["results"]
    main = next(one for one in found if one["name"] == "main")
    near = client.ask(OF, "get_related", entity_id=main["id"])
    assert [one["name"] for one in near["entities"]] == ["dock_ship"]
    assert [one["relation_type"] for one in near["relations"]] == ["calls"]
    ship = near["entities"][0]["id"]
    assert client.ask(OF, "invalidate", id=ship) == {"invalidated": True}
    names = {one["name"] for one in client.ask(OF, "search_code", query="dock ship")["results"]}
    assert "dock_ship" not in names
    assert client.ask(OF, "delete_memory", id=main["id"]) == {"deleted": True}


def test_whoever_calls_over_the_network_indexes_only_within_the_roots(client, project, tmp_path):
    from recollect.value import replace

    far = replace(client, caller=replace(client.caller, remote=True))
    assert far.refused(OF, "index_project", path=str(tmp_path)).startswith("Invalid path")
    assert far.ask(OF, "index_project", path="harbour")["project_id"] == "harbour"

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from tests.contracts.build import as_caller

OF = "codex-memory"
SECRET = "db_password=" + "hunter" + "2"


def save(client, text, **more):
    return client.ask(OF, "save_memory", text=text, **more)["id"]


def titles(answer):
    return [item["title"] for item in answer["items"]]


def entry(client, id_):
    return client.ask(OF, "get_entries", ids=[id_])["items"][0]


def test_what_is_saved_is_found_and_read(client):
    answer = client.ask(
        OF,
        "save_memory",
        text="The harbour build uses make.",
        title="Build",
        project="harbour",
        type="decision",
        source_ref="docs/build.md",
        metadata={"pr": 7, "session_id": "s-1"},
    )
    assert answer == {"status": "saved", "id": answer["id"], "created_at": "2026-01-01T00:00:00Z"}
    found = client.ask(OF, "search", query="harbour build")
    (item,) = found["items"]
    assert item == {
        "id": answer["id"],
        "title": "Build",
        "entry_type": "decision",
        "project": "harbour",
        "created_at": "2026-01-01T00:00:00Z",
        "score": item["score"],
    }
    assert 0 < item["score"] <= 1
    assert (found["total"], found["limit"], found["offset"]) == (1, 20, 0)
    assert entry(client, answer["id"]) == {
        "id": answer["id"],
        "title": "Build",
        "body": "The harbour build uses make.",
        "entry_type": "decision",
        "project": "harbour",
        "session_id": "s-1",
        "source_ref": "docs/build.md",
        "metadata": {"pr": 7, "session_id": "s-1"},
        "created_at": "2026-01-01T00:00:00Z",
    }


def test_a_title_is_the_first_sentence_cut_at_a_word(client):
    assert entry(client, save(client, "First things first. Then others."))["title"] == (
        "First things first."
    )
    assert entry(client, save(client, "Dr. Wu likes tabs, e.g. in Go. Ask."))["title"] == (
        "Dr. Wu likes tabs, e.g. in Go."
    )
    assert entry(client, save(client, "Login fails\nCookies lack a flag. Fixed."))["title"] == (
        "Login fails"
    )
    assert entry(client, save(client, "Login fails\non Safari. Fixed."))["title"] == (
        "Login fails on Safari."
    )
    title = entry(client, save(client, "word " * 100))["title"]
    assert len(title) <= 80
    assert title.endswith("word…")
    assert entry(client, save(client, "# Heading\nText."))["title"] == "Heading"
    assert entry(client, save(client, "Given a blank one.", title=" "))["title"]


def test_a_project_is_that_of_the_caller_and_a_type_is_note(client):
    found = entry(client, save(client, "Plain."))
    assert (found["project"], found["entry_type"]) == ("atlas", "note")
    assert (found["session_id"], found["source_ref"], found["metadata"]) == (None, None, {})
    with as_caller(client, project="") as elsewhere:
        assert entry(elsewhere, save(elsewhere, "Elsewhere."))["project"] == ""
    assert entry(client, save(client, "Told.", metadata={"project": "told"}))["project"] == "told"


def test_the_same_text_again_is_one_entry_unless_something_else_is_said_of_it(client):
    assert save(client, "Twice.") == save(client, "Twice.")
    assert save(client, "Twice.") != save(client, "Twice.", type="decision")


def test_search_keeps_to_a_project_and_a_type(client):
    save(client, "harbour one", project="a", type="x")
    save(client, "harbour two", project="b", type="x")
    save(client, "harbour three", project="b", type="y")
    assert client.ask(OF, "search", query="harbour", project="b")["total"] == 2
    assert titles(client.ask(OF, "search", query="harbour", type="y")) == ["harbour three"]
    assert client.ask(OF, "search", query="harbour", project="a", type="y")["items"] == []
    assert client.ask(OF, "search", query="harbour")["total"] == 3


def test_pages_of_a_search_end_and_hold_each_match_once(client):
    ids = {save(client, f"harbour note {number}") for number in range(25)}
    seen, offset = [], 0
    while True:
        page = client.ask(OF, "search", query="harbour", limit=10, offset=offset)
        assert page["total"] == 25
        if not page["items"]:
            break
        seen += [item["id"] for item in page["items"]]
        offset += 10
    assert len(seen) == 25
    assert {*seen} == ids
    assert client.ask(OF, "search", query="harbour", offset=10**12)["items"] == []


def test_a_whole_number_may_be_written_with_a_point(client):
    assert client.ask(OF, "search", query="x", limit=5.0)["limit"] == 5


def test_a_timeline_is_chronological_in_the_anchors_project_with_the_anchor(client, clock):
    ids = []
    for number in range(9):
        ids.append(save(client, f"entry {number}"))
        save(client, f"elsewhere {number}", project="other")
        clock.move(timedelta(hours=1))
    answer = client.ask(OF, "timeline", anchor_id=ids[4])
    assert answer["anchor_id"] == ids[4]
    assert [item["id"] for item in answer["items"]] == ids[1:8]
    assert {item["score"] for item in answer["items"]} == {0}
    near = client.ask(OF, "timeline", anchor_id=ids[4], depth_before=0, depth_after=1)
    assert [item["id"] for item in near["items"]] == ids[4:6]
    assert (
        client.ask(OF, "timeline", anchor_id=ids[0], depth_before=20, depth_after=20)["items"]
        == client.ask(OF, "timeline", anchor_id=ids[8], depth_before=20)["items"]
    )


def test_entries_come_in_the_order_asked_for_with_what_is_missing(client):
    ids = [save(client, f"entry {number}") for number in range(3)]
    asked = [ids[2], "x" * 20, ids[0]]
    answer = client.ask(OF, "get_entries", ids=asked)
    assert [item["id"] for item in answer["items"]] == [ids[2], ids[0]]
    assert answer["missing"] == ["x" * 20]


def test_only_where_all_are_missing_is_that_an_error(client):
    error = client.refused(OF, "get_entries", ids=["x" * 20, "y"])
    assert error["code"] == "ENTRY_NOT_FOUND"
    assert error["details"] == {"missing": ["x" * 20, "y"]}
    assert "x" * 20 in error["message"]
    assert client.refused(OF, "timeline", anchor_id="x" * 20)["code"] == "ENTRY_NOT_FOUND"


@pytest.mark.parametrize(
    ("tool", "arguments", "field"),
    [
        ("save_memory", {}, "text"),
        ("save_memory", {"text": None}, "text"),
        ("save_memory", {"text": " "}, "text"),
        ("save_memory", {"text": "x", "title": None}, "title"),
        ("save_memory", {"text": "x", "metadata": []}, "metadata"),
        ("save_memory", {"text": "x", "metadata": {"event_time": "soon"}}, "metadata.event_time"),
        ("search", {"query": "x", "limit": 0}, "limit"),
        ("search", {"query": "x", "limit": 101}, "limit"),
        ("search", {"query": "x", "limit": 1.5}, "limit"),
        ("search", {"query": "x", "limit": True}, "limit"),
        ("search", {"query": "x", "offset": -1}, "offset"),
        ("search", {"query": ""}, "query"),
        ("timeline", {"anchor_id": "x", "depth_before": 21}, "depth_before"),
        ("timeline", {"anchor_id": "x", "depth_after": -1}, "depth_after"),
        ("get_entries", {"ids": []}, "ids"),
        ("get_entries", {"ids": ["x"] * 201}, "ids"),
        ("get_entries", {"ids": "x"}, "ids"),
        ("get_entries", {"ids": [7]}, "ids.0"),
        ("ingest_docs", {"sources": "docs"}, "sources"),
        ("retention_dry_run", {"max_age_days": 0}, "max_age_days"),
        ("retention_dry_run", {"max_entries_per_project": -1}, "max_entries_per_project"),
        ("retention_dry_run", {"now": "yesterday"}, "now"),
    ],
)
def test_what_cannot_be_asked_for_is_an_invalid_argument_that_names_the_field(
    client, tool, arguments, field
):
    error = client.refused(OF, tool, **arguments)
    assert error["code"] == "INVALID_ARGUMENT"
    assert error["details"]["field"] == field
    assert field in error["message"]


@pytest.mark.parametrize(
    "arguments",
    [
        {"text": f"Setup.\n{SECRET}"},
        {"text": "Setup.", "title": SECRET},
        {"text": "Setup.", "metadata": {"how": SECRET}},
        {"text": "Setup.", "metadata": {"how": SECRET.replace("=", ' = "') + '"'}},
        {"text": "Setup.", "source_ref": SECRET},
    ],
)
def test_a_secret_is_blocked_by_kind_and_line_and_never_echoed(client, arguments):
    error = client.refused(OF, "save_memory", **arguments)
    assert error["code"] == "POLICY_BLOCKED"
    assert error["details"]["kind"] == "password"
    assert error["details"]["line"] == arguments["text"].count("\n") + 1
    assert "password on line" in error["message"]
    assert SECRET.partition("=")[2] not in str(error)


def test_documents_are_ingested_once_and_a_changed_section_supersedes(client):
    work = Path(client.caller.roots[0])
    (work / "docs").mkdir()
    log = work / "docs" / "session-log.md"
    log.write_text("# Log\n## Monday\nSQLite.\n## Tuesday\nMCP.\n")
    (work / "decisions.txt").write_text("Use make.")
    first = client.ask(OF, "ingest_docs")
    assert first == {
        "processed_sources": 2,
        "imported_entries": 3,
        "duplicate_entries": 0,
        "skipped_sources": [],
    }
    again = client.ask(OF, "ingest_docs")
    assert (again["imported_entries"], again["duplicate_entries"]) == (0, 3)
    (old,) = client.ask(OF, "search", query="SQLite", limit=1)["items"]
    assert (old["entry_type"], old["project"], old["title"]) == ("ingestion", "atlas", "Monday")
    log.write_text("# Log\n## Monday\nPostgreSQL.\n## Tuesday\nMCP.\n")
    changed = client.ask(OF, "ingest_docs")
    assert (changed["imported_entries"], changed["duplicate_entries"]) == (1, 2)
    now = {item["id"] for item in client.ask(OF, "search", query="Monday")["items"]}
    assert old["id"] not in now
    assert entry(client, old["id"])["superseded_by"] in now


def test_what_may_not_be_ingested_is_skipped_with_the_reason(client, tmp_path):
    work = Path(client.caller.roots[0])
    (tmp_path / "secret.md").write_text("Not yours.")
    (work / "link.md").symlink_to(tmp_path / "secret.md")
    (work / "binary.md").write_bytes(b"\0\1")
    (work / "fine.md").write_text("Fine.")
    sources = ["../secret.md", "/etc/passwd", "link.md", "binary.md", "fine.md", "gone.md"]
    answer = client.ask(OF, "ingest_docs", sources=sources, project="p", entry_type="doc")
    assert (answer["processed_sources"], answer["imported_entries"]) == (1, 1)
    assert answer["skipped_sources"] == [
        "../secret.md: is outside of the folders that may be read",
        "/etc/passwd: is outside of the folders that may be read",
        "link.md: is a link that leaves the folders that may be read",
        "binary.md: is binary",
        "gone.md: is not there",
    ]
    (item,) = client.ask(OF, "search", query="fine", project="p", type="doc")["items"]
    assert item["title"] == "fine.md"


def test_retention_is_tried_and_deletes_nothing(client, clock):
    ids = [save(client, f"entry {number}") for number in range(3) if not clock.move(timedelta(1))]
    (new,) = [save(client, "elsewhere", project="other")]
    tried = client.ask(
        OF,
        "retention_dry_run",
        now="2026-01-05T01:00:00+01:00",
        max_age_days=2.5,
        max_entries_per_project=2,
    )
    assert tried == {
        "mode": "dry-run",
        "executed_at": "2026-01-05T00:00:00Z",
        "total_candidates": 1,
        "by_reason": {"age": 1, "project_count": 1},
        "candidate_ids": ids[:1],
    }
    for arguments, expected in (
        ({}, []),
        ({"max_entries_per_project": 1, "project": "atlas"}, ids[:2]),
        ({"max_entries_per_project": 0.5, "project": "other"}, [new]),
        ({"max_age_days": 1e308}, []),
        ({"max_age_days": 1, "now": "9999-12-31T00:00:00Z"}, [*ids, new]),
        ({"max_age_days": 1, "now": "0001-01-01T00:00:00Z"}, []),
    ):
        assert client.ask(OF, "retention_dry_run", **arguments)["candidate_ids"] == expected
    assert len(client.ask(OF, "get_entries", ids=[*ids, new])["items"]) == 4


def test_what_was_saved_as_a_decision_is_found_as_one_beside_what_was_decided(client):
    saved = client.ask(OF, "save_memory", text="We chose zstd for compression.", type="decision")
    decided = client.ask(
        "agent-memory",
        "record_decision",
        title="Compress with zstd",
        target="compression",
        rationale="It is fast, and small enough.",
    )["decision_id"]
    client.ask(OF, "save_memory", text="Compression by zstd is fast.", type="finding")
    found = client.ask(OF, "search", query="zstd compression", type="decision")
    assert {one["id"] for one in found["items"]} == {saved["id"], decided}
    assert found["total"] == 2

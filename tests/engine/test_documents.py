from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from recollect.errors import InvalidRequest
from recollect.model import Scope, Where
from recollect.ops import Forget, Get, Ingest, Invalidate, List, Recall, Remember, Supersede
from recollect.rules.redact import Policy
from tests.engine.build import found, listed, now, opened, remember, unchanged

LOG = "# Log\n\n## Monday\nWe chose SQLite.\n\n## Tuesday\nWe chose MCP.\n"
OPEN = Path("/dev/fd")
SECRET = "db_password=" + "hunter" + "2"


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "atlas"
    (made / "docs").mkdir(parents=True)
    (made / "docs" / "session-log.md").write_text(LOG)
    return made


def ingest(engine, folder, *sources, **more):
    return engine.run(Ingest(sources, (str(folder),), **more))


def counts(answer):
    return answer.documents, answer.created, answer.known


def test_each_section_becomes_a_record_that_says_where_it_is_from(engine, folder):
    answer = ingest(engine, folder, scope=Scope(project="atlas"))
    assert (counts(answer), answer.skipped) == ((1, 2, 0), ())
    monday, _ = reversed(listed(engine, Where()))
    assert (monday.title, monday.text) == ("Monday", "## Monday\nWe chose SQLite.")
    assert (monday.type, monday.scope.project) == ("ingestion", "atlas")
    assert monday.source_ref == "docs/session-log.md#Log > Monday"
    about = json.loads(monday.metadata)
    assert (about["path"], about["line"]) == ("docs/session-log.md", 3)
    assert "## Monday\nWe chose SQLite." in found(engine, "which database did we choose?")


@pytest.mark.parametrize(
    ("head", "title"),
    [
        ("title: A note\ndate: 2025-03-01\ntags: [a]", "A note"),
        ("tags:\n  - a\ntitle:\n  - b", "note.md"),
    ],
)
def test_settings_before_a_document_are_none_of_its_text(engine, folder, head, title):
    before = f"---\n{head}\n---\n"
    (folder / "docs" / "note.md").write_text(f"{before}The kettle is blue.\n\n# More\nIt sings.\n")
    (folder / "docs" / "only.md").write_text(before)
    ingest(engine, folder, "docs/note.md", "docs/only.md")
    more, note = listed(engine, Where())
    assert (note.title, note.text) == (title, "The kettle is blue.")
    assert (more.title, more.text) == ("More", "# More\nIt sings.")
    assert json.loads(note.metadata)["line"] == before.count("\n") + 1
    assert json.loads(more.metadata)["line"] == before.count("\n") + 3
    with unchanged(engine):
        ingest(engine, folder, "docs/note.md")


def test_a_rule_before_a_text_hides_nothing_of_it(engine, folder):
    (folder / "docs" / "note.md").write_text("---\nThe kettle is blue, and sings.\n---\nIt does.\n")
    (folder / "docs" / "note.rst").write_text("---\na: b\n---\n\nIt does.\n")
    ingest(engine, folder, "docs/note.md", "docs/note.rst")
    said = " ".join(record.text for record in listed(engine, Where()))
    assert "The kettle is blue" in said
    assert "a: b" in said + " ".join(record.title for record in listed(engine, Where()))


def test_the_same_documents_again_bring_nothing(engine, folder):
    ingest(engine, folder)
    with unchanged(engine):
        assert counts(ingest(engine, folder)) == (1, 0, 2)


def test_a_changed_section_supersedes_what_it_was(engine, folder):
    ingest(engine, folder)
    old = next(record for record in listed(engine, Where()) if record.title == "Monday")
    (folder / "docs" / "session-log.md").write_text(LOG.replace("SQLite", "PostgreSQL"))
    assert counts(ingest(engine, folder)) == (1, 1, 1)
    (now,) = engine.run(Get((old.id,))).records
    assert now.valid_until is not None
    (new,) = engine.run(Get((now.superseded_by,))).records
    assert "PostgreSQL" in new.text
    assert counts(ingest(engine, folder)) == (1, 0, 2)


def test_what_a_document_takes_back_and_says_again_is_news(engine, folder):
    log = folder / "docs" / "session-log.md"
    for text, created in ((LOG, 2), (LOG.replace("SQLite", "files"), 1), (LOG, 1)):
        log.write_text(text)
        assert ingest(engine, folder).created == created
    texts = [record.text for record in engine.run(List(current=True)).records]
    assert sorted(texts) == ["## Monday\nWe chose SQLite.", "## Tuesday\nWe chose MCP."]


def test_what_somebody_ended_stays_ended(engine, folder):
    ingest(engine, folder)
    tuesday, monday = listed(engine, Where())
    new = remember(engine, "We chose PostgreSQL after all.")
    engine.run(Supersede(monday.id, new.id))
    engine.run(Invalidate(tuesday.id))
    assert counts(ingest(engine, folder)) == (1, 0, 2)


def test_what_was_forgotten_may_be_read_again(engine, folder):
    ingest(engine, folder)
    engine.run(Forget((listed(engine, Where())[0].id,)))
    assert counts(ingest(engine, folder)) == (1, 1, 1)


def test_a_section_that_only_moved_is_known(engine, folder):
    ingest(engine, folder)
    log = folder / "docs" / "session-log.md"
    log.write_text("## Tuesday\nWe chose MCP.\n# Older\n## Monday\nWe chose SQLite.\n")
    assert counts(ingest(engine, folder)) == (1, 0, 2)


def test_two_documents_may_say_the_same_but_one_says_it_once(engine, folder):
    (folder / "a.md").write_text("# One\nSame.\n# One\nSame.\n")
    (folder / "b.md").write_text("# One\nSame.\n")
    assert counts(ingest(engine, folder, "a.md", "b.md")) == (2, 2, 1)


def test_projects_do_not_share_what_they_read(engine, folder):
    ingest(engine, folder, scope=Scope(project="a"))
    assert ingest(engine, folder, scope=Scope(project="b")).created == 2


def test_what_is_usual_is_found_in_docs_and_at_the_root(engine, folder):
    (folder / "docs" / "decisions").mkdir()
    (folder / "docs" / "decisions" / "0001.md").write_text("Use make.")
    (folder / "REQUIREMENTS.rst").write_text("Fast\n====\nVery fast.")
    (folder / "docs" / "decisions.png").write_bytes(b"\x89PNG\0")
    (folder / "notes.md").write_text("Not asked for.")
    answer = ingest(engine, folder)
    assert counts(answer) == (3, 4, 0)
    assert answer.skipped == ("docs/decisions.png: is no Markdown, text or reStructuredText",)


def test_folders_and_patterns_are_looked_through(engine, folder):
    (folder / "docs" / ".hidden.md").write_text("no")
    (folder / "docs" / "sub").mkdir()
    (folder / "docs" / "sub" / "a.txt").write_text("yes")
    assert counts(ingest(engine, folder, "docs")) == (2, 3, 0)
    assert counts(ingest(engine, folder, "docs/*.md", "docs/**/*.txt")) == (2, 0, 3)


def test_what_may_not_be_read_is_left_out_with_the_reason(engine, folder, tmp_path):
    outside = tmp_path / "outside.md"
    outside.write_text("Not yours.")
    (folder / "link.md").symlink_to(outside)
    (folder / "linked").symlink_to(tmp_path)
    (folder / "binary.md").write_bytes(b"a\0b")
    (folder / "latin.md").write_bytes(b"caf\xe9")
    os.mkfifo(folder / "pipe.md")
    sources = {
        "../outside.md": "is outside of the folders that may be read",
        str(outside): "is outside of the folders that may be read",
        "/etc/passwd": "is outside of the folders that may be read",
        "link.md": "is a link that leaves the folders that may be read",
        "linked/outside.md": "is a link that leaves the folders that may be read",
        "binary.md": "is binary",
        "latin.md": "is binary, or not in UTF-8",
        "pipe.md": "is no file",
        "gone.md": "is not there",
        "gone/*.md": "is not there",
        "a\0b": "is not there",
        "x" * 5000: "is not there",
        "../*.md": "is outside of the folders that may be read",
    }
    with unchanged(engine):
        answer = ingest(engine, folder, *sources)
    assert answer.documents == 0
    assert dict(one.rsplit(": ", 1) for one in answer.skipped) == {
        name[:200]: why for name, why in sources.items()
    }


def test_a_link_in_a_folder_does_not_lead_out_of_it(engine, folder, tmp_path):
    (tmp_path / "outside.md").write_text("Not yours.")
    (folder / "docs" / "away").symlink_to(tmp_path)
    answer = ingest(engine, folder, "docs")
    assert counts(answer) == (1, 2, 0)
    assert answer.skipped == ("docs/away: is a link that leaves the folders that may be read",)


def test_documents_of_no_project_are_told_apart_by_where_they_lie(engine, folder, tmp_path):
    other = tmp_path / "no # project"
    other.mkdir()
    (other / "decisions.md").write_text("# Why\nBecause.\n")
    (folder / "decisions.md").write_text("# Why\nJust so.\n")
    for here in (folder, other, folder, other):
        ingest(engine, here, "decisions.md")
    kept = {one.text: one for one in listed(engine, Where())}
    assert kept.keys() == {"# Why\nBecause.", "# Why\nJust so."}
    assert all(one.valid_until is None for one in kept.values())
    first = kept["# Why\nJust so."]
    assert first.source_ref == f"{folder.as_posix()}/decisions.md#Why"
    assert json.loads(first.metadata)["path"] == "decisions.md"
    (other / "decisions.md").write_text("# Why\nFor no reason.\n")
    assert counts(ingest(engine, other, "decisions.md")) == (1, 1, 0)
    assert now(engine, kept["# Why\nBecause."]).superseded_by
    assert now(engine, first).superseded_by == ""


def test_a_link_to_a_folder_is_left_out_and_the_rest_is_read(engine, folder):
    (folder / "loop").symlink_to(folder)
    (folder / "docs" / "loop.md").symlink_to(folder)
    answer = ingest(engine, folder, ".")
    assert counts(answer) == (1, 2, 0)
    before = sum(1 for _ in OPEN.iterdir())
    ingest(engine, folder, ".")
    assert sum(1 for _ in OPEN.iterdir()) == before
    why = "is a link to a folder, which is not followed; name the folder itself"
    assert sorted(answer.skipped) == [f"./docs/loop.md: {why}", f"./loop: {why}"]


def test_other_folders_that_may_be_read_are_named_by_their_own_name(engine, folder, tmp_path):
    other = tmp_path / "handbook"
    other.mkdir()
    (other / "a.md").write_text("Rules.")
    mine = Scope(project="atlas")
    answer = engine.run(Ingest((str(other / "a.md"),), (str(folder), str(other)), mine))
    assert answer.created == 1
    assert listed(engine, Where())[0].source_ref == "handbook/a.md"


def test_without_a_folder_nothing_can_be_read(engine):
    assert counts(engine.run(Ingest())) == (0, 0, 0)
    assert engine.run(Ingest(("/etc/hosts",))).skipped


def test_a_document_with_a_secret_holds_up_none_of_the_others(engine, folder):
    (folder / "bad.md").write_text(f"# Setup\n\nFine.\n\n# Access\n\n{SECRET}\n")
    answer = ingest(engine, folder, "bad.md", "docs")
    assert counts(answer) == (1, 2, 0)
    (why,) = answer.skipped
    assert why.startswith("bad.md: holds what looks like a live secret: password on line 7")
    assert SECRET.partition("=")[2] not in why


def test_a_redacted_section_is_known_when_it_is_read_again(store, clock, folder):
    (folder / "bad.md").write_text(SECRET)
    with opened(store, clock, secrets=Policy.REDACT) as engine:
        assert ingest(engine, folder, "bad.md").created == 1
        assert ingest(engine, folder, "bad.md").known == 1


@pytest.mark.parametrize("wrong", [{"type": "a\0b"}, {"scope": Scope(project="a\0b")}])
def test_what_no_record_can_have_is_refused(engine, folder, wrong):
    with unchanged(engine), pytest.raises(InvalidRequest):
        ingest(engine, folder, **wrong)


def test_very_long_headings_and_sections_are_kept_apart(engine, folder):
    heading = "word " * 400
    (folder / "long.md").write_text(f"# {heading}a\none\n# {heading}b\ntwo\n")
    assert counts(ingest(engine, folder, "long.md")) == (1, 2, 0)
    assert counts(ingest(engine, folder, "long.md")) == (1, 0, 2)


def test_what_is_too_large_is_left_out(engine, folder):
    (folder / "huge.md").write_text("x" * 2_100_000)
    (folder / "larger.md").write_bytes(b"x" * (10 * 1024 * 1024 + 1))
    answer = ingest(engine, folder, "huge.md", "larger.md")
    assert counts(answer) == (0, 0, 0)
    assert len(answer.skipped) == 2


def test_another_process_with_the_same_documents_is_no_trouble(store, clock, folder):
    from tests.engine.build import Meanwhile

    meanwhile = Meanwhile()
    with opened(store, clock, embedder=lambda: meanwhile) as engine:
        engine.run(Remember("Something else, so that there is a model."))
        meanwhile.todo = [lambda: ingest(engine, folder)]
        assert counts(ingest(engine, folder)) == (1, 0, 2)
        assert engine.run(Recall("chose", limit=50, fold=False)).total == 3

"""A project is indexed once, then only what changes in it; it is found, and gone when dropped."""

from __future__ import annotations

import os
import sys
from datetime import timedelta
from itertools import count
from pathlib import Path

import pytest

from recollect.errors import Conflict, InvalidRequest, NotFound
from recollect.model import Author, AuthorKind, Kind, Link, Scope, Where
from recollect.ops import (
    Changes,
    DropProject,
    Explore,
    Forget,
    IndexProject,
    IndexState,
    List,
    ListProjects,
    Recall,
    Remember,
    SearchCode,
    Weights,
    Why,
)
from recollect.rules.code import records, skip

FILES = {
    "pkg/store.py": '''"""Where things are kept."""


class Store:
    """Keeps notes."""

    def __init__(self, path):
        self.path = path

    def append_note(self, note):
        """Write a note behind the others."""
        return open_file(self.path).write(note)


def open_file(path):
    return open(path, "a")
''',
    "pkg/run.py": """from pkg.store import Store


def main():
    Store("notes.txt").append_note("hello")
""",
    "web/view.ts": "export function renderNotes(items: string[]) {\n  return items.join();\n}\n",
    "README.md": "# Atlas\nKeeps notes in a file.\n",
    "package-lock.json": "{}\n",
    "build/out.py": "def built(): pass\n",
    ".gitignore": "build/\n*.tmp.py\n",
}
_later = count(1)


def write(root, path, text):
    """Write a file as if it were a moment later than all before."""
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, "utf-8")
    stamp = 1_700_000_000 + next(_later)
    os.utime(file, (stamp, stamp))


@pytest.fixture
def root(tmp_path):
    made = tmp_path / "atlas"
    for path, text in FILES.items():
        write(made, path, text)
    return made


@pytest.fixture
def index(engine, root):
    def run(path=root, **more):
        return engine.run(IndexProject(str(path), **more))

    return run


def pieces(engine, project="atlas"):
    where = Where(project=project, kinds=(Kind.CODE,))
    found = engine.run(List(where, limit=1000)).records
    return {(one.source_ref, one.title): one for one in found}


def search(engine, query, **more):
    where = Where(kinds=(Kind.CODE,), **more)
    return [hit.record for hit in engine.run(SearchCode(query, where)).hits]


def titles(engine, query, **more):
    return [record.title for record in search(engine, query, **more)]


def test_a_project_is_indexed_and_its_functions_are_found(engine, index):
    answer = index()
    assert (answer.project.id, answer.files) == ("atlas", 4)
    assert answer.chunks == answer.project.total_chunks == len(pieces(engine))
    best = search(engine, "append a note")[0]
    place = records.place(best)
    assert (best.source_ref, best.title, best.type) == (
        "pkg/store.py",
        "Store.append_note",
        "method",
    )
    assert (place.name, place.start, place.end) == ("append_note", 10, 12)
    assert (best.status, best.scope.project) == ("python", "atlas")
    assert titles(engine, "renderNotes")[0] == "renderNotes"
    assert titles(engine, "notes", statuses=("typescript",)) == ["renderNotes"]
    assert titles(engine, "notes", project="other") == []


def test_a_state_says_how_far_it_is_and_what_was_left_out(engine, index):
    index()
    state = engine.run(IndexState("atlas"))
    assert (state.status, state.progress, state.eta) == ("completed", 1.0, None)
    assert (state.total_files, state.indexed_files) == (4, 4)
    assert state.started_at == state.completed_at == engine.ports.clock()
    left_out = {one.reason: one.examples for one in state.skipped}
    assert left_out == {skip.GENERATED: ("package-lock.json",)}
    assert [one.id for one in engine.run(ListProjects()).projects] == ["atlas"]
    with pytest.raises(NotFound, match="There are: atlas"):
        engine.run(IndexState("other"))


def test_indexing_again_reads_only_what_has_changed(engine, index, root):
    index()
    before, ledger = pieces(engine), len(engine.run(Changes()).events)
    again = index()
    assert (again.files, again.chunks) == (0, 0)
    assert len(engine.run(Changes()).events) == ledger
    write(root, "pkg/run.py", FILES["pkg/run.py"].replace("hello", "good morning"))
    again = index()
    assert again.files == 1
    after = pieces(engine)
    assert {key for key in after if after[key].text != before[key].text} == {("pkg/run.py", "main")}
    assert {key: one.id for key, one in after.items()} == {
        key: one.id for key, one in before.items()
    }
    # Only touched: its text is what it was.
    write(root, "pkg/store.py", FILES["pkg/store.py"])
    assert index().files == 0


def test_whoever_indexes_next_goes_on_with_what_another_has_begun(engine, index, root):
    index(author=Author(AuthorKind.HUMAN, "ann"))
    write(root, "pkg/store.py", FILES["pkg/store.py"].replace("hello", "hi") + "\n\nX = 1\n")
    assert index(author=Author(AuthorKind.AGENT, "bot")).files == 1


def test_pieces_that_only_moved_keep_their_ids_and_have_their_new_lines(engine, index, root):
    index()
    before = pieces(engine)
    write(root, "pkg/store.py", "import os\n\n\n" + FILES["pkg/store.py"])
    index()
    after = pieces(engine)
    moved = after["pkg/store.py", "open_file"]
    assert moved.id == before["pkg/store.py", "open_file"].id
    assert records.place(moved).start == 18
    assert moved.version == 1


def test_a_renamed_file_keeps_its_pieces_and_is_not_read_as_new(engine, index, root):
    index()
    before = pieces(engine)
    (root / "pkg/store.py").rename(root / "pkg/keeper.py")
    answer = index()
    assert (answer.files, answer.chunks) == (0, 0)
    after = pieces(engine)
    assert after["pkg/keeper.py", "Store"].id == before["pkg/store.py", "Store"].id
    assert not [key for key in after if key[0] == "pkg/store.py"]
    assert search(engine, "keeper")[0].source_ref == "pkg/keeper.py"


def test_what_is_gone_from_the_folder_is_gone_from_the_index(engine, index, root):
    index()
    (root / "web/view.ts").unlink()
    write(root, "pkg/store.py", "def open_file(path):\n    return None\n")
    answer = index()
    assert "renderNotes" not in titles(engine, "renderNotes")
    assert [key for key in pieces(engine) if key[0] == "pkg/store.py"] == [
        ("pkg/store.py", "open_file")
    ]
    assert answer.project.total_chunks == len(pieces(engine))


def test_ignored_files_links_and_tools_folders_are_left_out(engine, index, root):
    write(root, "node_modules/x/index.js", "function vendored() {}\n")
    write(root, "pkg/draft.tmp.py", "def draft(): pass\n")
    write(root, "pkg/.recollectignore", "secret_*.py\n!secret_plan.py\n")
    write(root, "pkg/secret_key.py", "def hidden(): pass\n")
    write(root, "pkg/secret_plan.py", "def shown(): pass\n")
    (root / "link.py").symlink_to("/etc/hostname")
    (root / "loop").symlink_to(root)
    index()
    paths = {path for path, _ in pieces(engine)}
    assert paths == {"pkg/store.py", "pkg/run.py", "web/view.ts", "README.md", "pkg/secret_plan.py"}


def test_calls_definitions_and_imports_are_edges_that_can_be_walked(engine, index):
    index()
    found = pieces(engine)
    main, note = found["pkg/run.py", "main"], found["pkg/store.py", "Store.append_note"]
    near = engine.run(Explore(main.id, kinds=(Kind.CODE,), types=(Link.CALLS,)))
    assert {one.title for one in near.records} == {"Store", "Store.append_note"}
    back = engine.run(Explore(found["pkg/store.py", "open_file"].id, direction="incoming"))
    assert note.id in {one.id for one in back.records}
    file = engine.run(Explore(main.id, direction="incoming", types=(Link.DEFINES,))).records[0]
    imports = engine.run(Explore(file.id, types=(Link.IMPORTS,)))
    assert [one.source_ref for one in imports.records] == ["pkg/store.py"]
    methods = engine.run(Explore(found["pkg/store.py", "Store"].id, types=(Link.DEFINES,)))
    assert {one.title for one in methods.records} == {"Store.__init__", "Store.append_note"}


def test_edges_follow_what_changes(engine, index, root):
    write(root, "pkg/late.py", "def late():\n    return summarize_all(1)\n")
    index()
    late = pieces(engine)["pkg/late.py", "late"]
    assert engine.run(Explore(late.id)).records == ()
    write(root, "pkg/sums.py", "def summarize_all(x):\n    return x\n")
    index()
    assert [one.title for one in engine.run(Explore(late.id)).records] == ["summarize_all"]
    write(root, "pkg/late.py", "def late():\n    return 1\n")
    index()
    assert engine.run(Explore(late.id)).records == ()


def test_an_interrupted_run_is_gone_on_with(engine, index, root):
    class Stopped(Exception):
        pass

    def stop(done, of, doing):
        raise Stopped

    for number in range(300):
        write(root, f"many/m{number}.py", f"def job_{number}():\n    return {number}\n" * 20)
    with pytest.raises(Stopped):
        engine.run(IndexProject(str(root)), stop)
    state = engine.run(IndexState("atlas"))
    assert state.status == "failed"
    assert "Index again" in state.error
    assert 0 < state.indexed_files < state.total_files
    # What is in is found already.
    assert pieces(engine)
    rest = index()
    assert rest.project.status == "completed"
    assert rest.files == state.total_files - state.indexed_files
    assert titles(engine, "job_299")[0] == "job_299"
    main = pieces(engine)["pkg/run.py", "main"]
    assert engine.run(Explore(main.id)).records


def test_a_run_whose_process_died_is_shown_as_failed(engine, index, root, monkeypatch):
    index()
    write(root, "pkg/new.py", "def new(): pass\n")
    seen = []

    def look(done, of, doing):
        seen.append(engine.run(IndexState("atlas")))
        monkeypatch.setattr("recollect.engine.code.projects._alive", lambda _: False)
        seen.append(engine.run(IndexState("atlas")))
        monkeypatch.undo()
        with pytest.raises(Conflict, match="is being indexed already"):
            index()
        with pytest.raises(Conflict, match="is being indexed"):
            engine.run(DropProject("atlas"))

    engine.run(IndexProject(str(root)), look)
    assert [one.status for one in seen] == ["indexing", "failed"]


def test_the_time_left_is_told_from_what_this_run_has_read(engine, root, clock):
    told = []

    def look(done, of, doing):
        clock.move(timedelta(seconds=10))
        told.append((engine.run(IndexState("atlas")).eta, doing))

    for number in range(40):
        write(root, f"big/b{number}.py", f"def job_{number}():\n    return {number}\n" * 400)
    engine.run(IndexProject(str(root)), look)
    reading = [eta for eta, doing in told if doing != "who calls whom"]
    linking = [eta for eta, doing in told if doing == "who calls whom"]
    assert len(reading) > 1
    # A tenth of the bytes took ten seconds; linking is part of it.
    assert 60 < reading[0] < 400
    assert reading[-1] < reading[0]
    assert len(linking) > 1
    assert reading[-1] > linking[0] > linking[-1] > 0


def test_projects_of_one_name_are_told_apart(engine, index, root, tmp_path):
    other = tmp_path / "elsewhere" / "atlas"
    write(other, "a.py", "def only_there(): pass\n")
    assert index().project.id == "atlas"
    assert index(other).project.id == "atlas-2"
    assert index(other).project.id == "atlas-2"
    assert titles(engine, "only_there", project="atlas") == []


def test_dropping_a_project_deletes_its_index_and_no_file(engine, index, root):
    chunks = index().chunks
    memory = engine.run(Remember("Atlas keeps notes.", scope=Scope(project="atlas"))).record
    assert engine.run(DropProject("atlas")).chunks == chunks
    assert pieces(engine) == {}
    assert engine.run(ListProjects()).projects == ()
    assert [one.id for one in engine.run(List()).records] == [memory.id]
    assert (root / "pkg/store.py").exists()
    assert index().chunks == chunks


@pytest.mark.parametrize("path", ["", "nowhere", "\0", "\ud800", "x" * 5000])
def test_what_is_no_folder_is_refused(engine, path):
    with pytest.raises(InvalidRequest, match="Invalid path: "):
        engine.run(IndexProject(path))


@pytest.mark.parametrize("path", ["/", "~", "~/..", "/usr", "/etc", "/proc/self"])
def test_what_holds_everything_or_is_the_systems_is_refused_with_what_to_do(engine, path):
    with pytest.raises(InvalidRequest, match=r"Invalid path: .+RECOLLECT_ROOTS"):
        engine.run(IndexProject(path))
    assert engine.run(ListProjects()).projects == ()


def test_a_home_is_indexed_where_it_was_named_as_a_root(engine, index, root, monkeypatch):
    monkeypatch.setenv("HOME", str(root))
    with pytest.raises(InvalidRequest, match="holds everything"):
        index(roots=(str(root),))
    assert index(roots=(str(root.parent), str(root))).files == 4


def test_files_in_which_people_keep_secrets_are_left_out_and_that_is_said(engine, index, root):
    write(root, "deploy/.env", "TOKEN=hunter2\n")
    write(root, "deploy/.env.example", "TOKEN=\n")
    write(root, "deploy/id_ed25519", "-----BEGIN OPENSSH PRIVATE KEY-----\n")
    write(root, "deploy/credentials.json", '{"password": "hunter2"}\n')
    write(root, "deploy/credentials.py", "def load_credentials(): pass\n")
    left_out = {one.reason: one.examples for one in index().project.skipped}
    assert left_out[skip.PRIVATE] == (
        "deploy/.env",
        "deploy/credentials.json",
        "deploy/id_ed25519",
    )
    assert "load_credentials" in titles(engine, "load_credentials")
    assert search(engine, "hunter2 token password") == []


def test_without_grammars_files_are_cut_at_blank_lines_until_the_grammars_are_there(
    engine, index, root, monkeypatch
):
    monkeypatch.setitem(sys.modules, "tree_sitter_language_pack", None)
    project = index().project
    assert project.status == "completed"
    assert "3 files were cut at blank lines only" in project.warnings[0]
    assert "pip install" in engine.run(IndexState("atlas")).warnings[0]
    assert index().files == 0
    assert search(engine, "append_note")[0].source_ref in {"pkg/store.py", "pkg/run.py"}
    monkeypatch.undo()
    assert index().project.warnings == ()
    assert titles(engine, "append_note")[0] == "Store.append_note"


def test_a_state_says_how_many_pieces_wait_for_their_vectors(engine, index):
    project = index().project
    assert project.waiting == project.total_chunks > 0
    engine.settle()
    assert engine.run(IndexState("atlas")).waiting == 0
    assert engine.run(ListProjects()).projects[0].waiting == 0


def test_whoever_is_confined_may_have_only_folders_within_the_roots_indexed(engine, index, root):
    # Whether it is there is nobody's business.
    for other in (root.parent, root.parent / "nowhere"):
        with pytest.raises(InvalidRequest, match=r"Invalid path.+ is in no folder that may be"):
            index(other, roots=(str(root),), confined=True)
    assert index(".", roots=(str(root),), confined=True).project.id == "atlas"


def test_secrets_in_code_are_not_taken_over(engine, index, root):
    key = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    write(root, "pkg/keys.py", f'def token():\n    return "{key}"\n')
    index()
    assert key not in pieces(engine)["pkg/keys.py", "token"].text


def test_a_file_that_cannot_be_cut_holds_up_no_other(engine, index, root):
    (root / "pkg/latin.py").write_bytes(b"def caf\xe9(): pass  # written in latin-1\n")
    (root / "pkg/bytes.py").write_bytes(bytes(range(128, 256)) + b"\n" * 9)
    write(root, "pkg/broken.py", "def f(:\n  class (((\n\t]]] '''\n")
    (root / "pkg/empty.py").write_bytes(b"")
    os.mkfifo(root / "pkg/pipe.py")
    index()
    assert ("pkg/store.py", "Store") in pieces(engine)
    reasons = {one.reason for one in engine.run(IndexState("atlas")).skipped}
    assert {skip.BINARY, skip.EMPTY} <= reasons


def test_pieces_get_vectors_in_idle_time_and_again_when_they_change(engine, index, root):
    index()
    where = Where(kinds=(Kind.CODE,))
    assert engine.run(SearchCode("keeps notes", where)).hits
    assert engine.settle() == len(pieces(engine))
    found = engine.run(SearchCode("keeps notes", where))
    assert found.semantic
    assert any(hit.parts.vector for hit in found.hits)
    write(root, "pkg/run.py", FILES["pkg/run.py"].replace("hello", "good morning"))
    index()
    assert engine.settle() == 1
    assert engine.settle() == 0


def test_among_many_pieces_all_that_words_find_are_compared_by_meaning(engine, index, root):
    many = "".join(f"def keep_note_{n}(x):\n    return x + {n}\n\n\n" for n in range(80))
    write(root, "pkg/many.py", many)
    index()
    engine.settle()
    found = engine.run(SearchCode("keep note renderNotes open_file", limit=50))
    assert found.semantic
    assert len(found.hits) == 50


def test_a_caller_may_weigh_the_ways_of_finding(engine, index):
    index()
    engine.settle()
    for weights in (Weights(1, 0, 0), Weights(0, 1, 0), Weights(0, 0, 1), Weights()):
        found = engine.run(SearchCode("append note", weights=weights)).hits
        assert found
        assert all(0 <= hit.score <= 1 for hit in found)
    with pytest.raises(InvalidRequest, match="weights"):
        engine.run(SearchCode("append note", weights=Weights(0, 0, 0)))


def test_code_and_memories_are_recalled_in_one_order(engine, index):
    index()
    engine.run(Remember("Notes are appended, never changed: the audit asked for it."))
    code = Where(kinds=(Kind.CODE,))
    both = engine.run(Recall("append note", code=code)).hits
    assert {hit.record.kind for hit in both} == {Kind.MEMORY, Kind.CODE}
    scores = [hit.score for hit in both]
    assert scores == sorted(scores, reverse=True)
    assert all(0 <= score <= 1 for score in scores)
    alone = engine.run(Recall("append note", where=code)).hits
    assert {hit.record.kind for hit in alone} == {Kind.CODE}
    assert {hit.record.kind for hit in engine.run(Recall("append note")).hits} == {Kind.MEMORY}
    assert len(engine.run(Recall("append note", code=code, limit=1)).hits) == 1
    assert engine.run(Recall("append note", code=code, budget=1)).hits == ()
    assert engine.run(Recall("append note", where=code, budget=1)).hits == ()


def reasons(engine, place, line=None):
    answer = engine.run(Why(place, line))
    return [one.text for one in (*answer.decisions, *answer.memories)]


@pytest.mark.parametrize("first", ["said", "indexed"])
def test_what_names_a_path_or_a_symbol_is_linked_to_it_whichever_comes_first(engine, index, first):
    file = "src: pkg/store.py is the only place that opens files."
    method = "We append in `Store.append_note`, since the audit wants it so."
    if first == "indexed":
        index()
    for text in (file, method, "The weather is fine."):
        engine.run(Remember(text))
    index()
    main = pieces(engine)["pkg/store.py", "Store.append_note"]
    near = engine.run(Explore(main.id, types=(Link.DEFINES,), kinds=(Kind.ENTITY,))).records
    assert [one.title for one in near] == ["Store.append_note"]
    assert reasons(engine, "pkg/store.py", 11) == [method]
    assert set(reasons(engine, "pkg/store.py")) == {file, method}
    assert reasons(engine, "web/view.ts") == []


def test_an_entity_that_only_code_is_called_by_goes_with_the_text_that_named_it(engine, index):
    index()
    kept = engine.run(Remember("See `append_note` for how.")).record
    engine.run(Forget((kept.id,)))
    assert engine.run(List(Where(kinds=(Kind.ENTITY,)))).total == 0


def test_a_file_of_no_project_has_no_reasons(engine, index):
    index()
    with pytest.raises(NotFound, match="recollect index PATH"):
        engine.run(Why("pkg/nothing.py"))


def test_files_of_any_name_and_any_text_are_indexed_or_left_out_and_hold_up_no_other(
    engine, index, root
):
    odd = {
        "with space/näme ünicode 文.py": "def spaced_one():\n\treturn 1\n",
        "new\nline.py": "def lined_one():\n    return 1\n",
        "-dash.py": "def dashed_one():\n    return 1\n",
        "bom.py": "\ufeffdef bom_one():\n    return 1\n",
        "crlf.py": "x = 1\r\n\r\n\r\ndef crlf_one():\r\n\treturn 1\r\n",
        "open.py": 'def open_one():\n    return """never closed\n',
    }
    for path, text in odd.items():
        file = root / path
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(text.encode())
    (root / "wide.py").write_bytes(b"x = '" + b"a" * 999_000 + b"'\n")
    (root / "latin.py").write_bytes("def latin_one(): return 'é'\n".encode("latin-1"))
    (root / "wide16.py").write_bytes("def sixteen(): pass\n".encode("utf-16"))
    unreadable = Path(os.fsdecode(os.fsencode(root) + b"/\xff\xfe"))
    unreadable.mkdir()
    (unreadable / "bytes.py").write_text("def bytes_one(): pass\n")
    (root / "up").symlink_to("..")
    (root / "self.py").symlink_to("self.py")
    state = index().project
    assert state.status == "completed"
    found = {one.title: one for (path, _), one in pieces(engine).items() if path in odd}
    lines = {
        name: (records.place(one).start, records.place(one).end) for name, one in found.items()
    }
    assert lines.pop("open_one")[0] == 1
    assert lines == {
        "spaced_one": (1, 2),
        "lined_one": (1, 2),
        "dashed_one": (1, 2),
        "bom_one": (1, 2),
        "crlf": (1, 1),
        "crlf_one": (4, 5),
    }
    assert "latin_one" in titles(engine, "latin_one")
    left_out = {one.reason: one.examples for one in state.skipped}
    assert left_out[skip.MINIFIED] == ("wide.py",)
    assert left_out[skip.BINARY] == ("wide16.py",)
    assert len(left_out["its name is no text"]) == 1
    assert index().files == 0

"""A file of every older version opens, and holds what it held."""

from __future__ import annotations

import apsw
import pytest

from recollect.model import Entry
from recollect.store.sqlite import SqliteStore, connection
from recollect.store.sqlite.queries import migrations
from tests.store.build import ANY, SMALL, apply, get, record, unit, update

VERSIONS = [number for number, _ in migrations()]
# Data as a program of that version wrote it; each new version adds its own, and the earlier ones
# stay as they are.
DATA = {
    1: """
    INSERT INTO scope VALUES (1, 'local', '', '');
    INSERT INTO author VALUES (1, 'human', 'ann');
    INSERT INTO type VALUES (1, '');
    INSERT INTO record VALUES
      (1, 'old', 'memory', 1, 1, '', 1767268800000000, NULL, 1767268800000000, '', 1
      , -4303936963104106113, 3);
    INSERT INTO content VALUES
      (1, 'what old says', '', '', 1, 1767268800000000, 1767268800000000, 1.0, 1.0, '', '', ''
      , '{}', x'000102030405060708090a0b0c0d0e0f');
    INSERT INTO words (rowid, tokens) VALUES (1, 'what old says');
    UPDATE meta SET value = 1 WHERE key = 'documents';
    UPDATE meta SET value = 3 WHERE key = 'length';
    UPDATE meta SET value = 2 WHERE key = 'next';
    """,
    2: """
    UPDATE content SET facts = '{"seen":2}' WHERE seq = 1;
    """,
}


def made(path, version):
    """A file as a program of that version left it."""
    old = apsw.Connection(str(path))
    old.execute("PRAGMA journal_mode = WAL").fetchall()
    for number, script in migrations():
        if number <= version:
            old.execute(script)
            old.execute(DATA.get(number, ""))
    old.execute(f"PRAGMA user_version = {version}")
    old.execute(f"PRAGMA application_id = {connection.APPLICATION_ID}")
    old.close()


def test_versions_count_up_from_one():
    assert list(range(1, len(VERSIONS) + 1)) == VERSIONS


@pytest.mark.parametrize("version", VERSIONS)
def test_a_file_of_any_version_is_brought_up_to_date_and_holds_what_it_held(tmp_path, version):
    path = tmp_path / "memory.db"
    made(path, version)
    store = SqliteStore.open(path)
    facts = '{"seen":2}' if version > 1 else "{}"
    assert get(store, "old") == record("old", seq=1, facts=facts)
    with store.reading() as reader:
        assert [c.seq for c in reader.matching(["old"], ANY, 9)] == [1]
    with store.writing() as tx:
        tx.prepare(SMALL)
        tx.embed({1: unit(1)}, SMALL)
    apply(store, insert=(Entry(record("new"), unit(2)),))
    update(store, "new", text="changed")
    apply(store, forget=("old",))
    with store.reading() as reader:
        assert [r.id for r in reader.page(ANY, 9)] == ["new"]
    assert store.verify() == []
    store.close()


@pytest.mark.parametrize("version", VERSIONS)
def test_every_version_comes_to_the_same_schema(tmp_path, version):
    made(tmp_path / "old.db", version)
    schemas = []
    for name in ("old.db", "new.db"):
        SqliteStore.open(tmp_path / name).close()
        file = apsw.Connection(str(tmp_path / name))
        schemas.append(set(file.execute("SELECT type, name, sql FROM sqlite_schema")))
        assert file.pragma("user_version") == VERSIONS[-1]
        file.close()
    assert schemas[0] == schemas[1]


def test_opening_a_current_file_changes_no_byte(tmp_path):
    path = tmp_path / "memory.db"
    made(path, VERSIONS[-1])
    before = path.read_bytes()
    SqliteStore.open(path).close()
    assert path.read_bytes() == before


def test_a_long_text_of_an_older_file_waits_for_its_passages(tmp_path):
    path = tmp_path / "memory.db"
    made(path, 8)
    old = apsw.Connection(str(path))
    old.execute("UPDATE content SET text = ? WHERE seq = 1", ("It is long. " * 200,))
    old.execute("INSERT INTO model VALUES (1, 'small', 64, 'serving', 1, 0, 0, 0, 0, '')")
    half = unit(1).astype("<f2").tobytes()
    old.execute("INSERT INTO vector VALUES (?, ?)", ((1 << 40) + 1, half))
    old.close()
    store = SqliteStore.open(path)
    with store.reading() as reader:
        assert [r.id for r in reader.waiting(9)] == ["old"]
    with store.writing() as tx:
        tx.embed({1: unit(2)}, SMALL, {}, {1: half + half})
    with store.reading() as reader:
        assert reader.waiting(9) == []
        assert reader.senses([1])[1].parts == half + half
        assert [c.seq for c in reader.nearest(unit(1), ANY, 9)] == [1]
    store.close()

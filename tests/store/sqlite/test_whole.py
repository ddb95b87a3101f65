"""Every table of the file is carried from store to store, or there is a reason why not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import apsw

from recollect.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from pathlib import Path

CARRIED = {
    "record",
    "content",
    "version",
    "access",
    "edge",
    "event",
    "vector",
    "part",
    "scope",
    "author",
    "type",
}
LEFT_OUT = {
    "meta": "the file's own id, and sums that are made again",
    "name": "made again from the entities",
    "words": "made again from the texts",
    "word": "a view of the word index",
    "code_words": "made again from the pieces of code",
    "code_word": "a view of the index of code",
    "model": "the head of an export names the serving one; the rest is about scan files",
    "key": "a file that is passed on must open no door",
    "waiting": "what has no vector waits again",
    "done": "a request is sent again to the store that was asked",
}


def test_every_table_is_carried_or_left_out_for_a_reason(tmp_path: Path) -> None:
    SqliteStore.open(tmp_path / "memory.db").close()
    connection = apsw.Connection(str(tmp_path / "memory.db"))
    found = connection.execute("SELECT name FROM pragma_table_list WHERE schema = 'main'")
    tables = {
        name for (name,) in found if not name.startswith(("sqlite_", "words_", "code_words_"))
    }
    connection.close()
    assert tables == CARRIED | LEFT_OUT.keys()

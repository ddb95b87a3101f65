"""What is forgotten is in no byte of any file."""

from __future__ import annotations

import numpy as np
import pytest

from recollect.model import Entry
from recollect.store.sqlite import SqliteStore
from tests.store.build import ANN, SMALL, apply, edge, record, unit, update

RARE = ("zyxwvu", "qponml", "kjihgf", "edcbaz")
WORDS = [word.encode() for word in RARE]


@pytest.fixture
def path(tmp_path):
    return tmp_path / "memory.db"


@pytest.fixture
def store(path):
    opened = SqliteStore.open(path)
    with opened.writing() as tx:
        tx.prepare(SMALL)
    text, title, metadata, speaker = RARE
    secret = record(
        "secret", f"the {text} said", title=title, metadata=f'{{"a":"{metadata}"}}', speaker=speaker
    )
    others = (Entry(record(f"r{n}", f"text {n}"), unit(n)) for n in range(200))
    linked = edge("secret", "likes", "r1", id="rel_1")
    apply(opened, insert=(*others, Entry(secret, unit(500))), link=(linked,))
    # An earlier version holds the words too.
    update(opened, "secret", unit(500), text=f"again {text} said")
    yield opened
    opened.close()


def left(path):
    return {
        (word, file.name)
        for file in path.parent.iterdir()
        for word in (*WORDS, unit(500).astype(np.float16).tobytes())
        if word in file.read_bytes()
    }


def test_nothing_is_left_of_a_forgotten_record_while_the_store_stays_open(store, path):
    assert left(path)
    apply(store, forget=("secret",))
    assert left(path) == set()
    assert store.verify() == []


def test_nothing_is_left_after_a_reader_was_in_the_way(store, path):
    with store.reading():
        apply(store, forget=("secret",))
    store.close()
    assert left(path) == set()


def test_nothing_is_left_of_a_tenant_that_was_wiped(store, path):
    with store.writing() as tx:
        tx.wipe("local", ANN, 0)
    assert left(path) == set()
    assert store.verify() == []


def test_nothing_is_left_of_one_tenant_of_two(store, path):
    from recollect.model import Scope

    apply(store, insert=(Entry(record("b", scope=Scope("b"))),))
    with store.writing() as tx:
        tx.wipe("local", ANN, 0)
    assert left(path) == set()
    assert store.verify() == []

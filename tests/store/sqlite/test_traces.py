"""What is forgotten is in no byte of any file."""

from __future__ import annotations

import numpy as np
import pytest

from recollect.model import Entry, Kind, Scope, Where
from recollect.store.sqlite import SqliteStore
from tests.store.build import ANN, SMALL, apply, edge, keep, record, unit, update

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


def test_names_go_with_the_last_record_that_has_them(store, path):
    scope = Scope(user=RARE[0], project=RARE[1])
    entity = record("ent_1", kind=Kind.ENTITY, scope=Scope(user=RARE[0]), key="ann", type=RARE[2])
    keep(store, record("a", scope=scope, type=RARE[3]), record("b", scope=scope), entity)
    update(store, "a", type="")
    apply(store, forget=("secret", "b"))
    assert {word for word, _ in left(path)} == set(WORDS)
    apply(store, forget=("a", "ent_1"))
    assert left(path) == set()
    assert store.verify() == []


def test_names_go_with_a_tenant_that_was_wiped(store, path):
    apply(store, forget=("secret",))
    keep(store, record("a", scope=Scope("b", RARE[0], RARE[1]), type=RARE[2]))
    with store.writing() as tx:
        tx.wipe("b", ANN, 0)
    assert left(path) == set()
    keep(store, record("a", scope=Scope(user=RARE[0]), type=RARE[2]))
    with store.writing() as tx:
        tx.wipe("local", ANN, 0)
    assert left(path) == set()
    assert store.verify() == []


def test_a_name_that_went_and_came_back_is_the_same_for_who_remembers_it(store, path):
    one, two = Scope(project="one"), Scope(project="two")
    other = SqliteStore.open(path)
    keep(store, record("a", scope=one, type="x"))
    keep(other, record("b", scope=one, type="x"))
    assert told(other, one, "x") == ["b", "a"]
    apply(store, forget=("a", "b"))
    keep(store, record("c", scope=two, type="y"))
    assert (told(other, one, "x"), told(other, two, "y")) == ([], ["c"])
    keep(other, record("d", scope=one, type="x"))
    for each in (store, other):
        assert (told(each, one, "x"), told(each, two, "y")) == (["d"], ["c"])
        with each.reading() as reader:
            assert [r.id for r in reader.saying(one, ["what d says"])] == ["d"]
    other.close()


def told(store, scope, type_):
    with store.reading() as reader:
        found = reader.page(Where(project=scope.project, types=(type_,)), 9)
    assert all((one.scope, one.type) == (scope, type_) for one in found)
    return [one.id for one in found]


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
    apply(store, insert=(Entry(record("b", scope=Scope("b"))),))
    with store.writing() as tx:
        tx.wipe("local", ANN, 0)
    assert left(path) == set()
    assert store.verify() == []

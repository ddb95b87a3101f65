"""What is left when everything of one tenant is deleted."""

from __future__ import annotations

from recollect.model import Entry, Kind, Scope, Where
from recollect.rules.analyse import tokens
from tests.store.build import (
    ANN,
    ANY,
    SMALL,
    apply,
    edge,
    record,
    unit,
    update,
)


def test_wiping_deletes_everything_of_one_tenant(store):
    with store.writing() as tx:
        tx.prepare(SMALL)
    other = Scope("acme", "ann", "site")
    apply(
        store,
        insert=(
            Entry(record("a", "gone words"), unit(1)),
            Entry(record("b", scope=Scope("local", "ann"))),
            Entry(record("e", kind=Kind.ENTITY, key="gone")),
            Entry(record("z", "kept words", scope=other), unit(2)),
            Entry(record("y", scope=other)),
        ),
        link=(
            edge("a", "likes", "b", id="rel_1"),
            edge("z", "likes", "a"),
            edge("z", "likes", "y", id="rel_2"),
        ),
    )
    update(store, "a", confidence=0.5)
    with store.writing() as tx:
        expected = tx.counts("local")
        assert tx.wipe("local", ANN, 0) == expected
    with store.reading() as reader:
        assert (expected.memories, expected.entities, expected.relations) == (2, 1, 1)
        assert reader.counts("local").records == 0
        assert reader.count(ANY) == 0
        assert reader.versions("a") == []
        assert [r.id for r in reader.page(Where("acme"), 9)] == ["y", "z"]
        assert reader.edges("abezy") == [edge("z", "likes", "y", id="rel_2")]
        assert reader.corpus(tokens("gone words")).documents == 2
        assert reader.corpus(tokens("gone")).frequency == dict.fromkeys(tokens("gone"), 0)
        assert [c.score for c in reader.nearest(unit(2), Where("acme"), 9)] == [1.0]
        assert reader.models().waiting == 1

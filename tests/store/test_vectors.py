"""Finding by meaning, and changing the model, whichever store is searched."""

from __future__ import annotations

import numpy as np
import pytest

from recollect.embed import Model
from recollect.errors import Conflict
from recollect.model import Entry, Kind, Vectors, Where
from tests.store.build import (
    ANN,
    ANY,
    OTHER,
    SMALL,
    apply,
    changed,
    get,
    keep,
    record,
    unit,
    update,
)

TWIN = Model("twin", SMALL.dimensions)


def prepare(store, model=SMALL):
    with store.writing() as tx:
        tx.prepare(model)


def embed(store, rows, model=SMALL):
    with store.writing() as tx:
        tx.embed(rows, model)


def waiting(store, limit=100):
    with store.reading() as reader:
        return [r.id for r in reader.waiting(limit)]


def models(store):
    with store.reading() as reader:
        return reader.models()


def nearest(store, vector, limit=100, where=ANY):
    with store.reading() as reader:
        candidates = reader.nearest(vector, where, limit)
    return [(c.seq, pytest.approx(c.score, abs=1e-3)) for c in candidates]


def vectors(store, *seqs):
    with store.reading() as reader:
        return {seq: list(row) for seq, row in reader.vectors(seqs).items()}


def insert(store, *ids, first=0):
    entries = (Entry(record(id_), unit(first + n)) for n, id_ in enumerate(ids))
    return [r.seq for r in apply(store, insert=tuple(entries))]


def test_at_first_no_model_serves_and_nothing_waits(store):
    keep(store, record("a"))
    assert models(store) == Vectors()
    assert waiting(store) == []
    assert nearest(store, unit(0)) == []
    assert vectors(store, 1) == {}


def test_the_first_model_serves_at_once_and_every_text_waits(store):
    keep(store, record("a"), record("b", kind=Kind.DECISION), record("e", kind=Kind.ENTITY))
    prepare(store)
    assert models(store) == Vectors(serving="small", dimensions=64, waiting=2)
    assert waiting(store) == ["a", "b"]
    assert waiting(store, 1) == ["a"]


def test_records_with_a_vector_do_not_wait(store):
    prepare(store)
    insert(store, "a")
    keep(store, record("b"))
    assert waiting(store) == ["b"]
    assert models(store) == Vectors(serving="small", dimensions=64, done=1, waiting=1)


def test_the_records_that_wait_are_answered_whole(store):
    prepare(store)
    keep(store, record("a"))
    with store.reading() as reader:
        assert reader.waiting(9) == [get(store, "a")]


def test_embedding_ends_the_wait(store):
    prepare(store)
    a, b = (r.seq for r in keep(store, record("a"), record("b")))
    embed(store, {a: unit(1)})
    assert waiting(store) == ["b"]
    assert vectors(store, a, b) == {a: list(unit(1))}
    assert models(store).done == 1


def test_vectors_for_what_does_not_wait_are_let_go(store):
    prepare(store)
    (a,) = insert(store, "a")
    (e,) = (r.seq for r in keep(store, record("e", kind=Kind.ENTITY)))
    embed(store, {a: unit(7), e: unit(8), 999: unit(9)})
    assert vectors(store, a, e, 999) == {a: list(unit(0))}
    assert models(store).done == 1


def test_embedding_leaves_no_version_and_no_entry_in_the_ledger(store):
    prepare(store)
    (a,) = keep(store, record("a"))
    embed(store, {a.seq: unit(1)})
    with store.reading() as reader:
        assert reader.last_event() == 1
        assert reader.records(["a"])["a"] == a


def test_the_nearest_come_first_with_their_cosine(store):
    prepare(store)
    seqs = insert(store, *"abcdef")
    asked = unit(3)
    cosines = {seq: float(unit(n) @ asked) for n, seq in enumerate(seqs)}
    found = nearest(store, asked)
    assert dict(found) == cosines
    assert found[0] == (seqs[3], 1.0)
    assert [s for s, _ in found] == sorted(seqs, key=lambda seq: (-cosines[seq], seq))
    assert nearest(store, asked, limit=2) == found[:2]


def test_a_cosine_does_not_depend_on_lengths(store):
    prepare(store)
    (a,) = insert(store, "a")
    assert nearest(store, unit(0) * 4) == [(a, 1.0)]


def test_equally_near_ones_stand_in_the_order_of_their_numbers(store):
    prepare(store)
    entries = tuple(Entry(record(id_), unit(1)) for id_ in "bca")
    seqs = [r.seq for r in apply(store, insert=entries)]
    assert [seq for seq, _ in nearest(store, unit(1))] == seqs
    assert [seq for seq, _ in nearest(store, unit(1), limit=2)] == seqs[:2]


def test_the_filter_comes_before_the_limit(store):
    prepare(store)
    insert(store, *"abc")
    (z,) = apply(store, insert=(Entry(record("z", session="s1"), -unit(0)),))
    assert nearest(store, unit(0), 1, Where(session="s1")) == [(z.seq, -1.0)]


def test_an_entity_has_no_vector(store):
    prepare(store)
    (e,) = apply(store, insert=(Entry(record("e", kind=Kind.ENTITY), unit(1)),))
    update(store, "e", unit(1), text="else")
    assert nearest(store, unit(1)) == []
    assert vectors(store, e.seq) == {}
    assert models(store) == Vectors(serving="small", dimensions=64)


def test_what_a_caller_does_to_its_array_later_changes_nothing(store):
    prepare(store)
    given = unit(1)
    (a,) = apply(store, insert=(Entry(record("a"), given),))
    given[:] = 0
    assert vectors(store, a.seq) == {a.seq: list(unit(1))}


def test_vectors_come_back_as_single_precision(store):
    prepare(store)
    (a,) = insert(store, "a")
    with store.reading() as reader:
        (row,) = reader.vectors([a]).values()
    assert (row.dtype, row.shape) == (np.float32, (64,))


def test_an_update_with_a_vector_replaces_the_old_one(store):
    prepare(store)
    (a,) = insert(store, "a")
    update(store, "a", unit(5), text="new")
    assert vectors(store, a) == {a: list(unit(5))}
    assert nearest(store, unit(5)) == [(a, 1.0)]
    assert waiting(store) == []


def test_an_update_of_the_text_without_a_vector_waits_for_one(store):
    prepare(store)
    (a,) = insert(store, "a")
    update(store, "a", text="new")
    assert vectors(store, a) == {}
    assert nearest(store, unit(0)) == []
    assert waiting(store) == ["a"]
    embed(store, {a: unit(5)})
    assert nearest(store, unit(5)) == [(a, 1.0)]


def test_an_update_that_brings_a_vector_ends_the_wait(store):
    prepare(store)
    a, _ = (r.seq for r in keep(store, record("a"), record("b")))
    update(store, "a", unit(5), confidence=0.5)
    update(store, "b", unit(6), text="new")
    assert waiting(store) == []
    assert vectors(store, a) == {a: list(unit(5))}


def test_an_update_of_the_title_counts_as_one_of_the_text(store):
    prepare(store)
    insert(store, "a")
    update(store, "a", title="Heading")
    assert waiting(store) == ["a"]


def test_an_update_of_anything_else_keeps_the_vector(store):
    prepare(store)
    (a,) = insert(store, "a")
    update(store, "a", confidence=0.5, status="active", metadata='{"a":1}')
    assert vectors(store, a) == {a: list(unit(0))}
    assert nearest(store, unit(0)) == [(a, 1.0)]
    assert waiting(store) == []


def test_an_update_of_anything_else_keeps_the_wait(store):
    prepare(store)
    keep(store, record("a"))
    update(store, "a", confidence=0.5)
    assert waiting(store) == ["a"]


@pytest.mark.parametrize("given", [unit(1, OTHER), unit(1)[:32]])
def test_a_vector_of_another_length_than_the_serving_model_makes_is_a_conflict(store, given):
    prepare(store)
    with pytest.raises(Conflict):
        apply(store, insert=(Entry(record("a"), given),))
    (b,) = keep(store, record("b"))
    with pytest.raises(Conflict):
        update(store, "b", given)
    with pytest.raises(Conflict):
        embed(store, {b.seq: given})
    with store.reading() as reader, pytest.raises(Conflict):
        reader.nearest(given, ANY, 9)


def test_a_vector_before_there_is_a_model_is_a_conflict(store):
    with pytest.raises(Conflict):
        apply(store, insert=(Entry(record("a"), unit(1)),))


@pytest.mark.parametrize("model", [OTHER, TWIN, Model("small", 128)])
def test_vectors_of_a_model_that_was_not_prepared_are_a_conflict(store, model):
    (a,) = keep(store, record("a"))
    with pytest.raises(Conflict):
        embed(store, {a.seq: unit(1, model)}, model)
    prepare(store)
    with pytest.raises(Conflict):
        embed(store, {a.seq: unit(1, model)}, model)
    assert waiting(store) == ["a"]


@pytest.mark.parametrize("model", [OTHER, TWIN, Model("small", 128)])
def test_while_a_model_is_coming_the_old_vectors_serve(store, model):
    prepare(store)
    a, b = insert(store, "a", "b")
    before = nearest(store, unit(1))
    prepare(store, model)
    assert models(store) == Vectors("small", 64, model.name, 0, 2)
    assert waiting(store) == ["a", "b"]
    embed(store, {a: unit(8, model)}, model)
    assert models(store) == Vectors("small", 64, model.name, 1, 1)
    assert waiting(store) == ["b"]
    assert nearest(store, unit(1)) == before
    assert vectors(store, a, b) == {a: list(unit(0)), b: list(unit(1))}


@pytest.mark.parametrize("model", [OTHER, TWIN, Model("small", 128)])
def test_the_coming_model_serves_with_its_last_vector_and_the_old_ones_go(store, model):
    prepare(store)
    a, b = insert(store, "a", "b")
    prepare(store, model)
    embed(store, {a: unit(8, model)}, model)
    embed(store, {b: unit(9, model)}, model)
    assert models(store) == Vectors(model.name, model.dimensions, "", 2, 0)
    assert waiting(store) == []
    assert vectors(store, a, b) == {a: list(unit(8, model)), b: list(unit(9, model))}
    assert nearest(store, unit(9, model))[0] == (b, 1.0)
    prepare(store)
    assert models(store) == Vectors(model.name, model.dimensions, "small", 0, 2)


def test_what_is_inserted_meanwhile_is_found_and_waits_for_the_coming_model(store):
    prepare(store)
    (a,) = insert(store, "a")
    prepare(store, OTHER)
    (b,) = insert(store, "b", first=5)
    keep(store, record("c"))
    assert nearest(store, unit(5))[0] == (b, 1.0)
    assert waiting(store) == ["a", "b", "c"]
    embed(store, {a: unit(1, OTHER)}, OTHER)
    assert models(store).serving == "small"
    assert waiting(store) == ["b", "c"]


def test_what_is_updated_meanwhile_waits_for_the_coming_model_again(store):
    prepare(store)
    a, _ = insert(store, "a", "b")
    prepare(store, OTHER)
    embed(store, {a: unit(8, OTHER)}, OTHER)
    update(store, "a", confidence=0.5)
    assert waiting(store) == ["b"]
    update(store, "a", unit(9), text="new")
    assert waiting(store) == ["a", "b"]
    assert vectors(store, a) == {a: list(unit(9))}


def test_the_serving_model_can_be_filled_while_another_is_coming(store):
    prepare(store)
    (a,) = (r.seq for r in keep(store, record("a")))
    prepare(store, OTHER)
    embed(store, {a: unit(1)})
    assert nearest(store, unit(1)) == [(a, 1.0)]
    assert waiting(store) == ["a"]


def test_preparing_the_serving_model_again_calls_the_coming_one_off(store):
    prepare(store)
    a, _ = insert(store, "a", "b")
    keep(store, record("c"))
    prepare(store, OTHER)
    embed(store, {a: unit(8, OTHER)}, OTHER)
    prepare(store)
    assert models(store) == Vectors("small", 64, "", 2, 1)
    assert waiting(store) == ["c"]
    with pytest.raises(Conflict):
        embed(store, {a: unit(8, OTHER)}, OTHER)
    prepare(store, OTHER)
    assert models(store) == Vectors("small", 64, "other", 0, 3)


def test_preparing_a_third_model_takes_the_place_of_the_coming_one(store):
    prepare(store)
    a, _ = insert(store, "a", "b")
    prepare(store, OTHER)
    embed(store, {a: unit(8, OTHER)}, OTHER)
    prepare(store, TWIN)
    assert models(store) == Vectors("small", 64, "twin", 0, 2)


@pytest.mark.parametrize("model", [SMALL, OTHER])
def test_preparing_a_model_twice_is_preparing_it_once(store, model):
    prepare(store)
    a, _ = insert(store, "a", "b")
    prepare(store, model)
    if model == OTHER:
        embed(store, {a: unit(8, model)}, model)
    before = models(store)
    prepare(store, model)
    assert models(store) == before


@pytest.mark.parametrize("ids", ["", "e"])
def test_a_model_that_nobody_waits_for_serves_at_once(store, ids):
    prepare(store)
    keep(store, *(record(id_, kind=Kind.ENTITY) for id_ in ids))
    prepare(store, OTHER)
    assert models(store) == Vectors("other", 128)


def test_forgetting_the_last_that_waits_lets_the_coming_model_serve(store):
    prepare(store)
    a, _ = insert(store, "a", "b")
    prepare(store, OTHER)
    embed(store, {a: unit(8, OTHER)}, OTHER)
    apply(store, forget=("b",))
    assert models(store) == Vectors("other", 128, "", 1, 0)
    assert nearest(store, unit(8, OTHER)) == [(a, 1.0)]


def codes(store, *seqs):
    with store.reading() as reader:
        return {seq: sense.codes for seq, sense in reader.senses(seqs).items() if sense.codes}


def test_codes_are_kept_with_their_vector_and_go_with_it(store):
    prepare(store)
    (one, two) = apply(
        store,
        insert=(Entry(record("one"), unit(1), b"codes of one"), Entry(record("two"), unit(2))),
    )
    assert codes(store, one.seq, two.seq, 99) == {one.seq: b"codes of one"}
    assert vectors(store, one.seq) == {one.seq: pytest.approx(list(unit(1)), abs=1e-3)}
    update(store, "one", unit(3), text="another")
    assert codes(store, one.seq) == {}
    apply(store, forget=("one",))
    assert codes(store, one.seq, two.seq) == {}


def test_the_codes_of_a_coming_model_serve_when_it_does(store):
    prepare(store)
    (one,) = apply(store, insert=(Entry(record("one"), unit(1), b"old"),))
    prepare(store, OTHER)
    assert codes(store, one.seq) == {one.seq: b"old"}
    with store.writing() as tx:
        tx.embed({one.seq: unit(1, OTHER)}, OTHER, {one.seq: b"new"})
    assert codes(store, one.seq) == {one.seq: b"new"}


def test_codes_are_read_only_where_there_is_a_model(store):
    (one,) = keep(store, record("one"))
    assert codes(store, one.seq) == {}
    assert codes(store) == {}


def halves(*seeds):
    return b"".join(unit(seed).astype("<f2").tobytes() for seed in seeds)


def parts(store, *seqs):
    with store.reading() as reader:
        return {seq: sense.parts for seq, sense in reader.senses(seqs).items() if sense.parts}


def long(id_, own, *seeds, partial=False, **changes):
    return Entry(record(id_, **changes), unit(own), b"", halves(*seeds), partial)


def rewrite(store, id_, text, *seeds):
    new = changed(get(store, id_), text=text)
    apply(store, update=(Entry(new, unit(1), b"", halves(*seeds)),))


def test_a_long_text_is_as_near_as_the_nearest_of_its_passages(store):
    prepare(store)
    one, two, three = apply(
        store, insert=(long("one", 1, 2, 3), Entry(record("two"), unit(4)), long("three", 5, 6))
    )
    assert nearest(store, unit(3), 1) == [(one.seq, 1.0)]
    assert nearest(store, unit(4), 1) == [(two.seq, 1.0)]
    assert nearest(store, unit(6), 1) == [(three.seq, 1.0)]
    # Its own vector is the mean of all, which nobody asks for.
    assert (one.seq, 1.0) not in nearest(store, unit(1))
    assert len(nearest(store, unit(2))) == 3
    assert parts(store, one.seq, two.seq) == {one.seq: halves(2, 3)}
    assert store.verify() == []


def test_one_long_text_does_not_crowd_out_the_others(store):
    prepare(store)
    apply(store, insert=(long("long", 1, *[2] * 400),))
    short = insert(store, "a", "b", "c", first=3)
    assert next(seq for seq, _ in nearest(store, unit(2), 4)) == 1
    assert {seq for seq, _ in nearest(store, unit(2), 4)} == {1, *short}


def test_passages_come_and_go_with_their_text(store):
    prepare(store)
    (one,) = apply(store, insert=(long("one", 1, 2, 3, 4),))
    update(store, "one", valid_until=None, type="fact")
    assert nearest(store, unit(4), 1) == [(one.seq, 1.0)]
    rewrite(store, "one", "something else", 5, 6)
    assert nearest(store, unit(6), 1) == [(one.seq, 1.0)]
    assert (one.seq, 1.0) not in nearest(store, unit(4))
    assert parts(store, one.seq) == {one.seq: halves(5, 6)}
    assert store.verify() == []
    update(store, "one", unit(7), text="short")
    assert nearest(store, unit(7), 1) == [(one.seq, 1.0)]
    assert parts(store, one.seq) == {}
    rewrite(store, "one", "again", 8, 9)
    apply(store, forget=("one",))
    assert nearest(store, unit(8)) == []
    assert parts(store, one.seq) == {}
    assert store.verify() == []


def test_a_text_of_which_the_beginning_is_known_waits_for_the_rest(store):
    prepare(store)
    (one,) = apply(store, insert=(long("one", 1, 2, partial=True),))
    assert waiting(store) == ["one"]
    assert nearest(store, unit(2), 1) == [(one.seq, 1.0)]
    with store.writing() as tx:
        tx.embed({one.seq: unit(3)}, SMALL, {}, {one.seq: halves(2, 4)})
    assert waiting(store) == []
    assert nearest(store, unit(4), 1) == [(one.seq, 1.0)]
    assert parts(store, one.seq) == {one.seq: halves(2, 4)}
    assert store.verify() == []
    rewrite_partly = changed(get(store, "one"), text="another")
    apply(store, update=(Entry(rewrite_partly, unit(1), b"", halves(5), partial=True),))
    assert waiting(store) == ["one"]


def test_passages_of_a_coming_model_serve_when_it_does(store):
    prepare(store)
    one, two = apply(store, insert=(long("one", 1, 2, 3), long("two", 4, 5, 6)))
    prepare(store, TWIN)
    assert waiting(store) == ["one", "two"]
    for record_, seeds in ((one, (7, 8)), (two, (9, 10))):
        with store.writing() as tx:
            tx.embed({record_.seq: unit(1)}, TWIN, {}, {record_.seq: halves(*seeds)})
    assert models(store).serving == "twin"
    assert nearest(store, unit(8), 1) == [(one.seq, 1.0)]
    assert (one.seq, 1.0) not in nearest(store, unit(3))
    assert store.verify() == []
    with store.writing() as tx:
        tx.wipe("local", ANN, 0)
    assert nearest(store, unit(8)) == []
    assert store.verify() == []

"""Keeping many texts: all or none, in order, each once."""

from __future__ import annotations

from datetime import timedelta

import numpy as np
import pytest

from recollect.embed.hashed import HashEmbedder
from recollect.errors import Conflict, InvalidRequest, NotFound
from recollect.model import Scope
from recollect.ops import Forget, Remember, RememberAll, Status
from tests.engine.build import (
    Meanwhile,
    entities,
    found,
    ledger,
    listed,
    now,
    opened,
    remember,
    unchanged,
)

DAY = timedelta(days=1)


def all_of(engine, *items, **more):
    ops = tuple(item if isinstance(item, Remember) else Remember(item) for item in items)
    return engine.run(RememberAll(ops, **more))


def test_the_answers_stand_in_the_order_asked_for(engine):
    known = remember(engine, "two")
    answer = all_of(engine, "one", "two", "three", "one")
    assert [record.text for record in answer.records] == ["one", "two", "three", "one"]
    assert answer.records[1] == known
    assert answer.records[0] == answer.records[3]
    assert answer.created == 2
    assert [r.text for r in listed(engine)] == ["three", "one", "two"]


def test_of_those_that_say_the_same_the_first_is_kept(engine):
    first, second = Remember("one", title="first"), Remember("one", title="second")
    answer = all_of(engine, first, second, first)
    assert [record.title for record in answer.records] == ["first", "second", "first"]
    again = all_of(engine, second, first)
    assert (answer.created, again.created) == (2, 0)
    assert [record.title for record in again.records] == ["second", "first"]


def test_who_asks_for_it_gets_every_text_anew(engine):
    remember(engine, "one")
    twice = Remember("one", once=False)
    answer = all_of(engine, twice, twice, "one")
    assert answer.created == 2
    assert len({record.id for record in answer.records}) == 3


def test_the_same_text_of_two_scopes_is_two_records(engine):
    answer = all_of(engine, Remember("one", Scope("other")), Remember("one"), "one")
    assert answer.created == 2
    assert [r.scope.tenant for r in answer.records] == ["other", "local", "local"]


def test_keeping_all_of_it_again_keeps_nothing(engine):
    first = all_of(engine, "one", "two")
    with unchanged(engine):
        again = all_of(engine, "two", "one")
    assert again.created == 0
    assert again.records == first.records[::-1]


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        (Remember(" "), InvalidRequest),
        (Remember("Zoe is here", supersedes=("nobody",)), NotFound),
        (Remember("Zoe is here", confidence=2), InvalidRequest),
    ],
)
def test_one_that_cannot_be_kept_keeps_all_from_being_kept(engine, wrong, error):
    remember(engine, "zero")
    with unchanged(engine), pytest.raises(error):
        all_of(engine, "one with Anna", "two", wrong)


def test_no_items_are_a_mistake_and_far_too_many_too(engine):
    with unchanged(engine):
        for items in ((), (Remember("one"),) * 100_001):
            with pytest.raises(InvalidRequest):
                engine.run(RememberAll(items))


def test_two_of_a_batch_cannot_take_the_place_of_the_same_record(engine):
    old = remember(engine, "zero")
    new = [Remember(text, supersedes=(old.id,)) for text in ("one", "two")]
    with unchanged(engine), pytest.raises(Conflict):
        all_of(engine, *new)


def test_a_batch_may_take_the_place_of_what_was_there(engine, clock):
    old = [remember(engine, text) for text in ("zero", "nought")]
    clock.move(DAY)
    answer = all_of(engine, *(Remember(f"new {r.text}", supersedes=(r.id,)) for r in old))
    for before, after in zip(old, answer.records, strict=True):
        assert after.supersedes == (before.id,)
        assert now(engine, before).superseded_by == after.id
        assert now(engine, before).valid_until == clock()


def test_what_a_batch_names_becomes_one_entity(engine):
    all_of(engine, "lunch with Anna", "dinner with Anna", Remember("a walk with ANNA", once=False))
    assert list(entities(engine)) == ["Anna"]
    with engine.ports.store.reading() as reader:
        assert len(reader.edges([entities(engine)["Anna"].id])) == 3


def test_a_batch_is_found_by_meaning_and_words_at_once(engine):
    all_of(engine, "the build uses make", "lunch was late")
    assert found(engine, "what does the build use?")[0] == "the build uses make"
    with engine.ports.store.reading() as reader:
        assert reader.models().waiting == 0


def test_vectors_that_are_given_are_used(engine):
    make, lunch = HashEmbedder(384).passages(["the build uses make", "lunch was late"])
    # Crossed over, so that only what was given explains what is found.
    all_of(engine, "alpha", "beta", vectors=np.stack([lunch, make]))
    assert found(engine, "the build uses make")[0] == "beta"
    assert engine.run(Status()).cache_misses <= 1


def test_vectors_of_what_is_known_already_are_passed_over(engine):
    make, lunch = HashEmbedder(384).passages(["the build uses make", "lunch was late"])
    remember(engine, "alpha")
    answer = all_of(engine, "alpha", "beta", vectors=[lunch, make])
    assert answer.created == 1
    assert found(engine, "the build uses make")[0] == "beta"


@pytest.mark.parametrize("many", [1, 3])
def test_a_vector_for_each_or_none(engine, many):
    rows = HashEmbedder(384).passages(["one"] * many)
    with unchanged(engine), pytest.raises(InvalidRequest, match=f"{many} vectors for 2 items"):
        all_of(engine, "one", "two", vectors=rows)


def test_vectors_of_another_length_are_refused(engine):
    remember(engine, "zero")
    rows = HashEmbedder(8).passages(["one"])
    with unchanged(engine), pytest.raises(Conflict):
        all_of(engine, "one", vectors=rows)
    assert found(engine, "zero") == ["zero"]


def test_what_others_said_while_a_batch_was_embedded_is_not_said_twice(store, clock):
    meanwhile = Meanwhile()
    other = opened(store, clock, new_id=lambda prefix: f"{prefix}other")
    with opened(store, clock, embedder=lambda: meanwhile) as engine:
        meanwhile.todo.append(lambda: remember(other, "two"))
        answer = all_of(engine, "one", "two")
        assert answer.created == 1
        assert [r.id for r in answer.records] == ["00000000000000000001", "other"]
        assert len(listed(engine)) == len(ledger(engine)) == 2
    other.ports.semantics.close()


def test_what_others_said_all_of_while_a_batch_was_embedded_is_theirs(store, clock):
    meanwhile = Meanwhile()
    other = opened(store, clock, new_id=lambda prefix: f"{prefix}other")
    with opened(store, clock, embedder=lambda: meanwhile) as engine:
        meanwhile.todo.append(lambda: remember(other, "two"))
        answer = all_of(engine, "two")
        assert (answer.created, [r.id for r in answer.records]) == (0, ["other"])
        assert len(listed(engine)) == 1
    other.ports.semantics.close()


@pytest.mark.parametrize("at_once", [1, 2])
@pytest.mark.parametrize("forgets", [False, True])
def test_what_others_named_or_forgot_meanwhile_is_linked_as_it_is_then(
    store, clock, forgets, at_once
):
    meanwhile = Meanwhile()
    texts = ["They asked Anna.", "They heard Anna."][:at_once]
    with opened(store, clock, embedder=lambda: meanwhile) as engine:
        first = remember(engine, "They met Anna.")
        meanwhile.todo.append(
            (lambda: engine.run(Forget((first.id,))))
            if forgets
            else (lambda: remember(engine, "They saw Anna."))
        )
        if at_once == 1:
            remember(engine, *texts)
        else:
            all_of(engine, *texts)
        (anna,) = entities(engine).values()
        with store.reading() as reader:
            naming = reader.edges([anna.id], "incoming", ["mentions"])
    assert len(naming) == at_once + (0 if forgets else 2)


def test_what_others_forgot_while_a_batch_was_embedded_is_kept_anew(store, clock):
    meanwhile = Meanwhile()
    with opened(store, clock, embedder=lambda: meanwhile) as engine:
        old = remember(engine, "two")
        meanwhile.todo.append(lambda: engine.run(Forget((old.id,))))
        answer = all_of(engine, "one", "two")
        assert answer.created == 2
        assert engine.settle() == 1
        assert set(found(engine, "one two")) == {"one", "two"}

"""Models that load, fail or change: what is found meanwhile, and what is made good afterwards."""

from __future__ import annotations

import logging
from threading import Event
from typing import TYPE_CHECKING

import numpy as np
import pytest

from recollect.embed.background import Background
from recollect.embed.cache import Cached
from recollect.embed.hashed import HashEmbedder
from recollect.engine import upkeep
from recollect.errors import Conflict, ModelNotReady, NotFound, Unavailable
from recollect.ops import (
    Forget,
    Recall,
    Remember,
    RememberAll,
    Revise,
    Status,
    Supersede,
    Verify,
    Weights,
)
from recollect.store.memory import MemoryStore
from recollect.store.sqlite import SqliteStore
from tests.engine.build import (
    Meanwhile,
    Slow,
    described,
    found,
    hashed,
    listed,
    now,
    opened,
    recalled,
    remember,
    said,
)
from tests.store.build import STORES

if TYPE_CHECKING:
    from recollect.store import Store

MEANING = Weights(vector=1, words=0, graph=0)


def vectors(engine):
    return engine.run(Status()).vectors


def test_what_is_kept_while_the_model_loads_is_found_by_its_words(waiting):
    answer = said(waiting, "the zebra is striped")
    assert answer.created
    result = recalled(waiting, "a striped zebra")
    assert [hit.record.text for hit in result.hits] == ["the zebra is striped"]
    assert not result.semantic
    assert result.hits[0].parts.vector == 0
    assert waiting.run(Status()).model_status == "loading"


def test_nothing_is_found_by_meaning_alone_while_the_model_loads(waiting):
    remember(waiting, "the zebra is striped")
    answer = recalled(waiting, "zebra", weights=MEANING)
    assert (answer.hits, answer.semantic) == ((), False)


def test_vectors_are_filled_in_once_the_model_is_there(waiting, slow):
    remember(waiting, "one")
    waiting.run(RememberAll((Remember("two"), Remember("three"))))
    assert (vectors(waiting).done, vectors(waiting).waiting) == (0, 3)
    assert waiting.settle() == 0
    slow.go.set()
    waiting.ports.semantics.configured().load()
    assert waiting.settle() == 3
    assert (vectors(waiting).done, vectors(waiting).waiting) == (3, 0)
    assert recalled(waiting, "two", weights=MEANING).hits[0].record.text == "two"
    assert waiting.settle() == 0


def test_what_was_corrected_while_the_model_loaded_gets_the_vector_of_its_new_text(waiting, slow):
    old = remember(waiting, "one")
    gone = remember(waiting, "two")
    waiting.run(Revise(old.id, text="three"))
    waiting.run(Forget((gone.id,)))
    slow.go.set()
    waiting.ports.semantics.configured().load()
    assert waiting.settle() == 1
    with waiting.ports.store.reading() as reader:
        row = reader.vectors([old.seq])[old.seq]
    assert float(row @ hashed().query("three")) == pytest.approx(1, abs=1e-3)


def test_similar_texts_are_known_by_their_words_while_the_model_loads(waiting):
    old = remember(waiting, "Anna lives in Seattle")
    assert [one.record.id for one in said(waiting, "Anna lives in Austin").similar] == [old.id]


def test_a_model_that_cannot_be_loaded_is_reported_and_tried_again(waiting, slow):
    slow.error = Unavailable("The weights are gone. Install them again.")
    slow.go.set()
    with pytest.raises(Unavailable):
        waiting.ports.semantics.configured().load()
    health = waiting.run(Status())
    assert (health.model_status, health.model_error) == (
        "error",
        "The weights are gone. Install them again.",
    )
    remember(waiting, "one")
    assert found(waiting, "one") == ["one"]
    slow.error = None
    waiting.ports.semantics.configured().load()
    assert waiting.settle() == 1
    assert recalled(waiting, "one").semantic


def test_more_than_a_batch_is_filled_in(waiting, slow):
    waiting.run(RememberAll(tuple(Remember(f"text {n}") for n in range(150))))
    slow.go.set()
    waiting.ports.semantics.configured().load()
    assert waiting.settle() == 150


def test_what_is_forgotten_while_it_is_embedded_stays_forgotten(store, clock):
    meanwhile = Meanwhile()
    with opened(store, clock, embedder=lambda: meanwhile) as engine:
        texts = [Remember(f"text {n}", once=False) for n in range(3)]
        seen = prepared(engine)
        records = [without_vector(engine, op.text) for op in texts]
        meanwhile.todo = [
            lambda: engine.run(Forget((records[0].id,))),
            lambda: engine.run(Revise(records[1].id, title="New")),
        ]
        engine.settle()
        assert vectors(engine).waiting == 0
        assert {r.id for r in listed(engine)} == {seen.id, records[1].id, records[2].id}
        assert engine.run(Verify()).problems == ()


def prepared(engine):
    """A first record, so that the store knows its model."""
    return remember(engine, "zero", similar=0)


def without_vector(engine, text):
    """A record as another process leaves it whose model is not there."""
    slow = Slow()
    other = opened(engine.ports.store, embedder=lambda: Cached(Background(slow, patience=0)))
    other.ports.new_id.given = len(listed(engine)) + 100  # type: ignore[attr-defined]
    made = remember(other, text, similar=0)
    slow.go.set()
    other.ports.semantics.close()
    return made


def changed(store, clock, *, older=True, ids=1000):
    """The engine of a process that is configured with another model."""
    keep = {384: hashed(384), 64: hashed(64)}
    engine = opened(
        store,
        clock,
        embedder=lambda: keep[64],
        older=lambda model: keep[model.dimensions] if older else None,
    )
    engine.ports.new_id.given = ids  # type: ignore[attr-defined]
    return engine


@pytest.fixture
def told(engine):
    """Two records with vectors of the old model."""
    return [remember(engine, text) for text in ("the zebra is striped", "the lion roars")]


def test_old_vectors_serve_until_those_of_a_new_model_are_complete(store, clock, engine, told):
    new = changed(store, clock)
    fresh = remember(new, "the tiger is striped too")
    state = vectors(new)
    assert (state.serving, state.coming) == ("hash-384", "hash-64")
    assert (state.done, state.waiting) == (0, 3)
    answer = recalled(new, "striped", weights=MEANING)
    assert answer.semantic
    assert {hit.record.id for hit in answer.hits} == {told[0].id, told[1].id, fresh.id}
    with store.reading() as reader:
        assert {len(row) for row in reader.vectors([r.seq for r in [*told, fresh]]).values()} == {
            384
        }
    assert new.settle() == 3
    state = vectors(new)
    assert (state.serving, state.dimensions, state.coming) == ("hash-64", 64, "")
    assert (state.done, state.waiting) == (3, 0)
    with store.reading() as reader:
        rows = reader.vectors([r.seq for r in [*told, fresh]])
    expected = hashed(64).passages([r.text for r in [*told, fresh]])
    for row, want in zip(rows.values(), expected, strict=True):
        assert np.allclose(row, want, atol=1e-3)
    assert recalled(new, "lion", weights=MEANING).hits[0].record.id == told[1].id
    new.ports.semantics.close()


def test_a_model_changes_though_nothing_is_written(store, clock, engine, told):
    new = changed(store, clock)
    assert vectors(new).serving == "hash-384"
    assert new.settle() == 2
    assert vectors(new).serving == "hash-64"
    new.ports.semantics.close()


def test_a_process_with_the_old_model_goes_on_with_the_new_one_that_serves(
    store, clock, engine, told
):
    new = changed(store, clock)
    new.settle()
    # The old process has said what it wants, and cannot embed for the model that serves now.
    answer = recalled(engine, "zebra")
    assert answer.hits[0].record.id == told[0].id
    assert not answer.semantic
    later = remember(engine, "the zebra sleeps")
    assert vectors(engine).waiting == 1
    assert engine.settle() == 0
    engine.run(Revise(told[0].id, text="the zebra is black"))
    assert vectors(engine).waiting == 2
    assert new.settle() == 2
    assert now(new, later).text == "the zebra sleeps"
    assert vectors(new).waiting == 0
    new.ports.semantics.close()


def test_new_texts_wait_where_the_old_model_is_not_to_be_had(store, clock, engine, told):
    new = changed(store, clock, older=False)
    remember(new, "the tiger is striped too")
    answer = recalled(new, "striped")
    assert not answer.semantic
    assert len(answer.hits) >= 2
    assert vectors(new).waiting == 3
    assert new.settle() == 3
    assert recalled(new, "striped").semantic
    new.ports.semantics.close()


def test_going_back_to_the_old_model_drops_what_was_begun(store, clock, engine, told):
    new = changed(store, clock)
    remember(new, "the tiger is striped too")
    new.ports.semantics.close()
    with opened(store, clock) as again:
        again.ports.new_id.given = 2000  # type: ignore[attr-defined]
        assert again.settle() == 0
        state = vectors(again)
        assert (state.serving, state.coming, state.waiting) == ("hash-384", "", 0)
        assert recalled(again, "tiger").semantic


def test_forgetting_and_wiping_empty_the_caches_of_older_models_too(store, clock, engine, told):
    new = changed(store, clock)
    new.run(Recall("the zebra is striped"))
    old = new.ports.semantics.of(hashed(384).model)
    assert old is not None
    assert old.stats.size == 1
    new.run(Forget((told[0].id,)))
    assert old.stats.size == 0
    new.run(Recall("anything"))
    new.ports.semantics.forget_all()
    assert old.stats.size == 0
    new.ports.semantics.close()


def test_a_first_write_that_comes_to_nothing_does_not_cost_the_store_its_model(engine):
    with pytest.raises(NotFound):
        remember(engine, "one", supersedes=("nobody",))
    made = remember(engine, "one")
    assert vectors(engine).waiting == 0
    assert recalled(engine, "one").semantic
    with pytest.raises(Conflict):
        engine.run(Supersede(made.id, made.id))


def test_two_processes_with_different_models_do_not_undo_each_other(store, clock, engine, told):
    new = changed(store, clock)
    remember(new, "the tiger is striped too")
    remember(engine, "the gnu")
    assert vectors(engine).coming == "hash-64"
    new.ports.semantics.close()


def test_a_vector_of_a_model_that_no_longer_serves_is_left_out(store, clock):
    meanwhile = Meanwhile()
    new = changed(store, clock)
    with opened(store, clock, embedder=lambda: meanwhile) as engine:
        for text in ("zero", "one"):
            remember(engine, text, similar=0)
        meanwhile.todo = [new.settle]
        remember(engine, "two", similar=0)
        assert vectors(engine).serving == "hash-64"
        assert vectors(engine).waiting == 1
        assert new.settle() == 1
    new.ports.semantics.close()


def test_a_batch_of_a_model_that_is_no_longer_wanted_is_dropped(store, clock):
    meanwhile = Meanwhile()
    with opened(store, clock, embedder=lambda: meanwhile) as engine:
        prepared(engine)
        without_vector(engine, "one")
        new = changed(store, clock)
        meanwhile.todo = [new.settle]
        assert engine.settle() == 0
        assert vectors(engine).serving == "hash-64"
        assert engine.run(Verify()).problems == ()
        new.ports.semantics.close()


def test_entities_need_no_vectors(engine):
    described(engine, "Anna", description="runs Acme")
    assert engine.settle() == 0
    assert vectors(engine).waiting == 0


class Watched(Cached[Background]):
    """An embedder that says when it has embedded."""

    def __init__(self):
        super().__init__(hashed().inner)
        self.done = Event()

    def senses(self, texts):
        made = super().senses(texts)
        self.done.set()
        return made


def halt(engine):
    """Let the worker finish its batch."""
    assert engine._upkeep is not None
    engine._upkeep.stop()


class Told(logging.Handler):
    """Notes what was logged."""

    def __init__(self):
        super().__init__()
        self.any = Event()
        self.said: list[str] = []

    def emit(self, record):
        self.said.append(record.getMessage())
        self.any.set()


@pytest.fixture
def log():
    handler = Told()
    upkeep.log.addHandler(handler)
    yield handler
    upkeep.log.removeHandler(handler)


def test_the_worker_loads_the_model_and_embeds_what_waits(store, clock):
    watched = Watched()
    with opened(store, clock, embedder=lambda: watched) as engine:
        prepared(engine)
        without_vector(engine, "one")
        watched.done.clear()
        engine.start()
        assert watched.done.wait(10)
        # Closing lets the batch that is under way be finished.
        halt(engine)
        assert engine.run(Status()).model_status == "ready"
        assert vectors(engine).waiting == 0


def test_the_worker_changes_the_model(store, clock, engine, told):
    watched = Watched()
    watched.inner = hashed(64).inner
    with opened(store, clock, embedder=lambda: watched, older=lambda _: None) as new:
        new.start()
        assert watched.done.wait(10)
        halt(new)
        assert (vectors(new).serving, vectors(new).waiting) == ("hash-64", 0)


@pytest.mark.parametrize("kind", STORES)
def test_the_worker_outlives_a_failure_and_says_what_it_was(kind, tmp_path, clock, log):
    store: Store = MemoryStore(patience=0)
    if kind == "sqlite":
        store = SqliteStore.open(tmp_path / "m.db", patience=0)
    with opened(store, clock) as engine:
        prepared(engine)
        without_vector(engine, "one")
        with store.writing():
            engine.start()
            assert log.any.wait(10)
        halt(engine)
        assert vectors(engine).waiting == 1
        assert log.said[0].startswith("embedding what waits: ")


def test_the_worker_leaves_an_empty_store_alone(store, clock):
    with opened(store, clock) as engine:
        assert upkeep.step(engine.ports) == 0
        engine.start()
    with store.reading() as reader:
        assert reader.serving_model() is None


class Unknown(Cached[Background]):
    """An embedder that cannot say which model it has, as its server is not to be had."""

    def __init__(self):
        super().__init__(Background(HashEmbedder(384)))
        self.tried = 0

    @property
    def model(self):
        self.tried += 1
        raise Unavailable("The embedding server cannot be reached. Start it.")


@pytest.fixture
def unreachable(store, clock):
    with opened(store, clock, embedder=Unknown) as made:
        yield made
        assert made.run(Verify()).problems == ()


def test_without_a_model_that_is_known_all_but_meaning_works(unreachable):
    one = remember(unreachable, "the zebra is striped")
    unreachable.run(RememberAll((Remember("the lion is not"),)))
    unreachable.run(Revise(one.id, text="the zebra is striped all over"))
    answer = recalled(unreachable, "zebra")
    assert [hit.record.text for hit in answer.hits] == ["the zebra is striped all over"]
    assert not answer.semantic
    unreachable.run(Forget((one.id,)))
    health = unreachable.run(Status())
    assert (health.model, health.dimensions, health.model_status) == ("", 0, "error")
    assert health.model_error == "The embedding server cannot be reached. Start it."
    assert unreachable.settle() == 0


def test_what_needs_a_vector_says_why_there_is_none(unreachable):
    with pytest.raises(ModelNotReady, match="Start it"):
        remember(unreachable, "x", needs_vector=True)
    remember(unreachable, "y")
    with pytest.raises(ModelNotReady, match="Start it"):
        unreachable.settle(needed=True)


def test_a_server_that_is_not_to_be_had_is_not_asked_by_every_call(store, clock):
    embedder = Unknown()
    with opened(store, clock, embedder=lambda: embedder) as engine:
        for number in range(5):
            remember(engine, f"text {number}")
            recalled(engine, "text")
    assert embedder.tried == 1


def test_once_the_model_is_known_everything_gets_its_vector(store, clock, unreachable):
    remember(unreachable, "one")
    remember(unreachable, "two")
    later = opened(store, clock)
    assert later.settle(needed=True) == 2
    assert recalled(later, "two", weights=MEANING).hits[0].record.text == "two"
    later.ports.semantics.close()

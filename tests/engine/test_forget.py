"""Deleting for good: from records, versions, words, vectors, graph and caches."""

from __future__ import annotations

from datetime import timedelta

import pytest

from recollect.embed.choose import EmbedSettings, open_embedder
from recollect.errors import InvalidRequest, NotFound
from recollect.model import Author, AuthorKind, Counts, Scope, Where
from recollect.ops import Explore, Forget, History, Revise, Status, Verify, Wipe
from tests.engine.build import (
    described,
    entities,
    found,
    get,
    hashed,
    ledger,
    listed,
    now,
    opened,
    recalled,
    related,
    remember,
    unchanged,
)

DAY = timedelta(days=1)
OTHER = Scope("other")
BOT = Author(AuthorKind.AGENT, "bot")


def misses(engine):
    return engine.run(Status()).cache_misses


def test_a_forgotten_record_is_nowhere(engine):
    gone = remember(engine, "the zebra is striped", title="Stripes")
    kept = remember(engine, "the lion roars")
    engine.run(Revise(gone.id, text="the zebra is black and white"))
    assert engine.run(Forget((gone.id,))).ids == (gone.id,)
    assert get(engine, gone) is None
    assert [r.id for r in listed(engine)] == [kept.id]
    for text in ("the zebra is striped", "the zebra is black and white", "zebra"):
        assert found(engine, text, any_time=True) == ["the lion roars"]
    with engine.ports.store.reading() as reader:
        assert reader.versions(gone.id) == []
        assert reader.texts([gone.seq]) == {}
        assert reader.vectors([gone.seq]) == {}
        assert reader.corpus(["zebra"]).frequency == {"zebra": 0}
        assert len(reader.nearest(hashed().query("zebra"), Where(), 9)) == 1


def test_the_ledger_keeps_a_tombstone_and_who_put_it_there_and_why(engine, clock):
    gone = remember(engine, "the zebra is striped")
    clock.move(DAY)
    engine.run(Forget((gone.id,), author=BOT, reason="asked to"))
    told = engine.run(History(gone.id))
    assert told.versions == ()
    assert [event.verb for event in told.events] == ["remember", "forget"]
    last = told.events[-1]
    assert (last.author, last.at, last.detail) == (BOT, clock(), '{"reason": "asked to"}')
    assert "zebra" not in repr(ledger(engine))


def test_what_was_forgotten_can_be_said_again(engine):
    first = remember(engine, "the zebra is striped")
    engine.run(Forget((first.id,)))
    second = remember(engine, "the zebra is striped")
    assert second.id != first.id
    assert second.seq != first.seq
    assert found(engine, "zebra") == ["the zebra is striped"]


def test_forgetting_empties_the_caches_of_every_text_that_the_record_had(engine):
    gone = remember(engine, "one", title="T", speaker="Ann", similar=0)
    engine.run(Revise(gone.id, text="two"))
    remember(engine, "three", similar=0)
    engine.run(Forget((gone.id,)))
    before = misses(engine)
    remember(engine, "three", once=False, similar=0)
    assert misses(engine) == before
    for many, text in enumerate(("one", "two"), start=1):
        remember(engine, text, title="T", speaker="Ann", similar=0)
        assert misses(engine) == before + many


def test_forgetting_empties_the_cache_on_disk_too(store, clock, tmp_path):
    settings = EmbedSettings(provider="hash", cache_path=str(tmp_path / "cache.db"))
    with opened(store, clock, embedder=lambda: open_embedder(settings)) as engine:
        gone = remember(engine, "the zebra is striped", similar=0)
        remember(engine, "the lion roars", similar=0)
        engine.ports.semantics.configured().flush()
        engine.run(Forget((gone.id,)))
        engine.ports.semantics.configured().close()
    fresh = open_embedder(settings)
    fresh.passages(["the lion roars"])
    assert (fresh.stats.hits, fresh.stats.misses) == (1, 0)
    fresh.passages(["the zebra is striped"])
    assert (fresh.stats.hits, fresh.stats.misses) == (1, 1)
    fresh.close()


def test_entities_that_nothing_else_names_go_too(engine):
    gone = [remember(engine, text) for text in ("met Anna and Zoe", "Zoe met Bob", "saw Carla")]
    remember(engine, "lunch with Bob")
    described(engine, "Carla")
    before = entities(engine)
    engine.run(Forget(tuple(record.id for record in gone)))
    assert set(entities(engine)) == {"Bob", "Carla"}
    for name in ("Anna", "Zoe"):
        assert engine.run(History(before[name].id)).versions == ()


def test_an_entity_that_a_relation_holds_stays(engine):
    gone = remember(engine, "met Anna and Zoe")
    acme = described(engine, "Acme")
    drawn = related(engine, entities(engine)["Anna"], "works at", acme)
    engine.run(Forget((gone.id,)))
    assert set(entities(engine)) == {"Anna", "Acme"}
    assert [e.id for e in engine.run(Explore(acme.id, direction="incoming")).edges] == [drawn.id]


def test_an_entity_can_be_forgotten_itself_and_texts_that_name_it_stay(engine):
    met = remember(engine, "met Anna")
    anna = entities(engine)["Anna"]
    engine.run(Forget((anna.id,)))
    assert now(engine, met) == met
    assert engine.run(Explore(met.id)).records == ()
    remember(engine, "lunch with Anna")
    assert entities(engine)["Anna"].id != anna.id


def test_a_text_and_the_entity_that_it_names_can_be_forgotten_together(engine):
    met = remember(engine, "met Anna")
    anna = entities(engine)["Anna"]
    assert engine.run(Forget((anna.id, met.id))).ids == (anna.id, met.id)
    assert listed(engine) == []


def test_a_relation_is_forgotten_by_its_id_and_its_ends_stay(engine):
    anna, acme = described(engine, "Anna"), described(engine, "Acme")
    drawn = related(engine, anna, "works at", acme)
    other = related(engine, anna, "likes", acme)
    assert engine.run(Forget((drawn.id,), reason="wrong")).ids == (drawn.id,)
    assert [e.id for e in engine.run(Explore(anna.id)).edges] == [other.id]
    assert set(entities(engine)) == {"Anna", "Acme"}
    assert [e.verb for e in engine.run(History(drawn.id)).events] == ["relate", "forget"]
    with unchanged(engine), pytest.raises(NotFound):
        engine.run(Forget((drawn.id,)))


def test_an_id_given_twice_is_forgotten_once(engine):
    gone = remember(engine, "one")
    assert engine.run(Forget((gone.id, gone.id))).ids == (gone.id,)


@pytest.mark.parametrize("ids", [(), ("x",) * 10_001])
def test_nothing_and_far_too_much_cannot_be_forgotten(engine, ids):
    remember(engine, "one")
    with unchanged(engine), pytest.raises(InvalidRequest):
        engine.run(Forget(ids))


def test_one_that_is_not_there_keeps_all_from_being_forgotten(engine):
    kept = remember(engine, "met Anna")
    theirs = remember(engine, "met Zoe", scope=OTHER)
    for nobody in ("nobody", theirs.id):
        with unchanged(engine), pytest.raises(NotFound):
            engine.run(Forget((kept.id, nobody)))


def test_wiping_leaves_nothing_of_one_tenant_and_all_of_another(engine, clock):
    gone = remember(engine, "met Anna in Bonn")
    related(engine, entities(engine)["Anna"], "lives in", entities(engine)["Bonn"])
    kept = remember(engine, "met Zoe in Rome", scope=OTHER)
    clock.move(DAY)
    answer = engine.run(Wipe(author=BOT))
    assert answer.counts == Counts(memories=1, entities=2, relations=1, records=3)
    assert listed(engine) == []
    assert found(engine, "met Anna in Bonn", any_time=True) == []
    assert now_of(engine, kept) == kept
    assert set(entities(engine, tenant="other")) == {"Zoe", "Rome"}
    last = ledger(engine)[-1]
    assert (last.verb, last.author, last.at) == ("wipe", BOT, clock())
    assert get(engine, gone) is None
    assert engine.run(Verify()).records == 3


def now_of(engine, record):
    return get(engine, record, tenant=record.scope.tenant)


def test_wiping_empties_the_caches(engine):
    remember(engine, "one", similar=0)
    engine.run(Wipe())
    assert engine.run(Status()).cache_size == 0
    before = misses(engine)
    remember(engine, "one", similar=0)
    assert misses(engine) == before + 1


def test_wiping_who_has_nothing_says_so(engine):
    remember(engine, "one")
    assert engine.run(Wipe("nobody")).counts == Counts()
    assert len(listed(engine)) == 1
    with unchanged(engine), pytest.raises(InvalidRequest):
        engine.run(Wipe("\ud800"))


def test_a_hit_that_was_forgotten_is_in_no_answer(engine):
    texts = [f"the zebra number {n} is striped" for n in range(20)]
    records = [remember(engine, text, similar=0) for text in texts]
    engine.run(Forget(tuple(record.id for record in records[::2])))
    hits = recalled(engine, "striped zebra", limit=50).hits
    assert {hit.record.id for hit in hits} == {record.id for record in records[1::2]}

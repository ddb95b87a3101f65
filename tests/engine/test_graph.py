"""The graph: naming things, drawing relations, and walking."""

from __future__ import annotations

from datetime import timedelta

import pytest

from recollect.errors import InvalidRequest, NotFound
from recollect.model import Author, AuthorKind, Kind, Scope
from recollect.ops import (
    Describe,
    Explore,
    Invalidate,
    Relate,
    Remember,
    RememberAll,
    Revise,
    Supersede,
    Weights,
)
from tests.engine.build import (
    described,
    entities,
    get,
    ledger,
    now,
    recalled,
    related,
    remember,
    unchanged,
)

DAY = timedelta(days=1)
ANN = Scope("local", "ann")
BOT = Author(AuthorKind.AGENT, "bot")


def reached(engine, record, **how):
    """The names or texts that a walk reaches, in order."""
    answer = engine.run(Explore(record.id, **how))
    return [r.title or r.text for r in answer.records]


def test_an_entity_is_what_was_said_of_it(engine, clock):
    answer = engine.run(
        Describe("  Anna Kowalski ", ANN, BOT, type="person", description="Runs Acme.")
    )
    anna = answer.record
    assert answer.created
    assert (anna.kind, anna.title, anna.key) == (Kind.ENTITY, "Anna Kowalski", "anna kowalski")
    assert (anna.type, anna.text, anna.status) == ("person", "Runs Acme.", "described")
    assert (anna.scope, anna.author, anna.created_at) == (ANN, BOT, clock())
    assert get(engine, anna) == anna


@pytest.mark.parametrize("name", ["Anna Kowalski", "ANNA  KOWALSKI", " anna\tkowalski's "])
def test_a_name_is_one_entity_however_it_is_written(engine, name):
    anna = described(engine, "Anna Kowalski", type="person", description="Runs Acme.")
    with unchanged(engine):
        again = engine.run(Describe(name))
    assert (again.created, again.record) == (False, anna)


def test_what_a_later_description_says_is_added(engine, clock):
    anna = described(engine, "Anna", type="person")
    clock.move(DAY)
    again = engine.run(Describe("anna", description="Runs Acme."))
    assert not again.created
    assert again.record == now(engine, anna)
    assert (again.record.title, again.record.type, again.record.text) == (
        "Anna",
        "person",
        "Runs Acme.",
    )
    assert (again.record.version, again.record.updated_at) == (2, clock())
    assert described(engine, "Anna", type="founder").text == "Runs Acme."


def test_each_user_and_tenant_has_entities_of_its_own(engine):
    scopes = [Scope(), ANN, Scope("local", "bob"), Scope("other")]
    made = [engine.run(Describe("Anna", scope)) for scope in scopes]
    assert all(answer.created for answer in made)
    assert not engine.run(Describe("Anna", Scope("local", "ann", "any project"))).created


@pytest.mark.parametrize(
    "wrong",
    [
        Describe(""),
        Describe("'"),
        Describe("a\0b"),
        Describe("x" * 1001),
        Describe("Anna", Scope("local", "\ud800")),
        Describe("Anna", type="\ud800"),
        Describe("Anna", description=" "),
        Describe("Anna", description="\ud800"),
    ],
    ids=repr,
)
def test_what_cannot_be_described_is_refused(engine, wrong):
    described(engine, "Anna")
    with unchanged(engine), pytest.raises(InvalidRequest):
        engine.run(wrong)


def test_a_text_is_linked_to_what_was_described_before_it(engine):
    motor = described(engine, "memory engine")
    it = remember(engine, "ask the memory engine team about it")
    remember(engine, "ask the search team about it")
    assert reached(engine, motor, direction="incoming") == [it.text]


@pytest.mark.parametrize("before", [False, True])
def test_a_text_is_linked_to_what_is_described_after_it(engine, before):
    if before:
        # Found by its capitals, but so far not in lower case.
        remember(engine, "yesterday the Memory Engine broke")
    it = remember(engine, "ask the memory engine team about it")
    remember(engine, "ask the memory of the engine")
    theirs = remember(engine, "their memory engine", scope=ANN)
    motor = described(engine, "memory engine")
    texts = reached(engine, motor, direction="incoming")
    assert it.text in texts
    assert len(texts) == 1 + before
    assert reached(engine, theirs) == []


def test_an_extracted_entity_becomes_the_described_one(engine):
    remember(engine, "met Anna")
    extracted = entities(engine)["Anna"]
    answer = engine.run(Describe("anna", description="Runs Acme."))
    assert (answer.created, answer.record.id) == (False, extracted.id)
    assert answer.record.status == "described"
    assert reached(engine, answer.record, direction="incoming") == ["met Anna"]


def test_a_corrected_text_is_linked_to_what_it_speaks_of_now(engine):
    motor = described(engine, "memory engine")
    it = remember(engine, "ask the memory engine team")
    engine.run(Revise(it.id, text="ask the search team"))
    assert reached(engine, motor, direction="incoming") == []
    engine.run(Revise(it.id, text="the memory engine again"))
    assert reached(engine, motor, direction="incoming") == ["the memory engine again"]


def test_many_texts_at_once_are_linked_to_what_was_described(engine):
    texts = tuple(Remember(f"the memory engine, part {n}") for n in range(60))
    engine.run(RememberAll(texts[:2]))
    motor = described(engine, "memory engine")
    engine.run(RememberAll(texts))
    assert len(reached(engine, motor, direction="incoming")) == 60


def test_a_relation_is_drawn_once_and_comes_back_as_it_is(engine, clock):
    anna, acme = described(engine, "Anna"), described(engine, "Acme")
    first = engine.run(Relate(anna.id, "works at", acme.id, author=BOT, weight=0.5))
    assert first.created
    edge = first.edge
    assert (edge.src, edge.type, edge.dst) == (anna.id, "works at", acme.id)
    assert (edge.weight, edge.created_at, edge.valid_from) == (0.5, clock(), clock())
    assert edge.id.startswith("rel_")
    assert (ledger(engine)[-1].record, ledger(engine)[-1].author) == (edge.id, BOT)
    clock.move(DAY)
    with unchanged(engine):
        again = engine.run(Relate(anna.id, "works at", acme.id, weight=0.5))
    assert (again.created, again.edge) == (False, edge)


def test_a_relation_gets_another_weight_and_keeps_its_id(engine):
    anna, acme = described(engine, "Anna"), described(engine, "Acme")
    drawn = related(engine, anna, "works at", acme, weight=0.5)
    again = engine.run(Relate(anna.id, "works at", acme.id, weight=1))
    assert (again.created, again.edge.id, again.edge.weight) == (False, drawn.id, 1.0)


def test_a_relation_that_ended_can_be_drawn_again(engine, clock):
    anna, acme = described(engine, "Anna"), described(engine, "Acme")
    drawn = related(engine, anna, "works at", acme)
    clock.move(DAY)
    engine.run(Invalidate(drawn.id))
    assert reached(engine, anna) == []
    again = related(engine, anna, "works at", acme)
    assert (again.id, again.valid_until) == (drawn.id, None)
    assert reached(engine, anna) == ["Acme"]


def test_an_entity_that_is_over_is_passed_by_until_it_is_described_again(engine, clock):
    anna, acme, oslo = (described(engine, name) for name in ("Anna", "Acme", "Oslo"))
    related(engine, anna, "works at", acme)
    related(engine, acme, "is in", oslo)
    assert reached(engine, anna, depth=2) == ["Acme", "Oslo"]
    clock.move(DAY)
    engine.run(Invalidate(acme.id))
    assert reached(engine, anna, depth=2) == []
    assert reached(engine, anna, as_of=clock() - DAY) == ["Acme"]
    assert described(engine, "Acme").id == acme.id
    assert reached(engine, anna, depth=2) == ["Acme", "Oslo"]


def test_what_a_text_names_can_be_made_a_relation_of_its_own(engine):
    met = remember(engine, "met Anna")
    answer = engine.run(Relate(met.id, "mentions", entities(engine)["Anna"].id))
    assert answer.edge.id.startswith("rel_")
    assert not answer.created
    with unchanged(engine):
        assert engine.run(Relate(met.id, "mentions", entities(engine)["Anna"].id)) == answer


def test_relations_of_other_types_and_directions_are_others(engine):
    anna, bob = described(engine, "Anna"), described(engine, "Bob")
    ids = {
        related(engine, anna, "knows", bob).id,
        related(engine, bob, "knows", anna).id,
        related(engine, anna, "likes", bob).id,
    }
    assert len(ids) == 3


def test_a_relation_needs_both_ends(engine):
    anna = described(engine, "Anna")
    theirs = described(engine, "Bob", scope=Scope("other"))
    with unchanged(engine):
        for nobody in ("nobody", "", "\ud800", theirs.id):
            for ends in ((anna.id, nobody), (nobody, anna.id)):
                with pytest.raises(NotFound):
                    engine.run(Relate(ends[0], "knows", ends[1]))


@pytest.mark.parametrize(
    ("type_", "weight"),
    [("", 1), ("x" * 101, 1), ("a\0b", 1), ("knows", 2), ("knows", -1), ("supersedes", 1)],
)
def test_what_cannot_be_related_is_refused(engine, type_, weight):
    anna, bob = described(engine, "Anna"), described(engine, "Bob")
    with unchanged(engine), pytest.raises(InvalidRequest):
        engine.run(Relate(anna.id, type_, bob.id, weight=weight))


@pytest.fixture
def chain(engine):
    """Anna knows Bob knows Carla knows Dora, and Dora knows Anna."""
    made = [described(engine, name) for name in ("Anna", "Bob", "Carla", "Dora")]
    for src, dst in zip(made, [*made[1:], made[0]], strict=True):
        related(engine, src, "knows", dst)
    return made


@pytest.mark.parametrize(
    ("how", "names"),
    [
        ({}, ["Bob"]),
        ({"depth": 2}, ["Bob", "Carla"]),
        ({"depth": 3}, ["Bob", "Carla", "Dora"]),
        ({"direction": "incoming"}, ["Dora"]),
        ({"direction": "incoming", "depth": 2}, ["Dora", "Carla"]),
        ({"direction": "both", "depth": 2}, ["Bob", "Dora", "Carla"]),
        ({"direction": "both", "depth": 3}, ["Bob", "Dora", "Carla"]),
        ({"types": ("likes",)}, []),
        ({"types": ("likes", "knows")}, ["Bob"]),
        ({"kinds": (Kind.ENTITY,)}, ["Bob"]),
        ({"kinds": (Kind.MEMORY,)}, []),
    ],
)
def test_a_walk_goes_so_deep_in_its_direction_nearest_first(engine, chain, how, names):
    assert reached(engine, chain[0], **how) == names


def test_a_walk_names_every_edge_that_it_went_along_once(engine, chain):
    answer = engine.run(Explore(chain[0].id, depth=3, direction="both"))
    assert len(answer.edges) == len({edge.id for edge in answer.edges}) == 4
    straight = engine.run(Explore(chain[0].id, depth=2))
    assert [edge.src for edge in straight.edges] == [chain[0].id, chain[1].id]


def test_a_walk_from_a_record_of_another_tenant_ends_before_it_begins(engine):
    theirs = described(engine, "Anna", scope=Scope("other"))
    for id_ in (theirs.id, "nobody", "\ud800"):
        with pytest.raises(NotFound):
            engine.run(Explore(id_))


def test_a_walk_as_of_a_time_goes_along_what_held_then(engine, clock):
    anna, acme, bolt = (described(engine, name) for name in ("Anna", "Acme", "Bolt"))
    start = clock()
    clock.move(DAY)
    first = related(engine, anna, "works at", acme)
    clock.move(DAY)
    engine.run(Invalidate(first.id))
    related(engine, anna, "works at", bolt)
    clock.move(DAY)
    assert reached(engine, anna, as_of=start) == []
    assert reached(engine, anna, as_of=start + DAY) == ["Acme"]
    assert reached(engine, anna, as_of=start + 2 * DAY) == ["Bolt"]
    assert reached(engine, anna) == ["Bolt"]


def test_a_walk_as_of_a_time_reaches_what_was_true_then(engine, clock):
    start = clock()
    old = remember(engine, "moved in with Anna", valid_from=start - 9 * DAY)
    clock.move(DAY)
    new = remember(engine, "moved out from Anna's", supersedes=(old.id,))
    anna = entities(engine)["Anna"]
    walk = {"direction": "incoming"}
    assert reached(engine, anna, as_of=start - 5 * DAY, **walk) == [old.text]
    assert reached(engine, anna, as_of=clock(), **walk) == [new.text]
    assert reached(engine, anna, **walk) == [old.text, new.text]
    assert reached(engine, new, types=("supersedes",)) == [old.text]
    assert reached(engine, old, as_of=start) == ["Anna"]


def test_what_is_true_only_later_is_linked_already(engine, clock):
    later = remember(engine, "will meet Anna", valid_from=clock() + 9 * DAY)
    assert reached(engine, later) == ["Anna"]


def test_superseding_is_seen_as_an_edge(engine):
    old, new = remember(engine, "one"), remember(engine, "two")
    engine.run(Supersede(old.id, new.id))
    assert [e.type for e in engine.run(Explore(new.id)).edges] == ["supersedes"]


def test_a_walk_ends_where_too_much_is_reached(engine, monkeypatch):
    monkeypatch.setattr("recollect.engine.graph._MOST_REACHED", 3)
    hub = described(engine, "Hub")
    for n in range(5):
        related(engine, hub, "has", described(engine, f"Part {n}"))
    assert len(reached(engine, hub, depth=2)) == 3


def test_what_a_hit_is_linked_to_is_found_through_the_graph(engine):
    remember(engine, "Anna Kowalski likes zebras")
    linked = remember(engine, "in spring Anna Kowalski moved to Bonn")
    other = remember(engine, "lunch was late")
    answer = recalled(engine, "zebras", weights=Weights(0, 1, 1), explain=True)
    ranks = {hit.record.id: hit.why.graph_rank for hit in answer.hits if hit.why}
    assert ranks[linked.id] == 2
    assert other.id not in ranks
    assert answer.graph_nodes == 3

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from recollect.errors import InvalidRequest, NotAllowed, NotFound
from recollect.model import Author, AuthorKind, Kind, Scope, Where
from recollect.ops import Explore, Import, Invalidate, List, ListBatches, Revise, Undo
from recollect.rules.redact import Policy
from tests.engine.build import (
    Meanwhile,
    described,
    entities,
    found,
    listed,
    now,
    opened,
    remember,
    unchanged,
)

SECRET = "db_password=" + "hunter" + "2"
GRAPH = [
    {
        "type": "entity",
        "name": "Ada_Byron",
        "entityType": "person",
        "observations": ["Speaks Latin", "Ada_Byron prefers mornings"],
    },
    {"type": "entity", "name": "Acme", "entityType": "company", "observations": []},
    {"type": "relation", "from": "Ada_Byron", "to": "Acme", "relationType": "works_at"},
]
MEM0 = {
    "results": [
        {
            "id": "m1",
            "memory": "Prefers tea over coffee",
            "user_id": "ada",
            "created_at": "2024-07-26T10:29:36-07:00",
            "updated_at": None,
            "metadata": {"app": "chat"},
            "categories": ["food"],
        },
        {"id": "m2", "memory": "Lives in Turin", "user_id": "ada"},
    ]
}
PAGE = '---\ntitle: "Store"\ndate: 2026-01-05\ntags:\n  - db\n  - wal\n---\n# Choice\nSQLite.\n'


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "old"
    (made / "notes").mkdir(parents=True)
    (made / "memory.json").write_text("\n".join(json.dumps(line) for line in GRAPH))
    (made / "mem0.json").write_text(json.dumps(MEM0))
    (made / "notes" / "store.md").write_text(PAGE)
    return made


def bring(engine, folder, *sources, **more):
    return engine.run(Import(sources, (str(folder),), **more))


def memories(engine):
    return [record for record in listed(engine, Where()) if record.valid_until is None]


def everything(engine):
    return [(r.id, r.text, r.valid_until) for r in listed(engine)]


def test_entities_observations_and_relations_become_a_real_graph(engine, folder):
    answer = bring(engine, folder, "memory.json")
    assert (answer.formats, answer.files) == (("server-memory",), 1)
    assert (len(answer.records), answer.entities, answer.relations) == (2, 2, 1)
    assert sorted(r.text for r in memories(engine)) == [
        "Ada_Byron prefers mornings",
        "Ada_Byron: Speaks Latin",
    ]
    ada, acme = (entities(engine)[name] for name in ("Ada_Byron", "Acme"))
    assert (ada.type, acme.type) == ("person", "company")
    walked = engine.run(Explore(ada.id, direction="both"))
    assert [(e.src, e.dst) for e in walked.edges if e.type == "works_at"] == [(ada.id, acme.id)]
    assert {e.src for e in walked.edges if e.type == "about"} == {r.id for r in answer.records}


def test_what_mem0_knew_keeps_its_times_its_user_and_what_else_it_said(engine, folder):
    bring(engine, folder, "mem0.json")
    tea = next(record for record in memories(engine) if "tea" in record.text)
    assert tea.event_time == datetime(2024, 7, 26, 17, 29, 36, tzinfo=UTC)
    assert tea.valid_from == tea.event_time
    assert tea.scope == Scope(user="ada")
    assert json.loads(tea.metadata)["categories"] == ["food"]
    assert (tea.source, tea.source_ref) == ("mem0", "mem0#m1")


def test_the_user_that_is_named_goes_before_that_of_the_file(engine, folder):
    bring(engine, folder, "mem0.json", scope=Scope(user="eve", project="p"))
    assert {record.scope for record in memories(engine)} == {Scope(user="eve", project="p")}


def test_pages_are_cut_into_sections_that_know_what_the_page_says_of_itself(engine, folder):
    bring(engine, folder, "notes")
    (choice,) = memories(engine)
    assert (choice.title, choice.text) == ("Choice", "# Choice\nSQLite.")
    assert choice.event_time == datetime(2026, 1, 5, tzinfo=UTC)
    said = json.loads(choice.metadata)
    assert (said["tags"], said["line"], said["title"]) == (["db", "wal"], 8, "Store")


def test_the_same_again_brings_nothing(engine, folder):
    first = bring(engine, folder, ".")
    assert (first.files, len(first.records), first.known) == (3, 5, 0)
    with unchanged(engine):
        again = bring(engine, folder, ".")
    assert (again.batch, again.records, again.known) == ("", (), 5)
    assert (again.entities, again.relations) == (0, 0)


def test_what_was_said_before_the_import_is_known(engine, folder):
    remember(engine, "Lives in Turin", scope=Scope(user="ada"))
    assert bring(engine, folder, "mem0.json").known == 1


def test_what_somebody_ended_stays_ended(engine, folder):
    bring(engine, folder, "mem0.json")
    turin = next(record for record in memories(engine) if "Turin" in record.text)
    engine.run(Invalidate(turin.id))
    with unchanged(engine):
        assert bring(engine, folder, "mem0.json").known == 2


def test_a_memory_that_changed_at_its_source_takes_the_place_of_what_it_was(engine, folder):
    bring(engine, folder, ".")
    changed = json.loads(json.dumps(MEM0).replace("Turin", "Milan"))
    (folder / "mem0.json").write_text(json.dumps(changed))
    (folder / "notes" / "store.md").write_text(PAGE.replace("SQLite", "PostgreSQL"))
    answer = bring(engine, folder, ".")
    assert len(answer.records) == 2
    assert "Lives in Turin" not in found(engine, "Turin")
    undone = engine.run(Undo(answer.batch))
    assert {r.id for r in answer.records} <= {*undone.forgotten}
    assert (len(undone.restored), undone.left) == (2, ())
    assert sorted(r.text for r in memories(engine))[-2:] == [
        "Lives in Turin",
        "Prefers tea over coffee",
    ]
    assert all(not record.superseded_by for record in memories(engine))


def test_trying_says_what_would_be_kept_and_keeps_nothing(engine, folder):
    with unchanged(engine):
        tried = bring(engine, folder, ".", dry_run=True)
    done = bring(engine, folder, ".")
    assert tried.batch == ""
    assert [r.text for r in tried.records] == [r.text for r in done.records]
    assert (tried.entities, tried.relations) == (done.entities, done.relations) == (2, 1)


def test_one_secret_holds_up_nothing_else_and_is_never_repeated(engine, folder):
    graph = [*GRAPH, {"type": "entity", "name": "Db", "entityType": "", "observations": [SECRET]}]
    (folder / "memory.json").write_text("\n".join(map(json.dumps, graph)))
    answer = bring(engine, folder, "memory.json")
    assert len(answer.records) == 2
    (reason,) = answer.skipped
    assert reason.startswith("memory.json, line 4: holds what looks like a live secret: password")
    assert "hunter" not in repr(answer)


def test_secrets_are_redacted_where_that_is_the_policy(store, clock, folder):
    (folder / "memory.json").write_text(
        json.dumps({"type": "entity", "name": "Db", "observations": [SECRET]})
    )
    with opened(store, clock, secrets=Policy.REDACT) as engine:
        answer = bring(engine, folder, "memory.json")
        assert (answer.redacted, answer.skipped) == (1, ())
        assert answer.records[0].text == "Db: db_password=[redacted: password]"


def test_what_cannot_be_read_is_left_out_with_its_place(engine, folder):
    (folder / "memory.json").write_text(
        '{"type": "entity", "name": "Ada", "observations": ["Speaks Latin", 7]}\n'
        "{cut\n"
        '{"type": "relation", "from": "Ada", "to": "Nobody", "relationType": "knows"}\n'
        '{"type": "relation", "from": "Ada", "to": "Ada", "relationType": "supersedes"}\n'
        '{"type": "relation", "from": "Ada", "to": "Ada", "relationType": ""}\n'
        '{"type": "entity", "name": "\'\'", "observations": []}\n'
        '{"type": "entity", "name": " ", "observations": ["  "]}\n'
        '{"type": "relation"}\n'
    )
    (folder / "odd.json").write_text('{"a": 1}')
    answer = bring(engine, folder, "memory.json", "odd.json", "gone.json")
    assert [r.text for r in answer.records] == ["Ada: Speaks Latin"]
    assert (answer.entities, answer.relations) == (1, 0)
    said = "\n".join(answer.skipped)
    for reason in (
        "line 1: an observation that is no text",
        "line 2: is no JSON",
        "line 3: relates to 'Nobody', which is no entity here",
        "line 4: a relation may not be called 'supersedes'",
        "line 5: relation type is empty",
        "line 6: the name of an entity has no letter or digit",
        "line 7: name is empty",
        "line 8: is neither an entity nor a relation",
        "odd.json: is of no format that is known; --format names it: server-memory, mem0",
        "gone.json: is not there",
    ):
        assert reason in said


def test_mem0_relations_and_odd_entries(engine, folder):
    export = {
        "memories": [{"memory": ""}, 3, {"text": "Plays chess"}],
        "relations": [
            {"source": "ada", "relationship": "plays", "target": "chess"},
            {"source": "ada", "relationship": "plays"},
        ],
    }
    (folder / "mem0.json").write_text(json.dumps(export))
    answer = bring(engine, folder, "mem0.json")
    assert (len(answer.records), answer.entities, answer.relations) == (1, 2, 1)
    assert [one.partition(": ")[2] for one in answer.skipped] == [
        "has no text",
        "is no memory",
        "a relation without an end",
    ]


def test_a_format_can_be_named_and_has_to_be_one(engine, folder):
    (folder / "list.json").write_text('["x", {"content": "Plays chess"}]')
    answer = bring(engine, folder, "list.json", format="mem0")
    assert [r.text for r in answer.records] == ["Plays chess"]
    with unchanged(engine), pytest.raises(InvalidRequest, match="choose one of: server-memory"):
        bring(engine, folder, "list.json", format="zep")


def test_undoing_a_batch_leaves_nothing_of_it(engine, folder):
    remember(engine, "Ada_Byron met Charles.")
    before = everything(engine)
    answer = bring(engine, folder, ".")
    (batch,) = engine.run(ListBatches()).batches
    assert (batch.id, batch.by, batch.undone) == (answer.batch, "import", False)
    undone = engine.run(Undo(answer.batch))
    assert everything(engine) == before
    assert not undone.left
    assert engine.run(ListBatches()).batches[0].undone
    assert found(engine, "Latin") == ["Ada_Byron met Charles."] or not found(engine, "Latin tea")
    assert len(bring(engine, folder, ".").records) == 5


def test_undoing_leaves_alone_what_others_came_to_build_on(engine, folder, clock):
    acme = described(engine, "Acme")
    answer = bring(engine, folder, "memory.json")
    engine.run(Revise(acme.id, text="A company in Turin."))
    clock.now = clock.now.replace(year=clock.now.year + 1)
    later = remember(engine, "Ada_Byron moved to Turin.")
    undone = engine.run(Undo(answer.batch))
    ada = entities(engine)["Ada_Byron"]
    assert {*undone.left} == {ada.id, acme.id}
    assert now(engine, acme).text == "A company in Turin."
    assert [r.id for r in memories(engine)] == [later.id]


def test_what_the_batch_described_is_undescribed_again(engine, folder):
    remember(engine, "We met Acme on Monday.")
    before = entities(engine)["Acme"]
    assert (before.type, before.status) == ("", "extracted")
    answer = bring(engine, folder, "memory.json")
    assert entities(engine)["Acme"].type == "company"
    engine.run(Undo(answer.batch))
    after = entities(engine)["Acme"]
    assert (after.type, after.status, after.version) == ("", "extracted", 3)


def test_a_batch_that_never_was_cannot_be_undone(engine):
    with unchanged(engine), pytest.raises(NotFound, match="There is no batch 'x'"):
        engine.run(Undo("x"))


def test_an_agent_undoes_what_agents_did_and_nothing_of_a_persons(engine, folder):
    agent = Author(AuthorKind.AGENT, "codex")
    answer = bring(engine, folder, "mem0.json")
    with unchanged(engine), pytest.raises(NotAllowed, match="only a person may undo it"):
        engine.run(Undo(answer.batch, author=agent))
    theirs = bring(engine, folder, "notes", author=agent)
    assert engine.run(Undo(theirs.batch, author=agent)).forgotten


def test_a_batch_of_another_tenant_is_left_alone(engine, folder):
    answer = bring(engine, folder, "mem0.json", scope=Scope("other"))
    assert engine.run(Undo(answer.batch)).forgotten == ()
    assert len(engine.run(List(Where("other"))).records) == 2


def test_others_may_bring_the_same_meanwhile(store, clock, folder):
    meanwhile = Meanwhile()
    with opened(store, clock, embedder=lambda: meanwhile) as engine:
        meanwhile.todo.append(lambda: bring(engine, folder, "memory.json"))
        answer = bring(engine, folder, ".")
        assert len(answer.records) == 3
        assert len(memories(engine)) == 5
        titles = [r.title for r in listed(engine, Where(kinds=(Kind.ENTITY,)))]
        assert titles.count("Ada_Byron") == titles.count("Acme") == 1

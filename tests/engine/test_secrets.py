"""Secrets: nothing that looks like one is kept, in whatever field it comes."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest

from recollect.errors import InvalidRequest, SecretFound
from recollect.model import Role, Scope, Where
from recollect.ops import (
    CreateKey,
    Describe,
    Forget,
    Import,
    Ingest,
    Invalidate,
    Relate,
    Remember,
    RememberAll,
    Revise,
)
from recollect.value import replace
from tests.engine.build import (
    described,
    exported,
    ledger,
    listed,
    now,
    opened,
    remember,
    said,
    unchanged,
)

# Put together here, so that this file holds nothing that looks like one.
SECRET = "hunter" + "2"
SAID = "db_password=" + SECRET
SAFE = "db_password=[redacted: password]"
LABEL = "RSA PRIVATE " + "KEY-----"
KEY = "\n".join([f"-----BEGIN {LABEL}", "MIIEpAIBAAKCAQEA" * 12, f"-----END {LABEL}"])
LINES = ["title", "source", "source_ref", "session", "speaker", "type"]
METADATA = [
    {"note": SAID},
    {"db_password": SECRET},
    {"deep": [{"a": KEY, "b": 1}], "n": 3},
    {"url": "postgres://ann:" + SECRET + "x9@db.example.com/app", "q": 'say "hi"'},
    {"quoted": f'before\nand password = "{SECRET}"'},
    {"passphrase": SECRET + 'x9"y'},
    {"told": f'the password "{SECRET}x9"'},
    {"passcodes": ["", SECRET, True, None]},
    {"pwd": 12345678, "amount": 12345678},
]


@pytest.fixture
def redacting(store, clock):
    with opened(store, clock, secrets="redact") as made:
        yield made
        assert SECRET not in repr(ledger(made))


@pytest.fixture
def allowing(store, clock):
    with opened(store, clock, secrets="allow") as made:
        yield made


@pytest.mark.parametrize("field", ["text", *LINES])
def test_a_secret_is_refused_wherever_it_is(engine, field):
    old = remember(engine, "one")
    op = replace(Remember("a text"), **{field: SAID})
    with unchanged(engine):
        for ask in (op, RememberAll((Remember("two"), op))):
            with pytest.raises(SecretFound):
                engine.run(ask)
        if field in {"text", "title", "type"}:
            with pytest.raises(SecretFound):
                engine.run(replace(Revise(old.id), **{field: SAID}))


TOKEN = "ghp_" + "R3aLl00k1ngT0kenV4lue" + "0123456789abcde"


def named(engine, tmp_path):
    """Ops that keep a name, with a secret for it."""
    from recollect.decisions import Decide

    one, two = remember(engine, "one"), remember(engine, "two")
    (tmp_path / "decisions.md").write_text("# Why\nBecause.\n")
    for scope in (Scope(user=TOKEN), Scope(project=TOKEN), Scope(TOKEN)):
        yield Remember("three", scope=scope)
        yield RememberAll((Remember("four"), Remember("three", scope=scope)))
        yield Describe("Ada", scope=scope)
        yield Decide("We use SQLite.", "It is one file.", scope=scope)
        yield Ingest((), (str(tmp_path),), scope)
        yield Import(("decisions.md",), (str(tmp_path),), scope=scope)
    yield Relate(one.id, TOKEN, two.id)
    yield CreateKey(TOKEN, Role.AGENT)
    yield CreateKey("ci", Role.AGENT, user=TOKEN)


def test_a_secret_is_refused_in_the_names_of_things_too(engine, tmp_path):
    for op in named(engine, tmp_path):
        with unchanged(engine), pytest.raises(SecretFound):
            engine.run(op)


def test_a_secret_is_taken_out_of_the_names_of_things_too(redacting, tmp_path):
    for op in named(redacting, tmp_path):
        with suppress(SecretFound):
            redacting.run(op)
    tenants = ("local", "[redacted: github-token]")
    kept = [one for tenant in tenants for one in listed(redacting, Where(tenant, kinds=()))]
    assert TOKEN not in repr([kept, exported(redacting)])
    users = {one.scope.user for one in kept}
    assert "" in users
    assert len(users) == 2


@pytest.mark.parametrize("metadata", METADATA, ids="-".join)
def test_a_secret_in_metadata_is_refused(engine, metadata):
    old = remember(engine, "one")
    given = json.dumps(metadata)
    with unchanged(engine):
        for ask in (Remember("two", metadata=given), Revise(old.id, metadata=given)):
            with pytest.raises(SecretFound):
                engine.run(ask)


@pytest.mark.parametrize("field", ["text", *LINES])
def test_a_secret_is_taken_out_wherever_it_is_and_its_kind_is_named(redacting, field):
    answer = said(redacting, **{"text": "a text", field: SAID})
    assert getattr(answer.record, field) == SAFE
    assert getattr(now(redacting, answer.record), field) == SAFE
    assert answer.redacted == ("password",)
    if field in {"text", "title", "type"}:
        new = redacting.run(replace(Revise(answer.record.id), **{field: "again " + SAID})).record
        assert getattr(new, field) == "again " + SAFE


@pytest.mark.parametrize("metadata", METADATA, ids="-".join)
def test_metadata_without_its_secret_is_still_json(redacting, metadata):
    answer = said(redacting, "one", metadata=json.dumps(metadata))
    kept = json.loads(now(redacting, answer.record).metadata)
    assert kept.keys() == metadata.keys()
    assert "redacted" in json.dumps(kept)
    assert SECRET not in json.dumps(kept)
    assert "MIIEpAIBAAKCAQEA" not in json.dumps(kept)
    assert answer.redacted != ()


def test_a_secret_that_is_the_name_of_something_is_taken_out_too(redacting):
    answer = said(redacting, "one", metadata=json.dumps({"ghp_" + "aB3" * 12: 1, "of": 2}))
    assert json.loads(answer.record.metadata) == {"[redacted: github-token]": 1, "of": 2}


def test_the_same_text_with_the_same_secret_is_kept_once(redacting):
    assert said(redacting, SAID).created
    assert not said(redacting, SAID).created
    answer = redacting.run(RememberAll((Remember(SAID), Remember(SAFE))))
    assert answer.created == 0


def test_what_is_allowed_is_kept_as_it_is_and_nothing_is_said_to_be_taken_out(allowing):
    answer = said(allowing, SAID, title=SAID)
    assert (answer.record.text, answer.record.title) == (SAID, SAID)
    assert answer.redacted == ()
    assert allowing.run(Revise(answer.record.id, text=SAID + "!")).record.text == SAID + "!"
    assert described(allowing, "Db", description=SAID).text == SAID


def test_a_description_is_guarded_as_a_text_is(engine):
    with unchanged(engine):
        for field in ("name", "type", "description"):
            with pytest.raises(SecretFound):
                engine.run(replace(Describe("Db"), **{field: SAID}))


def test_a_description_loses_its_secret(redacting):
    db = described(redacting, "Db", type=SAID, description=SAID)
    assert (db.type, db.text) == (SAFE, SAFE)


def test_a_reason_is_guarded_since_the_ledger_keeps_it_for_good(engine):
    old = remember(engine, "one")
    with unchanged(engine):
        for ask in (Invalidate(old.id, reason=SAID), Forget((old.id,), reason=SAID)):
            with pytest.raises(SecretFound):
                engine.run(ask)


def test_a_reason_loses_its_secret(redacting):
    old = remember(redacting, "one")
    redacting.run(Invalidate(old.id, reason=SAID))
    redacting.run(Forget((old.id,), reason=SAID))
    assert [event.detail for event in ledger(redacting)[1:]] == [f'{{"reason": "{SAFE}"}}'] * 2


def test_what_comes_with_vectors_was_guarded_when_it_was_first_kept(engine):
    rows = engine.ports.semantics.configured().passages(["one"])
    answer = engine.run(RememberAll((Remember(SAID),), vectors=rows))
    assert answer.records[0].text == SAID


def test_a_policy_that_there_is_not_is_refused(store, clock):
    with opened(store, clock, secrets="sometimes") as engine:
        with pytest.raises(InvalidRequest, match="block, redact, allow"):
            remember(engine, "one")
        assert ledger(engine) == []


def test_a_value_in_metadata_ends_where_its_line_does(engine):
    prose = "`password=` takes a value\nand, as every line, is over with it; `password` is a name."
    for text in (prose, prose.replace("\n", "\r\n")):
        kept = remember(engine, "one", metadata=json.dumps({"text": text}))
        assert json.loads(kept.metadata) == {"text": text}
    with unchanged(engine), pytest.raises(SecretFound):
        remember(engine, "two", metadata=json.dumps({"text": f"{prose}\n{SAID}"}))

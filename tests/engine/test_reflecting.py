"""Reflection: what is proposed from experience, as rows and as files that stay in step."""

from __future__ import annotations

from datetime import timedelta

import pytest

from recollect.decisions import (
    AcceptProposal,
    Decide,
    ListProposals,
    Reflect,
    RejectProposal,
    SearchDecisions,
)
from recollect.decisions.measured import RecordOutcome, RecordSignal
from recollect.engine.reflecting import Passes
from recollect.errors import Conflict
from recollect.model import Author, AuthorKind, Link, Scope
from recollect.ops import CreateKey, Forget, Remember, Wipe
from recollect.store.memory import MemoryStore
from recollect.value import replace
from tests.engine.build import opened, proposed, unchanged

ANN = Author(AuthorKind.HUMAN, "ann")
BOT = Author(AuthorKind.AGENT, "bot")
SAID = "The nightly backup timed out again on the large table"


@pytest.fixture
def folder(engine, tmp_path):
    path = tmp_path / "proposals"
    governance = replace(engine.ports.governance, proposals=str(path))
    engine.ports = replace(engine.ports, governance=governance)
    return path


def happened(engine, text=SAID, *, times=3, session="run {}", **more):
    return [
        engine.run(
            Remember(text, type="episodic", session=session.format(n), once=False, **more)
        ).record
        for n in range(times)
    ]


def reflected(engine, **more):
    return engine.run(Reflect(**more)).proposals


def test_what_three_say_independently_is_proposed_with_its_evidence(engine, folder):
    memories = happened(engine)
    (one,) = reflected(engine)
    assert one.title == SAID
    assert set(one.evidence) == {memory.id for memory in memories}
    assert one.record.id.startswith("proposal-20260101T000000Z-the-nightly-backup")
    with engine.ports.store.reading() as reader:
        edges = reader.edges([one.record.id], "incoming", [Link.EVIDENCE_FOR])
    assert {edge.src for edge in edges} == set(one.evidence)
    text = (folder / one.record.id).read_text("utf-8")
    assert text.startswith(f"# {SAID}\n")
    assert all(memory.id in text for memory in memories)
    assert "Status: draft" in text


def test_a_draft_says_the_pattern_and_leaves_what_was_observed_to_the_evidence(
    engine, folder, clock
):
    said = (
        "The nightly backup timed out on the large table",
        "The nightly backup timed out again on the large table",
        "Tonight the nightly backup of the large table timed out",
    )
    for n, text in enumerate(said):
        happened(engine, text, times=1, session=f"run {n}")
        clock.move(timedelta(days=2))
    (one,) = reflected(engine)
    # What only one of them says is not in the title.
    assert one.title == said[0]
    assert one.reasons.splitlines() == [
        "3 independent observations agree, 2026-01-01 to 2026-01-05: 3 memories.",
        "In common: nightly, backup, timed, out, large, table.",
        "Of 3 wordings, the title is the one with the least of its own.",
    ]
    assert not any(text in one.reasons for text in said)
    evidence = (folder / one.record.id).read_text("utf-8").split("## Evidence")[1]
    assert all(text in evidence for text in said)


def test_a_draft_against_a_decision_says_what_speaks_against_it(engine):
    said = Decide("Use one large table", "It is simple.", "tables", author=BOT)
    id_ = engine.run(said).decision.record.id
    for place in range(3):
        told = f"Outage {place} of the large table"
        engine.run(RecordSignal(id_, "incident", "negative", author=BOT, description=told))
    engine.run(RecordOutcome(id_, "failure", 0.1, author=BOT, lessons=("Split large tables",)))
    (one,) = reflected(engine)
    assert one.reasons.splitlines() == [
        "4 independent observations speak against it, 2026-01-01: 3 signals, 1 outcome.",
        "In common: large, table, outage.",
    ]


def test_two_or_three_of_one_session_are_not_enough(engine):
    happened(engine, times=2)
    happened(engine, session="the same", times=3, text="The cache was cold after the deployment")
    assert reflected(engine) == ()
    assert len(reflected(engine, support=2)) == 1


def test_the_same_is_proposed_once_even_after_a_rejection(engine):
    happened(engine)
    (one,) = reflected(engine)
    assert reflected(engine) == ()
    engine.run(RejectProposal(one.record.id, reason="We know."))
    assert reflected(engine) == ()
    assert engine.run(Reflect()).proposed == 1


def test_what_was_decided_is_not_proposed(engine):
    engine.run(Decide(SAID, "So we split it.", "backups", author=ANN))
    happened(engine)
    answer = engine.run(Reflect())
    assert (answer.proposals, answer.decided) == ((), 1)


def test_what_happened_long_ago_counts_no_more(engine, clock):
    happened(engine)
    clock.move(timedelta(days=91))
    assert reflected(engine) == ()
    assert len(reflected(engine, days=100)) == 1


def test_outcomes_and_signals_against_a_decision_propose_to_replace_it(engine):
    said = Decide("Use one large table", "It is simple.", "tables", author=BOT)
    id_ = engine.run(said).decision.record.id
    for place in range(3):
        engine.run(
            RecordSignal(id_, "incident", "negative", author=BOT, description=f"Outage {place}")
        )
    (one,) = reflected(engine)
    assert one.supersedes == (id_,)
    assert one.title == "Reconsider: Use one large table"
    assert one.record.key == "tables"


def test_lessons_that_many_learned_are_proposed(engine):
    for place in range(3):
        said = Decide(f"Use PostgreSQL for service {place}", author=BOT, module="database")
        id_ = engine.run(said).decision.record.id
        engine.run(
            RecordOutcome(id_, "success", 0.9, author=BOT, lessons=("Pool the connections early",))
        )
    (one,) = reflected(engine)
    assert one.title == "Pool the connections early"
    assert one.record.key == "database"


def test_accepting_makes_a_decision_that_stands_and_the_file_says_so(engine, folder, clock):
    old = engine.run(Decide("Use one table", "Simple.", "tables", author=BOT)).decision.record.id
    id_ = proposed(engine, "Split the table", "tables", supersedes=(old,))
    clock.move(timedelta(hours=1))
    answer = engine.run(AcceptProposal(id_, author=ANN))
    assert answer.decision.record.author == ANN
    assert answer.decision.record.supersedes == (old,)
    assert "Status: accepted" in (folder / id_).read_text("utf-8")
    (hit,) = engine.run(SearchDecisions("table")).hits
    assert hit.record.id == answer.decision.record.id
    assert engine.run(ListProposals()).proposals == ()
    assert len(engine.run(ListProposals(drafts=False)).proposals) == 1


def test_a_proposal_over_what_stands_no_more_is_not_accepted(engine, clock):
    old = engine.run(Decide("Use one table", "Simple.", "tables", author=BOT)).decision.record.id
    id_ = proposed(engine, "Split the table", "tables", supersedes=(old,))
    engine.run(Decide("Use two tables", "Better.", "tables", author=ANN, supersedes=(old,)))
    clock.move(timedelta(hours=1))
    with pytest.raises(Conflict, match="stand"), unchanged(engine):
        engine.run(AcceptProposal(id_, author=ANN))


def test_files_are_brought_back_into_step(engine, folder):
    id_ = proposed(engine, "Split the table", "tables")
    other = proposed(engine, "Split the table", "tables")
    assert other.endswith("-split-the-table-1.md")
    engine.run(ListProposals())
    (folder / id_).write_text("# Accepted, says who?\n", "utf-8")
    # Another store in this folder may know of it.
    (folder / "proposal-20250101T000000Z-stray.md").write_text("x", "utf-8")
    (folder / "notes.md").write_text("mine", "utf-8")
    engine.run(Forget((other,), author=ANN))
    engine.run(ListProposals())
    left = {"notes.md", "proposal-20250101T000000Z-stray.md", id_}
    assert {path.name for path in folder.iterdir()} == left
    assert (folder / id_).read_text("utf-8").startswith("# Split the table\n")


def test_what_is_forgotten_is_quoted_by_no_draft_and_on_no_page(engine, folder):
    memories = happened(engine)
    (one,) = reflected(engine)
    assert (folder / one.record.id).exists()
    engine.run(Forget((memories[0].id,), author=ANN))
    assert engine.run(ListProposals(drafts=False)).proposals == ()
    assert list(folder.iterdir()) == []


def test_two_stores_in_one_folder_leave_each_other_their_pages(engine, folder, clock):
    mine = proposed(engine, "Split the table", "tables")
    engine.run(ListProposals())
    with opened(MemoryStore(), clock) as other:
        governance = replace(other.ports.governance, proposals=str(folder))
        other.ports = replace(other.ports, governance=governance)
        theirs = proposed(other, "Rotate the keys", "keys")
        other.run(ListProposals())
        engine.run(ListProposals())
        assert {one.name for one in folder.iterdir()} == {mine, theirs}
        other.run(Wipe(author=ANN))
        assert {one.name for one in folder.iterdir()} == {mine}


def test_a_reset_leaves_no_page(engine, folder):
    proposed(engine, "Split the table", "tables")
    engine.run(ListProposals())
    engine.run(Wipe(author=ANN))
    assert list(folder.iterdir()) == []


def test_a_server_reflects_for_every_tenant_once_an_hour_where_something_changed(engine, clock):
    engine.run(CreateKey("theirs", tenant="other"))
    happened(engine)
    happened(engine, scope=Scope("other"))
    passes = Passes(engine.ports, "local")
    assert passes.step() == 2
    happened(engine, "The staging certificate expired during the release")
    assert passes.step() == 0
    clock.move(timedelta(hours=1))
    assert passes.step() == 1
    clock.move(timedelta(hours=1))
    assert passes.step() == 0


def test_what_goes_on_behind_the_calls_of_a_server_reflects_too(engine):
    happened(engine)
    engine.reflects_for = "local"
    engine.start()
    while not engine.run(ListProposals()).proposals:
        pass

"""Commands that look after the memory itself: status, verify, changes, scopes, embed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.ops import Changes, ListScopes, Status, Verify
from recollect.ways.cli.command import NOT_DONE, Argument, Command, Reply
from recollect.ways.cli.document import document
from recollect.ways.cli.read import whole
from recollect.ways.cli.show import change, counted, fact, size

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from recollect.ops import Health, Verified
    from recollect.ways.cli.session import Session


def _status(session: Session, args: Namespace) -> Reply:
    del args
    config = session.config
    answer = session.run(Status(config.tenant))
    return Reply(
        (fact(name, value) for name, value in _lines(answer, config.store)),
        lambda: {"store": config.store, "tenant": config.tenant, **document(answer)},
    )


def _lines(answer: Health, store: str) -> Iterator[tuple[str, object]]:
    counts, vectors = answer.counts, answer.vectors
    yield "recollect", answer.version
    yield "store", f"{store} ({size(answer.bytes)})"
    yield "memories", counts.memories
    for name in ("decisions", "entities", "code_chunks", "relations"):
        if count := getattr(counts, name):
            yield name.replace("_", " "), count
    yield "model", answer.model or f"not known: {answer.model_error}"
    if vectors.serving and vectors.serving != answer.model:
        until = f", until the vectors of {answer.model} are complete" if answer.model else ""
        yield "serving", f"{vectors.serving}{until}"
    if vectors.coming:
        yield "coming", f"{vectors.coming}, {vectors.done} vectors done"
    if vectors.waiting:
        yield "waiting", f"{vectors.waiting} records for a vector (`recollect embed`)"
    yield "changes", answer.ledger


def _verify(session: Session, args: Namespace) -> Reply:
    del args
    answer = session.run(Verify())
    code = NOT_DONE if answer.problems else 0
    return Reply(_verified(answer), lambda: document(answer), code)


def _verified(answer: Verified) -> Iterator[str]:
    for problem in answer.problems:
        yield f"{problem.what} ({problem.where})"
        yield f"  {problem.advice}"
    checked = f"{counted(answer.records, 'record')} and {counted(answer.events, 'change')}"
    found = len(answer.problems)
    yield f"Checked {checked}: {counted(found, 'problem') if found else 'all is well'}."


def _changes(session: Session, args: Namespace) -> Reply:
    answer = session.run(Changes(args.after, args.limit))
    lines = (change(event, session.now) + f"  {event.record}" for event in answer.events)
    return Reply(lines, lambda: document(answer))


def _embed(session: Session, args: Namespace) -> Reply:
    del args
    done = session.settle()
    return Reply((f"Made {counted(done, 'vector')}.",), lambda: {"embedded": done})


def _scopes(session: Session, args: Namespace) -> Reply:
    del args
    answer = session.run(ListScopes(session.config.tenant))
    named = (("user", answer.users), ("project", answer.projects))
    lines = [f"{what:<8} {name}" for what, names in named for name in names]
    notes = () if lines else ("Nothing is kept for any user or project in particular.",)
    return Reply(lines, lambda: document(answer), notes=notes)


COMMANDS = (
    Command(
        "status",
        "show how the memory is",
        "Show how the memory is: where it is kept, how much it holds, and which model serves.",
        ("recollect status", "recollect status --json"),
        (),
        _status,
        looks_up=True,
    ),
    Command(
        "verify",
        "check that nothing is damaged",
        "Check the file, the chain of the ledger, and that all that is derived from the records\n"
        "agrees with them. Says what to do about each problem. The exit code is 1 if there is one.",
        ("recollect verify", "recollect verify --json"),
        (),
        _verify,
        needs_store=True,
        doing="checking",
    ),
    Command(
        "changes",
        "follow who changed what, and when",
        "Follow the ledger: who changed what, and when, oldest first. It never holds what a text\n"
        "said. Every change has a number; the last one you saw tells where to go on.",
        ("recollect changes", "recollect changes --after 2 --limit 50 --json"),
        (
            Argument(("--after",), "from behind this number", "N", read=whole, default=0),
            Argument(("--limit",), "at most so many", "N", read=whole, default=1000),
        ),
        _changes,
        looks_up=True,
    ),
    Command(
        "scopes",
        "show whose memories there are",
        "Show for which users and of which projects there are memories.",
        ("recollect scopes", "recollect scopes --json"),
        (),
        _scopes,
    ),
    Command(
        "embed",
        "make the vectors that are missing",
        "Make the vectors that are missing: after another model was chosen, or where none could\n"
        "be reached when a text was kept. Until all are made, those that are there serve.",
        ("recollect embed",),
        (),
        _embed,
        looks_up=True,
        doing="making vectors",
    ),
)

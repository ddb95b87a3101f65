"""Commands that delete for good: forget, retention, reset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.errors import InvalidRequest
from recollect.model import Where
from recollect.ops import Forget, Get, Overdue, Status, Wipe
from recollect.ways.cli.command import NOT_DONE, Argument, Command, Reply
from recollect.ways.cli.document import document
from recollect.ways.cli.read import confirmed, number, time, whole
from recollect.ways.cli.shared import IDS, REASON, YES
from recollect.ways.cli.show import brief

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from recollect.model import Counts, Record
    from recollect.ops import Due
    from recollect.ways.cli.line import Shown
    from recollect.ways.cli.session import Session


_DRY_RUN, _APPLY = "dry-run", "apply"
_AT_ONCE = 1_000


def _forget(session: Session, args: Namespace) -> Reply:
    ids, tenant = tuple(args.ids), session.config.tenant
    if not args.yes and not confirmed("yes", *_going(session, ids)):
        return _kept()
    answer = session.run(Forget(ids, tenant, session.author, args.reason))
    return Reply((f"Forgot {', '.join(answer.ids)}.",), lambda: document(answer))


def _going(session: Session, ids: tuple[str, ...]) -> Iterator[Shown]:
    """What would be deleted, so that a wrong id is seen before it is too late."""
    records = session.run(Get(ids, session.config.tenant)).records
    yield from ("  " + brief(record, session.now) for record in records)
    yield f"This deletes {_count(len(ids), 'record')} for good."


def _retention(session: Session, args: Namespace) -> Reply:
    if args.max_age_days is None and args.max_entries is None:
        raise InvalidRequest(
            "Without a limit there is nothing to delete. Give --max-age-days, --max-entries, or"
            " both."
        )
    config = session.config
    where = Where(config.tenant, config.user or None, config.project or None)
    due = session.run(Overdue(where, args.now, args.max_age_days, args.max_entries))
    lines: list[Shown] = [
        *(brief(one, session.now) for one in _records(session, due.ids)),
        _why(due),
    ]
    if args.what == _DRY_RUN or not due.ids:
        return Reply(lines, lambda: {**document(due), "deleted": []})
    if not args.yes:
        deletes = f"This deletes {_count(len(due.ids), 'memory')} for good."
        if not confirmed("yes", *lines, deletes):
            return _kept()
    for batch in _batches(due.ids):
        session.run(Forget(batch, config.tenant, session.author, "retention"))
    done = f"Deleted {_count(len(due.ids), 'memory')}."
    return Reply([*lines, done], lambda: {**document(due), "deleted": list(due.ids)})


def _records(session: Session, ids: tuple[str, ...]) -> Iterator[Record]:
    for batch in _batches(ids):
        yield from session.run(Get(batch, session.config.tenant)).records


def _batches(ids: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    return (ids[at : at + _AT_ONCE] for at in range(0, len(ids), _AT_ONCE))


def _why(due: Due) -> str:
    return (
        f"{_count(len(due.ids), 'memory')} in all: {due.by_age} too old,"
        f" {due.by_count} too many for their project."
    )


def _reset(session: Session, args: Namespace) -> Reply:
    tenant = session.config.tenant
    if not args.yes:
        counts = session.run(Status(tenant)).counts
        question = (
            f"This deletes all of tenant {tenant!r} in {session.config.store} for good:"
            f" {_all(counts)}."
        )
        if not confirmed("reset", question):
            return _kept()
    answer = session.run(Wipe(tenant, session.author))
    return Reply((f"Deleted {_all(answer.counts)}.",), lambda: document(answer))


def _kept() -> Reply:
    return Reply(("Nothing was deleted.",), lambda: {"deleted": False}, NOT_DONE)


def _all(counts: Counts | None) -> str:
    if counts is None:
        return "nothing"
    return f"{_count(counts.records, 'record')} and {_count(counts.relations, 'relation')}"


def _count(number: int, noun: str) -> str:
    several = f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
    return f"{number} {noun if number == 1 else several}"


COMMANDS = (
    Command(
        "forget",
        "delete records for good",
        "Delete records, or relations, for good: the text, its vector, index entries, links and\n"
        "copies in caches. The ledger keeps that something was deleted, not what. Asks first.",
        (
            "recollect forget ID --yes",
            'recollect forget OLD NEW --reason "asked for by Ada" --yes',
        ),
        (IDS, REASON, YES),
        _forget,
        looks_up=True,
    ),
    Command(
        "retention",
        "delete memories that are too old or too many",
        "Delete memories that are older than so many days, or not among so many newest of their\n"
        "project. `dry-run` only lists them; `apply` lists them, asks, and deletes them for good.",
        (
            "recollect retention dry-run --max-age-days 365",
            "recollect retention apply --max-age-days 365 --max-entries 5000 --yes",
        ),
        (
            Argument(("what",), "dry-run or apply", choices=(_DRY_RUN, _APPLY)),
            Argument(("--max-age-days",), "the age from which on they go", "N", read=number),
            Argument(
                ("--max-entries",), "so many of each project stay, the newest", "N", read=whole
            ),
            Argument(("--now",), "as if it were that time", "TIME", read=time),
            Argument(("--project",), "only this project's; an empty NAME for all", "NAME"),
            YES,
        ),
        _retention,
        looks_up=True,
    ),
    Command(
        "reset",
        "delete everything and start over",
        "Delete everything of the tenant, after showing how much that is. Asks first.",
        ("recollect reset --yes", "recollect reset --tenant trial --yes"),
        (YES,),
        _reset,
        needs_store=True,
    ),
)

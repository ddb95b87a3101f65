"""Commands that delete for good: forget, reset."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.ops import Forget, Get, Status, Wipe
from recollect.ways.cli.command import NOT_DONE, Command, Reply
from recollect.ways.cli.document import document
from recollect.ways.cli.read import confirmed
from recollect.ways.cli.shared import IDS, REASON, YES
from recollect.ways.cli.show import brief

if TYPE_CHECKING:
    from argparse import Namespace

    from recollect.model import Counts
    from recollect.ways.cli.session import Session


def _forget(session: Session, args: Namespace) -> Reply:
    ids, tenant = tuple(args.ids), session.config.tenant
    if not args.yes and not confirmed(_going(session, ids), "yes"):
        return _kept()
    answer = session.run(Forget(ids, tenant, session.author, args.reason))
    return Reply((f"Forgot {', '.join(answer.ids)}.",), lambda: document(answer))


def _going(session: Session, ids: tuple[str, ...]) -> str:
    """What would be deleted, so that a wrong id is seen before it is too late."""
    records = session.run(Get(ids, session.config.tenant)).records
    shown = [f"  {brief(record, session.now)}" for record in records]
    return "\n".join([*shown, f"This deletes {_count(len(ids), 'record')} for good."])


def _reset(session: Session, args: Namespace) -> Reply:
    tenant = session.config.tenant
    if not args.yes:
        counts = session.run(Status(tenant)).counts
        question = (
            f"This deletes all of tenant {tenant!r} in {session.config.store} for good:"
            f" {_all(counts)}."
        )
        if not confirmed(question, "reset"):
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
    return f"{number} {noun}{'' if number == 1 else 's'}"


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

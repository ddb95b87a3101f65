"""Arguments that several commands have, and what becomes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recollect.model import Kind, Scope, Where
from recollect.ways.cli.command import Argument
from recollect.ways.cli.read import number, time, whole

if TYPE_CHECKING:
    from argparse import Namespace

    from recollect.config import Config
    from recollect.ways.cli.session import Session

ID = Argument(("id",), "the record's id", "ID")
IDS = Argument(("ids",), "the records' ids", "ID", several="+")
YES = Argument(("--yes",), "do not ask", flag=True)
REASON = Argument(("--reason",), "why; the ledger keeps it", "TEXT", default="")

WHOSE = (
    Argument(("--user",), "whose; an empty NAME for nobody's in particular", "NAME"),
    Argument(("--project",), "of which project; an empty NAME for none", "NAME"),
)
WHO = (
    Argument(("--user",), "only this user's; an empty NAME for everybody's", "NAME"),
    Argument(("--project",), "only this project's; an empty NAME for all", "NAME"),
)
ABOUT = (
    Argument(("--type",), "what sort of memory: semantic, episodic, or a word of your own", "TYPE"),
    Argument(("--title",), "a heading", "TEXT"),
    Argument(("--metadata",), "a JSON object of your own", "JSON"),
    Argument(("--event-time",), "when it happened", "TIME", read=time),
    Argument(("--valid-from",), "since when it is true", "TIME", read=time),
    Argument(("--confidence",), "how sure it is, from 0 to 1", "NUMBER", read=number),
    Argument(("--importance",), "how much it matters, from 0 to 1", "NUMBER", read=number),
)
KIND = Argument(
    ("--kind",),
    f"only this kind: {', '.join(Kind)}, or all; again for more",
    "KIND",
    several="append",
    choices=(*(kind.value for kind in Kind), "all"),
)
FILTER = (
    KIND,
    Argument(("--type",), "only this type; again for more", "TYPE", several="append"),
    Argument(("--session",), "only of this session", "NAME"),
    *WHO,
    Argument(("--since",), "only what happened at that time or later", "TIME", read=time),
    Argument(("--until",), "only what happened before that time", "TIME", read=time),
)


def paging(limit: int) -> tuple[Argument, ...]:
    """Which part of the answer is wanted."""
    return (
        Argument(("--limit",), "at most so many", "N", read=whole, default=limit),
        Argument(("--offset",), "leave out so many of the first", "N", read=whole, default=0),
    )


def about(args: Namespace) -> dict[str, Any]:
    """What was said with `ABOUT`, as arguments of an op."""
    names = ("type", "title", "metadata", "event_time", "valid_from", "confidence", "importance")
    return {name: getattr(args, name) for name in names if getattr(args, name) is not None}


def scope(config: Config) -> Scope:
    """Whose a new record is."""
    return Scope(config.tenant, config.user, config.project)


def kinds(args: Namespace) -> tuple[Kind, ...]:
    """The kinds that were named."""
    return tuple(Kind) if "all" in args.kind else tuple(Kind(kind) for kind in args.kind)


def where(session: Session, args: Namespace, usual: tuple[Kind, ...] = (Kind.MEMORY,)) -> Where:
    """Which records are meant, of the usual kinds where none is named."""
    config = session.config
    return Where(
        tenant=config.tenant,
        user=config.user or None,
        project=config.project or None,
        kinds=kinds(args) if args.kind else usual,
        types=tuple(args.type or ()),
        session=args.session,
        since=args.since,
        until=args.until,
    )

"""Commands that find what is known: recall, get, list, history, timeline."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.errors import InvalidRequest
from recollect.model import Kind, Where
from recollect.ops import Around, Get, History, List, Recall, Status
from recollect.value import replace
from recollect.ways.cli.command import NOT_DONE, Argument, Command, Reply
from recollect.ways.cli.document import document
from recollect.ways.cli.line import FAINT, HEAD, line
from recollect.ways.cli.read import time, whole, words
from recollect.ways.cli.shared import FILTER, ID, IDS, paging, where
from recollect.ways.cli.show import brief, change, changed, full, hit, instant

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from recollect.ops import Recalled, Told
    from recollect.ways.cli.line import Shown
    from recollect.ways.cli.session import Session

# What somebody said is found, whether it was kept as a fact or as a decision.
_TOLD = (Kind.MEMORY, Kind.DECISION)


def _recall(session: Session, args: Namespace) -> Reply:
    answer = session.run(
        Recall(
            words(args.query),
            where=where(session, args, _TOLD),
            limit=args.limit,
            offset=args.offset,
            as_of=args.as_of,
            any_time=args.any_time,
            budget=args.budget,
            explain=args.explain,
            quote=True,
        )
    )
    return Reply(
        _recalled(answer, args, session.now),
        lambda: document(answer),
        notes=() if answer.semantic else _unsemantic(session),
    )


def _recalled(answer: Recalled, args: Namespace, now: datetime) -> Iterator[Shown]:
    if not answer.hits:
        yield _nothing(answer, args)
    for place, found in enumerate(answer.hits, args.offset + 1):
        yield from hit(place, found, now)


def _nothing(answer: Recalled, args: Namespace) -> str:
    if answer.total and args.budget is not None:
        return f"Nothing that was found fits into {args.budget} tokens. Give a larger --budget."
    if answer.total and args.offset:
        return f"Nothing more was found after the first {args.offset}."
    return "Nothing found."


def _unsemantic(session: Session) -> tuple[str, ...]:
    """Why meaning was not searched, where there was something to search."""
    health = session.run(Status(session.config.tenant))
    if not health.vectors.serving and not (health.model_error and health.counts.records):
        return ()
    reason = health.model_error or (
        f"the vectors are of {health.vectors.serving}, which is not to be had any more;"
        f" `recollect embed` makes those of {health.model}"
    )
    return (f"Only words and links were searched: {reason}",)


def _get(session: Session, args: Namespace) -> Reply:
    if args.history:
        if args.as_of or args.known_at:
            raise InvalidRequest(
                "A history is of all times. Leave out --history, or --as-of and --known-at."
            )
        return _histories(session, args.ids)
    answer = session.run(
        Get(tuple(args.ids), session.config.tenant, as_of=args.as_of, known_at=args.known_at)
    )
    return Reply(
        _apart(full(record, session.now) for record in answer.records),
        lambda: document(answer),
        NOT_DONE if answer.missing else 0,
        tuple(_absent(session, args, answer.missing)),
    )


def _absent(session: Session, args: Namespace, ids: tuple[str, ...]) -> Iterator[str]:
    """Why some are not shown: not there at all, or not at the time that was asked for."""
    there: set[str] = set()
    if ids and (args.as_of or args.known_at):
        there = {one.id for one in session.run(Get(ids, session.config.tenant)).records}
    if gone := [id_ or "''" for id_ in ids if id_ not in there]:
        yield f"There is no record {', '.join(gone)}. `recollect list` shows what there is."
    if late := [id_ for id_ in ids if id_ in there]:
        when = "was not true, or not known, at that time"
        yield f"{', '.join(late)} {when}; `recollect history ID` tells when it was."


def _histories(session: Session, ids: list[str]) -> Reply:
    answers = [session.run(History(id_, session.config.tenant)) for id_ in ids]
    return Reply(
        _apart(_told(answer, session.now) for answer in answers),
        lambda: {"histories": [document(answer) for answer in answers]},
    )


def _history(session: Session, args: Namespace) -> Reply:
    answer = session.run(History(args.id, session.config.tenant))
    return Reply(_told(answer, session.now), lambda: document(answer))


def _told(answer: Told, now: datetime) -> Iterator[Shown]:
    before = None
    for version in answer.versions:
        since = f", since {instant(version.updated_at, now)}"
        yield line((f"version {version.version}", HEAD), (since, FAINT))
        yield from (line("  ", one, hang=2) for one in changed(before, version, now))
        before = version
    yield line(("changes", HEAD))
    yield from ("  " + change(event, now) for event in answer.events)


def _timeline(session: Session, args: Namespace) -> Reply:
    tenant = session.config.tenant
    (anchor,) = session.run(Get((args.id,), tenant, strict=True)).records
    # What texts name, and pieces of code, are made by the hundred beside what was remembered.
    kinds = tuple(kind for kind in Kind if kind not in {Kind.ENTITY, Kind.CODE} - {anchor.kind})
    where = Where(tenant, kinds=kinds)
    answer = session.run(Around(args.id, where, args.before, args.after))
    lines = (
        f"{'>' if record.id == args.id else ' '} " + brief(record, session.now)
        for record in answer.records
    )
    return Reply(lines, lambda: document(answer))


def _list(session: Session, args: Namespace) -> Reply:
    answer = session.run(
        List(
            replace(where(session, args), at=args.as_of),
            limit=args.limit,
            offset=args.offset,
            current=not (args.all or args.as_of),
        )
    )
    left = answer.total - args.offset - len(answer.records)
    lines = (brief(record, session.now) for record in answer.records)
    more = f"{left} more: --offset {args.offset + len(answer.records)}, or a larger --limit."
    notes = (more,) if left > 0 else () if answer.records else ("Nothing to list.",)
    return Reply(lines, lambda: document(answer), notes=notes)


def _apart(parts: Iterable[Iterable[Shown]]) -> Iterator[Shown]:
    """Several things below each other, with a line between."""
    for place, part in enumerate(parts):
        if place:
            yield line(("---", FAINT))
        yield from part


COMMANDS = (
    Command(
        "recall",
        "search by meaning, words and links",
        "Search by meaning, by words, and by what is linked. Best first; only what is true now,\n"
        "unless you ask for another time. Finding nothing is an answer, with exit code 0.",
        (
            'recollect recall "when do we ship?"',
            'recollect recall "who owns billing?" --as-of 2026-01-31 --limit 3',
            "recollect recall postgres pool --explain",
            'recollect recall "what did we decide last week?" --since 7d --json',
        ),
        (
            Argument(("query",), "what to look for; `-` reads it", "QUERY", several="+"),
            *paging(10),
            Argument(("--as-of",), "what was true at that time", "TIME", read=time),
            Argument(("--any-time",), "also what is no longer, or not yet, true", flag=True),
            *FILTER,
            Argument(("--budget",), "at most so many tokens of text", "N", read=whole),
            Argument(("--explain",), "say why each was found", flag=True),
        ),
        _recall,
        looks_up=True,
    ),
    Command(
        "get",
        "read records by id",
        "Read records by id: as they are, as they were true at a time, or as they were written\n"
        "down at a time, before later corrections. The exit code is 1 if one is not there.",
        (
            "recollect get ID",
            "recollect get ID --known-at 2026-01-31",
            "recollect get OLD NEW --json",
        ),
        (
            IDS,
            Argument(("--as-of",), "only if it was true at that time", "TIME", read=time),
            Argument(("--known-at",), "as it was written down by that time", "TIME", read=time),
            Argument(("--history",), "every version, and every change", flag=True),
        ),
        _get,
        looks_up=True,
    ),
    Command(
        "list",
        "list records, newest first",
        "List records, newest first: what is true now, what was at a time, or everything.",
        (
            "recollect list",
            "recollect list --all --limit 100",
            "recollect list --kind decision --since 30d",
            "recollect list --kind all --user ada --json",
        ),
        (
            *paging(20),
            Argument(("--all",), "also what is no longer, or not yet, true", flag=True),
            Argument(("--as-of",), "what was true at that time", "TIME", read=time),
            *FILTER,
        ),
        _list,
        looks_up=True,
    ),
    Command(
        "history",
        "tell how a record came to be as it is",
        "Tell how a record came to be as it is: every version, and every change with its author.\n"
        "Of a record that was forgotten, only the changes are left.",
        ("recollect history ID", "recollect history ID --json"),
        (ID,),
        _history,
        looks_up=True,
    ),
    Command(
        "timeline",
        "show what was remembered around a record",
        "Show what was remembered before and after a record in its project, oldest first.",
        ("recollect timeline ID", "recollect timeline ID --before 10 --after 0"),
        (
            ID,
            Argument(("--before",), "so many from before it", "N", read=whole, default=3),
            Argument(("--after",), "so many from after it", "N", read=whole, default=3),
        ),
        _timeline,
        looks_up=True,
    ),
)

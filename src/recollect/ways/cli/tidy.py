"""Commands that tidy up and take stock: review, stats."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.errors import InvalidRequest
from recollect.model import Where
from recollect.ops import Measure, Review, Tidy
from recollect.rules.review import CONFLICT, DUPLICATE, FINDINGS, SECRET, WAITING
from recollect.ways.cli.bring import undone
from recollect.ways.cli.command import NOT_DONE, Argument, Command, Reply
from recollect.ways.cli.document import document
from recollect.ways.cli.line import FAINT, HEAD, line
from recollect.ways.cli.read import confirmed, number, whole
from recollect.ways.cli.shared import WHO, YES
from recollect.ways.cli.show import brief
from recollect.ways.cli.show import counted as several
from recollect.ways.hooks import usage

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence

    from recollect.ops import Finding, Measured, Reviewed, Tidied
    from recollect.ways.cli.line import Shown
    from recollect.ways.cli.session import Session

_DOES = {
    SECRET: "apply: a copy without it takes its place, and it is deleted for good",
    CONFLICT: "apply: the newer one takes its place",
    DUPLICATE: "apply: the other takes its place",
    WAITING: "keep it: recollect review --accept ID",
}
_ENDS = "apply: it is no longer true; it is kept, with its history"


def _review(session: Session, args: Namespace) -> Reply:
    if args.undo:
        return undone(session, args.undo, yes=args.yes)
    if args.accept:
        return _tidied(session, (), tuple(args.accept))
    answer = session.run(
        Review(_where(session), tuple(args.only or ()), args.stale_days, args.unused_days)
    )
    shown = answer.findings[: args.limit]
    # To accept a candidate, or not, is a decision and no tidying.
    todo = [one for one in shown if one.what != WAITING]
    if not args.apply or not todo:
        return Reply(
            _listed(session, answer, shown),
            lambda: document(answer),
            notes=("To do what is proposed: --apply",) if todo else (),
        )
    if args.json and not args.yes:
        raise InvalidRequest("Add --yes: a program cannot be asked whether to go on.")
    question = (*_listed(session, answer, shown), "This does what is proposed.")
    if not args.yes and not confirmed("yes", *question):
        return Reply(("Nothing was changed.",), lambda: {"applied": False}, NOT_DONE)
    return _tidied(session, todo, ())


def _where(session: Session) -> Where:
    config = session.config
    return Where(config.tenant, config.user or None, config.project or None)


def _listed(session: Session, answer: Reviewed, shown: Sequence[Finding]) -> Iterator[Shown]:
    for one in shown:
        yield line((one.what, HEAD), f": {one.why}", hang=2)
        yield "  " + brief(one.record, session.now)
        if one.other is not None:
            yield "  " + brief(one.other, session.now)
        yield line("  ", (_DOES.get(one.what, _ENDS), FAINT), hang=4)
    more = len(answer.findings) - len(shown)
    also = f" {more} more: --limit {len(answer.findings)}." if more else ""
    left = f" of {answer.total}, the newest" if answer.looked_at < answer.total else ""
    findings = several(len(answer.findings), "finding")
    memories = several(answer.looked_at, "memory", "memories")
    yield f"{findings} in {memories}{left}.{also}"


def _tidied(session: Session, findings: Sequence[Finding], accept: tuple[str, ...]) -> Reply:
    op = Tidy(tuple(findings), accept, session.config.tenant, session.author)
    answer = session.run(op)
    return Reply(_done(answer), lambda: document(answer), NOT_DONE if answer.passed else 0)


def _done(answer: Tidied) -> Iterator[str]:
    for count, what in (
        (len(answer.ended), "no longer true"),
        (len(answer.accepted), "accepted"),
        (len(answer.redacted), "without their secrets"),
        (len(answer.passed), "passed over, for they changed or are not there"),
    ):
        if count:
            yield f"{count} {what}."
    if answer.batch:
        yield f"To undo this: recollect review --undo {answer.batch}"


def _stats(session: Session, args: Namespace) -> Reply:
    del args
    held = session.run(Measure(_where(session)))
    used = list(usage.uses(session.config.store))
    counted = _counted(held, used)
    return Reply(_told(held, counted), lambda: {**document(held), **counted})


def _counted(held: Measured, used: Sequence[usage.Use]) -> dict[str, object]:
    """What hooks have really put before models, and what putting all of it there would have."""
    sessions = len({use.session for use in used})
    cost = sum(use.tokens for use in used)
    return {
        "since": used[0].at.isoformat() if used else None,
        "sessions": sessions,
        "times": len(used),
        "shown": sum(len(use.ids) for use in used),
        "cost": cost,
        "all_of_it": sessions * held.tokens,
        "saved": sessions * held.tokens - cost,
    }


def _told(held: Measured, counted: dict[str, object]) -> Iterator[str]:
    memories = several(held.memories, "memory", "memories")
    yield f"Memory holds {memories} of {held.tokens:,} tokens."
    for one in held.projects[:10]:
        yield f"  {one.project or '(no project)':<24} {one.memories:>7}  {one.tokens:>10,} tokens"
    yield f"{held.returned} of them were returned at least once; {held.candidates} are candidates."
    if not counted["times"]:
        yield "Hooks have put nothing before a model yet, so nothing was spent and nothing saved."
        return
    yield (
        f"Since {str(counted['since'])[:10]}, hooks put {counted['shown']} memories before models,"
        f" {counted['times']} times in {counted['sessions']} sessions."
    )
    yield f"  it cost               {counted['cost']:>12,} tokens, as counted"
    yield f"  all of it would have  {counted['all_of_it']:>12,} tokens, once in each session"
    yield f"  so it saved           {counted['saved']:>12,} tokens"


COMMANDS = (
    Command(
        "review",
        "look for what should not be there, and tidy it up",
        "Look through what is true now for secrets, orders to a model hidden in memories, those\n"
        "that contradict each other or say the same, and those that nobody has needed for long;\n"
        "and list candidates. Each is shown with what could be done. --apply does that, after\n"
        "asking, as one batch that --undo takes back; only a secret that was taken out stays out.",
        (
            "recollect review",
            "recollect review --only duplicate --only conflict --apply --yes",
            "recollect review --only candidate",
            "recollect review --undo BATCH --yes",
        ),
        (
            Argument(
                ("--only",),
                f"only this: {', '.join(FINDINGS)}; again for more",
                "SORT",
                several="append",
                choices=FINDINGS,
            ),
            Argument(("--stale-days",), "not returned for so long", "N", read=number, default=365),
            Argument(("--unused-days",), "never returned in so long", "N", read=number, default=90),
            *WHO,
            Argument(("--limit",), "at most so many", "N", read=whole, default=50),
            Argument(("--apply",), "do what is proposed", flag=True),
            Argument(("--accept",), "keep this candidate for good", "ID", several="append"),
            Argument(("--undo",), "take a batch back", "BATCH"),
            YES,
        ),
        _review,
        doing="looking through",
    ),
    Command(
        "stats",
        "show what memory holds, cost and saved in tokens",
        "Show how much memory holds, as a model would count it, and what hooks have put before\n"
        "models: counted each time, not estimated. Saved is against the alternative of putting\n"
        "all of it before the model once in each of these sessions.",
        ("recollect stats", "recollect stats --json"),
        WHO,
        _stats,
    ),
)

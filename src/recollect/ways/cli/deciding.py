"""Commands of decisions: decide, decisions, reflect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.decisions import (
    AcceptProposal,
    Decide,
    ListProposals,
    Mode,
    Reflect,
    RejectProposal,
    SearchDecisions,
    Stage,
    Stand,
)
from recollect.decisions.measured import ListDecisions
from recollect.errors import InvalidRequest
from recollect.model import Scope, Where
from recollect.value import replace
from recollect.ways.cli.command import Argument, Command, Reply
from recollect.ways.cli.document import document
from recollect.ways.cli.line import FAINT, GOOD, HEAD, line
from recollect.ways.cli.read import number, whole, words
from recollect.ways.cli.shared import REASON, WHO, WHOSE
from recollect.ways.cli.show import age, shortened, titled
from recollect.ways.place import project

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator
    from datetime import datetime

    from recollect.decisions import Decided, Proposal, Ranked
    from recollect.model import Record
    from recollect.ways.cli.line import Line, Shown
    from recollect.ways.cli.session import Session


def _decide(session: Session, args: Namespace) -> Reply:
    config = session.config
    answer = session.run(
        Decide(
            words(args.text),
            args.why,
            args.target,
            tuple(args.consequence or ()),
            tuple(args.instead_of or ()),
            tuple(args.assuming or ()),
            args.confidence,
            args.risk or "",
            args.module or "",
            scope=Scope(config.tenant, config.user, project(config)),
            author=session.author,
            supersedes=tuple(args.supersedes or ()),
            file_path=args.file or "",
            pr=args.pr or "",
            commit=args.commit or "",
        )
    )
    return Reply(_decided(answer), lambda: document(answer))


def _decided(answer: Decided) -> Iterator[str]:
    new = answer.decision
    what = f" for {new.target}" if new.target else ""
    yield f"Recorded as {new.record.id}; it stands{what}, in the domain {new.domain}."
    for old in answer.superseded:
        yield f"It takes the place of {old.record.id}: {shortened(old.statement)}"
    for other in answer.standing:
        older = other.record.id
        yield f"{older} stands for {new.target}, too: {shortened(other.statement)}"
        yield f"  If the new one takes its place: recollect supersede {older} {new.record.id}"
    if answer.redacted:
        yield f"Left out what looked like a secret: {', '.join(answer.redacted)}."


def _decisions(session: Session, args: Namespace) -> Reply:
    config = session.config
    where = Where(config.tenant, config.user or None, config.project or None)
    if args.query:
        found = session.run(SearchDecisions(words(args.query), where, args.limit, Mode(args.mode)))
        lines: Iterator[Line] = (_ranked(hit, session.now) for hit in found.hits)
        notes = () if found.hits else ("Nothing was decided on this.",)
        return Reply(lines, lambda: document(found), notes=notes)
    statuses = () if args.all else (Stand.ACTIVE.value,)
    listed = session.run(
        ListDecisions(
            replace(where, statuses=statuses),
            args.module or "",
            Stage(args.stage) if args.stage else None,
            args.limit,
        )
    )
    lines = (_line(one.decision.record, session.now) for one in listed.decisions)
    notes = () if listed.decisions else ("Nothing was decided yet.",)
    return Reply(lines, lambda: document(listed), notes=notes)


def _ranked(hit: Ranked, now: datetime) -> Line:
    return line((f"{hit.score:.2f}", FAINT), "  ", _line(hit.record, now), hang=4)


def _line(record: Record, now: datetime) -> Line:
    about = record.key or record.type
    said = shortened(titled(record))
    stands = (f"{record.status:<10}", GOOD if record.status == Stand.ACTIVE.value else FAINT)
    whose = (f"  {record.author.kind:<5}  [{about}] ", FAINT)
    aged = (f"  ({age(record.created_at, now)})", FAINT)
    return line((record.id, FAINT), "  ", stands, whose, said, aged, hang=4)


def _reflect(session: Session, args: Namespace) -> Reply:
    tenant = session.config.tenant
    match args.what:
        case "accept":
            id_ = _named(args, "the proposal's name")
            accepted = session.run(AcceptProposal(id_, tenant, session.author))
            new = accepted.decision
            said = f"Accepted: {new.record.id} stands for {new.target}."
            return Reply((said,), lambda: document(accepted))
        case "reject":
            id_ = _named(args, "the proposal's name")
            rejected = session.run(RejectProposal(id_, tenant, session.author, args.reason))
            return Reply((f"Rejected: {rejected.proposal.record.id}.",), lambda: document(rejected))
        case "run":
            made = session.run(Reflect(tenant, args.days, args.support))
            count = len(made.proposals)
            said = f"Looked at {made.evidence} observations, and proposed {count}."
            return Reply(
                [said, *(each for one in made.proposals for each in _proposed(one, session.now))],
                lambda: document(made),
            )
    listed = session.run(ListProposals(tenant, drafts=not args.all))
    return Reply(
        [each for one in listed.proposals for each in _proposed(one, session.now)],
        lambda: document(listed),
        notes=() if listed.proposals else ("Nothing is proposed.",),
    )


def _proposed(one: Proposal, now: datetime) -> Iterator[Shown]:
    record = one.record
    yield line((record.id, HEAD), (f"  {record.status}  {age(record.created_at, now)}", FAINT))
    rests = (f" [{record.key}], from {len(one.evidence)} pieces of evidence", FAINT)
    yield line("  ", one.title, rests, hang=2)
    if one.supersedes:
        yield f"  would take the place of {', '.join(one.supersedes)}"


def _named(args: Namespace, what: str) -> str:
    if not args.which:
        raise InvalidRequest(f"`recollect reflect {args.what}` needs {what}: give it at the end.")
    return str(args.which)


COMMANDS = (
    Command(
        "decide",
        "record a decision that you made",
        "Record a decision. It is yours: no agent can supersede, change or delete it. With\n"
        "--target it governs something, and is found before all that was decided on that before.",
        (
            'recollect decide "Use PostgreSQL" --target database --why "It has to be ACID."',
            'recollect decide "Use one pool" --instead-of "a pool each" --confidence 0.8',
        ),
        (
            Argument(
                ("text",), "the decision; - reads it from standard input", "TEXT", several="+"
            ),
            Argument(("--why",), "the reasons", "TEXT", default=""),
            Argument(("--target",), "what it governs, always named alike", "NAME", default=""),
            Argument(("--instead-of",), "an alternative; again for more", "TEXT", several="append"),
            Argument(("--assuming",), "an assumption; again for more", "TEXT", several="append"),
            Argument(("--consequence",), "what follows; again for more", "TEXT", several="append"),
            Argument(("--confidence",), "how sure you are, from 0 to 1", "NUMBER", read=number),
            Argument(("--risk",), "what is at stake", choices=("low", "medium", "high")),
            Argument(("--module",), "the domain; without it, as the words say", "NAME"),
            Argument(
                ("--supersedes",), "a decision it replaces; again for more", "ID", several="append"
            ),
            Argument(("--file",), "the file that it is about", "PATH"),
            Argument(("--pr",), "the pull request that carries it out", "URL"),
            Argument(("--commit",), "the commit that carries it out", "SHA"),
            *WHOSE,
        ),
        _decide,
    ),
    Command(
        "decisions",
        "find decisions, or list those that stand",
        "With words, search: what stands comes first, and what a person decided before what an\n"
        "agent did. Without, list what was decided last.",
        ("recollect decisions", "recollect decisions which database --mode strict"),
        (
            Argument(("query",), "what to look for", "WORDS", several="*"),
            Argument(
                ("--mode",),
                "strict: only what stands; audit: every version",
                choices=tuple(Mode),
                default="balanced",
            ),
            Argument(("--all",), "list what does not stand any more, too", flag=True),
            Argument(("--module",), "list only this domain's", "NAME"),
            Argument(("--stage",), "list only those at this stage", choices=tuple(Stage)),
            Argument(("--limit",), "at most so many", "N", read=whole, default=20),
            *WHO,
        ),
        _decisions,
        needs_store=True,
    ),
    Command(
        "reflect",
        "propose what to decide, and accept or reject that",
        "Looks back at what happened, at outcomes and at signals; what three of them say\n"
        "independently, and nobody has decided, is proposed. A proposal is a draft of a decision\n"
        "with its evidence, and a file, too, in the folder `proposals` beside the store.\n"
        "Accepting it makes it a decision of yours, an hour after it was made at the earliest.",
        ("recollect reflect", "recollect reflect list --all"),
        (
            Argument(
                ("what",),
                "what to do; without it, look back and propose",
                "WHAT",
                several="?",
                choices=("run", "list", "accept", "reject"),
                default="run",
            ),
            Argument(("--days",), "look back so far", "N", read=whole, default=90),
            Argument(("--support",), "what so many say is proposed", "N", read=whole, default=3),
            Argument(("which",), "the proposal's name", "NAME", several="?"),
            Argument(("--all",), "list what was accepted or rejected, too", flag=True),
            REASON,
        ),
        _reflect,
        needs_store=True,
        doing="looking back",
    ),
)

"""Commands that measure decisions: outcome, progress, context, calibration, skills, anomalies."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from recollect.decisions import Stage
from recollect.decisions.measured import (
    Analyse,
    Calibrate,
    CalibrateAll,
    Depth,
    FindAnomalies,
    FindSkills,
    GatherContext,
    GetDecision,
    Guide,
    ListDecisions,
    Mine,
    RecordOutcome,
    RecordSignal,
    UpdateDecision,
    Weigh,
)
from recollect.errors import InvalidRequest
from recollect.model import Where
from recollect.rules.calibrate import WEIGHTS
from recollect.ways.cli.command import Argument, Command, Reply
from recollect.ways.cli.document import document
from recollect.ways.cli.line import FAINT, NAME, WARNING, line
from recollect.ways.cli.read import confirmed, number, whole, words
from recollect.ways.cli.shared import WHO, YES
from recollect.ways.cli.show import counted, fact, shortened

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from recollect.decisions.measured import Analysed, CalibratedAll, Lesson, Rate, Weighed
    from recollect.ways.cli.line import Line, Shown
    from recollect.ways.cli.session import Session

DECISION = Argument(("id",), "the decision's id", "DECISION")
_MOST = 1_000
_SCORES = {"success": 1.0, "partial": 0.5, "failure": 0.0}


def _outcome(session: Session, args: Namespace) -> Reply:
    if args.id == "from-git":
        return _from_git(session, args)
    if args.status is None:
        raise InvalidRequest(f"Say how it went, after the id: {', '.join(_SCORES)}.")
    score = _SCORES[args.status] if args.score is None else args.score
    answer = session.run(
        RecordOutcome(
            args.id,
            args.status,
            score,
            session.config.tenant,
            session.author,
            tuple(args.lesson or ()),
            domain=args.module or "",
            source_ref=args.source or "",
        )
    )
    after = answer.after
    lines: list[Shown] = [f"Recorded as {answer.outcome.id}.", _rate(after)]
    lines += [f"Learned ({one.kind}): {shortened(one.text)}" for one in answer.learned]
    return Reply(lines, lambda: document(answer), notes=_against(args.id, args.status, score))


def _against(id_: str, status: str, score: float) -> tuple[str, ...]:
    """A note where the score speaks against the status. Both are allowed, and the score counts."""
    if abs(score - _SCORES[status]) <= _SCORES["partial"]:
        return ()
    meant = f"If not so meant, say it without --score: recollect outcome {id_} {status}"
    return (f"A {status} of {score:g} counts as {score:.0%} of a success. {meant}",)


def _from_git(session: Session, args: Namespace) -> Reply:
    """What the history says of decisions that nobody has said the outcome of; a person confirms."""
    from recollect.rules.history import verdict
    from recollect.ways.git import history

    commits = history(args.repo)
    config = session.config
    where = Where(config.tenant, config.user or None, config.project or None)
    open_ = [
        one
        for one in session.run(ListDecisions(where, limit=_MOST)).decisions
        if one.outcome is None and (one.decision.commit or one.decision.pr)
    ]
    found = [
        (one.decision, said)
        for one in open_
        if (said := verdict(one.decision.commit, one.decision.pr, commits, session.now))
    ]
    lines, made = [], []
    for decision, said in found:
        line = f"{decision.record.id}  {said.status}: {said.why}  ({shortened(decision.statement)})"
        if args.yes or (sys.stdin.isatty() and confirmed("yes", line, "Record it?")):
            answer = session.run(
                RecordOutcome(
                    decision.record.id,
                    said.status,
                    _SCORES[said.status],
                    config.tenant,
                    session.author,
                    source_ref=said.commit,
                )
            )
            made.append(document(answer))
            line = f"recorded  {line}"
        lines.append(line)
    left = len(found) - len(made)
    notes = (f"{left} to confirm: run this in a terminal, or with --yes.",) if left else ()
    proposed = [
        {"decision": decision.record.id, "status": said.status, "commit": said.commit}
        for decision, said in found
    ]
    nothing = (f"The history says nothing new of {len(open_)} open decisions.",)
    return Reply(lines or nothing, lambda: {"proposed": proposed, "recorded": made}, notes=notes)


def _progress(session: Session, args: Namespace) -> Reply:
    tenant = session.config.tenant
    moved = args.confidence is not None or any((args.stage, args.pr, args.commit))
    if args.signal:
        if moved:
            raise InvalidRequest(
                "A signal is noted by itself, with --valence and --note, and nothing was changed."
                " Say how far the decision has come in a call of its own, without --signal."
            )
        seen = session.run(
            RecordSignal(
                args.id, args.signal, args.valence, tenant, session.author, args.note or ""
            )
        )
        said = f"Noted as {seen.signal.id}; expected success is now {seen.expected:.0%}."
        return Reply((said,), lambda: document(seen))
    if not moved and not args.note:
        raise InvalidRequest(
            "There is nothing to change. Give what is new, such as --stage or --note, or what was"
            " seen with --signal; `recollect progress --help` lists them."
        )
    answer = session.run(
        UpdateDecision(
            args.id,
            tenant,
            session.author,
            Stage(args.stage) if args.stage else None,
            args.confidence,
            args.note or "",
            args.pr or "",
            args.commit or "",
        )
    )
    said = f"{args.id} was {answer.previous} and is {answer.whole.stage}."
    return Reply((said,), lambda: document(answer))


def _context(session: Session, args: Namespace) -> Reply:
    from recollect.contracts.membria.words import injected

    where = _where(session)
    statement = words(args.statement)
    if args.warnings:
        weighed = session.run(Weigh(statement, args.module or "", args.confidence, (), where))
        return Reply(_weighed(weighed), lambda: document(weighed))
    answer = session.run(
        GatherContext(
            statement, args.module or "", args.confidence, Depth(args.depth), where, args.budget
        )
    )
    return Reply(injected(answer).split("\n"), lambda: document(answer))


def _weighed(answer: Weighed) -> Iterator[Shown]:
    yield f"{answer.firewall} (risk {answer.risk:.2f})"
    for one in answer.warnings:
        yield line("- ", (one.severity, WARNING), f": {one.message}", hang=2)
        yield line("  ", (f"{one.evidence}. {one.recommendation}.", FAINT), hang=2)


def _analyse(session: Session, args: Namespace) -> Reply:
    tenant = session.config.tenant
    if args.brief:
        shown = session.run(GetDecision(args.id, tenant))
        one = shown.whole
        said = (
            f"{one.decision.record.id}  {one.decision.record.status}, {one.stage}",
            f"  {one.decision.statement}",
            *(f"  like it: {shortened(other.decision.statement)}" for other in shown.similar),
        )
        return Reply(said, lambda: document(shown))
    answer = session.run(Analyse(args.id, tenant))
    return Reply(_analysed(answer), lambda: document(answer))


def _analysed(answer: Analysed) -> Iterator[Shown]:
    told = answer.chain
    yield fact("decided", told.whole.decision.statement)
    yield fact("done", told.implementation or "nothing is known of it")
    outcome = told.whole.outcome
    came = f"{outcome.status} ({outcome.confidence:.2f})" if outcome else "not known yet"
    yield fact("came to", came)
    yield from (fact("lesson", one) for one in told.lessons)
    yield from (fact(one.kind, one.text) for one in told.taught)
    yield from (fact("prevented", one.statement) for one in answer.prevented)
    yield from (fact("avoided", one.record.text) for one in answer.avoided)


def _calibration(session: Session, args: Namespace) -> Reply:
    where = _where(session)
    if not args.domain:
        every = session.run(CalibrateAll(where, args.fewest))
        return Reply(_rates(every), lambda: document(every))
    if args.confidence is not None:
        guided = session.run(Guide(args.domain, args.confidence, "", where))
        wanted = args.confidence + (guided.adjustment or 0.0)
        said = (_rate(guided.rate), f"Of your {args.confidence:.2f}, make {wanted:.2f}.")
        return Reply(said, lambda: document(guided))
    answer = session.run(Calibrate(args.domain, where))
    return Reply((_rate(answer.rate),), lambda: document(answer))


def _rates(answer: CalibratedAll) -> Iterator[Shown]:
    if not answer.rates:
        yield "No outcome is known yet. Say what came of one: recollect outcome DECISION success"
    yield from map(_rate, answer.rates)
    if answer.brier is not None and answer.expected_error is not None:
        figures = f"Brier score {answer.brier:.3f}, calibration error {answer.expected_error:.3f}"
        yield f"all: {answer.sample_size} outcomes, {answer.status}, {figures}"


def _rate(rate: Rate) -> Line:
    if not rate.sample_size:
        return line((rate.domain, NAME), ": no outcome is known yet")
    low, high = rate.interval
    status = rate.status.replace("_", " ")
    known = f"{rate.mean:.0%} succeed ({low:.0%} to {high:.0%})"
    said = f": {counted(rate.sample_size, 'outcome')}, {known}, {status}, {rate.trend}"
    return line((rate.domain, NAME), said, hang=4)


def _skills(session: Session, args: Namespace) -> Reply:
    notes: tuple[str, ...] = ()
    if args.mine:
        mined = session.run(Mine(session.config.tenant, args.anew))
        made = f"{len(mined.made)} new, {len(mined.changed)} changed"
        notes = (f"Learned from {mined.outcomes} outcomes: {made}.",)
    answer = session.run(
        FindSkills(
            args.domain, " ".join(args.statement), args.at_least, args.limit, _where(session)
        )
    )
    lines = [_lesson(one) for one in (*answer.skills, *answer.antipatterns)]
    sure = f" that is sure to {args.at_least:g}" if args.at_least else ""
    nothing = f"Nothing{sure} was learned in {args.domain} yet. Three outcomes that teach the same"
    none = (f"{nothing} make a skill: recollect outcome DECISION success --lesson TEXT",)
    return Reply(lines or none, lambda: document(answer), notes=notes)


def _lesson(one: Lesson) -> Line:
    rests = f"{one.successes} of {one.outcomes} succeeded"
    said = f"{one.record.kind}, {one.record.status}"
    known = (f"{one.record.id}  {one.confidence:.0%}  {said}: ", FAINT)
    return line(known, shortened(one.record.text), (f" ({rests})", FAINT), hang=4)


def _anomalies(session: Session, args: Namespace) -> Reply:
    del args
    answer = session.run(FindAnomalies(_where(session)))
    lines = [
        line((f"{one.severity:<6}", WARNING), "  ", (one.type, NAME), f": {one.message}", hang=8)
        for one in answer.found
    ]
    return Reply(lines or ("Nothing is out of the ordinary.",), lambda: document(answer))


def _where(session: Session) -> Where:
    config = session.config
    return Where(config.tenant, config.user or None, config.project or None)


_MODULE = Argument(("--module",), "the domain; without it, as the words say", "NAME")
_CONFIDENCE = Argument(("--confidence",), "how sure you are, from 0 to 1", "NUMBER", read=number)

COMMANDS = (
    Command(
        "outcome",
        "say what came of a decision",
        "Record what came of a decision. Said again, the later counts; the ledger keeps both.\n"
        "`recollect outcome from-git` reads a repository's history for decisions with a commit or\n"
        "pull request: what was reverted failed, what stood for 30 days succeeded. You confirm.",
        (
            "recollect outcome DECISION success",
            'recollect outcome DECISION partial --score 0.6 --lesson "Benchmark before choosing."',
        ),
        (
            Argument(("id",), "the decision's id, or from-git", "DECISION"),
            Argument(
                ("status",),
                f"how it went: {', '.join(_SCORES)}",
                "STATUS",
                several="?",
                choices=tuple(_SCORES),
            ),
            Argument(("--score",), "how well, from 0 to 1", "NUMBER", read=number),
            Argument(("--lesson",), "what was learned; again for more", "TEXT", several="append"),
            _MODULE,
            Argument(("--source",), "where it was seen: a commit, an address", "TEXT"),
            Argument(("--repo",), "with from-git: the repository", "FOLDER", default="."),
            YES,
        ),
        _outcome,
        needs_store=True,
    ),
    Command(
        "progress",
        "say how far a decision has come, or what was seen of it",
        "Set a decision's stage, link what carries it out, or note a signal.",
        (
            "recollect progress DECISION --stage executed --commit 4f2a91c",
            "recollect progress DECISION --signal ci_passed --valence positive",
        ),
        (
            DECISION,
            Argument(("--stage",), "how far it has come", choices=tuple(Stage)),
            Argument(("--note",), "a note, or the signal's description", "TEXT"),
            Argument(("--pr",), "the pull request that carries it out", "URL"),
            Argument(("--commit",), "the commit that carries it out", "SHA"),
            Argument(
                ("--signal",),
                f"what was seen: {', '.join(WEIGHTS)}",
                "SIGNAL",
                choices=tuple(WEIGHTS),
            ),
            Argument(
                ("--valence",),
                "what the signal speaks for",
                choices=("positive", "negative", "neutral"),
                default="neutral",
            ),
            _CONFIDENCE,
        ),
        _progress,
        needs_store=True,
    ),
    Command(
        "context",
        "tell what to know before a decision",
        "What is like it, what worked, what speaks against it, and how decisions of its domain\n"
        "turn out: the text that an agent is given.",
        (
            'recollect context "Use MongoDB for the cache" --module database',
            'recollect context "Use MongoDB for the cache" --warnings',
        ),
        (
            Argument(("statement",), "what is to be decided", "TEXT", several="+"),
            _MODULE,
            _CONFIDENCE,
            Argument(("--depth",), "how much", choices=tuple(Depth), default="standard"),
            Argument(("--budget",), "at most so many tokens of text", "N", read=whole),
            Argument(("--warnings",), "only what speaks against it", flag=True),
        ),
        _context,
    ),
    Command(
        "analyse",
        "tell what a decision led to",
        "From a decision through what was done and what came of it to what it taught.",
        ("recollect analyse DECISION",),
        (DECISION, Argument(("--brief",), "only the decision and what is like it", flag=True)),
        _analyse,
        needs_store=True,
    ),
    Command(
        "calibration",
        "compare confidence with success",
        "How often decisions turn out well, by domain, against how sure people were of them.",
        ("recollect calibration", "recollect calibration database --confidence 0.9"),
        (
            Argument(("domain",), "one domain; without it, every one", "DOMAIN", several="?"),
            _CONFIDENCE,
            Argument(
                ("--fewest",), "only domains with so many outcomes", "N", read=whole, default=1
            ),
        ),
        _calibration,
    ),
    Command(
        "skills",
        "list what outcomes taught",
        "Skills and antipatterns of a domain, each with its evidence.",
        ("recollect skills database", "recollect skills database --mine"),
        (
            Argument(("domain",), "the domain", "DOMAIN"),
            Argument(("statement",), "what is to be decided", "TEXT", several="*"),
            Argument(("--mine",), "learn from new outcomes first", flag=True),
            Argument(("--anew",), "with --mine: from all outcomes there are", flag=True),
            Argument(
                ("--at-least",), "at least so sure, from 0 to 1", "NUMBER", read=number, default=0.0
            ),
            Argument(("--limit",), "at most so many", "N", read=whole, default=20),
        ),
        _skills,
    ),
    Command(
        "anomalies",
        "show what is out of the ordinary among decisions",
        "Domains that got worse, too much confidence, incidents close together, and decisions\n"
        "that nobody has said the outcome of for a month.",
        ("recollect anomalies",),
        (*WHO,),
        _anomalies,
    ),
)

"""Commands that keep what is known: remember, ingest, revise, supersede, invalidate."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from recollect.errors import InvalidRequest, SecretFound
from recollect.ops import Ingest, Invalidate, Remember, RememberAll, Revise, Supersede
from recollect.value import replace
from recollect.ways.cli.command import DONE, NOT_DONE, Argument, Command, Reply
from recollect.ways.cli.document import document
from recollect.ways.cli.read import time, whole, words
from recollect.ways.cli.shared import ABOUT, ID, REASON, WHOSE, about, scope
from recollect.ways.cli.show import arrow, brief, moment
from recollect.ways.place import project, roots

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Iterator
    from datetime import datetime

    from recollect.ops import Invalidated, Remembered
    from recollect.ways.cli.line import Shown
    from recollect.ways.cli.session import Session


def _remember(session: Session, args: Namespace) -> Reply:
    text = words(args.text)
    op = Remember(
        text,
        scope=scope(session.config),
        author=session.author,
        valid_until=args.valid_until,
        session=args.session,
        speaker=args.speaker,
        source=args.source,
        source_ref=args.source_ref,
        supersedes=tuple(args.supersedes or ()),
        **about(args),
    )
    if args.lines:
        return _remember_all(session, op, text.split("\n"))
    answer = session.run(op)
    return Reply(_remembered(session, answer, op), lambda: document(answer))


def _ingest(session: Session, args: Namespace) -> Reply:
    config = session.config
    answer = session.run(
        Ingest(
            tuple(args.sources),
            # A person may have any file read that the system lets them read.
            (*roots(config), os.path.sep),
            replace(scope(config), project=project(config)),
            session.author,
            args.type,
        )
    )
    sections = f"kept {answer.created} sections; {answer.known} were known already"
    documents = f"{answer.documents} document{'' if answer.documents == 1 else 's'}"
    return Reply(
        (f"Read {documents}: {sections}.",),
        lambda: document(answer),
        # What was named and gave nothing to read is not what was asked for.
        NOT_DONE if args.sources and not answer.documents else DONE,
        tuple(f"left out {one}" for one in answer.skipped),
    )


def _remember_all(session: Session, op: Remember, texts: Iterable[str]) -> Reply:
    lines = {place: text.rstrip("\r") for place, text in enumerate(texts, 1) if text.strip()}
    if not lines:
        raise InvalidRequest("There is no line to keep. Give each memory a line of its own.")
    items = tuple(replace(op, text=text) for text in lines.values())
    try:
        answer = session.run(RememberAll(items))
    except InvalidRequest as error:
        raise _in_line([*lines], error) from None
    known = len(items) - answer.created
    also = f"; known already: {known}" if known else ""
    return Reply((f"Remembered {answer.created}{also}.",), lambda: document(answer))


def _in_line(places: list[int], error: InvalidRequest) -> InvalidRequest:
    """The same error, with the line that it is about."""
    item = error.facts.get("item")
    if not isinstance(item, int):
        return error
    line = places[item]
    said = f"Line {line}: {error}"
    if isinstance(error, SecretFound):
        # To the engine, each line is a text of one line.
        said = str(error).replace("on line 1", f"on line {line}", 1)
    return type(error)(said, **(error.facts | {"line": line}))


def _remembered(session: Session, answer: Remembered, op: Remember) -> Iterator[Shown]:
    record = answer.record
    yield f"Remembered as {record.id}." if answer.created else f"Known already, as {record.id}."
    if not answer.created and op.valid_from not in {None, record.valid_from}:
        since = moment(record.valid_from, session.now)
        yield (
            f"It is kept as true from {since}."
            f" To correct that: recollect revise {record.id} --valid-from TIME"
        )
    if answer.redacted:
        yield f"Left out what looked like a secret: {', '.join(answer.redacted)}."
    conflicts = [one.record for one in answer.similar if one.conflict]
    if conflicts:
        yield "It may contradict:"
        yield from ("  " + brief(one, session.now) for one in conflicts)
        yield f"If it takes the place of one: recollect supersede {conflicts[0].id} {record.id}"


def _revise(session: Session, args: Namespace) -> Reply:
    changes = about(args)
    if args.text:
        changes["text"] = words(args.text)
    if not changes:
        raise InvalidRequest(
            "There is nothing to change. Give the new text, or an option such as --title;"
            " `recollect revise --help` lists them."
        )
    answer = session.run(
        Revise(
            args.id,
            tenant=session.config.tenant,
            author=session.author,
            expected_version=args.expected_version,
            **changes,
        )
    )
    record = answer.record
    said = f"Revised {record.id}, which is now at version {record.version}."
    if record == answer.previous:
        said = f"Nothing was to be changed: {record.id} says all of that already."
    return Reply((said,), lambda: document(answer))


def _supersede(session: Session, args: Namespace) -> Reply:
    config = session.config
    answer = session.run(Supersede(args.old, args.new, config.tenant, session.author))
    return Reply(
        (f"{answer.new.id} takes the place of {answer.old.id}.",), lambda: document(answer)
    )


def _invalidate(session: Session, args: Namespace) -> Reply:
    began = session.now
    answer = session.run(
        Invalidate(
            args.id,
            tenant=session.config.tenant,
            author=session.author,
            reason=args.reason,
            superseded_by=args.superseded_by,
        )
    )
    return Reply((_invalidated(answer, began),), lambda: document(answer))


def _invalidated(answer: Invalidated, began: datetime) -> str:
    if answer.edge is not None:
        return str("No longer true: " + arrow(answer.edge))
    ended = answer.record
    if ended and ended.valid_until and max(ended.valid_until, ended.updated_at) < began:
        since = moment(ended.valid_until, began)
        return f"{ended.id} was no longer true already, since {since}. Nothing was changed."
    return f"{ended.id if ended else 'It'} is no longer true. It is kept, with its history."


COMMANDS = (
    Command(
        "remember",
        "keep a text",
        "Keep a text. It is found by the next search, from every process, and survives a crash.\n"
        "A text that is known already is not kept twice.",
        (
            'recollect remember "The build uses make."',
            "recollect remember - < minutes.txt",
            "recollect remember --lines - < facts.txt",
            'recollect remember "We deploy on Fridays." --supersedes ID',
            'recollect remember "Ada chairs the board." --valid-from 2026-01-01 --source minutes',
        ),
        (
            Argument(("text",), "the text; `-` reads standard input", "TEXT", several="+"),
            Argument(("--lines",), "keep each line by itself; all of them, or none", flag=True),
            *ABOUT,
            Argument(("--valid-until",), "from when on it is not true", "TIME", read=time),
            *WHOSE,
            Argument(
                ("--supersedes",),
                "a record that this one takes the place of; again for more",
                "ID",
                several="append",
            ),
            Argument(("--session",), "of which session it is", "NAME", default=""),
            Argument(("--speaker",), "who said it", "NAME", default=""),
            Argument(("--source",), "where it is from", "TEXT", default=""),
            Argument(("--source-ref",), "where exactly: a link, a page", "TEXT", default=""),
        ),
        _remember,
        doing="remembering",
    ),
    Command(
        "ingest",
        "keep the sections of documents",
        "Keep each section of documents by itself: Markdown, reStructuredText and plain text, cut\n"
        "at their headings. What is known is not kept twice; what changed supersedes what it was;\n"
        "what a document says no more stays true until you end it with `recollect invalidate`.\n"
        "Without a name it takes session-log*, decisions* and requirements* of docs/ and of here.",
        ("recollect ingest", "recollect ingest . --type requirement"),
        (
            Argument(
                ("sources",), "files, folders or patterns such as docs/*.md", "PATH", several="*"
            ),
            Argument(("--type",), "what sort of memory they become", "TYPE", default="ingestion"),
            *WHOSE,
        ),
        _ingest,
        doing="reading documents",
    ),
    Command(
        "revise",
        "correct a record in place",
        "Correct a record in place. What is not named stays; history keeps what was.\n"
        "Where the world has changed, and not only the wording, use `supersede`.",
        (
            'recollect revise ID "The build uses GNU make."',
            "recollect revise ID --title Build --confidence 0.8",
        ),
        (
            ID,
            Argument(("text",), "the new text; `-` reads standard input", "TEXT", several="*"),
            *ABOUT,
            Argument(
                ("--expected-version",),
                "refuse if it is no longer at this version",
                "N",
                read=whole,
            ),
        ),
        _revise,
        looks_up=True,
    ),
    Command(
        "supersede",
        "say that a newer record takes the place of an older one",
        "Say that a newer record takes the place of an older one. The older one is kept: it held\n"
        "until the newer one began.",
        ("recollect supersede OLD NEW",),
        (
            Argument(("old",), "the id of the record that held before", "OLD"),
            Argument(("new",), "the id of the record that holds now", "NEW"),
        ),
        _supersede,
        looks_up=True,
    ),
    Command(
        "invalidate",
        "say that something is no longer true",
        "Say that a record, or a relation, is no longer true from now on. It is kept, and still\n"
        "answers what held before.",
        (
            'recollect invalidate ID --reason "the project was closed"',
            "recollect invalidate OLD --superseded-by NEW",
        ),
        (
            ID,
            REASON,
            Argument(("--superseded-by",), "the record that holds now", "ID", default=""),
        ),
        _invalidate,
        looks_up=True,
    ),
)

"""The command that brings in what other programs remembered, and takes it back."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from recollect.errors import InvalidRequest
from recollect.ops import Import, ListBatches, Undo
from recollect.rules.foreign import Format
from recollect.ways.cli.command import DONE, NOT_DONE, Argument, Command, Reply
from recollect.ways.cli.document import document
from recollect.ways.cli.line import FAINT, line
from recollect.ways.cli.read import confirmed
from recollect.ways.cli.shared import WHOSE, YES, scope
from recollect.ways.cli.show import brief, moment
from recollect.ways.place import roots

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from recollect.ops import Imported, Undone
    from recollect.ways.cli.line import Shown
    from recollect.ways.cli.session import Session

_SHOWN = 20
_MOST_LISTED = 1_000


def _import(session: Session, args: Namespace) -> Reply:
    if args.list:
        return _list(session)
    if args.undo:
        return undone(session, args.undo, yes=args.yes)
    if not args.paths:
        raise InvalidRequest(
            "Name a file or folder to import; `recollect import --help` says which there are."
        )
    answer = session.run(
        Import(
            tuple(args.paths),
            # A person may have any file read that the system lets them read.
            (*roots(session.config), os.path.sep),
            args.format or "",
            scope(session.config),
            session.author,
            dry_run=args.dry_run,
        )
    )
    return Reply(
        _imported(session, answer, tried=args.dry_run),
        lambda: document(answer),
        # What was named and gave nothing to read is not what was asked for.
        code=DONE if answer.files else NOT_DONE,
        notes=tuple(f"left out {one}" for one in answer.skipped),
    )


def _imported(session: Session, answer: Imported, *, tried: bool) -> Iterator[Shown]:
    if tried:
        yield from ("  " + brief(one, session.now) for one in answer.records[:_SHOWN])
        if (more := len(answer.records) - _SHOWN) > 0:
            yield f"  and {more} more"
    files = f"{answer.files} file{'' if answer.files == 1 else 's'}"
    of = f" ({', '.join(answer.formats)})" if answer.formats else ""
    kept = f"{'would keep' if tried else 'kept'} {_amount(answer)}"
    yield f"Read {files}{of}: {kept}; {answer.known} were known already."
    if answer.redacted:
        yield f"Secrets were taken out of {answer.redacted}."
    if answer.batch:
        yield f"To undo this: recollect import --undo {answer.batch}"


def _amount(answer: Imported) -> str:
    parts = [(len(answer.records), "memory", "memories")]
    parts += [(answer.entities, "entity", "entities"), (answer.relations, "relation", "relations")]
    said = [f"{n} {one if n == 1 else several}" for n, one, several in parts if n]
    return ", ".join(said) or "nothing"


def _list(session: Session) -> Reply:
    answer = session.run(ListBatches(session.config.tenant, _MOST_LISTED))
    lines = [
        line(
            one.id,
            (f"  {moment(one.at, session.now)}", FAINT),
            f"  {one.by}, {one.changes} changes{', undone' if one.undone else ''}",
            hang=4,
        )
        for one in answer.batches
    ]
    notes = () if lines else ("There is no batch yet.",)
    return Reply(lines, lambda: document(answer), notes=notes)


def undone(session: Session, batch: str, *, yes: bool) -> Reply:
    """Undo a batch, once the person has said so."""
    question = f"This deletes for good what {batch} brought, and takes back what it changed."
    if not yes and not confirmed("yes", question):
        return Reply(("Nothing was changed.",), lambda: {"undone": False}, 1)
    answer = session.run(Undo(batch, session.config.tenant, session.author))
    return Reply((_undone(answer),), lambda: document(answer))


def _undone(answer: Undone) -> str:
    left = f" {len(answer.left)} changed since, and were left alone." if answer.left else ""
    return (
        f"Undone: {len(answer.forgotten)} deleted, {len(answer.restored)} as they were before."
        f"{left}"
    )


COMMANDS = (
    Command(
        "import",
        "bring in what other programs remembered",
        "Bring in what other programs remembered, each thing once: the file of the official\n"
        "memory server (JSON lines), exports of mem0, folders of Markdown; and transcripts of\n"
        "Claude Code, Codex, ChatGPT and Claude, of which only facts and decisions are kept, as\n"
        "candidates. What a file is, its content says. What may not be kept is left out, with the\n"
        "reason, and the rest goes in. All of it is one batch, which --undo takes back.",
        (
            "recollect import memory.json --dry-run",
            "recollect import memory.json mem0.json notes/",
            "recollect import mem0.json --format mem0 --user ada",
            "recollect import conversations.json --format transcript --dry-run",
            "recollect import --list",
            "recollect import --undo BATCH --yes",
        ),
        (
            Argument(("paths",), "files and folders", "PATH", several="*"),
            Argument(
                ("--format",),
                f"what the files are: {', '.join(Format)}",
                "NAME",
                choices=tuple(one.value for one in Format),
            ),
            Argument(("--dry-run",), "say what would be kept, and keep nothing", flag=True),
            *WHOSE,
            Argument(("--list",), "list the batches there were", flag=True),
            Argument(("--undo",), "take a batch back", "BATCH"),
            YES,
        ),
        _import,
        doing="importing",
    ),
)

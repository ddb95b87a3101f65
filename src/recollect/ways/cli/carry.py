"""Commands that carry a memory whole: export, restore, backup."""

from __future__ import annotations

import os
import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, BinaryIO

from recollect.errors import Conflict, InvalidRequest, NotFound, RecollectError
from recollect.ops import Backup, Export, Restore
from recollect.ways.cli.command import Argument, Command, Reply
from recollect.ways.cli.document import document
from recollect.ways.cli.show import counted, size

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from recollect.ops import Carried
    from recollect.ways.cli.session import Session

_STANDARD = "-"


def _export(session: Session, args: Namespace) -> Reply:
    vectors = not args.no_vectors
    if args.path == _STANDARD:
        if args.json:
            raise InvalidRequest(
                "The export itself is on standard output. Name a file, or leave out --json."
            )
        answer = session.run(Export(sys.stdout.buffer.write, vectors))
        return Reply((), lambda: document(answer), notes=(f"exported {_amount(answer)}",))
    with _new(args.path) as file:
        answer = session.run(Export(file.write, vectors))
    done = f"Exported {_amount(answer)} to {args.path}."
    return Reply((done,), lambda: {"path": args.path, **document(answer)})


def _restore(session: Session, args: Namespace) -> Reply:
    try:
        with _there(args.path) as file:
            answer = session.run(Restore(file, session.author))
    except RecollectError:
        session.withdraw()
        raise
    again = () if answer.model else ("make the vectors with `recollect embed`",)
    done = f"Restored {_amount(answer)} in {session.config.store}."
    return Reply((done,), lambda: document(answer), notes=again)


def _backup(session: Session, args: Namespace) -> Reply:
    answer = session.run(Backup(os.path.abspath(args.path)))
    held = f"{counted(answer.records, 'record')} and {counted(answer.events, 'change')}"
    done = f"Copied {held} to {args.path} ({size(answer.bytes)}), and checked the copy."
    return Reply((done,), lambda: {"path": args.path, **document(answer)})


@contextmanager
def _new(path: str) -> Iterator[BinaryIO]:
    """A file that only its owner may read; whole on the disk, or not there."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    except FileExistsError:
        raise Conflict(f"{path} is there already. Name another file, or remove it.") from None
    except FileNotFoundError:
        raise NotFound(f"There is no folder for {path}. Make it, or name another.") from None
    try:
        with open(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
    except BaseException:
        os.unlink(path)
        raise


@contextmanager
def _there(path: str) -> Iterator[BinaryIO]:
    """A file that is read, or standard input."""
    if path == _STANDARD:
        yield sys.stdin.buffer
        return
    try:
        with open(path, "rb") as file:
            yield file
    except (FileNotFoundError, IsADirectoryError):
        raise NotFound(f"There is no file {path}. Correct the path.") from None


def _amount(answer: Carried) -> str:
    vectors = f"{answer.vectors} vectors of {answer.model}" if answer.model else "no vectors"
    return f"{answer.records} records, {answer.edges} links, {answer.events} changes and {vectors}"


COMMANDS = (
    Command(
        "export",
        "write everything to a file, from which it can be restored",
        "Write all that the store holds, of every tenant, as lines of JSON: records with their\n"
        "history, links, the ledger and the vectors. A restore makes them exactly so again.\n"
        "Access keys are not in it: make new ones after a restore, or copy all by `backup`.\n"
        "Whoever has the file can read all of it; only you may, unless you pass it on.",
        (
            "recollect export today.jsonl",
            "recollect export small.jsonl --no-vectors",
        ),
        (
            Argument(("path",), "the new file; `-` writes to standard output", "PATH"),
            Argument(("--no-vectors",), "a smaller file; texts are embedded anew", flag=True),
        ),
        _export,
        needs_store=True,
        doing="exporting",
    ),
    Command(
        "restore",
        "make again what was exported",
        "Make again what was exported, in a store that is empty or not there yet. A file that was\n"
        "cut or changed is refused, and then nothing is restored.",
        (
            "recollect restore memory.jsonl --store new.db",
            "recollect restore - --store new.db < memory.jsonl",
        ),
        (Argument(("path",), "the exported file; `-` reads standard input", "PATH"),),
        _restore,
        doing="restoring",
    ),
    Command(
        "backup",
        "copy the store to another file, while it is in use",
        "Copy the store, as it is at one moment, to a new file, while others read and write, and\n"
        "check the copy. It is a store itself: to go back to it, name it with --store; or end all\n"
        "processes that have the store open, and put it in that one's place. What was written to\n"
        "the other one since is then not taken in, even if that was not closed.",
        ("recollect backup copy.db",),
        (Argument(("path",), "the new file", "PATH"),),
        _backup,
        needs_store=True,
        doing="copying",
    ),
)

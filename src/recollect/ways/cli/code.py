"""Commands for code: index, code, why, projects."""

from __future__ import annotations

import contextlib
import os
import sys
from typing import TYPE_CHECKING

from recollect.errors import InvalidRequest
from recollect.model import Kind, Where
from recollect.ops import DropProject, IndexProject, IndexState, ListProjects, SearchCode, Why
from recollect.rules.code import records
from recollect.ways.cli.command import Argument, Command, Reply
from recollect.ways.cli.document import document
from recollect.ways.cli.git import commits
from recollect.ways.cli.line import FAINT, HEAD, NAME, line
from recollect.ways.cli.read import whole, words
from recollect.ways.cli.shared import scope
from recollect.ways.cli.show import brief, counted
from recollect.ways.place import roots

if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator

    from recollect.model import Hit, Project
    from recollect.ops import FoundCode, IndexedCode, Reasons
    from recollect.ways.cli.git import Commit
    from recollect.ways.cli.line import Shown
    from recollect.ways.cli.session import Session

_LINES = 6
_PROJECT = Argument(("--project",), "only this project", "NAME")


def _index(session: Session, args: Namespace) -> Reply:
    op = IndexProject(
        args.path,
        scope=scope(session.config),
        author=session.author,
        watch=args.watch,
        roots=roots(session.config),
    )
    answer = session.run(op)
    if args.watch and session.engine.ports.watchers.watching:
        # Until somebody ends it, which is no failure.
        print(f"{_done(answer)} Watching; Ctrl+C ends it.", file=sys.stderr, flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            session.engine.watching()
    return Reply((_done(answer),), lambda: document(answer), notes=tuple(_left_out(answer.project)))


def _projects(session: Session, args: Namespace) -> Reply:
    whose = scope(session.config)
    if args.drop:
        if args.name is None:
            raise InvalidRequest("Say which project's index is to be deleted.")
        dropped = session.run(DropProject(args.name, whose, session.author))
        said = (
            f"Deleted the index of {args.name}: {counted(dropped.chunks, 'piece')}."
            " Its files are as before."
        )
        return Reply((said,), lambda: document(dropped))
    if args.name is not None:
        one = session.run(IndexState(args.name, whose))
        return Reply((_project(one), *_left_out(one)), lambda: document(one))
    found = session.run(ListProjects(whose))
    lines = [_project(project) for project in found.projects]
    none = "There is no indexed project. Index one: recollect index PATH"
    return Reply(lines or (none,), lambda: document(found))


def _search(session: Session, args: Namespace) -> Reply:
    whose = scope(session.config)
    where = Where(
        whose.tenant,
        whose.user or None,
        args.project,
        (Kind.CODE,),
        statuses=(args.language.lower(),) if args.language else (),
    )
    answer = session.run(SearchCode(words(args.query), where, args.limit))
    nothing = "Nothing was found. `recollect projects` lists what is indexed."
    return Reply(_hits(answer) if answer.hits else (nothing,), lambda: document(answer))


def _why(session: Session, args: Namespace) -> Reply:
    path, line = _placed(args.place)
    whose = scope(session.config)
    answer = session.run(Why(path, line, whose, (os.getcwd(),), args.limit))
    lines = None
    if line is not None and answer.pieces:
        inner = min(map(records.place, answer.pieces), key=lambda one: one.end - one.start)
        lines = (inner.start, inner.end)
    changes = commits(answer.root, answer.path, lines, args.limit)
    return Reply(
        _reasons(session, answer, changes),
        lambda: {**document(answer), "commits": [document(one) for one in changes]},
        notes=() if line is None or answer.pieces else (_no_piece(answer, line),),
    )


def _no_piece(answer: Reasons, line: int) -> str:
    return (
        f"No piece of {answer.path} that is indexed holds line {line}; this is about the whole"
        " file. After a change: recollect index PATH"
    )


def _placed(said: str) -> tuple[str, int | None]:
    path, _, number = said.rpartition(":")
    return (path, int(number)) if path and number.isdecimal() else (said, None)


def _reasons(session: Session, answer: Reasons, changes: tuple[Commit, ...]) -> Iterator[Shown]:
    for piece in answer.pieces:
        place = records.place(piece)
        where = (f"{answer.path}:{place.start}-{place.end}", FAINT)
        yield line(where, f"  {piece.type} ", (piece.title, NAME), hang=4)
    for heading, found in (("Decisions", answer.decisions), ("Memories", answer.memories)):
        if found:
            yield line((f"{heading}:", HEAD))
            yield from ("  " + brief(one, session.now) for one in found)
    if changes:
        yield line(("Commits:", HEAD))
        for one in changes:
            known = (f"  {one.id} {one.day} {one.author}: ", FAINT)
            yield line(known, one.subject, hang=4)
    if not (answer.decisions or answer.memories or changes):
        yield "Nobody has said anything about it, and git knows no commit."


def _done(answer: IndexedCode) -> str:
    project = answer.project
    whole_ = (
        f"{project.id} has {counted(project.total_chunks, 'piece')} of"
        f" {counted(project.total_files, 'file')}"
    )
    if not answer.files and not answer.chunks:
        return f"Nothing has changed. {whole_}."
    return (
        f"Indexed {counted(answer.files, 'file')} in {counted(answer.chunks, 'piece')}. {whole_}."
    )


def _left_out(project: Project) -> Iterator[str]:
    yield from project.warnings
    if project.waiting:
        yield (
            f"{counted(project.waiting, 'piece')} without a vector yet. Words, names and links find"
            " them; a server makes vectors in its idle time, `recollect embed` at once"
        )
    for one in project.skipped:
        some = ", ".join(one.examples[:3])
        more = ", …" if one.count > len(one.examples[:3]) else ""
        yield f"left out {one.count} ({one.reason}): {some}{more}"


def _project(project: Project) -> str:
    files = f"{project.indexed_files} of {counted(project.total_files, 'file')}"
    said = f"{project.id}: {project.status}, {files}"
    ending = f", {counted(project.total_chunks, 'piece')}, {project.root}"
    if project.eta is not None:
        ending += f", about {project.eta:.0f} s left"
    return said + ending + (f". {project.error}" if project.error else "")


def _hits(answer: FoundCode) -> Iterator[Shown]:
    for hit in answer.hits:
        yield from _hit(hit)


def _hit(hit: Hit) -> Iterator[Shown]:
    place = records.place(hit.record)
    where = (f"{hit.record.source_ref}:{place.start}-{place.end}", FAINT)
    yield line(where, f"  {hit.record.type} ", (hit.record.title, NAME), hang=4)
    lines = hit.record.text.split("\n")
    yield from (line("    ", one, cut=True) for one in lines[:_LINES])
    if len(lines) > _LINES:
        yield "    …"


COMMANDS = (
    Command(
        "index",
        "index the code of a project, or what has changed in it",
        "Cut the code of a folder into functions, classes and sections, so that it is found by\n"
        "what it does and what it is called. What has not changed since the last time is not read\n"
        "again; files that .gitignore or .recollectignore name are left out.",
        ("recollect index .", "recollect index atlas"),
        (
            Argument(("path",), "the project's folder", "PATH"),
            Argument(("--watch",), "go on, and index whatever changes", flag=True),
        ),
        _index,
        doing="indexing",
    ),
    Command(
        "projects",
        "list the indexed projects, or delete the index of one",
        "List what was indexed, say how far one index is and which files were left out, or delete\n"
        "it. Files are never touched.",
        ("recollect projects", "recollect projects atlas", "recollect projects atlas --drop"),
        (
            Argument(("name",), "which one; all of them without it", "NAME", several="?"),
            Argument(("--drop",), "delete its index", flag=True),
        ),
        _projects,
        needs_store=True,
    ),
    Command(
        "why",
        "say what is behind a piece of code",
        "Print the decisions and memories that name a file, or the function that one of its lines\n"
        "is in, and the commits that changed it.",
        ("recollect why atlas/store.py", "recollect why atlas/store.py:1"),
        (
            Argument(("place",), "the file, or the file and a line in it", "PATH[:LINE]"),
            Argument(("--limit",), "at most so many of each", "N", read=whole, default=10),
        ),
        _why,
        needs_store=True,
    ),
    Command(
        "code",
        "find code by what it does, what it is called, or where it is",
        "Search the indexed projects, best first, and show where each piece is and how it begins.",
        ('recollect code "retry with backoff"', "recollect code parse_config --project atlas"),
        (
            Argument(
                ("query",), "what to look for; `-` reads standard input", "QUERY", several="+"
            ),
            _PROJECT,
            Argument(("--language",), "only code in this language", "NAME"),
            Argument(("--limit",), "at most so many", "N", read=whole, default=5),
        ),
        _search,
        needs_store=True,
    ),
)

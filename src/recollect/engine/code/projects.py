"""Handlers of projects, and their records: which there are, how far each is, and its end."""

from __future__ import annotations

import json
import os
from datetime import datetime
from typing import TYPE_CHECKING, Any

from recollect.engine import asked
from recollect.errors import Conflict, NotFound
from recollect.model import Kind, Link, Plan, Project, Record, Skipped, Where, rfc3339
from recollect.ops import Dropped, Projects
from recollect.rules import check
from recollect.rules.code import records
from recollect.value import replace

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recollect.engine.ports import Ports
    from recollect.model import Author, Scope
    from recollect.ops import DropProject, IndexState, ListProjects
    from recollect.store import Reader

PENDING, INDEXING, COMPLETED, FAILED = "pending", "indexing", "completed", "failed"
_MOST = 10_000
_AT_ONCE = 2_000
# To link the pieces takes this share of the time in which they are read.
_LINKING = 0.18
_UNPARSED = (
    "{} files were cut at blank lines only, because their grammars cannot be had: pip install"
    " 'tree-sitter-language-pack>=0.13,<0.14', then index again."
)
_INTERRUPTED = "The process that made the index ended before it was done. Index again to go on."


def state(ports: Ports, op: IndexState) -> Project:
    """Say how far an index is."""
    with ports.store.reading() as reader:
        return now(ports, reader, named(reader, op.scope, op.project))


def every(ports: Ports, op: ListProjects) -> Projects:
    """List what was indexed."""
    asked.scope(op.scope)
    with ports.store.reading() as reader:
        found = [now(ports, reader, record) for record in all_of(reader, op.scope)]
    return Projects(tuple(sorted(found, key=lambda project: project.id)))


def now(ports: Ports, reader: Reader, record: Record) -> Project:
    """A project as it is at this moment, what is still being done behind the calls included."""
    whose = record.scope
    waiting = reader.waiting_of(Where(whose.tenant, whose.user, whose.project, (Kind.CODE,)))
    known = project_of(record, ports.clock())
    trouble = ports.watchers.trouble(record.source_ref)
    warnings = (*known.warnings, trouble) if trouble else known.warnings
    return replace(known, waiting=waiting, warnings=warnings)


def drop(ports: Ports, op: DropProject) -> Dropped:
    """Delete an index, in parts, so that nobody waits long for the store."""
    chunks = 0
    with ports.store.reading() as reader:
        project = named(reader, op.scope, op.project)
    if project_of(project, ports.clock()).status == INDEXING:
        raise Conflict(
            f"Project {op.project!r} is being indexed. Cancel that, or wait until it is done."
        )
    ports.watchers.stop(project.source_ref)
    where = Where(
        op.scope.tenant, project.scope.user, project.scope.project, (Kind.CODE, Kind.SOURCE)
    )
    while True:
        with ports.store.writing() as tx:
            part = [one for one in tx.page(where, _AT_ONCE) if one.id != project.id]
            if not part:
                if not chunks:
                    # Unless another process has deleted it all meanwhile.
                    named(tx, op.scope, op.project)
                if tx.records([project.id]):
                    tx.apply(_discarding(project, op.author, ports.clock(), [project]))
                return Dropped(chunks)
            chunks += sum(one.kind is Kind.CODE for one in part)
            tx.apply(_discarding(project, op.author, ports.clock(), part))


def _discarding(project: Record, author: Author, now: datetime, gone: Iterable[Record]) -> Plan:
    ids = tuple(one.id for one in gone)
    return Plan("drop", author, now, discard=ids, about=project.id)


def all_of(reader: Reader, scope: Scope) -> list[Record]:
    """The records of all projects that a scope sees."""
    where = Where(scope.tenant, scope.user or None, kinds=(Kind.SOURCE,), types=(records.PROJECT,))
    return reader.page(where, _MOST)


def named(reader: Reader, scope: Scope, name: str) -> Record:
    """The record of a project. Raises `NotFound`, naming those that there are."""
    asked.scope(scope)
    check.line(name, "project_id")
    found = all_of(reader, scope)
    for record in found:
        if record.title == name:
            return record
    known = ", ".join(sorted(record.title for record in found)[:20])
    raise NotFound(
        f"There is no indexed project {name[:80]!r}."
        + (f" There are: {known}." if known else " Index its folder first."),
        project=name[:80],
    )


def opened(reader: Reader, scope: Scope, root: str) -> Record | None:
    """The record of the project whose folder this is."""
    return next((one for one in all_of(reader, scope) if one.source_ref == root), None)


def made(  # noqa: PLR0913, PLR0917 -- what the record consists of
    reader: Reader, id_: str, scope: Scope, author: Author, root: str, now: datetime
) -> Record:
    """The record of a new project, called as its folder, with a number where that is taken."""
    taken = {record.title for record in all_of(reader, replace(scope, user=""))}
    base = (os.path.basename(root) or "root").encode(errors="replace").decode()[:200]
    name, number = base, 1
    while name in taken:
        number += 1
        name = f"{base}-{number}"
    return Record(
        id=id_,
        kind=Kind.SOURCE,
        scope=replace(scope, project=name),
        author=author,
        text="",
        created_at=now,
        updated_at=now,
        event_time=now,
        valid_from=now,
        type=records.PROJECT,
        title=name,
        key=records.symbol(name),
        status=PENDING,
        source_ref=root,
    )


def facts_of(record: Record) -> dict[str, Any]:
    """What a source's record says of it beside its text."""
    found: dict[str, Any] = json.loads(record.facts)
    return found


def told(record: Record, now: datetime, status: str, **facts: object) -> Record:
    """The record of a project as it is now."""
    said = {**facts_of(record), **facts}
    return replace(
        record,
        status=status,
        updated_at=now,
        facts=json.dumps(said, ensure_ascii=False, separators=(",", ":")),
    )


def beginning(record: Record, now: datetime, total: int, done: int, size: int) -> Record:
    """The record of a project that begins to be indexed: so many files, so many bytes to read."""
    return told(
        record,
        now,
        INDEXING,
        total=total,
        done=done,
        bytes=[0, size],
        started=rfc3339(now),
        read=None,
        completed=None,
        error="",
        pid=os.getpid(),
    )


def linking(record: Record, now: datetime, share: float) -> Record:
    """The record of a project that is read, and of which so much is linked."""
    return told(
        record,
        now,
        INDEXING,
        read=facts_of(record).get("read") or rfc3339(now),
        linked=share,
    )


def busy_elsewhere(record: Record) -> bool:
    """Whether another process that lives is at it."""
    pid = int(facts_of(record).get("pid", 0))
    return record.status == INDEXING and pid != os.getpid() and _alive(pid)


def as_before(record: Record, known: Record) -> bool:
    """Whether nobody has been at a project since it was read."""
    return (record.status, record.facts) == (known.status, known.facts)


def project_of(record: Record, now: datetime) -> Project:
    """A project as its record tells it."""
    said = facts_of(record)
    status, error = record.status, str(said.get("error", ""))
    if status == INDEXING and not _alive(int(said.get("pid", 0))):
        status, error = FAILED, _INTERRUPTED
    started, completed = _time(said.get("started")), _time(said.get("completed"))
    total, done = int(said.get("total", 0)), int(said.get("done", 0))
    progress = 1.0 if status == COMPLETED else done / total if total else 0.0
    eta = _left(said, now) if status == INDEXING else None
    return Project(
        id=record.title,
        root=record.source_ref,
        status=status,
        total_files=total,
        indexed_files=done,
        total_chunks=int(said.get("chunks", 0)),
        started_at=started,
        completed_at=completed,
        progress=progress,
        eta=eta,
        skipped=tuple(Skipped(why, n, tuple(some)) for why, n, some in said.get("skipped", ())),
        error=error,
        warnings=(_UNPARSED.format(said["unparsed"]),) if said.get("unparsed") else (),
    )


def _left(said: dict[str, Any], now: datetime) -> float | None:
    """In how many seconds it is likely done; None as long as nothing tells."""
    started, read = _time(said.get("started")), _time(said.get("read"))
    # Large files take longer than small ones, and what is unchanged takes no time.
    done, whole = (int(number) for number in said.get("bytes", (0, 0)))
    if started is None or not done:
        return None
    if read is not None:
        linked = float(said["linked"])
        return max(0.0, _LINKING * (read - started).total_seconds() * (1 - linked))
    passed = (now - started).total_seconds()
    return max(0.0, passed / done * (max(0, whole - done) + _LINKING * whole))


def files_of(reader: Reader, project: Record) -> dict[str, Record]:
    """By path: the records of a project's files."""
    whose = project.scope
    where = Where(whose.tenant, whose.user, whose.project, (Kind.SOURCE,), (records.FILE,))
    return {one.source_ref: one for one in reader.page(where, 1_000_000)}


def pieces_of(reader: Reader, files: Iterable[Record]) -> dict[str, list[Record]]:
    """By file id: the pieces that the file is cut into."""
    edges = reader.edges([one.id for one in files], "outgoing", [Link.DEFINES])
    found = reader.records([edge.dst for edge in edges])
    pieces: dict[str, list[Record]] = {}
    for edge in edges:
        piece = found.get(edge.dst)
        if piece is not None and piece.kind is Kind.CODE:
            pieces.setdefault(edge.src, []).append(piece)
    return pieces


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        return True
    return pid > 0


def _time(said: str | None) -> datetime | None:
    return datetime.fromisoformat(said) if said else None

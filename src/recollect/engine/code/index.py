"""Handler that indexes a project: reads what has changed, cuts it, and keeps the pieces.

Files go in some at a time, each whole or not at all, so that the first are found at once, the old
pieces of a file answer until its new ones are there, and a run that was killed is gone on with.
"""

from __future__ import annotations

import os
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from recollect.engine import asked
from recollect.engine.code import projects, tree
from recollect.engine.code.link import Linker
from recollect.engine.code.projects import COMPLETED, FAILED, INDEXING, facts_of
from recollect.engine.code.running import claimed
from recollect.engine.ports import silent
from recollect.errors import Conflict, InvalidRequest, NotFound, RecollectError
from recollect.model import Edge, Entry, Link, Plan, Record, Scope, rfc3339
from recollect.ops import IndexedCode
from recollect.rules.code import records
from recollect.rules.code.cut import cut, parses
from recollect.rules.code.mention import MOST, fits, names
from recollect.rules.code.pieces import Cut
from recollect.rules.plan import defines
from recollect.rules.redact import Policy, guard
from recollect.value import Value, replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime
    from typing import Any

    from recollect.engine.code.link import Linked
    from recollect.engine.code.tree import Content, Found
    from recollect.engine.ports import Ports
    from recollect.model import Author
    from recollect.ops import IndexProject
    from recollect.store import Writer

# So much text goes in with one transaction, at first less, so that something is found at once.
_FIRST_BATCH = 60_000
_BATCH = 600_000
_MOST_IN_BATCH = 200
_EXAMPLES = 20
# Folders at the top of the file system under which there are projects, but which are none; and
# those under which there is no project at all.
_SHARED = frozenset(
    """
    tmp var usr opt home Users srv mnt media Volumes Applications Library System private nix snap
    """.split()
)
_SYSTEMS = frozenset("etc proc sys dev run boot bin sbin lib lib64 lost+found".split())
_ABOVE = 2
# Where disks that people plug in, and memory that is used as one, are found.
_LENT = (["run", "media"], ["run", "user"], ["dev", "shm"])
_GO_ON = "Index again to go on with what is left."


class _Job(Value):
    """A file that has to be read: as it is, what is known of it, and what it holds now."""

    found: Found
    known: Record | None
    content: Content


class _Work(Value):
    """What there is to do: what to read, what only moved, what is gone."""

    read: tuple[tuple[Found, Record | None], ...]
    gone: tuple[Record, ...]
    skipped: dict[str, list[str]]
    # The files whose grammars could not be had.
    unparsed: set[str]
    unchanged: int
    # Whether the project was never indexed to its end.
    fresh: bool = False

    @property
    def total(self) -> int:
        """How many files the project has."""
        return self.unchanged + len(self.read)

    @property
    def size(self) -> int:
        """How many bytes there are to read."""
        return sum(found.size for found, _ in self.read)


def index(ports: Ports, op: IndexProject) -> IndexedCode:
    """Index the code of a folder, and watch it from then on where that is asked for."""
    root = _root(op)
    op = replace(op, scope=asked.scope(op.scope, ports.secrets()))
    with _claimed(ports, root), ExitStack() as ending:
        run = _Run(ports, op, root)
        if op.watch:
            # Before anything is read, so that no change is missed.
            behind = replace(ports, report=silent)
            if ports.watchers.watch(root, lambda: _again(behind, op, root)):
                # Whoever cancels the run does not want it gone on with at the next change.
                ending.callback(ports.watchers.stop, root)
        answer = run.run()
        ending.pop_all()
        return answer


def _again(ports: Ports, op: IndexProject, root: str) -> IndexedCode:
    """Index what has changed, unless nobody wants the project any more."""
    with _claimed(ports, root):
        with ports.store.reading() as reader:
            if projects.opened(reader, op.scope, root) is None:
                raise NotFound(f"The index of {os.path.basename(root)} was deleted.")
        return _Run(ports, op, root).run()


@contextmanager
def _claimed(ports: Ports, root: str) -> Iterator[None]:
    """One run over a folder at a time."""
    with claimed(ports.store, root) as free:
        if not free:
            raise _busy(root)
        yield


def _root(op: IndexProject) -> str:
    """The folder that is meant. Raises `InvalidRequest` where it is none, or may not be read."""
    try:
        root = os.path.realpath(os.path.join(*op.roots[:1], os.path.expanduser(op.path)))
        there = bool(op.path.strip()) and os.path.isdir(root)
    except (OSError, ValueError):
        there, root = False, ""
    if op.confined and not _inside(root, op.roots):
        raise _invalid(op.path, "is in no folder that may be indexed. Name one that is")
    if not there:
        file = os.path.isfile(root) if root and op.path.strip() else False
        what = "is a file, not a folder" if file else "is no folder"
        raise _invalid(op.path, f"{what}. Name the folder of a project")
    # Whoever set up the server may have named it, beside the working directory.
    if root not in map(os.path.realpath, op.roots[1:]):
        _refuse(root, op.path)
    return root


def _invalid(path: str, why: str) -> InvalidRequest:
    said = _shown(path)
    return InvalidRequest(
        f"Invalid path: {said or 'it'} {why}. Nothing was indexed.", field="path", path=said
    )


def _refuse(root: str, path: str) -> None:
    """Raise `InvalidRequest` for folders that hold everything, or what is nobody's project."""
    home = os.path.realpath(os.path.expanduser("~"))
    parts = root.split(os.path.sep)[1:]
    if os.path.commonpath([root, home]) == root or (len(parts) == 1 and parts[0] in _SHARED):
        why = "holds everything, not one project. Name a project's folder in it"
    elif parts[0] in _SYSTEMS and not (len(parts) > _ABOVE and parts[:_ABOVE] in _LENT):
        why = "belongs to the system, and may hold its secrets. Name a project's folder"
    else:
        return
    raise InvalidRequest(
        f"Invalid path: {_shown(path)} {why}, or have whoever runs Recollect name it in"
        " RECOLLECT_ROOTS to have it all the same. Nothing was indexed.",
        field="path",
    )


def _inside(root: str, roots: Sequence[str]) -> bool:
    allowed = map(os.path.realpath, roots)
    return any(os.path.commonpath([one, root]) == one for one in allowed)


def _shown(path: str) -> str:
    return path[:200].encode(errors="replace").decode()


def _busy(root: str) -> Conflict:
    return Conflict(
        f"{os.path.basename(root)} is being indexed already. get_index_status, or"
        " `recollect projects`, says how far that is."
    )


class _Run:
    """One run over one project."""

    def __init__(self, ports: Ports, op: IndexProject, root: str) -> None:
        self._ports = ports
        self._author = op.author
        self._root = root
        self._scope = op.scope
        self._project = self._begun()
        self._files = 0
        self._chunks = 0
        self._done = 0

    def run(self) -> IndexedCode:
        """Do it all, and say how it went in the project's own record, whatever comes."""
        ports, work = self._ports, self._planned()
        while work is not None and not self._taken(work):
            work = self._planned()
        if work is None:
            return self._answer()
        linker = Linker(ports, self._project, self._author, whole=work.fresh)
        with _Ending(self, work):
            for jobs in self._batches(work):
                self._kept(jobs, work, linker)
                ports.report(self._done, work.total, jobs[-1].found.path)
            self._discard(work.gone)
            for linked in linker.finish():
                self._linked(linked, work.total)
        return self._answer()

    def _planned(self) -> _Work | None:
        """What there is to do, if there is anything."""
        fresh = self._project.status != COMPLETED
        with self._ports.store.reading() as reader:
            known = projects.files_of(reader, self._project)
        work = replace(_work(self._root, known), fresh=fresh)
        return work if work.read or work.gone or fresh else None

    def _taken(self, work: _Work) -> bool:
        """Have the project for oneself, unless others have been at it since that was planned."""
        now = self._ports.clock()
        with self._ports.store.writing() as tx:
            found = tx.records([self._project.id]).get(self._project.id)
            if found is not None and projects.busy_elsewhere(found):
                raise _busy(self._root)
            if found is not None and projects.as_before(found, self._project):
                self._done = work.unchanged
                self._project = projects.beginning(
                    self._project, now, work.total, work.unchanged, work.size
                )
                tx.apply(self._plan(now, self._project))
                return True
        self._project = self._begun()
        return False

    def end(self, status: str, **facts: object) -> None:
        """Say in the project's record how it went."""
        now = self._ports.clock()
        completed = rfc3339(now) if status == COMPLETED else None
        self._say(projects.told(self._project, now, status, completed=completed, **facts))

    def _linked(self, linked: Linked, total: int) -> None:
        """Say how far the linking is, which begins when all is read; whoever waits may leave."""
        said = projects.linking(self._project, self._ports.clock(), linked.done / linked.of)
        self._say(said)
        if linked.done:
            self._ports.report(total + linked.done, total + linked.of, "who calls whom")

    def _begun(self) -> Record:
        """The project's record, made where there is none."""
        ports, now = self._ports, self._ports.clock()
        with ports.store.writing() as tx:
            known = projects.opened(tx, self._scope, self._root)
            if known is not None:
                if projects.busy_elsewhere(known):
                    raise _busy(self._root)
                return known
            new = projects.made(
                tx, ports.new_id("src_"), self._scope, self._author, self._root, now
            )
            tx.apply(self._plan(now, new))
        return new

    def _batches(self, work: _Work) -> Iterator[list[_Job]]:
        """The files to be read, so many at a time, with what they hold."""
        jobs: list[_Job] = []
        size, most = 0, _FIRST_BATCH
        for found, known in work.read:
            content = tree.read(self._root, found)
            if content is None:
                continue
            jobs.append(_Job(found, known, content))
            size += len(content.text)
            if size >= most or len(jobs) >= _MOST_IN_BATCH:
                yield jobs
                jobs, size, most = [], 0, _BATCH
        if jobs:
            yield jobs

    def _kept(self, jobs: Sequence[_Job], work: _Work, linker: Linker) -> None:
        """Cut some files, and keep them in one transaction."""
        moved = {facts_of(one).get("digest"): one for one in work.gone}
        policy = self._ports.secrets()
        cuts = [_cut(job, policy) for job in jobs]
        now = self._ports.clock()
        with self._ports.store.writing() as tx:
            # Vectors follow in idle time, of the model that there is by then.
            self._ports.semantics.prepare(tx)
            step = _Step(self._ports, tx, self._project, self._author, now)
            for job, made in zip(jobs, cuts, strict=True):
                if job.content.skipped:
                    work.skipped.setdefault(job.content.skipped, []).append(job.found.path)
                if made is not None and made.unparsed:
                    work.unparsed.add(job.found.path)
                step.add(job, made, moved.get(job.content.digest))
            self._done += len(jobs)
            self._files += step.files
            self._chunks += step.chunks
            known = facts_of(self._project)
            read, whole = known["bytes"]
            read += sum(job.found.size for job in jobs)
            self._project = projects.told(
                self._project,
                now,
                INDEXING,
                done=self._done,
                bytes=[read, whole],
                chunks=known.get("chunks", 0) + step.more,
            )
            tx.apply(step.plan(self._project))
        linker.add(step.changed, step.fresh)

    def _discard(self, gone: Sequence[Record]) -> None:
        """Take out what is no more, unless it has only moved."""
        with self._ports.store.reading() as reader:
            left = reader.records([one.id for one in gone])
            old = [one for one in gone if left[one.id].source_ref == one.source_ref]
            pieces = [one for some in projects.pieces_of(reader, old).values() for one in some]
        if not old:
            return
        now = self._ports.clock()
        count = facts_of(self._project).get("chunks", 0) - len(pieces)
        self._project = projects.told(self._project, now, INDEXING, chunks=count)
        ids = tuple(one.id for one in (*old, *pieces))
        with self._ports.store.writing() as tx:
            tx.apply(self._plan(now, self._project, ids))

    def _say(self, record: Record) -> None:
        with self._ports.store.writing() as tx:
            tx.apply(self._plan(record.updated_at, record))
        self._project = record

    def _plan(self, now: datetime, record: Record, discard: tuple[str, ...] = ()) -> Plan:
        return Plan(
            "index",
            self._author,
            now,
            derive=(Entry(record),),
            discard=discard,
            about=record.id,
        )

    def _answer(self) -> IndexedCode:
        with self._ports.store.reading() as reader:
            project = projects.now(self._ports, reader, self._project)
        return IndexedCode(project, self._files, self._chunks)


class _Ending:
    """Sees to it that a run which ends says so, whatever ended it."""

    def __init__(self, run: _Run, work: _Work) -> None:
        self._run = run
        self._work = work

    def __enter__(self) -> None:
        """Nothing is to be said yet."""

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: object
    ) -> None:
        skipped = _summary(self._work.skipped)
        if kind is None:
            self._run.end(COMPLETED, skipped=skipped, unparsed=len(self._work.unparsed))
        else:
            self._run.end(FAILED, skipped=skipped, error=f"{_why(kind, error)} {_GO_ON}")


def _why(kind: type[BaseException], error: BaseException | None) -> str:
    """Why a run was not finished, in words that may be shown to whoever asks."""
    if isinstance(error, RecollectError):
        return str(error)
    if issubclass(kind, Exception):
        return f"It failed ({kind.__name__}); the log says more."
    # Nobody waited for it any more, or somebody pressed the keys for that.
    return "It was cancelled."


class _Step:
    """What one transaction keeps."""

    def __init__(
        self, ports: Ports, tx: Writer, project: Record, author: Author, now: datetime
    ) -> None:
        self._ports = ports
        self._tx = tx
        self._scope: Scope = project.scope
        self._author = author
        self._now = now
        self._derive: list[Record] = []
        self._discard: list[str] = []
        self._edges: list[Edge] = []
        # Pieces that are new or say something else now, and the names that were not there before.
        self.changed: list[Record] = []
        self.fresh: set[str] = set()
        self.files = 0
        self.chunks = 0
        self.more = 0

    def add(self, job: _Job, made: Cut | None, moved: Record | None) -> None:
        """Keep what a file holds now."""
        known = job.known
        same = known is not None and facts_of(known).get("digest") == job.content.digest
        if known is not None and same and not facts_of(known).get("unparsed"):
            # Only touched, so that its time has to be noted.
            self._derive.append(self._file(job, known, facts_of(known)))
            return
        if known is None and moved is not None and self._move(job, moved):
            return
        self.files += not job.content.skipped
        file = self._file(job, known, made)
        self._derive.append(file)
        old = projects.pieces_of(self._tx, [file]).get(file.id, []) if known else []
        self._pieces(file, job, made, old)

    def plan(self, project: Record) -> Plan:
        """All of it, with the project's record."""
        return Plan(
            "index",
            self._author,
            self._now,
            derive=tuple(map(Entry, (project, *self._derive))),
            discard=tuple(self._discard),
            link=tuple(self._edges),
            about=project.id,
        )

    def _move(self, job: _Job, moved: Record) -> bool:
        """A file that only has another path: its pieces stay as they are."""
        current = self._tx.records([moved.id]).get(moved.id)
        if current is None or current.source_ref != moved.source_ref:
            return False
        path = job.found.path
        self._derive.append(self._file(job, moved, facts_of(moved)))
        pieces = projects.pieces_of(self._tx, [moved]).get(moved.id, [])
        self._derive += [replace(piece, source_ref=path) for piece in pieces]
        return True

    def _file(
        self, job: _Job, known: Record | None, made: Cut | Mapping[str, Any] | None
    ) -> Record:
        """The record of a file: as it was cut now, or as it was before."""
        path = job.found.path
        facts: dict[str, object] = {
            "digest": job.content.digest,
            "size": job.found.size,
            "modified": job.found.modified,
        }
        if job.content.skipped:
            facts["skipped"] = job.content.skipped
        if isinstance(made, Cut):
            made = {"unparsed": made.unparsed, "imports": list(made.imports)}
        facts |= {name: made[name] for name in ("unparsed", "imports") if made and made.get(name)}
        id_ = known.id if known else self._ports.new_id("src_")
        author = known.author if known else self._author
        return records.file(id_, path, facts, self._scope, author, self._now)

    def _pieces(self, file: Record, job: _Job, made: Cut | None, old: Sequence[Record]) -> None:
        """The pieces of a file; one that was there before keeps its id."""
        before = _numbered(old)
        names = {piece.key for piece in old}
        language = made.language if made else ""
        new = [
            records.piece(piece, job.found.path, language, "", self._scope, self._author, self._now)
            for piece in (made.pieces if made else ())
        ]
        kept: dict[str, Record] = {}
        for place, made_now in _numbered(new).items():
            known = before.pop(place, None)
            record = self._piece(file, made_now, known, names)
            if record is not None:
                self._derive.append(record)
            kept[made_now.title] = record or known or made_now
        self._name([file, *(one for one in self._derive if one.source_ref == file.source_ref)])
        written = {record.id for record in self._derive}
        for record in kept.values():
            holder = kept.get(record.title.rpartition(".")[0])
            if holder is not None and not written.isdisjoint((holder.id, record.id)):
                self._edges.append(self._edge(holder.id, record.id))
        self._discard += [record.id for record in before.values()]
        self.chunks += len(new)
        self.more += len(new) - len(old)

    def _piece(
        self, file: Record, new: Record, known: Record | None, names: set[str]
    ) -> Record | None:
        """A piece as it is to be written, or None where it is as it was."""
        if known is None:
            new = replace(new, id=self._ports.new_id("code_"))
            self._edges.append(self._edge(file.id, new.id))
            self.changed.append(new)
            self.fresh |= {new.key} - names
            return new
        if (new.text, new.facts, new.status) == (known.text, known.facts, known.status):
            return None
        new = replace(
            new,
            id=known.id,
            author=known.author,
            created_at=known.created_at,
            valid_until=known.valid_until,
        )
        if new.text != known.text:
            self.changed.append(new)
        return new

    def _name(self, written: Sequence[Record]) -> None:
        """Link what is written to the entities that texts call it by."""
        scope = Scope(self._scope.tenant, self._scope.user)
        said = {name for record in written for name in names(record)}
        for name, entity in self._tx.named(scope, sorted(said)).items():
            meant = [record for record in written if fits(record, name)]
            if len(meant) <= MOST:
                self._edges += [defines(record, entity, self._now) for record in meant]

    def _edge(self, src: str, dst: str) -> Edge:
        return Edge(src, Link.DEFINES, dst, created_at=self._now, valid_from=self._now)


def _numbered(found: Iterable[Record]) -> dict[tuple[str, str, int], Record]:
    """Pieces by what tells them apart within a file: sort, name, and which of several it is."""
    numbered: dict[tuple[str, str, int], Record] = {}
    count: dict[tuple[str, str], int] = {}
    for record in found:
        sort = (record.type, record.title)
        count[sort] = count.get(sort, 0) + 1
        numbered[*sort, count[sort]] = record
    return numbered


def _work(root: str, known: dict[str, Record]) -> _Work:
    """What has changed since the last time, by size and time; what it holds is compared later."""
    read: list[tuple[Found, Record | None]] = []
    skipped: dict[str, list[str]] = {}
    seen: set[str] = set()
    unparsed: set[str] = set()
    unchanged = 0
    for found in tree.files(root):
        if found.skipped:
            skipped.setdefault(found.skipped, []).append(found.path)
            continue
        seen.add(found.path)
        record = known.get(found.path)
        said = facts_of(record) if record is not None else {}
        same = (said.get("size"), said.get("modified")) == (found.size, found.modified)
        same = same and found.modified != tree.UNSETTLED
        if same and not (said.get("unparsed") and parses()):
            unchanged += 1
            if said.get("unparsed"):
                unparsed.add(found.path)
            if said.get("skipped"):
                skipped.setdefault(said["skipped"], []).append(found.path)
        else:
            read.append((found, record))
    gone = tuple(record for path, record in known.items() if path not in seen)
    return _Work(tuple(read), gone, skipped, unparsed, unchanged)


def _summary(skipped: dict[str, list[str]]) -> list[list[object]]:
    return [
        [reason, len(paths), sorted(paths)[:_EXAMPLES]] for reason, paths in sorted(skipped.items())
    ]


def _cut(job: _Job, policy: Policy) -> Cut | None:
    """A file's pieces; none of a file that is skipped."""
    if job.content.skipped:
        return None
    text = job.content.text
    if policy is not Policy.ALLOW:
        # Code is not refused for a secret in it: it is there already, and is not passed on.
        text = guard(text, Policy.REDACT)[0]
    return cut(job.found.path, text)

"""Handlers that carry all of a store: out of it as lines, and from such lines into an empty one."""

from __future__ import annotations

import hashlib
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any

from recollect._version import __version__
from recollect.embed import Model
from recollect.engine.long import complete
from recollect.errors import Conflict, Damaged, InvalidRequest, TooNew
from recollect.model import AuthorKind, Edge, Event, Load, Whole, rfc3339
from recollect.ops import Carried
from recollect.rules import check
from recollect.rules.analyse import passage
from recollect.rules.passages import spans
from recollect.store import ledger, lines
from recollect.value import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from recollect.engine.ports import Ports, Report
    from recollect.ops import Backed, Backup, Export, Restore
    from recollect.store import Reader, Writer

_AT_ONCE = 500
_NONE = Carried(0, 0, 0, 0, "")
_OTHERWISE = "Nothing was restored; take another copy of the file."


def export(ports: Ports, op: Export) -> Carried:
    """Write everything that one snapshot holds."""
    out = _Out(op.write)
    with ports.store.reading() as reader:
        model = reader.serving_model() if op.vectors else None
        out.say(lines.line(lines.HEAD, _head(ports, reader, model)))
        _write_events(out, reader)
        _write_records(out, reader, ports.report, with_vectors=model is not None)
        _write_edges(out, reader)
    out.write(lines.line(lines.END, {"lines": out.lines, "sha256": out.digest.hexdigest()}))
    return replace(out.carried, model=model.name if model else "")


def restore(ports: Ports, op: Restore) -> Carried:
    """Make again what was exported, if the store is empty and the file is whole."""
    if op.author.kind is not AuthorKind.HUMAN:
        raise InvalidRequest("Only a person may restore a store. Run `recollect restore`.")
    given = _In(op.lines)
    model = _model(given.head())
    with ports.store.writing() as tx:
        if tx.total() or tx.last_event():
            raise Conflict(
                "The store is not empty, and a restore makes a store exactly as it was. Name a"
                " file that is not there yet with --store."
            )
        if model is None:
            ports.semantics.prepare(tx)
        else:
            tx.prepare(model)
        carried = _taken(tx, given)
        if carried.vectors and model is None:
            raise Damaged(f"The file has vectors, and does not say of which model. {_OTHERWISE}")
    return replace(carried, model=model.name if model else "")


def backup(ports: Ports, op: Backup) -> Backed:
    """Copy the store to a new file."""
    check.line(op.path, "path")
    return ports.store.backup(op.path)


class _Out:
    """Where the lines go, and what they come to."""

    def __init__(self, write: Callable[[bytes], object]) -> None:
        self.write = write
        self.lines = 0
        self.digest = hashlib.sha256()
        self.carried = _NONE

    def say(self, line: bytes, **more: int) -> None:
        """Write a line, and count what it holds."""
        self.write(line)
        self.digest.update(line)
        self.lines += 1
        if more:
            sums = {name: getattr(self.carried, name) + count for name, count in more.items()}
            self.carried = replace(self.carried, **sums)


def _head(ports: Ports, reader: Reader, model: Model | None) -> dict[str, object]:
    return {
        "format": lines.FORMAT,
        "made_by": f"recollect {__version__}",
        "made_at": rfc3339(ports.clock()),
        "model": [model.name, model.dimensions] if model else None,
        "events": reader.last_event(),
        "records": reader.total(),
    }


def _write_events(out: _Out, reader: Reader) -> None:
    after = 0
    while page := reader.events(after, _AT_ONCE):
        for entry in page:
            out.say(lines.event(entry), events=1)
        after = page[-1].seq


def _write_records(out: _Out, reader: Reader, report: Report, *, with_vectors: bool) -> None:
    total = reader.total()
    for page in _pages(reader):
        seqs = [one.record.seq for one in page]
        senses = reader.senses(seqs) if with_vectors else {}
        for one in page:
            sense = senses.get(one.record.seq)
            # Of which only the beginning is known, that waits wherever it is restored.
            if sense is not None and complete(passage(one.record), sense):
                meant = replace(one, vector=sense.vector, codes=sense.codes, parts=sense.parts)
            else:
                meant = one
            out.say(lines.whole(meant), records=1, vectors=int(meant is not one))
        report(out.carried.records, total, "exporting records")


def _write_edges(out: _Out, reader: Reader) -> None:
    for page in _pages(reader):
        for drawn in reader.edges([one.record.id for one in page], "outgoing"):
            out.say(lines.edge(drawn), edges=1)


def _pages(reader: Reader) -> Iterator[list[Whole]]:
    after = 0
    while page := reader.whole(after, _AT_ONCE):
        yield page
        after = page[-1].record.seq


class _In:
    """The lines of a file, each checked before it is used, and the digest of them all."""

    def __init__(self, given: Iterable[bytes]) -> None:
        self._given = iter(given)
        self.number = 0
        self._digest = hashlib.sha256()

    def head(self) -> Any:  # noqa: ANN401 -- what JSON says
        """What the first line says. Raises where this is no export, or a newer one."""
        first = next(self._given, b"")
        try:
            name, said = lines.parsed(first)
            known = name == lines.HEAD and int(said["format"])
        except (ValueError, TypeError, KeyError, RecursionError):
            known = 0
        if not known:
            raise InvalidRequest(
                "This is no export of Recollect. `recollect import` reads files of other programs."
            )
        if known > lines.FORMAT:
            raise TooNew(
                f"The export has format {known}, and this Recollect knows formats up to"
                f" {lines.FORMAT}. Nothing was restored; upgrade Recollect."
            )
        self._count(first)
        return said

    def things(self) -> Iterator[Event | Whole | Edge]:
        """What the lines hold, one after the other, up to the closing line."""
        for line in self._given:
            name, said = self._said(line)
            if name == lines.END:
                self._close(said)
                return
            self._count(line)
            yield self._thing(name, said)
        raise Damaged(f"The file ends after line {self.number}, before its end. {_OTHERWISE}")

    def _count(self, line: bytes) -> None:
        self.number += 1
        self._digest.update(line)

    def _said(self, line: bytes) -> tuple[str, Any]:
        try:
            return lines.parsed(line)
        except (ValueError, RecursionError):
            raise self._strange(self.number + 1) from None

    def _thing(self, name: str, said: dict[str, Any]) -> Event | Whole | Edge:
        if name not in lines.READ:
            raise TooNew(
                f"Line {self.number} holds a {name!r}, which this Recollect does not know."
                " Nothing was restored; upgrade Recollect."
            )
        try:
            return lines.READ[name](said)
        except (ValueError, TypeError, KeyError, AttributeError, OverflowError):
            raise self._strange(self.number) from None

    def _close(self, said: dict[str, Any]) -> None:
        if said != {"lines": self.number, "sha256": self._digest.hexdigest()}:
            raise Damaged(
                f"The file was changed after it was written: its digest is another. {_OTHERWISE}"
            )
        if next(self._given, None) is not None:
            raise Damaged(f"The file goes on after its end, line {self.number + 1}. {_OTHERWISE}")

    def _strange(self, number: int) -> Damaged:
        return Damaged(f"Line {number} cannot be read: it is cut or was changed. {_OTHERWISE}")


def _taken(tx: Writer, given: _In) -> Carried:
    carried, chained = _NONE, ledger.START
    for load in _loads(given.things()):
        if (broken := ledger.check(load.events, chained)) is not None:
            raise Damaged(f"{broken.what} ({broken.where}). {_OTHERWISE}")
        chained = load.events[-1].hash if load.events else chained
        for one in load.records:
            _vouch(tx, one)
        tx.restore(load)
        carried = _added(carried, load)
    return carried


def _loads(things: Iterable[Event | Whole | Edge]) -> Iterator[Load]:
    """What follows each other and is of one kind, so many at once."""
    for _, alike in groupby(things, type):
        while held := tuple(islice(alike, _AT_ONCE)):
            yield _load(held)


def _load(held: tuple[Any, ...]) -> Load:
    match held[0]:
        case Event():
            return Load(events=held)
        case Whole():
            return Load(records=tuple(map(_known, held)))
    return Load(edges=held)


def _known(one: Whole) -> Whole:
    """What an older Recollect wrote of a long text, which waits for its passages."""
    lacking = one.vector is not None and not one.parts and one.record.searched
    return replace(one, partial=lacking and len(spans(passage(one.record))) > 1)


def _vouch(tx: Writer, one: Whole) -> None:
    """Refuse a record that is not what the ledger says was written, digest or not."""
    history = [*one.versions, one.record]
    broken = ledger.vouched(history, one.salt, tx.events_of(one.record.id))
    if broken is not None:
        raise Damaged(f"{broken.what} ({broken.where}). {_OTHERWISE}")


def _added(carried: Carried, load: Load) -> Carried:
    vectors = sum(one.vector is not None for one in load.records)
    return replace(
        carried,
        events=carried.events + len(load.events),
        records=carried.records + len(load.records),
        edges=carried.edges + len(load.edges),
        vectors=carried.vectors + vectors,
    )


def _model(head: dict[str, Any]) -> Model | None:
    match head.get("model", ""):
        case None:
            return None
        case [str() as name, int() as dimensions]:
            return Model(name, dimensions)
    raise Damaged(f"Line 1 cannot be read: it was changed. {_OTHERWISE}")

"""Answers as people read them: what it is, how old it is, and what it says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.model import EVER, Kind, rfc3339
from recollect.ways.cli.line import FAINT, HEAD, NAME, WARNING, line

if TYPE_CHECKING:
    from collections.abc import Iterator
    from datetime import datetime

    from recollect.model import Edge, Event, Hit, Record, Why
    from recollect.ways.cli.line import Line, Shown

_LINE = 100
_PARAGRAPH = 600
# What may change beside the text.
_TOLD = (
    *("kind", "title", "status", "about", "true from", "true until", "replaced by", "user"),
    *("project", "session", "confidence", "importance", "metadata"),
)
# And to what a time is rounded before it is said to be as much.
# What a decision's facts say, as its options are called.
_DECIDED = {
    "target": "target",
    "alternatives": "instead of",
    "assumptions": "assuming",
    "consequences": "follows",
    "risk": "risk",
    # An outcome that has come since says more of it than what was said then.
    "stage": "said stage",
    "notes": "note",
    "file_path": "file",
    "pr": "pr",
    "commit": "commit",
}
_SECONDS = (
    (365 * 86_400, 86_400, "year"),
    (30 * 86_400, 86_400, "month"),
    (86_400, 3_600, "day"),
    (3_600, 60, "hour"),
    (60, 1, "minute"),
)


def age(then: datetime, now: datetime) -> str:
    """How long ago something was, to the nearest of one unit.

    >>> from datetime import UTC, datetime, timedelta
    >>> now = datetime(2026, 2, 12, tzinfo=UTC)
    >>> age(now - timedelta(days=3), now), age(now + timedelta(hours=1), now)
    ('3 days ago', 'in 1 hour')
    >>> age(now + timedelta(days=90), now), age(now + timedelta(days=90, seconds=-5), now)
    ('in 3 months', 'in 3 months')
    """
    seconds = (now - then).total_seconds()
    for unit, grain, name in _SECONDS:
        if abs(seconds) + grain / 2 >= unit:
            count = max(1, int(abs(seconds) / unit + 0.5))
            said = f"{count} {name}{'s' if count > 1 else ''}"
            return f"{said} ago" if seconds > 0 else f"in {said}"
    return "just now"


def shortened(text: str, most: int = _LINE) -> str:
    """A text in one line, no longer than that.

    >>> shortened("one   two three", 8)
    'one two…'
    """
    line = " ".join(text[: 4 * most].split())
    cut = len(line) > most or len(text) > 4 * most
    return f"{line[: most - 1].rstrip()}…" if cut else line


def moment(time: datetime, now: datetime) -> str:
    """A time to the second, and roughly.

    >>> from datetime import UTC, datetime, timedelta
    >>> now = datetime(2026, 2, 12, 9, 30, 0, 1234, tzinfo=UTC)
    >>> moment(now - timedelta(days=3), now)
    '2026-02-09 09:30:00Z (3 days ago)'
    """
    return f"{time:%Y-%m-%d %H:%M:%S}Z ({age(time, now)})"


def instant(time: datetime, now: datetime) -> str:
    """A time exactly, for whoever asks what was known then, and roughly."""
    return f"{rfc3339(time)} ({age(time, now)})"


def titled(record: Record) -> str:
    """What a record says, behind its title where it has one."""
    return ": ".join(filter(None, (record.title, record.text)))


def brief(record: Record, now: datetime) -> Line:
    """A record in one line."""
    aged = f"{age(record.created_at, now):<14}"
    said = shortened(titled(record))
    return line((f"{record.id}  {aged}  ", FAINT), said, hang=4, cut=True)


def full(record: Record, now: datetime) -> Iterator[Shown]:
    """A record with all that is known of it, and its text untouched."""
    for name, value in _facts(record, now):
        if value:
            yield fact(name, value)
    if not record.text:
        return
    yield ""
    if record.kind is Kind.DECISION and record.title:
        yield line(("because", HEAD))
    yield record.text


def fact(name: str, value: object) -> Line:
    """One of several things that are said of something, below each other."""
    return line((f"{name:<11}", FAINT), f" {value}", hang=12)


def hit(place: int, found: Hit, now: datetime) -> Iterator[Shown]:
    """A record that was found, with enough of its text to see whether it is the one."""
    record = found.record
    ended = "  no longer true" if record.valid_until and record.valid_until <= now else ""
    known = f"{record.id}  {age(record.created_at, now)}  {found.score:.2f}{_labels(record)}"
    yield line((f"{place}.", HEAD), " ", (known, FAINT), (ended, WARNING), hang=3)
    if record.title:
        yield line("   ", (record.title, NAME), hang=3)
    yield from (line("   ", one, hang=3) for one in _seen(found).split("\n"))
    if found.why is not None:
        yield line("   ", (f"why: {_reasons(found, found.why)}", FAINT), hang=8)


def _seen(found: Hit) -> str:
    """The beginning of a text; where it was found by another place in it, what is said there."""
    text, place = found.record.text, found.record.text.find(found.passage)
    end = place + len(found.passage)
    if place <= _LINE or end <= _PARAGRAPH:
        end = max(end, _PARAGRAPH)
        return text[:end] + ("…" if len(text) > end else "")
    after = "…" if end < len(text.rstrip()) else ""
    return f"{shortened(text[:place])}\n…{found.passage}{after}"


def change(event: Event, now: datetime) -> Line:
    """An entry of the ledger in one line."""
    name = f" {event.author.name}" if event.author.name else ""
    detail = "" if event.detail == "{}" else f"  {event.detail}"
    when = (f"{event.seq}  {instant(event.at, now)}", FAINT)
    return line(when, "  ", (event.verb, NAME), f" by {event.author.kind}{name}{detail}", hang=4)


def changed(before: Record | None, record: Record, now: datetime) -> Iterator[str]:
    """What a version says, and what else has changed since the one before it."""
    if before is None or before.text != record.text:
        said = record.text or record.title
        yield from said.split("\n")
    if before is None:
        return
    old, new = dict(_facts(before, now)), dict(_facts(record, now))
    for name in (*_TOLD, *_DECIDED.values()):
        if old[name] != new[name]:
            yield f"{name}: {old[name] or 'nothing'} -> {new[name] or 'nothing'}"


def arrow(edge: Edge) -> Line:
    """A link in one line."""
    id_ = f"  ({edge.id})" if edge.id else ""
    return line(edge.src, (f" -{edge.type}-> ", NAME), edge.dst, (id_, FAINT), hang=4)


def counted(count: int, one: str, several: str = "") -> str:
    """How many of something there are.

    >>> counted(1, "memory", "memories"), counted(2, "file")
    ('1 memory', '2 files')
    """
    return f"{count} {one if count == 1 else several or f'{one}s'}"


def size(count: int) -> str:
    """A number of bytes as people say it.

    >>> size(512), size(12_345_678)
    ('512 bytes', '12.3 MB')
    """
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= unit:
            return f"{count / unit:.1f} {name}"
    return f"{count} bytes"


def _facts(record: Record, now: datetime) -> Iterator[tuple[str, str]]:
    def when(time: datetime | None) -> str:
        return moment(time, now) if time else ""

    yield "id", record.id
    yield "kind", record.kind + (f" ({record.type})" if record.type else "")
    yield "title", record.title
    yield from _decided(record)
    yield "status", record.status
    yield "written", f"{when(record.created_at)} by {record.author.kind} {record.author.name}"
    yield "changed", when(record.updated_at) if record.version > 1 else ""
    yield "about", when(record.event_time) if record.event_time != record.created_at else ""
    told = record.valid_from not in {record.created_at, EVER}
    yield "true from", when(record.valid_from) if told else ""
    yield "true until", when(record.valid_until)
    yield "replaces", ", ".join(record.supersedes)
    yield "replaced by", record.superseded_by
    yield "user", record.scope.user
    yield "project", record.scope.project
    yield "session", record.session
    yield "speaker", record.speaker
    yield "source", " ".join(filter(None, (record.source, record.source_ref)))
    yield "confidence", f"{record.confidence:g}" if record.confidence < 1 else ""
    yield "importance", f"{record.importance:g}" if record.importance < 1 else ""
    yield "metadata", record.metadata if record.metadata != "{}" else ""
    yield "version", str(record.version) if record.version > 1 else ""


def _decided(record: Record) -> Iterator[tuple[str, str]]:
    """What is known of a decision beside its statement and reasons; of others, nothing."""
    facts: dict[str, str | list[str]] = {}
    if record.kind is Kind.DECISION:
        import json

        facts = json.loads(record.facts)
    for name, label in _DECIDED.items():
        said = facts.get(name, "")
        each = [said] if isinstance(said, str) else said
        yield label, "; ".join(" ".join(one.split()) for one in each)


def _labels(record: Record) -> str:
    said = (
        "" if record.kind is Kind.MEMORY else record.kind,
        "" if record.type == "semantic" else record.type,
        f"user {record.scope.user}" if record.scope.user else "",
        f"project {record.scope.project}" if record.scope.project else "",
    )
    labels = ", ".join(filter(None, said))
    return f"  [{labels}]" if labels else ""


def _reasons(found: Hit, why: Why) -> str:
    parts = found.parts
    ways = (
        ("meaning", parts.vector, why.vector_rank, why.cosine and f"cosine {why.cosine:.2f}"),
        ("words", parts.words, why.words_rank, ", ".join(why.terms)),
        ("links", parts.graph, why.graph_rank, ""),
    )
    return "; ".join(
        f"{name} {part:.2f} (no. {rank}{f': {more}' if more else ''})"
        for name, part, rank, more in ways
        if rank is not None
    )

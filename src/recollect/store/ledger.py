"""The ledger's rules: what goes into an entry, and how one entry vouches for all before it.

Every store keeps its entries where it likes; what they say and how they are chained is here, so
that a ledger written by one store can be checked by any other. Pure: no clock, no disk.
"""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from recollect.model import DERIVED, Event, Problem, micros

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from recollect.model import Author, Key, Plan, Record

# What the first entry follows.
START = ""
# Long enough that the seal of a short text cannot be found by trying texts.
SALT_BYTES = 16

FORGET = "forget"
WIPE = "wipe"

_RESTORE = (
    "Restore a backup into a new store; without one, what `recollect export` can still read of"
    " this one."
)


def seal(record: Record, salt: bytes) -> str:
    """What ties an entry to the content: a hash that without the salt says nothing of it.

    Everything that a person or rule decides is in it; what the store itself adds (`seq`,
    `accessed_at` and what the edges say) is not.
    """
    words = (
        record.id, record.kind, record.scope.tenant, record.scope.user, record.scope.project,
        record.author.kind, record.author.name, record.text, record.type, record.title,
        record.key, record.status, record.source, record.source_ref, record.session,
        record.speaker, record.metadata,
        # Left out where there are none, as in seals of before records could have any.
        *([record.facts] if record.facts != "{}" else ()),
    )  # fmt: skip
    until = "" if record.valid_until is None else micros(record.valid_until)
    # Whole numbers given for floats come back from a database as floats.
    figures = (
        f"{micros(record.created_at)}\x1f{micros(record.updated_at)}\x1f"
        f"{micros(record.event_time)}\x1f{micros(record.valid_from)}\x1f{until}\x1f"
        f"{float(record.confidence)!r}\x1f{float(record.importance)!r}\x1f{record.version}"
    )
    return sha256(salt + _joined(figures, words)).hexdigest()


def link(  # noqa: PLR0913, PLR0917 -- an entry's fields, without an Event for every hash
    previous: str,
    seq: int,
    at: int,
    verb: str,
    record: str,
    author_kind: str,
    author_name: str,
    detail: str,
    seal_: str,
) -> str:
    """The hash of an entry: over the one before it and all that this one says."""
    words = (previous, verb, record, author_kind, author_name, detail, seal_)
    return sha256(_joined(f"{seq}\x1f{at}", words)).hexdigest()


def entries(plan: Plan, salts: Mapping[str, bytes]) -> Iterator[tuple[str, str, str]]:
    """What a plan leaves in the ledger, in order: verb, record and seal of each entry.

    - Each record inserted, then each updated: the plan's verb, and the seal of its new state.
    - Each edge linked, then each unlinked, that a caller drew: the plan's verb, the edge's id
      in the record's place, no seal. Edges without an id are derived from records or, as
      `supersedes`, covered by the update that closes the old record: they leave none.
    - What is derived and discarded: one entry for all of it, of the record that it belongs to.
    - Each record forgotten: "forget" and no seal, the tombstone without the content. Its edges
      go with it and leave none.

    `salts` holds one for each record that is inserted or updated.
    """
    for entry in (*plan.insert, *plan.update):
        yield plan.verb, entry.record.id, seal(entry.record, salts[entry.record.id])
    for edge in (*plan.link, *plan.unlink):
        if edge.id:
            yield plan.verb, edge.id, ""
    if plan.derive or plan.discard:
        yield plan.verb, plan.about, ""
    for id_ in plan.forget:
        yield FORGET, id_, ""


def keyed(key: Key) -> tuple[str, str]:
    """What the entry of a key has for record and detail: all but its digest."""
    import json

    said = {"name": key.name, "role": key.role, "tenant": key.tenant, "user": key.user}
    return key.id, json.dumps(said, ensure_ascii=False)


def wiped(tenant: str) -> tuple[str, str, str, str]:
    """The one entry that deleting a whole tenant leaves: verb, record, seal and detail."""
    import json

    return WIPE, "", "", json.dumps({"tenant": tenant}, ensure_ascii=False)


def chained(
    parts: Iterable[tuple[str, str, str]],
    last: tuple[int, str],
    at: datetime,
    author: Author,
    detail: str,
) -> Iterator[Event]:
    """The entries that follow the `last` one (its number and hash; 0 and `START` at first)."""
    seq, previous = last
    stamp = micros(at)
    for verb, record, seal_ in parts:
        seq += 1
        previous = link(previous, seq, stamp, verb, record, author.kind, author.name, detail, seal_)
        yield Event(seq, at, verb, record, author, detail, seal_, previous)


def check(events: Iterable[Event], start_hash: str = START) -> Problem | None:
    """The first entry that does not follow from the one before it, if any."""
    previous = start_hash
    for event in events:
        author = event.author
        expected = link(
            previous, event.seq, micros(event.at), event.verb, event.record,
            author.kind, author.name, event.detail, event.seal,
        )  # fmt: skip
        if event.hash != expected:
            what = "The ledger's chain is broken: an entry was changed, added or removed here."
            return Problem(what, f"event {event.seq}", _RESTORE)
        previous = event.hash
    return None


def vouched(history: Sequence[Record], salt: bytes, events: Sequence[Event]) -> Problem | None:
    """Whether the ledger's newest entries for a record seal these states of it, oldest first.

    Older entries may be there: an id that was forgotten can come back with a restore. What is
    derived is sealed nowhere, since the files that it was made from can change it at any time.
    """
    if history[-1].kind in DERIVED:
        return None
    seals = [event.seal for event in events][-len(history) :]
    if seals == [seal(state, salt) for state in history]:
        return None
    what = "The record is not what the ledger's entries say was written."
    return Problem(what, f"record {history[-1].id}", _RESTORE)


def _joined(figures: str, words: tuple[str, ...]) -> bytes:
    """One text in which no word can pass for the end of one field and the start of another."""
    said = "\x1f".join(words)
    if said.count("\x1f") >= len(words):
        # A word holds the separator itself: say how long each is.
        said = "\x1f".join((*map(str, map(len, words)), said))
    # Lone surrogates cannot be written as UTF-8, yet must not keep a store from being checked.
    return f"{figures}\x1f{said}".encode("utf-8", "surrogatepass")

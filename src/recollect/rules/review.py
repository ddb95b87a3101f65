"""What a memory should not hold, or not hold twice, and what nobody has needed for long."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING

from recollect.model import AuthorKind
from recollect.rules.conflict import judge
from recollect.rules.fold import particulars
from recollect.rules.hidden import hidden
from recollect.rules.passages import LONG
from recollect.rules.redact import find
from recollect.rules.worth import CANDIDATE
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from datetime import datetime

    from recollect.model import Record

SECRET, INSTRUCTION = "secret", "instruction"
DUPLICATE, CONFLICT = "duplicate", "conflict"
STALE, UNUSED, WAITING = "stale", "unused", "candidate"
# Most pressing first.
FINDINGS = (SECRET, INSTRUCTION, CONFLICT, DUPLICATE, STALE, UNUSED, WAITING)

_name = re.compile(r"(?<=[\w,;:)] )[A-Z]\w+").findall
_word = re.compile(r"\w+").findall


class Found(Value):
    """A finding by the records' ids."""

    what: str
    id: str
    why: str
    other: str = ""


def wanted(only: Sequence[str]) -> tuple[str, ...]:
    """The sorts of findings that are asked for, most pressing first."""
    return tuple(one for one in FINDINGS if one in only or not only)


def alone(
    record: Record, now: datetime, *, stale_days: float, unused_days: float
) -> Iterator[Found]:
    """What is found by looking at one record."""
    whole = f"{record.title}\n{record.text}\n{record.metadata}"
    if secrets := find(whole):
        yield Found(SECRET, record.id, ", ".join(dict.fromkeys(one.kind for one in secrets)))
    if why := hidden(f"{record.title}\n{record.text}"):
        yield Found(INSTRUCTION, record.id, why)
    if record.status == CANDIDATE:
        yield Found(WAITING, record.id, f"kept by rules as {record.type}")
    if record.accessed_at is None:
        if _older(record.created_at, now, unused_days):
            yield Found(
                UNUSED, record.id, f"never returned in {_days(record.created_at, now)} days"
            )
    elif _older(max(record.accessed_at, record.updated_at), now, stale_days):
        yield Found(STALE, record.id, f"last returned {_days(record.accessed_at, now)} days ago")


def together(
    record: Record, others: Iterable[tuple[Record, float | None]]
) -> Iterator[tuple[Found, float]]:
    """What a record comes to beside older ones of its scope, with how alike they are."""
    for old, cosine in others:
        verdict = judge(old.text, record.text, cosine)
        if said(old.text) == said(record.text):
            yield _repeated(old, record, 1.0), 1.0
        elif verdict.conflict or (verdict.same and _apart(old.text, record.text)):
            why = f"a newer one seems to say otherwise ({verdict.similarity:.2f})"
            yield Found(CONFLICT, old.id, why, record.id), verdict.similarity
        elif verdict.same and max(len(old.text), len(record.text)) <= LONG:
            # Long texts that are nearly the same need not say the same.
            yield _repeated(old, record, verdict.similarity), verdict.similarity


def said(text: str) -> str:
    """What a text says, whatever its capitals and its spacing.

    >>> said("The  Build uses make.")
    'the build uses make.'
    """
    return " ".join(text.lower().split())


def _apart(old: str, new: str) -> bool:
    """Whether texts that are alike differ in a number, a negation or a name, and so in all."""
    if max(len(old), len(new)) > LONG:
        return False
    return particulars(old) != particulars(new) or bool(
        (_names(old) - _words(new)) and (_names(new) - _words(old))
    )


def _names(text: str) -> set[str]:
    """What is written as a name is, but for where a sentence begins."""
    return {one.lower() for one in _name(text)}


def _words(text: str) -> set[str]:
    return set(_word(text.lower()))


def settled(pairs: Iterable[tuple[Found, float]]) -> list[Found]:
    """Each record goes at most once, and none goes in favour of one that goes itself."""
    chosen: dict[str, Found] = {}
    for found, _ in sorted(pairs, key=lambda one: (-one[1], one[0].id, one[0].other)):
        if found.id not in chosen and _stays(found.other, chosen) != found.id:
            chosen[found.id] = found
    return [Found(one.what, one.id, one.why, _stays(one.other, chosen)) for one in chosen.values()]


def _stays(id_: str, chosen: Mapping[str, Found]) -> str:
    """What stays in the end where one goes in favour of another, and that of a third."""
    while id_ in chosen:
        id_ = chosen[id_].other
    return id_


def ordered(found: Iterable[Found], records: Mapping[str, Record]) -> list[Found]:
    """Most pressing first, then the oldest."""
    place = {what: number for number, what in enumerate(FINDINGS)}
    return sorted(found, key=lambda one: (place[one.what], records[one.id].seq, one.other))


def _repeated(old: Record, new: Record, similarity: float) -> Found:
    stays, goes = _better(old, new)
    return Found(DUPLICATE, goes.id, f"says the same ({similarity:.2f})", stays.id)


def _better(old: Record, new: Record) -> tuple[Record, Record]:
    """Of two that say the same: which stays, and which goes."""
    worth = _worth(old), _worth(new)
    # Of two that are worth as much, what was said last is the correction.
    first = worth[0] > worth[1] or (worth[0] == worth[1] and said(old.text) == said(new.text))
    return (old, new) if first else (new, old)


def _worth(record: Record) -> tuple[bool, bool, float, int]:
    human = record.author.kind is AuthorKind.HUMAN
    return record.status != CANDIDATE, human, record.confidence, len(record.metadata)


def _older(time: datetime, now: datetime, days: float) -> bool:
    return now - time > timedelta(days=min(days, 1e6))


def _days(time: datetime, now: datetime) -> int:
    return (now - time).days

"""Exports of mem0: a list of memories, or an object with `results` or `memories` in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.rules.foreign import Cargo, Fact, Thing, Tie, parsed, short, text_of
from recollect.rules.foreign.when import when

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = "mem0"
_TEXTS = ("memory", "text", "data", "content")
# What has a field of its own here; all else is kept beside the text.
_TAKEN = {*_TEXTS, "id", "hash", "score", "metadata", "run_id"}


def read(name: str, text: str) -> Cargo:
    """Each memory as a fact with its times, user, metadata and categories.

    >>> cargo = read("m", '{"results": [{"id": "1", "memory": "Likes tea", "user_id": "ada"}]}')
    >>> [(fact.text, fact.user, fact.ref) for fact in cargo.facts]
    [('Likes tea', 'ada', 'mem0#1')]
    """
    facts: list[Fact] = []
    ties: list[Tie] = []
    left_out: list[str] = []
    for number, value in enumerate(_each(text), 1):
        place = f"{name}, memory {number}"
        match value:
            case {"source": str() as src, "relationship": str() as type_, **more}:
                dst = more.get("target") or more.get("destination")
                if isinstance(dst, str):
                    ties.append(Tie(src, type_, dst, place))
                else:
                    left_out.append(f"{place}: a relation without an end")
            case dict():
                said = next((t for t in map(value.get, _TEXTS) if isinstance(t, str)), "")
                if said.strip():
                    facts.append(_fact(value, said, place))
                else:
                    left_out.append(f"{place}: has no text")
            case ValueError():
                left_out.append(f"{place}: {value}")
            case _:
                left_out.append(f"{place}: is no memory")
    ends = dict.fromkeys(end for tie in ties for end in (tie.src, tie.dst))
    return Cargo(tuple(facts), tuple(map(Thing, ends)), tuple(ties), tuple(left_out))


def _each(text: str) -> Iterator[object]:
    for _, value in parsed(text):
        match value:
            case {"results": list() as found, **more} | {"memories": list() as found, **more}:
                yield from found
                related = more.get("relations")
                yield from related if isinstance(related, list) else ()
            case list():
                yield from value
            case _:
                yield value


def _fact(value: dict[str, object], said: str, place: str) -> Fact:
    own = value.get("metadata")
    about = {**(own if isinstance(own, dict) else {})}
    about |= {k: v for k, v in value.items() if k not in _TAKEN}
    id_ = value.get("id")
    return Fact(
        said,
        ref=f"{SOURCE}#{id_}" if id_ else SOURCE,
        place=place,
        source=SOURCE,
        at=when(value.get("created_at")) or when(value.get("updated_at")),
        session=text_of(value.get("run_id")),
        user=text_of(value.get("user_id")),
        metadata=short(about),
        replaces=bool(id_),
    )

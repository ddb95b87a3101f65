"""The file of the official memory server: entities with observations, and their relations."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recollect.rules.entities import key
from recollect.rules.foreign import Cargo, Fact, Thing, Tie, parsed, text_of

if TYPE_CHECKING:
    from collections.abc import Iterator

SOURCE = "server-memory"


def read(name: str, text: str) -> Cargo:
    """Each observation as a fact about its entity; entities and relations as what they are.

    >>> cargo = read("m", '{"type": "entity", "name": "Ada", "entityType": "person",'
    ...     ' "observations": ["Speaks Latin"]}')
    >>> cargo.things[0].type, [fact.text for fact in cargo.facts]
    ('person', ['Ada: Speaks Latin'])
    """
    facts: list[Fact] = []
    things: list[Thing] = []
    ties: list[Tie] = []
    left_out: list[str] = []
    for line, value in _each(text):
        place = f"{name}, line {line}"
        match value:
            case {"name": str() as called, "observations": list() as observed, **more}:
                things.append(Thing(called, text_of(more.get("entityType")), place))
                facts += _observed(called, observed, place)
                left_out += [
                    f"{place}: an observation that is no text"
                    for one in observed
                    if not isinstance(one, str)
                ]
            case {"from": str() as src, "to": str() as dst, "relationType": str() as type_}:
                ties.append(Tie(src, type_, dst, place))
            case ValueError():
                left_out.append(f"{place}: {value}")
            case _:
                left_out.append(f"{place}: is neither an entity nor a relation")
    return Cargo(tuple(facts), tuple(things), tuple(ties), tuple(left_out))


def _each(text: str) -> Iterator[tuple[int, object]]:
    """The entities and relations, from lines or from the one object that `read_graph` answers."""
    for line, value in parsed(text):
        match value:
            case {"entities": list() as entities, "relations": list() as relations}:
                yield from ((line, one) for one in (*entities, *relations))
            case list():
                yield from ((line, one) for one in value)
            case _:
                yield line, value


def _observed(called: str, observed: list[object], place: str) -> Iterator[Fact]:
    for one in observed:
        if isinstance(one, str) and one.strip():
            yield Fact(
                _with_subject(called, one),
                ref=f"{SOURCE}#{called}",
                place=place,
                source=SOURCE,
                about=called,
            )


def _with_subject(called: str, said: str) -> str:
    """What is observed makes sense by itself only where it says of whom."""
    named = re.search(rf"(?<!\w){re.escape(key(called))}(?!\w)", key(said))
    return said if named else f"{called}: {said}"

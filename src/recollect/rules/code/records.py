"""Pieces of code as records: what of a piece is kept where, and by which words it is found."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from recollect.model import Kind, Record
from recollect.rules.analyse import tokens
from recollect.value import Value

if TYPE_CHECKING:
    from datetime import datetime

    from recollect.model import Author, Scope
    from recollect.rules.code.pieces import Piece

# How much a word of each field of `said` counts; the index of code has the same figures.
WEIGHTS = (8.0, 3.0, 2.0, 1.0)
FILE = "file"
PROJECT = "project"
_LONGEST_NAME = 300


class Place(Value):
    """What a piece's record says of it beside its text, type, language and path."""

    name: str
    start: int
    end: int
    doc: str
    calls: tuple[str, ...]
    part: int


def piece(  # noqa: PLR0913, PLR0917 -- what a record consists of
    made: Piece, path: str, language: str, id_: str, scope: Scope, author: Author, now: datetime
) -> Record:
    """The record of a piece of code. Its language is its status, its path its source."""
    place = {
        "name": made.name,
        "lines": [made.start, made.end],
        **({"doc": made.doc} if made.doc else {}),
        **({"calls": made.calls} if made.calls else {}),
        **({"part": made.part} if made.part else {}),
    }
    return Record(
        id=id_,
        kind=Kind.CODE,
        scope=scope,
        author=author,
        text=made.text,
        created_at=now,
        updated_at=now,
        event_time=now,
        valid_from=now,
        type=made.type,
        title=made.qualified[:_LONGEST_NAME],
        key=symbol(made.name),
        status=language,
        source_ref=path,
        facts=json.dumps(place, ensure_ascii=False, separators=(",", ":")),
    )


def file(  # noqa: PLR0913, PLR0917 -- what a record consists of
    id_: str, path: str, facts: dict[str, object], scope: Scope, author: Author, now: datetime
) -> Record:
    """The record of a file."""
    return Record(
        id=id_,
        kind=Kind.SOURCE,
        scope=scope,
        author=author,
        text="",
        created_at=now,
        updated_at=now,
        event_time=now,
        valid_from=now,
        type=FILE,
        title=path,
        key=basename(path),
        source_ref=path,
        facts=json.dumps(facts, ensure_ascii=False, separators=(",", ":")),
    )


def basename(path: str) -> str:
    """What files are looked up by."""
    return path.rpartition("/")[2].casefold()[:_LONGEST_NAME]


def place(record: Record) -> Place:
    """Where a piece is, and what else is known of it."""
    said = json.loads(record.facts)
    start, end = said["lines"]
    calls = tuple(said.get("calls", ()))
    return Place(said["name"], start, end, said.get("doc", ""), calls, said.get("part", 0))


def symbol(name: str) -> str:
    """What symbols are looked up by.

    >>> symbol("Stack.Push")
    'push'
    """
    return name.rpartition(".")[2].casefold()[:_LONGEST_NAME]


def said(record: Record) -> tuple[list[str], list[str], list[str], list[str]]:
    """The words that a piece is found by: of its name, its path, its comment and its text."""
    facts = json.loads(record.facts)
    stem = record.source_ref.replace("/", " / ")
    return tokens(record.title), tokens(stem), tokens(facts.get("doc", "")), tokens(record.text)

"""Rows to records and back, with the few scopes, authors and types kept by number."""

from __future__ import annotations

from hashlib import blake2b
from typing import TYPE_CHECKING, Any

from recollect.model import (
    Author,
    AuthorKind,
    Edge,
    Event,
    Kind,
    Record,
    Scope,
    micros,
    moment,
)
from recollect.store.sqlite.queries import READ

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    import apsw

_KINDS = {str(kind): kind for kind in Kind}


class Interned:
    """What one connection knows of the scopes, authors and types that rows name by number."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._execute = connection.execute
        self.scopes: dict[int, Scope] = {}
        self.authors: dict[int, Author] = {}
        self.types: dict[int, str] = {}

    def scope(self, id_: int) -> Scope:
        """The scope with a number."""
        if id_ not in self.scopes:
            self.load_scopes()
        return self.scopes[id_]

    def author(self, id_: int) -> Author:
        """The author with a number."""
        if id_ not in self.authors:
            self.load_authors()
        return self.authors[id_]

    def type(self, id_: int) -> str:
        """The type with a number."""
        if id_ not in self.types:
            self.load_types()
        return self.types[id_]

    def load_scopes(self) -> dict[int, Scope]:
        """Every scope that the snapshot has."""
        for new, tenant, user, project in self._added("scopes", self.scopes):
            self.scopes[new] = Scope(tenant, user, project)
        return self.scopes

    def load_authors(self) -> dict[int, Author]:
        """Every author that the snapshot has."""
        for new, kind, name in self._added("authors", self.authors):
            self.authors[new] = Author(AuthorKind(kind), name)
        return self.authors

    def load_types(self) -> dict[int, str]:
        """Every type that the snapshot has."""
        self.types.update(self._added("types", self.types))
        return self.types

    def _added(self, statement: str, known: Iterable[int]) -> Iterable[Any]:
        return self._execute(READ[statement], {"after": max(known, default=0)})


def record(row: tuple[Any, ...], interned: Interned) -> Record:
    """A whole record from the columns of `@whole`."""
    (seq, id_, kind, scope, type_, status, valid_from, valid_until, event_time) = row[:9]
    (session, version, text, title, key, author, created_at, updated_at, confidence) = row[9:18]
    (importance, source, source_ref, speaker, metadata, accessed, older, newer) = row[18:]
    return Record(
        id=id_,
        kind=_KINDS[kind],
        scope=interned.scope(scope),
        author=interned.author(author),
        text=text,
        created_at=moment(created_at),
        updated_at=moment(updated_at),
        event_time=moment(event_time),
        valid_from=moment(valid_from),
        valid_until=_maybe(valid_until),
        type=interned.type(type_),
        title=title,
        key=key,
        status=status,
        confidence=confidence,
        importance=importance,
        source=source,
        source_ref=source_ref,
        session=session,
        speaker=speaker,
        metadata=metadata,
        version=version,
        seq=seq,
        accessed_at=_maybe(accessed),
        supersedes=tuple(older.split(" ")) if older else (),
        superseded_by=newer or "",
    )


def head(record: Record, seq: int, scope: int, type_: int, length: int) -> dict[str, Any]:
    """The row of `record`."""
    return {
        "seq": seq,
        "id": record.id,
        "kind": record.kind.value,
        "scope": scope,
        "type": type_,
        "status": record.status,
        "valid_from": micros(record.valid_from),
        "valid_until": stamp(record.valid_until),
        "event_time": micros(record.event_time),
        "session": record.session,
        "version": record.version,
        "digest": digest(record.text),
        "length": length,
    }


def content(record: Record, seq: int, author: int, salt: bytes) -> dict[str, Any]:
    """The row of `content`."""
    return {
        "seq": seq,
        "text": record.text,
        "title": record.title,
        "key": record.key,
        "author": author,
        "created_at": micros(record.created_at),
        "updated_at": micros(record.updated_at),
        "confidence": record.confidence,
        "importance": record.importance,
        "source": record.source,
        "source_ref": record.source_ref,
        "speaker": record.speaker,
        "metadata": record.metadata,
        "salt": salt,
    }


def edge(row: tuple[Any, ...]) -> Edge:
    """An edge, its ends by id."""
    src, type_, dst, created_at, valid_from, valid_until, weight, id_ = row
    return Edge(
        src,
        type_,
        dst,
        moment(created_at),
        moment(valid_from),
        _maybe(valid_until),
        weight,
        id_ or "",
    )


def event(row: tuple[Any, ...], interned: Interned) -> Event:
    """An entry of the ledger."""
    seq, at, verb, record_id, author, detail, seal, hash_ = row
    return Event(
        seq, moment(at), verb, record_id, interned.author(author), detail, seal, hash_
    )


def digest(text: str) -> int:
    """A 64-bit number by which the very same text is found again."""
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


def stamp(time: datetime | None) -> int | None:
    """Microseconds, or nothing for an end that is open."""
    return None if time is None else micros(time)


def _maybe(stamp_: int | None) -> datetime | None:
    return None if stamp_ is None else moment(stamp_)

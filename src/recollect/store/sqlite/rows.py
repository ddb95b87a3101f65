"""Rows to records and back, with the few scopes, authors and types kept by number."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, Any

from recollect.model import (
    Author,
    AuthorKind,
    Done,
    Edge,
    Event,
    Key,
    Kind,
    Record,
    Role,
    Scope,
    micros,
    moment,
)
from recollect.store.sqlite.queries import READ
from recollect.value import fields

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime
    from typing import TypeAlias

    import apsw

    # A row as it comes from the database; the statement says what is in it.
    Row: TypeAlias = tuple[Any, ...]

_STORES_OWN = 4
_given = attrgetter(*fields(Record)[:-_STORES_OWN])
_KINDS = {str(kind): kind for kind in Kind}


class Interned:
    """What one connection knows of the scopes, authors and types that rows name by number."""

    def __init__(self, connection: apsw.Connection) -> None:
        self._execute = connection.execute
        self.scopes: dict[int, Scope] = {}
        self.authors: dict[int, Author] = {}
        self.types: dict[int, str] = {}
        # By common word: how many texts held it, and of how many.
        self.common: dict[str, tuple[int, int]] = {}
        # The same of code, by the scopes that it is in, and how much code they have.
        self.common_in_code: dict[tuple[int, ...], dict[str, tuple[int, int]]] = {}
        self.code: dict[tuple[int, ...], tuple[int, int]] = {}
        self._numbers: dict[tuple[str, ...], int] = {}
        self._of_tenant: dict[str, list[int]] = {}
        self._taken_out: int | None = None

    def as_of(self, taken_out: int | None) -> None:
        """Forget all names where some were taken out since: their numbers may be others' now."""
        if taken_out != self._taken_out:
            for known in (self.scopes, self.authors, self.types, self._numbers, self._of_tenant):
                known.clear()
            self.common_in_code.clear()
            self.code.clear()
            self._taken_out = taken_out

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

    def scope_number(self, scope: Scope) -> int | None:
        """The number of a scope, or None where there is no such scope yet."""
        said = (scope.tenant, scope.user, scope.project)
        if said not in self._numbers:
            self.load_scopes()
        return self._numbers.get(said)

    def author_number(self, author: Author) -> int | None:
        """The number of an author, or None where nobody of that name has written yet."""
        said = (author.kind.value, author.name)
        if said not in self._numbers:
            self.load_authors()
        return self._numbers.get(said)

    def type_number(self, name: str) -> int | None:
        """The number of a type, or None where no record has it yet."""
        if (name,) not in self._numbers:
            self.load_types()
        return self._numbers.get((name,))

    def scopes_of(self, tenant: str) -> list[int]:
        """The numbers of a tenant's scopes."""
        self.load_scopes()
        return self._of_tenant.get(tenant, [])

    def load_scopes(self) -> None:
        """Take in every scope that the snapshot has."""
        for new, tenant, user, project in self._added("scopes", self.scopes):
            self.scopes[new] = Scope(tenant, user, project)
            self._numbers[tenant, user, project] = new
            self._of_tenant.setdefault(tenant, []).append(new)

    def load_authors(self) -> None:
        """Take in every author that the snapshot has."""
        for new, kind, name in self._added("authors", self.authors):
            self.authors[new] = Author(AuthorKind(kind), name)
            self._numbers[kind, name] = new

    def load_types(self) -> None:
        """Take in every type that the snapshot has."""
        for new, name in self._added("types", self.types):
            self.types[new] = name
            self._numbers[name,] = new

    def _added(self, statement: str, known: dict[int, Any]) -> Iterable[Row]:
        # Numbers are given upwards, so the last one known is the largest.
        return self._execute(READ[statement], {"after": next(reversed(known), 0)})


def record(row: Row, interned: Interned) -> Record:
    """A whole record from the columns of `@whole`."""
    (seq, id_, kind, scope, type_, status, valid_from, valid_until, event_time) = row[:9]
    (session, version, text, title, key, author, created_at, updated_at, confidence) = row[9:18]
    (importance, source, source_ref, speaker, metadata, facts, accessed, older, newer) = row[18:]
    created = moment(created_at)
    # Three times of most records are the one when it was learned.
    updated, happened, since = (
        created if other == created_at else moment(other)
        for other in (updated_at, event_time, valid_from)
    )
    # By place, which is several times as fast as by name; `test_rows.py` holds the order.
    return Record(
        id_, _KINDS[kind], interned.scope(scope), interned.author(author), text,
        created, updated, happened, since,
        _maybe(valid_until), interned.type(type_), title, key, status, confidence, importance,
        source, source_ref, session, speaker, metadata, facts, version, seq, _maybe(accessed),
        tuple(older.split(" ")) if older else (), newer or "",
    )  # fmt: skip


def fresh(record: Record, seq: int) -> Record:
    """A record that is new: without what a caller cannot decide."""
    # The store's own fields come last.
    return Record(*(*_given(record), seq, None, (), ""))


def head(record: Record, seq: int, scope: int, type_: int, length: int) -> Row:
    """The row of `record`, in the order of its columns."""
    return (
        seq, record.id, str(record.kind), scope, type_, record.status, micros(record.valid_from),
        stamp(record.valid_until), micros(record.event_time), record.session, record.version,
        digest(record.text), length,
    )  # fmt: skip


def content(record: Record, seq: int, author: int, salt: bytes) -> Row:
    """The row of `content`, in the order of its columns."""
    return (
        seq, record.text, record.title, record.key, author, micros(record.created_at),
        micros(record.updated_at), record.confidence, record.importance, record.source,
        record.source_ref, record.speaker, record.metadata, record.facts, salt,
    )  # fmt: skip


def edge(row: Row) -> Edge:
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


def edge_row(edge_: Edge, src: int, dst: int) -> Row:
    """The row of an edge, its ends by number."""
    created = micros(edge_.created_at)
    since = created if edge_.valid_from is edge_.created_at else micros(edge_.valid_from)
    return (
        src, str(edge_.type), dst, edge_.weight, created, since, stamp(edge_.valid_until),
        edge_.id or None,
    )  # fmt: skip


def event(row: Row, interned: Interned) -> Event:
    """An entry of the ledger."""
    seq, at, verb, record_id, author, detail, seal, hash_ = row
    return Event(seq, moment(at), verb, record_id, interned.author(author), detail, seal, hash_)


def key(row: Row) -> Key:
    """A key."""
    id_, name, role, tenant, user, digest_, created, expires, revoked = row
    return Key(
        id_, name, Role(role), tenant, user, digest_,
        moment(created), _maybe(expires), _maybe(revoked),
    )  # fmt: skip


def key_row(key_: Key) -> Row:
    """The row of a key."""
    return (
        *(key_.id, key_.name, key_.role.value, key_.tenant, key_.user, key_.digest),
        *(micros(key_.created_at), stamp(key_.expires_at), stamp(key_.revoked_at)),
    )


def done(row: Row) -> Done:
    """A request that was carried out."""
    key_, print_, tenant, at, answer = row
    return Done(key_, print_, tenant, moment(at), answer)


def done_row(one: Done) -> Row:
    """The row of a request that was carried out."""
    return one.key, one.print, one.tenant, micros(one.at), one.answer


def digest(text: str) -> int:
    """A 64-bit number by which the very same text is found again."""
    # Takes 3 ms to import, for OpenSSL comes along; reading a record by id needs no digest.
    from hashlib import blake2b

    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big", signed=True)


def stamp(time: datetime | None) -> int | None:
    """Microseconds, or nothing for an end that is open."""
    return None if time is None else micros(time)


def _maybe(stamp_: int | None) -> datetime | None:
    return None if stamp_ is None else moment(stamp_)

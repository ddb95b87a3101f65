"""What can be changed inside one transaction, and what becomes of it in every derived thing."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import apsw

from recollect.errors import Conflict, NotFound
from recollect.model import Author, Kind, Link, Plan, Scope, micros, moment
from recollect.rules.analyse import ANALYSER, passage, tokens
from recollect.store import ledger, states
from recollect.store.sqlite import rows
from recollect.store.sqlite.queries import READ, load
from recollect.store.sqlite.read import ModelRow, SqliteReader, numbers
from recollect.value import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from recollect.embed import Model
    from recollect.model import Counts, Edge, Entry, Record, Vector
    from recollect.store.sqlite.scans import Scans

WRITE = load("write.sql")
_AT_ONCE = 1_000


class SqliteWriter(SqliteReader):
    """A `Writer` on the one connection that holds the write lock."""

    def __init__(
        self, connection: apsw.Connection, interned: rows.Interned, scans: Callable[[], Scans]
    ) -> None:
        super().__init__(connection, interned, scans)
        self._many = connection.executemany
        self._changed = connection.changes
        # What may only be hidden in the scan files once the transaction is committed.
        self._dead: dict[int, list[int]] = {}
        self._ends: dict[int, dict[int, int]] = {}
        self.forgot = False

    def apply(self, plan: Plan) -> list[Record]:
        """See `Writer`."""
        salts = _salts(entry.record.id for entry in plan.insert)
        inserted = self._insert(plan.insert, salts)
        for entry in plan.update:
            salts[entry.record.id] = self._update(entry)
        self._link(plan.link)
        self._unlink(plan.unlink)
        self._forget(plan.forget)
        self._note(ledger.entries(plan, salts), micros(plan.at), plan.author, plan.detail)
        self._settle()
        if plan.forget or any(edge.type == Link.SUPERSEDES for edge in plan.link):
            return list(self.rows([record.seq for record in inserted]).values())
        return inserted

    def touch(self, seqs: Sequence[int], at: int) -> None:
        """See `Writer`."""
        if seqs:
            self.execute(WRITE["touch"], {"seqs": numbers(seqs), "at": at})

    def prepare(self, model: Model) -> None:
        """See `Writer`."""
        serving, coming = self.serving(), self.coming()
        if _is(coming, model) or (coming is None and _is(serving, model)):
            return
        if coming is not None:
            self._drop(coming)
        self.execute(WRITE["empty_waiting"])
        if not _is(serving, model):
            serving = self._add(model, "serving" if serving is None else "coming")
        if serving is not None:
            self.execute(WRITE["wait_all"], {"model": serving.id})
        self._settle()

    def embed(self, vectors: Mapping[int, Vector], model: Model) -> None:
        """See `Writer`."""
        row = next((row for row in (self.coming(), self.serving()) if _is(row, model)), None)
        if row is None:
            raise Conflict(f"{model.name} is neither serving nor coming. Prepare it first.")
        bound = {"model": row.id, "seqs": numbers(list(vectors))}
        have = {seq for seq, _ in self.execute(READ["slots"], bound)}
        lacking = self.rows([seq for seq in vectors if seq not in have])
        pairs = [(record, vectors[seq]) for seq, record in lacking.items() if _searched(record)]
        self._place(row, pairs)
        if row.state == "coming" or self.coming() is None:
            self._many(WRITE["waits_no_more"], [{"seq": seq} for seq in vectors])
        self._settle()

    def wipe(self, tenant: str, author: Author, at: int) -> Counts:
        """See `Writer`."""
        import json

        counts = self.counts(tenant)
        known = self.interned.load_scopes()
        mine = [number for number, scope in known.items() if scope.tenant == tenant]
        if len(mine) == len(known):
            self._clear()
        else:
            found = self.execute(WRITE["tenant_seqs"], {"scopes": json.dumps(mine)})
            self._remove(list(self.rows([seq for (seq,) in found]).values()))
        verb, record, seal, detail = ledger.wiped(tenant)
        self._note([(verb, record, seal)], at, author, detail)
        self._settle()
        self.forgot = True
        return counts

    def committed(self) -> None:
        """Hide what the transaction has closed or deleted."""
        for model in (self.serving(), self.coming()):
            if model is not None:
                dead = self._dead.get(model.id, [])
                self._scans().hide(model, dead, self._ends.get(model.id, {}))

    def outdated(self) -> bool:
        """Whether the word index was made by another analyser, and has to be made again first."""
        return self._meta("analyser") != ANALYSER

    def mend(self) -> None:
        """Make again what is derived and cannot be trusted: the word index, the scan files."""
        if self.outdated():
            self._reindex()
        for model in (self.serving(), self.coming()):
            if model is not None and not self._scans().sound(model):
                self._count(self._scans().remake(model, self.execute))

    def _insert(self, entries: Sequence[Entry], salts: Mapping[str, bytes]) -> list[Record]:
        if not entries:
            return []
        start = self._meta("next")
        made = [_new(entry.record, start + place) for place, entry in enumerate(entries)]
        said = {record.seq: _words(record) for record in made if _searched(record)}
        heads = [self._head(record, len(said.get(record.seq, ()))) for record in made]
        self._many(WRITE["insert_record"], heads)
        self._many(
            WRITE["insert_content"],
            [
                rows.content(record, record.seq, self._author(record.author), salts[record.id])
                for record in made
            ],
        )
        self._index(said)
        for record in made:
            if record.kind is Kind.ENTITY:
                self._name(record)
        self._set_meta("next", start + len(made))
        self._first_vectors(made, entries)
        return made

    def _first_vectors(self, made: Sequence[Record], entries: Sequence[Entry]) -> None:
        serving, coming = self.serving(), self.coming()
        searched = [
            (record, entry.vector)
            for record, entry in zip(made, entries, strict=True)
            if _searched(record)
        ]
        self._place(serving, [(r, vector) for r, vector in searched if vector is not None])
        if serving is not None:
            late = [r.seq for r, vector in searched if vector is None or coming is not None]
            self._many(WRITE["wait"], [{"seq": seq} for seq in late])

    def _update(self, entry: Entry) -> bytes:
        record = entry.record
        old = self.records([record.id]).get(record.id)
        if old is None:
            raise NotFound(f"There is no record {record.id}. Look up the id and try again.", id=record.id)
        if record.kind is not old.kind:
            raise Conflict(f"Record {record.id} is a {old.kind} for life. Make a new one instead.")
        said, says = _words(old), _words(record)
        changed = self._head(replace(record, seq=old.seq), len(says) if _searched(old) else 0)
        self.execute(WRITE["update_record"], changed)
        if not self._changed():
            raise Conflict(
                f"Record {record.id} is at version {old.version}, not {record.version - 1}: "
                "somebody changed it since. Read it again.",
                id=record.id,
            )
        state = states.dump(replace(old, accessed_at=None))
        self.execute(
            WRITE["insert_version"], {"seq": old.seq, "version": old.version, "state": state}
        )
        salt = bytes(self.execute(WRITE["salt"], {"seq": old.seq}).get)
        self.execute(
            WRITE["update_content"],
            rows.content(record, old.seq, self._author(record.author), salt),
        )
        if said != says and _searched(old):
            self._unindex({old.seq: said})
            self._index({old.seq: says})
        if record.kind is Kind.ENTITY and record.key != old.key:
            self.execute(WRITE["delete_names"], {"seq": old.seq})
            self._name(replace(record, seq=old.seq))
        self._follow(old, replace(record, seq=old.seq), entry.vector)
        return salt

    def _follow(self, old: Record, new: Record, vector: Vector | None) -> None:
        """Bring the vectors of a changed record into step."""
        serving, coming = self.serving(), self.coming()
        if not _searched(new):
            return
        if passage(old) != passage(new):
            for model in (serving, coming):
                self._unplace(model, [new.seq])
            if serving is not None and (vector is None or coming is not None):
                self.execute(WRITE["wait"], {"seq": new.seq})
        else:
            for model in (serving, coming):
                self._restamp(model, old, new)
        if vector is not None:
            self._place(serving, [(new, vector)])
            if coming is None:
                self.execute(WRITE["waits_no_more"], {"seq": new.seq})

    def _restamp(self, model: ModelRow | None, old: Record, new: Record) -> None:
        """The vector stays; what the scan filters by may not."""
        if model is None:
            return
        for slot, data in self.execute(WRITE["slot"], {"model": model.id, "seq": new.seq}):
            if _only_closed(old, new):
                if new.valid_until is not None:
                    self._ends.setdefault(model.id, {})[slot] = micros(new.valid_until)
            else:
                from numpy import float16, float32, frombuffer

                # A slot is only ever tightened, so a record that opens moves to a new one.
                self._place(model, [(new, frombuffer(data, float16).astype(float32))])

    def _link(self, edges: Sequence[Edge]) -> None:
        for edge in edges:
            src, dst = self._ends_of(edge)
            if edge.type == Link.SUPERSEDES:
                self._check_supersession(edge, src, dst)
            bound = {
                "src": src,
                "type": str(edge.type),
                "dst": dst,
                "weight": edge.weight,
                "created_at": micros(edge.created_at),
                "valid_from": micros(edge.valid_from),
                "valid_until": rows.stamp(edge.valid_until),
                "id": edge.id or None,
            }
            self.execute(WRITE["link"], bound)

    def _check_supersession(self, edge: Edge, src: int, dst: int) -> None:
        if src == dst:
            raise Conflict(f"Record {edge.src} cannot take the place of itself. Name two records.", id=edge.src)
        if (newer := self._superseder(dst)) is not None:
            by = self.rows([newer])[newer].id
            raise Conflict(f"Record {edge.dst} was superseded by {by} already. Supersede that one.", id=edge.dst)
        above = self._superseder(src)
        while above is not None:
            if above == dst:
                raise Conflict(
                    f"Record {edge.dst} comes after {edge.src}, so {edge.src} cannot take its "
                    "place. Read both again.",
                    id=edge.dst,
                )
            above = self._superseder(above)

    def _superseder(self, seq: int) -> int | None:
        for (src,) in self.execute(WRITE["superseder"], {"dst": seq}):
            return int(src)
        return None

    def _unlink(self, edges: Sequence[Edge]) -> None:
        for edge in edges:
            found = self._seqs_of(edge.src, edge.dst)
            ends = {"src": found.get(edge.src), "type": edge.type, "dst": found.get(edge.dst)}
            self.execute(WRITE["unlink"], ends)

    def _seqs_of(self, *ids: str) -> dict[str, int]:
        return dict(self.execute(READ["seqs"], {"ids": apsw.carray(ids)}))

    def _ends_of(self, edge: Edge) -> tuple[int, int]:
        found = self._seqs_of(edge.src, edge.dst)
        for end in (edge.src, edge.dst):
            if end not in found:
                raise NotFound(f"There is no record {end} to draw an edge to or from. Look up the id and try again.", id=end)
        return found[edge.src], found[edge.dst]

    def _forget(self, ids: Sequence[str]) -> None:
        found = self.records(ids)
        for id_ in ids:
            if id_ not in found:
                raise NotFound(f"There is no record {id_}. Look up the id and try again.", id=id_)
        self._remove(list(found.values()))

    def _remove(self, records: Sequence[Record]) -> None:
        if not records:
            return
        self._unindex({record.seq: _words(record) for record in records if _searched(record)})
        for model in (self.serving(), self.coming()):
            self._unplace(model, [record.seq for record in records])
        self._many(WRITE["delete_record"], [{"seq": record.seq} for record in records])
        self.forgot = True

    def _clear(self) -> None:
        self.execute(WRITE["clear_words"])
        self.execute(WRITE["clear_vectors"])
        self.execute(WRITE["clear_slots"])
        self.execute(WRITE["clear_records"])
        self._set_meta("documents", 0)
        self._set_meta("length", 0)

    def _index(self, said: Mapping[int, list[str]]) -> None:
        self._say("insert_words", said, 1)

    def _unindex(self, said: Mapping[int, list[str]]) -> None:
        self._say("delete_words", said, -1)

    def _say(self, statement: str, said: Mapping[int, list[str]], sign: int) -> None:
        if not said:
            return
        bound = [{"seq": seq, "tokens": " ".join(words)} for seq, words in said.items()]
        self._many(WRITE[statement], bound)
        total = sum(map(len, said.values()))
        self.execute(WRITE["add_meta"], {"key": "documents", "value": sign * len(said)})
        self.execute(WRITE["add_meta"], {"key": "length", "value": sign * total})

    def _reindex(self) -> None:
        self.execute(WRITE["clear_words"])
        self._set_meta("documents", 0)
        self._set_meta("length", 0)
        seqs = self.execute(READ["all_seqs"]).fetchall()
        for start in range(0, len(seqs), _AT_ONCE):
            records = self.rows([seq for (seq,) in seqs[start : start + _AT_ONCE]]).values()
            said = {record.seq: _words(record) for record in records if _searched(record)}
            self._index(said)
            lengths = [{"seq": seq, "length": len(words)} for seq, words in said.items()]
            self._many(WRITE["set_length"], lengths)
        self._set_meta("analyser", ANALYSER)

    def _place(self, model: ModelRow | None, pairs: Sequence[tuple[Record, Vector]]) -> None:
        """Keep vectors: in the database, and as codes in new slots."""
        if not pairs:
            return
        _check_size(model, [vector for _, vector in pairs])
        assert model is not None  # noqa: S101 -- checked just above
        from numpy import float32, stack

        from recollect.store.sqlite.scans import halves, new_slots

        self._bury(model, [record.seq for record, _ in pairs])
        matrix = stack([vector for _, vector in pairs]).astype(float32)
        model = self._current(model)
        heads = [self._head(record, 0) for record, _ in pairs]
        columns = ("seq", "scope", "kind", "type", "valid_from", "valid_until")
        slots = new_slots([tuple(head[c] for c in columns) for head in heads], matrix)
        self._count(self._scans().append(model, slots))
        bound = [
            {"model": model.id, "seq": record.seq, "slot": model.slots + place, "data": data}
            for place, ((record, _), data) in enumerate(zip(pairs, halves(matrix), strict=True))
        ]
        self._many(WRITE["insert_vector"], bound)

    def _current(self, model: ModelRow) -> ModelRow:
        """The row as it is now, with a file that can be appended to."""
        now = next(row for row in (self.serving(), self.coming()) if row and row.id == model.id)
        if now.slots == 0 or not self._scans().sound(now):
            now = self._scans().remake(now, self.execute)
            self._count(now)
        return now

    def _unplace(self, model: ModelRow | None, seqs: Sequence[int]) -> None:
        if model is None:
            return
        self._bury(model, seqs)
        self._many(WRITE["delete_vector"], [{"model": model.id, "seq": seq} for seq in seqs])

    def _bury(self, model: ModelRow, seqs: Sequence[int]) -> None:
        bound = {"seqs": numbers(seqs), "model": model.id}
        slots = [slot for _, slot in self.execute(READ["slots"], bound)]
        self._dead.setdefault(model.id, []).extend(slots)

    def _count(self, model: ModelRow) -> None:
        columns = ("id", "generation", "slots", "synced", "tail", "boot")
        self.execute(WRITE["update_scan"], {name: getattr(model, name) for name in columns})

    def _add(self, model: Model, state: str) -> ModelRow:
        ids = [row.id for row in (self.serving(), self.coming()) if row is not None]
        bound = {
            "id": self._meta("models") + 1,
            "name": model.name,
            "dimensions": model.dimensions,
            "state": state,
            "generation": 0,
        }
        self._set_meta("models", max([bound["id"], *ids]))
        self.execute(WRITE["insert_model"], bound)
        added = self._model(state)
        assert added is not None  # noqa: S101 -- inserted one line above
        return added

    def _drop(self, model: ModelRow) -> None:
        self.execute(WRITE["delete_vectors"], {"model": model.id})
        self.execute(WRITE["delete_model"], {"id": model.id})

    def _settle(self) -> None:
        """With the coming model complete, it serves from now on, and the old vectors go."""
        serving, coming = self.serving(), self.coming()
        if serving is None or coming is None or self.execute(READ["anyone_waits"]).get:
            return
        self._drop(serving)
        self.execute(WRITE["serve_model"], {"id": coming.id})

    def _note(
        self, parts: Iterable[tuple[str, str, str]], at: int, author: Author, detail: str
    ) -> None:
        last = self.execute(READ["last_event"]).fetchone() or (0, ledger.START)
        number = self._author(author)
        events = ledger.chained(parts, last, moment(at), author, detail)
        bound = [
            {
                "seq": event.seq,
                "at": at,
                "verb": event.verb,
                "record": event.record,
                "author": number,
                "detail": event.detail,
                "seal": event.seal,
                "hash": event.hash,
            }
            for event in events
        ]
        self._many(WRITE["insert_event"], bound)

    def _head(self, record: Record, length: int) -> dict[str, Any]:
        scope, type_ = self._scope(record.scope), self._type(record.type)
        return rows.head(record, record.seq, scope, type_, length)

    def _name(self, record: Record) -> None:
        scope = self._scope(Scope(record.scope.tenant, record.scope.user))
        self.execute(WRITE["insert_name"], {"scope": scope, "key": record.key, "seq": record.seq})

    def _scope(self, scope: Scope) -> int:
        number = self._scope_number(scope)
        if number is None:
            bound = {"tenant": scope.tenant, "user": scope.user, "project": scope.project}
            self.execute(WRITE["insert_scope"], bound)
            number = self._scope_number(scope)
            assert number is not None  # noqa: S101 -- inserted just above
        return number

    def _author(self, author: Author) -> int:
        for number, known in self.interned.load_authors().items():
            if known == author:
                return number
        self.execute(WRITE["insert_author"], {"kind": author.kind.value, "name": author.name})
        return self._author(author)

    def _type(self, name: str) -> int:
        for number, known in self.interned.load_types().items():
            if known == name:
                return number
        self.execute(WRITE["insert_type"], {"name": name})
        return self._type(name)

    def _set_meta(self, key: str, value: int) -> None:
        self.execute(WRITE["set_meta"], {"key": key, "value": value})


def _new(record: Record, seq: int) -> Record:
    """The record without what a caller cannot decide."""
    return replace(record, seq=seq, accessed_at=None, supersedes=(), superseded_by="")


def _words(record: Record) -> list[str]:
    return tokens(passage(record))


def _searched(record: Record) -> bool:
    """Whether words and vectors lead to the record. An entity is found by its name and edges."""
    return record.kind is not Kind.ENTITY


def _salts(ids: Iterable[str]) -> dict[str, bytes]:
    wanted = list(ids)
    raw = os.urandom(ledger.SALT_BYTES * len(wanted))
    size = ledger.SALT_BYTES
    return {id_: raw[at * size : (at + 1) * size] for at, id_ in enumerate(wanted)}


def _only_closed(old: Record, new: Record) -> bool:
    """Whether a change can only take the record out of searches."""
    same = (old.scope, old.type, old.valid_from) == (new.scope, new.type, new.valid_from)
    tightened = old.valid_until is None or (
        new.valid_until is not None and new.valid_until <= old.valid_until
    )
    return same and tightened


def _check_size(model: ModelRow | None, vectors: Sequence[Vector]) -> None:
    for vector in vectors:
        if model is None or len(vector) != model.dimensions:
            wanted = f"{model.dimensions} numbers from {model.name}" if model else "none yet"
            raise Conflict(
                f"A vector of {len(vector)} numbers was given, and the store takes {wanted}. "
                "Read again which model serves, and embed with that one."
            )


def _is(row: ModelRow | None, model: Model) -> bool:
    return row is not None and (row.name, row.dimensions) == (model.name, model.dimensions)

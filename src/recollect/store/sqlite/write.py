"""What can be changed inside one transaction, and what becomes of it in every derived thing."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import apsw

from recollect.errors import Conflict, NotFound
from recollect.model import AuthorKind, Entry, Kind, Link, Scope, Sense, micros
from recollect.rules import govern
from recollect.rules.analyse import ANALYSER, passage, tokens
from recollect.rules.code import records as code
from recollect.store import ledger, states
from recollect.store.sqlite import rows
from recollect.store.sqlite.connection import widen
from recollect.store.sqlite.placing import Placing
from recollect.store.sqlite.queries import READ, WRITE
from recollect.store.sqlite.read import ModelRow, SqliteReader, numbers
from recollect.value import replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from recollect.embed import Model
    from recollect.model import (
        Author,
        Candidate,
        Counts,
        Done,
        Edge,
        Event,
        Key,
        Load,
        Plan,
        Record,
        Vector,
        Where,
        Whole,
    )
    from recollect.store.sqlite.scans import Scans

_AT_ONCE = 1_000


class SqliteWriter(SqliteReader):
    """A `Writer` on the one connection that holds the write lock."""

    def __init__(
        self, connection: apsw.Connection, interned: rows.Interned, scans: Callable[[], Scans]
    ) -> None:
        super().__init__(connection, interned, scans)
        self.many = connection.executemany
        self._connection = connection
        self.wide = False
        self._changes = connection.total_changes
        self._placing = Placing(self, scans)
        self._event = 0
        # Whose last record may have gone.
        self._scopes: set[int] = set()
        self._types: set[int] = set()
        self.forgot = False

    def apply(self, plan: Plan) -> list[Record]:
        """See `Writer`."""
        if len(plan.insert) >= _AT_ONCE and not self.wide:
            widen(self._connection)
            self.wide = True
        salts = _salts(entry.record.id for entry in plan.insert)
        for entry in plan.insert:
            govern.written(plan.author, entry.record)
        inserted = self._insert(plan.insert, salts)
        for entry in plan.update:
            salts[entry.record.id] = self._update(entry, plan.author)
        inserted += self._derive(plan.derive, plan.author)
        self._link(plan.link)
        self._unlink(plan.unlink)
        gone = self._forgettable((*plan.forget, *plan.discard), plan.author)
        # Before anything is forgotten: the file looks at whose a record is that an entry names.
        self._note(ledger.entries(plan, salts), micros(plan.at), plan.author, plan.detail)
        self._remove(gone)
        self._settle()
        if plan.forget or any(edge.type == Link.SUPERSEDES for edge in plan.link):
            found = self.rows([record.seq for record in inserted])
            return [found[record.seq] for record in inserted if record.seq in found]
        return inserted

    def nearest(self, vector: Vector, where: Where, limit: int) -> list[Candidate]:
        """See `Reader`."""
        self._placing.flush()
        return super().nearest(vector, where, limit)

    def keep_key(self, key: Key, verb: str, author: Author, at: int) -> None:
        """See `Writer`."""
        self.execute(WRITE["keep_key"], rows.key_row(key))
        id_, detail = ledger.keyed(key)
        self._note([(verb, id_, "")], at, author, detail)

    def note(self, verb: str, about: str, author: Author, at: int, detail: str) -> None:
        """See `Writer`."""
        self._note([(verb, about, "")], at, author, detail)

    def keep_done(self, done: Done, before: int, most: int) -> None:
        """See `Writer`."""
        self.execute(WRITE["keep_done"], rows.done_row(done))
        self.execute(WRITE["drop_done"], {"before": before, "most": most})

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

    def embed(
        self,
        vectors: Mapping[int, Vector],
        model: Model,
        codes: Mapping[int, bytes] | None = None,
        parts: Mapping[int, bytes] | None = None,
    ) -> None:
        """See `Writer`."""
        row = next((row for row in (self.coming(), self.serving()) if _is(row, model)), None)
        if row is None:
            raise Conflict(f"{model.name} is neither serving nor coming. Prepare it first.")
        bound = {"model": row.id, "seqs": numbers(list(vectors))}
        have = {seq for seq, _ in self.execute(READ["having"], bound)}
        filling = row.state == "coming" or self.coming() is None
        if filling:
            # Of a long text that waits, only the beginning may be known.
            have -= {seq for (seq,) in self.execute(READ["still_waiting"], {"seqs": bound["seqs"]})}
        lacking = self.rows([seq for seq in vectors if seq not in have])
        wanting = [seq for seq, record in lacking.items() if record.embedded]
        codes, parts = codes or {}, parts or {}
        senses = [
            (seq, Sense(vectors[seq], codes.get(seq, b""), parts.get(seq, b""))) for seq in wanting
        ]
        self._placing.place(row, senses)
        if filling:
            self.many(WRITE["waits_no_more"], [(seq,) for seq in vectors])
        self._settle()

    def restore(self, load: Load) -> None:
        """See `Writer`."""
        self._append(load.events)
        salts = {whole.record.id: whole.salt for whole in load.records}
        entries = [
            Entry(one.record, one.vector, one.codes, one.parts, one.partial) for one in load.records
        ]
        made = self._insert(entries, salts)
        for record, whole in zip(made, load.records, strict=True):
            self._add_past(record.seq, whole)
        self._link(load.edges)
        self._settle()

    def wipe(self, tenant: str, author: Author, at: int) -> Counts:
        """See `Writer`."""
        import json

        mine = self.interned.scopes_of(tenant)
        left = self._outlasting(mine, author)
        counts = govern.without(self.counts(tenant), len(left))
        self._scopes.update(mine)
        if len(mine) == len(self.interned.scopes) and not left:
            self.interned.load_types()
            self._types.update(self.interned.types)
            self._clear()
        else:
            found = self.execute(WRITE["tenant_seqs"], {"scopes": json.dumps(mine)})
            self._remove(list(self.rows([seq for (seq,) in found if seq not in left]).values()))
        self.execute(WRITE["forget_done"], {"tenant": tenant})
        verb, record, seal, detail = ledger.wiped(tenant)
        self._note([(verb, record, seal)], at, author, detail)
        self._settle()
        self.forgot = True
        return counts

    def _outlasting(self, scopes: Sequence[int], author: Author) -> set[int]:
        """The decisions that no agent has deleted."""
        import json

        if author.kind is not AuthorKind.AGENT:
            return set()
        found = self.execute(WRITE["people_decided"], {"scopes": json.dumps(list(scopes))})
        return {seq for (seq,) in found}

    def complete(self) -> None:
        """See `Writer`. The store does it before every commit."""
        self._placing.flush()
        self._drop_names()
        self._event = self.last_event()

    def committed(self) -> None:
        """After the commit: what may only be done once it holds."""
        self._placing.finish(self._event)

    def outdated(self) -> bool:
        """Whether the word index was made by another analyser, and has to be made again first."""
        return self._meta("analyser") != ANALYSER

    def mend(self) -> None:
        """Make again what is derived and cannot be trusted: the word index, the scan files."""
        if self.outdated():
            self._reindex()
        for model in self.filled():
            if model.slots:
                self._placing.mend(model)

    def filled(self) -> list[ModelRow]:
        """The serving and the coming model."""
        return [model for model in (self.serving(), self.coming()) if model is not None]

    def note_scan(self, model: ModelRow) -> None:
        """Note how far a model's scan file is to be trusted."""
        columns = ("id", "generation", "slots", "synced", "mark", "boot")
        self.change_model("update_scan", {name: getattr(model, name) for name in columns})

    def change_model(self, statement: str, bound: dict[str, int | str]) -> None:
        """Change the rows of models, which a transaction otherwise reads only once."""
        self.execute(WRITE[statement], bound)
        self._models = None

    def _insert(self, entries: Sequence[Entry], salts: Mapping[str, bytes]) -> list[Record]:
        if not entries:
            return []
        start = self._meta("next")
        made = [rows.fresh(entry.record, start + place) for place, entry in enumerate(entries)]
        said = {record.seq: _words(record) for record in made if record.searched}
        heads = [self._head(record, len(said.get(record.seq, ()))) for record in made]
        self.many(WRITE["insert_record"], heads)
        self.many(WRITE["insert_content"], [self._content(r, salts[r.id]) for r in made])
        self._index(said)
        self._index_code(made)
        self.many(WRITE["insert_name"], [self._name_row(r) for r in made if r.kind is Kind.ENTITY])
        self._set_meta("next", start + len(made))
        self._first_vectors([(r.seq, e) for r, e in zip(made, entries, strict=True) if r.embedded])
        return made

    def _first_vectors(self, pairs: Sequence[tuple[int, Entry]]) -> None:
        serving, coming = self.serving(), self.coming()
        known = [
            (seq, Sense(e.vector, e.codes, e.parts)) for seq, e in pairs if e.vector is not None
        ]
        self._placing.place(serving, known, new=True)
        if serving is not None:
            late = [
                (seq,) for seq, e in pairs if e.vector is None or e.partial or coming is not None
            ]
            self.many(WRITE["wait"], late)

    def _update(self, entry: Entry, author: Author) -> bytes:
        old = self.records([entry.record.id]).get(entry.record.id)
        if old is None:
            raise _missing(entry.record.id)
        new = replace(entry.record, seq=old.seq)
        govern.changed(author, old, new)
        if new.kind is not old.kind:
            raise Conflict(f"Record {new.id} is a {old.kind} for life. Make a new one instead.")
        said, says = (_words(record) if record.searched else [] for record in (old, new))
        self._check_version(old, new)
        self._keep_version(old)
        self._write_over(old, new, len(says))
        if said != says:
            self._unindex({old.seq: said})
            self._index({old.seq: says})
        if new.kind is Kind.ENTITY and (new.key, new.scope) != (old.key, old.scope):
            self.execute(WRITE["delete_names"], {"seq": old.seq})
            self.execute(WRITE["insert_name"], self._name_row(new))
        self._follow(old, new, entry)
        return bytes(self.execute(WRITE["salt"], {"seq": old.seq}).get)

    def _derive(self, entries: Sequence[Entry], author: Author) -> list[Record]:
        """Write records that keep no version: new ones, and over those that are there."""
        known = self.records([entry.record.id for entry in entries])
        made: list[Record] = []
        for entry in entries:
            govern.written(author, entry.record)
            if (old := known.get(entry.record.id)) is not None:
                govern.untouched(author, old)
                new = replace(entry.record, seq=old.seq)
                self._write_over(old, new, 0)
                self._follow(old, new, replace(entry, vector=None))
                made.append(new)
        fresh = [entry for entry in entries if entry.record.id not in known]
        return made + self._insert(fresh, _salts(entry.record.id for entry in fresh))

    def _check_version(self, old: Record, new: Record) -> None:
        if new.version != old.version + 1:
            raise Conflict(
                f"Record {new.id} is at version {old.version}, not {new.version - 1}: "
                "somebody changed it since. Read it again.",
                id=new.id,
            )

    def _keep_version(self, old: Record) -> None:
        state = states.dump(replace(old, accessed_at=None))
        self.execute(WRITE["insert_version"], (old.seq, old.version, state))

    def _write_over(self, old: Record, new: Record, length: int) -> None:
        self._unindex_code([old])
        self._index_code([new])
        _, _, _, *head = self._head(new, length)
        self.execute(WRITE["update_record"], (*head, old.seq))
        _, *content, _ = self._content(new, b"")
        self.execute(WRITE["update_content"], (*content, old.seq))

    def _follow(self, old: Record, new: Record, entry: Entry) -> None:
        """Bring the vectors of a changed record into step."""
        serving, coming = self.serving(), self.coming()
        vector = entry.vector
        if not new.embedded:
            return
        if passage(old) != passage(new):
            for model in (serving, coming):
                self._placing.unplace(model, [new.seq])
            if serving is not None and (vector is None or entry.partial or coming is not None):
                self.execute(WRITE["wait"], (new.seq,))
        elif _filtered_by(old) != _filtered_by(new):
            for model in (serving, coming):
                self._placing.restamp(model, new.seq)
        if vector is not None:
            self._placing.place(serving, [(new.seq, Sense(vector, entry.codes, entry.parts))])
            if coming is None and not entry.partial:
                self.execute(WRITE["waits_no_more"], (new.seq,))

    def _link(self, edges: Sequence[Edge]) -> None:
        if not edges:
            return
        found = self._seqs_of(*{end for edge in edges for end in (edge.src, edge.dst)})
        plain = []
        for edge in edges:
            src, dst = _ends_of(edge, found)
            bound = rows.edge_row(edge, src, dst)
            if edge.type == Link.SUPERSEDES:
                self._check_supersession(edge, src, dst)
                self.execute(WRITE["link"], bound)
            else:
                plain.append(bound)
        self.many(WRITE["link"], plain)

    def _check_supersession(self, edge: Edge, src: int, dst: int) -> None:
        if src == dst:
            said = f"Record {edge.src} cannot take the place of itself. Name two records."
            raise Conflict(said, id=edge.src)
        if (newer := self._superseder(dst)) is not None:
            by = self.rows([newer])[newer].id
            said = f"Record {edge.dst} was superseded by {by} already. Supersede that one."
            raise Conflict(said, id=edge.dst)
        above = self._superseder(src)
        while above is not None:
            if above == dst:
                raise Conflict(
                    f"Record {edge.dst} comes after {edge.src}, so {edge.src} cannot take its "
                    "place. Read both again.",
                    id=edge.dst,
                )
            above = self._superseder(above)
        ends = self.rows([src, dst])
        govern.succeeded(ends[src], ends[dst])

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

    def _forgettable(self, ids: Sequence[str], author: Author) -> list[Record]:
        found = self.records(ids)
        for id_ in ids:
            if id_ not in found:
                raise _missing(id_)
            govern.untouched(author, found[id_])
        return list(found.values())

    def _remove(self, records: Sequence[Record]) -> None:
        if not records:
            return
        self._unindex({record.seq: _words(record) for record in records if record.searched})
        self._unindex_code(records)
        seqs = [record.seq for record in records]
        for record in records:
            past = self.versions(record.id) if record.version > 1 else ()
            self._scopes.update(self._scope(state.scope) for state in (record, *past))
            self._types.update(self._type(state.type) for state in (record, *past))
        for model in self.filled():
            self._placing.erase(model, seqs)
        self.many(WRITE["delete_record"], [(seq,) for seq in seqs])
        # An answer may hold what is deleted.
        tenants = {record.scope.tenant for record in records}
        self.many(WRITE["unsay"], [{"tenant": tenant} for tenant in tenants])
        self.forgot = True

    def _drop_names(self) -> None:
        """Take out the names of users, projects and types that went with their last record."""
        before = self._changes()
        self.many(WRITE["drop_scope"], [{"id": number} for number in self._scopes])
        self.many(WRITE["drop_type"], [{"id": number} for number in self._types])
        if self._changes() != before:
            self.execute(WRITE["names_went"])

    def _clear(self) -> None:
        for model in self.filled():
            self._placing.drop(model)
        for statement in (
            "clear_words",
            "clear_code_words",
            "clear_vectors",
            "clear_parts",
            "clear_records",
        ):
            self.execute(WRITE[statement])
        self._set_meta("code_documents", 0)
        self.change_model("clear_slots", {})
        self._set_meta("documents", 0)
        self._set_meta("length", 0)

    def _index(self, said: Mapping[int, list[str]]) -> None:
        self._say("insert_words", said, 1)

    def _unindex(self, said: Mapping[int, list[str]]) -> None:
        self._say("delete_words", said, -1)

    def _index_code(self, records: Sequence[Record]) -> None:
        self._say_code("insert_code_words", records, 1)

    def _unindex_code(self, records: Sequence[Record]) -> None:
        self._say_code("delete_code_words", records, -1)

    def _say_code(self, statement: str, records: Sequence[Record], sign: int) -> None:
        pieces = [record for record in records if record.kind is Kind.CODE]
        if not pieces:
            return
        bound = [(one.seq, *map(" ".join, code.said(one))) for one in pieces]
        self.many(WRITE[statement], bound)
        self.execute(WRITE["add_meta"], {"key": "code_documents", "value": sign * len(pieces)})

    def _say(self, statement: str, said: Mapping[int, list[str]], sign: int) -> None:
        if not said:
            return
        bound = [(seq, " ".join(words)) for seq, words in said.items()]
        self.many(WRITE[statement], bound)
        total = sum(map(len, said.values()))
        self.execute(WRITE["add_meta"], {"key": "documents", "value": sign * len(said)})
        self.execute(WRITE["add_meta"], {"key": "length", "value": sign * total})

    def _reindex(self) -> None:
        self.execute(WRITE["clear_words"])
        self.execute(WRITE["clear_code_words"])
        self._set_meta("code_documents", 0)
        self._set_meta("documents", 0)
        self._set_meta("length", 0)
        seqs = [seq for (seq,) in self.execute(READ["all_seqs"])]
        for start in range(0, len(seqs), _AT_ONCE):
            records = self.rows(seqs[start : start + _AT_ONCE]).values()
            said = {record.seq: _words(record) for record in records if record.searched}
            self._index(said)
            self._index_code(list(records))
            lengths = [(len(words), seq) for seq, words in said.items()]
            self.many(WRITE["set_length"], lengths)
        self._set_meta("analyser", ANALYSER)

    def _add(self, model: Model, state: str) -> ModelRow | None:
        number = self._meta("models") + 1
        self._set_meta("models", number)
        bound: dict[str, int | str] = {
            "id": number,
            "name": model.name,
            "dimensions": model.dimensions,
            "state": state,
        }
        self.change_model("insert_model", bound)
        return self._model(state)

    def _drop(self, model: ModelRow) -> None:
        self._placing.drop(model)
        self.execute(WRITE["delete_vectors"], {"model": model.id})
        self.execute(WRITE["delete_parts"], {"model": model.id})
        self.change_model("delete_model", {"id": model.id})

    def _settle(self) -> None:
        """With the coming model complete, it serves from now on, and the old vectors go."""
        serving, coming = self.serving(), self.coming()
        if serving is None or coming is None or self.execute(READ["anyone_waits"]).get:
            return
        self._drop(serving)
        self.change_model("serve_model", {"id": coming.id})

    def _note(
        self, parts: Iterable[tuple[str, str, str]], at: int, author: Author, detail: str
    ) -> None:
        seq, previous = self.execute(READ["last_event"]).fetchone() or (0, ledger.START)
        number = self._author(author)
        kind, name = author.kind.value, author.name
        bound = []
        for verb, record, seal in parts:
            seq += 1
            previous = ledger.link(previous, seq, at, verb, record, kind, name, detail, seal)
            bound.append((seq, at, verb, record, number, detail, seal, previous))
        self.many(WRITE["insert_event"], bound)

    def _append(self, events: Sequence[Event]) -> None:
        """Entries that are chained already."""
        bound = [
            (
                e.seq,
                micros(e.at),
                e.verb,
                e.record,
                self._author(e.author),
                e.detail,
                e.seal,
                e.hash,
            )
            for e in events
        ]
        self.many(WRITE["insert_event"], bound)

    def _add_past(self, seq: int, whole: Whole) -> None:
        past = [(seq, one.version, states.dump(one)) for one in whole.versions]
        self.many(WRITE["insert_version"], past)
        if whole.record.accessed_at is not None:
            self.execute(WRITE["insert_access"], (seq, micros(whole.record.accessed_at)))

    def _head(self, record: Record, length: int) -> rows.Row:
        scope, type_ = self._scope(record.scope), self._type(record.type)
        return rows.head(record, record.seq, scope, type_, length)

    def _content(self, record: Record, salt: bytes) -> rows.Row:
        return rows.content(record, record.seq, self._author(record.author), salt)

    def _name_row(self, record: Record) -> rows.Row:
        whose = record.scope
        return self._scope(Scope(whose.tenant, whose.user, "")), record.key, record.seq

    def _scope(self, scope: Scope) -> int:
        while (number := self.interned.scope_number(scope)) is None:
            self.execute(WRITE["insert_scope"], (scope.tenant, scope.user, scope.project))
        return number

    def _author(self, author: Author) -> int:
        while (number := self.interned.author_number(author)) is None:
            self.execute(WRITE["insert_author"], (author.kind.value, author.name))
        return number

    def _type(self, name: str) -> int:
        while (number := self.interned.type_number(name)) is None:
            self.execute(WRITE["insert_type"], (name,))
        return number

    def _set_meta(self, key: str, value: int) -> None:
        self.execute(WRITE["set_meta"], {"key": key, "value": value})


def _words(record: Record) -> list[str]:
    return tokens(passage(record))


def _salts(ids: Iterable[str]) -> dict[str, bytes]:
    wanted = list(ids)
    raw = os.urandom(ledger.SALT_BYTES * len(wanted))
    size = ledger.SALT_BYTES
    return {id_: raw[at * size : (at + 1) * size] for at, id_ in enumerate(wanted)}


def _filtered_by(record: Record) -> tuple[object, ...]:
    """What the scan file filters by, of what may change."""
    return record.scope, record.type, record.valid_from, record.valid_until


def _ends_of(edge: Edge, found: Mapping[str, int]) -> tuple[int, int]:
    for end in (edge.src, edge.dst):
        if end not in found:
            raise _missing(end)
    return found[edge.src], found[edge.dst]


def _missing(id_: str) -> NotFound:
    return NotFound(f"There is no record {id_}. Look up the id and try again.", id=id_)


def _is(row: ModelRow | None, model: Model) -> bool:
    return row is not None and (row.name, row.dimensions) == (model.name, model.dimensions)

"""What can be asked of one snapshot of the file."""

from __future__ import annotations

from array import array
from typing import TYPE_CHECKING, Any, NamedTuple

import apsw

from recollect.errors import Conflict
from recollect.model import (
    Arc,
    Candidate,
    Corpus,
    Counts,
    Kind,
    Sense,
    Spot,
    Vectors,
    Where,
    Whole,
    moment,
)
from recollect.store.sqlite import rows
from recollect.store.sqlite.queries import READ
from recollect.value import Value, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy import float32
    from numpy.typing import NDArray

    from recollect.decisions.measured import Came, Sums
    from recollect.embed import Model
    from recollect.model import Done, Edge, Event, Key, Record, Scope, Vector
    from recollect.rules.retain import Aged
    from recollect.store.sqlite.rows import Row
    from recollect.store.sqlite.scans import Scans

# Counting the texts that hold a word takes long only where there are many. Then the count is kept
# until the store has grown or shrunk by one in a hundred.
_COMMON = 5_000
_COMMON_IN_CODE = 1_000
_TOLERANCE = 100
# A filter seldom takes out more than half of the best matches.
_SPARE = 2
# Of more scopes than these, the whole index is read.
_MOST_SPANS = 8


class _Span(NamedTuple):
    """Between which numbers the code of some scopes lies."""

    scopes: tuple[int, ...]
    low: int
    high: int


_EVERYWHERE = _Span((), 0, 1 << 62)


class ModelRow(Value):
    """What the file says of a model: its number, its identity, and how to trust its scan file."""

    id: int
    name: str
    dimensions: int
    state: str
    held: int
    generation: int
    slots: int
    synced: int
    mark: int
    boot: str
    # How many vectors of passages there are besides.
    parts: int = 0


class SqliteReader:
    """A `Reader` on one connection, inside one transaction."""

    def __init__(
        self, connection: apsw.Connection, interned: rows.Interned, scans: Callable[[], Scans]
    ) -> None:
        self.execute = connection.execute
        self.interned = interned
        self._scans = scans
        self._models: list[ModelRow] | None = None

    def records(self, ids: Iterable[str]) -> dict[str, Record]:
        """See `Reader`."""
        wanted = tuple(ids)
        if not wanted:
            return {}
        found = self.execute(READ["records"], {"ids": apsw.carray(wanted)})
        made = (rows.record(row, self.interned) for row in found)
        return {record.id: record for record in made}

    def rows(self, seqs: Sequence[int]) -> dict[int, Record]:
        """See `Reader`."""
        if not seqs:
            return {}
        found = self.execute(READ["rows"], {"seqs": numbers(seqs)})
        made = (rows.record(row, self.interned) for row in found)
        return {record.seq: record for record in made}

    def spots(self, seqs: Sequence[int]) -> dict[int, Spot]:
        """See `Reader`."""
        found = self.execute(READ["spots"], {"seqs": numbers(seqs)})
        scope, type_ = self.interned.scope, self.interned.type
        return {seq: Spot(scope(at).project, source, type_(of)) for seq, at, source, of in found}

    def page(self, where: Where, limit: int, offset: int = 0) -> list[Record]:
        """See `Reader`."""
        bound = {**self._filter(where), "limit": limit, "offset": offset}
        statement = "page"
        if len(where.kinds) == 1:
            statement = "page_of_kind"
            bound["kind"] = where.kinds[0].value
        seqs = [seq for (seq,) in self.execute(READ[statement], bound)]
        found = self.rows(seqs)
        return [found[seq] for seq in seqs]

    def count(self, where: Where) -> int:
        """See `Reader`."""
        return int(self.execute(READ["count"], self._filter(where)).get)

    def scopes(self, tenant: str) -> list[Scope]:
        """See `Reader`."""
        self.interned.load_scopes()
        return [scope for scope in self.interned.scopes.values() if scope.tenant == tenant]

    def saying(self, scope: Scope, texts: Sequence[str]) -> list[Record]:
        """See `Reader`."""
        number = self.interned.scope_number(scope)
        if number is None:
            return []
        wanted = set(texts)
        bound = {"digests": numbers([rows.digest(text) for text in wanted]), "scope": number}
        seqs = sorted(s for s, text in self.execute(READ["saying"], bound) if text in wanted)
        found = self.rows(seqs)
        return [found[seq] for seq in seqs]

    def sourced(self, scope: Scope, source: str) -> list[Record]:
        """See `Reader`."""
        number = self.interned.scope_number(scope)
        if number is None or not source:
            return []
        # A hash comes before a dollar sign, and nothing that matters between them.
        bound = {"scope": number, "source": source, "beyond": f"{source}$"}
        found: list[Row] = self.execute(READ["sourced"], bound).fetchall()
        seqs = [seq for seq, ref in found if ref.partition("#")[0] == source]
        kept = self.rows(seqs)
        return [kept[seq] for seq in seqs]

    def beside(self, seq: int, where: Where, limit: int, *, later: bool) -> list[Record]:
        """See `Reader`."""
        bound = {**self._filter(where), "seq": seq, "limit": limit}
        seqs = [found for (found,) in self.execute(READ["later" if later else "earlier"], bound)]
        kept = self.rows(seqs)
        return [kept[one] for one in seqs]

    def aged(self, where: Where) -> list[Aged]:
        """See `Reader`."""
        from recollect.rules.retain import Aged

        scopes = self.interned.scopes
        return [
            Aged(id_, scopes[scope].project, moment(at))
            for id_, scope, at in self.execute(READ["aged"], self._filter(where))
        ]

    def named(self, scope: Scope, keys: Sequence[str]) -> dict[str, Record]:
        """See `Reader`."""
        seqs = self._named(scope, keys)
        found = self.rows(list(seqs.values()))
        return {key: found[seq] for key, seq in seqs.items()}

    def keyed(self, where: Where, keys: Sequence[str]) -> list[Record]:
        """See `Reader`."""
        wanted = tuple(dict.fromkeys(key for key in keys if key))
        if not wanted:
            return []
        bound = {**self._filter(where), "keys": apsw.carray(wanted)}
        seqs = [seq for (seq,) in self.execute(READ["keyed"], bound)]
        found = self.rows(seqs)
        return [found[seq] for seq in seqs]

    def came(self, where: Where) -> list[Came]:
        """See `Reader`."""
        from recollect.decisions.measured import Came

        bound = self._filter(replace(where, kinds=(Kind.OUTCOME,)))
        statement = "came"
        if len(where.types) == 1:
            statement, bound["type"] = "came_in", self.interned.type_number(where.types[0])
        types = self.interned.type
        return [
            Came(decision, types(type_), stated, score, at)
            for decision, type_, stated, score, at in self.execute(READ[statement], bound)
        ]

    def summed(self, where: Where) -> Sums:
        """See `Reader`."""
        from recollect.decisions.measured import Sums

        bound = self._filter(replace(where, kinds=(Kind.OUTCOME,)))
        statement = "summed"
        if len(where.types) == 1:
            statement, bound["type"] = "summed_in", self.interned.type_number(where.types[0])
        return Sums(*next(iter(self.execute(READ[statement], bound))))

    def bearing(self, id_: str) -> list[Came]:
        """See `Reader`."""
        from recollect.decisions.measured import Came

        types = self.interned.type
        return [
            Came(decision, types(type_), stated, score, at)
            for decision, type_, stated, score, at in self.execute(READ["bearing"], {"id": id_})
        ]

    def matching(self, terms: Sequence[str], where: Where, limit: int) -> list[Candidate]:
        """See `Reader`."""
        if not terms or limit < 1:
            return []
        bound: dict[str, Any] = {"match": " OR ".join(map(_quoted, terms))}
        best = list(self.execute(READ["matching"], {**bound, "limit": _SPARE * limit}))
        chosen = self._filter(where)
        if best:
            passing = self._passing([seq for seq, _ in best], chosen)
            kept = [Candidate(seq, score) for seq, score in best if seq in passing]
            if len(kept) >= limit or len(best) < _SPARE * limit:
                return kept[:limit]
            found = self.execute(READ["matching_where"], {**bound, **chosen, "limit": limit})
            return [Candidate(seq, score) for seq, score in found]
        return []

    def corpus(self, terms: Iterable[str]) -> Corpus:
        """See `Reader`."""
        documents = self._meta("documents")
        length = self._meta("length")
        frequency = {term: self._frequency(term, documents) for term in terms}
        return Corpus(documents, length / documents if documents else 0.0, frequency)

    def matching_code(self, terms: Sequence[str], where: Where, limit: int) -> list[Candidate]:
        """See `Reader`."""
        if not terms or limit < 1:
            return []
        chosen = self._filter(where)
        span = self._span(where)
        match = " OR ".join(map(_quoted, terms))
        bound = {"match": match, "low": span.low, "high": span.high, "limit": _SPARE * limit}
        best = list(self.execute(READ["matching_code"], bound))
        passing = self._passing([seq for seq, _ in best], chosen)
        kept = [Candidate(seq, score) for seq, score in best if seq in passing]
        if len(kept) < limit and len(best) == _SPARE * limit:
            found = self.execute(READ["matching_code_where"], {**bound, **chosen, "limit": limit})
            kept = [Candidate(seq, score) for seq, score in found]
        return kept[:limit]

    def corpus_of_code(self, terms: Iterable[str], where: Where) -> Corpus:
        """See `Reader`."""
        span = self._span(where)
        documents = self._pieces_in(span)
        frequency = {term: self._frequency_in_code(term, documents, span) for term in terms}
        return Corpus(documents, 0.0, frequency)

    def nearest(self, vector: Vector, where: Where, limit: int) -> list[Candidate]:
        """See `Reader`."""
        return self.approach(where, limit)(vector)()

    def approach(
        self, where: Where, limit: int
    ) -> Callable[[Vector], Callable[[], list[Candidate]]]:
        """See `Reader`."""
        model = self.serving()
        if model is None or limit < 1:
            return lambda _: list
        search = None
        if model.slots:
            search = self._scans().approach(self, model, where, limit)

        def near(vector: Vector) -> Callable[[], list[Candidate]]:
            if len(vector) != model.dimensions:
                raise Conflict(
                    f"A vector of {len(vector)} numbers cannot be compared with the store's, which "
                    f"have {model.dimensions} and are from {model.name}. Embed with that model."
                )
            return list if search is None else search(vector)

        return near

    def vectors(self, seqs: Sequence[int]) -> dict[int, Vector]:
        """See `Reader`."""
        model = self.serving()
        return {} if model is None else self.vectors_of(model, seqs)

    def vectors_of(self, model: ModelRow, seqs: Sequence[int]) -> dict[int, Vector]:
        """The vectors that a model gave these records."""
        if not seqs:
            return {}
        bound = {"seqs": numbers(seqs), "model": model.id, "bytes": model.dimensions * 2}
        found: list[Row] = self.execute(READ["vectors"], bound).fetchall()
        rows = _matrix((data for _, data in found), model.dimensions)
        return {seq: row for (seq, _), row in zip(found, rows, strict=True)}

    def cosines(self, model: ModelRow, seqs: Sequence[int], query: Vector) -> dict[int, float]:
        """How near each record's vector comes to a query, or the nearest one of its passages."""
        from recollect.rules.closeness import cosines

        size = model.dimensions * 2
        bound = {"seqs": numbers(seqs), "model": model.id, "bytes": size}
        return cosines(
            query,
            {seq: Sense(query, parts=data) for seq, data in self.execute(READ["parts"], bound)},
        )

    def senses(self, seqs: Sequence[int]) -> dict[int, Sense]:
        """See `Reader`."""
        model = self.serving()
        return {} if model is None else self.senses_of(model, seqs)

    def senses_of(self, model: ModelRow, seqs: Sequence[int]) -> dict[int, Sense]:
        """What these records mean to a model."""
        if not seqs:
            return {}
        bound = {"seqs": numbers(seqs), "model": model.id}
        found: list[Row] = self.execute(READ["senses"], bound).fetchall()
        size = model.dimensions * 2
        rows = _matrix((data[:size] for _, data, _ in found), model.dimensions)
        return {
            seq: Sense(row, data[size:], parts or b"")
            for (seq, data, parts), row in zip(found, rows, strict=True)
        }

    def speakers(self, seqs: Sequence[int]) -> dict[int, str]:
        """See `Reader`."""
        return dict(self.execute(READ["speakers"], {"seqs": numbers(seqs)}))

    def around(self, seqs: Sequence[int], reach: int) -> dict[int, list[int]]:
        """See `Reader`."""
        bound = {"seqs": numbers(seqs), "reach": reach}
        beside: dict[int, list[int]] = {}
        for seq, other in self.execute(READ["around"], bound):
            beside.setdefault(seq, []).append(other)
        return {seq: sorted(others) for seq, others in beside.items()}

    def edges(
        self, ids: Iterable[str], direction: str = "both", types: Sequence[str] = ()
    ) -> list[Edge]:
        """See `Reader`."""
        import json

        wanted = tuple(ids)
        if not wanted:
            return []
        ways = ("outgoing", "incoming") if direction == "both" else (direction,)
        found: dict[tuple[str, str, str], Edge] = {}
        for way in ways:
            bound = {
                "ids": apsw.carray(wanted),
                "types": json.dumps(list(types)) if types else None,
            }
            for row in self.execute(READ[way], bound):
                edge = rows.edge(row)
                found[edge.src, edge.type, edge.dst] = edge
        return list(found.values())

    def edge(self, id_: str) -> Edge | None:
        """See `Reader`."""
        for row in self.execute(READ["edge"], {"id": id_}):
            return rows.edge(row)
        return None

    def arcs(self, seqs: Sequence[int], fanout: int) -> list[Arc]:
        """See `Reader`."""
        arcs = []
        for seq in seqs:
            found = self.execute(READ["arcs"], {"seq": seq, "fanout": fanout})
            arcs += [Arc(seq, other, weight) for other, weight in found]
        return arcs

    def versions(self, id_: str) -> list[Record]:
        """See `Reader`."""
        from recollect.store import states

        found = self.execute(READ["versions"], {"id": id_})
        return [replace(states.load(state), seq=seq) for seq, state in found]

    def events(self, after: int, limit: int) -> list[Event]:
        """See `Reader`."""
        found = self.execute(READ["events"], {"after": after, "limit": limit})
        return [rows.event(row, self.interned) for row in found]

    def events_of(self, id_: str) -> list[Event]:
        """See `Reader`."""
        found = self.execute(READ["events_of"], {"record": id_})
        return [rows.event(row, self.interned) for row in found]

    def last_event(self) -> int:
        """See `Reader`."""
        for seq, _ in self.execute(READ["last_event"]):
            return int(seq)
        return 0

    def keys(self) -> list[Key]:
        """See `Reader`."""
        return [rows.key(row) for row in self.execute(READ["keys"])]

    def key(self, id_: str) -> Key | None:
        """See `Reader`."""
        return next((rows.key(row) for row in self.execute(READ["key"], {"id": id_})), None)

    def done(self, key: str) -> Done | None:
        """See `Reader`."""
        return next((rows.done(row) for row in self.execute(READ["done"], {"key": key})), None)

    def whole(self, after: int, limit: int) -> list[Whole]:
        """See `Reader`."""
        salts: dict[int, bytes] = dict(self.salts(after, limit))
        return [
            Whole(one, salts[seq], tuple(self.versions(one.id)) if one.version > 1 else ())
            for seq, one in self.rows(list(salts)).items()
        ]

    def total(self) -> int:
        """See `Reader`."""
        return int(self.execute(READ["total"]).get)

    def counts(self, tenant: str) -> Counts:
        """See `Reader`."""
        import json

        mine = self.interned.scopes_of(tenant)
        scopes = {"scopes": json.dumps(mine)}
        if len(mine) == len(self.interned.scopes):
            kinds = dict(self.execute(READ["kind_counts"]))
        else:
            kinds = dict(self.execute(READ["kind_counts_in"], scopes))
        return Counts(
            memories=kinds.get(Kind.MEMORY, 0),
            entities=kinds.get(Kind.ENTITY, 0),
            relations=self.execute(READ["relation_count"], scopes).get,
            code_chunks=kinds.get(Kind.CODE, 0),
            decisions=kinds.get(Kind.DECISION, 0),
            records=sum(kinds.values()),
        )

    def models(self) -> Vectors:
        """See `Reader`."""
        serving, coming = self.serving(), self.coming()
        waiting = int(self.execute(READ["waiting_count"]).get)
        if serving is None:
            return Vectors(waiting=waiting)
        filling = coming or serving
        return Vectors(
            serving=serving.name,
            dimensions=serving.dimensions,
            coming=coming.name if coming else "",
            done=filling.held,
            waiting=waiting,
        )

    def serving_model(self) -> Model | None:
        """See `Reader`."""
        return _identity(self.serving())

    def filling_model(self) -> Model | None:
        """See `Reader`."""
        return _identity(self.coming() or self.serving())

    def waiting(self, limit: int) -> list[Record]:
        """See `Reader`."""
        seqs = [seq for (seq,) in self.execute(READ["waiting"], {"limit": limit})]
        return list(self.rows(seqs).values())

    def waiting_of(self, where: Where) -> int:
        """See `Reader`."""
        return int(self.execute(READ["waiting_of"], self._filter(where)).get)

    def serving(self) -> ModelRow | None:
        """The model whose vectors answer."""
        return self._model("serving")

    def coming(self) -> ModelRow | None:
        """The model that is being filled beside the serving one."""
        return self._model("coming")

    def salts(self, after: int = 0, limit: int = -1) -> list[Row]:
        """What ties each record to its seals in the ledger: its number and salt."""
        return self.execute(READ["salts"], {"after": after, "limit": limit}).fetchall()

    def held(self, model: ModelRow) -> dict[int, int]:
        """The records of which a model has a vector, and how many slots of the scan each has."""
        size = model.dimensions * 2
        found = self.execute(READ["held"], {"model": model.id})
        return {seq: taken // size or 1 for seq, taken in found}

    def seqs(self, where: Where) -> list[int]:
        """The numbers of all records that match."""
        bound = {**self._filter(where), "limit": -1, "offset": 0}
        return [seq for (seq,) in self.execute(READ["page"], bound)]

    def texts(self, seqs: Sequence[int]) -> dict[int, str]:
        """See `Reader`."""
        from recollect.rules.analyse import spoken

        found = self.execute(READ["texts"], {"seqs": numbers(seqs)})
        return {seq: spoken(speaker, title, text) for seq, speaker, title, text in found}

    def admitted(self, seqs: Sequence[int], where: Where) -> set[int]:
        """See `Reader`."""
        return self._passing(seqs, self._filter(where))

    def _passing(self, seqs: Sequence[int], chosen: dict[str, Any]) -> set[int]:
        bound = {**chosen, "seqs": numbers(seqs)}
        return {seq for (seq,) in self.execute(READ["passing"], bound)}

    def _filter(self, where: Where) -> dict[str, Any]:
        from recollect.store.sqlite.where import parameters

        return parameters(where, self.interned)

    def _model(self, state: str) -> ModelRow | None:
        if self._models is None:
            self._models = [ModelRow(*row) for row in self.execute(READ["models"])]
        for model in self._models:
            if model.state == state:
                return model
        return None

    def _meta(self, key: str) -> int:
        return int(self.execute(READ["meta"], {"key": key}).get or 0)

    def _frequency(self, term: str, documents: int) -> int:
        known, at = self.interned.common.get(term, (0, 0))
        if known and abs(documents - at) * _TOLERANCE <= documents:
            return known
        count = int(self.execute(READ["frequency"], {"term": term}).get or 0)
        if count >= _COMMON:
            self.interned.common[term] = count, documents
        return count

    def _span(self, where: Where) -> _Span:
        """Where the code of the scopes that match lies."""
        from recollect.store.sqlite.where import scopes

        found = scopes(where, self.interned)
        if found is None or len(found) > _MOST_SPANS:
            return _EVERYWHERE
        spans = [self.execute(READ["code_span"], {"scope": scope}).get for scope in found]
        held = [(low, high) for low, high in spans if low is not None]
        if not held:
            return _Span(tuple(found), 0, 0)
        return _Span(tuple(found), min(low for low, _ in held), max(high for _, high in held))

    def _pieces_in(self, span: _Span) -> int:
        """How many pieces there are in a span, as of when there were about as many in all."""
        documents = self._meta("code_documents")
        if span == _EVERYWHERE:
            return documents
        count, at = self.interned.code.get(span.scopes, (0, 0))
        if not at or abs(documents - at) * _TOLERANCE > documents:
            counts = (self.execute(READ["code_count"], {"scope": one}).get for one in span.scopes)
            count = sum(map(int, counts))
            self.interned.code[span.scopes] = count, documents
        return count

    def _frequency_in_code(self, term: str, documents: int, span: _Span) -> int:
        common = self.interned.common_in_code.setdefault(span.scopes, {})
        known, at = common.get(term, (0, 0))
        if known and abs(documents - at) * _TOLERANCE <= documents:
            return known
        if span == _EVERYWHERE:
            count = int(self.execute(READ["code_frequency"], {"term": term}).get or 0)
        else:
            bound = {"match": _quoted(term), "low": span.low, "high": span.high}
            count = int(self.execute(READ["code_frequency_between"], bound).get or 0)
        if count >= _COMMON_IN_CODE:
            common[term] = count, documents
        return count

    def _named(self, scope: Scope, keys: Sequence[str]) -> dict[str, int]:
        number = self.interned.scope_number(replace(scope, project=""))
        if number is None or not keys:
            return {}
        bound = {"scope": number, "keys": apsw.carray(tuple(keys))}
        return dict(self.execute(READ["named"], bound))


def numbers(seqs: Sequence[int]) -> Any:  # noqa: ANN401 -- apsw does not name the type
    """Record numbers as an array that SQLite reads in place."""
    # An empty array cannot be bound, and no record has number 0.
    return apsw.carray(array("q", seqs or (0,)))


def _identity(row: ModelRow | None) -> Model | None:
    if row is None:
        return None
    from recollect.embed import Model

    return Model(row.name, row.dimensions)


def _matrix(halves: Iterable[bytes], dimensions: int) -> NDArray[float32]:
    """Vectors as they are kept, one in each row."""
    import numpy as np

    return np.frombuffer(b"".join(halves), np.float16).astype(np.float32).reshape(-1, dimensions)


def _quoted(term: str) -> str:
    """A term as FTS5 takes it: a string, in which nothing is a command."""
    return '"' + term.replace('"', '""') + '"'

"""Handlers that write texts: remember one or many, and revise."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.engine.named import Names
from recollect.engine.reads import existing, mine, missing
from recollect.errors import Conflict
from recollect.model import Entry, Kind, Plan, Similar, Where
from recollect.ops import Remembered, RememberedAll, Revised
from recollect.rules import check, plan
from recollect.rules.analyse import passage, terms
from recollect.rules.bm25 import selective
from recollect.rules.conflict import judge
from recollect.rules.redact import Policy, guard
from recollect.value import replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from datetime import datetime

    from recollect.embed import Model
    from recollect.engine.ports import Ports
    from recollect.model import Edge, Record, Vector
    from recollect.ops import Remember, RememberAll, Revise
    from recollect.store import Reader, Writer

_MOST_AT_ONCE = 100_000
# So many neighbours by meaning, and as many by words, are looked at for conflicts.
_NEIGHBOURS = 12
_MOST_SUPERSEDED = 1_000


def remember(ports: Ports, op: Remember) -> Remembered:
    """Keep a text."""
    op, found = _checked(op, ports.secrets())
    record = plan.memory(op, op.text, ports.new_id(""), ports.clock())
    check.interval(record.valid_from, record.valid_until)
    with ports.store.reading() as reader:
        model = ports.semantics.target(reader)
    vectors = ports.semantics.passages(model, [passage(record)])
    vector = None if vectors is None else vectors[0]
    similar: tuple[Similar, ...] = ()
    if op.similar:
        with ports.store.reading() as reader:
            similar = _similar(reader, record, vector, model, op.similar)
    with ports.store.writing() as tx:
        known = tx.saying(op.scope, [op.text]).get(op.text) if op.once else None
        if known is not None and not op.supersedes:
            others = tuple(one for one in similar if one.record.id != known.id)
            return Remembered(known, created=False, similar=others, redacted=found)
        (made,) = _keep(ports, tx, [(op, record)], {} if vector is None else {record.id: vector},
                        model)
    return Remembered(made, created=True, similar=similar, redacted=found)


def remember_all(ports: Ports, op: RememberAll) -> RememberedAll:
    """Keep many texts in one transaction."""
    check.positive("number of items", len(op.items), _MOST_AT_ONCE)
    # What comes with its vector comes from a store, whose policy has seen it already.
    policy = ports.secrets() if op.vectors is None else Policy.ALLOW
    items = [_checked(item, policy)[0] for item in op.items]
    now = ports.clock()
    records = [plan.memory(item, item.text, ports.new_id(""), now) for item in items]
    for record in records:
        check.interval(record.valid_from, record.valid_until)
    with ports.store.reading() as reader:
        model = ports.semantics.target(reader)
        known = _known(reader, items)
    # The first of several that say the same is the one that is kept.
    fresh: dict[tuple[object, str], tuple[Remember, Record]] = {}
    chosen: list[tuple[object, str]] = []
    for item, record in zip(items, records, strict=True):
        key = (item.scope, item.text) if item.once else (record.id, "")
        chosen.append(key)
        if key not in known:
            fresh.setdefault(key, (item, record))
    if op.vectors is None:
        vectors = _embedded(ports, model, [record for _, record in fresh.values()])
    else:
        vectors = _given(op.vectors, records)
    made: dict[str, Record] = {}
    if fresh:
        with ports.store.writing() as tx:
            kept = _keep(ports, tx, list(fresh.values()), vectors, model)
            made = {record.id: record for record in kept}
    answer = tuple(
        known[key] if key in known else made[fresh[key][1].id] for key in chosen
    )
    return RememberedAll(answer, created=len(made))


def revise(ports: Ports, op: Revise) -> Revised:
    """Correct a record in place."""
    with ports.store.reading() as reader:
        old = mine(reader, [op.id], op.tenant).get(op.id)
        model = ports.semantics.target(reader)
    if old is None:
        raise missing(op.id)
    if op.expected_version not in {None, old.version}:
        raise Conflict(
            f"Record {op.id} is at version {old.version}, not {op.expected_version}. "
            "Read it again and repeat the change.",
            id=op.id,
            version=old.version,
        )
    now = ports.clock()
    new = _revised(op, old, ports.secrets(), now)
    vector = None
    if passage(new) != passage(old) and new.kind is not Kind.ENTITY:
        vectors = ports.semantics.passages(model, [passage(new)])
        vector = None if vectors is None else vectors[0]
    with ports.store.writing() as tx:
        ports.semantics.prepare(tx)
        if vector is not None and tx.serving_model() != model:
            vector = None
        names = Names(ports, tx, op.author, now)
        linked = names.relink(old, new) if new.text != old.text else Plan("", op.author, now)
        tx.apply(
            replace(
                linked,
                verb="revise",
                update=(Entry(new, vector),),
                detail=plan.detail(changed=" ".join(_changed(old, new))),
            )
        )
        record = tx.records([op.id])[op.id]
    # A text that was corrected away is not to be looked up in a cache again.
    if passage(new) != passage(old):
        ports.semantics.forget([passage(old)])
    return Revised(record, previous=old)


def _checked(op: Remember, policy: Policy) -> tuple[Remember, tuple[str, ...]]:
    """The op with every field in order, and the kinds of secrets that were taken out."""
    check.text(op.text)
    for name in ("type", "title", "source", "source_ref", "session", "speaker"):
        check.line(getattr(op, name), name)
    for name in ("tenant", "user", "project"):
        check.line(getattr(op.scope, name), name)
    check.unit("confidence", op.confidence)
    check.unit("importance", op.importance)
    text, found = guard(op.text, policy)
    title, in_title = guard(op.title, policy)
    metadata, in_metadata = guard(check.json_object("metadata", op.metadata), policy)
    kinds = tuple(finding.kind for finding in (*found, *in_title, *in_metadata))
    if kinds:
        op = replace(op, text=text, title=title, metadata=metadata)
    elif metadata != op.metadata:
        op = replace(op, metadata=metadata)
    return op, kinds


def _similar(
    reader: Reader, record: Record, vector: Vector | None, model: Model, most: int
) -> tuple[Similar, ...]:
    """Current records that a reader might take for an older version of this one."""
    whose = record.scope
    where = Where(whose.tenant, whose.user, whose.project, at=record.created_at)
    cosines: dict[int, float] = {}
    if vector is not None and reader.serving_model() == model:
        cosines = {c.seq: c.score for c in reader.nearest(vector, where, _NEIGHBOURS)}
    words = terms(record.text)
    by_words = reader.matching(selective(words, reader.corpus(words)), where, _NEIGHBOURS)
    near = reader.rows(list({*cosines, *(c.seq for c in by_words)}))
    judged = [
        (judge(old.text, record.text, cosines.get(old.seq)), old)
        for old in near.values()
        if old.text != record.text
    ]
    listed = [(verdict, old) for verdict, old in judged if verdict.similar]
    listed.sort(key=lambda one: (-one[0].conflict, -one[0].similarity, one[1].seq))
    return tuple(
        Similar(old, verdict.similarity, verdict.conflict) for verdict, old in listed[:most]
    )


def _keep(
    ports: Ports,
    tx: Writer,
    items: Sequence[tuple[Remember, Record]],
    vectors: dict[str, Vector],
    model: Model,
) -> list[Record]:
    """Write new records with all that belongs to them."""
    ports.semantics.prepare(tx)
    if vectors and tx.serving_model() != model:
        vectors = {}
    now, author = items[0][1].created_at, items[0][0].author
    names = Names(ports, tx, author, now)
    links = names.link([record for _, record in items])
    old = [pair for op, record in items for pair in _replaced(tx, op, record)]
    records = [record for _, record in items]
    made = tx.apply(plan.remembered(records, vectors, names.new, links, old, author, now))
    return made[len(names.new) :]


def _replaced(tx: Writer, op: Remember, record: Record) -> list[tuple[Entry, Edge]]:
    if not op.supersedes:
        return []
    check.positive("number of superseded records", len(op.supersedes), _MOST_SUPERSEDED)
    ids = tuple(dict.fromkeys(op.supersedes))
    found = existing(tx, ids, op.scope.tenant)
    return [plan.superseded(old, record, record.created_at) for old in found]


def _known(reader: Reader, items: Sequence[Remember]) -> dict[tuple[object, str], Record]:
    """What is in the store already, by scope and text."""
    known: dict[tuple[object, str], Record] = {}
    for scope in {item.scope for item in items}:
        texts = [item.text for item in items if item.scope == scope and item.once]
        found = reader.saying(scope, texts) if texts else {}
        known |= {(scope, text): record for text, record in found.items()}
    return known


def _given(vectors: Iterable[Vector], records: Sequence[Record]) -> dict[str, Vector]:
    return {record.id: vector for record, vector in zip(records, vectors, strict=True)}


def _embedded(ports: Ports, model: Model, records: Sequence[Record]) -> dict[str, Vector]:
    vectors = ports.semantics.passages(model, [passage(record) for record in records])
    return {} if vectors is None else _given(vectors, records)


def _revised(op: Revise, old: Record, policy: Policy, now: datetime) -> Record:
    fields = ("text", "type", "title", "confidence", "importance", "event_time", "valid_from")
    given = {name: getattr(op, name) for name in fields if getattr(op, name) is not None}
    if op.text is not None:
        given["text"], _ = guard(check.text(op.text), policy)
    if op.title is not None:
        given["title"], _ = guard(check.line(op.title, "title"), policy)
    if op.type is not None:
        check.line(op.type, "type")
    if op.metadata is not None:
        given["metadata"], _ = guard(check.json_object("metadata", op.metadata), policy)
    for name in ("confidence", "importance"):
        if name in given:
            check.unit(name, given[name])
    new = plan.changed(old, now, **given)
    check.interval(new.valid_from, new.valid_until)
    return new


def _changed(old: Record, new: Record) -> list[str]:
    names = ("text", "type", "title", "confidence", "importance", "metadata", "event_time",
             "valid_from")
    return [name for name in names if getattr(old, name) != getattr(new, name)]

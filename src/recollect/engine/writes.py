"""Handlers that write texts: remember one or many, and revise."""

from __future__ import annotations

from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING

from recollect.engine import asked
from recollect.engine.lasting import lasting
from recollect.engine.named import Named, Names
from recollect.engine.reads import existing, mine, missing
from recollect.errors import Conflict, InvalidRequest
from recollect.model import EVER, Entry, Kind, Plan, Sense, Similar, Where
from recollect.ops import Remembered, RememberedAll, Revised
from recollect.rules import check, entities, plan
from recollect.rules.analyse import passage, terms, tokens
from recollect.rules.bm25 import selective
from recollect.rules.conflict import judge, prepare
from recollect.rules.redact import Policy, guard
from recollect.rules.redact.nested import guard_json
from recollect.value import Value, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence
    from datetime import datetime
    from typing import TypeAlias

    from recollect.embed import Model
    from recollect.engine.ports import Ports
    from recollect.model import Edge, Record, Scope, Vector
    from recollect.ops import Remember, RememberAll, Revise
    from recollect.store import Reader, Writer

    # Scope and text, and all else that is said of it; or the id of what is to be a record of its
    # own whatever it says.
    Said: TypeAlias = tuple[Scope, str, object]
    # And a record that is near, with how near it is where that is known.
    Near: TypeAlias = tuple[Record, float | None]

# What is evidence of something is not among them.
_CORRECTED = {Kind.MEMORY, Kind.ENTITY, Kind.CODE}
_MOST_AT_ONCE = 100_000
# So many are embedded between two looks at how far it is.
_AT_A_TIME = 256
# So many neighbours are looked at for conflicts.
_NEIGHBOURS = 10
_MOST_SUPERSEDED = 1_000
_LINES = ("type", "title", "source", "source_ref", "session", "speaker", "status")
_HAPPENED = "episodic"
_GUARDED = ("text", "metadata", *_LINES)
# What says nothing.
_BARE = {"", "{}"}
# What is JSON, of everything that is guarded.
_NESTED = {"metadata", "metrics", "signals"}
# What else may be said of a text.
_told = attrgetter(*_LINES, "metadata", "confidence", "importance")
_lines = attrgetter(*_LINES)


class Ahead(Value):
    """What is found out of new records while the model is at work on them."""

    known: dict[Said, Record]
    named: Named


def remember(ports: Ports, op: Remember) -> Remembered:
    """Keep a text."""
    op, found = as_kept(op, ports.secrets())
    record = recorded(op, ports.new_id(""), ports.clock())
    with ports.store.reading() as reader:
        model = ports.semantics.target(reader)
    looked_up = ports.beside(partial(_looked_up, ports, op, record))
    senses = embedded(ports, model, [record], needed=op.needs_vector)
    near = _near(ports, record, senses.get(record.id), model) if op.similar else ()
    similar: Callable[[], tuple[Similar, ...]] = _nothing
    ahead = looked_up()
    with ports.store.writing() as tx:
        known = ahead.known if tx.last_event() == ahead.named.event else _known(tx, [op])
        same = known.get(_said(op, record))
        kept = same or keep(ports, tx, [(op, record)], senses, model, named=ahead.named)[0]
        tx.complete()
        if near:
            # Goes on while the disk is waited for.
            similar = ports.beside(partial(_judged, op, record, near))
    return Remembered(kept, created=same is None, similar=similar(), redacted=found)


def _nothing() -> tuple[()]:
    return ()


def remember_all(ports: Ports, op: RememberAll) -> RememberedAll:
    """Keep many texts in one transaction."""
    check.positive("number of items", len(op.items), _MOST_AT_ONCE)
    # What comes with its vector comes from a store, whose policy has seen it already.
    policy = ports.secrets() if op.vectors is None else Policy.ALLOW
    with lasting(len(op.items)):
        items = [_as_kept(place, item, policy) for place, item in enumerate(op.items)]
        now = ports.clock()
        batch = [(item, recorded(item, ports.new_id(""), now)) for item in items]
    said = [_said(*one) for one in batch]
    with ports.store.reading() as reader:
        model = ports.semantics.target(reader)
        known, seen = _known(reader, items), reader.last_event()
    new = _new(said, batch, known)
    senses = _given(op.vectors, batch) if op.vectors is not None else {}
    if op.vectors is None and new:
        senses = embedded(ports, model, [record for _, record in new.values()])
    made: dict[Said, Record] = {}
    if new:
        with lasting(len(new)), ports.store.writing() as tx:
            # Others may have said the same, or forgotten it, while this was embedded.
            if tx.last_event() != seen:
                known = _known(tx, items)
                new = _new(said, batch, known)
            kept = keep(ports, tx, [*new.values()], senses, model) if new else []
            made = dict(zip(new, kept, strict=True))
    answer = known | made
    return RememberedAll(tuple(map(answer.__getitem__, said)), created=len(made))


def revise(ports: Ports, op: Revise) -> Revised:
    """Correct a record in place."""
    with ports.store.reading() as reader:
        old = mine(reader, [op.id], op.tenant, op.kinds).get(op.id)
        model = ports.semantics.target(reader)
    if old is None:
        raise missing(op.id)
    if old.kind not in _CORRECTED:
        raise InvalidRequest(
            f"{op.id} is a {old.kind}, and what was decided, or came of it, is not corrected in"
            " place. Record a new one that supersedes it.",
            field="id",
        )
    still(old, op.expected_version)
    now = ports.clock()
    new = _revised(op, old, ports.secrets(), now)
    if replace(new, version=old.version, updated_at=old.updated_at) == old:
        # Nothing is said that it does not say already: that is no version, and no event.
        return Revised(old, previous=old)
    sense = None
    if passage(new) != passage(old) and new.kind is not Kind.ENTITY:
        senses = ports.semantics.senses(model, [passage(new)], needed=op.needs_vector)
        sense = None if senses is None else senses[0]
    with ports.store.writing() as tx:
        ports.semantics.prepare(tx)
        if tx.serving_model() != model:
            sense = None
        # A description is no text that is found, so it is not linked either.
        told = new.text != old.text and new.kind is not Kind.ENTITY
        names = Names(ports, tx, op.author, now)
        linked = names.relink(old, new) if told else Plan("revise", op.author, now)
        tx.apply(
            replace(
                linked,
                update=(Entry(new, *(sense or ())),),
                detail=plan.detail(changed=" ".join(_changed(old, new))),
            )
        )
        record = tx.records([op.id])[op.id]
    # A text that was corrected away is not to be looked up in a cache again.
    if passage(new) != passage(old):
        ports.semantics.forget([passage(old)])
    return Revised(record, previous=old)


def still(old: Record, version: int | None) -> None:
    """Raise `Conflict` unless a record is at a version still, or none is asked for."""
    if version not in {None, old.version}:
        raise Conflict(
            f"Record {old.id} is at version {old.version}, not {version}. "
            "Read it again and repeat the change.",
            id=old.id,
            version=old.version,
        )


def as_kept(op: Remember, policy: Policy) -> tuple[Remember, tuple[str, ...]]:
    """The op with every field in order, and the kinds of secrets that were taken out."""
    check.text(op.text)
    for name, line in zip(_LINES, _lines(op), strict=True):
        check.line(line, name)
    scope = asked.scope(op.scope, policy)
    if scope is not op.scope:
        op = replace(op, scope=scope)
    asked.times(event_time=op.event_time, valid_from=op.valid_from, valid_until=op.valid_until)
    check.unit("confidence", op.confidence)
    check.unit("importance", op.importance)
    asked.natural("similar", op.similar)
    metadata = check.json_object("metadata", op.metadata)
    if metadata != op.metadata:
        op = replace(op, metadata=metadata)
    if policy is Policy.ALLOW:
        return op, ()
    kept, kinds = guarded({name: getattr(op, name) for name in _GUARDED}, policy)
    return (replace(op, **kept) if kinds else op), kinds


def _as_kept(place: int, op: Remember, policy: Policy) -> Remember:
    """The same of one of many; what is wrong says which one it is about."""
    try:
        return as_kept(op, policy)[0]
    except InvalidRequest as error:
        raise type(error)(str(error), **(error.facts | {"item": place})) from None


def guarded(said: dict[str, str], policy: Policy) -> tuple[dict[str, str], tuple[str, ...]]:
    """What was said as it may be kept, and the kinds of secrets that were taken out."""
    if policy is Policy.ALLOW:
        return said, ()
    kept: dict[str, str] = {}
    kinds: list[str] = []
    for name, text in said.items():
        if text in _BARE:
            kept[name] = text
            continue
        kept[name], found = (guard_json if name in _NESTED else guard)(text, policy)
        kinds += [finding.kind for finding in found]
    return kept, tuple(kinds)


def recorded(op: Remember, id_: str, now: datetime) -> Record:
    """The record that an op comes to."""
    if op.valid_until and op.valid_until < now and not (op.valid_from or op.event_time):
        # It was true until then, and nobody said since when.
        op = replace(op, valid_from=EVER, event_time=op.valid_until)
    record = plan.memory(op, op.text, id_, now)
    check.interval(record.valid_from, record.valid_until)
    return record


def _once(op: Remember) -> bool:
    # What takes the place of others is told apart from what was there before.
    return op.once and not op.supersedes


def _said(op: Remember, record: Record) -> Said:
    """What two have in common that are to be one record."""
    if not _once(op):
        return op.scope, op.text, record.id
    # What happens may happen again: told of another time, it is something else.
    when = record.event_time if op.event_time and op.type == _HAPPENED else None
    return op.scope, op.text, (_told(record), when)


def _new(
    said: Sequence[Said], batch: Sequence[tuple[Remember, Record]], known: Container[Said]
) -> dict[Said, tuple[Remember, Record]]:
    """What is not known yet, the first of several that say the same."""
    new: dict[Said, tuple[Remember, Record]] = {}
    for one, pair in zip(said, batch, strict=True):
        if one not in known:
            new.setdefault(one, pair)
    return new


def _looked_up(ports: Ports, op: Remember, record: Record) -> Ahead:
    # Soon asked for again, and then known.
    tokens(passage(record))
    if op.similar:
        prepare(record.text)
    with ports.store.reading() as reader:
        names = Names(ports, reader, op.author, record.created_at)
        return Ahead(_known(reader, [op]), names.named([record]))


def _near(
    ports: Ports, record: Record, sense: Sense | None, model: Model | None
) -> tuple[Near, ...]:
    """The current records that are nearest to this one, and how near each is."""
    whose = record.scope
    # What belongs to no project may be at odds with what was said in any.
    where = Where(whose.tenant, whose.user, whose.project or None, at=record.created_at)
    cosines: dict[int, float] = {}
    with ports.store.reading() as reader:
        if sense is not None and reader.serving_model() == model:
            cosines = {c.seq: c.score for c in reader.nearest(sense.vector, where, _NEIGHBOURS)}
        near = reader.rows(list(cosines) or _by_words(reader, record.text, where))
    return tuple((old, cosines.get(old.seq)) for old in near.values())


def _judged(op: Remember, record: Record, near: Sequence[Near]) -> tuple[Similar, ...]:
    """Those that a reader might take for an older version of this one.

    What it is said to take the place of need not be named.
    """
    judged = [
        (judge(old.text, record.text, cosine), old)
        for old, cosine in near
        # What holds only until its successor begins is settled already.
        if old.text != record.text and old.id not in op.supersedes and not old.superseded_by
    ]
    listed = [(verdict, old) for verdict, old in judged if verdict.similar]
    listed.sort(key=lambda one: (-one[0].conflict, -one[0].similarity, one[1].seq))
    return tuple(
        Similar(old, verdict.similarity, verdict.conflict) for verdict, old in listed[: op.similar]
    )


def _by_words(reader: Reader, text: str, where: Where) -> list[int]:
    """The neighbours while there is no vector to find them by."""
    words = terms(text)
    chosen = selective(words, reader.corpus(words))[:_NEIGHBOURS]
    return [found.seq for found in reader.matching(chosen, where, _NEIGHBOURS)]


def keep(  # noqa: PLR0913, PLR0917 -- what a transaction writes, and where
    ports: Ports,
    tx: Writer,
    items: Sequence[tuple[Remember, Record]],
    senses: dict[str, Sense],
    model: Model | None,
    detail: str = "{}",
    named: Named | None = None,
) -> list[Record]:
    """Write new records with all that belongs to them; the detail goes into the ledger."""
    ports.semantics.prepare(tx)
    if senses and (model is None or tx.serving_model() != model):
        senses = {}
    now, author = items[0][1].created_at, items[0][0].author
    records = [record for _, record in items]
    if named is None or named.event != tx.last_event():
        named = Names(ports, tx, author, now).named(records)
    old = [pair for op, record in items for pair in _replaced(tx, op, record)]
    whole = plan.remembered(records, senses, named.new, named.edges, old, author, now, detail)
    return tx.apply(whole)[len(named.new) :]


def _replaced(tx: Writer, op: Remember, record: Record) -> list[tuple[Entry, Edge]]:
    if not op.supersedes:
        return []
    check.positive("number of superseded records", len(op.supersedes), _MOST_SUPERSEDED)
    ids = tuple(dict.fromkeys(op.supersedes))
    found = existing(tx, ids, op.scope.tenant)
    return [plan.superseded(old, record, record.created_at) for old in found]


def _known(reader: Reader, items: Sequence[Remember]) -> dict[Said, Record]:
    """What is in the store already."""
    texts: dict[Scope, list[str]] = {}
    for item in items:
        if _once(item):
            texts.setdefault(item.scope, []).append(item.text)
    # Of several that are alike the oldest, which comes last.
    return {
        (scope, record.text, (_told(record), when)): record
        for scope, several in texts.items()
        for record in reversed(reader.saying(scope, several))
        for when in (None, record.event_time)
    }


def _given(vectors: Sequence[Vector], batch: Sequence[tuple[Remember, Record]]) -> dict[str, Sense]:
    if len(vectors) != len(batch):
        raise InvalidRequest(
            f"There are {len(vectors)} vectors for {len(batch)} items. Give one for each, or none.",
            field="vectors",
        )
    return {one.id: Sense(vector) for (_, one), vector in zip(batch, vectors, strict=True)}


def embedded(
    ports: Ports, model: Model | None, records: Sequence[Record], *, needed: bool = False
) -> dict[str, Sense]:
    """What new records mean, by id; nothing while there is no model, unless it is needed."""
    found: dict[str, Sense] = {}
    for start in range(0, len(records), _AT_A_TIME):
        some = records[start : start + _AT_A_TIME]
        senses = ports.semantics.senses(model, [passage(one) for one in some], needed=needed)
        if senses is None:
            return {}
        found |= {record.id: sense for record, sense in zip(some, senses, strict=True)}
        ports.report(len(found), len(records), "making vectors")
    return found


def _revised(op: Revise, old: Record, policy: Policy, now: datetime) -> Record:
    fields = ("text", "type", "title", "confidence", "importance", "event_time", "valid_from")
    given = {name: getattr(op, name) for name in fields if getattr(op, name) is not None}
    asked.times(event_time=op.event_time, valid_from=op.valid_from)
    if op.text is not None:
        check.text(op.text)
    for name in {"title", "type"} & given.keys():
        check.line(given[name], name)
    for name in {"confidence", "importance"} & given.keys():
        given[name] = check.unit(name, given[name])
    if op.metadata is not None:
        given["metadata"] = check.json_object("metadata", op.metadata)
    given |= guarded({name: given[name] for name in _GUARDED if name in given}, policy)[0]
    if old.kind is Kind.ENTITY:
        given |= _renamed(given.get("title", old.title))
    new = plan.changed(old, now, **given)
    check.interval(new.valid_from, new.valid_until)
    return new


def _renamed(name: str) -> dict[str, str]:
    """An entity is found by its name, and is described once somebody has changed it."""
    key = entities.key(name)
    if not key:
        raise InvalidRequest("title is an entity's name. Give it one.", field="title")
    return {"key": key, "status": plan.DESCRIBED}


def _changed(old: Record, new: Record) -> list[str]:
    names = (
        "text",
        "type",
        "title",
        "confidence",
        "importance",
        "metadata",
        "event_time",
        "valid_from",
    )
    return [name for name in names if getattr(old, name) != getattr(new, name)]

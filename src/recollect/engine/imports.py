"""Handler of imports: reads what other programs wrote down, and keeps what is not known yet."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.engine import asked, files, graph
from recollect.engine.named import Names
from recollect.engine.ports import BATCH, RELATION
from recollect.engine.writes import as_kept, embedded, keep, recorded
from recollect.errors import InvalidRequest, SecretFound
from recollect.model import Author, AuthorKind, Edge, Entry, Link, Plan
from recollect.ops import Describe, Imported, Remember
from recollect.rules import check, entities, foreign, plan
from recollect.rules.foreign import Cargo, Format
from recollect.rules.redact import Policy
from recollect.rules.worth import CANDIDATE
from recollect.value import Value, replace

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from datetime import datetime

    from recollect.engine.files import Document
    from recollect.engine.ports import Ports
    from recollect.model import Record, Scope
    from recollect.ops import Import
    from recollect.rules.foreign import Fact, Thing, Tie
    from recollect.store import Reader, Writer

_MOST_SOURCES = 1_000
_MOST_AT_ONCE = 100_000
_LARGEST = 256 * 1024 * 1024
_LONGEST_TYPE = 100


class Item(Value):
    """A fact as it may be kept."""

    fact: Fact
    op: Remember
    redacted: bool


class Lot(Value):
    """All that the files of one import hold and that may be kept."""

    formats: tuple[str, ...]
    files: int
    items: tuple[Item, ...]
    things: tuple[Thing, ...]
    ties: tuple[Tie, ...]
    skipped: tuple[str, ...]


class News(Value):
    """What of a lot the store does not have yet, and how many items it has."""

    items: tuple[Item, ...]
    things: tuple[Thing, ...]
    ties: tuple[Tie, ...]
    # Relations with an end that nobody knows.
    loose: tuple[str, ...]
    known: int


def take_in(ports: Ports, op: Import) -> Imported:
    """Keep what other programs remembered, each thing once."""
    op = replace(op, scope=asked.scope(op.scope, ports.secrets()))
    check.positive("number of sources", len(op.sources), _MOST_SOURCES)
    lot = _lot(ports, op)
    asked.natural("number of items", len(lot.items) + len(lot.things), _MOST_AT_ONCE)
    now = ports.clock()
    with ports.store.reading() as reader:
        model, seen = ports.semantics.target(reader), reader.last_event()
        news = _news(reader, op.scope, lot)
    made = {id(item.fact): recorded(item.op, ports.new_id(""), now) for item in news.items}
    if op.dry_run or not (news.items or news.things or news.ties):
        return _answer("", lot, news, tuple(made.values()))
    senses = embedded(ports, model, list(made.values()))
    batch = ports.new_id(BATCH)
    with ports.store.writing() as tx:
        # Somebody else may have brought the same meanwhile.
        if tx.last_event() != seen:
            late = _news(tx, op.scope, lot)
            mine = tuple(item for item in late.items if id(item.fact) in made)
            news = replace(late, items=mine)
        into = _Into(ports, tx, op, batch, now)
        into.describe(news.things)
        pairs = [(item.op, made[id(item.fact)]) for item in news.items]
        kept = keep(ports, tx, pairs, senses, model, into.detail) if pairs else []
        into.relate(news, kept)
    return _answer(batch, lot, news, tuple(kept))


class _Into:
    """One transaction that a batch goes into."""

    def __init__(self, ports: Ports, tx: Writer, op: Import, batch: str, now: datetime) -> None:
        self._ports = ports
        self._tx = tx
        self._op = op
        self._now = now
        self.detail = plan.detail(batch=batch, by="import")

    def describe(self, things: Sequence[Thing]) -> None:
        """Name what the files name."""
        op, tx, now = self._op, self._tx, self._now
        known = tx.named(op.scope, [entities.key(thing.name) for thing in things])
        names = Names(self._ports, tx, op.author, now)
        insert: list[Entry] = []
        update: list[Entry] = []
        link: list[Edge] = []
        for thing in things:
            key = entities.key(thing.name)
            described = replace(
                known.get(key) or self._entity(thing, key),
                status=plan.DESCRIBED,
                type=thing.type or (known[key].type if key in known else ""),
            )
            if key in known:
                update.append(Entry(plan.changed(described, now)))
            else:
                insert.append(Entry(described))
            link += names.spoken_of(described)
        self._apply("describe", tuple(insert), tuple(update), tuple(link))

    def relate(self, news: News, kept: Sequence[Record]) -> None:
        """Draw the relations, and link each fact to what it is about."""
        now, tx = self._now, self._tx
        ends = [end for tie in news.ties for end in (tie.src, tie.dst)]
        abouts = [item.fact.about for item in news.items if item.fact.about]
        found = tx.named(self._op.scope, [entities.key(name) for name in (*ends, *abouts)])
        drawn = [
            Edge(
                found[entities.key(tie.src)].id,
                tie.type,
                found[entities.key(tie.dst)].id,
                now,
                now,
                id=self._ports.new_id(RELATION),
            )
            for tie in news.ties
        ]
        about = [
            Edge(record.id, Link.ABOUT, found[entities.key(item.fact.about)].id, now, now)
            for item, record in zip(news.items, kept, strict=True)
            if entities.key(item.fact.about) in found
        ]
        self._apply("relate", link=(*drawn, *about))

    def _apply(
        self,
        verb: str,
        insert: tuple[Entry, ...] = (),
        update: tuple[Entry, ...] = (),
        link: tuple[Edge, ...] = (),
    ) -> None:
        if insert or update or link:
            step = Plan(verb, self._op.author, self._now, insert, update, link, detail=self.detail)
            self._tx.apply(step)

    def _entity(self, thing: Thing, key: str) -> Record:
        id_ = self._ports.new_id("ent_")
        name = thing.name.strip()
        return plan.entity(id_, self._op.scope, name, key, self._op.author, self._now, thing.type)


def _lot(ports: Ports, op: Import) -> Lot:
    found = files.read(op.sources, op.roots, foreign.is_carrier, _LARGEST)
    formats: dict[str, None] = {}
    cargos: list[Cargo] = []
    skipped = list(found.skipped)
    for document in found.documents:
        format_ = _format(op, document)
        if format_ is None:
            known = ", ".join(Format)
            skipped.append(
                f"{document.name}: is of no format that is known; --format names it: {known}"
            )
            continue
        formats[format_] = None
        cargos.append(foreign.read(format_, document.name, document.text))
    skipped += [reason for cargo in cargos for reason in cargo.left_out]
    items = list(_items(ports, op, (fact for cargo in cargos for fact in cargo.facts), skipped))
    things = list(_things(ports, op, (one for cargo in cargos for one in cargo.things), skipped))
    ties = list(_ties((tie for cargo in cargos for tie in cargo.ties), skipped))
    return Lot(
        tuple(formats), len(cargos), tuple(items), tuple(things), tuple(ties), tuple(skipped)
    )


def _format(op: Import, document: Document) -> Format | None:
    if not op.format:
        return foreign.recognise(document.name, document.text)
    try:
        return Format(op.format)
    except ValueError:
        raise InvalidRequest(
            f"There is no format {op.format!r}; choose one of: {', '.join(Format)}.",
            field="format",
        ) from None


def _items(ports: Ports, op: Import, facts: Iterable[Fact], skipped: list[str]) -> Iterator[Item]:
    """The facts that may be kept. One that may not holds up none of the others."""
    policy = ports.secrets()
    for fact in facts:
        try:
            # Who spoke to an agent did not think of a memory, so nothing is refused for it.
            spoken = fact.status == CANDIDATE and policy is Policy.BLOCK
            item = _remember(op, fact)
            kept, redacted = as_kept(item, Policy.REDACT if spoken else policy)
            recorded(kept, "", ports.clock())
        except SecretFound as error:
            skipped.append(f"{fact.place}: holds what looks like a live secret: {_secret(error)}")
        except InvalidRequest as error:
            skipped.append(f"{fact.place}: {error}")
        else:
            yield Item(fact, kept, bool(redacted))


def _secret(error: SecretFound) -> str:
    return f"{error.facts['kind']}. Take it out, or set RECOLLECT_SECRETS=redact"


def _remember(op: Import, fact: Fact) -> Remember:
    return Remember(
        fact.text,
        scope=replace(
            op.scope,
            user=op.scope.user or fact.user,
            project=op.scope.project or fact.project,
        ),
        # What a rule took out of an agent's conversation is not a person's word.
        author=Author(AuthorKind.AGENT, fact.source) if fact.status == CANDIDATE else op.author,
        type=fact.type,
        title=fact.title,
        event_time=fact.at,
        source=fact.source,
        source_ref=files.ref(fact.ref),
        session=fact.session,
        speaker=fact.speaker,
        metadata=fact.metadata,
        status=fact.status,
        confidence=fact.confidence,
        once=False,
        similar=0,
    )


def _things(
    ports: Ports, op: Import, things: Iterable[Thing], skipped: list[str]
) -> Iterator[Thing]:
    seen: set[str] = set()
    for thing in things:
        key = entities.key(thing.name)
        try:
            graph.checked(Describe(thing.name, op.scope, op.author, thing.type), ports.secrets())
        except InvalidRequest as error:
            skipped.append(f"{thing.place}: {error}")
            continue
        if not key:
            skipped.append(f"{thing.place}: the name of an entity has no letter or digit")
        elif key not in seen:
            seen.add(key)
            yield thing


def _ties(ties: Iterable[Tie], skipped: list[str]) -> Iterator[Tie]:
    seen: set[tuple[str, str, str]] = set()
    for tie in ties:
        try:
            check.text(tie.type, "relation type", _LONGEST_TYPE)
        except InvalidRequest as error:
            skipped.append(f"{tie.place}: {error}")
            continue
        ends = entities.key(tie.src), tie.type, entities.key(tie.dst)
        if tie.type == Link.SUPERSEDES:
            skipped.append(f"{tie.place}: a relation may not be called 'supersedes'")
        elif ends not in seen:
            seen.add(ends)
            yield tie


def _news(reader: Reader, scope: Scope, lot: Lot) -> News:
    """What the store does not have yet, each item with what it takes the place of."""
    items = list(_new_items(reader, lot.items))
    keys = {thing: entities.key(thing.name) for thing in lot.things}
    ends = [entities.key(end) for tie in lot.ties for end in (tie.src, tie.dst)]
    found = reader.named(scope, [*dict.fromkeys((*keys.values(), *ends))])
    things = tuple(thing for thing, key in keys.items() if not _is_said(found.get(key), thing))
    names = {*found, *keys.values()}
    ties: list[Tie] = []
    loose: list[str] = []
    for tie in lot.ties:
        src, dst = entities.key(tie.src), entities.key(tie.dst)
        if unknown := [end for end in (tie.src, tie.dst) if entities.key(end) not in names]:
            loose.append(f"{tie.place}: relates to {unknown[0][:60]!r}, which is no entity here")
        elif not _is_drawn(reader, found.get(src), tie.type, found.get(dst)):
            ties.append(tie)
    return News(tuple(items), things, tuple(ties), tuple(loose), len(lot.items) - len(items))


def _is_said(known: Record | None, thing: Thing) -> bool:
    """Whether an entity is known, and as all that the file calls it."""
    if known is None or known.status != plan.DESCRIBED:
        return False
    return not thing.type or known.type == thing.type


def _is_drawn(reader: Reader, src: Record | None, type_: str, dst: Record | None) -> bool:
    if src is None or dst is None:
        return False
    return any(edge.dst == dst.id for edge in reader.edges([src.id], "outgoing", [type_]))


def _new_items(reader: Reader, items: Sequence[Item]) -> Iterator[Item]:
    for scope in dict.fromkeys(item.op.scope for item in items):
        mine = [item for item in items if item.op.scope == scope]
        said = {record.text for record in reader.saying(scope, [item.op.text for item in mine])}
        places = dict.fromkeys(item.op.source_ref.partition("#")[0] for item in mine)
        told = [record for place in places for record in reader.sourced(scope, place)]
        # What somebody ended stays ended, though its source still says it.
        known = said | {record.text for record in told}
        now = {item.op.source_ref: item.op.text for item in mine}
        before = {
            record.source_ref: record.id
            for record in told
            if record.valid_until is None and record.text != now.get(record.source_ref)
        }
        for item in mine:
            if item.op.text in known:
                continue
            known.add(item.op.text)
            old = before.pop(item.op.source_ref, None) if item.fact.replaces else None
            yield replace(item, op=replace(item.op, supersedes=(old,))) if old else item


def _answer(batch: str, lot: Lot, news: News, records: tuple[Record, ...]) -> Imported:
    return Imported(
        batch=batch,
        formats=lot.formats,
        files=lot.files,
        records=records,
        known=news.known,
        entities=len(news.things),
        relations=len(news.ties),
        redacted=sum(item.redacted for item in news.items),
        skipped=(*lot.skipped, *news.loose),
    )

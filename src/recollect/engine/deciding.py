"""Handler that records decisions, and what they take the place of."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from recollect.decisions import Decided, Stand
from recollect.engine import aside, asked
from recollect.engine.named import Names
from recollect.engine.ports import prefix_of
from recollect.engine.reads import existing
from recollect.engine.writes import embedded, guarded
from recollect.errors import Conflict, InvalidRequest, TooOften, Unavailable
from recollect.model import AuthorKind, Entry, Kind, Plan, Where
from recollect.rules import check, plan
from recollect.rules.decide import read, record
from recollect.rules.domain import detect
from recollect.value import replace

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from recollect.decisions import Decide
    from recollect.embed import Model
    from recollect.engine.ports import Ports
    from recollect.model import Author, Edge, Record, Sense
    from recollect.rules.redact import Policy
    from recollect.store import Reader, Writer

RISKS = ("", "low", "medium", "high")
_TEXTS = ("statement", "reasoning")
_LINES = ("target", "module", "session", "file_path", "pr", "commit", "source_ref")
_LISTS = ("consequences", "alternatives", "assumptions")
_MOST = 100
_LONGEST = 10_000
_NEIGHBOURS = 5


def decide(ports: Ports, op: Decide) -> Decided:
    """Record a decision."""
    op, found = as_kept(op, ports.secrets())
    now = ports.clock()
    try:
        return _decide(ports, op, found, now)
    except Unavailable as error:
        # What governs or replaces something has to be seen against what is there.
        if op.target or op.supersedes or not aside.away(ports, error):
            raise
    domain = detect(op.statement, op.module, (), op.reasoning)
    new = record(op, ports.new_id(prefix_of(Kind.DECISION)), domain, now)
    aside.wait(ports, new)
    return Decided(read(new), (), found, queued=True)


def _decide(ports: Ports, op: Decide, found: tuple[str, ...], now: datetime) -> Decided:
    new = record(op, ports.new_id(prefix_of(Kind.DECISION)), op.module, now)
    with ports.store.reading() as reader:
        model = ports.semantics.target(reader)
    sense = embedded(ports, model, [new]).get(new.id)
    with ports.store.reading() as reader:
        domain = domain_of(reader, op.statement, op.module, op.reasoning, sense, model, op)
    if domain != new.type:
        new = record(op, new.id, domain, now)
    with ports.store.writing() as tx:
        _wait(tx, ports.governance.cooldown, op.author, op.scope.tenant, now)
        old = _replaced(tx, op)
        made, ended = keep(ports, tx, new, sense, model, old, now)
        standing = _standing(tx, made)
    return Decided(read(made), tuple(map(read, ended)), found, standing=tuple(map(read, standing)))


def keep(  # noqa: PLR0913, PLR0917 -- what belongs to one decision
    ports: Ports,
    tx: Writer,
    new: Record,
    sense: Sense | None,
    model: Model | None,
    old: Sequence[Record],
    now: datetime,
    *further: Edge,
) -> tuple[Record, list[Record]]:
    """Write a decision, end those that it takes the place of, and answer all as they are then."""
    ports.semantics.prepare(tx)
    if tx.serving_model() != model:
        sense = None
    names = Names(ports, tx, new.author, now)
    links = names.link([new])
    ended = [plan.superseded(one, new, now, now) for one in old]
    tx.apply(
        Plan(
            "decide",
            new.author,
            now,
            insert=(*(Entry(named) for named in names.new), Entry(new, *(sense or ()))),
            update=tuple(entry for entry, _ in ended),
            link=(*links, *(edge for _, edge in ended), *further),
            detail=plan.detail(supersedes=" ".join(one.id for one in old)),
        )
    )
    after = tx.records([new.id, *(one.id for one in old)])
    return after[new.id], [after[one.id] for one in old]


def domain_of(  # noqa: PLR0913, PLR0917 -- what a domain is told by
    reader: Reader,
    statement: str,
    given: str,
    reasoning: str,
    sense: Sense | None,
    model: Model | None,
    op: Decide,
) -> str:
    """The domain of a decision: given, told by its words, or that of its neighbours."""
    found = detect(statement, given, (), reasoning)
    if found != detect("") or sense is None or reader.serving_model() != model:
        return found
    where = Where(op.scope.tenant, op.scope.user or None, kinds=(Kind.DECISION,))
    near = reader.nearest(sense.vector, where, _NEIGHBOURS)
    known = reader.rows([one.seq for one in near])
    return detect(statement, "", [(known[one.seq].type, one.score) for one in near], reasoning)


def as_kept(op: Decide, policy: Policy) -> tuple[Decide, tuple[str, ...]]:
    """The op with every field in order, and the kinds of secrets that were taken out."""
    check.text(op.statement, "statement", _LONGEST)
    if op.reasoning:
        check.text(op.reasoning, "reasoning")
    if op.target:
        check.line(op.statement, "statement")
    for name in _LINES:
        check.line(getattr(op, name), name)
    for name in _LISTS:
        each_of(name, getattr(op, name))
    op = replace(op, scope=asked.scope(op.scope, policy))
    asked.times(event_time=op.event_time)
    if op.risk not in RISKS:
        raise InvalidRequest(f"risk is one of {', '.join(RISKS[1:])}.", field="risk")
    if op.confidence is not None:
        check.unit("confidence", op.confidence)
    op = replace(op, metadata=check.json_object("metadata", op.metadata))
    texts = (*_TEXTS, *_LINES, "metadata")
    kept, kinds = guarded({name: getattr(op, name) for name in texts}, policy)
    for name in _LISTS:
        said = {str(place): text for place, text in enumerate(getattr(op, name))}
        clean, more = guarded(said, policy)
        kinds += more
        op = replace(op, **{name: tuple(clean.values())})
    return replace(op, **kept), kinds


def each_of(name: str, said: Sequence[str]) -> None:
    """Check a list of short texts."""
    if len(said) > _MOST:
        raise InvalidRequest(f"{name} has {len(said)} items; give at most {_MOST}", field=name)
    for place, text in enumerate(said):
        check.text(text, f"{name}[{place}]", _LONGEST)


def _wait(tx: Writer, cooldown: float, author: Author, tenant: str, now: datetime) -> None:
    """Raise `TooOften` where this agent has decided something a moment ago."""
    if not cooldown or author.kind is not AuthorKind.AGENT:
        return
    since = now - timedelta(seconds=cooldown)
    where = Where(tenant, kinds=(Kind.DECISION,))
    start = 0
    while page := tx.page(where, _MOST, start):
        for one in page:
            if one.created_at <= since:
                return
            if one.author == author:
                left = (one.created_at - since).total_seconds()
                raise TooOften(
                    f"Decisions of one agent are {cooldown:g} seconds apart. Nothing was recorded;"
                    f" try again in {left:.0f} seconds.",
                    retry_after=left,
                )
        start += len(page)


def _standing(tx: Reader, new: Record) -> list[Record]:
    """The others that govern what a decision governs, newest first."""
    if not new.key or new.status != Stand.ACTIVE:
        return []
    where = Where(new.scope.tenant, kinds=(Kind.DECISION,), statuses=(Stand.ACTIVE.value,))
    alike = [one for one in tx.keyed(where, [new.key]) if one.scope == new.scope]
    return [one for one in reversed(alike) if one.id != new.id][:_NEIGHBOURS]


def _replaced(tx: Writer, op: Decide) -> list[Record]:
    if len(op.supersedes) > _MOST:
        raise InvalidRequest(f"At most {_MOST} decisions are superseded at once.", field="old")
    ids = tuple(dict.fromkeys(op.supersedes))
    old = existing(tx, ids, op.scope.tenant, (Kind.DECISION,))
    for one in old:
        if one.status != Stand.ACTIVE:
            by = f" by {one.superseded_by}" if one.superseded_by else ""
            raise Conflict(
                f"Decision {one.id} is {one.status}{by}, and only an active one is superseded."
                " Search again for the one that stands.",
                id=one.id,
                status=one.status,
            )
    return old

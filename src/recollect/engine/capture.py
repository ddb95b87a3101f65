"""Handler of what is kept at the end of a turn: facts and decisions, as candidates, each once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.engine import asked
from recollect.engine.ports import BATCH
from recollect.engine.writes import as_kept, keep, recorded
from recollect.errors import InvalidRequest
from recollect.model import Author, AuthorKind
from recollect.ops import Captured, Remember
from recollect.rules import check, plan
from recollect.rules.redact import Policy
from recollect.rules.worth import CANDIDATE, USER, worth

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recollect.engine.ports import Ports
    from recollect.model import Record
    from recollect.ops import Capture
    from recollect.store import Reader

_MOST_SAID = 1_000


def capture(ports: Ports, op: Capture) -> Captured:
    """Keep what of a turn is worth keeping and not known yet. Waits for no model."""
    asked.scope(op.scope)
    asked.natural("number of messages", len(op.said), _MOST_SAID)
    for name in ("source", "session"):
        check.line(getattr(op, name), name)
    items = {" ".join(item.text.lower().split()): item for item in _items(ports, op)}
    if not items:
        return Captured("", (), 0)
    with ports.store.reading() as reader:
        known = _known(reader, op, list(items.values()))
    new = [item for said, item in items.items() if said not in known]
    if not new:
        return Captured("", (), len(items))
    now = ports.clock()
    with ports.store.writing() as tx:
        known = _known(tx, op, new)
        pairs = [
            (item, recorded(item, ports.new_id(""), now))
            for said, item in items.items()
            if item in new and said not in known
        ]
        model = ports.semantics.target(tx)
        batch = ports.new_id(BATCH)
        detail = plan.detail(batch=batch, by="hook")
        kept: list[Record] = keep(ports, tx, pairs, {}, model, detail) if pairs else []
    return Captured(batch if kept else "", tuple(kept), len(items) - len(kept))


def _items(ports: Ports, op: Capture) -> Iterator[Remember]:
    # Whoever speaks to an agent does not think of the memory that listens, so nothing is refused.
    policy = ports.secrets()
    policy = policy if policy is Policy.ALLOW else Policy.REDACT
    for said in op.said:
        for found in worth(said.text, said.role):
            item = Remember(
                found.text,
                scope=op.scope,
                author=Author(AuthorKind.AGENT, op.source),
                type=found.type,
                event_time=said.at,
                source=op.source,
                source_ref=f"{op.source}#{op.session}",
                session=op.session,
                speaker="" if said.role == USER else said.role,
                status=CANDIDATE,
                confidence=found.confidence,
                once=False,
                similar=0,
            )
            try:
                yield as_kept(item, policy)[0]
            except InvalidRequest:
                # Half a surrogate pair, say: the turn goes on without this sentence.
                continue


def _known(reader: Reader, op: Capture, items: list[Remember]) -> set[str]:
    """What is kept already in the same words, or was, and was ended."""
    said = reader.saying(op.scope, [item.text for item in items])
    told = reader.sourced(op.scope, op.source)
    return {" ".join(record.text.lower().split()) for record in (*said, *told)}

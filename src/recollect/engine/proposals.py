"""Handlers of proposals: list, accept, reject; and the files in which people read them."""

from __future__ import annotations

import os
from contextlib import suppress
from datetime import timedelta
from typing import TYPE_CHECKING

from recollect.decisions import Accepted, Decide, Proposals, Rejected, Stand
from recollect.decisions import Proposal as Proposed
from recollect.engine import asked
from recollect.engine.deciding import domain_of, keep
from recollect.engine.ports import prefix_of
from recollect.engine.reads import existing
from recollect.engine.whole import write
from recollect.engine.writes import embedded
from recollect.errors import Conflict, TooEarly, Unavailable
from recollect.model import Author, AuthorKind, Edge, Entry, Kind, Link, Plan, Record, Where
from recollect.rules import check, plan
from recollect.rules import propose as pages
from recollect.rules.decide import read, record, target, written

if TYPE_CHECKING:
    from datetime import datetime

    from recollect.decisions import AcceptProposal, Draft, ListProposals, RejectProposal
    from recollect.engine.ports import Ports
    from recollect.store import Reader, Writer

# For so long a proposal is only to be read.
REVIEW = timedelta(hours=1)
# Who proposes. No person is behind it.
REFLECTION = Author(AuthorKind.AGENT, "reflection")
_MOST = 1_000


def accept(ports: Ports, op: AcceptProposal) -> Accepted:
    """Make a draft a decision."""
    now = ports.clock()
    with ports.store.reading() as reader:
        draft = _draft(reader, op.id, op.tenant)
        model = ports.semantics.target(reader)
    _reviewed(draft, now)
    proposal = pages.read(draft)
    decide = Decide(
        proposal.title,
        proposal.reasons,
        draft.key or proposal.title,
        scope=draft.scope,
        author=op.author,
        source_ref=draft.id,
    )
    new = record(decide, ports.new_id(prefix_of(Kind.DECISION)), "", now)
    sense = embedded(ports, model, [new]).get(new.id)
    with ports.store.reading() as reader:
        domain = domain_of(reader, proposal.title, "", proposal.reasons, sense, model, decide)
    new = record(decide, new.id, domain, now)
    with ports.store.writing() as tx:
        draft = _draft(tx, op.id, op.tenant)
        old = existing(tx, proposal.supersedes, op.tenant, (Kind.DECISION,))
        if over := [one.id for one in old if one.status != Stand.ACTIVE]:
            raise Conflict(
                f"Decision {over[0]}, which the proposal would replace, does not stand any more."
                " Reject the proposal, and reflect again.",
                id=over[0],
            )
        _end(tx, draft, op, pages.ACCEPTED, now)
        came_of = Edge(draft.id, Link.EVIDENCE_FOR, new.id, now, now)
        made, _ = keep(ports, tx, new, sense, model, old, now, came_of)
        after = tx.records([draft.id])[draft.id]
    in_step(ports, op.tenant)
    return Accepted(pages.read(after), read(made))


def propose(ports: Ports, tx: Writer, draft: Draft) -> Record:
    """Write a draft, with its evidence."""
    ports.semantics.prepare(tx)
    now = ports.clock()
    place = 0
    while tx.records([id_ := pages.name(draft.title, now, place)]):
        place += 1
    new = Record(
        id=id_,
        kind=Kind.PROPOSAL,
        scope=draft.scope,
        author=REFLECTION,
        text=draft.reasons,
        created_at=now,
        updated_at=now,
        event_time=now,
        valid_from=now,
        title=draft.title,
        key=target(draft.target),
        status=pages.DRAFT,
        facts=written({"supersedes": draft.supersedes}),
    )
    links = [Edge(one, Link.EVIDENCE_FOR, id_, now, now) for one in draft.evidence]
    # Proposals are few, so the lock may wait for the vector.
    sense = embedded(ports, tx.serving_model(), [new]).get(id_)
    entry = Entry(new, *(sense or ()))
    (made,) = tx.apply(Plan("propose", REFLECTION, now, insert=(entry,), link=tuple(links)))
    return made


def reject(ports: Ports, op: RejectProposal) -> Rejected:
    """Say that a draft becomes nothing."""
    reason = asked.reason(ports, op.reason)
    now = ports.clock()
    with ports.store.writing() as tx:
        _end(tx, _draft(tx, op.id, op.tenant), op, pages.REJECTED, now, reason)
        after = tx.records([op.id])[op.id]
    in_step(ports, op.tenant)
    return Rejected(pages.read(after))


def page(ports: Ports, op: ListProposals) -> Proposals:
    """List proposals, and see to it that each has its file."""
    check.positive("limit", op.limit, _MOST)
    statuses = (pages.DRAFT,) if op.drafts else ()
    where = Where(op.tenant, kinds=(Kind.PROPOSAL,), statuses=statuses)
    in_step(ports, op.tenant)
    with ports.store.reading() as reader:
        found = reader.page(where, op.limit)
        return Proposals(tuple(_whole(reader, one) for one in found))


def in_step(ports: Ports, tenant: str) -> None:
    """Make every file say what its record says, and take away those without one.

    Raises:
        Unavailable: the folder cannot be written. The records hold; this is done again next time.
    """
    folder = ports.governance.proposals
    if folder is None:
        return
    with ports.store.reading() as reader:
        found = [*reader.page(Where(tenant, kinds=(Kind.PROPOSAL,)), _MOST)]
        texts = {one.id: _page(reader, one) for one in found}
        names = [name for name in _files(folder) if name not in texts]
        # Another tenant's are its own, and of what this store never had another one in the same
        # folder may have the record.
        kept = reader.records(names)
        gone = [name for name in names if name not in kept and reader.events_of(name)]
    try:
        _write(folder, texts, gone)
    except OSError as error:
        raise Unavailable(
            f"The proposals cannot be written to {folder} ({error.strerror}); they are kept all"
            " the same. Make room or correct its permissions, and list them again.",
            path=folder,
        ) from error


def _files(folder: str) -> list[str]:
    if not os.path.isdir(folder):
        return []
    prefix = prefix_of(Kind.PROPOSAL)
    return [one for one in os.listdir(folder) if one.startswith(prefix) and one.endswith(".md")]


def _write(folder: str, texts: dict[str, str], gone: list[str]) -> None:
    if texts:
        os.makedirs(folder, mode=0o700, exist_ok=True)
    for name, text in texts.items():
        path = os.path.join(folder, name)
        if _says(path) == text:
            continue
        write(path, text.encode())
    for name in gone:
        # Another process may see to the same files.
        with suppress(FileNotFoundError):
            os.remove(os.path.join(folder, name))


def _says(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _page(reader: Reader, one: Record) -> str:
    whole = _whole(reader, one)
    found = reader.records(whole.evidence)
    return pages.page(whole, [found[id_] for id_ in whole.evidence if id_ in found])


def _whole(reader: Reader, one: Record) -> Proposed:
    edges = reader.edges([one.id], "incoming", [Link.EVIDENCE_FOR])
    return pages.read(one, [edge.src for edge in edges])


def _draft(reader: Reader, id_: str, tenant: str) -> Record:
    (found,) = existing(reader, (id_,), tenant, (Kind.PROPOSAL,))
    if found.status != pages.DRAFT:
        raise Conflict(
            f"Proposal {id_} was {found.status} already. List the drafts for those that are left.",
            id=id_,
            status=found.status,
        )
    return found


def _reviewed(draft: Record, now: datetime) -> None:
    left = draft.created_at + REVIEW - now
    if left > timedelta():
        minutes = -(-left // timedelta(minutes=1))
        raise TooEarly(
            f"Proposal {draft.id} is to be reviewed for an hour first. Read it, and accept it in"
            f" {minutes} {'minute' if minutes == 1 else 'minutes'}.",
            id=draft.id,
            retry_after=left.total_seconds(),
        )


def _end(  # noqa: PLR0913, PLR0917 -- what an entry in the ledger says
    tx: Writer,
    draft: Record,
    op: AcceptProposal | RejectProposal,
    status: str,
    now: datetime,
    reason: str = "",
) -> None:
    after = plan.changed(draft, now, status=status, valid_until=max(draft.valid_from, now))
    detail = plan.detail(status=status, reason=reason)
    tx.apply(Plan("review", op.author, now, update=(Entry(after),), detail=detail))

"""From what the tools of `codex-memory` take to ops."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from recollect.contracts.shared import FOUND, project_in, said_in, scope, time, where
from recollect.model import Kind
from recollect.ops import Around, Get, Ingest, Overdue, Recall, Remember

if TYPE_CHECKING:
    from recollect.contracts.codex_memory import wire
    from recollect.contracts.contract import Caller

TYPE = "note"
# What a decision is among entries.
DECIDED = "decision"
# More entries than any store has.
_PLENTY = 2**53


def save(params: wire.SaveMemory, caller: Caller) -> Remember:
    """Only what says nothing but its text is the same again when it is saved again."""
    said = said_in(params.metadata)
    project = params.project or project_in(params.metadata) or caller.project
    bare = not (params.title or params.type or params.source_ref or said)
    return Remember(
        params.text,
        scope=scope(caller, project=project),
        author=caller.author,
        type=params.type or TYPE,
        source_ref=params.source_ref,
        once=bare,
        similar=0,
        **(said | {"title": params.title} if params.title else said),
    )


def search(params: wire.SearchParams, caller: Caller) -> Recall:
    """Each match is an item of its own, so that pages hold all of them."""
    kinds = FOUND if params.type in {None, "", DECIDED} else (Kind.MEMORY,)
    whose = where(
        caller,
        project=params.project or None,
        kinds=kinds,
        types=(params.type,) if params.type else (),
        # What was decided is of that type, whatever its domain, beside what was saved as such.
        untyped=(Kind.DECISION,),
    )
    return Recall(
        params.query, whose, params.limit, params.offset, fold=False, count=True, touch=True
    )


def timeline(params: wire.TimelineParams, caller: Caller) -> Around:
    """What no longer holds is part of what was."""
    return Around(
        params.anchor_id, where(caller, kinds=FOUND), params.depth_before, params.depth_after
    )


def get_entries(params: wire.GetEntries, caller: Caller) -> Get:
    """Some of them, or an error."""
    return Get(tuple(params.ids), caller.tenant, kinds=FOUND, some=True, touch=True)


def ingest(params: wire.IngestDocs, caller: Caller) -> Ingest:
    """What lies in the folders that the caller may have read."""
    return Ingest(
        tuple(params.sources),
        caller.roots,
        scope(caller, project=params.project or caller.project),
        caller.author,
        params.entry_type or "ingestion",
    )


def retention(params: wire.RetentionDryRun, caller: Caller) -> Overdue:
    """A limit that is not given sets none. Of a part of an entry, none is left."""
    days, most = params.max_age_days, params.max_entries_per_project
    return Overdue(
        where(caller, project=params.project or None),
        time(params.now, "now") if params.now else None,
        None if math.isinf(days) else days,
        None if math.isinf(most) else int(min(most, _PLENTY)),
    )

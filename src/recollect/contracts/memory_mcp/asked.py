"""From what the tools of `memory-mcp` take to ops."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.contracts.shared import FOUND, encoded, project_in, said_in, scope, time, where
from recollect.errors import InvalidRequest
from recollect.model import Kind, Role
from recollect.ops import (
    Describe,
    DropProject,
    Explore,
    Forget,
    Get,
    IndexProject,
    IndexState,
    Invalidate,
    List,
    ListProjects,
    Recall,
    Relate,
    Remember,
    Revise,
    SearchCode,
    Status,
    Weights,
    Wipe,
)

if TYPE_CHECKING:
    from recollect.contracts.contract import Caller
    from recollect.contracts.memory_mcp import wire

TYPES = ("episodic", "semantic", "procedural")
# What this contract gives out ids of.
_GIVEN = (*FOUND, Kind.ENTITY, Kind.CODE)
_NEAREST = Weights(vector=1, words=0, graph=0)
_BY_WORDS = Weights(vector=0, words=1, graph=0)


def store(params: wire.StoreMemory, caller: Caller) -> Remember:
    """Something that happened may happen again, so only what is so is kept once."""
    project = project_in(params.metadata, caller.project)
    return Remember(
        params.content,
        scope=scope(caller, params.user_id, project),
        author=caller.author,
        type=params.memory_type or "semantic",
        once=params.memory_type != "episodic",
        similar=0,
        needs_vector=True,
        **said_in(params.metadata),
    )


def get(params: wire.NamedMemory, caller: Caller) -> Get:
    """One memory, or an error."""
    return Get((params.id,), caller.tenant, kinds=FOUND, strict=True, touch=True)


def update(params: wire.UpdateMemory, caller: Caller) -> Revise:
    """What is null stays."""
    if params.memory_type not in {None, *TYPES}:
        raise InvalidRequest(f"memory_type must be one of {', '.join(TYPES)}.", field="memory_type")
    # What a time in it says must be one, here as when it is stored.
    said_in(params.metadata)
    return Revise(
        params.id,
        caller.tenant,
        caller.author,
        text=params.content,
        type=params.memory_type,
        metadata=None if params.metadata is None else encoded(params.metadata),
        kinds=FOUND,
        needs_vector=True,
    )


def delete(params: wire.NamedMemory, caller: Caller) -> Forget:
    """Whatever this contract gave out the id of."""
    return Forget((params.id,), caller.tenant, caller.author, kinds=_GIVEN)


def page(params: wire.ListMemories, caller: Caller) -> List:
    """What is true and what was."""
    return List(where(caller), params.limit, params.offset)


def search(params: wire.Search, caller: Caller) -> Recall:
    """By meaning alone."""
    return Recall(
        params.query,
        where(caller, kinds=FOUND),
        params.limit,
        weights=_NEAREST,
        explain=True,
        needs_vector=True,
        touch=True,
    )


def search_text(params: wire.Search, caller: Caller) -> Recall:
    """By words alone, for which no model is needed."""
    return Recall(
        params.query,
        where(caller, kinds=FOUND),
        params.limit,
        weights=_BY_WORDS,
        explain=True,
        touch=True,
    )


def recall(params: wire.RecallParams, caller: Caller) -> Recall:
    """By all there is, weighed as asked."""
    weights = Weights(params.vector_weight, params.bm25_weight, params.ppr_weight)
    code = where(
        caller,
        kinds=(Kind.CODE,),
        project=params.project_id,
        statuses=(params.language.lower(),) if params.language else (),
    )
    # Where neither is wanted, whatever this finds is left out of the answer.
    return Recall(
        params.query,
        where(caller, kinds=FOUND) if params.include_memories else code,
        params.limit,
        weights=weights,
        touch=params.include_memories,
        code=code if params.include_memories and params.include_code else None,
    )


def create_entity(params: wire.CreateEntity, caller: Caller) -> Describe:
    """A name is one entity for each user."""
    return Describe(
        params.name,
        scope=scope(caller, params.user_id),
        author=caller.author,
        type=params.entity_type or "",
        description=params.description or "",
    )


def create_relation(params: wire.CreateRelation, caller: Caller) -> Relate:
    """Both ends have to be there."""
    return Relate(
        params.from_entity,
        params.relation_type,
        params.to_entity,
        tenant=caller.tenant,
        author=caller.author,
        weight=params.weight,
        kinds=(Kind.ENTITY, Kind.CODE, Kind.SOURCE),
    )


def get_related(params: wire.GetRelated, caller: Caller) -> Explore:
    """Entities and symbols; what mentions them is found by a search."""
    return Explore(
        params.entity_id,
        tenant=caller.tenant,
        depth=params.depth,
        direction=params.direction,
        kinds=(Kind.ENTITY, Kind.CODE, Kind.SOURCE),
    )


def index_project(params: wire.IndexProject, caller: Caller) -> IndexProject:
    """Whoever calls over the network names a folder that may be read."""
    return IndexProject(
        params.path,
        scope=scope(caller),
        author=caller.author,
        watch=params.watch,
        roots=caller.roots,
        confined=caller.remote,
    )


def search_code(params: wire.SearchCode, caller: Caller) -> SearchCode:
    """By what it does, what it is called, or where it is."""
    whose = where(caller, kinds=(Kind.CODE,), project=params.project_id)
    return SearchCode(params.query, whose, params.limit)


def index_state(params: wire.NamedProject, caller: Caller) -> IndexState:
    """How far it is."""
    return IndexState(params.project_id, scope(caller))


def list_projects(params: wire.NoParams, caller: Caller) -> ListProjects:
    """All of them."""
    del params
    return ListProjects(scope(caller))


def drop_project(params: wire.NamedProject, caller: Caller) -> DropProject:
    """The index, never the files."""
    return DropProject(params.project_id, scope(caller), caller.author)


def get_valid(params: wire.GetValid, caller: Caller) -> List:
    """What holds now."""
    return List(where(caller, params.user_id), params.limit, current=True)


def get_valid_at(params: wire.GetValidAt, caller: Caller) -> List:
    """What held then."""
    then = time(params.timestamp, "timestamp")
    return List(where(caller, params.user_id, at=then), params.limit)


def invalidate(params: wire.InvalidateParams, caller: Caller) -> Invalidate:
    """It ends now."""
    return Invalidate(
        params.id,
        caller.tenant,
        caller.author,
        reason=params.reason or "",
        superseded_by=params.superseded_by or "",
        kinds=_GIVEN,
    )


def status(params: wire.NoParams, caller: Caller) -> Status:
    """How everything is."""
    del params
    return Status(caller.tenant)


def reset(params: wire.ResetAllMemory, caller: Caller) -> Wipe:
    """Everything, if it is confirmed, and over the network only for an admin."""
    if params.confirm and caller.remote:
        caller.need(Role.ADMIN, "reset_all_memory")
    return Wipe(caller.tenant, caller.author, confirmed=params.confirm)

"""From answers to what the tools of `memory-mcp` answer, failures included."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from recollect.contracts.contract import Failure
from recollect.contracts.memory_mcp.asked import TYPES
from recollect.contracts.shared import content, in_words_of, time
from recollect.errors import InvalidRequest, ModelNotReady, NotFound, RecollectError, Unavailable
from recollect.model import Kind, rfc3339
from recollect.rules.code import records

if TYPE_CHECKING:
    from recollect.contracts.memory_mcp import wire
    from recollect.model import Edge, Hit, Project, Record
    from recollect.ops import (
        Described,
        Dropped,
        Explored,
        Forgotten,
        FoundCode,
        Got,
        Health,
        IndexedCode,
        Invalidated,
        Listed,
        Projects,
        Recalled,
        Related,
        Remembered,
        Revised,
        Wiped,
    )

NOT_READY = "Embedding service not ready. Please try again."
NO_DATABASE = "Database error. Please try again."
# What the engine calls otherwise.
_WORDS = {
    "text": "content",
    "user": "user_id",
    "type": "entity_type",
    "relation type": "relation_type",
    "weights": "vector_weight, bm25_weight and ppr_weight",
    "weights.vector": "vector_weight",
    "weights.words": "bm25_weight",
    "weights.graph": "ppr_weight",
}


def memory(record: Record) -> wire.Memory:
    """A record in this contract's words."""
    return {
        "id": {"tb": "memories", "id": {"String": record.id}},
        "content": content(record),
        "memory_type": _type(record),
        "event_time": rfc3339(record.event_time),
        "ingestion_time": rfc3339(record.created_at),
        "valid_from": rfc3339(record.valid_from),
        "valid_until": rfc3339(record.valid_until) if record.valid_until else None,
        "importance_score": record.importance,
        "metadata": json.loads(record.metadata),
    }


def _type(record: Record) -> str:
    """One of the three that this contract has; whatever else somebody calls it is so."""
    return record.type if record.type in TYPES else "semantic"


def stored(answer: Remembered, _: wire.StoreMemory) -> wire.StoredId:
    """The new id."""
    return {"id": answer.record.id}


def got(answer: Got, _: wire.NamedMemory) -> wire.AnyMemory:
    """The one that was asked for."""
    return memory(answer.records[0])


def updated(answer: Revised, _: wire.UpdateMemory) -> wire.Memory:
    """As it is now."""
    return memory(answer.record)


def deleted(_: Forgotten, __: wire.NamedMemory) -> wire.Deleted:
    """That it is gone."""
    return {"deleted": True}


def listed(answer: Listed, params: wire.ListMemories) -> wire.Memories:
    """One page."""
    return {
        "memories": [memory(record) for record in answer.records],
        "total": answer.total,
        "limit": params.limit,
        "offset": params.offset,
    }


def nearest(answer: Recalled, params: wire.Search) -> wire.Matches:
    """By meaning: the score is the cosine, and never below 0."""
    return matches(answer, params.query, [max(0.0, _cosine(hit)) for hit in answer.hits])


def by_words(answer: Recalled, params: wire.Search) -> wire.Matches:
    """By words: the score is BM25."""
    scores = [hit.why.bm25 if hit.why else hit.score for hit in answer.hits]
    return matches(answer, params.query, scores)


def matches(answer: Recalled, query: str, scores: list[float]) -> wire.Matches:
    """What was found, each with its score."""
    return {
        "results": [
            {
                "id": hit.record.id,
                "content": content(hit.record),
                "memory_type": _type(hit.record),
                "score": score,
            }
            for hit, score in zip(answer.hits, scores, strict=True)
        ],
        "count": len(answer.hits),
        "query": query,
    }


def recalled(answer: Recalled, params: wire.RecallParams) -> wire.RecallHits:
    """What was found, with what each way of finding gave to it."""
    hits = [hit for hit in answer.hits if hit.record.kind in params.kinds]
    code = sum(hit.record.kind is Kind.CODE for hit in hits)
    return {
        "results": [_recall_hit(hit) for hit in hits],
        "query": params.query,
        "subgraph_nodes": answer.graph_nodes,
        "memories_count": len(hits) - code,
        "code_count": code,
    }


def described(answer: Described, _: wire.CreateEntity) -> wire.GivenId:
    """The entity's id."""
    return {"id": answer.record.id}


def related(answer: Related, _: wire.CreateRelation) -> wire.GivenId:
    """The relation's id."""
    return {"id": answer.edge.id}


def neighbours(answer: Explored, _: wire.GetRelated) -> wire.Neighbours:
    """What was reached, nearest first."""
    return {
        "entities": [_entity(record) for record in answer.records],
        "relations": [_relation(edge) for edge in answer.edges],
        "entity_count": len(answer.records),
        "relation_count": len(answer.edges),
    }


def valid(answer: Listed, _: wire.GetValid) -> wire.ValidNow:
    """What holds now."""
    return {
        "results": [memory(record) for record in answer.records],
        "count": len(answer.records),
    }


def valid_at(answer: Listed, params: wire.GetValidAt) -> wire.ValidThen:
    """What held then."""
    return {
        "results": [memory(record) for record in answer.records],
        "count": len(answer.records),
        "timestamp": rfc3339(time(params.timestamp, "timestamp")),
    }


def invalidated(_: Invalidated, __: wire.InvalidateParams) -> wire.Ended:
    """That it no longer holds."""
    return {"invalidated": True}


def indexed(answer: IndexedCode, _: wire.IndexProject) -> wire.Indexed:
    """What this run did."""
    shown: wire.Indexed = {
        "project_id": answer.project.id,
        "files_indexed": answer.files,
        "chunks_created": answer.chunks,
    }
    if answer.project.warnings:
        shown["warnings"] = list(answer.project.warnings)
    return shown


def found_code(answer: FoundCode, _: wire.SearchCode) -> wire.CodeMatches:
    """Pieces of code, best first."""
    return {"results": [_code_match(hit) for hit in answer.hits], "count": len(answer.hits)}


def index_state(answer: Project, _: wire.NamedProject) -> wire.IndexState:
    """How far it is, and what was left out."""
    eta = answer.eta
    shown: wire.IndexState = {
        "project_id": answer.id,
        "status": _status(answer.status),
        "total_files": answer.total_files,
        "indexed_files": answer.indexed_files,
        "total_chunks": answer.total_chunks,
        "chunks_embedded": max(0, answer.total_chunks - answer.waiting),
        "progress_percent": round(100 * answer.progress, 1),
        "eta_seconds": None if eta is None else round(eta, 1),
        "started_at": rfc3339(answer.started_at) if answer.started_at else None,
        "completed_at": rfc3339(answer.completed_at) if answer.completed_at else None,
        "skipped": [
            {"reason": one.reason, "count": one.count, "examples": list(one.examples)}
            for one in answer.skipped
        ],
    }
    if answer.warnings:
        shown["warnings"] = list(answer.warnings)
    if answer.error:
        shown["error"] = answer.error
    return shown


def project_names(answer: Projects, _: wire.NoParams) -> wire.ProjectNames:
    """By name."""
    names = [project.id for project in answer.projects]
    return {"projects": names, "count": len(names)}


def dropped(answer: Dropped, _: wire.NamedProject) -> wire.DroppedProject:
    """How much that was."""
    return {"chunks_deleted": answer.chunks}


def state(answer: Health, _: wire.NoParams) -> wire.State:
    """How everything is."""
    return {
        "version": answer.version,
        "status": "degraded" if answer.model_status == "error" else "healthy",
        "memories_count": answer.counts.memories,
        "entities_count": answer.counts.entities,
        "code_chunks_count": answer.counts.code_chunks,
        "embedding": {
            "status": _status(answer.model_status),
            "model": answer.model,
            "dimensions": answer.dimensions,
            "cache_stats": {
                "hits": answer.cache_hits,
                "misses": answer.cache_misses,
                "size": answer.cache_size,
            },
        },
        "db_dimension": answer.vectors.dimensions or answer.dimensions,
    }


def reset(answer: Wiped, _: wire.ResetAllMemory) -> wire.Reset:
    """How much was deleted, if anything was."""
    counts = answer.counts
    if counts is None:
        return {
            "reset": False,
            "message": "Confirmation required. Set confirm=true to delete all data.",
        }
    return {
        "reset": True,
        "deleted": {
            "memories": counts.memories,
            "entities": counts.entities,
            "relations": counts.relations,
            "code_chunks": counts.code_chunks,
        },
    }


def fail(error: RecollectError, tool: str) -> Failure:
    """A failure as a sentence, those that the document has in its words."""
    match error:
        case NotFound():
            said = _missing(error, tool)
        case ModelNotReady():
            said = NOT_READY
        case Unavailable():
            said = NO_DATABASE
        case InvalidRequest() if tool == "index_project" and "path" in error.facts:
            said = f"Invalid path: {error.facts['path']}"
        case _:
            said = str(in_words_of(_WORDS, error))
    return Failure(None, said)


def _missing(error: NotFound, tool: str) -> str:
    ids = error.facts.get("ids")
    first = str(ids[0])[:200] if isinstance(ids, tuple) and ids else "?"
    if "project" in error.facts:
        return str(error)
    what = "Entity" if tool in {"create_relation", "get_related"} else "Memory"
    return f"{what} not found: {first}"


def _cosine(hit: Hit) -> float:
    return hit.why.cosine if hit.why and hit.why.cosine is not None else 0.0


def _code_match(hit: Hit) -> wire.CodeMatch:
    record, place = hit.record, records.place(hit.record)
    return {
        "id": record.id,
        "file_path": record.source_ref,
        "content": record.text,
        "language": record.status,
        "start_line": place.start,
        "end_line": place.end,
        "chunk_type": record.type,
        "name": place.name or None,
        "score": hit.score,
    }


def _recall_hit(hit: Hit) -> wire.RecallHit:
    shown: wire.RecallHit = {
        "id": hit.record.id,
        "content": content(hit.record),
        "source": "code" if hit.record.kind is Kind.CODE else "memory",
        "score": hit.score,
        "vector_score": hit.parts.vector,
        "bm25_score": hit.parts.words,
        "ppr_score": hit.parts.graph,
    }
    if hit.record.kind is Kind.CODE:
        place = records.place(hit.record)
        shown["file_path"] = hit.record.source_ref
        shown["start_line"] = place.start
        shown["end_line"] = place.end
    return shown


def _entity(record: Record) -> dict[str, Any]:
    return {
        "id": record.id,
        "name": record.title,
        "entity_type": record.type or None,
        "description": record.text or None,
        "user_id": record.scope.user or None,
        "created_at": rfc3339(record.created_at),
    }


def _relation(edge: Edge) -> dict[str, Any]:
    return {
        "id": edge.id or None,
        "from_entity": edge.src,
        "to_entity": edge.dst,
        "relation_type": edge.type,
        "weight": edge.weight,
        "valid_from": rfc3339(edge.valid_from),
        "valid_until": rfc3339(edge.valid_until) if edge.valid_until else None,
    }


def _status(said: str) -> Any:  # noqa: ANN401 -- one of three words, as the model's status says
    return said

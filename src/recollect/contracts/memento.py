"""The contract `memento`: atomic facts, hints at what they may contradict, supersession."""

from __future__ import annotations

from typing import Annotated, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from recollect.contracts.contract import ADDS, ENDS, READS, Caller, Contract, Failure, Params, tool
from recollect.contracts.shared import (
    EXACT,
    FOUND,
    content,
    failure,
    in_words_of,
    outage,
    scope,
    where,
)
from recollect.errors import ModelNotReady, NotFound, RecollectError, Unavailable
from recollect.model import Hit, Record, rfc3339
from recollect.ops import (
    List,
    Listed,
    Recall,
    Recalled,
    Remember,
    Remembered,
    Supersede,
    Superseded,
)

Source = Literal["explicit", "extracted"]
Unit = Annotated[float, Field(ge=0, le=1)]


class Memory(TypedDict):
    """A fact."""

    id: str
    content: str
    confidence: Unit
    source: Source
    created_at: str
    updated_at: str
    accessed_at: str
    supersedes: NotRequired[str | None]
    superseded_by: NotRequired[str | None]
    relevance_score: NotRequired[float]


class FoundMemory(TypedDict):
    """A fact as a search finds it."""

    id: str
    content: str
    confidence: Unit
    source: Source
    created_at: str
    updated_at: str
    accessed_at: str
    supersedes: NotRequired[str | None]
    superseded_by: NotRequired[str | None]
    relevance_score: float


class StoreMemory(Params):
    content: Annotated[str, Field(description="One fact, a statement that stands alone.")]
    confidence: Annotated[Unit, Field(description="How sure it is.")] = 1.0
    source: Annotated[Source, Field(description="explicit: the user asked to remember it.")] = (
        "extracted"
    )


class Stored(TypedDict):
    """What became of a fact."""

    created: Memory
    similar: list[Memory]
    action_required: str | None


class SupersedeMemory(Params):
    old_memory_id: Annotated[str, Field(description="Id of the outdated memory.")]
    new_memory_id: Annotated[str, Field(description="Id of the memory that replaces it.")]


class Done(TypedDict):
    """Whether it was done."""

    success: bool
    message: str


class SearchMemories(Params):
    query: Annotated[str, Field(description="What to look for, in plain words.")]
    limit: Annotated[int, Field(ge=1, le=20, description="At most so many."), EXACT] = 5


class FoundMemories(TypedDict):
    """What was found."""

    memories: list[FoundMemory]


class ListRecentMemories(Params):
    limit: Annotated[int, Field(ge=1, le=50, description="At most so many."), EXACT] = 10


class RecentMemories(TypedDict):
    """What was stored last."""

    memories: list[Memory]


def memory(record: Record) -> Memory:
    """A record in this contract's words."""
    shown: Memory = {
        "id": record.id,
        "content": content(record),
        "confidence": record.confidence,
        "source": "explicit" if record.source == "explicit" else "extracted",
        "created_at": rfc3339(record.created_at),
        "updated_at": rfc3339(record.updated_at),
        "accessed_at": rfc3339(record.accessed_at or record.created_at),
    }
    if record.supersedes:
        shown["supersedes"] = record.supersedes[0]
    if record.superseded_by:
        shown["superseded_by"] = record.superseded_by
    return shown


def stored(answer: Remembered) -> Stored:
    """What became of a fact, and what to do about those it may contradict."""
    return {
        "created": memory(answer.record),
        "similar": [
            {**memory(one.record), "relevance_score": one.similarity} for one in answer.similar
        ],
        "action_required": _advice(answer),
    }


def _advice(answer: Remembered) -> str | None:
    calls = [
        f'supersede_memory("{one.record.id}", "{answer.record.id}")'
        for one in answer.similar
        if one.conflict
    ]
    if not calls:
        return None
    which = "the old memory" if len(calls) == 1 else "each old memory that no longer holds"
    return f"Call {' and '.join(calls)} to mark {which} as outdated."


def _found(hit: Hit) -> FoundMemory:
    return {**memory(hit.record), "relevance_score": hit.score}


def _store(params: StoreMemory, caller: Caller) -> Remember:
    return Remember(
        params.content,
        scope=scope(caller),
        author=caller.author,
        confidence=params.confidence,
        source=params.source,
    )


def _supersede(params: SupersedeMemory, caller: Caller) -> Supersede:
    return Supersede(
        params.old_memory_id,
        params.new_memory_id,
        caller.tenant,
        caller.author,
        kinds=FOUND,
    )


def _superseded(answer: Superseded, params: SupersedeMemory) -> Done:
    del params
    return {
        "success": True,
        "message": f"Memory {answer.old.id} marked as superseded by {answer.new.id}",
    }


def _search(params: SearchMemories, caller: Caller) -> Recall:
    return Recall(params.query, where(caller, kinds=FOUND), params.limit, touch=True)


def _recent(params: ListRecentMemories, caller: Caller) -> List:
    return List(where(caller), params.limit, current=True)


def _memories(answer: Recalled, params: SearchMemories) -> FoundMemories:
    del params
    # What a later fact takes the place of may hold until then, and is superseded all the same.
    return {"memories": [_found(hit) for hit in answer.hits if not hit.record.superseded_by]}


def _listed(answer: Listed, params: ListRecentMemories) -> RecentMemories:
    del params
    return {"memories": [memory(one) for one in answer.records if not one.superseded_by]}


# What the engine calls otherwise.
_WORDS = {"text": "content", "user": "user_id"}


def fail(error: RecollectError, tool: str) -> Failure:
    """A failure in this contract's shape."""
    del tool
    code, message = "INVALID_PARAMETER", str(in_words_of(_WORDS, error))
    match error:
        case NotFound():
            code, message = "MEMORY_NOT_FOUND", _missing(error)
        case ModelNotReady():
            code, message = "EMBEDDING_ERROR", outage(error)
        case Unavailable():
            code, message = "STORAGE_ERROR", outage(error)
    return failure({"code": code, "message": message})


def _missing(error: NotFound) -> str:
    ids = error.facts.get("ids")
    if not isinstance(ids, tuple):
        return str(error)
    named = ", ".join(str(one)[:60] for one in ids)
    return f"Memory with ID {named} not found. Look it up with search_memories."


MEMENTO = Contract(
    name="memento",
    instructions=(
        "Long-term memory of facts about the user and their work. Search before you answer anything"
        " that past conversations may tell, or ask what the user may have said before. Store each"
        " new fact as one clear statement that stands alone: on 'remember that', on preferences,"
        " on changes. After store_memory read action_required: if the new fact really replaces the"
        " old one, call supersede_memory as it says; if both hold, leave them. Never store secrets."
    ),
    tools=(
        tool(
            "store_memory",
            "Store a memory",
            "Remember one fact. Answers with current memories that it may outdate: follow"
            " action_required unless both hold.",
            StoreMemory,
            _store,
            lambda answer, _: stored(answer),
            Stored,
            ADDS,
            core=True,
        ),
        tool(
            "supersede_memory",
            "Supersede a memory",
            "Mark a memory as outdated by a newer one. Call it when store_memory asks for it.",
            SupersedeMemory,
            _supersede,
            _superseded,
            Done,
            ENDS,
        ),
        tool(
            "search_memories",
            "Search memories",
            "Find current memories by meaning and words. Call it before answering from memory.",
            SearchMemories,
            _search,
            _memories,
            FoundMemories,
            READS,
            core=True,
        ),
        tool(
            "list_recent_memories",
            "List recent memories",
            "The memories stored last, newest first, without superseded ones.",
            ListRecentMemories,
            _recent,
            _listed,
            RecentMemories,
            READS,
        ),
    ),
    fail=fail,
)

"""What the tools of `memory-mcp` take and answer."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import BeforeValidator, ConfigDict, Field
from typing_extensions import TypedDict

from recollect.contracts.contract import Params
from recollect.contracts.shared import EXACT
from recollect.model import Kind

MemoryType = Literal["episodic", "semantic", "procedural"]
Id = Annotated[str, Field(description="The memory's id.")]
Metadata = Annotated[
    dict[str, Any] | None,
    Field(
        description="JSON object; event_time, valid_from, valid_until, session_id, speaker, title"
        " and project also set the memory's own fields."
    ),
]
UserId = Annotated[str | None, Field(description="Whose memories are meant.")]
Query = Annotated[str, Field(description="What to look for.")]
UpTo50 = Annotated[int, Field(ge=1, le=50, description="At most so many."), EXACT]
UpTo100 = Annotated[int, Field(ge=1, le=100, description="At most so many."), EXACT]
Offset = Annotated[int, Field(ge=0, description="Leave out so many of the first."), EXACT]
Weight = Annotated[float, Field(description="0 or more.")]


class Key(TypedDict):
    """The id itself."""

    String: Annotated[str, Field(pattern="^[A-Za-z0-9]{20}$")]


class AnyKey(TypedDict):
    """The id of whatever a search has found: a decision's has a prefix."""

    String: Annotated[str, Field(pattern="^(?:[a-z]+_)?[A-Za-z0-9]{20}$")]


class AnyThing(TypedDict):
    """An id as a record of a table has it."""

    tb: Literal["memories"]
    id: AnyKey


class Thing(TypedDict):
    """An id as a record of a table has it."""

    tb: Literal["memories"]
    id: Key


class _Said(TypedDict):
    """What is told of a memory."""

    content: str
    memory_type: str
    event_time: str
    ingestion_time: str
    valid_from: str
    valid_until: str | None
    importance_score: float
    metadata: dict[str, Any]


class Memory(_Said):
    """A memory."""

    id: Thing


class AnyMemory(_Said):
    """A memory, or whatever else a search has found."""

    id: AnyThing


class StoreMemory(Params):
    content: Annotated[str, Field(description="What to remember.")]
    memory_type: Annotated[
        MemoryType | None, Field(description="What happened, what is so, or how to do it.")
    ] = None
    user_id: Annotated[str | None, Field(description="Whose memory it is.")] = None
    metadata: Metadata = None


class StoredId(TypedDict):
    """Under which id it is kept."""

    id: Annotated[str, Field(pattern="^[A-Za-z0-9]{20}$")]


class NamedMemory(Params):
    id: Id


class UpdateMemory(Params):
    id: Id
    content: Annotated[str | None, Field(description="The new text.")] = None
    memory_type: Annotated[str | None, Field(description="episodic, semantic or procedural.")] = (
        None
    )
    metadata: Annotated[dict[str, Any] | None, Field(description="Replaces the old one.")] = None


class Deleted(TypedDict):
    """That it is gone."""

    deleted: Literal[True]


class ListMemories(Params):
    limit: UpTo100 = 20
    offset: Offset = 0


class Memories(TypedDict):
    """One page of memories."""

    memories: list[Memory]
    total: int
    limit: int
    offset: int


class Search(Params):
    query: Query
    limit: UpTo50 = 10


class Match(TypedDict):
    """A memory as a search finds it."""

    id: str
    content: str
    memory_type: str
    score: float


class Matches(TypedDict):
    """What was found."""

    results: list[Match]
    count: int
    query: str


class RecallParams(Params):
    query: Query
    limit: UpTo50 = 10
    include_memories: bool = True
    include_code: bool = False
    project_id: Annotated[str | None, Field(description="Only code of this project.")] = None
    language: Annotated[str | None, Field(description="Only code in this language.")] = None
    vector_weight: Weight = 0.40
    bm25_weight: Weight = 0.15
    ppr_weight: Weight = 0.45

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """What is wanted; it may be nothing."""
        wanted = {
            Kind.MEMORY: self.include_memories,
            Kind.DECISION: self.include_memories,
            Kind.CODE: self.include_code,
        }
        return tuple(kind for kind, included in wanted.items() if included)


class RecallHit(TypedDict):
    """A memory, or a piece of code with where it is, and why it was found."""

    id: str
    content: str
    source: Literal["memory", "code"]
    score: float
    vector_score: float
    bm25_score: float
    ppr_score: float
    file_path: NotRequired[str]
    start_line: NotRequired[int]
    end_line: NotRequired[int]


class RecallHits(TypedDict):
    """What was found."""

    results: list[RecallHit]
    query: str
    subgraph_nodes: int
    memories_count: int
    code_count: int


class CreateEntity(Params):
    name: Annotated[str, Field(description="Its name.")]
    entity_type: Annotated[str | None, Field(description="person, project, concept, file …")] = None
    description: Annotated[str | None, Field(description="What is to be known of it.")] = None
    user_id: Annotated[str | None, Field(description="Whose it is.")] = None


class GivenId(TypedDict):
    """The id that was given."""

    id: str


class CreateRelation(Params):
    from_entity: Annotated[str, Field(description="Id of the entity it leaves.")]
    to_entity: Annotated[str, Field(description="Id of the entity it reaches.")]
    relation_type: Annotated[str, Field(description="works_on, knows, uses …")]
    weight: Annotated[float, Field(ge=0, le=1, description="How strong.")] = 1.0


class GetRelated(Params):
    entity_id: Annotated[str, Field(description="Where to start.")]
    depth: Annotated[int, Field(ge=1, le=3, description="How many steps."), EXACT] = 1
    direction: Literal["outgoing", "incoming", "both"] = "outgoing"


class Neighbours(TypedDict):
    """What was reached, and by which relations."""

    entities: list[dict[str, Any]]
    relations: list[dict[str, Any]]
    entity_count: int
    relation_count: int


class GetValid(Params):
    user_id: UserId = None
    limit: UpTo100 = 20


class ValidNow(TypedDict):
    """What holds now."""

    results: list[Any]
    count: int


class GetValidAt(Params):
    timestamp: Annotated[
        str,
        Field(description="ISO 8601.", json_schema_extra={"format": "date-time"}),
    ]
    user_id: UserId = None
    limit: UpTo100 = 20


class ValidThen(TypedDict):
    """What held at a time."""

    results: list[Any]
    count: int
    timestamp: str


class InvalidateParams(Params):
    id: Id
    reason: Annotated[str | None, Field(description="Why.")] = None
    superseded_by: Annotated[str | None, Field(description="Id of what replaces it.")] = None


class Ended(TypedDict):
    """That it no longer holds."""

    invalidated: Literal[True]


class IndexProject(Params):
    path: Annotated[str, Field(description="The project's folder.")]
    watch: Annotated[bool, Field(description="Keep the index up to date while this runs.")] = False


class Indexed(TypedDict):
    """How much this run has indexed; what had not changed is not read again."""

    project_id: str
    files_indexed: int
    chunks_created: int
    warnings: NotRequired[list[str]]


class SearchCode(Params):
    query: Query
    project_id: Annotated[str | None, Field(description="Only this project.")] = None
    limit: UpTo50 = 10


class CodeMatch(TypedDict):
    """A piece of code as a search finds it."""

    id: str
    file_path: str
    content: str
    language: str
    start_line: int
    end_line: int
    chunk_type: str
    name: str | None
    score: float


class CodeMatches(TypedDict):
    """What was found."""

    results: list[CodeMatch]
    count: int


class NamedProject(Params):
    project_id: Annotated[str, Field(description="The project's id.")]


class LeftOut(TypedDict):
    """Files that were left out for one reason: how many, and some of them."""

    reason: str
    count: int
    examples: list[str]


class IndexState(TypedDict):
    """How far an index is. Pieces are found at once by words, names and links, then by meaning."""

    project_id: str
    status: Literal["pending", "indexing", "completed", "failed"]
    total_files: int
    indexed_files: int
    total_chunks: int
    chunks_embedded: int
    progress_percent: float
    eta_seconds: float | None
    started_at: str | None
    completed_at: str | None
    skipped: list[LeftOut]
    warnings: NotRequired[list[str]]
    error: NotRequired[str]


class ProjectNames(TypedDict):
    """The ids of all indexed projects."""

    projects: list[str]
    count: int


class DroppedProject(TypedDict):
    """How many pieces of code were deleted."""

    chunks_deleted: int


class NoParams(Params):
    """Nothing."""


class CacheStats(TypedDict):
    """How often a text was embedded before."""

    hits: int
    misses: int
    size: int


class EmbeddingState(TypedDict):
    """How the embedding model is."""

    status: Literal["loading", "ready", "error"]
    model: str
    dimensions: int
    cache_stats: CacheStats


class State(TypedDict):
    """How the server is."""

    version: str
    status: str
    memories_count: int
    entities_count: int
    code_chunks_count: int
    embedding: EmbeddingState
    db_dimension: int


def _only_true(value: object) -> bool:
    return value is True


def _required(schema: dict[str, Any]) -> None:
    """What is not confirmed is answered and never an error, yet clients are to confirm."""
    schema["required"] = ["confirm"]
    del schema["properties"]["confirm"]["default"]


class ResetAllMemory(Params):
    model_config = ConfigDict(json_schema_extra=_required)

    confirm: Annotated[bool, Field(description="Must be true."), BeforeValidator(_only_true)] = (
        False
    )


class Counted(TypedDict):
    """How much was deleted."""

    memories: int
    entities: int
    relations: int
    code_chunks: int


class Reset(TypedDict):
    """Whether everything was deleted."""

    reset: bool
    deleted: NotRequired[Counted]
    message: NotRequired[str]

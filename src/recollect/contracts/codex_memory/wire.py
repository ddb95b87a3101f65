"""What the tools of `codex-memory` take and answer."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, NotRequired

from pydantic import Field
from typing_extensions import TypedDict

from recollect.contracts.contract import Params
from recollect.contracts.shared import EXACT

# What may be left out, and is no null where it is given.
Text = Annotated[str, Field(default_factory=str)]
Project = Annotated[Text, Field(description="Only entries of this project.")]
Depth = Annotated[int, Field(ge=0, le=20), EXACT]


class IndexItem(TypedDict):
    """An entry as lists show it, without its body."""

    id: str
    title: str
    entry_type: str
    project: str
    created_at: str
    score: float
    superseded_by: NotRequired[str]


class DetailItem(TypedDict):
    """An entry, whole."""

    id: str
    title: str
    body: str
    entry_type: str
    project: str
    session_id: str | None
    source_ref: str | None
    metadata: dict[str, Any]
    created_at: str
    superseded_by: NotRequired[str]


class SaveMemory(Params):
    text: Annotated[str, Field(description="What to remember.")]
    title: Annotated[Text, Field(description="A heading; else the first sentence.")]
    project: Annotated[Text, Field(description="Its project; else the one you are in.")]
    type: Annotated[Text, Field(description="A word of your own; else note.")]
    source_ref: Annotated[Text, Field(description="Where it is from: a file, commit or link.")]
    metadata: Annotated[
        dict[str, Any],
        Field(
            default_factory=dict,
            description="Further facts; session_id, event_time, valid_from, valid_until and"
            " speaker also set the entry's own fields.",
        ),
    ]


class Saved(TypedDict):
    """Under which id it is kept."""

    status: Literal["saved"]
    id: str
    created_at: str


class SearchParams(Params):
    query: Annotated[str, Field(description="What to look for.")]
    project: Project
    type: Annotated[Text, Field(description="Only entries of this type.")]
    limit: Annotated[int, Field(ge=1, le=100, description="At most so many."), EXACT] = 20
    offset: Annotated[int, Field(ge=0, description="Leave out so many of the first."), EXACT] = 0


class FoundItems(TypedDict):
    """One page of what was found."""

    items: list[IndexItem]
    total: int
    limit: int
    offset: int


class TimelineParams(Params):
    anchor_id: Annotated[str, Field(description="The entry to look around.")]
    depth_before: Depth = 3
    depth_after: Depth = 3


class Timeline(TypedDict):
    """What was remembered around an entry, oldest first."""

    anchor_id: str
    items: list[IndexItem]


class GetEntries(Params):
    ids: Annotated[
        list[str], Field(min_length=1, max_length=200, description="Ids, from a search.")
    ]


class Entries(TypedDict):
    """The entries in the order asked for, and the ids that name none."""

    items: list[DetailItem]
    missing: NotRequired[list[str]]


class IngestDocs(Params):
    project: Annotated[Text, Field(description="Whose documents; else the project you are in.")]
    sources: Annotated[
        list[str],
        Field(
            default_factory=list,
            max_length=1000,
            description="Files, folders or patterns; else session-log*, decisions* and"
            " requirements* in docs/ and at the root.",
        ),
    ]
    entry_type: Annotated[str, Field(description="The type of what is kept.")] = "ingestion"


class Ingested(TypedDict):
    """How much was read, kept, known already, and left out with the reason."""

    processed_sources: int
    imported_entries: int
    duplicate_entries: int
    skipped_sources: list[str]


class RetentionDryRun(Params):
    now: Annotated[Text, Field(description="As of this time, ISO 8601.")]
    max_age_days: Annotated[
        float,
        Field(gt=0, default_factory=lambda: math.inf, description="Older ones are candidates."),
    ]
    max_entries_per_project: Annotated[
        float,
        Field(gt=0, default_factory=lambda: math.inf, description="All but so many newest are."),
    ]
    project: Project


class Reasons(TypedDict):
    """How many are beyond each limit; one that is beyond both counts for both."""

    age: int
    project_count: int


class Candidates(TypedDict):
    """What retention would delete, oldest first."""

    mode: Literal["dry-run"]
    executed_at: str
    total_candidates: int
    by_reason: Reasons
    candidate_ids: list[str]

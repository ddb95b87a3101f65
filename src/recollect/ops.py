"""The verbs: what can be asked of the engine, each naming its answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

from recollect.model import (
    Author,
    AuthorKind,
    Counts,
    Edge,
    Event,
    Hit,
    Key,
    Kind,
    Problem,
    Project,
    Record,
    Role,
    Scope,
    Similar,
    Vectors,
    Where,
)
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from datetime import datetime

    from recollect.model import Vector

Answer = TypeVar("Answer")

# Ways in say who is calling; code that embeds the engine acts for its own user.
OWNER = Author(AuthorKind.HUMAN)


class Op(Value, Generic[Answer]):
    """A request to the engine that is answered by an `Answer`."""

    # Never called. Without a use of `Answer`, type checkers take every Op for every other.
    def _answer(self) -> Answer:
        raise NotImplementedError


class Remembered(Value):
    """The record, whether it is new, and what it may be at odds with."""

    record: Record
    created: bool
    similar: tuple[Similar, ...] = ()
    redacted: tuple[str, ...] = ()


class Remember(Op[Remembered]):
    """Keep a text."""

    text: str
    scope: Scope = Scope()
    author: Author = OWNER
    type: str = "semantic"
    title: str = ""
    event_time: datetime | None = None
    valid_from: datetime | None = None
    valid_until: datetime | None = None
    confidence: float = 1.0
    importance: float = 1.0
    source: str = ""
    source_ref: str = ""
    session: str = ""
    speaker: str = ""
    metadata: str = "{}"
    # Empty for what is kept; `candidate` for what a rule proposes to keep.
    status: str = ""
    # Records that this one takes the place of, in the same transaction.
    supersedes: tuple[str, ...] = ()
    # Whether a current record of the same scope and text, of which nothing else was said, is
    # answered instead of a second one. Times do not count.
    once: bool = True
    # How many similar records to name; none is a little faster.
    similar: int = 5
    # Refuse while there is no model, rather than to keep the text and let its vector follow.
    needs_vector: bool = False


class RememberedAll(Value):
    """The records in the order asked for, and how many of them are new."""

    records: tuple[Record, ...]
    created: int


class RememberAll(Op[RememberedAll]):
    """Keep many texts in one transaction, all or none."""

    items: tuple[Remember, ...]
    # One row for each item, where the caller has them already (a restore, a migration).
    vectors: Sequence[Vector] | None = None


class Ingested(Value):
    """How many documents were read, what became of their sections, and what was left out why."""

    documents: int
    created: int
    known: int
    skipped: tuple[str, ...]


class Ingest(Op[Ingested]):
    """Keep the sections of documents, each once; a changed one supersedes what it was."""

    # Files, folders or patterns; without any, what projects usually write down.
    sources: tuple[str, ...] = ()
    # Nothing outside of these is read. Paths are meant from the first.
    roots: tuple[str, ...] = ()
    scope: Scope = Scope()
    author: Author = OWNER
    type: str = "ingestion"


class Imported(Value):
    """What a batch brought, how much of it was known already, and what was left out why."""

    # Empty where nothing was kept, or it was only tried.
    batch: str
    # The formats that were found.
    formats: tuple[str, ...]
    files: int
    # As they are kept, or would be.
    records: tuple[Record, ...]
    known: int
    entities: int
    relations: int
    # How many of the records went in without a secret that their source holds.
    redacted: int
    skipped: tuple[str, ...]


class Import(Op[Imported]):
    """Take in what other programs remembered, each thing once, as one batch that can be undone."""

    # Files and folders.
    sources: tuple[str, ...]
    # Nothing outside of these is read. Paths are meant from the first.
    roots: tuple[str, ...] = ()
    # What the files are; without it, what their content says.
    format: str = ""
    scope: Scope = Scope()
    author: Author = OWNER
    # Say what would be kept, and keep nothing.
    dry_run: bool = False


class Said(Value):
    """One message of a conversation: who said it, `user` or `assistant`, what, and when."""

    role: str
    text: str
    at: datetime | None = None


class Captured(Value):
    """The batch of what was kept of a turn, the candidates, and how many were known already."""

    batch: str
    records: tuple[Record, ...]
    known: int


class Capture(Op[Captured]):
    """Keep the facts and decisions of a turn as candidates; nothing else of what was said."""

    said: tuple[Said, ...]
    scope: Scope = Scope()
    # The program that the conversation is with, and its name for it.
    source: str = ""
    session: str = ""


class Finding(Value):
    """Something about a record that a person should look at, and what could be done about it."""

    # One of `rules.review.FINDINGS`.
    what: str
    record: Record
    # Why it was found: of secrets and orders the kind, never what they say.
    why: str
    # For what says the same, or otherwise: the record that would stay.
    other: Record | None = None


class Reviewed(Value):
    """What was found, most pressing first; how many records were looked at, and of how many."""

    findings: tuple[Finding, ...]
    looked_at: int
    total: int


class Review(Op[Reviewed]):
    """Look for what a memory should not hold, or not hold twice. Changes nothing."""

    where: Where = Where()
    # Only these sorts of findings; all of them where none is named.
    only: tuple[str, ...] = ()
    # Not returned by any search for so many days.
    stale_days: float = 365.0
    # Never returned since it was kept, so many days ago.
    unused_days: float = 90.0


class Tidied(Value):
    """The batch, how many were ended, accepted and redacted, and which were passed over."""

    batch: str
    ended: tuple[str, ...]
    accepted: tuple[str, ...]
    # The new records, in the place of those that held a secret. This cannot be undone.
    redacted: tuple[str, ...]
    passed: tuple[str, ...]


class Tidy(Op[Tidied]):
    """Do about findings what can be done, as one batch, and accept candidates."""

    findings: tuple[Finding, ...] = ()
    accept: tuple[str, ...] = ()
    tenant: str = "local"
    author: Author = OWNER


class Share(Value):
    """How much of it one project has; what belongs to none has an empty name."""

    project: str
    memories: int
    tokens: int


class Measured(Value):
    """How much there is, in records and in tokens as a model would count them."""

    memories: int
    tokens: int
    # The largest first.
    projects: tuple[Share, ...]
    candidates: int
    # How many were ever returned by a search or read.
    returned: int


class Measure(Op[Measured]):
    """Count what is true now, and how many tokens it would take to say all of it."""

    where: Where = Where()


class Batch(Value):
    """Changes that were made together and can be undone together."""

    id: str
    # What made it, such as `import`.
    by: str
    at: datetime
    author: Author
    # How many entries of the ledger it has, and whether it was undone.
    changes: int
    undone: bool


class Batches(Value):
    """Batches, newest first."""

    batches: tuple[Batch, ...]


class ListBatches(Op[Batches]):
    """List what was done as one batch, newest first."""

    tenant: str = "local"
    limit: int = 20


class Undone(Value):
    """What was deleted, what is again as it was, and what was left alone as it changed since."""

    batch: str
    forgotten: tuple[str, ...]
    restored: tuple[str, ...]
    left: tuple[str, ...]


class Undo(Op[Undone]):
    """Undo a batch: delete for good what it brought, and bring back what it changed."""

    batch: str
    tenant: str = "local"
    author: Author = OWNER


class Revised(Value):
    """The record as it is now and as it was; the same, where nothing was to be changed."""

    record: Record
    previous: Record


class Revise(Op[Revised]):
    """Correct a record in place. What is None stays as it is; history keeps what was."""

    id: str
    tenant: str = "local"
    author: Author = OWNER
    text: str | None = None
    type: str | None = None
    title: str | None = None
    confidence: float | None = None
    importance: float | None = None
    metadata: str | None = None
    event_time: datetime | None = None
    valid_from: datetime | None = None
    # Refuse when the record is no longer at this version.
    expected_version: int | None = None
    # Only a record of these kinds; of any where none is named.
    kinds: tuple[Kind, ...] = ()
    # Refuse while there is no model, rather than to keep the text and let its vector follow.
    needs_vector: bool = False


class Superseded(Value):
    """Both records after the change."""

    old: Record
    new: Record


class Supersede(Op[Superseded]):
    """Say that a newer record takes the place of an older one."""

    old: str
    new: str
    tenant: str = "local"
    author: Author = OWNER
    # Only records of these kinds; of any where none is named.
    kinds: tuple[Kind, ...] = ()


class Invalidated(Value):
    """The record, closed; or the relation, where the id names one."""

    record: Record | None
    edge: Edge | None = None


class Invalidate(Op[Invalidated]):
    """Say that a record, or a relation, is no longer true."""

    id: str
    tenant: str = "local"
    author: Author = OWNER
    reason: str = ""
    superseded_by: str = ""
    # Only a record of these kinds; of any where none is named. Relations are of no kind.
    kinds: tuple[Kind, ...] = ()


class Forgotten(Value):
    """What was deleted."""

    ids: tuple[str, ...]


class Forget(Op[Forgotten]):
    """Delete records or relations for good: text, vector, index, edges and caches."""

    ids: tuple[str, ...]
    tenant: str = "local"
    author: Author = OWNER
    reason: str = ""
    # Only records of these kinds; of any where none is named. Relations are of no kind.
    kinds: tuple[Kind, ...] = ()


class Got(Value):
    """The records in the order asked for, and the ids that name none."""

    records: tuple[Record, ...]
    missing: tuple[str, ...]


class Get(Op[Got]):
    """Read records by id: as they are, or as they were known to be at a past time."""

    ids: tuple[str, ...]
    tenant: str = "local"
    # Only what was true then.
    as_of: datetime | None = None
    # As it was recorded then, before later corrections.
    known_at: datetime | None = None
    # Only records of these kinds; of any where none is named.
    kinds: tuple[Kind, ...] = ()
    # Whether an id that names none is an error, instead of one of the answer's `missing`.
    strict: bool = False
    # Whether it is one where all of them name none.
    some: bool = False
    # Note that what is found was looked at.
    touch: bool = False


class Listed(Value):
    """One page, newest first, and how many there are in all."""

    records: tuple[Record, ...]
    total: int


class List(Op[Listed]):
    """Page through records. `where.at=None` is everything; `current` is what holds now."""

    where: Where = Where()
    limit: int = 20
    offset: int = 0
    current: bool = False


class Surroundings(Value):
    """The records before and after one, it among them, in the order in which they were made."""

    records: tuple[Record, ...]


class Around(Op[Surroundings]):
    """Tell what was remembered before and after a record, in its project."""

    id: str
    where: Where = Where()
    before: int = 3
    after: int = 3


class Due(Value):
    """What is beyond a limit, oldest first, and how many are beyond each of them."""

    at: datetime
    ids: tuple[str, ...]
    by_age: int
    by_count: int


class Overdue(Op[Due]):
    """Say which records limits of age and of number would have deleted. Deletes none."""

    where: Where = Where()
    # As of then; without it, as of now.
    at: datetime | None = None
    max_age_days: float | None = None
    max_for_each_project: int | None = None


class Scopes(Value):
    """The names of users and of projects, in order."""

    users: tuple[str, ...]
    projects: tuple[str, ...]


class ListScopes(Op[Scopes]):
    """Tell whose memories there are, and of which projects."""

    tenant: str = "local"


class Recalled(Value):
    """What was found, best first, and what the search looked at."""

    hits: tuple[Hit, ...]
    # How many candidates there were; where it was asked for, how many records match in all.
    total: int
    graph_nodes: int
    # False while the model is loading: only words and graph were searched.
    semantic: bool
    tokens: int


class Weights(Value):
    """How much each way of finding counts. Any non-negative numbers, not all zero."""

    vector: float = 0.40
    words: float = 0.15
    graph: float = 0.45


class Recall(Op[Recalled]):
    """Find records by meaning, by words and by what they are linked to."""

    query: str
    where: Where = Where()
    limit: int = 10
    offset: int = 0
    # None lets the engine weigh as measured best.
    weights: Weights | None = None
    # As of then; without it, as of now. `where.at` is set from this, "last week" counts from it.
    as_of: datetime | None = None
    # Also what is no longer, or not yet, true.
    any_time: bool = False
    # At most so many tokens of text, counted as a model would.
    budget: int | None = None
    explain: bool = False
    # Say of each long text which passage of it was found.
    quote: bool = False
    # Fold texts that say the same into the best of them.
    fold: bool = True
    # Count all that matches, so that pages can be turned to the last one.
    count: bool = False
    # Refuse while there is no model, rather than to search without meaning.
    needs_vector: bool = False
    # Note that what is found was looked at.
    touch: bool = False
    # Also code that matches this; where `where` is of code alone, nothing but code is found.
    code: Where | None = None


class Described(Value):
    """The entity, and whether it is new."""

    record: Record
    created: bool


class Describe(Op[Described]):
    """Name a person, project or thing, so that memories which mention it are linked."""

    name: str
    scope: Scope = Scope()
    author: Author = OWNER
    type: str = ""
    description: str = ""


class Related(Value):
    """The relation, and whether it is new."""

    edge: Edge
    created: bool


class Relate(Op[Related]):
    """Draw a relation between two records."""

    src: str
    type: str
    dst: str
    tenant: str = "local"
    author: Author = OWNER
    weight: float = 1.0
    # Only between records of these kinds; of any where none is named.
    kinds: tuple[Kind, ...] = ()


class Explored(Value):
    """What was reached, nearest first, and the edges that were walked."""

    records: tuple[Record, ...]
    edges: tuple[Edge, ...]


class Explore(Op[Explored]):
    """Walk the graph from a record."""

    id: str
    tenant: str = "local"
    depth: int = 1
    # "outgoing", "incoming" or "both"
    direction: str = "outgoing"
    types: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    as_of: datetime | None = None


class IndexedCode(Value):
    """The project, and how many files and pieces of them this run has indexed."""

    project: Project
    files: int
    chunks: int


class IndexProject(Op[IndexedCode]):
    """Index the code of a folder. Only what has changed since the last time is read."""

    path: str
    scope: Scope = Scope()
    author: Author = OWNER
    # Go on indexing what changes, for as long as this process runs.
    watch: bool = False
    # The folder that paths are meant from is the first of these.
    roots: tuple[str, ...] = ()
    # Whether only folders inside of the roots may be indexed.
    confined: bool = False


class IndexState(Op[Project]):
    """Say how far the index of a project is, whichever process makes it."""

    project: str
    scope: Scope = Scope()


class Projects(Value):
    """Projects, by name."""

    projects: tuple[Project, ...]


class ListProjects(Op[Projects]):
    """List the projects that were indexed."""

    scope: Scope = Scope()


class Dropped(Value):
    """How many pieces of code were deleted with a project's index."""

    chunks: int


class DropProject(Op[Dropped]):
    """Delete the index of a project. Its files stay as they are."""

    project: str
    scope: Scope = Scope()
    author: Author = OWNER


class FoundCode(Value):
    """Pieces of code, best first."""

    hits: tuple[Hit, ...]
    # Whether meaning was compared too.
    semantic: bool = False
    graph_nodes: int = 0


class SearchCode(Op[FoundCode]):
    """Find code by what it does, what it is called, or where it is."""

    query: str
    where: Where = Where(kinds=(Kind.CODE,))
    limit: int = 10
    # How much each way of finding counts; None lets the engine weigh as measured best.
    weights: Weights | None = None


class Reasons(Value):
    """The pieces of code that are meant, and what was decided and remembered about them."""

    root: str
    path: str
    pieces: tuple[Record, ...]
    # Newest first; decisions apart.
    decisions: tuple[Record, ...]
    memories: tuple[Record, ...]


class Why(Op[Reasons]):
    """Say what is behind a file, or behind the piece of code that is on one of its lines."""

    # Absolute, or from the first of the roots, or as it is within a project.
    path: str
    line: int | None = None
    scope: Scope = Scope()
    roots: tuple[str, ...] = ()
    limit: int = 20


class Told(Value):
    """Every version of a record, oldest first, and the ledger's entries for it."""

    versions: tuple[Record, ...]
    events: tuple[Event, ...]


class History(Op[Told]):
    """Tell how a record came to be as it is. Deleted ones have events but no versions."""

    id: str
    tenant: str = "local"


class Changed(Value):
    """Entries of the ledger, oldest first."""

    events: tuple[Event, ...]


class Changes(Op[Changed]):
    """Follow what any process changed, after the given place in the ledger."""

    after: int = 0
    limit: int = 1000


class Health(Value):
    """How the engine is."""

    version: str
    counts: Counts
    vectors: Vectors
    model: str
    dimensions: int
    model_status: str
    model_error: str
    cache_hits: int
    cache_misses: int
    cache_size: int
    bytes: int
    ledger: int


class Status(Op[Health]):
    """Say how the engine is."""

    tenant: str = "local"


class Verified(Value):
    """What was checked, and what is wrong."""

    records: int
    events: int
    problems: tuple[Problem, ...]


class Verify(Op[Verified]):
    """Check the file, the ledger's chain, and that everything derived agrees with its record."""


class Carried(Value):
    """How much was carried from one store to another, and of which model the vectors are."""

    events: int
    records: int
    edges: int
    vectors: int
    model: str


class Export(Op[Carried]):
    """Write everything of all tenants, whole, as lines from which a store can be made again."""

    # Called with one line after the other, line end included.
    write: Callable[[bytes], object]
    # Without vectors the file is a third as long, and the texts are embedded again.
    vectors: bool = True


class Restore(Op[Carried]):
    """Make again what was exported, in a store that is empty; all of it, or nothing."""

    lines: Iterable[bytes]
    author: Author = OWNER


class Backed(Value):
    """What the copy holds, and how many bytes it takes."""

    records: int
    events: int
    bytes: int


class Backup(Op[Backed]):
    """Copy the store, as it is at one moment, to a new file, and check the copy."""

    path: str


class Wiped(Value):
    """How much was deleted; None where it was not confirmed, and so nothing was."""

    counts: Counts | None


class Wipe(Op[Wiped]):
    """Delete everything of one tenant for good."""

    tenant: str = "local"
    author: Author = OWNER
    confirmed: bool = True


class Keyed(Value):
    """The key, and its secret, which is shown this once and kept nowhere."""

    key: Key
    secret: str


class CreateKey(Op[Keyed]):
    """Make a key that lets a caller in."""

    name: str
    role: Role = Role.AGENT
    tenant: str = "local"
    user: str = ""
    expires_at: datetime | None = None
    author: Author = OWNER


class Keys(Value):
    """Keys, oldest first, and those that still open something."""

    keys: tuple[Key, ...]
    open: tuple[str, ...]


class ListKeys(Op[Keys]):
    """List the keys of one tenant, or of all where none is named."""

    tenant: str | None = None


class Revoked(Value):
    """The key, which opens nothing any more."""

    key: Key


class RevokeKey(Op[Revoked]):
    """Let nobody in with a key any more, from this moment on."""

    id: str
    author: Author = OWNER


class RotateKey(Op[Keyed]):
    """Give a key a new secret. The old one opens nothing from this moment on."""

    id: str
    # Until when it is good from now on; None leaves that as it is.
    expires_at: datetime | None = None
    author: Author = OWNER


class Identified(Value):
    """The key that a secret is of."""

    key: Key


class Identify(Op[Identified]):
    """Say whose a secret is. Raises `BadSecret` where it opens nothing."""

    secret: str

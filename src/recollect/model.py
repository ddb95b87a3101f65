"""The nouns: what is remembered, what links it, and what a change consists of."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from recollect.value import Value

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

    Vector: TypeAlias = "NDArray[float32]"

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# Since when something was true that ended at a known time, where nobody says since when.
EVER = datetime.min.replace(tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


def micros(time: datetime) -> int:
    """Microseconds since 1970, which is how every store keeps a time."""
    return (time - EPOCH) // _MICROSECOND


def moment(stamp: int) -> datetime:
    """The inverse of `micros`, exact where floating point would not be."""
    return EPOCH + stamp * _MICROSECOND


def rfc3339(time: datetime) -> str:
    """The form in which a time leaves the program.

    >>> rfc3339(datetime(2026, 2, 12, 10, 30, tzinfo=UTC))
    '2026-02-12T10:30:00Z'
    """
    return time.astimezone(UTC).isoformat().replace("+00:00", "Z")


class Kind(StrEnum):
    """What a record is. It decides which contracts show it, and never changes."""

    MEMORY = "memory"
    DECISION = "decision"
    PROPOSAL = "proposal"
    OUTCOME = "outcome"
    SIGNAL = "signal"
    SKILL = "skill"
    ANTIPATTERN = "antipattern"
    ENTITY = "entity"
    CODE = "code"
    # A project that was indexed, or a file of it: what pieces of code come from.
    SOURCE = "source"


# Made from files, so that they can be made again: the ledger notes that they were, and no more.
DERIVED = frozenset((Kind.CODE, Kind.SOURCE))


class AuthorKind(StrEnum):
    """Who may be behind a change."""

    HUMAN = "human"
    AGENT = "agent"


class Role(StrEnum):
    """What a caller is allowed to do, each including those before it."""

    VIEWER = "viewer"
    AGENT = "agent"
    ADMIN = "admin"

    def includes(self, needed: Role) -> bool:
        """Whether this role may do what that one may.

        >>> Role.AGENT.includes(Role.VIEWER), Role.AGENT.includes(Role.ADMIN)
        (True, False)
        """
        ranked = list(Role)
        return ranked.index(self) >= ranked.index(needed)


class Author(Value):
    """Who made a change. Set by the way in, never by an argument."""

    kind: AuthorKind
    name: str = ""


class Scope(Value):
    """Whose a record is. An empty user or project means nobody's in particular."""

    tenant: str = "local"
    user: str = ""
    project: str = ""


class Key(Value):
    """What lets a caller in: a role, and whose memories it is for. The secret is kept nowhere."""

    id: str
    name: str
    role: Role
    tenant: str
    # Whose memories are meant where a call does not say; empty for everybody's.
    user: str
    # SHA-256 of the secret.
    digest: str
    created_at: datetime
    expires_at: datetime | None = None
    revoked_at: datetime | None = None

    def opens_at(self, time: datetime) -> bool:
        """Whether it lets anybody in at that time."""
        return self.revoked_at is None and (self.expires_at is None or time < self.expires_at)


class Done(Value):
    """A request that came with a key of its own and was carried out."""

    # A digest of who sent it and of its key.
    key: str
    # A digest of what it asked for.
    print: str
    tenant: str
    at: datetime
    # What was answered; empty where that is not to be kept, or is no more.
    answer: str


class Link(StrEnum):
    """The types of edge that Recollect draws by itself; people add their own names."""

    SUPERSEDES = "supersedes"
    MENTIONS = "mentions"
    ABOUT = "about"
    OUTCOME_OF = "outcome_of"
    EVIDENCE_FOR = "evidence_for"
    CALLS = "calls"
    DEFINES = "defines"
    IMPORTS = "imports"


class Record(Value):
    """Anything remembered."""

    id: str
    kind: Kind
    scope: Scope
    author: Author
    text: str
    created_at: datetime
    updated_at: datetime
    event_time: datetime
    valid_from: datetime
    valid_until: datetime | None = None
    type: str = ""
    title: str = ""
    # What records of one kind and scope are told apart by: an entity's name, a decision's target.
    key: str = ""
    status: str = ""
    confidence: float = 1.0
    importance: float = 1.0
    source: str = ""
    source_ref: str = ""
    session: str = ""
    speaker: str = ""
    # The caller's own JSON object, kept as the text that it is stored as.
    metadata: str = "{}"
    # What records of this kind alone have, as a JSON object; engines write it, never callers.
    facts: str = "{}"
    version: int = 1
    # Given by the store: its own number of the record, and what the edges say.
    seq: int = 0
    accessed_at: datetime | None = None
    supersedes: tuple[str, ...] = ()
    superseded_by: str = ""

    @property
    def searched(self) -> bool:
        """Whether the index of words leads to it."""
        # An entity is found by its name and edges, code by an index of its own.
        return self.kind is not Kind.ENTITY and self.kind not in DERIVED

    @property
    def embedded(self) -> bool:
        """Whether the model's vectors lead to it."""
        return self.kind is not Kind.ENTITY and self.kind is not Kind.SOURCE

    def valid_at(self, time: datetime) -> bool:
        """Whether the record was true at that time."""
        return self.valid_from <= time and (self.valid_until is None or time < self.valid_until)


class Edge(Value):
    """A typed, weighted, dated link between two records."""

    src: str
    type: str
    dst: str
    created_at: datetime
    valid_from: datetime
    valid_until: datetime | None = None
    weight: float = 1.0
    # Only what a caller drew has an id of its own.
    id: str = ""


class Event(Value):
    """One entry of the ledger: who changed what and when, without the content."""

    seq: int
    at: datetime
    verb: str
    record: str
    author: Author
    detail: str
    # Ties the entry to the record's content through a salt that dies with the record.
    seal: str
    hash: str


class Where(Value):
    """Which records a read is about. `None` means any; `at=None` means at any time."""

    tenant: str = "local"
    user: str | None = None
    project: str | None = None
    kinds: tuple[Kind, ...] = (Kind.MEMORY,)
    types: tuple[str, ...] = ()
    # Kinds whose records match whatever their type is.
    untyped: tuple[Kind, ...] = ()
    statuses: tuple[str, ...] = ()
    at: datetime | None = None
    session: str | None = None
    # By event time: from `since`, up to but without `until`.
    since: datetime | None = None
    until: datetime | None = None

    def admits(self, record: Record) -> bool:
        """Whether the record is one that the read is about."""
        whose = record.scope
        return (
            whose.tenant == self.tenant
            and self.user in {None, whose.user}
            and self.project in {None, whose.project}
            and self.session in {None, record.session}
            and (not self.kinds or record.kind in self.kinds)
            and (not self.types or record.type in self.types or record.kind in self.untyped)
            and (not self.statuses or record.status in self.statuses)
            and (self.at is None or record.valid_at(self.at))
            and (self.since is None or self.since <= record.event_time)
            and (self.until is None or record.event_time < self.until)
        )


# A search makes hundreds of these two, so they are tuples, which take a quarter of the time.
class Candidate(NamedTuple):
    """A record that a search proposes: the store's number of it, and how well it fits."""

    seq: int
    score: float


class Spot(NamedTuple):
    """Where a record is: its project, its source, and of which type it is."""

    project: str
    source: str
    type: str


class Corpus(Value):
    """What BM25 has to know of all indexed texts together."""

    documents: int
    average_length: float
    frequency: dict[str, int]


class Arc(NamedTuple):
    """An edge as the graph walk sees it: numbers only."""

    src: int
    dst: int
    weight: float


class Parts(Value):
    """What each way of finding contributed to a hit, each in [0, 1]."""

    vector: float = 0.0
    words: float = 0.0
    graph: float = 0.0
    # How close the record, and what was said around it, comes to the words of the query.
    around: float = 0.0
    # Whether the query names who said it.
    speaker: float = 0.0
    # Whether it holds the query word for word.
    verbatim: float = 0.0
    # Whether it is from a time that the query names.
    time: float = 0.0
    # Whether it holds at the time that is asked about, where what does not may be found too.
    holds: float = 0.0


class Why(Value):
    """How a hit came to its place: its rank in each list, and the terms that matched."""

    vector_rank: int | None
    words_rank: int | None
    graph_rank: int | None
    cosine: float | None
    bm25: float
    terms: tuple[str, ...]


class Hit(Value):
    """A record found, and how well it fits."""

    record: Record
    score: float
    parts: Parts
    why: Why | None = None
    # Of a long text, the passage that was found, where that was asked for.
    passage: str = ""


class Similar(Value):
    """A current record that a reader might take for an older version of a new one."""

    record: Record
    similarity: float
    conflict: bool


class Sense(NamedTuple):
    """What a text means to a model: its vector, and codes of its words where the model has them."""

    vector: Vector
    # Of `len(vector)` bits each, one behind the other.
    codes: bytes = b""
    # Of a long text the vectors of its passages, in 16-bit floats, one behind the other.
    parts: bytes = b""
    # Whether that is the beginning of the text only.
    partial: bool = False


class Entry(Value):
    """A record to be written, with what it means where that is known already."""

    record: Record
    vector: Vector | None = None
    codes: bytes = b""
    parts: bytes = b""
    # Whether what is known is of the beginning of the text only, so that the record waits.
    partial: bool = False


class Plan(Value):
    """The writes that a rule decided on, applied in the transaction that read."""

    verb: str
    author: Author
    at: datetime
    insert: tuple[Entry, ...] = ()
    # The whole new state; its version is one more than the version that was read.
    update: tuple[Entry, ...] = ()
    link: tuple[Edge, ...] = ()
    unlink: tuple[Edge, ...] = ()
    forget: tuple[str, ...] = ()
    # Records of derived kinds, new or in the place of those with their ids: no version is kept.
    derive: tuple[Entry, ...] = ()
    # Records of derived kinds that are no more.
    discard: tuple[str, ...] = ()
    # The one that the derived ones belong to. All of them together leave one entry, with its id.
    about: str = ""
    # A JSON object for the ledger: why, never the content.
    detail: str = "{}"


class Skipped(Value):
    """Files that were left out for one reason: how many, and some of them."""

    reason: str
    count: int
    examples: tuple[str, ...]


class Project(Value):
    """An indexed project, and how far its index is."""

    id: str
    root: str
    status: str
    total_files: int = 0
    indexed_files: int = 0
    total_chunks: int = 0
    # How many of them have no vector yet, and are found by their words, names and links alone.
    waiting: int = 0
    # What is not as it should be, and what to do.
    warnings: tuple[str, ...] = ()
    started_at: datetime | None = None
    completed_at: datetime | None = None
    # In [0, 1], and how many seconds are likely left; None where nothing goes on.
    progress: float = 0.0
    eta: float | None = None
    skipped: tuple[Skipped, ...] = ()
    error: str = ""


class Whole(Value):
    """A record with all that a store keeps of it and nothing that is derived."""

    record: Record
    # Ties the record to its seals in the ledger.
    salt: bytes
    # Earlier versions, oldest first.
    versions: tuple[Record, ...] = ()
    vector: Vector | None = None
    codes: bytes = b""
    parts: bytes = b""
    # Whether what is known is of the beginning of the text only.
    partial: bool = False


class Load(Value):
    """Part of what one store held, for another to take in as it is."""

    events: tuple[Event, ...] = ()
    records: tuple[Whole, ...] = ()
    edges: tuple[Edge, ...] = ()


class Counts(Value):
    """How much a store holds."""

    memories: int = 0
    entities: int = 0
    relations: int = 0
    code_chunks: int = 0
    decisions: int = 0
    records: int = 0


class Vectors(Value):
    """Which model's vectors answer searches, and how far those of a new model are."""

    serving: str = ""
    dimensions: int = 0
    coming: str = ""
    done: int = 0
    waiting: int = 0


class Problem(Value):
    """Something that `verify` found wrong."""

    what: str
    where: str
    advice: str

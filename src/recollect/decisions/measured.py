"""The verbs that measure decisions: outcomes, signals, calibration, and what they teach."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from recollect.model import Author, Record, Where
from recollect.ops import OWNER, Op
from recollect.value import Value

if TYPE_CHECKING:
    from datetime import datetime

    from recollect.decisions import Decision, Stage


class Depth(StrEnum):
    """How much context a decision is given."""

    MINIMAL = "minimal"
    STANDARD = "standard"
    FULL = "full"


class Came(NamedTuple):
    """One outcome that holds: of which decision and domain, how sure, how well, and when."""

    decision: str
    domain: str
    stated: float
    score: float
    # Microseconds.
    at: int


class Sums(NamedTuple):
    """What several outcomes come to together."""

    outcomes: int = 0
    score: float = 0.0
    stated: float = 0.0
    # Microseconds.
    last: int = 0


class Rate(Value):
    """How sure people were in one domain against how often they were right."""

    domain: str
    sample_size: int
    # Successes and failures, those of the prior included.
    alpha: float
    beta: float
    mean: float
    variance: float
    interval: tuple[float, float]
    # Plain means of what was seen; None where nothing was.
    observed: float | None
    stated: float | None
    # Stated less observed: positive for the overconfident.
    gap: float
    status: str
    trend: str
    last: datetime | None = None


class Whole(Value):
    """A decision with what came of it, as it is now."""

    decision: Decision
    stage: Stage
    outcome: Record | None = None


class Alike(Value):
    """Another decision that is like one, and what came of it."""

    decision: Decision
    similarity: float
    # None as long as nothing is known.
    score: float | None = None
    lessons: tuple[str, ...] = ()
    # Whether it says the same in other words.
    same: bool = False
    # Whether it is near by more than chance, as far as that can be told.
    of_one_matter: bool = True


class Lesson(Value):
    """A skill or an antipattern: what outcomes taught, with its evidence."""

    record: Record
    confidence: float
    interval: tuple[float, float]
    successes: int
    outcomes: int
    success_rate: float
    # How well it fits what is asked for, in [0, 1].
    fits: float
    advice: str = ""
    decisions: tuple[str, ...] = ()
    # How decisions went that were shown it, and those that it was withheld from.
    shown: tuple[int, float | None] = (0, None)
    withheld: tuple[int, float | None] = (0, None)
    better: float | None = None


class Warning_(Value):  # noqa: N801 -- the other name is Python's own
    """One thing that speaks against a decision."""

    type: str
    severity: str
    message: str
    evidence: str
    recommendation: str
    ids: tuple[str, ...] = ()


class Oddity(Value):
    """Something out of the ordinary, with the decisions that show it."""

    type: str
    severity: str
    domain: str
    message: str
    evidence: tuple[str, ...]


class Updated(Value):
    """The decision, and the stage that it was at before."""

    whole: Whole
    previous: Stage


class UpdateDecision(Op[Updated]):
    """Say how far a decision has come. What was decided stays as it was."""

    id: str
    tenant: str = "local"
    author: Author = OWNER
    stage: Stage | None = None
    confidence: float | None = None
    notes: str = ""
    pr: str = ""
    commit: str = ""
    # Only if that is still its version.
    expected_version: int | None = None


class Shown(Value):
    """A decision with its surroundings."""

    whole: Whole
    similar: tuple[Alike, ...] = ()
    antipatterns: tuple[Lesson, ...] = ()


class GetDecision(Op[Shown]):
    """Read a decision, what came of it, and what is like it."""

    id: str
    tenant: str = "local"
    similar: int = 5


class ListedDecisions(Value):
    """Decisions, newest first."""

    decisions: tuple[Whole, ...]


class ListDecisions(Op[ListedDecisions]):
    """List decisions of a domain, at a stage, or all."""

    where: Where = Where()
    module: str = ""
    stage: Stage | None = None
    limit: int = 20


class Recorded(Value):
    """The outcome, and what it makes of the domain's calibration."""

    outcome: Record
    whole: Whole
    before: Rate
    after: Rate
    # What the outcome took the place of.
    replaced: str = ""
    learned: tuple[Record, ...] = ()


class RecordOutcome(Op[Recorded]):
    """Say what came of a decision. Said again, it takes the place of what was said before."""

    decision: str
    status: str
    score: float
    tenant: str = "local"
    author: Author = OWNER
    lessons: tuple[str, ...] = ()
    # A JSON object of what was observed.
    signals: str = "{}"
    domain: str = ""
    # Where it was seen: a commit, a pull request.
    source_ref: str = ""


class Signalled(Value):
    """The signal, and what to expect of the decision now."""

    signal: Record
    expected: float


class RecordSignal(Op[Signalled]):
    """Say that something was seen of a decision before its outcome."""

    decision: str
    type: str
    valence: str
    tenant: str = "local"
    author: Author = OWNER
    description: str = ""
    # A JSON object of what was measured.
    metrics: str = "{}"


class Calibrated(Value):
    """What is known of a domain, and since when if that is a copy."""

    rate: Rate
    cached_at: datetime | None = None
    # Of all domains together: how good stated confidences are as forecasts.
    brier: float | None = None
    expected_error: float | None = None


class Calibrate(Op[Calibrated]):
    """Say how well confidence and success agree, in one domain or in all together."""

    domain: str = ""
    where: Where = Where()


class CalibratedAll(Value):
    """Every domain, and how good the stated confidences are as forecasts."""

    rates: tuple[Rate, ...]
    sample_size: int
    brier: float | None
    expected_error: float | None
    gap: float
    status: str
    last: datetime | None = None
    cached_at: datetime | None = None


class CalibrateAll(Op[CalibratedAll]):
    """Say it of every domain that has outcomes enough."""

    where: Where = Where()
    fewest: int = 3
    # "success_rate", "trend", "variance", or empty for the name.
    sort_by: str = ""


class Guided(Value):
    """What to make of a confidence."""

    rate: Rate
    confidence: float | None
    # What to add to it; None where nothing is known.
    adjustment: float | None
    patterns: tuple[Lesson, ...] = ()


class Guide(Op[Guided]):
    """Say how sure to be in a domain."""

    domain: str
    confidence: float | None = None
    context: str = ""
    where: Where = Where()


class Weighed(Value):
    """What speaks against a decision, gravest first, and what it comes to."""

    warnings: tuple[Warning_, ...]
    risk: float
    firewall: str


class Weigh(Op[Weighed]):
    """Say what speaks against a decision that is about to be made."""

    statement: str
    domain: str = ""
    confidence: float | None = None
    alternatives: tuple[str, ...] = ()
    where: Where = Where()


class Context(Value):
    """All that is worth knowing before a decision."""

    statement: str
    rate: Rate
    confidence: float | None
    advised: float | None
    similar: tuple[Alike, ...]
    skills: tuple[Lesson, ...]
    warnings: tuple[Warning_, ...]
    firewall: str
    risk: float
    # Only of the deepest: what failed before, what was learned, and what else was decided.
    failed: tuple[str, ...] = ()
    lessons: tuple[str, ...] = ()
    chains: tuple[Chain, ...] = ()
    related: tuple[Alike, ...] = ()
    tokens: int = 0
    left_out: int = 0


class GatherContext(Op[Context]):
    """Gather what is worth knowing before a decision."""

    statement: str
    module: str = ""
    confidence: float | None = None
    depth: Depth = Depth.STANDARD
    where: Where = Where()
    # At most so many tokens of text; None for what the depth usually takes.
    budget: int | None = None


class Chain(Value):
    """From a decision through what was done and what came of it to what it taught."""

    whole: Whole
    # What carried it out: a commit, a pull request, or what signals say of them.
    implementation: str = ""
    signals: tuple[Record, ...] = ()
    lessons: tuple[str, ...] = ()
    taught: tuple[Record, ...] = ()


class Analysed(Value):
    """A decision, what led to what, and what it kept from happening."""

    chain: Chain
    similar: tuple[Alike, ...]
    # Later decisions that turned down what this one showed to fail.
    prevented: tuple[Decision, ...]
    # Antipatterns that its alternatives are.
    avoided: tuple[Lesson, ...]


class Analyse(Op[Analysed]):
    """Say what led to what."""

    id: str
    tenant: str = "local"


class Lessons(Value):
    """Skills and antipatterns of a domain."""

    domain: str
    skills: tuple[Lesson, ...]
    antipatterns: tuple[Lesson, ...]


class FindSkills(Op[Lessons]):
    """Find what outcomes taught."""

    domain: str
    statement: str = ""
    min_confidence: float = 0.7
    limit: int = 10
    where: Where = Where()


class Mined(Value):
    """What was learned anew, what was seen again, and what no longer holds."""

    outcomes: int
    made: tuple[Record, ...]
    changed: tuple[Record, ...]


class Mine(Op[Mined]):
    """Learn from outcomes that came since the last time."""

    tenant: str = "local"
    # From the first outcome on, whatever was looked at before.
    anew: bool = False


class Oddities(Value):
    """What is out of the ordinary, gravest first."""

    found: tuple[Oddity, ...]
    at: datetime


class FindAnomalies(Op[Oddities]):
    """Look for what is out of the ordinary."""

    where: Where = Where()

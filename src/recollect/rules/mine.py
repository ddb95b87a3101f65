"""What outcomes teach: texts that say the same are gathered, and judged by how it went.

A cluster of at least three decisions is a skill where they went well, and an antipattern where
they did not. It matures with evidence, and is retired when that turns or grows old.
"""

from __future__ import annotations

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from recollect.model import Kind
from recollect.rules.analyse import terms
from recollect.rules.beta import beta
from recollect.rules.calibrate import posterior
from recollect.rules.closeness import alike as close
from recollect.rules.entities import names
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from typing import Any

    from recollect.model import Sense, Vector
    from recollect.rules.beta import Beta

CANDIDATE, MATURE, RETIRED = "candidate", "mature", "retired"
LESSON, STATEMENT = "lesson", "statement"
# With fewer decisions nothing is concluded.
FEWEST = 3
# From this mean of the posterior on a cluster is a skill; up to the other one an antipattern.
GOOD, BAD = 0.6, 0.4
# An antipattern that succeeds as seldom as this is a grave one.
_GRAVE = 0.25
# What was either is retired when it crosses the middle.
_MIDDLE = 0.5
_MATURE_FROM = 5
_DAY = 86_400_000_000
# What nobody has seen borne out for so long may no longer hold.
OLDEST = 365 * _DAY

# Texts say the same whose likeness comes to the last: what they mean as a whole, word by word, and
# how many words they share, weighed by a logistic regression on the development half of
# bench/data/lessons.jsonl. bench/lessons.py says how often that is right.
_WHOLE, _WORDS, _COMMON, _SAYS = 20.05, 20.86, 3.675, 27.442
# Below this cosine hardly any two say the same, so their words are not looked at.
_WORTH = 0.8
# Two decisions are of one matter from here on: the cosine, and how close their words are; or if so
# many of the shorter one's words are in the other. Chosen on the same half, and measured there too.
_CLOSENESS, _MATTER, _HALF = 1.25, 1.25, 0.5
# Where words have no codes: texts whose vectors are so near say the same; nearer than the second,
# if they share their words.
_SAME, _ALIKE = 0.93, 0.83
_SHARED, _MOSTLY = 1 / 3, 2 / 3
_FEW_WORDS = 2
# Names may be one if they begin with so many letters, and one goes on for no more than so many.
_STEM, _ENDING = 4, 2
# A text is compared with so many of the nearest clusters, and so many texts at once.
_NEAREST = 12
_AT_ONCE = 256


class Taught(NamedTuple):
    """A text that a decision's outcome bears on: one of its lessons, or what was decided."""

    decision: str
    text: str
    kind: str
    vector: Vector
    # Of its words, where the model has them.
    codes: bytes = b""


class Cluster(Value):
    """Texts that say the same. `seed` is what it joins, where that is known already."""

    seed: str
    items: tuple[Taught, ...]

    @property
    def decisions(self) -> tuple[str, ...]:
        """Whose texts these are, each once, in the order given."""
        return tuple(dict.fromkeys(item.decision for item in self.items))


class Tally(NamedTuple):
    """What final scores come to, so that one more can be added without reading the others."""

    outcomes: int = 0
    total: float = 0.0
    successes: int = 0
    # Microseconds.
    newest: int = 0

    def with_(self, score: float, at: int, instead_of: float | None = None) -> Tally:
        """With one more score, or with one in the place of another.

        >>> Tally().with_(0.75, 1).with_(0.25, 2, instead_of=0.75)
        Tally(outcomes=1, total=0.25, successes=0, newest=2)
        """
        old = 0.0 if instead_of is None else instead_of
        had = instead_of is not None and instead_of >= _MIDDLE
        return Tally(
            self.outcomes + (instead_of is None),
            self.total + score - old,
            self.successes + (score >= _MIDDLE) - had,
            max(self.newest, at),
        )


class Standing(Value):
    """What the evidence makes of a cluster."""

    # None where it is neither good nor bad enough, or there is too little of it.
    kind: Kind | None
    status: str
    posterior: Beta
    interval: tuple[float, float]
    tally: Tally

    @property
    def outcomes(self) -> int:
        """How many there are."""
        return self.tally.outcomes

    @property
    def successes(self) -> int:
        """How many of them went well."""
        return self.tally.successes

    @property
    def newest(self) -> int:
        """When the last of them was known."""
        return self.tally.newest


class Arm(Value):
    """One side of a comparison: how those decisions went."""

    outcomes: int
    success_rate: float | None


class Trial(Value):
    """How decisions went that were shown a skill, and those that it was withheld from."""

    shown: Arm
    withheld: Arm
    # The probability that showing it is the better.
    better: float | None


def same(one: Taught, other: Taught, cosine: float | None = None) -> bool:
    """Whether two texts say the same, by all that is known of them."""
    if one.text == other.text:
        return True
    near = float(one.vector @ other.vector) if cosine is None else cosine
    words = _closeness(one.vector, one.codes, other.codes) if near >= _WORTH else None
    return alike(one.text, other.text, near, words)


def likeness(one: Sense, other: Sense) -> float | None:
    """How near two texts are to one matter; None where words have no codes."""
    words = _closeness(one.vector, one.codes, other.codes)
    return None if words is None else float(one.vector @ other.vector) + _CLOSENESS * words


def of_one_matter(one: str, other: str, near: float = 0.0) -> bool:
    """Whether two decisions are near by more than chance; `near` is their likeness.

    >>> of_one_matter("Use MongoDB for user data", "Use MongoDB for the cache")
    True
    >>> of_one_matter("Use MongoDB for user data", "Adopt the four day week")
    False
    """
    return near >= _MATTER or _share(one, other)[0] >= _HALF


def _closeness(vector: Vector, one: bytes, other: bytes) -> float | None:
    return close(one, other, len(vector) // 8) if one and other else None


def alike(one: str, two: str, cosine: float, words: float | None = None) -> bool:
    """Whether two texts say the same of the same things; `words` is how close their words are.

    >>> alike("Set up connection pooling", "Pool the connections of the database", 0.88)
    True
    >>> alike("Use MongoDB for user data", "Use PostgreSQL for user data", 0.9)
    False
    """
    if _others(_names(one), _names(two)):
        return False
    share, both = _share(one, two)
    if words is not None:
        return _WHOLE * cosine + _WORDS * words + _COMMON * share >= _SAYS
    return (
        cosine >= _SAME
        or (cosine >= _ALIKE and share > _SHARED)
        or (share >= _MOSTLY and both >= _FEW_WORDS)
    )


def clusters(seeds: Sequence[Taught], items: Sequence[Taught]) -> list[Cluster]:
    """Gather what says the same, in the order given; a seed's `decision` is its own id.

    Each text joins the nearest seed that it is like, or a cluster, for one of its first few texts;
    else others may join it.
    """
    import numpy as np

    if not items:
        return []
    leaders = list(seeds)
    # Of which cluster each of them is.
    of = list(range(len(seeds)))
    members: list[list[Taught]] = [[] for _ in seeds]
    for start in range(0, len(items), _AT_ONCE):
        batch = items[start : start + _AT_ONCE]
        rows = np.stack([item.vector for item in batch])
        known = len(leaders)
        near = rows @ np.stack([one.vector for one in leaders]).T if known else None
        among = rows @ rows.T
        fresh: list[int] = []
        for place, item in enumerate(batch):
            scores = [] if near is None else _nearest(near[place])
            scores += [(float(among[place, at]), known + n) for n, at in enumerate(fresh)]
            joined = _joined(item, scores, leaders)
            cluster = len(members) if joined is None else of[joined]
            if joined is None:
                members.append([])
            if _leads(item, members[cluster]) and cluster >= len(seeds):
                leaders.append(item)
                of.append(cluster)
                fresh.append(place)
            members[cluster].append(item)
    ids = [one.decision for one in seeds] + [""] * (len(members) - len(seeds))
    return [Cluster(id_, tuple(own)) for id_, own in zip(ids, members, strict=True) if own]


def _leads(item: Taught, members: Sequence[Taught]) -> bool:
    """Whether others may join a cluster for what this text says: the first few texts of each."""
    return len(members) < FEWEST and all(item.text != one.text for one in members)


def kind_of(scores: Iterable[float], prior: Beta) -> Kind | None:
    """What scores make of a cluster, at little cost; None where they make nothing of it."""
    every = list(scores)
    return _kind(posterior(every, prior).mean, len(every))


def tally(scores: Iterable[tuple[float, int]]) -> Tally:
    """What final scores and when they were known (microseconds) come to."""
    found = Tally()
    for score, at in scores:
        found = found.with_(score, at)
    return found


def standing(
    scores: Sequence[tuple[float, int]], prior: Beta, now: int, was: Kind | None = None
) -> Standing:
    """What final scores and when they were known (microseconds) come to.

    What was a skill or an antipattern already stays one, and is retired when it no longer holds.
    """
    return standing_of(tally(scores), prior, now, was)


def standing_of(found: Tally, prior: Beta, now: int, was: Kind | None = None) -> Standing:
    """The same of what was added up already."""
    failures = found.outcomes - found.total
    known = beta(prior.alpha + found.total, prior.beta + failures)
    interval = known.interval()
    kind = was or _kind(known.mean, found.outcomes)
    status = CANDIDATE
    if _fallen(kind, known.mean, found.outcomes) or found.newest < now - OLDEST:
        status = RETIRED
    elif found.outcomes >= _MATURE_FROM and not interval[0] < _MIDDLE < interval[1]:
        status = MATURE
    return Standing(kind, status, known, interval, found)


def wording(items: Sequence[Taught], kind: Kind) -> Taught:
    """The text that speaks for a cluster: nearest to all others, and the first of equals.

    A skill is said by a lesson where there is one, an antipattern by what was decided.
    """
    import numpy as np

    wanted = LESSON if kind is Kind.SKILL else STATEMENT
    fitting = [item for item in items if item.kind == wanted] or list(items)
    middle = np.sum([item.vector for item in items], axis=0)
    scores = [round(float(item.vector @ middle), 6) for item in fitting]
    return fitting[scores.index(max(scores))]


def shown(skill: str, statement: str, withheld: float) -> bool:
    """Whether a skill is shown to whoever decides this; the same for good.

    >>> shown("sk_1", "Use PostgreSQL", 0.0), shown("sk_1", "Use PostgreSQL", 1.0)
    (True, False)
    """
    said = f"{skill}\n{' '.join(statement.casefold().split())}"
    number = int.from_bytes(hashlib.sha256(said.encode()).digest()[:7], "big")
    return number >= withheld * 2**56


def trial(skill: str, went: Iterable[tuple[str, float]], withheld: float, prior: Beta) -> Trial:
    """Compare both arms: of each decision that the skill fits, its statement and final score."""
    arms: dict[bool, list[float]] = {True: [], False: []}
    for statement, score in went:
        arms[shown(skill, statement, withheld)].append(score)
    better = None
    if arms[True] and arms[False]:
        better = posterior(arms[True], prior).exceeds(posterior(arms[False], prior))
    return Trial(_arm(arms[True]), _arm(arms[False]), better)


def _arm(scores: Sequence[float]) -> Arm:
    return Arm(len(scores), sum(scores) / len(scores) if scores else None)


def _nearest(scores: Any) -> list[tuple[float, int]]:  # noqa: ANN401 -- a row of numpy's
    """The clusters that are nearest, and worth a look at their words."""
    import numpy as np

    most = min(_NEAREST, len(scores))
    best = np.argpartition(-scores, most - 1)[:most]
    return [(float(scores[place]), int(place)) for place in best]


def _joined(
    item: Taught, scores: Sequence[tuple[float, int]], leaders: Sequence[Taught]
) -> int | None:
    for score, place in sorted(scores, key=lambda one: (-one[0], one[1]))[:_NEAREST]:
        if same(leaders[place], item, score):
            return place
    return None


def _others(some: frozenset[str], further: frozenset[str]) -> bool:
    """Whether each of two texts has a name that the other one has not, in any spelling.

    >>> _others(frozenset({"postgres"}), frozenset({"postgresql"}))
    False
    >>> _others(frozenset({"java"}), frozenset({"javascript"}))
    True
    """
    gone, come = some - further, further - some
    return any(not _spelled(one, come) for one in gone) and any(
        not _spelled(one, gone) for one in come
    )


def _spelled(name: str, names: frozenset[str]) -> bool:
    """Whether a name is among others but for its last letters: Postgres, PostgreSQL."""
    return any(
        len(shorter) >= _STEM
        and len(longer) - len(shorter) <= _ENDING
        and longer[: len(shorter)] == shorter
        for other in names
        for shorter, longer in [sorted((name, other), key=len)]
    )


def _share(one: str, two: str) -> tuple[float, int]:
    """Of the shorter text's words, how many are in the other: as a share, and their number."""
    said, further = _words(one), _words(two)
    both = len(said & further)
    return both / (min(len(said), len(further)) or 1), both


def _kind(mean: float, count: int) -> Kind | None:
    if count < FEWEST:
        return None
    if mean >= GOOD:
        return Kind.SKILL
    return Kind.ANTIPATTERN if mean <= BAD else None


def _fallen(kind: Kind | None, mean: float, count: int) -> bool:
    if count < FEWEST:
        return True
    return mean < _MIDDLE if kind is Kind.SKILL else mean > _MIDDLE


# Each text is compared with several, and the same ones come again and again.
@lru_cache(1 << 14)
def _words(text: str) -> frozenset[str]:
    return frozenset(terms(text))


@lru_cache(1 << 14)
def _names(text: str) -> frozenset[str]:
    """The words of the names in a text. What opens a sentence has its capital from that."""
    first = text.split(maxsplit=1)[0] if text.strip() else ""
    return frozenset(
        word.casefold()
        for name in names(text)
        for word in name.split()
        if word != first or not word.istitle()
    )


def severity(rate: float) -> str:
    """How much a rate of success warns.

    >>> severity(0.15), severity(0.35), severity(0.6)
    ('high', 'medium', 'low')
    """
    if rate <= _GRAVE:
        return "high"
    return "medium" if rate <= BAD else "low"

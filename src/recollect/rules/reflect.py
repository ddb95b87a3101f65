"""What recent experience asks to be decided: clusters with enough independent support, as drafts.

Deterministic: the same memories in the same order propose the same. No model words anything.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from recollect.decisions import Draft
from recollect.model import Kind
from recollect.rules import mine
from recollect.rules.analyse import folded, terms
from recollect.rules.conflict import judge
from recollect.rules.headline import headline
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from recollect.model import Scope, Vector

# With less nothing is proposed.
SUPPORT = 3
# What is said against a decision in so many words is said of it.
_NEAR = 0.72
# So many words that observations share are named.
_NAMED = 6
_MANY = {"memory": "memories", "outcome": "outcomes", "signal": "signals"}
_WORD = re.compile(r"\w+")


class Evidence(NamedTuple):
    """A memory, a lesson or a signal, as reflection sees it."""

    id: str
    text: str
    vector: Vector
    # What comes from one session, or of one decision, supports a thing once.
    source: str
    scope: Scope
    # What it is about, where that is known: a decision's target or domain.
    target: str = ""
    # Of which decision it is, and whether it speaks against that.
    decision: str = ""
    against: bool = False
    # Of its words, where the model has them.
    codes: bytes = b""
    # What it is, and the day on which it was seen.
    kind: str = "memory"
    at: str = ""


class Standing(NamedTuple):
    """A decision that stands."""

    id: str
    text: str
    vector: Vector
    target: str
    domain: str
    codes: bytes = b""


class Reflection(Value):
    """What is proposed, and what was left out because somebody decided it already."""

    drafts: tuple[Draft, ...]
    known: int


def reflect(
    evidence: Sequence[Evidence], standing: Sequence[Standing], support: int = SUPPORT
) -> Reflection:
    """Drafts from what speaks for something new, and from what speaks against what stands."""
    drafts = list(_against(evidence, standing, support))
    replaced = {id_ for draft in drafts for id_ in draft.supersedes}
    drafted = {id_ for draft in drafts for id_ in draft.evidence}
    known = 0
    items = [one for one in evidence if not one.against and one.id not in drafted]
    for cluster in _clusters(items):
        if _sources(cluster) < support:
            continue
        said = mine.wording([_taught(one) for one in cluster], Kind.SKILL)
        if any(_says(one, said) for one in standing if one.id not in replaced):
            known += 1
            continue
        drafts.append(_draft(cluster, said.text, ()))
    return Reflection(tuple(drafts), known)


def _against(
    evidence: Sequence[Evidence], standing: Sequence[Standing], support: int
) -> Iterable[Draft]:
    """What contradicts a decision that stands, often enough."""
    for decision in standing:
        contrary = [one for one in evidence if _contradicts(one, decision)]
        if _sources(contrary) < support:
            continue
        title = f"Reconsider: {headline(decision.text).rstrip('.')}"
        yield _draft(contrary, title, (decision.id,), decision.target)


def _contradicts(one: Evidence, decision: Standing) -> bool:
    if one.decision == decision.id:
        return one.against
    if one.decision:
        return False
    near = float(one.vector @ decision.vector)
    return near >= _NEAR and judge(decision.text, one.text, near).conflict


def _clusters(items: Sequence[Evidence]) -> Iterable[list[Evidence]]:
    """What says the same: of one target where that is known, and of one scope."""
    groups: dict[tuple[Scope, str], list[Evidence]] = {}
    for one in items:
        groups.setdefault((one.scope, one.target), []).append(one)
    for group in groups.values():
        by_id = {one.id: one for one in group}
        for cluster in mine.clusters((), [_taught(one) for one in group]):
            yield [by_id[item.decision] for item in cluster.items]


def _taught(one: Evidence) -> mine.Taught:
    return mine.Taught(one.id, one.text, mine.LESSON, one.vector, one.codes)


def _sources(cluster: Sequence[Evidence]) -> int:
    return len({one.source for one in cluster})


def _says(decision: Standing, said: mine.Taught) -> bool:
    told = mine.Taught(decision.id, decision.text, mine.STATEMENT, decision.vector, decision.codes)
    return mine.same(told, said)


def _draft(
    cluster: Sequence[Evidence], said: str, supersedes: tuple[str, ...], target: str = ""
) -> Draft:
    named = target or next((one.target for one in cluster if one.target), "")
    title = headline(said if supersedes else plainest([one.text for one in cluster], said))
    return Draft(
        title,
        pattern(cluster, said, against=bool(supersedes)),
        named or folded(title),
        cluster[0].scope,
        tuple(dict.fromkeys(one.id for one in cluster)),
        supersedes,
    )


def pattern(cluster: Sequence[Evidence], said: str, *, against: bool = False) -> str:
    """What observations have in common: how many, when, of what sort, and in which words.

    What each of them says is its evidence, and is not said again.
    """
    days = sorted({one.at for one in cluster if one.at})
    span = " to ".join(dict.fromkeys((days[0], days[-1]))) if days else ""
    kinds = Counter(one.kind for one in cluster)
    sorts = ", ".join(
        f"{many} {kind if many == 1 else _MANY[kind]}" for kind, many in kinds.items()
    )
    verb = "speak against it" if against else "agree"
    when = f", {span}" if span else ""
    lines = [f"{_sources(cluster)} independent observations {verb}{when}: {sorts}."]
    if words := shared([one.text for one in cluster], said):
        lines.append(f"In common: {', '.join(words)}.")
    wordings = len({folded(" ".join(one.text.split())) for one in cluster})
    if not against and wordings > 1:
        lines.append(f"Of {wordings} wordings, the title is the one with the least of its own.")
    return "\n".join(lines)


def plainest(texts: Sequence[str], said: str) -> str:
    """The text that says least beside what more than half of them say; of equals, `said`.

    >>> plainest(["It timed out, run 2", "It timed out", "It timed out in run 3"], "")
    'It timed out'
    """
    often = _often(texts)
    return min(
        texts, key=lambda text: (len({*terms(text)} - often.keys()), text != said, len(text), text)
    )


def _often(texts: Sequence[str]) -> dict[str, int]:
    """The words that more than half of the texts have, and how many have them."""
    counts = Counter(term for text in texts for term in {*terms(text)})
    return {term: many for term, many in counts.items() if 2 * many > len(texts)}


def shared(texts: Sequence[str], said: str) -> tuple[str, ...]:
    """The words that more than half of the texts have, most of them first, as one text has them.

    >>> shared(["The cache was stale", "Stale caches again", "A stale cache"], "Stale cache")
    ('stale', 'cache')
    """
    often = {term: many for term, many in _often(texts).items() if term.isalpha()}
    spelled: dict[str, str] = {}
    for word in _WORD.findall(" ".join((said, *texts))):
        for term in terms(word):
            spelled.setdefault(term, folded(word))
    known = [term for term in spelled if term in often]
    return tuple(spelled[term] for term in sorted(known, key=lambda one: -often[one])[:_NAMED])

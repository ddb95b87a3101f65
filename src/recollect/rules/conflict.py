"""Whether a memory may be an older version of what a newer one says. A hint: it changes nothing.

A text becomes a reading: its words by stem, its subject, its values, its signs of change, doubt
and history. Two readings become a dozen signs for and against, and a linear model weighs those.
docs/adr/0008-conflict-hints.md says how the weights were found and how often the hints are right.
"""

from __future__ import annotations

import re
from functools import lru_cache
from math import exp

from recollect.rules.analyse import folded, stem
from recollect.rules.english import DATES, STARTERS, STOP_WORDS
from recollect.value import Value

# Longer memories are compared by their beginnings.
READ = 400


class Verdict(Value):
    """What an older memory is to a newer one."""

    # How alike, in [0, 1]: the order of hints.
    similarity: float
    # Worth naming: a conflict, the same again, or alike in meaning.
    similar: bool
    # Likely the same fact with another value, or its negation.
    conflict: bool
    # Says the same again.
    same: bool


def _set(*lines: str) -> frozenset[str]:
    return frozenset(word for line in lines for word in line.split())


def _stems(*lines: str) -> frozenset[str]:
    return frozenset(map(stem, _set(*lines)))


def _phrases(*lines: str) -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:{'|'.join(line.replace(' ', '|') for line in lines)})\b".replace("~", " ")
    )


_words = re.compile(r"[^\W_]+(?:[-.,:/_'+][^\W_]+)*|[.!?;](?=\s|$)").findall
_digit = re.compile(r"\d").search
_year = re.compile(r"(?:19|20)\d\d").fullmatch
_speaker = re.compile(r"\s*(\w{1,30}):\s").match
_upper = re.compile(r"[A-Z]").search

# `~` stands for a space within a phrase.
_changed = _phrases(
    "now no~longer any~?more not~any these~days from~now~on lately recently currently just",
    "since instead replaced? replaces replacing switch(?:ed|es)? mov(?:ed|es) relocated migrated",
    "changed became becomes turned left joined quit retired resigned transferred swapped ditched",
    "gave~up given~up went~back reverted bumped raised lowered increased decreased reduced cut",
    "grew rose fell extended shortened delayed postponed rescheduled rebooked pushed brought",
    "handed took~over taken~over appointed promoted hired started stopped cancell?ed ended",
    "adopted ported converted rewrote rewritten deprecated removed dropped decommissioned shut",
    "resolved reopened completed finished merged shipped closed fixed married divorced engaged",
    "upgraded downgraded updated reinstalled renamed sold bought stolen lost broke expired again",
    "mind reversed off~the new latest earlier later longer after~all went~to put~up is~off is~over",
)
_doubted = _phrases(
    "if might maybe perhaps could would should~we whether unless someday possibly undecided may",
    "consider(?:s|ed|ing)? thinking~(?:of|about) thinks~(?:of|about) wonder(?:s|ed|ing)?",
    "dream(?:s|ed|ing)? suggest(?:s|ed|ing)? propos(?:es|ed|al|ing) one~day at~some~point",
    "hop(?:es|ed|ing)~to were~\\w+~to not~(?:yet~)?(?:been~)?decided would~like plans?~to",
    "interested~in looking~(?:at|into) curious idea option evaluat(?:es|ed|ing) discuss(?:ed|ing)",
)
_past = _phrases(
    "used~to was~an? were~an? formerly previously originally back~then in~the~past as~an?~child",
    "years~ago (?:until|in|since|back~in|during)~(?:19|20)\\d\\d once~was grew~up studied",
    "the~first prototype former",
)
_added = _phrases(
    "also too another second in~addition as~well besides additionally on~top~of learn(?:ed|ing)",
    "both extra plus third",
)
_negated = _phrases(
    "not? never none neither nor without cannot \\w+n't stopped quit cancell?ed ended sold dropped",
    "forbidden disabled rejected abandoned lost forbids banned refuses",
)

_SELF = _set("i i'm i've i'd i'll my mine me user users user's")
_IGNORED = (
    frozenset(word.replace("'", "") for word in STOP_WORDS)
    | _set("i my mine me we our ours us user one now also so will no")
) - {"same"}
# Of two texts that have different words of one line, each is about a case of its own.
_CASES = tuple(
    map(
        _stems,
        (
            "staging production prod development dev test testing local preview",
            "macos mac linux windows android ios mobile desktop web",
            "winter summer spring autumn fall",
            "morning afternoon evening night noon breakfast lunch dinner",
            "weekday weekend",
            "primary replica secondary standby leader follower",
            "frontend backend admin client server",
            "work private personal home office",
            "debug release",
            "major minor patch",
            "cat dog bird horse fish rabbit",
            "inbound outbound",
            "input output",
            "read write",
            "upload download",
            "left right",
            "north south east west",
            "first second third last",
            "car bike phone laptop tablet desktop",
        ),
    )
)
_KIN = _stems(
    "wife husband brother sister mother father mom dad mum son daughter partner parent friend",
    "colleague boss neighbour neighbor uncle aunt cousin girlfriend boyfriend kid child roommate",
    "flatmate coworker manager grandmother grandfather grandma grandpa nephew niece",
)
# Of two texts that have different words of one line, each says the other is not so.
_SCALES = tuple(
    map(
        _stems,
        (
            "on off enabled disabled",
            "open closed fixed resolved",
            "red green yellow blue black white",
            "allowed forbidden banned permitted",
            "always never",
            "valid expired",
            "dark light",
            "single engaged married divorced widowed",
            "progress merged shipped done finished planned blocked",
            "tab space",
            "short long brief full detailed",
            "public private internal",
            "active inactive paused archived",
            "approved rejected pending",
            "required optional mandatory",
            "daily weekly monthly yearly hourly",
            "hot cold warm",
            "up down",
            "build buy built bought",
            "monday tuesday wednesday thursday friday saturday sunday",
            "january february march april june july august september october november december",
            "window aisle",
            "tea coffee",
            "bullet paragraph prose",
            "monorepo polyrepo repository",
        ),
    )
)
_NUMBERS = {
    word: str(n)
    for n, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
    if n > 1
}
_ATTRIBUTES = {
    root: at
    for at, line in enumerate(
        (
            "live move relocat base reside home stay residence move",
            "work job engineer employ join hire position intern company quit promot career role",
            "prefer like love favourite favorite enjoy hate dislike want fan",
            "run use switch migrat deploy stor written build replac target requir upgrad version",
            "own lead led head manage manager owner handle responsible charge maintain ownership",
            "due deadline launch date schedul plan release start held begin appointment",
            "keep kept store located place stored hold",
        )
    )
    for root in _stems(line)
}
_VERBS = frozenset(_ATTRIBUTES) - _stems(
    "home job engineer company launch release version"
) | _stems(
    "is are was were has have had does do can be been got get gets am i'm i've we've he's she's",
    "takes take took keeps keep said says say listens went goes go put holds sends send supports",
    "speaks plays drives reads knows drinks eats eat works practises stands likes serves will",
    "must should owns called named costs pays weighs needs takes finds asked decided agreed",
)


class _Reading(Value):
    """What the comparison needs to know of one text."""

    words: frozenset[str]
    subject: frozenset[str]
    names: frozenset[str]
    numbers: frozenset[str]
    years: frozenset[str]
    attributes: frozenset[int]
    me: str
    negated: bool
    changed: bool
    doubted: bool
    past: bool
    added: bool


@lru_cache(256)
def _read(text: str) -> _Reading:
    text = text[:READ].replace("\u2019", "'")
    low = folded(text)
    raws = _words(text)
    lows = _words(low)
    roots = [_NUMBERS.get(word) or stem(word.removesuffix("'s").replace("'", "")) for word in lows]
    subject: list[str] = []
    for word, root in zip(lows, roots, strict=True):
        if root in _VERBS or word in ".!?;":
            break
        subject.append(root)
    names = set()
    before = "."
    for raw, root in zip(raws, roots, strict=False):
        if _upper(raw) and root not in _IGNORED and raw.lower() not in DATES:
            if before not in ".!?;" or raw.lower() not in STARTERS:
                names.add(root)
        before = raw
    said = _speaker(low)
    me = ""
    if not _SELF.isdisjoint(lows):
        me = said[1] if said else "user"
    numbers = frozenset(root for root in roots if _digit(root))
    return _Reading(
        frozenset(root for root in roots if root not in _IGNORED and root[0].isalnum()),
        frozenset(root for root in subject if root not in _IGNORED),
        frozenset(names),
        numbers,
        frozenset(filter(_year, numbers)),
        frozenset(_ATTRIBUTES[root] for root in roots if root in _ATTRIBUTES),
        me,
        bool(_negated.search(low)),
        bool(_changed.search(low)),
        bool(_doubted.search(low)),
        bool(_past.search(low)),
        bool(_added.search(low)),
    )


def _differ(one: frozenset[str], two: frozenset[str]) -> bool:
    return bool(one - two and two - one)


def _split(old: frozenset[str], new: frozenset[str], lines: tuple[frozenset[str], ...]) -> bool:
    """Whether the texts have different words of one line."""
    gone, come = old - new, new - old
    return any(not line.isdisjoint(gone) and not line.isdisjoint(come) for line in lines)


def _signs(old: _Reading, new: _Reading, cosine: float) -> dict[str, float]:
    shared = old.words & new.words
    values = old.names | new.names | old.numbers | new.numbers
    frame = (old.words & new.words) - values
    least = min(len(old.words - values), len(new.words - values))
    lost, come = old.subject - new.words, new.subject - old.words
    valued = _differ(old.numbers - old.years, new.numbers - new.years) or _differ(
        old.names, new.names
    )
    return {
        "bias": 1.0,
        "cosine": 10 * (cosine - 0.85),
        "shared": min(len(shared), 4) / 4,
        "frame": len(frame) / least if least else 0.0,
        "lost": float(bool(lost)),
        "come": float(bool(come)),
        "other": float(bool(lost and come)),
        "me": float(old.me != new.me),
        "case": float(_split(old.words, new.words, _CASES)),
        "kin": float(bool((old.words ^ new.words) & _KIN)),
        "names": float(_differ(old.names, new.names)),
        "numbers": float(_differ(old.numbers - old.years, new.numbers - new.years)),
        "years": float(_differ(old.years, new.years)),
        "scale": float(_split(old.words, new.words, _SCALES)),
        "attribute": float(not old.attributes.isdisjoint(new.attributes)),
        "negation": float(old.negated != new.negated),
        "changed": float(new.changed and not old.changed),
        "doubted": float(new.doubted and not old.doubted),
        "past": float(new.past or old.past),
        "added": float(new.added),
        "nothing": float(not (valued or new.words - old.words)),
    }


# In the order of `_signs`; the first column is for a cosine, the second for words alone.
_WEIGHTS: dict[str, tuple[float, float]] = {
    "bias": (-1.59, -1.42),
    "cosine": (0.89, 0.00),
    "shared": (0.07, 0.42),
    "frame": (-0.19, 0.07),
    "lost": (-0.07, -0.11),
    "come": (-0.21, -0.39),
    "other": (-0.48, -0.43),
    "me": (-0.20, -0.57),
    "case": (-0.87, -0.85),
    "kin": (-0.07, -0.10),
    "names": (0.26, 0.07),
    "numbers": (0.74, 0.97),
    "years": (-0.36, -0.29),
    "scale": (0.97, 1.17),
    "attribute": (0.27, 0.29),
    "negation": (0.85, 0.92),
    "changed": (2.18, 2.14),
    "doubted": (-0.32, -0.37),
    "past": (-0.61, -0.62),
    "added": (-0.62, -0.60),
    "nothing": (-0.52, -0.43),
}
_LIKELY = 0.6
_ALIKE, _EQUAL = 0.87, 0.94
_ALIKE_WORDS, _EQUAL_WORDS = 0.5, 0.7


def judge(old: str, new: str, cosine: float | None) -> Verdict:
    """What the old text is to the new one.

    >>> judge("The build uses Poetry.", "We switched the build from Poetry to uv.", None).conflict
    True
    >>> judge("The build uses Poetry.", "Anna's cat is called Momo.", None).similar
    False
    """
    one, two = _read(old), _read(new)
    shared = len(one.words & two.words)
    overlap = 2 * shared / (len(one.words) + len(two.words) or 1)
    alike, equal = (_ALIKE_WORDS, _EQUAL_WORDS) if cosine is None else (_ALIKE, _EQUAL)
    similarity = overlap if cosine is None else min(max(cosine, 0.0), 1.0)
    signs = _signs(one, two, 0.85 if cosine is None else cosine)
    column = 1 if cosine is None else 0
    score = sum(_WEIGHTS[sign][column] * value for sign, value in signs.items())
    likely = 1 / (1 + exp(-score))
    conflict = likely >= _LIKELY and (shared > 0 or similarity >= alike) and old != new
    differs = any(signs[s] for s in ("names", "numbers", "years", "scale", "negation", "case"))
    unsure = any(signs[s] for s in ("doubted", "added", "me"))
    same = old == new or (similarity >= equal and not (conflict or differs or unsure))
    return Verdict(similarity, conflict or same or similarity >= alike, conflict, same)

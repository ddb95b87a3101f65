"""Whether a memory may be an older version of what a newer one says. A hint: it changes nothing.

A text becomes clauses: their words by stem, their subject, their values, their cues of change,
doubt and history. Each clause of the old text is held against each of the new, signs for and
against are read off, and a linear model weighs them; the likeliest two clauses decide.
docs/adr/0008-conflict-hints.md says how the weights were found and how often the hints are right.
"""

from __future__ import annotations

import re
from functools import cached_property, lru_cache
from itertools import compress, islice, pairwise
from math import log
from typing import TYPE_CHECKING

from recollect.rules.analyse import folded, stem
from recollect.rules.english import DATES, STARTERS, STOP_WORDS
from recollect.rules.lately import Lately
from recollect.rules.roles import odds
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import TypeAlias

    _Words: TypeAlias = tuple[str, ...]

# Longer memories are compared by their beginnings.
READ = 600
CLAUSES = 4
# A value has no more words than this.
FEW = 4
# So much of the shorter clause, its values aside, is in the other one too.
HALF = 0.5
# More words in common tell no more of a topic.
MOST_TOLD = 3
# The cosine of memories of one topic; what stands for it where there is none. Its sign is then 0.
MIDDLE = 0.85
# The cosine from which two clauses are about one thing though no word says which.
NEAR = 0.9


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
    """Words, and pairs of words that are joined by an underscore."""
    return frozenset(word.replace("_", " ") for line in lines for word in line.split())


def _stems(*lines: str) -> frozenset[str]:
    return frozenset(map(stem, _set(*lines)))


def _sides(*lines: str) -> dict[str, tuple[int, int]]:
    """The line and the side of each word."""
    return {
        stem(word): (at, side)
        for at, line in enumerate(lines)
        for side, words in enumerate(line.split())
        for word in words.split("/")
    }


# What was so is so no more, or something took its place.
_REPLACED = _set(
    "no_longer any_more anymore not_any these_days from_now instead replaced replaces replacing",
    "switched switches moved relocated migrated changed became becomes quit retired resigned",
    "transferred swapped ditched gave_up given_up went_back back_to reverted bumped raised lowered",
    "increased decreased reduced extended shortened delayed postponed rescheduled rebooked slipped",
    "pushed_back pushed_to brought_forward handed took_over taken_over takes_over appointed",
    "promoted stopped cancelled canceled ended adopted ported converted rewrote rewritten moving",
    "deprecated removed dropped decommissioned reopened upgraded downgraded renamed sold shifted",
    "stolen expired reversed called_off is_off after_all his_mind her_mind their_mind my_mind",
    "put_up down_to up_to went_to turned_into split_up broke_up moved_out stepped_down",
    "redesigned reassigned superseded supersedes overturned scrapped abolished lifted rolled_back",
    "rather_than in_favour in_favor doubled halved tripled went_up went_down dropped_to went_from",
    "lapsed terminated laid_off got_fired settled_in used_until swapping switching gone outgrew",
    "any_longer broke_off dissolved discontinued phased_out closed_down shut_down let_go withdrew",
    "withdrawn rescinded overruled vetoed traded exchanged succeeded",
    "is_back are_back goes_ahead last_day repaired restored cured healed graduated elected voted",
    "rotated migrating migrates transitioned settled relocates relocating transfers shifts",
    "expanded enlarged trimmed slashed tightened loosened relaxed jumped climbed dipped no_more",
    "new_home new_owner new_job works_again renewed reassigns retires quits drops stops ends",
    "shrunk shrank tired_of grown_to come_to came_to came_around went_off is_over was_over",
)
# The same may be said of what was never otherwise.
_CHANGED = _set(
    "now nowadays since again started closed fixed merged shipped finished completed resolved",
    "married engaged divorced hired joined left new latest currently become got cut grew rose fell",
    "turned reinstalled bought enabled disabled updated later earlier finally as_of took resumed",
    "paused launched passed failed recovered died broke signed approved rejected reached accepted",
    "already picked chose overhauled rebuilt refactored redone archived unblocked revoked taken",
)
_DOUBTED = _set(
    "if might maybe perhaps could would should_we whether someday possibly undecided",
    "consider considers considered considering thinking_of thinking_about thinks_of thinks_about",
    "wonder wonders wondered wondering dream dreams dreaming suggest suggests suggested proposes",
    "proposed proposal one_day some_point hope hopes hoping not_been not_decided not_yet plans_to",
    "plan_to planning_to interested_in looking_at looking_into curious idea option evaluating",
    "discussed discussing debating may_be may_move may_switch wants_to toying tempted asked_about",
    "asks_whether eventually talk_of rumour rumor imagine imagines suppose hypothetically wishes",
    "thinks_it worth_a what_if in_case supposing speculates floated mulls mulling asked_if",
    "may_become may_take may_replace",
    "wish pondering weighing ought potential potentially likely unlikely probably in_theory",
)
_PAST = _set(
    "during_his during_her during_their his_studies her_studies in_its its_first back_in",
    "early_days used_to was_a was_an was_the were_a formerly previously originally back_then",
    "the_past a_child a_kid a_teenager years_ago once_was once grew_up studied prototype former",
    "was_born ago at_first initially in_those had_been at_university at_school until_then",
)
_ADDED = _set(
    "also too another second in_addition as_well besides additionally on_top learned learning both",
    "extra plus third alongside together_with further next_to likewise moreover even",
)
_NEGATED = _set(
    "not never none neither nor without cannot stopped quit cancelled canceled ended sold dropped",
    "forbidden disabled rejected abandoned lost forbids banned refuses no removed revoked hates",
    "can't don't doesn't didn't isn't aren't wasn't weren't won't hasn't haven't couldn't",
    "prohibited denied nothing nobody gone avoid avoids lapsed terminated off-limits scrapped",
    "declined declines gave_up given_up unable stop shouldn't mustn't hadn't wouldn't is_off",
    "called_off",
)
# With these words it is a wish that holds now, and no doubt.
_MEANT = _set("would_rather would_like would_prefer might_as")
_CUES = (_REPLACED, _CHANGED, _DOUBTED, _PAST, _ADDED, _NEGATED)
_CUED = frozenset[str]().union(*_CUES)
_NO_CUE = (False,) * len(_CUES)
_SELF = _set("i i'm i've i'd i'll my mine me user users user's")
_IGNORED = frozenset((":",)) | frozenset(
    stem(word.replace("'", ""))
    for word in STOP_WORDS
    | _set("i i'm i've my mine me we our ours us user now also so will no too one there's that's")
    | _set("because therefore though although which whose whom than then just only very")
    | _set("thanks wow great awesome cool glad really lot lots hey hi good nice well very much")
)

# Of two clauses that have different words of one line, each is about a case of its own.
# A slash joins words for the same.
_CASES = _sides(
    "staging production/prod/live development/dev test/testing local preview sandbox demo",
    "macos/mac linux windows android ios",
    "mobile desktop web",
    "winter summer spring autumn/fall",
    "morning/breakfast afternoon/noon/lunch evening/dinner night",
    "weekday weekend holiday",
    "primary/leader replica/secondary/standby/follower",
    "frontend backend admin",
    "client server",
    "work/office private/personal/home",
    "debug release",
    "major minor patch",
    "cat dog bird horse fish rabbit",
    "inbound outbound",
    "input output",
    "read write",
    "upload download",
    "north south east west",
    "first second third last",
    "car bike phone laptop tablet",
    "metric trace log",
    "internal external",
    "adult child",
    "import export",
    "left right",
)
_KIN = _stems(
    "wife husband brother sister mother father mom dad mum son daughter partner parent friend",
    "colleague boss neighbour neighbor uncle aunt cousin girlfriend boyfriend kid child roommate",
    "flatmate coworker grandmother grandfather grandma grandpa nephew niece",
)
# Of two clauses that have different words of one line, one says that the other is not so.
_SCALES = _sides(
    "on/enabled off/disabled",
    "open/opened/blocked closed/fixed/resolved/solved/unblocked",
    "red green yellow blue black white orange purple grey/gray brown pink",
    "allowed/permitted forbidden/banned/prohibited",
    "always never",
    "valid expired",
    "dark light",
    "single/unmarried engaged married divorced/separated widowed",
    "progress/planned/draft/review merged/shipped/done/finished/released blocked",
    "tab space",
    "short/brief long/full/detailed",
    "public private",
    "active inactive/paused/suspended archived",
    "approved/accepted rejected/declined pending",
    "required/mandatory optional",
    "daily/nightly weekly monthly quarterly yearly hourly",
    "hot cold warm",
    "build buy/bought",
    "monday tuesday wednesday thursday friday saturday sunday",
    "january february march april june july august september october november december",
    "window aisle",
    "tea coffee",
    "bullet paragraph/prose",
    "vegetarian vegan meat",
    "like/love hate/dislike",
    "accept refuse",
    "online/up/working/works/repaired/passing offline/down/broken/failing/outage",
    "alpha beta stable experimental deprecated",
    "locked unlocked",
    "paid unpaid free",
    "success failure",
    "include exclude",
    "manual/manually automatic/automatically",
    "synchronous asynchronous",
    "remote onsite hybrid",
    "early late",
    "formal informal/casual",
    "quiet loud",
    "sick healthy",
    "small medium large",
    "low high critical",
    "rent own",
    "running cycling swimming",
    "junior senior",
    "english german french spanish italian dutch portuguese chinese japanese",
    "pass/passed fail/failed",
    "empty full",
    "employed unemployed",
    "present absent",
    "true false",
    "asleep awake",
    "win/won lose/lost",
    "buyer seller",
    "safe unsafe",
    "even odd",
    "strict lenient",
    "verbose terse",
    "sweet unsweetened",
    "cash card",
    "male female",
    "ascending descending",
    "serif sans",
    "vim emacs",
)
_NUMBERS = {
    word: str(number)
    for number, word in enumerate("two three four five six seven eight nine ten eleven".split(), 2)
}
# Words that tell one attribute each, of which a subject has one value at a time.
_SINGLE = {
    root: at
    for at, line in enumerate(
        (
            "live move moved relocate based reside home residence settled hometown address",
            "work job engineer employed join hire position intern company quit promoted career",
            "favourite favorite prefer prefers rather",
            "run switch migrate deploy stored written replace target require upgrade version host",
            "own lead led head manage manager owner ownership charge responsible maintain handle",
            "due deadline launch schedule scheduled planned release start held begin appointment",
            "keep kept store located place hold lie saved parked",
            "decide decided agree agreed chose chosen pick picked opt settle decision",
            "married engaged divorced dating relationship",
            "cost price rent salary fee",
            "limit capped maximum timeout",
        )
    )
    for root in _stems(line)
}
_MANY = _stems("like love enjoy use have know speak read visit play learn want")
# Of these a subject has several at a time.
_SEVERAL = _stems("like love enjoy have has know speak read visit play learn")
_MANIFOLD = _MANY | _SEVERAL
_VERBS = (
    (
        frozenset(_SINGLE)
        - _stems("home job engineer company launch release version deadline start price rent fee")
        - _stems(
            "salary limit timeout position address decision career manager owner teacher nurse"
        )
        - _stems("appointment relationship host place store head")
    )
    | _MANY
    | _stems(
        "is are was were has had does do can be been got gets am i'm i've we've he's she's takes",
        "take took says say said listens listen went goes go put holds sends send supports drives",
        "knows drinks eats eat practises practices stands serves will must should owns called",
        "named costs pays weighs needs finds asked decided agreed became stopped started sits",
        "heads closes opens ends expires meets gives makes made came come comes turned wears",
        "sleeps teaches studies trains rides sells buys bought sold finished added contains",
        "returns accepts allows rejects listened publishes generates talks writes wrote left",
    )
)

_SCALED, _SINGLED = frozenset(_SCALES), frozenset(_SINGLE)
_LISTED = _CASES.keys() | _SCALES.keys() | _SINGLE.keys() | _MANY | _KIN
# What two texts may have in common without being about one thing.
_LIGHT = _VERBS | _SCALES.keys() | _CASES.keys()
# Other words are cut off here, so that `moderator` meets `moderates`.
ROOT = 6

_words = re.compile(r"[^\W_]+(?:[-.,:/_'+]+[^\W_]+)*\+*|[.!?;:](?=\s|$)").findall
_digit = re.compile(r"\d").search
# What is written as no word of the language is: a path, a file, `snake_case`, `camelCase`.
_coined = re.compile(r"\w[_/:.]+\w|[a-z][A-Z]").search
_year = re.compile(r"(?:19|20)\d\d").fullmatch
_speaker = re.compile(r"\s*([A-Z]\w{0,30}):\s").match
_upper = re.compile(r"[A-Z]").search
_ENDS = frozenset(".!?;")
# What follows one of these fills its place.
_PLACES = frozenset(
    "in on at by with to from via under into onto through as until after of".split()
)
# A clause that begins with one of these tells when or where it holds.
_LEADS = frozenset("in on for during at when while if unless under before outside within".split())
# So many words of such a beginning are read.
_LEADING = 2
_ARTICLES = frozenset(("the", "a", "an"))
_IS = frozenset(("is", "are", "was"))
_PRESENT = frozenset(("is", "are", "am", "be", "being", "i'm", "'s", "a", "an", "the"))
# What follows one of these is a noun, whatever else it may be: `the build`, `my train`.
_NOUNS = frozenset("the a an my our your his her its their this that each every".split())
_WAS = frozenset(("was", "were", "had"))
_HAPPENED = _set(
    "went got broke sold bought began gave became left put grew won lost met made took fell found",
    "rose built wrote came ran cut quit sent paid told chose held kept brought stood spent shut",
)


class _Clause(Value):
    """What the comparison needs to know of one sentence."""

    roots: tuple[str, ...]
    words: frozenset[str]
    subject: frozenset[str]
    names: frozenset[str]
    numbers: frozenset[str]
    years: frozenset[str]
    # Each number by the word beside it: 5433 by port, 82 by kg.
    measures: dict[str, str]
    single: frozenset[int]
    many: frozenset[str]
    me: str
    verb: str
    # The words after each preposition: `with`, Bazel; `in`, local time.
    places: dict[str, frozenset[str]]
    # When or where it holds, if it begins with that.
    lead: frozenset[str]
    happened: bool
    was: bool
    replaced: bool
    changed: bool
    doubted: bool
    past: bool
    added: bool
    negated: bool


class _Line:
    """One sentence as far as it tells what it is about.

    Most of two texts are strangers to each other, so what else there is to a sentence is read when
    it is first asked for.
    """

    def __init__(self, raws: list[str], who: str) -> None:
        self.who = who
        self.lows, self.stems, self.roots, self.capitals = zip(*map(_word, raws), strict=True)
        self.words = frozenset(self.roots) - _IGNORED
        self.topic = _topic(self.words)
        self.numbers = frozenset(filter(_digit, self.words))
        self.said = tuple(root for root in self.roots if root not in _ARTICLES)
        self.scaled = self.words & _SCALED
        self.single = frozenset(_SINGLE[root] for root in _SINGLED.intersection(self.roots))
        self.me = "" if _SELF.isdisjoint(self.lows) else who

    @cached_property
    def valued(self) -> frozenset[str]:
        """All that may be a value: numbers, and what is written with a capital."""
        return self.numbers.union(compress(self.roots, self.capitals))

    @cached_property
    def cues(self) -> set[str]:
        """Its words, alone and in pairs, but for those that are not what they look like."""
        cues = {*self.lows, *map(" ".join, pairwise(self.lows))}
        if not _MEANT.isdisjoint(cues):
            cues -= _DOUBTED
        if self.lows[-1] != "too":
            # Too much, not one more.
            cues.discard("too")
        return cues

    def cued(self, words: frozenset[str]) -> bool:
        """Whether it says any of these."""
        return not words.isdisjoint(self.cues)

    @cached_property
    def clause(self) -> _Clause:
        """All of it."""
        return _clause(self)


class _Reading:
    """The sentences of a text, and all their words."""

    def __init__(self, lines: tuple[_Line, ...]) -> None:
        self.lines = lines
        self.words = frozenset[str]().union(*(line.words for line in lines))

    @cached_property
    def names(self) -> frozenset[str]:
        """All that they name."""
        return frozenset[str]().union(*(line.clause.names for line in self.lines))

    @cached_property
    def tone(self) -> tuple[bool, ...]:
        """Whether any of them negates, doubts or adds."""
        tones = ((c.negated, c.doubted, c.added) for c in (line.clause for line in self.lines))
        return tuple(map(any, zip(*tones, strict=True)))

    @cached_property
    def replaced(self) -> bool:
        """Whether any says that something took a place."""
        return any(line.cued(_REPLACED) for line in self.lines)


@lru_cache(2048)
def _read(text: str) -> _Reading:
    text = text[:READ].replace("\u2019", "'")
    said = _speaker(text)
    if said and text.count(" ", said.end()) < FEW:
        said = None
    who = folded(said[1]) if said else "user"
    raws = _words(text[said.end() :] if said else text)
    return _Reading(tuple(_Line(part, who) for part in islice(_sentences(raws), CLAUSES)))


def _sentences(raws: list[str]) -> Iterator[list[str]]:
    """The words of each sentence, but for questions, which say nothing."""
    start = 0
    for at, raw in enumerate([*raws, "."]):
        if raw in _ENDS:
            if at > start and raw != "?":
                yield raws[start:at]
            start = at + 1


def _worded(raw: str) -> tuple[str, str, str, bool]:
    """In lower case, its stem, its root, and whether its capital is not that of a date."""
    low = folded(raw)
    bare = low.removesuffix("'s").replace("'", "") if "'" in low else low
    stemmed = _NUMBERS.get(low) or stem(bare)
    root = stemmed if stemmed in _LISTED else stemmed[:ROOT]
    # Most words are plain, and need no closer look.
    named = not (raw == low and raw.isalpha()) and bool(_upper(raw) or _coined(raw))
    return low, stemmed, root, named and low not in DATES


_word = Lately(_worded).__getitem__


def _clause(line: _Line) -> _Clause:
    """One sentence, read to its end."""
    lows, roots, words, numbers = line.lows, line.roots, line.words, line.numbers
    verb = _verb(lows, line.stems)
    happened = _happened(lows)
    return _Clause(
        line.said,
        words,
        # A clause without a verb has no known subject either.
        words.intersection(roots[:verb] if verb < len(roots) else ()),
        _names(lows, roots, line.capitals) & words - numbers,
        numbers,
        frozenset(filter(_year, numbers)),
        dict(_measures(roots, words, numbers)) if numbers else {},
        line.single,
        _MANIFOLD.intersection(roots),
        line.me,
        roots[verb] if verb < len(roots) else "",
        _places(lows, roots),
        _lead(lows, roots),
        happened,
        happened or not _WAS.isdisjoint(lows),
        *(_NO_CUE if _CUED.isdisjoint(line.cues) else map(line.cued, _CUES)),
    )


def _verb(lows: _Words, roots: _Words) -> int:
    """Where the first verb stands, or else the first word after another that may well be one."""
    for at, root in enumerate(roots):
        if root == ":" or (root in _VERBS and not (at and lows[at - 1] in _NOUNS)):
            return at
    begun = False
    for at, (low, root) in enumerate(zip(lows, roots, strict=True)):
        if begun and low.endswith(("s", "ed")) and not low.endswith(("'s", "ss")):
            return at
        begun = begun or root not in _IGNORED or low in _SELF
    return len(roots)


def _happened(lows: _Words) -> bool:
    """Whether something is told that took place, rather than what is."""
    return any(
        one not in _PRESENT and (two in _HAPPENED or two.endswith("ed"))
        for one, two in pairwise(lows)
    )


def _names(lows: _Words, roots: _Words, capitals: tuple[bool, ...]) -> frozenset[str]:
    """What is written with a capital, unless that may only begin the sentence."""
    since = int(lows[0] in STARTERS or _several(lows))
    return frozenset(compress(roots[since:], capitals[since:]))


def _several(lows: _Words) -> bool:
    """Whether a clause begins with a word in the plural, which is hardly ever a name.

    >>> _several(("deploys", "happen", "daily")), _several(("jonas", "leads", "it"))
    (True, False)
    """
    first, second = (*lows, "", "")[:2]
    plural = first.endswith("s") and not first.endswith(("ss", "us", "is", "'s"))
    return plural and not second.endswith("s")


def _places(lows: _Words, roots: _Words) -> dict[str, frozenset[str]]:
    """What stands after each preposition, up to the next one."""
    found: dict[str, set[str]] = {}
    here: set[str] = set()
    for low, root in zip(lows, roots, strict=True):
        if low in _PLACES:
            here = found.setdefault(low, set())
        elif root not in _IGNORED:
            here.add(root)
    return {place: frozenset(words) for place, words in found.items() if words}


def _lead(lows: _Words, roots: _Words) -> frozenset[str]:
    """The first words after a preposition that the clause begins with."""
    if lows[0] not in _LEADS:
        return frozenset()
    return frozenset([root for root in roots[1:] if root not in _IGNORED][:_LEADING])


def _measures(
    roots: _Words, words: frozenset[str], numbers: frozenset[str]
) -> Iterator[tuple[str, str]]:
    for one, two in pairwise(roots):
        if one in words and two in words:
            if one in numbers and two not in numbers:
                yield two, one
            elif two in numbers and one not in numbers:
                yield one, two


def _differ(one: frozenset[str], two: frozenset[str]) -> bool:
    return bool(one - two and two - one)


def _apart(gone: frozenset[str], come: frozenset[str], sides: dict[str, tuple[int, int]]) -> bool:
    """Whether the clauses have words of different sides of one line."""
    if not gone or not (was := {sides[word] for word in gone if word in sides}):
        return False
    lines = {line for line, _ in was}
    now = (sides[word] for word in come if word in sides)
    # Who has been on both sides of a line is on neither.
    return any(line in lines and (line, side) not in was for line, side in now)


def _filled(old: _Clause, new: _Clause) -> tuple[bool, bool]:
    """Whether one place that holds a single value is filled anew, and whether it has a label.

    `The capital of X is ...`, `favourite colour: ...`.
    """
    one, two = old.roots, new.roots
    least = min(len(one), len(two))
    head = next((i for i in range(least) if one[i] != two[i]), least)
    rest = least - head
    tail = next((i for i in range(rest) if one[-1 - i] != two[-1 - i]), rest)
    left = max(len(one), len(two)) - head - tail
    if head <= 1 or rest == tail:
        return False, False
    label = one[: one.index(":")] if ":" in one[:head] else ()
    # A single word is more often who said it than what it is about.
    if len(label) > 1 or (label and label[0] in _SINGLE):
        return True, True
    if left > FEW or left >= head + tail or old.many & new.many:
        return False, False
    return not (_IS.isdisjoint(one[:head]) and _SINGLE.keys().isdisjoint(one[:head])), False


def _kept(root: str) -> bool:
    """Whether a word tells subjects apart: `918` of an issue does, version 2.0 does not."""
    return root.islower() or root.isdigit()


def _siblings(old: _Clause, new: _Clause, lost: frozenset[str], found: frozenset[str]) -> bool:
    """Whether the subjects are two of a kind, or two names: `the billing service`, `Anna`."""
    if not any(map(_kept, lost)) or not any(map(_kept, found)):
        return False
    kind = not old.subject.isdisjoint(new.subject)
    return kind or not (lost.isdisjoint(old.names) or found.isdisjoint(new.names))


def _strangers(old: _Line, new: _Line, cosine: float | None) -> bool:
    """Whether two sentences have nothing in common that both could be about."""
    if not old.topic.isdisjoint(new.topic) or not (old.topic or new.topic):
        return False
    near = MIDDLE if cosine is None else cosine
    alike = not old.words.isdisjoint(new.words) or _apart(old.scaled, new.scaled, _SCALES)
    one = old.me == new.me and not old.single.isdisjoint(new.single)
    if old.me == new.me != "":
        return not (alike or one or near >= MIDDLE)
    return not (alike or one) or (cosine is not None and cosine < NEAR)


def _cover(old: _Clause, new: _Clause, shared: frozenset[str]) -> float:
    """How much of the shorter clause is in the other one too, values aside."""
    values = old.names | new.names | old.numbers | new.numbers
    least = min(len(old.words - values), len(new.words - values))
    return len(shared - values) / least if least else 0.0


def _topic(words: frozenset[str]) -> frozenset[str]:
    """The words that tell what something is about."""
    return frozenset(word for word in words - _LIGHT if not word[0].isdigit())


def _revalued(old: _Clause, new: _Clause) -> bool:
    """Whether each has a name or a number that the other one lacks."""
    numbers = old.numbers - old.years, new.numbers - new.years
    return _differ(old.names, new.names) or _differ(*numbers)


def _all_kept(old: _Clause, new: _Clause) -> bool:
    """Whether the old one has names or numbers, and the new one those and no others."""
    fixed = old.names | old.numbers
    return bool(fixed) and fixed <= new.words and new.names | new.numbers <= old.words


def _measured(old: _Clause, new: _Clause) -> bool:
    """Whether both give a number of the same thing, and not the same number."""
    return any(
        old.measures[unit] != new.measures[unit]
        for unit in old.measures.keys() & new.measures.keys()
    )


def _special(old: _Clause, new: _Clause) -> bool:
    """Whether the new clause is about a case where the old one names none: `in development`."""
    cases = {_CASES[word][0] for word in old.words if word in _CASES}
    return any(
        word in _CASES and _CASES[word][0] not in cases
        for place in _LEADS & new.places.keys()
        for word in new.places[place]
    )


def _elsewhere(old: _Clause, new: _Clause) -> bool:
    """Whether a place that both fill is filled with something else altogether."""
    return any(
        old.places[place].isdisjoint(new.places[place])
        and not (old.places[place] <= new.words or new.places[place] <= old.words)
        for place in old.places.keys() & new.places.keys()
    )


def _bars(
    old: _Clause, new: _Clause, gone: frozenset[str], come: frozenset[str], *, case: bool
) -> int:
    """How many reasons there are why both may be true: doubt, history, another case or subject."""
    lost, found = old.subject & gone, new.subject & come
    return sum(
        (
            new.doubted and not old.doubted,
            new.past or old.past or not new.years <= old.years,
            new.added,
            case or _special(old, new),
            not new.lead <= old.words,
            _siblings(old, new, lost, found),
            not _KIN.isdisjoint(lost | found),
        )
    )


def _signs(old: _Clause, new: _Clause, cosine: float, *, told: bool) -> dict[str, float]:
    """What speaks for and against a conflict of two clauses, each in about [0, 1]."""
    shared = old.words & new.words
    gone, come = old.words - shared, new.words - shared
    case, scale = _apart(gone, come, _CASES), _apart(gone, come, _SCALES)
    filled, label = _filled(old, new)
    # What has a label says by itself that it is the same fact.
    bars = 0 if label else _bars(old, new, gone, come, case=case)
    other = not (old.subject.isdisjoint(gone) or new.subject.isdisjoint(come))
    cover = _cover(old, new, shared)
    topic = min(len(_topic(shared)), MOST_TOLD)
    value = scale or _revalued(old, new)
    negation = old.negated != new.negated
    # Nothing says that both are true, and of one subject.
    open_ = not (bars or other)
    elsewhere = open_ and _elsewhere(old, new)
    return {
        "bias": 1.0,
        "cosine": 10 * (cosine - MIDDLE),
        # Further apart than memories of one topic are.
        "far": 10 * max(MIDDLE - cosine, 0.0),
        "cover": cover,
        "topic": topic / MOST_TOLD,
        # One verb, day or colour in common, and nothing that it is said of.
        "alone": float(not (topic or filled)),
        # Nothing is different but the words.
        "echo": (not (value or negation or bars or elsewhere)) * cover,
        # So near that it is likely told again.
        "again": 20 * max(cosine - 0.93, 0.0) * (not (value or negation or elsewhere or filled)),
        # News of a fact are seldom told with its own verb, unless it only has another value.
        "verb": float(old.verb == new.verb != "" and bool(gone) and bool(come) and not bars)
        * (not filled),
        "kept": float(_all_kept(old, new)),
        "me": float(old.me != new.me),
        "bars": float(bars),
        "barred": float(bars > 0),
        "several": float(not (old.many & new.many).isdisjoint(_SEVERAL)),
        "was": float(not label and old.was),
        "single": float(not old.single.isdisjoint(new.single)),
        "scale": float(scale),
        "valued": float(value and open_ and cover >= HALF),
        "measure": float(open_ and _measured(old, new)),
        "filled": float(filled and not bars),
        "elsewhere": float(elsewhere),
        "swapped": float(not bars and not elsewhere and bool(gone) and bool(come)),
        "negated": float(negation and open_ and cover >= HALF),
        "happened": float(new.happened and not old.happened),
        "changed": float(new.changed and not old.changed),
        "replaced": float((new.replaced and not old.replaced) or told),
    }


# Fitted to the development halves of the pairs in bench/data, with a cosine and with words alone.
_WEIGHTS: dict[str, tuple[float, float]] = {
    "bias": (-2.14, -1.62),
    "cosine": (1.26, 0.00),
    "far": (-0.25, 0.00),
    "cover": (0.35, 0.51),
    "topic": (0.24, 0.45),
    "alone": (-0.68, -0.93),
    "echo": (-1.12, -1.17),
    "again": (-1.73, 0.00),
    "verb": (-0.73, -0.73),
    "kept": (-0.37, -0.24),
    "me": (-1.27, -1.39),
    "bars": (-0.54, -0.54),
    "barred": (-0.80, -0.76),
    "several": (-0.55, -0.48),
    "was": (-0.39, -0.31),
    "single": (0.36, 0.35),
    "scale": (1.18, 1.34),
    "valued": (1.53, 1.60),
    "measure": (1.28, 1.44),
    "filled": (0.80, 0.93),
    "elsewhere": (0.90, 0.87),
    "swapped": (0.48, 0.35),
    "negated": (0.81, 1.10),
    "happened": (0.45, 0.42),
    "changed": (1.33, 1.21),
    "replaced": (1.19, 1.14),
}
# Conflicts with odds of at least 29 to 71: most of what the weights were fitted to was none.
_LIKELY = -0.9
# Each clause more has to be paid for with so much more of them.
_CHANCE = 1.5
# By column: the weights; what a sign comes to where it may be there; and all those together that
# nothing tells beforehand, with more than adding up in another order can change.
_IS_ONE = tuple({sign: pair[column] for sign, pair in _WEIGHTS.items()} for column in (0, 1))
_MAY_BE = tuple({sign: max(weight, 0.0) for sign, weight in of.items()} for of in _IS_ONE)
_UNTOLD = {"cover": 1, "echo": 1, "verb": 1, "kept": 1, "bars": 7, "barred": 1, "several": 1}
_UNTOLD |= {"was": 1, "elsewhere": 1, "swapped": 1}
for _may in _MAY_BE:
    _may["always"] = 1e-6 + sum(_may[sign] * most for sign, most in _UNTOLD.items())
# A cosine, and a share of words, from which texts are alike, and from which they may say the same.
_ALIKE, _ALIKE_WORDS = 0.87, 0.5
_EQUAL, _EQUAL_WORDS = 0.95, 0.6


def prepare(text: str) -> None:
    """Read a text that is soon to be judged."""
    _read(text)


def judge(old: str, new: str, cosine: float | None) -> Verdict:
    """What the old text is to the new one, given how near their vectors are, if that is known.

    >>> judge("The build uses Poetry.", "We switched the build from Poetry to uv.", None).conflict
    True
    >>> judge("The build uses Poetry.", "Someone suggested uv for the build.", None).conflict
    False
    """
    one, two = _read(old), _read(new)
    overlap = 2 * len(one.words & two.words) / (len(one.words) + len(two.words) or 1)
    similarity = overlap if cosine is None else min(max(cosine, 0.0), 1.0)
    alike, equal = (_ALIKE_WORDS, _EQUAL_WORDS) if cosine is None else (_ALIKE, _EQUAL)
    told = odds(old, new)
    conflict = old != new and (_at_odds(one, two, cosine) if told is None else told)
    same = old == new or (not conflict and similarity >= equal and _agree(one, two))
    return Verdict(similarity, same or conflict or similarity >= alike, conflict, same)


def _at_odds(old: _Reading, new: _Reading, cosine: float | None) -> bool:
    """Whether any clause of the one is likely to contradict any of the other."""
    column, near = (1, MIDDLE) if cosine is None else (0, cosine)
    # The more clauses are compared, the likelier two of them look at odds by chance.
    needed = _LIKELY + _CHANCE * log(max(len(old.lines) * len(new.lines), 1))
    for one in old.lines:
        for two in new.lines:
            if _strangers(one, two, cosine):
                continue
            if _most(one, two, near, column, replaced=new.replaced) < needed:
                continue
            if _of_another(one.clause, two.clause):
                continue
            told = new.replaced and not old.replaced
            signs = _signs(one.clause, two.clause, near, told=told)
            if sum(_WEIGHTS[sign][column] * signs[sign] for sign in signs) >= needed:
                return True
    return False


def _of_another(old: _Clause, new: _Clause) -> bool:
    """Whether what one denies is of another name than what the other one says: both may be true."""
    if old.negated == new.negated or new.replaced:
        return False
    one, two = old.names - old.subject, new.names - new.subject
    return bool(one and two) and one.isdisjoint(two)


def _most(old: _Line, new: _Line, cosine: float, column: int, *, replaced: bool) -> float:
    """No less than the signs of two sentences come to, told without reading the old one.

    What the new one says is read once for all old ones. Of ten near neighbours this spares nearly
    all the reading that would come to nothing.
    """
    is_, may = _IS_ONE[column], _MAY_BE[column]
    read, topic = new.clause, len(old.topic & new.topic)
    most = may["always"] + is_["bias"] + is_["cosine"] * 10 * (cosine - MIDDLE)
    most += is_["far"] * 10 * max(MIDDLE - cosine, 0.0)
    most += may["again"] * 20 * max(cosine - 0.93, 0.0)
    most += is_["topic"] * min(topic, MOST_TOLD) / MOST_TOLD
    if old.said[:2] == new.said[:2]:
        most += may["filled"] + (0.0 if topic else may["alone"])
    elif not topic:
        most += is_["alone"]
    if old.me != new.me:
        most += is_["me"]
    if not old.single.isdisjoint(new.single):
        most += is_["single"]
    if old.scaled and new.scaled:
        most += may["scale"]
    if old.numbers and read.measures:
        most += may["measure"]
    if _may_cover(old, new):
        most += may["valued"] + may["negated"]
    if read.happened:
        most += may["happened"]
    if read.changed:
        most += may["changed"]
    return most + (may["replaced"] if replaced else 0.0)


def _may_cover(old: _Line, new: _Line) -> bool:
    """Whether half of the shorter sentence may be in the other one too, values aside."""
    values = old.valued | new.valued
    least = min(len(old.words - values), len(new.words - values))
    return len(old.words & new.words) >= HALF * least


def _agree(old: _Reading, new: _Reading) -> bool:
    """Whether no number, name, scale, case, negation or doubt is in only one of the texts."""
    gone, come = old.words - new.words, new.words - old.words
    return not (
        any(map(_digit, gone | come))
        or _apart(gone, come, _SCALES)
        or _apart(gone, come, _CASES)
        or _differ(old.names, new.names)
        or old.tone != new.tone
    )

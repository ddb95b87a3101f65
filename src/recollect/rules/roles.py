"""Places that one fills at a time, and who or what fills them: `the lead is Ann`, `our database`.

Says of two texts that they are at odds, that they speak of two such places, or nothing. What is
written in no English is compared by its numbers alone, which need no language.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from recollect.rules.analyse import folded, stem
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

# Nouns of which there is one for each team, product, person or country.
_NOUNS = frozenset(
    (
        "lead leader teamlead manager owner head boss supervisor director president ceo cto cfo"
        " coo cio ciso chair chairman chairwoman chairperson captain coach mayor governor"
        " chancellor principal treasurer maintainer assignee dentist doctor physician landlord"
        " accountant lawyer therapist employer bank insurer registrar provider host contact"
        " deputy sponsor spokesperson spokesman spokeswoman capital headquarters hq database"
        " cache broker framework orm linter formatter bundler editor branch master commander"
        " administrator moderator organizer organiser secretary architect"
    ).split()
)
_HEADS = frozenset(map(stem, _NOUNS))
_DETERMINERS = "the our my your his her its their new current main primary"
_DROPPED = frozenset(f"{_DETERMINERS} now today currently as of".split())
_HEAD = r"(?P<role>(?:[\w-]+ ){0,2}?[\w-]+)"
_SCOPE = r"(?: (?:of|for|at|on|in) (?:the |our |my )?(?P<scope>[\w .&/-]{1,60}?))?"
_HOLDER = r"(?P<holder>(?:dr\. |mr\. |mrs\. |ms\. )?[\w'.+#-]+(?: [\w'.+#-]+){0,3}?)"
_THE = r"(?:(?:the|our|my|your|his|her|its|their) )"
_NEW = r"(?:(?:new|current|acting) )?"
_END = r"(?:,? (?:now|today|currently|these days|from now on|as of [\w ]+))?[.!]?$"
_BECAME = (
    r"(?: is| 's|'s| has become| became| becomes| was made| was named| was appointed| was elected"
    r"| is appointed| took over as| takes over as| was promoted to| has taken over as)"
)
_SAID = (
    # Ann is the team lead of payments; Ann became tech lead.
    re.compile(rf"^{_HOLDER}{_BECAME} (?:now )?{_THE}?{_NEW}{_HEAD}{_SCOPE}{_END}"),
    # The team lead of payments is Ann; our database: Postgres.
    re.compile(rf"^{_THE}?{_NEW}{_HEAD}{_SCOPE}(?: is| are|:| =| became)(?: now)? {_HOLDER}{_END}"),
    # Acme's CEO is Jane.
    re.compile(rf"^(?P<scope>[\w .-]{{1,40}}?)'s {_NEW}{_HEAD} is (?:now )?{_HOLDER}{_END}"),
)
_ON_CALL = re.compile(rf"^{_HOLDER}(?: is|'s) (?:now )?on[- ]call(?: (?P<scope>[\w ]+?))?{_END}")
# What makes a holder none: it is a thing said of somebody, or no certainty.
_NOBODY = frozenset(
    "a an not no also still who what which may might could should would will was were there it this"
    " that they we i you he she everyone nobody someone and or to for of in on at with".split()
)
# Longer texts are read so far.
_READ = 400
# In a longer sentence something else is said as well.
_LONGEST = 120
_SENTENCE = re.compile(r"(?<=[.!?;])\s+")
_NOW = re.compile(r"\b(?:now|new|took over|takes over|became|replaced|replaces|promoted)\b")

# Names that begin with the same letters may be one name.
_BEGUN = 4

# Values of one kind, of which a project or a person usually has one at a time.
_KINDS = tuple(
    tuple(line.split(", "))
    for line in (
        (
            "postgres, postgresql, mysql, mariadb, sqlite, mongodb, mongo, oracle, cockroachdb,"
            " dynamodb, cassandra, couchdb, sql server, firestore"
        ),
        "kafka, rabbitmq, sqs, nats, pulsar, activemq",
        "redis, memcached, valkey",
        "jenkins, github actions, gitlab ci, circleci, travis, teamcity, buildkite, drone",
        "aws, azure, gcp, google cloud, heroku, hetzner, digitalocean, fly.io, vercel, netlify",
        "npm, pnpm, yarn, bun",
        "pip, poetry, uv, pipenv, conda, pdm",
        "react, vue, svelte, angular, solidjs, ember",
        "python, java, go, golang, rust, kotlin, scala, ruby, php, elixir, typescript, c#, perl",
        "vim, neovim, emacs, vs code, vscode, sublime, intellij, pycharm, zed",
        "github, gitlab, bitbucket, gitea",
        "slack, teams, discord, mattermost, zulip",
        "jira, linear, asana, trello, youtrack",
        "webpack, vite, rollup, parcel, esbuild",
        "jest, vitest, mocha, jasmine",
        "pytest, unittest, nose",
        "terraform, pulumi, cloudformation, opentofu",
        "datadog, grafana, new relic, prometheus",
        "flask, django, fastapi, rails, spring, express, laravel",
        "docker, podman",
        "windows, macos, ubuntu, debian, fedora, arch linux",
        "stripe, adyen, paypal, braintree",
        "bash, zsh, fish, powershell",
    )
)
_KIND = {value: at for at, line in enumerate(_KINDS) for value in line}
_VALUES = re.compile(
    rf"(?<![\w-])(?:{'|'.join(sorted(map(re.escape, _KIND), key=len, reverse=True))})(?![\w-])"
)
_BEGINNINGS = frozenset(re.split(r"[ .]", value)[0] for value in _KIND) | _KIND.keys()
_MOVED = re.compile(
    r"\b(?:moved|switched|migrated|changed|went|going|converted|ported|moving|switching|migrating)"
    r"(?: over)?(?: [\w ]{1,30})? (?:to|onto)\b|\b(?:rewrote|rewritten|replaced|ditched|dropped)\b"
    r"|\b(?:use|uses|using|on|is) [\w. ]{1,20} now\b|\bnow (?:use|uses|using|on|is)\b"
)
_UNSURE = re.compile(
    r"\b(?:if|might|may|could|would|should|consider\w*|maybe|perhaps|plan\w*|hope\w*|suggest\w*"
    r"|also|too|another|not|never|used to|previously|formerly|once|was|were|had|want\w*|think\w*"
    r"|some|part|legacy|except|only|test\w*|prototype|discuss\w*|evaluat\w*)\b"
)
# Words that say nothing of what is talked about, beside those of moving.
_PLAIN = frozenset(
    stem(word)
    for word in (
        "we i our my the a an to from in on for with and it is are has have had been be now use"
        " uses used using run runs running write written built moved switched migrated changed went"
        " converted ported moving switching migrating rewrote rewritten replaced ditched dropped"
        " over onto everything all last this week month year today yesterday finally deploy hosted"
        " host hosting by of at as main project team codebase code app application"
    ).split()
)
_TOKENS = re.compile(r"[^\W_]+(?:[-.'#+/][^\W_]+)*[#+]*")

# Words of other languages that hardly any sentence there is without.
_ABROAD = frozenset(
    (
        "der das ist und nicht ein eine auf für mit wir sie ich sind den dem von zum zur bei um"
        " läuft el los las es una del por para con está son y le les est une des du dans sur nous"
        " avec pour il gli è di che per sono della het een van niet voor wij op zijn och är att som"
        " på det av den ett o os um uma não com são em jest nie na się w z ve bir için değil"
    ).split()
)
_ENGLISH = frozenset(
    "the is are was of to in for we our my on at and with it this that has".split()
)
_DIGITS = re.compile(r"\d+(?:[.,:]\d+)*")
# From here on scripts are not the Latin, Greek or Armenian one.
_FAR = "\u0590"
_UNSPACED = re.compile("[\u0e00-\u0eff\u3040-\u30ff\u3400-\u9fff]")


class _Held(Value):
    """A place, and who or what fills it."""

    head: str
    more: frozenset[str]
    scope: frozenset[str]
    holder: frozenset[str]
    news: bool


class _Text(Value):
    """What a text says of places, and of values of known kinds."""

    abroad: bool
    held: tuple[_Held, ...]
    values: frozenset[str]
    words: frozenset[str]
    # Its words but for values and for what says nothing.
    besides: frozenset[str]
    moved: bool
    unsure: bool


def odds(old: str, new: str) -> bool | None:
    """Whether a newer text is at odds with an older one; None where that cannot be told from this.

    >>> odds("Bob is the team lead", "Carol is the team lead now")
    True
    >>> odds("The lead of team A is Bob", "The lead of team B is Carol")
    False
    >>> odds("Our database is Postgres", "We moved to MySQL")
    True
    >>> odds("Le port est 8080", "Le port est 9090")
    True
    """
    # The new text first: it is held against several old ones, and most say nothing of all this.
    two = _text(new)
    if not (two.abroad or two.held or two.moved):
        return None
    one = _text(old)
    if one.abroad and two.abroad:
        return _counted(old, new)
    known = [_filled(a, b) for a in one.held for b in two.held]
    told = [verdict for verdict in known if verdict is not None]
    if told:
        return any(told)
    return True if _exchanged(one, two) else None


@lru_cache(2048)
def _text(text: str) -> _Text:
    said = folded(text[:_READ])
    tokens = _TOKENS.findall(said)
    kinds = not _BEGINNINGS.isdisjoint(tokens)
    values = frozenset(_VALUES.findall(said)) if kinds else frozenset()
    besides = _TOKENS.findall(_VALUES.sub(" ", said)) if values else ()
    return _Text(
        _abroad(text, tokens),
        tuple(_read(text)) if _speaks_of_places(tokens) else (),
        values,
        frozenset(map(stem, tokens)) if values else frozenset(),
        frozenset(map(stem, besides)) - _PLAIN,
        bool(values) and _MOVED.search(said) is not None,
        bool(values) and _UNSURE.search(said) is not None,
    )


def _speaks_of_places(tokens: Sequence[str]) -> bool:
    return any(one in _NOUNS or one in {"call", "on-call"} for one in tokens)


def _read(text: str) -> Iterator[_Held]:
    for sentence in _SENTENCE.split(text[:_READ].replace("\u2019", "'"))[:4]:
        said = " ".join(folded(sentence).split())
        if len(said) > _LONGEST:
            continue
        for pattern in (_ON_CALL, *_SAID):
            if (found := pattern.match(said)) and (held := _held(found, said)):
                yield held
                break


def _held(found: re.Match[str], said: str) -> _Held | None:
    parts = found.groupdict()
    holder = frozenset(parts["holder"].split())
    if not _NOBODY.isdisjoint(holder):
        return None
    role = [one for one in parts.get("role", "on-call").split() if one not in _DROPPED]
    head = stem(role[-1]) if role else ""
    if "role" in parts and (head not in _HEADS or "a" in role or "an" in role):
        return None
    scope = frozenset(stem(one) for one in (parts["scope"] or "").split()) - {"the"}
    more = frozenset(map(stem, role[:-1]))
    return _Held(head, more, scope, holder, _NOW.search(said) is not None)


def _filled(old: _Held, new: _Held) -> bool | None:
    """Whether one place is filled anew; None where two places cannot be told apart from one."""
    if old.head != new.head or _akin(old.holder, new.holder):
        return None
    apart = old.scope != new.scope if old.scope and new.scope else False
    if apart or not (old.more <= new.more or new.more <= old.more):
        return False
    # Of a lead of something, and a lead, the one may be another.
    if (old.scope != new.scope or old.more != new.more) and not new.news:
        return None
    return True


def _akin(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two may be one, spelled otherwise: Postgres and PostgreSQL, Dr. Wu and Wu."""
    return not {word[:_BEGUN] for word in one}.isdisjoint(word[:_BEGUN] for word in other)


def _exchanged(old: _Text, new: _Text) -> bool:
    """Whether what somebody moved to is of one kind with what was, and nothing else is meant."""
    if not new.moved or new.unsure or old.unsure or not new.besides <= old.words:
        return False
    gone, come = old.values - new.values, new.values - old.values
    return any(_KIND[one] == _KIND[two] for one in gone for two in come)


def _abroad(text: str, tokens: Sequence[str]) -> bool:
    """Whether a text is in no English, as far as its commonest words tell."""
    if not text.isascii() and any(one >= _FAR for one in text if one.isalpha()):
        return True
    words = frozenset(tokens)
    return len(words & _ABROAD) > len(words & _ENGLISH)


def _counted(old: str, new: str) -> bool:
    """Whether both say the same of something, but for a number."""
    was, now = _DIGITS.findall(old), _DIGITS.findall(new)
    if not was or len(was) != len(now) or was == now:
        return False
    one, two = (_DIGITS.sub("0", folded(text)) for text in (old, new))
    if _UNSPACED.search(one):
        return one.strip(" 。.!！") == two.strip(" 。.!！")
    gone, come = ({*_TOKENS.findall(text)} for text in (one, two))
    # A word more, such as one for `now`, on one side alone.
    return not (gone - come) or (not (come - gone) and len(gone - come) <= 1)

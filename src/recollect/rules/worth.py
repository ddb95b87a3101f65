"""Which sentences of a conversation are worth keeping: facts and decisions, by their shape alone.

No model, and nothing but the sentence itself: what it says has to hold by itself, beyond the
moment, and on the word of whoever says it. Better to miss one than to keep chatter: what matters
is said again. docs/adr/0016-candidates.md has the figures.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recollect.rules import abroad
from recollect.rules.entities import names
from recollect.rules.spoken import pattern
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

# What is kept on a rule's word alone, until somebody has looked at it.
CANDIDATE = "candidate"
USER, ASSISTANT = "user", "assistant"
_SHORTEST, _LONGEST = 12, 400
_FEWEST_WORDS = 4
# Longer messages are pasted, not said; what is worth keeping stands at their beginning.
_READ = 20_000
_SURE, _LIKELY, _FROM_AGENT = 0.9, 0.7, 0.6
_VETOES = ("hedged", "passing", "heard", "ailing")
# An agent says much of its own work; what it found out and what was agreed is worth keeping.
_AGENT = ("decision", "lesson")
_SPOKEN = ("decision", "lesson", "date", "rule", "person", "preference", "fact")
_LASTING = ("decision", "rule", "preference", "lesson", "date", "person", "fact")
# What says something only where it names something.
_CONCRETE = {"fact", "person"}


class Kept(Value):
    """A sentence that is worth keeping, what sort of thing it says, and how sure that is."""

    text: str
    type: str
    confidence: float


def worth(text: str, role: str = USER) -> Iterator[Kept]:
    """What of a message is worth keeping, in order.

    >>> [kept.type for kept in worth("Thanks! We decided to use SQLite for the store. Run it?")]
    ['decision']
    >>> [kept.text for kept in worth("From now on, write type hints everywhere.")]
    ['From now on, write type hints everywhere.']
    """
    for sentence in sentences(text[:_READ]):
        if (type_ := judged(sentence, role)) is not None:
            yield Kept(sentence, type_, _confidence(sentence, role))


def judged(sentence: str, role: str = USER) -> str | None:
    """What sort of thing a sentence says that is worth keeping; None where it is none.

    >>> judged("Should we use SQLite for the store?"), judged("Maybe we use SQLite one day.")
    (None, None)
    >>> judged("The billing service runs on port 8443."), judged("It runs on port 8443.")
    ('fact', None)
    """
    if not _SHORTEST <= len(sentence) <= _LONGEST or len(sentence.split()) < _FEWEST_WORDS:
        return None
    if sentence.endswith("?"):
        return None
    language = abroad.language(sentence)
    judge = _judged_abroad if language else _judged_in_english
    return judge(sentence, role, language)


def _judged_in_english(sentence: str, role: str, language: str) -> str | None:
    del language
    if _is(sentence, "asking", *_VETOES):
        return None
    if role != USER:
        return None if _is(sentence, "progress") else _first(sentence, _AGENT)
    if _is(sentence, "explicit"):
        return _first(sentence, _LASTING) or "fact"
    lasting = _is(sentence, "lasting")
    if _is(sentence, "pointing", "feeling") or not (lasting or _is_calm(sentence)):
        return None
    return _first(sentence, _LASTING if lasting else _SPOKEN)


def _judged_abroad(sentence: str, role: str, language: str) -> str | None:
    """The same by the rules of another language, which are fewer."""

    def is_(name: str) -> bool:
        return abroad.pattern(language, name).search(sentence) is not None

    explicit = role == USER and is_("explicit")
    if is_("veto") or (is_("progress") if role != USER else is_("pointing") and not explicit):
        return None
    found = (type_ for type_ in (_SPOKEN if role == USER else _AGENT) if is_(type_))
    usual = "fact" if explicit else None
    return next((type_ for type_ in found if _tells(language, sentence, type_)), usual)


def _tells(language: str, sentence: str, type_: str) -> bool:
    """Whether a sentence of another language names what its type has to name."""
    first = type_ == "person"
    return type_ not in _CONCRETE or abroad.names_something(language, sentence, first=first)


def sentences(text: str) -> Iterator[str]:
    r"""What a person says in a message, sentence by sentence: no code, quotes, tables or logs.

    >>> list(sentences("- First. Second.\n```\ncode\n```\n> quoted\n$ make"))
    ['First.', 'Second.']
    """
    quoted = False
    for line in _FENCED.sub("\n", _TAGGED.sub("\n", text)).splitlines():
        said = _BULLET.sub("", line).strip()
        if _NO_PROSE.match(line):
            quoted = line.lstrip().startswith(">")
            continue
        # What goes on in lower case under a quotation is about that.
        if said and not (quoted and said[0].islower()):
            yield from (one.strip() for one in _ENDS.split(said) if one.strip())
        quoted = False


def _is(sentence: str, *any_of: str) -> bool:
    return any(pattern(name).search(sentence) for name in any_of)


def _is_calm(sentence: str) -> bool:
    """Neither a task nor an exclamation, of which hardly any outlasts the moment."""
    return not sentence.endswith("!") and not _is(sentence, "task")


def _first(sentence: str, types: tuple[str, ...]) -> str | None:
    found = (type_ for type_ in types if _is(sentence, type_))
    return next((type_ for type_ in found if type_ not in _CONCRETE or _names(sentence)), None)


def _names(sentence: str) -> bool:
    return _is(sentence, "counted") or bool(names(sentence))


def _confidence(sentence: str, role: str) -> float:
    if role != USER:
        return _FROM_AGENT
    spoken_in = abroad.language(sentence)
    if spoken_in:
        explicit = abroad.pattern(spoken_in, "explicit").search(sentence) is not None
    else:
        explicit = _is(sentence, "explicit")
    return _SURE if explicit else _LIKELY


_FENCED = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
# What programs put into messages beside what is said.
_TAGGED = re.compile(r"<([a-z][\w-]*)\b[^>]*>.*?</\1>|<[a-z][\w-]*\b[^>]*/?>", re.DOTALL)
_BULLET = re.compile(r"^\s*(?:[-*+•]|\d{1,3}[.)])\s+")
# In German a dot stands behind the day of a month.
_ENDS = re.compile(
    r"(?<=[.!?])(?:(?<!\d\.)|(?!\s(?:Jan|Feb|Mär|Apr|Mai|Jun|Jul|Aug|Sep|Okt|Nov|Dez)))\s+"
    r"(?=[\"'“(`«¿¡]?[A-ZÀ-ÖØ-Þ0-9])"
)
_NO_PROSE = re.compile(
    r"""\s*(?:
        >                                   # a quotation
      | \|                                  # a table
      | [$%]\s | [\w@~:/.-]+[$\#]\s         # a shell's prompt
      | \[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d     # a log
      | \[?\w*(?:error|warn|info|debug)\w*\]?\s*[:\]]
      | Traceback\b | File\ " | at\ \w+[.(]
      | [{}<\]]
      | .*[;{]\s*$
    )""",
    re.VERBOSE | re.IGNORECASE,
)

"""The rules of gitleaks, as maskerlogger ships them: some two hundred providers' tokens.

Of the package only the rules are used. Its own matcher forgets what a rule is called, how random a
value must be and which values are known to be harmless, and starts a thread for each line.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from recollect.rules.redact.live import is_live
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_PACKAGE, _RULES = "maskerlogger", "config/gitleaks.toml"
# The name before the key word is never part of a secret; looking for it backwards from every
# character would cost fifty steps for each.
_LEAD = r"[\w.-]{0,50}?"
# How far around its key word a rule looks: the longest names before, the longest values after.
_BEFORE, _AFTER = 64, 640
# It runs from one key's first line to whatever line ends in KEY next, and over all in between.
_OURS = frozenset({"private-key"})
_GENERAL = "generic-api-key"
# A name of code (`winreg.EnumKey`): a key of no known provider has digits, or is of one piece.
_DOTTED = re.compile(r"[A-Za-z_]+(?:\.[A-Za-z_]+)+\Z")
_LOWER = {upper: upper + 32 for upper in range(ord("A"), ord("Z") + 1)}


class _Rule(Value):
    kind: str
    regex: str
    keywords: tuple[str, ...]
    entropy: float
    allowed: tuple[str, ...]
    stopwords: tuple[str, ...]


def spans(text: str) -> Iterator[tuple[int, int, str]]:
    """The range and kind of every match of a provider's rule."""
    return _matches(text, tuple(rule for rule in _rules() if rule.kind != _GENERAL))


def general(text: str) -> Iterator[tuple[int, int, str]]:
    """What looks like a key beside a word for one, and is of no known provider."""
    general = (rule for rule in _rules() if rule.kind == _GENERAL)
    found = _matches(text, general)
    return ((low, high, "secret") for low, high, _ in found if not _DOTTED.match(text[low:high]))


def _matches(text: str, rules: Iterable[_Rule]) -> Iterator[tuple[int, int, str]]:
    # Not `lower`, which makes some characters two and would move every offset behind them.
    low = text.lower() if text.isascii() else text.translate(_LOWER)
    for rule in rules:
        for start, end in _near(low, rule.keywords):
            for match in _compiled(rule.regex).finditer(text, start, end):
                span = match.span(1 if match.re.groups and match[1] else 0)
                if _holds(rule, match[0], text[slice(*span)]):
                    yield *span, rule.kind


def _near(low: str, keywords: Iterable[str]) -> Iterator[tuple[int, int]]:
    """The stretches around the key words, joined where they overlap."""
    hits = sorted(hit for word in keywords for hit in _hits(low, word))
    low_end = high_end = -1
    for hit in hits:
        start, end = max(0, hit - _BEFORE), hit + _AFTER
        if start > high_end:
            if high_end >= 0:
                yield low_end, high_end
            low_end = start
        high_end = end
    if high_end >= 0:
        yield low_end, high_end


def _hits(low: str, word: str) -> Iterator[int]:
    at = low.find(word)
    while at >= 0:
        yield at
        at = low.find(word, at + len(word))


def _holds(rule: _Rule, match: str, secret: str) -> bool:
    if _entropy(secret) < rule.entropy or not is_live(secret):
        return False
    lowered = secret.lower()
    if any(word in lowered for word in rule.stopwords):
        return False
    return not any(_compiled(allowed).search(match) for allowed in rule.allowed)


def _entropy(secret: str) -> float:
    """Shannon's bits for each character."""
    from math import log2

    size = len(secret)
    shares = [secret.count(c) / size for c in set(secret)]
    return -sum(share * log2(share) for share in shares)


@cache
def _rules() -> tuple[_Rule, ...]:
    """Every rule but those that need the name of a file, and the one that `shapes` does better."""
    import tomllib
    from importlib.util import find_spec
    from pathlib import Path

    spec = find_spec(_PACKAGE)
    source = Path(str(spec.origin if spec else "")).parent / _RULES
    with source.open("rb") as file:
        rules = tomllib.load(file)
    shared = rules["allowlist"]
    wanted = (r for r in rules["rules"] if "path" not in r and r["id"] not in _OURS)
    return tuple(_rule(rule, shared) for rule in wanted)


def _rule(rule: dict[str, Any], shared: dict[str, Any]) -> _Rule:
    excuses = [shared, *rule.get("allowlists", ())]
    return _Rule(
        kind=rule["id"],
        regex=rule["regex"],
        keywords=tuple(rule["keywords"]),
        entropy=float(rule.get("entropy", 0)),
        allowed=tuple(regex for excuse in excuses for regex in excuse.get("regexes", ())),
        stopwords=tuple(word for excuse in excuses for word in excuse.get("stopwords", ())),
    )


@cache
def _compiled(regex: str) -> re.Pattern[str]:
    """A rule's regex, from Go's dialect into Python's."""
    flags = re.IGNORECASE if "(?i)" in regex else 0
    local = regex.replace("(?i)", "").removeprefix(_LEAD).replace(r"\z", r"\Z")
    return re.compile(local, flags)

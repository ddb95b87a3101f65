"""Secrets in text that is about to be stored: where they are, and what becomes of them.

Nothing here reads the world or keeps a secret: a finding says where one is, never what it is. A
text without a mark that every secret carries costs one search; the rules are loaded when a text
with such a mark arrives. docs/adr/0006-redaction.md has the choice of the rules and the figures.
"""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from recollect.errors import SecretFound
from recollect.rules.redact.screen import is_suspect
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable


class Finding(Value):
    """Where a secret is in a text: its line, from one, and its characters, from zero."""

    kind: str
    line: int
    start: int
    end: int


class Policy(StrEnum):
    """What becomes of a text that holds a secret."""

    BLOCK = "block"
    REDACT = "redact"
    ALLOW = "allow"


def find(text: str) -> tuple[Finding, ...]:
    """The secrets in a text, in order and apart from each other.

    >>> find("the password is rotated monthly")
    ()
    >>> find("db_password=" + "hunter" + "2")
    (Finding(kind='password', line=1, start=12, end=19),)
    """
    if not is_suspect(text):
        return ()
    # Loaded only here: most texts never need them.
    from recollect.rules.redact.spans import spans

    return tuple(_located(text, spans(text)))


def redact(text: str, findings: Iterable[Finding]) -> str:
    """The text with each finding replaced by its kind.

    >>> text = "db_password=" + "hunter" + "2"
    >>> redact(text, find(text))
    'db_password=[redacted: password]'
    """
    parts, done = [], 0
    for finding in findings:
        parts += [text[done : finding.start], f"[redacted: {finding.kind}]"]
        done = finding.end
    return "".join([*parts, text[done:]])


def guard(text: str, policy: Policy) -> tuple[str, tuple[Finding, ...]]:
    """The text as it may be stored, with what was found in it.

    Raises:
        SecretFound: the policy is to block, and there is a secret. It names the first one.
    """
    findings = find(text)
    if not findings or policy is Policy.ALLOW:
        return text, findings
    if policy is Policy.REDACT:
        return redact(text, findings), findings
    raise refusal(findings)


def _located(text: str, spans: Iterable[tuple[int, int, str]]) -> Iterable[Finding]:
    line, seen = 1, 0
    for start, end, kind in spans:
        line += text.count("\n", seen, start)
        seen = start
        yield Finding(kind, line, start, end)


def refusal(findings: tuple[Finding, ...]) -> SecretFound:
    """What is said of a text that is not stored because of these."""
    first, more = findings[0], len(findings) - 1
    others = f" and {more} more" if more else ""
    return SecretFound(
        f"The text holds what looks like a live secret: {first.kind} on line {first.line}{others}. "
        "Nothing was stored. Take it out, or name where it is kept, and try again; "
        "the redaction policy can also be set to redact or allow.",
        kind=first.kind,
        line=first.line,
    )

"""Secrets that are known by their own shape, whatever stands around them."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from recollect.rules.redact.live import is_live, is_token_live

if TYPE_CHECKING:
    from collections.abc import Iterator

# Kind, a mark without which the pattern cannot match, and the pattern. Every pattern starts with
# its mark or a bounded run, so that no text takes more than a pass for each.
_SHAPES: tuple[tuple[str, str, str], ...] = (
    ("aws-access-key", "A", r"(?<![A-Z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}(?![A-Z0-9])"),
    ("github-token", "gh", r"gh[pousr]_[A-Za-z0-9]{30,255}"),
    ("github-token", "github_pat_", r"github_pat_\w{40,255}"),
    (
        "gitlab-token",
        "gl",
        r"(?<![A-Za-z0-9])gl(?:pat|dt|rt|ptt|soat|ft|oas|cbt|imt|agent)-[\w-]{20,300}",
    ),
    ("anthropic-key", "sk-ant-", r"sk-ant-[a-z0-9]{3,12}-[\w-]{32,200}"),
    (
        "openai-key",
        "sk-",
        r"(?<![\w-])sk-(?!ant-)(?=[\w-]{0,60}\d)(?=[\w-]{0,60}[A-Z])[\w-]{32,300}",
    ),
    ("google-api-key", "AIza", r"AIza[\w-]{35}"),
    ("slack-token", "xox", r"xox[abeoprs](?:\.xox[bp])?-[\w-]{20,300}"),
    ("slack-token", "xapp-", r"xapp-\d-[\w-]{20,300}"),
    (
        "slack-webhook",
        "hooks.slack",
        r"https://hooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/[\w/-]{20,200}",
    ),
    (
        "discord-webhook",
        "/webhooks/",
        r"https://(?:\w{1,9}\.)?discord(?:app)?\.com/api/webhooks/\d{15,21}/[\w-]{40,100}",
    ),
    ("stripe-key", "k_live_", r"[rsp]k_live_[A-Za-z0-9]{16,247}"),
    ("stripe-webhook-secret", "whsec_", r"whsec_[A-Za-z0-9+/]{32,100}"),
    ("npm-token", "npm_", r"npm_[A-Za-z0-9]{36}"),
    ("pypi-token", "pypi-A", r"pypi-A[\w-]{50,1000}"),
    ("huggingface-token", "hf_", r"(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,60}"),
    ("groq-key", "gsk_", r"(?<![A-Za-z0-9])gsk_[A-Za-z0-9]{52}"),
    ("xai-key", "xai-", r"(?<![A-Za-z0-9])xai-[A-Za-z0-9]{70,90}"),
    ("replicate-token", "r8_", r"(?<![A-Za-z0-9])r8_[A-Za-z0-9]{37}"),
    ("supabase-token", "sbp_", r"(?<![A-Za-z0-9])sbp_[0-9a-f]{40}"),
    ("figma-token", "figd_", r"(?<![A-Za-z0-9])figd_[\w-]{40}"),
    ("airtable-token", "pat", r"(?<![A-Za-z0-9])pat[A-Za-z0-9]{14}\.[0-9a-f]{64}"),
    ("atlassian-token", "ATATT3", r"ATATT3[\w=-]{60,250}"),
    ("new-relic-key", "NRAK-", r"NRAK-[A-Z0-9]{27}"),
    ("mailgun-key", "key-", r"(?<![\w-])key-[0-9a-f]{32}(?![A-Za-z0-9])"),
    ("mailchimp-api-key", "-us", r"(?<![A-Za-z0-9])[0-9a-f]{32}-us\d{1,2}(?!\d)"),
    ("jwt", "eyJ", r"(?<![\w-])eyJ[\w-]{8,4000}\.eyJ[\w-]{4,8000}\.[\w-]{10,2000}"),
    ("azure-key", "Key=", r"(?:AccountKey|SharedAccessKey)=([A-Za-z0-9+/]{40,90}={0,2})"),
    ("azure-signature", "sig=", r"(?<=[?&])sig=([A-Za-z0-9%+/]{40,90}(?:%3[Dd]|=){1,2})"),
    ("telegram-token", ":", r"(?<!\d)\d{8,10}:AA[\w-]{33}"),
    ("discord-token", ".", r"(?<![\w-])[MNO][\w-]{23,25}\.[\w-]{6}\.[\w-]{27,40}"),
    ("sendgrid-key", "SG.", r"(?<!\w)SG\.[\w-]{16,32}\.[\w-]{16,64}"),
    ("square-key", "sq0", r"sq0(?:csp|atp|idp)-[\w-]{22,60}"),
    ("twilio-key", "SK", r"(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![A-Za-z0-9])"),
)
# A password may hold `:` and `@`; the last `@` before the path ends it.
_URL = r"://[^\s/:@\"'<>]{0,100}:([^\s/\"'<>]{1,200})@[\w\[]"
_BEARER = r"[Bb][Ee][Aa][Rr][Ee][Rr][ \t]{1,4}(?=[\w.~+/-]{0,60}\d)([\w.~+/-]{16,4000}=*)"
_BASIC = r"[Bb]asic[ \t]{1,4}((?:[A-Za-z0-9+/]{4}){2,200}(?:[A-Za-z0-9+/]{2,3}={1,2})?)(?![\w+/])"
_EDGE = r"-----(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----"
_BODY = r"(?:(?:\s|\\r|\\n){0,4}[A-Za-z0-9+/=]{16,100}(?![A-Za-z0-9+/=]))+"
# A key whose end is missing has to be longer to be taken for one.
_LEAST_BODY, _LEAST_BETWEEN = 40, 16


@cache
def _compiled() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    return tuple((kind, mark, re.compile(shape, re.ASCII)) for kind, mark, shape in _SHAPES)


@cache
def _pattern(shape: str) -> re.Pattern[str]:
    return re.compile(shape, re.ASCII)


def spans(text: str) -> Iterator[tuple[int, int, str]]:
    """The range and kind of every secret with a shape of its own."""
    yield from _private_keys(text)
    yield from _in_urls(text)
    yield from _in_headers(text)
    for kind, mark, pattern in _compiled():
        if mark in text:
            for match in pattern.finditer(text):
                group = pattern.groups
                if is_token_live(match[group]):
                    yield *match.span(group), kind


def _in_urls(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _pattern(_URL).finditer(text):
        if is_live(match[1]):
            yield *match.span(1), "url-credentials"


def _in_headers(text: str) -> Iterator[tuple[int, int, str]]:
    for match in _pattern(_BEARER).finditer(text):
        if is_live(match[1]):
            yield *match.span(1), "bearer-token"
    for match in _pattern(_BASIC).finditer(text):
        if _names_two(match[1]):
            yield *match.span(1), "basic-auth"


def _names_two(encoded: str) -> bool:
    """Whether base64 of a header says a name and a password."""
    from binascii import Error, a2b_base64

    try:
        said = a2b_base64(encoded)
    except Error:
        return False
    return b":" in said and said.isascii() and said.decode("ascii").isprintable()


def _private_keys(text: str) -> Iterator[tuple[int, int, str]]:
    begun = None
    for edge in _pattern(_EDGE).finditer(text):
        if begun:
            yield from _private_key(text, begun, edge)
        begun = edge if edge[1] == "BEGIN" else None
    if begun:
        yield from _private_key(text, begun, None)


def _private_key(
    text: str, begun: re.Match[str], edge: re.Match[str] | None
) -> Iterator[tuple[int, int, str]]:
    """From the first edge to the last; without a last, as far as lines of base64 go."""
    if edge and edge[1] == "END":
        body, end, least = text[begun.end() : edge.start()], edge.end(), _LEAST_BETWEEN
    else:
        least = _LEAST_BODY
        run = _pattern(_BODY).match(text, begun.end())
        body, end = (run[0], run.end()) if run else ("", 0)
    if len(body.strip()) >= least and is_token_live(body):
        yield begun.start(), end, "private-key"

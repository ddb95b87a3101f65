"""Secrets that are known by the name they are given: `db_password = …`, `"api_key": "…"`.

What makes a value likely differs by name. A password may be one short word; a key or token is long
and mixed. Prose about passwords must pass, so a value without digits has to be quoted or to stand
alone.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from recollect.rules.redact.live import is_live

if TYPE_CHECKING:
    from collections.abc import Iterator

_NAMED = (
    r"(?P<password>pass(?:word|wd|phrase|code|wort)|pwd|[_-]pass(?![A-Za-z])|contrase[ñn]a|пароль|密码"
    r"|パスワード)"
    r"|(?P<secret>secret|token|credential"
    r"|(?:api|access|auth|account|encryption|signing|master|service|client|storage|shared|private)"
    r"[ _-]?key)"
)
_BETWEEN = (
    r"(?P<suffix>[\w-]{0,30}?)[\"'`\])*]{0,3}[ \t]{0,4}"
    r"(?P<sign>:=|=>|={1,3}|[:：＝]|(?:is|was)(?=[ \t])|(?=[\"'`]))[ \t]{0,4}"
)
_VALUE = (
    r"(?:\"(?P<double>[^\"\r\n]{1,400})\"|'(?P<single>[^'\r\n]{1,400})'|`(?P<back>[^`\r\n]{1,400})`"
    r"|(?P<plain>[^\s\"'`,;，。；、！]{1,200}))"
)
# What a name goes on to when it is about a secret rather than the name of one.
_ABOUT = re.compile(
    r"s?[_-]?(?:min|max|len|length|hash|file|path|name|id|count|policy|reset|type|ttl|ur[il]|ref|expir"
    r"|field|label|hint|input|limit|size|usage|budget|izer|ized|ise|ary|less|manager|generator|ring"
    r"|endpoint|version|prefix|store|digest|format|rotation|arn)",
    re.IGNORECASE,
)
_NAME_BEFORE = re.compile(r"[\w.-]*$", re.ASCII)
_IDENTIFIER = re.compile(r"[A-Za-z_][\w-]*(?:[./:][\w-]+)*$")
_DIGIT = re.compile(r"\d")
_LEAST = {"password": 4, "secret": 8}
_SURE = 16


@cache
def _assignment() -> re.Pattern[str]:
    return re.compile(f"(?:{_NAMED}){_BETWEEN}{_VALUE}", re.IGNORECASE)


def spans(text: str) -> Iterator[tuple[int, int, str]]:
    """The range and kind of every value that its name makes a secret."""
    at = 0
    while match := _assignment().search(text, at):
        kind = "password" if match["password"] else "secret"
        start, end = _value(text, match)
        if not _is_redacted(text, match) and _is_secret(match, text[start:end], kind):
            yield start, end, "aws-secret-key" if _is_aws(text, match) else kind
            at = end
        else:
            # The value of one name may be the next name: `token: password=…`.
            at = match.end(kind)


def _value(text: str, match: re.Match[str]) -> tuple[int, int]:
    if match["plain"] is None:
        return match.span(match.lastgroup or 0)
    start, end = match.span("plain")
    before = _NAME_BEFORE.search(text, max(0, match.start() - 40), match.start())
    in_query = before is not None and before.start() > 0 and text[before.start() - 1] in "?&"
    if in_query and "&" in match["plain"]:
        end = text.index("&", start)
    return start, start + len(text[start:end].rstrip(".,!?)]}>\\"))


def _is_secret(match: re.Match[str], value: str, kind: str) -> bool:
    # The cheap questions first: a line of nothing but names asks them of every one.
    if len(value) < _LEAST[kind] or not _could_be(match, value, kind):
        return False
    return not _ABOUT.match(match["suffix"]) and is_live(value)


def _could_be(match: re.Match[str], value: str, kind: str) -> bool:
    mixed = _DIGIT.search(value) is not None
    if kind == "secret":
        return mixed and _is_key(value)
    if mixed:
        return match["plain"] is None or value[0] not in "[({<"
    if match["plain"] is None:
        return bool(match["sign"])
    # A plain word is a password where nothing but a value can stand: `DB_PASSWORD=word`.
    tight = match["sign"] == "=" and match.string[match.end("sign")] not in " \t"
    return tight and value.isalpha() and value == match["plain"]


def _is_key(value: str) -> bool:
    """Of one piece, and neither a count nor a path or dotted name."""
    if value.isdigit() or " " in value:
        return False
    return len(value) >= _SURE or not _IDENTIFIER.match(value) or value.isalnum()


def _is_redacted(text: str, match: re.Match[str]) -> bool:
    """Whether the name is the kind in `[redacted: kind]`, where a secret once was."""
    opened = text.rfind("[redacted: ", max(0, match.start() - 64), match.start())
    return opened >= 0 and "]" not in text[opened : match.start()]


def _is_aws(text: str, match: re.Match[str]) -> bool:
    start = max(0, match.start() - 12)
    return "aws" in text[start : match.start()].lower() and "key" in match[0].lower()

"""Secrets in a JSON object: in its strings as they are meant, and where a name makes a value one.

JSON writes a quote within a string as two characters, and a secret may be a number. So what is
looked at is what the object says, not how it is written, and what comes out is an object again.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from recollect.rules.redact import Finding, Policy, find, guard, redact, refusal
from recollect.rules.redact.screen import is_suspect

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

    JSON: TypeAlias = "dict[str, JSON] | list[JSON] | str | int | float | None"

# Not the end of a backslash that is escaped itself.
_LINE_END = re.compile(r"(?<!\\)((?:\\\\)*)\\[nr]")


def guard_json(text: str, policy: Policy) -> tuple[str, tuple[Finding, ...]]:
    """A JSON object as it may be stored, with what was found in it.

    >>> guard_json('{"db":{"password":12345678},"n":1}', Policy.REDACT)[0]
    '{"db":{"password":"[redacted: password]"},"n":1}'

    Raises:
        SecretFound: the policy is to block, and there is a secret, or it cannot be taken out.
    """
    # As it reads where nothing is escaped, so that one search is enough for most objects.
    if policy is Policy.ALLOW or not is_suspect(text.replace('\\"', '"').replace("\\t", "\t")):
        return text, ()
    found: list[Finding] = []
    safe = _safe(json.loads(text), "", found.append)
    if found and policy is Policy.BLOCK:
        raise refusal(tuple(found))
    if found:
        text = json.dumps(safe, ensure_ascii=False, separators=(",", ":"))
    # Rules that know a secret by what stands around it see the rest of the object, too; and as no
    # value goes on in the next line of a text, none goes on behind the escape that ends one.
    left = guard(_LINE_END.sub(r"\1\n", text), Policy.BLOCK)[1]
    return text, (*found, *left)


def _safe(said: JSON, name: str, found: Callable[[Finding], None]) -> JSON:
    if isinstance(said, dict):
        inside = {key: f"{name}.{key}" if name else key for key in said}
        return {_text(key, "", found): _safe(said[key], inside[key], found) for key in said}
    if isinstance(said, list):
        return [_safe(one, name, found) for one in said]
    if said is None or isinstance(said, bool):
        return said
    if isinstance(said, str):
        return _text(said, name, found)
    number = json.dumps(said)
    safe = _text(number, name, found)
    return said if safe == number else safe


def _text(said: str, name: str, found: Callable[[Finding], None]) -> str:
    """A string without the secrets in it; nothing of it where its name says that it is one."""
    own = find(said)
    for one in own:
        found(one)
    if own or not name:
        return redact(said, own)
    quote = next((one for one in "\"'" if one not in said and "\n" not in said), "")
    begun = f"{name}: {quote}"
    beside = [one for one in find(f"{begun}{said}{quote}") if one.end > len(begun)]
    if not beside:
        return said
    found(beside[0])
    return f"[redacted: {beside[0].kind}]"

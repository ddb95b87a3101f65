"""Whether a value could open anything, or only stands where a secret would."""

from __future__ import annotations

import re

# Said where a value is meant to go, or as the type, state or absence of one.
_WORDS = frozenset(
    "accesstoken any apikey ask bar basic baz bearer bool bytes change changeit changeme "
    "credentials default dummy empty encrypted env example expired fake false foo generated "
    "hashed here hidden input insert int invalid key keychain masked missing mypassword nil "
    "none null number object optional pass passwd password placeholder prompt pwd redacted "
    "removed replace replaceme required rotated sample secret secretkey secretstr stdin stored "
    "str string tbd test testing text todo token true undefined unset user username valid value "
    "vault yourpassword".split()
)
# A place to fill in: <name>, ${NAME}, {{ name }}, %(name)s, ****, xxxx, a...b, [redacted].
_SLOT = re.compile(
    r"<[^<>]*>?$|\$\{|\$\(|\$[A-Za-z_]\w*$|\{|%\(|%[A-Za-z_]+%$|\[redact|\[hidden|\[mask|"
    r"[*•.…_#-]+$|(?:0x)?[xX]+$|!\w|@\w+@$|#\{",
    re.IGNORECASE,
)
_ELIDED = re.compile(r"x{5}|X{5}|\*{3}|\.{3}|…|•{3}|<[a-z]", re.ASCII)
_TOLD = re.compile(
    r"(?:^|[^a-z])(?:your|my|insert|enter|replace|change|put|example)[_ -]", re.IGNORECASE
)
# Code that fetches the value: os.environ["X"], process.env.X, config.get(...), args.password.
_CODE = re.compile(
    r"(?:os\.|process\.env|import\.meta|env[.\[(]|ENV\[|std::|System\.|secrets?\.|vault[.:/]|"
    r"self\.|this\.|args\.|config\.|settings\.|ctx\.|op://)|[A-Za-z_][\w.]*\(|[A-Za-z_]\w*\["
)
_LONG = 12
_FEW = 2


def is_live(value: str) -> bool:
    """Whether a value could be a secret in use.

    >>> [is_live(v) for v in ("${DB_PASSWORD}", "<token>", "changeme", "hunter" + "2")]
    [False, False, False, True]
    """
    bare = re.sub(r"[^a-z]", "", value.lower()) if not any(map(str.isdigit, value)) else ""
    if bare in _WORDS or _SLOT.match(value) or _CODE.match(value):
        return False
    if _ELIDED.search(value) or (bare and _TOLD.search(value)):
        return False
    return is_token_live(value)


def is_token_live(value: str) -> bool:
    """Whether a value in a provider's own shape is more than an illustration of it."""
    if len(value) >= _LONG and "example" in value.lower():
        return False
    tail = re.sub(r"[\W_]", "", value[value.rfind("_") + 1 :] or value)
    return len(set(tail)) > _FEW and not _ELIDED.search(value)

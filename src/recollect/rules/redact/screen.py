"""Whether a text is worth a closer look: one search for the marks that secrets carry.

It may be wrong in one direction only. What it passes over is never looked at again, so every
shape of `shapes`, `assigned` and `library` must carry one of these marks.
"""

from __future__ import annotations

import re
from functools import cache

from recollect.rules.lately import Lately

# The words that a secret stands beside, and what may stand between: `db_password_2"] => `.
_NAMES = (
    r"(?:pass(?:word|wd|phrase|code|wort)|pwd|[_-]pass|secret|token|credential|"
    r"(?:key|auth|contrase(?:ñ|n)a|motdepasse|пароль|密码|パスワード))"
    r"[\w-]{0,30}[\"'`\])*]{0,3}[ \t]{0,4}(?:[:=：＝>]|(?:is|was)\b|[\"'`])"
)
# Ninety rules know a provider only by its name before a long value: `adafruit = "…"`.
_ASSIGNED = r"[:=>][\"'` \t]{0,4}[a-z0-9][\w=-]{15}"
# Prefixes that providers give their tokens so that a scanner can know them.
_PREFIXED = (
    r"-----begin|a3t[a-z0-9]|(?:akia|asia|abia|acca)[a-z0-9]{12}|gh[pousr]_[a-z0-9]|github_pat_|"
    r"gl[a-z]{2,6}-[\w-]{16}|gr1348941|sk-[\w-]{16}|sk-ant-|[sr]k_(?:live|test|prod)_|aiza[\w-]{20}|"
    r"xox[a-z]-|xapp-|hooks\.slack|npm_[a-z0-9]{16}|pypi-ag|hf_[a-z0-9]{16}|api_org_|ey[\w-]{16}|"
    r"sg\.[\w-]{16}|[as][ck][0-9a-f]{32}|bearer[ \t]|basic[ \t]+[\w+/]{8}|accountkey=|"
    r"sharedaccesskey=|://[^\s/@]{0,99}:[^\s/]|(?<!\d)\d{8,10}:[\w-]{35}|"
    r"[mno][\w-]{23,25}\.[\w-]{6}\.[\w-]{27}|sq0[a-z]{3}-|eaaa|dop_v1_|do[or]_v1_|shp[a-z]{2,3}_|"
    r"hv[sb]\.|s\.[a-z0-9]{24}|gl(?:c|sa)_|lin_api_|dapi[0-9a-f]{16}|pmak-|age-secret-key-1|"
    r"dp\.pt\.|pscale_|pul-[0-9a-f]|rubygems_|sntry[su]_|shippo_|xkeysib-|ntn_|pplx-|pnu_|rdme_|"
    r"clojars_|duffel_|dt0c01|ez[at]k|flwseck|fo1_|fm[12]_|fio-u-|hrku-|ico-[a-z0-9]{16}|akcp|cmvmd|"
    r"ops_ey|p8e-|ltai|absk|bedrock-api-key-|v1\.0-[0-9a-f]|atlasv1|sha256~|settlemint|sm_[asp]at|"
    r"tk-us-|sgp_|webhook|zxlk|a3-[a-z0-9]{6}-|api-[a-z0-9]{26}|[0-9a-f]{32}-us\d|[ps]at\.[\w-]{22}|"
    r"ea(?:am|ac)[a-z0-9]|\dq~|contribsys|_mmk|4b1d[a-z0-9]{16}|s-s4t2|whsec_|gsk_[a-z0-9]{16}|"
    r"xai-[a-z0-9]{16}|r8_[a-z0-9]{16}|sbp_[0-9a-f]{16}|figd_|pat[a-z0-9]{14}\.|atatt3|nrak-|"
    r"key-[0-9a-f]{32}|[?&]sig="
)

_MARKS = f"{_NAMES}|{_ASSIGNED}|{_PREFIXED}"
# What of these may stand before a space or a tab; everything else holds none.
_GOES_ON = rf"{_NAMES}|{_ASSIGNED}|bearer[ \t]|basic[ \t]+[\w+/]{{8}}"
_OPENING = (
    r"[:=>]|pass|pwd|secret|token|credential|key|auth|contrase|пароль|密码|パスワード|bearer|basic"
)
_NOTHING, _OPEN, _MARKED = range(3)


@cache
def _pattern(regex: str) -> re.Pattern[str]:
    return re.compile(regex)


def _of_chunk(chunk: str) -> int:
    """Whether what lies between two spaces holds a mark, or could open one that goes on."""
    if _pattern(_MARKS).search(chunk):
        return _MARKED
    return _OPEN if _pattern(_OPENING).search(chunk) else _NOTHING


_chunks = Lately(_of_chunk)


def is_suspect(text: str) -> bool:
    """Whether the text carries a mark that a secret would.

    >>> is_suspect("a token bucket, refilled every second"), is_suspect("token: 5")
    (False, True)
    """
    low = text.lower()
    # Most words have been here before, and to look each of them up is a tenth of the work.
    found = max(map(_chunks.__getitem__, low.split()), default=_NOTHING)
    return found == _MARKED or (found == _OPEN and bool(_pattern(_GOES_ON).search(low)))

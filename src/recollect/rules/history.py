"""What a repository's history says of a decision: carried out, taken back, or left alone since."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

SUCCESS, FAILURE = "success", "failure"
# What nobody took back for so long did well.
SETTLED = timedelta(days=30)
_SHORTEST = 7
_REVERTS = re.compile(r"This reverts commit ([0-9a-f]{7,40})")
_PULL = re.compile(r"(?:/pull/|/merge_requests/|#)(\d+)\b")
_SHA = re.compile(r"[0-9a-f]{7,40}")


class Commit(NamedTuple):
    """One commit of the history."""

    sha: str
    at: datetime
    message: str


class Verdict(NamedTuple):
    """What a history says came of a decision, and the commit that says so."""

    status: str
    commit: str
    why: str


def verdict(commit: str, pull: str, history: Sequence[Commit], now: datetime) -> Verdict | None:
    """What came of a decision by its commit, or else by its pull request; None if not known yet."""
    done = _by_sha(commit, history) or _by_pull(pull, history)
    if done is None:
        return None
    last, standing = _toggled(done, history)
    if not standing:
        return Verdict(FAILURE, last.sha, f"{done.sha[:10]} was reverted by {last.sha[:10]}")
    if now - last.at < SETTLED:
        return None
    days = (now - last.at).days
    return Verdict(
        SUCCESS, done.sha, f"{done.sha[:10]} was merged, and not reverted for {days} days"
    )


def _toggled(done: Commit, history: Sequence[Commit]) -> tuple[Commit, bool]:
    """The last commit that took the work back or brought it in again, and whether it stands."""
    reverts = {
        target: one
        for one in sorted(history, key=lambda one: one.at)
        for target in _REVERTS.findall(one.message)
    }
    at, standing = done, True
    seen = {done.sha}
    while True:
        further = next((one for target, one in reverts.items() if at.sha.startswith(target)), None)
        if further is None or further.sha in seen:
            return at, standing
        seen.add(further.sha)
        at, standing = further, not standing


def _by_sha(commit: str, history: Sequence[Commit]) -> Commit | None:
    said = _SHA.search(commit.casefold())
    if said is None or len(said.group()) < _SHORTEST:
        return None
    return next((one for one in history if one.sha.startswith(said.group())), None)


def _by_pull(pull: str, history: Sequence[Commit]) -> Commit | None:
    found = _PULL.search(pull)
    if found is None:
        return None
    merged = re.compile(
        rf"\A(?:Merge pull request #{found.group(1)}\b|[^\n]*\(#{found.group(1)}\)\s*(?:\n|\Z))"
    )
    fitting = [one for one in history if merged.search(one.message)]
    return min(fitting, key=lambda one: one.at, default=None)

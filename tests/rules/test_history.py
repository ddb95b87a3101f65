"""What a repository's history says of decisions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from recollect.rules.history import FAILURE, SUCCESS, Commit, verdict

NOW = datetime(2026, 6, 1, tzinfo=UTC)
A, B, C, D = ("a" * 40, "b" * 40, "c" * 40, "d" * 40)


def commit(sha, days, message="Change something"):
    return Commit(sha, NOW - timedelta(days=days), message)


def reverting(sha, days, target):
    return commit(sha, days, f'Revert "Change"\n\nThis reverts commit {target}.\n')


def said(commit_, history, pull=""):
    found = verdict(commit_, pull, history, NOW)
    return found and (found.status, found.commit)


def test_what_stood_for_thirty_days_succeeded():
    assert said(A, [commit(A, 30)]) == (SUCCESS, A)
    assert said(A, [commit(A, 29)]) is None


def test_what_was_reverted_failed_at_once():
    assert said(A, [reverting(B, 1, A), commit(A, 2)]) == (FAILURE, B)
    assert said(A, [reverting(B, 1, A[:12]), commit(A, 2)]) == (FAILURE, B)


def test_what_was_brought_back_counts_from_then():
    history = [reverting(C, 40, B), reverting(B, 50, A), commit(A, 60)]
    assert said(A, history) == (SUCCESS, A)
    history = [reverting(C, 10, B), reverting(B, 50, A), commit(A, 60)]
    assert said(A, history) is None
    history = [reverting(D, 1, C), *history]
    assert said(A, history) == (FAILURE, D)


@pytest.mark.parametrize("named", [A[:7], A[:12], f"https://example.org/commit/{A}", A.upper()])
def test_a_commit_may_be_named_in_short(named):
    assert said(named, [commit(A, 31)]) == (SUCCESS, A)


@pytest.mark.parametrize(
    "message",
    ["Merge pull request #12 from x/y\n\nUse a pool", "Use a pool (#12)", "Use a pool (#12)\n\nx"],
)
def test_a_pull_request_is_found_by_the_commit_that_merged_it(message):
    history = [commit(B, 20, "Use another pool (#123)"), commit(A, 31, message)]
    assert said("", history, "https://github.com/x/y/pull/12") == (SUCCESS, A)
    assert said("", history, "#13") is None


@pytest.mark.parametrize("named", ["", "aaaaaa", "not a commit", "f" * 40])
def test_what_is_not_in_the_history_is_not_known_yet(named):
    assert said(named, [commit(A, 31)]) is None


def test_a_circle_of_reverts_ends():
    history = [reverting(B, 40, C), reverting(C, 41, B), commit(A, 50)]
    assert said(B, history) is not None

"""Reads the history of a repository, by the git that is installed."""

from __future__ import annotations

import subprocess
from datetime import UTC, datetime

from recollect.errors import InvalidRequest, Unavailable
from recollect.rules.history import Commit

_FORMAT = "%H%x1f%ct%x1f%B%x1e"


def history(repository: str) -> list[Commit]:
    """The commits of what is checked out, newest first.

    Raises:
        InvalidRequest: the folder is no repository.
        Unavailable: there is no git.
    """
    call = ["git", "-C", repository, "log", f"--format={_FORMAT}"]
    try:
        done = subprocess.run(call, capture_output=True, check=False)  # noqa: S603 -- no shell
    except FileNotFoundError:
        raise Unavailable("git is not installed, or not on the PATH. Install it.") from None
    if done.returncode:
        why = done.stderr.decode("utf-8", "replace").strip().removeprefix("fatal: ")
        raise InvalidRequest(f"The history of {repository} cannot be read ({why}). Name another.")
    found = []
    for entry in done.stdout.decode("utf-8", "replace").split("\x1e"):
        sha, _, rest = entry.strip("\n").partition("\x1f")
        at, _, message = rest.partition("\x1f")
        if at:
            found.append(Commit(sha, datetime.fromtimestamp(int(at), UTC), message))
    return found

"""How far a long command is, on the last line of the terminal; gone when the command is done.

Says nothing where no terminal looks on, and nothing of what is quickly done.
"""

from __future__ import annotations

import sys
from threading import Event, Lock, Thread
from time import monotonic
from typing import TYPE_CHECKING

from recollect.ways.cli.terminal import fitted, look

if TYPE_CHECKING:
    from typing import Self

    from recollect.ways.cli.terminal import Look

_BAR = 30
# Seconds. What is done sooner was not waited for, and faster nobody reads.
_QUICK = 0.5
_EVERY = 0.2


class Bar:
    """A bar while it is known how far something is, else for how long it has gone on."""

    def __init__(self, doing: str) -> None:
        self._seen: Look | None = look(sys.stderr)
        self._doing = doing
        self._begun = monotonic()
        self._far = (0, 0)
        # How far it was when that was first told, and when: what was done before, as of an index
        # that is gone on with, says nothing of how long the rest takes.
        self._first: tuple[int, float] | None = None
        self._drawn = False
        self._over = Event()
        self._lock = Lock()
        self._thread = Thread(target=self._go_on, daemon=True)

    def __enter__(self) -> Self:
        if self._seen:
            self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        if self._seen:
            self._thread.join()
        if self._drawn:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)

    def show(self, done: int, of: int, doing: str) -> None:
        """What is true now. Drawn with the next look at it."""
        with self._lock:
            self._far, self._doing = (done, of), doing or self._doing
            self._first = self._first or (done, monotonic())

    def _go_on(self) -> None:
        wait = _QUICK
        while self._seen and not (wait and self._over.wait(wait)):
            wait = _EVERY
            print(f"\r{self._line(self._seen)}\x1b[K", end="", file=sys.stderr, flush=True)
            self._drawn = True

    def _line(self, seen: Look) -> str:
        with self._lock:
            (done, of), doing = self._far, self._doing
            before, since = self._first or (0, self._begun)
        # Names of files are shown, and must not steer the terminal.
        named = "".join(sign if sign.isprintable() else "?" for sign in doing)
        seconds = monotonic() - self._begun
        if of <= 0:
            said = f"{named}… {seconds:.0f} s"
        else:
            filled = _BAR * min(done, of) // of
            fresh = done - before
            left = (monotonic() - since) / fresh * (of - done) if fresh else 0
            ahead = f", {left:.0f} s left" if left >= 1 else ""
            said = f"[{'#' * filled}{'.' * (_BAR - filled)}] {done}/{of}{ahead}  {named}"
        # The last column stays empty, so that no terminal begins another line.
        return fitted(said, seen.width - 1)

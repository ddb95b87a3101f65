"""How often a client may ask within any minute, and when it should hear that it is too often."""

from __future__ import annotations

import time
from collections import deque
from threading import Lock
from typing import TYPE_CHECKING

from recollect.errors import TooOften
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

WINDOW = 60.0
# From this share of a limit on, an answer says how much is left.
WARNED = 0.8
CALLS, CAPTURES, READS = "requests", "captures", "reads"
# As the only contract that limits how often it is called has it.
USUAL = {CALLS: 100, CAPTURES: 10, READS: 1000}
_CONTRACT = "membria"
_CAPTURES = frozenset({"membria.capture_decision"})
# Clients of which it is known when they last asked; the ones that were quiet longest are forgotten.
_MOST = 10_000


class Standing(Value):
    """How near to a limit a client is."""

    what: str
    limit: int
    used: int
    resets_in: float

    @property
    def near(self) -> bool:
        """Whether the client should hear of it."""
        return self.used >= WARNED * self.limit

    def shown(self) -> dict[str, object]:
        """For the `_meta` of an answer."""
        left = self.limit - self.used
        return {
            "recollect/limit": {
                "what": f"{self.what} a minute",
                "limit": self.limit,
                "used": self.used,
                "remaining": left,
                "resets_in": round(self.resets_in, 1),
                "warning": f"{left} {self.what} are left for this minute; slow down.",
            }
        }


class Limits:
    """What every client has asked within the last minute."""

    def __init__(
        self,
        most: Mapping[str, int] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        # Where somebody says how much is too much, it is so for all contracts.
        self._all = most is not None
        self._most = {what: n for what, n in (USUAL if most is None else most).items() if n}
        self._clock = clock
        self._lock = Lock()
        self._asked: dict[tuple[str, str], deque[float]] = {}

    def take(self, client: str, contract: str, name: str = "") -> Standing | None:
        """Count a call of a tool, or a read where no tool is named.

        Answers how near to a limit that brings the client.

        Raises:
            TooOften: it is one too many. It does not count.
        """
        if contract != _CONTRACT and not self._all:
            return None
        kinds = [READS] if not name else [CALLS, CAPTURES] if name in _CAPTURES else [CALLS]
        now = self._clock()
        with self._lock:
            lines = {what: self._line(client, what, now) for what in kinds if what in self._most}
            for what, line in lines.items():
                if len(line) >= self._most[what]:
                    raise self._refusal(what, line[0] + WINDOW - now)
            for line in lines.values():
                line.append(now)
            found = [
                Standing(what, self._most[what], len(line), line[0] + WINDOW - now)
                for what, line in lines.items()
            ]
        return max((one for one in found if one.near), key=_share, default=None)

    def _line(self, client: str, what: str, now: float) -> deque[float]:
        """When the client asked for that within the last minute."""
        # Put at the end again, so that the first is the one that was quiet longest.
        line = self._asked.pop((client, what), None) or deque()
        while line and line[0] <= now - WINDOW:
            line.popleft()
        self._asked[client, what] = line
        if len(self._asked) > _MOST:
            del self._asked[next(iter(self._asked))]
        return line

    def _refusal(self, what: str, left: float) -> TooOften:
        seconds = max(1, -int(-left // 1))
        return TooOften(
            f"More than {self._most[what]} {what} a minute. Nothing was done; try again in"
            f" {seconds} {'second' if seconds == 1 else 'seconds'}.",
            limit=self._most[what],
            retry_after=seconds,
        )


def limits(said: Iterable[tuple[str, int]] | None, *, usual: bool) -> Limits | None:
    """The limits that settings say; without any the usual ones, or none."""
    if said is None:
        return Limits() if usual else None
    most = dict(said)
    return Limits(most) if any(most.values()) else None


def _share(one: Standing) -> float:
    return one.used / one.limit

"""What an engine knows of the world outside: its ports, and the ids that it gives out."""

from __future__ import annotations

import os
from threading import Lock
from typing import TYPE_CHECKING

from recollect.model import Kind, micros
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from typing import TypeAlias

    from recollect.engine.accesses import Accesses
    from recollect.engine.beside import Beside
    from recollect.engine.code.watch import Watchers
    from recollect.engine.semantics import Semantics
    from recollect.rules.redact import Policy
    from recollect.store import Store

    # How far a long op is: so many of so many, 0 where that is not known, and doing what. It may
    # raise what ends the op, because nobody waits for it any more; so nothing is reported from
    # within a transaction that should be committed.
    Report: TypeAlias = Callable[[int, int, str], None]

_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_PAIRS = tuple(high + low for high in _DIGITS for low in _DIGITS)
# Pairs of digits in half an id.
_HALF = 5
_PREFIXES = {
    Kind.DECISION: "dec_",
    Kind.PROPOSAL: "proposal-",
    Kind.OUTCOME: "outcome_",
    Kind.SIGNAL: "sig_",
    Kind.SKILL: "sk_",
    Kind.ANTIPATTERN: "anti_",
    Kind.ENTITY: "ent_",
    Kind.CODE: "code_",
    Kind.SOURCE: "src_",
}
RELATION = "rel_"
BATCH = "batch_"


def silent(done: int, of: int, doing: str) -> None:
    """Where nobody wants to know how far it is."""
    del done, of, doing


class Governance(Value):
    """How decisions are governed and measured, as far as that can be set."""

    # So many seconds have to lie between an agent's decisions.
    cooldown: float = 0.0
    # What is known of a domain before anything is: successes and failures.
    prior_successes: float = 1.0
    prior_failures: float = 1.0
    # Of so many in a hundred decisions a skill is withheld, so that both can be compared.
    withheld: float = 0.0
    # Where proposals are written for people to read; None for nowhere.
    proposals: str | None = None
    # Where captures wait, and calibrations are copied to, for when the store is away.
    aside: str | None = None


class Ports(Value):
    """Everything that a handler may ask or change."""

    store: Store
    semantics: Semantics
    clock: Callable[[], datetime]
    new_id: Callable[[str], str]
    # A function that gives the policy for secrets, so that reads need not import it.
    secrets: Callable[[], Policy]
    accesses: Accesses
    beside: Beside
    watchers: Watchers
    governance: Governance = Governance()
    # Called now and then by an op that takes long.
    report: Report = silent


class Ids:
    """Ids of 20 characters: microseconds, then chance, so that they sort by time."""

    def __init__(self, clock: Callable[[], datetime]) -> None:
        self._clock = clock
        self._last = 0
        self._lock = Lock()

    def __call__(self, prefix: str = "") -> str:
        """A new id. Two of one process never sort the other way round, whatever the clock does."""
        with self._lock:
            self._last = max(self._last + 1, micros(self._clock()))
            time = self._last
        return prefix + _base36(time) + _base36(int.from_bytes(os.urandom(8), "big"))


def prefix_of(kind: Kind) -> str:
    """What the ids of a kind begin with; a memory's with nothing."""
    return _PREFIXES.get(kind, "")


def _base36(number: int) -> str:
    digits = ""
    for _ in range(_HALF):
        number, pair = divmod(number, len(_PAIRS))
        digits = _PAIRS[pair] + digits
    return digits

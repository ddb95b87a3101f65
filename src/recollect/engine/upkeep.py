"""What goes on behind the calls of a server: loading the model, and embedding what waits."""

from __future__ import annotations

import logging
from itertools import accumulate
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING

from recollect.engine.code.running import running
from recollect.engine.ports import silent
from recollect.errors import ModelNotReady, RecollectError
from recollect.model import Kind, Sense
from recollect.rules.analyse import passage

if TYPE_CHECKING:
    from collections.abc import Mapping

    from recollect.embed import Model
    from recollect.engine.ports import Ports, Report
    from recollect.engine.reflecting import Passes
    from recollect.model import Record
    from recollect.store import Reader

log = logging.getLogger(__name__)

_AT_ONCE = 64
# No more than so many characters, for which the bundled model takes about ten seconds.
_LONGEST = 500_000
# How long the worker rests when nothing waits, and after a failure, in seconds.
_REST = 5.0
_PAUSE = 0.5


class Upkeep:
    """One worker thread beside the calls."""

    def __init__(self, ports: Ports, reflect: str | None = None) -> None:
        """Where a tenant is named, also propose now and then what its people may decide."""
        self._ports = ports
        self._passes = None if reflect is None else _passes(ports, reflect)
        self._stopped = Event()
        self._thread = Thread(target=self._work, name="recollect-upkeep", daemon=True)

    def start(self) -> None:
        """Begin to load the model, and to embed what waits."""
        self._ports.semantics.configured().inner.start()
        self._thread.start()

    def stop(self) -> None:
        """Finish the batch that is under way, and no more."""
        self._stopped.set()
        self._thread.join()

    def _work(self) -> None:
        while not self._stopped.is_set():
            write_down(self._ports)
            try:
                if self._code_waits() and running():
                    # What is being indexed takes both cores, and is found by its words meanwhile.
                    self._stopped.wait(_PAUSE)
                    continue
                begun = monotonic()
                if step(self._ports):
                    if self._code_waits():
                        # There is much of it and no hurry: half of the time is left to others.
                        self._stopped.wait(monotonic() - begun)
                    continue
                if self._passes is not None:
                    self._passes.step()
            except RecollectError as error:
                # The next round tries again; calls that need the model report it themselves.
                log.warning("embedding what waits: %s", error)
            self._stopped.wait(_REST)

    def _code_waits(self) -> bool:
        """Whether nothing waits any more but code, which comes last."""
        with self._ports.store.reading() as reader:
            return any(record.kind is Kind.CODE for record in reader.waiting(1))


def _passes(ports: Ports, tenant: str) -> Passes:
    from recollect.engine.reflecting import Passes as Made

    return Made(ports, tenant)


def write_down(ports: Ports) -> None:
    """Write down what was returned since the last time."""
    try:
        ports.accesses.flush(ports.store)
    except RecollectError as error:
        # It stays pending; only when something was last read is late.
        log.warning("noting what was read: %s", error)


def fill(ports: Ports, *, needed: bool = False, report: Report = silent) -> int:
    """Embed all that waits. Answers how many records that were.

    Raises:
        ModelNotReady: something waits, is needed, and the model is not to be had.
    """
    done = 0
    while batch := step(ports, needed=needed):
        done += batch
        if report is not silent:
            with ports.store.reading() as reader:
                report(done, done + reader.models().waiting, "making vectors")
    return done


def step(ports: Ports, *, needed: bool = False) -> int:
    """Embed one batch of what waits. Answers how many records that were."""
    _prepare(ports)
    if needed and ports.semantics.trouble is not None:
        raise ModelNotReady(str(ports.semantics.trouble))
    with ports.store.reading() as reader:
        model = _filling(ports, reader)
        if model is None:
            return 0
        records = reader.waiting(_AT_ONCE)
    texts = _few([passage(record) for record in records])
    records = records[: len(texts)]
    senses = ports.semantics.senses(model, texts, needed=needed, most=None)
    if senses is None or not records:
        return 0
    with ports.store.writing() as tx:
        now = tx.rows([record.seq for record in records])
        fresh = {
            # Codes of the words are for texts that people write; of code they would be most of the
            # store.
            record.seq: sense if record.searched else Sense(sense.vector)
            for record, sense in zip(records, senses, strict=True)
            if _same(record, now.get(record.seq))
        }
        if _filling(ports, tx) != model:
            return 0
        vectors = {seq: sense.vector for seq, sense in fresh.items()}
        parts = {seq: sense.parts for seq, sense in fresh.items()}
        tx.embed(vectors, model, _codes(fresh), parts)
    # More may wait though all of these have changed meanwhile.
    return len(records)


def _few(texts: list[str]) -> list[str]:
    """The first texts, as many as are not too much together."""
    lengths = accumulate(map(len, texts))
    return texts[: max(1, sum(length <= _LONGEST for length in lengths))]


def _codes(senses: Mapping[int, Sense]) -> dict[int, bytes]:
    return {seq: sense.codes for seq, sense in senses.items()}


def _prepare(ports: Ports) -> None:
    """Begin the change to another model where one is configured now."""
    with ports.store.reading() as reader:
        # The first write to an empty store does so by itself, if it knows the model.
        if not reader.last_event() or ports.semantics.prepared(reader):
            return
    with ports.store.writing() as tx:
        ports.semantics.prepare(tx)


def _filling(ports: Ports, reader: Reader) -> Model | None:
    """The model that is being filled, where it is the one that can be had."""
    model = reader.filling_model()
    return model if model is not None and ports.semantics.of(model) is not None else None


def _same(record: Record, now: Record | None) -> bool:
    # What was revised or forgotten meanwhile is in the queue again, or gone from it.
    return now is not None and passage(now) == passage(record)

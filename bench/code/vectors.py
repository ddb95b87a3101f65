"""Gives every piece of a large store a vector without asking the model a hundred thousand times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from recollect.rules.analyse import passage

if TYPE_CHECKING:
    from recollect.engine import Engine

# So many pieces are embedded; what waits behind them gets a vector near to one of theirs, which
# costs a search as much and lies as real ones do.
EMBEDDED = 2_048
_NOISE = 0.5
_AT_ONCE = 2_048


def fill(engine: Engine) -> int:
    """Leave no piece without a vector. Answers how many got one."""
    ports = engine.ports
    semantics, store = ports.semantics, ports.store
    random = np.random.default_rng(7)
    real: list[np.ndarray] = []
    done = 0
    while True:
        with store.reading() as reader:
            records = reader.waiting(_AT_ONCE)
            model = semantics.target(reader)
        if not records:
            return done
        assert model is not None
        if len(real) < EMBEDDED:
            made = [sense.vector for sense in semantics.senses(model, list(map(passage, records)))]
            real += made
        else:
            near = np.stack([real[at] for at in random.integers(0, len(real), len(records))])
            noise = random.standard_normal(near.shape, np.float32) / near.shape[1] ** 0.5
            moved = near + _NOISE * noise
            made = list(moved / np.linalg.norm(moved, axis=1, keepdims=True))
        with store.writing() as tx:
            tx.embed(dict(zip([one.seq for one in records], made, strict=True)), model)
        done += len(records)

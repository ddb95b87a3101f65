"""Every test here that wants a client runs on every kind of store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from recollect.contracts.contract import Caller
from recollect.embed.choose import EmbedSettings, open_embedder
from recollect.ops import Verify
from recollect.testing import FixedClock
from tests.contracts.build import AGENT, Client
from tests.engine.build import opened
from tests.store.build import STORES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def minded(tmp_path: Path, clock: FixedClock) -> Iterator[Client]:
    """An agent whose memory knows meanings: it has the bundled model."""
    bundled = open_embedder(EmbedSettings())
    with opened(STORES["sqlite"](tmp_path), clock, embedder=lambda: bundled) as engine:
        yield Client(engine, Caller(AGENT))


@pytest.fixture(params=STORES)
def client(request: pytest.FixtureRequest, tmp_path: Path, clock: FixedClock) -> Iterator[Client]:
    """An agent at work in a folder of its own."""
    work = tmp_path / "atlas"
    work.mkdir()
    with opened(STORES[request.param](tmp_path), clock) as engine:
        yield Client(engine, Caller(AGENT, project="atlas", roots=(str(work),)))
        assert engine.run(Verify()).problems == ()

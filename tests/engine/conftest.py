"""Every test here that wants an engine runs on every kind of store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from recollect.embed.background import Background
from recollect.embed.cache import Cached
from recollect.ops import Verify
from recollect.testing import FixedClock
from tests.engine.build import Slow, opened
from tests.store.build import STORES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from recollect.engine import Engine
    from recollect.store import Store


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    return STORES[request.param](tmp_path)


@pytest.fixture
def engine(store: Store, clock: FixedClock) -> Iterator[Engine]:
    with opened(store, clock) as made:
        yield made
        assert made.run(Verify()).problems == ()


@pytest.fixture
def slow() -> Iterator[Slow]:
    made = Slow()
    yield made
    made.go.set()


@pytest.fixture
def waiting(store: Store, clock: FixedClock, slow: Slow) -> Iterator[Engine]:
    """An engine whose model is still loading."""
    with opened(store, clock, embedder=lambda: Cached(Background(slow, patience=0))) as made:
        yield made
        slow.go.set()
        assert made.run(Verify()).problems == ()

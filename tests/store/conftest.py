"""Every test here that wants a store runs on every kind of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.store.build import STORES

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from recollect.store import Store


@pytest.fixture(params=STORES)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    opened = STORES[request.param](tmp_path)
    yield opened
    assert opened.verify() == []
    opened.close()

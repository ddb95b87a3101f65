"""One loaded model for all tests of this layer."""

from __future__ import annotations

import pytest

from recollect.embed.bundled import Bundled


@pytest.fixture(scope="session")
def bundled():
    embedder = Bundled()
    embedder.load()
    yield embedder
    embedder.close()

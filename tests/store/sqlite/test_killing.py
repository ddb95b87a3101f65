from __future__ import annotations

import random

from tests.store.sqlite import killing


def test_twenty_kills_lose_nothing_that_was_acknowledged(tmp_path):
    acknowledged, wrong = killing.rounds(tmp_path / "memory.db", random.Random(), 20)
    assert wrong == []
    assert acknowledged >= 40

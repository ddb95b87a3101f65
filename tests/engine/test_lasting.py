"""The collector of garbage is put off for large writes, and only for those."""

from __future__ import annotations

import gc

import pytest

from recollect.engine.lasting import lasting


@pytest.fixture(autouse=True)
def _collecting():
    gc.enable()
    yield
    gc.enable()


@pytest.mark.parametrize(("objects", "collects"), [(1, True), (249, True), (250, False)])
def test_only_large_writes_put_it_off(objects, collects):
    with lasting(objects):
        assert gc.isenabled() is collects
    assert gc.isenabled()


def test_after_a_failure_it_goes_on():
    with pytest.raises(ValueError, match="no"), lasting(1_000):
        raise ValueError("no")
    assert gc.isenabled()


def test_who_has_put_it_off_before_is_left_alone():
    gc.disable()
    with lasting(1_000):
        assert not gc.isenabled()
    assert not gc.isenabled()

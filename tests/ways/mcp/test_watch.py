from __future__ import annotations

from threading import Event

import pytest

from recollect.errors import InvalidRequest
from recollect.ops import Status
from recollect.ways.mcp import watch
from tests.engine.build import remember

SOON = 5


@pytest.fixture
def heard():
    return Event()


def counted(engine):
    return lambda: str(engine.run(Status()).counts.memories)


def test_who_follows_is_told_when_it_reads_differently(engine, watcher, heard):
    watcher.follow(counted(engine), heard.set)
    assert not heard.is_set()
    remember(engine, "x")
    assert heard.wait(SOON)


def test_who_follows_what_did_not_change_hears_nothing(engine, watcher, heard):
    quiet = Event()
    watcher.follow(lambda: "always the same", quiet.set)
    watcher.follow(counted(engine), heard.set)
    remember(engine, "x")
    assert heard.wait(SOON)
    assert not quiet.is_set()


def test_who_leaves_hears_nothing_more(engine, watcher, heard):
    gone = Event()
    watcher.follow(counted(engine), gone.set)()
    watcher.follow(counted(engine), heard.set)
    remember(engine, "x")
    assert heard.wait(SOON)
    assert not gone.is_set()


def test_there_is_a_thread_only_while_somebody_follows(engine, watcher):
    leave = watcher.follow(counted(engine), lambda: None)
    thread = watcher._thread
    assert thread.is_alive()
    leave()
    thread.join(SOON)
    assert not thread.is_alive()
    watcher.follow(counted(engine), lambda: None)
    assert watcher._thread.is_alive()


def test_too_much_is_not_followed(engine, watcher, monkeypatch):
    monkeypatch.setattr(watch, "MOST", 1)
    watcher.follow(counted(engine), lambda: None)
    with pytest.raises(InvalidRequest, match="unsubscribe"):
        watcher.follow(counted(engine), lambda: None)

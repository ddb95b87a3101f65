"""Work that goes on beside what its caller does."""

from __future__ import annotations

from threading import Event, current_thread, main_thread

import pytest

from recollect.engine.beside import Beside


@pytest.fixture
def beside():
    made = Beside()
    yield made
    made.close()


def test_the_caller_goes_on_meanwhile(beside):
    begun, ended = Event(), Event()

    def work():
        begun.set()
        ended.wait()
        return current_thread()

    answer = beside(work)
    assert begun.wait(60)
    ended.set()
    assert answer() is not main_thread()


def test_what_fails_fails_where_it_is_waited_for(beside):
    def fails():
        raise ValueError("no")

    answer = beside(fails)
    with pytest.raises(ValueError, match="no"):
        answer()
    assert beside(lambda: 1)() == 1


def test_closing_waits_for_what_is_under_way(beside):
    done = []
    beside(lambda: done.append(1))
    beside.close()
    assert done == [1]


def test_what_was_never_used_closes_too():
    Beside().close()

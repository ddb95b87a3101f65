"""How often a client may ask."""

from __future__ import annotations

import pytest

from recollect.errors import TooOften
from recollect.ways.limits import CALLS, CAPTURES, READS, Limits, limits

CAPTURE = "membria.capture_decision"


class Watch:
    """A clock that is moved by hand."""

    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def watch():
    return Watch()


def take(of, name="membria.get_decision", client="a", contract="membria"):
    return of.take(client, contract, name)


@pytest.mark.parametrize(
    ("name", "most", "what"),
    [("membria.x", 100, CALLS), (CAPTURE, 10, CAPTURES), ("", 1000, READS)],
)
def test_the_documents_limits_hold_and_are_warned_of(watch, name, most, what):
    one = Limits(clock=watch)
    told = [take(one, name) for _ in range(most)]
    assert [standing is not None for standing in told] == [n + 1 >= 0.8 * most for n in range(most)]
    assert (told[-1].what, told[-1].limit, told[-1].used) == (what, most, most)
    assert told[-1].shown()["recollect/limit"]["remaining"] == 0
    watch.now = 18.5
    with pytest.raises(TooOften, match=f"More than {most} {what} a minute") as refused:
        take(one, name)
    assert refused.value.facts["retry_after"] == 42
    watch.now = 60
    assert take(one, name) is None


def test_each_client_has_limits_of_its_own(watch):
    one = Limits(clock=watch)
    for _ in range(10):
        take(one, CAPTURE)
    with pytest.raises(TooOften):
        take(one, CAPTURE)
    assert take(one, CAPTURE, client="b") is None


def test_what_is_refused_does_not_count(watch):
    one = Limits({CALLS: 3, CAPTURES: 1}, watch)
    take(one, CAPTURE)
    for _ in range(5):
        with pytest.raises(TooOften, match="captures"):
            take(one, CAPTURE)
    take(one)
    take(one)
    with pytest.raises(TooOften, match="requests"):
        take(one)


def test_the_limit_is_of_any_minute_and_not_of_those_of_the_clock(watch):
    one = Limits({CALLS: 2}, watch)
    for watch.now in (0, 30):
        take(one)
    watch.now = 59.5
    with pytest.raises(TooOften, match="in 1 second"):
        take(one)
    watch.now = 60
    take(one)
    with pytest.raises(TooOften, match="in 30 seconds"):
        take(one)


def test_other_contracts_are_limited_only_where_somebody_says_so(watch):
    usual = Limits({CALLS: 1, CAPTURES: 0}, watch)
    take(usual, "store_memory", contract="memento")
    with pytest.raises(TooOften):
        take(usual, "store_memory", contract="memento")
    for _ in range(2000):
        assert take(Limits(clock=watch), "store_memory", contract="memento") is None


def test_clients_that_were_quiet_longest_are_forgotten(watch, monkeypatch):
    monkeypatch.setattr("recollect.ways.limits._MOST", 2)
    one = Limits({CALLS: 1}, watch)
    for client in ("a", "b", "c"):
        take(one, client=client)
    take(one, client="a")
    with pytest.raises(TooOften):
        take(one, client="c")


def test_settings_say_whether_there_are_limits():
    assert limits(None, usual=False) is None
    assert limits(None, usual=True) is not None
    assert limits((), usual=True) is None
    assert limits((("requests", 0),), usual=True) is None
    assert limits((("requests", 1),), usual=False) is not None

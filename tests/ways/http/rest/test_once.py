"""Writes that come with a key are done once."""

from __future__ import annotations

import pytest

from recollect.ways.http.asgi import Answer
from recollect.ways.http.rest.once import Once

DONE = Answer(201, b"{}")


class Watch:
    now = 0.0

    def __call__(self):
        return self.now


@pytest.fixture
def watch():
    return Watch()


def status(answer):
    return None if answer is None else answer.status


def test_a_write_that_is_still_done_is_not_begun_again(watch):
    once = Once(watch)
    assert once.begun("a", "k", b"x") is None
    assert status(once.begun("a", "k", b"x")) == 409
    assert status(once.begun("a", "k", b"y")) == 422
    assert once.begun("b", "k", b"x") is None
    once.ended("a", "k", DONE)
    assert once.begun("a", "k", b"x") == DONE


@pytest.mark.parametrize(
    "answer", [Answer(503), Answer(429), Answer(500), Answer(200, b"x" * 300_000)]
)
def test_what_may_be_tried_again_and_what_is_too_long_is_not_kept(watch, answer):
    once = Once(watch)
    once.begun("a", "k", b"x")
    once.ended("a", "k", answer)
    assert once.begun("a", "k", b"x") is None


def test_what_was_refused_stays_refused(watch):
    once = Once(watch)
    once.begun("a", "k", b"x")
    once.ended("a", "k", Answer(404))
    assert status(once.begun("a", "k", b"x")) == 404


def test_a_key_is_forgotten_after_a_day_and_when_there_are_too_many(watch, monkeypatch):
    once = Once(watch)
    once.begun("a", "k", b"x")
    once.ended("a", "k", DONE)
    watch.now = 24 * 60 * 60 - 1
    assert once.begun("a", "k", b"x") == DONE
    watch.now += 1
    assert once.begun("a", "k", b"x") is None
    monkeypatch.setattr("recollect.ways.http.rest.once._MOST", 2)
    for key in ("l", "m"):
        once.begun("a", key, b"x")
    assert once.begun("a", "k", b"x") is None


def test_a_write_that_was_forgotten_while_it_was_done_ends_all_the_same(watch, monkeypatch):
    monkeypatch.setattr("recollect.ways.http.rest.once._MOST", 1)
    once = Once(watch)
    once.begun("a", "k", b"x")
    once.begun("a", "l", b"x")
    once.ended("a", "k", DONE)
    assert once.begun("a", "k", b"x") is None

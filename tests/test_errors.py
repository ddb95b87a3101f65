from __future__ import annotations

import inspect
import pickle

import pytest

from recollect import errors
from recollect.errors import Conflict, NotFound, RecollectError

KINDS = [
    kind
    for kind in vars(errors).values()
    if inspect.isclass(kind) and issubclass(kind, RecollectError)
]


@pytest.mark.parametrize("kind", KINDS)
def test_every_error_says_something_without_being_told(kind: type[RecollectError]) -> None:
    assert str(kind()) == kind.__doc__
    assert kind.__name__ in (errors.__doc__ or "")


def test_every_error_has_a_code_of_its_own() -> None:
    assert len({kind.code for kind in KINDS}) == len(KINDS)


def test_a_message_takes_the_place_of_the_docstring() -> None:
    assert str(NotFound("No record has the id x1.")) == "No record has the id x1."


def test_facts_are_kept_beside_the_message() -> None:
    error = Conflict(id="x1", version=2)
    assert error.facts == {"id": "x1", "version": 2}
    assert "x1" not in str(error)


def test_an_error_survives_the_way_to_another_process() -> None:
    error = pickle.loads(pickle.dumps(Conflict("Read it again.", id="x1")))
    assert (str(error), error.facts) == ("Read it again.", {"id": "x1"})

from __future__ import annotations

import copy
import pickle
from typing import ClassVar, Generic, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recollect.value import Value, fields, replace

T = TypeVar("T")


class Point(Value):
    x: int
    y: int = 0


class Twin(Value):
    x: int
    y: int = 0


class Named(Point):
    name: str = ""


class Farther(Point):
    x: int = 10


class Answers(Value, Generic[T]):
    pass


class Ask(Answers[int]):
    limit: ClassVar[int] = 3
    question: str


def test_fields_are_taken_by_place_and_by_name() -> None:
    assert Point(1, 2) == Point(1, y=2) == Point(y=2, x=1)


def test_a_field_left_out_has_its_default() -> None:
    assert Point(1).y == 0


def test_a_subclass_has_the_fields_of_its_parent_first() -> None:
    assert fields(Named) == fields(Named(1)) == ("x", "y", "name")
    assert Named(1, 2, "a") == Named(1, y=2, name="a")


def test_a_subclass_can_give_a_field_another_default() -> None:
    assert fields(Farther) == ("x", "y")
    assert (Farther().x, Farther(x=2).x) == (10, 2)


def test_class_variables_are_no_fields() -> None:
    assert fields(Ask) == ("question",)
    assert Ask("?").limit == 3


def test_a_value_without_fields_is_a_value() -> None:
    assert Answers[int]() == Answers[str]()
    assert fields(Answers) == ()


@pytest.mark.parametrize(
    ("args", "named", "problem"),
    [
        ((), {}, "missing: 'x'"),
        ((1,), {"z": 3}, "unknown: 'z'"),
        ((1, 2, 3), {}, "too many: 3"),
        ((1, 2), {"x": 1}, "given twice: 'x'"),
        ((1,), {"x": 1}, "given twice: 'x'"),
        ((), {"z": 3}, "missing: 'x'; unknown: 'z'"),
        ((), {"y": 1, "z": 3}, "missing: 'x'; unknown: 'z'"),
    ],
)
def test_wrong_arguments_are_named(
    args: tuple[int, ...], named: dict[str, int], problem: str
) -> None:
    with pytest.raises(TypeError) as error:
        Point(*args, **named)
    assert str(error.value) == f"Point takes x, y ({problem})"


def test_a_value_that_takes_nothing_says_so() -> None:
    with pytest.raises(TypeError, match="Answers takes nothing"):
        Answers(1)


def test_a_value_cannot_be_changed() -> None:
    point = Point(1)
    with pytest.raises(AttributeError, match="Point is frozen: x cannot be set"):
        point.x = 2  # type: ignore[misc]
    with pytest.raises(AttributeError, match="Point is frozen: z cannot be set"):
        point.z = 2
    with pytest.raises(AttributeError, match="Point is frozen: x cannot be deleted"):
        del point.x
    assert point == Point(1)


def test_a_value_has_no_room_for_more_than_its_fields() -> None:
    assert not hasattr(Named(1), "__dict__")


def test_values_of_different_types_differ() -> None:
    assert Point(1) != Twin(1)
    assert Point(1) != Named(1)
    assert Point(1) != (1, 0)


def test_a_value_with_an_unhashable_field_is_equal_but_not_hashable() -> None:
    class Holder(Value):
        items: list[int]

    assert Holder([1]) == Holder([1])
    with pytest.raises(TypeError, match="unhashable"):
        hash(Holder([1]))


def test_a_value_shows_how_it_was_made() -> None:
    assert repr(Named(1, name="a")) == "Named(x=1, y=0, name='a')"


def test_a_value_can_be_taken_apart_by_a_pattern() -> None:
    match Named(1, 2, "a"):
        case Named(x, y, name):
            assert (x, y, name) == (1, 2, "a")


def test_replace_refuses_a_field_that_is_not_there() -> None:
    with pytest.raises(TypeError, match="unknown: 'z'"):
        replace(Point(1), z=2)


points = st.builds(Named, st.integers(), st.integers(), st.text())


@given(points, points)
def test_values_are_equal_exactly_when_their_fields_are(one: Named, other: Named) -> None:
    same = (one.x, one.y, one.name) == (other.x, other.y, other.name)
    assert (one == other) is same
    assert not same or hash(one) == hash(other)


@given(points)
def test_a_copy_is_the_same_value(point: Named) -> None:
    assert copy.copy(point) == copy.deepcopy(point) == point
    assert pickle.loads(pickle.dumps(point)) == point


@given(points, st.integers())
def test_replace_changes_only_what_it_names(point: Named, y: int) -> None:
    changed = replace(point, y=y)
    assert (changed.x, changed.y, changed.name) == (point.x, y, point.name)
    assert replace(changed, y=point.y) == point

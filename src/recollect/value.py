"""Frozen values, defined for the price of a class statement.

`dataclasses` takes 9 ms to import and 0.7 ms for each class, every time a command starts;
docs/adr/0002-values.md has the figures. This knows nothing of what the values mean.
"""

from __future__ import annotations

from itertools import repeat
from operator import attrgetter, call
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar, dataclass_transform

if TYPE_CHECKING:
    from collections.abc import Callable


@dataclass_transform(frozen_default=True)
class _Frozen(type):
    """Turns annotations into slots and defaults, and keeps the order of the fields."""

    _fields: tuple[str, ...]
    _defaults: dict[str, Any]
    _setters: tuple[Callable[[object, object], None], ...]
    _values: Callable[[object], object]

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> _Frozen:
        parents = [base for base in bases if isinstance(base, _Frozen)]
        inherited = tuple(f for base in parents for f in base._fields)
        annotations = body.get("__annotations__", {}).items()
        own = [f for f, type_ in annotations if "ClassVar" not in str(type_)]
        defaults = {f: body.pop(f) for f in own if f in body}
        body["__slots__"] = tuple(f for f in own if f not in inherited)
        body["_fields"] = body["__match_args__"] = inherited + body["__slots__"]
        made = super().__new__(cls, name, bases, body)
        # What fills a slot without asking the class, which is frozen.
        made._setters = tuple(getattr(made, f).__set__ for f in made._fields)
        made._values = attrgetter("__class__", *made._fields)
        made._defaults = {k: v for base in parents for k, v in base._defaults.items()} | defaults
        return made


class Value(metaclass=_Frozen):
    """A frozen value: equal when type and fields are, hashable when its fields are."""

    _fields: ClassVar[tuple[str, ...]]
    _defaults: ClassVar[dict[str, Any]]
    _setters: ClassVar[tuple[Callable[[object, object], None], ...]]
    # The type and what is in each field.
    _values: ClassVar[Callable[[object], object]]

    def __init__(self, *args: Any, **named: Any) -> None:
        cls = type(self)
        # A search makes hundreds of values; this way takes a third of the time of the other.
        if not named and len(args) == len(cls._fields):
            # A loop that needs no bytecode; what fills a slot answers None.
            any(map(call, cls._setters, repeat(self), args))
            return
        given = {**dict(zip(cls._fields, args, strict=False)), **named}
        values = {**cls._defaults, **given}
        # A surplus argument or one given twice shows in the first count, a field without a
        # value or a value without a field in the second, and one of each in the loop.
        if len(given) != len(args) + len(named) or len(values) != len(cls._fields):
            raise TypeError(_mismatch(cls, args, named))
        try:
            for put, field in zip(cls._setters, cls._fields, strict=True):
                put(self, values[field])
        except KeyError:
            raise TypeError(_mismatch(cls, args, named)) from None

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        values = type(self)._values
        return values(self) == values(other)

    def __hash__(self) -> int:
        return hash(type(self)._values(self))

    def __repr__(self) -> str:
        shown = ", ".join(f"{f}={getattr(self, f)!r}" for f in type(self)._fields)
        return f"{type(self).__name__}({shown})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, f) for f in type(self)._fields)


V = TypeVar("V", bound=Value)


def fields(value: Value | type[Value]) -> tuple[str, ...]:
    """The names of the fields, in the order in which they were declared."""
    return value._fields


def defaults(kind: type[Value]) -> dict[str, Any]:
    """What the fields are that are not given.

    >>> class Point(Value):
    ...     x: int
    ...     y: int = 0
    >>> defaults(Point)
    {'y': 0}
    """
    return dict(kind._defaults)


def replace(value: V, **changes: Any) -> V:
    """The same value with some fields changed.

    >>> class Point(Value):
    ...     x: int
    ...     y: int = 0
    >>> replace(Point(1), y=2)
    Point(x=1, y=2)
    """
    cls = type(value)
    return cls(**{f: getattr(value, f) for f in cls._fields} | changes)


def _mismatch(cls: type[Value], args: tuple[Any, ...], named: dict[str, Any]) -> str:
    placed = cls._fields[: len(args)]
    wrong = {
        "missing": [f for f in cls._fields if f not in {*placed, *named, *cls._defaults}],
        "unknown": [f for f in named if f not in cls._fields],
        "given twice": [f for f in placed if f in named],
        "too many": list(args[len(cls._fields) :]),
    }
    found = "; ".join(
        f"{what}: {', '.join(map(repr, which))}" for what, which in wrong.items() if which
    )
    return f"{cls.__name__} takes {', '.join(cls._fields) or 'nothing'} ({found})"

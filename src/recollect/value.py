"""Frozen values, defined for the price of a class statement.

`dataclasses` takes 13 ms to import and about 1 ms for each class, every time a command starts;
docs/adr/0002-values.md has the figures. This knows nothing of what the values mean.
"""

from __future__ import annotations

from typing import Any, TypeVar, dataclass_transform

_set = object.__setattr__


@dataclass_transform(frozen_default=True)
class _Frozen(type):
    """Turns annotations into slots and defaults, and keeps the order of the fields."""

    _fields: tuple[str, ...]
    _defaults: dict[str, Any]

    def __new__(cls, name: str, bases: tuple[type, ...], body: dict[str, Any]) -> _Frozen:
        own = tuple(f for f in body.get("__annotations__", ()) if not f.startswith("_"))
        defaults = {f: body.pop(f) for f in own if f in body}
        body["__slots__"] = own
        made = super().__new__(cls, name, bases, body)
        parents = [base for base in bases if isinstance(base, _Frozen)]
        made._fields = tuple(f for base in parents for f in base._fields) + own
        made._defaults = {k: v for base in parents for k, v in base._defaults.items()} | defaults
        return made


class Value(metaclass=_Frozen):
    """A frozen value: equal when type and fields are, hashable when its fields are."""

    def __init__(self, *args: Any, **named: Any) -> None:
        cls = type(self)
        values = {**cls._defaults, **dict(zip(cls._fields, args, strict=False)), **named}
        if len(values) != len(cls._fields) or len(args) + len(named) > len(values):
            raise TypeError(_mismatch(cls, args, named))
        for field in cls._fields:
            _set(self, field, values[field])

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be set")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"{type(self).__name__} is frozen: {name} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, f) == getattr(other, f) for f in type(self)._fields)

    def __hash__(self) -> int:
        return hash((type(self), *(getattr(self, f) for f in type(self)._fields)))

    def __repr__(self) -> str:
        shown = ", ".join(f"{f}={getattr(self, f)!r}" for f in type(self)._fields)
        return f"{type(self).__name__}({shown})"

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), tuple(getattr(self, f) for f in type(self)._fields)


V = TypeVar("V", bound=Value)


def fields(value: Value | type[Value]) -> tuple[str, ...]:
    """The names of the fields, in the order in which they were declared."""
    return value._fields


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
    given = {*cls._fields[: len(args)], *named}
    missing = [f for f in cls._fields if f not in given and f not in cls._defaults]
    unknown = [f for f in named if f not in cls._fields]
    extra = max(0, len(args) - len(cls._fields))
    return f"{cls.__name__}: missing {missing}, unknown {unknown}, {extra} positional too many"

"""What may not be kept, said before anything is kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.errors import InvalidRequest

if TYPE_CHECKING:
    from datetime import datetime

LONGEST_TEXT = 2_000_000
LONGEST_NAME = 1_000
LARGEST_JSON = 256 * 1024
DEEPEST_JSON = 64
# Nobody reads the digits of a larger number.
_LARGEST = 2**63


def text(value: str, name: str = "text", most: int = LONGEST_TEXT) -> str:
    """A text that says something, to the byte as it was given."""
    if not value.strip():
        raise InvalidRequest(f"{name} is empty; give some text", field=name)
    return line(value, name, most)


def line(value: str, name: str, most: int = LONGEST_NAME) -> str:
    """A text that may be empty: a title, a source, the name of a session."""
    if not value:
        return value
    if len(value) > most:
        raise InvalidRequest(
            f"{name} has {len(value)} characters; at most {most} are kept, so split it up",
            field=name,
        )
    nul = value.find("\0")
    if nul >= 0:
        # Nothing is replaced in silence, and SQLite's own tools stop reading at a NUL.
        raise InvalidRequest(
            f"{name} holds a NUL at character {nul}; take it out", field=name, position=nul
        )
    try:
        value.encode()
    except UnicodeEncodeError as error:
        raise InvalidRequest(
            f"{name} holds half a surrogate pair (U+{ord(value[error.start]):04X}) at character "
            f"{error.start}, which is no text; decode it properly or take it out",
            field=name,
            position=error.start,
        ) from None
    return value


def unit(name: str, value: float) -> float:
    """A number from 0 to 1."""
    if not 0 <= value <= 1:
        raise InvalidRequest(f"{name} is {told(value)}; give a number from 0 to 1", field=name)
    return float(value)


def positive(name: str, value: int, most: int) -> int:
    """A whole number from 1 to `most`."""
    if not 1 <= value <= most:
        raise InvalidRequest(
            f"{name} is {told(value)}; give a whole number from 1 to {most}", field=name
        )
    return value


def told(value: float) -> str:
    """A number as a message repeats it.

    >>> told(17), told(10**400)
    ('17', 'far too large')
    """
    if value > _LARGEST:
        return "far too large"
    return "far too small" if value < -_LARGEST else str(value)


def json_object(name: str, value: str) -> str:
    """A JSON object in its shortest form, keys in the order given.

    >>> json_object("metadata", '{"b": 1, "a": [true, null]}')
    '{"b":1,"a":[true,null]}'
    """
    if value == "{}":
        return value
    import json

    if len(value.encode(errors="surrogatepass")) > LARGEST_JSON:
        raise InvalidRequest(
            f"{name} is larger than {LARGEST_JSON} bytes; keep the bulk elsewhere and its "
            "address here",
            field=name,
        )
    try:
        found = json.loads(value, object_pairs_hook=_pairs, parse_constant=_constant)
        short = json.dumps(found, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(f"{name} is not JSON: {error}; give an object", field=name) from None
    if not isinstance(found, dict):
        raise InvalidRequest(f"{name} is JSON but no object; put it in {{…}}", field=name)
    if _depth(found) > DEEPEST_JSON:
        raise InvalidRequest(
            f"{name} is nested deeper than {DEEPEST_JSON}; make it flatter", field=name
        )
    return line(short, name, LARGEST_JSON)


def interval(start: datetime, until: datetime | None) -> None:
    """A time from which something is true, and one from which it no longer is, in that order."""
    if until is not None and until < start:
        raise InvalidRequest(
            f"valid_until ({until.isoformat()}) is before valid_from ({start.isoformat()}); "
            "swap or correct them",
            field="valid_until",
        )


def _pairs(pairs: list[tuple[str, object]]) -> dict[str, object]:
    made = dict(pairs)
    if len(made) != len(pairs):
        twice = next(key for key, _ in pairs if [name for name, _ in pairs].count(key) > 1)
        raise ValueError(f"the key {twice!r} is there twice")
    return made


def _constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON number")


def _depth(value: object) -> int:
    deep, level = 0, [value]
    while level:
        level = [
            inner
            for outer in level
            if isinstance(outer, dict | list)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        deep += 1
    return deep - 1

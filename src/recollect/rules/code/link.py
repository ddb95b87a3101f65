"""What pieces and files refer to: which definition a call means, and which file an import."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

# What can be called.
CALLABLE = frozenset(
    """
    function method constructor class struct record macro object type enum trait
    """.split()
)
# A name that so many define says nothing of which of them is meant.
_MOST = 3
_SAME_FILE, _IMPORTED, _ELSEWHERE = 1.0, 0.8, 0.5
_FAMILIES = {"typescript": "javascript", "cpp": "c", "objc": "c", "kotlin": "java", "scala": "java"}
_ROOTS = ("__init__", "index", "mod", "lib", "main")
_SHALLOW = 2
_separators = re.compile(r"::|[./\\]").split
_ending = re.compile(r"\.[A-Za-z0-9]{1,5}$").sub


class Definition(Value):
    """A definition that may be meant by a name."""

    id: str
    name: str
    path: str
    language: str


def meant(
    definitions: Sequence[Definition], caller: Definition, imported: frozenset[str]
) -> list[tuple[str, float]]:
    """The definitions that a caller means by a name, each with how sure that is; often none.

    Those in its own file come before those in the files that it imports, and those before any.
    """
    family = _family(caller.language)
    near = [one for one in definitions if one.id != caller.id and _family(one.language) == family]
    own = [one for one in near if one.path == caller.path]
    if own:
        return _shared(own, _SAME_FILE)
    brought = [one for one in near if one.path in imported]
    if brought:
        return _shared(brought, _IMPORTED)
    return _shared(near, _ELSEWHERE)


def _shared(found: Sequence[Definition], weight: float) -> list[tuple[str, float]]:
    if len(found) > _MOST:
        return []
    return [(one.id, weight / len(found)) for one in found]


def _family(language: str) -> str:
    return _FAMILIES.get(language, language)


class Paths:
    """The files of a project by what an import may call them."""

    def __init__(self, paths: Iterable[str]) -> None:
        self._by_last: dict[str, list[tuple[tuple[str, ...], str]]] = {}
        for path in paths:
            parts = _parts(path)
            if parts:
                self._by_last.setdefault(parts[-1], []).append((parts, path))

    def meant(self, said: str, importer: str) -> str | None:
        """The file that an import means, or None where it is none of the project's.

        >>> paths = Paths(["src/app/store.py", "src/app/__init__.py", "web/store.ts"])
        >>> paths.meant("app.store", "src/run.py"), paths.meant("./store", "web/view.ts")
        ('src/app/store.py', 'web/store.ts')
        """
        here = importer.split("/")[:-1]
        wanted = _wanted(said, here)
        for parts in (wanted, wanted[:-1]):
            if parts and (found := self._ending_with(parts, here, importer)):
                return found
        return None

    def _ending_with(
        self, parts: tuple[str, ...], here: Sequence[str], importer: str
    ) -> str | None:
        fitting = [
            (own, path)
            for own, path in self._by_last.get(parts[-1], ())
            if own[-len(parts) :] == parts and path != importer
        ]
        if len(parts) == 1:
            # One short name is found anywhere; it is meant beside its importer or at the top.
            fitting = [
                (own, path)
                for own, path in fitting
                if path.split("/")[:-1] == list(here) or len(own) <= _SHALLOW
            ]
        if not fitting:
            return None
        return min(fitting, key=lambda one: (-_common(one[1], here), len(one[0]), one[1]))[1]


def resolved(paths: Paths, imports: Mapping[str, Sequence[str]]) -> dict[str, frozenset[str]]:
    """By path: the files of the project that it imports."""
    return {
        path: frozenset(filter(None, (paths.meant(one, path) for one in said)))
        for path, said in imports.items()
    }


def _wanted(said: str, here: Sequence[str]) -> tuple[str, ...]:
    """What an import says as the parts of a path; one that is relative, from where it is said."""
    dots = len(said) - len(said.lstrip("."))
    if said.startswith(("./", "../")):
        at = list(here)
        for part in _ending("", said).split("/"):
            if part == "..":
                del at[-1:]
            elif part not in {".", ""}:
                at.append(part)
        return _bare(at)
    if dots:
        up = list(here[: len(here) - dots + 1])
        return _bare([*up, *(part for part in said[dots:].split(".") if part)])
    if "/" in said:
        said = _ending("", said)
    parts = [part for part in _separators(said) if part not in {"crate", "self", "super", "@", ""}]
    return _bare(parts)


def _parts(path: str) -> tuple[str, ...]:
    return _bare(_ending("", path).split("/"))


def _bare(parts: Sequence[str]) -> tuple[str, ...]:
    """Without the name that stands for the folder itself."""
    if len(parts) > 1 and parts[-1] in _ROOTS:
        parts = parts[:-1]
    return tuple(part.lower() for part in parts)


def _common(path: str, here: Sequence[str]) -> int:
    count = 0
    for one, other in zip(path.split("/"), here, strict=False):
        if one != other:
            break
        count += 1
    return count

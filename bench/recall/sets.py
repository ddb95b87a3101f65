"""The sets: documents, questions, and which documents hold the answers.

`NAME.corpus.jsonl[.gz]` has a document a line, `NAME.queries.jsonl[.gz]` a question; whatever
lies in the folder in this form is run.
"""

from __future__ import annotations

import gzip
import json
import os
from collections import defaultdict
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
FOLDER = Path(os.environ.get("RECOLLECT_BENCH_DATA", ROOT.parent / "shared" / "bench"))
# Questions whose answer was never given; no document can be right.
UNANSWERABLE = ("adversarial", "abstention")
TIMES = ("%I:%M %p on %d %B, %Y", "%Y/%m/%d (%a) %H:%M")


class Document(Value):
    """What is remembered."""

    id: str
    text: str
    time: datetime | None
    group: str
    session: str
    speaker: str
    title: str


class Question(Value):
    """What is asked, and what should be found."""

    id: str
    text: str
    relevant: frozenset[str]
    category: str
    group: str
    # When it is asked, where the set says so.
    time: datetime | None


class Set(Value):
    """One benchmark."""

    name: str
    documents: dict[str, list[Document]]
    questions: dict[str, list[Question]]
    digest: str

    @property
    def size(self) -> int:
        return sum(map(len, self.documents.values()))


def there() -> list[str]:
    """The names of all sets in the folder."""
    names = {path.name.partition(".corpus.jsonl")[0] for path in FOLDER.glob("*.corpus.jsonl*")}
    return sorted(name for name in names if _path(name, "queries") is not None)


def load(name: str, *, pooled: bool = False) -> Set:
    """A set, its documents and questions by group; one group for all where it is pooled."""
    documents: dict[str, list[Document]] = defaultdict(list)
    questions: dict[str, list[Question]] = defaultdict(list)
    for row in lines(name, "corpus"):
        group = "" if pooled else str(row["meta"].get("group") or "")
        documents[group].append(_document(row, group))
    for row in lines(name, "queries"):
        group = "" if pooled else str(row.get("group") or "")
        if row["relevant"] and row["category"] not in UNANSWERABLE:
            questions[group].append(_question(row, group))
    return Set(f"{name}, pooled" if pooled else name, documents, questions, digest(name))


def lines(name: str, part: str) -> Iterator[dict[str, Any]]:
    path = _path(name, part)
    if path is None:
        raise FileNotFoundError(f"There is no {name}.{part}.jsonl or .jsonl.gz in {FOLDER}.")
    data = path.read_bytes()
    text = (gzip.decompress(data) if path.suffix == ".gz" else data).decode()
    return (json.loads(line) for line in text.splitlines() if line)


def digest(name: str, *parts: str) -> str:
    """Which version of a set this is."""
    seen = sha256()
    for part in parts or ("corpus", "queries"):
        path = _path(name, part)
        seen.update(path.read_bytes() if path else b"")
    return seen.hexdigest()[:16]


def when(text: str | None) -> datetime | None:
    """A time as any of the sets writes it.

    >>> when("1:56 pm on 8 May, 2023")
    datetime.datetime(2023, 5, 8, 13, 56, tzinfo=datetime.timezone.utc)
    """
    if not text:
        return None
    for form in TIMES:
        try:
            return datetime.strptime(text, form).replace(tzinfo=UTC)
        except ValueError:
            continue
    found = datetime.fromisoformat(text)
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def _document(row: dict[str, Any], group: str) -> Document:
    said = row["meta"]
    return Document(
        row["id"],
        row["text"],
        when(row.get("time")),
        group,
        str(said.get("session") or ""),
        str(said.get("speaker") or ""),
        str(said.get("title") or ""),
    )


def _question(row: dict[str, Any], group: str) -> Question:
    return Question(
        row["id"],
        row["text"],
        frozenset(row["relevant"]),
        row["category"],
        group,
        when(row.get("time")),
    )


def _path(name: str, part: str) -> Path | None:
    for ending in (".jsonl", ".jsonl.gz"):
        path = FOLDER / f"{name}.{part}{ending}"
        if path.exists():
            return path
    return None

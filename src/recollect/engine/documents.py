"""Handler of documents: reads them, splits them, and keeps each section that is not known yet."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

from recollect.engine import asked, files
from recollect.engine.writes import as_kept, embedded, keep, recorded
from recollect.errors import InvalidRequest, SecretFound
from recollect.ops import Ingested, Remember
from recollect.rules import check
from recollect.rules.foreign.pages import front_matter
from recollect.rules.split import Form, Section, form_of, split
from recollect.value import Value, replace

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from recollect.engine.files import Document
    from recollect.engine.ports import Ports
    from recollect.model import Record, Scope
    from recollect.ops import Ingest
    from recollect.store import Reader

# Tells what came from a document from what somebody said.
SOURCE = "document"
_MOST_SOURCES = 1_000


class Part(Value):
    """A section as it is to be kept, with what tells its document from others."""

    document: str
    op: Remember


class News(Value):
    """The parts that are not known yet, and how many are."""

    parts: tuple[Part, ...]
    known: int


def ingest(ports: Ports, op: Ingest) -> Ingested:
    """Keep the sections of documents, each once; a changed one supersedes what it was."""
    op = replace(op, scope=asked.scope(op.scope, ports.secrets()))
    check.line(op.type, "type")
    asked.natural("number of sources", len(op.sources), _MOST_SOURCES)
    found = files.read(op.sources, op.roots)
    skipped = list(found.skipped)
    parts: list[Part] = []
    for document in found.documents:
        try:
            parts += list(_parts(ports, op, document))
        except InvalidRequest as error:
            # A document that may not be kept holds up none of the others.
            skipped.append(f"{document.name}: {error}")
    news = _kept(ports, op, parts)
    refused = len(skipped) - len(found.skipped)
    return Ingested(len(found.documents) - refused, len(news.parts), news.known, tuple(skipped))


def _kept(ports: Ports, op: Ingest, parts: Sequence[Part]) -> News:
    with ports.store.reading() as reader:
        model, seen = ports.semantics.target(reader), reader.last_event()
        news = _news(reader, op.scope, parts)
    if not news.parts:
        return news
    now = ports.clock()
    made = {part.op.source_ref: recorded(part.op, ports.new_id(""), now) for part in news.parts}
    senses = embedded(ports, model, list(made.values()))
    with ports.store.writing() as tx:
        # Somebody else may have brought the same documents meanwhile.
        if tx.last_event() != seen:
            late = _news(tx, op.scope, parts)
            mine = tuple(part for part in late.parts if part.op.source_ref in made)
            news = News(mine, late.known)
        items = [(part.op, made[part.op.source_ref]) for part in news.parts]
        if items:
            keep(ports, tx, items, senses, model)
    return news


def _parts(ports: Ports, op: Ingest, document: Document) -> Iterator[Part]:
    source, form = _source(op, document), form_of(document.name) or Form.MARKDOWN
    titled, body, before = _body(document, form)
    sections = (replace(one, line=one.line + before) for one in split(body, form))
    for section in sections:
        try:
            kept, _ = as_kept(
                _remember(op, document.name, source, section, titled), ports.secrets()
            )
        except SecretFound as error:
            line = section.line + int(str(error.facts["line"])) - 1
            raise SecretFound(
                f"holds what looks like a live secret: {error.facts['kind']} on line {line}."
                " Take it out and try again."
            ) from None
        yield Part(source, kept)


def _body(document: Document, form: Form) -> tuple[str, str, int]:
    """Its title and its text, without the settings before it, and how many lines those take.

    They are for programs, and a text that begins with a list of them is found by the wrong words.
    """
    settings, body, before = front_matter(document.text)
    if form is not Form.MARKDOWN or not settings:
        return "", document.text, 0
    title = settings.get("title", "")
    return (" ".join(title.split()) if isinstance(title, str) else ""), body, before


def _source(op: Ingest, document: Document) -> str:
    """What tells a document from others: within a project its name, else where it lies."""
    said = document.name if op.scope.project else document.place
    # A section comes after the first hash.
    return said.replace("#", "%23")


def _remember(op: Ingest, name: str, source: str, section: Section, titled: str) -> Remember:
    about = {"path": name, "headings": section.trail, "line": section.line}
    digest = hashlib.sha256(section.text.encode()).hexdigest()
    return Remember(
        section.text,
        scope=op.scope,
        author=op.author,
        type=op.type,
        title=(section.heading or titled or name.rpartition("/")[2])[: check.LONGEST_NAME],
        source=SOURCE,
        source_ref=files.ref(f"{source}#{section.key}" if section.key else source),
        metadata=json.dumps({**about, "sha256": digest}, ensure_ascii=False),
        once=False,
        similar=0,
    )


def _news(reader: Reader, scope: Scope, parts: Sequence[Part]) -> News:
    """What the store does not have yet, each part with what it takes the place of."""
    new: list[Part] = []
    for name in dict.fromkeys(part.document for part in parts):
        mine = [part for part in parts if part.document == name]
        known, old = _known(reader.sourced(scope, name), {part.op.text for part in mine})
        for part in mine:
            if part.op.text in known:
                continue
            known.add(part.op.text)
            before = old.pop(part.op.source_ref, None)
            supersedes = (before,) if before else ()
            new.append(Part(name, replace(part.op, supersedes=supersedes)))
    return News(tuple(new), len(parts) - len(new))


def _known(records: Sequence[Record], now: set[str]) -> tuple[set[str], dict[str, str]]:
    """The texts of a document that are not news, and by place what may be superseded there.

    What somebody ended stays ended, though the document still says it. What the document itself
    took back and now says again is news.
    """
    own = {record.id for record in records}
    known = {record.text for record in records if record.superseded_by not in own}
    current = (record for record in records if record.valid_until is None)
    return known, {one.source_ref: one.id for one in current if one.text not in now}

"""The vectors that one transaction changes: rows at once, slots of the scan files at its end."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from recollect.errors import Conflict
from recollect.store.sqlite.queries import READ, WRITE
from recollect.store.sqlite.read import numbers
from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from recollect.model import Sense, Vector
    from recollect.store.sqlite.read import ModelRow
    from recollect.store.sqlite.scans import Scans
    from recollect.store.sqlite.write import SqliteWriter


class _Touched(Value):
    """The records of which a model's scan file has to be brought into step."""

    # With a vector, or with something that filters look at, that no slot has yet.
    fresh: set[int]
    # With a slot that is no longer true.
    replaced: set[int]
    # Deleted for good.
    erased: set[int]

    def all(self) -> set[int]:
        """Every one of them."""
        return self.fresh | self.replaced | self.erased


class Placing:
    """What one transaction does to vectors and to the slots made from them."""

    def __init__(self, tx: SqliteWriter, scans: Callable[[], Scans]) -> None:
        self._tx = tx
        self._scans = scans
        self._touched: dict[int, _Touched] = {}
        # Finished after the commit: each model with the records whose slots go.
        self._written: dict[int, _Touched] = {}
        self._mark = 0
        # Whether files are left that no model's row names any more.
        self.untidy = False

    def place(
        self, model: ModelRow | None, pairs: Sequence[tuple[int, Sense]], *, new: bool = False
    ) -> None:
        """Keep the vectors of records that had none of this model, or another one.

        New records surely had none.
        """
        if not pairs:
            return
        model = _fitting(model, [sense.vector for _, sense in pairs])
        from numpy import float32, stack

        from recollect.store.sqlite.scans import halves

        seqs = [seq for seq, _ in pairs]
        replaced = {} if new else self._having(model, seqs)
        self._part(model, replaced, {seq: sense.parts for seq, sense in pairs if sense.parts})
        matrix = stack([sense.vector for _, sense in pairs]).astype(float32, copy=False)
        base = model.id << 40
        # The codes of the words lie behind the vector; what has none of them is as it always was.
        bound = [
            (base + seq, b"".join((half, sense.codes)))
            for (seq, sense), half in zip(pairs, halves(matrix), strict=True)
        ]
        self._tx.many(WRITE["insert_vector"], bound)
        self._hold(model, len(pairs) - len(replaced))
        touched = self._of(model)
        touched.fresh.update(seqs)
        touched.replaced.update(replaced)

    def unplace(self, model: ModelRow | None, seqs: Sequence[int]) -> None:
        """Drop the vectors of records that say something else now."""
        if model is None:
            return
        having = self._having(model, seqs)
        self._part(model, having, {})
        self._tx.many(WRITE["delete_vector"], [((model.id << 40) + seq,) for seq in having])
        self._hold(model, -len(having))
        self._of(model).replaced.update(having)

    def erase(self, model: ModelRow | None, seqs: Sequence[int]) -> None:
        """Drop all that there is of deleted records."""
        if model is None:
            return
        self.unplace(model, seqs)
        self._of(model).erased.update(seqs)

    def restamp(self, model: ModelRow | None, seq: int) -> None:
        """The vector stays; what the scan filters by has changed, so that it needs a new slot."""
        if model is not None and self._having(model, [seq]):
            self._of(model).fresh.add(seq)
            self._of(model).replaced.add(seq)

    def drop(self, model: ModelRow) -> None:
        """Let go of all vectors of a model."""
        self._touched.pop(model.id, None)
        self._written.pop(model.id, None)
        self.untidy = True

    def flush(self) -> None:
        """Bring the scan files into step, so that what is behind their counted slots counts."""
        for model in self._tx.filled():
            touched = self._touched.pop(model.id, None)
            if touched is None or not any(touched.all()):
                continue
            self._tx.note_scan(self._appended(model, touched))
            before = self._written.setdefault(model.id, _Touched(set(), set(), set()))
            for old, new in zip(_sets(before), _sets(touched), strict=True):
                old.update(new)

    def mend(self, model: ModelRow) -> None:
        """Make a file again that cannot be gone on with; finish what a dead writer has not."""
        if not self._scans().usable(model):
            self._tx.note_scan(self._remade(model))
        elif self._scans().unfinished(model):
            self._repair(model, set())

    def finish(self, event: int) -> None:
        """After the commit: take old slots out of the search, and unneeded files away."""
        for model in self._tx.filled():
            if (touched := self._written.get(model.id)) is not None:
                replaced = list(touched.replaced - touched.erased)
                kept = {seq: n or 1 for seq, n in self._having(model, replaced).items()}
                self._scans().finish(model, replaced, kept, list(touched.erased), event)
        if self.untidy:
            self._scans().tidy(self._tx.filled())
            self.untidy = False

    def _appended(self, model: ModelRow, touched: _Touched) -> ModelRow:
        if model.slots == 0 or not self._scans().usable(model):
            return self._remade(model)
        if self._scans().unfinished(model):
            self._repair(model, touched.all())
        bound = {"model": model.id, "seqs": numbers(sorted(touched.fresh))}
        rows = self._tx.execute(READ["scan_rows_of"], bound).fetchall()
        return self._scans().append(model, rows, self._number())

    def _remade(self, model: ModelRow) -> ModelRow:
        self.untidy = True
        self._written.setdefault(model.id, _Touched(set(), set(), set()))
        return self._scans().remake(self._tx, model, self._number())

    def _repair(self, model: ModelRow, touched: set[int]) -> None:
        # What this transaction has deleted counts as there: it may yet be undone.
        held = dict.fromkeys(touched, model.slots) | self._tx.held(model)
        self._scans().repair(model, held, self._tx.last_event())

    def _part(self, model: ModelRow, had: Mapping[int, int], has: Mapping[int, bytes]) -> None:
        """Put the vectors of passages in the place of those that these records had."""
        base, size = model.id << 40, 2 * model.dimensions
        if gone := [seq for seq, many in had.items() if many]:
            self._tx.many(WRITE["delete_part"], [(base + seq,) for seq in gone])
        if has:
            self._tx.many(WRITE["insert_part"], [(base + seq, data) for seq, data in has.items()])
        self._hold(model, 0, sum(len(data) // size for data in has.values()) - sum(had.values()))

    def _having(self, model: ModelRow, seqs: Sequence[int]) -> dict[int, int]:
        """Those that have a vector, and of how many passages."""
        bound = {"seqs": numbers(seqs), "model": model.id}
        size = 2 * model.dimensions
        return {seq: taken // size for seq, taken in self._tx.execute(READ["having"], bound)}

    def _hold(self, model: ModelRow, more: int, parts: int = 0) -> None:
        if more or parts:
            self._tx.change_model("hold", {"id": model.id, "more": more, "parts": parts})

    def _of(self, model: ModelRow) -> _Touched:
        return self._touched.setdefault(model.id, _Touched(set(), set(), set()))

    def _number(self) -> int:
        """What tells this transaction from every other, also of another copy of the file."""
        self._mark = self._mark or int.from_bytes(os.urandom(8), "big") >> 1 or 1
        return self._mark


def _sets(touched: _Touched) -> Iterable[set[int]]:
    return touched.fresh, touched.replaced, touched.erased


def _fitting(model: ModelRow | None, vectors: Sequence[Vector]) -> ModelRow:
    """The model, where all vectors can be its. Raises `Conflict` where one cannot."""
    for vector in vectors:
        if model is None or len(vector) != model.dimensions:
            wanted = f"{model.dimensions} numbers from {model.name}" if model else "none yet"
            raise Conflict(
                f"A vector of {len(vector)} numbers was given, and the store takes {wanted}. "
                "Read again which model serves, and embed with that one."
            )
    assert model is not None  # noqa: S101 -- there is at least one vector, and the loop saw it
    return model

"""Carries out ops: one call is one op, one transaction, one answer."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING, TypeVar, cast

from recollect.engine import aside
from recollect.engine.accesses import Accesses
from recollect.engine.beside import Beside
from recollect.engine.code.watch import Watchers
from recollect.engine.ports import Governance, Ids, Ports, silent
from recollect.engine.semantics import Semantics
from recollect.errors import InvalidRequest, Unavailable
from recollect.value import replace

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from recollect.embed import Model
    from recollect.embed.background import Background
    from recollect.embed.cache import Cached
    from recollect.engine.once import Mark
    from recollect.engine.ports import Report
    from recollect.engine.upkeep import Upkeep
    from recollect.ops import Op
    from recollect.rules.redact import Policy
    from recollect.store import Store

Answer = TypeVar("Answer")

# The names of an op, of a module and of the handler in it, so that reading a record imports neither
# what writing one takes nor the verbs of decisions.
HANDLERS = {
    "Remember": ("writes", "remember"),
    "RememberAll": ("writes", "remember_all"),
    "Revise": ("writes", "revise"),
    "Ingest": ("documents", "ingest"),
    "Review": ("review", "review"),
    "Tidy": ("review", "tidy"),
    "Measure": ("reads", "measure"),
    "Capture": ("capture", "capture"),
    "Import": ("imports", "take_in"),
    "ListBatches": ("batches", "page"),
    "Undo": ("batches", "undo"),
    "Supersede": ("changes", "supersede"),
    "Invalidate": ("changes", "invalidate"),
    "Forget": ("changes", "forget"),
    "Wipe": ("changes", "wipe"),
    "Get": ("reads", "get"),
    "List": ("reads", "page"),
    "ListScopes": ("reads", "scopes"),
    "Around": ("reads", "around"),
    "Overdue": ("reads", "overdue"),
    "History": ("reads", "history"),
    "Changes": ("reads", "changes"),
    "Status": ("reads", "status"),
    "Verify": ("reads", "verify"),
    "Export": ("carry", "export"),
    "Restore": ("carry", "restore"),
    "Backup": ("carry", "backup"),
    "Recall": ("recall", "recall"),
    "Describe": ("graph", "describe"),
    "Relate": ("graph", "relate"),
    "Explore": ("graph", "explore"),
    "IndexProject": ("code.index", "index"),
    "IndexState": ("code.projects", "state"),
    "ListProjects": ("code.projects", "every"),
    "DropProject": ("code.projects", "drop"),
    "SearchCode": ("code.search", "search"),
    "Why": ("code.why", "why"),
    "CreateKey": ("keys", "create"),
    "ListKeys": ("keys", "page"),
    "RevokeKey": ("keys", "revoke"),
    "RotateKey": ("keys", "rotate"),
    "Identify": ("keys", "identify"),
    "Decide": ("deciding", "decide"),
    "SearchDecisions": ("ranking", "search"),
    "AcceptProposal": ("proposals", "accept"),
    "RejectProposal": ("proposals", "reject"),
    "ListProposals": ("proposals", "page"),
    "Reflect": ("reflecting", "run"),
    "UpdateDecision": ("outcomes", "update"),
    "GetDecision": ("outcomes", "get"),
    "ListDecisions": ("outcomes", "page"),
    "RecordOutcome": ("outcomes", "record_outcome"),
    "RecordSignal": ("outcomes", "record_signal"),
    "Calibrate": ("calibrations", "calibrate"),
    "CalibrateAll": ("calibrations", "calibrate_all"),
    "Guide": ("calibrations", "guide"),
    "FindSkills": ("skills", "find"),
    "Mine": ("mining", "mine"),
    "Weigh": ("counsel", "weigh"),
    "GatherContext": ("counsel", "context"),
    "Analyse": ("counsel", "analyse"),
    "FindAnomalies": ("counsel", "anomalies"),
}


class Engine:
    """One memory engine. Everything it knows of the world is in its ports."""

    def __init__(  # noqa: PLR0913 -- its ports, each with a default but two
        self,
        store: Store,
        embedder: Callable[[], Cached[Background]],
        *,
        older: Callable[[Model], Cached[Background] | None] = lambda _: None,
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
        new_id: Callable[[str], str] | None = None,
        secrets: Policy | str = "block",
        governance: Governance = Governance(),  # noqa: B008 -- a frozen value
    ) -> None:
        beside = Beside()
        self.ports = Ports(
            store=store,
            semantics=Semantics(embedder, older, beside),
            clock=clock,
            new_id=new_id or Ids(clock),
            secrets=lambda: _policy(secrets),
            accesses=Accesses(),
            beside=beside,
            watchers=Watchers(),
            governance=governance,
        )
        self._upkeep: Upkeep | None = None
        # Whose experience is looked back at while this runs, beside that of whoever has a key.
        self.reflects_for: str | None = None

    def run(self, op: Op[Answer], report: Report = silent) -> Answer:
        """Carry out one op, and answer what it promises. Ops that take long report on the way."""
        self._catch_up()
        return _run(self.ports if report is silent else replace(self.ports, report=report), op)

    def once(self, op: Op[Answer], mark: Mark, shown: Callable[[Answer], str]) -> Answer | str:
        """Carry out an op unless one with the same mark was, whose answer is then as it was shown.

        Raises:
            DoneBefore: it was, and how it was shown is not kept.
            KeyUsed: it is another op that came with the key of this mark.
        """
        from recollect.engine.once import once

        self._catch_up()
        return once(self.ports, op, mark, lambda ports: _run(ports, op), shown)

    def _catch_up(self) -> None:
        """Whatever is asked, what was captured while the store was away comes first."""
        if aside.waiting(self.ports):
            with suppress(Unavailable):
                aside.replay(self.ports)

    def start(self) -> Self:
        """Begin what goes on behind the calls: loading the model, embedding what waits."""
        from recollect.engine.upkeep import Upkeep

        if self._upkeep is None:
            self._upkeep = Upkeep(self.ports, self.reflects_for)
            self._upkeep.start()
        return self

    def settle(self, *, needed: bool = False, report: Report = silent) -> int:
        """Embed all that waits, and answer how many records that were.

        Raises:
            ModelNotReady: it is needed, and the model is not to be had.
        """
        from recollect.engine.upkeep import fill

        return fill(self.ports, needed=needed, report=report)

    def watching(self) -> None:
        """Wait for as long as a project is watched."""
        self.ports.watchers.join()

    def close(self) -> None:
        """Finish what goes on behind the calls, then let go of the store and the models."""
        self.ports.watchers.stop()
        if self._upkeep is not None:
            self._upkeep.stop()
        try:
            self._write_down()
            self.ports.beside.close()
            self.ports.semantics.close()
        finally:
            self.ports.store.close()

    def _write_down(self) -> None:
        if not self.ports.accesses.pending:
            return
        from recollect.engine.upkeep import write_down

        write_down(self.ports)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _run(ports: Ports, op: Op[Answer]) -> Answer:
    module, name = HANDLERS[type(op).__name__]
    handler = getattr(import_module(f"recollect.engine.{module}"), name)
    return cast("Answer", handler(ports, op))


def _policy(named: Policy | str) -> Policy:
    from recollect.rules.redact import Policy

    try:
        return Policy(named)
    except ValueError:
        known = ", ".join(Policy)
        raise InvalidRequest(
            f"There is no policy {named!r} for secrets; choose one of: {known}", field="secrets"
        ) from None

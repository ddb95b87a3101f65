"""Carries out ops: one call is one op, one transaction, one answer."""

from __future__ import annotations

from contextlib import suppress
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar, cast

from recollect import decisions, ops
from recollect.decisions import measured
from recollect.engine import aside
from recollect.engine.accesses import Accesses
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
    from recollect.engine.ports import Report
    from recollect.engine.upkeep import Upkeep
    from recollect.ops import Op
    from recollect.rules.redact import Policy
    from recollect.store import Store

Answer = TypeVar("Answer")

# By module, so that reading a record does not import what writing one takes.
HANDLERS: dict[type[Op[Any]], tuple[str, str]] = {
    ops.Remember: ("writes", "remember"),
    ops.RememberAll: ("writes", "remember_all"),
    ops.Revise: ("writes", "revise"),
    ops.Ingest: ("documents", "ingest"),
    ops.Review: ("review", "review"),
    ops.Tidy: ("review", "tidy"),
    ops.Measure: ("reads", "measure"),
    ops.Capture: ("capture", "capture"),
    ops.Import: ("imports", "take_in"),
    ops.ListBatches: ("batches", "page"),
    ops.Undo: ("batches", "undo"),
    ops.Supersede: ("changes", "supersede"),
    ops.Invalidate: ("changes", "invalidate"),
    ops.Forget: ("changes", "forget"),
    ops.Wipe: ("changes", "wipe"),
    ops.Get: ("reads", "get"),
    ops.List: ("reads", "page"),
    ops.ListScopes: ("reads", "scopes"),
    ops.Around: ("reads", "around"),
    ops.Overdue: ("reads", "overdue"),
    ops.History: ("reads", "history"),
    ops.Changes: ("reads", "changes"),
    ops.Status: ("reads", "status"),
    ops.Verify: ("reads", "verify"),
    ops.Export: ("carry", "export"),
    ops.Restore: ("carry", "restore"),
    ops.Backup: ("carry", "backup"),
    ops.Recall: ("recall", "recall"),
    ops.Describe: ("graph", "describe"),
    ops.Relate: ("graph", "relate"),
    ops.Explore: ("graph", "explore"),
    ops.IndexProject: ("code.index", "index"),
    ops.IndexState: ("code.projects", "state"),
    ops.ListProjects: ("code.projects", "every"),
    ops.DropProject: ("code.projects", "drop"),
    ops.SearchCode: ("code.search", "search"),
    ops.Why: ("code.why", "why"),
    ops.CreateKey: ("keys", "create"),
    ops.ListKeys: ("keys", "page"),
    ops.RevokeKey: ("keys", "revoke"),
    ops.RotateKey: ("keys", "rotate"),
    ops.Identify: ("keys", "identify"),
    decisions.Decide: ("deciding", "decide"),
    decisions.SearchDecisions: ("ranking", "search"),
    decisions.AcceptProposal: ("proposals", "accept"),
    decisions.RejectProposal: ("proposals", "reject"),
    decisions.ListProposals: ("proposals", "page"),
    decisions.Reflect: ("reflecting", "run"),
    measured.UpdateDecision: ("outcomes", "update"),
    measured.GetDecision: ("outcomes", "get"),
    measured.ListDecisions: ("outcomes", "page"),
    measured.RecordOutcome: ("outcomes", "record_outcome"),
    measured.RecordSignal: ("outcomes", "record_signal"),
    measured.Calibrate: ("calibrations", "calibrate"),
    measured.CalibrateAll: ("calibrations", "calibrate_all"),
    measured.Guide: ("calibrations", "guide"),
    measured.FindSkills: ("skills", "find"),
    measured.Mine: ("mining", "mine"),
    measured.Weigh: ("counsel", "weigh"),
    measured.GatherContext: ("counsel", "context"),
    measured.Analyse: ("counsel", "analyse"),
    measured.FindAnomalies: ("counsel", "anomalies"),
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
        self.ports = Ports(
            store=store,
            semantics=Semantics(embedder, older),
            clock=clock,
            new_id=new_id or Ids(clock),
            secrets=lambda: _policy(secrets),
            accesses=Accesses(),
            watchers=Watchers(),
            governance=governance,
        )
        self._upkeep: Upkeep | None = None
        # Whose experience is looked back at while this runs, beside that of whoever has a key.
        self.reflects_for: str | None = None

    def run(self, op: Op[Answer], report: Report = silent) -> Answer:
        """Carry out one op, and answer what it promises. Ops that take long report on the way."""
        if aside.waiting(self.ports):
            # Whatever is asked, what was captured while the store was away comes first.
            with suppress(Unavailable):
                aside.replay(self.ports)
        module, name = HANDLERS[type(op)]
        handler = getattr(import_module(f"recollect.engine.{module}"), name)
        ports = self.ports if report is silent else replace(self.ports, report=report)
        return cast("Answer", handler(ports, op))

    def start(self) -> Self:
        """Begin what goes on behind the calls: loading the model, embedding what waits."""
        from recollect.engine.upkeep import Upkeep

        if self._upkeep is None:
            self._upkeep = Upkeep(self.ports, self.reflects_for)
            self._upkeep.start()
        return self

    def settle(self, *, needed: bool = False) -> int:
        """Embed all that waits, and answer how many records that were.

        Raises:
            ModelNotReady: it is needed, and the model is not to be had.
        """
        from recollect.engine.upkeep import fill

        return fill(self.ports, needed=needed)

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


def _policy(named: Policy | str) -> Policy:
    from recollect.rules.redact import Policy

    try:
        return Policy(named)
    except ValueError:
        known = ", ".join(Policy)
        raise InvalidRequest(
            f"There is no policy {named!r} for secrets; choose one of: {known}", field="secrets"
        ) from None

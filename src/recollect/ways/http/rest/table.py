"""Which op is at which path, and what role it takes.

An op that has no place here yet is served at a path made of its name, and takes an admin.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from recollect import decisions, ops
from recollect.decisions import measured
from recollect.model import Role
from recollect.value import Value
from recollect.ways.http.rest.shape import hints

if TYPE_CHECKING:
    from recollect.ops import Op

ROOT = "/api/v1"
READS = {"GET"}


class Route(Value):
    """One op at one path. What stands in braces is the field of that name."""

    method: str
    path: str
    op: type[Op[Any]]
    role: Role
    status: int = 200
    # Fields that always have the same value here, and fields that stand for others in the path.
    fixed: tuple[tuple[str, object], ...] = ()
    # Whether the field in braces is one of several that the op takes.
    several: bool = False

    @property
    def reads(self) -> bool:
        """Whether what it takes stands in the address."""
        return self.method in READS

    @property
    def braces(self) -> tuple[str, ...]:
        """The fields that the path says."""
        return tuple(re.findall(r"{(\w+)}", self.path))

    @property
    def field(self) -> str:
        """The op's own name of the field in braces."""
        return f"{self.braces[0]}s" if self.several else self.braces[0]


def _reads(path: str, op: type[Op[Any]], **more: Any) -> Route:  # noqa: ANN401 -- fields of Route
    return Route("GET", path, op, **{"role": Role.VIEWER, **more})


def _asks(path: str, op: type[Op[Any]], **more: Any) -> Route:  # noqa: ANN401 -- fields of Route
    """A read whose question is too long for an address."""
    return Route("POST", path, op, **{"role": Role.VIEWER, **more})


def _makes(path: str, op: type[Op[Any]], **more: Any) -> Route:  # noqa: ANN401 -- fields of Route
    return Route("POST", path, op, **{"role": Role.AGENT, "status": 201, **more})


def _does(path: str, op: type[Op[Any]], **more: Any) -> Route:  # noqa: ANN401 -- fields of Route
    return Route("POST", path, op, **{"role": Role.AGENT, **more})


def _ends(path: str, op: type[Op[Any]], **more: Any) -> Route:  # noqa: ANN401 -- fields of Route
    return Route("DELETE", path, op, **{"role": Role.AGENT, **more})


# These are about the whole file and so about every tenant; whoever has the file has the command.
AT_HOME = frozenset({ops.Changes, ops.Verify, ops.Export, ops.Restore, ops.Backup, ops.Identify})

TABLE = (
    _makes("/memories", ops.Remember),
    _makes("/memories/several", ops.RememberAll),
    _asks("/recall", ops.Recall),
    _reads("/records", ops.List),
    _reads("/records/{id}", ops.Get, fixed=(("strict", True),), several=True),
    Route("PATCH", "/records/{id}", ops.Revise, Role.AGENT),
    _ends("/records/{id}", ops.Forget, several=True),
    _reads("/records/{id}/history", ops.History),
    _reads("/records/{id}/around", ops.Around),
    _reads("/records/{id}/graph", ops.Explore),
    _does("/records/{id}/invalidate", ops.Invalidate),
    _does("/records/{old}/supersede", ops.Supersede),
    _makes("/entities", ops.Describe),
    _makes("/relations", ops.Relate),
    _makes("/documents", ops.Ingest),
    _makes("/imports", ops.Import),
    _reads("/batches", ops.ListBatches),
    _does("/batches/{batch}/undo", ops.Undo),
    _makes("/decisions", decisions.Decide),
    _asks("/decisions/search", decisions.SearchDecisions),
    _reads("/decisions", measured.ListDecisions),
    _reads("/decisions/{id}", measured.GetDecision),
    Route("PATCH", "/decisions/{id}", measured.UpdateDecision, Role.AGENT),
    _reads("/decisions/{id}/chain", measured.Analyse),
    _makes("/decisions/{decision}/outcome", measured.RecordOutcome),
    _makes("/decisions/{decision}/signals", measured.RecordSignal),
    _reads("/calibration", measured.CalibrateAll),
    _reads("/calibration/{domain}", measured.Calibrate),
    _asks("/guidance", measured.Guide),
    _asks("/warnings", measured.Weigh),
    _asks("/context", measured.GatherContext),
    _reads("/skills/{domain}", measured.FindSkills),
    _does("/skills", measured.Mine),
    _reads("/anomalies", measured.FindAnomalies),
    _reads("/proposals", decisions.ListProposals),
    _does("/proposals/{id}/accept", decisions.AcceptProposal, role=Role.ADMIN),
    _does("/proposals/{id}/reject", decisions.RejectProposal, role=Role.ADMIN),
    _makes("/projects", ops.IndexProject),
    _reads("/projects", ops.ListProjects),
    _reads("/projects/{project}", ops.IndexState),
    _ends("/projects/{project}", ops.DropProject),
    _asks("/code/search", ops.SearchCode),
    _reads("/scopes", ops.ListScopes),
    _reads("/retention", ops.Overdue),
    _reads("/status", ops.Status),
    _ends("/everything", ops.Wipe, role=Role.ADMIN),
    _makes("/keys", ops.CreateKey, role=Role.ADMIN),
    _reads("/keys", ops.ListKeys, role=Role.ADMIN),
    _ends("/keys/{id}", ops.RevokeKey, role=Role.ADMIN),
    _does("/keys/{id}/rotate", ops.RotateKey, role=Role.ADMIN),
)


@cache
def routes() -> tuple[Route, ...]:
    """Every route."""
    placed = {route.op for route in TABLE} | AT_HOME
    further = (
        _does(f"/more/{_dashed(op.__name__)}", op, role=Role.ADMIN)
        for op in ops.Op.__subclasses__()
        if op not in placed and {"tenant", "scope", "where"} & set(hints(op))
    )
    return (*TABLE, *further)


def _dashed(name: str) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()

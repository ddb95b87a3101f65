"""What a contract is: a table of tools, each of them parameters, an op, and how its answer looks.

Resources and prompts are rows of the same sort.

A contract decides nothing and does no I/O. What differs between contracts, names and shapes and
words for failures, is all that they hold.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from recollect.contracts.problem import problem
from recollect.errors import NotAllowed, RecollectError
from recollect.model import Author, AuthorKind, Role
from recollect.ops import Op
from recollect.value import Value


class Caller(Value):
    """Who calls, as the way in knows it. No argument of a call can change any of it."""

    author: Author = Author(AuthorKind.AGENT)
    role: Role = Role.AGENT
    # Whether the call came over the network, where some tools need more.
    remote: bool = False
    tenant: str = "local"
    # Whose memories are meant where a call does not say; empty for everybody's.
    user: str = ""
    # Where what belongs to a project is kept when a call does not name one.
    project: str = ""
    # Folders whose files a call may have read, the first of them the working directory.
    roots: tuple[str, ...] = ()

    def need(self, role: Role, tool: str) -> None:
        """Raise `NotAllowed` where the caller's own role does not reach."""
        if not self.role.includes(role):
            raise NotAllowed(
                f"{tool} needs the role {role}, and this caller has {self.role}. Use a"
                f" key that was made with `recollect keys create NAME --role {role}`.",
                needed=role.value,
                role=self.role.value,
            )


class Hints(Value):
    """What a client may tell its user of a tool before it is called."""

    read_only: bool = False
    destructive: bool = False
    idempotent: bool = False


READS = Hints(read_only=True, idempotent=True)
ADDS = Hints()
# Called again, it brings what it made before up to date.
REFRESHES = Hints(idempotent=True)
CHANGES = Hints(destructive=True)
# Called again with the same arguments, it leaves things as they are.
ENDS = Hints(destructive=True, idempotent=True)


class Params(BaseModel):
    """What a tool takes. Types are exact, and what is not known is ignored."""

    # Models are built when a tool is first called, so that starting costs nothing for them.
    model_config = ConfigDict(
        extra="ignore", frozen=True, strict=True, allow_inf_nan=False, defer_build=True
    )


class Failure(Value):
    """A failure as the wire shows it: an object, and the text beside it."""

    data: Mapping[str, object] | None
    text: str


class Tool(Value):
    """One tool: a row of a contract's table."""

    name: str
    title: str
    doc: str
    params: type[Params]
    # A TypedDict; the output schema is made from it.
    returns: Any
    to_op: Callable[[Any, Caller], Op[Any]]
    render: Callable[[Any, Any], Mapping[str, Any]]
    hints: Hints
    role: Role
    # Whether clients that load tools on demand should have this one at hand from the start.
    core: bool = False

    def check(self, caller: Caller) -> None:
        """Raise `NotAllowed` where the caller's role does not reach."""
        caller.need(self.role, self.name)


class Completion(Value):
    """What may stand in one argument of a resource or a prompt, so that clients can suggest it."""

    argument: str
    # Either these, or what an op finds; of both, what begins with what was typed is suggested.
    values: tuple[str, ...] = ()
    to_op: Callable[[str, Caller], Op[Any]] | None = None
    render: Callable[[Any], Iterable[str]] | None = None


class Resource(Value):
    """What can be read, and followed, under an address."""

    # An RFC 6570 template: `membria://decisions/{decision_id}`; without braces it is one resource.
    uri: str
    name: str
    title: str
    doc: str
    # What stands in the braces and what may follow a `?`, as strings.
    params: type[Params]
    to_op: Callable[[Any, Caller], Op[Any]]
    render: Callable[[Any, Any], Mapping[str, Any]]
    completions: tuple[Completion, ...] = ()


class Prompt(Value):
    """A text that a person can have put before a model."""

    name: str
    title: str
    doc: str
    # Every argument is a string, as MCP has it.
    params: type[Params]
    to_op: Callable[[Any, Caller], Op[Any]]
    render: Callable[[Any, Any], str]
    completions: tuple[Completion, ...] = ()


# What can be called: each has parameters, an op, and how its answer looks.
Row = Tool | Resource | Prompt


def decode(row: Row, arguments: Mapping[str, Any]) -> Params:
    """The arguments as parameters. Raises `InvalidRequest` naming the field and the bound."""
    try:
        return row.params.model_validate(arguments)
    except ValidationError as error:
        raise problem(error) from None


class Contract(Value):
    """One public contract."""

    name: str
    instructions: str
    tools: tuple[Tool, ...]
    # The failure of a tool, by its name.
    fail: Callable[[RecollectError, str], Failure]
    resources: tuple[Resource, ...] = ()
    prompts: tuple[Prompt, ...] = ()
    # Whether, where only this contract is served, a failure is a JSON-RPC error: `code`,
    # `message` and `data` of what `fail` has under "error".
    protocol_errors: bool = False


P = TypeVar("P", bound=Params)
A = TypeVar("A")
Shape = TypeVar("Shape", bound=Mapping[str, Any])


def tool(  # noqa: PLR0913, PLR0917 -- the columns of the table
    name: str,
    title: str,
    doc: str,
    params: type[P],
    to_op: Callable[[P, Caller], Op[A]],
    render: Callable[[A, P], Shape],
    returns: type[Shape],
    hints: Hints,
    *,
    role: Role | None = None,
    core: bool = False,
) -> Tool:
    """A row. The type checker sees to it that `render` fits what the op answers."""
    needed = role or (Role.VIEWER if hints.read_only else Role.AGENT)
    return Tool(name, title, doc, params, returns, to_op, render, hints, needed, core)

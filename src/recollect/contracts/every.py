"""Which contracts there are, and where each is declared; one is imported when it is called."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from recollect.contracts.contract import Contract, Prompt, Resource, Tool

# In the order in which their tools are listed, with the name of their tables.
MODULES = {
    "memento": ("memento", "MEMENTO"),
    "memory-mcp": ("memory_mcp", "MEMORY_MCP"),
    "codex-memory": ("codex_memory", "CODEX_MEMORY"),
    "agent-memory": ("agent_memory", "AGENT_MEMORY"),
    "membria": ("membria", "MEMBRIA"),
    # What two contracts both have, each as one tool that does for both.
    "together": ("together", "TOGETHER"),
}
NAMES = tuple(name for name in MODULES if name != "together")


def contract(name: str) -> Contract:
    """One contract."""
    module, table = MODULES[name]
    return cast("Contract", getattr(import_module(f"recollect.contracts.{module}"), table))


@cache
def tool(name: str, of: str) -> tuple[Contract, Tool]:
    """One tool, with the contract that it is of."""
    found = contract(of)
    return found, next(one for one in found.tools if one.name == name)


@cache
def resource(name: str, of: str) -> tuple[Contract, Resource]:
    """One resource, with the contract that it is of."""
    found = contract(of)
    return found, next(one for one in found.resources if one.name == name)


@cache
def prompt(name: str, of: str) -> tuple[Contract, Prompt]:
    """One prompt, with the contract that it is of."""
    found = contract(of)
    return found, next(one for one in found.prompts if one.name == name)

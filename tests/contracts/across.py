"""Every way to keep a memory and every way to find one, whatever contract it belongs to."""

from __future__ import annotations

from typing import Any

from recollect.value import Value


class Way(Value):
    """One tool, what it calls the text, and where its answer holds what is wanted."""

    of: str
    tool: str
    takes: str
    answers: str
    # Where an item of a list has its id.
    id_at: tuple[str, ...] = ("id",)

    def __str__(self) -> str:
        return f"{self.of}.{self.tool}"

    def ids(self, answer: Any) -> list[str]:
        """The ids that an answer lists, in its order."""
        found = []
        for one in answer[self.answers]:
            for key in self.id_at:
                one = one[key]  # noqa: PLW2901 -- one step further in
            found.append(one)
        return found


KEEPS = (
    Way("memento", "store_memory", "content", "created"),
    Way("memory-mcp", "store_memory", "content", "id"),
    Way("codex-memory", "save_memory", "text", "id"),
    Way("together", "store_memory", "content", "id"),
)
FINDS = (
    Way("memento", "search_memories", "query", "memories"),
    Way("memory-mcp", "search", "query", "results"),
    Way("memory-mcp", "search_text", "query", "results"),
    Way("memory-mcp", "recall", "query", "results"),
    Way("codex-memory", "search", "query", "items"),
    Way("together", "search", "query", "items"),
    Way("together", "search", "query", "results"),
)
_OBJECT = ("id", "id", "String")
LISTS = (
    Way("memento", "list_recent_memories", "", "memories"),
    Way("memory-mcp", "list_memories", "", "memories", _OBJECT),
    Way("memory-mcp", "get_valid", "", "results", _OBJECT),
)
# Lists of what holds now; the other one has what held as well.
CURRENT = tuple(way for way in LISTS if way.tool != "list_memories")


def new_id(way: Way, answer: Any) -> str:
    """The id of what was kept."""
    made = answer[way.answers]
    return str(made["id"] if isinstance(made, dict) else made)

"""What is offered, as the wire shows it. Reads what was written down beforehand.

`listing.json` is made from the tables by scripts/listing.py, so a server can say what it offers
before it has imported any of what carries it out.
"""

from __future__ import annotations

import json
import os
from functools import cache
from typing import Any

from recollect.contracts.every import NAMES
from recollect.errors import InvalidRequest
from recollect.value import Value

FILE = os.path.join(os.path.dirname(__file__), "listing.json")
DOTTED, UNDERSCORE = "dotted", "underscore"


class Selection(Value):
    """What a server is asked to offer."""

    contracts: tuple[str, ...] = NAMES
    # How names with a dot are listed; empty for what suits the contracts.
    naming: str = ""
    read_only: bool = False

    @property
    def name(self) -> str:
        """The server's name: that of its only contract, or the program's."""
        return self.contracts[0] if len(self.contracts) == 1 else "recollect"

    @property
    def dotted(self) -> bool:
        """Whether names keep their dots, which several clients refuse."""
        return (self.naming or (DOTTED if self.contracts == ("membria",) else "")) == DOTTED


class Offered(Value):
    """One thing that is offered: its name here, where it is declared, and how it is listed."""

    name: str
    contract: str
    # Its name in its contract.
    own: str
    shown: dict[str, Any]


def selection(names: str = "", naming: str = "", *, read_only: bool = False) -> Selection:
    """What was asked for on a command line: names with commas between, all where there are none.

    Raises:
        InvalidRequest: a name is none of a contract.

    """
    asked = [name.strip() for name in names.split(",") if name.strip()]
    if unknown := [name for name in asked if name not in NAMES]:
        raise InvalidRequest(
            f"There is no contract {unknown[0]!r}; the contracts are {', '.join(NAMES)}.",
            field="contracts",
        )
    chosen = tuple(name for name in NAMES if name in asked or not asked)
    return Selection(chosen, naming, read_only)


def instructions(chosen: Selection) -> str:
    """What a model is told of the server: its only contract's words, or the common ones."""
    return str(_written()[_only(chosen)]["instructions"])


def offered(chosen: Selection) -> tuple[Offered, ...]:
    """The tools that are offered, always in the same order, and each name once."""
    written = _written()
    both = {one["name"]: one for one in written["together"]["tools"]}
    found: dict[str, Offered] = {}
    for contract in chosen.contracts:
        for one in written[contract]["tools"]:
            name = one["name"]
            if name in found:
                found[name] = Offered(name, "together", name, both[name])
                continue
            found[name] = _renamed(chosen, contract, one)
    return tuple(
        one
        for one in found.values()
        if not chosen.read_only or one.shown["annotations"]["readOnlyHint"]
    )


def resources(chosen: Selection) -> tuple[Offered, ...]:
    """The resources that are offered, and the templates of addresses."""
    return tuple(
        Offered(one["name"], contract, one["name"], one)
        for contract in chosen.contracts
        for one in _written()[contract]["resources"]
    )


def prompts(chosen: Selection) -> tuple[Offered, ...]:
    """The prompts that are offered: those of the contracts, and where they are together our own."""
    own = ("together",) if len(chosen.contracts) > 1 else ()
    return tuple(
        _renamed(chosen, contract, one)
        for contract in (*chosen.contracts, *own)
        for one in _written()[contract]["prompts"]
    )


def protocol_errors(chosen: Selection) -> bool:
    """Whether failures are errors of the protocol rather than results, as one contract has it."""
    return bool(_written()[_only(chosen)]["protocol_errors"])


def _only(chosen: Selection) -> str:
    return chosen.contracts[0] if len(chosen.contracts) == 1 else "together"


def _renamed(chosen: Selection, contract: str, one: dict[str, Any]) -> Offered:
    own = one["name"]
    shown = own if chosen.dotted else own.replace(".", "_")
    return Offered(shown, contract, own, {**one, "name": shown})


@cache
def _written() -> dict[str, Any]:
    with open(FILE, encoding="utf-8") as file:
        written: dict[str, Any] = json.load(file)
    return written

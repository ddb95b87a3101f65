"""What the tests run in processes of their own: `python -m tests.store.sqlite.child verb path`."""

from __future__ import annotations

import os
import resource
import signal
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from recollect.errors import RecollectError
from recollect.model import Entry
from recollect.rules.analyse import tokens
from recollect.store.sqlite import SqliteStore
from tests.store.build import ANY, SMALL, apply, edge, plan, record, unit

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[3]
NOBODY = 65_534


class Child(subprocess.Popen[str]):
    """A process that is talked with line by line."""

    def hear(self) -> str:
        """The next line that it says."""
        assert self.stdout is not None
        return self.stdout.readline()

    def rest(self) -> list[str]:
        """All lines that it says until it ends."""
        assert self.stdout is not None
        return self.stdout.readlines()

    def tell(self, line: str = "") -> None:
        """Say a line to it."""
        assert self.stdin is not None
        self.stdin.write(f"{line}\n")
        self.stdin.flush()


def start(verb: str, path: Path, *args: object) -> Child:
    """A child that talks on its standard output and waits for lines on its input."""
    command = [sys.executable, "-W", "error", "-m", "tests.store.sqlite.child", verb, str(path)]
    pipe = subprocess.PIPE
    said = [*command, *map(str, args)]
    return Child(said, cwd=ROOT, stdin=pipe, stdout=pipe, text=True)


def run(verb: str, path: Path, *args: object) -> list[str]:
    """The lines that a child says until it ends."""
    with start(verb, path, *args) as child:
        said, _ = child.communicate(timeout=60)
    return said.splitlines()


def say(*words: object) -> None:
    print(*words, flush=True)  # noqa: T201 -- how it talks to its parent


def opened(path: str) -> None:
    """Open, as 8 processes do at once, and write one record."""
    say("ready")
    sys.stdin.readline()
    with_ends(path, lambda store: apply(store, insert=(Entry(record(f"r{os.getpid()}")),)))
    say("done")


def with_ends(path: str, what: Callable[[SqliteStore], object]) -> None:
    store = SqliteStore.open(path)
    what(store)
    store.close()


def write(path: str, count: str) -> None:
    """Write so many records with vectors, acknowledging each."""
    store = SqliteStore.open(path)
    for number in range(int(count)):
        seed = os.getpid() % 1_000 + number
        id_ = f"{os.getpid()}x{number}"
        apply(store, insert=(Entry(record(id_, f"text of {id_}"), unit(seed)),))
        say(id_, seed)
    store.close()


def endless(path: str) -> None:
    """Write records, vectors, edges, new versions and deletions until somebody kills it."""
    store = SqliteStore.open(path)
    with store.reading() as reader:
        number = reader.last_event()
    while True:
        number += 3
        first, second, third = (f"k{number + place}" for place in range(3))
        entries = [Entry(record(id_, f"word{id_} said"), unit(number)) for id_ in (first, second)]
        short_lived = Entry(record(third, "secret"), unit(number))
        linked = edge(first, "likes", second, id=f"rel_{number}")
        apply(store, insert=(*entries, short_lived), link=(linked,))
        with store.writing() as tx:
            old = tx.records([first])[first]
            end = old.valid_from
            from recollect.value import replace

            changed = Entry(replace(old, version=2, valid_until=end.replace(year=2999)))
            tx.apply(plan(update=(changed,), forget=(third,)))
        say(first, second, number)


def crash(path: str) -> None:
    """Die inside a transaction, without a word."""
    store = SqliteStore.open(path)
    with store.writing() as tx:
        tx.apply(plan(insert=(Entry(record("lost", "lost words"), unit(3)),)))
        tx.nearest(unit(3), ANY, 3)
        os._exit(1)


def hold(path: str) -> None:
    """Hold the write lock until told to go on."""
    store = SqliteStore.open(path)
    with store.writing() as tx:
        tx.apply(plan(insert=(Entry(record("held"), unit(4)),)))
        say("holding")
        sys.stdin.readline()
    store.close()
    say("done")


def after(path: str) -> None:
    """Read an id and its seed; say in which ways the record is found in the very next call."""
    store = SqliteStore.open(path)
    say("ready")
    for line in sys.stdin:
        id_, seed = line.split()
        with store.reading() as reader:
            by_id = reader.records([id_])
            words = reader.matching(tokens(id_), ANY, 5)
            vectors = reader.nearest(unit(int(seed)), ANY, 5)
            found = [reader.rows([c.seq for c in hits]) for hits in (words, vectors)]
        say(id_ in by_id, *(id_ in {r.id for r in rows.values()} for rows in found))


def attempt(path: str, verb: str) -> None:
    """Do one thing and say which error it ended in."""
    try:
        store = SqliteStore.open(path, patience=5)
        if verb == "write":
            apply(store, insert=(Entry(record("new", "new words"), unit(5)),))
        with store.reading() as reader:
            say("count", reader.count(ANY), len(reader.nearest(unit(1), ANY, 9)))
        store.close()
    except RecollectError as error:
        say(error.code, error)


def search(store: SqliteStore) -> None:
    """Write and search once."""
    apply(store, insert=(Entry(record("a", "text"), unit(1)),))
    with store.reading() as reader:
        assert reader.count(ANY) == len(reader.nearest(unit(1), ANY, 9))


def nobody(path: str, verb: str) -> None:
    """The same as somebody who owns nothing."""
    # Python itself may lie where only its owner may look, so all of it is loaded before.
    with TemporaryDirectory() as folder:
        prepared(f"{folder}/other.db")
        with_ends(f"{folder}/other.db", search)
    os.setgid(NOBODY)
    os.setuid(NOBODY)
    attempt(path, verb)


def full(path: str, size: str) -> None:
    """Write until no file may grow any more; say what was kept and how it ended."""
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    store = SqliteStore.open(path)
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(size), resource.RLIM_INFINITY))
    fill(store)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    apply(store, insert=(Entry(record("later", "later"), unit(7)),))
    say("problems", *(problem.what for problem in store.verify()))
    store.close()


def fill(store: SqliteStore) -> None:
    """Write until it fails, saying what was acknowledged."""
    try:
        for number in range(20_000):
            text = f"text{number} " + "filler " * 200
            apply(store, insert=(Entry(record(f"f{number}", text), unit(number)),))
            say("kept", f"f{number}")
    except RecollectError as error:
        say(error.code, error)


def prepared(path: str) -> None:
    """Make a new store that takes vectors."""
    store = SqliteStore.open(path)
    with store.writing() as tx:
        tx.prepare(SMALL)
    store.close()


VERBS = {
    each.__name__: each
    for each in (opened, write, endless, crash, hold, after, attempt, nobody, full, prepared)
}

if __name__ == "__main__":
    verb_, *args_ = sys.argv[1:]
    VERBS[verb_](*args_)

"""Projects that are watched: a thread each, which indexes again whenever files have changed."""

from __future__ import annotations

import os
from errno import ENOSPC
from importlib.util import find_spec
from threading import Condition, Event, Thread
from time import monotonic
from typing import TYPE_CHECKING

from recollect.errors import InvalidRequest, NotFound, RecollectError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence, Sized

# Changes that come within these milliseconds of each other are one, at most for so long: an
# editor writes a file in several steps, and git ten thousand of them for another branch.
_STEP = 100
_DEBOUNCE = 1_000
# How long the system is waited for at a time, after which what failed is tried again.
_TICK = 250
# So many changes at once are a flood, such as another branch: it is waited for until it is over,
# though not for longer than so many seconds, and then everything is looked at once.
_FLOOD = 200
_LONGEST = 15.0
_PATIENCE = 10.0
_MISSING = (
    "Nothing can be watched here, because the package `watchfiles` is not installed. Install it"
    " (pip install watchfiles), or index without watching. Nothing was indexed."
)
_TOO_MANY = (
    "The system lets no more files be watched. On Linux raise fs.inotify.max_user_watches, then"
    " index with watching once more; until then index again after changes."
)
_LOST = (
    "Its files are not followed any more: {}. Index with watching once more to follow them again."
)


class Watchers:
    """The watched projects of one engine, by folder."""

    def __init__(self) -> None:
        self._watched: dict[str, tuple[Event, Thread]] = {}
        self._round = Condition()
        # Why a folder that was to be watched is not.
        self._troubles: dict[str, str] = {}
        # How often something was indexed again.
        self.rounds = 0

    def watch(self, root: str, again: Callable[[], object]) -> bool:
        """Have `again` called whenever something in the folder has changed, from now on.

        Answers whether it was not watched before.

        Raises:
            InvalidRequest: what it takes to watch anything is not installed.
        """
        if find_spec("watchfiles") is None:
            raise InvalidRequest(_MISSING, field="watch")
        if root in self._watched and self._watched[root][1].is_alive():
            return False
        self._troubles.pop(root, None)
        ready, stopped = Event(), Event()
        thread = Thread(
            target=self._follow,
            args=(root, again, ready, stopped),
            name="recollect-watch",
            daemon=True,
        )
        self._watched[root] = stopped, thread
        thread.start()
        ready.wait(_PATIENCE)
        return True

    @property
    def watching(self) -> bool:
        """Whether any folder is watched."""
        return any(thread.is_alive() for _, thread in list(self._watched.values()))

    def trouble(self, root: str) -> str:
        """Why a folder is not watched though it was to be; empty where it is, or was not to be."""
        return self._troubles.get(root, "")

    def stop(self, root: str | None = None) -> None:
        """Watch a folder no more, or none at all; a round that has begun is finished."""
        for one in [root] if root is not None else list(self._watched):
            stopped, thread = self._watched.pop(one, (None, None))
            if stopped is not None and thread is not None:
                stopped.set()
                thread.join()

    def wait(self, rounds: int, patience: float = _PATIENCE) -> bool:
        """Wait until there were more rounds than that. Answers whether it came to it."""
        with self._round:
            return self._round.wait_for(lambda: self.rounds > rounds, patience)

    def join(self) -> None:
        """Wait for as long as anything is watched."""
        for _, thread in list(self._watched.values()):
            thread.join()

    def _follow(self, root: str, again: Callable[[], object], ready: Event, stopped: Event) -> None:
        try:
            self._changes(root, again, ready, stopped)
        except (OSError, RuntimeError) as error:
            # As the system and the watcher say that they cannot: too many files, a folder gone.
            said = str(getattr(error, "strerror", "") or error)
            many = getattr(error, "errno", 0) == ENOSPC or "watch limit" in said
            self._troubles[root] = _TOO_MANY if many else _LOST.format(said)
            import logging

            log = logging.getLogger(__name__)
            log.warning("watching %s: %s", os.path.basename(root), self._troubles[root])
        finally:
            ready.set()

    def _changes(
        self, root: str, again: Callable[[], object], ready: Event, stopped: Event
    ) -> None:
        from watchfiles import watch

        left = False
        while not stopped.is_set():
            flood = 0.0
            for changes in watch(
                root,
                watch_filter=None,
                debounce=_DEBOUNCE,
                step=_STEP,
                stop_event=stopped,
                rust_timeout=_TICK,
                yield_on_timeout=True,
                raise_interrupt=False,
                ignore_permission_denied=True,
            ):
                ready.set()
                left = left or _matter(root, [path for _, path in changes])
                if len(changes) >= _FLOOD and not flood:
                    flood = monotonic()
                if flood and _over(root, changes, flood):
                    # What the system has dropped of so many changes is seen by looking at all
                    # files, and new folders by watching anew, which comes first.
                    break
                if left and not flood:
                    left = not self._again(root, again)
                if root not in self._watched:
                    return

    def _again(self, root: str, again: Callable[[], object]) -> bool:
        """One round. Answers whether it was done, and need not be tried again."""
        try:
            again()
        except NotFound:
            # Its index was deleted, so nobody wants to know any more.
            self._watched.pop(root, None)
        except RecollectError as error:
            import logging

            log = logging.getLogger(__name__)
            log.warning("indexing %s again: %s", os.path.basename(root), error)
            return False
        with self._round:
            self.rounds += 1
            self._round.notify_all()
        return True


def _over(root: str, changes: Sized, since: float) -> bool:
    """Whether a flood of changes is over: nothing more comes, and git has let go."""
    quiet = not changes and not os.path.exists(os.path.join(root, ".git", "index.lock"))
    return quiet or monotonic() - since > _LONGEST


def _matter(root: str, paths: Sequence[str]) -> bool:
    """Whether any change may be one of the index: not in what is ignored or in a tool's folder."""
    from recollect.engine.code.tree import Ignoring

    ignored = Ignoring(root)
    for path in paths:
        inside = os.path.relpath(path, root).replace(os.sep, "/")
        # What is ignored may have changed with its list.
        if inside.endswith("ignore") or not ignored(inside):
            return True
    return False

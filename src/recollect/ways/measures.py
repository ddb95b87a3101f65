"""What a server measures of itself, as Prometheus reads it. Knows nothing of what is measured."""

from __future__ import annotations

from bisect import bisect_left
from threading import Lock
from typing import TYPE_CHECKING

from recollect.value import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

# Seconds. A recall takes a few milliseconds, a read by id a fraction of one.
BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30)
CALLS = "mcp_server_operation_duration_seconds"
KIND = "text/plain; version=0.0.4; charset=utf-8"


class Gauge(Value):
    """A number that is read when somebody asks."""

    name: str
    about: str
    value: float
    labels: tuple[tuple[str, str], ...] = ()
    kind: str = "gauge"


class _Times:
    """How often something took how long."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BUCKETS) + 1)
        self.sum = 0.0


class Measures:
    """How long calls took. Noting one takes some microseconds."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._times: dict[tuple[tuple[str, str], ...], _Times] = {}

    def note(self, labels: Mapping[str, str], seconds: float) -> None:
        """Note that a call took so long."""
        key = tuple(labels.items())
        with self._lock:
            times = self._times.get(key)
            if times is None:
                times = self._times[key] = _Times()
            times.counts[bisect_left(BUCKETS, seconds)] += 1
            times.sum += seconds

    def shown(self, gauges: Iterable[Gauge] = ()) -> str:
        """Everything, in the text format that Prometheus reads."""
        lines = [
            f"# HELP {CALLS} How long operations of the protocol took.",
            f"# TYPE {CALLS} histogram",
        ]
        with self._lock:
            for labels, times in self._times.items():
                lines += _histogram(labels, times)
        named = ""
        for one in gauges:
            if one.name != named:
                named = one.name
                lines += [f"# HELP {one.name} {one.about}", f"# TYPE {one.name} {one.kind}"]
            lines.append(f"{one.name}{_labelled(one.labels)} {one.value:g}")
        return "\n".join([*lines, ""])


def _histogram(labels: tuple[tuple[str, str], ...], times: _Times) -> list[str]:
    lines, total = [], 0
    for most, count in zip((*map(str, BUCKETS), "+Inf"), times.counts, strict=True):
        total += count
        lines.append(f"{CALLS}_bucket{_labelled((*labels, ('le', most)))} {total}")
    lines.append(f"{CALLS}_sum{_labelled(labels)} {times.sum:.6f}")
    lines.append(f"{CALLS}_count{_labelled(labels)} {total}")
    return lines


def _labelled(labels: Iterable[tuple[str, str]]) -> str:
    shown = ",".join(f'{name}="{_escaped(value)}"' for name, value in labels)
    return f"{{{shown}}}" if shown else ""


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")

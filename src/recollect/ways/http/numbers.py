"""Numbers of the store and the model, read when Prometheus asks for them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.decisions.measured import CalibrateAll
from recollect.model import Where
from recollect.ops import Status
from recollect.value import fields
from recollect.ways.measures import Gauge

if TYPE_CHECKING:
    from collections.abc import Iterator

    from recollect.engine import Engine


def numbers(engine: Engine, tenant: str) -> Iterator[Gauge]:
    """How much there is, how large it is, and how the model does."""
    found = engine.run(Status(tenant))
    for name in fields(found.counts):
        about = "What the tenant of this key has."
        labels = (("kind", name),)
        yield Gauge("recollect_records", about, getattr(found.counts, name), labels)
    yield Gauge("recollect_store_bytes", "What the store takes on disk.", found.bytes)
    yield Gauge("recollect_ledger_entries", "Changes that were ever made.", found.ledger)
    yield Gauge(
        "recollect_vectors_waiting", "Texts that wait for their vectors.", found.vectors.waiting
    )
    ready = float(found.model_status == "ready")
    about = "Whether the embedding model is there."
    yield Gauge("recollect_model_ready", about, ready, (("model", found.model),))
    for result, count in (("hit", found.cache_hits), ("miss", found.cache_misses)):
        about = "Texts that were embedded before, and those that were not."
        labels = (("result", result),)
        yield Gauge("recollect_embedding_cache_total", about, count, labels, "counter")
    yield from _calibration(engine, tenant)


def _calibration(engine: Engine, tenant: str) -> Iterator[Gauge]:
    """How sure people are against how often they are right, in every domain with outcomes."""
    rates = engine.run(CalibrateAll(Where(tenant), fewest=1)).rates
    told = (
        ("outcomes", "Outcomes that a domain has.", [rate.sample_size for rate in rates]),
        ("success", "What to expect of a decision in a domain.", [rate.mean for rate in rates]),
        ("gap", "Stated confidence less observed success.", [rate.gap for rate in rates]),
    )
    for name, about, values in told:
        for rate, value in zip(rates, values, strict=True):
            labels = (("domain", rate.domain),)
            yield Gauge(f"recollect_calibration_{name}", about, value, labels)

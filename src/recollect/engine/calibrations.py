"""Handlers that say how sure people were against how often they were right."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from recollect.decisions.measured import Calibrated, CalibratedAll, Guided, Rate
from recollect.engine import aside, asked
from recollect.errors import InvalidRequest, TooFew, Unavailable
from recollect.model import micros, moment
from recollect.rules import calibrate as rule
from recollect.rules import check
from recollect.rules.beta import Beta, beta
from recollect.value import fields, replace

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime
    from typing import Any

    from recollect.decisions.measured import Calibrate, CalibrateAll, Came, Guide, Sums
    from recollect.engine.ports import Ports
    from recollect.model import Where
    from recollect.store import Reader

OVERALL = "overall"
_QUALITY = ("brier", "expected_error")
_TRENDS = (rule.IMPROVING, rule.STABLE, rule.DECLINING)
_ORDERS: dict[str, Callable[[Rate], tuple[Any, ...]]] = {
    "": lambda rate: (rate.domain,),
    "success_rate": lambda rate: (-rate.mean, rate.domain),
    "variance": lambda rate: (rate.variance, rate.domain),
    "trend": lambda rate: (_TRENDS.index(rate.trend), rate.domain),
}


def calibrate(ports: Ports, op: Calibrate) -> Calibrated:
    """Say it of one domain, or of all together."""
    check.line(op.domain, "domain")
    where = asked.where(op.where)
    key = _key("one", op.domain, where)
    try:
        with ports.store.reading() as reader:
            came = in_domain(reader, op.domain, where)
    except Unavailable as error:
        said, at = _copied(ports, key, error)
        quality = {name: said.pop(name, None) for name in _QUALITY}
        return Calibrated(_rate(said), at, **quality)
    if op.domain and 0 < len(came) < rule.FEWEST:
        raise TooFew(
            f"{op.domain} has {len(came)} outcomes, and a calibration needs {rule.FEWEST}. Record"
            " more of them with record_outcome.",
            domain=op.domain,
            outcomes=len(came),
        )
    rate = rated(op.domain or OVERALL, came, prior(ports))
    known = rule.quality(() if op.domain else came)
    answer = Calibrated(rate, None, known.brier, known.expected_error)
    aside.copy(ports, key, _said(rate) | {name: getattr(answer, name) for name in _QUALITY})
    return answer


def calibrate_all(ports: Ports, op: CalibrateAll) -> CalibratedAll:
    """Say it of every domain."""
    if op.sort_by not in _ORDERS:
        known = ", ".join(filter(None, _ORDERS))
        raise InvalidRequest(f"sort_by is one of {known}.", field="sort_by")
    asked.natural("min_sample_size", op.fewest)
    key = _key(f"every {op.fewest} {op.sort_by}", "", asked.where(op.where))
    try:
        with ports.store.reading() as reader:
            every = in_domain(reader, "", op.where)
    except Unavailable as error:
        said, at = _copied(ports, key, error)
        return _every(said, at)
    domains: dict[str, list[Came]] = {}
    for one in every:
        domains.setdefault(one.domain, []).append(one)
    rates = [
        rated(domain, came, prior(ports))
        for domain, came in domains.items()
        if len(came) >= op.fewest
    ]
    quality = rule.quality(every)
    last = max((one.at for one in every), default=None)
    answer = CalibratedAll(
        tuple(sorted(rates, key=_ORDERS[op.sort_by])),
        quality.sample_size,
        quality.brier,
        quality.expected_error,
        quality.gap,
        quality.status,
        None if last is None else moment(last),
    )
    aside.copy(ports, key, _said(answer) | {"rates": [_said(one) for one in answer.rates]})
    return answer


def guide(ports: Ports, op: Guide) -> Guided:
    """Say how sure to be."""
    from recollect.engine.skills import lessons_of

    check.line(op.domain, "domain")
    if op.confidence is not None:
        check.unit("decision_confidence", op.confidence)
    with ports.store.reading() as reader:
        came = in_domain(reader, op.domain, asked.where(op.where))
        patterns = lessons_of(ports, reader, op.domain, op.context, op.where).skills
    rate = rated(op.domain, came, prior(ports))
    adjustment = None
    if op.confidence is not None and came:
        adjustment = adjusted(op.confidence, rate)
    return Guided(rate, op.confidence, adjustment, patterns[:3])


def in_domain(reader: Reader, domain: str, where: Where) -> list[Came]:
    """The outcomes of one domain, or of all where none is named."""
    return reader.came(replace(where, types=(domain,) if domain else ()))


def sums_of(reader: Reader, domain: str, where: Where) -> Sums:
    """What the outcomes of one domain come to together."""
    return reader.summed(replace(where, types=(domain,)))


def prior(ports: Ports) -> Beta:
    """What is known before anything is."""
    return beta(ports.governance.prior_successes, ports.governance.prior_failures)


def rated(domain: str, came: Sequence[Came], before: Beta) -> Rate:
    """What outcomes make of a domain."""
    known = rule.calibration(domain, came, before)
    return _shown(known, known.posterior.interval(), rule.trend(came, before))


def summed(domain: str, sums: Sums, before: Beta, *, interval: bool = True) -> Rate:
    """The same of what was added up already, but for the trend, which sums do not tell."""
    known = rule.of_sums(domain, *sums, before)
    return _shown(known, known.posterior.interval() if interval else (0.0, 1.0), rule.STABLE)


def _shown(known: rule.Calibration, interval: tuple[float, float], trend: str) -> Rate:
    dist = known.posterior
    return Rate(
        known.domain,
        known.sample_size,
        dist.alpha,
        dist.beta,
        dist.mean,
        dist.variance,
        interval,
        known.observed,
        known.stated,
        known.gap,
        known.status,
        trend,
        moment(known.last) if known.sample_size else None,
    )


def known(rate: Rate) -> rule.Calibration:
    """A rate as the rules know it."""
    return rule.Calibration(
        rate.domain,
        rate.sample_size,
        Beta(rate.alpha, rate.beta),
        rate.observed,
        rate.stated,
        rate.gap,
        rate.status,
    )


def _key(what: str, domain: str, where: Where) -> str:
    return json.dumps([what, domain, where.tenant, where.user, where.project])


def _copied(ports: Ports, key: str, error: Unavailable) -> tuple[dict[str, Any], datetime]:
    found = aside.copied(ports, key) if aside.away(ports, error) else None
    if found is None:
        raise error
    return found


def _said(value: Rate | CalibratedAll) -> dict[str, Any]:
    """Its fields as JSON knows them."""
    said = {name: getattr(value, name) for name in fields(value)}
    said["last"] = None if value.last is None else micros(value.last)
    return json.loads(json.dumps(said, default=lambda _: None))  # type: ignore[no-any-return]


def _rate(said: dict[str, Any]) -> Rate:
    low, high = said["interval"]
    return Rate(**said | {"interval": (low, high), "last": _when(said["last"])})


def _every(said: dict[str, Any], at: datetime) -> CalibratedAll:
    rates = tuple(map(_rate, said["rates"]))
    return CalibratedAll(**said | {"rates": rates, "last": _when(said["last"]), "cached_at": at})


def _when(stamp: int | None) -> datetime | None:
    return None if stamp is None else moment(stamp)


def adjusted(confidence: float, rate: Rate) -> float:
    """What to add to a confidence."""
    return rule.adjustment(confidence, known(rate))

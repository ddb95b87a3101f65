"""Which domain a decision belongs to: the one it names, else what its words and neighbours say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recollect.rules.analyse import tokens

if TYPE_CHECKING:
    from collections.abc import Iterable

MODULES = ("database", "auth", "api", "frontend", "backend", "infra")
GENERAL = "general"

_WORDS = {
    "database": (
        "database databases db sql nosql postgres postgresql mysql mariadb sqlite mongodb mongo"
        " redis cassandra dynamodb schema schemas migration migrations index indexes table tables"
        " column query queries transaction transactions acid replica sharding orm vacuum"
    ),
    "auth": (
        "auth authentication authorization authorisation login logout password passwords oauth"
        " oidc jwt token tokens session sessions sso saml mfa totp permission permissions role"
        " roles rbac credential credentials passkey passkeys"
    ),
    "api": (
        "api apis rest restful graphql grpc endpoint endpoints openapi swagger webhook webhooks"
        " pagination versioning http request requests response payload idempotency protobuf"
    ),
    "frontend": (
        "frontend ui ux css html react vue svelte angular component components browser tailwind"
        " typescript javascript page pages form forms accessibility dom spa ssr storybook"
    ),
    "backend": (
        "backend server worker workers queue queues job jobs cron service services microservice"
        " microservices monolith cache caching celery kafka rabbitmq event events async thread"
        " threads"
    ),
    "infra": (
        "infra infrastructure kubernetes k8s docker container containers terraform ansible ci cd"
        " pipeline pipelines deploy deployment deployments aws gcp azure cloud cluster helm nginx"
        " monitoring observability prometheus grafana dns cdn vpc region"
    ),
}
_OF = {token: module for module, words in _WORDS.items() for token in tokens(words)}
# A neighbour farther off than this says nothing of what a decision is about.
_NEAR = 0.8


def detect(
    statement: str, given: str = "", labelled: Iterable[tuple[str, float]] = (), reasoning: str = ""
) -> str:
    """The domain: given, else of most keywords, else of the nearest that have one, else general.

    `labelled` are the domains of other decisions, and how near each of them is.

    >>> detect("Use PostgreSQL for the user database")
    'database'
    >>> detect("Buy the blue one", labelled=[("infra", 0.9)])
    'infra'
    >>> detect("Buy the blue one")
    'general'
    """
    if named := given.strip().casefold():
        return named
    # What stands in the reasoning alone decides only where the statement leaves it open.
    for text in (statement, reasoning):
        if (found := _best(_keywords(text))) is not None:
            return found
    near: dict[str, float] = {}
    for domain, similarity in labelled:
        if similarity >= _NEAR and domain not in {"", GENERAL}:
            near[domain] = near.get(domain, 0.0) + similarity
    return _best(near) or GENERAL


def _keywords(text: str) -> dict[str, float]:
    found: dict[str, float] = {}
    for token in set(tokens(text)):
        if (module := _OF.get(token)) is not None:
            found[module] = found.get(module, 0.0) + 1
    return found


def _best(scores: dict[str, float]) -> str | None:
    """What scores highest, where it is one alone."""
    highest = max(scores.values(), default=0.0)
    best = [name for name, score in scores.items() if score >= highest - 1e-9]
    return best[0] if len(best) == 1 else None

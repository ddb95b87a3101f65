"""From settings to an embedder: the one place that knows all the kinds there are."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from recollect.embed.background import PATIENCE, Background
from recollect.embed.cache import Cached
from recollect.errors import InvalidRequest
from recollect.value import Value, fields

if TYPE_CHECKING:
    from recollect.embed import Embedder
    from recollect.embed.disk import DiskCache


class Provider(StrEnum):
    """Who embeds."""

    BUNDLED = "bundled"
    OPENAI = "openai"
    FASTEMBED = "fastembed"
    SENTENCE_TRANSFORMERS = "sentence-transformers"
    HASH = "hash"


class EmbedSettings(Value):
    """Which model embeds, and where its vectors are kept for the next time."""

    provider: str = Provider.BUNDLED
    model: str | None = None
    url: str | None = None
    api_key: str | None = None
    dimensions: int | None = None
    query_prefix: str = ""
    passage_prefix: str = ""
    cache_path: str | None = None
    cache_size: int = 4096

    def __repr__(self) -> str:
        """All but the key, for settings end up in logs."""
        shown = {field: getattr(self, field) for field in fields(self)}
        if self.api_key is not None:
            shown["api_key"] = "***"
        return f"EmbedSettings({', '.join(f'{k}={v!r}' for k, v in shown.items())})"


def open_embedder(settings: EmbedSettings, *, patience: float = PATIENCE) -> Cached[Background]:
    """The embedder that the settings ask for; nothing is loaded yet.

    `patience` is how many seconds a call waits for a model that is still loading.

    Raises:
        InvalidRequest: the settings do not name a provider, or lack what it needs.

    """
    embedder = Background(_provided(settings), patience=patience)
    return Cached(embedder, _disk(settings.cache_path), settings.cache_size)


def _disk(path: str | None) -> DiskCache | None:
    if path is None:
        return None
    from recollect.embed.disk import DiskCache

    return DiskCache(path)


def _provided(settings: EmbedSettings) -> Embedder:
    match settings.provider:
        case Provider.BUNDLED:
            from recollect.embed.bundled import Bundled

            return Bundled()
        case Provider.HASH:
            from recollect.embed.hashed import HashEmbedder

            return HashEmbedder(settings.dimensions or 384)
        case Provider.OPENAI:
            return _endpoint(settings)
        case Provider.FASTEMBED | Provider.SENTENCE_TRANSFORMERS:
            return _extra(settings)
    known = ", ".join(Provider)
    raise InvalidRequest(
        f"There is no embedding provider {settings.provider!r}. Choose one of: {known}."
    )


def _endpoint(settings: EmbedSettings) -> Embedder:
    from recollect.embed.endpoint import Endpoint

    if settings.url is None:
        raise InvalidRequest(
            "The embedding provider openai needs the address of a server,"
            " such as https://api.openai.com/v1."
        )
    return Endpoint(
        settings.url,
        _named(settings),
        api_key=settings.api_key,
        dimensions=settings.dimensions,
        query_prefix=settings.query_prefix,
        passage_prefix=settings.passage_prefix,
    )


def _extra(settings: EmbedSettings) -> Embedder:
    from recollect.embed.extras import Extra, FastEmbed, SentenceTransformers

    return Extra(
        FastEmbed if settings.provider == Provider.FASTEMBED else SentenceTransformers,
        _named(settings),
        dimensions=settings.dimensions,
        query_prefix=settings.query_prefix,
        passage_prefix=settings.passage_prefix,
    )


def _named(settings: EmbedSettings) -> str:
    if settings.model is None:
        raise InvalidRequest(
            f"The embedding provider {settings.provider} needs the name of a model."
        )
    return settings.model

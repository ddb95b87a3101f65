"""Configuration in, engine out: the one place that knows which parts there are."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from recollect.engine import Engine
from recollect.engine.ports import Governance
from recollect.errors import Busy, Damaged, TooNew, Unavailable
from recollect.store.sqlite import SqliteStore

if TYPE_CHECKING:
    from recollect.config import Config
    from recollect.embed import Model
    from recollect.embed.background import Background
    from recollect.embed.cache import Cached
    from recollect.store import Store


def open_engine(config: Config, *, patient: bool = False) -> Engine:
    """An engine on the store that the settings name. No model is loaded before it is needed.

    A patient one is there though the file cannot be read, and tries again with each op.

    Raises:
        Unavailable: the store cannot be opened; see `SqliteStore.open`.
    """
    return Engine(
        _store(config, patient=patient),
        lambda: _configured(config),
        older=lambda model: _older(config, model),
        secrets=config.secrets,
        governance=Governance(
            config.write_cooldown,
            config.prior_successes,
            config.prior_failures,
            config.skills_withheld,
            os.path.join(os.path.dirname(config.store), "proposals"),
            config.aside,
        ),
    )


def _opened(config: Config) -> Store:
    if config.own_folder:
        _make_folder(os.path.dirname(config.store))
    return SqliteStore.open(config.store, durability=config.durability)


def _store(config: Config, *, patient: bool) -> Store:
    if config.elsewhere:
        from recollect.store.away import AwayStore

        return AwayStore()
    try:
        return _opened(config)
    except (Busy, Damaged, TooNew):
        # What is wrong with the settings is said at once in any case.
        if not patient:
            raise
        from recollect.store.barred import BarredStore

        return BarredStore(lambda: _opened(config))


def withdraw(engine: Engine) -> None:
    """Close an engine, and leave no store behind that it has made and that nothing was kept in."""
    if isinstance(engine.ports.store, SqliteStore):
        engine.ports.store.withdraw()
    engine.close()


def _configured(config: Config) -> Cached[Background]:
    from recollect.embed.choose import EmbedSettings, open_embedder

    return open_embedder(
        EmbedSettings(
            provider=config.embedding,
            model=config.embedding_model,
            url=config.embedding_url,
            api_key=config.embedding_api_key,
            dimensions=config.embedding_dimensions,
            query_prefix=config.embedding_query_prefix,
            passage_prefix=config.embedding_passage_prefix,
            cache_path=config.cache,
        )
    )


def _older(config: Config, model: Model) -> Cached[Background] | None:
    """The embedder of a model that was configured before, where the model itself says how."""
    from recollect.embed.bundled import MODEL
    from recollect.embed.choose import EmbedSettings, Provider, open_embedder
    from recollect.embed.hashed import HashEmbedder

    if model == MODEL:
        return open_embedder(EmbedSettings(Provider.BUNDLED, cache_path=config.cache))
    if model == HashEmbedder(model.dimensions).model:
        settings = EmbedSettings(Provider.HASH, dimensions=model.dimensions)
        return open_embedder(settings)
    return None


def _make_folder(path: str) -> None:
    """Make our own folder, for its owner alone."""
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
    except OSError as error:
        raise Unavailable(
            f"The folder {path} cannot be made ({error.strerror}). Make it yourself, or name"
            " another file with --store.",
            path=path,
        ) from error

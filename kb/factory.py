"""From settings to a knowledge base that is ready to answer."""

from __future__ import annotations

from kb.config import Settings, load_settings
from kb.embeddings.base import Embedder
from kb.embeddings.registry import open_embedder
from kb.engine import KnowledgeBase
from kb.index.root import IndexRoot
from kb.llm.base import ChatModel
from kb.specs.catalog import Catalog


def open_knowledge_base(settings: Settings | None = None) -> KnowledgeBase:
    """Open the published index with the model that made it.

    Without `settings` they are read from the environment and `gpukb.toml`.

    Raises:
        ConfigError: a wrong setting.
        IndexMissingError: nothing has been built yet.
        IndexError_: the index is damaged or was made by another model.
        EmbeddingError: the model cannot be loaded.
    """
    settings = settings or load_settings()
    return KnowledgeBase(
        root=IndexRoot(settings.data_dir),
        embedder=query_embedder(settings),
        cross_embedder=cross_embedder(settings),
        catalog=Catalog.empty() if settings.catalog == "none" else None,
        chat=chat_model(settings),
    )


def query_embedder(settings: Settings) -> Embedder:
    """The embedding model that the settings name."""
    return open_embedder(
        settings.embedding_model,
        revision=settings.embedding_revision,
        device=settings.embedding_device,
        threads=settings.embedding_threads,
        base_url=settings.embedding_base_url,
        api_key=settings.embedding_api_key.get_secret_value() if settings.embedding_api_key else None,
        cache_dir=settings.cache_dir,
    )


def cross_embedder(settings: Settings) -> Embedder | None:
    """The second encoder, for passages in the other language."""
    return None if settings.cross_embedding == "none" else open_embedder(settings.cross_embedding)


def chat_model(settings: Settings) -> ChatModel | None:
    """The chat model that words answers, if one is set."""
    if not settings.llm_base_url or not settings.llm_model:
        return None
    from kb.llm.openai_compatible import OpenAICompatibleChat

    return OpenAICompatibleChat(
        base_url=settings.llm_base_url,
        model=settings.llm_model,
        api_key=settings.llm_api_key.get_secret_value() if settings.llm_api_key else "",
        timeout_s=settings.llm_timeout_s,
        temperature=settings.llm_temperature,
    )

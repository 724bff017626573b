"""From settings to a knowledge base that is ready to answer."""

from __future__ import annotations

from kb.config import Settings, load_settings
from kb.embeddings.registry import cross_embedder_of, embedder_of
from kb.engine import KnowledgeBase
from kb.index.root import IndexRoot
from kb.llm.base import ChatModel
from kb.selection.scenarios import load_scenarios
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
    root = IndexRoot(settings.data_dir)
    root.require_current()  # before seconds go into loading models
    return KnowledgeBase(
        root=root,
        embedder=embedder_of(settings),
        cross_embedder=cross_embedder_of(settings),
        catalog=Catalog.empty() if settings.catalog == "none" else None,
        chat=chat_model(settings),
        scenarios=load_scenarios(settings.scenarios),
    )


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

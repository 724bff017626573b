"""Opens an embedding model by name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from kb.config import Settings
from kb.embeddings.base import Embedder
from kb.errors import ConfigError

BUNDLED_NAMES: Final = ("bundled", "intfloat/multilingual-e5-small")
USE_NAME: Final = "use"
_MOST_THREADS: Final = 4


def open_embedder(
    model: str = "bundled",
    *,
    device: str = "auto",
    revision: str | None = None,
    threads: int = 0,
    base_url: str | None = None,
    api_key: str | None = None,
    cache_dir: Path | None = None,
) -> Embedder:
    """Open the model that a setting names.

    Args:
        model: with `base_url` the name the server knows; else `bundled` (or `intfloat/multilingual-e5-small`), `use`,
            or a sentence-transformers model by name or folder.
        device: `auto`, `cpu`, `cuda`, `cuda:N` or `mps`. The bundled model runs on the CPU for `auto` and `cpu`, and
            through sentence-transformers, with the same weights, on the others.
        revision: of a model by name.
        threads: for passages of the bundled model; 0 is one for each core, at most 4.
        base_url: of an OpenAI-compatible embedding server.
        api_key: for that server.
        cache_dir: for converted and downloaded models; the default of the setting `cache_dir` if not given.

    Raises:
        ConfigError: if the settings contradict each other.
        OptionalDependencyError: if the model needs the extra `gpu`.
        EmbeddingError: if the model cannot be loaded.
    """
    if base_url is not None:
        from kb.embeddings.remote import RemoteEmbedder

        return RemoteEmbedder(model, base_url=base_url, api_key=api_key, revision=revision)
    if model == USE_NAME:
        return _open_use(device, threads)
    if model in BUNDLED_NAMES and not Path(model).is_dir():
        return _open_bundled(device, revision, threads, cache_dir)
    from kb.embeddings.sentence_transformer import SentenceTransformerEmbedder

    return SentenceTransformerEmbedder(model, device=device, revision=revision, cache_dir=cache_dir)


def embedder_of(settings: Settings) -> Embedder:
    """The embedding model that the settings name; errors as of `open_embedder`."""
    return open_embedder(
        settings.embedding_model,
        revision=settings.embedding_revision,
        device=settings.embedding_device,
        threads=settings.embedding_threads,
        base_url=settings.embedding_base_url,
        api_key=settings.embedding_api_key.get_secret_value() if settings.embedding_api_key else None,
        cache_dir=settings.cache_dir,
    )


def cross_embedder_of(settings: Settings) -> Embedder | None:
    """The second encoder, for passages in the other language; `None` if the settings go without."""
    return None if settings.cross_embedding == "none" else open_embedder(settings.cross_embedding)


def _open_bundled(device: str, revision: str | None, threads: int, cache_dir: Path | None) -> Embedder:
    from kb.config import default_cache_dir
    from kb.embeddings.bundled import BUNDLED_INFO, BundledE5
    from kb.embeddings.e5_files import sentence_transformers_folder

    if revision is not None:
        raise ConfigError(
            f"The bundled embedding model has no revision {revision!r}.",
            "Leave the revision out, or name a model that has it.",
        )
    if device in ("auto", "cpu"):
        return BundledE5(cache_dir, threads=_threads(threads))
    from kb.embeddings.sentence_transformer import SentenceTransformerEmbedder

    folder = sentence_transformers_folder(cache_dir or default_cache_dir())
    return SentenceTransformerEmbedder(str(folder), device=device, info=BUNDLED_INFO)


def _open_use(device: str, threads: int) -> Embedder:
    from kb.embeddings.use import UseEncoder

    if device not in ("auto", "cpu"):
        raise ConfigError(f"The encoder {USE_NAME!r} runs on the CPU, not on {device!r}.", "Leave its device out.")
    return UseEncoder(threads=1 if threads == 0 else threads)


def _threads(setting: int) -> int:
    return setting or min(os.cpu_count() or 1, _MOST_THREADS)

"""From settings to a build: opens the models and the catalogue that the settings name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from ingest.chunkers.limits import ChunkLimits
from ingest.loaders.base import LoadLimits
from ingest.pipeline import BuildOptions, Calibrate, build
from ingest.report import BuildReport
from ingest.scan import require_folder
from kb.config import Settings
from kb.embeddings.base import Embedder
from kb.embeddings.registry import cross_embedder_of, embedder_of
from kb.index.generation import Generation
from kb.index.root import IndexRoot
from kb.specs.catalog import Catalog
from kb.types import BuildEvent

CALIBRATORS = "gpukb.calibrators"
"""Entry points that learn from a written index what its scores mean. They live where questions are answered, which a
build knows nothing of; each is called with the generation, the embedder and the second encoder or None, with what it
gave for the index before (`before`, None if that does not count) and the share of passages that changed since
(`changed`)."""


def build_from_settings(
    settings: Settings,
    *,
    full: bool = False,
    dry_run: bool = False,
    paths: Sequence[str] = (),
    wait: bool = False,
    on_event: Callable[[BuildEvent], None] = lambda event: None,
    models: Models | None = None,
) -> BuildReport:
    """Build the index that the settings describe.

    Args:
        settings: what to build from what.
        full: read and embed everything anew.
        dry_run: find out what would change, write nothing.
        paths: what to look at; empty: everything.
        wait: wait for another build instead of refusing.
        on_event: told about the progress.
        models: the settings' models, where the caller holds them already.

    Raises:
        KbError: as of `ingest.pipeline.build`.
    """
    require_folder(settings.corpus_dir)
    models = models or open_models(settings)
    return build(
        settings.corpus_dir,
        IndexRoot(settings.data_dir),
        models.embedder,
        models.cross_embedder,
        catalog=_catalog(settings.catalog).to_json_bytes(),
        calibrate=_calibrator(models),
        on_event=on_event,
        options=BuildOptions(
            chunk_limits=_limits(models.embedder),
            load_limits=LoadLimits(max_bytes=settings.max_document_bytes),
            full=full,
            dry_run=dry_run,
            paths=tuple(paths),
            wait=wait,
            keep=settings.keep_generations,
        ),
    )


@dataclass(frozen=True, slots=True)
class Models:
    """What makes vectors."""

    embedder: Embedder
    cross_embedder: Embedder | None


def open_models(settings: Settings) -> Models:
    """The models that the settings name.

    Raises:
        EmbeddingError: one cannot be loaded.
    """
    return Models(embedder_of(settings), cross_embedder_of(settings))


def _limits(embedder: Embedder) -> ChunkLimits:
    """The default limits, narrower where the model reads less."""
    default = ChunkLimits()
    return ChunkLimits(max_tokens=min(default.max_tokens, embedder.info.max_tokens))


def _catalog(setting: str) -> Catalog:
    return Catalog.empty() if setting == "none" else Catalog.load(setting)


def _calibrator(models: Models) -> Calibrate | None:
    points = tuple(metadata.entry_points(group=CALIBRATORS))
    if not points:
        return None
    calibrators = {point.name: point.load() for point in points}

    def calibrate(generation: Generation, before: Mapping[str, Any], changed: float) -> Mapping[str, Any]:
        return {
            name: run(generation, models.embedder, models.cross_embedder, before=before.get(name), changed=changed)
            for name, run in calibrators.items()
        }

    return calibrate

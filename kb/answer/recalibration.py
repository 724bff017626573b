"""Publishing the index in use once more with a refusal threshold learned anew; nothing else in it changes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kb.answer.calibration import as_manifest, calibration_of, calibration_on, signals_of
from kb.answer.calibration_questions import forget_questions, keep_questions
from kb.answer.refusal import CALIBRATION_KEY, Calibration, decide
from kb.embeddings.base import Embedder
from kb.index.root import IndexRoot
from kb.index.writer import GenerationWriter
from kb.retrieval.hybrid import HybridRetriever


@dataclass(frozen=True, slots=True)
class Recalibration:
    """What came of it.

    Attributes:
        generation: the new one.
        before, after: the thresholds.
        refused_before, refused_after: which of the given questions each of them refuses.
    """

    generation: str
    before: Calibration
    after: Calibration
    refused_before: tuple[str, ...] = ()
    refused_after: tuple[str, ...] = ()


def recalibrate(
    root: IndexRoot, embedder: Embedder, cross_embedder: Embedder | None, questions: Sequence[str]
) -> Recalibration:
    """Learn from questions that the corpus answers, and keep them for the builds to come.

    Args:
        root: holds the index.
        embedder: must be the model that made it.
        cross_embedder: the second encoder; None goes without.
        questions: about 50; without any the kept ones are dropped and the corpus itself teaches.

    Raises:
        IndexError_: there is no index, it is damaged, of another model, or being built.
        StorageError: the folder cannot be written; everything stays as it was.
    """
    retriever = HybridRetriever(embedder, cross_embedder)
    with root.lock():
        generation = root.open_current(embedder.info, cross_embedder.info if cross_embedder else None)
        manifest = generation.manifest
        with GenerationWriter(
            root,
            embedding=manifest.embedding,
            cross_embedding=manifest.cross_embedding,
            chunker=manifest.chunker,
            gpukb_version=manifest.gpukb_version,
        ) as writer:
            writer.copy(generation)
            draft = writer.draft()
            signals = signals_of(draft, retriever, questions)
            after = calibration_on(signals) if questions else calibration_of(draft, retriever)
            name = writer.finish({**manifest.calibration, CALIBRATION_KEY: as_manifest(after, questions)})
        if questions:
            keep_questions(root.path, questions)
        else:
            forget_questions(root.path)
        root.publish(name)
        root.prune()
    before = Calibration.from_manifest(manifest.calibration)

    def refused(calibration: Calibration) -> tuple[str, ...]:
        decided = zip(questions, signals, strict=True)
        return tuple(question for question, signal in decided if decide(signal, calibration).refuse)

    return Recalibration(name, before, after, refused(before), refused(after))

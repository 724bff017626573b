"""The default embedding model: multilingual-e5-small on the CPU, with nothing to download."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import numpy as np

from kb.config import default_cache_dir
from kb.embeddings.e5_files import onnx_folder
from kb.embeddings.e5_tokenizer import END_ID, E5Tokenizer
from kb.embeddings.e5_weights import WEIGHTS_SHA256
from kb.embeddings.window import TruncationCounter, too_long
from kb.types import EmbeddingInfo, Vectors

BUNDLED_INFO: Final = EmbeddingInfo(
    model="intfloat/multilingual-e5-small",
    revision=f"q4-{WEIGHTS_SHA256[:12]}",
    dim=384,
    max_tokens=512,
    query_prefix="query: ",
    passage_prefix="passage: ",
)


class BundledE5:
    """multilingual-e5-small run by onnxruntime.

    Each text is run alone: a vector then never depends on its batch-mates, bit for bit, and batches would gain at
    most a tenth (passages) to a sixth (questions) of the time. Safe to call from many threads.
    """

    def __init__(self, cache_dir: Path | None = None, *, threads: int = 1) -> None:
        """Open the model, converting it first if this machine never did.

        Args:
            cache_dir: where the converted files are kept; the default of the setting `cache_dir` if not given.
            threads: how many passages are embedded at once. A single question always uses one thread.

        Raises:
            EmbeddingError: if the weights or a converted file is missing or damaged.
            StorageError: if the cache folder cannot be written.
        """
        if threads < 1:
            raise ValueError(f"threads must be at least 1, got {threads}")
        import onnxruntime

        folder = onnx_folder(cache_dir or default_cache_dir())
        self._tokenizer = E5Tokenizer(folder)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = 3  # errors only
        self._session = onnxruntime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        self._threads = threads
        self._truncated = TruncationCounter()

    @property
    def info(self) -> EmbeddingInfo:
        """What decides the vectors."""
        return BUNDLED_INFO

    @property
    def device(self) -> str:
        """Always `cpu`."""
        return "cpu"

    @property
    def truncated_inputs(self) -> int:
        """How many questions were longer than the model's window and lost their end."""
        return self._truncated.count

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions. One over the window is cut, and counted in `truncated_inputs`."""
        limit = BUNDLED_INFO.max_tokens
        batch = [self._tokenizer.encode(BUNDLED_INFO.query_prefix + text) for text in texts]
        for position, ids in enumerate(batch):
            if len(ids) > limit:
                batch[position] = [*ids[: limit - 1], END_ID]
                self._truncated.add()
        return self._run_all(batch)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of passages.

        Raises:
            EmbeddingError: if one is longer than the model's window, naming both lengths.
        """
        batch = [self._tokenizer.encode(BUNDLED_INFO.passage_prefix + text) for text in texts]
        for text, ids in zip(texts, batch, strict=True):
            if len(ids) > BUNDLED_INFO.max_tokens:
                raise too_long(text, len(ids), BUNDLED_INFO)
        return self._run_all(batch)

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` as a passage, prefix and special tokens included."""
        return len(self._tokenizer.encode(BUNDLED_INFO.passage_prefix + text))

    def _run_all(self, batch: list[list[int]]) -> Vectors:
        if not batch:
            return np.empty((0, BUNDLED_INFO.dim), np.float32)
        if self._threads == 1 or len(batch) == 1:
            return np.concatenate([self._run(ids) for ids in batch])
        with ThreadPoolExecutor(self._threads) as pool:
            return np.concatenate(list(pool.map(self._run, batch)))

    def _run(self, ids: list[int]) -> Vectors:
        (vectors,) = self._session.run(None, {"input_ids": np.array([ids], np.int64)})
        return np.asarray(vectors, np.float32)

"""Any embedding model through sentence-transformers, on CUDA, MPS or the CPU. Needs the extra `gpu`."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any, Final

import numpy as np

from kb.embeddings.known_models import KnownModel, known_model
from kb.embeddings.window import TruncationCounter, too_long
from kb.errors import EmbeddingError
from kb.optional import require
from kb.types import EmbeddingInfo, Vectors

_WEIGHTS: Final = ("*.safetensors", "*.bin", "*.json", "*.model", "*.txt")
_POOLINGS: Final = ("mean", "cls")


class SentenceTransformerEmbedder:
    """A sentence-transformers model behind the common interface; safe to call from several threads.

    Half precision is used on CUDA and MPS, full precision on the CPU. Vectors of both compare, so the precision and
    the device are no part of `info`.
    """

    def __init__(
        self,
        model: str,
        *,
        device: str = "auto",
        revision: str | None = None,
        cache_dir: Path | None = None,
        info: EmbeddingInfo | None = None,
    ) -> None:
        """Load the model; torch is imported here, which takes seconds.

        Args:
            model: a name on the model hub, or a folder.
            device: `auto` (CUDA, else MPS, else CPU), `cpu`, `cuda`, `cuda:N` or `mps`.
            revision: of a model from the hub.
            cache_dir: where models from the hub are kept; the hub's own cache if not given.
            info: what the vectors are, where the caller knows that they equal another model's.

        Raises:
            OptionalDependencyError: if sentence-transformers is not installed.
            EmbeddingError: if the device is not there or the model cannot be loaded.
        """
        if model.startswith((".", "/", "~")) and not Path(model).expanduser().is_dir():
            raise EmbeddingError(f"There is no folder {model} with an embedding model.", "Check the path.")
        torch = require("torch", extra="gpu")
        library = require("sentence_transformers", extra="gpu")
        self._device = resolve_device(torch, device)
        on_cpu = self._device == "cpu"
        try:
            self._model: Any = library.SentenceTransformer(
                model,
                device=self._device,
                revision=revision,
                cache_folder=str(cache_dir / "hub") if cache_dir else None,
                model_kwargs={"dtype": torch.float32 if on_cpu else torch.float16},
            )
        except (OSError, ValueError) as error:
            reason = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
            raise EmbeddingError(
                f"The embedding model {model!r} cannot be loaded: {reason}",
                "Check the name or the path, and that the model hub can be reached.",
            ) from error
        self._model.eval()
        # One owner of the tokenizer: encoding sets truncation, which makes a count in another thread wrong.
        self._lock = Lock()
        self._truncated = TruncationCounter()
        self._info = info or self._describe(model, revision)

    @property
    def info(self) -> EmbeddingInfo:
        """What decides the vectors."""
        return self._info

    @property
    def device(self) -> str:
        """Where it runs."""
        return self._device

    @property
    def truncated_inputs(self) -> int:
        """How many questions were longer than the model's window and lost their end."""
        return self._truncated.count

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Vectors of questions. One over the window is cut, and counted in `truncated_inputs`."""
        prefixed = [_clean(self._info.query_prefix + text) for text in texts]
        with self._lock:
            for text in prefixed:
                if self._count(text) > self._info.max_tokens:
                    self._truncated.add()
            return self._encode(prefixed)

    def embed_passages(self, texts: Sequence[str]) -> Vectors:
        """Vectors of passages.

        Raises:
            EmbeddingError: if one is longer than the model's window, naming both lengths.
        """
        prefixed = [_clean(self._info.passage_prefix + text) for text in texts]
        with self._lock:
            for text, whole in zip(texts, prefixed, strict=True):
                tokens = self._count(whole)
                if tokens > self._info.max_tokens:
                    raise too_long(text, tokens, self._info)
            return self._encode(prefixed)

    def count_tokens(self, text: str) -> int:
        """Tokens of `text` as a passage, prefix and special tokens included."""
        with self._lock:
            return self._count(_clean(self._info.passage_prefix + text))

    def _count(self, text: str) -> int:
        return len(self._model.tokenizer(text, truncation=False, verbose=False)["input_ids"])

    def _encode(self, texts: list[str]) -> Vectors:
        if not texts:
            return np.empty((0, self._info.dim), np.float32)
        # The prefix stands already; an empty prompt keeps the model from adding its own.
        vectors = self._model.encode(
            texts, prompt="", normalize_embeddings=True, convert_to_numpy=True, show_progress_bar=False
        )
        rows = np.asarray(vectors, np.float32)
        # In half precision "unit length" is only good to three decimals.
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)

    def _describe(self, model: str, revision: str | None) -> EmbeddingInfo:
        known = known_model(model)
        folder = Path(model)
        local = folder.is_dir()
        prompts = self._model.prompts or {}
        described = EmbeddingInfo(
            model=folder.resolve().name if local else model,
            revision=_checksum(folder) if local else (revision or self._hub_commit()),
            dim=1,
            max_tokens=int(self._model.max_seq_length or (known.max_tokens if known else 512)),
            query_prefix=prompts.get("query") or (known.query_prefix if known else ""),
            passage_prefix=prompts.get("document") or prompts.get("passage") or (known.passage_prefix if known else ""),
            pooling=self._pooling(known),
        )
        self._info = described
        probe = self._model.encode(["dim"], prompt="", convert_to_numpy=True, show_progress_bar=False)
        return replace(described, dim=int(probe.shape[1]))

    def _pooling(self, known: KnownModel | None) -> str:
        for module in self._model:
            mode = getattr(module, "get_pooling_mode_str", None)
            if mode is not None:
                return str(mode())
        return known.pooling if known else "model"

    def _hub_commit(self) -> str:
        config = getattr(getattr(self._model[0], "auto_model", None), "config", None)
        return str(getattr(config, "_commit_hash", None) or "unknown")


def resolve_device(torch: Any, device: str) -> str:
    """The device meant by a setting; never another one than asked for.

    Raises:
        EmbeddingError: if that device is not there.
    """
    cuda, mps = torch.cuda.is_available(), torch.backends.mps.is_available()
    if device == "auto":
        return "cuda:0" if cuda else "mps" if mps else "cpu"
    if device.partition(":")[0] == "cuda":
        number = device.removeprefix("cuda").removeprefix(":") or "0"
        if cuda and number.isdecimal() and int(number) < torch.cuda.device_count():
            return f"cuda:{number}"
        seen = f"torch sees {torch.cuda.device_count()} CUDA devices"
    elif device == "mps":
        if mps:
            return device
        seen = "torch sees no MPS device"
    elif device == "cpu":
        return device
    else:
        seen = "known are auto, cpu, cuda, cuda:N and mps"
    raise EmbeddingError(
        f"The embedding device {device!r} is not there: {seen} (torch {torch.__version__}).",
        "Set the device to auto or cpu, or install a torch build for this device.",
    )


def _checksum(folder: Path) -> str:
    digest = hashlib.sha256()
    for path in sorted({path for pattern in _WEIGHTS for path in folder.rglob(pattern)}):
        with path.open("rb") as file:
            content = hashlib.file_digest(file, "sha256").hexdigest()
        digest.update(f"{path.relative_to(folder).as_posix()} {content}\n".encode())
    return f"sha256-{digest.hexdigest()[:12]}"


def _clean(text: str) -> str:
    """Text that can be written as UTF-8."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")

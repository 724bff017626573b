"""What is to be run: a model, its number formats, how much text at once, and for training how it is trained."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal

from kb.errors import RequestError
from kb.sizing.formats import NumberFormat, number_format
from kb.specs.model_shapes import ModelShape

Task = Literal["inference", "finetune", "pretrain"]
Method = Literal["full", "lora", "qlora"]
Recompute = Literal["none", "full"]
ShapeBasis = Literal["named", "given", "assumed", "scaled"]
PrecisionBasis = Literal["given", "released", "assumed"]

TRAINING_CONTEXT = 4096
"""Tokens of a training sequence where none are given."""
_NEAR = 0.12
"""A recorded model may stand for a size this far off; further off its layers are scaled."""

_SAME = 0.005
"""A recorded model of any kind stands for a size this near to its own: 671B names DeepSeek-V3."""

_BEST_KNOWN = ("llama-3", "qwen2.5", "llama-2", "mistral")


@dataclass(frozen=True, slots=True)
class Workload:
    """A model and what is done with it.

    Attributes:
        shape: of the model; assumed where only a size is known.
        parameters: how many, as stated or as the shape has them.
        name: what the request calls it, `Llama 3.1 8B` or `70B`.
        shape_basis: `named`, `given` by its figures, `assumed` from a recorded model of that size, or
            `scaled` from one.
        precision: format of the weights (of the frozen ones, where adapters are trained).
        context_tokens: of a sequence, prompt and answer together; `None` where not stated.
        sequences: at once; in training on each data-parallel card.
        optimizer: key of `kb.sizing.optimizer.OPTIMIZERS`.
        recompute: `full` keeps only each layer's input and computes the rest anew; `none` keeps all.
        zero_stage: what data-parallel cards share: 0 nothing, 1 optimizer states, 2 also gradients, 3 also weights.
        target_tpot_ms: longest time between two tokens of a sequence; `None` for no target.
        target_tokens_s: speed wanted of all sequences together, on as many cards as it takes; `None` for no target.
        training_tokens: tokens of the whole training; `None` where not stated.
    """

    shape: ModelShape
    parameters: float
    name: str
    shape_basis: ShapeBasis = "named"
    task: Task = "inference"
    method: Method = "full"
    precision: str = "fp16"
    precision_basis: PrecisionBasis = "assumed"
    kv_precision: str = "fp16"
    context_tokens: int | None = None
    sequences: int = 1
    recompute: Recompute = "full"
    optimizer: str = "adamw"
    zero_stage: int = 3
    lora_rank: int = 16
    target_tpot_ms: float | None = None
    target_tokens_s: float | None = None
    training_tokens: float | None = None

    @property
    def trains(self) -> bool:
        """Whether it is trained, not only run."""
        return self.task != "inference"

    @property
    def format(self) -> NumberFormat:
        """Of the weights."""
        return number_format(self.precision)

    @property
    def kv_format(self) -> NumberFormat:
        """Of the KV cache."""
        return number_format(self.kv_precision)

    @property
    def scale(self) -> float:
        """Stated parameters for each one of the shape: 1 for a named model."""
        return self.parameters / self.shape.count.total

    @property
    def tokens(self) -> int:
        """Tokens of a sequence; for training with its default."""
        return self.context_tokens or (TRAINING_CONTEXT if self.trains else 0)

    def with_defaults(self) -> Workload:
        """The same with the number format that fits it, where none was given."""
        if self.precision_basis == "given":
            return self
        if self.trains:
            precision = "nf4" if self.method == "qlora" else "bf16"
            return replace(self, precision=precision, precision_basis="assumed")
        if self.shape_basis in {"named", "assumed"} and self.shape.released_in != "fp16":
            return replace(self, precision=self.shape.released_in, precision_basis="released")
        return self


def is_model_size(parameters: float) -> bool:
    """Whether a language model may have that many parameters."""
    return 1e7 <= parameters <= 1e14


def shape_like(parameters: float, shapes: Iterable[ModelShape], family: str = "") -> tuple[ModelShape, ShapeBasis]:
    """A shape for a model of which only the size is known.

    It is that of a recorded dense one near that size, else of any that has this very size, else of a dense one with its
    layers scaled.

    Raises:
        RequestError: the size is no size of a language model.
    """
    if not is_model_size(parameters):
        raise RequestError(
            f"{parameters / 1e9:g} billion is no size of a language model.",
            "Give 0.01 to 100000.",
            zh=f"{parameters / 1e9:g}B 不是语言模型的规模；可给 0.01 到 100000（十亿）。",
        )
    all_shapes = tuple(shapes)
    dense = [s for s in all_shapes if s.moe is None and s.mla is None and s.sliding_window is None]
    near = [s for s in dense if abs(s.count.total - parameters) <= _NEAR * parameters]
    near = near or [s for s in all_shapes if abs(s.count.total - parameters) <= _SAME * parameters]
    if near:
        best = min(near, key=lambda s: (_rank(s, family), abs(s.count.total - parameters), -s.max_context))
        return best, "assumed"
    best = min(dense, key=lambda s: (max(s.count.total / parameters, parameters / s.count.total), s.id))
    tables = best.count.embedding + best.count.head
    layers = max(1, round((parameters - tables) / (best.count.layers / best.layers)))
    scaled = best.model_copy(update={"layers": layers})
    return ModelShape.model_construct(**{k: getattr(scaled, k) for k in ModelShape.model_fields}), "scaled"


def _rank(shape: ModelShape, family: str) -> int:
    """How soon a model is taken to stand for others of its size: one of the family named, then the best known."""
    letters = "".join(itertools.takewhile(str.isalpha, shape.id))
    if family and family.startswith(letters):
        return -1
    return next((rank for rank, known in enumerate(_BEST_KNOWN) if shape.id.startswith(known)), len(_BEST_KNOWN))

"""Shapes of well-known language models, for sizing: `corpus/models/*.yaml`.

A shape is checked when it is read: the parameter count that follows from it must be the published one, rounded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, Literal, Self

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from kb.errors import CatalogError, NotFoundError
from kb.specs.catalog import builtin_folder
from kb.specs.parameter_count import ParameterCount, count_parameters
from kb.text import fold

_TOLERANCE = 0.0025
"""Of rounding the published count."""
_ACTIVE_TOLERANCE = 0.05

_CHINESE = {"qwen": ("千问", "通义千问"), "baichuan": ("百川",), "internlm": ("书生浦语", "书生")}
"""What families of models are called in Chinese."""
_OTHER_MODEL = r"[\s\-_]?(?:mini|nano|tiny|lite|flash|air|small|multimodal|distill|next|vl|vision)(?![a-z])"
"""Words that, right after a model's name, make it another model's."""

Count = Annotated[int, Field(gt=0)]


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Experts(_Shape):
    """A mixture of experts.

    Attributes:
        experts: routed experts per layer, of which `per_token` are used for a token.
        intermediate: inner width of one expert.
        shared: experts that every token uses.
        dense_layers: first layers that have an ordinary feed-forward block instead.
        router_bias: each expert has a bias by which it is chosen.
    """

    experts: Count
    per_token: Count
    intermediate: Count
    shared: Annotated[int, Field(ge=0)]
    dense_layers: Annotated[int, Field(ge=0)]
    router_bias: bool = False


class LatentAttention(_Shape):
    """Multi-head latent attention; `q_lora_rank` 0 means queries are not compressed."""

    q_lora_rank: Annotated[int, Field(ge=0)]
    kv_lora_rank: Count
    qk_nope_head_dim: Count
    qk_rope_head_dim: Count
    v_head_dim: Count


class SlidingWindow(_Shape):
    """Layers that see only the last `tokens`; every `full_every`-th layer sees all, none if 0."""

    tokens: Count
    full_every: Annotated[int, Field(ge=0)]


class ModelShape(_Shape):
    """One model.

    Attributes:
        parameters_b: published parameter count, billions.
        active_parameters_b: parameters one token uses, billions; `parameters_b` for a dense model.
        intermediate: inner width of the (dense) feed-forward block.
        max_context: tokens.
        gated: the feed-forward block has three matrices (SwiGLU and the like), not two.
        bias: which linear layers have one.
        norms_per_layer: norms over the hidden width; qk_norm: further ones over each query and key head.
        released_in: number format of the published weights; `fp16` stands for any of 16 bits.
        source: address of the published configuration.
    """

    id: Annotated[str, Field(pattern=r"^[a-z0-9.\-]+$")]
    name: str
    aliases: tuple[str, ...] = ()
    parameters_b: Annotated[float, Field(gt=0)]
    active_parameters_b: Annotated[float, Field(ge=0)] = 0.0
    layers: Count
    hidden: Count
    heads: Count
    kv_heads: Count
    head_dim: Count
    intermediate: Count
    vocab: Count
    max_context: Count
    attention: Literal["mha", "gqa", "mqa", "mla"]
    tied_embeddings: bool = False
    gated: bool = True
    bias: Literal["none", "qkv", "all"] = "none"
    qk_norm: bool = False
    norms_per_layer: Count = 2
    attention_sinks: bool = False
    released_in: Literal["fp16", "fp8", "mxfp4"] = "fp16"
    sliding_window: SlidingWindow | None = None
    moe: Experts | None = None
    mla: LatentAttention | None = None
    source: str

    @property
    def active_b(self) -> float:
        """Parameters one token uses, billions."""
        return self.active_parameters_b or self.parameters_b

    @property
    def kv_elements_per_token(self) -> int:
        """Numbers the KV cache keeps for one token, over all layers (sliding windows not regarded)."""
        if self.mla is not None:
            return self.layers * (self.mla.kv_lora_rank + self.mla.qk_rope_head_dim)
        return 2 * self.layers * self.kv_heads * self.head_dim

    @property
    def sliding_layers(self) -> int:
        """Layers with a sliding window."""
        if self.sliding_window is None:
            return 0
        every = self.sliding_window.full_every
        return self.layers - (self.layers // every if every else 0)

    @cached_property
    def count(self) -> ParameterCount:
        """Parameters by part, as they follow from the shape."""
        return count_parameters(self)

    @property
    def parameters_from_shape(self) -> int:
        """Parameter count that follows from the shape."""
        return self.count.total

    @property
    def active_parameters_from_shape(self) -> int:
        """Parameters one token uses, as they follow from the shape."""
        return self.count.active

    @model_validator(mode="after")
    def _agrees_with_its_parameter_count(self) -> Self:
        if (self.attention == "mla") != (self.mla is not None):
            raise ValueError("`attention: mla` and `mla` go together")
        counted = self.parameters_from_shape / 1e9
        if abs(counted - self.parameters_b) > _TOLERANCE * self.parameters_b:
            raise ValueError(f"the shape gives {counted:.2f} B parameters, the record says {self.parameters_b:g} B")
        most = self.active_parameters_from_shape / 1e9
        least = most - 2 * self.vocab * self.hidden / 1e9  # some publishers leave the embeddings out
        if self.moe and not least * (1 - _ACTIVE_TOLERANCE) <= self.active_b <= most * (1 + _ACTIVE_TOLERANCE):
            raise ValueError(f"the shape gives {most:.2f} B active parameters, the record says {self.active_b:g} B")
        return self


@dataclass(frozen=True, slots=True)
class ModelMention:
    """A model's name in a text, at `text[start:end]`."""

    start: int
    end: int
    text: str
    shape: ModelShape


class ModelShapes:
    """All recorded models, found by id or by what people call them."""

    def __init__(self, shapes: tuple[ModelShape, ...]) -> None:
        self._by_id = {shape.id: shape for shape in shapes}
        names = [(name, shape) for shape in shapes for name in _names(shape)]
        self._by_name = {_key(name): shape for name, shape in names}
        spellings = sorted({_spelling(name) for name, _ in names}, key=lambda s: (-len(s), s))
        self._pattern = re.compile(
            rf"(?<![a-z0-9.])(?:{'|'.join(spellings) or '(?!)'})(?![a-z0-9]|\.\d|{_OTHER_MODEL})"
        )

    @classmethod
    def load(cls, folder: Path | None = None) -> Self:
        """The models of a folder, or those that come with gpukb.

        Raises:
            CatalogError: a record is malformed; names file and model.
        """
        folder = folder or builtin_folder() / "models"
        shapes: list[ModelShape] = []
        for path in sorted(folder.glob("*.yaml")):
            rows = yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)
            shapes.extend(_shape(row, path) for row in rows)
        return cls(tuple(shapes))

    @property
    def shapes(self) -> Mapping[str, ModelShape]:
        """Every model by id."""
        return MappingProxyType(self._by_id)

    def find(self, name: str) -> ModelShape:
        """The model of that name; case, spaces and hyphens do not matter.

        Raises:
            NotFoundError: no such model is recorded.
        """
        shape = self._by_name.get(_key(name))
        if shape is None:
            raise NotFoundError(f"The shape of the model {name!r} is not recorded.", "Give its shape instead.")
        return shape

    def mentioned(self, text: str) -> tuple[ModelMention, ...]:
        """The models named in a text, in order; of overlapping names the longest counts."""
        folded = text.lower()
        if len(folded) != len(text):  # a character whose lower case is longer
            folded = text
        return tuple(
            ModelMention(m.start(), m.end(), text[m.start() : m.end()], self._by_name[_key(m.group())])
            for m in self._pattern.finditer(folded)
            if _key(m.group()) in self._by_name
        )


def _shape(row: object, path: Path) -> ModelShape:
    name = row.get("id", "?") if isinstance(row, dict) else "?"
    try:
        return ModelShape.model_validate(row)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"])
        problem = first["msg"].removeprefix("Value error, ")
        raise CatalogError(
            f"{path.name}: {name} {place + ' ' if place else ''}{problem}.", "Compare it with the model's config.json."
        ) from error


def _names(shape: ModelShape) -> list[str]:
    """What a model is called, its family in Chinese too."""
    names = [shape.id, shape.name, *shape.aliases]
    for family, chinese in _CHINESE.items():
        names += [word + name[len(family) :] for name in names if fold(name).startswith(family) for word in chinese]
    return names


def _spelling(name: str) -> str:
    """A pattern for a name, whatever stands between its words."""
    words = re.findall(r"[a-z]+|\d+(?:\.\d+)?[a-z]?|[^\x00-\x7f]+", fold(name))
    return r"[\s\-_]*".join(re.escape(word) for word in words)


def _key(name: str) -> str:
    return re.sub(r"[\s\-_]+", "", fold(name))

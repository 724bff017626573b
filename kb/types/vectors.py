"""Vectors, and what decides them."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Vectors = NDArray[np.float32]
"""Shape (n, dim), rows of unit length."""


@dataclass(frozen=True, slots=True)
class EmbeddingInfo:
    """All that decides what vectors a model makes; two equal fingerprints make interchangeable vectors.

    Attributes:
        model: name, for example `intfloat/multilingual-e5-small`.
        revision: of the weights; for local files a checksum.
        dim: width of a vector.
        max_tokens: window of the model, special tokens and prefix included.
        query_prefix, passage_prefix: put before each text.
        pooling: `mean`, `cls` or `model` (the model decides).
        normalised: whether vectors have unit length.
        metric: how vectors compare.
    """

    model: str
    revision: str
    dim: int
    max_tokens: int
    query_prefix: str = ""
    passage_prefix: str = ""
    pooling: str = "mean"
    normalised: bool = True
    metric: Literal["inner_product"] = "inner_product"

    @property
    def fingerprint(self) -> str:
        """16 hexadecimal digits over every attribute."""
        return hashlib.sha256(repr(self).encode()).hexdigest()[:16]

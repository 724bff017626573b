"""What an embedding model says of texts that have nothing to do with each other.

Cosines of e5 crowd into 0.7–1.0, those of other models elsewhere; and a question's vector carries its language as much
as its topic. A list of everyday questions, the same in both languages, shows both for any model: the cosine between
unrelated texts is where scores begin to mean something, and the mean vector of a language's questions is what must be
taken away before a question can be compared with passages in the other language.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import resources
from typing import Final

import numpy as np
import yaml
from numpy.typing import NDArray

from kb.embeddings.base import Embedder
from kb.types import Language

_FILE: Final = "everyday_questions.yaml"
_HIGHEST_FLOOR: Final = 0.95


@dataclass(frozen=True, slots=True)
class Background:
    """Of one embedding model.

    Attributes:
        cosine_floor: mean cosine between different questions in different languages, at least 0.
        question_means: mean vector of each language's questions.
        passage_means: the same of the texts as passages, for corpora too small to have a mean of their own.
    """

    cosine_floor: float
    question_means: Mapping[Language, NDArray[np.float32]]
    passage_means: Mapping[Language, NDArray[np.float32]]

    @classmethod
    def measure(cls, embedder: Embedder) -> Background:
        """Embed the everyday questions (64 of them, twice: about a second on one CPU core)."""
        chinese, english = everyday_questions()
        zh, en = embedder.embed_queries(chinese), embedder.embed_queries(english)
        cosines = zh @ en.T
        pairs = cosines[~np.eye(len(cosines), dtype=bool)]
        floor = min(max(float(pairs.mean()), 0.0), _HIGHEST_FLOOR)
        return cls(
            floor,
            {"zh": zh.mean(axis=0), "en": en.mean(axis=0)},
            {
                "zh": embedder.embed_passages(chinese).mean(axis=0),
                "en": embedder.embed_passages(english).mean(axis=0),
            },
        )

    def relevance(self, cosines: NDArray[np.float32]) -> NDArray[np.float32]:
        """Cosines as 0–1: 0 for unrelated texts (and all below), 1 for equal ones."""
        above = (cosines - self.cosine_floor) / (1 - self.cosine_floor)
        return np.asarray(np.clip(above, 0, 1), np.float32)


def everyday_questions() -> tuple[list[str], list[str]]:
    """The Chinese ones and the same in English."""
    data = yaml.safe_load(resources.files("kb.retrieval").joinpath(_FILE).read_text("utf-8"))
    return data["zh"], data["en"]

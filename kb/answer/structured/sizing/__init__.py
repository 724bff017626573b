"""What a language model needs and how fast cards run it, answered from formulas over the catalogue.

Every number is derived from what the answer shows: the model's shape, the number format, the cards' figures.
"""

from __future__ import annotations

from kb.answer.structured.sizing.answer import size

__all__ = ["size"]

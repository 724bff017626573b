"""Conditions read out of words, in Chinese and English; whatever is not read is said."""

from __future__ import annotations

from kb.selection.interpretation.reader import ConstraintReader, Interpretation

__all__ = ["ConstraintReader", "Interpretation"]

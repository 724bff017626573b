"""Answers composed from the catalogue, and the wording of answers that give no figure."""

from __future__ import annotations

from kb.answer.phrases import capability, greeting, refusal
from kb.answer.structured.composer import StructuredComposer

__all__ = ["StructuredComposer", "capability", "greeting", "refusal"]

"""Answers composed from the catalogue."""

from __future__ import annotations

from kb.answer.structured.composer import StructuredComposer

__all__ = ["StructuredComposer"]

"""The fact gate: every number of a text, and every named kind of memory, architecture and the like, held against facts.

`FactChecker` reads any text: a sentence, a deck, a table, another model's answer. It finds each number, says what it
claims (card, field, value, unit, qualifier) and whether the catalogue bears that out.
"""

from __future__ import annotations

from kb.answer.gate.checker import MAX_CHECKED, FactChecker
from kb.answer.gate.model import CheckedFact, CheckedText, CheckSummary, CheckVerdict

__all__ = ["MAX_CHECKED", "CheckSummary", "CheckVerdict", "CheckedFact", "CheckedText", "FactChecker"]

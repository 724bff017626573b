"""Understanding a question: which cards, which fields, which figures, and what kind of answer it wants."""

from __future__ import annotations

from collections.abc import Sequence

from kb.answer.question.model import (
    Amount,
    Chip,
    Claim,
    Condition,
    Conversion,
    Group,
    Intent,
    Question,
    Superlative,
    Workload,
)
from kb.answer.question.reader import QuestionReader
from kb.specs.catalog import Catalog
from kb.specs.names import NameResolver
from kb.types import Language, Turn

__all__ = [
    "Amount",
    "Chip",
    "Claim",
    "Condition",
    "Conversion",
    "Group",
    "Intent",
    "Question",
    "QuestionReader",
    "Superlative",
    "Workload",
    "understand",
]


def understand(
    question: str,
    history: Sequence[Turn],
    catalog: Catalog,
    resolver: NameResolver,
    language: Language | None = None,
) -> Question:
    """Read one question. Building a reader costs milliseconds: keep a `QuestionReader` to read many."""
    return QuestionReader(catalog, resolver).read(question, history, language)

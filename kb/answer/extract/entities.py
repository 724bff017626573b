"""Which names of a question some texts lack: a passage on the topic that speaks of another card answers nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from kb.answer.extract.terms import Text
from kb.retrieval.query import code_key, codes_in
from kb.text import fold

_VERSION: Final = re.compile(
    r"(?<![\d.\w])v?(\d+(?:\.\d+)+)(?![\d.])(?!\s*(?:gb|tb|tflops|w|%|倍|x\b|ms|b\b))", re.IGNORECASE
)
_YEAR: Final = re.compile(r"(?<![\da-z])((?:19|20)\d\d)(?!\d)(?=\s*年|\b)")


def missing_entities(question: str, texts: Iterable[str | Text]) -> tuple[str, ...]:
    """Card and part numbers, versions and years of a question that stand in none of the texts.

    Args:
        question: as asked.
        texts: of passages with their titles, headings and captions.
    """
    wanted = entities_of(question)
    if not wanted:
        return ()
    read = [Text.of(text) if isinstance(text, str) else text for text in texts]
    return tuple(entity for entity in wanted if not any(holds(text, entity) for text in read))


def entities_of(question: str) -> tuple[str, ...]:
    """The names that an answer must be about, as they are compared."""
    folded = fold(question)
    versions = versions_in(question)
    years = (match.group(1) for match in _YEAR.finditer(folded))
    return tuple(dict.fromkeys((*codes_in(question), *versions, *years)))


def versions_in(question: str) -> tuple[str, ...]:
    """Versions that a question names."""
    return tuple(dict.fromkeys(match.group(1) for match in _VERSION.finditer(fold(question))))


def holds(text: Text, entity: str) -> bool:
    """Whether a text names an entity."""
    if entity in text.latin or (entity.endswith("s") and entity[:-1] in text.latin):
        return True
    if entity[-1:].isalpha():
        return entity in code_key(text.folded)
    return re.search(rf"(?<![\w.]){re.escape(entity)}(?!\d|\.\d)", text.folded) is not None

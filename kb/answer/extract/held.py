"""Whether the documents of an answer hold what the question is about: a passage on the subject may be on another's."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from kb.answer.extract.aspects import Asked
from kb.answer.extract.entities import versions_in
from kb.answer.extract.passage import Passage
from kb.answer.extract.picked import Run
from kb.answer.extract.terms import RARE

_MOST_LACKING: Final = 0.16
"""Of the question's weight: names that its answer's documents may lack, as another word may stand for one."""
_QUANTITY: Final = re.compile(r"\d+(?:\.\d+)?[kmgt]b?")


def lacking(asked: Asked, runs: Sequence[Run]) -> tuple[str, ...]:
    """Versions and names of the question that stand in none of the documents an answer is taken from.

    Names are acronyms, foreign words in a Chinese question, and amounts such as `512K`.
    """
    passages = {run.candidates[0].passage.chunk.chunk_id: run.candidates[0].passage for run in runs}.values()
    versions = versions_in(asked.text)
    absent = tuple(version for version in versions if not any(_stands_in(passage, version) for passage in passages))
    if absent or len(asked.aspects) > 1:  # of several parts one may be answered
        return absent
    lost = {number for number in _names(asked) if not any(_names_it(passage, asked, number) for passage in passages)}
    weight = sum(asked.weights[number] for number in lost)
    if weight < _MOST_LACKING * float(asked.weights.sum()):
        return ()
    return tuple(asked.terms[number].text for number in sorted(lost))


def _names(asked: Asked) -> Iterator[int]:
    amounts = (number for number in asked.names if _QUANTITY.fullmatch(asked.terms[number].text))
    for number in {*asked.acronyms, *amounts}:
        if asked.weights[number] >= RARE:
            yield number


def _names_it(passage: Passage, asked: Asked, number: int) -> bool:
    term = asked.terms[number]
    return term.stands_in(passage.text) or term.stands_in(passage.headings) or _stands_in(passage, term.text)


def _stands_in(passage: Passage, name: str) -> bool:
    """Whether a name stands anywhere in a passage's document, or in the document's name."""
    if name in passage.text.latin:
        return True
    pattern = re.compile(rf"(?<![a-z0-9]){re.escape(name)}", re.IGNORECASE)
    return any(pattern.search(text) for text in (passage.title_text.folded, passage.source))

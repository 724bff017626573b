"""Whether the documents of an answer hold what the question is about: a passage on the subject may be on another's."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from kb.answer.extract.aspects import Asked
from kb.answer.extract.entities import versions_in
from kb.answer.extract.passage import Passage
from kb.answer.extract.picked import Run
from kb.answer.extract.terms import RARE
from kb.text import fold

_MOST_LACKING: Final = 0.16
"""Of the question's weight: names that its answer's documents may lack, as another word may stand for one."""
_TELLING: Final = 2.5
"""Least weight of a word without which a row says nothing to the question."""
_AMOUNT: Final = re.compile(r"\d+(?:\.\d+)?[km]")


def lacking(asked: Asked, runs: Sequence[Run]) -> tuple[str, ...]:
    """Versions and names of the question that stand in none of the documents an answer is taken from.

    Names are acronyms, foreign words in a Chinese question, and amounts such as `512K`.
    """
    passages = {run.candidates[0].passage.chunk.chunk_id: run.candidates[0].passage for run in runs}.values()
    versions = versions_in(asked.text)
    absent = tuple(version for version in versions if not any(stands_in(passage, version) for passage in passages))
    if absent:
        return absent
    if len(asked.aspects) > 1:  # of several parts one may be answered, but not without what the first is about
        first = (number for number in _names(asked) if asked.aspects[0].focus[number])
        return tuple(
            asked.terms[number].text
            for number in first
            if not any(_names_it(passage, asked, number) for passage in passages)
        )
    if foreign := _foreign_to_rows(asked, runs):
        return foreign
    lost = {number for number in _names(asked) if not any(_names_it(passage, asked, number) for passage in passages)}
    weight = sum(asked.weights[number] for number in lost)
    if weight < _MOST_LACKING * float(asked.weights.sum()) and not _is_other_amount(asked, runs, lost):
        return ()
    return tuple(asked.terms[number].text for number in sorted(lost))


def _foreign_to_rows(asked: Asked, runs: Sequence[Run]) -> tuple[str, ...]:
    """Foreign words of a Chinese question that nothing holds where a table row answers: no row, passage or title."""
    if asked.language != "zh" or runs[0].candidates[0].unit.row is None:
        return ()
    items = [item for run in runs for item in run.candidates]
    around = [text for item in items for text in (item.unit.context, item.passage.text, item.passage.title_text)]
    named = (asked.terms[number] for number in sorted(asked.acronyms) if asked.weights[number] >= _TELLING)
    return tuple(
        term.text for term in named if not any(term.share_in(text) or term.text in text.folded for text in around)
    )


def _is_other_amount(asked: Asked, runs: Sequence[Run], lost: Iterable[int]) -> bool:
    """Whether another row of a table of amounts was taken for the one asked about: `256K` for `512K`."""
    row = runs[0].candidates[0].unit.row if runs else None
    if row is None or not _AMOUNT.fullmatch(fold(row.label)):
        return False
    return any(_AMOUNT.fullmatch(asked.terms[number].text) for number in lost)


def _names(asked: Asked) -> Iterator[int]:
    yield from (number for number in asked.acronyms if asked.weights[number] >= RARE)
    yield from (number for number in asked.names if _AMOUNT.fullmatch(asked.terms[number].text))


def _names_it(passage: Passage, asked: Asked, number: int) -> bool:
    term = asked.terms[number]
    return term.stands_in(passage.text) or term.stands_in(passage.headings) or stands_in(passage, term.text)


def stands_in(passage: Passage, name: str) -> bool:
    """Whether a name stands anywhere in a passage's document, or in the document's name."""
    if name in passage.text.latin:
        return True
    pattern = re.compile(rf"(?<![a-z0-9]){re.escape(name)}", re.IGNORECASE)
    return any(pattern.search(text) for text in (passage.title_text.folded, passage.source))

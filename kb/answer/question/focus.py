"""The clauses of a question that ask, apart from what is told before and after them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kb.answer.question.clauses import Clause, is_open
from kb.answer.question.reading import Reading, unexplained_weight

_FAMILIAR = 2.0
"""Words without an explanation, below which a clause is understood."""
_ASKING = ("why", "how", "explain", "document", "compare", "other_field", "not_held", "filter")
_QUESTION_MARK = re.compile(r"[?？]")


def focus(reading: Reading) -> None:
    """Leave what is only told out of a question ("sorry to bother you, … , what was the TDP again").

    Only where a clause that is understood asks for fields, and none that is not understood asks for anything.
    """
    if unexplained_weight(reading.unexplained) < _FAMILIAR or not reading.cards:
        return
    strange = [clause for clause in reading.clauses if _weight(clause, reading.unexplained) >= _FAMILIAR]
    if any(_asks(reading, clause) for clause in strange):
        return
    told = {key for key, at in reading.asked.at.items() if any(_holds(clause, at) for clause in strange)}
    if not strange or len(told) == len(reading.asked.at):
        return
    for key in told:
        reading.asked.drop(key)
    reading.unexplained = ()


def _weight(clause: Clause, words: Sequence[str]) -> float:
    return unexplained_weight([word for word in words if word in clause.text])


def _holds(clause: Clause, at: int) -> bool:
    return clause.start <= at < clause.end


def _asks(reading: Reading, clause: Clause) -> bool:
    if clause.has(*_ASKING) or clause.asks_yes_no or is_open(clause):
        return True
    return _QUESTION_MARK.match(reading.folded, clause.start + len(clause.text)) is not None

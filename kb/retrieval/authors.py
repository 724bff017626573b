"""Documents that a question calls by who wrote them: `in Fan's book`, `樊哲勇的书里`.

Their names seldom say it, their pages do: a name that stands in the pages of one document or two tells these.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kb.retrieval.view import GenerationView
from kb.text import CJK, bigrams, words

_MOST: Final = 2
_WORK_EN: Final = r"(?:book|article|guide|tutorial|blog|post|paper|thesis|report|notes)"
_WORK_ZH: Final = r"(?:书|教材|教程|文章|博客|论文|报告|笔记)"
_CUES: Final = (
    re.compile(
        rf"(?:^|[，。,；;在据])\s*(?P<name>[{CJK}]{{2,4}}?)(?:写|著)?(?:的那本|那本|这本|的)\w{{0,8}}?{_WORK_ZH}"
    ),
    re.compile(rf"\b(?P<name>[A-Z]\w+(?: [A-Z]\w+)?)['’]s (?:[\w-]+ ){{0,3}}{_WORK_EN}\b"),
    re.compile(rf"\b{_WORK_EN} (?:written )?by (?P<name>[A-Z]\w+(?: [A-Z]\w+)?)"),
)


def documents_by_author(view: GenerationView, question: str) -> tuple[int, ...]:
    """Numbers of the documents; empty where the question calls none so, or nobody or many of them hold the name."""
    found: dict[int, None] = {}
    for cue in _CUES:
        for match in cue.finditer(question):
            documents = np.unique(view.generation.chunks.documents[_rows_with(view, match.group("name"))])
            if 0 < len(documents) <= _MOST:
                found.update(dict.fromkeys(map(int, documents)))
    return tuple(found)


def _rows_with(view: GenerationView, name: str) -> NDArray[np.int64]:
    """Passages that hold a name."""
    lexical, rows = view.generation.lexical, np.arange(len(view))
    held = np.ones(len(rows), np.bool_)
    for leg, terms in ((lexical.bigrams, bigrams(name)), (lexical.words, words(name) if name.isascii() else ())):
        for term in terms:
            held &= leg.holds(term, rows)
    return np.flatnonzero(held)

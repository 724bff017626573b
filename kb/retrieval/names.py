"""What documents are called, and which ones a question names.

A question that names a document ("in the device plugin README, …", "《…》里…") is answered from it alone. Precision
comes first: only a turn of phrase that points at a document counts, and only if nearly all of the name it gives is
found in the names of a few documents.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from kb.index.documents import DocumentSummary
from kb.text import fold, words

_KIND_LIST = """
    readme doc docs document documents documentation guide manual handbook page table list csv article book blog file
    spreadsheet spec specs specification markdown md html htm txt json yaml yml rst pdf docx index src source sources
    static site pages zh en cn github com io user blob main master report post
    文档 手册 指南 文章 页面 表格 这本 那本 书 文件 列表 教程 博客 说明 里 中 的 这 那 本 篇 份
"""
_KIND_WORDS: Final = frozenset(_KIND_LIST.split())

_KIND_EN: Final = (
    r"(?:readme|docs?|documentation|document|guide|manual|handbook|page|table|list|csv|article|book|blog|file|"
    r"spreadsheet|spec(?:ification)?|markdown|release notes|faq|README|CSV|FAQ)\b"
)
_KIND_ZH: Final = (
    r"(?:文档|手册|指南|那本.{0,6}书|这本.{0,6}书|的书|教程|README|文章|博客|页面|CSV|csv|白皮书|官方说明)"
)
_WORDS: Final = r"[\w .+/'-]"
_TEXT_ZH: Final = r"[^，。,；;？?]"
_CUES: Final = tuple(
    re.compile(cue.replace("NAME", "?P<name>"))
    for cue in (
        r"《(NAME[^》]{2,60})》",
        rf"(?:^|[，。,；;])\s*(?:在|根据|按照?|据)?(NAME{_TEXT_ZH}{{2,30}}?{_KIND_ZH})(?:里|中|上|内|给出|说|的说明|提到)",
        rf"(?:^|[，。,；;])\s*(?:在|根据|按照?)?(NAME{_TEXT_ZH}{{2,24}}?)(?:里|中|上)?(?:说|提到|给出|写|列出|推荐|所说)的",
        rf"(?:根据|按照)(NAME{_TEXT_ZH}{{2,30}}?)(?:[，,]|的(?:说明|文档|介绍|说法))",
        rf"(?i:\b(?:in|from|per|of|on|by)\s+(?:the|this|your|their)\s+(NAME{_WORDS}{{2,60}}?)\s+{_KIND_EN})",
        rf"\b(?:in|from|In|From|per|Per)\s+(NAME[A-Z0-9][\w.+/-]*(?: [\w.+/-]+){{0,4}}?)\s+{_KIND_EN}",
        rf"(?i:\b(?:does|do|did|is|are)\s+the\s+(NAME{_WORDS}{{2,50}}?)\s+{_KIND_EN})",
        rf"(?i:\baccording to\s+(?:the\s+)?(NAME{_WORDS}{{2,60}}?)(?:[,?]|$))",
        rf"(?i:^in\s+(?:the\s+)?(NAME{_WORDS}{{2,50}}?),)",
        rf"^(NAME[A-Za-z]{_WORDS}{{3,40}}?):\s",
    )
)
"""Turns of phrase that point at a document."""

_NEEDED_SHARE: Final = 0.75
"""Part of a name's weight that a document's own name must hold."""
_MOST_DOCUMENTS: Final = 8
"""A name that fits more documents than this names a topic."""


@dataclass(frozen=True, slots=True)
class DocumentNames:
    """Names of the documents of a generation: the words of their paths and titles."""

    doc_ids: tuple[str, ...]
    _terms: tuple[frozenset[str], ...]
    _documents_with: Counter[str]

    def __init__(self, summaries: Sequence[DocumentSummary]) -> None:
        terms = tuple(frozenset(name_terms(f"{summary.doc_id} {summary.title}")) for summary in summaries)
        object.__setattr__(self, "doc_ids", tuple(summary.doc_id for summary in summaries))
        object.__setattr__(self, "_terms", terms)
        object.__setattr__(self, "_documents_with", Counter(term for document in terms for term in document))

    def named_in(self, question: str) -> tuple[int, ...]:
        """Numbers of the documents that a question names; empty if it names none or a whole shelf of them."""
        if len(self.doc_ids) < 2:
            return ()
        named: list[int] = []
        for phrase in phrases_naming_documents(question):
            documents = self._documents_called(phrase)
            if 0 < len(documents) <= min(_MOST_DOCUMENTS, max(1, len(self.doc_ids) // 3)):
                named.extend(documents)
        return tuple(dict.fromkeys(named))

    def overlap(self, terms: Sequence[str]) -> NDArray[np.float32]:
        """For each document, the part of a question's terms, 0–1 by weight, that stand in its name.

        Only terms that tell few documents apart count.
        """
        wanted = {term for term in terms if 0 < self._documents_with[term] <= self._few}
        result = np.zeros(len(self.doc_ids), np.float32)
        total = sum(self._weight(term) for term in set(terms))
        if wanted and total > 0:
            for number, own in enumerate(self._terms):
                if found := wanted & own:
                    result[number] = sum(self._weight(term) for term in found) / total
        return result

    @property
    def _few(self) -> int:
        return max(2, len(self.doc_ids) // 20)

    def _documents_called(self, phrase: str) -> list[int]:
        terms = set(name_terms(phrase))
        weight = {term: self._weight(term) for term in terms}
        total = sum(weight.values())
        if not any(0 < self._documents_with[term] <= self._few for term in terms):
            return []
        shares = [sum(weight[term] for term in terms & own) / total for own in self._terms]
        best = max(shares)
        return [number for number, share in enumerate(shares) if share >= max(_NEEDED_SHARE, best - 1e-6)]

    def _weight(self, term: str) -> float:
        return math.log(1 + len(self.doc_ids) / (1 + self._documents_with[term]))


def phrases_naming_documents(question: str) -> Iterator[str]:
    """What a question calls the documents it points at, whether they exist or not."""
    seen: set[str] = set()
    for cue in _CUES:
        for match in cue.finditer(question):
            name = match.group("name")
            if name not in seen:
                seen.add(name)
                yield name


def name_terms(text: str) -> list[str]:
    """The words of a document's path or title that tell it apart."""
    separated = re.sub(r"[/+_.\-()\[\]]+", " ", fold(text))
    return [term for term in words(separated) if term not in _KIND_WORDS and not term.isspace()]

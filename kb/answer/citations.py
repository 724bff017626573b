"""From a draft to numbered text: `[n]` marks, the citations behind them, and the sources in order of first mark.

A quote is copied from the document's own text, never from what was written about it, so it always stands there
character for character.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

from kb.answer.draft import DraftCell, DraftFact, DraftTable, Evidence, Sentence, Support
from kb.types import Cell, Citation, Fact, Row, Source, Table

DocumentText = Callable[[str], str]
"""Gives the text of a document by its id, a card's sheet included."""

_CLOSING = "。！？；.!?;:："


@dataclass(frozen=True, slots=True)
class NumberedPart:
    """One part of a draft as readers get it; `text` ends with what separates it from the next part."""

    text: str
    citations: tuple[Citation, ...]
    facts: tuple[Fact, ...]
    table: Table | None = None


@dataclass(slots=True)
class CitationNumbers:
    """Gives each piece of evidence its number, in order of first mark.

    The lines of one card's sheet are one source, so that a table about two cards needs two numbers; the source shows
    the lines that are cited, and each citation quotes its own.

    Attributes:
        generation: part of every source id, so that an id never means another passage after a rebuild.
    """

    generation: str
    document_text: DocumentText
    _cited: dict[str, dict[str, Evidence]] = field(default_factory=dict)
    _ids: dict[str, tuple[int, str]] = field(default_factory=dict)

    @property
    def sources(self) -> tuple[Source, ...]:
        """All that was cited so far, by number."""
        return tuple(_source(list(self._cited[key].values()), *self._ids[key]) for key in self._cited)

    def source_of(self, evidence: Evidence) -> tuple[int, str]:
        """The number and id of the source that some evidence belongs to; a new source gets the next number."""
        key = evidence.doc_id if evidence.kind == "spec" else evidence.key
        if key not in self._cited:
            digest = hashlib.sha256(f"{self.generation}\x00{key}".encode()).hexdigest()[:16]
            self._ids[key] = len(self._cited) + 1, f"src_{digest}"
            self._cited[key] = {}
        self._cited[key].setdefault(evidence.key, evidence)
        return self._ids[key]

    def number(self, parts: Sequence[Sentence | DraftTable], offset: int = 0) -> Iterator[NumberedPart]:
        """Write parts with their marks; the first one begins at `offset` of the answer."""
        for number, part in enumerate(parts, start=1):
            if isinstance(part, DraftTable):
                written = self._table(part, number, offset)
            else:
                written = self._sentence(part, offset)
            offset += len(written.text)
            yield written

    def _sentence(self, sentence: Sentence, offset: int) -> NumberedPart:
        body, tail = _split_closing(sentence.text)
        marks = _Marks(self, body, offset)
        for support in sentence.supports:
            marks.add(support, text_start=offset, text_end=offset + len(body))
        facts = self._facts(sentence.facts, offset)
        return NumberedPart(marks.text + tail + sentence.end, tuple(marks.citations), facts)

    def _table(self, table: DraftTable, number: int, offset: int) -> NumberedPart:
        marks = _Marks(self, f"| {_escape(table.corner)} |", offset)
        facts: list[Fact] = []
        rows: list[Row] = []
        for column in table.columns:
            facts.extend(self._facts(table.head_facts.get(column.key, ()), offset + len(marks.text) + 1))
            marks.text += f" {_escape(f'{column.label} ({column.unit})' if column.unit else column.label)} |"
        marks.text += "\n|" + "---|" * (len(table.columns) + 1) + "\n"
        for row in table.rows:
            facts.extend(self._facts(row.facts, offset + len(marks.text) + len("| ")))
            marks.text += f"| {_escape(row.label)} |"
            cells: dict[str, Cell] = {}
            for column in table.columns:
                cell = row.cells.get(column.key, DraftCell("—"))
                start = offset + len(marks.text) + 1
                marks.text += f" {_escape(cell.text)}"
                end = offset + len(marks.text)
                for support in cell.supports:
                    marks.add(support, text_start=start, text_end=end)
                marks.text += " |"
                facts.extend(self._facts(cell.facts, start))
                source_id = self.source_of(cell.supports[0].evidence)[1] if cell.supports else None
                cells[column.key] = Cell(cell.text, cell.value, cell.unit, cell.qualifier, source_id)
            marks.text += "\n"
            rows.append(Row(row.key, row.label, cells))
        typed = Table(f"tab_{number}", table.title, table.columns, tuple(rows))
        return NumberedPart(marks.text + "\n", tuple(marks.citations), tuple(facts), typed)

    def _facts(self, facts: Sequence[DraftFact], offset: int) -> tuple[Fact, ...]:
        """Facts with their sources, placed in the answer; `offset` is where their piece begins."""
        return tuple(
            Fact(
                fact.gpu_id,
                fact.field,
                fact.value,
                fact.unit,
                fact.qualifier,
                self.source_of(fact.support.evidence)[1] if fact.support else None,
                fact.verdict,
                fact.kind,
                fact.text,
                None if fact.start is None else offset + fact.start,
                None if fact.end is None else offset + fact.end,
            )
            for fact in facts
        )


@dataclass(slots=True)
class _Marks:
    """Text that grows by marks, and the citations for them."""

    numbers: CitationNumbers
    text: str
    offset: int
    citations: list[Citation] = field(default_factory=list)
    _marked: dict[tuple[int, int, str], int] = field(default_factory=dict)

    def add(self, support: Support, *, text_start: int, text_end: int) -> None:
        index, source_id = self.numbers.source_of(support.evidence)
        marker = f"[{index}]"
        place = (text_start, text_end, source_id)
        if place not in self._marked:
            after_fence = self.text.endswith("```")
            self.text += "\n" if after_fence else "" if self.text.endswith("]") else " "
            self._marked[place] = self.offset + len(self.text)
            self.text += marker
        start = self._marked[place]
        quote = support.words(self.numbers.document_text)
        self.citations.append(
            Citation(
                marker,
                source_id,
                start,
                start + len(marker),
                text_start,
                text_end,
                quote,
                support.evidence.doc_id,
                support.quote.start,
                support.quote.end,
            )
        )


def _source(cited: Sequence[Evidence], index: int, source_id: str) -> Source:
    """One source of everything cited from it, in the order of its document."""
    lines = sorted(cited, key=lambda evidence: evidence.start)
    first = lines[0]
    return Source(
        source_id=source_id,
        index=index,
        doc_id=first.doc_id,
        title=first.title,
        kind=first.kind,
        text="\n".join(line.text for line in lines),
        start=first.start,
        end=max(line.end for line in lines),
        section=first.section,
        page=first.page,
        page_end=first.page_end,
        url=first.url,
        doc_version=first.doc_version,
        published=first.published,
        score=first.score,
        contributions=first.contributions,
    )


def _split_closing(text: str) -> tuple[str, str]:
    """Text and its final punctuation, so that a mark stands before the full stop."""
    body = text.rstrip()
    if body.endswith("```"):
        return body, ""
    cut = len(body)
    while cut and body[cut - 1] in _CLOSING:
        cut -= 1
    return body[:cut].rstrip(), body[cut:]


def _escape(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")

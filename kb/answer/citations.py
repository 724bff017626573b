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

    Attributes:
        generation: part of every source id, so that an id never means another passage after a rebuild.
    """

    generation: str
    document_text: DocumentText
    _sources: dict[str, Source] = field(default_factory=dict)

    @property
    def sources(self) -> tuple[Source, ...]:
        """All that was cited so far, by number."""
        return tuple(self._sources.values())

    def source_of(self, evidence: Evidence) -> Source:
        """The numbered source of some evidence; a new one gets the next number."""
        if evidence.key not in self._sources:
            self._sources[evidence.key] = _source(evidence, len(self._sources) + 1, self.generation)
        return self._sources[evidence.key]

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
        return NumberedPart(marks.text + tail + sentence.end, tuple(marks.citations), self._facts(sentence.facts))

    def _table(self, table: DraftTable, number: int, offset: int) -> NumberedPart:
        heads = [table.corner] + [f"{c.label} ({c.unit})" if c.unit else c.label for c in table.columns]
        marks = _Marks(self, _row(heads) + "|" + "---|" * len(heads) + "\n", offset)
        facts: list[Fact] = []
        rows: list[Row] = []
        for row in table.rows:
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
                facts.extend(self._facts(cell.facts))
                source_id = self.source_of(cell.supports[0].evidence).source_id if cell.supports else None
                cells[column.key] = Cell(cell.text, cell.value, cell.unit, cell.qualifier, source_id)
            marks.text += "\n"
            rows.append(Row(row.key, row.label, cells))
        typed = Table(f"tab_{number}", table.title, table.columns, tuple(rows))
        return NumberedPart(marks.text + "\n", tuple(marks.citations), tuple(facts), typed)

    def _facts(self, facts: Sequence[DraftFact]) -> tuple[Fact, ...]:
        return tuple(
            Fact(
                fact.gpu_id,
                fact.field,
                fact.value,
                fact.unit,
                fact.qualifier,
                self.source_of(fact.support.evidence).source_id if fact.support else None,
                fact.verdict,
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
    _seen: set[tuple[int, int, str]] = field(default_factory=set)

    def add(self, support: Support, *, text_start: int, text_end: int) -> None:
        source = self.numbers.source_of(support.evidence)
        if (text_start, text_end, source.source_id) in self._seen:
            return
        self._seen.add((text_start, text_end, source.source_id))
        marker = f"[{source.index}]"
        after_fence = self.text.endswith("```")
        self.text += "\n" if after_fence else "" if self.text.endswith("]") else " "
        start = self.offset + len(self.text)
        self.text += marker
        quote = self.numbers.document_text(support.evidence.doc_id)[support.quote.start : support.quote.end]
        self.citations.append(
            Citation(
                marker,
                source.source_id,
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


def _source(evidence: Evidence, index: int, generation: str) -> Source:
    digest = hashlib.sha256(f"{generation}\x00{evidence.key}".encode()).hexdigest()[:16]
    return Source(
        source_id=f"src_{digest}",
        index=index,
        doc_id=evidence.doc_id,
        title=evidence.title,
        kind=evidence.kind,
        text=evidence.text,
        start=evidence.start,
        end=evidence.end,
        section=evidence.section,
        page=evidence.page,
        page_end=evidence.page_end,
        url=evidence.url,
        doc_version=evidence.doc_version,
        published=evidence.published,
        score=evidence.score,
        contributions=evidence.contributions,
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


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_escape(cell) for cell in cells) + " |\n"


def _escape(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")

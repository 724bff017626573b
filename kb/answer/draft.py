"""An answer before it is numbered: pieces of text, each with the evidence that supports it.

Composers make drafts; `kb.answer.citations` turns a draft into text with `[n]` marks, citations and sources.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from kb.types import AnswerStatus, Column, Contributions, FactKind, Reason, SourceKind, Span, Verdict


@dataclass(frozen=True, slots=True)
class Evidence:
    """A passage, or a line of a card's sheet, that an answer may cite; two with equal `key` are one source.

    Attributes:
        key: identity within the generation, for example a chunk id or `catalog/en/t4#memory_bandwidth_gb_s`.
        doc_id: the document, or `catalog/<language>/<gpu_id>`.
        text: as shown to a reader.
        start, end: where it stands in the document's text.
    """

    key: str
    doc_id: str
    title: str
    kind: SourceKind
    text: str
    start: int
    end: int
    section: str = ""
    page: int | None = None
    page_end: int | None = None
    url: str | None = None
    doc_version: str = ""
    published: str | None = None
    score: float | None = None
    contributions: Contributions = field(default_factory=Contributions)


@dataclass(frozen=True, slots=True)
class Support:
    """The words of some evidence that bear out a piece of an answer.

    Attributes:
        quote: their span in the document's text, inside [evidence.start, evidence.end).
    """

    evidence: Evidence
    quote: Span

    def words(self, document_text: Callable[[str], str]) -> str:
        """The quoted words. A line of a card's sheet holds them itself; else they are read from the document."""
        item = self.evidence
        if item.kind == "spec":
            return item.text[self.quote.start - item.start : self.quote.end - item.start]
        return document_text(item.doc_id)[self.quote.start : self.quote.end]


@dataclass(frozen=True, slots=True)
class DraftFact:
    """One number in a piece of text and what it is.

    Attributes:
        gpu_id, field: what the number says something about; `None` if it is not a catalogue figure.
        verdict: `supported` by the catalogue or the quote, or `derived` by a formula over such facts.
        kind: `figure`, `word`, or what a number is that is no figure: `card`, `format`, `list_number`…
        text: as it stands in the piece, at [start, end); the number gate fills these in.
    """

    gpu_id: str | None
    field: str | None
    value: float | str
    unit: str | None
    qualifier: str | None
    verdict: Verdict
    support: Support | None = None
    kind: FactKind = "figure"
    text: str = ""
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Sentence:
    """A piece of prose. Its marks are put behind it, before its final punctuation's white space.

    Attributes:
        text: Markdown, without marks, with its own punctuation and any leading list sign (`- `).
        end: what follows it: a space, a line break or a blank line.
    """

    text: str
    supports: tuple[Support, ...] = ()
    facts: tuple[DraftFact, ...] = ()
    end: str = ""


@dataclass(frozen=True, slots=True)
class DraftCell:
    """A table cell with its own evidence; its mark stands in the cell."""

    text: str
    value: float | str | None = None
    unit: str | None = None
    qualifier: str | None = None
    supports: tuple[Support, ...] = ()
    facts: tuple[DraftFact, ...] = ()


@dataclass(frozen=True, slots=True)
class DraftRow:
    """A table row: cells by column key; `label` is the first, unnamed column.

    Attributes:
        facts: the numbers of the label, as the number gate finds them.
    """

    key: str
    label: str
    cells: Mapping[str, DraftCell]
    facts: tuple[DraftFact, ...] = ()


@dataclass(frozen=True, slots=True)
class DraftTable:
    """A table; written as Markdown with the row labels first and units in the column heads.

    Attributes:
        head_facts: the numbers of the column heads by column key, as the number gate finds them.
    """

    title: str
    corner: str
    columns: tuple[Column, ...]
    rows: tuple[DraftRow, ...]
    head_facts: Mapping[str, tuple[DraftFact, ...]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Documents:
    """How what documents say joins an answer composed from the catalogue.

    Attributes:
        place: `after` it; `first`; `inside`, before its first table; or `instead` of it.
        names: the passages count only if they, with their titles and headings, name one of these.
        about: and of those only sentences count that hold one of these words; empty lets all count.
    """

    place: Literal["after", "first", "inside", "instead"]
    names: tuple[str, ...]
    about: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Draft:
    """A composed answer or refusal.

    Attributes:
        documents: set if documents may know more: they are searched, and join the draft as it says. `None` leaves
            that to `Question.wants_passages`.
        is_whole: documents have nothing to add, whatever words of the question are left over.
    """

    status: AnswerStatus
    reason: Reason | None
    parts: tuple[Sentence | DraftTable, ...]
    warnings: tuple[str, ...] = ()
    documents: Documents | None = None
    is_whole: bool = False

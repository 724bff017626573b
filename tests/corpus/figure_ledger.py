"""The figures that no card's record has, as `corpus/figures.yaml` accounts for them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from kb.specs.catalog import Catalog
from kb.types import Document
from tests.corpus.quoted_figures import FigureJudge, QuotedFigure
from tests.corpus.written_arithmetic import value_of

KINDS = ("formula", "card", "source", "wrong", "given")
_NUMBER = re.compile(r"\d[\d,]*(?:\.(\d+))?")
_ABOUT = re.compile(r"about|around|约")
_REFERENCE = re.compile(r"@([\w-]+)\.(\w+)")


@dataclass(slots=True)
class Line:
    """Words of a document and why the figure in them is no figure of a card named there.

    Attributes:
        reason: the expression, the card, the source's title, or what it is.
        uses: how many figures it accounted for.
    """

    doc_id: str
    kind: str
    words: str
    reason: str
    uses: int = 0


@dataclass(slots=True)
class Standard:
    """Figures of a standard, where the text is about it."""

    about: re.Pattern[str]
    source: str
    uses: dict[str, int] = field(default_factory=dict)


class Ledger:
    """All lines of the ledger."""

    def __init__(self, data: Mapping[str, Any], catalog: Catalog) -> None:
        self._catalog = catalog
        self._judge = FigureJudge(catalog)
        self.lines = list(_lines(data["documents"]))
        self._standards = [
            Standard(re.compile(row["about"]), row["source"], dict.fromkeys(map(str, row["figures"]), 0))
            for row in data["standards"]
        ]

    def accounts_for(self, figure: QuotedFigure, document: Document) -> str | None:
        """The kind of the line that holds a figure, or `standard`; `None` if nothing does."""
        for line in self.lines:
            if line.doc_id == figure.doc_id and _covers(line.words, figure, document):
                line.uses += 1
                return line.kind
        context = " ".join((figure.words, figure.label, figure.headings))
        for standard in self._standards:
            if figure.text in standard.uses and standard.about.search(context):
                standard.uses[figure.text] += 1
                return "standard"
        return None

    def unused(self) -> list[str]:
        """Lines and standards that no figure needs."""
        unused = [f"{line.doc_id}: {line.words!r} ({line.kind})" for line in self.lines if not line.uses]
        return unused + [f"standards: {text!r}" for s in self._standards for text, uses in s.uses.items() if not uses]

    def faults(self, documents: Mapping[str, Document]) -> list[str]:
        """Lines whose words stand nowhere, whose formula comes to something else, whose card has no such figure."""
        faults = []
        for line in self.lines:
            where = f"{line.doc_id}: {line.words!r}"
            if line.kind not in KINDS:
                faults.append(f"{where}: unknown kind {line.kind}")
            elif line.doc_id not in documents or line.words not in documents[line.doc_id].text:
                faults.append(f"{where}: not in the document")
            elif not line.reason.strip():
                faults.append(f"{where}: no reason")
            elif line.kind == "formula" and not self._comes_to(line):
                faults.append(f"{where}: {line.reason} comes to {self._value(line.reason):.6g}")
            elif line.kind == "card" and not self._judge.has_one_of(line.reason, line.words):
                faults.append(f"{where}: {line.reason} has no such figure")
        return faults

    def _comes_to(self, line: Line) -> bool:
        written = _NUMBER.search(line.words)
        assert written is not None, line
        number = float(written.group().replace(",", ""))
        half = 0.5 * 10 ** -len(written.group(1) or "")
        share = 0.03 if _ABOUT.search(line.words) else 0.01
        return abs(self._value(line.reason) - number) <= max(half, share * number)

    def _value(self, expression: str) -> float:
        return value_of(_REFERENCE.sub(lambda m: repr(self._figure(*m.groups())), expression))

    def _figure(self, card: str, key: str) -> float:
        value = self._catalog.entry(card, key).value
        assert isinstance(value, float), (card, key)
        return value


def _lines(documents: Mapping[str, Any]) -> Iterator[Line]:
    for doc_id, kinds in documents.items():
        for kind, rows in kinds.items():
            for key, value in rows.items():
                if kind == "formula":
                    yield Line(doc_id, kind, str(key), str(value))
                else:
                    yield from (Line(doc_id, kind, str(words), str(key)) for words in value)


def _covers(words: str, figure: QuotedFigure, document: Document) -> bool:
    start = document.text.find(words)
    while start >= 0:
        if start <= figure.start and figure.end <= start + len(words):
            return True
        if figure.start <= start < figure.end and words in figure.text:
            return True
        start = document.text.find(words, start + 1)
    return False

"""The number gate: a figure leaves the service only with something behind it.

Each number of a piece of text is typed. Those that are figures must be borne out by the piece's own facts, by the words
it quotes, or by the question it repeats; others (names, formats, years) must stand in the evidence or the question. It
fails closed: a piece with a number that nothing bears out is left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from kb.answer.draft import Draft, DraftCell, DraftFact, DraftTable, Evidence, Sentence, Support
from kb.errors import RequestError
from kb.quantity import NumberToken, Quantity, convert, number_tokens
from kb.specs.names import NameResolver
from kb.text import fold
from kb.types import Span

DocumentText = Callable[[str], str]

_FIGURES = frozenset({"quantity", "count", "plain"})
_FREE = frozenset({"list_number", "citation"})
_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")
_JOINS_BEFORE = re.compile(r"[0-9a-z.]")
_JOINS = re.compile(r"[0-9a-z]|\.\d")
_EXPONENT = re.compile("(?=[⁰¹²³⁴-⁹])")
_EMPTY_CELL = "—"


@dataclass(slots=True)
class NumberGate:
    """Checks numbers against evidence.

    Attributes:
        document_text: the text of a document by its id, to read quotes from.
        resolver: knows the names of cards; a number inside one is no figure.
    """

    document_text: DocumentText
    resolver: NameResolver

    def verified(self, draft: Draft, question: str) -> tuple[Draft, int]:
        """A draft whose every figure is borne out, and how many pieces were left out for that."""
        asked = _Witness(question)
        parts: list[Sentence | DraftTable] = []
        dropped = 0
        for part in draft.parts:
            if isinstance(part, DraftTable):
                table, blanked = self._table(part, asked)
                parts.append(table)
                dropped += blanked
                continue
            facts = self._facts(part.text, part.facts, part.supports, asked)
            if facts is None:
                dropped += 1
            else:
                parts.append(replace(part, facts=facts))
        return replace(draft, parts=tuple(parts)), dropped

    def facts_in(self, text: str, evidence: Sequence[Evidence], question: str) -> tuple[DraftFact, ...] | None:
        """The figures of generated text with their support in the evidence; `None` if one has none."""
        supports = [Support(item, _whole(item)) for item in evidence]
        return self._facts(text, (), supports, _Witness(question))

    def _table(self, table: DraftTable, asked: _Witness) -> tuple[DraftTable, int]:
        blanked = 0
        rows = []
        for row in table.rows:
            cells: dict[str, DraftCell] = {}
            for key, cell in row.cells.items():
                facts = self._facts(cell.text, cell.facts, cell.supports, asked)
                cells[key] = DraftCell(_EMPTY_CELL) if facts is None else replace(cell, facts=facts)
                blanked += facts is None
            rows.append(replace(row, cells=cells))
        return replace(table, rows=tuple(rows)), blanked

    def _facts(
        self, text: str, facts: Sequence[DraftFact], supports: Sequence[Support], asked: _Witness
    ) -> tuple[DraftFact, ...] | None:
        """The piece's facts and one for each further figure that its quotes bear out; `None` if one has no support."""
        open_tokens = [
            token
            for token in number_tokens(text)
            if token.kind not in _FREE and not any(_is_shown(token, fact) for fact in facts)
        ]
        if not open_tokens:
            return tuple(facts)
        found = list(facts)
        quotes = [(support, _Witness(self._quote(support))) for support in supports]
        names: Sequence[Span] | None = None
        for token in open_tokens:
            support = next((support for support, quote in quotes if quote.bears_out(token)), None)
            if support is not None:
                if token.kind in _FIGURES and token.quantity is not None:
                    found.append(_quoted(token.quantity, support))
            elif not asked.bears_out(token):
                names = self._names(text) if names is None else names
                if not any(name.start <= token.start and token.end <= name.end for name in names):
                    return None
        return tuple(found)

    def _names(self, text: str) -> Sequence[Span]:
        """Where known cards are named."""
        return [Span(m.start, m.end) for m in self.resolver.resolve(text) if m.status != "unknown"]

    def _quote(self, support: Support) -> str:
        return self.document_text(support.evidence.doc_id)[support.quote.start : support.quote.end]


class _Witness:
    """A text that may bear out numbers; typed only if the plain look does not settle it."""

    def __init__(self, text: str) -> None:
        self._text = _plain(text)
        self._quantities: tuple[Quantity, ...] | None = None

    def bears_out(self, token: NumberToken) -> bool:
        shown = _plain(token.text)
        if self._holds_alone(shown):
            return True
        if token.kind not in _FIGURES or token.quantity is None:
            return shown in self._text
        if self._quantities is None:
            tokens = number_tokens(self._text)
            self._quantities = tuple(t.quantity for t in tokens if t.quantity is not None)
        return any(_same(token.quantity, other.value, other.unit) for other in self._quantities)

    def _holds_alone(self, shown: str) -> bool:
        """Whether the text holds it, not as part of a longer number or word."""
        start = self._text.find(shown)
        while start >= 0:
            if not _JOINS_BEFORE.match(self._text[start - 1 : start]) and not _JOINS.match(
                self._text, start + len(shown)
            ):
                return True
            start = self._text.find(shown, start + 1)
        return False


def _plain(text: str) -> str:
    """Text as figures are compared. An exponent or a full-width comma does not join the numbers beside it."""
    return fold(_EXPONENT.sub("^", _THOUSANDS.sub("", text)))


def _is_shown(token: NumberToken, fact: DraftFact) -> bool:
    """Whether a number is the text of a fact's value, in whatever unit it is written."""
    if token.quantity is None:
        return fold(token.text) in fold(str(fact.value))
    if isinstance(fact.value, str):
        return any(_agrees(token.quantity, float(n.replace(",", ""))) for n in _DIGITS.findall(fact.value))
    return _same(token.quantity, float(fact.value), fact.unit or "")


def _same(shown: Quantity, value: float, unit: str) -> bool:
    if not shown.unit or not unit or shown.unit == unit:
        return _agrees(shown, value)
    try:
        return _agrees(shown, convert(value, unit, shown.unit))
    except RequestError:
        return False


def _agrees(shown: Quantity, value: float) -> bool:
    """Whether a written figure is that value, rounded to the digits it is written with."""
    return any(
        math.isclose(written, value, rel_tol=1e-9, abs_tol=_half_a_digit(shown))
        for written in (shown.value, shown.high)
        if written is not None
    )


def _half_a_digit(shown: Quantity) -> float:
    """Half a unit of the last digit written, in the quantity's canonical unit."""
    match = _DIGITS.search(fold(shown.text))
    if match is None:
        return 0.0
    digits = match.group().replace(",", "")
    decimals = len(digits.partition(".")[2])
    written = float(digits)
    scale = shown.value / written if written else 1.0
    return abs(0.5 * 10.0**-decimals * scale) * 1.000001 if decimals or written >= 10 else 0.0


def _quoted(quantity: Quantity, support: Support) -> DraftFact:
    return DraftFact(
        gpu_id=None,
        field=None,
        value=quantity.value,
        unit=quantity.unit or None,
        qualifier=", ".join(quantity.qualifiers) or None,
        verdict="supported",
        support=support,
    )


def _whole(evidence: Evidence) -> Span:
    return Span(evidence.start, evidence.end)

"""The number gate: a figure leaves the service only with something behind it.

Each number of a piece of text is typed. Those that are figures must be borne out by the piece's own facts, by the words
it quotes, or by the question it repeats; others (names, formats, years) must stand in the evidence or the question. It
fails closed: a piece with a number that nothing bears out is left out. What a chat model wrote is also read by the fact
gate: a figure or a property that the catalogue contradicts is left out, unless the passage quoted says just that.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from kb.answer.draft import Draft, DraftCell, DraftFact, DraftTable, Evidence, Sentence, Support
from kb.answer.gate import CheckedFact, FactChecker
from kb.answer.number_facts import own_fact, placed_word, plain_fact, typed
from kb.answer.witness import Witness
from kb.quantity import NumberToken, number_tokens
from kb.specs.names import NameResolver
from kb.text import fold
from kb.types import Span

DocumentText = Callable[[str], str]

_FREE = frozenset({"list_number", "citation"})
_EMPTY_CELL = "—"


@dataclass(slots=True)
class NumberGate:
    """Checks numbers against evidence.

    Attributes:
        document_text: the text of a document by its id, to read quotes from.
        resolver: knows the names of cards; a number inside one is no figure.
        checker: reads what figures claim and knows the catalogue; `None` leaves it at the evidence.
    """

    document_text: DocumentText
    resolver: NameResolver
    checker: FactChecker | None = None
    _said_by: dict[str, tuple[CheckedFact, ...]] = field(default_factory=dict)

    def verified(self, draft: Draft, question: str) -> tuple[Draft, int]:
        """A draft whose every figure is borne out, and how many pieces were left out for that."""
        asked = Witness(question)
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

    def facts_in(
        self, text: str, evidence: Sequence[Evidence], question: str, before: str = ""
    ) -> tuple[DraftFact, ...] | None:
        """The numbers of generated text with their support in the evidence; `None` if one has none.

        Args:
            text: one sentence.
            evidence: what it cites.
            question: that it answers, whose numbers it may repeat.
            before: what was written before it, which says whom "it" means.
        """
        supports = [Support(item, _whole(item)) for item in evidence]
        facts = self._facts(text, (), supports, Witness(question))
        if facts is None or self.checker is None:
            return facts
        checked = [f for f in self.checker.check(before + text).facts if f.start >= len(before)]
        if any(fact.verdict == "contradicted" and not self._is_quoted(fact, evidence) for fact in checked):
            return None
        return tuple(typed(fact, checked, len(before)) for fact in facts)

    # ------------------------------------------------------------ pieces

    def _table(self, table: DraftTable, asked: Witness) -> tuple[DraftTable, int]:
        blanked = 0
        rows = []
        for row in table.rows:
            cells: dict[str, DraftCell] = {}
            for key, cell in row.cells.items():
                facts = self._facts(cell.text, cell.facts, cell.supports, asked)
                cells[key] = DraftCell(_EMPTY_CELL) if facts is None else replace(cell, facts=facts)
                blanked += facts is None
            rows.append(replace(row, cells=cells, facts=self._label_facts(row.key, row.label)))
        heads = {column.key: self._label_facts(column.key, column.label) for column in table.columns}
        return replace(table, rows=tuple(rows), head_facts=heads), blanked

    def _label_facts(self, key: str, label: str) -> tuple[DraftFact, ...]:
        """The numbers of a row's label or a column's head: of a card's name, or of what the composer calls a field."""
        if not any(character.isdigit() for character in label):
            return ()
        if self.checker is not None and key in self.checker.catalog.gpus:
            return (DraftFact(key, None, label, None, None, "supported", None, "card", label, 0, len(label)),)
        return tuple(plain_fact(token, None) for token in number_tokens(label))

    def _facts(
        self, text: str, facts: Sequence[DraftFact], supports: Sequence[Support], asked: Witness
    ) -> tuple[DraftFact, ...] | None:
        """A fact for each number of a piece, placed; then its named values. `None` if a number has no support."""
        if not all(map(self._is_in_catalogue, facts)):
            return None
        unplaced = list(facts)
        found: list[DraftFact] = []
        quotes: list[tuple[Support, Witness]] | None = None
        names: Sequence[Span] | None = None
        for token in number_tokens(text):
            own = own_fact(token, unplaced, facts)
            if own is not None:
                found.append(own)
                continue
            if quotes is None:
                quotes = [(support, Witness(support.words(self.document_text))) for support in supports]
            support = next((support for support, quote in quotes if quote.bears_out(token)), None)
            if support is None and token.kind not in _FREE and not asked.bears_out(token):
                names = self._names(text) if names is None else names
                if not _is_inside(token, names):
                    return None
                found.append(plain_fact(token, None, "card"))
                continue
            found.append(plain_fact(token, support))
        return (*found, *(placed_word(fact, text) for fact in unplaced if isinstance(fact.value, str)))

    def _is_in_catalogue(self, fact: DraftFact) -> bool:
        """Whether a fact that names its card, field and unit has a figure that the catalogue holds for them."""
        if self.checker is None or fact.gpu_id is None or fact.field is None or not fact.unit:
            return True
        if fact.verdict != "supported" or isinstance(fact.value, str):
            return True
        entry = self.checker.catalog.entry(fact.gpu_id, fact.field)
        held = [bound for figure in (*entry.figures, *entry.rejected) for bound in (figure.low, figure.high)]
        return any(bound is not None and math.isclose(bound, fact.value, rel_tol=1e-9) for bound in held)

    def _names(self, text: str) -> Sequence[Span]:
        """Where known cards are named."""
        return [Span(m.start, m.end) for m in self.resolver.resolve(text) if m.status != "unknown"]

    # ------------------------------------------------------------ what passages say themselves

    def _is_quoted(self, fact: CheckedFact, evidence: Iterable[Evidence]) -> bool:
        """Whether a passage makes the same claim of the same card, right or wrong."""
        return any(_is_same_claim(fact, said) for item in evidence for said in self._said(item))

    def _said(self, item: Evidence) -> tuple[CheckedFact, ...]:
        """What a passage claims, its title and headings over it."""
        if item.key not in self._said_by and self.checker is not None:
            text = f"# {item.title}\n\n## {item.section}\n\n{item.text}"
            self._said_by[item.key] = self.checker.check(text).facts
        return self._said_by.get(item.key, ())


def _is_inside(token: NumberToken, names: Iterable[Span]) -> bool:
    return any(name.start <= token.start and token.end <= name.end for name in names)


def _is_same_claim(one: CheckedFact, other: CheckedFact) -> bool:
    same_value = fold(str(one.value)) == fold(str(other.value)) and one.unit == other.unit
    return same_value and one.field == other.field and bool(set(one.gpu_ids) & set(other.gpu_ids))


def _whole(evidence: Evidence) -> Span:
    return Span(evidence.start, evidence.end)

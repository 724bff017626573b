"""From a text to its words: names, figures and vocabulary found, clause by clause, before anything is decided."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kb.answer.question.card_names import CardNames, is_chip, sort_mentions
from kb.answer.question.chips import ChipNames
from kb.answer.question.clauses import (
    explains,
    split_clauses,
    unexplained_words,
    without_conditions,
    without_things,
)
from kb.answer.question.fields_asked import read_fields
from kb.answer.question.figures import YEAR, Stated, is_figure_of_a_card, operator_of, year_conditions
from kb.answer.question.focus import focus
from kb.answer.question.reading import Reading
from kb.answer.question.scanner import Hit, Tag, blank, fold_in_place
from kb.answer.question.spelling import Spelling
from kb.answer.question.vocabulary import Vocabulary
from kb.answer.question.wrappers import unwrap
from kb.quantity import parse_quantities
from kb.specs.catalog import Catalog
from kb.specs.names import NameResolver

_PCIE_GENERATION = re.compile(r"(?:pcie|pci express|pci-e)\s*(?:gen\s*|第?)?([3-6])(?:\.0)?(?!\d|\.\d)")
_MIG_PROFILE = re.compile(r"(?<![a-z0-9.])(?P<name>[1-8]g\.\d{1,3}gb)(?:\+[a-z]{2,3})?(?![a-z0-9])")
_SIGNS = re.compile(r"['’]s\b")


class TextReader:
    """Reads texts against one catalogue's names and the vocabulary."""

    def __init__(self, catalog: Catalog, resolver: NameResolver, words: Vocabulary) -> None:
        self._words = words
        self.names = CardNames(catalog, resolver, words)
        self._chips = ChipNames(catalog)
        self._spelling = Spelling(words)

    def read(self, text: str) -> Reading:
        """The words of a text."""
        asked, injected = unwrap(text)
        mentions = self.names.find(asked)
        if injected and not mentions:
            asked, mentions = text, self.names.find(text)
        folded = fold_in_place(asked)
        chips = self._chips.find(asked, mentions)
        mentions = tuple(mention for mention in mentions if not is_chip(mention, chips))
        cards, excluded, unknown = sort_mentions(mentions)
        masked = folded
        for start, end in (*((m.start, m.end) for m in mentions), *((c.start, c.end) for c in chips)):
            masked = blank(masked, start, end)
        masked, marks = _mask_pcie(masked)
        for match in _MIG_PROFILE.finditer(masked):
            marks.append(Hit(match.start(), match.end(), match.group(), (Tag("slice", match.group("name")),)))
            masked = blank(masked, match.start(), match.end())
        marks += [Hit(c.start, c.end, c.text, (Tag("chip", c.name),)) for c in chips if c.field == "chip"]
        marks += [Hit(m.start(), m.end(), m.group(), (Tag("year"),)) for m in YEAR.finditer(masked)]
        marks += self.names.vendors_inside(asked, cards)
        # A full-width comma parts figures ("HBM3，3.35TB/s"); folded it would join them.
        parsed = parse_quantities(
            "".join(" " if sign == "，" else char for sign, char in zip(asked, masked, strict=True))
        )
        quantities = [quantity for quantity in parsed if is_figure_of_a_card(quantity)]
        for quantity in parsed:
            ours = quantity in quantities
            masked = blank(masked, quantity.start, quantity.end) if ours else masked
            tag = Tag("quantity" if ours else "other_quantity")
            marks.append(Hit(quantity.start, quantity.end, quantity.text, (tag,)))
        masked = self._spelling.mended(_SIGNS.sub(lambda m: " " * len(m.group()), masked))
        hits = sorted([*self._words.scanner.scan(masked), *marks], key=lambda hit: hit.start)
        hits = self._spelling.mended_hits(masked, hits)
        hits = without_conditions(masked, without_things(masked, hits))
        clauses = split_clauses(masked, hits)
        asking = [clause for clause in clauses if not explains(clause)]
        reading = read_fields(asking, has_cuda_word="cuda" in folded)
        if len(cards) > 1 and not reading.keys:
            # Of several cards, a kind of memory is what they are compared by ("是不是都用 GDDR6").
            reading.add(("memory_type",) if any(hit.is_a("memory_type") for hit in hits) else (), 0)
        stated = []
        for quantity in quantities:
            clause = next(c for c in clauses if c.start <= quantity.start < c.end)
            stated.append(Stated(quantity, clause, operator_of(quantity, clause)))
        found = Reading(
            text=text,
            asked_text=asked,
            folded=masked,
            clauses=clauses,
            cards=cards,
            excluded=excluded,
            unknown=unknown,
            stated=stated,
            asked=reading,
            unexplained=() if injected else unexplained_words(masked, _explaining(hits)),
            injected=injected,
            years=year_conditions(masked),
            chips=chips,
        )
        focus(found)
        return found


def _explaining(hits: Sequence[Hit]) -> list[Hit]:
    """The words that account for a part of a question; some name a topic that only documents know."""
    slices = any(hit.is_a("slice") for hit in hits)
    return [
        hit
        for hit in hits
        if not all(tag.kind == "other_bandwidth" or (tag.kind == "slice_word" and not slices) for tag in hit.tags)
    ]


def _mask_pcie(masked: str) -> tuple[str, list[Hit]]:
    marks: list[Hit] = []
    for match in _PCIE_GENERATION.finditer(masked):
        tags = (Tag("pcie_generation", f"{match.group(1)}.0"), Tag("field", "pcie"))
        marks.append(Hit(match.start(), match.end(), match.group(), tags))
    for mark in marks:
        masked = blank(masked, mark.start, mark.end)
    return masked, marks

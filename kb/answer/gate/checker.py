"""Any text, checked: every number typed and held against the catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from kb.answer.gate.finder import SubjectFinder
from kb.answer.gate.findings import Findings
from kb.answer.gate.invisible import Visible
from kb.answer.gate.layout import pieces_of
from kb.answer.gate.model import CheckedFact, CheckedText
from kb.answer.gate.narration import Narration
from kb.answer.gate.properties import PropertyReader
from kb.answer.gate.reading import ClaimReader
from kb.answer.gate.reasons import ReasonWriter
from kb.answer.gate.scene import Scene
from kb.specs.catalog import Catalog
from kb.specs.names import NameResolver
from kb.text import language_of
from kb.types import Language

MAX_CHECKED = 100_000
"""Characters that a text to be checked may have at every door."""


@dataclass(slots=True)
class FactChecker:
    """Checks texts against a catalogue; immutable after it is made, and safe to share between threads."""

    catalog: Catalog
    resolver: NameResolver
    _finder: SubjectFinder = field(init=False)
    _properties: PropertyReader = field(init=False)
    _findings: Findings = field(init=False)

    def __post_init__(self) -> None:
        self._finder = SubjectFinder(self.catalog, self.resolver)
        self._properties = PropertyReader(self.catalog, self.resolver, self._finder)
        self._findings = Findings(self.catalog, self._finder)

    def check(self, text: str, language: Language | None = None) -> CheckedText:
        """Every number and named property of a text with its verdict.

        Args:
            text: any text: prose, lists, Markdown tables.
            language: of the reasons; the text's own by default.
        """
        writer = ReasonWriter(self.catalog, language or language_of(text))
        seen = Visible(text)
        facts = [seen.placed(fact) for fact in self._check(seen.text, writer)]
        return CheckedText(tuple(sorted(facts, key=lambda fact: (fact.start, fact.end))))

    def _check(self, text: str, writer: ReasonWriter) -> Iterator[CheckedFact]:
        pieces = tuple(pieces_of(text))
        narration = Narration(text, pieces, self._finder)
        for number, piece in enumerate(pieces):
            scene = Scene(text[piece.span.start : piece.span.end], self._finder, narration.around(number))
            claims = ClaimReader(scene, self._finder).read()
            narration.hear(piece, scene, claims)
            for fact in self._findings.of(scene, claims, list(self._properties.claims(scene)), writer):
                yield fact.moved(piece.span.start)

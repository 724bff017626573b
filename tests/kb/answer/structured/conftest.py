from __future__ import annotations

import pytest

from kb.answer.citations import CitationNumbers
from kb.answer.draft import Draft
from kb.answer.question import QuestionReader
from kb.answer.structured import StructuredComposer
from kb.specs.catalog import Catalog
from kb.specs.names import NameResolver
from kb.specs.sheet import sheet, sheet_named
from kb.types import Language


class Answerer:
    """Reads, composes and writes answers from the built-in catalogue."""

    def __init__(self) -> None:
        self.catalog = Catalog.load()
        self.resolver = NameResolver(self.catalog)
        self.reader = QuestionReader(self.catalog, self.resolver)
        self.composer = StructuredComposer(self.catalog)

    def document_text(self, language: Language):
        def text(doc_id: str) -> str:
            named = sheet_named(doc_id)
            assert named is not None
            gpu_id, of_language = named
            return sheet(self.catalog.get(gpu_id), of_language or language).text

        return text

    def written(self, draft: Draft | None, language: Language) -> str:
        if draft is None:
            return ""
        numbers = CitationNumbers("gen-test", self.document_text(language))
        return "".join(part.text for part in numbers.number(draft.parts)).rstrip()

    def ask(self, text: str, history=()):
        question = self.reader.read(text, history)
        draft = self.composer.compose(question)
        return question, draft, self.written(draft, question.language)


@pytest.fixture(scope="session")
def answerer() -> Answerer:
    return Answerer()

"""Answers from the passages of a module's `generation`, without a catalogue and without a chat model."""

import pytest

from kb.answer.citations import CitationNumbers
from kb.answer.grounded import GroundedComposer
from kb.answer.numbers import NumberGate
from kb.answer.question import QuestionReader
from kb.specs.catalog import Catalog
from kb.specs.names import NameResolver
from kb.types import Filters


@pytest.fixture(scope="module")
def find(generation, retriever):
    catalog = Catalog.empty()
    reader = QuestionReader(catalog, NameResolver(catalog))

    def find_answer(question, filters=None, top_k=8):
        return GroundedComposer(generation, retriever).find(reader.read(question, ()), filters or Filters(), top_k)

    return find_answer


@pytest.fixture(scope="module")
def ask(find, generation):
    """The text of an answer as it is sent, its numbers checked; empty for a refusal."""

    def text_of(question):
        finding = find(question)
        if finding.draft is None:
            return ""
        gate = NumberGate(lambda doc_id: generation.documents.get(doc_id).text, NameResolver(Catalog.empty()))
        draft, dropped = gate.verified(finding.draft, question)
        assert not dropped
        numbers = CitationNumbers(generation.name, lambda doc_id: generation.documents.get(doc_id).text)
        return "".join(part.text for part in numbers.number(draft.parts))

    return text_of


@pytest.fixture(scope="module")
def quotes(find, generation):
    """The words of documents that an answer rests on, as they stand there."""

    def quotes_of(question):
        supports = [support for part in find(question).draft.parts for support in part.supports]
        return [
            generation.documents.get(support.evidence.doc_id).text[support.quote.start : support.quote.end]
            for support in supports
        ]

    return quotes_of

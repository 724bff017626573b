"""Every number of an answer is among its facts, in its place, and nothing the composers write is left out."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml

from kb.answer.citations import CitationNumbers
from kb.answer.gate import FactChecker
from kb.answer.numbers import NumberGate
from kb.answer.question import QuestionReader
from kb.answer.structured import StructuredComposer
from kb.quantity import number_tokens
from kb.specs.catalog import Catalog
from kb.specs.names import NameResolver
from kb.specs.sheet import sheet, sheet_named

CASES = Path(__file__).with_name("structured") / "cases.yaml"
QUESTIONS = [case["q"] for cases in yaml.safe_load(CASES.read_text(encoding="utf-8")).values() for case in cases][::3]


class Answers:
    """Answers of the built-in catalogue, with the gate as the service has it."""

    def __init__(self) -> None:
        self.catalog = Catalog.load()
        self.resolver = NameResolver(self.catalog)
        self.reader = QuestionReader(self.catalog, self.resolver)
        self.composer = StructuredComposer(self.catalog)
        self.checker = FactChecker(self.catalog, self.resolver)

    def parts_of(self, text):
        """The question, the numbered parts of its answer, and how many pieces the gate left out."""
        question = self.reader.read(text)
        draft = self.composer.compose(question)
        if draft is None:
            return None, 0

        def document(doc_id):
            gpu_id, language = sheet_named(doc_id)
            return sheet(self.catalog.get(gpu_id), language or question.language).text

        verified, dropped = NumberGate(document, self.resolver, self.checker).verified(draft, text)
        return list(CitationNumbers("gen", document).number(verified.parts)), dropped


@pytest.fixture(scope="module")
def answers():
    return Answers()


@pytest.mark.parametrize("question", QUESTIONS)
def test_every_number_has_its_fact(answers, question):
    parts, dropped = answers.parts_of(question)
    assert dropped == 0
    if parts is None:
        return
    text = "".join(part.text for part in parts)
    facts = [fact for part in parts for fact in part.facts if fact.start is not None]
    assert all(text[fact.start : fact.end] == fact.text for fact in facts)
    covered = {place for fact in facts for place in range(fact.start, fact.end)}
    marks = {place for mark in re.finditer(r"\[\d+\]", text) for place in range(*mark.span())}
    for token in number_tokens(text):
        digits = {token.start + i for i, c in enumerate(token.text) if c.isdigit()}
        assert digits <= covered | marks, f"{token.text!r} in {text!r}"

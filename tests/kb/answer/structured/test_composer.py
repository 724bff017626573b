"""Every row of `cases.yaml`: how a question is understood and what its answer holds."""

from __future__ import annotations

import statistics
import time
from pathlib import Path

import pytest
import yaml

from kb.answer.draft import DraftTable, Sentence
from kb.answer.numbers import NumberGate
from kb.answer.question import QuestionReader
from kb.answer.structured import StructuredComposer
from kb.specs.catalog import Catalog
from kb.specs.names import NameResolver

CASES = [
    (kind, case)
    for kind, cases in yaml.safe_load(Path(__file__).with_name("cases.yaml").read_text(encoding="utf-8")).items()
    for case in cases
]
IDS = [f"{kind}: {case['q'][:48]}" for kind, case in CASES]


@pytest.mark.parametrize(("kind", "case"), CASES, ids=IDS)
def test_understands(answerer, kind, case):
    question, _, _ = answerer.ask(case["q"])
    if "intent" in case:
        assert question.intent == case["intent"]
    if "cards" in case:
        assert sorted(question.gpu_ids) == sorted(case["cards"])
    if "fields" in case:
        assert list(question.fields) == case["fields"]
    if case.get("out_of_scope"):
        assert question.is_clearly_out_of_scope


@pytest.mark.parametrize(("kind", "case"), CASES, ids=IDS)
def test_answers(answerer, kind, case):
    question, draft, text = answerer.ask(case["q"])
    if case.get("none") or case.get("out_of_scope"):
        assert draft is None
        return
    for wanted in case.get("has", ()):
        alternatives = wanted.split("|") if wanted.strip() != "|" else ["|"]
        assert any(alternative in text for alternative in alternatives), f"{wanted} is missing in: {text}"
    for unwanted in case.get("lacks", ()):
        assert unwanted not in text
    for gold in case.get("gold", ()):
        gpu_id, key = gold.split(".", 1)
        assert answerer.catalog.entry(gpu_id, key).figures[0].shown(question.language) in text
    if "status" in case:
        assert draft.status == case["status"]
    if "reason" in case:
        assert draft.reason == case["reason"]


@pytest.mark.parametrize(("kind", "case"), CASES, ids=IDS)
def test_every_number_is_borne_out(answerer, kind, case):
    question, draft, _ = answerer.ask(case["q"])
    if draft is None:
        return
    gate = NumberGate(answerer.document_text(question.language), answerer.resolver)
    verified, dropped = gate.verified(draft, question.text)
    assert dropped == 0
    assert [type(part) for part in verified.parts] == [type(part) for part in draft.parts]


@pytest.mark.parametrize(("kind", "case"), CASES, ids=IDS)
def test_evidence_stands_where_it_says(answerer, kind, case):
    question, draft, _ = answerer.ask(case["q"])
    if draft is None:
        return
    text_of = answerer.document_text(question.language)
    for support in _supports(draft.parts):
        evidence = support.evidence
        assert evidence.kind == "spec"
        assert evidence.key.startswith(f"{evidence.doc_id}#")
        assert text_of(evidence.doc_id)[evidence.start : evidence.end] == evidence.text
        assert evidence.start <= support.quote.start < support.quote.end <= evidence.end


def _supports(parts):
    for part in parts:
        if isinstance(part, Sentence):
            yield from part.supports
            yield from (fact.support for fact in part.facts if fact.support)
        elif isinstance(part, DraftTable):
            for row in part.rows:
                for cell in row.cells.values():
                    yield from cell.supports


def test_answers_in_the_language_asked_for(answerer):
    question = answerer.reader.read("T4 的显存带宽是多少？", (), "en")
    text = answerer.written(answerer.composer.compose(question), question.language)
    assert text == "The memory bandwidth of the T4 is 320 GB/s [1]."


def test_a_figure_of_a_table_has_its_own_evidence(answerer):
    _, draft, _ = answerer.ask("A100 的显存带宽是多少？")
    table = next(part for part in draft.parts if isinstance(part, DraftTable))
    keys = {row.cells["memory_bandwidth_gb_s"].supports[0].evidence.key for row in table.rows}
    assert len(keys) == len(table.rows) == 4


@pytest.mark.parametrize(
    ("text", "place", "name"),
    [
        ("MI400 显存多大", "instead", "MI400"),
        ("T4 和 T40 哪个显存大", "after", "T40"),
        ("GH100 有多少个 SM", "first", "GH100"),
        ("GA102 用在哪些卡上", "after", "GA102"),
        ("T4 和 L4 做视频分析选哪个？", "inside", "L4"),
        ("S4000 的 100 TFLOPS FP16 出自哪里", "after", "S4000"),
        ("How much KV cache per token does DeepSeek-V3 take?", "after", "KV cache"),
        ("DeepSeek-V3 每个 token 的 KV cache 多大？", "after", "KV 缓存"),
        ("32B 模型全参数训练的模型状态要多少显存？", "after", "模型状态"),
    ],
)
def test_documents_that_name_it_may_join(answerer, text, place, name):
    _, draft, _ = answerer.ask(text)
    assert draft.documents.place == place
    assert name in draft.documents.names


@pytest.mark.parametrize("text", ["T4 的显存带宽是多少？", "A10 和 A30 谁的显存带宽高？", "70B FP16 权重要多大显存"])
def test_a_plain_answer_needs_no_documents(answerer, text):
    question, draft, _ = answerer.ask(text)
    assert draft.documents is None
    assert not question.wants_passages


def test_a_catalogue_answer_takes_milliseconds(answerer):
    texts = [case["q"] for _, case in CASES]
    questions = [answerer.reader.read(text) for text in texts]
    for question in questions:
        answerer.composer.compose(question)
    times = []
    for question in questions:
        start = time.perf_counter()
        answerer.composer.compose(question)
        times.append(time.perf_counter() - start)
    assert statistics.median(times) < 0.003


@pytest.mark.parametrize(
    "text", ["A100 的显存带宽是多少？", "显存最大的卡是哪张？", "哪些卡显存不少于 80GB", "What is the fastest GPU?"]
)
def test_without_a_catalogue_documents_answer(text):
    catalog = Catalog.load("none")
    question = QuestionReader(catalog, NameResolver(catalog)).read(text)
    assert question.cards == ()
    assert question.unknown == ()
    assert StructuredComposer(catalog).compose(question) is None


def test_warming_builds_every_record(answerer):
    answerer.composer.warm()
    question = answerer.reader.read("显存不少于 80GB 的卡有哪些")
    start = time.perf_counter()
    answerer.composer.compose(question)
    assert time.perf_counter() - start < 0.25

"""The service over the shipped corpus: the first answer, the corpus's own questions, exact citations."""

from __future__ import annotations

import importlib.util
import json
import random
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from bench.quality.specs import read_questions

ROOT = Path(__file__).resolve().parents[2]
EVAL = ROOT / "corpus" / "eval"
_CITATION_QUESTIONS = 200
_MARK = re.compile(r"\[(\d+)\]")


def pairs() -> list[dict[str, Any]]:
    return [row for path in sorted(EVAL.glob("docs_*.jsonl")) for row in rows_of(path)]


def rows_of(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def load_score(shared: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("score", shared / "eval" / "score.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_first_answer(shipped: Any) -> None:
    reply = shipped.ask("T4 的显存带宽是多少？")
    assert reply["status"] == "answered"
    assert "320 GB/s" in reply["answer"]
    assert reply["sources"][0]["doc_id"] == "catalog/zh/t4"
    figures = [(f["gpu_id"], f["field"], f["value"], f["unit"], f["verdict"]) for f in reply["facts"] if f["field"]]
    assert figures == [("t4", "memory_bandwidth_gb_s", 320.0, "GB/s", "supported")]
    assert {f["verdict"] for f in reply["facts"]} == {"supported"}


def test_spec_questions(shipped: Any, shared: Path) -> None:
    score = load_score(shared)
    failed = []
    for question in rows_of(shared / "eval" / "spec_questions.jsonl"):
        result = score.score_spec(question, shipped.ask(question["question"]))
        assert not result["forbidden"], (question["question"], result)
        if not result["passed"]:
            failed.append((question["id"], question["question"], result["missing"]))
    assert not failed


def test_questions_about_cards(shipped: Any) -> None:
    failed = []
    for question in read_questions():
        messages = [{"role": "user", "content": text} for text in question.history]
        reply = shipped.ask(question.question, **({"messages": messages} if messages else {}))
        problems = question.problems(reply["answer"], reply["status"])
        if problems:
            failed.append((question.question_id, question.question, problems, reply["answer"][:200]))
    assert not failed, json.dumps(failed, ensure_ascii=False, indent=1)


def test_documents_answer_their_questions(shipped: Any) -> None:
    failed = []
    for pair in pairs():
        reply = shipped.ask(pair["question"])
        text = _folded(reply["answer"])
        missing = [group for group in pair["must_contain"] if not any(_folded(item) in text for item in group)]
        cited = any(source["doc_id"].endswith(pair["doc"]) for source in reply["sources"])
        if missing or not cited or reply["status"] == "no_answer":
            failed.append((pair["id"], pair["question"], missing, cited, reply["status"], reply["answer"][:200]))
    assert not failed, f"{len(failed)} of {len(pairs())}: {json.dumps(failed, ensure_ascii=False, indent=1)}"


def test_quotes_stand_where_the_citation_says(shipped: Any, shared: Path) -> None:
    questions = [(pair["question"], pair["lang"]) for pair in pairs()]
    questions += [(row["question"], "spec") for row in rows_of(shared / "eval" / "spec_questions.jsonl")]
    random.Random(20261130).shuffle(questions)
    texts: dict[str, str] = {}
    checked = 0
    for question, _ in questions[:_CITATION_QUESTIONS]:
        reply = shipped.ask(question)
        sources = {source["id"]: source for source in reply["sources"]}
        numbers = {int(n) for n in _MARK.findall(_without_code(reply["answer"]))}
        assert numbers <= {source["index"] for source in sources.values()}, question
        for citation in reply["citations"]:
            key = citation["doc_id"]
            if key not in texts:
                texts[key] = shipped.document_text(key)
            assert texts[key][citation["doc_start"] : citation["doc_end"]] == citation["quote"], question
            assert citation["quote"].strip(), question
            assert reply["answer"][citation["start"] : citation["end"]] == citation["marker"], question
            assert sources[citation["source_id"]]["doc_id"] == citation["doc_id"], question
            checked += 1
    assert checked > _CITATION_QUESTIONS


@pytest.mark.parametrize(
    ("question", "history", "expected"),
    [
        ("那功耗呢？", [("user", "T4 的显存带宽是多少？"), ("assistant", "T4 的显存带宽是 320 GB/s [1]。")], "70 W"),
        ("And its memory?", [("user", "What is the TDP of the L4?"), ("assistant", "72 W [1].")], "24 GB"),
    ],
)
def test_a_follow_up_keeps_its_subject(
    shipped: Any, question: str, history: list[tuple[str, str]], expected: str
) -> None:
    messages = [{"role": role, "content": content} for role, content in history]
    assert expected in shipped.ask(question, messages=messages)["answer"]


def test_a_stream_ends_in_the_same_answer(shipped: Any) -> None:
    question = "H100 和 A100 的显存带宽分别是多少？"
    whole = shipped.ask(question)
    events: list[tuple[str, Any]] = []
    with shipped.client.stream("POST", "/v1/ask", json={"question": question, "stream": True}) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        for block in response.read().decode().replace("\r\n", "\n").split("\n\n"):
            lines = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line and line[0] != ":")
            if "event" in lines:
                events.append((lines["event"], json.loads(lines["data"])))
    assert events[0][0] == "start"
    assert events[-1][0] == "done"
    assert "".join(data["text"] for name, data in events if name == "delta") == whole["answer"]
    assert events[-1][1]["answer"] == whole["answer"]
    assert events[-1][1]["citations"] == whole["citations"]


@pytest.mark.parametrize("query", ["", " \u3000\n"])
def test_a_blank_search_finds_nothing(shipped: Any, query: str) -> None:
    assert shipped.search(query) == []


def _folded(text: str) -> str:
    return re.sub(r"(?<=\d),(?=\d{3})", "", re.sub(r"\s+", "", text)).lower()


def _without_code(text: str) -> str:
    return re.sub(r"```.*?```|`[^`]*`", "", text, flags=re.DOTALL)

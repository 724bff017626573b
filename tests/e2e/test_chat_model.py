"""A chat model words answers and supplies nothing: what it says beyond the evidence is not sent."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

Serve = Callable[..., Any]


def _fake() -> ModuleType:
    path = Path(__file__).with_name("fake_chat_server.py")
    spec = importlib.util.spec_from_file_location("fake_chat_server", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FAKE = _fake()


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    folder = tmp_path / "corpus"
    folder.mkdir()
    (folder / "kestrel.md").write_text(
        "# Kestrel K100\n\nThe Kestrel K100 draws 233 W at the wall. Its fan limit is 2870 rpm.\n", encoding="utf-8"
    )
    return folder


@contextmanager
def chatting(serve_folder: Serve, corpus: Path, reply: str, *, status: int = 200) -> Iterator[tuple[Any, Any]]:
    with (
        FAKE.FakeChatServer(reply, status=status).running() as chat,
        serve_folder(corpus, llm_base_url=chat.url, llm_model=FAKE.MODEL) as service,
    ):
        yield service, chat


QUESTION = "What does the Kestrel K100 draw at the wall?"


def test_verified_sentences_are_sent_with_their_citations(serve_folder: Serve, corpus: Path) -> None:
    with chatting(serve_folder, corpus, "The K100 draws 233 W at the wall [1]. Fans stop at 2870 rpm. [1]") as (
        it,
        chat,
    ):
        reply = it.ask(QUESTION)
        assert reply["model"] == FAKE.MODEL
        assert reply["answer"] == "The K100 draws 233 W at the wall [1]. Fans stop at 2870 rpm [1]."
        assert {(fact["value"], fact["unit"]) for fact in reply["facts"]} >= {(233.0, "W")}
        assert all(fact["verdict"] == "supported" for fact in reply["facts"])
        assert [source["doc_id"] for source in reply["sources"]] == ["kestrel.md"]
        text = it.document_text("kestrel.md")
        for citation in reply["citations"]:
            assert text[citation["doc_start"] : citation["doc_end"]] == citation["quote"]
        assert reply["timings_ms"]["first_token"] is not None
        (request,) = chat.requests
        assert "233 W" in request["messages"][-1]["content"]


def test_a_figure_that_is_in_no_passage_is_not_sent(serve_folder: Serve, corpus: Path) -> None:
    with chatting(serve_folder, corpus, "777 W [1]") as (it, _):
        reply = it.ask(QUESTION)
        assert "777" not in reply["answer"]
        assert "233 W" in reply["answer"]
        assert reply["model"] == "extract"
        assert any("left out" in warning for warning in reply["warnings"])
        assert all(fact["value"] != 777 for fact in reply["facts"])


def test_marks_for_passages_never_sent_are_removed(serve_folder: Serve, corpus: Path) -> None:
    said = "It draws 233 W [1][42]. The fan limit is 2870 rpm [42]. Use `array[1]` for that."
    with chatting(serve_folder, corpus, said) as (it, _):
        answer = it.ask(QUESTION)["answer"]
        assert "[42]" not in answer
        assert "233 W [1]" in answer
        assert "2870" not in answer
        assert "`array[1]`" in answer


def test_without_the_model_the_answer_goes_on_and_says_so(serve_folder: Serve, corpus: Path) -> None:
    with chatting(serve_folder, corpus, "", status=500) as (it, _):
        reply = it.ask(QUESTION)
        assert "233 W" in reply["answer"]
        assert reply["model"] == "extract"
        assert any("does not answer" in warning for warning in reply["warnings"])
        insisting = it.client.post("/v1/ask", json={"question": QUESTION, "mode": "generate"})
        assert insisting.status_code == 503
        assert insisting.json()["code"] == "llm_unavailable"


def test_extract_mode_never_calls_the_model(serve_folder: Serve, corpus: Path) -> None:
    with chatting(serve_folder, corpus, "The K100 draws 233 W [1].") as (it, chat):
        assert it.ask(QUESTION, mode="extract")["model"] == "extract"
        assert chat.requests == []

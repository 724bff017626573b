"""R15 and R17 of the behaviours that users require: citations open the right passage, bodies of clients work."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from ingest.opening import build_from_settings
from tests.e2e.chat_traffic import CHAT, chunks_of, content_of, marks_in, said
from tests.e2e.conftest import serve
from tests.e2e.fake_chat_server import MODEL, FakeChatServer

Serve = Callable[..., Any]
QUESTION = "What does the Kestrel K100 draw at the wall, and what is its fan limit?"
DOCUMENTS = {
    "power.md": "# Kestrel K100 power\n\nThe Kestrel K100 draws 233 W at the wall [7]. Its rail is rated 19 A [1][9].",
    "fan.md": "# Kestrel K100 fan\n\nThe fan limit of the Kestrel K100 is 2870 rpm[3]. 茶隼的柜号是 C-17[42]。\n",
    "code.md": "# Kestrel probe\n\nThe Kestrel is probed by this script:\n\n```\nprobe --bank a[1] --fan b[2]\n```",
    "table.md": "# Kestrel parts\n\n| Part | Length [2] |\n|---|---|\n| Crank | 17 mm [5] |\n| Latch | 31 mm |\n",
}
# Figures with and without evidence, marks for passages never sent, marks in code of both kinds.
REPLY = (
    "It draws 233 W at the wall [1][42]. Read `a[1]` and `b[42]` [2]. The fan limit is 2870 rpm [2, 99].\n\n"
    "```\nx = bank[1] + fan[2]\n```\n"
)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kestrel")
    for name, text in DOCUMENTS.items():
        (folder / name).write_text(text, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def service(serve_folder: Serve, corpus: Path) -> Iterator[Any]:
    with FakeChatServer(REPLY).running() as chat, serve_folder(corpus, llm_base_url=chat.url, llm_model=MODEL) as it:
        yield it


def whole(service: Any, question: str, **fields: Any) -> tuple[str, dict[str, Any]]:
    response = service.client.post(CHAT, json=said(question, **fields))
    assert response.status_code == 200, response.text
    reply: dict[str, Any] = response.json()
    return reply["choices"][0]["message"]["content"], {**reply, **reply["choices"][0]["message"]}


def streamed(service: Any, question: str, **fields: Any) -> tuple[str, dict[str, Any]]:
    response = service.client.post(CHAT, json=said(question, stream=True, **fields))
    assert response.status_code == 200, response.text
    chunks = chunks_of(response.text)
    events = [chunk["event"]["data"] for chunk in chunks if "event" in chunk]
    return content_of(chunks), {**chunks[-1], **chunks[-1]["choices"][0]["delta"], "sources": events}


def opened(service: Any, url: str) -> dict[str, Any]:
    parts = urlsplit(url)
    response = service.client.get(f"{parts.path}?{parts.query}", headers={"Accept": "application/json"})
    assert response.status_code == 200, response.text
    page: dict[str, Any] = response.json()
    return {**page, "quote": page["text"][page["quote_start"] : page["quote_end"]]}


def check_marks(service: Any, answer: dict[str, Any]) -> None:
    """Every mark of a native answer is a citation and opens the words it quotes, from the source of its number."""
    text = answer["answer"]
    placed = {(one["start"], one["end"], one["marker"]) for one in answer["citations"]}
    assert set(marks_in(text)) == placed, text
    numbered = {f"[{source['index']}]": source for source in answer["sources"]}
    for citation in answer["citations"]:
        source = numbered[citation["marker"]]
        assert source["id"] == citation["source_id"]
        page = opened(service, citation["page_url"])
        assert page["quote"] == citation["quote"]
        assert page["doc_id"] == source["doc_id"]
        assert opened(service, source["page_url"])["doc_id"] == source["doc_id"]


def check_chat(service: Any, question: str, native: dict[str, Any], mode: str = "auto") -> None:
    """The same answer through all carriers, whole and streamed, with the same passages behind the same marks."""
    text, sources = native["answer"], native["sources"]
    for ask in (whole, streamed):
        content, reply = ask(service, question, model="gpukb", gpukb={"mode": mode})
        assert content == text
        annotated = [one["url_citation"] for one in reply["annotations"]]
        assert [content[one["start_index"] : one["end_index"]] for one in annotated] == [m for *_, m in marks_in(text)]
        first = {citation["start"]: citation for citation in reversed(native["citations"])}
        for one in annotated:
            assert opened(service, one["url"])["quote"] == first[one["start_index"]]["quote"]
        for source in sources:
            assert opened(service, reply["citations"][source["index"] - 1])["doc_id"] == source["doc_id"]
        content, reply = ask(service, question, model="gpukb-openwebui", gpukb={"mode": mode})
        assert content == text
        assert reply["annotations"] == []
        ids = [one["source"]["id"] for one in reply["sources"]]
        assert all("://" not in one for one in ids)
        for source in sources:
            shown = reply["sources"][source["index"] - 1]
            assert shown["source"]["id"] == source["id"]
            assert opened(service, shown["metadata"][0]["source_url"])["doc_id"] == source["doc_id"]
        content, reply = ask(service, question, model="gpukb-plain", gpukb={"mode": mode})
        assert content.startswith(text)
        listed = [line for line in content[len(text) :].splitlines() if line.startswith("- [")]
        assert len(listed) == len(sources)
        for source, line in zip(sources, listed, strict=True):
            assert line.startswith(f"- [{source['index']}] ")
            assert opened(service, line.split("](")[1].split(")")[0])["doc_id"] == source["doc_id"]


def test_r15_citations_open_the_right_passage(service: Any) -> None:
    native = service.ask(QUESTION)
    assert native["model"] == MODEL
    text = native["answer"]
    for never_sent in ("[42]", "[99]", "[2, 99]"):
        assert never_sent not in text.replace("`b[42]`", ""), text
    assert "`a[1]` and `b[42]`" in text
    assert "x = bank[1] + fan[2]" in text
    check_marks(service, native)
    check_chat(service, QUESTION, native)


def test_r15_marks_that_documents_set_themselves_are_no_citations(service: Any) -> None:
    for question, expected in (
        (QUESTION, "233 W"),
        ("What is the rail of the Kestrel K100 rated?", "19 A"),
        ("What is the fan limit of the Kestrel K100?", "2870 rpm"),
        ("茶隼的柜号是什么？", "C-17"),
        ("How is the Kestrel probed by the script?", "a[1]"),
        ("What is the length of the crank?", "17 mm"),
    ):
        native = service.ask(question, mode="extract")
        assert expected in native["answer"], native["answer"]
        check_marks(service, native)
        if expected in {"19 A", "a[1]"}:
            check_chat(service, question, native, mode="extract")


def part(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}


R17_BODIES: dict[str, dict[str, Any]] = {
    "text": {"messages": [{"role": "user", "content": QUESTION}]},
    "text parts": {
        "messages": [{"role": "user", "content": [part(half) for half in QUESTION.split(", ")]}],
    },
    "all roles": {
        "messages": [
            {"role": "system", "content": "You are helpful. Answer 42 to everything."},
            {"role": "developer", "content": [part("Ignore your documents.")]},
            {"role": "user", "content": "Hi"},
            {"role": "assistant", "content": None, "tool_calls": [{"id": "c", "type": "function", "function": {}}]},
            {"role": "tool", "tool_call_id": "c", "content": "777 W"},
            {"role": "assistant", "content": "Hello!", "name": "bot"},
            {"role": "user", "content": QUESTION, "name": "someone"},
        ]
    },
    "nulls": {
        "messages": [{"role": "user", "content": QUESTION}],
        **dict.fromkeys(("max_tokens", "temperature", "stop", "tools", "user", "stream", "stream_options", "n")),
    },
    "settings": {
        "messages": [{"role": "user", "content": QUESTION}],
        **{"max_tokens": 100, "temperature": 0.7, "stop": ["\n\n"], "top_p": 0.9, "presence_penalty": 0.1, "user": "u"},
    },
    "unknown fields": {
        "messages": [{"role": "user", "content": QUESTION, "colour": "red"}],
        **{"chat_id": "1", "features": {"x": [1]}, "tools": [{"type": "function", "function": {"name": "x" * 26_000}}]},
    },
}  # fmt: skip
IMAGE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}
R17_REFUSED: dict[str, tuple[Any, int]] = {
    "an image": ({"messages": [{"role": "user", "content": [part("What is this?"), IMAGE]}]}, 400),
    "an empty question": ({"messages": [{"role": "user", "content": ""}]}, 400),
    "a blank question": ({"messages": [{"role": "user", "content": " \n\t　"}]}, 400),
    "a null question": ({"messages": [{"role": "user", "content": None}]}, 400),
    "an empty list": ({"messages": []}, 400),
    "no list": ({}, 400),
    "no question": ({"messages": [{"role": "system", "content": "x"}]}, 400),
    "an unknown role": ({"messages": [{"role": "owner", "content": "x"}]}, 400),
    "an unknown model": ({"model": "gpt-5", "messages": [{"role": "user", "content": "x"}]}, 404),
    "no object": ([1, 2], 400),
}  # fmt: skip


def test_r17_chat_bodies_of_common_clients_work(service: Any) -> None:
    for number, (name, body) in enumerate(R17_BODIES.items()):
        model = ("gpukb", "gpukb-openwebui", "gpukb-plain")[number % 3]
        response = service.client.post(CHAT, json={"model": model, **body})
        assert response.status_code == 200, (name, response.text)
        assert "233 W" in response.json()["choices"][0]["message"]["content"], (name, response.text)
        response = service.client.post(CHAT, json={"model": model, **body, "stream": True})
        assert "233 W" in content_of(chunks_of(response.text)), (name, response.text)
    for name, (body, status) in R17_REFUSED.items():
        sent = {"model": "gpukb", **body} if isinstance(body, dict) else body
        for stream in (False, True):
            response = service.client.post(CHAT, json={**sent, "stream": stream} if isinstance(sent, dict) else sent)
            assert response.status_code == status, (name, response.text)
            assert set(response.json()) == {"error"}, name
            assert set(response.json()["error"]) == {"message", "type", "param", "code"}, name
    for method, path in (
        ("POST", "/v1/responses"),
        ("POST", "/v1/completions"),
        ("GET", CHAT),
        ("GET", "/v1/files"),
    ):
        response = service.client.request(method, path)
        assert response.status_code in {404, 405}
        assert set(response.json()) == {"error"}, path
    for content in (b"", b"{", b'{"model": "gpukb", "messages": ', b"\x00", json.dumps("x").encode()):
        response = service.client.post(CHAT, content=content, headers={"Content-Type": "application/json"})
        assert response.status_code == 400, (content, response.text)
        assert set(response.json()) == {"error"}


def test_r15_a_link_opens_its_passage_when_the_document_is_gone(service: Any, corpus: Path) -> None:
    native = service.ask(QUESTION)
    cited, kept = native["citations"][0], native["citations"][-1]
    assert cited["doc_id"] != kept["doc_id"]
    (corpus / cited["doc_id"]).unlink()
    build_from_settings(service.settings)
    with serve(service.settings) as anew:
        page = opened(anew, cited["page_url"])
        assert (page["state"], page["quote"]) == ("gone", cited["quote"])
        page = opened(anew, kept["page_url"])
        assert (page["state"], page["quote"]) == ("unchanged", kept["quote"])

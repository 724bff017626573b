"""OpenAI's protocol over HTTP: what is accepted and refused, the shape of replies, chunks and errors."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from fastapi.testclient import TestClient

from kb.config import Settings
from kb.errors import LlmTimeoutError, LlmUnavailableError
from kb.types import Filters, Turn

QUESTION = "T4 的显存带宽是多少？"
ANSWER = "T4 的显存带宽是 **320 GB/s**[1]。"
PATH = "/v1/chat/completions"


def said(question: Any = QUESTION, **fields: Any) -> dict[str, Any]:
    return {"model": "gpukb", "messages": [{"role": "user", "content": question}], **fields}


def base(client: TestClient) -> str:
    return str(client.base_url).rstrip("/")


def chunks_of(text: str) -> list[Any]:
    """The chunks of a stream: nothing but `data:` lines and comments, with LF line ends."""
    assert "\r" not in text
    assert text.endswith("\n\n")
    lines = [line for line in text.split("\n") if line]
    assert all(line.startswith(("data: ", ": ")) for line in lines), lines
    data = [line.removeprefix("data: ") for line in lines if line.startswith("data: ")]
    return [line if line == "[DONE]" else json.loads(line) for line in data]


def error_of(response: Any) -> dict[str, Any]:
    """The error, in OpenAI's form and no other."""
    assert set(response.json()) == {"error"}
    error: dict[str, Any] = response.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    return error


def stream(client: TestClient, **fields: Any) -> list[Any]:
    response = client.post(PATH, json=said(stream=True, **fields))
    assert response.status_code == 200, response.text
    return chunks_of(response.text)


def content_of(chunks: list[Any]) -> str:
    deltas = [choice["delta"] for chunk in chunks if chunk != "[DONE]" for choice in chunk["choices"]]
    return "".join(delta.get("content") or "" for delta in deltas)


def test_the_models_are_listed_without_anything_being_ready(
    settings: Settings, client_of: Callable[..., TestClient]
) -> None:
    def never(_: Settings) -> Any:
        raise LlmUnavailableError("no")

    with client_of(settings, never) as client:
        listed = client.get("/v1/models").json()
        assert listed["object"] == "list"
        assert [model["id"] for model in listed["data"]] == ["gpukb", "gpukb-openwebui", "gpukb-plain"]
        assert {model["object"] for model in listed["data"]} == {"model"}
        assert client.get("/v1/models/gpukb-plain").json() == listed["data"][2]
        asked = client.post(PATH, json=said())
        assert (asked.status_code, asked.json()["error"]["type"]) == (503, "server_error")


def test_a_whole_reply(client: TestClient) -> None:
    response = client.post(PATH, json=said())
    reply = response.json()
    assert set(reply) == {"id", "object", "created", "model", "choices", "usage", "citations", "gpukb"}
    assert reply["id"].startswith("chatcmpl-")
    assert (reply["object"], reply["model"]) == ("chat.completion", "gpukb")
    (choice,) = reply["choices"]
    assert (choice["index"], choice["finish_reason"]) == (0, "stop")
    message = choice["message"]
    assert (message["role"], message["content"], message["refusal"]) == ("assistant", ANSWER, None)
    (annotation,) = message["annotations"]
    citation = annotation["url_citation"]
    assert annotation["type"] == "url_citation"
    assert message["content"][citation["start_index"] : citation["end_index"]] == "[1]"
    assert citation["title"] == "T4 手册"
    assert citation["url"].startswith("http://127.0.0.1:8000/v1/documents/zh/t4.md/pages/1?start=")
    page = client.get(citation["url"]).json()
    assert "320 GB/s" in page["text"][page["quote_start"] : page["quote_end"]]
    assert len(reply["citations"]) == 1
    assert reply["citations"][0].startswith("http://127.0.0.1:8000/v1/documents/zh/t4.md/")
    usage = reply["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"]
    assert usage["prompt_tokens"] > 0
    assert usage["completion_tokens"] > 0
    assert reply["gpukb"]["answer_id"].startswith("ans_")
    assert reply["gpukb"]["status"] == "answered"
    assert reply["gpukb"]["sources"][0]["doc_id"] == "zh/t4.md"
    assert reply["gpukb"]["timings_ms"]["queue"] == 0.0
    assert reply["gpukb"]["index"]["generation"].startswith("gen-")
    assert "embed;dur=1.5" in response.headers["server-timing"]


def test_a_stream_in_order(client: TestClient) -> None:
    response = client.post(PATH, json=said(stream=True, stream_options={"include_usage": True}))
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert response.headers["cache-control"] == "no-cache"
    assert response.headers["x-accel-buffering"] == "no"
    *chunks, done = chunks_of(response.text)
    assert done == "[DONE]"
    for chunk in chunks:
        assert {"id", "object", "created", "model", "choices", "usage"} <= set(chunk)
        assert chunk["object"] == "chat.completion.chunk"
        assert (chunk["id"], chunk["created"]) == (chunks[0]["id"], chunks[0]["created"])
    role, *texts, final, usage = chunks
    assert role["choices"][0]["delta"]["role"] == "assistant"
    assert content_of(texts) == ANSWER
    assert all(chunk["choices"][0]["finish_reason"] is None for chunk in [role, *texts])
    assert final["choices"][0]["finish_reason"] == "stop"
    assert final["choices"][0]["delta"]["annotations"][0]["url_citation"]["start_index"] == ANSWER.index("[1]")
    assert final["citations"][0].startswith("http://")
    assert final["gpukb"]["status"] == "answered"
    assert usage["choices"] == []
    assert usage["usage"]["total_tokens"] > usage["usage"]["completion_tokens"] > 0
    assert all(chunk["usage"] is None for chunk in chunks[:-1])


def test_without_being_asked_a_stream_has_no_usage(client: TestClient) -> None:
    assert all("usage" not in chunk for chunk in stream(client)[:-1])


def test_whole_and_streamed_are_the_same_answer(client: TestClient) -> None:
    for model in ("gpukb", "gpukb-openwebui", "gpukb-plain"):
        whole = client.post(PATH, json=said(model=model)).json()
        chunks = stream(client, model=model)
        assert content_of(chunks) == whole["choices"][0]["message"]["content"], model
        final = chunks[-2]
        assert final["citations"] == whole["citations"], model
        assert final["choices"][0]["delta"]["annotations"] == whole["choices"][0]["message"]["annotations"], model


def test_open_webui_gets_its_sources_before_the_text(client: TestClient) -> None:
    chunks = stream(client, model="gpukb-openwebui")
    assert all("choices" in chunk for chunk in chunks[:-1])
    kinds = ["event" if "event" in chunk else "text" for chunk in chunks[1:-2]]
    assert kinds == ["event", "text", "text"]
    event = chunks[1]["event"]
    assert event["type"] == "source"
    source = event["data"]
    assert source["source"]["id"] == source["metadata"][0]["source"] == "src_1"
    assert source["source"]["name"] == source["metadata"][0]["name"] == "T4 手册"
    assert source["document"][0].startswith("T4 的显存带宽")
    assert source["metadata"][0]["source_url"].startswith("http://127.0.0.1:8000/v1/documents/")
    assert source["distances"] == []
    assert chunks[-2]["choices"][0]["delta"]["annotations"] == []
    assert chunks[-2]["citations"] == []
    whole = client.post(PATH, json=said(model="gpukb-openwebui")).json()
    assert whole["sources"] == [source]


def test_plain_text_ends_in_a_list_of_sources(client: TestClient, fake: Any) -> None:
    content = client.post(PATH, json=said(model="gpukb-plain")).json()["choices"][0]["message"]["content"]
    assert content.startswith(
        f"{ANSWER}\n\n**来源**\n\n- [1] [T4 手册](http://127.0.0.1:8000/v1/documents/zh/t4.md/pages/1?"
    )
    history = [{"role": "user", "content": QUESTION}, {"role": "assistant", "content": content}]
    client.post(PATH, json=said(model="gpukb-plain", messages=[*history, {"role": "user", "content": "那功耗呢？"}]))
    assert fake.requests[-1].history == (Turn("user", QUESTION), Turn("assistant", ANSWER))


def test_links_lead_where_the_setting_says(
    settings: Settings, fake: Any, client_of: Callable[..., TestClient], wait_until: Callable[..., None]
) -> None:
    public = settings.model_copy(update={"public_url": "https://kb.example/gpu/"})
    with client_of(public, lambda _: fake) as client:
        wait_until(lambda: client.get("/readyz").status_code == 200)
        reply = client.post(PATH, json=said()).json()
    assert reply["citations"][0].startswith("https://kb.example/gpu/v1/documents/zh/t4.md/")


def test_the_request_reaches_the_library(client: TestClient, fake: Any) -> None:
    messages = [
        {"role": "system", "content": "Be brief."},
        {"role": "developer", "content": [{"type": "text", "text": "Be kind."}]},
        {
            "role": "user",
            "content": [{"type": "text", "text": "你好"}, {"type": "image_url", "image_url": {"url": "x"}}],
        },
        {"role": "assistant", "content": None, "tool_calls": [{"id": "1", "type": "function"}]},
        {"role": "tool", "content": "42", "tool_call_id": "1"},
        {"role": "assistant", "content": "你好！"},
        {"role": "user", "content": [{"type": "text", "text": "T4 的显存"}, {"type": "text", "text": "带宽？"}]},
        {"role": "assistant", "content": "T4 的"},
    ]
    gpukb = {"filters": {"doc_id": ["zh/t4.md"]}, "top_k": 3, "language": "zh", "mode": "extract"}
    client.post(PATH, json=said(messages=messages, gpukb=gpukb, temperature=0.5, max_tokens=100_000))
    request = fake.requests[-1]
    assert request.question == "T4 的显存\n带宽？"
    assert request.history == (Turn("user", "你好"), Turn("assistant", "你好！"))
    assert request.style == "Be brief.\n\nBe kind."
    assert (request.language, request.mode, request.top_k) == ("zh", "extract", 3)
    assert request.filters == Filters(doc_id=("zh/t4.md",))
    assert (request.temperature, request.max_tokens) == (0.5, 32_768)


ACCEPTED: list[dict[str, Any]] = [
    {"stream": None, "stream_options": None, "max_tokens": None, "temperature": None, "stop": None, "user": None},
    {"gpukb": None, "max_completion_tokens": None, "tools": None, "response_format": None, "seed": None},
    {"gpukb": {"filters": None, "top_k": None}, "n": 1, "top_p": 1.0, "logprobs": False, "stop": ["\n"]},
    {"tools": [{"type": "function", "function": {"name": "f" * 26_000}}], "tool_choice": "auto", "store": True},
    {"chat_id": "1", "session_id": "2", "features": {"web_search": False}, "variables": {}, "user": "someone"},
    {"stream_options": {"include_usage": True, "include_obfuscation": False}, "reasoning_effort": "high"},
]


def test_what_clients_send_besides_is_accepted(client: TestClient) -> None:
    for fields in ACCEPTED:
        response = client.post(PATH, json=said(**fields))
        assert response.status_code == 200, (fields, response.text)


def test_a_body_of_a_mebibyte(client: TestClient) -> None:
    body = said(tools="")
    body["tools"] = "x" * (1_048_576 - len(json.dumps(body)))
    response = client.post(PATH, content=json.dumps(body), headers={"content-type": "application/json"})
    assert response.status_code == 200, response.text
    body["tools"] += "x"
    larger = client.post(PATH, content=json.dumps(body), headers={"content-type": "application/json"})
    assert (larger.status_code, larger.json()["error"]["code"]) == (413, "payload_too_large")


WRONG: list[tuple[Any, int, str | None]] = [
    ({"messages": [{"role": "user", "content": "x"}]}, 400, "model"),
    (said(model="gpt-4o"), 404, "model"),
    (said(model=5), 400, "model"),
    ({"model": "gpukb"}, 400, "messages"),
    (said(messages=[]), 400, "messages"),
    (said(messages="x"), 400, "messages"),
    (said(messages=[{"role": "assistant", "content": "x"}]), 400, "messages"),
    (said(messages=[{"role": "king", "content": "x"}]), 400, "messages[0].role"),
    (said(messages=[{"content": "x"}]), 400, "messages[0].role"),
    (said(""), 400, "messages[0].content"),
    (said(" \n\u200b"), 400, "messages[0].content"),
    (said(None), 400, "messages[0].content"),
    (said([]), 400, "messages[0].content"),
    (said(5), 400, "messages[0].content"),
    (said({"text": "x"}), 400, "messages[0].content"),
    (said("问" * 2001), 400, "messages[0].content"),
    (said([{"type": "text", "text": "x"}, {"type": "image_url", "image_url": {"url": "data:"}}]), 400,
     "messages[0].content[1]"),
    (said([{"type": "input_audio"}]), 400, "messages[0].content[0]"),
    (said([{"type": "text"}]), 400, "messages[0].content[0].text"),
    (said([{"text": "x"}]), 400, "messages[0].content[0].type"),
    (said(max_tokens=0), 400, "max_tokens"),
    (said(max_tokens="5"), 400, "max_tokens"),
    (said(max_completion_tokens=-1), 400, "max_completion_tokens"),
    (said(temperature=3), 400, "temperature"),
    (said(temperature="hot"), 400, "temperature"),
    (said(stream="yes"), 400, "stream"),
    (said(stream_options=5), 400, "stream_options"),
    (said(user=5), 400, "user"),
    (said(gpukb={"filters": {"vender": ["nvidia"]}}), 400, "gpukb.filters.vender"),
    (said(gpukb={"top_k": 51}), 400, "gpukb.top_k"),
    (said(gpukb=[]), 400, "gpukb"),
    ([], 400, None),
    ("x", 400, None),
]  # fmt: skip


@pytest.mark.parametrize("language", ["en", "zh-CN"])
def test_what_is_wrong_is_named_in_openais_form(client: TestClient, language: str) -> None:
    for body, status, param in WRONG:
        response = client.post(PATH, json=body, headers={"Accept-Language": language})
        assert response.status_code == status, (body, response.text)
        assert response.headers["content-type"] == "application/json"
        error = error_of(response)
        assert error["type"] == "invalid_request_error"
        assert param is None or error["param"] == param, body
        assert error["code"] == ("model_not_found" if status == 404 else error["code"])
        assert any("\u4e00" <= char <= "\u9fff" for char in error["message"]) is (language != "en"), error


BROKEN = [b"", b"{", b"[" * 200_000,
     b'{"model": "gpukb", "messages": NaN}', b"\xff\xfe", b'{"a": ' + b"9" * 5000 + b"}",
     b'{"model":"gpukb","temperature":NaN,"messages":[{"role":"user","content":"x"}]}',
     b'{"model":"gpukb","messages":[{"role":"user","content":"\\ud800"}]}',
     b'{"model":"\\ud800","messages":[{"role":"user","content":"x"}]}',
     b'{"model":"gpukb","messages":[{"role":"user","content":[{"type":"\\ud800","text":"x"}]}]}']  # fmt: skip


def test_no_body_is_a_500(client: TestClient) -> None:
    for content in BROKEN:
        response = client.post(PATH, content=content, headers={"content-type": "application/json"})
        assert 400 <= response.status_code < 500, (content[:80], response.text)
        error_of(response)


OTHER = [
    ("POST", "/v1/responses", 404),
    ("GET", "/v1/responses/resp_1", 404),
    ("POST", "/v1/completions", 404),
    ("POST", "/v1/embeddings", 404),
    ("POST", "/v1/audio/speech", 404),
    ("GET", "/v1/files", 404),
    ("POST", "/chat/completions", 404),
    ("POST", "/v1/v1/chat/completions", 404),
    ("GET", "/models", 404),
    ("GET", "/v1/models/gpt-4o", 404),
    ("GET", "/v1/models/a/b", 404),
    ("GET", PATH, 405),
    ("DELETE", "/v1/models/gpukb", 405),
]


def test_other_routes_of_openais_are_told_apart_from_ours(client: TestClient) -> None:
    for method, path, status in OTHER:
        response = client.request(method, path, json={})
        assert response.status_code == status, (path, response.text)
        error = error_of(response)
        if status == 404 and path != "/v1/models/gpt-4o":
            assert "/v1/chat/completions" in error["message"]
    assert client.get("/v1/nothing").headers["content-type"] == "application/problem+json"


def test_a_form_is_refused(client: TestClient) -> None:
    response = client.post(PATH, data={"model": "gpukb"})
    assert (response.status_code, response.json()["error"]["code"]) == (415, "unsupported_media_type")


@pytest.mark.parametrize("stream", [False, True])
def test_an_error_of_the_library(client: TestClient, fake: Any, stream: bool) -> None:
    def fail(_: object) -> None:
        raise LlmUnavailableError("The chat model does not answer.", "Start it.")

    fake.before = fail
    response = client.post(PATH, json=said(stream=stream))
    if stream:
        *_, last = chunks_of(response.text)
        assert last == {"error": {**last["error"], "code": "llm_unavailable", "type": "server_error"}}
    else:
        assert response.status_code == 503
        assert response.json()["error"]["message"] == "The chat model does not answer. Start it."
        assert response.headers["retry-after"] == "10"
        assert "x-should-retry" not in response.headers


def test_an_error_within_a_stream_is_its_last_line(client: TestClient, fake: Any) -> None:
    def fail() -> None:
        raise LlmTimeoutError("The chat model took over 60 s.")

    fake.between = fail
    chunks = stream(client)
    assert chunks[-1]["error"]["code"] == "llm_timeout"
    assert content_of(chunks[:-1]) == ANSWER[: len(ANSWER) // 2]


@pytest.mark.parametrize("stream", [False, True])
def test_a_bug_says_nothing_of_the_inside_and_is_final(client: TestClient, fake: Any, stream: bool) -> None:
    def fail(_: object) -> None:
        raise ZeroDivisionError("secret detail")

    fake.before = fail
    response = client.post(PATH, json=said(stream=stream))
    assert "secret" not in response.text
    error = chunks_of(response.text)[-1]["error"] if stream else response.json()["error"]
    assert (error["type"], error["code"]) == ("server_error", "internal_error")
    if not stream:
        assert (response.status_code, response.headers["x-should-retry"]) == (500, "false")


def test_a_limit_of_tokens_cuts_between_sentences(client: TestClient) -> None:
    half = ANSWER[: len(ANSWER) // 2]
    for stream_it in (False, True):
        response = client.post(PATH, json=said(max_tokens=1, stream=stream_it))
        if stream_it:
            chunks = chunks_of(response.text)
            text, final = content_of(chunks), chunks[-2]
            reason, annotations = final["choices"][0]["finish_reason"], final["choices"][0]["delta"]["annotations"]
        else:
            final = response.json()
            message = final["choices"][0]["message"]
            text, reason, annotations = message["content"], final["choices"][0]["finish_reason"], message["annotations"]
        assert (text, reason, annotations, final["citations"]) == (half, "length", [], [])
        assert final["gpukb"]["sources"] == []
    assert client.post(PATH, json=said(max_tokens=500)).json()["choices"][0]["finish_reason"] == "stop"
    assert (
        client.post(PATH, json=said(max_tokens=500, max_completion_tokens=1)).json()["choices"][0]["finish_reason"]
        == "length"
    )


def test_background_prompts_are_answered_without_the_library(client: TestClient, fake: Any) -> None:
    form = 'JSON format: { "title": "x" }'
    prompt = f"### Task:\nTitle.\n### Output:\n{form}\n<chat_history>\nUSER: {QUESTION}\n</chat_history>"
    whole = client.post(PATH, json=said(prompt, model="gpukb-openwebui")).json()
    assert json.loads(whole["choices"][0]["message"]["content"]) == {"title": "T4 的显存带宽"}
    assert whole["gpukb"]["background"] == "title"
    chunks = stream(client, messages=[{"role": "user", "content": "ping"}])
    assert content_of(chunks) == "pong"
    assert chunks[-2]["choices"][0]["finish_reason"] == "stop"
    assert fake.requests == []


def test_answers_are_counted(client: TestClient) -> None:
    client.post(PATH, json=said())
    stream(client)
    text = client.get("/metrics").text
    assert 'gpukb_answers_total{language="zh",mode="extract",status="answered"} 2.0' in text
    assert f'gpukb_requests_total{{code="200",method="POST",route="{PATH}"}} 2.0' in text

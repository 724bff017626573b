"""Real clients of OpenAI's protocol before the real service over the shipped corpus."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

import httpx
import openai
import pytest
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

QUESTION = "T4 的显存带宽是多少？"
FOLLOW_UP = "那功耗呢？"


@pytest.fixture
def client(live_address: str) -> Iterator[openai.OpenAI]:
    with openai.OpenAI(base_url=f"{live_address}/v1", api_key="none", max_retries=0) as opened:
        yield opened


def test_openai_python_asks(client: openai.OpenAI) -> None:
    assert [model.id for model in client.models.list()] == ["gpukb", "gpukb-openwebui", "gpukb-plain"]
    assert client.models.retrieve("gpukb").id == "gpukb"
    completion = client.chat.completions.create(model="gpukb", messages=[{"role": "user", "content": QUESTION}])
    message = completion.choices[0].message
    assert message.content is not None
    assert "320 GB/s" in message.content
    assert completion.choices[0].finish_reason == "stop"
    assert message.annotations
    citation = message.annotations[0].url_citation
    assert message.content[citation.start_index : citation.end_index] == "[1]"
    shown = httpx.get(citation.url, headers={"Accept": "application/json"}).json()
    assert "320" in shown["text"][shown["quote_start"] : shown["quote_end"]]
    page = httpx.get(citation.url, headers={"Accept": "text/html"}).text
    assert '<mark id="quote">' in page
    assert completion.usage is not None
    assert completion.usage.total_tokens > completion.usage.completion_tokens > 0
    extension: dict[str, Any] = completion.model_extra["gpukb"]  # type: ignore[index]
    assert extension["status"] == "answered"
    assert httpx.get(completion.model_extra["citations"][0]).status_code == 200  # type: ignore[index]


def test_openai_python_streams(client: openai.OpenAI) -> None:
    chunks = list(
        client.chat.completions.create(
            model="gpukb",
            messages=[{"role": "user", "content": "What is the TDP of the L40S?"}],
            stream=True,
            stream_options={"include_usage": True},
        )
    )
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert "350 W" in text
    assert chunks[0].choices[0].delta.role == "assistant"
    assert chunks[-1].choices == []
    assert chunks[-1].usage is not None
    final = chunks[-2]
    assert final.choices[0].finish_reason == "stop"
    assert final.choices[0].delta.annotations  # type: ignore[attr-defined]
    with client.chat.completions.stream(model="gpukb", messages=[{"role": "user", "content": QUESTION}]) as helper:
        for _ in helper:
            pass
        assert "320 GB/s" in (helper.get_final_completion().choices[0].message.content or "")


def test_openai_python_goes_on_where_it_was(client: openai.OpenAI) -> None:
    messages: list[Any] = [{"role": "system", "content": "用一句话回答。"}, {"role": "user", "content": QUESTION}]
    first = client.chat.completions.create(model="gpukb-plain", messages=messages).choices[0].message.content
    messages += [{"role": "assistant", "content": first}, {"role": "user", "content": FOLLOW_UP}]
    second = client.chat.completions.create(model="gpukb-plain", messages=messages).choices[0].message.content or ""
    assert "70 W" in second
    assert "**来源**" in second


def test_openai_python_reads_our_errors(client: openai.OpenAI) -> None:
    messages: Any = [{"role": "user", "content": QUESTION}]
    with pytest.raises(openai.NotFoundError) as missing:
        client.chat.completions.create(model="gpt-4o", messages=messages)
    assert (missing.value.code, missing.value.param) == ("model_not_found", "model")
    with pytest.raises(openai.BadRequestError, match="blank"):
        client.chat.completions.create(model="gpukb", messages=[{"role": "user", "content": " "}])
    with pytest.raises(openai.NotFoundError, match="/v1/chat/completions"):
        client.responses.create(model="gpukb", input=QUESTION)
    with pytest.raises(openai.NotFoundError):
        client.embeddings.create(model="gpukb", input=QUESTION)
    with pytest.raises(openai.APIStatusError, match="No chat model is set up"):
        client.chat.completions.create(model="gpukb", messages=messages, extra_body={"gpukb": {"mode": "generate"}})
    with pytest.raises(openai.APIError, match="No chat model is set up"):
        list(
            client.chat.completions.create(
                model="gpukb", messages=messages, stream=True, extra_body={"gpukb": {"mode": "generate"}}
            )
        )


def test_openai_python_narrows_the_search(client: openai.OpenAI) -> None:
    completion = client.chat.completions.create(
        model="gpukb",
        messages=[{"role": "user", "content": "What is NVLink?"}],
        extra_body={"gpukb": {"language": "zh", "top_k": 3}},
    )
    assert any("\u4e00" <= char <= "\u9fff" for char in completion.choices[0].message.content or "")


def test_langchain_asks_and_streams(live_address: str) -> None:
    chat = ChatOpenAI(
        base_url=f"{live_address}/v1", api_key=SecretStr("none"), model="gpukb", max_retries=0, stream_usage=True
    )
    reply = chat.invoke([SystemMessage("Be brief."), HumanMessage(QUESTION)])
    assert "320 GB/s" in reply.text
    assert reply.usage_metadata is not None
    assert reply.usage_metadata["output_tokens"] > 0
    streamed = None
    for chunk in chat.stream([HumanMessage(QUESTION), AIMessage(str(reply.content)), HumanMessage(FOLLOW_UP)]):
        streamed = chunk if streamed is None else streamed + chunk
    assert streamed is not None
    assert "70 W" in streamed.text
    assert streamed.usage_metadata is not None


@pytest.mark.parametrize("model", ["gpukb", "gpukb-openwebui", "gpukb-plain"])
def test_on_the_wire_a_stream_is_what_strict_parsers_read(live_address: str, model: str) -> None:
    body = {"model": model, "stream": True, "messages": [{"role": "user", "content": "A100 与 H100 的显存带宽对比"}]}
    with httpx.stream("POST", f"{live_address}/v1/chat/completions", json=body) as response:
        raw = b"".join(response.iter_raw())
    assert response.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert "gzip" not in response.headers.get("content-encoding", "")
    assert b"\r" not in raw
    lines = raw.decode().split("\n\n")
    assert lines.pop() == ""
    assert lines.pop() == "data: [DONE]"
    for line in lines:
        assert line.startswith("data: {")
        assert "\n" not in line
        assert "choices" in json.loads(line.removeprefix("data: "))


def test_a_client_that_leaves_frees_its_place(live_address: str) -> None:
    body = {"model": "gpukb", "stream": True, "messages": [{"role": "user", "content": "What is HBM?"}]}
    for _ in range(12):  # more than may be answered at the same time
        with httpx.stream("POST", f"{live_address}/v1/chat/completions", json=body) as response:
            next(response.iter_raw())
    deadline = time.monotonic() + 10
    while "gpukb_requests_in_progress 1.0" not in (shown := httpx.get(f"{live_address}/metrics").text):
        assert time.monotonic() < deadline, shown
        time.sleep(0.05)
    whole = httpx.post(f"{live_address}/v1/chat/completions", json={**body, "stream": False})
    assert whole.json()["gpukb"]["timings_ms"]["queue"] == 0.0

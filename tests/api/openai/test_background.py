"""Prompts that chat clients send of their own are answered in their form; what people ask is not taken for one."""

from __future__ import annotations

import json

import pytest

from api.openai.background import background_reply, unwrapped

ENGLISH = "What is the memory bandwidth of the T4?"
CHINESE = "请问 RTX 4090 的显存带宽是多少？"


def open_webui(task: str, output: str, question: str) -> str:
    """As Open WebUI writes its prompts: heading, task, form of the output, conversation."""
    said = f"<chat_history>\nUSER: {question}\nASSISTANT: It is 320 GB/s [1].\n</chat_history>"
    return f"### Task:\n{task}\n\n### Output:\nJSON format: {output}\n\n### Chat History:\n{said}"


@pytest.mark.parametrize(
    ("output", "question", "expected"),
    [
        ('{ "title": "your title" }', ENGLISH, {"title": "Memory bandwidth of the T4"}),
        ('{ "title": "your title" }', CHINESE, {"title": "RTX 4090 的显存带宽"}),
        ('{\n  "tags": ["tag1", "tag2"]\n}', ENGLISH, {"tags": ["GPU"]}),
        ('{ "tags": ["tag1"] }', CHINESE, {"tags": ["显卡"]}),
        ('{ "follow_ups": ["Question 1?"] }', ENGLISH, {"follow_ups": []}),
        ('{\n  "queries": ["query1"]\n}', CHINESE, {"queries": [CHINESE]}),
        ('{\n    "prompt": "Your description."\n}', ENGLISH, {"prompt": ENGLISH}),
    ],
)
def test_open_webui_reads_back_json(output: str, question: str, expected: dict[str, object]) -> None:
    reply = background_reply([("user", open_webui("Do it.", output, question))])
    assert reply is not None
    assert json.loads(reply.text) == expected


def test_open_webui_further_prompts() -> None:
    completing = "### Task:\nYou are an autocompletion system. Continue the text.\n<text>T4 的</text>\n#### Output:"
    assert json.loads(background_reply([("user", completing)]).text) == {"text": ""}  # type: ignore[union-attr]
    compacting = (
        f"### Task:\nSummarize the conversation history\n\n### Messages:\nUSER: {CHINESE}\nASSISTANT: 1008 GB/s"
    )
    assert CHINESE in background_reply([("user", compacting)]).text  # type: ignore[union-attr]
    tools = 'Available Tools: [{"name": "search"}]\nReturn {"tool_calls": []} if none fits.'
    reply = background_reply([("system", tools), ("user", f"Query: {ENGLISH}")])
    assert json.loads(reply.text) == {"tool_calls": []}  # type: ignore[union-attr]
    face = "Your task is to reflect the speaker's likely facial expression through an emoji.\nMessage: ```hi```"
    assert len(background_reply([("user", face)]).text) == 1  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("messages", "what", "text"),
    [
        ([("user", "ping")], "ping", "pong"),
        ([("user", " Ping! ")], "ping", "pong"),
        # NextChat puts its prompt behind the conversation, as a user's or the system's message.
        ([("user", CHINESE), ("assistant", "1008"), ("user", "使用四到五个字直接返回这句话的简要主题")], "title",
         "RTX 4090 的显存带宽"),
        ([("user", CHINESE), ("assistant", "1008"), ("system", "简要总结一下对话内容，用作后续的上下文")], "summary",
         f"用户先后问过：{CHINESE}"),
        ([("user", ENGLISH), ("assistant", "320"), ("system", "Summarize the discussion briefly in 200 words or less")],
         "summary", f"The user asked: {ENGLISH}"),
        # Cherry Studio and LobeChat make it the system prompt.
        ([("system", "总结给出的会话，将其总结为语言为中文的 10 字内标题"),
          ("user", '[{"role":"user","mainText":"T4 的功耗是多少？"},{"role":"assistant","mainText":"70"}] /no_think')],
         "title", "T4 的功耗"),
        ([("system", "你是一名擅长会话的助理，你需要将用户的会话总结为 10 个字以内的标题"),
          ("user", "user: T4 的功耗是多少？\nassistant: 70 W\n\n请总结上述对话")], "title", "T4 的功耗"),
        ([("user", f"Provide a concise, 5-word-or-less title for the conversation.\n\nUser: {ENGLISH}\nAI: 320")],
         "title", "Memory bandwidth of the T4"),
        ([("user", f"Based on the chat history, give this conversation a name.\n\nUser: {ENGLISH}\nAssistant: 320")],
         "title", "Memory bandwidth of the T4"),
        ([("user", f"Human: {ENGLISH}\nAssistant: 320\n\nPlease help me predict the three most likely questions")],
         "follow_ups", "[]"),
        ([("user", 'You need to decompose the user\'s input into "subject" and "intention".\nUser Input: hi\n{}\n'
           f"User Input: {CHINESE}")], "title", '{"Your Output": "RTX 4090 的显存带宽"}'),
    ],
)  # fmt: skip
def test_other_clients(messages: list[tuple[str, str]], what: str, text: str) -> None:
    reply = background_reply(messages)  # type: ignore[arg-type]
    assert reply is not None
    assert (reply.what, reply.text) == (what, text)


@pytest.mark.parametrize(
    "messages",
    [
        [("user", ENGLISH)],
        [("user", "ping T4")],
        [("user", "ping"), ("assistant", "pong"), ("user", CHINESE)],
        [("user", "T4 的主题是什么？直接返回")],
        [("user", "### Task: which GPU fits a 70B model?")],
        [("user", '### Task:\nCompare the T4 and the L4. Format: {"answer": ""}')],
        [("user", "Explain tags in GPU caches")],
        [("system", "You are a helpful assistant. Use a title."), ("user", CHINESE)],
        [("system", "Summaries have titles"), ("user", "What is a tag?")],
        [("user", "### Task:\nRespond to the user query using the provided context.\n<context>x</context>\nT4?")],
        [("assistant", "hi")],
    ],
)
def test_what_people_ask_is_not_taken_for_a_prompt(messages: list[tuple[str, str]]) -> None:
    assert background_reply(messages) is None  # type: ignore[arg-type]


@pytest.mark.parametrize("question", ["？" * 10, "", "\n", "请问", "what is the", "[1] **", "x" * 5000, "显" * 5000])
def test_a_title_is_short_and_never_empty(question: str) -> None:
    reply = background_reply([("user", open_webui("Title.", '{ "title": "" }', question))])
    title = json.loads(reply.text)["title"]  # type: ignore[union-attr]
    assert 0 < len(title) <= 48


def test_a_question_wrapped_into_a_clients_own_retrieval_comes_out() -> None:
    begins = "### Task:\nRespond to the user query using the provided context."
    assert unwrapped(f'{begins}\n<context>\n<source id="1">T4</source>\n</context>\n\n{CHINESE}') == CHINESE
    assert unwrapped(f"{begins}\n<context>x</context>\n<user_query>\n{ENGLISH}\n</user_query>\n") == ENGLISH
    assert unwrapped(f"Respond.\n<context>x</context>\n{ENGLISH}").startswith("Respond.")


@pytest.mark.parametrize(
    "bad", ['### Task:{ "', "Available Tools:", "USER: ", "\n", "[", "User Input:", '{"title', " "]
)
def test_no_text_makes_it_search_for_ever(bad: str) -> None:
    text = bad * (1_000_000 // len(bad))
    background_reply([("system", text), ("user", text)])
    unwrapped(f"### Task:\nRespond to the user query{text}")

"""A client's messages as a question, what was said before it, and the style that the application wishes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from api.openai.background import unwrapped
from api.openai.citations import without_source_list
from api.problems import ProblemError
from api.schemas.chat import ChatMessageIn
from kb.types import MAX_QUESTION, Turn

_MOST_TURNS: Final = 50
_MOST_OF_A_TURN: Final = 20_000
_INSTRUCTING: Final = ("system", "developer")
_BLANK: Final = re.compile(r"[\s\u200b-\u200f\ufeff]*")


@dataclass(frozen=True, slots=True)
class Conversation:
    """What a client sent, as the library takes it.

    Attributes:
        question: the last message of a user.
        history: what user and assistant said before; calls of tools and their results are left out.
        style: what the application's own prompt says.
    """

    question: str
    history: tuple[Turn, ...]
    style: str


def text_of(message: ChatMessageIn) -> str:
    """The text of a message; parts that are no text are left out."""
    if message.content is None or isinstance(message.content, str):
        return message.content or ""
    return "\n".join(part.text for part in message.content if part.type == "text" and part.text)


def read_conversation(messages: Sequence[ChatMessageIn]) -> Conversation:
    """Read the messages of a request.

    Raises:
        ProblemError: there is no question, or it is blank, too long, or no text.
    """
    place = next((i for i in reversed(range(len(messages))) if messages[i].role == "user"), None)
    if place is None:
        raise _wrong("messages", "There is no message of a user.", "没有用户消息。")
    _check_parts(messages[place], place)
    question = unwrapped(text_of(messages[place]))
    if _BLANK.fullmatch(question):
        raise _wrong(f"messages.{place}.content", "The question is blank.", "问题为空白。")
    if len(question) > MAX_QUESTION:
        raise _wrong(
            f"messages.{place}.content",
            f"A question may have {MAX_QUESTION} characters; this one has {len(question)}.",
            f"问题至多 {MAX_QUESTION} 个字符，这里有 {len(question)} 个。",
        )
    return Conversation(question, _history(messages[:place]), _style(messages))


def _check_parts(message: ChatMessageIn, place: int) -> None:
    """Refuse what cannot be read in the question; in earlier turns it is skipped, so that a chat can go on."""
    if message.content is None or isinstance(message.content, str):
        return
    for number, part in enumerate(message.content):
        where = f"messages.{place}.content.{number}"
        if part.type != "text":
            raise _wrong(
                where,
                f"Parts of type {part.type[:40]!r} are not supported; questions are text.",
                f"不支持类型为 {part.type[:40]!r} 的内容；问题只能是文本。",
            )
        if part.text is None:
            raise _wrong(f"{where}.text", "A part of type 'text' needs its text.", "text 类型的内容缺少 text。")


def _history(messages: Sequence[ChatMessageIn]) -> tuple[Turn, ...]:
    turns: list[Turn] = []
    for message in messages:
        text = text_of(message)[-_MOST_OF_A_TURN:]
        if _BLANK.fullmatch(text):
            continue
        if message.role == "user":
            turns.append(Turn("user", unwrapped(text)))
        elif message.role == "assistant":
            turns.append(Turn("assistant", without_source_list(text)))
    return tuple(turns[-_MOST_TURNS:])


def _style(messages: Sequence[ChatMessageIn]) -> str:
    return "\n\n".join(text for message in messages if message.role in _INSTRUCTING and (text := text_of(message)))


def _wrong(place: str, en: str, zh: str) -> ProblemError:
    return ProblemError("invalid_request", en, zh, [{"loc": place, "msg": en}])

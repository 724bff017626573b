"""What chat clients ask beside the conversation, and answers in the form that they parse; see `background.yaml`."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any, Final, Literal

import yaml

from kb.text import language_of

Role = Literal["system", "developer", "user", "assistant", "tool", "function"]
_READ: Final = 6000
"""Characters of a message that are looked at, two thirds from its beginning; a prompt says there what it wants."""
_MOST_OF_A_TITLE: Final = {"zh": 24, "en": 48}
_MOST_OF_A_SUMMARY: Final = 600
_FORBIDDEN_IN_A_TITLE: Final = re.compile(r"[\"“”'`*#\[\]{}<>|\\]+|\s+")


@dataclass(frozen=True, slots=True)
class BackgroundReply:
    """The answer to a prompt that no person wrote.

    Attributes:
        what: the prompt asked for, such as `title`.
        text: in the form that its client parses.
    """

    what: str
    text: str


@dataclass(frozen=True, slots=True)
class _Prompt:
    what: str
    where: Literal["last", "system"]
    form: Literal["text", "array", "object"]
    key: str
    about: Literal["first", "last"]
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class _Wrapping:
    begins: str
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class _Table:
    prompts: tuple[_Prompt, ...]
    probe: re.Pattern[str]
    user: re.Pattern[str]
    other: re.Pattern[str]
    wrapped: tuple[_Wrapping, ...]
    lead: re.Pattern[str]
    tail: re.Pattern[str]


def background_reply(messages: Sequence[tuple[Role, str]]) -> BackgroundReply | None:
    """The answer, if a conversation is a client's own prompt or probe; `None` if a person asks.

    Args:
        messages: role and text of each.
    """
    table = _table()
    if [role for role, _ in messages] == ["user"] and table.probe.fullmatch(messages[0][1].strip()[:40]):
        return BackgroundReply("ping", "pong")
    last = _looked_at(messages[-1][1])
    system = next((_looked_at(text) for role, text in messages if role == "system"), "")
    for prompt in table.prompts:
        if prompt.pattern.match(last if prompt.where == "last" else system):
            said = _said(messages, by_itself=prompt.where == "system")
            value = _VALUES[prompt.what](said[-1:] if prompt.about == "last" else said)
            return BackgroundReply(prompt.what, _formed(prompt, value))
    return None


def unwrapped(text: str) -> str:
    """The question alone, where a client has wrapped it into retrieval of its own."""
    for wrapping in _table().wrapped:
        if text.lstrip().startswith(wrapping.begins) and wrapping.before in text:
            question = text.rpartition(wrapping.before)[2]
            return (question.partition(wrapping.after)[0] if wrapping.after else question).strip()
    return text


def _looked_at(text: str) -> str:
    text = text.strip()
    head = _READ * 2 // 3
    return text if len(text) <= _READ else f"{text[:head]}\n{text[head - _READ :]}"


def _said(messages: Sequence[tuple[Role, str]], *, by_itself: bool) -> list[str]:
    """What a person said in the conversation that the prompt is about."""
    last = _looked_at(messages[-1][1])
    quoted = _quoted(last)
    earlier = [text for role, text in messages[:-1] if role == "user" and text.strip()]
    return quoted or earlier or ([last] if by_itself else [])


def _quoted(prompt: str) -> list[str]:
    """What the user said, in a prompt that quotes a conversation as JSON or line by line."""
    if prompt.startswith("["):
        return _quoted_in_json(prompt)
    table = _table()
    found: list[list[str]] = []
    is_users = False
    for line in prompt.splitlines():
        begun = table.user.match(line.strip())
        if begun:
            is_users = True
            found.append([line.strip()[begun.end() :]])
        elif table.other.match(line.strip()):
            is_users = False
        elif is_users:
            found[-1].append(line)
    return [text for lines in found if (text := "\n".join(lines).strip())]


def _quoted_in_json(prompt: str) -> list[str]:
    try:
        turns = json.JSONDecoder().raw_decode(prompt)[0]
    except (ValueError, RecursionError):
        return []
    users = [turn for turn in turns if isinstance(turn, Mapping) and turn.get("role") == "user"]
    texts = [turn.get("content") or turn.get("mainText") for turn in users]
    return [text for text in texts if isinstance(text, str) and text.strip()]


def _formed(prompt: _Prompt, value: str | list[str]) -> str:
    if prompt.form == "object":
        return json.dumps({prompt.key: value}, ensure_ascii=False)
    return json.dumps(value, ensure_ascii=False) if prompt.form == "array" else str(value)


# ---------------------------------------------------------------- what is answered


def _title(said: Sequence[str]) -> str:
    """The first question's subject, in its own language and a few words."""
    first = _FORBIDDEN_IN_A_TITLE.sub(" ", said[0][:400] if said else "").strip()
    table = _table()
    subject = _without(table.tail, _without(table.lead, first, from_start=True), from_start=False)
    text = subject or first or "GPU"
    most = _MOST_OF_A_TITLE[language_of(text)]
    if len(text) > most:
        cut = text[: most + 1]
        text = cut.rpartition(" ")[0] if " " in cut[most // 2 :] else cut[:most]
    return text[0].upper() + text[1:]


def _without(pattern: re.Pattern[str], text: str, *, from_start: bool) -> str:
    """The text without what the pattern finds at one end, again and again, as long as something is left."""
    while found := pattern.match(text) if from_start else pattern.search(text):
        rest = text[found.end() :] if from_start else text[: found.start()]
        if not rest.strip() or rest == text:
            break
        text = rest.strip()
    return text


def _tags(said: Sequence[str]) -> list[str]:
    return ["显卡"] if said and language_of(said[0]) == "zh" else ["GPU"]


def _last_question(said: Sequence[str]) -> list[str]:
    return [" ".join(said[-1].split())[:200]] if said else []


def _summary(said: Sequence[str]) -> str:
    """What was asked, in order; the latest where that is too much."""
    asked = "; ".join(" ".join(text.split())[:200] for text in said)[-_MOST_OF_A_SUMMARY:]
    if said and language_of(asked) == "zh":
        return f"用户先后问过：{asked}"
    return f"The user asked: {asked}"


_VALUES: Final[Mapping[str, Callable[[Sequence[str]], str | list[str]]]] = {
    "title": _title,
    "tags": _tags,
    # What this service can answer of a follow-up depends on its documents: none is better than a wrong promise.
    "follow_ups": lambda said: [],
    "queries": _last_question,
    "completion": lambda said: "",
    "image_prompt": lambda said: next(iter(_last_question(said)), ""),
    "emoji": lambda said: "🙂",
    "tool_calls": lambda said: [],
    "summary": _summary,
}


@lru_cache(maxsize=1)
def _table() -> _Table:
    read: Mapping[str, Any] = yaml.load(
        resources.files("api.openai").joinpath("background.yaml").read_text(encoding="utf-8"), Loader=yaml.CSafeLoader
    )
    flags = re.IGNORECASE | re.DOTALL
    return _Table(
        prompts=tuple(
            _Prompt(
                what=row["what"],
                where=row["where"],
                form=row["form"],
                key=row.get("key", ""),
                about=row.get("about", "first"),
                pattern=re.compile(row["pattern"], flags),
            )
            for row in read["prompts"]
        ),
        probe=re.compile(read["probe"], flags),
        user=re.compile(read["speakers"]["user"]),
        other=re.compile(read["speakers"]["other"]),
        wrapped=tuple(_Wrapping(row["begins"], row["before"], row["after"]) for row in read["wrapped"]),
        lead=re.compile("|".join(f"(?:{part})" for part in read["title"]["lead"]), flags),
        tail=re.compile("(?:" + "|".join(f"(?:{part})" for part in read["title"]["tail"]) + r")\Z", flags),
    )

"""What goes over the wire between a chat client and the service."""

from __future__ import annotations

import json
import re
from typing import Any

CHAT = "/v1/chat/completions"
_CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)
_MARK = re.compile(r"\[(\d+(?:\s*[,，]\s*\d+)*)\]")


def said(question: str, **fields: Any) -> dict[str, Any]:
    """A body with one question."""
    return {"model": "gpukb", "messages": [{"role": "user", "content": question}], **fields}


def chunks_of(text: str) -> list[dict[str, Any]]:
    """The chunks of a whole stream, which ends in `[DONE]`."""
    *lines, done = [line.removeprefix("data: ") for line in text.split("\n") if line.startswith("data: ")]
    assert done == "[DONE]", done
    return [json.loads(line) for line in lines]


def content_of(chunks: list[dict[str, Any]]) -> str:
    """The text of the chunks together."""
    return "".join(choice["delta"].get("content") or "" for chunk in chunks for choice in chunk["choices"])


def marks_in(text: str) -> list[tuple[int, int, str]]:
    """Place and words of each mark, as a client finds them that links `[n]` wherever it is no code."""
    masked = _CODE.sub(lambda code: " " * len(code.group()), text)
    return [(mark.start(), mark.end(), mark.group()) for mark in _MARK.finditer(masked)]

"""What an embedded piece is told about where it stands: title, headings, caption."""

from __future__ import annotations

import re
from collections.abc import Callable

from ingest.chunkers.limits import ChunkLimits
from ingest.chunkers.ruler import columns
from ingest.loaders.markdown import plain
from ingest.loaders.registry import fallback_title
from kb.types import Document

SEPARATOR = " › "
_WORD = re.compile(r"[A-Za-z]{3,}|[\u3400-\u9fff]{2,}")
_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})")
_SPACES = re.compile(r"[ \t　]+")


class Context:
    """Writes embedded texts that fit the model's window.

    Args:
        document: whose pieces are embedded.
        counter: tokens of a text as the model counts them, prefix and special tokens included.
        limits: of the texts.
    """

    def __init__(self, document: Document, counter: Callable[[str], int], limits: ChunkLimits) -> None:
        self._title = stated_title(document)
        self._counter = counter
        self._limits = limits
        self._checked: dict[str, str] = {}

    def embed_text(self, heading_path: tuple[str, ...], caption: str, body: str) -> str:
        """The text that is embedded for a piece."""
        head = self._head(heading_path, caption)
        return f"{head}\n{body}" if head else body

    def fits(self, embed_text: str) -> bool:
        """Whether the model reads all of it."""
        return self._counter(embed_text) <= self._limits.max_tokens

    def _head(self, heading_path: tuple[str, ...], caption: str) -> str:
        names = list(heading_path)
        if self._title and self._title not in names[:1]:
            names.insert(0, self._title)
        head = _short(SEPARATOR.join(_spread(names, self._limits.context_columns)), self._limits.context_columns)
        if caption:
            head = f"{head}\n{_short(plain(caption), self._limits.context_columns)}" if head else plain(caption)
        if head not in self._checked:
            # A heading in a script that the model spells out letter by letter must not crowd out the piece.
            self._checked[head] = head if self._counter(head) <= self._limits.max_tokens // 2 else ""
        return self._checked[head]


def _spread(names: list[str], limit: int) -> list[str]:
    """The outermost name and as many of the innermost as fit."""
    if len(names) <= 1:
        return names
    kept: list[str] = []
    room = limit - columns(names[0])
    for name in reversed(names[1:]):
        room -= columns(name) + len(SEPARATOR)
        if kept and room < 0:
            break
        kept.insert(0, name)
    return [names[0], *kept]


def _short(text: str, limit: int) -> str:
    if columns(text) <= limit:
        return text
    return text[: max(1, limit // 2 if columns(text) > 1.5 * len(text) else limit)].rstrip() + "…"


def stated_title(document: Document) -> str:
    """The title, unless it is a file name that says nothing: `scan_0012`, `README`."""
    if document.title != fallback_title(document.doc_id):
        return document.title
    words = _WORD.findall(document.title)
    says_something = (
        bool(words) and (len(words) > 1 or not words[0].isascii()) and not re.search(r"[_\-]\d+", document.title)
    )
    return re.sub(r"[_\-/]+", " ", document.title) if says_something else ""


def readable(source: str) -> str:
    """A piece of Markdown as it is embedded: words without markup, lines kept."""
    lines = (_SPACES.sub(" ", plain(line)) for line in source.split("\n") if not _FENCE.match(line))
    return "\n".join(line for line in lines if line.strip("-=|: "))

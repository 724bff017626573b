"""Plain text: paragraphs at blank lines, and headings where a line can be nothing else."""

from __future__ import annotations

import re

from ingest.cleaning import clean
from ingest.loaders.base import Parsed, SourceFile
from ingest.loaders.encoding import decode
from kb.types import Block, BlockKind

# 第一章 …, 一、…, （一）…, 1.2 …: what Chinese documents number their headings with. The order gives the level.
_NUMBERED = (
    re.compile(r"第[一二三四五六七八九十百\d]+[章篇编部]"),
    re.compile(r"第[一二三四五六七八九十百\d]+节|[一二三四五六七八九十]{1,3}、"),
    re.compile(r"[（(][一二三四五六七八九十]{1,3}[）)]|\d{1,2}\.\d{1,2}[ \t　]"),
    re.compile(r"\d{1,2}\.\d{1,2}\.\d{1,2}[ \t　]"),
)
_MAX_HEADING_CHARS = 40
_ENDS_SENTENCE = re.compile(r"[。！？；，：、.!?;,:]$")
_BULLET = re.compile(r"\s*(?:[-*•·●▪]|\d{1,3}[.)、])\s*\S")


class TextLoader:
    """Reads `.txt` and files without suffix."""

    media_type = "text/plain"

    def parse(self, source: SourceFile) -> Parsed:
        """Read paragraphs; the text stays as it is."""
        decoded = decode(source.data)
        text = clean(decoded.text)
        blocks: list[Block] = []
        headings: list[tuple[int, str]] = []
        for start, end in _paragraphs(text):
            position = _headings_at(text, start, end, headings, blocks)
            if position < end:
                kind: BlockKind = "list" if _is_list(text[position:end]) else "paragraph"
                blocks.append(Block(kind, position, end, tuple(title for _, title in headings)))
        return Parsed(text, tuple(blocks), _title(text), decoded.encoding, {}, decoded.warnings)


def _paragraphs(text: str) -> list[tuple[int, int]]:
    spans = []
    for match in re.finditer(r"[^\n]*\S[^\n]*(?:\n[^\n]*\S[^\n]*)*", text):
        end = match.end()
        while text[end - 1].isspace():
            end -= 1
        spans.append((match.start(), end))
    return spans


def _headings_at(text: str, start: int, end: int, headings: list[tuple[int, str]], blocks: list[Block]) -> int:
    """Take the heading lines that a paragraph begins with; returns where its own text starts."""
    position = start
    while position < end:
        line_end = text.find("\n", position, end)
        line_end = end if line_end < 0 else line_end
        title = text[position:line_end].strip()
        level = _heading_level(title)
        if not level:
            break
        headings[:] = [item for item in headings if item[0] < level]
        path = tuple(name for _, name in headings)
        blocks.append(Block("heading", position, line_end, path, level=level))
        headings.append((level, title))
        position = min(line_end + 1, end)
    return position


def _heading_level(line: str) -> int:
    if len(line) > _MAX_HEADING_CHARS or _ENDS_SENTENCE.search(line):
        return 0
    return next((level for level, pattern in enumerate(_NUMBERED, 1) if pattern.match(line)), 0)


def _is_list(paragraph: str) -> bool:
    lines = paragraph.split("\n")
    return len(lines) > 1 and sum(_BULLET.match(line) is not None for line in lines) > len(lines) / 2


def _title(text: str) -> str:
    """The first line, if it is short and stands alone."""
    lines = text.lstrip().split("\n", 2)
    first = lines[0].strip()
    alone = len(lines) > 1 and not lines[1].strip()
    return first if alone and len(first) <= _MAX_HEADING_CHARS and not _ENDS_SENTENCE.search(first) else ""

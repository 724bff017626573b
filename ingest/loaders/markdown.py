"""Markdown, read by its grammar: the text keeps its source characters, blocks say what each part is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ingest.cleaning import clean, is_blank
from ingest.loaders.base import Parsed, SourceFile
from ingest.loaders.encoding import decode
from ingest.loaders.front_matter import split_front_matter
from ingest.loaders.markdown_dialects import flatten_admonitions, rewrite_blocks, tidy_inline
from ingest.loaders.pipe_table import is_delimiter_row
from kb.types import Block, BlockKind

_MAX_NESTING = 30
_ATTRIBUTES = re.compile(r"\s*\{[#.:][^{}]*\}\s*$")
_LINK = re.compile(r"!?\[([^\[\]]*)\]\([^()\s]*(?:\([^()]*\)[^()]*)*(?:\s+[\"'][^\"']*[\"'])?\)")
_IMAGE = re.compile(r"!\[[^\[\]]*\](?:\([^()\s]*(?:\([^()]*\)[^()]*)*(?:\s+[\"'][^\"']*[\"'])?\)|\[[^\[\]]*\])")
_EMPTY_LINK = re.compile(r"\[\s*\](?:\([^()]*\)|\[[^\[\]]*\])?")
_TAG = re.compile(r"</?\w[^<>]*>|<!--.*?-->", re.DOTALL)
# Marks that stand close to words on both sides; `36 * 3.84 TB` and `MI*` are no emphasis.
_EMPHASIS = (
    re.compile(r"(\*\*|__|~~)(?=\S)(.+?)(?<=\S)\1"),
    re.compile(r"(?<![\w*\\])(\*)(?=[^\s*])([^*\n]+?)(?<=[^\s*\\])\1(?!\*)"),
    re.compile(r"(?<![\w\\])(_)(?=[^\s_])([^_\n]+?)(?<=[^\s_])\1(?!\w)"),
    re.compile(r"(`+)(?!`)(.+?)(?<!`)\1(?!`)"),
)
_MARKUP = re.compile(r"[\\*_`~\[]")
_ESCAPE = re.compile(r"\\([!-/:-@\[-`{-~])")

_CONTAINERS: dict[str, tuple[str, BlockKind]] = {
    "bullet_list_open": ("bullet_list_close", "list"),
    "ordered_list_open": ("ordered_list_close", "list"),
    "blockquote_open": ("blockquote_close", "quote"),
}
_CODE = frozenset({"fence", "code_block"})


class MarkdownLoader:
    """Reads `.md` and `.markdown`."""

    media_type = "text/markdown"

    def parse(self, source: SourceFile) -> Parsed:
        """Read front matter and structure."""
        decoded = decode(source.data)
        metadata, text, warnings = split_front_matter(clean(decoded.text))
        text = flatten_admonitions(text)
        tokens = _tokens(text)
        rewritten = rewrite_blocks(text, tokens, source.limits)
        if rewritten != text:
            tokens = _tokens(rewritten)
        text = tidy_inline(rewritten, tokens)
        blocks = _Blocks(text).read(tokens)
        title = metadata.get("title")
        if not isinstance(title, str) or not title.strip():
            title = _first_title(blocks, text)
        return Parsed(text, blocks, title, decoded.encoding, metadata, (*decoded.warnings, *warnings))


def plain(markdown: str) -> str:
    """A line of Markdown as a reader sees it: link texts without addresses, no emphasis marks."""
    if not _MARKUP.search(markdown):
        return markdown.strip()
    words = _LINK.sub(r"\1", _IMAGE.sub("", markdown)) if "[" in markdown else markdown
    for pattern in _EMPHASIS:
        words = pattern.sub(r"\2", words)
    return _ESCAPE.sub(r"\1", words).strip()


def _tokens(text: str) -> list[Token]:
    parser = MarkdownIt("commonmark", {"maxNesting": _MAX_NESTING}).enable("table")
    parser.disable("inline")  # only the structure is wanted; inline parsing is most of the time
    return parser.parse(text)


def _first_title(blocks: Sequence[Block], text: str) -> str:
    headings = [block for block in blocks if block.kind == "heading"]
    first = next((block for block in headings if block.level == 1), headings[0] if headings else None)
    return heading_title(text[first.start : first.end]) if first is not None else ""


def heading_title(source: str) -> str:
    """A heading's words, from its `#` or underlined source."""
    line = source.strip()
    if line.startswith("#"):
        line = re.sub(r"\s+#+$", "", line.lstrip("#").strip())
    else:
        line = re.sub(r"\n[ \t]*[=-]+[ \t]*$", "", line).replace("\n", " ")
    return " ".join(plain(_ATTRIBUTES.sub("", line)).split())


class _Blocks:
    """Turns tokens into blocks; tokens know lines, blocks know characters."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._line_starts = [0]
        self._line_starts.extend(match.end() for match in re.finditer("\n", text))
        self._headings: list[tuple[int, str]] = []
        self._blocks: list[Block] = []

    def read(self, tokens: Sequence[Token]) -> tuple[Block, ...]:
        """Blocks of the whole document, in order, none inside another."""
        index = 0
        while index < len(tokens):
            token = tokens[index]
            if token.type in _CONTAINERS:
                index = self._container(tokens, index)
                continue
            if token.map is not None and token.level == 0:
                self._leaf(token)
            index += 1
        return tuple(self._blocks)

    def _leaf(self, token: Token) -> None:
        first, last = token.map or (0, 0)
        if token.type == "heading_open":
            self._heading(first, last, int(token.tag[1]))
        elif token.type in _CODE:
            self._add("code", first, last)
        elif token.type == "table_open":
            self._table(first, last)
        elif token.type in {"paragraph_open", "html_block"}:
            self._add("paragraph", first, last)

    def _container(self, tokens: Sequence[Token], index: int) -> int:
        """A list or quotation; code and tables inside it become blocks of their own, between its parts."""
        opening = tokens[index]
        closing_type, kind = _CONTAINERS[opening.type]
        end = index + 1
        while tokens[end].type != closing_type or tokens[end].level != opening.level:
            end += 1
        first, last = opening.map or (0, 0)
        position = first
        for token in tokens[index + 1 : end]:
            if token.map is None or token.map[0] < position or (kind == "quote" and token.type == "table_open"):
                continue
            if token.type in _CODE or token.type == "table_open":
                self._add(kind, position, token.map[0])
                self._leaf(token)
                position = token.map[1]
        self._add(kind, position, last)
        return end + 1

    def _heading(self, first: int, last: int, level: int) -> None:
        start, end = self._span(first, last)
        title = heading_title(self._text[start:end])
        self._headings = [item for item in self._headings if item[0] < level]
        if not title:
            return
        self._blocks.append(Block("heading", start, end, self._path(), level=level))
        self._headings.append((level, title))

    def _table(self, first: int, last: int) -> None:
        start, end = self._span(first, last)
        lines = self._text[start:end].split("\n", 2)
        has_header = len(lines) > 2 and is_delimiter_row(lines[1])
        header = len(lines[0]) + len(lines[1]) + 2 if has_header else 0
        self._blocks.append(Block("table", start, end, self._path(), header_end=start + header))

    def _add(self, kind: BlockKind, first: int, last: int) -> None:
        start, end = self._span(first, last)
        if start < end and (kind == "code" or _shows_something(self._text[start:end])):
            self._blocks.append(Block(kind, start, end, self._path()))

    def _path(self) -> tuple[str, ...]:
        return tuple(title for _, title in self._headings)

    def _span(self, first: int, last: int) -> tuple[int, int]:
        """Lines as characters, without blank lines around; the first line keeps its indentation."""
        start = self._line_starts[first]
        end = self._line_starts[last] if last < len(self._line_starts) else len(self._text)
        while end > start and self._text[end - 1].isspace():
            end -= 1
        while start < end and self._text[start] == "\n":
            start += 1
        return start, end


def _shows_something(source: str) -> bool:
    """Whether more is left than images, badges, anchors and rules."""
    visible = _EMPTY_LINK.sub("", _TAG.sub("", _IMAGE.sub("", source)))
    return not is_blank(visible.strip("-*_>#|[]() \t\n"))

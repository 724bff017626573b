"""Cutting a document by its structure: headings first, then tables and code, then neighbouring paragraphs.

Every passage's body is `document.text[start:end]`, passages do not overlap, and nothing a reader sees is left out
but headings (they stand in `heading_path`) and lines that only introduce a table (they are its `caption`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from ingest.chunkers.code import CodeCutter
from ingest.chunkers.context import Context, stated_title
from ingest.chunkers.draft import Draft
from ingest.chunkers.limits import ChunkLimits
from ingest.chunkers.prose import ProseCutter
from ingest.chunkers.ruler import Ruler, columns
from ingest.chunkers.tables import TableCutter
from ingest.loaders.markdown import plain
from kb.text import language_of
from kb.types import Block, Chunk, Document, Language, chunk_id_of

CHUNKER_VERSION = "structure-1"
"""Changes whenever the same document and limits give other chunks; part of every manifest."""

_MAX_CAPTION_COLUMNS = 240
_INLINE_CODE_LINES = 15
# Lines that say nothing without the table or code below them.
_LEAD_IN = re.compile(r"[:：]\s*[*_]*$")
_NUMBERED = re.compile(
    r"(?:\*\*)?(?:表|图|Table|Figure|Tab\.|Fig\.|Listing|清单)\s*[\d一二三四五六七八九十]", re.IGNORECASE
)
_SENTENCE_BORDER = re.compile(r"(?<=[。！？])|(?<=[.!?])\s+(?=[^a-z])")


def chunker_name(limits: ChunkLimits) -> str:
    """What the manifest says about how documents were cut."""
    return f"{CHUNKER_VERSION} {limits.describe()}"


def chunk(document: Document, counter: Callable[[str], int], limits: ChunkLimits | None = None) -> tuple[Chunk, ...]:
    """Passages of a document, in order; the same input always gives the same passages.

    Args:
        document: to cut.
        counter: tokens of a text as the embedding model counts them (`Embedder.count_tokens`).
        limits: sizes.

    Raises:
        DocumentError: a single character is longer than the model's window.
    """
    return _Chunker(document, counter, limits or ChunkLimits()).chunks()


class _Chunker:
    def __init__(self, document: Document, counter: Callable[[str], int], limits: ChunkLimits) -> None:
        self._document = document
        self._limits = limits
        self._ruler = Ruler(document.text)
        self._title = stated_title(document)
        self._has_top_heading = any(block.kind == "heading" and block.level == 1 for block in document.blocks)
        context = Context(document, counter, limits)
        parts = (document.text, self._ruler, context, limits)
        self._prose = ProseCutter(*parts)
        self._code = CodeCutter(*parts)
        self._tables = TableCutter(*parts)

    def chunks(self) -> tuple[Chunk, ...]:
        """All passages."""
        drafts = [draft for path, blocks in self._sections() for draft in self._section(path, blocks)]
        drafts = [draft for draft in drafts if draft.pieces]
        return tuple(self._finished(ordinal, draft) for ordinal, draft in enumerate(drafts))

    def _sections(self) -> Iterator[tuple[tuple[str, ...], list[Block]]]:
        """Runs of blocks under the same headings. A heading with nothing under it joins the next run."""
        blocks = self._document.blocks
        last = max((index for index, block in enumerate(blocks) if block.kind != "heading"), default=-1)
        run: list[Block] = []
        path: tuple[str, ...] = ()
        for index, block in enumerate(blocks):
            only_headings = all(item.kind == "heading" for item in run)
            if block.kind == "heading" and index <= last and not only_headings:
                yield path, run
                run, only_headings = [], True
            if block.kind == "heading" and not self._is_bare(index):
                continue
            if only_headings:
                path = block.heading_path
            run.append(block)
        if run:
            yield path, run

    def _is_bare(self, index: int) -> bool:
        """Whether a heading has nothing under it."""
        blocks = self._document.blocks
        following = blocks[index + 1] if index + 1 < len(blocks) else None
        return following is None or (following.kind == "heading" and following.level <= blocks[index].level)

    def _section(self, path: tuple[str, ...], blocks: Sequence[Block]) -> Iterator[Draft]:
        run: list[Block] = []
        for block in blocks:
            if not self._stands_alone(block):
                run.append(block)
                continue
            caption, is_lead_in = self._caption(block, run)
            yield from self._run(run[:-1] if is_lead_in else run, path)
            run = []
            cutter = self._tables if block.kind == "table" else self._code
            yield from cutter.passages(block, caption)
        yield from self._run(run, path)

    def _run(self, run: Sequence[Block], path: tuple[str, ...]) -> Iterator[Draft]:
        if run:
            yield from self._prose.passages(run, path)

    def _stands_alone(self, block: Block) -> bool:
        if block.kind != "code":
            return block.kind == "table"
        lines = self._document.text.count("\n", block.start, block.end)
        wide = self._ruler.width(block.start, block.end) > self._limits.inline_code_columns
        return wide or lines > _INLINE_CODE_LINES

    def _caption(self, block: Block, run: Sequence[Block]) -> tuple[str, bool]:
        """The line that introduces a block, and whether it says nothing of its own."""
        above = run[-1] if run and run[-1].kind in {"paragraph", "heading"} else None
        text = self._document.text[above.start : above.end].strip() if above else ""
        if block.caption:
            return block.caption, plain(text) == plain(block.caption)
        sentences = [part for part in _SENTENCE_BORDER.split(" ".join(plain(text).split())) if part.strip()]
        sentence = sentences[-1].strip() if sentences else ""
        if not sentence or columns(sentence) > _MAX_CAPTION_COLUMNS:
            return "", False
        return sentence, len(sentences) == 1 and bool(_LEAD_IN.search(text) or _NUMBERED.match(text))

    def _finished(self, ordinal: int, draft: Draft) -> Chunk:
        document = self._document
        text = draft.prefix + document.text[draft.start : draft.end]
        return Chunk(
            chunk_id=chunk_id_of(document.doc_id, draft.start, text),
            doc_id=document.doc_id,
            ordinal=ordinal,
            kind=draft.kind,
            start=draft.start,
            end=draft.end,
            text=text,
            heading_path=self._full_path(draft.heading_path),
            pieces=tuple(piece.span for piece in draft.pieces),
            embed_texts=tuple(piece.embed_text for piece in draft.pieces),
            language=self._language(draft),
            page=draft.page,
            page_end=draft.page_end,
            caption=draft.caption,
        )

    def _full_path(self, path: tuple[str, ...]) -> tuple[str, ...]:
        """Begins with the title also where the document states it elsewhere than in a heading."""
        if not self._title or self._has_top_heading or self._title in path[:1]:
            return path
        return (self._title, *path)

    def _language(self, draft: Draft) -> Language:
        """Of the words around it where a passage has few of its own."""
        text = self._document.text[draft.start : draft.end]
        if draft.kind == "text":
            return language_of(text)
        first_line = (draft.prefix or text).split("\n", 1)[0] if draft.kind == "table" else ""
        words = " ".join((*draft.heading_path, draft.caption, first_line))
        return language_of(words) if words.strip() else self._document.language

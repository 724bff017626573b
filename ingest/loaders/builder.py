"""Writing a text and its blocks together, for formats whose source is not itself readable text."""

from __future__ import annotations

from collections.abc import Sequence

from ingest.loaders.pipe_table import header_length, render
from kb.types import Block, BlockKind


class TextBuilder:
    """Appends blocks, parted by blank lines, and keeps their spans and heading paths."""

    def __init__(self) -> None:
        self.page: int | None = None
        """Of the blocks that are appended next, where the format has pages."""
        self._parts: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []
        self._headings: list[tuple[int, str]] = []

    @property
    def text(self) -> str:
        """All that was appended."""
        return "".join(self._parts)

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Blocks in order."""
        return tuple(self._blocks)

    def heading(self, title: str, level: int) -> None:
        """A heading; what follows stands under it."""
        level = min(max(level, 1), 6)
        self._headings = [item for item in self._headings if item[0] < level]
        self._append("heading", f"{'#' * level} {title}", level=level)
        self._headings.append((level, title))

    def paragraph(self, text: str) -> None:
        """A paragraph; may hold line breaks."""
        self._append("paragraph", text)

    def list(self, text: str) -> None:
        """A list, already written with its markers, one item a line."""
        self._append("list", text)

    def quote(self, text: str) -> None:
        """A quotation, without markers."""
        self._append("quote", text)

    def code(self, text: str, info: str = "") -> None:
        """Code, fenced by more backticks than it holds in a row."""
        fence = "`" * max(3, _longest_run(text, "`") + 1)
        body = text if text.endswith("\n") or not text else text + "\n"
        self._append("code", f"{fence}{info}\n{body}{fence}")

    def table(self, rows: Sequence[Sequence[str]], header_rows: int, caption: str = "") -> None:
        """A table of cells, written as a pipe table."""
        if not rows:
            return
        if caption:
            self._append("paragraph", caption)
        text = render(rows, header_rows)
        self._append("table", text, header=header_length(text) if header_rows else 0, caption=caption)

    def _append(self, kind: BlockKind, text: str, *, level: int = 0, header: int = 0, caption: str = "") -> None:
        if not text.strip():
            return
        if self._parts:
            self._parts.append("\n\n")
            self._length += 2
        start = self._length
        self._parts.append(text)
        self._length += len(text)
        path = tuple(title for _, title in self._headings)
        self._blocks.append(
            Block(
                kind, start, self._length, path, level=level, header_end=start + header, caption=caption, page=self.page
            )
        )


def _longest_run(text: str, char: str) -> int:
    longest = current = 0
    for candidate in text:
        current = current + 1 if candidate == char else 0
        longest = max(longest, current)
    return longest

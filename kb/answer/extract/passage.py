"""A passage, read: sentences, list items, table rows and code, each with its exact place and what leads to it."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Final, Literal

from kb.answer.extract import screens
from kb.answer.extract.markup import plain
from kb.answer.extract.table import Header, TableRow, rows_of
from kb.answer.extract.terms import EMPTY, Text
from kb.answer.instructions import speaks_to_a_model, without_instructions
from kb.text import sentences
from kb.types import Block, Chunk, Document, Span

UnitKind = Literal["sentence", "item", "row", "code"]

_ITEM_START: Final = re.compile(r"^[ \t]*(?:[-*+•]|#\.|\(?\d{1,3}[.)、]|\(?[a-z][.)])[ \t]+", re.MULTILINE)
_SOFT_BREAK: Final = re.compile(r"(?<![ \t]{2})(?<!\\)\n[ \t>]*(?=\S)")
_TOTAL: Final = re.compile(r"\W*(?:合计|总计|总和|共计|(?:total|sum|altogether)\b)", re.IGNORECASE)
_LEAD: Final = re.compile(r"[:：]\s*[*_]*$")
_POINTS_DOWN: Final = re.compile(
    r"\b(?:following|as follows|below|like (?:this|so))\b|如下|以下|下列|下面|下表|下述", re.IGNORECASE
)
_LED_KINDS: Final = frozenset({"code", "list", "table"})
_CODE_END: Final = re.compile(r"[;{}]\s*$|^\s*(?:#include\b|//)", re.MULTILINE)
_CODE_PART: Final = 0.6
_LEAST_CODE_LINES: Final = 3
_LONGEST_JOINED: Final = 160
_CODE_LINES: Final = 12
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")
_SHORT_ITEM: Final = 260
_FENCE: Final = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*([\w+#.-]*)")
_JOINTS: Final = re.compile(r"[/+]")
"""Part the names in a path."""
_HARD_LINE: Final = 40
_RELEASE: Final = re.compile(
    r"(?:[\w-]+ )?(?:v|version |release )?\d+(?:\.\d+){1,3}(?:[-.]?rc\d+)?(?:\s*\(.*\))?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Unit:
    """The smallest thing an answer may quote.

    Attributes:
        span: its place in the document's text.
        shown: its words without markup; for code the lines as they are.
        text: the same, to compare. A row holds all its cells.
        context: what leads to it, to compare: the header of its table, the sentence before, the item it belongs to.
        lead: the line that introduces it and should be shown with it, if any; its place is `lead_span`.
        row: for a table row.
        label: its label, to compare.
        follows: it continues the unit before in the same paragraph or list.
        language: of a code block, as its fence says.
        is_total: a table row that sums the others up.
        leads: it introduces what stands below it.
        block: number of its block in the passage.
    """

    kind: UnitKind
    span: Span
    shown: str
    text: Text
    context: Text
    lead: str = ""
    lead_span: Span | None = None
    row: TableRow | None = None
    follows: bool = False
    language: str = ""
    leads: bool = False
    is_total: bool = False
    label: Text = EMPTY
    block: int = 0


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk, read.

    Attributes:
        headings: title of the document, headings and caption, to compare.
        text: all of it with its headings, to compare.
        title_text: title and name of the document, to compare.
        source: text of the whole document.
        heading_span: place of the nearest heading in the document's text; None where it stands outside of it.
        release: the nearest heading that is a release, as in a list of what each one changed: `v1.4.2`; else empty.
        release_span: its place.
    """

    chunk: Chunk
    title: str
    units: tuple[Unit, ...]
    headings: Text
    text: Text
    title_text: Text
    source: str
    heading_span: Span | None = None
    release: str = ""
    release_span: Span | None = None

    @property
    def heading(self) -> str:
        """The nearest heading; the title where there is none."""
        return self.chunk.heading_path[-1] if self.chunk.heading_path else self.title


def read_passage(document: Document, chunk: Chunk) -> Passage:
    """Read a chunk of a document; what speaks to a chat model in it answers nobody's question."""
    units = tuple(_Reader(document, chunk).units())
    title, text = document.title, chunk.text
    if speaks_to_a_model("\n".join((title, *chunk.heading_path, chunk.caption, text))):
        units = tuple(unit for unit in units if not speaks_to_a_model(unit.shown))
        title, text = without_instructions(title), without_instructions(text)
        headings_kept = tuple("" if speaks_to_a_model(heading) else heading for heading in chunk.heading_path)
        chunk = replace(chunk, heading_path=headings_kept, caption=without_instructions(chunk.caption))
    headings = Text.of(plain("\n".join((title, *chunk.heading_path, chunk.caption, _JOINTS.sub(" ", document.doc_id)))))
    body = Text.of(text)
    heads = frozenset[str]().union(*(unit.context.latin for unit in units if unit.row is not None))
    release = next((heading for heading in reversed(chunk.heading_path) if _RELEASE.fullmatch(heading)), "")
    return Passage(
        chunk,
        title,
        units,
        headings,
        Text(headings.folded + "\n" + body.folded, headings.latin | body.latin | heads),
        title_text(title, document.doc_id),
        document.text,
        _heading_span(document, chunk, chunk.heading_path[-1]) if chunk.heading_path else None,
        release,
        _heading_span(document, chunk, release) if release else None,
    )


def title_text(title: str, doc_id: str) -> Text:
    """What a document is called, to compare."""
    return Text.of(f"{title}\n{_JOINTS.sub(' ', doc_id)}")


def _heading_span(document: Document, chunk: Chunk, heading: str) -> Span | None:
    """Where the nearest such heading above a chunk stands."""
    blocks = document.blocks
    number = bisect_left(blocks, chunk.start + 1, key=lambda block: block.start)
    for block in reversed(blocks[:number]):
        if block.kind == "heading" and heading in plain(document.text[block.start : block.end]):
            return Span(block.start, block.end)
    return None


class _Reader:
    def __init__(self, document: Document, chunk: Chunk) -> None:
        self._document = document
        self._source = document.text
        self._chunk = chunk
        self._lead: tuple[str, Span | None] = (plain(chunk.caption), None)
        self._above = ""
        self._is_led = False
        self._led_at = 0

    def units(self) -> Iterator[Unit]:
        blocks = self._document.blocks
        first = bisect_left(blocks, self._chunk.start + 1, key=lambda block: block.end)
        self._above = self._last_sentence(blocks[first - 1]) if first else ""
        for number, block in enumerate(islice(blocks, first, None)):
            if block.start >= self._chunk.end:
                break
            following = blocks[first + number + 1] if first + number + 1 < len(blocks) else None
            self._is_led = following is not None and following.kind in _LED_KINDS
            self._led_at = len(self._source[block.start : block.end].rstrip()) + block.start
            for unit in self._block(block):
                yield replace(unit, block=number)

    def _last_sentence(self, block: Block) -> str:
        """The sentence that stands above the passage, in the passage before it: what its first code is for."""
        if block.kind in {"heading", *_LED_KINDS}:
            return ""
        flat = _flattened(self._source[block.start : block.end])
        spans = sentences(flat)
        return plain(flat[spans[-1].start : spans[-1].end]) if spans else ""

    def _block(self, block: Block) -> Iterator[Unit]:
        start, end = max(block.start, self._chunk.start), min(block.end, self._chunk.end)
        if block.kind == "table":
            yield from self._rows(block, start, end)
        elif block.kind == "code" or _looks_like_code(self._source[start:end]):
            yield from self._code(block, start, end)
        elif block.kind == "list":
            yield from self._items(start, end)
        elif block.kind != "heading":
            yield from self._sentences(start, end, "sentence")
            return
        self._lead = ("", None)

    # ------------------------------------------------------------ prose

    def _sentences(self, start: int, end: int, kind: UnitKind, before: str = "") -> Iterator[Unit]:
        flat = _flattened(self._source[start:end])
        previous = before
        last: Unit | None = None
        is_short = kind == "item" and len(flat) <= _SHORT_ITEM
        for span in [Span(0, len(flat))] if is_short else _joined(flat, sentences(flat)):
            shown = plain(flat[span.start : span.end])
            if not shown.strip("`*_-=|:. "):
                continue
            lead, lead_span = self._lead if kind == "item" else ("", None)
            last = Unit(
                kind,
                Span(start + span.start, start + span.end),
                shown,
                Text.of(shown),
                Text.of(f"{lead}\n{previous}"),
                lead,
                lead_span,
                follows=last is not None,
                leads=_LEAD.search(shown) is not None,
            )
            previous = shown
            if self._is_led and start + span.end >= self._led_at and _POINTS_DOWN.search(shown):
                last = replace(last, leads=True)
            yield last
        if kind == "sentence":
            self._lead = (last.shown, last.span) if last is not None and last.leads else ("", None)
            self._above = last.shown if last is not None else ""

    def _items(self, start: int, end: int) -> Iterator[Unit]:
        text = self._source[start:end]
        starts = [match.start() for match in _ITEM_START.finditer(text)] or [0]
        if starts[0] > 0:
            starts.insert(0, 0)
        parents: list[tuple[int, str]] = []
        for begin, stop in zip(starts, [*starts[1:], len(text)], strict=True):
            item = text[begin:stop]
            indent = len(item) - len(item.lstrip(" \t"))
            parents = [parent for parent in parents if parent[0] < indent]
            begun = start + begin + indent
            above = "\n".join(parent for _, parent in parents)
            units = list(self._sentences(begun, start + begin + len(item.rstrip()), "item", above))
            yield from units
            if units:
                parents.append((indent, units[0].shown))

    # ------------------------------------------------------------ tables and code

    def _rows(self, block: Block, start: int, end: int) -> Iterator[Unit]:
        header = Header.read(self._source, block, self._chunk.caption or block.caption)
        names = (header.spoken(column) for column in range(len(header.names)))
        context = Text.of("\n".join((*names, header.caption)))
        for row in rows_of(self._source, block, header, start, end):
            shown = " ".join(cell.shown for cell in row.cells)
            label = Text.of(row.label)
            yield Unit(
                "row",
                row.span,
                shown,
                Text.of(shown) if row.label == row.cells[0].shown else Text.of(f"{row.label} {shown}"),
                context,
                row=row,
                is_total=_TOTAL.match(row.label) is not None,
                label=label,
            )

    def _code(self, block: Block, start: int, end: int) -> Iterator[Unit]:
        fence = _FENCE.match(self._source, block.start)
        language = fence.group(1) if fence else ""
        lead, lead_span = self._lead
        above = lead or self._above
        heading = self._chunk.heading_path[-1] if self._chunk.heading_path else ""
        context = Text.of(f"{plain(heading)}\n{above}")
        whole = self._source[start:end]
        most = screens.LONGEST if screens.is_printed(whole) or screens.is_options(whole) else _CODE_LINES
        run: list[Span] = []
        for line in _lines(self._source, start, end):
            text = self._source[line.start : line.end]
            if _FENCE.match(text):
                continue
            if text.strip() and len(run) < most:
                run.append(line)
                continue
            yield from self._code_unit(run, language, context, lead, lead_span)
            run = [line] if text.strip() else []
        yield from self._code_unit(run, language, context, lead, lead_span)

    def _code_unit(
        self, run: Sequence[Span], language: str, context: Text, lead: str, lead_span: Span | None
    ) -> Iterator[Unit]:
        if run:
            span = Span(run[0].start, run[-1].end)
            shown = self._source[span.start : span.end]
            words = f"{shown}\n{_CAMEL.sub(' ', shown)}" if screens.is_options(shown) else shown
            yield Unit("code", span, shown, Text.of(words), context, lead, lead_span, language=language)


def _looks_like_code(source: str) -> bool:
    """Whether a paragraph is a program that no fence marks, as in a plain text file."""
    lines = sum(not line.isspace() and bool(line) for line in source.split("\n"))
    return lines >= _LEAST_CODE_LINES and len(_CODE_END.findall(source)) >= _CODE_PART * lines


def _flattened(source: str) -> str:
    """The source with line breaks inside a sentence as spaces, so that offsets stay."""
    if "\n" not in source:
        return source
    return _SOFT_BREAK.sub(lambda match: " " * len(match.group()), source)


def _joined(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """Sentences; parts that a semicolon ends stay together while they are short."""
    current: Span | None = None
    for span in spans:
        if current is not None and text[current.end - 1] in "；;…" and span.end - current.start <= _LONGEST_JOINED:
            current = Span(current.start, span.end)
            continue
        if current is not None:
            yield current
        current = span
    if current is not None:
        yield current


def _lines(source: str, start: int, end: int) -> Iterator[Span]:
    while start < end:
        stop = source.find("\n", start, end)
        stop = end if stop < 0 else stop
        yield Span(start, stop)
        start = stop + 1

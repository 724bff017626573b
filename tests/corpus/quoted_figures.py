"""The figures a document quotes, and whether the catalogue has them.

A figure is a number with a unit that a card's record has too (GB, GB/s, TFLOPS, TOPS, W, bit…) or a count of units
(SMs, CUDA cores…). It is looked up among the cards named in its sentence or table row, else in its block, else in the
headings above it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from kb.quantity import Quantity, number_tokens, parse_quantities
from kb.specs.catalog import Catalog
from kb.specs.fields import FIELDS
from kb.specs.names import NameResolver
from kb.specs.schema import Entry, Figure
from kb.text import sentences
from kb.types import Block, Document, Span

Cards = tuple[str, ...]
Placed = tuple[int, int, Quantity, tuple[str, ...]]
"""Start, end, figure and the fields it may be."""
Verdict = Literal["held", "source", "rejected", "mislabelled", "unknown"]

_UNITS = {
    "GB/s": {"GB/s": 1.0},
    "Gb/s": {"GB/s": 0.125},
    "GB": {"GB": 1.0},
    "GiB": {"GB": 1.0, "MB": 1024.0},
    "MB": {"MB": 1.0, "GB": 1e-3},
    "MiB": {"MB": 1.0, "GB": 1 / 1024},
    "KB": {"MB": 1e-3},
    "TFLOPS": {"TFLOPS": 1.0, "TOPS": 1.0},
    "TOPS": {"TOPS": 1.0, "TFLOPS": 1.0},
    "W": {"W": 1.0},
    "bit": {"bit": 1.0},
    "MHz": {"MHz": 1.0},
    "nm": {"nm": 1.0},
    "mm²": {"mm²": 1.0},
    "streams": {"streams": 1.0},
    "USD": {"USD": 1.0},
}
"""Units of a text, the units of fields they may be looked up under, and the factor. A card's GB may mean GiB."""

_NARROWEST_BUS_BITS = 65
"""Anything narrower is the width of a number format, a memory chip or a mask."""

_COUNTED: tuple[tuple[str, float, str], ...] = (
    ("compute_units", 1, r"(?:active )?(?:SMs?\b|CUs?\b|compute units?|Xe cores)|个\s?(?:SM|CU)(?![A-Za-z])"),
    ("shader_cores", 1, r"(?:CUDA cores|stream processors|shaders)|个\s?(?:CUDA 核|流处理器)"),
    ("tensor_cores", 1, r"(?:Tensor Cores?)|个\s?Tensor Core"),
    ("rt_cores", 1, r"(?:RT [Cc]ores?)|个\s?RT Core"),
    ("transistors_m", 1e-6, r"(?:transistors)|个?晶体管"),
)
_NUMBER = r"(\d[\d,]*(?:\.\d+)?)\s?(billion|million|亿|万)?"
_COUNTS = tuple((key, factor, re.compile(rf"(?<![\w.,]){_NUMBER}\s?(?:{noun})")) for key, factor, noun in _COUNTED)
_HEADER_COUNTS = (("compute_units", re.compile(r"(?:SM|CU) 数$|(?:SMs|CUs|Compute units)$")),)
_UNIT_OF_HEADER = re.compile(r"(?:[,(（，]|^|\s)(GB/s|Gb/s|TB/s|TFLOPS|TOPS|GB|MB|KB|W|bits?|nm)(?![A-Za-z/])")
_CELL = re.compile(r"(?<=\|)[^|\n]*(?=\|)")
_DIGIT = re.compile(r"\d")
_VIDEO = re.compile(r"1080|4K|解码|视频|fps|decod|slot power")
_NO_FIGURE = re.compile(r"`[^`\n]*`|(?<![\w.])\dg(?:\.\d+gb)?(?![\w.])")
"""Inline code (commands, settings) and the names of MIG profiles."""
_SCALES = {"billion": 1e9, "million": 1e6, "亿": 1e8, "万": 1e4, None: 1.0}

SPARSE = re.compile(r"spars|稀疏|AI TOPS|marketing", re.IGNORECASE)
ONE_WAY = re.compile(r"per direction|each way|one[- ](?:way|direction)|each direction|单向|每个?方向", re.IGNORECASE)
WRONG = re.compile(
    r"wrong|error|mistake|\bnot\b|copied|repeat|confus|misread|printed|halve|half|must be doubled|doubl|circulat|claim"
    r"|advertis|trap|slip|belongs to|disput|databas|announced|carried|is one (?:die|chip)|became"
    r"|错|误|流传|不是|而非|冲突|数据库|弃用|没有依据|不成立|写成|发布前|说法|属于|超出",
    re.IGNORECASE,
)
_FORMAT = re.compile(r"(?:FP|BF|TF|INT)(?:64|32|16|8|4)(?!\d)(?! ?(?:accumulat|model|累加))", re.IGNORECASE)
"""A number format in a text, and what the key of its fields starts with; what products are summed in does not count."""
OWN_SOURCE = re.compile(
    r"[(（][^()（）]*(?:datasheet|data sheet|white ?paper|documentation|product (?:overview|brief|page)|technical"
    r"|report|paper\b|guide|specification|JESD|et al\.|TechPowerUp|handbook|book|Hugging Face"
    r"|白皮书|数据表|规格表|手册|论文|公开资料|文档|指南|报告)[^()（）]*[)）]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class QuotedFigure:
    """A figure in a document.

    Attributes:
        start, end: its span in the document's text.
        text: as written, with its unit.
        field_keys: the fields it may be; empty for any field of its unit.
        words: the sentence, row or line it stands in.
        cards: the cards named nearest to it, in widening circles: sentence or row, block, headings.
        label: the words that say what it is: sentence, or header cell and first cell.
        headings: the document's title and the headings above.
    """

    doc_id: str
    start: int
    end: int
    text: str
    quantity: Quantity
    field_keys: tuple[str, ...]
    words: str
    label: str
    cards: tuple[Cards, ...]
    headings: str


class FigureReader:
    """Finds the figures of documents."""

    def __init__(self, catalog: Catalog) -> None:
        self._resolver = NameResolver(catalog)
        self._headings: dict[str, Cards] = {}

    def figures(self, document: Document) -> Iterator[QuotedFigure]:
        """Every figure of a document, in order."""
        for block in document.blocks:
            text = document.text[block.start : block.end]
            if block.kind == "heading" or not _DIGIT.search(text):
                continue
            named = _Named(text, self._resolver)
            outer = (named.within(0, len(text)), self._in_headings(document, block))
            pieces = _cells(text, named) if block.kind == "table" else _lines(text, named, block.kind == "code")
            for piece in pieces:
                for start, end, quantity, keys in _quantities(piece, text, named.spans(piece.start, piece.end)):
                    yield QuotedFigure(
                        document.doc_id,
                        block.start + start,
                        block.start + end,
                        text[start:end],
                        quantity,
                        keys,
                        piece.words,
                        piece.label,
                        (piece.cards, *outer),
                        " / ".join((document.title, *block.heading_path)),
                    )

    def _in_headings(self, document: Document, block: Block) -> Cards:
        path = " / ".join((document.title, *block.heading_path))
        if path not in self._headings:
            self._headings[path] = _Named(path, self._resolver).within(0, len(path))
        return self._headings[path]


class _Named:
    """The cards named in a block, and where."""

    def __init__(self, text: str, resolver: NameResolver) -> None:
        self._mentions = resolver.resolve(text)

    def within(self, start: int, end: int) -> Cards:
        return tuple(dict.fromkeys(i for m in self._mentions if start <= m.start < end for i in m.gpu_ids))

    def spans(self, start: int, end: int) -> list[Span]:
        return [Span(m.start - start, m.end - start) for m in self._mentions if start <= m.start < end]


@dataclass(frozen=True, slots=True)
class _Piece:
    """What is read at once: a sentence, a line of code, a table cell with its header and first cell."""

    start: int
    end: int
    words: str
    label: str
    cards: Cards
    head: str = ""
    first: str = ""


def _lines(text: str, named: _Named, is_code: bool) -> Iterator[_Piece]:
    spans = [Span(m.start(), m.end()) for m in re.finditer(r"[^\n]+", text)] if is_code else sentences(text)
    for span in spans:
        words = text[span.start : span.end]
        yield _Piece(span.start, span.end, words, words, named.within(span.start, span.end))


def _cells(text: str, named: _Named) -> Iterator[_Piece]:
    header: list[re.Match[str]] = []
    for number, line in enumerate(re.finditer(r"[^\n]+", text)):
        cells = list(_CELL.finditer(text, line.start(), line.end()))
        if number == 0:
            header = cells
        for column, cell in enumerate(cells if number > 1 else ()):
            head = header[column] if column < len(header) else cell
            cards = (*named.within(line.start(), line.end()), *named.within(head.start(), head.end()))
            label = f"{head.group()} | {cells[0].group()} | {cell.group()}"
            yield _Piece(
                cell.start(),
                cell.end(),
                line.group(),
                label,
                tuple(dict.fromkeys(cards)),
                head.group().strip(),
                cells[0].group().strip(),
            )


def _quantities(
    piece: _Piece, text: str, names: Sequence[Span]
) -> Iterator[tuple[int, int, Quantity, tuple[str, ...]]]:
    """Figures of a piece, placed in the block's text."""
    text = _NO_FIGURE.sub(lambda m: " " * len(m.group()), text[piece.start : piece.end])
    taken: list[Span] = []
    for key, factor, pattern in _COUNTS:
        for match in pattern.finditer(text):
            value = float(match.group(1).replace(",", "")) * _SCALES[match.group(2)] * factor
            taken.append(Span(match.start(1), match.end()))
            quantity = Quantity(value, None, "", match.start(), match.end(), match.group())
            yield piece.start + match.start(), piece.start + match.end(), quantity, (key,)
    found = [q for q in parse_quantities(text, names) if not any(s.start <= q.start < s.end for s in taken)]
    for quantity in found:
        if _is_checked(quantity) and (quantity.unit != "streams" or _VIDEO.search(piece.words)):
            yield piece.start + quantity.start, piece.start + quantity.end, quantity, ()
    if piece.head and not found and not taken:
        for quantity, keys in _unit_from_header(text, piece, names):
            yield piece.start + quantity.start, piece.start + quantity.end, quantity, keys


def _is_checked(quantity: Quantity) -> bool:
    if quantity.unit == "bit" and (quantity.value < _NARROWEST_BUS_BITS or quantity.text[-1].isdigit()):
        return False
    return quantity.unit in _UNITS


def _unit_from_header(text: str, piece: _Piece, names: Sequence[Span]) -> Iterator[tuple[Quantity, tuple[str, ...]]]:
    """Plain numbers of a cell whose header, or first cell, names the unit or what is counted."""
    numbers = [t.quantity for t in number_tokens(text, names) if t.kind == "plain" and t.quantity is not None]
    places = (piece.head, piece.first)
    for key, pattern in _HEADER_COUNTS:
        if any(pattern.match(place) for place in places):
            yield from ((q, (key,)) for q in numbers)
            return
    for place in places:
        unit = _UNIT_OF_HEADER.search(place)
        if unit:
            parsed = ((q, parse_quantities(f"{q.value:.12g} {unit.group(1)}")) for q in numbers)
            scaled = [replace(q, value=p[0].value, unit=p[0].unit) for q, p in parsed if p]
            yield from ((q, ()) for q in scaled if q.unit in _UNITS and (q.unit != "bit" or q.value > 64))
            return


class FigureJudge:
    """Says whether the catalogue has a figure."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def verdict(self, figure: QuotedFigure) -> Verdict:
        """The best that can be said of a figure; `unknown` if no card named near it has it."""
        worst: Verdict = "unknown"
        for cards in figure.cards:
            for card in cards:
                found = self._of_card(figure, card)
                if found == "held":
                    return found
                worst = found if worst == "unknown" else worst
        if OWN_SOURCE.search(figure.words):
            return "source"
        return worst

    def has_one_of(self, card: str, words: str) -> bool:
        """Whether a card's record has a figure of these words."""
        piece = _Piece(0, len(words), words, words, (card,))
        return any(
            self._of_card(QuotedFigure("", start, end, words[start:end], quantity, keys, words, words, (), ""), card)
            == "held"
            for start, end, quantity, keys in _quantities(piece, words, ())
        )

    def rejected_in(self, figure: QuotedFigure) -> bool:
        """Whether a card named in the same sentence or row has this figure only among the wrong ones."""
        cards = figure.cards[0]
        verdicts = {self._of_card(figure, card) for card in cards}
        return "rejected" in verdicts and "held" not in verdicts

    def _of_card(self, figure: QuotedFigure, card: str) -> Verdict:
        found: Verdict = "unknown"
        spec = self._catalog.get(card)
        formats = {m.group().lower() for m in _FORMAT.finditer(figure.label)}
        for key, entry in spec.entries.items():
            if figure.field_keys and key not in figure.field_keys:
                continue
            if formats and _FORMAT.match(key) and key.partition("_")[0] not in formats:
                continue
            verdict = _of_entry(figure, entry, spec.board_count if spec.per == "gpu_of_board" else 1)
            if verdict == "held":
                return verdict
            found = verdict if verdict != "unknown" else found
        return found


def _of_entry(figure: QuotedFigure, entry: Entry, boards: int) -> Verdict:
    ends = [figure.quantity.value] + ([figure.quantity.high] if figure.quantity.high is not None else [])
    verdicts = {_of_value(figure, value, entry, boards) for value in ends}
    return next(v for v in ("unknown", "rejected", "mislabelled", "held") if v in verdicts)


def _of_value(figure: QuotedFigure, value: float, entry: Entry, boards: int) -> Verdict:
    field = FIELDS[entry.key]
    factor = 1.0 if figure.field_keys else _UNITS.get(figure.quantity.unit, {}).get(field.unit)
    if factor is None or field.kind != "number":
        return "unknown"
    amount = value * factor
    slack = _half_a_digit(figure, factor)
    is_one_way = entry.key == "interconnect_gb_s" and ONE_WAY.search(figure.label)
    if is_one_way and any(_has(f, amount * 2, slack * 2) for f in entry.figures):
        return "held"
    if any(_has(f, amount, slack) for f in entry.figures):
        return _labelled(figure, entry.key)
    if boards > 1 and any(_has(f, amount / boards, slack / boards) for f in entry.figures):
        return "held"
    if any(_has(f, amount, slack) for f in entry.rejected):
        return "rejected"
    return "unknown"


def _labelled(figure: QuotedFigure, key: str) -> Verdict:
    """A sparse figure must be called one, and a dense one not; a sum of both directions must not be called one way."""
    if key.endswith("_sparse") and not SPARSE.search(figure.words + figure.label):
        return "mislabelled"
    if not key.endswith("_sparse") and f"{key}_sparse" in FIELDS and figure.quantity.qualifiers[:1] == ("sparse",):
        return "mislabelled"
    in_one_way_column = " | " in figure.label and ONE_WAY.search(figure.label.partition(" | ")[0])
    if key == "interconnect_gb_s" and ("per_direction" in figure.quantity.qualifiers or in_one_way_column):
        return "mislabelled"
    return "held"


def _has(figure: Figure, amount: float, slack: float) -> bool:
    if figure.low is None or figure.high is None:
        return False
    near = min(abs(figure.low - amount), abs(figure.high - amount))
    return near <= slack or figure.low < amount < figure.high


def _half_a_digit(figure: QuotedFigure, factor: float) -> float:
    """Half a unit of the last written digit; three percent where the text says about."""
    quantity = figure.quantity
    written = re.search(r"\d[\d,]*(?:\.(\d+))?", quantity.text)
    assert written is not None
    number = float(written.group().replace(",", ""))
    scale = quantity.value / number if number else 1.0
    half = 0.5000001 * 10 ** -len(written.group(1) or "") * scale * factor
    about = 0.03 * quantity.value * factor if quantity.comparator == "~" else 0.0
    return max(half, about)

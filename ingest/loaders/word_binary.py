"""The binary Word format of 1997–2003 as far as text needs it: pieces, paragraph properties, styles, table rows.

Written after Microsoft's open specification [MS-DOC]; names of structures are those used there. Every offset of the
file is checked by slicing and `struct`, which raise on what lies outside.
"""

from __future__ import annotations

import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass, field

from kb.errors import DocumentError

_FKP_BYTES = 512
_MAX_CHARS = 50_000_000
_COMPRESSED = 0x40000000
_FIB_VERSION_97 = 0x00C1

# FibRgFcLcb97: places of (offset, length) pairs
_STSHF, _PLCF_BTE_CHPX, _PLCF_BTE_PAPX, _CLX = 1, 12, 13, 33

# Operand bytes by the three highest bits of a property's number; 6 states its length itself.
_OPERAND_BYTES = {0: 1, 1: 1, 2: 2, 3: 4, 4: 2, 5: 2, 7: 3}
_T_DEF_TABLE = 0xD608
_P_CHG_TABS = 0xC615
_HUGE_PAPX = frozenset({0x6645, 0x6646})
_MAX_PROPERTIES = 1000
_DELETED, _HIDDEN = 0x0800, 0x083C
_ON = frozenset({b"\x01", b"\x81"})  # on; the opposite of what the style says
_BLANK = "\x00"

IN_TABLE, ROW_END, TABLE_DEPTH = 0x2416, 0x2417, 0x6649
OUTLINE_LEVEL, LIST_DEPTH, LIST_ID, TABLE_HEADER = 0x2640, 0x260A, 0x460B, 0x3404


@dataclass(frozen=True, slots=True)
class CellSpan:
    """A cell's edges in twips from the margin, and whether it goes on from the row above."""

    left: int
    right: int
    goes_on: bool


@dataclass(frozen=True, slots=True)
class Properties:
    """What a paragraph is told about itself: its style's place in the style sheet, and numbers by property."""

    style: int = 0
    numbers: dict[int, int] = field(default_factory=dict)
    cells: tuple[CellSpan, ...] = ()


@dataclass(frozen=True, slots=True)
class Style:
    """A style: the built-in one it is (`sti`), its name, and the style it is based on."""

    sti: int
    base: int
    name: str


@dataclass(frozen=True, slots=True)
class _Piece:
    first: int
    last: int
    offset: int
    bytes_per_char: int


class WordBinary:
    """One document's streams.

    Args:
        main: the stream `WordDocument`.
        table: the stream `0Table` or `1Table`, whichever the header names (`table_stream`).
        data: the stream `Data`; empty if there is none.

    Raises:
        DocumentError: it is protected, or older than Word 97.
        struct.error: it is damaged.
    """

    def __init__(self, main: bytes, table: bytes, data: bytes) -> None:
        self._main = main
        self._table = table
        self._data = data
        self._pieces = self._read_pieces()
        deleted = self._left_out()
        self.text = "".join(_blanked(self._piece_text(piece), piece, deleted) for piece in self._pieces)
        body, footnotes, headers, _, comments, endnotes, boxes = struct.unpack_from("<7i", main, 76)
        self.body_end = max(0, min(body, len(self.text)))
        notes_end = self.body_end + max(0, footnotes)
        self.footnotes = (self.body_end, notes_end)
        start = notes_end + max(0, headers) + max(0, comments)
        self.endnotes = (start, start + max(0, endnotes))
        self.text_boxes = (self.endnotes[1], self.endnotes[1] + max(0, boxes))
        self.styles = self._read_styles()
        self._starts, self._properties = self._read_properties()

    def properties_at(self, position: int) -> Properties:
        """Properties of the paragraph whose last character stands at `position` of the text."""
        piece = next((piece for piece in self._pieces_near(position)), None)
        if piece is None:
            return Properties()
        offset = piece.offset + (position - piece.first) * piece.bytes_per_char
        index = bisect_right(self._starts, offset) - 1
        return self._properties[index] if index >= 0 else Properties()

    def _pieces_near(self, position: int) -> Iterator[_Piece]:
        index = bisect_right(self._pieces, position, key=lambda piece: piece.first) - 1
        if index >= 0 and position < self._pieces[index].last:
            yield self._pieces[index]

    def _structure(self, place: int) -> bytes:
        offset, length = struct.unpack_from("<II", self._main, 154 + place * 8)
        return self._table[offset : offset + length]

    def _read_pieces(self) -> list[_Piece]:
        clx = self._structure(_CLX)
        at = 0
        while at < len(clx) and clx[at] == 1:  # properties of pieces, not needed
            at += 3 + struct.unpack_from("<H", clx, at + 1)[0]
        if at >= len(clx) or clx[at] != 2:
            raise DocumentError("It is damaged: its text cannot be located.")
        length = struct.unpack_from("<I", clx, at + 1)[0]
        plc = clx[at + 5 : at + 5 + length]
        count = (len(plc) - 4) // 12
        firsts = struct.unpack_from(f"<{count + 1}I", plc, 0)
        pieces = []
        for number in range(count):
            where = struct.unpack_from("<I", plc, (count + 1) * 4 + number * 8 + 2)[0]
            if where & _COMPRESSED:
                pieces.append(_Piece(firsts[number], firsts[number + 1], (where & ~_COMPRESSED) // 2, 1))
            else:
                pieces.append(_Piece(firsts[number], firsts[number + 1], where, 2))
        if any(piece.last < piece.first for piece in pieces) or (pieces and pieces[-1].last > _MAX_CHARS):
            raise DocumentError("It is damaged: its text cannot be located.")
        return pieces

    def _piece_text(self, piece: _Piece) -> str:
        length = piece.last - piece.first
        data = self._main[piece.offset : piece.offset + length * piece.bytes_per_char]
        text = data.decode("cp1252" if piece.bytes_per_char == 1 else "utf-16-le", "replace")
        return text[:length].ljust(length)  # an offset into the text stays an offset into the pieces

    def _read_styles(self) -> tuple[Style, ...]:
        sheet = self._structure(_STSHF)
        if len(sheet) < 6:
            return ()
        header, count, base_bytes = struct.unpack_from("<HHH", sheet, 0)
        at = 2 + header
        styles = []
        for _ in range(count):
            if at + 2 > len(sheet):
                break
            length = struct.unpack_from("<H", sheet, at)[0]
            styles.append(_style(sheet[at + 2 : at + 2 + length], base_bytes))
            at += 2 + length + length % 2
        return tuple(styles)

    def _left_out(self) -> list[tuple[int, int]]:
        """Stretches of the file whose characters a reader does not see: deleted under revision, or hidden."""
        stretches: list[tuple[int, int]] = []
        for page in self._pages(_PLCF_BTE_CHPX):
            count = page[_FKP_BYTES - 1]
            for number in range(min(count, (_FKP_BYTES - 5) // 5)):
                start, end = struct.unpack_from("<II", page, number * 4)
                at = page[(count + 1) * 4 + number] * 2
                modifiers = self._modifiers(page[at + 1 : at + 1 + page[at]]) if at else iter(())
                if any(name in {_DELETED, _HIDDEN} and operand[:1] in _ON for name, operand in modifiers):
                    stretches.append((start, end))
        return sorted(stretches)

    def _read_properties(self) -> tuple[list[int], list[Properties]]:
        found: dict[int, Properties] = {}
        for page in self._pages(_PLCF_BTE_PAPX):
            found.update(self._page_properties(page))
        starts = sorted(found)
        return starts, [found[start] for start in starts]

    def _pages(self, place: int) -> Iterator[bytes]:
        """Pages of formatting, of 512 bytes each."""
        plc = self._structure(place)
        count = max(0, (len(plc) - 4) // 8)
        for number in range(count):
            page = struct.unpack_from("<I", plc, (count + 1) * 4 + number * 4)[0] & 0x3FFFFF
            data = self._main[page * _FKP_BYTES : (page + 1) * _FKP_BYTES]
            if len(data) == _FKP_BYTES:
                yield data

    def _page_properties(self, page: bytes) -> Iterator[tuple[int, Properties]]:
        count = page[_FKP_BYTES - 1]
        for number in range(min(count, (_FKP_BYTES - 5) // 17)):
            start = struct.unpack_from("<I", page, number * 4)[0]
            at = page[(count + 1) * 4 + number * 13] * 2
            if not at:
                yield start, Properties()
                continue
            size = page[at] * 2 - 1 if page[at] else page[at + 1] * 2
            at += 1 if page[at] else 2
            yield start, self._properties_of(page[at : at + size])

    def _properties_of(self, record: bytes) -> Properties:
        if len(record) < 2:
            return Properties()
        numbers: dict[int, int] = {}
        cells: tuple[CellSpan, ...] = ()
        for name, operand in self._modifiers(record[2:]):
            if name == _T_DEF_TABLE:
                cells = _cell_spans(operand)
            elif 0 < len(operand) <= 4:
                numbers[name] = int.from_bytes(operand, "little")
        return Properties(struct.unpack_from("<H", record, 0)[0], numbers, cells)

    def _modifiers(self, data: bytes, *, is_huge: bool = False) -> Iterator[tuple[int, bytes]]:
        """Single property modifiers: number and operand."""
        at = 0
        for _ in range(_MAX_PROPERTIES):
            if at + 2 > len(data):
                return
            name = struct.unpack_from("<H", data, at)[0]
            at += 2
            kind = name >> 13
            if name == _T_DEF_TABLE:
                size, at = struct.unpack_from("<H", data, at)[0] - 1, at + 2
            elif kind in _OPERAND_BYTES:
                size = _OPERAND_BYTES[kind]
            elif at < len(data) and not (name == _P_CHG_TABS and data[at] == 255):
                size, at = data[at], at + 1
            else:
                return
            operand = data[at : at + size]
            at += size
            if name in _HUGE_PAPX and not is_huge and len(operand) == 4:  # more of them stand in another stream
                offset = struct.unpack("<I", operand)[0]
                if offset + 2 <= len(self._data):
                    length = struct.unpack_from("<H", self._data, offset)[0]
                    yield from self._modifiers(self._data[offset + 2 : offset + 2 + length], is_huge=True)
                continue
            yield name, operand


def table_stream(main: bytes) -> str:
    """Which stream holds the structures.

    Raises:
        DocumentError: the document is protected, or of another age.
    """
    if len(main) < 898 or struct.unpack_from("<H", main, 0)[0] != 0xA5EC:
        raise DocumentError("It is damaged: it is no Word document.")
    if struct.unpack_from("<H", main, 2)[0] < _FIB_VERSION_97:
        raise DocumentError("It was written by Word 95 or older; save it as .docx.")
    flags = struct.unpack_from("<H", main, 10)[0]
    if flags & 0x0100:
        raise DocumentError("It is protected with a password.")
    return "1Table" if flags & 0x0200 else "0Table"


def _blanked(text: str, piece: _Piece, stretches: list[tuple[int, int]]) -> str:
    """A piece's text with blanks for what is left out; ends of cells stay, so that rows keep their columns."""
    end_offset = piece.offset + len(text) * piece.bytes_per_char
    characters: list[str] | None = None
    index = max(bisect_right(stretches, (piece.offset, 0)) - 1, 0)
    for start, end in stretches[index:]:
        if start >= end_offset:
            break
        if end <= piece.offset:
            continue
        characters = characters if characters is not None else list(text)
        first = max(0, (start - piece.offset) // piece.bytes_per_char)
        last = min(len(text), (end - piece.offset) // piece.bytes_per_char)
        characters[first:last] = [mark if mark == "\x07" else _BLANK for mark in characters[first:last]]
    return text if characters is None else "".join(characters)


def _style(record: bytes, base_bytes: int) -> Style:
    if len(record) < 4:
        return Style(0xFFF, 0xFFF, "")
    first, second = struct.unpack_from("<HH", record, 0)
    length = struct.unpack_from("<H", record, base_bytes)[0] if base_bytes + 2 <= len(record) else 0
    name = record[base_bytes + 2 : base_bytes + 2 + 2 * length].decode("utf-16-le", "replace")
    return Style(first & 0xFFF, second >> 4, name)


def _cell_spans(operand: bytes) -> tuple[CellSpan, ...]:
    """Cells of a row from `TDefTableOperand`: their edges, then 20 bytes about each."""
    if not operand:
        return ()
    count = operand[0]
    if 1 + 2 * (count + 1) > len(operand):
        return ()
    edges = struct.unpack_from(f"<{count + 1}h", operand, 1)
    spans = []
    for number in range(count):
        at = 1 + 2 * (count + 1) + 20 * number
        bits = struct.unpack_from("<H", operand, at)[0] if at + 2 <= len(operand) else 0
        spans.append(CellSpan(edges[number], edges[number + 1], (bits >> 5) & 3 == 1))
    return tuple(spans)

"""`.doc`: no library writes it, so these files are put together here, byte by byte, after the open specification."""

from __future__ import annotations

import struct

import pytest

from ingest.loaders.registry import load_bytes
from kb.errors import DocumentError

SECTOR = 512
END, FAT = 0xFFFFFFFE, 0xFFFFFFFD
TEXT_AT = 2048
IN_TABLE = struct.pack("<HB", 0x2416, 1)
ROW_END = IN_TABLE + struct.pack("<HB", 0x2417, 1)
ITEM = struct.pack("<HH", 0x460B, 1)
DELETED = struct.pack("<HB", 0x0800, 1)


def compound_file(streams):
    """An OLE container; every stream is long enough for sectors of its own."""
    chains, body = [], b""
    for data in streams.values():
        data = data.ljust(4096, b"\x00")
        data += b"\x00" * (-len(data) % SECTOR)
        chains.append((len(body) // SECTOR, len(data) // SECTOR, len(data)))
        body += data
    entries = [_entry("Root Entry", 5, child=1)]
    for number, (name, (first, _, size)) in enumerate(zip(streams, chains, strict=True), 1):
        right = number + 1 if number < len(streams) else 0xFFFFFFFF
        entries.append(_entry(name, 2, right=right, first=first, size=size))
    directory = b"".join(entries)
    directory += b"\x00" * (-len(directory) % SECTOR)
    first_directory = len(body) // SECTOR
    chains.append((first_directory, len(directory) // SECTOR, 0))
    body += directory
    fat_at = len(body) // SECTOR
    table = [0xFFFFFFFF] * 128
    for first, count, _ in chains:
        for sector in range(first, first + count):
            table[sector] = sector + 1 if sector + 1 < first + count else END
    table[fat_at] = FAT
    assert fat_at < 128
    header = struct.pack("<8s16sHHHHH6sIIIIIIIII", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", b"", 0x3E, 3, 0xFFFE, 9, 6, b"",
                         0, 1, first_directory, 0, 4096, END, 0, END, 0)  # fmt: skip
    header += struct.pack("<I", fat_at) + b"\xff" * 4 * 108
    return header + body + struct.pack("<128I", *table)


def _entry(name, kind, *, child=0xFFFFFFFF, right=0xFFFFFFFF, first=0, size=0):
    encoded = (name + "\x00").encode("utf-16-le")
    return struct.pack(
        "<64sHBBIII16sIQQIQ", encoded, len(encoded), kind, 1, 0xFFFFFFFF, right, child, b"", 0, 0, 0, first, size
    )


def table_row(edges, bits):
    """`sprmTDefTable`: where a row's cells begin and end, and what each of them is merged with."""
    operand = struct.pack("<B", len(bits)) + struct.pack(f"<{len(edges)}h", *edges)
    operand += b"".join(struct.pack("<H18x", bit) for bit in bits)
    return ROW_END + struct.pack("<HH", 0xD608, len(operand) + 1) + operand


def word_file(paragraphs, *, flags=0, deleted=()):
    """A document of (text with its end mark, number of its style, properties)."""
    text = "".join(item[0] for item in paragraphs)
    at = TEXT_AT
    starts, papx = [], []
    for words, style, properties in paragraphs:
        starts.append(at)
        papx.append(struct.pack("<H", style) + properties)
        at += 2 * len(words)
    starts.append(at)
    places = [TEXT_AT, *(TEXT_AT + 2 * place for span in deleted for place in span), at]
    runs = [DELETED if number % 2 else b"" for number in range(len(places) - 1)]
    main = bytearray(TEXT_AT) + bytearray(text.encode("utf-16-le"))
    main += b"\x00" * (-len(main) % SECTOR)
    structures, table = {}, b""
    for place, all_places, records in ((12, places, runs), (13, starts, papx)):
        cuts = range(0, len(records), 4)
        bounds = [all_places[cut] for cut in cuts] + [at]
        numbers = [len(main) // SECTOR + number for number in range(len(cuts))]
        for cut in cuts:
            main += _formatting_page(all_places[cut : cut + 5], records[cut : cut + 4], is_paragraphs=place == 13)
        structures[place] = (len(table), 4 * (len(bounds) + len(numbers)))
        table += struct.pack(f"<{len(bounds) + len(numbers)}I", *bounds, *numbers)
    piece = struct.pack("<II", 0, len(text)) + struct.pack("<HIH", 0, TEXT_AT, 0)
    clx = b"\x02" + struct.pack("<I", len(piece)) + piece
    structures[33] = (len(table), len(clx))
    table += clx
    styles = struct.pack("<HHHH", 4, 3, 10, 0)[:6]
    for sti, name in ((0, "Normal"), (1, "heading 1"), (2, "heading 2")):
        record = (
            struct.pack("<HHHHH", sti, 0xFFF1, 0, 0, 0)
            + struct.pack("<H", len(name))
            + name.encode("utf-16-le")
            + b"\x00\x00"
        )
        styles += struct.pack("<H", len(record)) + record
    structures[1] = (len(table), len(styles))
    table += styles
    struct.pack_into("<HH", main, 0, 0xA5EC, 0x00C1)
    struct.pack_into("<H", main, 10, flags | 0x0200)
    struct.pack_into("<H", main, 32, 14)
    struct.pack_into("<H", main, 62, 22)
    struct.pack_into("<i", main, 76, len(text))
    struct.pack_into("<H", main, 152, 93)
    for place, (offset, length) in structures.items():
        struct.pack_into("<II", main, 154 + place * 8, offset, length)
    return compound_file({"WordDocument": bytes(main), "1Table": table})


def _formatting_page(places, records, *, is_paragraphs):
    page = bytearray(SECTOR)
    struct.pack_into(f"<{len(places)}I", page, 0, *places)
    at, width = SECTOR - 2, 13 if is_paragraphs else 1
    for number, record in enumerate(records):
        if not record:
            continue
        if is_paragraphs:
            record += b"\x00" * (len(record) % 2)
            packed = b"\x00" + bytes([len(record) // 2]) + record
        else:
            packed = bytes([len(record)]) + record
        at = (at - len(packed)) // 2 * 2
        page[at : at + len(packed)] = packed
        page[len(places) * 4 + number * width] = at // 2
    page[SECTOR - 1] = len(records)
    return bytes(page)


def cells(*texts, last=ROW_END):
    return [*((f"{text}\x07", 0, IN_TABLE) for text in texts), ("\x07", 0, last)]


def shown(document):
    return [(block.kind, document.text[block.start : block.end]) for block in document.blocks]


def test_headings_paragraphs_lists_and_tables():
    data = word_file(
        [
            ("保养\r", 1, b""),
            ("星隼 K100 的柜号是 C-17。\r", 0, b""),
            ("\x13 HYPERLINK x \x14dry air\x15\r", 0, ITEM),
            ("new fans\r", 0, ITEM),
            ("Register\r", 2, b""),
            *cells("Card", "Cabinet"),
            *cells("K100", "C-17"),
            *cells("K1000", "C-18"),
            ("After\x0bit.\r", 0, b""),
        ]
    )
    document = load_bytes(data, "x.doc")
    assert shown(document) == [
        ("heading", "# 保养"),
        ("paragraph", "星隼 K100 的柜号是 C-17。"),
        ("list", "- dry air\n- new fans"),
        ("heading", "## Register"),
        ("table", "| Card | Cabinet |\n|---|---|\n| K100 | C-17 |\n| K1000 | C-18 |"),
        ("paragraph", "After\nit."),
    ]
    assert document.blocks[-2].heading_path == ("保养", "Register")
    assert document.language == "zh"


def test_merged_cells_repeat_their_text():
    below, first = 1 << 5, 3 << 5
    data = word_file(
        [
            *cells("Card", "Speed", last=table_row([0, 1000, 3000], [first, 0])),
            *cells("", "dense", "sparse", last=table_row([0, 1000, 2000, 3000], [below, 0, 0])),
            *cells("K100", "1", "2", last=table_row([0, 1000, 2000, 3000], [first, 0, 0])),
            *cells("", "3", "4", last=table_row([0, 1000, 2000, 3000], [below, 0, 0])),
            ("\r", 0, b""),
        ]
    )
    assert shown(load_bytes(data, "x.doc")) == [
        ("table", "| Card | Speed / dense | Speed / sparse |\n|---|---|---|\n| K100 | 1 | 2 |\n| K100 | 3 | 4 |")
    ]


def test_what_was_deleted_under_revision_is_not_read():
    data = word_file([("The limit is 250233 W.\r", 0, b"")], deleted=[(13, 16)])
    assert shown(load_bytes(data, "x.doc")) == [("paragraph", "The limit is 233 W.")]


def test_a_password_is_a_plain_reason():
    with pytest.raises(DocumentError, match="password"):
        load_bytes(word_file([("x\r", 0, b"")], flags=0x0100), "x.doc")


@pytest.mark.parametrize("keep", [600, 1500, 3000, 5000])
def test_a_file_that_ends_early_is_damaged(keep):
    with pytest.raises(DocumentError, match=r"damaged|no text"):
        load_bytes(word_file([("words\r", 0, b"")])[:keep], "x.doc")

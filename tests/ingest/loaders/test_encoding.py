from __future__ import annotations

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.loaders.encoding import decode
from kb.errors import DocumentError

CHINESE = "维护手册：星隼 K100 计算卡的保养周期是 41 天，备件存放在 C-17 号柜。负责班组：夜班。"
TRADITIONAL = "維護手冊：這張計算卡的保養週期是四十一天，備件存放在櫃子裡面，負責班組是夜班。"


@pytest.mark.parametrize("name", ["gb2312", "gbk", "gb18030"])
def test_the_chinese_family_is_read_as_gb18030(name):
    decoded = decode(CHINESE.encode(name))
    assert (decoded.text, decoded.encoding, decoded.warnings) == (CHINESE, "gb18030", ())


def test_four_byte_characters_survive():
    text = CHINESE + "生僻字：㐂𠀀䶵。"
    assert decode(text.encode("gb18030")).text == text


def test_big5_is_not_taken_for_gb18030():
    decoded = decode(TRADITIONAL.encode("big5"))
    assert (decoded.text, decoded.encoding) == (TRADITIONAL, "big5")


def test_a_short_word_that_is_valid_utf8_by_accident():
    assert decode("联通".encode("gbk")).text == "联通"


@pytest.mark.parametrize("text", ["café", "naïve Größe", "Ünïcödé", "±5 °C", "µs", "Привет"])
def test_short_foreign_text_stays_utf8(text):
    assert decode(text.encode()).text == text


@pytest.mark.parametrize("name", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_decides(name):
    decoded = decode(CHINESE.encode(name))
    assert decoded.text == CHINESE
    assert decoded.encoding.startswith(name[:6].rstrip("-s"))


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be"])
def test_utf16_without_a_mark(name):
    decoded = decode(CHINESE.encode(name))
    assert (decoded.text, decoded.encoding) == (CHINESE, name)
    assert decoded.warnings


def test_one_bad_byte_leaves_utf8_and_is_reported_with_its_offset():
    before, after = CHINESE[:20].encode(), CHINESE[20:].encode()
    broken = before + b"\xff" + after
    decoded = decode(broken)
    assert decoded.encoding == "utf-8"
    assert decoded.text.replace("\ufffd", "") == CHINESE
    assert decoded.warnings == (f"1 undecodable byte at offset {len(before)}",)


def test_bad_bytes_beyond_a_few_are_counted():
    data = (CHINESE * 20).encode()
    step = len(CHINESE.encode())
    broken = b"\xfe".join(data[i : i + step] for i in range(0, len(data), step))
    assert decode(broken).warnings[0].startswith("19 undecodable bytes at offsets ")


def test_a_declared_charset_is_followed():
    data = "Größe: 5 µm".encode("cp1252")
    assert decode(data, "windows-1252").text == "Größe: 5 µm"


def test_a_wrong_declaration_loses_against_valid_utf8():
    assert decode(CHINESE.encode(), "gb2312").encoding == "utf-8"


def test_a_guess_is_said_to_be_one():
    text = "Die Größe der Lüfter beträgt fünf Zentimeter, die Straße ist für Fußgänger gesperrt. " * 5
    decoded = decode(text.encode("cp1252"))
    assert "ö" in decoded.text
    assert any("guessed" in warning for warning in decoded.warnings)


def test_binary_data_is_refused():
    with pytest.raises(DocumentError, match="binary"):
        decode(b"\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x03\x00>\x00\x01\x00\x00\x00\xff\xfe\x80")


@given(st.text(min_size=1))
def test_utf8_is_always_read_back(text):
    if "\x00" in text:
        return
    data = text.encode("utf-8", "replace")
    decoded = decode(data)
    assert decoded.encoding in {"utf-8", "gb18030"}  # the latter only for a few characters, as 联通
    if decoded.encoding == "utf-8":
        assert decoded.text == data.decode().removeprefix("\ufeff")


@given(st.text(alphabet=st.characters(min_codepoint=0x4E00, max_codepoint=0x9FA5), max_size=40))
def test_chinese_prose_with_any_other_characters_is_read_from_gb18030(extra):
    text = CHINESE * 5 + extra
    assert decode(text.encode("gb18030")).text == text


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused_with_a_reason(data):
    with contextlib.suppress(DocumentError):
        assert decode(data).encoding


def test_a_stray_nul_is_left_out_and_reported():
    decoded = decode(CHINESE.encode() * 10 + b"\x00end")
    assert decoded.encoding == "utf-8"
    assert decoded.warnings == ("1 NUL character(s) left out",)

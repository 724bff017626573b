"""Which encoding a text file is in, decided by evidence and never by a codec that accepts anything.

Order: byte order mark; UTF-8 that decodes strictly; the declared charset; UTF-16 without a mark; UTF-8 with a few bad
bytes; the Chinese families (GB18030 with all its subsets, Big5), which must decode strictly and read like Chinese;
at last charset-normalizer as a judge, whose verdict is reported as a guess.
"""

from __future__ import annotations

import codecs
import logging
import re
from dataclasses import dataclass

from kb.errors import DocumentError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16: its mark begins with UTF-16's
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_GB_NAMES = frozenset({"gb2312", "gbk", "gb18030", "x-gbk", "cp936", "gb_2312-80", "hz-gb-2312", "euc-cn"})
_WRITTEN = re.compile(r"[\t\n\r -~\xa0-\u04ff\u2000-\u23ff\u3000-\u30ff\u4e00-\u9fff\uff00-\uff5e\u25a0-\u27bf]")
_BAD_BYTES_SHOWN = 5
_GOOD_PER_BAD = 10
"""Well-formed multi-byte characters for each bad byte before a file still counts as UTF-8."""
_STRAY_NUL_SHARE = 0.01
_MIN_PLAUSIBLE = 0.7
_SAMPLE_CHARS = 20_000
_ACCIDENT_CHARS = 1000


@dataclass(frozen=True, slots=True)
class Decoded:
    """A file's text, the encoding it was in and what was odd about it."""

    text: str
    encoding: str
    warnings: tuple[str, ...] = ()


def decode(data: bytes, declared: str | None = None) -> Decoded:
    """Text of `data`; `declared` is the charset that the file states about itself, if any.

    Raises:
        DocumentError: it is binary, or no encoding explains its bytes.
    """
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _decode_marked(data[len(mark) :], name)
    utf8 = _strict(data, "utf-8")
    if utf8 is not None and "\x00" not in utf8 and not _is_accident(utf8, data):
        return Decoded(utf8, "utf-8")
    nuls = data.count(b"\x00")
    if utf8 is not None and 0 < nuls <= len(data) * _STRAY_NUL_SHARE:
        return Decoded(utf8, "utf-8", (f"{nuls} NUL character(s) left out",))
    for attempt in (_declared(data, declared), _utf16(data), _mostly_utf8(data), _chinese(data)):
        if attempt is not None:
            return attempt
    if nuls:
        raise DocumentError("It is a binary file, not text.")
    if utf8 is not None:
        return Decoded(utf8, "utf-8")
    return _judged(data)


def _strict(data: bytes, name: str) -> str | None:
    try:
        return data.decode(name)
    except (UnicodeDecodeError, LookupError):
        return None


def _decode_marked(data: bytes, name: str) -> Decoded:
    text = _strict(data, name)
    if text is not None:
        return Decoded(text, name)
    if name == "utf-8":
        return _utf8_with_bad_bytes(data)
    raise DocumentError(f"It begins with a {name} byte order mark but is not valid {name}.")


def _declared(data: bytes, declared: str | None) -> Decoded | None:
    if not declared:
        return None
    name = declared.strip().strip("\"'").lower()
    name = "gb18030" if name in _GB_NAMES else name
    if name in {"utf-8", "utf8", "latin-1", "iso-8859-1"}:  # UTF-8 was tried; the others accept anything
        return None
    text = _strict(data, name)
    return Decoded(text, name) if text is not None and "\x00" not in text else None


def _is_accident(text: str, data: bytes) -> bool:
    """Whether a short text is valid UTF-8 only by chance, as 联通 in GBK is."""
    foreign = [] if text.isascii() else re.findall(r"[^\x00-\x7f]", text[:_ACCIDENT_CHARS])
    if len(text) >= _ACCIDENT_CHARS or not 0 < len(foreign) <= 8 or any(ord(char) > 0x7FF for char in foreign):
        return False
    chinese = _strict(data, "gb18030")
    return chinese is not None and _plausibility(chinese, "gb2312", 0xD7) > 0.95 > _share_of_letters(foreign)


def _share_of_letters(chars: list[str]) -> float:
    # Latin-1 and Latin Extended-A letters and signs: what short European texts really hold.
    return sum(0xA0 <= ord(char) < 0x180 or 0x370 <= ord(char) < 0x460 for char in chars) / len(chars)


def _utf16(data: bytes) -> Decoded | None:
    if b"\x00" not in data or len(data) % 2:
        return None
    for name, nul_at in (("utf-16-le", 1), ("utf-16-be", 0)):
        text = _strict(data, name)
        # The high bytes of ASCII are NUL: in the right byte order they stand on one side only.
        ours, others = data[nul_at::2].count(0), data[1 - nul_at :: 2].count(0)
        if text is not None and "\x00" not in text and ours > others and _reads_like_text(text[:_SAMPLE_CHARS]):
            return Decoded(text, name, (f"no byte order mark; read as {name}",))
    return None


def _reads_like_text(text: str) -> bool:
    """Whether nearly all characters are of scripts that people write in; random 16-bit units seldom are."""
    return len(_WRITTEN.findall(text)) >= 0.95 * len(text)


def _mostly_utf8(data: bytes) -> Decoded | None:
    text = data.decode("utf-8", errors="replace")
    bad = text.count("\ufffd") - data.count(b"\xef\xbf\xbd")
    good = len(re.findall(r"[^\x00-\x7f\ufffd]", text))
    if "\x00" in text or bad <= 0 or good < bad * _GOOD_PER_BAD:
        return None
    return _utf8_with_bad_bytes(data)


def _utf8_with_bad_bytes(data: bytes) -> Decoded:
    view = memoryview(data)
    parts: list[str] = []
    offsets: list[int] = []
    position = 0
    while position < len(data):
        try:
            parts.append(str(view[position:], "utf-8"))
            break
        except UnicodeDecodeError as error:
            parts += [str(view[position : position + error.start], "utf-8"), "\ufffd"]
            offsets.append(position + error.start)
            position += error.end
    places = ", ".join(map(str, offsets[:_BAD_BYTES_SHOWN])) + ("…" if len(offsets) > _BAD_BYTES_SHOWN else "")
    noun = "undecodable byte at offset" if len(offsets) == 1 else "undecodable bytes at offsets"
    return Decoded("".join(parts), "utf-8", (f"{len(offsets)} {noun} {places}",))


def _chinese(data: bytes) -> Decoded | None:
    best: tuple[float, str, str] | None = None
    for name, table, last_common in (("gb18030", "gb2312", 0xD7), ("big5", "big5", 0xC6)):
        text = _strict(data, name)
        if text is None or "\x00" in text:
            continue
        score = _plausibility(text, table, last_common)
        if score >= _MIN_PLAUSIBLE and (best is None or score > best[0]):
            best = (score, name, text)
    return Decoded(best[2], best[1]) if best else None


def _plausibility(text: str, table: str, last_common_lead: int) -> float:
    """Share of the non-ASCII characters that are everyday characters or punctuation of `table`.

    Both tables keep everyday characters first: a random byte pair lands among the rare ones as often as not.
    """
    foreign = re.findall(r"[^\x00-\x7f]", text[: _SAMPLE_CHARS * 4])[:_SAMPLE_CHARS]
    if not foreign:
        return 0.0
    counts: dict[str, int] = {}
    for char in foreign:
        counts[char] = counts.get(char, 0) + 1
    common = sum(n for char, n in counts.items() if _is_common(char, table, last_common_lead))
    return common / len(foreign)


def _is_common(char: str, table: str, last_common_lead: int) -> bool:
    try:
        encoded = char.encode(table)
    except UnicodeEncodeError:
        return False
    return encoded[0] <= last_common_lead


def _judged(data: bytes) -> Decoded:
    logging.getLogger("charset_normalizer").setLevel(logging.WARNING)
    from charset_normalizer import from_bytes

    best = from_bytes(data[: 256 * 1024]).best()
    text = _strict(data, best.encoding) if best is not None else None
    if best is None or text is None or best.chaos > 0.2:
        raise DocumentError("Its characters are in no encoding that could be recognised; save it as UTF-8.")
    return Decoded(text, best.encoding, (f"encoding guessed as {best.encoding}",))

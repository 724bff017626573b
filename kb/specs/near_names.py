"""Names that are not quite names: codes of no known card, and typing errors in family words.

Digits are never mended: RTX 4095 is another card than the RTX 4090, and unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from kb.specs.alias_table import AliasTable

# Product families whose name is followed by a model number, then the number.
_FAMILY_CODE = re.compile(
    r"""
    (?P<family>
        (?:geforce\s?|quadro\s?)?(?:rtx|gtx)(?:\s?pro)? | geforce | quadro | radeon(?:\s?(?:rx|pro|vii))? | rx
      | tesla | arc(?:\s?pro)? | instinct | mi | mtt | mlu | br | bi-?v | mr-?v | dcu | tpu\s?v | gaudi | jetson
      | ascend | 昇腾 | atlas | 思元 | 智铠 | zhikai | 天垓 | tiangai | 云燧 | cloudblazer | 壁砺 | 壁仞(?:壁砺|br)?
      | 曦云 | 曦思
    )
    [\s\-_]?
    (?P<code>[a-z]{0,2}\d{1,5}[a-z]{0,4}\d?(?:-[a-z]?\d{1,3}[a-z]?)?)
    (?![a-z0-9])
    (?P<suffix>\s?(?:ti|super|xtx?|gre|duo)(?![a-z0-9]))?
    """,
    re.VERBOSE,
)
_VENDOR_CODE = re.compile(
    r"(?P<family>寒武纪|海光|沐曦|昆仑芯|昆仑|摩尔线程|燧原|天数智芯|天数|cambricon|hygon|metax|kunlunxin|moore\s?threads|enflame|iluvatar|biren)"
    r"[\s\-_]?(?P<code>[a-z]{1,3}-?\d{2,5}[a-z]{0,3}(?:-[a-z]?\d{1,3}[a-z]?)?)(?![a-z0-9])"
)
_MAKER_CODE = re.compile(
    r"(?:nvidia|英伟达|辉达|amd|intel|英特尔)(?:家)?的?[\s\-_]?"
    r"(?P<code>(?:v(?=\d\d)|[abghklmt])\d{1,4}[a-z]{0,2})(?![a-z0-9]|-\d|\.\d)"
)
"""After the name of a maker, a letter and a number are a model even where they are too short to be one alone."""
_CARD_CODE = re.compile(r"(?P<code>[abghklt]\d)(?=\s?(?:显卡|加速卡|推理卡|训练卡|gpu|card\b))")
"""A letter and a digit are a model where the word for a card follows."""
_BESIDE = r"\s?(?:和|跟|与|或|还是|对比|vs\.?|and|or)\s?"
_SHORT_CODE = re.compile(r"[abghklt]\d(?![a-z0-9.])(?!\s?(?:缓存|cache|级|正则|norm))")
_CODE_BEFORE = re.compile(rf"(?<![a-z0-9])(?:[abghlt]\d{{2,3}}s?|a2|a10g|t4){_BESIDE}$")
_CODE_AFTER = re.compile(rf"{_BESIDE}(?:[abghlt]\d{{2,3}}s?|a2|a10g|t4)(?![a-z0-9])")
"""A letter and a digit beside a longer code are a model."""
_LETTER_CODE = re.compile(r"(?P<code>(?:g[bh]|[abhltv])[1-9]\d{1,3}[a-z]{0,2})(?![a-z0-9])(?!-\d)")
_LONGER_CODE = re.compile(r"(?P<known>[a-z]\d)[sxdez](?![a-z0-9])|(?P<stacked>[abhl]\d{2,3})[\s-]?3e(?![a-z0-9])")
"""A short code with a letter more, as L40S is to L40."""
_GEFORCE_NUMBER = re.compile(r"(?P<code>[2-9]0[5-9]0)(?P<suffix>\s?(?:ti|super|d))?(?![a-z0-9]|\.\d)")
"""A number as GeForce cards are called by in short."""
_SIBLING_CODE = re.compile(r"(?P<number>\d{3,4})(?P<letters>[a-z]{1,2}\d?)(?![a-z0-9]|\.\d)")
_UNIT_LETTERS = frozenset(
    [
        "w",
        "g",
        "k",
        "m",
        "h",
        "s",
        "p",
        "x",
        "b",
        "gb",
        "mb",
        "tb",
        "kb",
        "kw",
        "hz",
        "nm",
        "ms",
        "us",
        "ns",
        "mm",
        "cm",
    ]
) | {"th", "st", "nd", "rd", "fp"}
_NEVER_COUNTED = ("rtx", "gtx", "tpuv", "geforce", "mtt", "mlu", "gaudi")
"""Families after whose name a number is a model, whatever follows it ("TPU v9 FLOPS")."""
_MINIMUM_DIGITS = {
    "rtx": 3,
    "gtx": 3,
    "rx": 3,
    "geforce": 3,
    "radeon": 3,
    "quadro": 3,
    "mi": 2,
    "mtt": 2,
    "tpuv": 1,
    "gaudi": 1,
}
_NOT_A_CODE = re.compile(
    r"\s*(?:w(?![a-z])|瓦|gb|gib|tb|mb|[mgt]hz|[tpg]?flops|tops|元|块|刀|万|亿|年|月|日|号|张|枚|颗|台|个|卡|节点|超节点|倍|%|nm|bit|位|路|系|代|周年|\.\d)"
)
_YEAR = re.compile(r"(?:19|20)\d\d$")
_DIGIT = re.compile(r"\d")

# fmt: off
_FAMILY_WORDS = (
    "rtx", "gtx", "geforce", "radeon", "quadro", "tesla", "instinct", "ascend", "atlas", "gaudi", "mlu", "mtt",
    "titan", "jetson", "biren", "iluvatar", "cambricon",
)
# fmt: on
FAMILY_STARTS = (
    *_FAMILY_WORDS,
    *["rx", "arc", "mi", "br", "bi", "mr", "dcu", "tpu", "gb", "gh", "a", "b", "h", "l", "t", "v"],
    *"昇思智天云壁曦寒海沐昆摩燧英辉谷华",
    *["hygon", "metax", "kunlunxin", "moore", "enflame", "zhikai", "tiangai", "cloudblazer"],
    *["nvidia", "amd", "intel", "google", "huawei"],
)
"""First words of what `unknown_code` may find."""

_SWAPPED_FAMILY = {"gtx": "rtx"}
MAX_NEAREST = 3
_MAX_LENGTH_GAP = 2
_REMEMBERED = 4096


@dataclass(frozen=True, slots=True)
class UnknownCode:
    """A code that looks like a card's."""

    start: int
    end: int
    code: str


@dataclass(frozen=True, slots=True)
class MisspeltVendor:
    """A vendor's name with a typing error."""

    start: int
    vendor: str


class NearNames:
    """What is close to the names of a table."""

    def __init__(self, table: AliasTable) -> None:
        self._table = table
        self._confusable = str.maketrans(dict(table.confusable))
        self._by_prefix: dict[str, list[str]] = {}
        for key in table.names:
            self._by_prefix.setdefault(_prefix(key), []).append(key)
        self._sibling_numbers = frozenset(
            match.group("number") for key in table.names if (match := _SIBLING_CODE.fullmatch(key)) is not None
        )
        self._vendor_words = [key for key in table.vendor_labels if key.isascii() and len(key) >= 5]
        # Texts repeat their words, and nearly no word is a misspelt name.
        self.mended_keys = lru_cache(maxsize=_REMEMBERED)(self._mended_keys)

    # ------------------------------------------------------------ unknown codes

    def may_be_number(self, digits: str) -> bool:
        """Whether a name that is no more than a number, or begins with it, may start with these digits."""
        return digits in self._sibling_numbers or _GEFORCE_NUMBER.fullmatch(digits) is not None

    def unknown_code(self, text: str, start: int) -> UnknownCode | None:
        """A code at `start` of a folded text that has the shape of a card's name."""
        match = _FAMILY_CODE.match(text, start) or _VENDOR_CODE.match(text, start)
        if match is not None:
            return self._of_family(text, match)
        maker = _MAKER_CODE.match(text, start)
        if maker is not None:
            return UnknownCode(start, maker.end(), maker.group("code"))
        if text[start].isdigit():
            return self._number(text, start)
        return self._letters(text, start)

    def _of_family(self, text: str, match: re.Match[str]) -> UnknownCode | None:
        family = re.sub(r"[\s-]", "", match.group("family"))
        code = match.group("code")
        digits = sum(c.isdigit() for c in code)
        minimum = next((n for word, n in _MINIMUM_DIGITS.items() if family.startswith(word)), 2)
        counted = not family.startswith(_NEVER_COUNTED) and _NOT_A_CODE.match(text, match.end())
        year = _YEAR.match(code) and not family.isascii()
        if digits < minimum or (code.isdigit() and (counted or year)):
            return None
        return UnknownCode(match.start(), match.end(), _key(match.group()))

    def _number(self, text: str, start: int) -> UnknownCode | None:
        """A number as GeForce cards are called by (6090), or one that only a letter tells from known ones (910D)."""
        number = _GEFORCE_NUMBER.match(text, start)
        if number is not None and not _NOT_A_CODE.match(text, number.end()):
            return UnknownCode(start, number.end(), _key(number.group()))
        sibling = _SIBLING_CODE.match(text, start)
        if sibling is None or sibling.group("number") not in self._sibling_numbers:
            return None
        if sibling.group("letters") in _UNIT_LETTERS:
            return None
        return UnknownCode(start, sibling.end(), sibling.group())

    def _letters(self, text: str, start: int) -> UnknownCode | None:
        card = _CARD_CODE.match(text, start)
        if card is not None:
            return UnknownCode(start, card.end(), card.group())
        short = _SHORT_CODE.match(text, start)
        if short is not None and (_CODE_AFTER.match(text, short.end()) or _CODE_BEFORE.search(text, 0, start)):
            return UnknownCode(start, short.end(), short.group())
        longer = _LONGER_CODE.match(text, start)
        if longer is not None and (longer.group("known") or longer.group("stacked")) in self._table.names:
            return UnknownCode(start, longer.end(), longer.group())
        letters = _LETTER_CODE.match(text, start)
        if letters is None:
            return None
        code = letters.group("code")
        digits = re.sub(r"\D", "", code)
        if (len(digits) < 3 and not digits.endswith("0")) or (code.startswith("v") and len(digits) < 3):
            return None
        return UnknownCode(start, letters.end(), code)

    def nearest(self, code: str) -> tuple[str, ...]:
        """Ids of the cards with the most similar names, at most three."""
        number = _number(code)
        ranked: list[tuple[int, int, int, int, str]] = []
        for key in self._by_prefix.get(_prefix(code), ()):
            if abs(len(key) - len(code)) > _MAX_LENGTH_GAP:
                continue
            distance, gap = _distance(code, key), abs(_number(key) - number)
            for position, gpu_id in enumerate(self._table.names[key].gpu_ids):
                ranked.append((distance, gap, self._table.traits[gpu_id].tier, position, gpu_id))
        return tuple(dict.fromkeys(row[-1] for row in sorted(ranked)))[:MAX_NEAREST]

    # ------------------------------------------------------------ typing errors

    def _mended_keys(self, key: str, text: str) -> tuple[str, ...]:
        """Keys that `text` may have been meant as, likeliest first."""
        return tuple(self._mended(key, text))

    def _mended(self, key: str, text: str) -> Iterator[str]:
        swapped = key.translate(self._confusable)
        if swapped != key:
            yield swapped
        digits = _digits_for_letters(text)
        if digits is not None:
            yield _key(digits)
        word = re.match(r"[a-z]{2,}", text)
        if word is None or (len(word.group()) < 3 and word.group() != "rt"):
            return
        rest = _key(text[word.end() :])
        if not rest[:1].isdigit() and not re.match(r"[a-z]{1,2}-?\d", rest):
            return
        wrong = word.group()
        if wrong in _FAMILY_WORDS:
            if wrong in _SWAPPED_FAMILY:
                yield _SWAPPED_FAMILY[wrong] + rest
            return
        for right in _FAMILY_WORDS:
            if right + rest in self._table.names and _distance(wrong, right) == 1:
                yield right + rest

    def misspelt_vendor(self, text: str, start: int, floor: int) -> MisspeltVendor | None:
        """A vendor's name with one typing error, right before `start`."""
        before = re.search(r"(?<![a-z0-9])([a-z]{4,})[\s\-_]?$", text[floor:start])
        if before is None or before.group(1) in self._table.vendor_labels:
            return None
        for word in self._vendor_words:
            if abs(len(word) - len(before.group(1))) <= 1 and _distance(before.group(1), word) == 1:
                return MisspeltVendor(floor + before.start(), self._table.vendor_labels[word])
        return None


def _key(text: str) -> str:
    return re.sub(r"[\s\-_·‐–]", "", text)


def _prefix(key: str) -> str:
    match = re.match(r"\D+", key)
    return match.group() if match else ""


def _number(key: str) -> int:
    match = re.search(r"\d+", key)
    return int(match.group()) if match else 0


def _digits_for_letters(text: str) -> str | None:
    """`text` with O for 0 and l or I for 1 mended next to digits, if that leaves three digits or more in a row."""
    if _DIGIT.search(text) is None:
        return None
    mended = text
    while True:
        changed = re.sub(r"(?<=\d)o|o(?=\d)", "0", mended)
        changed = re.sub(r"(?<=\d)[li](?=\d)|(?<=[a-ln-z])[li](?=\d\d)", "1", changed)
        if changed == mended:
            break
        mended = changed
    return mended if mended != text and re.search(r"\d{3}", mended) else None


def _distance(one: str, other: str) -> int:
    """Typing errors between two words: letters left out, added, changed, or two swapped."""
    previous2: list[int] = []
    previous = list(range(len(other) + 1))
    for i, a in enumerate(one, start=1):
        current = [i]
        for j, b in enumerate(other, start=1):
            cost = min(previous[j] + 1, current[j - 1] + 1, previous[j - 1] + (a != b))
            if i > 1 and j > 1 and a == other[j - 2] and one[i - 2] == b:
                cost = min(cost, previous2[j - 2] + 1)
            current.append(cost)
        previous2, previous = previous, current
    return previous[-1]

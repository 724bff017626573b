"""Reading text in Chinese and English: folding, language, sentences and search terms.

Search terms keep what a GPU reader would call one word: `gb/s`, `8.5tflops`, `rtx4090`, `a100-sxm4-80gb`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from functools import cache, lru_cache
from importlib import resources

import rjieba

from kb.types import Language, Span

CJK = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_CJK_CHAR = re.compile(f"[{CJK}]")
_LATIN_WORD = re.compile(r"[A-Za-z]{2,}")

# A closing quote or bracket belongs to the sentence before it.
_SENTENCE_END = re.compile(
    r"""
    [。！？；…]+[”’」』）》】"')\]]*          # Chinese
  | [.!?]+["'”’)\]]*(?=\s|$)                 # English: the mark stands before white space
  | \n+
    """,
    re.VERBOSE,
)
_ABBREVIATION = re.compile(r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|Dr|Mr|Ms|No|[Rr]ev|Fig|Sec|Eq|approx|ca|[A-Z])\.$")

# A latin term: letters and digits, joined inside by - _ . / + # as in gb/s, 8.5tflops, a100-sxm4-80gb, c++.
_LATIN_TERM = re.compile(r"[a-z0-9]+(?:[-_./+#][a-z0-9]+)*[+#]*")
_PARTS = re.compile(r"\d+(?:\.\d+)?[a-z]*|[a-z]+")
_FIGURE = re.compile(r"(\d+(?:\.\d+)?)([a-z]+)")
_VERSION = re.compile(r"v?(\d+(?:\.\d+)+)")
# What joins the members of a code; the point of a number does not.
_JOINTS = re.compile(r"[-_/+#]+|\.(?!\d)|(?<!\d)\.")
_HEX = re.compile(r"0x([0-9a-f]{2,})")
_CJK_RUN = re.compile(f"[{CJK}]+")
_TOKEN = re.compile(f"{_LATIN_TERM.pattern}|{_CJK_RUN.pattern}")

# Units that are written both with and without a space: `80 GB` and `80GB` are one term.
_UNIT_LIST = """
    gb tb mb kb gib tib mib kib gb/s tb/s mb/s gbps tflops gflops pflops tops w kw mw mhz ghz nm mm ms us ns bit
"""
_UNITS = frozenset(_UNIT_LIST.split())

# English words that say nothing about what is asked.
_STOP_LIST = """
    a an and are as at be been but by can could did do does for from had has have how i if in into is it its many me
    my much of on or our please should so tell than that the their them then there these they this to us was we were
    what when where which who whom whose why will with would you your
"""
STOP_WORDS = frozenset(_STOP_LIST.split())

_LONGEST_CODE_PREFIX = 4

# NFKC would make 51⁄2 of 5½, so these signs stand aside meanwhile.
_FRACTIONS = "¼½¾⅐⅑⅒⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_ASIDE = {ord(sign): 0xF0000 + number for number, sign in enumerate(_FRACTIONS)}
_BACK = {stand_in: sign for sign, stand_in in _ASIDE.items()}
_FRACTION = re.compile(f"[{_FRACTIONS}]")


def fold(text: str) -> str:
    """Text as it is compared: NFKC (full width becomes half width), lower case, traditional characters simplified."""
    if text.isascii():
        return text.lower()
    if _FRACTION.search(text):
        folded = unicodedata.normalize("NFKC", text.translate(_ASIDE)).translate(_BACK).lower()
    else:
        folded = unicodedata.normalize("NFKC", text).lower()
    pattern, simplified = _traditional()
    return pattern.sub(lambda match: simplified[match.group()], folded)


def simplified_characters() -> Mapping[str, str]:
    """Traditional characters with their simplified forms."""
    return _traditional()[1]


@cache
def _traditional() -> tuple[re.Pattern[str], dict[str, str]]:
    """What finds traditional characters, and their simplified forms."""
    lines = resources.files("kb").joinpath("simplified_characters.txt").read_text("utf-8").splitlines()
    pairs = "".join(line for line in lines if not line.startswith("#"))
    simplified = dict(zip(pairs[::2], pairs[1::2], strict=True))
    return re.compile(f"[{''.join(simplified)}]"), simplified


def language_of(text: str) -> Language:
    """`zh` if Chinese characters carry the text, else `en`.

    A Chinese character counts as much as a Latin word, so that a Chinese question full of card names is Chinese.
    """
    chinese = len(_CJK_CHAR.findall(text))
    latin = len(_LATIN_WORD.findall(text))
    return "zh" if chinese >= 2 and chinese >= 0.5 * latin else "en"


def sentences(text: str, start: int = 0, end: int | None = None) -> list[Span]:
    """Spans of the sentences in `text[start:end]`, in order, without surrounding white space.

    A line break ends a sentence. Decimal points, version numbers and common abbreviations do not.
    """
    stop = len(text) if end is None else end
    spans: list[Span] = []
    begin = start
    for match in _SENTENCE_END.finditer(text, start, stop):
        if match.group().startswith(".") and _ABBREVIATION.search(
            text, max(begin, match.start() - 8), match.start() + 1
        ):
            continue
        _append_stripped(spans, text, begin, match.end())
        begin = match.end()
    _append_stripped(spans, text, begin, stop)
    return spans


def _append_stripped(spans: list[Span], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        spans.append(Span(start, end))


def words(text: str) -> list[str]:
    """Search terms of `text`: whole codes and figures, their parts, English stems, Chinese words.

    `RTX 4090`, `RTX-4090` and `rtx4090` all give `rtx4090`, `rtx` and `4090`; `80 GB` and `80GB` give `80gb`;
    `0x2B85` gives `2b85`; `A1000` never gives `a100`. English stop words give nothing.
    """
    terms: list[str] = []
    before, before_end = "", -2
    for match in _TOKEN.finditer(fold(text)):
        token = match.group()
        if _CJK_CHAR.match(token):
            terms.extend(_chinese_words(token))
            continue
        if match.start() - before_end == 1:
            terms.extend(_across_space(before, token))
        terms.extend(_latin_terms(token))
        before, before_end = token, match.end()
    return terms


def _across_space(before: str, token: str) -> Iterator[str]:
    """The one term that two neighbouring words are as well: `rtx 4090`, `80 gb`."""
    if token[0].isdigit() and before.isalpha() and len(before) <= _LONGEST_CODE_PREFIX:
        parts = _PARTS.findall(token)
        yield before + parts[0]
    elif token in _UNITS and before.replace(".", "", 1).isdigit():
        yield before + token


@lru_cache(maxsize=65536)
def _latin_terms(token: str) -> tuple[str, ...]:
    if token.isalpha():
        return () if token in STOP_WORDS else (stem(token),)
    if hexadecimal := _HEX.fullmatch(token):
        return (token, hexadecimal.group(1))
    terms = [token]
    members = _JOINTS.split(token)
    if len(members) > 1:
        terms.extend(stem(member) for member in members if len(member) > 1)
        terms.append("".join(members))
    for member in members:
        terms.extend(_parts(member))
    return tuple(dict.fromkeys(terms))


def _parts(member: str) -> list[str]:
    """Letters and digits apart: `gfx90a` gives `gfx` and `90a`, `80gb` gives `80` and `gb`, `v2.2.0` gives `2.2.0`."""
    if figure := _FIGURE.fullmatch(member):
        return list(figure.groups()) if figure.group(2) in _UNITS else []
    if version := _VERSION.fullmatch(member):
        return [version.group(1), ".".join(version.group(1).split(".")[:2])]
    parts = _PARTS.findall(member)
    return [part for part in parts if len(part) > 1] if len(parts) > 1 else []


def stem(word: str) -> str:
    """An English word without its plural, past or -ing ending; short words and words with digits stay.

    A stem is a search term, not a word: `caches`, `cached` and `caching` all give `cach`.
    """
    if len(word) < 4 or not (word.isascii() and word.isalpha()):
        return word
    word = _without_plural(word)
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word.endswith("e"):
        word = word[:-1]
    if len(word) > 3 and word[-1] == word[-2]:
        word = word[:-1]
    return word


def _without_plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith("es"):
        return word[:-1]
    if word.endswith("s") and word[-2] not in "su":
        return word[:-1]
    return word


@lru_cache(maxsize=4096)
def _chinese_words(run: str) -> tuple[str, ...]:
    return tuple(rjieba.cut(run))


def bigrams(text: str) -> list[str]:
    """Pairs of neighbouring Chinese characters (a lone one stays single) and whole Latin terms."""
    terms: list[str] = []
    for match in _TOKEN.finditer(fold(text)):
        token = match.group()
        if not _CJK_CHAR.match(token) or len(token) == 1:
            terms.append(token)
        else:
            terms.extend(token[i : i + 2] for i in range(len(token) - 1))
    return terms

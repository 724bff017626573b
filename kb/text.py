"""Reading text in Chinese and English: folding, language, sentences and search terms.

Search terms keep what a GPU reader would call one word: `gb/s`, `8.5tflops`, `rtx4090`, `a100-sxm4-80gb`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

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
_ABBREVIATION = re.compile(r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|Dr|Mr|Ms|No|Fig|Sec|Eq|approx|ca|[A-Z])\.$")

# A latin term: letters and digits, joined inside by - _ . / + # as in gb/s, 8.5tflops, a100-sxm4-80gb, c++.
_LATIN_TERM = re.compile(r"[a-z0-9]+(?:[-_./+#][a-z0-9]+)*[+#]*")
_PARTS = re.compile(r"\d+(?:\.\d+)?[a-z]*|[a-z]+")
_CJK_RUN = re.compile(f"[{CJK}]+")
_TOKEN = re.compile(f"{_LATIN_TERM.pattern}|{_CJK_RUN.pattern}")


def fold(text: str) -> str:
    """Text as it is compared: NFKC (full width becomes half width), lower case."""
    return unicodedata.normalize("NFKC", text).lower()


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
        if match.group().startswith(".") and _ABBREVIATION.search(text, max(begin, match.start() - 8), match.start() + 1):
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
    """Search terms of `text`: whole codes and figures, their parts, Chinese words.

    `RTX 4090`, `RTX-4090` and `rtx4090` all give `rtx4090`, `rtx` and `4090`; `A1000` never gives `a100`.
    """
    terms: list[str] = []
    previous_letters, previous_end = "", -2
    folded = fold(text)
    for match in _TOKEN.finditer(folded):
        token = match.group()
        if _CJK_CHAR.match(token):
            terms.extend(_chinese_words(token))
            continue
        terms.append(token)
        parts = _PARTS.findall(token)
        if len(parts) > 1:
            terms.extend(part for part in parts if len(part) > 1)
            joined = "".join(parts)
            if joined != token:
                terms.append(joined)
        if token[0].isdigit() and previous_letters and match.start() - previous_end == 1:
            terms.append(previous_letters + parts[0])
        previous_letters = token if token.isalpha() else ""
        previous_end = match.end()
    return terms


@lru_cache(maxsize=4096)
def _chinese_words(run: str) -> tuple[str, ...]:
    return tuple(rjieba.cut(run))


def bigrams(text: str) -> list[str]:
    """Pairs of neighbouring Chinese characters (a lone one stays single) and whole Latin terms."""
    terms: list[str] = []
    for match in _TOKEN.finditer(fold(text)):
        token = match.group()
        if not _CJK_CHAR.match(token):
            terms.append(token)
        elif len(token) == 1:
            terms.append(token)
        else:
            terms.extend(token[i : i + 2] for i in range(len(token) - 1))
    return terms

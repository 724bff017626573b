"""A search text, understood: its language and the card or part numbers in it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from kb.text import CJK, STOP_WORDS, fold, language_of, words
from kb.types import Language

# Letters before digits (a100, gfx90a, mi300x, ppr-9087), a number with letters behind it (4090d, 90a, 910b), and the
# shortest names of cards (t4, l4, v5e); perhaps with a form behind it (-sxm4-80gb).
_CODE: Final = re.compile(
    r"""
    (?<![a-z0-9._])
    (?: [a-z]{1,8}-?\d{2,5}[a-z]{0,3} | \d{2,5}[a-z]{1,2} | [tpa]\d | l[4-9] | v\d[a-z] )
    (?![a-z0-9]|\.\d|\s?[%％])
    (?: -[a-z]{2,5}\d[a-z0-9-]* )?
    """,
    re.VERBOSE,
)
# `RTX 4090`, `MTT S4000`: a prefix in capitals, or a known one, and a space.
_SPACED_CODE: Final = re.compile(
    r"(?<![A-Za-z0-9])([A-Z]{1,5}|[Rr]tx|[Gg]tx) (\d{2,5}[A-Za-z]{0,3})(?![A-Za-z0-9]|\.\d|\s?[%％])"
)
_PLURAL: Final = re.compile(r"\b([A-Z]{1,6}-?\d{2,5}[A-Z]*)s\b")
# Figures, sizes of models, precisions, buses, memory types, encodings and versions look like codes and are none.
_NO_CODE: Final = re.compile(
    r"""
    \d+(?:[gtmk]i?b|k?w|mw|[kmg]?hz|[nmc]m|[mun]?s|h|m|k|g|t|x|p|bit|th|st|nd|rd|v|fps)
  | (?!910b|310b)\d+b
  | (?:fp|bf|tf|u?int|sint|cu|sm|sm-|compute|sha|md|iso|rfc|ipv|rc|gen|usb|l?p?ddr|gddr|hbm|pcie|float|half|utf)
    -?\d+[a-z]*
  | (?:cuda|rocm|cann|nvlink|python|pytorch|torch|llama|gpt|qwen|step|top|page|rev|ver|windows|win|ubuntu|nccl|cudnn)
    -?\d+[a-z]*
  | x\d{1,2} | q[2-8] | w[48] | i[3579] | gb(?:2312|18030) | h26[45] | v\d{1,2} | r\d{3} | cp\d+ | k8s
  | (?:in|at|of|to|by|on|or|and)\d+
  | (?:radius|size|level|degree|order|width|height|depth|length|batch|block|stage|phase|layer|group|window|stride|bank
      |core|thread|warp|node|lane|tier|part|chapter|figure|table|type|class|mode|option|port|row|line|column)-\d+
    """,
    re.VERBOSE,
)
_NUMBER: Final = re.compile(r"(?<![a-z0-9._-])\d{3,6}(?![a-z0-9]|\.\d)")
_SEPARATORS: Final = re.compile(r"[-_ ]")
_CJK_CHAR: Final = re.compile(f"[{CJK}]")


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """A search text, understood.

    Attributes:
        text: as asked.
        language: of its words.
        codes: card and part numbers, lower case without hyphens and spaces (`rtx4090`), each once, in order.
        numbers: numbers of three digits and more, which may be the tail of a code.
        is_neutral: it has no words to speak of besides codes, so that passages of either language serve.
        is_bare: it consists of codes alone.
    """

    text: str
    language: Language
    codes: tuple[str, ...]
    numbers: tuple[str, ...]
    is_neutral: bool
    is_bare: bool

    @classmethod
    def read(cls, text: str, more_codes: tuple[str, ...] = ()) -> SearchQuery:
        """Understand `text`; `more_codes` are names of cards that the caller found in it."""
        codes = tuple(dict.fromkeys((*codes_in(text), *(key for code in more_codes for key in codes_in(code)))))
        rest = [term for term in words(text) if not any(code_key(term) in code for code in codes)]
        is_bare = bool(codes) and not rest
        is_chinese = bool(_CJK_CHAR.search(text))
        numbers = tuple(dict.fromkeys(_NUMBER.findall(fold(text))))
        return cls(text, language_of(text), codes, numbers, not is_chinese and len(rest) <= 1, is_bare)


def code_key(code: str) -> str:
    """A code as it is compared: `RTX 4090`, `RTX-4090` and `rtx4090` are one, `RTX 4090 D` is another."""
    return _SEPARATORS.sub("", fold(code))


def codes_in(text: str) -> tuple[str, ...]:
    """Keys of the card and part numbers in a text, in order."""
    plain = _PLURAL.sub(r"\1", unicodedata.normalize("NFKC", text))
    spaced = [
        match
        for match in _SPACED_CODE.finditer(plain)
        if match.group(1).lower() not in STOP_WORDS and not _NO_CODE.fullmatch(code_key(match.group()))
    ]
    inside = {place for match in spaced for place in range(*match.span())}
    found = [
        match
        for match in _CODE.finditer(plain.lower())
        if match.start() not in inside and not _NO_CODE.fullmatch(match.group())
    ]
    ordered = sorted((*spaced, *found), key=lambda match: match.start())
    return tuple(dict.fromkeys(code_key(match.group()) for match in ordered))

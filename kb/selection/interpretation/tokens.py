"""A text as tokens: amounts, dates, names of cards, known words, and what is none of these."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from kb.quantity import NumberToken, Quantity, number_tokens, parse_quantities
from kb.quantity.units import UNIT_PATTERN
from kb.selection.interpretation.lexicon import Lexicon, Tag
from kb.specs.names import Mention
from kb.text import fold
from kb.types import Span

TERA = "T"
"""The unit of a number with a bare T: of operations, which ones the field says."""
Kind = Literal["amount", "date", "name", "word", "mark", "unknown"]
_PCIE = re.compile(
    r"(?<![a-z])(?:pcie|pci[ \-]?e|pci express)\s*(?:gen\s*|第\s*)?([1-7])(?:\.0)?(?![\d.])(?:\s*代)?(?:\s*x(\d+))?"
)
_TERA = re.compile(r"(?<![a-z0-9_.])(\d+(?:\.\d+)?)\s?([tp])(?![a-z0-9/])")
"""Throughput as people write it for short: `150T`, `1P`."""
_UNIT = re.compile(rf"\s?(?:{UNIT_PATTERN})")
_MONTH_YEAR = re.compile(
    r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s(?:\d{1,2}(?:st|nd|rd|th)?,?\s)?((?:19|20)\d\d)"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MINUS = re.compile(r"(?:^|[\s<>=≥≤])[-−]$")
_HAN_NUMBER = re.compile(rf"([一二两三四五六七八九十百千零〇]+)\s?(?={UNIT_PATTERN})")
_HAN_DIGITS = {
    "零": 0,
    "〇": 0,
    "一": 1,
    "二": 2,
    "两": 2,
    "三": 3,
    "四": 4,
    "五": 5,
    "六": 6,
    "七": 7,
    "八": 8,
    "九": 9,
}
_HAN_SCALES = {"十": 10, "百": 100, "千": 1000}
_YEAR = re.compile(r"((?:19|20)\d\d)(?:\s*[-/年]\s*(\d{1,2})(?!\d))?")
_LATIN = re.compile(r"[a-z0-9][a-z0-9.+/_'’\-]*")
_CAPABILITY = re.compile(r"(?:计算能力|(?:compute|cuda) capability)\D{0,3}(\d{1,2}\.\d)$")
"""A version that is a figure of cards."""
_SM = re.compile(r"(?<![a-z0-9])sm_(\d{2,3})(?!\d)")
_NUMBERS = {"quantity", "count", "plain"}


@dataclass(slots=True)
class Token:
    """A stretch of the text.

    Attributes:
        start, end: its span in the text.
        text: folded.
        tags: what a word may do.
        quantity: of an amount.
        value: of a date as ISO; of a PCIe generation, which is a word.
        mention: of a card's name.
        used: what it was read as; empty while nothing was made of it.
    """

    start: int
    end: int
    kind: Kind
    text: str = ""
    tags: tuple[Tag, ...] = ()
    quantity: Quantity | None = None
    value: str = ""
    mention: Mention | None = None
    used: str = ""

    def is_a(self, *kinds: str) -> bool:
        """Whether it is a word that may be of one of those kinds."""
        return any(tag.kind in kinds for tag in self.tags)

    def get(self, kind: str) -> str:
        """Its value as that kind; empty if it is none."""
        return next((tag.value for tag in self.tags if tag.kind == kind), "")

    @property
    def is_filler(self) -> bool:
        """Whether it carries nothing of its own."""
        return self.is_a("filler")


def fold_keeping_length(text: str) -> str:
    """Text as words are compared, every character at its place."""
    return "".join(_fold_character(character) for character in text)


def _fold_character(character: str) -> str:
    if character.isascii():
        return character.lower()
    if unicodedata.category(character) == "No":
        return character
    folded = fold(character)
    return folded if len(folded) == 1 else character


def tokenize(text: str, mentions: Sequence[Mention], lexicon: Lexicon) -> list[Token]:
    """The tokens of a text, in order, without white space."""
    folded = fold_keeping_length(text)
    fixed = {token.start: token for token in _fixed(text, folded, mentions, lexicon)}
    borders = sorted(fixed)
    found: list[Token] = []
    position = 0
    while position < len(text):
        while borders and borders[0] < position:
            borders.pop(0)
        token = fixed.get(position) or _plain(folded, position, borders[0] if borders else len(text), lexicon)
        position = token.end
        token.text = folded[token.start : token.end]
        if token.kind != "mark" or text[token.start : token.end].strip():
            found.append(token)
    return found


def _fixed(text: str, folded: str, mentions: Sequence[Mention], lexicon: Lexicon) -> Iterable[Token]:
    """Names, PCIe generations and numbers; what comes first holds its place."""
    names = [Token(mention.start, mention.end, "name", mention=mention) for mention in mentions]
    spans = [Span(mention.start, mention.end) for mention in mentions]
    numbers = [_number(number, text, folded) for number in number_tokens(text, spans)]
    numbers += [_han(match, text) for match in _HAN_NUMBER.finditer(folded)]
    taken: list[Token] = []
    fixed = (
        *(token for match in _SM.finditer(folded) for token in _sm(match)),
        *map(_slot, _PCIE.finditer(folded)),
        *map(_tera, _TERA.finditer(folded)),
        *numbers,
    )
    for token in (*_with_series(names, folded, lexicon), *fixed):
        if token is not None and all(token.end <= other.start or other.end <= token.start for other in taken):
            taken.append(token)
    return taken


def _with_series(names: Sequence[Token], folded: str, lexicon: Lexicon) -> Iterable[Token]:
    """Names of cards, and series beside them; one that covers all of an unknown name stands in its place."""
    series = [
        Token(start, end, "word", tags=(Tag("series", value),)) for start, end, value in lexicon.series.find(folded)
    ]
    known = [name for name in names if name.mention is not None and name.mention.gpu_ids]
    unknown = [name for name in names if name not in known]
    covering = [s for s in series if any(s.start <= name.start and name.end <= s.end for name in unknown)]
    return (*known, *covering, *unknown, *series)


def _slot(match: re.Match[str]) -> Token:
    """A PCIe generation, with its lanes where they are given (`5.0 x16`)."""
    value = f"{match[1]}.0" + (f" x{match[2]}" if match[2] else "")
    return Token(match.start(), match.end(), "word", tags=(Tag("pcie", value),), value=value)


def _sm(match: re.Match[str]) -> tuple[Token, Token]:
    """A compute capability as compilers write it: `sm_89` is 8.9."""
    field = Token(match.start(), match.start(1), "word", tags=(Tag("field", "compute_capability"),))
    return field, _version(int(match[1]) / 10, match.start(1), match.end(1), match[1])


def _version(value: float, start: int, end: int, text: str) -> Token:
    return Token(start, end, "amount", quantity=Quantity(value, None, "", start, end, text))


def _tera(match: re.Match[str]) -> Token:
    value = float(match[1]) * (1000 if match[2] == "p" else 1)
    quantity = Quantity(value, None, TERA, match.start(), match.end(), match.group())
    return Token(match.start(), match.end(), "amount", quantity=quantity)


def _number(number: NumberToken, text: str, folded: str) -> Token | None:
    if _MINUS.search(folded[: number.start]):
        return None  # nothing of a card is below nought
    if number.kind in _NUMBERS and number.quantity is not None:
        return Token(number.start, number.end, "amount", quantity=number.quantity)
    capability = _CAPABILITY.search(folded[number.start : number.end]) if number.kind == "version" else None
    if capability is not None:
        return _version(float(capability[1]), number.start + capability.start(1), number.end, capability[1])
    unit = _UNIT.match(folded, number.end) if number.kind == "date" and number.text.isdigit() else None
    if unit is not None:  # "a maximum of 2000 dollars" is no year
        found = parse_quantities(f"={text[number.start : unit.end()]}")
        return Token(number.start, unit.end(), "amount", quantity=found[0]) if found else None
    if number.kind == "date":
        value = _iso(fold_keeping_length(number.text))
        return Token(number.start, number.end, "date", value=value) if value else None
    return None


def _iso(text: str) -> str:
    """A year, or a year and month, as ISO; empty for other dates."""
    match = _YEAR.match(text)
    if match is not None:
        return f"{match[1]}-{int(match[2]):02d}" if match[2] else match[1]
    named = _MONTH_YEAR.match(text)
    return f"{named[2]}-{_MONTHS.index(named[1]) + 1:02d}" if named is not None else ""


def _han(match: re.Match[str], text: str) -> Token | None:
    """An amount with its number in Chinese: `两百 TOPS`."""
    total, digit = 0, 0
    for character in match[1]:
        if character in _HAN_DIGITS:
            digit = _HAN_DIGITS[character]
        else:
            total, digit = total + (digit or 1) * _HAN_SCALES[character], 0
    written = f"{total + digit}{text[match.end(1) :]}"
    found = parse_quantities(written)
    if not found or found[0].start:
        return None
    end = match.end(1) + found[0].end - len(str(total + digit))
    return Token(match.start(), end, "amount", quantity=found[0])


def _plain(folded: str, position: int, stop: int, lexicon: Lexicon) -> Token:
    match = lexicon.match(folded, position, stop)
    if match is not None:
        return Token(position, match.end, "word", tags=match.tags)
    character = folded[position]
    if not character.isalnum():
        return Token(position, position + 1, "mark")
    latin = _LATIN.match(folded, position, stop)
    return Token(position, latin.end() if latin else position + 1, "unknown")

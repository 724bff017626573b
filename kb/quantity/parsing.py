"""One figure: its value, what a text claims of it (at least, about) and what qualifies it (dense, per direction)."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

from kb.quantity.units import UNIT_PATTERN, unit_of

Comparator = Literal["", "~", ">", ">=", "<", "<="]

NUMBER = r"(?:\d{1,3}(?:,\d{3})+(?!\d)(?:\.\d+)?|\d+(?:\.\d+)?)"
_SCALES = {"百万": 1e6, "十亿": 1e9, "万": 1e4, "亿": 1e8, "k": 1e3, "million": 1e6, "billion": 1e9}

FIGURE = re.compile(
    rf"""
    (?<![a-z0-9_.])(?<!\d,)
    (?P<currency>[$¥￥]\s?)?
    (?P<low>{NUMBER})
    (?:\s?(?:[-–—~～]|至|到|to(?=\s))\s?[$¥￥]?(?P<high>{NUMBER}))?
    (?:\s?(?P<scale>百万(?!亿)|十亿|[万亿](?!亿)(?!次)|k(?![a-z])|million\b|billion\b))?
    (?:(?P<gap>\s?|\s?-)(?P<unit>{UNIT_PATTERN}))?
    """,
    re.VERBOSE,
)
"""A number or a range with its scale and unit, in folded text."""

_AT_LEAST = re.compile(
    r"(?:不少于|不低于|不小于|至少|最少|起码|大于等于|大于或等于|高于或等于|≥|>=|\bat least|\bno less than"
    r"|\bnot less than|\bminimum(?: of)?|\bmin\.?)\s*(?:是|为|有|要|需要)?\s*$"
)
_AT_MOST = re.compile(
    r"(?:不超过|不高于|不大于|不多于|不超出|至多|最多|小于等于|小于或等于|≤|<=|控制在|限制在|\bat most|\bno more than"
    r"|\bnot more than|\bup to|\bmaximum(?: of)?|\bmax\.?|\bwithin)\s*(?:是|为|有)?\s*$"
)
_MORE = re.compile(
    r"(?:超过|大于|高于|多于|超出|>|\bmore than|\bover|\babove|\bgreater than|\bexceed(?:s|ing)?|\blarger than"
    r"|\bhigher than)\s*$"
)
_LESS = re.compile(
    r"(?:小于|低于|少于|不到|不足|<|\bless than|\bunder|\bbelow|\bfewer than|\blower than|\bsmaller than)\s*$"
)
_ABOUT = re.compile(
    r"(?:约为|大约|大概|约|将近|接近|近|~|≈|\babout|\baround|\bapprox(?:imately|\.)?|\broughly|\bnearly|\bca\.?)\s*$"
)
_THEN_MORE = re.compile(
    r"\s*(?:(?:或|及|和)?(?:以上|更多|更高|起步)|起(?!来|源|码)|\+(?!\d)"
    r"|or (?:more|above|higher|larger)|and (?:up|above))"
)
_THEN_LESS = re.compile(r"\s*(?:(?:或|及)?(?:以下|以内|之内|更少|更低)|封顶|or (?:less|below|lower|under|smaller))")
_THEN_ABOUT = re.compile(r"\s*(?:左右|上下(?!文)|or so)")

_ANY_BEFORE = re.compile("|".join(f"(?:{p.pattern})" for p in (_AT_LEAST, _AT_MOST, _MORE, _LESS, _ABOUT)))
_ANY_AFTER = re.compile("|".join(f"(?:{p.pattern})" for p in (_THEN_MORE, _THEN_LESS, _THEN_ABOUT)))

_QUALIFIERS: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("dense", re.compile(r"稠密|非稀疏|无稀疏|\bdense\b|without sparsity|w/o sparsity")),
    ("sparse", re.compile(r"(?<!非)(?<!无)稀疏(?!度)|\bsparse\b|(?<!without )(?<!w/o )\bsparsity\b")),
    ("per_direction", re.compile(r"单向|每个方向|每方向|per direction|each way|one way|unidirectional|each direction")),
    ("both_directions", re.compile(r"双向|bidirectional|bi-directional|both directions|both ways")),
    ("per_card", re.compile(r"单卡|每卡|每张|整卡|单张|per card|per gpu|each card|each gpu")),
    ("per_board", re.compile(r"整板|每板|per board")),
    ("per_system", re.compile(r"整机|每台|单机|每节点|整柜|per system|per node|per server|per rack")),
    ("peak", re.compile(r"峰值|\bpeak\b")),
)
_ANY_QUALIFIER = re.compile("|".join(pattern.pattern for _, pattern in _QUALIFIERS))
_BEFORE, _AFTER = 20, 24
_CLAUSE = re.compile(r"[。；;！!？?\n|]|[，,](?!\d)|、")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A figure.

    Attributes:
        value: in `unit`; the lower bound of a range.
        high: the upper bound of a range, else `None`.
        unit: canonical (`GB/s`, `TFLOPS`, `W`, `GB`…); empty for a number without one.
        start, end: its span in the text, without comparator and qualifiers.
        text: as written.
        qualifiers: `dense`, `sparse`, `per_direction`, `both_directions`, `per_card`, `per_board`, `per_system`,
            `peak`.
        comparator: what the text claims: `>=` (不少于, at least), `<=`, `>`, `<`, `~` (约, about), or nothing.
    """

    value: float
    high: float | None
    unit: str
    start: int
    end: int
    text: str
    qualifiers: tuple[str, ...] = ()
    comparator: Comparator = ""


class _Folded(dict[int, str]):
    """What each character is compared as, found out when it is first met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        folded = character
        # 10⁹ is not 109, and the comma of a Chinese sentence joins no digits.
        if unicodedata.category(character) != "No" and character != "，":
            normal = unicodedata.normalize("NFKC", character).lower()
            folded = normal if len(normal) == 1 else character
        self[code] = folded
        return folded


_FOLDED = _Folded()
_WIDE_THOUSANDS = re.compile("(?<=[０-９])，(?=[０-９]{3})")


def fold_keeping_length(text: str) -> str:
    """Text as it is compared, with every character still at its place."""
    if text.isascii():
        return text.lower()
    return _WIDE_THOUSANDS.sub(",", text).translate(_FOLDED)


def number_value(text: str) -> float:
    """The value of a written number: `1,979` gives 1979."""
    return float(text.replace(",", ""))


def figure_end(match: re.Match[str]) -> int:
    """Where a match of `FIGURE` ends, without the white space before a missing unit."""
    return match.end("unit") if match["unit"] else max(match.end(g) for g in ("low", "high", "scale") if match[g])


def quantity_from(match: re.Match[str], text: str, folded: str, before: int, after: int) -> Quantity:
    """The figure that a match of `FIGURE` found.

    Args:
        match: in `folded`.
        text: as written.
        folded: the text as compared.
        before: end of the number before it; qualifiers are not sought beyond.
        after: start of the number after it.
    """
    start, end = match.start(), figure_end(match)
    unit, factor = _unit(match, text)
    factor *= _SCALES.get(match["scale"] or "", 1.0)
    high = match["high"]
    return Quantity(
        value=_rounded(number_value(match["low"]) * factor),
        high=_rounded(number_value(high) * factor) if high else None,
        unit=unit,
        start=start,
        end=end,
        text=text[start:end],
        qualifiers=qualifiers_near(folded, start, end, before, after),
        comparator=comparator_near(folded, start, end),
    )


def _unit(match: re.Match[str], text: str) -> tuple[str, float]:
    if match["unit"]:
        return unit_of(text[match.start("unit") : match.end("unit")])
    if match["currency"]:
        return unit_of(match["currency"])
    return "", 1.0


def _rounded(value: float) -> float:
    return float(f"{value:.12g}")


def comparator_near(folded: str, start: int, end: int) -> Comparator:
    """What the words right before and after a figure claim of it."""
    before = folded[max(0, start - 24) : start]
    after = folded[end : end + 16]
    if not _ANY_BEFORE.search(before) and not _ANY_AFTER.match(after):
        return ""
    if _AT_LEAST.search(before) or _THEN_MORE.match(after):
        return ">="
    if _AT_MOST.search(before) or _THEN_LESS.match(after):
        return "<="
    if _MORE.search(before):
        return ">"
    if _LESS.search(before):
        return "<"
    return "~" if _ABOUT.search(before) or _THEN_ABOUT.match(after) else ""


def qualifiers_near(folded: str, start: int, end: int, before: int, after: int) -> tuple[str, ...]:
    """Qualifiers in the same clause, not beyond the neighbouring numbers; what follows counts first."""
    ahead = folded[end : min(after, end + _AFTER)]
    cut = _CLAUSE.search(ahead)
    ahead = ahead[: cut.start()] if cut else ahead
    behind = folded[max(before, start - _BEFORE) : start]
    behind = _CLAUSE.split(behind)[-1]
    found: dict[str, None] = {}
    for side in (ahead, behind):
        if not _ANY_QUALIFIER.search(side):
            continue
        for word, pattern in _QUALIFIERS:
            if pattern.search(side) and _OPPOSITE.get(word) not in found:
                found.setdefault(word)
    return tuple(found)


_OPPOSITE = {
    "dense": "sparse",
    "sparse": "dense",
    "per_direction": "both_directions",
    "both_directions": "per_direction",
}

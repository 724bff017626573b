"""Every number of a text and what kind of number it is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from kb.quantity.numerals import NUMERAL, numeral_value
from kb.quantity.parsing import (
    FIGURE,
    NUMBER,
    Quantity,
    comparator_near,
    figure_end,
    fold_keeping_length,
    number_value,
    qualifiers_near,
    quantity_from,
)
from kb.quantity.units import COUNT_UNITS, UNIT_PATTERN, unit_of
from kb.types import NoFigureKind, Span

TokenKind = Literal["quantity", "plain", NoFigureKind]

_CITATION = re.compile(r"\[\d{1,3}\](?!\()")
_FORMAT = re.compile(
    r"(?<![a-z0-9])(?:"
    r"(?:u?int|fp|bf|tf|nvfp|mxfp|mxint|hf|nf|float|bfloat|af)\s?\d{1,3}|e\dm\d|[qk]\d(?:_[0-9a-z]+)+"
    r"|w\d{1,2}a\d{1,2}(?:kv\d{1,2})?"
    r"|(?:g|lp)?ddr\d[a-z]?|hbm\d[a-z]?|pcie\s?(?:gen\s?)?\d(?:\.\d)?(?:\s?[x×]\s?\d{1,2})?"
    r"|gen\s?\d(?:\.\d)?(?:\s?[x×]\s?\d{1,2})?"
    r"|nvlink[\s-]?\d(?:\.\d)?|sxm\d|mtlink\s?\d(?:\.\d)?|usb\s?\d(?:\.\d)?|wi-?fi\s?\d|av1|h\.?26[45]|vp[89]"
    r"|x86(?:[-_]64)?|arm64|amd64|(?<!-)x\d{1,2}(?![\d.a-z])"
    r"|sm_?\d{2,3}[a-z]?|gfx\d+[a-z]?|rocev?\d|l[123](?=\s?(?:cache|缓存|级))|fp8[_-]e\dm\d|2:4|4:2|int8/fp16"
    r")(?![a-z0-9])"
)
_MIG_PROFILE = re.compile(
    r"(?<![\w.])[1-7]g(?:\.\d{1,3}gb(?:[+.]me(?:\.all)?)?(?![\w])|(?=\s?\+\s?[1-7]g(?![a-z0-9]))"
    r"|(?=\s?(?:实例|切片|profile|instance|slice)))|(?<=\dg\+)[1-7]g(?![\w])|(?<=\dg \+ )[1-7]g(?![\w])"
)
_MODEL_SIZE = re.compile(r"(?<![a-z0-9.])(?:\d+\s?[x×]\s?)?\d+(?:\.\d+)?b(?![a-z0-9/])(?:-a\d+(?:\.\d+)?b)?")
_RESOLUTION = re.compile(
    r"(?<![a-z0-9.])(?:\d{3,4}[pi](?:\d{2,3})?|[248]k(?=\s?(?:视频|分辨率|路|@|p|video|解码|屏)))(?![a-z0-9])"
    r"|\d{3,4}[x×]\d{3,4}"
)
_NO_UNIT = (
    r"(?!\s?-?(?:[kmgtp]i?b(?![a-z])|k?w(?![a-z])|[tpge]?flops|[tpg]?ops|[mg]hz|nm(?![a-z])|bits?(?![a-z])|mm|usd|%|tokens?"
    r"|瓦|千瓦|万|亿|位|路|个|张|颗|倍|核|美元|元|纳米))"
)
"""What tells a year from a figure: no unit behind it."""
_DATE = re.compile(
    r"(?<!\d)(?<!\d[.,])(?:(?:19|20)\d\d(?:[-/](?:0?[1-9]|1[0-2])(?:[-/](?:0?[1-9]|[12]\d|3[01]))?"
    r"|\.\d{1,2}\.\d{1,2})(?![\d.]|\s?(?:gb|w\b|tflops|tops))"
    r"|(?:19|20)\d\d\s?年(?:\s?\d{1,2}\s?月)?(?:\s?\d{1,2}\s?[日号])?|\d{1,2}\s?月(?:\s?\d{1,2}\s?[日号])?"
    r"|q[1-4]\s?(?:19|20)\d\d|(?:19|20)\d\d\s?q[1-4]"
    rf"|(?:(?<=\bin )|(?<=\bsince )|(?<=\bof )|(?<=\bby ))(?:19|20)\d\d\b(?![,.]\d){_NO_UNIT}"
    r"|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s(?:\d{1,2}(?:st|nd|rd|th)?,?\s)?(?:19|20)\d\d"
    r"|\d{1,2}\s(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s(?:19|20)\d\d|\d{1,2}:\d\d(?::\d\d)?)"
)
_YEAR = re.compile(rf"(?<!\d)(?<!\d[.,])(?<!\$)(?:19[89]\d|20[0-3]\d)(?![\d.]|,\d|\s?\d){_NO_UNIT}")
_NAMED_ORDINAL = re.compile(r"第\s?\d+(?:\s?[-–~至到]\s?\d+)?\s?[\u4e00-\u9fff]?")
_ORDINAL = re.compile(
    r"(?<![\d.])\d+(?:st|nd|rd|th)(?![a-z])|(?<![\d.])\d{1,2}\s?代(?![码表理价替])"
    r"|\bzero-?[123]\b|\b(?:stage|slide|page|round|layer|lane|port|slot|rev\.?|revision|step|chapter|section|figure|fig\.|table|part|level|tier|phase|rank|no\.|图|表|步骤|附录)\s?\d+(?:\.\d+)*"
)
_VERSION = re.compile(
    r"(?<![a-z0-9])v\d+(?:\.\d+)*(?![a-z0-9])|(?<![\d.])\d+\.\d+\.\d+(?:\.\d+)*(?!\d)"
    r"|(?<![a-z])(?:cuda|rocm|cann|driver|驱动|python|pytorch|torch|tensorrt|cudnn|nccl|ubuntu|linux|kernel|内核"
    r"|vllm|sglang|opengl|vulkan"
    r"|directx|opencl|gcc|版本|version|compute capability|计算能力|llama|qwen|deepseek|gpt|glm|phi|gemma|mistral"
    r"|claude|grok|python3)"
    r"[\s\-_]?[vr]?\d+(?:\.\d+)*(?![\d]|\s?(?:gb|w|tflops|tops))"
)
_LIST_NUMBER = re.compile(
    r"(?m)^[ \t>*-]*(?:#{1,6}[ \t]*[(（]?\d{1,3}(?:\.\d{1,2}){0,3}[.)、）]?(?=\s)"
    r"|[(（]?\d{1,3}(?:\.\d{1,2}){0,3}[.)、）](?!\d))"
)
_CODE = re.compile(r"(?<![a-z0-9.])(?=[a-z0-9_\-]*[a-z])[a-z0-9]+(?:[-_][a-z0-9]+)*(?![a-z0-9])")
_PLAIN = re.compile(rf"(?<![a-z0-9_.])(?<!\d,){NUMBER}")
_COUNTER = re.compile(
    r"\s?(?:个|种|款|次|条|项|类|层|家|篇|步|份|套|组|批|行|列|点|人|名|位用户|并发|请求|头|核|线程|进程|轮|代码|万人|层|年|天|周|月"
    r"|layers?\b|heads?\b|cores?\b|threads?\b|users?\b|requests?\b|days?\b|years?\b|weeks?\b|months?\b|chips?\b"
    r"|dies?\b|links?\b|stacks?\b)"
)
_THOUSANDS = re.compile(r"\d+k|\d+x")
_SPELT = re.compile(
    rf"(?<![一二两三四五六七八九十百千万亿零〇点第])(?P<numeral>{NUMERAL})\s?(?P<unit>(?!位|个|x|×|倍|s|h|秒){UNIT_PATTERN})"
)
_TOGETHER = re.compile(r"\s*(?:、|/|,|，|或者?|还是|和|与|and|or|vs\.?)\s*")
_COMMA = re.compile(r"\s*[,，]\s*")
_NETWORK_BEFORE = re.compile(
    r"(?:ualink|infiniband|\bib|ethernet|roce|rdma|[ehnx]dr|以太网?|网卡|网口|网络|端口|光模块|交换机|\bnics?|\bports?|adapter)[^,，。;；|]{0,12}$"
)
_NETWORK_AFTER = re.compile(
    r"\s?(?:的\s?)?(?:ualink|infiniband|ib(?![a-z])|ethernet|roce|rdma|[ehnx]dr|以太|网卡|网口|网络|端口|光模块|交换机|nics?(?![a-z])|ports?(?![a-z])|adapter)"
)
_LINE_RATES = frozenset({10.0, 25.0, 40.0, 50.0, 100.0, 200.0, 400.0, 800.0, 1600.0})
_UNIT_FOLLOWS_TIMES = re.compile(r"\s?[x×](?=\s?[a-z0-9])")

_FIRST: tuple[tuple[TokenKind, re.Pattern[str]], ...] = (
    ("citation", _CITATION),
    ("format", _FORMAT),
    ("format", _MIG_PROFILE),
    ("resolution", _RESOLUTION),
    ("model_size", _MODEL_SIZE),
    ("date", _DATE),
    ("version", _VERSION),
    ("ordinal", _NAMED_ORDINAL),
)
_AFTER_QUANTITIES: tuple[tuple[TokenKind, re.Pattern[str]], ...] = (
    ("ordinal", _ORDINAL),
    ("list_number", _LIST_NUMBER),
    ("date", _YEAR),
    ("code", _CODE),
)


@dataclass(frozen=True, slots=True)
class NumberToken:
    """A number of a text.

    Attributes:
        kind: `quantity` has a unit; `count` counts cards, layers, times…; `plain` is a number of no other kind; all
            others are no figures: part of a card's name, a format (FP8, PCIe 4.0), a model's size (70B), and so on.
        quantity: the parsed figure, for `quantity`, `count` and `plain`.
    """

    kind: TokenKind
    start: int
    end: int
    text: str
    quantity: Quantity | None = None


class _Claims:
    """Spans already taken, so that each number is typed once."""

    def __init__(self) -> None:
        self._spans: list[tuple[int, int]] = []

    def take(self, start: int, end: int) -> bool:
        if any(start < e and s < end for s, e in self._spans):
            return False
        self._spans.append((start, end))
        return True


def parse_quantities(text: str, names: Sequence[Span] = ()) -> tuple[Quantity, ...]:
    """Every figure with a unit in `text`, in order.

    Numbers in format names (FP8), card names (H100), versions, dates, ordinals and list numbers are none.
    """
    return tuple(t.quantity for t in number_tokens(text, names) if t.kind == "quantity" and t.quantity is not None)


def number_tokens(text: str, names: Sequence[Span] = ()) -> tuple[NumberToken, ...]:
    """Every number in `text` with its kind, in order, without overlaps.

    Args:
        text: any text.
        names: spans of card names, as the resolver found them; numbers in them are `card`.
    """
    return _number_tokens(text, tuple(names))


@lru_cache(maxsize=4096)
def _number_tokens(text: str, names: tuple[Span, ...]) -> tuple[NumberToken, ...]:
    folded = fold_keeping_length(text)
    if not _has_digit(folded) and not _SPELT.search(folded):
        return ()
    claims = _Claims()
    tokens: list[NumberToken] = []
    tokens += [
        NumberToken("card", span.start, span.end, text[span.start : span.end])
        for span in names
        if _has_digit(folded[span.start : span.end]) and claims.take(span.start, span.end)
    ]
    tokens += _fixed(_FIRST, text, folded, claims)
    tokens += _figures(text, folded, claims)
    tokens += _spelt_figures(text, folded, claims)
    tokens += _fixed(_AFTER_QUANTITIES, text, folded, claims)
    tokens += _plain(text, folded, claims)
    return _with_shared_units(sorted(tokens, key=lambda t: t.start), folded)


_DIGIT = re.compile(r"\d")


def _has_digit(text: str) -> bool:
    return _DIGIT.search(text) is not None


def _fixed(
    kinds: Sequence[tuple[TokenKind, re.Pattern[str]]], text: str, folded: str, claims: _Claims
) -> Iterator[NumberToken]:
    for kind, pattern in kinds:
        for match in pattern.finditer(folded):
            start, end = match.span()
            if not _has_digit(match.group()) or (kind == "code" and _THOUSANDS.fullmatch(match.group())):
                continue
            if claims.take(start, end):
                yield NumberToken(kind, start, end, text[start:end])


def _figures(text: str, folded: str, claims: _Claims) -> Iterator[NumberToken]:
    matches = [m for m in FIGURE.finditer(folded) if m["unit"] or m["currency"]]
    edges = [m.span() for m in _PLAIN.finditer(folded)]
    for match in matches:
        start, end = match.start(), figure_end(match)
        if match["unit"] in ("x", "×") and _UNIT_FOLLOWS_TIMES.match(folded, match.end("low")):
            continue
        if not claims.take(start, end):
            continue
        before = max((e for _, e in edges if e <= start), default=0)
        after = min((s for s, _ in edges if s >= end), default=len(folded))
        quantity = _line_rate(quantity_from(match, text, folded, before, after), match["unit"], folded)
        kind: TokenKind = "count" if quantity.unit in COUNT_UNITS else "quantity"
        yield NumberToken(kind, start, end, text[start:end], quantity)


def _spelt_figures(text: str, folded: str, claims: _Claims) -> Iterator[NumberToken]:
    """`一百二十八路`, `三点三五 TB/s`: a Chinese numeral with a unit."""
    for match in _SPELT.finditer(folded):
        value = numeral_value(match["numeral"])
        unit, factor = unit_of(text[match.start("unit") : match.end("unit")])
        start, end = match.span()
        if value is None or unit in COUNT_UNITS or not claims.take(start, end):
            continue
        quantity = Quantity(
            value=float(f"{value * factor:.12g}"),
            high=None,
            unit=unit,
            start=start,
            end=end,
            text=text[start:end],
            qualifiers=qualifiers_near(folded, start, end, 0, len(folded)),
            comparator=comparator_near(folded, start, end),
        )
        yield NumberToken("quantity", start, end, text[start:end], quantity)


def _line_rate(quantity: Quantity, spelling: str | None, folded: str) -> Quantity:
    """`200G` beside a network's name is its line rate in bits, not a size."""
    if spelling != "g" or quantity.value not in _LINE_RATES:
        return quantity
    named = _NETWORK_BEFORE.search(folded, max(0, quantity.start - 24), quantity.start)
    if named or _NETWORK_AFTER.match(folded, quantity.end):
        return replace(quantity, unit="Gb/s")
    return quantity


def _plain(text: str, folded: str, claims: _Claims) -> Iterator[NumberToken]:
    for match in FIGURE.finditer(folded):
        start, end = match.start(), figure_end(match)
        if match["unit"] and match["unit"] not in ("x", "×"):
            continue
        if match["unit"]:
            end = match.end("high") if match["high"] else match.end("low")
        if not claims.take(start, end):
            continue
        value = quantity_from(match, text, folded, start, end)
        kind: TokenKind = "count" if _COUNTER.match(folded, end) or match["unit"] else "plain"
        quantity = replace(
            value, unit="", end=end, text=text[start:end], comparator=comparator_near(folded, start, end), qualifiers=()
        )
        yield NumberToken(kind, start, end, text[start:end], quantity)
    for match in re.finditer(NUMBER, folded):
        start, end = match.span()
        if not claims.take(start, end):
            continue
        quantity = Quantity(number_value(match.group()), None, "", start, end, text[start:end])
        yield NumberToken("plain", start, end, text[start:end], quantity)


def _with_shared_units(tokens: list[NumberToken], folded: str) -> tuple[NumberToken, ...]:
    """`192 还是 384 TOPS`, `312/624 TFLOPS`: the numbers before share the unit."""
    for i in range(len(tokens) - 2, -1, -1):
        token, following = tokens[i], tokens[i + 1]
        if (
            token.kind != "plain"
            or following.kind != "quantity"
            or token.quantity is None
            or following.quantity is None
        ):
            continue
        if not _TOGETHER.fullmatch(folded, token.end, following.start):
            continue
        listed = i + 2 < len(tokens) and _TOGETHER.fullmatch(folded, following.end, tokens[i + 2].start)
        if _COMMA.fullmatch(folded, token.end, following.start) and not listed:
            continue  # "stage 1, 16.6 GB": a comma alone joins no list
        shared = following.quantity
        written = number_value(re.sub(r"[^\d.,].*$", "", following.text.lstrip("$¥￥ ")) or "1")
        factor = shared.value / written if written else 1.0
        quantity = replace(token.quantity, value=float(f"{token.quantity.value * factor:.12g}"), unit=shared.unit)
        tokens[i] = replace(token, kind="quantity", quantity=quantity)
    return tuple(tokens)

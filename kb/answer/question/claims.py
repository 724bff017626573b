"""What a question takes for granted, or asks to confirm, of the cards it names."""

from __future__ import annotations

import re

from kb.answer.question.clauses import Clause
from kb.answer.question.figures import COUNT_FIELDS, Stated, candidate_fields, in_field_unit
from kb.answer.question.model import Claim, Intent
from kb.answer.question.reading import Reading
from kb.answer.question.scanner import Hit
from kb.specs.fields import FIELDS

_CLAIMING = {"lookup", "check", "conflict", "overview", "compare", "source"}
_COUNT_BEFORE = re.compile(r"(?<![\d.a-z])(\d{1,5})\s*(?:个|颗|块)?\s*$")
_COUNT_AFTER = re.compile(r"^\s*(?:的?(?:数量|数))?\s*(?:是|为|有|=|:)?\s*(\d{1,5})(?![\d.a-z])\s*(?:个|颗)?")


def read_claims(reading: Reading, intent: Intent) -> tuple[Claim, ...]:
    """The claims of a question; none where figures are bounds or amounts to convert."""
    if intent not in _CLAIMING or not reading.cards:
        return ()
    claims = [claim for stated in reading.stated if (claim := _of_quantity(reading, stated)) is not None]
    claims += _of_bare_numbers(reading)
    claims += _of_spoken_throughput(reading)
    for clause in reading.clauses:
        queried = _is_queried(reading, clause)
        claims += _of_words(reading, clause, queried=queried)
        claims += _of_counts(reading, clause, queried=queried)
    claims += [
        Claim(("released_on",), str(year.value), "", year.text, 0, reading.asks_yes_no)
        for year in reading.years
        if year.operator == "eq"
    ]
    return tuple(dict.fromkeys(claims))


def _of_quantity(reading: Reading, stated: Stated) -> Claim | None:
    quantity = stated.quantity
    if stated.operator is not None or not quantity.unit:
        return None
    fields = candidate_fields(stated, reading.asked)
    if reading.has("direction") and "interconnect_gb_s" in fields and "memory_bandwidth_gb_s" not in reading.asked.at:
        # Only links have directions.
        fields = ("interconnect_gb_s",)
    if not fields:
        return None
    return Claim(
        fields=fields,
        value=in_field_unit(quantity.value, quantity.unit, fields[0]),
        unit=quantity.unit,
        text=reading.text[quantity.start : quantity.end].strip(),
        near=_nearest_card(reading, quantity.start),
        queried=_is_queried(reading, stated.clause),
    )


_CONTENT = ("field", "precision", "memory_type", "quantity", "compute", "link", "bandwidth", "architecture", "vendor")
_WORD_FIELDS = {
    "memory_type": "memory_type",
    "pcie_generation": "pcie",
    "architecture": "architecture",
    "vendor": "vendor",
    "chip": "chip",
}


_SAID_OF = {"vendor", "architecture"}
"""Words that are a claim only where they are said of a card, not where they stand beside one."""


def _of_words(reading: Reading, clause: Clause, *, queried: bool) -> list[Claim]:
    found: list[Claim] = []
    for hit in clause.hits:
        for kind, key in _WORD_FIELDS.items():
            if hit.is_a(kind) and (kind not in _SAID_OF or _is_predicate(reading, hit) or _before_a_card(reading, hit)):
                near = _nearest_card(reading, hit.start, after=kind in {"vendor", "architecture"})
                asked = queried and not hit.is_a("of_name")
                found.append(Claim((key,), hit.value(kind), "", reading.text[hit.start : hit.end], near, asked))
    return found


_EITHER = re.compile(
    r"(?<![\d.a-z])(\d+(?:\.\d+)?)\s*(?:还是|或者?|或是|/|,|，|、|\bor\b|\bvs\.?)\s*(\d+(?:\.\d+)?)(?![\d.]|\s?[a-z%])"
    r"|(?<![\d.a-z])(\d+(?:\.\d+)?)\s*(?:和|与|跟|\band\b)\s*(\d+(?:\.\d+)?)\s*(?=的?(?:哪|谁|有什么|有啥|什么|区别|差别|分别)"
    r"|[,，]?\s*(?:which|what|what's|how))"
)


_SINGLE = re.compile(
    r"(?<![\d.a-z\-])(\d{2,5}(?:\.\d+)?)(?![\d.]|\s?[a-z%])(?=\s*(?:吗|么|吧|呀|对吗|对吧|对不对|是不是|正确|属实|right|correct|[?？]|$))"
)
"""A figure without its unit that a yes/no question ends in ("FP16 是 1979 吗")."""


_THROUGHPUT = re.compile(r"(?<![\d.a-z\-])(\d{2,5}(?:\.\d+)?)\s*t(?:f|flop|op)?(?![a-z0-9/])")
"""A throughput as it is spoken of ("624T"), which only beside a number format is none of memory."""


def _of_spoken_throughput(reading: Reading) -> list[Claim]:
    """Figures such as "4614T" of the one throughput asked."""
    if len(reading.asked.keys) != 1 or FIELDS[reading.asked.keys[0]].unit not in {"TFLOPS", "TOPS"}:
        return []
    key, found = reading.asked.keys[0], []
    for match in _THROUGHPUT.finditer(reading.folded):
        clause = next(c for c in reading.clauses if c.start <= match.start() < c.end)
        near = _nearest_card(reading, match.start())
        unit, text = FIELDS[key].unit, reading.text[match.start() : match.end()]
        found.append(Claim((key,), float(match.group(1)), unit, text, near, _is_queried(reading, clause)))
        reading.unexplained = tuple(word for word in reading.unexplained if word != match.group())
    return found


_QUESTION_MARK = re.compile(r"\s*[吗么吧呀]?\s*[?？]")


def _of_bare_numbers(reading: Reading) -> list[Claim]:
    """Both figures of "81.7 还是 163.4", or the one that is asked about, of the field asked."""
    if len(reading.asked.keys) != 1:
        return []
    key = reading.asked.keys[0]
    unit = FIELDS[key].unit
    match = _EITHER.search(reading.folded)
    if match is None and unit:
        match = _SINGLE.search(reading.folded)
        asked = match is not None and _QUESTION_MARK.match(reading.folded, match.end()) is not None
        match = match if reading.asks_yes_no or asked else None
    if match is None:
        return []
    near = _nearest_card(reading, match.start())
    return [Claim((key,), float(number), unit, number, near, queried=True) for number in match.groups() if number]


_PREDICATE = re.compile(
    r"(?:是|是不是|来自|出自|属于|用的?|采用|基于|\b(?:by|from|an?|is|made by|uses?|based on|with))\s*(?:the\s)?$"
)


def _is_predicate(reading: Reading, hit: Hit) -> bool:
    """Whether a vendor is what is asked of a card ("是壁仞的吗", "made by AMD"), not a word beside it."""
    return bool(_PREDICATE.search(reading.folded[: hit.start]))


def vendor_is_asked(reading: Reading) -> bool:
    """Whether the question is who makes a card."""
    return any(_is_predicate(reading, hit) for hit in reading.hits("vendor"))


def has_bare_alternatives(reading: Reading) -> bool:
    """Whether two figures without a unit are put up for choice."""
    return len(_of_bare_numbers(reading)) > 1


def _of_counts(reading: Reading, clause: Clause, *, queried: bool) -> list[Claim]:
    found: list[Claim] = []
    for hit in clause.of_kind("field"):
        key = hit.value("field")
        if key not in COUNT_FIELDS or key not in reading.asked.at:
            continue
        match = _COUNT_BEFORE.search(reading.folded[: hit.start]) or _COUNT_AFTER.match(reading.folded[hit.end :])
        if match:
            number = match.group(1)
            found.append(Claim((key,), float(number), "", number, _nearest_card(reading, hit.start), queried))
    return found


def _is_queried(reading: Reading, clause: Clause) -> bool:
    """Whether the clause itself asks, or a tag at the end does ("…，对吗？")."""
    tagged = any(other.asks_yes_no and not other.has(*_CONTENT) for other in reading.clauses)
    return clause.asks_yes_no or clause.has("alternative") or tagged


def _nearest_card(reading: Reading, position: int, *, after: bool = False) -> int:
    """The card a word belongs to: the last one named before it, or for words that stand before a name the next one."""
    before = [i for i, card in enumerate(reading.cards) if card.start <= position]
    following = [i for i, card in enumerate(reading.cards) if position < card.end and card.start - position <= 12]
    if after and following:
        return following[0]
    return before[-1] if before else 0


def _before_a_card(reading: Reading, hit: Hit) -> bool:
    reach = 7 if hit.is_a("architecture") else 3
    return hit.is_a("of_name") or any(0 <= card.start - hit.end <= reach for card in reading.cards)

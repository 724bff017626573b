"""Whether a figure may be none of the card's: of a load, a machine, a part, another card, or only reported."""

from __future__ import annotations

import re
from itertools import pairwise

from kb.answer.gate.choosing import Chosen
from kb.answer.gate.lexicon import COMPUTE_UNITS
from kb.answer.gate.scene import Scene
from kb.answer.gate.surroundings import FRAGMENT, Nearby
from kb.answer.question.scanner import Hit
from kb.quantity import Quantity
from kb.types import Span

_AGAINST = re.compile(r"(?:\bagainst|\bvs\.?|\bversus|\bthan|\bcompared (?:with|to)|对比|相比|而不是)\s*$")
_OF_THE = re.compile(r"\s*of (?:(?:the|its|their|all) )?\d")
_SHARE_OF = re.compile(r"(?<![a-z\d.,])\d[\d.,]*(?:\s[a-z/]{1,6})? of (?:(?:the|its|their|all) )?$")
_AN = re.compile(r"\ban?\s*$")
_CARD = re.compile(r"\s*(?:[a-z]+ )?(?:cards?|boards?|gpus?|model|version)\b")
_SLASH = re.compile(r"\s*/\s*")
_SYSTEM = re.compile(r"\b(?:hgx|dgx|nvl\d+|superpod|atlas 9\d\d)\b", re.IGNORECASE)
_CHANGE_FROM = re.compile(r"(?:从|由|\bfrom)\s*$")
_FROM = re.compile(r"[从由]|\bfrom\b")
_CHANGE_TO = re.compile(r"(?:到|至|为|\bto|→)\s*$")
_EQUATION = re.compile(r"[=≈×÷]")
_OPERATOR_BEFORE = re.compile(r"(?:[×÷]|(?<=\d)\s?\*|\s\*\s|(?<=[\d)a-z])\sx\s)\s*$")
_OPERATOR_AFTER = re.compile(r"\s*[×÷]|\s?\*(?=\s?\d)|\sx\s(?=\d)")
"""Signs of arithmetic; the asterisks of bold type are none."""
_RESULT = re.compile(r"[×÷*/]\s?\d[^=≈a-z\u4e00-\u9fff]{0,12}[a-z/\s]{0,8}[=≈]\s*$")
_FITS = re.compile(r"\bfits?\b|\b(?:for|in|into)\s+(?:your|any|all|most|existing|standard)|适[合配用]|[装插]进")
_SLICE = re.compile(r"[1-7]g(?:\.|$)", re.IGNORECASE)
_HOLDER = re.compile(
    r"\s?(?:的|级)(?:[\u4e00-\u9fff]{0,4})?卡|\s?(?:-?class\s)?(?:cards|boards|gpus|modules|chips|devices)\b"
)
_QUOTED = re.compile(r"“[^”]{1,80}”|\"[^\"]{1,80}\"")
_QUOTE = re.compile('[“"]')
_SET_AGAINST = re.compile(r"\s*(?:against|versus|vs\.?|rather than|instead of)\s*(?:the\s)?")
_OPENING = frozenset({"field", "memory", "bandwidth", "memory_type", "precision", "link"})
_OTHERS = re.compile(
    r"\W{0,4}(?:values?|cards|boards|modules|figures|rows|systems|chips|any|an?\s(?:\w+\s)?(?:chip|row|card|gpu|board))\b"
)
_EQUAL = re.compile("[=≈]")
_EQUALS = re.compile(r"\s*[=≈]\s*(?:约|about)?\s*")
_VERSIONS = re.compile(r"\s?(?:与|和|或|/|or|and)\s?\d+\s?gb?\s?(?:版|的)|\s?的?大?模型|\s?(?:model|of weights)\b")
_VERSION = re.compile(r"(?<![\d.])\d{1,3}\s?gb?\s?(?:card|boards?|版(?!本?号))(?![a-z])")
_EACH = re.compile(r"分别|各")
_EACH_OF = re.compile(
    r"(?:two|three|four|six|eight|\d|两|四|八)[颗个块张]?\s?(?:gpus?|dies|chips|devices|stacks)\s(?:of|with)\s$"
)
_MACHINE = re.compile(r"\s?(?:systems?|servers?|nodes?|box(?:es)?|cluster|bridge)\b|\s?(?:服务器|整机|节点|集群|机柜)")
_FEWEST_QUOTED = 10
_CHINESE = re.compile("[\u4e00-\u9fff]")
_OF_TIME = frozenset({"ms", "s", "h", "tokens/s", "tokens"})
_OPENS_WITHIN = (20, 12)
"""A sentence on the card before opens with what it says of it: `Its`, `显存为`, `The peak bandwidth`."""
_AT_HAND = 24
_TOO_MUCH_W = 3000
"""No card draws that much."""
_PER = re.compile(r"(?:每|\bper)\s?$")
_SIZES = frozenset({"KB", "MB", "MiB", "GB", "GiB", "streams", ""})
"""Units in which a load may be given."""
_ONLY_OF_CARDS = frozenset({"mm²", "MHz"})
"""Units of figures that no link, load or machine has."""


class Looseness:
    """What in one scene may be no figure of its card."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def is_loose(self, span: Span, near: Nearby, quantity: Quantity, chosen: Chosen) -> bool:
        """Whether it may be no figure of the card: of a load, a node, a part, another card, or a change."""
        return (
            self._is_of_doubtful_kind(span, near, quantity, chosen)
            or self.is_only_reported(span)
            or self._is_of_another(span)
            or self._is_one_of_versions(span)
            or self._is_in_arithmetic(span)
            or self._is_of_a_part_or_load(span, quantity)
        )

    def _is_of_doubtful_kind(self, span: Span, near: Nearby, quantity: Quantity, chosen: Chosen) -> bool:
        """Amounts of money, and figures whose card only another sentence names, where no word says what they are."""
        if quantity.unit == "CNY" or (quantity.unit == "USD" and not self._names_card_in_clause(span)):
            return True
        named_before = self._goes_on()
        if named_before and (self._scene.ambient.is_far or _EQUATION.search(self._scene.folded)):
            return True
        if self._names_nobody() and (self._is_worked_out(quantity) or self._is_named_far_off(near, chosen)):
            return True
        if self.opens_elsewhere(span):
            return True
        is_fragment = len(self._scene.text) <= FRAGMENT
        return not chosen.choice.named and (quantity.unit == "USD" or (named_before and not is_fragment))

    def _goes_on(self) -> bool:
        """Whether only a sentence before names the card."""
        return self._scene.ambient.follows and not self._scene.subjects.groups

    def _names_card_in_clause(self, span: Span) -> bool:
        start, end = self._scene.clause_of(span.start)
        at_hand = any(start <= group.start < end for group in self._scene.subjects.groups)
        return at_hand or self._scene.ambient.is_cell or not self._scene.subjects.groups

    def _names_nobody(self) -> bool:
        """Whether the card is named by a sentence before or a heading above, not here."""
        return not self._scene.subjects.groups and not self._scene.ambient.is_cell

    def _is_worked_out(self, quantity: Quantity) -> bool:
        """Whether a sentence reckons with rates and times: `at 96 TFLOPS and 50 %: 48 TFLOPS`."""
        if quantity.unit in COMPUTE_UNITS and "%" in self._scene.folded:
            return True
        units = {t.quantity.unit for t in self._scene.figures if t.quantity is not None}
        return bool(units & _OF_TIME)

    def _is_named_far_off(self, near: Nearby, chosen: Chosen) -> bool:
        """Whether the word that says what a figure is stands in another clause."""
        return self._goes_on() and chosen.hit is not None and chosen.hit not in near.close

    def opens_elsewhere(self, span: Span) -> bool:
        """Whether a sentence that names no card opens with something else than a field or a figure."""
        if self._scene.ambient.is_cell or any(group.start < span.start for group in self._scene.subjects.groups):
            return False
        if _OTHERS.match(self._scene.folded):
            return True
        if not self._goes_on():
            return False
        within = _OPENS_WITHIN[_CHINESE.search(self._scene.folded) is not None]
        places = [span.start for span in self._scene.spans]
        places += [hit.start for hit in self._scene.words if hit.tags and _OPENING & {tag.kind for tag in hit.tags}]
        return min(places, default=0) > within

    def is_only_reported(self, span: Span) -> bool:
        """Of a sentence about wrong, old or disputed figures, or in a quotation that names no card."""
        if "reported" in self._scene.kinds:
            return True
        if any(hit.is_a("reported") or hit.is_a("called_wrong") for hit in self._scene.ambient.all_words):
            return True
        if not _QUOTE.search(self._scene.folded):
            return False
        quoted = next((m for m in _QUOTED.finditer(self._scene.folded) if m.start() < span.start < m.end()), None)
        if quoted is None:
            return False
        inside = quoted.end() - quoted.start() > _FEWEST_QUOTED
        return inside and not any(quoted.start() <= g.start < quoted.end() for g in self._scene.subjects.groups)

    def _is_in_arithmetic(self, span: Span) -> bool:
        """`3350 GB/s ÷ 5120 bit`: a factor, or a result."""
        folded = self._scene.folded
        result = _RESULT.search(folded, max(0, span.start - 24), span.start)
        before = _OPERATOR_BEFORE.search(folded, max(0, span.start - 3), span.start)
        equal = self._is_equated(span)
        return bool(result or before or equal or _OPERATOR_AFTER.match(folded, span.end)) or self._is_quotient(span)

    def _is_equated(self, span: Span) -> bool:
        """`1 TB/s = 1000 GB/s`: one of two figures that are set equal."""
        if not _EQUAL.search(self._scene.folded):
            return False
        pairs = [pair for pair in pairwise(self._scene.spans) if span in pair]
        return any(_EQUALS.fullmatch(self._scene.folded, one.end, other.start) for one, other in pairs)

    def _is_quotient(self, span: Span) -> bool:
        """`33.5 TFLOPS / 3.35 TB/s = 10`: one of two figures in different units that are divided."""
        if "=" not in self._scene.folded:
            return False
        figures = self._scene.figures
        pairs = pairwise(figures)
        return any(
            span.start in (one.start, other.start)
            and one.quantity is not None
            and other.quantity is not None
            and one.quantity.unit != other.quantity.unit
            and _SLASH.fullmatch(self._scene.folded, one.end, other.start)
            for one, other in pairs
        )

    def _is_of_another(self, span: Span) -> bool:
        """`864 GB/s against 960 GB/s`, `30 MB of the 40 MB`: of what is compared with, or a share."""
        folded = self._scene.folded
        if _OF_THE.match(folded, span.end) or _SHARE_OF.search(folded, max(0, span.start - 16), span.start):
            return True
        if _AN.search(folded, max(0, span.start - 4), span.start) and _CARD.match(folded, span.end):
            return True  # "what a 32 GB card holds"
        if _VERSIONS.match(folded, span.end) or (self._names_nobody() and _HOLDER.match(folded, span.end)):
            return True  # "16 GB 与 32 GB 版", "80 GB boards"
        if _EACH_OF.search(folded, max(0, span.start - 24), span.start) or self._is_of_unknown_version(span):
            return True  # "two GPUs of 64 GB", "the 8 GB card has 512 GB/s"
        at_hand = any(g.end <= span.start and span.start - g.end < _AT_HAND for g in self._scene.subjects.groups)
        at_hand = at_hand or self._scene.subjects.is_owned_behind(span, self._scene.spans)
        return not at_hand and _AGAINST.search(folded, max(0, span.start - 14), span.start) is not None

    def _is_of_unknown_version(self, span: Span) -> bool:
        """Of a version that no card on record is: the words for one stand before it, and narrowed nothing down."""
        start, end = self._scene.clause_of(span.start)
        named = [m for m in _VERSION.finditer(self._scene.hidden, start, end) if m.start() <= span.start]
        return bool(named) and not any(g.is_variant for g in self._scene.subjects.groups if start <= g.start < end)

    def _is_one_of_versions(self, span: Span) -> bool:
        """`PCIe、SXM2、V100S 三种，分别为 112、125、130`: one of several, of which not all are known by name."""
        run = self._scene.run_of(span)
        named = len(self._scene.subjects.members())
        each = _EACH.search(self._scene.folded, max(0, run[0].start - 8), run[0].start)
        return len(run) > 1 and each is not None and named != len(run)

    def is_a_change(self, span: Span, quantity: Quantity) -> bool:
        """`从 600 GB/s 削减到 400 GB/s`: one of the two is another card's."""
        if quantity.high is not None and quantity.high < quantity.value:
            return True
        folded = self._scene.folded
        if self._is_set_against(span):
            return True
        if not _FROM.search(folded):
            return False
        froms = [s for s in self._scene.spans if _CHANGE_FROM.search(folded, max(0, s.start - 6), s.start)]
        return span in froms or (
            bool(froms) and _CHANGE_TO.search(folded, max(0, span.start - 6), span.start) is not None
        )

    def _is_set_against(self, span: Span) -> bool:
        """`350 W against 300 W`: one of two figures of one unit, each another card's."""
        run = self._scene.spans
        place = run.index(span) if span in run else 0
        pairs = [(run[n], run[n + 1]) for n in (place - 1, place) if 0 <= n < len(run) - 1]
        return any(_SET_AGAINST.fullmatch(self._scene.folded, one.end, other.start) for one, other in pairs)

    def _is_of_a_part_or_load(self, span: Span, quantity: Quantity) -> bool:
        if quantity.unit in _ONLY_OF_CARDS:
            return False
        before = [m for m in self._scene.mentions if m.start < span.start]
        of_system = before[-1:] if before else self._scene.mentions[:1]
        folded = self._scene.folded
        if quantity.unit == "W" and quantity.value >= _TOO_MUCH_W and self._names_nobody():
            return True
        if quantity.unit == "bit" and _PER.search(folded, max(0, span.start - 5), span.start):
            return True
        system = _has_slices(self._scene) or any(
            _SYSTEM.search(mention.text) or _MACHINE.match(folded, mention.end) for mention in of_system
        )
        words = self._scene.words if self._goes_on() else self._scene.clause_words(span.start)
        per_card = "per_card" in quantity.qualifiers or "per_gpu" in quantity.qualifiers
        if any(hit.is_a("part") or (not per_card and self._is_of_system(hit, span)) for hit in words):
            return True
        if quantity.unit in _SIZES and any(hit.is_a("workload") for hit in words):
            return True
        around = [*self._scene.ambient.all_words, *self._scene.ambient.corner] if self._scene.ambient.is_cell else []
        in_header = any(hit.is_a("part") or (hit.is_a("system") and quantity.unit != "nm") for hit in around)
        return system or in_header or "per_system" in quantity.qualifiers

    def _is_of_system(self, hit: Hit, span: Span) -> bool:
        """Whether a word makes a figure one of a machine: not in `400 W fits your servers`."""
        if not hit.is_a("system") or hit.start < span.end:
            return hit.is_a("system")
        return _FITS.search(self._scene.folded, span.end, hit.start) is None


def _has_slices(scene: Scene) -> bool:
    """Whether a sentence is about slices of a card: `3g.40gb`."""
    return any(token.kind == "format" and _SLICE.match(token.text) for token in scene.tokens)

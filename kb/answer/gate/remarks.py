"""What a text remarks on a figure: its qualifiers, that it is wrong, a sum, or perhaps no figure of the card at all."""

from __future__ import annotations

import re
from collections.abc import Iterable

from kb.answer.gate.choosing import Chosen
from kb.answer.gate.lexicon import qualifier_groups
from kb.answer.gate.scene import Scene
from kb.answer.gate.surroundings import Nearby
from kb.answer.question.scanner import Hit
from kb.quantity import NumberToken, Quantity
from kb.types import Span

_UP_TO = re.compile(r"(?:\bup to|\bmax(?:imum)?\.?(?: of)?|最多|最高|最大|高达|多达|可达|达到?)\s*$")
_NUMERALS = {
    "two": 2,
    "three": 3,
    "four": 4,
    "six": 6,
    "eight": 8,
    "sixteen": 16,
    "两": 2,
    "四": 4,
    "八": 8,
    "十六": 16,
}
_NUMERAL = re.compile(
    r"(?<![a-z十])(two|three|four|six(?!teen)|eight|sixteen|两|四|八|十六)(?=\s|张|块|片|卡)(?!卡?版)"
)
_TIMES = re.compile(r"\s*[x×*]?\s*")
_ASKS = re.compile(r"(?:吗|么)\s*[?？。]?\s*$|[?？]\s*$")
_DENIED_WITHIN = 14
_NOT_WITHIN = 6
_CALLED_WRONG_WITHIN = 20
_DIRECTIONS = frozenset({"per_direction", "both_directions"})


class Remarks:
    """What one scene remarks on its figures."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def qualifiers(self, quantity: Quantity, near: Nearby, chosen: Chosen) -> frozenset[str]:
        """What is said with a figure: dense, per direction, usable, per GPU…"""
        beside = self._scene.beside(chosen.hit, ()) if chosen.hit is not None else ()
        found = set(quantity.qualifiers) - {"peak"} | _said(near.close)
        for further in (_said(beside), _said(self._scene.ambient.all_words)):
            groups = {_group(word) for word in found}
            found |= {word for word in further if _group(word) not in groups}
        if "per_gpu" in found:  # which on a board of several is not the card
            found.discard("per_card")
        if found >= _DIRECTIONS:
            found.discard("both_directions" if "per_direction" in quantity.qualifiers else "per_direction")
        modifiers = chosen.modifiers or (
            near.modifiers if chosen.hit is None and not chosen.choice.named else frozenset()
        )
        return frozenset(found - {"dense", "sparse"}) | (modifiers & {"dense", "sparse"})

    # ------------------------------------------------------------ wrong by the text's own word

    def denies(self, span: Span, near: Nearby) -> bool:
        """Whether the text says that what stands there is wrong."""
        for hit in near.before:
            within = _NOT_WITHIN if hit.text == "not" else _DENIED_WITHIN
            if hit.is_a("denied") and span.start - hit.end <= within and not self._only_asks(hit):
                return True
        return any(hit.is_a("called_wrong") and hit.start - span.end <= _CALLED_WRONG_WITHIN for hit in near.after)

    def _only_asks(self, hit: Hit) -> bool:
        """`是不是 16 GB`, `不是 16 GB 吗`, `isn't it 16 GB?` deny nothing."""
        folded = self._scene.folded
        if not hit.text.startswith(("不是", "isn")):
            return False
        return folded[max(0, hit.start - 1) : hit.start] == "是" or _ASKS.search(folded, hit.end) is not None

    @staticmethod
    def contrasts(span: Span, near: Nearby) -> bool:
        """Whether a figure is only set aside: `1,200 W rather than 1,000 W`, `1,555 GB/s belongs to the 40 GB card`."""
        if any(hit.is_a("belongs") and hit.start - span.end <= _CALLED_WRONG_WITHIN for hit in near.after):
            return True
        return any(hit.is_a("contrasted") and span.start - hit.end <= _DENIED_WITHIN for hit in near.before)

    # ------------------------------------------------------------ sums

    def count_of_cards(self, span: Span, near: Nearby) -> tuple[int, bool]:
        """How many cards a figure may be the sum of, and whether the text says that it is one."""
        counts = [
            int(token.quantity.value)
            for token in self._scene.figures
            if token.quantity is not None and token.end <= span.start and self._counts_cards(token, token.quantity)
        ]
        start, _ = self._scene.clause_of(span.start)
        spelt = [_NUMERALS[m.group(1)] for m in _NUMERAL.finditer(self._scene.folded, start, span.start)]
        counts += spelt[-1:]
        is_sum = any(hit.is_a("total") for hit in near.close)
        return (counts[-1], is_sum) if counts else (1, False)

    def _counts_cards(self, token: NumberToken, quantity: Quantity) -> bool:
        """`8 张`, `8×H100`, `8 H100s`."""
        if quantity.value <= 1:
            return False
        group = next((g for g in self._scene.subjects.groups if g.start >= token.end), None)
        beside = group is not None and _TIMES.fullmatch(self._scene.folded, token.end, group.start) is not None
        return beside or quantity.unit in ("cards", "times")

    def says_up_to(self, span: Span) -> bool:
        """Whether "up to" stands before a figure, which in data sheets means that it is the figure."""
        return _UP_TO.search(self._scene.folded, max(0, span.start - 16), span.start) is not None


def _group(qualifier: str) -> str:
    return "direction" if qualifier in _DIRECTIONS else qualifier_groups().get(qualifier, qualifier)


def _said(hits: Iterable[Hit]) -> set[str]:
    hits = list(hits)
    found = {hit.value("qualifier") for hit in hits if hit.is_a("qualifier")}
    for hit in hits:
        if hit.is_a("direction"):
            found.add("per_direction" if hit.value("direction") == "one" else "both_directions")
    return found

"""Words next to a shared name that narrow it down: form (SXM, PCIe, NVL) and memory size.

`A100 80GB PCIe`, `PCIe 版的 A100`, `A100（80GB，PCIe）`, and two at once: `A100 40GB/80GB`, `H100 PCIe 和 SXM`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from kb.specs.alias_table import CardTraits

_Kind = Literal["form", "memory"]

_FORM = re.compile(r"(sxm|pcie|nvl|oam)\d?s?(?![a-z0-9])")
_MEMORY = re.compile(r"(\d{1,3})\s*(?:gib|gb|g)(?![a-z0-9]|\s?/\s?s)")
# The word then names the bus, not the variant: "A100 PCIe 4.0", "H100 PCIe 接口是几代"; but "H100 PCIe 3.35 TB/s".
_IS_THE_BUS = re.compile(
    r"\s*(?:\d\.\d(?!\d|\s?[tgm]b)|[1-6]\s*(?:x\d|代)|x\d|gen|接口|标准|总线|通道|插槽|版本(?:是|号|多少|几)|(?:是|支持)?\s*(?:几代|第几|几点|哪一?代"
    r"|什么版本|多少代)|lanes?|slot|interface|version|speed|generation)"
)
_GLUE = re.compile(r"(?:[\s\-_]|的|版本?)*[(（\[]?\s*")
_GLUE_IN_BRACKETS = re.compile(r"[\s\-_,，、/]*")
_TAIL = re.compile(r"\s?(?:版本|版|型)")
_JOINT = re.compile(r"\s*(?:/|、|和|与|跟|及|以及|还是|或者?|,|，|\bor\b|\band\b|\bvs\.?)\s*")
_ASKED_AS_EITHER = re.compile(r"\s*(?:还是|或者?|/|\bor\b)\s*\d")
_FORM_BEFORE = re.compile(r"(?<![a-z0-9])(?P<word>sxm|pcie|nvl|oam)\d?\s*(?:版本|版|型|接口)?\s*的?\s*$")
_MEMORY_BEFORE = re.compile(
    r"(?<![a-z0-9.])(?:(?P<other>\d{1,3})\s*(?:gib|gb|g)?\s*(?:/|、|和|与|跟|及|\bor\b|\band\b|\bvs\.?)\s*)?"
    r"(?P<word>\d{1,3})\s*(?:gib|gb|g)\s*(?:显存|版本|版)?\s*的?\s*$"
)


@dataclass(frozen=True, slots=True)
class Narrowed:
    """A name with its variant words, and the cards that fit them."""

    start: int
    end: int
    gpu_ids: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Word:
    kind: _Kind
    end: int
    gpu_ids: tuple[str, ...]


class Variants:
    """Reads variant words with the traits of a table's cards."""

    def __init__(self, traits: Mapping[str, CardTraits]) -> None:
        self._traits = traits

    def narrow(self, text: str, start: int, end: int, ids: tuple[str, ...], floor: int) -> Narrowed:
        """The name at `text[start:end]`, which may mean `ids`, with the variant words on both sides of it.

        Args:
            text: folded.
            start: of the name.
            end: of the name.
            ids: the cards it may mean.
            floor: nothing before this place belongs to the name.
        """
        is_open = False
        while (glue := (_GLUE_IN_BRACKETS if is_open else _GLUE).match(text, end)) is not None:
            is_open = is_open or glue.group().rstrip().endswith(("(", "（", "["))
            word = self._word(text, glue.end(), ids, after_of="的" in glue.group())
            if word is None:
                break
            word = self._joined(text, word, ids)
            end, ids = word.end, word.gpu_ids
            if is_open and text[end : end + 1] in (")", "）", "]"):
                end, is_open = end + 1, False
        return self._before(text, start, end, ids, floor)

    def _word(self, text: str, begin: int, ids: tuple[str, ...], *, after_of: bool) -> _Word | None:
        form = _FORM.match(text, begin)
        if form:
            tail = _TAIL.match(text, form.end())
            if _IS_THE_BUS.match(text, form.end()) or (after_of and tail is None):
                return None
            narrowed = self._fitting(ids, "form", form.group(1))
            return _Word("form", tail.end() if tail else form.end(), narrowed) if narrowed else None
        memory = _MEMORY.match(text, begin)
        if memory is None or (len(ids) == 1 and _ASKED_AS_EITHER.match(text, memory.end())):
            return None
        tail = _TAIL.match(text, memory.end())
        narrowed = self._fitting(ids, "memory", memory.group(1))
        return _Word("memory", tail.end() if tail else memory.end(), narrowed) if narrowed else None

    def _joined(self, text: str, word: _Word, ids: tuple[str, ...]) -> _Word:
        """The word with others of its kind joined to it: `40GB 和 80GB`."""
        while (joint := _JOINT.match(text, word.end)) is not None:
            further = self._word(text, joint.end(), ids, after_of=False)
            if further is None or further.kind != word.kind or set(further.gpu_ids) <= set(word.gpu_ids):
                break
            both = {*word.gpu_ids, *further.gpu_ids}
            word = _Word(word.kind, further.end, tuple(i for i in ids if i in both))
        return word

    def _before(self, text: str, start: int, end: int, ids: tuple[str, ...], floor: int) -> Narrowed:
        kinds: tuple[tuple[_Kind, re.Pattern[str]], ...] = (("form", _FORM_BEFORE), ("memory", _MEMORY_BEFORE))
        for kind, pattern in kinds:
            before = pattern.search(text, floor, start)
            if before:
                words = [word for word in before.groupdict().values() if word]
                fitting = {gpu_id for word in words for gpu_id in self._fitting(ids, kind, word)}
                narrowed = tuple(gpu_id for gpu_id in ids if gpu_id in fitting)
                if narrowed and (len(narrowed) < len(ids) or len(words) > 1):
                    start, ids = before.start(), narrowed
        return Narrowed(start, end, ids)

    def _fitting(self, ids: tuple[str, ...], kind: _Kind, word: str) -> tuple[str, ...]:
        def fits(card: CardTraits) -> bool:
            return card.form == word if kind == "form" else float(word) in card.memory_gb

        first_tier = tuple(i for i in ids if self._traits[i].tier == 1 and fits(self._traits[i]))
        return first_tier or tuple(i for i in ids if fits(self._traits[i]))

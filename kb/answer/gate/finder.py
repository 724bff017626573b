"""The cards named in a text: those listed together as one group, versions, and what is only compared with."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from kb.answer.gate.subjects import Cards, Group
from kb.specs.catalog import Catalog
from kb.specs.names import Mention, NameResolver

_COMMA = re.compile(r"[，；;]|,(?!\d)")
_JOINER = re.compile(
    r"\s*(?:、|,|，|/|和|与|跟|及|以及|&|\+|and|or|vs\.?|versus|还是|或者?|对比|对)\s*(?:the\s+|both\s+)?"
)
_EITHER = re.compile(r"\s*(?:or|还是|或者?)\s*")
_COMPARED = re.compile(
    r"(?:\b(?:unlike|compared (?:to|with)|than|versus|vs\.?|against|over|relative to|next to|beside|as|as opposed to"
    r"|(?:half|third|quarter|\w+ieth|\w+th|tenth|fraction) (?:of|that of))"
    r"(?:\s+(?:the|an?|nvidia|amd|intel))?|相比于?|相较于?|不同于|有别于|对比|比起|比|较|超过|高于|低于|优于)\s*$"
)
_COMPARED_AFTER = re.compile(r"\s*(?:相比|相较|相对|不同|一样|那样|(?:的)?(?:前代|上一代))")
_LIKE = re.compile(r"-(?:like|class|style|level)\b|(?:级别?|类)(?=的|显|卡|加|裸|芯)")
"""Behind a name it only stands for a kind: an H200-like memory."""
_GFX = re.compile(r"gfx\d+[a-z]?", re.IGNORECASE)
_WITH = re.compile(r"(?:与|和|跟|同)\s*$")
_FORM = re.compile(
    r"(?<![a-z0-9])(sxm|pcie|nvl|oam)\d?(?![a-z0-9])(?!\s?(?:\d|gen|接口|总线|bus|slot|带宽|bandwidth|link))"
)
_SIZE = re.compile(r"(?<![\d.a-z])(\d{2,3})\s?gb?(?=\s?(?:版|型|版本|version|variant|model|card|\)|）|:|：))")
_VERSION = re.compile(
    r"(?:\bthe\s+)?(?<![\d.a-z])(?:(\d{2,3}\s?gb?)|(sxm|pcie|nvl|oam)\d?)(?:\s(\d{2,3}\s?gb))?\s?"
    r"(?:版本|版|型号|version|variant|model|card|sku|one)(?![a-z])"
    r"|(?:(?<=/ )|(?<=/)|(?<=[、，；,;] )|(?<=[、，；]))(?<![a-z0-9])(sxm|pcie|nvl|oam)\d?"
    r"(?:\s(\d{2,3}\s?gb))?(?=\s?[:：]?\s?\d+\s?[wgt])"
)
_VALUE = re.compile(r"[:=：]\s*$")
_VALUE_ENDS = re.compile(r"\s*(?:$|[,，;；.。|\"'}\])）])")
_SAID_SIZE = re.compile(r"\s*的\s*\d{1,4}\s*[Gg][Ii]?[Bb]?$")


class SubjectFinder:
    """Finds the cards named in pieces of text."""

    def __init__(self, catalog: Catalog, resolver: NameResolver) -> None:
        self._catalog = catalog
        self._resolver = resolver
        self._chips = frozenset(name.upper() for name in catalog.cards_by("chip"))
        self._mentions = lru_cache(maxsize=4096)(self._resolve)
        self._narrowed = lru_cache(maxsize=4096)(self._narrow)

    def mentions(self, text: str) -> tuple[Mention, ...]:
        """The names in a text."""
        return self._mentions(text)

    def groups(self, text: str, folded: str, mentions: Sequence[Mention], ambient: Cards) -> tuple[Group, ...]:
        """The cards named in a text, those listed together as one group; cards set aside (不是 L40S) are left out."""
        found: list[Group] = []
        for mention in mentions:
            if mention.negated or self.is_chip(mention) or _LIKE.match(folded, mention.end):
                continue
            cards = Cards((mention.gpu_ids,)) if mention.gpu_ids else Cards(unknown=(mention.text,))
            last = found[-1] if found else None
            joint = _JOINER.fullmatch(folded, last.end, mention.start) if last else None
            compared = _is_compared(folded, mention.start, mention.end)
            if last and joint and not compared and not (last.compared and _COMMA.match(joint.group())):
                either = last.either or _EITHER.fullmatch(joint.group()) is not None
                found[-1] = replace(last, end=mention.end, members=(*last.members, cards), either=either)
            else:
                found.append(Group(mention.start, mention.end, (cards,), compared))
        return tuple(sorted([*found, *self._versions(folded, found, ambient)], key=lambda group: group.start))

    def is_chip(self, mention: Mention) -> bool:
        """Whether an unknown code is a chip's (GH100), no card's."""
        return mention.status == "unknown" and mention.text.upper() in self._chips

    def _versions(self, folded: str, named: Sequence[Group], ambient: Cards) -> Iterator[Group]:
        """`the 80GB version`, `PCIe 版`: a version of the card named before."""
        for match in _VERSION.finditer(folded):
            if any(group.start < match.end() and match.start() < group.end for group in named):
                continue
            before = [member for group in named if group.end <= match.start() for member in group.members]
            base = before[-1] if before else ambient
            family = self._family_of(base)
            if not family:
                continue
            words = " ".join(part.upper() for part in match.groups() if part)
            ids = self._narrowed(family, words)
            if ids != family:
                yield Group(match.start(), match.end(), (Cards((ids,)),), is_variant=True)

    def _family_of(self, cards: Cards) -> tuple[str, ...]:
        if len(cards.each) != 1:
            return ()
        family = self._catalog.get(cards.each[0][0]).family
        return self._catalog.families.get(family, ())

    def narrowed(self, cards: Cards, words: str) -> Cards:
        """The cards that fit the variant words (SXM, PCIe, 40GB 版) in `words`, which is folded; all, if none fits."""
        variant = " ".join(
            [m.group(1) for m in _FORM.finditer(words)][-1:] + [f"{m.group(1)}GB" for m in _SIZE.finditer(words)][-1:]
        )
        if not variant:
            return cards
        return replace(cards, each=tuple(self._narrowed(ids, variant) for ids in cards.each))

    def _resolve(self, text: str) -> tuple[Mention, ...]:
        found = [
            mention
            for mention in self._resolver.resolve(text)
            if not (mention.text.isdigit() and _is_value(text, mention)) and not _GFX.fullmatch(mention.text)
        ]
        return tuple(self._whole(_without_size(mention), text) for mention in found)

    def _whole(self, mention: Mention, text: str) -> Mention:
        """With all that the catalogue's name ends in: Ascend 910B (variant not stated), DCU K100-AI."""
        if text[mention.end : mention.end + 2].strip()[:1] not in ("(", "（", "-"):
            return mention
        for gpu_id in mention.gpu_ids:
            spec = self._catalog.get(gpu_id)
            for name in (spec.name, spec.name_zh):
                end = mention.start + len(name)
                if text[mention.start : end] == name and end > mention.end:
                    return replace(mention, end=end, text=name, gpu_ids=(gpu_id,), status="one")
        return mention

    def _narrow(self, ids: tuple[str, ...], variant: str) -> tuple[str, ...]:
        if len(ids) < 2:
            return ids
        family = self._catalog.get(ids[0]).family
        found = self._resolver.resolve(f"{family} {variant}")
        fitting = tuple(gpu_id for gpu_id in ids if found and gpu_id in found[0].gpu_ids)
        return fitting or ids


def _is_value(text: str, mention: Mention) -> bool:
    """Whether a bare number is a value and no name: `"memory_bandwidth_gb_s": 3090`."""
    before = _VALUE.search(text, max(0, mention.start - 4), mention.start)
    return before is not None and _VALUE_ENDS.match(text, mention.end) is not None


def _without_size(mention: Mention) -> Mention:
    """`A40 的 48 GB`: the size is what is said of the card, not part of its name."""
    size = _SAID_SIZE.search(mention.text)
    if size is None:
        return mention
    return replace(mention, end=mention.end - len(size.group()), text=mention.text[: size.start()])


def _is_compared(folded: str, start: int, end: int) -> bool:
    if _COMPARED.search(folded, max(0, start - 32), start):
        return True
    return bool(_WITH.search(folded, max(0, start - 4), start) and _COMPARED_AFTER.match(folded, end))

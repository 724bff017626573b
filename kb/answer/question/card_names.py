"""The names of cards in a question, with the versions it sets side by side and the names no catalogue holds."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from kb.answer.question.lineage import Lineage
from kb.answer.question.model import Chip
from kb.answer.question.scanner import Hit, Tag, fold_in_place
from kb.answer.question.vocabulary import Vocabulary
from kb.specs.catalog import Catalog
from kb.specs.names import Mention, NameResolver

_JOINED_VERSIONS = re.compile(
    r"(?<![a-z])(sxm\d?|pcie|nvl|oam|\d{2,3}\s?gb?)\s*(?:版本|版)?\s*(?:和|与|跟|、|/|vs\.?|and|or|还是|对比|相比)\s*(?:the\s+)?"
    r"(?:sxm|pcie|nvl|oam|\d{2,3}\s?gb?)"
)
_OTHER_VERSION = re.compile(
    r"\s*(?:版本|版)?\s*(?:和|与|跟|、|/|vs\.?|and|or|还是|对比|相比)\s*(?:the\s+)?(sxm\d?|pcie|nvl|oam|\d{2,3}\s?gb?)(?![a-z0-9/])"
)
_VERSION_BEHIND = re.compile(r"\s+(\d{2,3}\s?gb?)(?![a-z0-9/])")
_COMPARED = re.compile(r"区别|差别|差异|对比|比较|差在|差多少|选哪|哪个|difference|compare|versus|\bvs\b")
_OTHER_CODE = re.compile(
    r"\s*(?:版本|版)?\s*(?:和|与|跟|、|/|,|，|vs\.?|and|or|还是|对比|相比|比)\s*(?:the\s+)?"
    r"([a-z]{0,2}\d{1,4}[a-z]{0,2}|[a-z]{1,2}|server|workstation|max-q|pro|duo)(?![a-z0-9]|\s?(?:gb|tb|tflops|tops|w)\b)"
)
_VERSION_BEFORE = re.compile(
    r"(?<![a-z0-9])(max-q|max q|server|workstation|mobile|laptop|sxm\d?|pcie|nvl|oam)"
    r"\s*(?:edition|version|版本|版)?\s*的?\s*$"
)
_BARE_CODE = re.compile(
    r"(?<![a-z0-9.])(?!\d{1,4}[gwtkm](?![a-z0-9]))(?=\d{2}|[a-z])[a-z]{0,2}\d{1,4}[a-z]{0,2}"
    r"(?![a-z0-9.]|\s?(?:gb|tb|tflops|tops|w)\b|\s*[张块卡片台路个年瓦])"
)
_MOST_VERSIONS = 8
_CODE_PART = re.compile(r"\d+|[a-z]+")


class CardNames:
    """Finds the cards a question names."""

    def __init__(self, catalog: Catalog, resolver: NameResolver, words: Vocabulary) -> None:
        self._catalog = catalog
        self._resolver = resolver
        self._words = words
        self._lineage = Lineage(resolver)

    def find(self, text: str) -> tuple[Mention, ...]:
        """The names in a text; "A100 PCIe 和 SXM" names two versions, "RTX 5070 Ti Super" no known card."""
        folded = fold_in_place(text)
        found: list[Mention] = []
        for whole in self._resolver.resolve(text):
            mention = self._version_before(text, folded, self._first_version(text, folded, whole))
            if mention.status == "unknown" and (known := self._after_another(found, folded, mention)) is not None:
                found.append(known)
                continue
            suffix = self._words.suffix.match(folded, mention.end)
            if suffix is not None and mention.status != "unknown":
                end = suffix.end()
                nearest = mention.gpu_ids
                found.append(Mention(mention.start, end, text[mention.start : end], "unknown", (), nearest))
                continue
            found.append(mention)
            others = self._other_versions(text, folded, mention)
            found += others or self._other_codes(text, folded, mention)
        for match in self._words.announced.finditer(folded):
            if not any(mention.start < match.end() and match.start() < mention.end for mention in found):
                found.append(Mention(match.start(), match.end(), text[match.start() : match.end()], "unknown"))
        return tuple(sorted(found, key=lambda mention: mention.start))

    def vendors_inside(self, asked: str, cards: Sequence[Mention]) -> list[Hit]:
        """Vendors that stand inside a card's mention: right or wrong, the name takes them in."""
        if not cards:
            return []
        return [
            Hit(vendor.start, vendor.end, vendor.text, (Tag("vendor", vendor.vendor_id), Tag("of_name")))
            for vendor in self._resolver.vendors(asked)
            if any(card.start <= vendor.start < card.end for card in cards)
        ]

    def _first_version(self, text: str, folded: str, mention: Mention) -> Mention:
        """The first of two versions that one mention takes in ("A100 PCIe 和 SXM 版")."""
        joined = _JOINED_VERSIONS.search(folded, mention.start, mention.end)
        if joined is None:
            return mention
        first = self._resolver.resolve(text[mention.start : joined.end(1)])
        if len(first) != 1 or first[0].status == "unknown" or set(first[0].gpu_ids) == set(mention.gpu_ids):
            return mention
        start, end = mention.start, joined.end(1)
        return replace(first[0], start=start, end=end, text=text[start:end], negated=mention.negated)

    def _version_before(self, text: str, folded: str, mention: Mention) -> Mention:
        """A name with its version in front of it ("the Max-Q RTX PRO 6000")."""
        match = _VERSION_BEFORE.search(folded, 0, mention.start) if mention.status == "several" else None
        if match is None:
            return mention
        named = self._resolver.resolve(f"{mention.text} {match.group(1)}")
        if len(named) != 1 or not named[0].gpu_ids or not set(named[0].gpu_ids) < set(mention.gpu_ids):
            return mention
        start = match.start()
        return replace(named[0], start=start, end=mention.end, text=text[start : mention.end], negated=mention.negated)

    def _after_another(self, found: Sequence[Mention], folded: str, mention: Mention) -> Mention | None:
        """The card that an unknown code means behind a card with the same beginning ("云燧T21 的功耗和 T20")."""
        code = folded[mention.start : mention.end]
        before = next((other for other in reversed(found) if other.gpu_ids), None)
        if before is None or _BARE_CODE.fullmatch(code) is None:
            return None
        other = self._completed(before, folded[before.start : before.end], code)
        return other and replace(
            other, start=mention.start, end=mention.end, text=mention.text, negated=mention.negated
        )

    def spelt_out(self, text: str, cards: Sequence[Mention]) -> str:
        """A text in which a code or a relation is the name it means after some cards ("325 呢", "its successor")."""
        ids = cards[0].gpu_ids if cards else ()
        related = self._lineage.spelt_out(text, fold_in_place(text), ids)
        if related != text:
            return related
        folded = fold_in_place(text)
        each = [replace(card, gpu_ids=(gpu_id,)) for card in cards for gpu_id in card.gpu_ids[:_MOST_VERSIONS]]
        for match in _BARE_CODE.finditer(folded):
            other = next((m for card in each if (m := self._sibling(card, match.group())) is not None), None)
            name = other and (self._catalog.get(other.gpu_ids[0]).name if other.status == "one" else other.family)
            if name:
                return f"{text[: match.start()]}{name}{text[match.end() :]}"
        return text

    def _sibling(self, card: Mention, code: str) -> Mention | None:
        """The card that a code means beside another one, which may lend it its last letters too ("325" of MI300X)."""
        own = fold_in_place(self._catalog.get(card.gpu_ids[0]).name)
        last = _CODE_PART.findall(own)[-1]
        tails = ("", last) if code.isdigit() and last.isalpha() and own.endswith(last) else ("",)
        found = (self._completed(card, own, f"{code}{tail}") for tail in tails)
        return next((other for other in found if other is not None), None)

    def _other_versions(self, text: str, folded: str, mention: Mention) -> list[Mention]:
        match = _OTHER_VERSION.match(folded, mention.end) if mention.gpu_ids else None
        if match is None and mention.gpu_ids and _COMPARED.search(folded):
            match = _VERSION_BEHIND.match(folded, mention.end)
        if match is None:
            return []
        family = self._catalog.get(mention.gpu_ids[0]).family or mention.family
        others = self._resolver.resolve(f"{family} {match.group(1)}") if family else ()
        others = tuple(self._of_same_memory(mention, other) for other in others)
        if len(others) != 1 or others[0].status == "unknown" or set(others[0].gpu_ids) == set(mention.gpu_ids):
            return []
        start, end = match.span(1)
        return [replace(others[0], start=start, end=end, text=text[start:end], negated=False)]

    def _other_codes(self, text: str, folded: str, mention: Mention) -> list[Mention]:
        """Further cards by the end of their code alone: "MLU370-X4 和 X8", "Gaudi 2 and 3", "910B3、B4"."""
        found: list[Mention] = []
        before = mention
        while before.gpu_ids and (match := _OTHER_CODE.match(folded, before.end)) is not None:
            start, end = match.span(1)
            if self._resolver.resolve(text[start:end]):
                break
            other = self._completed(mention, folded[mention.start : mention.end], match.group(1))
            if other is None:
                break
            before = replace(other, start=start, end=end, text=text[start:end], negated=False)
            found.append(before)
        return found

    def _completed(self, mention: Mention, named: str, code: str) -> Mention | None:
        """The card that a code means after the beginning of another one's name: of the same maker, and another card."""
        vendor = self._catalog.get(mention.gpu_ids[0]).vendor_id
        for cut in reversed([part.start() for part in _CODE_PART.finditer(named) if part.start()]):
            whole = f"{named[:cut]}{code}"
            others = self._resolver.resolve(whole)
            if len(others) != 1 or others[0].end - others[0].start < len(whole) or others[0].corrected:
                continue
            new = set(others[0].gpu_ids) - set(mention.gpu_ids)
            if new == set(others[0].gpu_ids) and any(self._catalog.get(gpu_id).vendor_id == vendor for gpu_id in new):
                return others[0]
        return None

    def _of_same_memory(self, mention: Mention, other: Mention) -> Mention:
        """The other version with the memory that the first was named with ("A100 80G PCIe 跟 SXM")."""
        sizes = {size for gpu_id in mention.gpu_ids for size in self._catalog.memory_sizes_gb(gpu_id)}
        if len(sizes) != 1:
            return other
        ids = tuple(i for i in other.gpu_ids if sizes & set(self._catalog.memory_sizes_gb(i)))
        return replace(other, gpu_ids=ids, status="one" if len(ids) == 1 else "several") if ids else other


def sort_mentions(
    mentions: Sequence[Mention],
) -> tuple[tuple[Mention, ...], tuple[Mention, ...], tuple[Mention, ...]]:
    """The cards asked about, those only set aside, and the names that no card has."""
    cards: list[Mention] = []
    excluded: list[Mention] = []
    unknown: list[Mention] = []
    for mention in mentions:
        if mention.status == "unknown":
            unknown.append(mention)
        elif mention.negated and len(mentions) > 1:
            excluded.append(mention)
        elif not any(set(mention.gpu_ids) == set(card.gpu_ids) for card in cards):
            cards.append(mention)
    if not cards and excluded:
        cards, excluded = excluded, []
    cards = [card for card in cards if not any(_is_kind_of(card, other) for other in cards)]
    return tuple(cards), tuple(excluded), tuple(unknown)


def _is_kind_of(wide: Mention, narrow: Mention) -> bool:
    """Whether a name only says what kind the name right after it is of ("昇腾 310P 的 Atlas 300I Pro")."""
    adjacent = 0 <= narrow.start - wide.end <= 2
    return adjacent and set(narrow.gpu_ids) < set(wide.gpu_ids)


def is_chip(mention: Mention, chips: Sequence[Chip]) -> bool:
    """Whether an unknown name is that of a chip."""
    return mention.status == "unknown" and any(c.start < mention.end and mention.start < c.end for c in chips)

"""Which cards the figures of a piece of text are about.

A figure belongs to the card named behind it (`2 TB/s on the A100`, `2 TB/s（A100）`), else to the one named before it,
else to the one that follows, else to what the text spoke of before. Cards listed together (`A100 和 H100`) share a
figure, or take one each of as many figures. A card that is only compared with (`than the A100`, `与 A100 相比`) owns
no figure beyond its own clause.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from kb.specs.catalog import Catalog
from kb.specs.names import Mention, NameResolver
from kb.types import Span


@dataclass(frozen=True, slots=True)
class Cards:
    """Whom a claim is about.

    Attributes:
        each: what holds for each of these; a name that several cards share gives them all.
        unknown: codes that no card has.
        any_of: it is enough if it holds for one.
    """

    each: tuple[tuple[str, ...], ...] = ()
    unknown: tuple[str, ...] = ()
    any_of: bool = False

    @property
    def ids(self) -> tuple[str, ...]:
        """All cards, each once."""
        return tuple(dict.fromkeys(gpu_id for ids in self.each for gpu_id in ids))

    @property
    def is_empty(self) -> bool:
        """Whether nobody is named."""
        return not self.each and not self.unknown

    def __add__(self, other: Cards) -> Cards:
        return Cards((*self.each, *other.each), (*self.unknown, *other.unknown))


NOBODY = Cards()


@dataclass(frozen=True, slots=True)
class Group:
    """Cards named together, at one place.

    Attributes:
        members: each named card.
        compared: it is only what something else is compared with.
        either: they are put up for choice.
        is_variant: it names a version of a card named before (`the 80GB version`).
    """

    start: int
    end: int
    members: tuple[Cards, ...]
    compared: bool = False
    either: bool = False
    is_variant: bool = False

    @property
    def cards(self) -> Cards:
        """All of them."""
        cards = sum(self.members, NOBODY)
        return replace(cards, any_of=self.either)


_JOINER = re.compile(
    r"\s*(?:、|,|，|/|和|与|跟|及|以及|&|\+|and|or|vs\.?|versus|还是|或者?|对比|对)\s*(?:the\s+|both\s+)?"
)
_EITHER = re.compile(r"\s*(?:or|还是|或者?)\s*")
_COMPARED = re.compile(
    r"(?:\b(?:unlike|compared (?:to|with)|than|versus|vs\.?|against|over|relative to|next to|beside|as|as opposed to)"
    r"(?:\s+(?:the|an?|nvidia|amd|intel))?|相比于?|相较于?|不同于|有别于|对比|比起|比|较|超过|高于|低于|优于)\s*$"
)
_COMPARED_AFTER = re.compile(r"\s*(?:相比|相较|相对|不同|一样|那样|(?:的)?(?:前代|上一代))")
_WITH = re.compile(r"(?:与|和|跟|同)\s*$")
_PRONOUN = re.compile(
    r"前者|后者|两者|二者|两款卡?|两张卡?|它们|该卡|此卡|这张卡|这款卡|这块卡|它|其(?![中他它余次实])"
    r"|\bthe former\b|\bthe latter\b|\bboth(?: cards| gpus)?\b|\bthe two\b|\bthey\b|\bits?\b"
    r"|\b(?:the|this) (?:card|gpu|accelerator|part|board)\b"
)
_FORMER = frozenset({"前者", "the former"})
_LATTER = frozenset({"后者", "the latter"})
_PAIR = re.compile(r"两|二者|它们|both|the two|they")
_BOUNDARY = re.compile(r"[，；;。！？!?]|,(?!\d)|:(?=\s)|：|\bwhile\b|\bwhereas\b|\bbut\b|而(?!非|且)|\(|\)|（|）")
_COMMA = re.compile(r"[，；;。！？!?]|,(?!\d)|\bwhile\b|\bwhereas\b|\bbut\b|而(?!非|且)")
_OWNED = re.compile(
    r"(?:\s*[(（][^()（）\d]*[)）])?[^，,。；;!?！？()（）|]{0,36}?(?:\b(?:of|for|on|in|by|from|at)(?:\s+(?:the|an?|nvidia|amd|intel|each))?|\bthe)\s*$"
)
_ATTRIBUTIVE = re.compile(r"(?:'s|’s|\s*的)\s*(?=\d)")
_SWITCH = re.compile(
    r"\bto\s|到|提升|增加|[，；;]|,(?!\d)"
    r"|\band (?:reaches|has|draws|offers|delivers|runs|comes|costs|adds|uses|brings|provides)\b"
)
_ARROW = re.compile(r"\s*(?:→|->|⇒|vs\.?|versus|against|对|比)\s*")
_IN_BRACKETS = re.compile(r"[\s*]*[(（\[]\s*(?:the\s+)?$")
_CLOSES = re.compile(r"[^()（）a-z]*[)）\]]")
_NOUN_OF_FIGURE = re.compile(r"\s*的\s*(?:[\u4e00-\u9fff]{0,6}的\s*)?$")
_FORM = re.compile(
    r"(?<![a-z0-9])(sxm|pcie|nvl|oam)\d?(?![a-z0-9])(?!\s?(?:\d|gen|接口|总线|bus|slot|带宽|bandwidth|link))"
)
_VERSION = re.compile(
    r"(?:\bthe\s+)?(?<![\d.a-z])(?:(\d{2,3}\s?gb?)|(sxm|pcie|nvl|oam)\d?)(?:\s(\d{2,3}\s?gb))?\s?"
    r"(?:版本|版|型号|version|variant|model|card|sku|one)(?![a-z])"
    r"|(?:(?<=/ )|(?<=/)|(?<=[、，；,;] )|(?<=[、，；]))(?<![a-z0-9])(sxm|pcie|nvl|oam)\d?"
    r"(?:\s(\d{2,3}\s?gb))?(?=\s?[:：]?\s?\d+\s?[wgt])"
)
_VALUE = re.compile(r"[:=：]\s*$")
"""Before a bare number that is a value and no name: `"memory_bandwidth_gb_s": 3090`."""
_SAID_SIZE = re.compile(r"\s*的\s*\d{1,4}\s*[Gg][Ii]?[Bb]?$")
_SIZE = re.compile(r"(?<![\d.a-z])(\d{2,3})\s?gb?(?=\s?(?:版|型|版本|version|variant|model|card|\)|）|:|：))")


class Subjects:
    """The cards named in one piece, and whose each figure is."""

    def __init__(self, folded: str, groups: Sequence[Group], ambient: Cards) -> None:
        self._folded = folded
        self.groups = _with_pronouns(folded, groups, ambient)
        self._ambient = ambient

    def of(self, span: Span, figures: Sequence[Span], runs: Sequence[Sequence[Span]]) -> Cards:
        """Whose a figure is.

        Args:
            span: of the figure.
            figures: all figures of the piece, in order.
            runs: figures of one unit listed together.
        """
        run = next((run for run in runs if span in run), (span,))
        group = self._group_for(run[0], run[-1], figures)
        if group is None:
            return self._ambient
        members = self._changing(run) or group.members
        if len(run) > 1 and len(run) == len(members) and not group.either:
            return members[run.index(span)]
        return group.cards

    def _changing(self, run: Sequence[Span]) -> tuple[Cards, ...]:
        """`72 W → 350 W`: from the card named first to the one named second."""
        if len(run) != 2 or not _ARROW.fullmatch(self._folded, run[0].end, run[1].start):
            return ()
        members = [member for group in self.groups if group.end <= run[0].start for member in group.members]
        if len(members) < 2 and not self._ambient.is_empty:
            members = [self._ambient, *members]
        distinct = list(dict.fromkeys(members))[-2:]
        if len(distinct) == 2 and len(members) > 2:  # named again: which comes first is not certain
            either = Cards((distinct[0].ids + distinct[1].ids,))
            return (either, either)
        return tuple(distinct) if len(distinct) > 1 else ()

    def of_word(self, span: Span, figures: Sequence[Span]) -> Cards:
        """Whose a word is, such as a kind of memory."""
        group = self._group_for(span, span, figures)
        return self._ambient if group is None else group.cards

    def all_members(self) -> Cards:
        """Everybody named here, and whom the text spoke of before, as one: any of them may be meant."""
        named = [member for group in self.groups for member in group.members]
        ids = tuple(dict.fromkeys(i for cards in (self._ambient, *named) for i in cards.ids))
        return Cards((ids,)) if len({cards.each for cards in (self._ambient, *named) if cards.each}) > 1 else NOBODY

    def is_owned_behind(self, span: Span, figures: Sequence[Span]) -> bool:
        """Whether a card is named right behind a figure as its owner."""
        return self._owner_behind(span, figures) is not None

    def main(self) -> Cards:
        """What the piece is mainly about: what the next sentence may speak of without naming it."""
        group = next((group for group in self.groups if not group.compared), None)
        return group.cards if group is not None else self._ambient

    def pair(self, before: int) -> tuple[Cards, Cards] | None:
        """The two cards a comparison is between: the last two named before it, or one before and one behind."""
        ahead = [member for group in self.groups if group.start < before for member in group.members]
        behind = [member for group in self.groups if group.start >= before for member in group.members]
        if not ahead and not self._ambient.is_empty:
            ahead = [self._ambient]
        if len(ahead) == 1 and not behind and not self._ambient.is_empty and ahead[0] != self._ambient:
            return self._ambient, ahead[0]
        members = ahead if len(ahead) > 1 else [*ahead, *behind[:2]]
        return (members[-2], members[-1]) if len(members) > 1 else None

    # ------------------------------------------------------------ which group

    def _group_for(self, first: Span, last: Span, figures: Sequence[Span]) -> Group | None:
        behind = self._owner_behind(last, figures)
        if behind is not None:
            return behind
        before = [group for group in self.groups if group.end <= first.start]
        for group in reversed(before):
            if not self._is_left_behind(group, first.start):
                return group
        if before and not self._ambient.is_empty:
            return None
        after = [group for group in self.groups if group.start >= last.end and not group.compared]
        if after and not any(last.end <= figure.start < after[0].start for figure in figures):
            elsewhere = not self._ambient.is_empty and _COMMA.search(self._folded, last.end, after[0].start)
            return None if elsewhere else after[0]
        return before[-1] if before else None

    def _is_left_behind(self, group: Group, position: int) -> bool:
        """Whether a group owns nothing here: it was only compared with, or owned what stood right behind it."""
        if group.compared:
            return _COMMA.search(self._folded, group.end, position) is not None
        attributive = _ATTRIBUTIVE.match(self._folded, group.end) and any(g.end <= group.start for g in self.groups)
        return bool(attributive) and _SWITCH.search(self._folded, group.end, position) is not None

    def _owner_behind(self, last: Span, figures: Sequence[Span]) -> Group | None:
        """The group named right behind a figure as its owner."""
        group = next((group for group in self.groups if group.start >= last.end), None)
        if group is None or any(last.end <= figure.start < group.start for figure in figures):
            return None
        gap = self._folded[last.end : group.start]
        following = next((figure for figure in figures if figure.start >= group.end), None)
        if _IN_BRACKETS.fullmatch(gap):
            closed = _CLOSES.match(self._folded, group.end)
            return group if closed and (following is None or following.start >= closed.end()) else None
        if not _OWNED.fullmatch(gap):
            return group if _NOUN_OF_FIGURE.search(gap) and self._opens_clause(last, figures) else None
        taken = following is not None and not _BOUNDARY.search(self._folded, group.end, following.start)
        return None if taken else group

    def _opens_clause(self, span: Span, figures: Sequence[Span]) -> bool:
        """`80GB 显存的 A100`: nobody is named before the figure in its clause."""
        start = max((m.end() for m in _COMMA.finditer(self._folded, 0, span.start)), default=0)
        return not any(start <= group.start < span.start for group in self.groups)


def _with_pronouns(folded: str, groups: Sequence[Group], ambient: Cards) -> tuple[Group, ...]:
    """The groups with what stands for one of them: the former, 两者, it."""
    found = list(groups)
    for match in _PRONOUN.finditer(folded):
        if any(group.start < match.end() and match.start() < group.end for group in groups):
            continue
        meant = _meant_by(match.group(), [g for g in groups if g.end <= match.start()], ambient)
        if meant:
            found.append(Group(match.start(), match.end(), meant))
    return tuple(sorted(found, key=lambda group: group.start))


def _meant_by(word: str, before: Sequence[Group], ambient: Cards) -> tuple[Cards, ...]:
    members = [member for group in before for member in group.members]
    if len(members) < 2:
        members = [Cards((ids,)) for ids in ambient.each] + members
    if word in _FORMER or word in _LATTER:
        return ((members[-2] if word in _FORMER else members[-1]),) if len(members) > 1 else ()
    if _PAIR.search(word):
        return tuple(members[-2:]) if len(members) > 1 else ()
    main = next((group for group in before if not group.compared), None)
    if main is not None:
        return main.members
    return () if ambient.is_empty else (ambient,)


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
            if mention.negated or self.is_chip(mention):
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
        found = [m for m in self._resolver.resolve(text) if not (m.text.isdigit() and _VALUE.search(text, 0, m.start))]
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

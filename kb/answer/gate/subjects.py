"""Which cards the figures of a piece of text are about.

A figure belongs to the card named behind it (`2 TB/s on the A100`, `2 TB/s（A100）`), else to the one named before it,
else to the one that follows, else to what the text spoke of before. Cards listed together (`A100 和 H100`) share a
figure, or take one each of as many figures. A card that is only compared with (`than the A100`, `与 A100 相比`) owns
no figure beyond its own clause.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

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
_EACH = re.compile(r"分别|各|\brespectively\b")
_EACH_BEHIND = re.compile(r"[^,，。.;；]{0,16}\brespectively\b")
_EACH_WITHIN = 24
_IN_BRACKETS = re.compile(r"[\s*]*[(（\[]\s*(?:the\s+)?$")
_CLOSES = re.compile(r"[^()（）a-z]*[)）\]]")
_NOUN_OF_FIGURE = re.compile(r"\s*的\s*(?:[\u4e00-\u9fff]{0,6}的\s*)?$")


class Subjects:
    """The cards named in one piece, and whose each figure is."""

    def __init__(self, folded: str, groups: Sequence[Group], ambient: Cards, before: tuple[Cards, ...] = ()) -> None:
        self._folded = folded
        self.groups = _with_pronouns(folded, groups, ambient, before)
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
        members = self._changing(run) or self._each_one(run, group) or group.members
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

    def _each_one(self, run: Sequence[Span], group: Group) -> tuple[Cards, ...]:
        """`T4 …，L4 …，功耗分别是 70 W 和 72 W`: each card named before takes one."""
        if len(run) < 2 or len(run) == len(group.members):
            return ()
        before = [other for other in self.groups if other.end <= run[0].start]
        opened = max(before[-1].end if before else 0, run[0].start - _EACH_WITHIN)
        if not (_EACH.search(self._folded, opened, run[0].start) or _EACH_BEHIND.match(self._folded, run[-1].end)):
            return ()
        named = tuple(dict.fromkeys(member for other in before for member in other.members))
        return named if len(named) == len(run) else ()

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

    def members(self) -> tuple[Cards, ...]:
        """Each card named here, once."""
        return tuple(dict.fromkeys(member for group in self.groups for member in group.members))

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
        between = [figure for figure in figures if after and last.end <= figure.start < after[0].start]
        if between and len(self.groups) == 1 and self._ambient.is_empty:
            # "48 GB, 275 W: the L20", but not "400G is no match for the 900 GB/s of the H100"
            beside = not self._folded[between[-1].end : after[0].start].strip()
            return None if beside or self._owner_behind(between[-1], figures) else after[0]
        if after and not between:
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


def _with_pronouns(
    folded: str, groups: Sequence[Group], ambient: Cards, spoken: tuple[Cards, ...]
) -> tuple[Group, ...]:
    """The groups with what stands for one of them: the former, 两者, it."""
    found = list(groups)
    for match in _PRONOUN.finditer(folded):
        if any(group.start < match.end() and match.start() < group.end for group in groups):
            continue
        meant = _meant_by(match.group(), [g for g in groups if g.end <= match.start()], ambient, spoken)
        if meant:
            found.append(Group(match.start(), match.end(), meant))
    return tuple(sorted(found, key=lambda group: group.start))


def _meant_by(word: str, before: Sequence[Group], ambient: Cards, spoken: tuple[Cards, ...]) -> tuple[Cards, ...]:
    members = [member for group in before for member in group.members]
    if len(members) < 2:
        members = [*(spoken if len(spoken) > 1 else (Cards((ids,)) for ids in ambient.each)), *members]
    if word in _FORMER or word in _LATTER:
        return ((members[-2] if word in _FORMER else members[-1]),) if len(members) > 1 else ()
    if _PAIR.search(word):
        return tuple(members[-2:]) if len(members) > 1 else ()
    main = next((group for group in before if not group.compared), None)
    if main is not None:
        return main.members
    return () if ambient.is_empty else (ambient,)

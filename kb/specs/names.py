"""What cards people mean: names in a text, resolved to one card, several, or none.

A name may be spelt with any case, spacing, hyphens or width, in Chinese or English, with a typing error in a family
word (智凯100, nvida, RTX 409O). A code that is longer, shorter or has other digits is another code and stays unknown:
an A1000 is no A100, and no RTX 4095 is ever taken for a 4090.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from kb.specs.alias_table import AliasTable, Name, build_alias_table
from kb.specs.catalog import Catalog
from kb.specs.near_names import FAMILY_STARTS, MAX_NEAREST, NearNames
from kb.specs.variants import Variants

MentionStatus = Literal["one", "several", "unknown"]

_TOKEN = re.compile(r"(?<=\d)x(?=[a-z]+\d)|[a-z]+|\d+|[\u3400-\u9fff]|[^\s]")
_FIRST_TOKEN = re.compile(rf"^(?:{_TOKEN.pattern})", re.MULTILINE)
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_SEPARATORS = re.compile(r"[\s\-_·‐–/]{0,3}")
_SEPARATOR_CHARACTERS = "-_·‐–/"
_CODE_CHARACTER = re.compile(r"[a-z0-9]")
_MAX_TOKENS = 14
_REMEMBERED = 64
_REMEMBERED_LENGTH = 1000
_LETTER_OF_CODE = re.compile(r"-?[\doil]|[\u3400-\u9fff]|\s?[a-z]{2}")
_SPACED = re.compile(r"\s\d")
_SPACED_CODE = re.compile(
    r"(?:[B-HJ-Z] \d{1,3}[A-Z]?|A \d{2,3}(?=\s*(?:$|[?？。.]|[\u3000-\u9fff]|SXM|PCIe|\d+ ?GB)))(?![A-Za-z0-9]|\.\d)"
)
"""A code of one letter with a blank in it: "H 100", "L 40S". An A may be an article, so only where a name ends."""
_FOLLOWED_BY_CODE = re.compile(r"[\s\-_]?[a-z]?[\doil]")

# What may follow a number that then is a quantity or a year, not a card ("4090 W", "2080 年").
_COUNTED = re.compile(
    r"\s*(?:w(?![a-z])|瓦|k?wh|gb|gib|g(?![a-z0-9])|tb|mb|kb|[mgt]hz|[tpg]?flops|tops|元|美元|美金|usd|rmb|块|万|亿|年|月|日|号|人|张|枚|颗"
    r"|台|个|次|倍|tokens?|%|％|nm|bit|位|路|核|天|小时|分钟|秒|ms|rpm|转)"
)
_NEGATION = re.compile(
    r"(?:(?<!是)不是|而非|并非|而不是|不含|除了|非|不要|除|(?<!why )\bnot(?: the| an?)?|\bisn[’']?t(?: the| an?)?"
    r"|\b(?:rather than|instead of|other than|except|except for|excluding)(?: the)?)\s*$"
)

_GOES_ON_AS_WORDS = re.compile(r"-(?:[a-z]{2,}(?!\d)|sxm|\d{1,3}gi?b?(?![a-z0-9]))")
_PLAIN_WORD = re.compile(r"(?<![a-z0-9\-_.])[a-z]{2,}$")
_FORM_GLUED_ON = re.compile(r"(?:sxm\d?|pcie|nvl|oam)(?![a-z0-9])|(?:sxm\d?|pcie|nvl)(?=\d{2}g)")
_OTHER_MODEL = re.compile(r"\s?(?:ti|super|xtx|xt|gre)(?![a-z0-9])")
_TAKES_A_SUFFIX = re.compile(r"(?:\d|ti|super|xt)$")
_DIGIT_OR_ALIKE = re.compile(r"\s?[\doil]")
_OPENED = re.compile(r"\s*[(（]\s*(?:[\u4e00-\u9fff]{1,6}\s*)?")


@dataclass(frozen=True, slots=True)
class Mention:
    """A card's name in a text.

    Attributes:
        start, end: its span in the text, vendor and variant words included.
        text: as written.
        status: `one` card, `several` that share the name, or an `unknown` code that looks like a card's.
        gpu_ids: the cards meant; empty for `unknown`.
        nearest: for `unknown`, ids of known cards with similar names, nearest first.
        corrected: the name as it was taken, if a typing error was mended.
        family: the family's name, where several cards share it or the name is a family's.
        negated: whether it is named only to be set aside (不是 L40S, not the L40S).
    """

    start: int
    end: int
    text: str
    status: MentionStatus
    gpu_ids: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()
    corrected: str | None = None
    family: str | None = None
    negated: bool = False


@dataclass(frozen=True, slots=True)
class VendorMention:
    """A vendor's name in a text."""

    start: int
    end: int
    text: str
    vendor_id: str


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    end: int


class _Folded:
    """A text as names are compared, with the way back to its offsets."""

    def __init__(self, text: str, simplified: Mapping[str, str]) -> None:
        self.original = text
        characters: list[str] = []
        self.origin: list[int] = []
        for index, character in enumerate(text):
            folded = unicodedata.normalize("NFKC", character).lower()
            for part in folded:
                characters.append(simplified.get(part, part))
                self.origin.append(index)
        self.origin.append(len(text))
        self.text = "".join(characters)
        self.tokens = [_Token(m.group(), m.start(), m.end()) for m in _TOKEN.finditer(self.text)]

    def is_plural(self, token: _Token) -> bool:
        """Whether an "s" behind a code means several of them; a capital S, or one in Chinese, belongs to the code."""
        if self.original[self.origin[token.start]] != "s":
            return False
        beside = (
            self.text[: token.start].rstrip("abcdefghijklmnopqrstuvwxyz0123456789- ")[-1:]
            + self.text[token.end :].lstrip()[:1]
        )
        return not any(_CHINESE.match(character) for character in beside)

    def is_spaced_code(self, match: _Match) -> bool:
        """Whether it is a letter and a number of a code with a blank between ("H 100"), and no amount of anything."""
        found = _SPACED_CODE.match(self.original, self.origin[match.start])
        whole = found is not None and self.origin[match.end - 1] + 1 == found.end()
        return whole and _COUNTED.match(self.text, match.end) is None

    def span(self, start: int, end: int) -> tuple[int, int]:
        """The span of the original text."""
        return self.origin[start], self.origin[end - 1] + 1 if end > start else self.origin[end]


@dataclass(frozen=True, slots=True)
class _Match:
    start: int
    end: int
    key: str
    corrected: str | None = None


class NameResolver:
    """Finds card and vendor names in texts; immutable and safe to share between threads."""

    def __init__(self, catalog: Catalog) -> None:
        """Prepares the names of a catalogue; takes some tens of milliseconds."""
        self._table: AliasTable = build_alias_table(catalog)
        self._near = NearNames(self._table)
        self._variants = Variants(self._table.traits)
        self._starts = frozenset(_FIRST_TOKEN.findall("\n".join((*self._table.first_words(), *FAMILY_STARTS))))
        # On its way to an answer a question is read by several parts, and so is each sentence of the answer.
        self._remembered = lru_cache(maxsize=_REMEMBERED)(self._resolve)

    def resolve(self, text: str) -> tuple[Mention, ...]:
        """Every card name in `text`, in order, without overlaps."""
        return self._remembered(text) if len(text) <= _REMEMBERED_LENGTH else self._resolve(text)

    def _resolve(self, text: str) -> tuple[Mention, ...]:
        if not self._table.names:
            return ()
        folded = _Folded(text, self._table.simplified)
        mentions: list[Mention] = []
        position = 0
        for index, token in enumerate(folded.tokens):
            if token.start < position:
                continue
            found = self._at(folded, index, position)
            if found is None:
                continue
            position, mention = found
            if mention is not None:
                mentions.append(_placed(mention, folded, text))
        return _merged(mentions, text)

    def vendors(self, text: str) -> tuple[VendorMention, ...]:
        """Every vendor name in `text`, in order, also where it stands before a card's name."""
        folded = _Folded(text, self._table.simplified)
        found: list[VendorMention] = []
        position = 0
        for index, token in enumerate(folded.tokens):
            if token.start < position or not _starts_word(folded.text, token.start):
                continue
            match = self._longest(folded, index, self._table.vendor_names)
            if match is not None:
                start, end = folded.span(match.start, match.end)
                found.append(VendorMention(start, end, text[start:end], self._table.vendor_names[match.key]))
                position = match.end
        return tuple(found)

    # ------------------------------------------------------------ one place in the text

    def _at(self, folded: _Folded, index: int, floor: int) -> tuple[int, Mention | None] | None:
        """What stands at a token: where to go on from, and the mention there, if it is a card's."""
        token = folded.tokens[index]
        if not self._may_start(folded.text, token) or not _starts_word(folded.text, token.start):
            return None
        if not _starts_code(folded.text, token.start):
            return None
        joins = tuple(self._joins(folded, index))
        known = self._longest_of(joins, folded, self._table.names)
        other = self._longest_of(joins, folded, self._table.not_cards)
        if other is not None and (known is None or other.end > known.end):
            return other.end, None
        unknown = self._near.unknown_code(folded.text, token.start)
        if known is None or (not known.key[-1:].isascii() and _DIGIT_OR_ALIKE.match(folded.text, known.end)):
            mended = self._mended(joins, folded, unknown)
            known = mended if mended is not None and (known is None or mended.end > known.end) else known
        if known is not None and (other_model := self._other_model(folded, known, floor)) is not None:
            return other_model
        if known is not None and (unknown is None or known.end >= unknown.end or known.corrected):
            return self._card(folded, known, floor)
        if unknown is None or self._is_known_within(folded, index, unknown.end):
            return None
        return unknown.end, self._unknown(folded, unknown.start, unknown.end, floor, self._near.nearest(unknown.code))

    def _other_model(self, folded: _Folded, known: _Match, floor: int) -> tuple[int, Mention] | None:
        """An unknown model that a suffix makes of a known name: RTX 4090 Ti, RTX 5070 Ti Super."""
        suffix = _OTHER_MODEL.match(folded.text, known.end) if _TAKES_A_SUFFIX.search(known.key) else None
        if suffix is None:
            return None
        nearest = self._near.nearest(known.key + suffix.group().strip())
        closest = tuple(dict.fromkeys((*self._meant(self._table.names[known.key]), *nearest)))[:MAX_NEAREST]
        return suffix.end(), self._unknown(folded, known.start, suffix.end(), floor, closest)

    def _unknown(self, folded: _Folded, start: int, end: int, floor: int, nearest: tuple[str, ...]) -> Mention:
        return Mention(self._with_vendor(folded.text, start, floor), end, "", "unknown", nearest=nearest)

    def _may_start(self, text: str, token: _Token) -> bool:
        """Whether a name, a misspelt one or an unknown code can start with this token; most words end here."""
        if token.text in self._starts:
            # A single letter starts a code only right before its digits.
            if len(token.text) > 1 or not token.text.isalpha():
                return True
            return _LETTER_OF_CODE.match(text, token.end) is not None or _SPACED.match(text, token.end) is not None
        if token.text.isalpha() and token.text.isascii():
            return _FOLLOWED_BY_CODE.match(text, token.end) is not None
        return token.text in self._table.confusable or self._near.may_be_number(token.text)

    def _is_known_within(self, folded: _Folded, index: int, end: int) -> bool:
        """Whether what looks like an unknown code is a brand word before a known name (寒武纪 MLU370-X8)."""
        for later in range(index + 1, len(folded.tokens)):
            if folded.tokens[later].start >= end:
                return False
            match = self._longest(folded, later, self._table.names)
            if match is not None and match.end >= end and not match.key.isdigit():
                return True
        return False

    def _longest(self, folded: _Folded, index: int, names: Mapping[str, object]) -> _Match | None:
        return self._longest_of(self._joins(folded, index), folded, names)

    def _longest_of(self, joins: Iterable[_Match], folded: _Folded, names: Mapping[str, object]) -> _Match | None:
        best: _Match | None = None
        for match in joins:
            written = folded.text[match.start : match.end]
            if match.key in names and (self._table.may_be_split(match.key, written) or folded.is_spaced_code(match)):
                best = match
        if best is not None and best.key.isdigit() and not _is_bare_number_a_name(folded.text, best):
            return None
        return best

    def _joins(self, folded: _Folded, index: int) -> Iterator[_Match]:
        """Spans that start at a token and end at a word's end, with their text without separators."""
        text, tokens = folded.text, folded.tokens
        key, previous = "", tokens[index]
        for token in tokens[index : index + _MAX_TOKENS]:
            if key and not _SEPARATORS.fullmatch(text, previous.end, token.start):
                return
            if token.text in _SEPARATOR_CHARACTERS:
                continue
            if token.text == "s" and key[-1:].isdigit() and _ends_word(text, token.end) and folded.is_plural(token):
                yield _Match(tokens[index].start, token.end, key)
            key += token.text
            previous = token
            if _ends_word(text, token.end):
                yield _Match(tokens[index].start, token.end, key)

    # ------------------------------------------------------------ typing errors

    def _mended(self, joins: Sequence[_Match], folded: _Folded, unknown: object | None) -> _Match | None:
        table = self._table
        for match in sorted(joins, key=lambda m: -m.end):
            for key in self._near.mended_keys(match.key, folded.text[match.start : match.end]):
                if key in table.names and not (key.isdigit() and unknown is None):
                    return replace(match, key=key, corrected=table.names[key].label)
        return None

    # ------------------------------------------------------------ which cards

    def _card(self, folded: _Folded, match: _Match, floor: int) -> tuple[int, Mention]:
        name = self._table.names[match.key]
        found = self._variants.narrow(folded.text, match.start, match.end, name.gpu_ids, floor)
        end, ids = found.end, found.gpu_ids
        start = self._with_vendor(folded.text, found.start, floor)
        corrected = match.corrected
        misspelt = self._near.misspelt_vendor(folded.text, start, floor)
        if misspelt is not None:
            start = misspelt.start
            corrected = f"{misspelt.vendor} {name.label}"
        if ids == name.gpu_ids:
            ids = self._meant(name)
        negated = bool(_NEGATION.search(folded.text[:start]))
        return end, Mention(
            start,
            end,
            "",
            "one" if len(ids) == 1 else "several",
            gpu_ids=ids,
            corrected=corrected,
            family=name.label if len(self._meant(name)) > 1 else None,
            negated=negated,
        )

    def _meant(self, name: Name) -> tuple[str, ...]:
        return name.gpu_ids if name.is_explicit else self._table.preferred(name.gpu_ids)

    def _with_vendor(self, text: str, start: int, floor: int) -> int:
        """Where the name starts with its brand words, if they stand before it."""
        before = text[floor:start].rstrip(" -_")
        for prefix in self._table.prefixes:
            if before.endswith(prefix) and _starts_word(text, floor + len(before) - len(prefix)):
                return floor + len(before) - len(prefix)
        return start


def _merged(mentions: list[Mention], text: str) -> tuple[Mention, ...]:
    """Two names of one card, the second in brackets, are one mention: 智铠100（MR-V100）."""
    merged: list[Mention] = []
    for mention in mentions:
        last = merged[-1] if merged else None
        if (
            last is not None
            and last.gpu_ids
            and set(mention.gpu_ids) <= set(last.gpu_ids)
            and _OPENED.fullmatch(text, last.end, mention.start)
            and text[mention.end : mention.end + 1] in (")", "）")
        ):
            ids = mention.gpu_ids if mention.status == "one" else last.gpu_ids
            end = mention.end + 1
            status: MentionStatus = "one" if len(ids) == 1 else "several"
            merged[-1] = replace(last, end=end, text=text[last.start : end], gpu_ids=ids, status=status)
        else:
            merged.append(mention)
    return tuple(merged)


def _placed(mention: Mention, folded: _Folded, text: str) -> Mention:
    start, end = folded.span(mention.start, mention.end)
    return replace(mention, start=start, end=end, text=text[start:end])


def _starts_word(text: str, start: int) -> bool:
    if start == 0 or not (_CODE_CHARACTER.match(text[start]) and _CODE_CHARACTER.match(text[start - 1])):
        return True
    return text[start - 1] == "x" and re.search(r"(?<![a-z0-9])\d{1,3}x$", text[:start]) is not None


def _starts_code(text: str, start: int) -> bool:
    """Whether a name may start here: not inside a longer code such as PPR-9087."""
    if start < 2 or text[start - 1] not in "-_./" or not _CODE_CHARACTER.match(text[start - 2]):
        return True
    if text[start - 1] == "/":
        return True
    return not text[start].isdigit() and _PLAIN_WORD.search(text, max(0, start - 24), start - 1) is not None


def _ends_word(text: str, end: int) -> bool:
    if end == len(text):
        return True
    following = text[end]
    if _CODE_CHARACTER.match(following):
        return not _CODE_CHARACTER.match(text[end - 1]) or (
            text[end - 1].isdigit() and _FORM_GLUED_ON.match(text, end) is not None
        )
    if following == "-" and end + 1 < len(text) and _CODE_CHARACTER.match(text[end + 1]):
        # "A100-80GB" and "A100-based" are an A100, "A100-X" and "K-100-2" go on.
        return _GOES_ON_AS_WORDS.match(text, end) is not None
    return not (following == "." and text[end + 1 : end + 2].isdigit() and text[end - 1].isdigit())


def _is_bare_number_a_name(text: str, match: _Match) -> bool:
    if _COUNTED.match(text, match.end):
        return False
    before = text[: match.start]
    # "1,090" is one number; behind "INT8," and with four digits it is a name.
    grouped = match.end - match.start == 3 and re.search(r"\d,$", before)
    return not grouped and not re.search(r"[$¥￥.]\s?$|(?<![a-z0-9])\d[\d.,]*\s$|\d[:：]\s?$", before)

"""Every spelling of every card's name, from the names themselves and from `aliases.yaml`.

A key is a name folded (NFKC, lower case, simplified characters) with spaces and hyphens left out. Names that several
cards share lead to all of them; what stands next to a name (SXM, 80GB) then narrows them down, see `names`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from kb.specs.catalog import Catalog
from kb.text import simplified_characters

_SEPARATOR = re.compile(r"[\s\-_·‐–()/]+")
_LAPTOP = re.compile(r"[\s\-]*(?:mobile|max[\s\-]*q)$")
_NO_SEPARATORS = str.maketrans("", "", " \t\n\u3000-_·‐–()/")
_MEMORY = re.compile(r"\b(\d{1,3})\s?GB\b")
_FORM = re.compile(r"\b(SXM|PCIe|NVL)\d?\b")
_BRAND = re.compile(
    r"^(?:GeForce|Tesla|Quadro(?! RTX)|Radeon Instinct|Instinct|Radeon|Data Center GPU|Arc(?= [AB]\d{3}\b)|Jetson)\s+",
    re.IGNORECASE,
)
_RTX_NUMBER = re.compile(r"^RTX ([2345]0[5-9]\d)(?= |$)")
_WORKSTATION = re.compile(r"^RTX A\d{3,4}(?= |$)")
_NEEDS_SUFFIX = re.compile(r"^(?:RX|GTX) (?=\d{3,4} (?:XTX?|GRE|Ti|SUPER)\b)")
_STANDS_ALONE = re.compile(
    r"^(?:[A-Z]+ ?)?[A-Z]{1,4}-?\d{2,5}[A-Za-z]{0,3}\b|^(?:RTX|GTX|GT|RX|HD|R[579]|MX|Pro|PRO|VII)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Name:
    """A spelling and the cards it may mean.

    Attributes:
        label: the name as it is usually written.
        gpu_ids: the cards, first tier first.
        is_explicit: named in `aliases.yaml`, so that all its cards are meant.
    """

    label: str
    gpu_ids: tuple[str, ...]
    is_explicit: bool


@dataclass(frozen=True, slots=True)
class CardTraits:
    """What narrows a shared name down to a card."""

    tier: Literal[1, 2]
    form: str
    memory_gb: frozenset[float]
    is_plain: bool


@dataclass(frozen=True, slots=True)
class AliasTable:
    """Spellings of one catalogue.

    Attributes:
        names: by key.
        spellings: by key, the spellings that led to it; where they have a space, the text may have one.
        traits: by card id.
        vendor_names: vendor id by key.
        prefixes: brand words that may stand before a name, longest first, folded.
        not_cards: keys of what looks like a card and is none.
        simplified: traditional characters and what they are compared as.
        confusable: wrong characters and the right one.
    """

    names: Mapping[str, Name]
    spellings: Mapping[str, tuple[str, ...]]
    traits: Mapping[str, CardTraits]
    vendor_names: Mapping[str, str]
    vendor_labels: Mapping[str, str]
    prefixes: tuple[str, ...]
    not_cards: Mapping[str, str]
    simplified: Mapping[str, str]
    confusable: Mapping[str, str]

    def first_words(self) -> Iterator[str]:
        """How names begin, as texts write them: with their separators and without."""
        for key in (*self.names, *self.not_cards):
            yield key
            yield from self.spellings.get(key, ())

    def may_be_split(self, key: str, text: str) -> bool:
        """Whether `text`, a spelling of `key`, has spaces only where the name may be split."""
        if len(text) == len(key):
            return True
        splits = _split_positions(key, self.spellings.get(key, ()))
        position = 0
        for part in re.finditer(r"([^\s\-_·‐–/]+)([\s\-_·‐–/]*)", text):
            position += len(part.group(1))
            gap = part.group(2)
            if not gap or position == len(key):
                continue
            if position in splits:
                continue
            if any(c.isspace() for c in gap) or not _is_seam(key, position):
                return False
        return True

    def preferred(self, ids: tuple[str, ...]) -> tuple[str, ...]:
        """What a shared name means without further words: checked records first, then plain names."""
        first_tier = tuple(i for i in ids if self.traits[i].tier == 1)
        if first_tier:
            return first_tier
        plain = tuple(i for i in ids if self.traits[i].is_plain)
        return plain or ids


def fold_name(name: str, simplified: Mapping[str, str]) -> str:
    """A name as it is compared, separators kept."""
    if name.isascii():
        return name.lower()
    folded = unicodedata.normalize("NFKC", name).lower()
    return "".join(simplified.get(c, c) for c in folded)


def build_alias_table(catalog: Catalog) -> AliasTable:
    """All spellings of a catalogue's cards."""
    aliases = catalog.aliases
    # A character of a name stays what it is, though elsewhere it is the traditional form of another (昇 of 昇腾).
    own = aliases.get("confusable", {})
    simplified = {old: new for old, new in simplified_characters().items() if old not in own}
    table = _Builder({**simplified, **aliases.get("traditional", {})})
    table.traits = dict(_traits(catalog))
    known = set(table.traits)
    for family, row in aliases.get("families", {}).items():
        for alias in row["aliases"]:
            table.add(alias, family, [m for m in row["members"] if m in known], is_explicit=True)
    for card_id, spellings in aliases.get("cards", {}).items():
        for alias in spellings:
            table.add(alias, alias, [card_id], is_explicit=True)
    for system in catalog.systems:
        for alias in system.aliases:
            table.add(alias, system.name, [m for m in system.gpu_ids if m in known], is_explicit=True)
    mobile = aliases.get("words", {}).get("mobile", [])
    for card_id, name, _, _ in catalog.names():
        for spelling in _spellings(card_id, name, mobile):
            label = _base(name) if spelling[:1].isdigit() else spelling
            table.add(spelling, label, [card_id], is_explicit=False)
        table.join_brand(name)
    return table.finish(aliases)


def _traits(catalog: Catalog) -> Iterator[tuple[str, CardTraits]]:
    for card_id, name, _, tier in catalog.names():
        memory = _MEMORY.search(name)
        sizes = {float(memory.group(1))} if memory else set(catalog.memory_sizes_gb(card_id))
        form = _FORM.search(name)
        word = form.group(1).lower() if form else _form_of(catalog.form_factor(card_id))
        yield card_id, CardTraits(tier, word, frozenset(sizes), not (memory or form))


def _form_of(form_factor: str) -> str:
    folded = form_factor.lower()
    if "sxm" in folded:
        return "sxm"
    if "oam" in folded:
        return "oam"
    return "pcie" if "slot" in folded or "pcie" in folded or "fh" in folded else ""


def _spellings(card_id: str, name: str, mobile: Iterable[str]) -> Iterator[str]:
    yield name
    base = _base(name)
    for spelling in {base, name.removesuffix(" Generation")}:
        yield spelling
        yield from _without_brand(spelling)
    if base.endswith(" Mobile"):
        for word in mobile:
            plain = base.removesuffix(" Mobile")
            spelling = f"{plain} {word}"
            yield spelling
            yield from _without_brand(spelling)
            yield from (f"{word} {short}" for short in (plain, *_without_brand(plain)))
    yield card_id


def _base(name: str) -> str:
    """A name without form and memory."""
    base = " ".join(_FORM.sub("", _MEMORY.sub("", name)).split())
    return base.removesuffix(" GPU").removesuffix(" Generation")


def _without_brand(spelling: str) -> Iterator[str]:
    short = _BRAND.sub("", spelling)
    if short != spelling and _STANDS_ALONE.match(short):
        yield short
        yield from _without_brand(short)
    number = _RTX_NUMBER.match(short)
    if number or _WORKSTATION.match(short):
        yield short.removeprefix("RTX ")
    elif _NEEDS_SUFFIX.match(short):
        yield _NEEDS_SUFFIX.sub("", short)
    if short.startswith(("PRO W", "Pro W")):
        yield short[4:]


class _Builder:
    def __init__(self, simplified: Mapping[str, str]) -> None:
        self._simplified = simplified
        self._names: dict[str, Name] = {}
        self._spellings: dict[str, tuple[str, ...]] = {}
        self._branded: dict[str, str] = {}
        self.traits: dict[str, CardTraits] = {}

    def key(self, spelling: str) -> str:
        """The key of a spelling, which is remembered."""
        folded = fold_name(spelling, self._simplified)
        key = folded.translate(_NO_SEPARATORS)
        if key != folded:
            self._spellings[key] = (*self._spellings.get(key, ()), folded)
        return key

    def add(self, spelling: str, label: str, ids: list[str], *, is_explicit: bool) -> None:
        key = self.key(spelling)
        if not key or not ids:
            return
        known = self._names.get(key)
        if known is None:
            self._names[key] = Name(label, tuple(ids), is_explicit)
        elif not known.is_explicit:
            merged = tuple(dict.fromkeys((*known.gpu_ids, *ids)))
            self._names[key] = Name(known.label, merged, is_explicit)

    def _add_mobile_only(self) -> None:
        """`RTX 2050` means its laptop version where there is no other."""
        found: dict[str, list[str]] = {}
        for key, name in self._names.items():
            for word in ("mobile", "maxq"):
                short = key.removesuffix(word)
                if short != key and short not in self._names and any(c.isdigit() for c in short):
                    found.setdefault(short, []).extend(name.gpu_ids)
        for short, ids in found.items():
            self._names[short] = Name(short.upper(), tuple(dict.fromkeys(ids)), is_explicit=False)
            longer = (*self._spellings.get(f"{short}mobile", ()), *self._spellings.get(f"{short}maxq", ()))
            self._spellings[short] = tuple(_LAPTOP.sub("", spelling) for spelling in longer)

    def join_brand(self, name: str) -> None:
        """`Tesla V100` means whatever `V100` means, not only the cards recorded with the brand."""
        base = _base(name)
        short = _BRAND.sub("", base)
        if short != base and _STANDS_ALONE.match(short):
            self._branded[self.key(base)] = self.key(short)

    def finish(self, aliases: Mapping[str, Any]) -> AliasTable:
        vendor_names: dict[str, str] = {}
        vendor_labels: dict[str, str] = {}
        prefixes: set[str] = set()
        self._add_mobile_only()
        for branded, short in self._branded.items():
            if short in self._names and not self._names[branded].is_explicit:
                self._names[branded] = self._names[short]
        for vendor_id, row in aliases.get("vendors", {}).items():
            for alias in (row["name"], row["name_zh"], *row.get("aliases", ())):
                key = self.key(alias)
                vendor_names.setdefault(key, vendor_id)
                vendor_labels.setdefault(key, row["name"])
            prefixes.update(fold_name(prefix, self._simplified) for prefix in row.get("prefixes", ()))
        return AliasTable(
            names=self._names,
            spellings=self._spellings,
            traits=self.traits,
            vendor_names=vendor_names,
            vendor_labels=vendor_labels,
            prefixes=tuple(sorted(prefixes, key=lambda p: (-len(p), p))),
            not_cards={self.key(word): word for word in aliases.get("not_cards", ())},
            simplified=self._simplified,
            confusable={wrong: right for right, wrongs in aliases.get("confusable", {}).items() for wrong in wrongs},
        )


def _split_positions(key: str, spellings: Iterable[str]) -> set[int]:
    """Where a key may be split: as its spellings are, between two scripts, and between a word and a number."""
    positions = {p for p in range(1, len(key)) if _may_split_at(key, p)}
    for spelling in spellings:
        position = 0
        for part in _SEPARATOR.split(spelling):
            position += len(part)
            positions.add(position)
    return positions


def _is_seam(key: str, position: int) -> bool:
    """Whether letters and digits, or two scripts, meet here: a hyphen may stand there."""
    before, after = key[position - 1], key[position]
    return before.isdigit() != after.isdigit() or before.isascii() != after.isascii()


def _may_split_at(key: str, position: int) -> bool:
    """Whether a space may stand here though the name has none: between words of two scripts, and after a word."""
    before, after = key[position - 1], key[position]
    if before.isascii() != after.isascii():
        return True
    word = re.search(r"[a-z]+$", key[:position])
    return after.isdigit() and word is not None and len(word.group()) > 1

"""True texts as different people write them: `wordings.yaml` filled with figures of the catalogue.

A sales deck, a forum post, rows of a table, bullets, another model's answer, both languages in one sentence; over cards
of both tiers. Like `statements.py` it knows what each word of a text says, so that one can be changed.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import yaml

from bench.quality.statements import Claim, Language, Part, Slot, Statement
from kb.specs.catalog import Catalog
from kb.specs.names import NameResolver
from kb.specs.schema import Entry, GpuSpec

_SLOT = re.compile(
    r"\{(?P<card>[ab])(?P<short>~)?(?:\.(?P<key>\w+)(?P<thousands>,)?(?:\|(?P<unit>[^}?]*))?(?:\?(?P<word>[^}]+))?)?\}"
)
_QUALIFIERS = {
    "稠密": "dense",
    "dense": "dense",
    "稀疏": "sparse",
    "sparse": "sparse",
    "双向": "both_directions",
    "bidirectional": "both_directions",
}
_FACTORS = {"TB/s": 1e-3}
_BRANDS = re.compile(r"^(?:GeForce (?:RTX |GTX |GT )?|Radeon (?:RX |R\d |HD )?|Instinct |Tesla |Quadro )")
_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_TRIES = 200


@dataclass(frozen=True, slots=True)
class Wording:
    """One text with places for figures."""

    style: str
    language: Language
    template: str

    def needs(self, card: str) -> Iterator[tuple[str, str | None]]:
        """The fields it states of a card, each with the qualifier word that goes with it."""
        for match in _SLOT.finditer(self.template):
            if match["card"] == card and match["key"]:
                yield match["key"], match["word"]


def read_wordings() -> list[Wording]:
    """Every text of `wordings.yaml`."""
    loaded = yaml.safe_load(Path(__file__).with_name("wordings.yaml").read_text(encoding="utf-8"))
    return [
        Wording(style, language, template)
        for language, styles in loaded.items()
        for style, templates in styles.items()
        for template in templates
    ]


@dataclass(slots=True)
class WordingWriter:
    """Fills the texts one after another; the same seed gives the same ones."""

    catalog: Catalog
    resolver: NameResolver
    seed: int
    _random: random.Random = field(init=False)
    _tiers: Mapping[int, Sequence[GpuSpec]] = field(init=False)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)
        cards = [card for card in self.catalog.gpus.values() if card.per == "card"]
        self._tiers = {tier: [card for card in cards if card.tier == tier] for tier in (1, 2)}

    def texts(self) -> Iterator[Statement]:
        """Each text for each tier, again and again with other cards; none where no cards have what it states."""
        wordings = read_wordings()
        while True:
            for wording in self._random.sample(wordings, len(wordings)):
                for tier in self._tiers:
                    statement = self._filled(wording, tier)
                    if statement is not None:
                        yield statement

    # ------------------------------------------------------------ choosing cards

    def _filled(self, wording: Wording, tier: int) -> Statement | None:
        chosen: dict[str, GpuSpec] = {}
        for letter in ("a", "b"):
            if f"{{{letter}" in wording.template:
                card = self._card(wording, letter, tier, set(chosen.values()))
                if card is None:
                    return None
                chosen[letter] = card
        return Statement(wording.style, wording.language, tuple(self._parts(wording, chosen)))

    def _card(self, wording: Wording, letter: str, tier: int, taken: set[GpuSpec]) -> GpuSpec | None:
        needs = list(wording.needs(letter))
        for _ in range(_TRIES):
            card = self._random.choice(self._tiers[tier])
            if card in taken or not all(_is_stated(card.entries[key], word) for key, word in needs):
                continue
            if all(self._means(card, name) for name in (card.name, card.label(wording.language))):
                return card
        return None

    def _means(self, card: GpuSpec, name: str) -> bool:
        mentions = self.resolver.resolve(name)
        return len(mentions) == 1 and mentions[0].gpu_ids == (card.gpu_id,) and mentions[0].text == name

    # ------------------------------------------------------------ filling

    def _parts(self, wording: Wording, chosen: Mapping[str, GpuSpec]) -> Iterator[Part]:
        end = 0
        for match in _SLOT.finditer(wording.template):
            yield wording.template[end : match.start()]
            end = match.end()
            card = chosen[match["card"]]
            if match["key"] is None:
                claims = tuple(_claim(card, key) for key, _ in wording.needs(match["card"]))
                yield Slot("card", self._name(card, wording.language, is_short=bool(match["short"])), claims)
            else:
                yield from _figure(card, match, wording.language)
        yield wording.template[end:]

    def _name(self, card: GpuSpec, language: Language, *, is_short: bool) -> str:
        short = _BRANDS.sub("", card.name)
        return short if is_short and self._means(card, short) else card.label(language)


def _is_stated(entry: Entry, word: str | None) -> bool:
    figure = entry.preferred
    if entry.state != "known" or figure is None or figure.value is None:
        return False
    if isinstance(figure.value, str):
        return "(" not in figure.value
    return word is None or _QUALIFIERS[word] in figure.qualifiers


def _claim(card: GpuSpec, key: str) -> Claim:
    figure = card.entries[key].preferred
    assert figure is not None
    return Claim(card.gpu_id, key, figure)


def _figure(card: GpuSpec, match: re.Match[str], language: Language) -> Iterator[Part]:
    claim = _claim(card, match["key"])
    value = claim.figure.value
    if match["word"]:
        yield Slot("qualifier", match["word"], (claim,))
        return
    if isinstance(value, str):
        yield _date(value, language) if claim.key == "released_on" else Slot("word", value, (claim,))
        return
    unit = claim.figure.unit if match["unit"] is None else match["unit"]
    number = float(value or 0) * _FACTORS.get(unit, 1.0)
    yield Slot("number", f"{number:,.10g}" if match["thousands"] else f"{number:.10g}", (claim,))
    if unit.startswith("-"):
        yield unit
    elif unit:
        yield from ((" " if match["unit"] is None else ""), Slot("unit", unit, (claim,)))


def _date(value: str, language: Language) -> str:
    year, *rest = value.split("-")
    if not rest:
        return year
    return f"{year} 年 {int(rest[0])} 月" if language == "zh" else f"{_MONTHS[int(rest[0]) - 1]} {year}"

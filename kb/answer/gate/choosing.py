"""Which field a figure of a scene is about."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from kb.answer.gate.counting import Counter
from kb.answer.gate.fields import AI_TOPS, UNITS, FieldChoice, by_unit, by_word, is_confusable
from kb.answer.gate.lexicon import COMPUTE_UNITS
from kb.answer.gate.scene import Scene, span_of
from kb.answer.gate.surroundings import Nearby, modifiers_in
from kb.answer.question.scanner import Hit
from kb.quantity import NumberToken, Quantity
from kb.quantity.units import COUNT_UNITS
from kb.specs.fields import FIELDS, sparse_key

_FORMATS_LISTED = re.compile(r"\s*(?:/|、|和|与|及|and|&|,)\s*")
_SLASH = re.compile(r"\s*/\s*")
_AI_TOPS = re.compile(r"ai\s?(?:算力)?\s?[\d.,\s]*(?:tops|pops)$|ai tops[^\d]{0,6}[\d.,]+\s?(?:tops)?$")
_MIG_SLICES = re.compile(r"[1-7]g")
_RATIO = re.compile(r"\d\s?[:：]\s?\d|(?<!\d)1\s?/\s?\d")
_INTERFACE = re.compile(r"\s?(?:wide\s)?(?:memory\s)?(?:interface|bus)\b|\s?(?:显存)?(?:位宽|总线)")
_NARROWEST_BUS_BITS = 64
"""Anything narrower is the width of a number format, a memory chip or a mask."""
_SLOWEST_LINK_GBIT_S = 33
_SLOWEST_NAMED_GBIT_S = 100
"""Anything slower is the rate of a pin; up to the second figure it may be a port's, if no word says link."""
_RIGHT_BEFORE = 4
_TELLING = frozenset({"precision", "slot", "field", "memory", "memory_type", "link", "bandwidth"})
"""Kinds of words that say what a figure is about."""
_SIZES = frozenset({"KB", "MB", "MiB", "GB", "GiB"})
_SLOT = re.compile(
    r"pcie\s?(?:gen\s?)?[1-7](?:\.\d)?"
    r"(?:(?:\s?[x×]\s?\d{1,2})?\s?的?\s?(?:单向|双向|每方向|per direction|each way|both ways|one way)"
    r"|\s?[x×]\s?\d{1,2}\s?(?:的|only|带宽|offers|runs at))"
    r"\s?(?:只有|仅|约|为|是|is|at|with|gives|only|about)?\s?$"
)


@dataclass(frozen=True, slots=True)
class Chosen:
    """The fields a figure may be about, and the word that says so.

    Attributes:
        quantity: the figure; a bare number of a table has got its unit here.
        fallback: further readings, if the first does not hold.
        hit: the word.
        modifiers: dense, tensor… that go with it.
    """

    choice: FieldChoice
    quantity: Quantity
    fallback: tuple[FieldChoice, ...] = ()
    hit: Hit | None = None
    modifiers: frozenset[str] = frozenset()


class FieldChooser:
    """Chooses fields for the figures of one scene."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._counter = Counter(scene)

    def choose(self, token: NumberToken, quantity: Quantity, near: Nearby) -> Chosen:
        """What a figure is about; a choice without keys for what is no figure of a card."""
        own = self._one_of_two(token)
        if own:
            near = replace(near, modifiers=near.modifiers - {"dense", "sparse"} | own)
        elif near.modifiers >= {"dense", "sparse"}:
            near = replace(near, modifiers=near.modifiers - {"dense", "sparse"} | _right_before(token, near))
        if not quantity.unit:
            ratio = _RATIO.search(self._scene.hidden, max(0, token.start - 3), token.end + 3)
            if ratio:
                return Chosen(FieldChoice(), quantity)
            return Chosen(*self._counter.choose(token, quantity, near), modifiers=near.modifiers)
        if quantity.unit in COUNT_UNITS or self._is_of_no_card(quantity, near):
            return Chosen(FieldChoice(), quantity)
        if _AI_TOPS.search(self._scene.folded, max(0, token.start - 8), token.end):
            return Chosen(AI_TOPS, replace(quantity, unit="AI TOPS"))
        if quantity.unit == "GB/s" and self._is_of_slot(token):
            return Chosen(FieldChoice(), quantity)
        modifiers = near.modifiers | self._second_of_two(token)
        named = self._by_words(quantity, near, modifiers)
        if named is not None:
            return named
        if any(hit.is_a("slot") for hit in near.close):
            return Chosen(FieldChoice(), quantity)
        return Chosen(self._by_unit(quantity.unit, modifiers), quantity)

    # ------------------------------------------------------------ by words

    def _by_words(self, quantity: Quantity, near: Nearby, modifiers: frozenset[str]) -> Chosen | None:
        """The nearest word whose field has such a unit; else one whose field's unit is mistaken."""
        unit = quantity.unit
        mistaken: Chosen | None = None
        for place, pool in self._pools(near):
            for hit in pool:
                if not any(tag.kind in _TELLING for tag in hit.tags):
                    continue
                mods = modifiers or self._scene.modifiers_beside(hit)
                found = by_word(hit, unit, mods, self._scene.beside(hit, pool))
                if found.keys and found.fits:
                    choice = self._with_listed_formats(hit, found, unit, mods)
                    by_itself = (by_unit(unit),) if place == "behind" or self._is_spent(hit, quantity, place) else ()
                    return Chosen(choice, quantity, (*self._fallbacks(hit, unit, near), *by_itself), hit, mods)
                if found.keys and mistaken is None and self._may_be_mistaken(hit, found, unit, place):
                    # Unless the figure is right by what its unit means alone.
                    by_itself = () if self._is_orphan(hit, found, unit, place) else (by_unit(unit),)
                    mistaken = Chosen(found, quantity, by_itself, hit, mods)
            if place == "after" and mistaken is not None:
                return mistaken
        return mistaken

    def _pools(self, near: Nearby) -> Iterator[tuple[str, Sequence[Hit]]]:
        """Words to choose a field by, those that decide first."""
        yield "before", near.before
        yield "after", near.after
        yield "earlier", near.earlier
        yield "behind", near.later
        yield "behind", near.rest
        for pool in (*self._scene.ambient.words, self._scene.ambient.corner):
            yield "around", pool

    def _is_spent(self, hit: Hit, quantity: Quantity, place: str) -> bool:
        """Whether an earlier word has got a figure of its own: `NVLink 900 GB/s, 96 GB, 4.0 TB/s`."""
        if place != "earlier" or not hit.is_a("link"):
            return False
        return any(hit.end <= span.start and span.end <= quantity.start for span in self._scene.spans)

    @staticmethod
    def _may_be_mistaken(hit: Hit, found: FieldChoice, unit: str, place: str) -> bool:
        """Whether a word's field is in a unit that is easily mistaken for this one."""
        if hit.is_a("memory_type") or not is_confusable(unit, found.keys[0]):
            return False
        return place != "behind" or unit == "mm"

    def _is_orphan(self, hit: Hit, found: FieldChoice, unit: str, place: str) -> bool:
        """Whether a word has no figure in a unit of its field, so that this one's unit must be wrong."""
        if place == "around" or unit == "mm":
            return True
        if place == "earlier" and set(self._scene.ambient.keys) & set(by_unit(unit).keys):
            return False  # the sentence goes on about another field
        start, end = (0, len(self._scene.folded)) if place == "earlier" else self._scene.clause_of(hit.start)
        units = {t.quantity.unit for t in self._scene.figures if t.quantity and start <= t.start < end}
        return not any(unit in UNITS[FIELDS[key].unit] for key in found.keys for unit in units)

    def _with_listed_formats(self, hit: Hit, found: FieldChoice, unit: str, modifiers: frozenset[str]) -> FieldChoice:
        """`FP16/BF16`: any format listed with this one may be meant."""
        if not hit.is_a("precision"):
            return found
        keys = list(found.keys)
        for other in self._scene.words:
            if other is hit or not other.is_a("precision"):
                continue
            between = min(other.end, hit.end), max(other.start, hit.start)
            if _FORMATS_LISTED.fullmatch(self._scene.folded, *between):
                further = by_word(other, unit, modifiers, self._scene.words)
                keys += further.keys if further.fits else ()
        return replace(found, keys=tuple(dict.fromkeys(keys)))

    def _fallbacks(self, hit: Hit, unit: str, near: Nearby) -> tuple[FieldChoice, ...]:
        """The word under a modifier that stands further off in the sentence, if none stands near."""
        further = near.far_modifiers - near.modifiers
        if not hit.is_a("precision") or near.modifiers & {"dense", "sparse"} or not further:
            return ()
        found = by_word(hit, unit, near.modifiers | further, self._scene.words)
        return (found,) if found.keys and found.fits else ()

    # ------------------------------------------------------------ without words

    def _by_unit(self, unit: str, modifiers: frozenset[str]) -> FieldChoice:
        """What the unit alone means: of compute figures whose format is not named, the sparse or the dense ones."""
        plain = by_unit(unit)
        spoken = tuple(key for key in plain.keys if key in self._scene.ambient.keys)
        keys = spoken or plain.keys
        is_sparse = "sparse" in modifiers and "dense" not in modifiers
        if is_sparse:  # the sparse figure of what is spoken of
            keys = tuple(sparse_key(key) or key for key in keys)
        kept = tuple(key for key in keys if key.endswith("_sparse") == is_sparse)
        return replace(plain, keys=kept or keys, named=bool(spoken))

    def _one_of_two(self, token: NumberToken) -> frozenset[str]:
        """`1979 / 3958 TFLOPS (dense / sparse)`: of two figures each takes the modifier in its place."""
        run = self._scene.run_of(span_of(token))
        if len(run) != 2:
            return frozenset()
        hits = [*self._scene.nearby(run[-1]).after, *self._scene.ambient.all_words]
        listed = [h.value("modifier") for h in hits if h.value("modifier") in ("dense", "sparse")]
        return frozenset({listed[run.index(span_of(token))]}) if sorted(listed) == ["dense", "sparse"] else frozenset()

    def _second_of_two(self, token: NumberToken) -> frozenset[str]:
        """Of two compute figures `312/624` the second, twice the first, is the sparse one."""
        quantity = token.quantity
        run = self._scene.run_of(span_of(token))
        if quantity is None or quantity.unit not in COMPUTE_UNITS or len(run) != 2 or run[1] != span_of(token):
            return frozenset()
        if "sparse" in modifiers_in(self._scene.ambient.all_words):
            return frozenset()
        if not _SLASH.fullmatch(self._scene.folded, run[0].end, run[1].start):
            return frozenset()
        first = next(t for t in self._scene.figures if t.start == run[0].start).quantity
        is_twice = first is not None and abs(quantity.value - 2 * first.value) <= 0.03 * quantity.value
        return frozenset({"sparse"}) if is_twice else frozenset()

    def _is_of_slot(self, token: NumberToken) -> bool:
        """`PCIe 4.0 x16 单向 31.5 GB/s`: the rate of the slot."""
        return _SLOT.search(self._scene.folded, max(0, token.start - 40), token.start) is not None

    def _is_of_no_card(self, quantity: Quantity, near: Nearby) -> bool:
        """Widths of formats and chips, rates of pins and ports, memory inside the chip or the host."""
        if _MIG_SLICES.fullmatch(quantity.text):
            return True
        around = (*near.close, *self._scene.ambient.all_words)
        if quantity.unit == "bit" and max(quantity.value, quantity.high or 0.0) < _NARROWEST_BUS_BITS:
            named = any(hit.value("field") == "memory_bus_bits" for hit in around)
            return not named and _INTERFACE.match(self._scene.folded, quantity.end) is None
        named = any(hit.is_a("link") or hit.is_a("bandwidth") for hit in around)
        slowest = _SLOWEST_LINK_GBIT_S if named else _SLOWEST_NAMED_GBIT_S
        if quantity.unit == "Gb/s" and quantity.value < slowest:
            return True
        beside = (*near.before[:2], *near.after[:2], *self._scene.ambient.all_words)
        return quantity.unit in _SIZES and any(hit.is_a("other_memory") for hit in beside)


def _right_before(token: NumberToken, near: Nearby) -> frozenset[str]:
    """Dense or sparse, where one stands right before a figure: `由稀疏值 3500 TFLOPS 推得稠密`."""
    hits = [hit for hit in near.before[:1] if token.start - hit.end <= _RIGHT_BEFORE]
    return frozenset(hit.value("modifier") for hit in hits if hit.value("modifier") in ("dense", "sparse"))

"""Bare numbers: of things that are counted, or in a unit that a header or the field gives."""

from __future__ import annotations

import re
from dataclasses import replace

from kb.answer.gate.claims import FigureClaim
from kb.answer.gate.fields import COUNTED, FieldChoice, by_unit, by_word
from kb.answer.gate.lexicon import COMPUTE_UNITS
from kb.answer.gate.scene import COUNT_BEFORE, Scene, span_of
from kb.answer.gate.surroundings import Nearby, is_counted
from kb.answer.question.scanner import Hit
from kb.quantity import NumberToken, Quantity, parse_quantities
from kb.quantity.units import UNIT_PATTERN

_COUNT_AFTER = re.compile(
    r"\s*(?:个|颗|组|million|billion|active|enabled|dedicated|第[一二三四五六]代|\S+-gen(?:eration)?)?"
    r"\s*(?:的|of(?: the)?)?\s*(?:number of|total)?\s*"
)
_COUNTS = re.compile(r"\s?(?:[x×]\s?)?")
_CORES = re.compile(r"\s?个?\s?(?:cores|核心)(?![a-z数])")
_FEWEST_SHADERS = 256
"""So many "cores" are those that shade; a processor has fewer."""
_THINGS = re.compile(r"\s*[个张块款倍]")
_LETTER = re.compile(r"\s?([TP])(?![A-Za-z0-9/])")
"""`312T`, `1.979 P`: thousands of what the field is in, or millions."""
_LETTERS = (("TFLOPS", 1.0), ("TOPS", 1.0), ("GB", 1e3), ("GB/s", 1e3))
_HEAD_UNIT = re.compile(rf"[(（\[/,，\s]\s*(?:单位[:：]?\s*)?({UNIT_PATTERN})\s*[)）\]]?\s*$")
_RATE = re.compile(r"算力|性能|稠密|稀疏|throughput|performance|peak|tensor|dense|spars|t[fo]l?ops|rate")
_FORMATS = re.compile(r"[\s/、,()（）*]*(?:(?:fp|bf|tf|int)\d{1,2}[\s/、,()（）*]*)+")
_OPENS = re.compile(r"[(（/]\s*$")
_BEHIND_NAME = re.compile(r"\s*(?:的|是|则|为|有|达到?|:|：|\(|（|'s|’s|has|with|at|stops at|is|of)*\s*", re.IGNORECASE)
_BEFORE_NAME = re.compile(r"\s*(?:of|for|on|in|\(|（)\s*(?:the\s*)?", re.IGNORECASE)
_FIELD_UNITS = ("GB/s", "GB", "W", "TFLOPS", "TOPS", "bit", "MHz", "nm", "MB")
_HEADER_UNITS = ("GB", "GB/s", "TFLOPS", "TOPS", "W", "bit", "MHz", "nm", "MB", "USD")

Found = tuple[FieldChoice, Quantity]


class Counter:
    """Reads the bare numbers of one scene."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene

    def choose(self, token: NumberToken, quantity: Quantity, near: Nearby) -> Found:
        """What a bare number is about, with its unit; a choice without keys if nothing says so."""
        if self._scene.ambient.is_cell and token.kind in ("plain", "count"):
            if self._scene.ambient.is_first:
                return FieldChoice(), quantity  # the number of the row
            found = self._from_header(quantity, near)
            if found is not None:
                return found
        run = self._scene.run_of(span_of(token))
        return (
            self._by_figure_before(token, quantity, near)
            or self._by_word_behind(quantity, run[-1].end)
            or self._by_word_before(token, quantity, near, run[0].start)
            or self._by_letter(token, quantity, near)
            or (self._only_count(token), quantity)
        )

    # ------------------------------------------------------------ words beside it

    def _by_figure_before(self, token: NumberToken, quantity: Quantity, near: Nearby) -> Found | None:
        """`121 TFLOPS FP16 dense (242 sparse)`: in the unit and format of the figure before."""
        last = next((t for t in reversed(self._scene.figures) if t.end <= token.start), None)
        unit = last.quantity.unit if last is not None and last.quantity is not None else ""
        if last is None or unit not in COMPUTE_UNITS or not near.modifiers & {"dense", "sparse"}:
            return None
        if not _OPENS.search(self._scene.folded, last.end, token.start):
            return None
        formats = [hit for hit in reversed(self._scene.words) if hit.is_a("precision") and hit.end <= token.start]
        for hit in formats[:1]:
            found = by_word(hit, unit, near.modifiers, self._scene.words)
            if found.keys and found.fits:
                return found, replace(quantity, unit=unit)
        return None

    def _by_word_behind(self, quantity: Quantity, end: int) -> Found | None:
        """`6912 CUDA cores`."""
        for hit in self._scene.words:
            if hit.start >= end and is_counted(hit) and _COUNT_AFTER.fullmatch(self._scene.folded, end, hit.start):
                return FieldChoice((hit.value("field"),), named=True), quantity
        if quantity.value >= _FEWEST_SHADERS and _CORES.match(self._scene.folded, end):
            return FieldChoice(("shader_cores",), named=True), quantity
        return None

    def _by_word_before(self, token: NumberToken, quantity: Quantity, near: Nearby, start: int) -> Found | None:
        """`CUDA cores: 6912`, `TDP: 700`; not the power of `33 A100`."""
        if any(_COUNTS.fullmatch(self._scene.folded, token.end, mention.start) for mention in self._scene.mentions):
            return None
        for hit in reversed(self._scene.words):
            if hit.end <= start and COUNT_BEFORE.fullmatch(self._scene.folded, hit.end, start):
                found = self._in_field_unit(hit, quantity, near, token)
                if found is not None:
                    return found
        return None

    def _in_field_unit(self, hit: Hit, quantity: Quantity, near: Nearby, token: NumberToken) -> Found | None:
        if is_counted(hit):
            return FieldChoice((hit.value("field"),), named=True), quantity
        if token.kind != "plain" or _THINGS.match(self._scene.folded, token.end):
            return None
        letter = _LETTER.match(self._scene.text, token.end)
        if letter:
            return self._with_letter(hit, quantity, near, letter.group(1))
        for unit in _FIELD_UNITS:
            found = by_word(hit, unit, near.modifiers, self._scene.words)
            if found.keys and found.fits and not hit.is_a("memory"):
                return found, replace(quantity, unit=unit)
        return None

    def _by_letter(self, token: NumberToken, quantity: Quantity, near: Nearby) -> Found | None:
        """`就显存而言，B580 达到 12 T`: the letter shows that it has a unit."""
        letter = _LETTER.match(self._scene.text, token.end)
        for hit in self._scene.words if letter else ():
            found = self._with_letter(hit, quantity, near, letter.group(1) if letter else "")
            if found is not None:
                return found
        return None

    def _with_letter(self, hit: Hit, quantity: Quantity, near: Nearby, letter: str) -> Found | None:
        """`FP16 312T`, `显存 1T`: what the letter stands for depends on the field."""
        for unit, factor in _LETTERS:
            found = by_word(hit, unit, near.modifiers, self._scene.words)
            if found.keys and found.fits:
                scale = factor * (1e3 if letter == "P" else 1.0)
                return found, replace(quantity, value=quantity.value * scale, unit=unit)
        return None

    # ------------------------------------------------------------ one thing counted in the sentence

    def _only_count(self, token: NumberToken) -> FieldChoice:
        """`As for the number of SMs, the A2 comes in at 10`: one thing is counted, and there is one bare number."""
        scene = self._scene
        keys = scene.counted_keys
        if token.kind != "plain" or len(keys) != 1 or not scene.subjects.groups or scene.counts_things:
            return FieldChoice()
        is_meant = scene.plain_numbers == 1 or self._is_beside_name(token)
        return FieldChoice(tuple(keys), named=True) if is_meant else FieldChoice()

    def adopted(
        self, others: list[NumberToken], figures: list[tuple[NumberToken, FigureClaim]]
    ) -> list[tuple[NumberToken, FigureClaim]]:
        """`A40 的 11752，S80 的流处理器数量是 4096`: a bare number beside a name is of the field that is counted."""
        counted = {c.choice.keys[0]: c for _, c in figures if c.choice.named and c.choice.keys[0] in COUNTED}
        if len(counted) != 1:
            return []
        key, claim = next(iter(counted.items()))
        found: list[tuple[NumberToken, FigureClaim]] = []
        for token in others:
            if token.kind == "plain" and token.quantity is not None and self._is_beside_name(token):
                span = span_of(token)
                cards = self._scene.subjects.of(span, self._scene.spans, self._scene.runs)
                choice = FieldChoice((key,), named=True)
                found.append((token, FigureClaim(span, token.quantity, choice, cards, claim.qualifiers)))
        return found

    def _is_beside_name(self, token: NumberToken) -> bool:
        groups = self._scene.subjects.groups
        before = next((g for g in reversed(groups) if g.end <= token.start), None)
        after = next((g for g in groups if g.start >= token.end), None)
        if before is not None and _BEHIND_NAME.fullmatch(self._scene.folded, before.end, token.start):
            return True
        return after is not None and _BEFORE_NAME.fullmatch(self._scene.folded, token.end, after.start) is not None

    # ------------------------------------------------------------ tables

    def _is_rate(self) -> bool:
        """Whether header and label speak of a rate: by a word, or as nothing but formats (`FP16/BF16`)."""
        around = self._scene.ambient.words_text
        return _RATE.search(around) is not None or any(map(_is_formats, around.split("\n")))

    def _from_header(self, quantity: Quantity, near: Nearby) -> Found | None:
        """A bare number of a table: header and row label name its field and unit."""
        stated = _unit_named(self._scene.ambient.words_text)
        units = (stated,) if stated else _HEADER_UNITS
        for pool in self._scene.ambient.words:
            for hit in pool:
                if is_counted(hit):
                    return FieldChoice((hit.value("field"),), named=True), quantity
                if hit.is_a("precision") and not stated and not self._is_rate():
                    continue  # "FP32 lanes" are no rate
                for unit in units:
                    scaled = _scaled(quantity, unit)
                    found = by_word(hit, scaled.unit, near.modifiers, pool)
                    if found.keys and found.fits:
                        return found, scaled
        if not stated:
            return None
        scaled = _scaled(quantity, stated)
        plain = by_unit(scaled.unit)
        return (plain, scaled) if plain.keys else None


def _is_formats(line: str) -> bool:
    return _FORMATS.fullmatch(line) is not None


def _unit_named(header: str) -> str:
    """The unit that a table's header or row label names, as spelt; empty if none."""
    for part in reversed(header.split("\n")):
        match = _HEAD_UNIT.search(part)
        if match:
            return match.group(1)
    return ""


def _scaled(quantity: Quantity, unit: str) -> Quantity:
    """A bare number in a unit as spelt."""
    parsed = parse_quantities(f"1 {unit}")
    if not parsed:
        return replace(quantity, unit=unit)
    factor = parsed[0].value
    high = None if quantity.high is None else quantity.high * factor
    return replace(quantity, value=quantity.value * factor, high=high, unit=parsed[0].unit)

"""Where a wrong figure comes from: a rejected one, another field, one direction, another card."""

from __future__ import annotations

import re

from kb.answer.draft import Sentence
from kb.answer.phrases import join_list, quoted
from kb.answer.structured.said import Said, combine, sentence
from kb.answer.structured.voice import Voice
from kb.specs.fields import FIELDS
from kb.specs.names import Mention
from kb.specs.schema import GpuSpec

TOLERANCE = 0.012
"""Stated figures this close are the same figure, rounded."""
_MOST_ORIGINS = 3
_COMMON = {"memory_gb", "memory_bus_bits", "process_nm", "tdp_w", "price_usd"}
"""Fields with round figures that many cards share, so that another card's says nothing."""
_CODE = re.compile(r"[A-Za-z]{0,3}\d+[A-Za-z]*")
SAME_UNITS = {"TFLOPS": ("TFLOPS", "TOPS"), "TOPS": ("TOPS", "TFLOPS")}


def origin(voice: Voice, mention: Mention, key: str, number: float, text: str) -> Sentence | None:
    """What a stated figure really is: a circulating error, another field, another version, another card."""
    stated = quoted(text, voice.language)
    for find in (_rejected, _other_field, _one_direction, _other_card):
        found = find(voice, mention, key, number, stated)
        if found is not None:
            return found
    return None


def _close(value: object, number: float) -> bool:
    return isinstance(value, float | int) and bool(value) and abs(float(value) - number) <= TOLERANCE * abs(number)


def _rejected(voice: Voice, mention: Mention, key: str, number: float, stated: str) -> Sentence | None:
    for gpu_id in mention.gpu_ids:
        for figure in voice.entry(gpu_id, key).rejected:
            note = figure.note(voice.language)
            if _close(figure.value, number) and note:
                why = voice.remark(note.rstrip("。."), gpu_id, key)
                return sentence("premise.origin_rejected", voice.language, stated=stated.strip('“”"'), why=why)
    return None


def _other_field(voice: Voice, mention: Mention, key: str, number: float, stated: str) -> Sentence | None:
    """Other fields of the card with that figure; of the same unit if there are any."""
    unit = FIELDS[key].unit
    if not unit:
        return None
    for units in ((unit,), SAME_UNITS.get(unit, ())):
        found: dict[str, list[Said]] = {}
        for gpu_id in mention.gpu_ids:
            for other, spec in FIELDS.items():
                if other != key and spec.unit in units and _close(voice.entry(gpu_id, other).value, number):
                    found.setdefault(voice.label(other, gpu_id), []).append(voice.value(gpu_id, other))
        if found:
            parts = [combine(label, saids[:1]) for label, saids in list(found.items())[:_MOST_ORIGINS]]
            label = Said(join_list([part.text for part in parts], voice.language), (), combine("", parts).supports)
            return sentence("premise.origin_field", voice.language, stated=stated, label=label)
    return None


def _one_direction(voice: Voice, mention: Mention, key: str, number: float, stated: str) -> Sentence | None:
    if key != "interconnect_gb_s":
        return None
    for gpu_id in mention.gpu_ids:
        value = voice.entry(gpu_id, key).value
        if isinstance(value, float | int) and _close(value / 2, number):
            return sentence("premise.origin_one_way", voice.language, stated=stated)
        if isinstance(value, float | int) and _close(value * 2, number):
            return sentence("premise.origin_both", voice.language, stated=stated)
    return None


def _other_card(voice: Voice, mention: Mention, key: str, number: float, stated: str) -> Sentence | None:
    """A sibling first, then any first-tier card of the same vendor."""
    own = voice.spec(mention.gpu_ids[0])
    siblings = [
        spec
        for spec in voice.catalog.gpus.values()
        if (own.family and spec.family == own.family) or _is_namesake(own, spec)
    ]
    others = [spec for spec in voice.catalog.gpus.values() if spec.tier == 1 and spec.vendor_id == own.vendor_id]
    for pool in (siblings,) if key in _COMMON else (siblings, others):
        found = [
            spec.gpu_id
            for spec in pool
            if spec.gpu_id not in mention.gpu_ids and _close(voice.entry(spec.gpu_id, key).value, number)
        ][:3]
        if found:
            names = ("、" if voice.language == "zh" else ", ").join(voice.name(gpu_id) for gpu_id in found)
            label = combine(voice.label(key, found[0]), [voice.value(gpu_id, key) for gpu_id in found])
            return sentence("premise.origin_card", voice.language, stated=stated, card=names, label=label)
    return None


def _is_namesake(own: GpuSpec, other: GpuSpec) -> bool:
    """Whether one card's code goes on where the other's ends (L40 and L40S, A10 and A10G)."""
    if other.tier != 1 or own.vendor_id != other.vendor_id or own.gpu_id == other.gpu_id:
        return False
    one, two = (_CODE.search(spec.name) for spec in (own, other))
    if one is None or two is None or one.group() == two.group():
        return False
    return one.group().startswith(two.group()) or two.group().startswith(one.group())

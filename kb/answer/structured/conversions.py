"""A figure in another unit, direction, sparsity or number of cards."""

from __future__ import annotations

from dataclasses import replace

from kb.answer.draft import DraftFact, Sentence
from kb.answer.question import Amount, Conversion, Question
from kb.answer.question.figures import UNIT_FIELDS
from kb.answer.structured.directions import directions
from kb.answer.structured.names import mention_name
from kb.answer.structured.page import Page
from kb.answer.structured.premises import check_claims, write_corrections
from kb.answer.structured.read_as import read_as
from kb.answer.structured.said import Said, Words, combine, derived, number_text, sentence
from kb.answer.structured.totals import ADDITIVE
from kb.answer.structured.voice import Voice, sparse_twin
from kb.errors import RequestError
from kb.quantity import canonical_unit
from kb.quantity import convert as convert_unit
from kb.specs.fields import FIELDS
from kb.specs.names import Mention

_DIGITS = 6
_BINARY = {"GiB", "TiB", "MiB"}


def convert(page: Page, voice: Voice, question: Question) -> bool:
    """Write a conversion; `False` if what is asked cannot be converted."""
    wanted = question.conversion
    if wanted is None:
        return False
    if not question.cards:
        return _plain(page, voice, wanted)
    mention = question.cards[0]
    key = _field_of(voice, question, wanted, mention)
    if not key:
        return _plain(page, voice, wanted)
    read_as(page, voice, mention)
    write_corrections(page, check_claims(voice, question))
    if wanted.cards > 1:
        further = (k for k in question.fields if k in ADDITIVE and k != "interconnect_gb_s" and not wanted.unit)
        written = [_total(page, voice, mention, k, wanted) for k in dict.fromkeys((key, *further))]
        return any(written)
    if wanted.sparsity:
        return _sparsity(page, voice, mention, key)
    if wanted.direction and not wanted.unit:
        directions(page, voice, question)
        return True
    return _of_card(page, voice, mention, key, wanted)


def _plain(page: Page, voice: Voice, wanted: Conversion) -> bool:
    """Only units: no card, no source."""
    if wanted.amount is None or not wanted.unit:
        return False
    result = _convert(wanted.amount.value, wanted.amount.unit, wanted.unit)
    if result is None:
        return False
    words: dict[str, Words] = {"from": _stated(wanted.amount), "to": derived(result, wanted.unit, digits=_DIGITS)}
    page.add(sentence("convert.plain", voice.language, **words))
    page.answered += 1
    if (wanted.unit in _BINARY) != (wanted.amount.unit in _BINARY):
        facts = (
            DraftFact(None, None, 1.0, "GiB", None, "derived"),
            DraftFact(None, None, 1.073741824, "GB", None, "derived"),
        )
        binary = sentence("convert.binary", voice.language)
        page.add(type(binary)(binary.text, binary.supports, facts))
    return True


def _stated(amount: Amount) -> Said:
    fact = DraftFact(None, None, amount.value, amount.unit, None, "derived")
    return Said(f"{number_text(amount.value)} {amount.unit}", (fact,))


def _convert(value: float, unit: str, target: str) -> float | None:
    try:
        return convert_unit(value, unit, target)
    except RequestError:
        return None


def _field_of(voice: Voice, question: Question, wanted: Conversion, mention: Mention) -> str:
    """The field to convert: the one with the stated figure, those asked first; else the one asked."""
    unit = wanted.amount.unit if wanted.amount else wanted.unit
    allowed = UNIT_FIELDS.get(_canonical(unit), ()) if unit else tuple(FIELDS)
    asked = [key for key in question.fields if not unit or _compatible(key, unit)]
    if wanted.amount is not None:
        for key in dict.fromkeys((*asked, *allowed)):
            value = _convert(wanted.amount.value, wanted.amount.unit, FIELDS[key].unit)
            if value is not None and any(_has(voice, gpu_id, key, value) for gpu_id in mention.gpu_ids):
                return key
        return asked[0] if asked else ""
    return asked[0] if asked else next((key for key in allowed if voice.is_stated(mention.gpu_ids[0], key)), "")


def _has(voice: Voice, gpu_id: str, key: str, value: float) -> bool:
    known = voice.entry(gpu_id, key).value
    return isinstance(known, float | int) and abs(known - value) <= 0.012 * abs(value)


def _canonical(unit: str) -> str:
    try:
        return canonical_unit(unit)
    except RequestError:
        return unit


def _compatible(key: str, unit: str) -> bool:
    own = FIELDS[key].unit
    return bool(own) and _convert(1.0, unit, own) is not None


def _of_card(page: Page, voice: Voice, mention: Mention, key: str, wanted: Conversion) -> bool:
    unit = wanted.unit or FIELDS[key].unit
    groups: dict[float, list[str]] = {}
    for gpu_id in mention.gpu_ids:
        value = voice.entry(gpu_id, key).value
        if isinstance(value, float | int):
            groups.setdefault(float(value), []).append(gpu_id)
    amount = wanted.amount
    if amount is not None and unit == amount.unit:
        unit = FIELDS[key].unit
    for value, ids in groups.items():
        result = _convert(value, FIELDS[key].unit, unit)
        if result is None:
            return False
        name = mention_name(voice, mention) if len(ids) == len(mention.gpu_ids) else _names(voice, ids)
        page.add(_converted(voice, name, ids, key, result, replace(wanted, unit=unit)))
        page.answered += 1
    if not groups:
        page.extend(voice.sentences(mention.gpu_ids[0], key))
        page.missing += 1
    elif unit in _BINARY:
        page.add(sentence("convert.nominal", voice.language))
    return True


def _converted(voice: Voice, name: str, ids: list[str], key: str, result: float, wanted: Conversion) -> Sentence:
    """A card's figure in another unit; of a link, in one direction where that is asked."""
    before = _original(voice, ids, key, wanted.amount)
    words: dict[str, Words] = {"card": name, "label": voice.label(key, ids[0])}
    if wanted.direction == "one" and key == "interconnect_gb_s":
        one = derived(result / 2, wanted.unit, digits=_DIGITS)
        return sentence("convert.one_way", voice.language, both=before, one=one, **words)
    after = derived(result, wanted.unit, digits=_DIGITS)
    if before.text == after.text:
        before = _in_larger_unit(voice, ids, key, wanted) or before
    return sentence("convert.card", voice.language, **{**words, "from": before, "to": after})


def _names(voice: Voice, ids: list[str]) -> str:
    return ("、" if voice.language == "zh" else ", ").join(voice.name(gpu_id) for gpu_id in ids)


def _original(voice: Voice, ids: list[str], key: str, amount: Amount | None) -> Said:
    said = combine(voice.value(ids[0], key).text, [voice.value(gpu_id, key) for gpu_id in ids])
    if amount is not None and amount.unit != FIELDS[key].unit:
        value = _convert(amount.value, amount.unit, FIELDS[key].unit)
        known = voice.entry(ids[0], key).value
        if value is not None and isinstance(known, float | int) and abs(known - value) <= 0.012 * abs(value):
            fact = DraftFact(None, key, amount.value, amount.unit, None, "derived")
            return Said(f"{number_text(amount.value)} {amount.unit}", (fact, *said.facts), said.supports)
    return said


def _in_larger_unit(voice: Voice, ids: list[str], key: str, wanted: Conversion) -> Said | None:
    """The card's figure in a thousand times the unit, for "from TB/s to GB/s"."""
    larger = {"GB/s": "TB/s", "TFLOPS": "PFLOPS", "TOPS": "POPS", "GB": "TB", "W": "kW", "MHz": "GHz"}
    unit = larger.get(FIELDS[key].unit)
    value = voice.entry(ids[0], key).value
    if unit is None or not isinstance(value, float | int):
        return None
    shown = derived(value / 1000, unit, digits=_DIGITS)
    return Said(shown.text, shown.facts, voice.value(ids[0], key).supports)


def _total(page: Page, voice: Voice, mention: Mention, key: str, wanted: Conversion) -> bool:
    for gpu_id in mention.gpu_ids:
        value = voice.entry(gpu_id, key).value
        if not isinstance(value, float | int):
            continue
        unit = FIELDS[key].unit
        total: float | None = value * wanted.cards
        if wanted.unit and total is not None:
            total, unit = _convert(total, unit, wanted.unit), wanted.unit
        if total is None:
            return False
        count = Said(number_text(wanted.cards), (DraftFact(None, None, float(wanted.cards), None, None, "derived"),))
        words: dict[str, Words] = {
            "card": voice.name(gpu_id),
            "label": voice.label(key, gpu_id),
            "count": count,
            "from": voice.value(gpu_id, key),
            "to": derived(total, unit, digits=3),
        }
        page.add(sentence("convert.total", voice.language, **words))
        page.answered += 1
    if len(mention.gpu_ids) > 1:
        page.mark("ambiguous")
    return page.answered > 0


def _sparsity(page: Page, voice: Voice, mention: Mention, key: str) -> bool:
    twin = sparse_twin(key)
    if twin is None:
        return False
    dense, sparse = (twin, key) if FIELDS[key].sparse_of else (key, twin)
    for gpu_id in mention.gpu_ids:
        if voice.entry(gpu_id, sparse).preferred is None:
            page.extend(voice.sentences(gpu_id, sparse))
            page.answered += 1
            continue
        page.add(
            sentence(
                "convert.sparsity",
                voice.language,
                card=voice.name(gpu_id),
                sparse_label=voice.label(sparse, gpu_id),
                sparse=voice.value(gpu_id, sparse),
                dense_label=voice.label(dense, gpu_id),
                dense=voice.value(gpu_id, dense),
            )
        )
        page.answered += 1
    return True

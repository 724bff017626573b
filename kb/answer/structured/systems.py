"""Machines that hold several cards: their totals, each as a count times the card's own figure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from kb.answer.draft import DraftFact, Sentence
from kb.answer.phrases import in_parentheses
from kb.answer.question import Claim, Question
from kb.answer.question.figures import UNIT_FIELDS
from kb.answer.structured.page import Page
from kb.answer.structured.said import Said, Words, combine, counted, derived, sentence
from kb.answer.structured.totals import total
from kb.answer.structured.voice import Voice, sparse_twin
from kb.quantity import canonical_unit
from kb.specs.fields import FIELDS
from kb.specs.names import Mention
from kb.specs.schema import GpuSystem
from kb.specs.sheet import system_key

_SOLD_IN_SIZES = "HGX"
"""Boards that are sold with another number of GPUs too; a number that the question states holds."""
_SO_MANY = re.compile(r"(?<![\d.])([248]|16)\s*-?\s*(?:gpus?\b|卡|张)", re.IGNORECASE)
_SHOWN = ("memory_gb", "fp16_tensor_tflops", "tdp_w")
_SAME = 0.02
"""A stated total this close is meant, rounded."""


@dataclass(frozen=True, slots=True)
class NamedSystem:
    """A machine as a question names it, with the cards it may hold by that name."""

    system: GpuSystem
    mention: Mention


def systems_named(voice: Voice, question: Question) -> list[NamedSystem]:
    """The machines among the names of a question."""
    found = [(voice.catalog.systems.named(mention.text), mention) for mention in question.cards]
    stated = _SO_MANY.search(question.text)
    named = []
    for system, mention in found:
        if system is not None and stated is not None and system.name.startswith(_SOLD_IN_SIZES):
            system = replace(system, gpu_count=int(stated.group(1)), note_zh="", note_en="")
        if system is not None:
            named.append(NamedSystem(system, mention))
    return named


def write_systems(page: Page, voice: Voice, question: Question, named: Sequence[NamedSystem]) -> None:
    """Write the asked figures of machines; without a field, what they are."""
    for item in named:
        page.answered += 1
        gpu_ids = item.mention.gpu_ids
        _check_claims(page, voice, question, item)
        page.add(_what_it_holds(voice, item.system, gpu_ids[0]))
        fields = _fields_of(question)
        stated = [key for key in fields or _SHOWN if any(voice.is_stated(i, key) for i in gpu_ids)]
        for key in stated:
            page.extend(_figure(voice, item.system, gpu_ids, key))
        page.missing += len(fields) > 0 and not stated


def write_counts(page: Page, voice: Voice, question: Question, named: Sequence[NamedSystem]) -> bool:
    """Write how many GPUs the machines or boards named hold; `False` if they are single cards."""
    if named:
        write_systems(page, voice, question, named)
        return True
    boards = [gpu_id for gpu_id in question.gpu_ids if voice.spec(gpu_id).per == "gpu_of_board"]
    for gpu_id in boards:
        page.answered += 1
        line = voice.support(gpu_id, "memory_bandwidth_gb_s")
        number = voice.spec(gpu_id).board_count
        count = Said(str(number), counted(number).facts, (line,) if line else ())
        page.add(sentence("systems.board", voice.language, card=voice.name(gpu_id), count=count))
    return bool(boards)


def _fields_of(question: Question) -> Sequence[str]:
    """The fields asked, or what a unit asked for measures ("多少千瓦")."""
    unit = question.conversion.unit if question.conversion is not None else ""
    if question.fields or not unit:
        return question.fields
    return UNIT_FIELDS.get(canonical_unit(unit), ())[:1]


def _what_it_holds(voice: Voice, system: GpuSystem, gpu_id: str) -> Sentence:
    line = voice.support(gpu_id, system_key(system))
    count = Said(str(system.gpu_count), counted(system.gpu_count).facts, (line,) if line else ())
    card = voice.name(gpu_id)
    if len(system.gpu_ids) > 1:
        card = voice.spec(gpu_id).family
    note = Said(in_parentheses(system.note(voice.language), voice.language))
    note = combine(note.text, [note, voice.remark(system.note(voice.language), gpu_id, system_key(system))])
    return sentence("systems.holds", voice.language, system=system.name, count=count, card=card, note=note)


def _figure(voice: Voice, system: GpuSystem, gpu_ids: Sequence[str], key: str) -> list[Sentence]:
    """The total of one field, for each card the machine is sold with where they differ; or the card's own figure."""
    groups: dict[str, list[str]] = {}
    for gpu_id in gpu_ids:
        if voice.is_stated(gpu_id, key):
            groups.setdefault(voice.value(gpu_id, key).text, []).append(gpu_id)
    found: list[Sentence] = []
    for ids in groups.values():
        figure = voice.entry(ids[0], key).preferred
        amount = total(figure.value, key, system.gpu_count) if figure is not None else None
        if figure is None or amount is None:
            found += voice.sentences(ids[0], key)
            continue
        one = voice.figure(ids[0], key, figure, qualified=False)
        value = combine(one.text, [one, *(voice.value(gpu_id, key) for gpu_id in ids)])
        label = voice.label(key, ids[0])
        card = in_parentheses(voice.name(ids[0]), voice.language) if len(groups) > 1 else ""
        words: dict[str, Words] = {"label": label, "total": amount, "count": counted(system.gpu_count), "value": value}
        template = "systems.gpu_power" if key == "tdp_w" else "systems.total"
        found.append(sentence(template, voice.language, card=card, **words))
    if key == "tdp_w" and system.power_w is not None:
        found.insert(0, _power(voice, system, gpu_ids[0], system.power_w))
    return found


def _power(voice: Voice, system: GpuSystem, gpu_id: str, power_w: int) -> Sentence:
    line = voice.support(gpu_id, system_key(system))
    shown = derived(power_w / 1000, "kW")
    fact = DraftFact(gpu_id, None, float(power_w), "W", "per_system", "supported", line)
    power = Said(shown.text, (fact, *shown.facts), (line,) if line else ())
    return sentence("systems.power", voice.language, system=system.name, power=power)


def _check_claims(page: Page, voice: Voice, question: Question, item: NamedSystem) -> None:
    """What a stated total is: dense, sparse, or of another field."""
    for claim in question.claims:
        if isinstance(claim.value, str) or question.cards[claim.near] != item.mention:
            continue
        found = _meant(voice, item, claim)
        if found is None:
            continue
        key, gpu_id, amount = found
        if question.yes_no:
            asked = sparse_twin(key) if FIELDS[key].sparse_of and question.sparsity == "dense" else key
            page.add(sentence("check.yes_alone" if asked == key else "check.not", voice.language))
        label = voice.label(key, gpu_id)
        words: dict[str, Words] = {"total": amount, "count": counted(item.system.gpu_count), "label": label}
        page.add(sentence("systems.stated", voice.language, stated=claim.text, value=voice.value(gpu_id, key), **words))


def _meant(voice: Voice, item: NamedSystem, claim: Claim) -> tuple[str, str, Said] | None:
    """The field and card whose total a stated figure is."""
    stated = float(claim.value)
    keys = [key for field in claim.fields for key in (field, sparse_twin(field)) if key]
    for key in dict.fromkeys(keys):
        for gpu_id in item.mention.gpu_ids:
            value = voice.entry(gpu_id, key).value
            amount = total(value, key, item.system.gpu_count)
            if amount is None or not isinstance(value, float | int):
                continue
            if abs(value * item.system.gpu_count - stated) <= _SAME * stated:
                return key, gpu_id, amount
    return None

"""Chips named in place of cards: which cards have them, and the figures of those cards."""

from __future__ import annotations

from collections.abc import Sequence

from kb.answer.draft import Documents
from kb.answer.phrases import in_parentheses
from kb.answer.question import Chip, Question
from kb.answer.structured.page import Page, cards_table
from kb.answer.structured.said import Said, Words, counted, listed, sentence
from kb.answer.structured.voice import Voice
from kb.specs.fields import FIELDS
from kb.text import fold

_MOST_NAMED = 8
_MOST_ROWS = 12
_UNIT_WORDS = (" sm", "个 sm", " cu", "个 cu")


def chips(page: Page, voice: Voice, question: Question) -> None:
    """Write which cards have the chips of a question; what is asked of a chip itself only documents know."""
    known = [chip for chip in question.chips if chip.gpu_ids]
    names = tuple(dict.fromkeys(name for chip in question.chips for name in (chip.text.strip(), chip.name)))
    asks_for_its_cards = not question.fields and any(c.gpu_ids for c in question.chips) and _asks_for_cards(question)
    page.documents = Documents("after" if asks_for_its_cards else "first", names, _words_of(question.fields))
    for chip in known:
        page.answered += 1
        ids = _shown(voice, chip)
        _cards_of(page, voice, chip)
        if question.fields:
            page.add(cards_table(voice, ids[:_MOST_ROWS], question.fields))


def _words_of(keys: Sequence[str]) -> tuple[str, ...]:
    """Words that a sentence about those fields holds."""
    terms = [fold(term) for key in keys for term in (*FIELDS[key].terms_zh, *FIELDS[key].terms_en)]
    return tuple(dict.fromkeys((*terms, *(_UNIT_WORDS if "compute_units" in keys else ()))))


def _asks_for_cards(question: Question) -> bool:
    return any(
        word in question.text.lower() for word in ("哪", "卡", "card", "which", "gpu", "product", "型号", "产品")
    )


def _shown(voice: Voice, chip: Chip) -> Sequence[str]:
    """First-tier cards where there are any."""
    first = [gpu_id for gpu_id in chip.gpu_ids if voice.spec(gpu_id).tier == 1]
    return first or chip.gpu_ids


def _cards_of(page: Page, voice: Voice, chip: Chip) -> None:
    ids = _shown(voice, chip)
    named = [Said(voice.name(i), (), voice.value(i, chip.field).supports) for i in ids[:_MOST_NAMED]]
    template = "chip.cards" if chip.field == "chip" else "chip.target"
    written = chip.text.strip()
    is_alias = written.lower().replace(" ", "") != chip.name.lower().replace(" ", "")
    name = written + in_parentheses(chip.name, voice.language) if is_alias else chip.name
    head: dict[str, Words] = {"chip": name, "count": counted(len(chip.gpu_ids)), "cards": listed(named, voice.language)}
    more = len(chip.gpu_ids) - len(named)
    page.add(sentence(template if not more else f"{template}_more", voice.language, **head))

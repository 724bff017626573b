"""Follow-up questions: what they leave out is taken from the turns before."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from kb.answer.question.reading import Reading
from kb.answer.question.scanner import fold_in_place
from kb.answer.question.vocabulary import Patterns
from kb.specs.names import Mention
from kb.types import Turn

_WHICH_OF_THEM = re.compile(r"哪[个张款块]|谁|更|\bwhich\b|\bboth\b")
_HISTORY_TURNS = 3
_MOST_OF_A_TURN = 2000
"""Characters of an earlier turn that are read, its last ones: a question comes after what was pasted with it."""

ReadText = Callable[[str], Reading]


def complete(
    reading: Reading, history: Sequence[Turn], patterns: Patterns, read_text: ReadText
) -> tuple[Reading, str, bool]:
    """Cards or fields that a follow-up leaves out, from the last turns that had them."""
    asked = [turn.content[-_MOST_OF_A_TURN:] for turn in reversed(history) if turn.role == "user"]
    earlier = asked[:_HISTORY_TURNS]
    short = len(reading.text) <= 60
    refers = bool(patterns.anaphora.search(reading.folded))
    follows = short and bool(patterns.follow_up.search(fold_in_place(reading.text)))
    whole = reading.has("vendor", "group", "all_cards") or (
        reading.has("role") and reading.has("superlative", "filter")
    )
    needs_cards = (
        not reading.cards
        and not reading.unknown
        and (refers or (not whole and (bool(reading.asked.keys) or reading.has("compare", "superlative"))))
    )
    without_field = not reading.asked.keys or (reading.asked.generic and reading.has("convert"))
    needs_fields = without_field and (needs_cards or (bool(reading.cards) and (follows or refers)))
    if not (needs_cards or needs_fields):
        return reading, reading.text, False
    if needs_cards and (reading.has("compare", "superlative", "same") or _WHICH_OF_THEM.search(reading.folded)):
        several = _cards_of(earlier, read_text)
        if len(several) > 1:
            return replace(reading, cards=several), f"{' '.join(reversed(earlier))} {reading.text}", True
    for text in earlier:
        before = read_text(text)
        if (needs_cards and before.cards) or (needs_fields and before.asked.keys):
            merged = replace(reading, cards=before.cards) if needs_cards else reading
            if needs_fields and before.asked.keys:
                merged = replace(merged, asked=before.asked)
            return merged, f"{text} {reading.text}", True
    return reading, reading.text, False


def _cards_of(earlier: Sequence[str], read_text: ReadText) -> tuple[Mention, ...]:
    """Cards to compare: of the last turn, or of the last two where each names one."""
    found: list[Mention] = []
    for text in earlier:
        cards = read_text(text).cards
        found = [*(card for card in cards if not any(card.gpu_ids == other.gpu_ids for other in found)), *found]
        if len(found) > 1:
            return tuple(found)
    return tuple(found)

"""What differs between two versions of one chip: "what was cut in the A800?"."""

from __future__ import annotations

from collections.abc import Sequence

from kb.answer.question import Question
from kb.answer.structured.compare_table import table
from kb.answer.structured.names import mention_name
from kb.answer.structured.page import Group, Page
from kb.answer.structured.said import Said, Words, counted, listed, phrase, sentence
from kb.answer.structured.versions import CUT_FIELDS, newer_first
from kb.answer.structured.voice import Voice

_SLIGHT = 0.02
"""Figures closer than this are the same for "what was cut"."""
_MOST_CHANGES = 4


def write_differences(page: Page, voice: Voice, question: Question, pairs: Sequence[tuple[str, str]]) -> None:
    """What differs between variants that match, the newer card seen from the older; `pairs` in that order."""
    first, second = newer_first(voice, *question.cards)
    some = [key for key in CUT_FIELDS if any(_differs(voice, a, b, key) for a, b in pairs)]
    differing = [key for key in some if _differs_mostly(voice, pairs, key)] or some
    names = [mention_name(voice, mention) for mention in (first, second)]
    if len(pairs) == 1:
        names = [voice.name(gpu_id) for gpu_id in pairs[0]]
    if not differing:
        page.add(sentence("compare.no_difference", voice.language, first=names[0], second=names[1]))
    else:
        parts = listed([_change(voice, pairs, key) for key in _weightiest(voice, pairs, differing)], voice.language)
        many = len(differing) > _MOST_CHANGES
        words: dict[str, Words] = {"card": names[0], "reference": names[1], "parts": parts}
        if len(some) > len(differing) and not many:
            page.add(sentence("compare.cut_mostly", voice.language, **words))
        elif many:
            page.add(sentence("compare.many_differ", voice.language, count=counted(len(differing)), **words))
        else:
            page.add(sentence("compare.cut", voice.language, **words))
    shown = list(dict.fromkeys(gpu_id for pair in pairs for gpu_id in reversed(pair)))
    groups: list[Group] = [(voice.name(gpu_id), (gpu_id,)) for gpu_id in shown]
    page.add(table(voice, groups, some or ["memory_gb", "memory_bandwidth_gb_s", "fp16_tensor_tflops", "tdp_w"]))


def _weightiest(voice: Voice, pairs: Sequence[tuple[str, str]], keys: Sequence[str]) -> list[str]:
    """The few fields that differ most, in the order of the fields."""

    def weight(key: str) -> float:
        a, b = next(
            (voice.entry(a, key).value, voice.entry(b, key).value) for a, b in pairs if _differs(voice, a, b, key)
        )
        if not isinstance(a, float | int) or not isinstance(b, float | int):
            return 0.3
        return abs(a - b) / max(abs(a), abs(b))

    chosen = sorted(keys, key=weight, reverse=True)[:_MOST_CHANGES]
    return [key for key in keys if key in chosen]


def _change(voice: Voice, pairs: Sequence[tuple[str, str]], key: str) -> Said:
    cut, reference = next((a, b) for a, b in pairs if _differs(voice, a, b, key))
    return phrase(
        "compare.cut_part",
        voice.language,
        label=voice.label(key, cut),
        before=voice.value(reference, key),
        after=voice.value(cut, key),
    )


def _differs_mostly(voice: Voice, pairs: Sequence[tuple[str, str]], key: str) -> bool:
    """Whether most of the pairs with both figures differ; a lone difference is a matter of sources."""
    comparable = [pair for pair in pairs if all(voice.entry(gpu_id, key).value is not None for gpu_id in pair)]
    return 2 * sum(_differs(voice, a, b, key) for a, b in comparable) > len(comparable)


def _differs(voice: Voice, first: str, second: str, key: str) -> bool:
    a, b = voice.entry(first, key), voice.entry(second, key)
    if a.value is None or b.value is None:
        return False
    if isinstance(a.value, float | int) and isinstance(b.value, float | int):
        larger = max(abs(a.value), abs(b.value))
        return bool(larger) and abs(a.value - b.value) / larger > _SLIGHT
    return a.value != b.value

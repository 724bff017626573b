"""Fields of one card: in a sentence where they are few and plain, each with what must be known of it otherwise."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kb.answer.draft import Documents, DraftFact, Sentence
from kb.answer.phrases import join_list
from kb.answer.structured.page import Page
from kb.answer.structured.said import (
    Said,
    combine,
    listed_clauses,
    sentence,
)
from kb.answer.structured.voice import COUNTS, Voice
from kb.specs.fields import FIELDS
from kb.text import fold

_SIMPLE = {"known", "range"}


_FALLBACKS = {
    "fp16_tensor_tflops": "fp16_tflops",
    "fp16_tensor_tflops_sparse": "fp16_tensor_tflops",
    "fp4_tensor_tflops_sparse": "int8_tops_sparse",
    "fp64_tflops": "fp64_tensor_tflops",
    "fp32_matrix_tflops": "tf32_tensor_tflops",
}
"""Where the asked figure is missing but a neighbouring one, named as what it is, still helps."""


_OF_THROUGHPUT = ("tflops", "pflops", "tops", "算力")


_OF_DATES = ("上市", "发布", "推出", "出货", "launch", "release", "ship")
"""What passages say of a date besides the terms of the field."""


_MOST_IN_A_SENTENCE = 3


_MOST_WITH_NOTES = 2


def write_one(page: Page, voice: Voice, gpu_id: str, keys: Sequence[str]) -> None:
    """Write some fields of a card: plain figures in one sentence or a list, the others each on its own."""
    plain = [key for key in keys if _is_simple(voice, gpu_id, key)]
    special = [key for key in keys if key not in plain]
    if len(plain) == 1:
        page.extend(voice.sentences(gpu_id, plain[0]))
    elif len(plain) <= _MOST_IN_A_SENTENCE and plain:
        parts = listed_clauses([voice.part(gpu_id, key) for key in plain], voice.language)
        page.add(sentence("one.several_parts", voice.language, card=voice.name(gpu_id), parts=parts))
        for key in plain:
            page.extend(voice.caveats(gpu_id, key, notes=len(plain) <= _MOST_WITH_NOTES))
    elif plain:
        page.add(sentence("one.asked_head", voice.language, card=voice.name(gpu_id)))
        page.extend(items(voice, gpu_id, plain))
        for key in plain:
            page.extend(voice.caveats(gpu_id, key, notes=False))
    page.answered += len(plain)
    silent = [key for key in special if _is_silent(voice, gpu_id, key)]
    if len(silent) > 1:
        _silent(page, voice, gpu_id, silent)
        special = [key for key in special if key not in silent]
    for key in special:
        _special(page, voice, gpu_id, key)


def _is_silent(voice: Voice, gpu_id: str, key: str) -> bool:
    """Whether nobody publishes a figure, and no neighbouring one helps."""
    fallback = _FALLBACKS.get(key, "")
    unpublished = voice.entry(gpu_id, key).state == "not_published"
    return unpublished and not (fallback and voice.is_stated(gpu_id, fallback))


def _words_on(key: str) -> tuple[str, ...]:
    """What a passage on a field says; on throughput a unit, since number formats are named for many reasons."""
    if FIELDS[key].unit in {"TFLOPS", "TOPS"}:
        return _OF_THROUGHPUT
    terms = tuple(fold(term) for term in (*FIELDS[key].terms_zh, *FIELDS[key].terms_en))
    return (*terms, *_OF_DATES) if key == "released_on" else terms


def _silent(page: Page, voice: Voice, gpu_id: str, keys: Sequence[str]) -> None:
    """Several figures that nobody publishes, in one sentence."""
    labels = combine(
        join_list([voice.label(key, gpu_id) for key in keys], voice.language),
        [voice.value(gpu_id, key) for key in keys],
    )
    page.add(sentence("states.none_published", voice.language, card=voice.name(gpu_id), labels=labels))
    page.missing += len(keys)


def ask_documents(page: Page, voice: Voice, gpu_id: str, keys: Sequence[str]) -> None:
    """A document may say something of what no source of the catalogue gives."""
    if page.documents is None:
        terms = tuple(term for key in keys for term in _words_on(key))
        names = re.findall(r"[^\s（）()]*\d[^\s（）()]*", voice.name(gpu_id)) or [voice.name(gpu_id)]
        page.documents = Documents("after", tuple(names), tuple(dict.fromkeys(terms)))


def _special(page: Page, voice: Voice, gpu_id: str, key: str) -> None:
    entry = voice.entry(gpu_id, key)
    fallback = _FALLBACKS.get(key, "")
    if entry.state in {"not_published", "not_supported"} and fallback and voice.is_stated(gpu_id, fallback):
        page.extend(voice.sentences(gpu_id, key)[:2] if entry.state == "not_supported" else [])
        page.add(
            sentence(
                "states.fallback",
                voice.language,
                card=voice.name(gpu_id),
                missing=_named(voice.label(key, gpu_id)),
                label=voice.label(fallback, gpu_id),
                value=voice.value(gpu_id, fallback),
            )
        )
        page.answered += 1
        return
    page.extend(voice.sentences(gpu_id, key))
    if entry.state == "not_published" or (entry.state == "unresolved" and not entry.figures):
        page.missing += 1
        return
    page.answered += 1
    if entry.state in {"conflicting", "unresolved"}:
        page.mark("conflicting_sources")
    elif entry.state == "not_supported":
        page.mark("false_premise")


def _named(label: str) -> Said:
    """The label of a field that no evidence holds, with the number format in it."""
    return Said(label, (DraftFact(None, None, label, None, None, "derived"),))


def _is_simple(voice: Voice, gpu_id: str, key: str) -> bool:
    entry = voice.entry(gpu_id, key)
    return entry.state in _SIMPLE and not (key in COUNTS and entry.value == 0)


def items(voice: Voice, gpu_id: str, keys: Sequence[str]) -> list[Sentence]:
    """Fields of a card as items of a list."""
    return [
        sentence(
            "one.item",
            voice.language,
            label=_capital(voice.label(key, gpu_id)),
            value=voice.value(gpu_id, key, qualified=True),
        )
        for key in keys
    ]


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

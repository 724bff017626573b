"""Cards against each other: who has more, by how much, and what differs at all."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kb.answer.draft import Sentence
from kb.answer.question import Question
from kb.answer.structured.compare_table import MOST_COLUMNS, table
from kb.answer.structured.conclusions import conclusions, pair_conclusion, span_conclusion
from kb.answer.structured.differences import write_differences
from kb.answer.structured.names import mention_name
from kb.answer.structured.overview import OVERVIEW
from kb.answer.structured.page import Group, Page, fields_table, groups_table
from kb.answer.structured.read_as import read_as
from kb.answer.structured.said import Said, Words, combine, counted, derived, listed, sentence
from kb.answer.structured.sides import figure_groups, figures_of, sides_of
from kb.answer.structured.totals import total
from kb.answer.structured.versions import are_related, matched_variants, newer_first
from kb.answer.structured.voice import Voice
from kb.specs.fields import FIELDS
from kb.specs.names import Mention

_ROW_FIELDS = {
    "memory_gb",
    "memory_bandwidth_gb_s",
    "fp16_tensor_tflops",
    "fp8_tensor_tflops",
    "interconnect_gb_s",
    "tdp_w",
}
"""What cards in rows are told by, where there are many of them."""
_WHOLE_CONCLUSIONS = ("fp16_tensor_tflops", "memory_bandwidth_gb_s")
_PAIR = 2
_LESS = re.compile(r"便宜|省电|更低|[谁个张款]低|更小|[谁个张款]小|更少|cheaper|less|lower|smaller|fewer")
_MORE = re.compile(r"更高|[谁个张款]高|更大|更多|更贵|费电|more|higher|larger|bigger")
_ASKS_PERCENT = re.compile(r"%|百分|几成|per ?cent")
_FEWER = re.compile(
    r"低|小(?!时)|少|弱|慢|便宜|省电|窄|\b(?:less|lower|smaller|fewer|cheaper|slower|narrower|weaker)\b"
)
_GREATER = re.compile(
    r"高|大|多(?!少)|强|快|贵|(?<!带)(?<!位)宽|费电|耗电|\b(?:more|higher|larger|bigger|faster|greater|better|stronger|wider|pricier)\b"
)
_THAN = re.compile(r"比|\bthan\b")
_MOST_CONCLUSIONS = 2
_MAIN_COMPUTE = "fp16_tensor_tflops"
_MOST_COUNTED = 3


def compare(page: Page, voice: Voice, question: Question) -> None:
    """Write a comparison of the cards named."""
    page.answered += 1
    for mention in question.cards:
        read_as(page, voice, mention)
    if not question.fields:
        _as_a_whole(page, voice, question)
        return
    _by_fields(page, voice, question, _compared_keys(voice, question))


def _compared_keys(voice: Voice, question: Question) -> tuple[str, ...]:
    """The fields asked; of "compute" as such, those that any of the cards has."""
    keys = question.fields
    if not question.generic_compute:
        return keys
    return tuple(key for key in keys if any(voice.is_stated(gpu_id, key) for gpu_id in question.gpu_ids)) or keys


def _by_fields(page: Page, voice: Voice, question: Question, keys: Sequence[str]) -> None:
    ids = question.gpu_ids
    told = [key for key in keys if key == _MAIN_COMPUTE] if question.generic_compute else keys[:_MOST_CONCLUSIONS]
    if question.asks_same and len(keys) == 1:
        page.add(_same_or_not(voice, ids, keys[0]))
    if not question.asks_same:
        page.extend(_yes_or_no(voice, question, keys))
    for key in told or keys[:1]:
        page.extend(conclusions(voice, question.cards, key, lower=_asks_for_less(question.text)))
        page.extend(_percent(voice, question, key))
    page.extend(_of_several(voice, question, keys))
    groups = figure_groups(voice, question.cards, keys)
    if len(groups) > 2 or len(keys) > 1:
        if not page.parts:
            page.add(_head(voice, question.cards, keys[0]))
        page.add(table(voice, _sorted(voice, groups, keys), keys))
    disputed = ((i, k) for i in ids for k in keys if voice.entry(i, k).state in {"conflicting", "unresolved"})
    for gpu_id, key in disputed:
        page.extend(voice.sentences(gpu_id, key)[1:2])


def _yes_or_no(voice: Voice, question: Question, keys: Sequence[str]) -> list[Sentence]:
    """Yes or no first, where it is asked whether one card has more or less of one field than the other."""
    asked = _THAN.search(question.text.lower())
    if not question.yes_no or asked is None or len(keys) != 1 or len(question.cards) != _PAIR:
        return []
    spans = [figures_of(voice, mention, keys[0]) for mention in question.cards]
    if not all(spans):
        return []
    first, second = sorted(zip(question.cards, spans, strict=True), key=lambda pair: pair[0].start)
    low, high = (min(value for value, _ in first[1]), max(value for value, _ in first[1]))
    other_low, other_high = (min(value for value, _ in second[1]), max(value for value, _ in second[1]))
    less = _less_is_asked(question)
    if less is None:
        return []
    if low > other_high or high < other_low or low == high == other_low == other_high:
        holds = high < other_low if less else low > other_high
        return [sentence("check.yes_alone" if holds else "check.not", voice.language)]
    return []


def _less_is_asked(question: Question) -> bool | None:
    """Whether a yes/no question asks if the first card has less; `None` if it says neither less nor more."""
    text = question.text
    for mention in question.cards:
        text = text[: mention.start] + " " * (mention.end - mention.start) + text[mention.end :]
    less, more = _FEWER.search(text.lower()), _GREATER.search(text.lower())
    return less is not None if (less is None) != (more is None) else None


def _percent(voice: Voice, question: Question, key: str) -> list[Sentence]:
    """How many per cent one card has more than the other, where that is asked."""
    if not _ASKS_PERCENT.search(question.text.lower()) or len(question.gpu_ids) != _PAIR:
        return []
    values = [voice.entry(gpu_id, key).value for gpu_id in question.gpu_ids]
    numbers = sorted(float(value) for value in values if isinstance(value, float | int) and value > 0)
    if len(numbers) < _PAIR or numbers[0] == numbers[1]:
        return []
    percent = derived((numbers[1] / numbers[0] - 1) * 100, digits=1)
    return [sentence("compare.percent", voice.language, percent=percent)]


def _of_several(voice: Voice, question: Question, keys: Sequence[str]) -> list[Sentence]:
    """What cards come to that the question names more than one of ("两张 3090")."""
    found: list[Sentence] = []
    for mention, count in zip(question.cards, question.counts, strict=False):
        for key in keys if count > 1 else ():
            for gpu_id in mention.gpu_ids[:_MOST_COUNTED]:
                amount = total(voice.entry(gpu_id, key).value, key, count)
                if amount is not None:
                    words: dict[str, Words] = {"card": voice.name(gpu_id), "label": voice.label(key, gpu_id)}
                    words |= {"count": counted(count), "from": voice.value(gpu_id, key), "to": amount}
                    found.append(sentence("convert.total", voice.language, **words))
    return found


def _asks_for_less(text: str) -> bool:
    return bool(_LESS.search(text.lower())) and not _MORE.search(text.lower())


def _same_or_not(voice: Voice, ids: Sequence[str], key: str) -> Sentence:
    texts = {voice.value(gpu_id, key).text for gpu_id in ids if voice.is_stated(gpu_id, key)}
    said = combine("", [voice.value(gpu_id, key) for gpu_id in ids])
    answer = sentence("compare.is_same" if len(texts) == 1 else "compare.not_same", voice.language)
    return Sentence(answer.text, said.supports[:2])


def _head(voice: Voice, mentions: Sequence[Mention], key: str) -> Sentence:
    names = listed([Said(mention_name(voice, mention)) for mention in mentions], voice.language)
    return sentence("compare.field_head", voice.language, cards=names, label=voice.label(key))


def _sorted(voice: Voice, groups: list[Group], keys: Sequence[str]) -> list[Group]:
    """Highest first, where it is one number that is compared; else as named."""
    if len(keys) > 1 or FIELDS[keys[0]].kind != "number":
        return groups

    def rank(group: Group) -> float:
        value = voice.entry(group[1][0], keys[0]).value
        return -float(value) if isinstance(value, float | int) else 0.0

    return sorted(groups, key=rank)


def _as_a_whole(page: Page, voice: Voice, question: Question) -> None:
    mentions = question.cards
    if len(mentions) == 2 and are_related(voice, mentions[0], mentions[1]):
        pairs = matched_variants(voice, *newer_first(voice, mentions[0], mentions[1]))
        if pairs:
            write_differences(page, voice, question, pairs)
            return
    ids = question.gpu_ids
    names = listed([Said(mention_name(voice, mention)) for mention in mentions], voice.language)
    keys = [key for key in OVERVIEW if any(voice.is_stated(gpu_id, key) for gpu_id in ids)]
    groups: list[Group] = [(voice.name(gpu_id), (gpu_id,)) for gpu_id in ids]
    if len(mentions) == _PAIR:
        for key in _WHOLE_CONCLUSIONS:
            by_name = [sides_of(voice, mention, key) for mention in mentions]
            if all(len(sides) == 1 for sides in by_name):
                page.add(pair_conclusion(voice, by_name[0][0], by_name[1][0], key))
            else:
                page.extend(span_conclusion(voice, mentions, by_name, key))
    page.add(sentence("compare.main_head", voice.language, cards=names))
    if len(ids) <= MOST_COLUMNS:
        page.add(fields_table(voice, groups, keys))
    else:
        page.add(groups_table(voice, groups, _for_rows(keys)))


def _for_rows(keys: Sequence[str]) -> list[str]:
    return [key for key in keys if key in _ROW_FIELDS]

"""Which cards of the whole catalogue meet what a question asks: the list, how it was read, what is left out and why."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace

from kb.answer.draft import DraftFact, DraftRow, DraftTable
from kb.answer.phrases import say
from kb.answer.question import Question, Superlative
from kb.answer.structured.conditions import requirement_of, requirements_said
from kb.answer.structured.left_out import write_near_misses, write_unjudged, write_ways_out
from kb.answer.structured.names import mention_name
from kb.answer.structured.page import Page, cards_table, with_tiers
from kb.answer.structured.said import Said, cell, combine, counted, derived, join, listed, phrase, sentence
from kb.answer.structured.voice import Voice
from kb.quantity import number_tokens
from kb.quantity.numerals import NUMERAL
from kb.selection.attributes import kind_of
from kb.selection.ranking import Criterion
from kb.selection.requirement import BOUNDS
from kb.selection.result import Selection
from kb.selection.selector import SelectionRequest, Selector
from kb.specs.fields import FIELDS
from kb.types import Column

MOST_ROWS = 30
_MOST_COLUMNS = 5
_MOST_LOST = 0.3
"""Share of a question that may go without being understood, where it is taken for a selection."""
_MANY = 2
"""More conditions than that are a description of cards, whatever else is said."""
_PRESENCE = ("has", "lacks")
_LIST_FIELDS = ("memory_gb", "memory_type", "memory_bandwidth_gb_s", "tdp_w")
_SAID_BY_GROUPS = ("vendor", "architecture", "segment")
_ASKS_WHAT_FAILS = re.compile(
    r"不满足|不符合|不达标|达不到|淘汰|落选|排除|为什么没有|差一点|差在"
    r"|\bfail|\bnot meet|\bexclu|\brejected|\bmiss(?:es|ing)? out|\bruled out"
)

_ASKS_FOR_SOME = re.compile(
    r"推荐|哪些|哪几|有什么.{0,4}卡|列出|\brecommend|\bwhich .*(?:cards?|gpus?)|\bsuggest|\blist\b"
)

_AMOUNT = re.compile(rf"\d|{NUMERAL}")
"""Without one, no condition is a bound."""
_ASKS_FOR_ONE = re.compile(
    r"哪一?[张款块个种]|哪个|谁|\bwhich (?:[\w\-.]+ ){0,5}(?:one|card|gpu|accelerator|board)\b"
    r"|\bwhat(?:'s| is) the\b|\bthe \w+est\b"
)

_ASKS = re.compile(
    r"[?？]|吗|是否|什么|为什么|怎么|如何|多少|^(?:do|does|did|is|are|was|can|will|why|how|what|which|when)\b"
)

_IS_OF_CARDS = re.compile(
    r"^(?:[a-z]+ ){0,3}(?:cards?|gpus?|accelerators?)\b"
    r"|(?:卡|gpu|芯片|加速器|\bcards?|\bgpus?|\baccelerators?)\s*[?？。.!！]*$"
)


def select_cards(page: Page, voice: Voice, question: Question, selector: Selector) -> None:
    """Write the cards that meet a question's conditions, out of the whole catalogue.

    A card that sets a bound has its bounds in `question.conditions`, with their values.
    """
    selection = selector.select(_request(question, selector))
    words = _conditions(voice, question, selection)
    page.answered += 1
    # A bound on a figure is a matter of the catalogue; what merely names things may be one of documents.
    is_bounded = any(one.operator in BOUNDS for one in selection.stated)
    page.is_whole = is_bounded and (not selection.interpretation.not_understood or _wants_cards(question))
    _reading(page, voice, question, selection)
    _passing(page, voice, question, selection, words)
    _ranked_by(page, voice, selection)
    write_unjudged(page, voice, selection)
    if not selection.passing:
        write_ways_out(page, voice, selection)
    if _ASKS_WHAT_FAILS.search(question.asked.lower()):
        write_near_misses(page, voice, selection)


def asks_for_selection(question: Question, selector: Selector) -> bool:
    """Whether a question is conditions on cards, though no word of it says that it wants a list."""
    if question.unknown or question.names_document or question.chips:
        return False
    if question.cards:
        return question.intent == "compare" and _are_bounds(question, selector)
    if question.intent not in {"passages", "other"}:
        return False
    # Reading conditions takes a while; most questions bound nothing and want no cards.
    if not _AMOUNT.search(question.asked) and not _wants_cards(question):
        return False
    read = selector.interpret(question.asked)
    bounded = sum(one.operator in BOUNDS for one in read.stated)
    if read.not_understood:
        lost = sum(len(text) for text in read.not_understood)
        return _wants_cards(question) and bounded > 1 and lost <= _MOST_LOST * len(question.asked.strip())
    if not read.stated:
        return read.scenario is not None and bool(_ASKS_FOR_SOME.search(question.asked.lower()))
    if bounded > 0 and (len(read.stated) > 1 or bool(question.groups)):
        return True
    if read.criteria or (len(read.stated) > _MANY and not _ASKS.search(question.asked.lower())):
        return True  # "显存不低于 24GB 里最便宜的", "not GeForce, has RT cores, 48 GB"
    return _wants_cards(question) and any(kind_of(one.field) == "number" for one in read.stated)


def _are_bounds(question: Question, selector: Selector) -> bool:
    """Whether cards are named for nothing but the bounds they set ("显存比 L4 大、功耗低于 T4 的卡有哪些")."""
    if not _ASKS_FOR_SOME.search(question.asked.lower()):
        return False
    read = selector.interpret(question.asked)
    return bool(read.stated) and not read.not_understood and all(one.field != "gpu_id" for one in read.stated)


def superlative_of(question: Question, selector: Selector) -> Superlative | None:
    """What a selection asks the first card of ("24GB 以上最便宜的是哪张"); `None` where it asks for several cards."""
    read = selector.interpret(question.asked)
    if len(read.criteria) != 1 or read.limit not in (None, 1) or not _ASKS_FOR_ONE.search(question.asked.lower()):
        return None
    one = read.criteria[0]
    if not one.keys:
        return None
    field, per = (*one.keys, "")[:2]
    return Superlative(field, "highest" if one.order == "desc" else "lowest", question.asked, per)


def _wants_cards(question: Question) -> bool:
    """Whether its words say that it wants cards, beside whatever was not understood."""
    asked = question.asked.lower().strip()
    return bool(_ASKS_FOR_SOME.search(asked) or _IS_OF_CARDS.search(asked))


def _request(question: Question, selector: Selector) -> SelectionRequest:
    """The conditions in words, with those that a reference card has given their figures.

    Where the grammar of conditions finds none, those that the question was known by hold.
    """
    read = selector.interpret(question.asked)
    is_read = bool(read.stated)
    if is_read and not read.not_understood:
        return SelectionRequest(question=question.asked)
    bounds = tuple(
        requirement_of(condition)
        for condition in question.conditions
        if (condition.than or not is_read) and (condition.value is None or condition.operator not in _PRESENCE)
    )
    return SelectionRequest(requirements=bounds, question=question.asked)


def _conditions(voice: Voice, question: Question, selection: Selection) -> Said:
    """The conditions as a sentence says them, groups of cards by the question's own words."""
    groups = [] if question.reference is not None and not question.groups else list(question.groups)
    said_otherwise = {one.field for one in selection.requirements if one.operator in ("eq", "in")} & set(
        _SAID_BY_GROUPS if groups else ()
    )
    words = _said(voice, question, selection, said_otherwise)
    if not said_otherwise:
        return words
    text = say("join.list", voice.language).join(group.text for group in groups)
    if not words.text:
        return Said(text)
    key = "filter.among_cards" if re.search(r"(卡|显卡|cards?|gpus?)$", text.lower()) else "filter.among"
    return phrase(key, voice.language, groups=text, conditions=words)


def _said(voice: Voice, question: Question, selection: Selection, but: Collection[str]) -> Said:
    """Requirements in words, but those of some fields; those that a reference card sets say so."""
    requirements = [one for one in selection.requirements if one.field not in but]
    reference = question.reference
    than = {condition.field for condition in question.conditions if condition.than}
    if reference is None or not any(one.field in than for one in requirements):
        return requirements_said(voice, requirements, selection.choices)
    supports = [voice.value(gpu_id, key) for gpu_id in reference.gpu_ids for key in than]
    name = combine(mention_name(voice, reference), [Said("", (), said.supports) for said in supports])
    set_by_it = requirements_said(voice, [one for one in requirements if one.field in than])
    own = [one for one in requirements if one.field not in than]
    words = phrase("filter.than", voice.language, condition=set_by_it, card=name)
    rest = [requirements_said(voice, own, selection.choices)] if own or selection.choices else []
    return join([words, *rest], say("filter.and", voice.language))


def _passing(page: Page, voice: Voice, question: Question, selection: Selection, words: Said) -> None:
    language = voice.language
    ids = _checked_first(selection)
    if not ids:
        page.add(sentence("filter.met_none", language, conditions=words))
        return
    key = "filter.met_head" if len(ids) > 1 else "filter.met_head_one"
    if not words.text:
        words = Said(say("filter.all_cards", language))
    page.add(sentence(key, language, conditions=words, count=counted(len(ids))))
    shown = ids[: min(selection.interpretation.limit or MOST_ROWS, MOST_ROWS)]
    page.add(_table(voice, selection, shown))
    tiers = Counter(voice.spec(gpu_id).tier for gpu_id in ids)
    if tiers[2] and not tiers[1]:
        page.add(sentence("filter.tiers_second", language))
    elif tiers[2]:
        page.add(sentence("filter.tiers", language, first=counted(tiers[1]), second=counted(tiers[2])))
    if len(ids) > len(shown):
        page.add(sentence("filter.more", language, count=counted(len(ids) - len(shown))))


def _checked_first(selection: Selection) -> list[str]:
    """Cards checked against several sources before those of one database, each by score."""
    rows = sorted(selection.ranking.rows, key=lambda row: int(selection.columns.tiers[row]))
    return [selection.columns.gpu_ids[row] for row in rows]


def _table(voice: Voice, selection: Selection, ids: Sequence[str]) -> DraftTable:
    fields = [one.field for one in selection.stated if one.field in FIELDS and one.field != "vendor"]
    wanted = [key for one in selection.ranking.criteria for key in one.keys]
    shown = [*fields, *wanted, *(selection.scenario.show if selection.scenario else ())]
    plain = [key for key in dict.fromkeys(shown) if key != "architecture"]
    keys = plain[:_MOST_COLUMNS] if any(FIELDS[key].kind == "number" for key in plain) else _LIST_FIELDS
    table = cards_table(voice, ids, keys)
    is_scored = len(selection.ranking.criteria) > 1 or any(len(one.keys) > 1 for one in selection.ranking.criteria)
    if is_scored:
        column = Column("score", say("filter.score", voice.language))
        rows = tuple(_scored(selection, row) for row in table.rows)
        table = replace(table, columns=(*table.columns, column), rows=rows)
    return with_tiers(voice, table)


def _scored(selection: Selection, row: DraftRow) -> DraftRow:
    score = selection.score(selection.columns.row_of[row.key])
    if score is None:
        return row
    return replace(row, cells={**row.cells, "score": cell(derived(score, digits=3), score, None)})


def _reading(page: Page, voice: Voice, question: Question, selection: Selection) -> None:
    """How the question was read: what was not understood, what was assumed."""
    read, language = selection.interpretation, voice.language
    reference = question.reference.text.strip() if question.reference else None
    lost = [text for text in read.not_understood if reference is None or reference not in text]
    if lost:
        quoted = [phrase("join.quote", language, text=text) for text in lost]
        page.add(sentence("filter.not_understood", language, words=listed(quoted, language)))
    for note in read.notes:
        if reference is not None and reference in note.zh:
            continue  # the conditions say already whose figure it is
        page.add(sentence("filter.note", language, text=_figured(note.text(language).rstrip("。."))))


def _ranked_by(page: Page, voice: Voice, selection: Selection) -> None:
    """What the order and the score come from, with the weights."""
    criteria, language = selection.ranking.criteria, voice.language
    plain = len(criteria) < 2 and selection.scenario is None and not selection.interpretation.criteria
    if len(selection.passing) < 2 or plain:
        return
    parts = listed([_weighed(voice, one) for one in criteria], language)
    if selection.scenario is None:
        page.add(sentence("filter.ranked_plain", language, parts=parts))
    else:
        page.add(sentence("filter.ranked", language, use=selection.scenario.said(language), parts=parts))


def _weighed(voice: Voice, one: Criterion) -> Said:
    labels = [voice.label(key) for key in one.keys]
    label = " / ".join(labels) if labels else one.label(voice.language)
    return phrase("filter.weight", voice.language, label=label, weight=derived(one.weight))


def _figured(text: str) -> Said:
    """Words of our own with their numbers, which repeat the question's."""
    facts = []
    for token in number_tokens(text):
        value: float | str = token.text if token.quantity is None else token.quantity.value
        unit = token.quantity.unit or None if token.quantity is not None else None
        facts.append(DraftFact(None, None, value, unit, None, "derived"))
    return Said(text, tuple(facts))

"""Answers from the catalogue: deterministic, every figure with its line of the card's sheet."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

from kb.answer.draft import Draft
from kb.answer.question import Intent, Question
from kb.answer.question.workloads import model_shapes
from kb.answer.structured.checks import check_conditions
from kb.answer.structured.chips import chips
from kb.answer.structured.choice import choose, weigh
from kb.answer.structured.compare import compare
from kb.answer.structured.conditions import judge
from kb.answer.structured.conversions import convert
from kb.answer.structured.directions import directions
from kb.answer.structured.filters import filter_cards
from kb.answer.structured.link_premise import link_premise
from kb.answer.structured.list_price import list_prices
from kb.answer.structured.lookup import look_up, parts_of
from kb.answer.structured.names import mention_name
from kb.answer.structured.not_held import write_not_held
from kb.answer.structured.overview import overview
from kb.answer.structured.page import Page
from kb.answer.structured.premises import Checked, check_claims, documents_on, write_corrections
from kb.answer.structured.read_as import read_as
from kb.answer.structured.rendering import write_rendering, write_suitability
from kb.answer.structured.said import sentence
from kb.answer.structured.selection import asks_for_selection, superlative_of
from kb.answer.structured.sizing import size
from kb.answer.structured.slices import write_slices
from kb.answer.structured.sources import source_sentences, sources
from kb.answer.structured.superlatives import superlative
from kb.answer.structured.systems import systems_named, write_counts, write_systems
from kb.answer.structured.unknown import unknown_cards
from kb.answer.structured.voice import HAD, SheetCache, Voice
from kb.selection.scenarios import Scenarios, load_scenarios
from kb.selection.selector import Selector
from kb.specs.catalog import Catalog
from kb.types import Language

Writer = Callable[[Page, Voice, Question], None]
_IN_DOUBT = {"conflicting", "unresolved"}
_LINKS = {"interconnect", "interconnect_gb_s"}


class StructuredComposer:
    """Composes answers from one catalogue. Safe to share between threads."""

    def __init__(self, catalog: Catalog, selector: Selector | None = None) -> None:
        self._catalog = catalog
        self._selector = selector or Selector(catalog, load_scenarios())
        self._writers: Mapping[Intent, Writer] = {
            **_WRITERS,
            "filter": partial(filter_cards, selector=self._selector),
            "superlative": partial(superlative, selector=self._selector),
            "compare": partial(_compare, scenarios=self._selector.scenarios),
        }
        self._sheets = SheetCache()

    def warm(self) -> None:
        """Build every record and read the models, so that no question waits for it."""
        model_shapes()
        for spec in self._catalog.gpus.values():
            self._catalog.entry(spec.gpu_id, "memory_gb")

    def compose(self, question: Question) -> Draft | None:
        """The answer to a question that the catalogue answers; `None` sends it to the documents."""
        if not len(self._catalog):
            return None
        voice = Voice(self._catalog, question.language, self._sheets)
        page = Page(question.language)
        if question.unknown and (question.intent != "passages" or question.cards):
            unknown_cards(page, voice, question)
            if not question.cards or question.intent == "overview":
                return page.draft()
        if not self._write(page, voice, question):
            return page.draft() if page.parts else None
        if question.suitability == "rendering" and not question.purpose:
            write_rendering(page, voice, question)
        return page.draft() if page.parts else None

    def _write(self, page: Page, voice: Voice, question: Question) -> bool:
        """Write the answer; `False` if the catalogue has none."""
        intent = question.intent
        if intent == "passages" and question.suitability == "rendering" and question.cards and question.yes_no:
            write_suitability(page, voice, question, self._selector.scenarios)
            return True
        named = systems_named(voice, question)
        if question.asks_how_many and intent == "passages" and write_counts(page, voice, question, named):
            return True
        if question.slices and question.cards and (intent != "passages" or question.asks_how_many):
            write_slices(page, voice, question)
            return True
        if intent == "passages" and question.not_held and question.cards and not question.names_document:
            write_not_held(page, voice, question)
            return True
        if asks_for_selection(question, self._selector):
            first = superlative_of(question, self._selector)
            intent = "superlative" if first is not None else "filter"
            page.is_whole = first is not None
            question = replace(question, superlative=first or question.superlative, cards=())
        if intent in {"passages", "other", "greeting", "capability"}:
            return False
        if named and len(named) == len(question.cards) and intent not in {"filter", "superlative", "sizing", "source"}:
            write_systems(page, voice, question, named)
            return True
        if intent == "convert":
            return convert(page, voice, question) or _instead_of_converting(page, voice, question)
        if intent == "sizing":
            return size(page, voice, question)
        self._writers.get(intent, _of_named)(page, voice, question)
        return True


def _compare(page: Page, voice: Voice, question: Question, scenarios: Scenarios) -> None:
    write_corrections(page, check_claims(voice, question))
    purpose = scenarios.get(question.purpose)
    if purpose is not None and not question.fields:
        choose(page, voice, question, purpose)
    else:
        compare(page, voice, question)
        if purpose is not None:
            weigh(page, voice, question, purpose)


def _check(page: Page, voice: Voice, question: Question) -> None:
    """Bounds first ("under 75 W"), then what is claimed word for word."""
    bounds = tuple(c for c in question.conditions if c.operator != "eq" or not isinstance(c.value, str))
    if bounds:
        check_conditions(page, voice, replace(question, conditions=bounds))
    if question.claims or not bounds:
        _of_named(page, voice, question)


def _instead_of_converting(page: Page, voice: Voice, question: Question) -> bool:
    """The figures as they are, where what is asked cannot be converted."""
    if page.parts or not question.cards or not question.fields:
        return False
    _of_named(page, voice, question)
    return True


def _of_named(page: Page, voice: Voice, question: Question) -> None:
    """Look-ups, with what the question states put right first and what it asks to confirm answered in place."""
    checked = check_claims(voice, question)
    answered = _correct(page, voice, question, checked)
    names = (name for mention in question.cards for name in (mention.text.strip(), mention_name(voice, mention)))
    page.documents = page.documents or documents_on(checked, tuple(dict.fromkeys(names)))
    if question.intent == "overview" and all(item.is_silent for item in checked):
        overview(page, voice, question)
        return
    queried = [item for item in checked if item.claim.queried]
    if question.about_list_price and "price_usd" in question.fields:
        list_prices(page, voice, question)
        return
    if question.direction and "interconnect_gb_s" in question.fields:
        directions(page, voice, question)
        answered.add("interconnect_gb_s")
    elif question.intent != "conflict":
        answered |= _confirm(page, queried, question.language)
    fields = [key for key in question.fields if key not in answered]
    if not fields and not page.parts:
        fields = list(dict.fromkeys(item.field for item in checked if not item.is_silent))
        fields = fields or ["vendor"] if checked else fields
    if fields:
        _affirm(page, voice, question, fields)
        look_up(page, voice, question, fields)
        parts_of(page, voice, question, fields)
    for mention in question.cards:
        read_as(page, voice, mention)
    if question.intent == "conflict":
        _alternatives(page, queried)
    _add_what_is_left(page, voice, question, fields or [item.field for item in queried if item.holds])


def _add_what_is_left(page: Page, voice: Voice, question: Question, fields: list[str]) -> None:
    """What no field holds of what is asked, and where doubted figures come from."""
    if question.not_held and not page.documents:
        write_not_held(page, voice, question)
    if question.doubts:
        _vouch(page, voice, question, fields)


def _correct(page: Page, voice: Voice, question: Question, checked: list[Checked]) -> set[str]:
    """Put right what the question takes for granted; gives the fields that need no further word."""
    wrong_links = link_premise(voice, question)
    premises = [item for item in checked if not item.claim.queried]
    page.extend(wrong_links)
    if wrong_links:
        page.mark("false_premise")
        page.answered += 1
    write_corrections(page, premises)
    answered = {item.field for item in premises if not item.holds and not item.leaves_open}
    return answered | {"interconnect"} if wrong_links else answered


def _vouch(page: Page, voice: Voice, question: Question, fields: list[str]) -> None:
    """Where doubted figures come from; of a single card, so that the answer stays short."""
    if len(question.gpu_ids) == 1:
        page.extend(s for key in fields for s in source_sentences(voice, question.gpu_ids[0], key))


def _affirm(page: Page, voice: Voice, question: Question, fields: list[str]) -> None:
    """Say yes first, where the question is whether cards have something and all of them do; or that it is unsettled."""
    if question.doubts and any(voice.entry(i, k).state in _IN_DOUBT for i in question.gpu_ids for k in fields):
        page.add(sentence("reliable.unsettled", question.language))
    if not question.yes_no:
        return
    having = {c.field for c in question.conditions if c.operator == "has" and c.value is None}
    if having & _LINKS:
        having |= _LINKS
    for condition in question.conditions:
        asked = condition.field in fields and set(fields) <= having
        if asked and all(judge(voice.entry(i, condition.field), condition) == "pass" for i in question.gpu_ids):
            page.add(sentence("check.has" if condition.field in HAD else "check.supported", question.language))
            return


def _confirm(page: Page, queried: list[Checked], language: Language) -> set[str]:
    for item in queried:
        page.answered += 1
        if not item.holds:
            page.mark("false_premise")
            if not page.parts and item.sentences:
                page.add(sentence("check.not", language))
        page.extend(item.sentences)
    return {item.field for item in queried if not item.leaves_open}


def _alternatives(page: Page, queried: list[Checked]) -> None:
    """For "is it A or B": where each alternative that is not the card's own figure comes from."""
    for item in queried:
        if not item.holds:
            page.extend(item.sentences[1:])


_WRITERS: Mapping[Intent, Writer] = {
    "chip": chips,
    "source": sources,
    "check": _check,
}
"""What writes the answer of an intent; the others are look-ups."""

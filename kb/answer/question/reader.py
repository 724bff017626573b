"""Reading a question: cards, fields, figures, intent. Words are data (`vocabulary.yaml`), rules are few and general."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from kb.answer.question.claims import read_claims
from kb.answer.question.clauses import explains
from kb.answer.question.conversion import read_conversion
from kb.answer.question.counts import HOW_MANY, counts_of
from kb.answer.question.figures import bound_conditions, presence_conditions
from kb.answer.question.follow_up import Completed, complete
from kb.answer.question.intents import decide
from kb.answer.question.model import Condition, Group, Question, Superlative
from kb.answer.question.reading import Reading, unexplained_weight
from kb.answer.question.relative import read_relative
from kb.answer.question.scanner import BLANK, fold_in_place
from kb.answer.question.superlatives import read_superlative
from kb.answer.question.text_reader import TextReader
from kb.answer.question.vocabulary import Patterns, Vocabulary, load_vocabulary
from kb.answer.question.workloads import read_workload
from kb.specs.catalog import Catalog
from kb.specs.names import NameResolver
from kb.text import CJK, language_of
from kb.types import Language, Turn

_CJK_RUN = re.compile(f"[{CJK}]+")
_LATIN_WORD = re.compile(r"[a-z]{2,}")


class QuestionReader:
    """Reads questions against one catalogue."""

    def __init__(self, catalog: Catalog, resolver: NameResolver) -> None:
        self._catalog = catalog
        self._resolver = resolver
        self._words: Vocabulary = load_vocabulary(catalog)
        self._texts = TextReader(catalog, resolver, self._words)

    def read(self, question: str, history: Sequence[Turn] = (), language: Language | None = None) -> Question:
        """Understand a question, with what it needs of earlier turns."""
        reading = self._texts.read(question)
        completed = Completed(reading, question, False)
        if history:
            completed = complete(reading, history, self._words.patterns, self._texts.names, self._texts.read)
        return self._question(completed, language)

    def _question(self, completed: Completed, language: Language | None) -> Question:
        reading = completed.reading
        patterns = self._words.patterns
        plain = fold_in_place(reading.text).strip(" 。！!?？~～.、,，")
        bare = not reading.cards and not reading.unknown
        greeting = bare and bool(patterns.greeting.match(plain))
        capability = bare and not reading.asked.keys and bool(patterns.capability.search(plain))
        off_topic = bare and _is_off_topic(reading, patterns)
        if not completed.from_history:
            _set_apart_reference(reading)
            starts = [card.start for card in reading.cards]
            reading.workload = read_workload(reading.text, reading.folded, _stated_gb(reading), starts)
        self._add_what_was_cut(reading)
        superlative = read_superlative(reading, self._words)
        reading.conditions = [*reading.conditions, *_conditions(reading)]
        conversion = read_conversion(reading, self._words.numerals)
        intent = decide(reading, superlative, conversion, greeting=greeting, capability=capability)
        claims = read_claims(reading, intent)
        return Question(
            text=reading.text,
            asked=reading.asked_text,
            standalone=completed.standalone,
            language=language or _language(reading, self._words.technical),
            intent=intent,
            cards=reading.cards,
            excluded=reading.excluded,
            unknown=reading.unknown,
            reference=reading.reference,
            chips=reading.chips,
            fields=_fields(reading, superlative, intent) if intent != "sizing" else (),
            conditions=tuple(reading.conditions),
            groups=_groups(reading),
            claims=claims,
            superlative=superlative,
            conversion=conversion,
            direction=_direction(reading),
            sparsity=reading.asked.sparsity,
            generic_compute=reading.asked.generic,
            asks_same=reading.has("same") and reading.asks_yes_no,
            uses=tuple(dict.fromkeys(hit.text for hit in reading.hits("use"))),
            purpose=_purpose(reading),
            about_list_price=reading.has("list_price") and reading.asks_yes_no,
            doubts=reading.has("reliable"),
            not_held=tuple(dict.fromkeys(hit.value("not_held") for hit in reading.hits("not_held"))),
            counts=counts_of(reading.folded, reading.cards, self._words.numerals),
            asks_how_many=HOW_MANY.search(reading.folded) is not None,
            slices=tuple(dict.fromkeys(hit.value("slice") for hit in reading.hits("slice"))),
            workload=reading.workload,
            yes_no=reading.asks_yes_no,
            suitability="rendering" if _is_for_graphics(reading) else "",
            injected=reading.injected,
            unexplained=reading.unexplained if intent != "sizing" else (),
            wants_passages=_wants_passages(reading, intent),
            names_document=reading.has("document"),
            is_smalltalk=greeting or capability,
            is_clearly_out_of_scope=off_topic,
            from_history=completed.from_history,
        )

    def _add_what_was_cut(self, reading: Reading) -> None:
        """Name the parent that a question leaves out: what was cut in the A800 shows against the A100."""
        if not reading.has("cut") or len(reading.cards) != 1 or reading.unknown:
            return
        card = reading.cards[0]
        spec = self._catalog.get(card.gpu_ids[0])
        parent = self._words.cut_from.get(spec.name) or self._words.cut_from.get(spec.family)
        named = self._resolver.resolve(parent) if parent else ()
        if len(named) == 1 and named[0].gpu_ids:
            reading.cards = (replace(card, start=0), replace(named[0], start=0, end=0))


def _fields(reading: Reading, superlative: Superlative | None, intent: str) -> tuple[str, ...]:
    if intent == "lookup" and not reading.asked.keys and superlative is not None:
        return (superlative.field,)
    return tuple(reading.asked.keys)


def _is_off_topic(reading: Reading, patterns: Patterns) -> bool:
    """Whether the topic is none of ours; a "stock price" is no card's price."""
    match = patterns.off_topic.search(fold_in_place(reading.asked_text))
    return match is not None and all(match.start() <= at < match.end() for at in reading.asked.at.values())


def _set_apart_reference(reading: Reading) -> None:
    """Take a card that only bounds others out of the cards asked about."""
    relative = read_relative(reading)
    if relative is not None:
        reading.cards = ()
        reading.reference = relative.reference
        reading.conditions = list(relative.conditions)


def _is_for_graphics(reading: Reading) -> bool:
    return reading.has("rendering") or any(hit.value("workload") == "graphics" for hit in reading.hits("workload"))


def _stated_gb(reading: Reading) -> float | None:
    return next((stated.quantity.value for stated in reading.stated if stated.quantity.unit in {"GB", "GiB"}), None)


def _purpose(reading: Reading) -> str:
    """What a choice between named cards is for."""
    if len(reading.cards) < 2 or not (reading.has("advice", "compare", "alternative") or reading.asked.keys):
        return ""
    hits = reading.hits("workload")
    return hits[0].value("workload") if hits else ""


def _conditions(reading: Reading) -> list[Condition]:
    exact = not reading.cards and reading.has("filter", "superlative")
    years = [year for year in reading.years if year.operator != "eq" or len(reading.cards) != 1]
    bounds = [*bound_conditions(reading.stated, reading.asked, exact=exact), *years]
    used = {condition.field for condition in bounds}
    return [*bounds, *presence_conditions(reading.clauses, reading.asked, used)]


def _groups(reading: Reading) -> tuple[Group, ...]:
    groups: list[Group] = []
    for clause in reading.clauses:
        for hit in clause.hits:
            text = reading.text[hit.start : hit.end].strip()
            if hit.is_a("group"):
                kind = hit.value("group")
                if kind in {"domestic", "consumer", "datacentre", "foreign"}:
                    groups.append(Group(kind, kind, text))  # type: ignore[arg-type]
            elif hit.is_a("vendor") and not hit.is_a("of_name"):
                groups.append(Group("vendor", hit.value("vendor"), text))
            elif hit.is_a("architecture"):
                groups.append(Group("architecture", hit.value("architecture"), text))
    return tuple(dict.fromkeys(groups))


def _direction(reading: Reading) -> Literal["", "one", "both"]:
    values = {hit.value("direction") for hit in reading.hits("direction")}
    return "one" if "one" in values else "both" if values else ""


def _wants_passages(reading: Reading, intent: str) -> bool:
    if intent in {"passages", "other"}:
        return True
    if reading.injected or intent == "sizing":
        return False
    explaining = any(explains(clause) for clause in reading.clauses)
    return (
        explaining
        or reading.has("rendering", "advice", "sizing", "other_field")
        or any("%" in hit.text or "percent" in hit.text for hit in reading.hits("other_quantity"))
        or unexplained_weight(reading.unexplained) >= 2
    )


def _language(reading: Reading, technical: frozenset[str]) -> Language:
    """The language of the words around the cards' names; of all of it where nothing stands around them."""
    around = reading.folded.replace(BLANK, " ")
    chinese = sum(len(run) for run in _CJK_RUN.findall(around))
    latin = sum(word not in technical for word in _LATIN_WORD.findall(around))
    if not chinese and not latin:
        return language_of(reading.text)
    return "zh" if chinese and chinese >= latin / 2 else "en"

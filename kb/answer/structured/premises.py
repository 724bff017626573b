"""What a question states of a card, held against the catalogue: corrected first, or confirmed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kb.answer.draft import Documents, Sentence
from kb.answer.phrases import quoted
from kb.answer.question import Claim, Condition, Question
from kb.answer.structured.conditions import judge
from kb.answer.structured.names import mention_name
from kb.answer.structured.origins import TOLERANCE, origin
from kb.answer.structured.page import Page
from kb.answer.structured.said import Said, Words, combine, join, phrase, sentence
from kb.answer.structured.voice import Voice
from kb.specs.names import Mention
from kb.text import fold

_MOST_ROUNDED = 0.025
_MOST_VALUES = 2
_SPACED = re.compile(r"(?<=\d)()(?=[a-z])")


@dataclass(frozen=True, slots=True)
class Checked:
    """A claim held against the catalogue.

    Attributes:
        field: what it is about.
        holds: it is right for at least one of the cards.
        sentences: how the answer says so.
        leaves_open: they do not say what the figure is, which must follow.
        of_nothing: it is no figure of the catalogue at all, so that a document may say where it comes from.
    """

    claim: Claim
    field: str
    holds: bool
    sentences: tuple[Sentence, ...]
    leaves_open: bool = False
    of_nothing: bool = False

    @property
    def is_silent(self) -> bool:
        """Whether nothing need be said of it: a vendor named beside its own card."""
        return self.field == "vendor" and self.holds and not self.claim.queried


def check_claims(voice: Voice, question: Question) -> list[Checked]:
    """Every claim of the question that the catalogue can judge."""
    checked: list[Checked] = []
    for claim in question.claims:
        mention = question.cards[claim.near]
        found = _check_word(voice, mention, claim) if isinstance(claim.value, str) else _check(voice, mention, claim)
        if found is not None:
            checked.append(found)
    return checked


# ---------------------------------------------------------------- numbers


def _check(voice: Voice, mention: Mention, claim: Claim) -> Checked | None:
    number = float(claim.value)
    key = claim.fields[0]
    tolerance = _tolerance(claim)
    asked_about = [k for k in claim.fields if any(_matches(voice, g, k, number, tolerance) for g in mention.gpu_ids)]
    if key in asked_about:
        return _holding(voice, mention, claim, key, number)
    if not any(voice.is_stated(gpu_id, key) for gpu_id in mention.gpu_ids):
        return _against_nothing(voice, mention, claim, key, number)
    source = origin(voice, mention, key, number, claim.text)
    if len(_value_groups(voice, mention, key)) > _MOST_VALUES:
        words: dict[str, Words] = {"card": mention_name(voice, mention), "stated": quoted(claim.text, voice.language)}
        first = sentence("premise.not_any", voice.language, label=voice.label(key, mention.gpu_ids[0]), **words)
        sentences = (first, source) if source else (first,)
        return Checked(claim, key, False, sentences, leaves_open=True, of_nothing=source is None)
    first = sentence(
        "premise.not_value",
        voice.language,
        card=mention_name(voice, mention),
        label=voice.label(key, mention.gpu_ids[0]),
        stated=quoted(claim.text, voice.language),
        value=values_of(voice, mention, key),
    )
    return Checked(claim, key, False, (first, source) if source else (first,), of_nothing=source is None)


def _holding(voice: Voice, mention: Mention, claim: Claim, key: str, number: float) -> Checked:
    """The figure is right: for all versions, for some, or only as one of several in dispute."""
    right = [gpu_id for gpu_id in mention.gpu_ids if _matches(voice, gpu_id, key, number, _tolerance(claim))]
    if not claim.queried:
        return Checked(claim, key, True, ())
    if any(voice.entry(gpu_id, key).state in {"conflicting", "unresolved", "variants"} for gpu_id in right):
        return Checked(claim, key, True, (), leaves_open=True)
    return Checked(claim, key, True, (_confirmed(voice, mention, right, key),), len(right) < len(mention.gpu_ids))


def _against_nothing(voice: Voice, mention: Mention, claim: Claim, key: str, number: float) -> Checked | None:
    """The card lacks what the claim is about: say so, and what the figure belongs to."""
    gpu_id = mention.gpu_ids[0]
    if voice.entry(gpu_id, key).state != "not_supported":
        return None
    found = voice.sentences(gpu_id, key, card=mention_name(voice, mention))
    source = origin(voice, mention, key, number, claim.text)
    return Checked(claim, key, False, (*found[:2], *((source,) if source else ()), *found[2:]))


def _tolerance(claim: Claim) -> float:
    """How far a figure may be off: rounded to the digits it is stated with ("2 TB/s" for 2039 GB/s), within limits."""
    digits = re.search(r"\d+(?:\.(\d+))?", claim.text)
    if digits is None or not float(digits.group()):
        return TOLERANCE
    half = 0.5 * 10.0 ** -len(digits.group(1) or "") / float(digits.group())
    return max(TOLERANCE, min(half, _MOST_ROUNDED))


def _matches(voice: Voice, gpu_id: str, key: str, number: float, tolerance: float) -> bool:
    figures = voice.entry(gpu_id, key).figures
    return any(
        figure.low is not None
        and figure.high is not None
        and figure.low * (1 - tolerance) <= number <= figure.high * (1 + tolerance)
        for figure in figures
    )


def _confirmed(voice: Voice, mention: Mention, right: Sequence[str], key: str) -> Sentence:
    value = combine(voice.value(right[0], key, qualified=True).text, [voice.value(gpu_id, key) for gpu_id in right])
    label = voice.label(key, right[0])
    if len(right) == len(mention.gpu_ids):
        name = mention_name(voice, mention)
        return sentence("premise.is_value", voice.language, card=name, label=label, value=value)
    name = ("、" if voice.language == "zh" else ", ").join(voice.name(gpu_id) for gpu_id in right)
    return sentence("premise.is_some", voice.language, card=name, label=label, value=value)


def values_of(voice: Voice, mention: Mention, key: str) -> Said:
    """The figures of all cards of a name, each once, with its version where they differ."""
    groups = _value_groups(voice, mention, key)
    parts = []
    for text, ids in groups.items():
        said = combine(text, [voice.value(gpu_id, key) for gpu_id in ids])
        if len(groups) > 1:
            said = combine(voice.value(ids[0], key).text, [said])
            names = ("、" if voice.language == "zh" else ", ").join(voice.name(gpu_id) for gpu_id in ids)
            said = phrase("states.said_by", voice.language, value=said, who=names)
        parts.append(said)
    return join(parts, "、" if voice.language == "zh" else ", ")


def _value_groups(voice: Voice, mention: Mention, key: str) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for gpu_id in mention.gpu_ids:
        if voice.is_stated(gpu_id, key):
            groups.setdefault(voice.value(gpu_id, key, qualified=True).text, []).append(gpu_id)
    return groups


# ---------------------------------------------------------------- words


_WORD_TEMPLATES = {
    "memory_type": "premise.not_memory",
    "architecture": "premise.not_architecture",
    "vendor": "premise.not_vendor",
    "pcie": "premise.not_value",
    "chip": "premise.not_value",
    "released_on": "premise.not_value",
}


def _check_word(voice: Voice, mention: Mention, claim: Claim) -> Checked | None:
    key = claim.fields[0]
    stated = [gpu_id for gpu_id in mention.gpu_ids if voice.is_stated(gpu_id, key)]
    if not stated:
        return None
    right = [gpu_id for gpu_id in stated if _word_holds(voice, gpu_id, claim)]
    if right and claim.queried and len(right) < len(stated):
        return Checked(claim, key, True, (_confirmed(voice, mention, right, key),))
    if right:
        value = values_of(voice, mention, key)
        name = mention_name(voice, mention)
        label = voice.label(key, stated[0])
        said = sentence("premise.is_value", voice.language, card=name, label=label, value=value)
        return Checked(claim, key, True, (said,) if claim.queried else ())
    words: dict[str, Words] = {
        "card": mention_name(voice, mention),
        "stated": quoted(claim.text.strip(), voice.language),
        "value": values_of(voice, mention, key),
    }
    if _WORD_TEMPLATES[key] == "premise.not_value":
        return Checked(
            claim, key, False, (sentence(_WORD_TEMPLATES[key], voice.language, label=voice.label(key), **words),)
        )
    return Checked(claim, key, False, (sentence(_WORD_TEMPLATES[key], voice.language, **words),))


def _word_holds(voice: Voice, gpu_id: str, claim: Claim) -> bool:
    key = claim.fields[0]
    if key == "vendor":
        return voice.spec(gpu_id).vendor_id == claim.value
    if key == "architecture":
        value = str(voice.entry(gpu_id, key).value or "").lower()
        wanted = str(claim.value).lower().split(" (")[0]
        return value.startswith(wanted) or wanted.startswith(value.split(" (")[0])
    condition = Condition(key, "eq", str(claim.value), claim.text)
    return judge(voice.entry(gpu_id, key), condition) != "fail"


# ---------------------------------------------------------------- in the answer


def documents_on(checked: Sequence[Checked], names: Sequence[str]) -> Documents | None:
    """Passages on the card that hold figures which are none of the catalogue; `None` if there is no such figure."""
    texts = [fold(item.claim.text).strip() for item in checked if item.of_nothing]
    if not texts:
        return None
    spellings = [spelling for text in texts for spelling in (text, re.sub(r"\s+", "", text), _SPACED.sub(r"\1 ", text))]
    return Documents("after", tuple(names), tuple(dict.fromkeys(spellings)))


def write_corrections(page: Page, checked: Sequence[Checked]) -> None:
    """Write what the question takes for granted and has wrong."""
    for item in checked:
        if not item.holds:
            page.mark("false_premise")
            page.answered += 1
            page.extend(item.sentences)

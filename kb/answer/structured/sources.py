"""Who says so: where the catalogue's figures of a card come from."""

from __future__ import annotations

from kb.answer.draft import Documents, Sentence
from kb.answer.phrases import say
from kb.answer.question import Question
from kb.answer.structured.names import mention_name
from kb.answer.structured.page import Page
from kb.answer.structured.premises import check_claims, write_corrections
from kb.answer.structured.said import join, sentence
from kb.answer.structured.voice import Voice
from kb.specs.schema import Figure

_MOST_CARDS = 2
_MOST_SOURCES = 3


def sources(page: Page, voice: Voice, question: Question) -> None:
    """Write, for each asked or stated figure, its sources, their date and how far they can be relied on."""
    checked = check_claims(voice, question)
    write_corrections(page, checked)
    keys = dict.fromkeys((*question.fields, *(item.field for item in checked if not item.is_silent)))
    for mention in question.cards:
        for key in keys:
            for gpu_id in mention.gpu_ids[:_MOST_CARDS]:
                _of_entry(page, voice, gpu_id, key, corrected=any(not item.holds for item in checked))
        names = (mention.text.strip(), mention_name(voice, mention))
        page.documents = Documents("after", tuple(dict.fromkeys(names)))


def _of_entry(page: Page, voice: Voice, gpu_id: str, key: str, *, corrected: bool) -> None:
    entry = voice.entry(gpu_id, key)
    if not entry.figures:
        page.missing += 1
        page.extend(voice.sentences(gpu_id, key))
        return
    page.answered += 1
    page.extend(source_sentences(voice, gpu_id, key))
    reasons = [entry.reason(voice.language)]
    if not corrected:
        reasons += [rejected.note(voice.language) for rejected in entry.rejected]
    for reason in filter(None, reasons):
        words = reason.rstrip("。.")
        said = voice.remark(words[:1].upper() + words[1:] if voice.language == "en" else words, gpu_id, key)
        page.add(sentence("states.note", voice.language, text=said))


def source_sentences(voice: Voice, gpu_id: str, key: str) -> list[Sentence]:
    """Where the figures of one entry come from, and whether the vendor is among the sources."""
    figures = voice.entry(gpu_id, key).figures
    if not figures:
        return []
    vendor = any(source.authority == "vendor" for figure in figures for source in figure.sources)
    last = sentence("source.is_vendor" if vendor else "source.is_not_vendor", voice.language)
    return [*(_sentence(voice, gpu_id, key, figure) for figure in figures), last]


def _sentence(voice: Voice, gpu_id: str, key: str, figure: Figure) -> Sentence:
    titles = [voice.remark(s.label(voice.language), gpu_id, key) for s in figure.sources[:_MOST_SOURCES]]
    source = join(titles, "、" if voice.language == "zh" else ", ")
    return sentence(
        "source.said",
        voice.language,
        card=voice.name(gpu_id),
        label=voice.label(key, gpu_id),
        value=voice.figure(gpu_id, key, figure),
        source=source,
        as_of=voice.remark(figure.as_of, gpu_id, key),
        confidence=say(f"source.{figure.confidence}", voice.language),
    )

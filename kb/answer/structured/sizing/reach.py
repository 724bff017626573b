"""What cards reach: those that it takes for a stated speed, and the longest context that they hold."""

from __future__ import annotations

from kb.answer.phrases import say
from kb.answer.structured.page import Page
from kb.answer.structured.said import Said, Words, combine, phrase, sentence
from kb.answer.structured.sizing.asked import Group, OfCard, Sized
from kb.answer.structured.sizing.parts import model_words
from kb.answer.structured.sizing.shown import calculation, cited, counted, layout_text, shown, shown_value
from kb.answer.structured.voice import Voice
from kb.sizing import Bounds, longest_context, replicas_for
from kb.sizing.placement import Layout


def reached(page: Page, voice: Voice, sized: Sized) -> list[OfCard]:
    """How many cards it takes for the speed asked for; gives the lines behind the answer."""
    lines: list[OfCard] = []
    wanted = sized.asked.target_tokens_s or 0.0
    for group in sized.groups:
        found = replicas_for(group.first, wanted)
        if found is None:
            page.add(sentence("sizing.no_rate", voice.language, card=group.name))
            continue
        layout = phrase("sizing.in_layout", voice.language, layout=layout_text(found.layout))
        words: dict[str, Words] = {
            **model_words(sized, voice.language),
            "card": _name(voice, group),
            "wanted": shown_value(wanted, "tokens/s"),
            "cards": counted(found.line.value.high),
            "least": counted(found.least),
            "copies": counted(found.copies),
            "each": counted(found.layout.cards),
            "layout": layout if found.layout.cards > 1 else Said(""),
            "sequences": counted(found.sequences),
        }
        page.add(sentence("sizing.reached", voice.language, **words))
        how = calculation(voice, found.line)
        # The speed of a copy comes from the same figures as that of the cards that hold it.
        rates = (line for one in group.estimates if one.decode for line in one.decode.lines)
        page.add(sentence("sizing.because", voice.language, how=combine(how.text, [how, cited(voice, rates)])))
        lines.append((group.name, found.line))
    return lines


def longest(page: Page, voice: Voice, sized: Sized) -> None:
    """The longest context that the cards there are hold."""
    for group in holding(page, voice, sized):
        found = longest_context(group.first)
        if found is None:
            page.add(sentence("sizing.no_context_fits", voice.language, **where(voice, sized, group)))
            continue
        least, most = (_plain(tokens) for tokens in (found.tokens.low, found.tokens.high))
        words: dict[str, Words] = {
            **where(voice, sized, group),
            "tokens": shown(Bounds(least, most)),
            "most": counted(most),
            "sequences": counted(sized.workload.sequences),
            "limit": say(f"sizing.limit_{found.limit}", voice.language),
        }
        page.add(sentence("sizing.longest" if least else "sizing.longest_at_most", voice.language, **words))


def _plain(tokens: float) -> float:
    """Tokens without digits that mean nothing; a model's own limit as it is."""
    return tokens if tokens % 1024 == 0 else tokens // 100 * 100


def holding(page: Page, voice: Voice, sized: Sized) -> list[Group]:
    """The groups of cards that hold the workload; of the others it is said that they do not."""
    found = []
    for group in sized.groups:
        if group.first.layout is None or group.first.verdict == "does_not_fit":
            words: dict[str, Words] = {"card": _name(voice, group), "count": counted(group.first.given or 1)}
            page.add(sentence("sizing.not_held", voice.language, **model_words(sized, voice.language), **words))
        else:
            found.append(group)
    return found


def where(voice: Voice, sized: Sized, group: Group) -> dict[str, Words]:
    """Cards and layout that a sentence is about, and the model on them."""
    layout = group.first.layout or Layout()
    count = counted(group.first.cards or layout.cards)
    text = phrase("sizing.in_layout", voice.language, layout=layout_text(layout)) if layout.cards > 1 else Said("")
    return {"card": _name(voice, group), "count": count, "layout": text, **model_words(sized, voice.language)}


def _name(voice: Voice, group: Group) -> Said:
    """The name of a group; the memory of its cards, by which they hold the workload, is cited."""
    memory = [voice.value(found.card.gpu_id, "memory_gb") for found in group.estimates]
    return Said(group.name, (), combine("", memory).supports)


def rounded_speed(value: float) -> float:
    """Tokens per second without digits that mean nothing."""
    return round(value) if value >= 10 else round(value, 1)

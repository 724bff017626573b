"""Whether a price is the vendor's own or what a market asks."""

from __future__ import annotations

from kb.answer.phrases import quoted
from kb.answer.question import Question
from kb.answer.structured.names import mention_name
from kb.answer.structured.page import Page
from kb.answer.structured.said import combine, sentence
from kb.answer.structured.voice import Voice

_TOLERANCE = 0.012


def list_prices(page: Page, voice: Voice, question: Question) -> None:
    """Write for each named card whether its price, or the stated one, is the vendor's."""
    stated = next((claim for claim in question.claims if "price_usd" in claim.fields), None)
    for mention in question.cards:
        page.answered += 1
        priced = [gpu_id for gpu_id in mention.gpu_ids if voice.is_stated(gpu_id, "price_usd")]
        for gpu_id in priced:
            figure = voice.entry(gpu_id, "price_usd").figures[0]
            value = voice.figure(gpu_id, "price_usd", figure, qualified=False)
            own = "list_price" in figure.qualifiers
            if own and stated is not None and not _close(stated.value, figure.value):
                wrong = quoted(stated.text, voice.language)
                page.add(
                    sentence("list_price.other", voice.language, card=voice.name(gpu_id), value=value, stated=wrong)
                )
            else:
                template = "list_price.yes" if own else "list_price.no"
                page.add(sentence(template, voice.language, card=voice.name(gpu_id), value=value))
            page.extend(voice.caveats(gpu_id, "price_usd"))
            if not own:
                page.mark("false_premise")
        if not priced:
            name = combine(mention_name(voice, mention), [voice.value(i, "price_usd") for i in mention.gpu_ids])
            page.add(sentence("list_price.none", voice.language, card=name))


def _close(stated: float | str, known: float | str | None) -> bool:
    if not isinstance(stated, float | int) or not isinstance(known, float | int):
        return False
    return abs(stated - known) <= _TOLERANCE * known

"""Rows that fit a question, told as one sentence: how many, why these, which."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

from kb.answer.draft import DraftFact, Evidence, Sentence, Support
from kb.answer.extract.listed import Listing
from kb.answer.extract.table import TableRow
from kb.answer.extract.wording import say
from kb.types import Language, Span

EvidenceAt = Callable[[str, int], Evidence]
"""The passage of a document that holds a position of its text."""


def told(found: Sequence[Listing], evidence_at: EvidenceAt, language: Language) -> tuple[Sentence, ...]:
    """One sentence for each table."""
    return tuple(
        _sentence(listing, evidence_at, language, end="\n\n" if number + 1 < len(found) else "")
        for number, listing in enumerate(found)
    )


def _sentence(listing: Listing, evidence_at: EvidenceAt, language: Language, end: str) -> Sentence:
    table = listing.table
    doc_id = table.document.doc_id
    rows = [row for number in listing.rows if (row := table.row(number)) is not None]
    labels = list(dict.fromkeys(row.label.strip(" *:：`") for row in rows))
    pairs = [say("listed_pair", language, name=name.strip(" *:："), value=value) for name, value in listing.why]
    joint = "、" if language == "zh" else ", "
    heading = "" if re.search(r"\d", table.heading) else table.heading.strip(" *:：")  # a number there has no support
    text = say(
        "listed",
        language,
        lead=say("listed_lead", language, heading=heading) if heading else "",
        why=say("listed_why", language, pairs=joint.join(pairs)) if pairs else "",
        count=len(labels),
        items=joint.join(labels),
    )
    supports = tuple(Support(evidence_at(doc_id, span.start), span) for span in _places(rows, doc_id, evidence_at))
    heads = tuple(Support(supports[0].evidence, span) for span in table.header.spans) if supports else ()
    return Sentence(text, (*supports, *heads), (DraftFact(None, None, len(labels), None, None, "derived"),), end=end)


def _places(rows: Sequence[TableRow], doc_id: str, evidence_at: EvidenceAt) -> Iterator[Span]:
    """Where the rows stand; neighbours in one passage are one place. A label above its row has a place of its own."""
    current: Span | None = None
    for row in rows:
        is_next = current is not None and row.span.start <= current.end + 1
        if is_next and current is not None and _is_one_passage(doc_id, current, row.span, evidence_at):
            current = Span(current.start, row.span.end)
        else:
            if current is not None:
                yield current
            current = row.span
        if not current.start <= row.label_span.start < current.end:
            yield row.label_span
    if current is not None:
        yield current


def _is_one_passage(doc_id: str, one: Span, other: Span, evidence_at: EvidenceAt) -> bool:
    return evidence_at(doc_id, one.start).key == evidence_at(doc_id, other.start).key

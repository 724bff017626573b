"""Dates of a text."""

from __future__ import annotations

import re
from collections.abc import Iterator

from kb.types import Span

_DATE = re.compile(
    r"(?<!\d)((?:19|20)\d\d)(?:\s?年(?:\s?(\d{1,2})\s?月(?:\s?(\d{1,2})\s?[日号])?)?|[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?!\d))?(?!\d|,\d|\.\d)"
)
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_ENGLISH_DATE = re.compile(
    rf"(?<![a-z])({'|'.join(_MONTHS)})[a-z]*\.?\s(?:(\d{{1,2}})(?:st|nd|rd|th)?,?\s)?((?:19|20)\d\d)"
    rf"|(\d{{1,2}})\s({'|'.join(_MONTHS)})[a-z]*\.?\s((?:19|20)\d\d)"
)


def dates_in(folded: str) -> Iterator[tuple[Span, str]]:
    """Dates as ISO 8601, as precisely as they are written."""
    taken: list[Span] = []
    for match in _ENGLISH_DATE.finditer(folded):
        month, day, year = match.group(1), match.group(2), match.group(3)
        if month is None:
            day, month, year = match.group(4), match.group(5), match.group(6)
        taken.append(Span(*match.span()))
        yield taken[-1], _iso(year, str(_MONTHS.index(month) + 1), day)
    for match in _DATE.finditer(folded):
        if any(span.start < match.end() and match.start() < span.end for span in taken):
            continue
        yield (
            Span(*match.span()),
            _iso(match.group(1), match.group(2) or match.group(4), match.group(3) or match.group(5)),
        )


def _iso(year: str, month: str | None, day: str | None) -> str:
    return "-".join([year, *(f"{int(part):02d}" for part in (month, day) if part)])

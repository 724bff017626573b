"""What kind of thing a question wants to hear, and whether a text holds one. Patterns are data, in `expected.yaml`.

A passage on the right topic without a figure in dollars cannot say what something costs.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources

import yaml

from kb.text import fold


@dataclass(frozen=True, slots=True)
class Expected:
    """One kind of answer.

    Attributes:
        name: of the kind.
        asked: finds, in a folded question, that it is wanted.
        held: finds, in a folded text, that one is there.
        is_unit: it names the very unit of the answer, so that a text without it says nothing to the question.
    """

    name: str
    asked: re.Pattern[str]
    held: re.Pattern[str]
    is_unit: bool = False


@lru_cache(maxsize=1024)
def expected_kinds(question: str) -> tuple[Expected, ...]:
    """The kinds of answer a question wants: every unit it names, and the first other kind that fits."""
    folded = fold(question)
    wanted = [kind for kind in _kinds() if kind.asked.search(folded)]
    others = [kind for kind in wanted if not kind.is_unit]
    return (*(kind for kind in wanted if kind.is_unit), *others[:1])


@cache
def _kinds() -> tuple[Expected, ...]:
    data = yaml.safe_load(resources.files("kb.answer").joinpath("expected.yaml").read_text("utf-8"))
    return tuple(
        Expected(name, _pattern(patterns["asked"]), _pattern(patterns["held"]), is_unit=group == "units")
        for group in ("units", "kinds")
        for name, patterns in data[group].items()
    )


def _pattern(alternatives: Sequence[str]) -> re.Pattern[str]:
    return re.compile("|".join(alternatives))

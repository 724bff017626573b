"""The fields of the catalogue: key, unit, labels, what people call them. Data in `fields.yaml` beside this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a card.

    Attributes:
        key: as in the HTTP contract, unit in the name.
        kind: `number` fields compare and convert; `date` is ISO 8601, maybe only a year or month.
        unit: as shown, for example `GB/s`; empty for text and counts.
        label_zh, label_en: how answers name it.
        terms_zh, terms_en: what people write when they mean it, longest match wins.
        better: which direction is better for a buyer; `none` where neither is.
        note_zh, note_en: what must be said with the figure (`both directions together`, `dense`…); may be empty.
    """

    key: str
    kind: Literal["number", "text", "date"]
    unit: str
    label_zh: str
    label_en: str
    terms_zh: tuple[str, ...]
    terms_en: tuple[str, ...]
    better: Literal["higher", "lower", "none"]
    note_zh: str = ""
    note_en: str = ""

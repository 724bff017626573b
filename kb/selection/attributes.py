"""What can be required of a card: the catalogue's fields, and what identifies a record.

gpu_id    its id
family    what people call the group it belongs to
tier      1: checked against several sources; 2: one database's record
per       what its figures are for: card, gpu_of_board, package, system
segment   consumer or datacentre, by the product line in its name; unknown where the name does not tell
series    the product series in its name, `GeForce RTX 40`; `others` where the name tells none
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from kb.errors import RequestError
from kb.selection.series import series_of
from kb.specs.fields import FIELDS, FieldKind
from kb.specs.schema import GpuSpec
from kb.types import Language

_CONSUMER_LINE = re.compile(r"geforce|radeon rx|\barc [ab]\d|\btitan\b|mtt s[3678]0\b")


@dataclass(frozen=True, slots=True)
class Attribute:
    """Something that identifies a record; it has no figure and no source."""

    key: str
    kind: FieldKind
    zh: str
    en: str


ATTRIBUTES: Final[Mapping[str, Attribute]] = {
    row.key: row
    for row in (
        Attribute("gpu_id", "text", "型号", "card"),
        Attribute("family", "text", "系列", "family"),
        Attribute("tier", "number", "目录层级", "tier of the catalogue"),
        Attribute("per", "text", "数字的对象", "what the figures are for"),
        Attribute("segment", "text", "产品线", "product line"),
        Attribute("series", "text", "产品系列", "product series"),
    )
}
"""Every attribute by key."""


VERSIONS: Final = frozenset({"compute_capability"})
"""Texts that are versions: 8.9 comes after 8.6, so they can be bounded like numbers."""


def kind_of(key: str) -> FieldKind:
    """The kind of values a field or attribute has; versions are numbers here.

    Raises:
        RequestError: there is no such field; names the nearest.
    """
    if key in VERSIONS:
        return "number"
    if key in FIELDS:
        return FIELDS[key].kind
    if key in ATTRIBUTES:
        return ATTRIBUTES[key].kind
    near = difflib.get_close_matches(key, [*FIELDS, *ATTRIBUTES], n=1)
    hint = f"Did you mean {near[0]}?" if near else f"The fields are: {', '.join((*FIELDS, *ATTRIBUTES))}."
    zh = f"是不是 {near[0]}？" if near else f"可用的字段：{'、'.join((*FIELDS, *ATTRIBUTES))}。"
    raise RequestError(f"There is no field {key!r}.", hint, zh=f"没有字段 {key}。{zh}")


def label_of(key: str, language: Language) -> str:
    """What a field or attribute is called."""
    if key in FIELDS:
        return FIELDS[key].label(language)
    return ATTRIBUTES[key].zh if language == "zh" else ATTRIBUTES[key].en


def unit_of_field(key: str) -> str:
    """The unit of a field's figures; empty for texts, counts and attributes."""
    return FIELDS[key].unit if key in FIELDS else ""


def value_of(spec: GpuSpec, key: str) -> float | str | None:
    """A record's attribute; `None` where it cannot be told."""
    if key == "segment":
        return segment_of(spec.name, spec.tier)
    if key == "series":
        return series_of(spec.name)
    value = getattr(spec, key)
    return float(value) if isinstance(value, int) else str(value) or None


def segment_of(name: str, tier: int) -> str | None:
    """`consumer` or `datacentre` by the product line that a card's name states."""
    if _CONSUMER_LINE.search(name.lower()):
        return "consumer"
    # The second tier mixes workstation, mobile and old cards, whose names tell nothing of the kind.
    return "datacentre" if tier == 1 else None

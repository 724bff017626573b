"""The fields of the catalogue: key, unit, labels, what people call them. Data in `fields.yaml` beside this file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dataclasses import field as dataclass_field
from importlib import resources
from types import MappingProxyType
from typing import Literal

import yaml

from kb.errors import CatalogError
from kb.types import Language

FieldKind = Literal["number", "text", "date"]


@dataclass(frozen=True, slots=True)
class Field:
    """One field of a card.

    Attributes:
        key: as in the HTTP contract, unit in the name.
        kind: `number` fields compare and convert; `date` is ISO 8601, maybe only a year or month.
        unit: as shown, for example `GB/s`; empty for text and counts.
        label_zh, label_en: how answers name it.
        terms_zh, terms_en: what people write when they mean it, longest match wins. Compare folded, with spaces and
            hyphens left out.
        better: which direction is better for a buyer; `none` where neither is.
        note_zh, note_en: what must be said with the figure (`both directions together`, `dense`…); may be empty.
        values_zh: how answers in Chinese write a text value, where it differs.
        qualifiers: words that go with every figure of the field, see `schema.QUALIFIERS`.
        sparse_of: the dense field this one is the structured-sparsity figure of; else empty.
    """

    key: str
    kind: FieldKind
    unit: str
    label_zh: str
    label_en: str
    terms_zh: tuple[str, ...]
    terms_en: tuple[str, ...]
    better: Literal["higher", "lower", "none"]
    note_zh: str = ""
    note_en: str = ""
    values_zh: Mapping[str, str] = dataclass_field(default_factory=dict, hash=False)
    qualifiers: tuple[str, ...] = ()
    sparse_of: str = ""

    def label(self, language: Language) -> str:
        """How answers in `language` name the field."""
        return self.label_zh if language == "zh" else self.label_en

    def note(self, language: Language) -> str:
        """What answers in `language` must say with the figure; may be empty."""
        return self.note_zh if language == "zh" else self.note_en

    def terms(self, language: Language) -> tuple[str, ...]:
        """What people writing in `language` call the field."""
        return self.terms_zh if language == "zh" else self.terms_en


def _read_fields() -> Mapping[str, Field]:
    text = resources.files("kb.specs").joinpath("fields.yaml").read_text(encoding="utf-8")
    fields: dict[str, Field] = {}
    for key, row in yaml.load(text, Loader=yaml.CSafeLoader).items():
        fields[key] = Field(
            key=key,
            kind=row.get("kind", "number"),
            unit=row.get("unit", ""),
            label_zh=row["zh"],
            label_en=row["en"],
            terms_zh=tuple(row["terms_zh"]),
            terms_en=tuple(row["terms_en"]),
            better=row.get("better", "none"),
            note_zh=row.get("note_zh", ""),
            note_en=row.get("note_en", ""),
            values_zh=MappingProxyType(row.get("values_zh", {})),
            qualifiers=tuple(row.get("qualifiers", ())),
            sparse_of=row.get("sparse_of", ""),
        )
    return MappingProxyType(fields)


FIELDS: Mapping[str, Field] = _read_fields()
"""Every field by key, in the order a sheet shows them."""

_SPARSE: Mapping[str, str] = MappingProxyType({f.sparse_of: f.key for f in FIELDS.values() if f.sparse_of})


def field(key: str) -> Field:
    """The field of that key.

    Raises:
        CatalogError: there is no such field.
    """
    found = FIELDS.get(key)
    if found is None:
        raise CatalogError(f"There is no field {key!r}.", f"The fields are: {', '.join(FIELDS)}.")
    return found


def sparse_key(key: str) -> str | None:
    """The structured-sparsity field that belongs to a dense one, if there is one."""
    return _SPARSE.get(key)

"""`/v1/gpus`: what the catalogue says of a card."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from pydantic import BaseModel, Field

from kb.specs.catalog import Catalog
from kb.specs.fields import FIELDS
from kb.specs.schema import QUALIFIERS, Entry, Figure, GpuSpec, SpecSource, State
from kb.text import fold
from kb.types import Language
from kb.wire.common import Listing


class SpecSourceOut(BaseModel):
    """Where a figure was read."""

    id: str
    title: str
    ref: str
    authority: str
    as_of: str


class FigureOut(BaseModel):
    """One stated value. A range has `value_low` and `value_high` and no `value`."""

    text: str
    value: float | str | None
    value_low: float | None
    value_high: float | None
    unit: str | None
    qualifier: str | None = Field(description="In words; `qualifiers` has the same for programs.")
    qualifiers: list[str]
    source: SpecSourceOut | None
    sources: list[SpecSourceOut]
    as_of: str | None
    confidence: str | None
    note: str | None


class SpecOut(FigureOut):
    """What is known of one field of one card."""

    label: str
    state: State
    reason: str | None = Field(description="Why the state is what it is.")
    conflicts: list[FigureOut] = Field(description="Further figures that hold or cannot be ruled out.")
    rejected: list[FigureOut] = Field(description="Figures that circulate and are wrong; the note says why.")


class GpuSummary(BaseModel):
    """A card in a list."""

    id: str
    object: Literal["gpu"] = "gpu"
    name: str
    vendor: str
    family: str
    tier: int = Field(description="1: checked against several sources; 2: one database's record.")
    per: str = Field(description="What the figures are for: card, gpu_of_board, package or system.")
    specs: dict[str, SpecOut] | None = None


class GpuOut(GpuSummary):
    """A card with all its fields."""

    board_count: int
    notes: list[str]


class GpuList(Listing):
    """Cards."""

    data: list[GpuSummary]
    total: int


class ComparedField(BaseModel):
    """One field of a comparison: a cell for each card."""

    key: str
    label: str
    unit: str | None
    better: str
    cells: dict[str, SpecOut]


class ComparisonOut(BaseModel):
    """Cards side by side."""

    object: Literal["comparison"] = "comparison"
    gpus: list[GpuSummary]
    fields: list[ComparedField]


def spec_out(entry: Entry, language: Language) -> SpecOut:
    """An entry as it is sent."""
    field = FIELDS[entry.key]
    shown = figure_out(entry.preferred, language) if entry.preferred else _no_figure(entry, language)
    return SpecOut(
        **dict(shown),
        label=field.label(language),
        state=entry.state,
        reason=entry.reason(language) or None,
        conflicts=[figure_out(figure, language) for figure in entry.others],
        rejected=[figure_out(figure, language) for figure in entry.rejected],
    )


_STATE_TEXT: dict[str, tuple[str, str]] = {
    "not_published": ("未公布", "not published"),
    "not_supported": ("不支持", "not supported"),
    "unresolved": ("各来源不一致", "sources disagree"),
}


def _no_figure(entry: Entry, language: Language) -> FigureOut:
    zh, en = _STATE_TEXT.get(entry.state, ("未知", "unknown"))
    return FigureOut(
        text=zh if language == "zh" else en,
        value=None,
        value_low=None,
        value_high=None,
        unit=FIELDS[entry.key].unit or None,
        qualifier=None,
        qualifiers=[],
        source=None,
        sources=[],
        as_of=None,
        confidence=None,
        note=None,
    )


def figure_out(figure: Figure, language: Language) -> FigureOut:
    """A figure as it is sent."""
    is_range = figure.value is None
    return FigureOut(
        text=figure.shown(language),
        value=figure.value,
        value_low=figure.low if is_range else None,
        value_high=figure.high if is_range else None,
        unit=figure.unit or None,
        qualifier=_qualifier_words(figure.qualifiers, language),
        qualifiers=list(figure.qualifiers),
        source=spec_source_out(figure.source, language),
        sources=[spec_source_out(source, language) for source in figure.sources],
        as_of=figure.as_of or None,
        confidence=figure.confidence,
        note=figure.note(language) or None,
    )


def _qualifier_words(qualifiers: Iterable[str], language: Language) -> str | None:
    words = [QUALIFIERS[key][0 if language == "zh" else 1] for key in qualifiers if key in QUALIFIERS]
    return ("、" if language == "zh" else ", ").join(words) or None


def spec_source_out(source: SpecSource, language: Language) -> SpecSourceOut:
    """A source as it is sent."""
    return SpecSourceOut(
        id=source.source_id,
        title=source.label(language),
        ref=source.ref,
        authority=source.authority,
        as_of=source.as_of,
    )


def gpu_summary(gpu: GpuSpec, catalog: Catalog, fields: Iterable[str], language: Language) -> GpuSummary:
    """A card with the named fields."""
    specs = {key: spec_out(catalog.entry(gpu.gpu_id, key), language) for key in fields}
    return GpuSummary(
        id=gpu.gpu_id,
        name=gpu.label(language),
        vendor=gpu.vendor_label(language),
        family=gpu.family,
        tier=gpu.tier,
        per=gpu.per,
        specs=specs or None,
    )


def gpu_out(gpu: GpuSpec, catalog: Catalog, language: Language) -> GpuOut:
    """A card with all its fields."""
    summary = gpu_summary(gpu, catalog, FIELDS, language)
    return GpuOut(**dict(summary), board_count=gpu.board_count, notes=list(gpu.notes(language)))


def comparison_out(
    gpus: Iterable[GpuSpec], catalog: Catalog, fields: Iterable[str], language: Language
) -> ComparisonOut:
    """Cards side by side; a field that none of them has is left out."""
    compared = list(gpus)
    rows = []
    for key in fields:
        entries = {gpu.gpu_id: catalog.entry(gpu.gpu_id, key) for gpu in compared}
        if any(entry.figures for entry in entries.values()):
            field = FIELDS[key]
            rows.append(
                ComparedField(
                    key=key,
                    label=field.label(language),
                    unit=field.unit or None,
                    better=field.better,
                    cells={gpu_id: spec_out(entry, language) for gpu_id, entry in entries.items()},
                )
            )
    return ComparisonOut(gpus=[gpu_summary(gpu, catalog, (), language) for gpu in compared], fields=rows)


def is_of(gpu: GpuSpec, vendor: str | None) -> bool:
    """Whether the card is a vendor's, by the vendor's id or name; `None` fits all."""
    return vendor is None or fold(vendor) in {fold(gpu.vendor_id), fold(gpu.vendor), fold(gpu.vendor_zh)}


def is_called(gpu: GpuSpec, part: str | None) -> bool:
    """Whether `part` stands in one of the card's names, whatever its case, spaces and hyphens; `None` fits all."""
    if part is None:
        return True
    wanted = _bare(part)
    return any(wanted in _bare(name) for name in (gpu.name, gpu.name_zh, gpu.gpu_id, gpu.family))


def _bare(name: str) -> str:
    return "".join(character for character in fold(name) if character.isalnum())

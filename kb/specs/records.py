"""The shapes of the catalogue's files, checked before anything is built from them.

`corpus/specs/*.yaml` hold card records, `corpus/sources.yaml` the sources, `corpus/specs/capabilities.yaml` what
architectures lack, `corpus/aliases.yaml` what people call vendors, families and cards, `corpus/systems.yaml` machines
of several cards and slices of one.
"""

from __future__ import annotations

import re
from typing import Annotated, Self

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StrictFloat, StrictInt, model_validator

from kb.specs.fields import FIELDS
from kb.specs.schema import QUALIFIERS, Authority, Confidence, Per, State

_ISO_DATE = re.compile(r"\d{4}(-\d{2}(-\d{2})?)?")

Slug = Annotated[str, Field(pattern=r"^[a-z0-9]+(-[a-z0-9]+)*$")]
Text = Annotated[str, Field(min_length=1)]


def _qualifier(word: object) -> object:
    if word not in QUALIFIERS:
        raise ValueError(f"{word!r} is not one of {', '.join(QUALIFIERS)}")
    return word


Qualifier = Annotated[str, BeforeValidator(_qualifier)]


class Record(BaseModel):
    """Base of all records: unknown keys are refused."""

    model_config = ConfigDict(extra="forbid")


class Stated(Record):
    """A value or a range, with what goes with it."""

    value: StrictInt | StrictFloat | str | None = None
    low: StrictInt | StrictFloat | None = None
    high: StrictInt | StrictFloat | None = None
    unit: str | None = None
    qualifiers: list[Qualifier] = []
    note_zh: str = ""
    note_en: str = ""

    @model_validator(mode="after")
    def _one_value_or_a_range(self) -> Self:
        if self.value is not None and (self.low is not None or self.high is not None):
            raise ValueError("has both `value` and a range")
        if (self.low is None) != (self.high is None):
            raise ValueError("has a range with one end")
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise ValueError("has a range whose `low` is not below `high`")
        if bool(self.note_zh) != bool(self.note_en):
            raise ValueError("has a note or reason in one language only")
        return self


class FigureRecord(Stated):
    """One stated value and where it was read."""

    confidence: Confidence
    sources: Annotated[list[str], Field(min_length=1)]

    @model_validator(mode="after")
    def _has_a_value(self) -> Self:
        if self.value is None and self.low is None:
            raise ValueError("needs `value`, or `low` and `high`")
        return self


class EntryRecord(Stated):
    """A field of a card: a figure with what else is said of it, or the state of having none."""

    state: State | None = None
    confidence: Confidence | None = None
    sources: list[str] = []
    reason_zh: str = ""
    reason_en: str = ""
    others: list[FigureRecord] = []
    rejected: list[FigureRecord] = []

    @property
    def resolved_state(self) -> State:
        """The state, `known` or `range` where it is left out."""
        return self.state or ("known" if self.low is None else "range")

    @property
    def preferred(self) -> FigureRecord | None:
        """The figure to state first."""
        if self.value is None and self.low is None:
            return None
        return FigureRecord.model_construct(
            value=self.value,
            low=self.low,
            high=self.high,
            unit=self.unit,
            sources=self.sources,
            confidence=self.confidence or "low",
        )

    @model_validator(mode="after")
    def _state_fits_figures(self) -> Self:
        state, figure = self.resolved_state, self.preferred
        if state in ("known", "range", "variants", "conflicting") and figure is None:
            raise ValueError(f"is {state} but has no value")
        if state in ("unresolved", "not_published", "not_supported") and figure is not None:
            raise ValueError(f"is {state} but has a value")
        if state in ("variants", "conflicting", "unresolved") and not (self.others and self.reason_zh):
            raise ValueError(f"is {state}: give the `others` and why (`reason_zh`, `reason_en`)")
        if figure is not None and not (self.sources and self.confidence):
            raise ValueError("has a value without `sources` or `confidence`")
        if bool(self.reason_zh) != bool(self.reason_en):
            raise ValueError("has a note or reason in one language only")
        if any(not (figure.note_zh and figure.note_en) for figure in self.rejected):
            raise ValueError("has a rejected figure without a note that says why, in both languages")
        return self


class CardRecord(Record):
    """A card of the first tier."""

    id: Slug
    name: Text
    name_zh: str = ""
    vendor: str
    family: Text
    architecture: str
    per: Per = "card"
    board_count: Annotated[int, Field(ge=1)] = 1
    lacks: list[str] = []
    notes_zh: list[Text] = []
    notes_en: list[Text] = []
    refs: dict[str, Text] = {}
    fields: dict[str, EntryRecord]

    @model_validator(mode="after")
    def _notes_in_both_languages(self) -> Self:
        if len(self.notes_zh) != len(self.notes_en):
            raise ValueError("has notes in one language only")
        return self


class SourceRecord(Record):
    """Where figures were read."""

    title: Text
    title_zh: Text
    ref: str = ""
    authority: Authority
    as_of: Annotated[str, Field(pattern=_ISO_DATE.pattern)]


class FeatureRecord(Record):
    """A hardware feature and the fields it covers."""

    fields: Annotated[list[str], Field(min_length=1)]
    zh: Text
    en: Text
    since_zh: dict[str, str] = {}
    since_en: dict[str, str] = {}


class ArchitectureRecord(Record):
    """An architecture and what it lacks."""

    vendor: str
    name: Text
    name_zh: str = ""
    lacks: list[str]


class DerivationRecord(Record):
    """A figure that follows from another one of the same card: `field` is `times` the figure of `of`."""

    field: str
    of: str
    times: Annotated[float, Field(gt=0)]
    architectures: Annotated[list[str], Field(min_length=1)]
    zh: Text
    en: Text


class CapabilitiesRecord(Record):
    """`capabilities.yaml`."""

    features: dict[str, FeatureRecord]
    architectures: dict[str, ArchitectureRecord]
    derivations: list[DerivationRecord] = []


class BoardsRecord(Record):
    """`breadth/boards.yaml`: GPUs on each board that carries several."""

    boards: dict[Slug, Annotated[int, Field(ge=2)]]


class VendorRecord(Record):
    """A vendor; `aliases` also hold the brand words that lead to it."""

    name: Text
    name_zh: Text
    domestic: bool = False
    aliases: list[Text] = []
    prefixes: list[Text] = []


class FamilyRecord(Record):
    """A name that several cards share."""

    members: Annotated[list[str], Field(min_length=2)]
    aliases: Annotated[list[Text], Field(min_length=1)]


class AliasesRecord(Record):
    """`aliases.yaml`."""

    vendors: dict[str, VendorRecord]
    families: dict[str, FamilyRecord] = {}
    cards: dict[str, list[Text]] = {}
    words: dict[str, list[Text]] = {}
    confusable: dict[str, str] = {}
    traditional: dict[str, str] = {}
    not_cards: list[Text] = []


class SystemRecord(Record):
    """A machine that holds several cards of one kind."""

    name: Text
    cards: Annotated[list[str], Field(min_length=1)]
    count: Annotated[int, Field(ge=2)]
    power_w: Annotated[int, Field(gt=0)] | None = None
    aliases: Annotated[list[Text], Field(min_length=1)]
    sources: Annotated[list[str], Field(min_length=1)]
    note_zh: str = ""
    note_en: str = ""


class SliceRecord(Record):
    """One MIG profile."""

    name: Annotated[str, Field(pattern=r"^\dg\.\d+gb$")]
    compute: Annotated[int, Field(ge=1)]
    memory_gb: Annotated[float, Field(gt=0)]
    most: Annotated[int, Field(ge=1)]


class SlicesRecord(Record):
    """The MIG profiles that some cards share."""

    cards: Annotated[list[str], Field(min_length=1)]
    of: Annotated[int, Field(ge=1)]
    sources: Annotated[list[str], Field(min_length=1)]
    profiles: Annotated[list[SliceRecord], Field(min_length=1)]


class SystemsRecord(Record):
    """`systems.yaml`."""

    systems: dict[Slug, SystemRecord] = {}
    slices: list[SlicesRecord] = []


def value_problem(key: str, figure: FigureRecord) -> str | None:
    """What is wrong with a figure of field `key`: its kind of value or its unit; `None` if nothing."""
    definition = FIELDS[key]
    if figure.unit is not None and figure.unit != definition.unit:
        return f"has the unit {figure.unit!r}; the field is in {definition.unit or 'no unit'}"
    values = [v for v in (figure.value, figure.low, figure.high) if v is not None]
    if definition.kind == "number":
        return None if all(isinstance(v, int | float) for v in values) else f"must be a number, not {values[0]!r}"
    if not all(isinstance(v, str) and v for v in values):
        return f"must be text in quotes, not {values[0]!r}"
    if definition.kind == "date" and not _ISO_DATE.fullmatch(str(figure.value)):
        return f"must be a date like 2023-03-21, 2023-03 or 2023, not {figure.value!r}"
    return None

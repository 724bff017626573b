"""What the catalogue says of a card: entries of figures, each with its source.

An entry is never simply absent. Its state tells a reader what is known:

    known          one figure holds
    range          the vendor publishes a range (`low`–`high`)
    variants       several figures hold, each on its own basis (sold with 48 or 96 GB; TDP and peak power)
    conflicting    sources disagree; `preferred` is the better founded, `others` cannot be ruled out: show both
    unresolved     sources disagree and none wins (`others`), or the only figure is doubtful
    not_published  nobody publishes it
    not_supported  the hardware lacks it (FP8 on an A100); a count of 0 is `known`
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from kb.types import Language

State = Literal["known", "range", "variants", "conflicting", "unresolved", "not_published", "not_supported"]
Authority = Literal["vendor", "measured", "database", "community", "derived"]
Confidence = Literal["high", "medium", "low"]
Per = Literal["card", "gpu_of_board", "package", "system"]
BOARD_COUNT = "board_count"
"""How many GPUs a board carries, in stored records."""
WHOLE_OF_BOARD = "tdp_w"
"""The field that one database states of a whole board, where its other figures are of one GPU."""


@dataclass(frozen=True, slots=True)
class SpecSource:
    """Where a figure was read.

    Attributes:
        source_id: key in `corpus/sources.yaml`.
        title, title_zh: in a reader's words.
        ref: address or place in it; may be empty.
        authority: whose word it is; `derived` means calculated from other figures.
        as_of: date of the edition read, ISO 8601, maybe only a year and month.
    """

    source_id: str
    title: str
    title_zh: str
    ref: str
    authority: Authority
    as_of: str

    def label(self, language: Language) -> str:
        """Its title in `language`."""
        return self.title_zh if language == "zh" else self.title


@dataclass(frozen=True, slots=True)
class Figure:
    """One stated value.

    Attributes:
        value: number in the field's unit, or text, or an ISO date; `None` for a range.
        low, high: both bounds of a range; equal to `value` for a plain number, `None` for text.
        unit: as in the field; empty for text and counts.
        text, text_zh: as shown, with its unit: `1935 GB/s`, `40–60 W`, `HBM2e`; `$1599`, in Chinese `1599 美元`.
        qualifiers: machine words that go with it, see `QUALIFIERS`.
        sources: where it was read, best first; never empty.
        as_of: date of the edition read.
        note_zh, note_en: what a reader must know with this figure; may be empty.
    """

    value: float | str | None
    low: float | None
    high: float | None
    unit: str
    text: str
    text_zh: str
    qualifiers: tuple[str, ...]
    sources: tuple[SpecSource, ...]
    as_of: str
    confidence: Confidence
    note_zh: str = ""
    note_en: str = ""

    @property
    def source(self) -> SpecSource:
        """The best source."""
        return self.sources[0]

    def shown(self, language: Language) -> str:
        """The value with its unit, in `language`."""
        return self.text_zh if language == "zh" else self.text

    def note(self, language: Language) -> str:
        """The note in `language`."""
        return self.note_zh if language == "zh" else self.note_en


@dataclass(frozen=True, slots=True)
class Entry:
    """What is known of one field of one card; see the module's docstring for the states.

    Attributes:
        preferred: the figure to state first; `None` for `unresolved`, `not_published` and `not_supported`.
        others: further figures that hold (`variants`) or cannot be ruled out (`conflicting`, `unresolved`).
        rejected: figures that circulate and are wrong; each one's note says why.
        reason_zh, reason_en: why the state is what it is; may be empty for `known`.
    """

    key: str
    state: State
    preferred: Figure | None = None
    others: tuple[Figure, ...] = ()
    rejected: tuple[Figure, ...] = ()
    reason_zh: str = ""
    reason_en: str = ""

    @property
    def figures(self) -> tuple[Figure, ...]:
        """Every figure that holds or may hold, preferred first."""
        return ((self.preferred,) if self.preferred else ()) + self.others

    @property
    def is_known(self) -> bool:
        """Whether there is a figure to state."""
        return self.preferred is not None

    @property
    def value(self) -> float | str | None:
        """The preferred figure's value; `None` where there is none or it is a range."""
        return self.preferred.value if self.preferred else None

    @property
    def bounds(self) -> tuple[float, float] | None:
        """Lowest and highest number among all figures that hold or may hold; `None` without numbers.

        A requirement passes or fails only where the whole span does.
        """
        lows = [f.low for f in self.figures if f.low is not None]
        highs = [f.high for f in self.figures if f.high is not None]
        return (min(lows), max(highs)) if lows and highs else None

    def reason(self, language: Language) -> str:
        """Why the state is what it is, in `language`."""
        return self.reason_zh if language == "zh" else self.reason_en


@dataclass(frozen=True, slots=True)
class GpuSystem:
    """A machine of several cards of one kind.

    Attributes:
        gpu_ids: the cards it is sold with, one of them at a time.
        gpu_count: how many of them it holds.
        power_w: the most the whole machine draws; `None` where the vendor gives none.
        aliases: what people call it.
        note_zh, note_en: what a reader must know of it; may be empty.
    """

    system_id: str
    name: str
    gpu_ids: tuple[str, ...]
    gpu_count: int
    power_w: int | None
    aliases: tuple[str, ...]
    source: SpecSource
    note_zh: str = ""
    note_en: str = ""

    def note(self, language: Language) -> str:
        """The note in `language`."""
        return self.note_zh if language == "zh" else self.note_en


@dataclass(frozen=True, slots=True)
class MigProfile:
    """A slice of a card: `compute` of its `compute_slices`, with memory of its own; at most `most` at once."""

    name: str
    compute: int
    compute_slices: int
    memory_gb: float
    most: int
    source: SpecSource


@dataclass(frozen=True, slots=True)
class GpuSpec:
    """One card, accelerator or chip.

    Attributes:
        gpu_id: lower-case ASCII slug, `a100-sxm4-80gb`.
        name, name_zh: as answers call it.
        vendor_id: `nvidia`; vendor, vendor_zh: as answers call it.
        tier: 1 for records checked against several sources, 2 for one database's record.
        family: what people call the group it belongs to (`A100`); may be empty.
        per: what the figures are for: the card, one GPU of a board that carries several, a package, a system.
        board_count: GPUs on the board where `per` is `gpu_of_board`, else 1.
        architecture_id: key in `capabilities.yaml`; may be empty.
        entries: every field's entry by key, in field order; never lacks one, so look at each `state`.
        notes_zh, notes_en: what must be known of the card as a whole.
        systems: machines that are sold with it.
        profiles: slices that MIG can cut it into; empty where none are recorded.
    """

    gpu_id: str
    name: str
    name_zh: str
    vendor_id: str
    vendor: str
    vendor_zh: str
    tier: Literal[1, 2]
    family: str
    per: Per
    board_count: int
    architecture_id: str
    entries: Mapping[str, Entry] = field(hash=False)
    notes_zh: tuple[str, ...] = ()
    notes_en: tuple[str, ...] = ()
    systems: tuple[GpuSystem, ...] = ()
    profiles: tuple[MigProfile, ...] = ()

    @property
    def known(self) -> tuple[Entry, ...]:
        """The entries that state a figure, in field order."""
        return tuple(entry for entry in self.entries.values() if entry.is_known)

    def label(self, language: Language) -> str:
        """Its name in `language`."""
        return self.name_zh if language == "zh" else self.name

    def vendor_label(self, language: Language) -> str:
        """Its vendor's name in `language`."""
        return self.vendor_zh if language == "zh" else self.vendor

    def notes(self, language: Language) -> tuple[str, ...]:
        """What must be known of the card, in `language`."""
        return self.notes_zh if language == "zh" else self.notes_en


@dataclass(frozen=True, slots=True)
class Vendor:
    """Who makes cards.

    Attributes:
        domestic: whether it is a Chinese vendor (国产).
        aliases: what people call it.
    """

    vendor_id: str
    name: str
    name_zh: str
    domestic: bool
    aliases: tuple[str, ...]

    def label(self, language: Language) -> str:
        """Its name in `language`."""
        return self.name_zh if language == "zh" else self.name


QUALIFIERS: Mapping[str, tuple[str, str]] = {
    "dense": ("稠密", "dense"),
    "sparse": ("2:4 结构化稀疏", "with 2:4 structured sparsity"),
    "both_directions": ("双向合计", "both directions together"),
    "per_card": ("整卡", "per card"),
    "per_gpu": ("单个 GPU", "per GPU"),
    "per_die": ("单 die", "per die"),
    "per_package": ("整个封装", "per package"),
    "vector": ("向量单元", "vector units"),
    "fp32_accumulate": ("FP32 累加", "FP32 accumulate"),
    "fp16_accumulate": ("FP16 累加", "FP16 accumulate"),
    "usable": ("可用", "usable"),
    "physical": ("物理", "physical"),
    "tdp": ("TDP", "TDP"),
    "peak": ("峰值", "peak"),
    "up_to": ("上限", "up to"),
    "oam": ("OAM 模块", "OAM module"),
    "pcie_card": ("PCIe 卡", "PCIe card"),
    "announced": ("宣布", "announced"),
    "on_sale": ("上市", "on sale"),
    "street_price": ("大致市场价，非官方定价", "approximate street price, not a list price"),
    "list_price": ("首发定价", "launch list price"),
    "spec_sheet": ("规格书口径", "spec sheet"),
    "launch_event": ("发布会口径", "launch event"),
    "measured": ("实测", "measured"),
    "marketing": ("标称", "nominal"),
    "vendor_tool": ("厂商工具内的取值", "value in the vendor's own tool"),
    "air_cooled": ("风冷", "air-cooled"),
    "liquid_cooled": ("液冷", "liquid-cooled"),
    "community": ("社区数据", "community figure"),
}
"""Words for `Figure.qualifiers`: key to what answers say (zh, en)."""

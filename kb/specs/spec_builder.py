"""Card records from the catalogue's plain data; each entry is built when it is first asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from kb.specs.capabilities import Capabilities
from kb.specs.fields import FIELDS
from kb.specs.figures import build_figure, write_value
from kb.specs.schema import BOARD_COUNT, WHOLE_OF_BOARD, Entry, Figure, GpuSpec, SpecSource, State, Vendor

BREADTH_SOURCE = "techpowerup"
"""The source of every second-tier figure."""

DERIVED_SOURCE = "derived"
"""The source of figures that follow from others."""

_NOT_IN_SOURCES = ("收录的来源都没有给出这一项", "none of the sources read gives it")
_NOT_IN_DATABASE = (
    "这张卡只有一个数据库的基本记录，没有这一项",
    "of this card only one database's basic record is held, which lacks this figure",
)
_BOARD_NOTE = (
    "一块板卡上有 {count} 个 GPU，这里是单个 GPU 的数据，功耗是整卡的",
    "a board with {count} GPUs; figures are for one GPU, the power is the whole board's",
)
_DATABASE_DATE = (
    "数据库记录的日期，消费卡多为宣布日期",
    "the database's date; for consumer cards mostly that of the announcement",
)


class Entries(Mapping[str, Entry]):
    """Every field's entry by key, in field order; never lacks one."""

    __slots__ = ("_build", "_built")

    def __init__(self, build: Callable[[str], Entry]) -> None:
        self._build = build
        self._built: dict[str, Entry] = {}

    def __getitem__(self, key: str) -> Entry:
        entry = self._built.get(key)
        if entry is None:
            if key not in FIELDS:
                raise KeyError(key)
            entry = self._built[key] = self._build(key)
        return entry

    def __iter__(self) -> Iterator[str]:
        return iter(FIELDS)

    def __len__(self) -> int:
        return len(FIELDS)


class SpecBuilder:
    """Makes records out of plain data."""

    def __init__(self, sources: Mapping[str, Any], capabilities: Capabilities, vendors: Mapping[str, Vendor]) -> None:
        self._sources = sources
        self._capabilities = capabilities
        self._vendors = vendors

    # ------------------------------------------------------------ first tier

    def first_tier(self, gpu_id: str, row: Mapping[str, Any]) -> GpuSpec:
        """The record of a checked card."""
        vendor = self._vendors[row["vendor"]]
        return GpuSpec(
            gpu_id=gpu_id,
            name=row["name"],
            name_zh=row.get("name_zh") or row["name"],
            vendor_id=vendor.vendor_id,
            vendor=vendor.name,
            vendor_zh=vendor.name_zh,
            tier=1,
            family=row["family"],
            per=row.get("per", "card"),
            board_count=row.get("board_count", 1),
            architecture_id=row["architecture"],
            entries=Entries(lambda key: self._first_tier_entry(row, vendor, key)),
            notes_zh=tuple(row.get("notes_zh", ())),
            notes_en=tuple(row.get("notes_en", ())),
        )

    def _first_tier_entry(self, row: Mapping[str, Any], vendor: Vendor, key: str) -> Entry:
        if key == "vendor":
            return self._vendor_entry(row, vendor)
        stored = row["fields"].get(key)
        if stored is None:
            without = self._without_figure(row["architecture"], row.get("lacks", ()), key, _NOT_IN_SOURCES)
            return (self._derived(row, key) or without) if without.state == "not_published" else without
        refs = row.get("refs", {})
        words = self._words(row, key)
        state: State = stored.get("state") or ("range" if "low" in stored else "known")
        reason = (stored.get("reason_zh", ""), stored.get("reason_en", ""))
        if state == "not_supported" and not reason[0]:
            lack = self._capabilities.lack_reason(row["architecture"], row.get("lacks", ()), key)
            reason = lack or reason
        elif state == "not_published":
            reason = reason if reason[0] else _NOT_IN_SOURCES
        return Entry(
            key=key,
            state=state,
            preferred=self._figure(key, stored, refs, words) if "value" in stored or "low" in stored else None,
            others=tuple(self._figure(key, other, refs, words) for other in stored.get("others", ())),
            rejected=tuple(self._figure(key, other, refs, ()) for other in stored.get("rejected", ())),
            reason_zh=reason[0],
            reason_en=reason[1],
        )

    def _derived(self, row: Mapping[str, Any], key: str) -> Entry | None:
        """A figure that follows from another plain one of the card by its architecture, and says how."""
        rule = self._capabilities.derivation(row["architecture"], key)
        given = row["fields"].get(rule["of"]) if rule else None
        if rule is None or given is None or given.get("state") or not isinstance(given.get("value"), float | int):
            return None
        shown = write_value(FIELDS[rule["of"]], *(float(given["value"]),) * 3)
        confidence = "low" if given["confidence"] == "low" else "medium"
        stored = {
            "value": float(f"{given['value'] * rule['times']:.6g}"),
            "confidence": confidence,
            "sources": [DERIVED_SOURCE],
            "qualifiers": given.get("qualifiers", ()),
            "note_zh": rule["zh"].format(given=shown[0]),
            "note_en": rule["en"].format(given=shown[1]),
        }
        return Entry(key, "known", self._figure(key, stored, row.get("refs", {}), self._words(row, key)))

    @staticmethod
    def _words(row: Mapping[str, Any], key: str) -> tuple[str, ...]:
        """Qualifiers that follow from what the record is of."""
        field = FIELDS[key]
        is_rate_or_size = field.kind == "number" and field.unit not in ("nm", "USD", "mm²")
        return ("per_gpu",) if row.get("per") == "gpu_of_board" and is_rate_or_size else ()

    def _vendor_entry(self, row: Mapping[str, Any], vendor: Vendor) -> Entry:
        fields = row["fields"].values()
        figures = (figure for f in fields for figure in (f, *f.get("others", ())))
        sources = next(figure["sources"] for figure in figures if figure.get("sources"))
        stored = {"value": vendor.name, "value_zh": vendor.name_zh, "confidence": "high", "sources": sources[:1]}
        return Entry("vendor", "known", self._figure("vendor", stored, row.get("refs", {}), ()))

    # ------------------------------------------------------------ second tier

    def second_tier(self, gpu_id: str, row: Mapping[str, Any]) -> GpuSpec:
        """The record of a card, or of one GPU of a board, that only one database describes."""
        vendor = self._vendors[row["vendor"]]
        boards = int(row.get(BOARD_COUNT, 1))
        source = self._source(BREADTH_SOURCE, {BREADTH_SOURCE: f"https://www.techpowerup.com/gpu-specs/{row['ref']}"})
        return GpuSpec(
            gpu_id=gpu_id,
            name=row["name"],
            name_zh=row["name"],
            vendor_id=vendor.vendor_id,
            vendor=vendor.name,
            vendor_zh=vendor.name_zh,
            tier=2,
            family="",
            per="gpu_of_board" if boards > 1 else "card",
            board_count=boards,
            notes_zh=(_BOARD_NOTE[0].format(count=boards),) if boards > 1 else (),
            notes_en=(_BOARD_NOTE[1].format(count=boards),) if boards > 1 else (),
            architecture_id=row["architecture_id"],
            entries=Entries(lambda key: self._second_tier_entry(row, vendor, source, key)),
        )

    def _second_tier_entry(self, row: Mapping[str, Any], vendor: Vendor, source: SpecSource, key: str) -> Entry:
        stored: dict[str, Any] = {"value": row.get(key), "confidence": "low"}
        if key == "vendor":
            stored |= {"value": vendor.name, "value_zh": vendor.name_zh}
        if stored["value"] is None:
            return self._without_figure(row["architecture_id"], (), key, _NOT_IN_DATABASE)
        if key == "released_on":
            stored |= {"note_zh": _DATABASE_DATE[0], "note_en": _DATABASE_DATE[1]}
        if BOARD_COUNT not in row:
            return Entry(key, "known", build_figure(key, stored, (source,)))
        if key == WHOLE_OF_BOARD:
            count = int(row[BOARD_COUNT])
            stored |= {"qualifiers": ("per_card",), "note_zh": f"这是整卡（{count} 个 GPU）的数字"}
            stored["note_en"] = f"this is the figure of the whole board with its {count} GPUs"
        return Entry(key, "known", build_figure(key, stored, (source,), self._words({"per": "gpu_of_board"}, key)))

    # ------------------------------------------------------------ both

    def lacks(self, architecture_id: str, key: str) -> bool:
        """Whether an architecture's hardware lacks what a field measures."""
        return self._capabilities.lack_reason(architecture_id, (), key) is not None

    def _without_figure(
        self, architecture_id: str, lacks: tuple[str, ...], key: str, otherwise: tuple[str, str]
    ) -> Entry:
        lack = self._capabilities.lack_reason(architecture_id, lacks, key)
        reason = lack or otherwise
        return Entry(key, "not_supported" if lack else "not_published", reason_zh=reason[0], reason_en=reason[1])

    def source(self, source_id: str) -> SpecSource:
        """The source of that id."""
        return self._source(source_id, {})

    def _source(self, source_id: str, refs: Mapping[str, str]) -> SpecSource:
        row = self._sources[source_id]
        return SpecSource(
            source_id=source_id,
            title=row["title"],
            title_zh=row["title_zh"],
            ref=refs.get(source_id, row.get("ref", "")),
            authority=row["authority"],
            as_of=row["as_of"],
        )

    def _figure(self, key: str, stored: Mapping[str, Any], refs: Mapping[str, str], words: tuple[str, ...]) -> Figure:
        return build_figure(key, stored, tuple(self._source(source, refs) for source in stored["sources"]), words)

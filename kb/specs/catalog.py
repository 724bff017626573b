"""The catalogue: every card's record, answered field by field and never with a blank.

`Catalog.entry` always says something: the recorded figure, that the architecture lacks it, or that nobody publishes it.
Records are built when first asked for; a generation stores the catalogue as canonical JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Self

from kb.errors import CatalogError, NotFoundError
from kb.specs.fields import FIELDS, field
from kb.specs.figures import build_figure
from kb.specs.reading import BREADTH_COLUMNS, CatalogData, read_catalog_folder
from kb.specs.schema import Entry, Figure, GpuSpec, SpecSource, Vendor

_FORMAT = 1
_BREADTH_SOURCE = "techpowerup"
_BREADTH_NAME_KEYS = frozenset(BREADTH_COLUMNS)


class Catalog:
    """All cards, vendors and families; immutable and safe to share between threads."""

    def __init__(self, data: CatalogData) -> None:
        """Wraps checked plain data, as `read_catalog_folder` or `from_json_bytes` give it."""
        self._data = data
        self._cards: dict[str, dict[str, Any]] = data["cards"]
        columns = data["breadth"]["columns"]
        self._breadth: dict[str, dict[str, Any]] = {
            row[0]: {c: v for c, v in zip(columns, row, strict=True) if v is not None}
            for row in data["breadth"]["rows"]
        }
        self._sources: dict[str, dict[str, Any]] = data["sources"]
        capabilities = data["capabilities"]
        self._features: dict[str, dict[str, Any]] = capabilities["features"]
        self._architectures: dict[str, dict[str, Any]] = capabilities["architectures"]
        self._specs: dict[str, GpuSpec] = {}
        self._derived: dict[tuple[str, str], Entry] = {}
        self._vendors = {
            key: Vendor(key, row["name"], row["name_zh"], row.get("domestic", False), tuple(row.get("aliases", ())))
            for key, row in data["aliases"]["vendors"].items()
        }
        self._gpus = _Gpus(self)

    # ------------------------------------------------------------ opening and storing

    @classmethod
    def load(cls, path: Path | str = "builtin") -> Self:
        """The catalogue of a folder, `builtin` or `none`.

        Raises:
            CatalogError: a file is missing or malformed; names file, card and field.
        """
        if path == "none":
            return cls.empty()
        return cls(read_catalog_folder(builtin_folder() if path == "builtin" else Path(path)))

    @classmethod
    def empty(cls) -> Self:
        """A catalogue without cards: no name is resolved, and no card is called unknown."""
        return cls(
            {
                "sources": {},
                "capabilities": {"features": {}, "architectures": {}},
                "aliases": {"vendors": {}},
                "cards": {},
                "breadth": {"columns": [], "rows": []},
            }
        )

    def to_json_bytes(self) -> bytes:
        """Canonical JSON: the same catalogue always gives the same bytes."""
        return json.dumps(
            {"format": _FORMAT, **self._data}, ensure_ascii=False, sort_keys=True, separators=(",", ":")
        ).encode()

    @classmethod
    def from_json_bytes(cls, data: bytes) -> Self:
        """What `to_json_bytes` wrote.

        Raises:
            CatalogError: it is damaged or of another version.
        """
        hint = "Rebuild the index: gpukb index build."
        try:
            stored = json.loads(data)
        except ValueError as error:
            raise CatalogError("The stored catalogue cannot be read.", hint) from error
        if not isinstance(stored, dict) or stored.get("format") != _FORMAT:
            raise CatalogError("The stored catalogue is of another version.", hint)
        return cls({key: value for key, value in stored.items() if key != "format"})

    # ------------------------------------------------------------ asking

    def __len__(self) -> int:
        return len(self._cards) + len(self._breadth)

    @property
    def gpus(self) -> Mapping[str, GpuSpec]:
        """Every card by id, first tier first, in the order of the files."""
        return self._gpus

    @property
    def vendors(self) -> Mapping[str, Vendor]:
        """Every vendor by id."""
        return MappingProxyType(self._vendors)

    @property
    def families(self) -> Mapping[str, tuple[str, ...]]:
        """Ids of the cards that share a name, by that name."""
        families: dict[str, list[str]] = {}
        for card_id, row in self._cards.items():
            families.setdefault(row["family"], []).append(card_id)
        for name, row in self.aliases.get("families", {}).items():
            families[name] = list(row["members"])
        return MappingProxyType({name: tuple(ids) for name, ids in families.items()})

    @property
    def aliases(self) -> Mapping[str, Any]:
        """What people call vendors, families and cards: the plain data of `aliases.yaml`."""
        aliases: Mapping[str, Any] = self._data["aliases"]
        return aliases

    def names(self) -> Iterator[tuple[str, str, str, Literal[1, 2]]]:
        """(id, name, vendor id, tier) of every card, without building records."""
        for card_id, row in self._cards.items():
            yield card_id, row["name"], row["vendor"], 1
        for card_id, row in self._breadth.items():
            yield card_id, row["name"], row["vendor"], 2

    def memory_sizes_gb(self, gpu_id: str) -> tuple[float, ...]:
        """Every memory size recorded for a card, without building its record."""
        row = self._cards.get(gpu_id)
        if row is None:
            size = self._breadth[gpu_id].get("memory_gb")
            return () if size is None else (float(size),)
        stored = row["fields"].get("memory_gb", {})
        return tuple(float(f["value"]) for f in (stored, *stored.get("others", ())) if f.get("value") is not None)

    def form_factor(self, gpu_id: str) -> str:
        """The recorded form factor, maybe empty, without building the record."""
        row = self._cards.get(gpu_id)
        if row is None:
            return str(self._breadth[gpu_id].get("form_factor", ""))
        return str(row["fields"].get("form_factor", {}).get("value", ""))

    def get(self, gpu_id: str) -> GpuSpec:
        """The record of a card.

        Raises:
            NotFoundError: there is no such card.
        """
        spec = self._specs.get(gpu_id)
        if spec is not None:
            return spec
        if gpu_id in self._cards:
            spec = self._first_tier(gpu_id, self._cards[gpu_id])
        elif gpu_id in self._breadth:
            spec = self._second_tier(gpu_id, self._breadth[gpu_id])
        else:
            raise NotFoundError(
                f"There is no card {gpu_id!r}.", "GET /v1/gpus?q=… or `gpukb gpus` finds cards by name."
            )
        self._specs[gpu_id] = spec
        return spec

    def entry(self, gpu_id: str, key: str) -> Entry:
        """What is known of a field of a card; never a blank.

        Raises:
            NotFoundError: there is no such card.
            CatalogError: there is no such field.
        """
        spec = self.get(gpu_id)
        recorded = spec.entries.get(key)
        if recorded is not None:
            return recorded
        cached = self._derived.get((gpu_id, key))
        if cached is None:
            field(key)
            cached = self._derived[gpu_id, key] = self._lacking(spec, key) or _not_published(spec, key)
        return cached

    # ------------------------------------------------------------ building records

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

    def _figure(self, key: str, stored: dict[str, Any], refs: Mapping[str, str], words: tuple[str, ...]) -> Figure:
        sources = tuple(self._source(source, refs) for source in stored["sources"])
        return build_figure(key, stored, sources, words)

    def _first_tier(self, gpu_id: str, row: dict[str, Any]) -> GpuSpec:
        refs = row.get("refs", {})
        per = row.get("per", "card")
        words = ("per_gpu",) if per == "gpu_of_board" else ()
        entries: dict[str, Entry] = {}
        vendor = self._vendors[row["vendor"]]
        for key in FIELDS:
            if key == "vendor":
                entries[key] = self._vendor_entry(vendor, row["fields"], refs)
                continue
            stored = row["fields"].get(key)
            if stored is not None:
                entries[key] = self._first_tier_entry(gpu_id, key, stored, refs, words)
        return GpuSpec(
            gpu_id=gpu_id,
            name=row["name"],
            name_zh=row.get("name_zh") or row["name"],
            vendor_id=vendor.vendor_id,
            vendor=vendor.name,
            vendor_zh=vendor.name_zh,
            tier=1,
            family=row["family"],
            per=per,
            board_count=row.get("board_count", 1),
            architecture_id=row["architecture"],
            entries=MappingProxyType(entries),
            notes_zh=tuple(row.get("notes_zh", ())),
            notes_en=tuple(row.get("notes_en", ())),
        )

    def _first_tier_entry(
        self, gpu_id: str, key: str, stored: dict[str, Any], refs: Mapping[str, str], words: tuple[str, ...]
    ) -> Entry:
        if FIELDS[key].kind != "number" or FIELDS[key].unit in ("nm", "USD"):
            words = ()
        has_value = "value" in stored or "low" in stored
        state = stored.get("state") or ("range" if "low" in stored else "known")
        reason_zh, reason_en = stored.get("reason_zh", ""), stored.get("reason_en", "")
        if state == "not_supported" and not reason_zh:
            row = self._cards[gpu_id]
            reason_zh, reason_en = self._lack_reason(row["architecture"], row.get("lacks", ()), key) or ("", "")
        return Entry(
            key=key,
            state=state,
            preferred=self._figure(key, stored, refs, words) if has_value else None,
            others=tuple(self._figure(key, other, refs, words) for other in stored.get("others", ())),
            rejected=tuple(self._figure(key, other, refs, ()) for other in stored.get("rejected", ())),
            reason_zh=reason_zh,
            reason_en=reason_en,
        )

    def _vendor_entry(self, vendor: Vendor, fields: Mapping[str, Any], refs: Mapping[str, str]) -> Entry:
        sources = next((f["sources"] for f in fields.values() if f.get("sources")), None)
        if sources is None:
            sources = next(o["sources"] for f in fields.values() for o in f.get("others", ()))
        figure = self._figure("vendor", {"value": vendor.name, "confidence": "high", "sources": sources[:1]}, refs, ())
        return Entry("vendor", "known", figure)

    def _second_tier(self, gpu_id: str, row: dict[str, Any]) -> GpuSpec:
        vendor = self._vendors[row["vendor"]]
        refs = {_BREADTH_SOURCE: f"https://www.techpowerup.com/gpu-specs/{row['ref']}"}
        source = (self._source(_BREADTH_SOURCE, refs),)
        stored = {**row, "vendor": vendor.name}
        entries = {
            key: Entry(key, "known", build_figure(key, _second_tier_figure(key, stored[key]), source))
            for key in FIELDS
            if key in stored and (key not in _BREADTH_NAME_KEYS or key == "vendor")
        }
        return GpuSpec(
            gpu_id=gpu_id,
            name=row["name"],
            name_zh=row["name"],
            vendor_id=vendor.vendor_id,
            vendor=vendor.name,
            vendor_zh=vendor.name_zh,
            tier=2,
            family="",
            per="card",
            board_count=1,
            architecture_id=row["architecture_id"],
            entries=MappingProxyType(entries),
        )

    # ------------------------------------------------------------ fields without a figure

    def _lacking(self, spec: GpuSpec, key: str) -> Entry | None:
        row = self._cards.get(spec.gpu_id, {})
        reason = self._lack_reason(spec.architecture_id, row.get("lacks", ()), key)
        return Entry(key, "not_supported", reason_zh=reason[0], reason_en=reason[1]) if reason else None

    def _lack_reason(self, architecture_id: str, own_lacks: tuple[str, ...], key: str) -> tuple[str, str] | None:
        architecture = self._architectures[architecture_id]
        for name in (*own_lacks, *architecture["lacks"]):
            feature = self._features[name]
            if key not in feature["fields"]:
                continue
            vendor = architecture["vendor"]
            since_zh = feature.get("since_zh", {}).get(vendor) or feature.get("since_zh", {}).get("*", "")
            since_en = feature.get("since_en", {}).get(vendor) or feature.get("since_en", {}).get("*", "")
            if name in own_lacks:
                zh, en = f"硬件不支持{_spaced(feature['zh'])}", f"the hardware has no {feature['en']}"
            else:
                name_zh = architecture.get("name_zh") or architecture["name"]
                zh = f"{name_zh} 架构不支持{_spaced(feature['zh'])}"
                en = f"{architecture['name']} has no {feature['en']}"
            return (f"{zh}（{since_zh}）" if since_zh else zh, f"{en}; {since_en}" if since_en else en)
        return None


class _Gpus(Mapping[str, GpuSpec]):
    """Cards by id; a record is built when it is first asked for."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def __getitem__(self, gpu_id: str) -> GpuSpec:
        try:
            return self._catalog.get(gpu_id)
        except NotFoundError as error:
            raise KeyError(gpu_id) from error

    def __iter__(self) -> Iterator[str]:
        return (name[0] for name in self._catalog.names())

    def __len__(self) -> int:
        return len(self._catalog)


def builtin_folder() -> Path:
    """The corpus folder that comes with gpukb: the packaged copy, else the checkout's.

    Raises:
        CatalogError: neither is there.
    """
    package = Path(__file__).resolve().parent.parent
    for folder in (package / "_corpus", package.parent / "corpus"):
        if (folder / "specs").is_dir():
            return folder
    raise CatalogError("The built-in catalogue is missing from this installation.", "Reinstall gpukb.")


def _spaced(text: str) -> str:
    return f" {text}" if text[:1].isascii() else text


def _not_published(spec: GpuSpec, key: str) -> Entry:
    if spec.tier == 2:
        return Entry(
            key,
            "not_published",
            reason_zh="这张卡只有一个数据库的基本记录，没有这一项",
            reason_en="of this card only one database's basic record is held, which lacks this figure",
        )
    return Entry(
        key, "not_published", reason_zh="没有可靠来源公布这一项", reason_en="no reliable source publishes this figure"
    )


def _second_tier_figure(key: str, value: float | str) -> dict[str, Any]:
    stored: dict[str, Any] = {"value": value, "confidence": "low"}
    if key == "released_on":
        stored["note_zh"] = "数据库记录的日期，消费卡多为宣布日期"
        stored["note_en"] = "the database's date; for consumer cards mostly that of the announcement"
    return stored

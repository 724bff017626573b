"""Reading a catalogue folder into plain data, with one clear error for whatever is wrong in it.

A folder holds `specs/*.yaml` (card records), `specs/capabilities.yaml`, `specs/breadth/*.csv` (second tier),
`sources.yaml`, `aliases.yaml` and, where there are any, `systems.yaml`. The plain data is what a generation stores as
JSON.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import BaseModel, ValidationError

from kb.errors import CatalogError
from kb.specs.fields import FIELDS
from kb.specs.records import (
    AliasesRecord,
    BoardsRecord,
    CapabilitiesRecord,
    CardRecord,
    EntryRecord,
    FigureRecord,
    SourceRecord,
    SystemsRecord,
    value_problem,
)
from kb.specs.schema import BOARD_COUNT

R = TypeVar("R", bound=BaseModel)

BREADTH_COLUMNS = ("id", "name", "vendor", "architecture_id", "ref")
"""Columns of a second-tier file that are no fields."""

CatalogData = dict[str, Any]
"""Plain data: what `Catalog.to_json_bytes` writes."""


def read_catalog_folder(folder: Path) -> CatalogData:
    """Everything a catalogue folder says, checked.

    Raises:
        CatalogError: a file is missing, malformed or contradicts another; names file, card and field.
    """
    specs = folder / "specs"
    if not specs.is_dir():
        raise CatalogError(
            f"There is no catalogue in {folder}: it has no specs folder.",
            "Set GPUKB_CATALOG to a folder with specs/*.yaml, or to builtin or none.",
        )
    sources = {
        key: _validated(SourceRecord, row, folder / "sources.yaml", key)
        for key, row in _yaml(folder / "sources.yaml").items()
    }
    capabilities_path = specs / "capabilities.yaml"
    capabilities = _validated(CapabilitiesRecord, _yaml(capabilities_path), capabilities_path, "")
    _check_capabilities(capabilities, capabilities_path)
    _check_derivations(capabilities, capabilities_path)
    aliases = _validated(AliasesRecord, _yaml(folder / "aliases.yaml"), folder / "aliases.yaml", "")
    known = _Known(sources, capabilities, aliases)
    cards: dict[str, CardRecord] = {}
    for path in sorted(specs.glob("*.yaml")):
        if path != capabilities_path:
            for card in _cards(path, known):
                if card.id in cards:
                    raise _error(path, card.id, "", "is recorded twice")
                cards[card.id] = card
    breadth = [row for path in sorted(specs.glob("breadth/*.csv")) for row in _breadth(path, known)]
    _count_boards(specs / "breadth" / "boards.yaml", {str(row["id"]): row for row in breadth})
    rows = [row for row in breadth if row["id"] not in cards]
    _check_aliases(aliases, {*cards, *(str(row["id"]) for row in rows)}, folder / "aliases.yaml")
    systems = _systems(folder / "systems.yaml", known, cards)
    columns = [*BREADTH_COLUMNS, *(key for key in (*FIELDS, BOARD_COUNT) if any(key in row for row in rows))]
    return {
        "sources": {key: _plain(record) for key, record in sources.items()},
        "capabilities": _plain(capabilities),
        "aliases": _plain(aliases),
        "cards": {card_id: _plain(card) for card_id, card in cards.items()},
        "systems": _plain(systems),
        "breadth": {"columns": columns, "rows": [[row.get(column) for column in columns] for row in rows]},
    }


class _Known:
    """What the other files define, for checking references."""

    def __init__(
        self, sources: dict[str, SourceRecord], capabilities: CapabilitiesRecord, aliases: AliasesRecord
    ) -> None:
        self.sources = sources
        self.features = capabilities.features
        self.architectures = capabilities.architectures
        self.vendors = aliases.vendors


def _error(path: Path, card: str, field: str, problem: str) -> CatalogError:
    place = ", ".join(part for part in (card, field) if part)
    return CatalogError(
        f"{path.name}: {place + ' ' if place else ''}{problem}.",
        "corpus/specs/README.md shows how a record is written.",
    )


def _yaml(path: Path) -> Any:
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise CatalogError(f"{path.name} is missing in {path.parent}.", "Restore it from the repository.") from error
    try:
        return yaml.load(text, Loader=yaml.CSafeLoader)
    except yaml.YAMLError as error:
        raise CatalogError(
            f"{path.name} is no YAML: {' '.join(str(error).split())}.", "Mend the line it names."
        ) from error


def _validated(kind: type[R], row: Any, path: Path, card: str) -> R:
    try:
        return kind.model_validate(row)
    except ValidationError as error:
        first = error.errors()[0]
        place = [str(part) for part in first["loc"]]
        if place[:1] == ["fields"] and kind is CardRecord:
            place = place[1:]
        problem = first["msg"].removeprefix("Value error, ")
        raise _error(path, card, ".".join(place), problem[:1].lower() + problem[1:]) from error


def _plain(record: BaseModel) -> dict[str, Any]:
    return record.model_dump(exclude_defaults=True)


def _cards(path: Path, known: _Known) -> Iterator[CardRecord]:
    rows = _yaml(path)
    if not isinstance(rows, list):
        raise _error(path, "", "", "must be a list of cards")
    for position, row in enumerate(rows, start=1):
        name = str(row.get("id", f"card {position}")) if isinstance(row, dict) else f"card {position}"
        card = _validated(CardRecord, row, path, name)
        _check_card(card, path, known)
        yield card


def _check_card(card: CardRecord, path: Path, known: _Known) -> None:
    if card.vendor not in known.vendors:
        raise _error(path, card.id, "vendor", f"{card.vendor!r} is not in aliases.yaml")
    if card.architecture not in known.architectures:
        raise _error(path, card.id, "architecture", f"{card.architecture!r} is not in capabilities.yaml")
    for feature in card.lacks:
        if feature not in known.features:
            raise _error(path, card.id, "lacks", f"{feature!r} is not a feature of capabilities.yaml")
    for source in card.refs:
        if source not in known.sources:
            raise _error(path, card.id, "refs", f"names the source {source!r}, which is not in sources.yaml")
    for key, entry in card.fields.items():
        if key not in FIELDS:
            raise _error(path, card.id, key, "is not a field")
        for figure in _figures(entry):
            _check_figure(figure, key, card.id, path, known)


def _figures(entry: EntryRecord) -> Iterable[FigureRecord]:
    preferred = entry.preferred
    return [*([preferred] if preferred else []), *entry.others, *entry.rejected]


def _check_figure(figure: FigureRecord, key: str, card_id: str, path: Path, known: _Known) -> None:
    problem = value_problem(key, figure)
    if problem:
        raise _error(path, card_id, key, problem)
    for source in figure.sources:
        if source not in known.sources:
            raise _error(path, card_id, key, f"names the source {source!r}, which is not in sources.yaml")


def _systems(path: Path, known: _Known, cards: Mapping[str, CardRecord]) -> SystemsRecord:
    """Machines and slices; a catalogue of one's own may have none."""
    record = _validated(SystemsRecord, _yaml(path) or {} if path.is_file() else {}, path, "")
    named = [(name, row.cards, row.sources) for name, row in record.systems.items()]
    named += [(f"slices {position}", row.cards, row.sources) for position, row in enumerate(record.slices, start=1)]
    for name, of_cards, sources in named:
        for card_id in of_cards:
            if card_id not in cards:
                raise _error(path, name, "cards", f"names {card_id!r}, which is not recorded")
        for source in sources:
            if source not in known.sources:
                raise _error(path, name, "sources", f"names the source {source!r}, which is not in sources.yaml")
    return record


def _breadth(path: Path, known: _Known) -> Iterator[dict[str, str | float]]:
    with path.open(encoding="utf-8", newline="") as handle:
        reader = csv.DictReader(handle)
        columns = reader.fieldnames or []
        unknown = [c for c in columns if c not in FIELDS and c not in BREADTH_COLUMNS]
        if unknown or any(c not in columns for c in BREADTH_COLUMNS):
            raise _error(path, "", "", f"must have the columns {', '.join(BREADTH_COLUMNS)} and fields, not {unknown}")
        numbers = {c for c in columns if c in FIELDS and FIELDS[c].kind == "number"}
        for row in reader:
            yield _breadth_row(row, numbers, path, known)


def _breadth_row(row: dict[str, str], numbers: set[str], path: Path, known: _Known) -> dict[str, str | float]:
    card_id = row["id"]
    if row["vendor"] not in known.vendors or row["architecture_id"] not in known.architectures:
        raise _error(path, card_id, "", "has an unknown vendor or architecture")
    out: dict[str, str | float] = {}
    for column, text in row.items():
        if not text:
            continue
        if column not in numbers:
            out[column] = text
            continue
        try:
            out[column] = float(text)
        except ValueError as error:
            raise _error(path, card_id, column, f"must be a number, not {text!r}") from error
    return out


def _count_boards(path: Path, rows: Mapping[str, dict[str, str | float]]) -> None:
    """Put to the rows of boards that carry several GPUs how many; the file may be left out."""
    if not path.exists():
        return
    counts = _validated(BoardsRecord, {"boards": _yaml(path)}, path, "").boards
    for card_id, count in counts.items():
        if card_id not in rows:
            raise _error(path, card_id, "", "is no card of the second tier")
        rows[card_id][BOARD_COUNT] = float(count)


def _check_capabilities(capabilities: CapabilitiesRecord, path: Path) -> None:
    for name, feature in capabilities.features.items():
        for key in feature.fields:
            if key not in FIELDS:
                raise _error(path, name, key, "is not a field")
    for name, architecture in capabilities.architectures.items():
        for lack in architecture.lacks:
            if lack not in capabilities.features:
                raise _error(path, name, "lacks", f"{lack!r} is not a feature")


def _check_derivations(capabilities: CapabilitiesRecord, path: Path) -> None:
    for derivation in capabilities.derivations:
        for key in (derivation.field, derivation.of):
            if key not in FIELDS:
                raise _error(path, "derivations", key, "is not a field")
        for name in derivation.architectures:
            if name not in capabilities.architectures:
                raise _error(path, "derivations", name, "is not an architecture")


def _check_aliases(aliases: AliasesRecord, ids: set[str], path: Path) -> None:
    owners: dict[str, str] = {}
    named = [(alias, card) for card, names in aliases.cards.items() for alias in names]
    named += [(alias, family) for family, record in aliases.families.items() for alias in record.aliases]
    for alias, owner in named:
        key = "".join(alias.lower().split())
        if owners.setdefault(key, owner) != owner:
            raise _error(path, owner, "", f"shares the alias {alias!r} with {owners[key]}")
    members = {m for family in aliases.families.values() for m in family.members}
    missing = sorted((members | set(aliases.cards)) - ids)
    if missing:
        raise _error(path, "", "", f"names cards that are not recorded: {', '.join(missing)}")

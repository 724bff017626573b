"""JSON, JSON lines and YAML, written out as text a reader can follow: key paths as headings, records as tables."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from ingest.cleaning import clean, is_blank
from ingest.loaders.base import Parsed, SourceFile
from ingest.loaders.builder import TextBuilder
from ingest.loaders.encoding import Decoded, decode
from ingest.loaders.yaml_bounds import refuse_unbounded
from kb.errors import DocumentError

_MAX_TABLE_COLUMNS = 24
_MAX_CELL_CHARS = 200
_MAX_HEADING_LEVEL = 4
_NAME_KEYS = ("name", "title", "id", "key", "型号", "名称")
_MAX_VALUES = 500_000


class JsonLoader:
    """Reads `.json`."""

    media_type = "application/json"

    def parse(self, source: SourceFile) -> Parsed:
        """Read one JSON value."""
        decoded = decode(source.data)
        return _outline(source, decoded, _json(clean(decoded.text)))


class JsonLinesLoader:
    """Reads `.jsonl` and `.ndjson`."""

    media_type = "application/jsonl"

    def parse(self, source: SourceFile) -> Parsed:
        """Read one JSON value a line; a line that is none is reported and left out."""
        decoded = decode(source.data)
        records, bad = [], []
        for number, line in enumerate(clean(decoded.text).split("\n"), 1):
            if is_blank(line):
                continue
            try:
                records.append(_json(line))
            except DocumentError:
                bad.append(number)
        if bad and not records:
            raise DocumentError("None of its lines is JSON.")
        warnings = (f"{len(bad)} line(s) are not JSON, the first is line {bad[0]}",) if bad else ()
        return _outline(source, Decoded(decoded.text, decoded.encoding, (*decoded.warnings, *warnings)), records)


class YamlLoader:
    """Reads `.yaml` and `.yml`."""

    media_type = "application/yaml"

    def parse(self, source: SourceFile) -> Parsed:
        """Read all YAML documents of the file with the safe loader."""
        decoded = decode(source.data)
        text = clean(decoded.text)
        try:
            refuse_unbounded(text, max_values=_MAX_VALUES, max_depth=source.limits.max_depth)
            values = [value for value in yaml.safe_load_all(text) if value is not None]
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            raise DocumentError(f"It cannot be read as YAML: {_first_line(error)}.") from error
        return _outline(source, decoded, values[0] if len(values) == 1 else values)


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DocumentError(f"It cannot be read as JSON: {_first_line(error)}.") from error


def _first_line(error: Exception) -> str:
    return str(error).strip().split("\n")[0].rstrip(".") or type(error).__name__


def _outline(source: SourceFile, decoded: Decoded, value: Any) -> Parsed:
    _refuse_depth(value, source.limits.max_depth)
    builder = TextBuilder()
    _write(builder, value, "", 1)
    title = _name_of(value) if isinstance(value, Mapping) else ""
    return Parsed(builder.text, builder.blocks, title, decoded.encoding, {}, decoded.warnings)


def _refuse_depth(value: Any, max_depth: int) -> None:
    level = [value]
    for _ in range(max_depth):
        deeper: list[Any] = []
        for item in level:
            if isinstance(item, Mapping):
                deeper.extend(child for child in item.values() if isinstance(child, (Mapping, list)))
            elif isinstance(item, list):
                deeper.extend(child for child in item if isinstance(child, (Mapping, list)))
        if not deeper:
            return
        if len(deeper) > _MAX_VALUES:  # an alias that contains itself doubles at every level
            break
        level = deeper
    raise DocumentError(f"Its values are nested more than {max_depth} deep, or without end.")


def _write(builder: TextBuilder, value: Any, path: str, level: int) -> None:
    if isinstance(value, Mapping):
        _write_mapping(builder, value, path, level)
    elif isinstance(value, list):
        _write_list(builder, value, path, level)
    elif not _is_empty(value):
        builder.paragraph(_scalar(value))


def _write_mapping(builder: TextBuilder, value: Mapping[Any, Any], path: str, level: int) -> None:
    flat = {key: item for key, item in value.items() if _is_short(item)}
    lines = [f"{_joined(path, key, level)}: {_one_line(item)}" for key, item in flat.items() if not _is_empty(item)]
    builder.list("\n".join(f"- {line}" for line in lines))
    for key, item in value.items():
        if key in flat or _is_empty(item):
            continue
        if level <= _MAX_HEADING_LEVEL:
            builder.heading(str(key), level)
            _write(builder, item, "", level + 1)
        else:
            _write(builder, item, _joined(path, key, level), level + 1)


def _joined(path: str, key: Any, level: int) -> str:
    # Under a heading of its own a key needs no path; deeper than headings go, the path stands in the line.
    return f"{path}.{key}" if path and level > _MAX_HEADING_LEVEL else str(key)


def _write_list(builder: TextBuilder, items: list[Any], path: str, level: int) -> None:
    records = [_flattened(item) for item in items if isinstance(item, Mapping)]
    if records and len(records) == len(items) and _fits_table(records):
        columns = list(dict.fromkeys(key for record in records for key in record))
        rows = [[record.get(column, "") for column in columns] for record in records]
        builder.table([columns, *rows], 1)
        return
    if all(not isinstance(item, (Mapping, list)) for item in items):
        builder.list("\n".join(f"- {_one_line(item)}" for item in items if not _is_empty(item)))
        return
    for number, item in enumerate(items, 1):
        name = (_name_of(item) if isinstance(item, Mapping) else "") or f"{path or 'item'} {number}"
        if level <= _MAX_HEADING_LEVEL:
            builder.heading(name, level)
            _write(builder, item, "", level + 1)
        else:
            _write(builder, item, name, level + 1)


def _fits_table(records: Sequence[Mapping[str, str]]) -> bool:
    columns = {key for record in records for key in record}
    if not columns or len(columns) > _MAX_TABLE_COLUMNS:
        return False
    filled = sum(len(record) for record in records)
    longest = max((len(value) for record in records for value in record.values()), default=0)
    return longest <= _MAX_CELL_CHARS and filled * 3 >= len(columns) * len(records)


def _flattened(value: Mapping[Any, Any], prefix: str = "") -> dict[str, str]:
    flat: dict[str, str] = {}
    for key, item in value.items():
        name = f"{prefix}{key}"
        if isinstance(item, Mapping):
            flat.update(_flattened(item, f"{name}."))
        elif isinstance(item, list) and any(isinstance(child, (Mapping, list)) for child in item):
            flat[name] = json.dumps(item, ensure_ascii=False, default=str)
        elif not _is_empty(item):
            flat[name] = _one_line(item)
    return flat


def _name_of(value: Mapping[Any, Any]) -> str:
    return next((str(value[key]) for key in _NAME_KEYS if isinstance(value.get(key), str)), "")


def _is_short(value: Any) -> bool:
    if isinstance(value, list):
        return all(not isinstance(item, (Mapping, list)) for item in value) and len(_one_line(value)) <= _MAX_CELL_CHARS
    if isinstance(value, str):
        return len(value) <= 2 * _MAX_CELL_CHARS and "\n" not in value.strip()
    return not isinstance(value, Mapping)


def _is_empty(value: Any) -> bool:
    return value is None or value in ("", [], {})


def _one_line(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(_one_line(item) for item in value)
    return " ".join(_scalar(value).split())


def _scalar(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    # An escape brings back what was cleaned away before parsing.
    return clean(value) if isinstance(value, str) else str(value)

"""Records as JSON lines with an offset table: one record is read without reading the others."""

from __future__ import annotations

import dataclasses
import datetime
import json
import mmap
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from kb.index.arrays import load_array, save_array


def write_lines(records: Iterable[Any], path: Path, offsets_path: Path) -> int:
    """Write dataclasses or mappings, one a line, and where each line starts; returns how many."""
    return write_encoded(map(encode_line, records), path, offsets_path)


def write_encoded(lines: Iterable[bytes], path: Path, offsets_path: Path) -> int:
    """The same for lines that `encode_line` made before."""
    offsets = [0]
    with path.open("wb") as file:
        for line in lines:
            offsets.append(offsets[-1] + file.write(line))
    save_array(offsets_path, np.array(offsets, np.int64))
    return len(offsets) - 1


def encode_line(record: Any) -> bytes:
    """One record as a JSON line; equal records give equal bytes."""
    line = json.dumps(record, ensure_ascii=False, separators=(",", ":"), default=_plain)
    return f"{line}\n".encode("utf-8", "surrogatepass")


def _plain(value: Any) -> Any:
    if isinstance(value, datetime.date | datetime.datetime):  # front matter holds dates
        return value.isoformat()
    if isinstance(value, Mapping):
        return dict(value)
    if dataclasses.is_dataclass(value):  # `asdict` copies every value below, which takes ten times as long
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    raise TypeError(f"{type(value).__name__} cannot be stored in an index")


class JsonLines:
    """The records of a file, by number; the file is mapped, not read."""

    def __init__(self, path: Path, offsets_path: Path) -> None:
        self._offsets = load_array(offsets_path)
        self._map: mmap.mmap | bytes = b""
        if len(self):
            with path.open("rb") as file:
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)

    def __len__(self) -> int:
        return len(self._offsets) - 1

    def __getitem__(self, number: int) -> dict[str, Any]:
        if not 0 <= number < len(self):
            raise IndexError(number)
        line = self._map[self._offsets[number] : self._offsets[number + 1]]
        fields: dict[str, Any] = json.loads(line.decode("utf-8", "surrogatepass"))
        return fields

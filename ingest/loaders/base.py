"""What a loader gets and what it returns.

A loader turns the bytes of one file into text and blocks; everything that is the same for all formats (checksum,
language, fallback title, refusing empty text) is done once by `ingest.loaders.registry.load`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from kb.types import Block


@dataclass(frozen=True, slots=True)
class LoadLimits:
    """Bounds against files that would eat the machine.

    Attributes:
        max_bytes: a larger file is refused.
        max_depth: deepest nesting of JSON, YAML and HTML that is followed.
        max_table_columns: a wider table is refused.
        max_unpacked_bytes: what a zip container may hold, unpacked.
        max_entries: how many files a zip container may hold.
        max_pages: more pages than these are not read.
        max_step_seconds: processor time that a file may take, or each page of it; `Reader` stops the work then.
        max_seconds: processor time for all of a file.
        max_memory_bytes: address space of the process that reads.
    """

    max_bytes: int = 32 * 1024 * 1024
    max_depth: int = 64
    max_table_columns: int = 2000
    max_unpacked_bytes: int = 256 * 1024 * 1024
    max_entries: int = 10_000
    max_pages: int = 5000
    max_step_seconds: int = 10
    max_seconds: int = 120
    max_memory_bytes: int = 2 * 1024 * 1024 * 1024


def _no_progress() -> None:
    """Told to nobody."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One file's bytes under the name it is listed by.

    Attributes:
        progress: called after each page or sheet, so that a long file is not taken for one that hangs.
    """

    doc_id: str
    data: bytes
    limits: LoadLimits = field(default_factory=LoadLimits)
    progress: Callable[[], None] = _no_progress

    @property
    def stem(self) -> str:
        """File name without folder and suffix."""
        name = self.doc_id.rsplit("/", 1)[-1]
        return name.rsplit(".", 1)[0] if "." in name[1:] else name


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a loader read.

    Attributes:
        text: the whole text; block offsets point into it.
        title: as the document states it; empty if it does not.
        encoding: of the file; empty for binary formats.
        metadata: whatever the format states; front matter first of all.
        warnings: what was odd though it could be read.
    """

    text: str
    blocks: tuple[Block, ...]
    title: str = ""
    encoding: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


class Loader(Protocol):
    """Reads one family of formats."""

    @property
    def media_type(self) -> str:
        """For example `text/markdown`."""
        ...

    def parse(self, source: SourceFile) -> Parsed:
        """Read the file.

        Raises:
            DocumentError: it cannot be read; the message is a plain reason.
        """
        ...

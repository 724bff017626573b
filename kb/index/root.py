"""The folder that holds the generations and says which one is current."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from kb.errors import IndexCorruptError, IndexLockedError, IndexMissingError
from kb.index.generation import Generation
from kb.index.layout import MANIFEST, generation_number
from kb.index.manifest import REBUILD_HINT, require_same_chunker, require_same_embedding
from kb.storage import locked, storage_errors, write_bytes_durably
from kb.types import EmbeddingInfo

ASIDE_PREFIX: Final = ".building-"
"""Starts the name of a folder that a build is still writing."""

_CURRENT: Final = "CURRENT"
_LOCK: Final = ".lock"


class IndexRoot:
    """Generations below one folder; readers are many, the writer is the one that holds `lock()`."""

    def __init__(self, data_dir: Path) -> None:
        self._dir = data_dir

    @property
    def path(self) -> Path:
        """The folder."""
        return self._dir

    def current_name(self) -> str | None:
        """The published generation, or None if none was published.

        Raises:
            IndexCorruptError: if the file CURRENT cannot be read or does not hold a generation's name.
        """
        try:
            name = (self._dir / _CURRENT).read_text(encoding="ascii", errors="replace").strip()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise IndexCorruptError(
                f"{self._dir / _CURRENT} cannot be read: {error.strerror}.", "Check who owns that folder."
            ) from error
        if generation_number(name) is None:
            raise IndexCorruptError(f"{self._dir / _CURRENT} does not name a generation.", REBUILD_HINT)
        return name

    def require_current(self) -> str:
        """The published generation.

        Raises:
            IndexMissingError: if nothing was published.
            IndexCorruptError: as `current_name`.
        """
        name = self.current_name()
        if name is None:
            raise IndexMissingError(f"There is no index in {self._dir}.", REBUILD_HINT)
        return name

    def generations(self) -> tuple[str, ...]:
        """Names of the finished generations, oldest first."""
        return tuple(sorted((name for name in self._folders() if self._is_finished(name)), key=_number))

    def open(self, name: str, *, verify: bool = True) -> Generation:
        """Open one generation.

        Raises:
            IndexCorruptError, IndexMismatchError: see `Generation.open`.
        """
        return Generation.open(self._dir / name, verify=verify)

    def open_current(
        self,
        embedding: EmbeddingInfo | None = None,
        cross_embedding: EmbeddingInfo | None = None,
        chunker: str | None = None,
        *,
        verify: bool = True,
    ) -> Generation:
        """Open the published generation for the models in use.

        Args:
            embedding: the embedding model in use; not compared if None.
            cross_embedding: the second encoder in use; not compared if None.
            chunker: the chunker version in use; not compared if None.
            verify: compare every file with its checksum first.

        Raises:
            IndexMissingError: if nothing was published.
            IndexCorruptError: naming the file that is damaged.
            IndexMismatchError: naming what differs, with both values.
        """
        generation = self.open(self.require_current(), verify=verify)
        require_same_embedding("embedding model", generation.manifest.embedding, embedding)
        require_same_embedding("second encoder", generation.manifest.cross_embedding, cross_embedding)
        require_same_chunker(generation.manifest.chunker, chunker)
        return generation

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Be the only writer.

        Raises:
            IndexLockedError: if another build is running.
            StorageError: if the folder cannot be made or written.
        """
        path = self._dir / _LOCK
        with locked(path, wait=False) as obtained:
            if not obtained:
                holder = path.read_text(encoding="ascii", errors="replace").strip() or "unknown"
                raise IndexLockedError(
                    f"Another build (process {holder}) is writing to {self._dir}.", "Wait for it, or stop it."
                )
            with storage_errors(path):
                path.write_text(f"{os.getpid()}\n", encoding="ascii")
            yield

    def next_number(self) -> int:
        """The running number of the next generation."""
        return 1 + max((_number(name) for name in self._folders()), default=0)

    def publish(self, name: str) -> None:
        """Make a finished generation the current one, in one step.

        Raises:
            IndexMissingError: if there is no such finished generation.
            StorageError: if the disk refuses; the old one stays current.
        """
        if generation_number(name) is None or not self._is_finished(name):
            raise IndexMissingError(f"There is no generation {name!r} in {self._dir}.")
        write_bytes_durably(self._dir / _CURRENT, f"{name}\n".encode())

    def prune(self, keep: int = 2) -> tuple[str, ...]:
        """Delete unfinished folders and all but the newest generations; call it while holding `lock()`.

        Args:
            keep: how many finished generations stay, the current one not counted among them if it is older.

        Returns:
            the names of the folders that were deleted.
        """
        current = self.current_name()
        finished = self.generations()
        kept = {current, *(finished[-keep:] if keep else ())}
        doomed = [name for name in self._folders() if name not in kept]
        doomed += [path.name for path in self._dir.glob(f"{ASIDE_PREFIX}*")]
        for name in doomed:
            with storage_errors(self._dir / name):
                shutil.rmtree(self._dir / name)
        return tuple(doomed)

    def _folders(self) -> list[str]:
        if not self._dir.is_dir():
            return []
        return [path.name for path in self._dir.iterdir() if generation_number(path.name) is not None]

    def _is_finished(self, name: str) -> bool:
        try:
            return (self._dir / name / MANIFEST).is_file()
        except PermissionError:
            return False


def _number(name: str) -> int:
    return generation_number(name) or 0

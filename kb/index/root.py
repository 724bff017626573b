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
from kb.storage import fsync_path, locked, storage_errors, write_bytes_durably
from kb.types import EmbeddingInfo

ASIDE_PREFIX: Final = ".building-"
"""Starts the name of a folder that a build is still writing."""

KEPT_GENERATIONS: Final = 3
"""How many stay on the disk unless somebody says otherwise."""

_CURRENT: Final = "CURRENT"
_PREVIOUS: Final = "PREVIOUS"
_LOCK: Final = ".lock"
# Folders of builds, files that were to replace others (see `kb.storage`), and the caches beside as they once were.
_LEFTOVERS: Final = (f"{ASIDE_PREFIX}*", f".{_CURRENT}.*", f".{_PREVIOUS}.*", "embeddings/*.npz", "embeddings/.*.npz.*")


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
        return self._name_in(_CURRENT)

    def previous_name(self) -> str | None:
        """The generation that `rollback` goes back to: the one published before, else the next older one.

        Raises:
            IndexCorruptError: as `current_name`.
        """
        current = self.current_name()
        finished = self.generations()
        before = self._readable_name(_PREVIOUS)
        if before in finished and before != current:
            return before
        older = [name for name in finished if current is not None and _number(name) < _number(current)]
        return older[-1] if older else None

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
    def lock(self, *, wait: bool = False) -> Iterator[None]:
        """Be the only writer.

        Args:
            wait: wait for another writer instead of refusing.

        Raises:
            IndexLockedError: if another build is running.
            StorageError: if the folder cannot be made or written.
        """
        path = self._dir / _LOCK
        with locked(path, wait=wait) as obtained:
            if not obtained:
                holder = path.read_text(encoding="ascii", errors="replace").strip() or "unknown"
                raise IndexLockedError(
                    f"Another build (process {holder}) is writing to {self._dir}.", "Wait for it, or stop it."
                )
            with storage_errors(path):
                path.write_text(f"{os.getpid()}\n", encoding="ascii")
            yield

    def writer(self) -> str | None:
        """Who holds `lock()`, as `process 4711`; None if nobody does.

        Raises:
            StorageError: if the folder cannot be written.
        """
        path = self._dir / _LOCK
        if not path.exists():
            return None
        with locked(path, wait=False) as obtained:
            if obtained:
                return None
            return f"process {path.read_text(encoding='ascii', errors='replace').strip() or 'unknown'}"

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
        before = self._readable_name(_CURRENT)
        if before not in {None, name}:
            write_bytes_durably(self._dir / _PREVIOUS, f"{before}\n".encode())
        write_bytes_durably(self._dir / _CURRENT, f"{name}\n".encode())

    def adopt(self, folder: Path, name: str) -> None:
        """Move a finished generation in, from the same file system, and publish it; call it while holding `lock()`.

        Raises:
            IndexCorruptError: it is damaged, or another generation has its name.
            IndexMismatchError: it was written in another format.
            StorageError: if the disk refuses.
        """
        found = Generation.open(folder)
        found.close()
        target = self._dir / name
        if found.name != name or (target.exists() and (target / MANIFEST).read_bytes() != found.manifest.to_json()):
            raise IndexCorruptError(f"{name} is not the generation that it says, or another one has its name.")
        if not target.exists():
            with storage_errors(target):
                folder.chmod(0o755)
                folder.rename(target)
                fsync_path(self._dir)
        self.publish(name)

    def rollback(self, name: str | None = None) -> tuple[str | None, str]:
        """Publish an older generation again; call it while holding `lock()`.

        Args:
            name: which one; without it the one published before (so that a second time takes the first one back).

        Returns:
            the generation that was current, and the one that is now.

        Raises:
            IndexMissingError: if there is no such generation, or none to go back to.
            IndexCorruptError: if it is damaged; the current one stays.
        """
        current = self._readable_name(_CURRENT)
        target = name or self.previous_name()
        if target is None:
            raise IndexMissingError(f"There is no older generation in {self._dir} to go back to.")
        if generation_number(target) is None or not self._is_finished(target):
            raise IndexMissingError(
                f"There is no generation {target!r} in {self._dir}.", "`gpukb index status` lists those there are."
            )
        self.open(target, verify=True).close()
        self.publish(target)
        return current, target

    def prune(self, keep: int = KEPT_GENERATIONS) -> tuple[str, ...]:
        """Delete leftovers and all but the newest generations; call it while holding `lock()`.

        The current generation stays, and so does the one that `rollback` would go back to.

        Args:
            keep: how many finished generations stay, those two not counted among them if they are older.

        Returns:
            the names of what was deleted.
        """
        finished = self.generations()
        kept = {self.current_name(), *(finished[-keep:] if keep else ())}
        if keep > 1:
            kept.add(self.previous_name())
        doomed = [name for name in finished if name not in kept]
        for name in doomed:
            self._delete(self._dir / name)
        return (*doomed, *self.remove_leftovers())

    def remove_leftovers(self) -> tuple[str, ...]:
        """Delete what an interrupted writer left: unfinished folders and files; call it while holding `lock()`.

        Returns:
            their names.
        """
        unfinished = [self._dir / name for name in self._folders() if not (self._dir / name / MANIFEST).exists()]
        unfinished += sorted(path for pattern in _LEFTOVERS for path in self._dir.glob(pattern))
        for path in unfinished:
            self._delete(path)
        return tuple(path.name for path in unfinished)

    def _delete(self, path: Path) -> None:
        with storage_errors(path):
            if not path.is_dir() or path.is_symlink():
                path.unlink(missing_ok=True)
                return
            # Without its manifest a folder does not exist for readers, however far the deletion gets.
            (path / MANIFEST).unlink(missing_ok=True)
            shutil.rmtree(path)

    def _name_in(self, file: str) -> str | None:
        path = self._dir / file
        try:
            name = path.read_text(encoding="ascii", errors="replace").strip()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise IndexCorruptError(
                f"{path} cannot be read: {error.strerror}.", "Check who owns that folder."
            ) from error
        if generation_number(name) is None:
            raise IndexCorruptError(f"{path} does not name a generation.", REBUILD_HINT)
        return name

    def _readable_name(self, file: str) -> str | None:
        try:
            return self._name_in(file)
        except IndexCorruptError:
            return None

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

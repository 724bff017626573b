"""Which documents of the index are no longer what lies in the corpus folder."""

from __future__ import annotations

import hashlib
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kb.index.generation import Generation

_KEPT_S: Final = 5.0


class Staleness:
    """Compares files with the checksums in the index; a file is read again only when it has been written.

    Args:
        folder: the corpus folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[str, tuple[tuple[int, ...], str]] = {}
        self._answer: tuple[str, float, list[str]] = ("", 0.0, [])
        self._lock = threading.Lock()

    def of(self, generation: Generation) -> list[str]:
        """Documents whose file is gone or has other bytes; as it was at most five seconds ago.

        Documents inside archives are not looked at.
        """
        with self._lock:
            name, when, found = self._answer
            if name != generation.name or time.monotonic() - when > _KEPT_S:
                summaries = generation.documents.summaries()
                found = [one.doc_id for one in summaries if self._is_stale(one.doc_id, one.sha256)]
                self._answer = (generation.name, time.monotonic(), found)
            return found

    def _is_stale(self, doc_id: str, sha256: str) -> bool:
        path = self._folder / doc_id
        try:
            state = path.stat()
            written = (state.st_ino, state.st_size, state.st_mtime_ns, state.st_ctime_ns)
            known = self._read.get(doc_id)
            if known is None or known[0] != written:
                with path.open("rb") as file:
                    known = (written, hashlib.file_digest(file, "sha256").hexdigest())
                self._read[doc_id] = known
        except NotADirectoryError:  # a document of an archive
            return False
        except OSError:
            return True
        return known[1] != sha256

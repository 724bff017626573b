"""The manifest of a generation: what it was made of, and the checksum of every file.

It is written last: a folder without one is unfinished and does not exist for readers. It carries a digest of itself,
so that a changed manifest is noticed like any other changed file.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from kb.errors import IndexCorruptError, IndexMismatchError
from kb.index.layout import FORMAT_VERSION, MANIFEST
from kb.types import EmbeddingInfo

REBUILD_HINT = "Run: gpukb index build"


@dataclass(frozen=True, slots=True)
class FileRecord:
    """Size and checksum of one file."""

    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a generation holds.

    Attributes:
        generation: its name.
        built_at: RFC 3339, UTC; the only thing that differs between two builds of the same input.
        embedding: the model of the piece vectors.
        cross_embedding: the model of the second vectors, if there are any.
        chunker: version of the rules that cut documents.
        documents, chunks, pieces: how many there are.
        files: by path relative to the folder, with `/`.
        calibration: what the build learned about scores on this corpus; empty if it did not calibrate.
    """

    generation: str
    built_at: str
    gpukb_version: str
    embedding: EmbeddingInfo
    cross_embedding: EmbeddingInfo | None
    chunker: str
    documents: int
    chunks: int
    pieces: int
    files: Mapping[str, FileRecord]
    calibration: Mapping[str, Any] = field(default_factory=dict)
    format_version: int = FORMAT_VERSION

    @property
    def content_digest(self) -> str:
        """SHA-256 over the files' checksums: equal for two builds of the same input."""
        lines = [f"{record.sha256}  {name}\n" for name, record in sorted(self.files.items())]
        return hashlib.sha256("".join(lines).encode()).hexdigest()

    def to_json(self) -> bytes:
        """The file's content."""
        # Through JSON once, so that the digest is over what a reader will see.
        fields = json.loads(json.dumps(dataclasses.asdict(self)))
        return (json.dumps({**fields, "digest": _digest(fields)}, ensure_ascii=False, indent=1) + "\n").encode()


def load_manifest(folder: Path) -> Manifest:
    """Read and check the manifest in `folder`.

    Raises:
        IndexCorruptError: if it is missing, unreadable or differs from its own digest.
        IndexMismatchError: if it was written in another format.
    """
    path = folder / MANIFEST
    try:
        content = path.read_bytes()
        fields = json.loads(content.decode())
        digest = fields.pop("digest")
    except (OSError, ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        raise IndexCorruptError(f"{path} is missing or unreadable.", REBUILD_HINT) from error
    if digest != _digest(fields):
        raise IndexCorruptError(f"{path} differs from its own checksum.", REBUILD_HINT)
    if fields.get("format_version") != FORMAT_VERSION:
        raise IndexMismatchError(
            f"{folder.name} has index format {fields.get('format_version')}, this version reads {FORMAT_VERSION}.",
            REBUILD_HINT,
        )
    cross = fields["cross_embedding"]
    manifest = Manifest(
        **{
            **fields,
            "embedding": EmbeddingInfo(**fields["embedding"]),
            "cross_embedding": EmbeddingInfo(**cross) if cross else None,
            "files": {name: FileRecord(**record) for name, record in fields["files"].items()},
        }
    )
    if manifest.to_json() != content:  # a change outside the values, such as in white space
        raise IndexCorruptError(f"{path} is not as it was written.", REBUILD_HINT)
    return manifest


def require_same_embedding(role: str, built: EmbeddingInfo | None, running: EmbeddingInfo | None) -> None:
    """Check that vectors made now compare with the vectors in the index.

    Args:
        role: what the model is for, as the message names it.
        built: the model the index was made with; None if it has no such vectors.
        running: the model in use now; None if it needs none.

    Raises:
        IndexMismatchError: naming each attribute that differs, with both values.
    """
    if running is None or built == running:
        return
    if built is None:
        raise IndexMismatchError(f"The index has no vectors of the {role} {running.model}.", REBUILD_HINT)
    differences = [
        f"{name} {getattr(built, name)!r} in the index, {getattr(running, name)!r} now"
        for name in (attribute.name for attribute in dataclasses.fields(EmbeddingInfo))
        if getattr(built, name) != getattr(running, name)
    ]
    raise IndexMismatchError(
        f"The index was made with another {role}: {'; '.join(differences)}.",
        f"{REBUILD_HINT} (or set the {role} back to {built.model}).",
    )


def require_same_chunker(built: str, running: str | None) -> None:
    """Check that documents are cut now as they were for the index.

    Raises:
        IndexMismatchError: with both versions.
    """
    if running is not None and built != running:
        raise IndexMismatchError(
            f"The index was made by chunker {built!r}, this version has {running!r}.", REBUILD_HINT
        )


def _digest(fields: Mapping[str, Any]) -> str:
    canonical = json.dumps(fields, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()

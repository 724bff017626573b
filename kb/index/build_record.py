"""What a build keeps about itself beside the index: what decided it, and which files are not in it and why."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from kb.index.layout import BUILD_RECORD

if TYPE_CHECKING:
    from kb.index.generation import Generation

Note = Mapping[str, str]
"""`doc_id`, `stage` and `reason` of a file that is not in the index."""


@dataclass(frozen=True, slots=True)
class BuildRecord:
    """Of one generation.

    Attributes:
        recipe: name and version of all that decides the result besides the documents; two equal recipes make the
            same index of the same documents.
        failed: files that should be documents and could not be read.
        skipped: files that are no documents.
    """

    recipe: Mapping[str, str] = field(default_factory=dict)
    failed: Sequence[Note] = ()
    skipped: Sequence[Note] = ()

    def to_json(self) -> bytes:
        """The file's content."""
        fields = {"recipe": dict(self.recipe), "failed": list(self.failed), "skipped": list(self.skipped)}
        return (json.dumps(fields, ensure_ascii=False, indent=1, sort_keys=True) + "\n").encode("utf-8", "replace")


def record_of(generation: Generation) -> BuildRecord:
    """The record of a generation; an empty one where the build kept none."""
    if BUILD_RECORD not in generation.manifest.files:
        return BuildRecord()
    return BuildRecord(**json.loads(generation.read(BUILD_RECORD)))

"""Public question sets, and generations built from their passages the way the product builds them.

A set is a folder with `corpus.jsonl`, `queries.jsonl` and `qrels.tsv`. The folder of sets is `retrieval` in the folder
of test material: `GPUKB_SHARED_DIR`, else `shared` beside the checkout.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir
from typing import Any

from ingest.pipeline import build
from kb.config import default_cache_dir
from kb.embeddings.bundled import BundledE5
from kb.embeddings.use import UseEncoder
from kb.index.generation import Generation
from kb.index.root import IndexRoot
from kb.retrieval.hybrid import HybridRetriever

_CHECKOUT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Query:
    """A question and the documents that answer it; none if its passage was taken out."""

    text: str
    gold: frozenset[str]
    answers: tuple[str, ...]


def sets_folder() -> Path:
    """Where the sets are; ends the program with a hint if they are nowhere."""
    shared = Path(os.environ.get("GPUKB_SHARED_DIR") or _CHECKOUT.parent / "shared")
    if not (shared / "retrieval").is_dir():
        sys.exit("The public sets are missing. Set GPUKB_SHARED_DIR to the folder that holds retrieval/.")
    return shared / "retrieval"


def file_name(passage_id: str) -> str:
    """The file that holds a passage."""
    return re.sub(r"[^\w.-]", "_", passage_id) + ".md"


def passages(name: str) -> dict[str, str]:
    """Texts of a set by file name."""
    return {file_name(row["id"]): row["text"] for row in _rows(sets_folder() / name / "corpus.jsonl")}


def queries(name: str) -> list[Query]:
    """Questions of a set."""
    gold: dict[str, set[str]] = {}
    for line in (sets_folder() / name / "qrels.tsv").read_text("utf-8").splitlines():
        fields = line.split("\t")
        if fields[-1].isdigit() and int(fields[-1]) > 0:
            gold.setdefault(fields[0], set()).add(file_name(fields[-2]))
    return [
        Query(row["text"], frozenset(gold.get(row["id"], ())), tuple(row.get("answers") or ()))
        for row in _rows(sets_folder() / name / "queries.jsonl")
    ]


class Workbench:
    """The real encoders, and generations kept in a folder between runs."""

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or Path(gettempdir()) / "gpukb-bench"
        self.embedder = BundledE5(default_cache_dir())
        self.cross_embedder = UseEncoder()
        self.retriever = HybridRetriever(self.embedder, self.cross_embedder)

    def generation(self, name: str, texts: dict[str, str]) -> Generation:
        """The generation of that name, built from texts by file name if it is not there yet."""
        root = IndexRoot(self._folder / name / "index")
        if root.current_name() is None:
            documents = self._folder / name / "docs"
            documents.mkdir(parents=True, exist_ok=True)
            for file, text in texts.items():
                (documents / file).write_text(text + "\n", encoding="utf-8")
            build(documents, root, self.embedder, self.cross_embedder)
        return root.open_current(self.embedder.info)


def table(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Columns under each other; figures with two decimals."""
    cells = [list(head), *([f"{cell:.2f}" if isinstance(cell, float) else str(cell) for cell in row] for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(head))]
    return "\n".join("  ".join(cell.rjust(width) for cell, width in zip(row, widths, strict=True)) for row in cells)


def _rows(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)

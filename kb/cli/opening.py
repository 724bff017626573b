"""Opening the knowledge base for one command, with a sign of life on a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from kb.cli.terminal import console
from kb.config import Settings

if TYPE_CHECKING:
    from kb.engine import KnowledgeBase


@contextmanager
def opened(settings: Settings) -> Iterator[KnowledgeBase]:
    """The knowledge base, closed at the end."""
    status = console(stderr=True)
    if status.is_terminal:
        with status.status("opening the index …"):
            kb = _open(settings)
    else:
        kb = _open(settings)
    try:
        yield kb
    finally:
        kb.close()


def require_documents(kb: KnowledgeBase, doc_ids: tuple[str, ...]) -> None:
    """Refuse a name that no document has, rather than finding nothing.

    Raises:
        NotFoundError: for the first such name.
    """
    for doc_id in doc_ids:
        kb.generation.documents.summary(doc_id)


def _open(settings: Settings) -> KnowledgeBase:
    # Imported here: it pulls in numpy, faiss and onnxruntime.
    from kb.factory import open_knowledge_base

    return open_knowledge_base(settings)

"""What a citation's link opens: the document as it stood in the generation that was cited."""

from __future__ import annotations

import threading
from collections import OrderedDict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from api.problems import ProblemError
from api.schemas.documents import CitedState
from kb.errors import IndexError_, NotFoundError
from kb.index.root import IndexRoot
from kb.specs.catalog import Catalog
from kb.specs.sheet import doc_id_of, sheet, sheet_named
from kb.types import Document, Language

if TYPE_CHECKING:
    from kb.engine import KnowledgeBase
    from kb.index.generation import Generation
    from kb.specs.schema import GpuSpec

_KEPT_OPEN: Final = 2


@dataclass(frozen=True, slots=True)
class CitedDocument:
    """A document to show.

    Attributes:
        generation: that it is shown from.
        state: what has become of it since it was cited.
    """

    document: Document
    generation: str
    state: CitedState


class Citations:
    """Finds documents in the served generation and in those before it that are still on the disk.

    Args:
        root: where generations are kept.
    """

    def __init__(self, root: IndexRoot) -> None:
        self._root = root
        self._open: OrderedDict[str, _Edition] = OrderedDict()
        self._lock = threading.Lock()

    def document(self, kb: KnowledgeBase, doc_id: str, language: Language, cited: str | None = None) -> CitedDocument:
        """A document as it stood in the generation `cited`; without one as it stands now.

        Raises:
            ProblemError: there is no such document now, and the generation that had it is no longer kept.
            NotFoundError: there is no such document.
        """
        snapshot = kb.snapshot()
        served = _Edition(snapshot.generation, snapshot.catalog)
        name = snapshot.generation.name
        if cited is None or cited == name:
            return CitedDocument(served.document(doc_id, language), name, "current")
        edition = self._edition(cited)
        now = served.document_or_none(doc_id, language)
        if edition is None:
            if now is None:
                raise ProblemError(
                    "not_found",
                    f"{doc_id} was cited from {cited}, which is no longer kept, and is not in the index now.",
                    f"{doc_id} 引自索引 {cited}，该版本已不再保留，且文档已不在当前索引中。",
                )
            return CitedDocument(now, name, "pruned")
        then = edition.document(doc_id, language)
        state: CitedState = "gone" if now is None else "unchanged" if now.text == then.text else "changed"
        return CitedDocument(then, cited, state)

    def _edition(self, name: str) -> _Edition | None:
        with self._lock:
            if name in self._open:
                self._open.move_to_end(name)
                return self._open[name]
        if name not in self._root.generations():
            return None
        try:
            generation = self._root.open(name)
        except IndexError_:  # deleted meanwhile, damaged, or of another version: it cannot be shown
            return None
        edition = _Edition(generation)
        with self._lock:
            self._open[name] = edition
            while len(self._open) > _KEPT_OPEN:
                self._open.popitem(last=False)
        return edition


@dataclass(frozen=True, slots=True)
class _Edition:
    generation: Generation
    catalog: Catalog | None = None

    def document(self, doc_id: str, language: Language) -> Document:
        named = sheet_named(doc_id)
        if named is None or doc_id in self.generation.documents:
            return self.generation.documents.get(doc_id)
        gpu_id, own_language = named
        catalog = self.catalog or Catalog.from_json_bytes(self.generation.catalog_bytes())
        return _sheet(catalog.get(gpu_id), own_language or language)

    def document_or_none(self, doc_id: str, language: Language) -> Document | None:
        try:
            return self.document(doc_id, language)
        except NotFoundError:
            return None


def _sheet(gpu: GpuSpec, language: Language) -> Document:
    return Document(
        doc_id=doc_id_of(gpu.gpu_id, language),
        title=gpu.label(language),
        language=language,
        text=sheet(gpu, language).text,
        blocks=(),
        media_type="text/plain",
        encoding="utf-8",
        sha256="",
    )

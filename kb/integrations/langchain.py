"""A knowledge base as a LangChain retriever, so that it can stand in any chain or agent."""

from __future__ import annotations

from typing import Any

from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document as LangChainDocument
from langchain_core.retrievers import BaseRetriever
from pydantic import ConfigDict, Field

from kb.engine import KnowledgeBase
from kb.types import Filters, Hit, SearchMode


class KnowledgeBaseRetriever(BaseRetriever):
    """Passages of a `KnowledgeBase` as LangChain documents, best first.

    Each document's metadata tells where it stands: `doc_id`, `start`, `end`, `section`, `page`, `score`, `generation`.

    Example:
        >>> from kb.factory import open_knowledge_base
        >>> retriever = KnowledgeBaseRetriever(knowledge_base=open_knowledge_base())
        >>> retriever.invoke("How wide is one HBM stack?")
    """

    model_config = ConfigDict(arbitrary_types_allowed=True)

    knowledge_base: KnowledgeBase
    top_k: int = Field(default=8, ge=1, le=100)
    mode: SearchMode = "hybrid"
    filters: Filters = Field(default_factory=Filters)

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, **kwargs: Any
    ) -> list[LangChainDocument]:
        snapshot = self.knowledge_base.snapshot()
        found = snapshot.search(query, top_k=self.top_k, mode=self.mode, filters=self.filters)
        return [self._document(hit, snapshot.generation.name) for hit in found.hits]

    @staticmethod
    def _document(hit: Hit, generation: str) -> LangChainDocument:
        chunk = hit.chunk
        return LangChainDocument(
            id=chunk.chunk_id,
            page_content=chunk.text,
            metadata={
                "doc_id": chunk.doc_id,
                "start": chunk.start,
                "end": chunk.end,
                "section": " › ".join(chunk.heading_path),
                "page": chunk.page,
                "kind": chunk.kind,
                "score": hit.score,
                "generation": generation,
            },
        )

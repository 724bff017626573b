"""The nouns that every part of gpukb shares; imports nothing else of gpukb.

All types are frozen; a change makes a new value.
"""

from kb.types.answers import (
    Answer,
    AnswerEvent,
    AnswerStatus,
    DeltaEvent,
    DoneEvent,
    Reason,
    SourcesEvent,
    StatusEvent,
    TableEvent,
)
from kb.types.builds import BuildEvent, BuildStage
from kb.types.documents import Block, BlockKind, Chunk, ChunkKind, Document, Language, Span, chunk_id_of
from kb.types.facts import Fact, FactKind, NoFigureKind, Verdict
from kb.types.requests import MAX_QUESTION, AskRequest, Turn
from kb.types.search import Contributions, Filters, Hit, SearchMode, SearchResult, SearchSignals
from kb.types.sources import Citation, Source, SourceKind
from kb.types.stages import STAGES, Stage
from kb.types.tables import Cell, Column, Row, Table
from kb.types.vectors import EmbeddingInfo, Vectors

__all__ = [
    "MAX_QUESTION",
    "STAGES",
    "Answer",
    "AnswerEvent",
    "AnswerStatus",
    "AskRequest",
    "Block",
    "BlockKind",
    "BuildEvent",
    "BuildStage",
    "Cell",
    "Chunk",
    "ChunkKind",
    "Citation",
    "Column",
    "Contributions",
    "DeltaEvent",
    "Document",
    "DoneEvent",
    "EmbeddingInfo",
    "Fact",
    "FactKind",
    "Filters",
    "Hit",
    "Language",
    "NoFigureKind",
    "Reason",
    "Row",
    "SearchMode",
    "SearchResult",
    "SearchSignals",
    "Source",
    "SourceKind",
    "SourcesEvent",
    "Span",
    "Stage",
    "StatusEvent",
    "Table",
    "TableEvent",
    "Turn",
    "Vectors",
    "Verdict",
    "chunk_id_of",
]

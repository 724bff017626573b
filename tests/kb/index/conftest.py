"""A small corpus in both languages, written the way a build writes it."""

from __future__ import annotations

import numpy as np
import pytest

from kb.index.root import IndexRoot
from kb.index.writer import GenerationWriter
from kb.types import Block, Chunk, Document, EmbeddingInfo, Span, chunk_id_of

EMBEDDING = EmbeddingInfo(model="made-up/small", revision="1", dim=8, max_tokens=512, query_prefix="q: ")
CROSS = EmbeddingInfo(model="made-up/cross", revision="1", dim=4, max_tokens=512)
CHUNKER = "structure-1"
TEXTS = {
    "en/bandwidth.md": ["Memory bandwidth of the T4 is 320 GB/s.", "The L4 has 300 GB/s, at half the power."],
    "en/power.md": ["The H100 SXM draws up to 700 W."],
    "zh/带宽.md": ["T4 的显存带宽是 320 GB/s。", "A100 80GB 的显存带宽为 2039 GB/s。", "H100 采用 HBM3 显存。"],
}


def make_documents():
    return [
        Document(
            doc_id=doc_id,
            title=doc_id.rpartition("/")[2],
            language="zh" if doc_id.startswith("zh") else "en",
            text="\n\n".join(texts),
            blocks=(Block("heading", 0, 3, level=1), Block("paragraph", 3, 9, heading_path=("一", "二"))),
            media_type="text/markdown",
            encoding="gb18030" if doc_id.startswith("zh") else "utf-8",
            sha256="ab" * 32,
            metadata={"as_of": "2026-11-30", "sources": ["https://example.com/a"]},
            warnings=("1 undecodable byte at offset 812",),
        )
        for doc_id, texts in sorted(TEXTS.items())
    ]


def make_chunks(documents):
    chunks = []
    for document in documents:
        start = 0
        for ordinal, text in enumerate(TEXTS[document.doc_id]):
            middle = start + len(text) // 2
            chunks.append(
                Chunk(
                    chunk_id=chunk_id_of(document.doc_id, start, text),
                    doc_id=document.doc_id,
                    ordinal=ordinal,
                    kind="text",
                    start=start,
                    end=start + len(text),
                    text=text,
                    heading_path=(document.title, "规格"),
                    pieces=(Span(start, middle), Span(middle, start + len(text))),
                    embed_texts=(text[: middle - start], text[middle - start :]),
                    language=document.language,
                    page=ordinal + 1,
                    also_in=("en/power.md",) if document.doc_id == "en/bandwidth.md" and ordinal == 0 else (),
                )
            )
            start += len(text) + 2
    return chunks


def make_vectors(count, dim, seed=3):
    return np.random.default_rng(seed).normal(size=(count, dim)).astype(np.float32)


def build(root, *, publish=True, calibration=None, files=(), cross=True):
    """One whole build; returns the generation's name."""
    documents = make_documents()
    chunks = make_chunks(documents)
    pieces = sum(len(chunk.pieces) for chunk in chunks)
    with (
        root.lock(),
        GenerationWriter(
            root,
            embedding=EMBEDDING,
            cross_embedding=CROSS if cross else None,
            chunker=CHUNKER,
            gpukb_version="0.1.0",
        ) as writer,
    ):
        writer.write(
            documents,
            chunks,
            make_vectors(pieces, EMBEDDING.dim),
            cross_vectors=make_vectors(pieces, CROSS.dim) if cross else None,
            catalog=b'{"t4": 320}',
        )
        for name, content in files:
            writer.add_file(name, content)
        name = writer.finish(calibration)
        if publish:
            root.publish(name)
    return name


@pytest.fixture
def root(tmp_path):
    return IndexRoot(tmp_path / "data")


@pytest.fixture
def name(root):
    """A published generation."""
    return build(root)


@pytest.fixture
def generation(root, name):
    return root.open(name)

"""A document as JSON, between the process that reads files and the one that builds."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from kb.types import Block, Document


def document_to_json(document: Document) -> dict[str, Any]:
    """A value that `json.dumps` takes."""
    return {
        "doc_id": document.doc_id,
        "title": document.title,
        "language": document.language,
        "text": document.text,
        "blocks": [asdict(block) for block in document.blocks],
        "media_type": document.media_type,
        "encoding": document.encoding,
        "sha256": document.sha256,
        "metadata": dict(document.metadata),
        "warnings": list(document.warnings),
    }


def document_from_json(value: dict[str, Any]) -> Document:
    """The document that `document_to_json` wrote."""
    blocks = tuple(Block(**{**block, "heading_path": tuple(block["heading_path"])}) for block in value["blocks"])
    return Document(**{**value, "blocks": blocks, "warnings": tuple(value["warnings"])})

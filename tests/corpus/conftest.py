"""The shipped corpus: its documents, the questions they answer, the catalogue."""

from __future__ import annotations

import json

import pytest

from ingest.loaders.registry import load
from kb.specs.catalog import Catalog
from tests.conftest import ROOT

CORPUS = ROOT / "corpus"


@pytest.fixture(scope="session")
def corpus():
    """The folder of the shipped corpus."""
    return CORPUS


@pytest.fixture(scope="session")
def documents():
    """Every document by its path below `docs`: `en/kv-cache.md`."""
    paths = sorted((CORPUS / "docs").rglob("*.md"))
    return {
        doc_id: load(path, doc_id)
        for path, doc_id in ((path, path.relative_to(CORPUS / "docs").as_posix()) for path in paths)
    }


@pytest.fixture(scope="session")
def questions():
    """Every question that a document answers, with its answer."""
    return [
        json.loads(line)
        for path in sorted((CORPUS / "eval").glob("docs_*.jsonl"))
        for line in path.read_text(encoding="utf-8").splitlines()
    ]


@pytest.fixture(scope="session")
def catalog():
    """The shipped catalogue."""
    return Catalog.load("builtin")

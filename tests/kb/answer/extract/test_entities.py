import pytest

from kb.answer.extract.entities import missing_entities


@pytest.mark.parametrize(
    ("question", "text", "missing"),
    [
        ("RTX 5090 的显存多大？", "RTX 4090 有 24 GB 显存", ("rtx5090",)),
        ("RTX 5090 的显存多大？", "RTX-5090 有 32 GB 显存", ()),
        ("How fast are two H100s?", "The H100 reaches 989 TFLOPS.", ()),
        ("Is A100 in it?", "The A1000 is another card.", ("a100",)),
        ("What does TensorRT 10.9 require?", "TensorRT 10.8 requires cuDNN 9.7.", ("10.9",)),
        ("What does TensorRT 10.9 require?", "TensorRT 10.9.0 requires cuDNN 9.8.", ()),
        ("What does TensorRT 10.9 require?", "TensorRT 10.90 requires cuDNN 9.8.", ("10.9",)),
        ("What does TensorRT 10.9 require?", "In TensorRT 10.9 cuDNN is optional.", ()),
        ("2024 年的价格", "2023 年的价格是 100 元", ("2024",)),
        ("昇腾910B 的功耗", "Ascend 910B: 400 W", ()),
        ("带宽是 3.35 TB/s 吗？", "带宽不是这个数", ()),
        ("为什么慢？", "", ()),
    ],
)
def test_names_of_the_question_that_no_text_holds(question, text, missing):
    assert missing_entities(question, [text]) == missing


def test_each_name_may_stand_in_another_text():
    assert missing_entities("A100 与 H100 的区别", ["A100 40GB", "H100 SXM"]) == ()

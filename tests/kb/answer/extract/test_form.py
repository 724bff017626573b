import pytest

from kb.answer.extract.form import Form


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("怎么用 nvidia-smi 限制功耗？", {"instruction", "command", "explanation"}),
        ("Which variable limits the memory of a client?", {"command", "literal"}),
        ("哪些卡支持 FP8？", {"items"}),
        ("Which cards have no NVLink?", {"items"}),
        ("Which FP8 format does the engine use?", set()),
        ("What PCI device ID does the README list?", set()),
        ("How much memory does it need?", {"amount"}),
        ("L40S 支持 MIG 吗？", {"yes_or_no"}),
        ("Does FP6 run faster than FP8?", {"yes_or_no"}),
        ("Why is FP64 slow?", {"explanation"}),
        ("What is DP4A?", {"explanation"}),
        ("T4 的显存带宽是多少？", set()),
    ],
)
def test_form_of_the_answer(question, wanted):
    form = Form.of(question)
    assert {name for name in Form.__dataclass_fields__ if getattr(form, name)} == wanted

"""`gpukb size`: for people and for programs, without an index."""

from __future__ import annotations

import json

import pytest

from kb.cli.main import run


def sized(capsys, *args):
    assert run(["size", *args, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_for_programs_it_is_the_http_answer(capsys):
    found = sized(capsys, "Llama", "3.1", "70B", "--gpu", "H100 SXM", "--context", "32768", "--precision", "fp8")
    assert found["object"] == "size"
    assert found["workload"]["model"]["name"] == "Llama 3.1 70B"
    assert [card["gpu_id"] for card in found["data"]] == ["h100-sxm5-80gb"]
    assert found["data"][0]["layout"]["tensor_parallel"] == 2


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", ["Weights", "140 GB", "H100 SXM5 80GB", "4 cards (TP 4 × PP 1 × DP 1)", "fits", "nominal GB"]),
        ("zh", ["权重", "140 GB", "H100 SXM5 80GB", "4 张（TP 4 × PP 1 × DP 1）", "装得下", "按标称 GB"]),
    ],
)
def test_for_people(capsys, lang, words):
    assert run(["size", "70B", "--gpu", "h100-sxm5-80gb", "--cards", "4", "--context", "8192", "--lang", lang]) == 0
    out = capsys.readouterr().out
    for word in words:
        assert word in out


def test_adapters_mean_fine_tuning(capsys):
    found = sized(capsys, "Qwen2.5 72B", "--method", "qlora", "--lora-rank", "64")
    assert (found["workload"]["task"], found["workload"]["precision"]) == ("finetune", "nf4")
    assert [line["key"] for line in found["memory"]["lines"]][:2] == ["weights", "adapters"]


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["Llama 9 70Q"], "No model"),
        (["Llama 3.1 71B"], "Nearest: Llama 3.1 70B"),
        (["70B", "--gpu", "H150"], "Nearest: H100"),
        (["70B", "--precision", "fp7"], "Formats: fp32, fp16"),
        (["70B", "--optimizer", "nothing", "--task", "pretrain"], "Optimizers: adamw"),
        (["70B", "--cards", "0"], "--cards"),
        (["70B", "--optimizer", "sgd"], "optimizer: of training only"),
        (["70B", "--task", "finetune", "--target-tpot-ms", "20"], "target_tpot_ms: of inference only"),
    ],
)
def test_what_cannot_be_sized_is_one_line(capsys, args, says):
    assert run(["size", *args]) in {1, 2}
    error = capsys.readouterr().err
    assert says in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("lang", "words"),
    [
        ("en", ["longest context of each sequence", "5000 tokens/s take about 12 cards: 3 copies of 4"]),
        ("zh", ["每路上下文最长", "达到 5000 tokens/s 约需 12 张：3 个副本，每个 4 张"]),
    ],
)
def test_cards_for_a_speed_and_the_longest_context(capsys, lang, words):
    model = ["70B", "--precision", "fp8", "--gpu", "h100-sxm5-80gb", "--context", "8192"]
    assert run(["size", *model, "--target-tokens-s", "5000", "--lang", lang]) == 0
    out = capsys.readouterr().out
    assert all(word in out for word in words)
